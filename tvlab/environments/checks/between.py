"""Checks of stated rules that need more than one value: the clock, rows of one length, pages, parts that stay.

Like those of ``checks/stated.py``, the rules are read from the published texts alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.checks.pages import listed, longest
from tvlab.environments.domain.expectations import named_field
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.language import descriptions, stated_paging, stated_states
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings import stated_conditions, stated_needs
from tvlab.environments.meanings.stated_values import needed_names, not_past, text_of
from tvlab.environments.runtime import CLOCK
from tvlab.environments.writing import stated_guards

_DAY = re.compile(r"\d{4}-\d\d-\d\d$")
_PAST = {10: "1999-12-31", 16: "1999-12-31T00:00", 20: "1999-12-31T00:00:00Z"}


def check_between(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Run all of them."""
    if case.action is None:
        yield from _check_values(case, successes)
        yield from _check_needed(case, successes)
        yield from _check_paging(case)
        yield from _check_separated(case)
        yield from _check_kept(case, successes)
        yield from _check_state(case, successes)
        yield from _check_locked(case, successes)


def _said(case: Case, name: str) -> str:
    part = case.properties[name]
    return unwrapped(text_of(name, part if isinstance(part, dict) else {}, case.expectation.description))


def _check_values(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    for name, part in case.properties.items():
        base = next((o for o in reversed(successes) if name in o.arguments), None)
        if base is None or case.roles.get(name, {}).get("role") not in ("payload", "reference"):
            continue
        text, given = _said(case, name), base.arguments[name]
        if isinstance(given, str) and not_past(text):
            past = case.run({**base.arguments, name: _PAST.get(len(given), _PAST[20])})
            yield case.check("stated_rule", not past.ok, f"{name} may lie in the past")
            days = [value for value in base.arguments.values() if isinstance(value, str) and _DAY.match(value)]
            if days == [given] and "future" not in text.lower():
                today = case.run({**base.arguments, name: case.environment.state[CLOCK]["now"][:10]})
                yield case.check("stated_rule", today.ok, f"{name} may not be today, which is not past")
        rows = schema_type(part) == "array" and schema_type(part.get("items")) == "array"
        if rows and stated_guards.told_even(f"{case.expectation.description}\n{text}"):
            ragged = case.run({**base.arguments, name: [["a"], ["b", "c"]]})
            yield case.check("stated_rule", not ragged.ok, f"{name} may have rows of different lengths")
        yield from _check_inside(case, name, part, base)
        told = stated_needs.needed_when(text)
        asks = stated_conditions.asking(told[0], name, list(case.properties)) if told else ""
        required = name in case.tool["inputSchema"].get("required", [])
        if told and asks and asks != name and not required and case.roles.get(asks, {}).get("role") == "payload":
            kind = schema_type(case.properties[asks])
            for value in told[1] if kind == "string" else [True] if kind == "boolean" and "true" in told[1] else []:
                bare = {n: v for n, v in base.arguments.items() if n != name}
                lacking = case.run({**bare, asks: value})
                yield case.check("stated_rule", not lacking.ok, f"{name} may be missing where {asks} is {value}")


def _check_state(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A record that is in another state than the text says of what is changed is refused."""
    noun = case.meaning["entity"].split("_")
    told = stated_states.told_state(case.expectation.description, noun)
    for outcome in successes if told and case.meaning["operation"] in ("update", "transition") else ():
        for table, old, _ in outcome.change.changed:
            held = [name for name, value in old.items() if str(value).lower() == told]
            rows = outcome.before[table]
            others = {row.get(held[0]) for row in rows.values()} - {old[held[0]], None} if held else set()
            key = next(key for key, row in rows.items() if row == old)
            for other in sorted(map(str, others)):
                state = {**outcome.before, table: {**rows, key: {**old, held[0]: other}}}
                refused = not case.run(outcome.arguments, state).ok
                yield case.check("stated_rule", refused, f"a {noun[-1]} that is {other} was changed, {told} is stated")


def _check_locked(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A record with a flag of which a tool tells that it cannot be changed, or deleted, then is refused."""
    operation = case.meaning["operation"]
    if operation not in ("update", "delete"):
        return
    for outcome in successes:
        for table, old in [*outcome.change.removed, *((t, row) for t, row, _ in outcome.change.changed)][:1]:
            for flag in {name for name, value in old.items() if value is False and _is_told(case, name, operation)}:
                key = next(key for key, row in outcome.before[table].items() if row == old)
                locked = {**outcome.before, table: {**outcome.before[table], key: {**old, flag: True}}}
                refused = not case.run(outcome.arguments, locked).ok
                yield case.check("stated_rule", refused, f"a record with {flag} is no longer to be {operation}d")


def _is_told(case: Case, flag: str, operation: str) -> bool:
    mine = (
        t for t in case.environment.tools if case.environment.meaning(t["name"])["entity"] == case.meaning["entity"]
    )
    parts = (part for tool in mine for name, part in _named_parts(tool["inputSchema"]) if name == flag)
    return any(stated_states.locked_by(str(part.get("description") or ""), flag, operation) for part in parts)


def _named_parts(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, part in (schema.get("properties") or {}).items():
        if isinstance(part, dict):
            yield name, part
            yield from _named_parts(part)


def _check_inside(case: Case, name: str, part: Any, base: Outcome) -> Iterator[Check]:
    """What lies in an object cannot be left out where a value beside the object asks for it."""
    given = base.arguments[name]
    found = part.get("properties") if isinstance(part, dict) and isinstance(given, dict) else None
    inner: dict[str, Any] = found or {}
    for key, told_of in inner.items():
        text = told_of.get("description") if isinstance(told_of, dict) else None
        told = stated_needs.needed_when(unwrapped(text)) if isinstance(text, str) else None
        asks = (
            [n for n in (told[0], f"{told[0]}_type") if n in case.properties and n != name]
            if told and told[0] not in inner
            else []
        )
        if told and asks and key in given:
            lacking = {n: v for n, v in given.items() if n != key}
            for value in told[1]:
                refused = not case.run({**base.arguments, name: lacking, asks[0]: value}).ok
                yield case.check("stated_rule", refused, f"{key} may be missing where {asks[0]} is {value}")


def _check_needed(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """What the text calls the least that is needed cannot be left out, at the top or inside the wrapper object."""
    base = next((o for o in reversed(successes) if o.change), None)
    if base is None:
        return
    for name in needed_names(case.expectation.description):
        for top, value in base.arguments.items():
            inner = case.properties.get(top, {}).get("properties") or {}
            if top == name:
                call = {n: v for n, v in base.arguments.items() if n != name}
            elif isinstance(value, dict) and name in inner:
                call = {**base.arguments, top: {n: v for n, v in value.items() if n != name}}
            else:
                continue
            yield case.check("stated_rule", not case.run(call).ok, f"a call without {name} was accepted")


def _check_paging(case: Case) -> Iterator[Check]:
    """A limit of 0 gives all where that is told; a key of a record is a cursor where that is told."""
    base = longest(case) if case.meaning["operation"] in ("list", "search") else None
    if base is None:
        return
    key = case.readers.key(case.table_name)
    for name, role in case.roles.items():
        if name not in case.properties:
            continue
        full = listed(case, {**base, **case.limits})
        if role["role"] == "limit" and stated_paging.zero_is_all(_said(case, name)) and full is not None:
            same = listed(case, {**base, name: 0}) == full
            yield case.check("stated_rule", same, f"{name} = 0 does not give all that is left")
        if role["role"] == "cursor" and stated_paging.is_last_key(_said(case, name)) and full:
            rest = listed(case, {**base, **case.limits, name: str(full[0][key])})
            yield case.check("stated_rule", rest is not None and rest[: len(full) - 1] == full[1:], f"{name} is no key")


def _check_separated(case: Case) -> Iterator[Check]:
    """A filter of several values with commas between them gives what each of them gives."""
    base = longest(case) if case.meaning["operation"] in ("list", "search") else None
    for name, role in case.roles.items() if base is not None else ():
        if name not in case.properties or role.get("op") != "separated" or role["role"] != "filter":
            continue
        rest = {**{n: v for n, v in (base or {}).items() if n != name}, **case.limits}
        rows = listed(case, rest) or []
        values = sorted({str(row[role["field"]]) for row in rows if row.get(role["field"])})[:2]
        parts = [listed(case, {**rest, name: value}) or [] for value in values]
        both = listed(case, {**rest, name: ", ".join(values)})
        if len(values) == 2 and both is not None:
            wanted = [row for row in rows if row in parts[0] or row in parts[1]]
            told = f"{name} with a comma between two values does not give what both give"
            yield case.check("stated_rule", both == wanted and all(parts), told)


def _check_kept(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """What an object of an update does not give stays where that is told."""
    if case.meaning["operation"] != "update":
        return
    every = descriptions.keeps_others(case.expectation.description)
    for outcome in successes:
        for _, old, new in outcome.change.changed:
            for path, part, given in _values(case.properties, outcome.arguments):
                name = path.rpartition(".")[2]
                field = named_field(name, [old])
                before = old.get(field) if field else None
                told = every if "." not in path else False
                told = told or descriptions.keeps_parts(str(part.get("description") or ""))
                stored = told and case.roles.get(path, {}).get("role") == "payload"
                if stored and isinstance(given, dict) and isinstance(before, dict):
                    lost = [part for part in before if part not in given and before[part] != _part(new, field, part)]
                    yield case.check("stated_rule", not lost, f"{', '.join(lost)} inside {name} is lost")


def _values(properties: dict[str, Any], arguments: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield (path, schema, value) of the arguments and of what wrapper objects hold."""
    for name, given in arguments.items():
        part = properties.get(name, {})
        yield name, part, given
        inner = part.get("properties")
        for child, value in given.items() if isinstance(given, dict) and isinstance(inner, dict) else ():
            if isinstance(inner.get(child), dict):
                yield f"{name}.{child}", inner[child], value


def _part(row: dict[str, Any], field: str | None, part: str) -> Any:
    inner = row.get(field or "")
    return inner.get(part) if isinstance(inner, dict) else None
