"""Checks of facts, from the tool's name and schema alone: the right rows, bounds of dates, no fact for others.

A fact is told by all of its required values together, so each of them is varied alone; a bound of dates must
cut the rows exactly where a Python comparison over all of them does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.domain import field_types
from tvlab.environments.domain.expectations import is_limit, is_query, named_field
from tvlab.environments.domain.tool_parsing import schema_type

_FIRST = frozenset("from start since after".split())
_LAST = frozenset("to end until before".split())
_DATES = frozenset("date dt time day datetime at".split())


def check_fact(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Check what a tool tells of the one thing, or the rows, that its arguments pick."""
    rows = _table(case)
    for outcome in successes:
        told = _told(outcome.value)
        if told is None:
            continue
        for name, value in outcome.arguments.items():
            field = _key_field(case, name, rows)
            if field is not None:
                right = all(row.get(field) == value for row in told)
                yield case.check("told_of_it", right, f"{name} = {value!r} told of something else")
    yield from _check_every_key(case, successes, rows)
    yield from _check_bounds(case, successes, rows)


def date_bound(name: str, part: dict[str, Any]) -> str:
    """Return ``from`` or ``to`` for a parameter that bounds dates by its name, "" for any other."""
    words = set(field_types.name_words(name))
    if schema_type(part) != "string" or part.get("enum"):
        return ""
    for some, side in ((_FIRST, "from"), (_LAST, "to")):
        if words & some and words - some <= _DATES:
            return side
    return ""


def _told(value: Any) -> list[dict[str, Any]] | None:
    if not isinstance(value, dict):
        return None
    lists = [part for part in value.values() if isinstance(part, list)]
    if len(lists) == 1 and all(isinstance(row, dict) for row in lists[0]):
        return lists[0]
    return [value]


def _key_field(case: Case, name: str, rows: list[dict[str, Any]]) -> str | None:
    part = case.properties.get(name)
    plain = part is not None and schema_type(part) in ("string", "integer", "number")
    required = name in case.tool["inputSchema"].get("required", [])
    if not plain or not required or is_limit(name) or is_query(name):
        return None
    return named_field(name, rows)


def _check_every_key(case: Case, successes: list[Outcome], rows: list[dict[str, Any]]) -> Iterator[Check]:
    """No part of a composite key may be ignored: a value that nothing has is refused or tells nothing."""
    for outcome in successes[:1]:
        for name in outcome.arguments:
            if _key_field(case, name, rows) is None or case.properties[name].get("enum"):
                continue
            other = case.run({**outcome.arguments, name: case.maker.unknown(case.properties[name])})
            told = _told(other.value) if other.ok else []
            yield case.check("told_of_nothing_else", not told, f"an unknown {name} was told of")


def _check_bounds(case: Case, successes: list[Outcome], rows: list[dict[str, Any]]) -> Iterator[Check]:
    """A bound of dates cuts where a comparison of the dates of all rows cuts."""
    bounds = {name: side for name, part in case.properties.items() if (side := date_bound(name, part))}
    base = next((o.arguments for o in successes), None)
    dated = _date_field(rows)
    if not bounds or base is None or dated is None:
        return
    needed = set(case.tool["inputSchema"].get("required", []))
    plain = {k: v for k, v in base.items() if k in needed and k not in bounds}
    limits = {name: 1000 for name in case.properties if is_limit(name)}
    days = sorted({str(row[dated])[:10] for row in rows})
    for day in (days[0], days[len(days) // 2], days[-1]):
        given = {name: day if side == "from" else days[-1] for name, side in bounds.items()}
        outcome = case.run({**plain, **limits, **given})
        told = _told(outcome.value) if outcome.ok else None
        if told is None or any(row not in rows for row in told):
            continue
        low = day if "from" in bounds.values() else days[0]
        high = days[-1] if "from" in bounds.values() else given[next(iter(bounds))]
        fields = {name: named_field(name, rows) for name in plain}
        if not all(fields.values()):
            continue
        expected = [
            row for row in rows
            if low <= str(row[dated])[:10] <= high and all(row.get(fields[n] or "") == v for n, v in plain.items())
        ]  # fmt: skip
        same = len(told) == len(expected) and all(row in expected for row in told)
        yield case.check("bounds", same, f"from {low} to {high}: {len(told)} rows, not {len(expected)}")


def _date_field(rows: list[dict[str, Any]]) -> str | None:
    names = dict.fromkeys(name for row in rows for name in row)
    return next(
        (n for n in names if field_types.is_moment(n, {"type": "string"}) and all(_is_day(r.get(n)) for r in rows)),
        None,
    )


def _is_day(value: Any) -> bool:
    return isinstance(value, str) and len(value) >= 10 and value[4:5] == "-" and value[7:8] == "-"


def _table(case: Case) -> list[dict[str, Any]]:
    entity = case.environment.report["entities"][case.meaning["entity"]]
    return list(case.environment.state[entity["table"]].values())
