"""Two things that one call names and of which one belongs to the other: a message and the channel it is in.

``add_reaction(channel_id, message_id, emoji)`` with a message of another channel is refused, as a read under such an
address is.  People are left out: one person may have to do with several places.
"""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.parameter_targets import is_direct
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.steering import said_of
from tvlab.environments.runtime import State
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft

_WRITES = frozenset({"create", "send", "upsert", "update"})


_TOLD = re.compile(r"\b(?:needs? to|must) (?:be in|belong to) the (?:same )?(?P<what>[a-z]+)\b", re.IGNORECASE)


def _noun_of(domain: Domain, role: Role) -> str:
    """Return the last word of the thing that a role picks."""
    return domain.entities[role.entity or ""].noun[-1]


def agreements(meaning: Meaning, domain: Domain) -> list[tuple[Role, Role, str]]:
    """Return (what belongs, what it belongs to, the column that says so) for the references that must agree."""
    if domain.guessed_texts or meaning.operation not in _WRITES:
        return []
    roles = [r for r in meaning.of("reference") if r.op == "==" and "[]" not in r.path and not r.filters]
    result = []
    for child in roles:
        entity = domain.entities[child.entity or ""]
        for parent in roles:
            told = _TOLD.search(unwrapped(said_of(child.parameter, meaning.tool)))
            columns = [
                f.name
                for f in entity.fields.values()
                if f.reference == parent.entity
                and f.direct
                and f.type != "array"
                and (f.name in entity.parents or (told and told["what"].lower() == _noun_of(domain, parent)))
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


def agreement_report(meaning: Meaning, domain: Domain) -> dict[str, list[dict[str, str]]]:
    """Return a report's entry of the references of a tool that must agree, nothing if there are none."""
    rows = [
        {"of": child.dotted, "in": parent.dotted, "field": column}
        for child, parent, column in agreements(meaning, domain)
    ]
    return {"agree": rows} if rows else {}


def agreed(arguments: dict[str, Any], meaning: dict[str, Any], entities: dict[str, Any], state: State) -> None:
    """Let the references of a call agree: what one is in is given as its record says; the arguments are changed.

    Args:
        arguments: of the call; those that it lacks stay away.
        meaning: the report's entry of the tool.
        entities: the report's entities.
        state: holds the records.
    """
    for row in meaning.get("agree", ()):
        entity = entities[meaning["parameters"][row["of"]]["entity"]]
        key = _at(arguments, row["of"])
        record = state.get(entity["table"], {}).get(str(key))
        above = record.get(row["field"]) if record is not None else None
        if above is not None and _at(arguments, row["in"]) is not None:
            *places, last = row["in"].split(".")
            _at(arguments, ".".join(places))[last] = above


def _at(arguments: Any, dotted: str) -> Any:
    """Return what stands at a place of the arguments, None if nothing does."""
    for name in dotted.split(".") if dotted else ():
        arguments = arguments.get(name) if isinstance(arguments, dict) else None
    return arguments
