"""Rules between values that only a text states, as lines of the written code.

A moment that must not lie in the past, rows that must be of one length, a value that another one's value asks for.
What concerns a single value alone stands in the published schema instead (``stated_values.py``).
"""

from __future__ import annotations

import re

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.nouns import flat
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.language import stated_states
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.stated_conditions import conditions, inner_conditions, role_text
from tvlab.environments.meanings.stated_values import not_past
from tvlab.environments.meanings.steering import said_of
from tvlab.environments.meanings.transitions import status_field
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft

_EVEN = re.compile(
    r"\brows must (?:all )?(?:have|contain) (?:the )?same (?:number of )?(?:columns|cells|values|length)\b"
    r"|\brows must (?:all )?be (?:of )?(?:the )?(?:same|equal) length\b",
    re.IGNORECASE,
)
_MADE = frozenset({"create", "send", "update", "set", "upsert", "transition"})


def add_guards(draft: Draft) -> None:
    """Add the lines that refuse calls which break a stated rule between values."""
    meaning = draft.meaning
    if meaning.operation not in _MADE:
        return
    for role in meaning.of("payload"):
        if "[]" in role.path:
            continue
        text = role_text(role, meaning)
        value, name = draft.value(role), role.path[-1]
        if role.parameter.type == "string" and not_past(text):
            _refuse(draft, role, f"{value} < now(state)[: len({value})]", f"{name} must not lie in the past")
        if needs_even_rows(role, meaning):
            row = draft.own("row")
            lengths = f"len({{len({row}) for {row} in {value}}}) > 1"
            _refuse(draft, role, lengths, f"all rows of {name} must have the same length")
    for role, chooser, values in conditions(meaning):
        test = f"{draft.value(chooser)} in {literal(tuple(values))}"
        missing = f"{draft.value(role)} is None"
        draft.add(f"if {test} and {missing}:")
        words = f"{role.path[-1]} is required if {chooser.path[-1]} is {' or '.join(map(str, values))}"
        draft.add(f'fail("invalid_arguments", {literal(words)})', 1)
    for holder, name, chooser, values in () if draft.domain.guessed_texts else inner_conditions(meaning):
        held = draft.value(holder) if draft.always(holder) else f"({draft.value(holder)} or {{}})"
        draft.add(f"if {draft.value(chooser)} in {literal(tuple(values))} and {held}.get({literal(name)}) is None:")
        words = f"{name} is required if {chooser.path[-1]} is {' or '.join(map(str, values))}"
        draft.add(f'fail("invalid_arguments", {literal(words)})', 1)


def _refuse(draft: Draft, role: Role, test: str, words: str) -> None:
    given = test if draft.always(role) else f"{draft.value(role)} is not None and {test}"
    draft.add(f"if {given}:")
    draft.add(f'fail("invalid_arguments", {literal(words)})', 1)


def refuse_other_states(draft: Draft) -> None:
    """Add the lines that refuse a record which is not in the state that the text says it is in."""
    _refuse_locked(draft)
    entity, told = draft.entity, stated_states.told_state(draft.meaning.tool.description, draft.entity.noun)
    column = status_field(entity) if told and not draft.domain.guessed_texts else None
    known = [*column.schema.get("enum", ()), *column.schema.get("values", ())] if column is not None else []
    state = next((value for value in known if str(value).lower() == told), None)
    if column is None or state is None:
        return
    draft.add(f"if {draft.record}.get({literal(column.name)}) != {literal(state)}:")
    draft.add(f'fail("conflict", {literal(f"this {entity.title} is not {state}")})', 1)


def locking(entity: Entity, operation: str, domain: Domain) -> list[str]:
    """Return the flags of a record of which tools tell that an operation cannot be done to it then."""
    flags = [f for f in entity.fields.values() if f.type == "boolean"]
    tools = [tool for tool in domain.tools if domain.own.get(tool.name) is entity] if flags else []
    told = [(p, tool) for tool in tools for p in flat(tool.parameters)]
    return [
        f.name for f in flags
        if not domain.guessed_texts
        and any(p.name == f.name and stated_states.locked_by(said_of(p, t), f.name, operation) for p, t in told)
    ]  # fmt: skip


def _refuse_locked(draft: Draft) -> None:
    entity, operation = draft.entity, draft.meaning.operation
    for name in locking(entity, operation, draft.domain):
        draft.add(f"if {draft.record}.get({literal(name)}):")
        draft.add(f'fail("conflict", {literal(f"this {entity.title} is read-only")})', 1)


def needs_even_rows(role: Role, meaning: Meaning) -> bool:
    """True if a list of lists must have rows of one length."""
    p = role.parameter
    rows = p.many and schema_type(p.item_schema) == "array"
    return rows and told_even(f"{meaning.tool.description}\n{role_text(role, meaning)}")


def told_even(text: str) -> bool:
    """True if all rows must have one length.

    >>> told_even("All rows MUST have same number of columns"), told_even("Rows may differ")
    (True, False)
    """
    return bool(_EVEN.search(unwrapped(text)))
