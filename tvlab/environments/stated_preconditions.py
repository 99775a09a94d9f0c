"""States that a record must be in before a call: "Modify a pending order", "a locked page cannot be changed".

Only states that the records of the environment can have are asked for.
"""

from __future__ import annotations

import re

from tvlab.environments import starting_states, transitions
from tvlab.environments.code_text import literal
from tvlab.environments.domain import Domain
from tvlab.environments.drafts import Draft
from tvlab.environments.meanings import Meaning
from tvlab.environments.wrapped_lines import unwrapped

_WRITES = frozenset({"update", "transition"})
_FIXED = re.compile(r"\bcan(?:not|['’]t| not) be (?:modified|changed|updated|edited)\b", re.IGNORECASE)


def preconditions(meaning: Meaning, domain: Domain) -> list[tuple[str, object]]:
    """Return (column, value it must have) for an update or a change of state; False stands for a flag that is off."""
    entity = meaning.entity
    if domain.guessed_texts or meaning.operation not in _WRITES:
        return []
    result: list[tuple[str, object]] = []
    state, status = starting_states.told_state(meaning.tool.description, entity), transitions.status_field(entity)
    if state and status is not None:
        known = status.schema.get("enum") or status.schema.get("values") or ()
        same = [value for value in known if str(value).lower() == state]
        result += [(status.name, value) for value in same[:1]]
    for column in entity.fields.values():
        if column.type == "boolean" and _FIXED.search(unwrapped(str(column.schema.get("description") or ""))):
            result.append((column.name, False))
    return result


def refuse_wrong_state(draft: Draft) -> None:
    """Add the lines that refuse a record which is not in the state that the text asks for."""
    for column, value in preconditions(draft.meaning, draft.domain):
        cell = f"{draft.record}.get({literal(column)})"
        draft.add(f"if {cell}:" if value is False else f"if {cell} != {literal(value)}:")
        words = (
            f"this {draft.entity.title} is {column}" if value is False else f"this {draft.entity.title} is not {value}"
        )
        draft.add(f'fail("conflict", {literal(words)})', 1)
