"""Where a new record lies by way of what it is made in: the order of a mailbox is that of its forwarders too.

``create_forwarder(mailbox_id, destination)`` beside ``list_forwarders(order_id)``: the new one must be in the list of
the order that its mailbox belongs to.  Only a place that the call cannot give is carried over.
"""

from __future__ import annotations

from collections.abc import Iterator

from tvlab.environments.meanings.meanings import Role
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft

_MADE = frozenset({"create", "send"})


def carried(draft: Draft) -> Iterator[tuple[str, Role, str]]:
    """Yield (column of the new record, what it is made in, column of that) for each place it lies in as well."""
    meaning, domain = draft.meaning, draft.domain
    if domain.guessed_texts or meaning.operation not in _MADE:
        return
    given = {role.field for role in meaning.roles}
    for column in meaning.entity.fields.values():
        above = domain.entities.get(column.reference or "")
        if above is None or above.hidden or above is meaning.entity or column.type == "array" or column.name in given:
            continue
        found = [
            (role, other.name)
            for role in meaning.of("reference")
            if role.op == "==" and len(role.path) == 1 and role.entity not in (None, meaning.entity.name)
            for other in domain.entities[role.entity or ""].fields.values()
            if other.reference == above.name and other.direct and other.type != "array"
        ]
        if len(found) == 1:
            yield column.name, *found[0]


def carried_parts(draft: Draft) -> list[str]:
    """Return the parts of a new record that its places give."""
    cells = []
    for name, role, other in carried(draft):
        entity = draft.domain.entities[role.entity or ""]
        row = f"state[{literal(entity.table)}][{draft.key_text(entity, draft.value(role))}]"
        cell = f"{row}.get({literal(other)})"
        cell = cell if draft.always(role) else f"None if {draft.value(role)} is None else {cell}"
        cells.append(f"{literal(name)}: {cell}")
    return [f"**without_missing({{{', '.join(cells)}}})"] if cells else []
