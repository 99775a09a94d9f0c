"""Two things that one call names and of which one belongs to the other: a message and the channel it is in.

``add_reaction(channel_id, message_id, emoji)`` with a message of another channel is refused, as a read under such an
address is.  People are left out: one person may have to do with several places.
"""

from __future__ import annotations

from tvlab.environments import vocabulary as words_of
from tvlab.environments.code_text import literal
from tvlab.environments.domain import Domain
from tvlab.environments.drafts import Draft
from tvlab.environments.meanings import Meaning, Role
from tvlab.environments.parameter_targets import is_direct

_WRITES = frozenset({"create", "send", "upsert", "update"})


def agreements(meaning: Meaning, domain: Domain) -> list[tuple[Role, Role, str]]:
    """Return (what belongs, what it belongs to, the column that says so) for the references that must agree."""
    if domain.guessed_texts or meaning.operation not in _WRITES:
        return []
    roles = [r for r in meaning.of("reference") if r.op == "==" and "[]" not in r.path and not r.filters]
    result = []
    for child in roles:
        entity = domain.entities[child.entity or ""]
        for parent in roles:
            columns = [
                column
                for column, name in entity.parents.items()
                if name == parent.entity and column in entity.fields and entity.fields[column].direct
            ]
            alone = sum(r.entity == parent.entity for r in roles) == 1 == len(columns)
            named = is_direct(parent.parameter, domain.entities[parent.entity or ""])
            if parent is not child and alone and named and entity.noun[-1] not in words_of.PERSON_ENTITIES:
                result.append((child, parent, columns[0]))
    return result


def refuse_disagreeing(draft: Draft) -> None:
    """Add the lines that refuse a thing of another place than the one given; both are known to exist."""
    for child, parent, column in agreements(draft.meaning, draft.domain):
        entity, above = (draft.domain.entities[r.entity or ""] for r in (child, parent))
        row = f"state[{literal(entity.table)}][{draft.key_text(entity, draft.value(child))}]"
        test = f"{row}.get({literal(column)}) != {draft.value(parent)}"
        given = [f"{draft.value(r)} is not None" for r in (child, parent) if not draft.always(r)]
        draft.add(f"if {' and '.join([*given, test])}:")
        draft.add(f'fail("not_found", {literal(f"no such {entity.title} in this {above.title}")})', 1)
