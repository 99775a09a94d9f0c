"""Checks of reading tools: records as stored, whole lists, search, counts.

``checks/filters.py`` holds what selects records, ``checks/pages.py`` what cuts a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks import facts as checks_facts
from tvlab.environments.checks import views as checks_views
from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.checks.filters import check_filters, is_plain, matches, with_defaults
from tvlab.environments.checks.pages import (
    Rows,
    check_limit,
    check_order,
    check_pages,
    longest,
    pager_of,
    rows_of,
)
from tvlab.environments.checks.records import given_keys, items_of
from tvlab.environments.domain import field_types
from tvlab.environments.domain.expectations import is_query
from tvlab.environments.domain.tool_parsing import schema_type

#: fields in which a text search must look, whatever else it reads
_PROSE = frozenset(
    "name title subject summary description text body content note notes label message comment".split()
)


def check_read(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Check a reading tool by the shape of what it returns."""
    yield from _check_stored(case, successes)
    if case.environment.report["entities"].get(case.meaning["entity"], {}).get("fact"):
        yield from checks_facts.check_fact(case, successes)
    if case.meaning["operation"] == "view":
        yield from checks_views.check_view(case, successes)
    elif case.meaning["operation"] in ("list", "search"):
        base = longest(case)
        case.alike = (rows_of(case.run(base).value) or []) if base is not None else []
        yield from _check_whole(case)
        yield from check_filters(case, successes)
        if base is not None:
            yield from check_limit(case, base)
            yield from check_pages(case, base, _expected(case, base))
            yield from check_order(case, base)
            yield from check_query(case, base)
    elif case.meaning["operation"] == "count":
        yield from check_count(case, successes)


def _check_stored(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """What is read is what is stored, and a read by key gives the record with that key."""
    stored = [
        row
        for table, rows in case.environment.state.items()
        if not table.startswith("_")
        for row in rows.values()
    ]
    one = case.meaning["operation"] in ("read", "fact")
    for outcome in successes:
        rows = None if one else rows_of(outcome.value)
        if one:
            held = any(_is_part(outcome.value, row) for row in stored)
            yield case.check("as_stored", held, "the record is not a stored one")
            own = all(any(v == key for v in outcome.value.values()) for key in _keys(case, outcome.arguments))
            yield case.check("right_record", own, "the record does not have the key that was asked for")
        elif rows is not None:
            yield case.check(
                "as_stored", all(row in stored for row in rows), "a listed record is not a stored one"
            )
            key = case.readers.key(case.table_name)
            once = len({str(row.get(key)) for row in rows}) == len(rows)
            yield case.check("listed_once", once or _asked_twice(outcome), "a record is listed twice")
            if case.meaning["operation"].startswith("batch_"):
                yield from _check_batch(case, outcome, rows)


def _asked_twice(outcome: Outcome) -> bool:
    """True if a list of keys names one twice."""
    lists = [value for value in outcome.arguments.values() if isinstance(value, list)]
    return any(len({str(v) for v in values}) < len(values) for values in lists)


def _keys(case: Case, arguments: dict[str, Any]) -> list[Any]:
    """Return the arguments that pick a record."""
    return [
        value
        for name, value in arguments.items()
        if (name in case.expectation.ids or name in case.roles)
        and not isinstance(value, (list, dict))
        and case.roles.get(name, {}).get("role") not in ("action", "confirm")
        and not case.roles.get(name, {}).get("shown")
    ]


def _check_batch(case: Case, outcome: Outcome, rows: Rows) -> Iterator[Check]:
    """Several records are read: those asked for, in that order, each with what was asked of all."""
    asked = next((v for n, v in outcome.arguments.items() if isinstance(v, list) and n in case.roles), None)
    asked = given_keys(case, outcome.arguments) if items_of(outcome.arguments) else asked
    key = case.readers.key(case.table_name)
    if asked is not None:
        same = [str(row.get(key)) for row in rows] == [str(value) for value in asked]
        yield case.check("right_record", same, "not the records that were asked for, in that order")
    shared = _keys(case, outcome.arguments)
    own = all(any(value == one for value in row.values()) for row in rows for one in shared)
    yield case.check("right_record", own, "a record is not of the thing that was asked for")


def _is_part(value: Any, row: dict[str, Any]) -> bool:
    """True if a value is a stored record, or the key and one field of it."""
    if not isinstance(value, dict) or value == row:
        return bool(value == row)
    return 2 <= len(value) < len(row) and all(row.get(name) == part for name, part in value.items())


def _check_whole(case: Case) -> Iterator[Check]:
    """Without filters and with the largest limit, a list holds every record."""
    plain = not case.tool["inputSchema"].get("required") and not case.action
    defaults = [n for n, part in case.properties.items() if "default" in part and n not in case.limits]
    if not plain or defaults or pager_of(case) is not None:
        return
    outcome = case.run(case.limits)
    rows, table = rows_of(outcome.value) if outcome.ok else None, case.rows
    if rows is not None:
        top = min(case.limits.values(), default=10**6)
        fits = len(rows) == min(top, len(table)) and all(row in table for row in rows)
        yield case.check("whole_list", fits, f"the list holds {len(rows)} of {len(table)} records")


def _expected(case: Case, base: dict[str, Any]) -> Rows | None:
    """Return what a list must hold on the crowded state, None if its arguments are no plain filters."""
    rows = list(case.crowded[case.table_name].values())
    fixed = {
        name: value for name, value in base.items() if name != pager_of(case) and name not in case.limits
    }
    fixed = with_defaults(case, fixed)
    return [row for row in rows if matches(row, fixed, rows)] if is_plain(case, fixed, rows) else None


def check_query(case: Case, base: dict[str, Any]) -> Iterator[Check]:
    """A search gives records that hold the text, those that hold it in their prose, and nothing for nonsense."""
    query = next((n for n, r in case.roles.items() if r["role"] == "query" and n in case.properties), None)
    if query is None:
        return
    base = {**base, **case.limits}
    nothing = case.run({**base, query: "zqxjv nothing"})
    yield case.check("search_nothing", not nothing.ok or not rows_of(nothing.value), "nonsense was found")
    found_any, looked_at = False, case.roles[query].get("also", ())
    key = case.readers.key(case.table_name)
    for row in case.rows[:4]:
        texts = [(n, v) for n, v in row.items() if isinstance(v, str) and len(v) > 3]
        for name, text in sorted(texts, key=lambda one: one[0] not in looked_at)[:8]:
            needle = text[: max(3, len(text) // 2)].upper()
            outcome = case.run({**base, query: needle})
            rows = rows_of(outcome.value) if outcome.ok else None
            if rows is None:
                continue
            held = all(
                any(needle.lower() in str(v).lower() for v in r.values()) for r in rows
            )
            held = held and len({str(r.get(key)) for r in rows}) == len(rows)
            yield case.check("search", held, f"a record without {needle!r} was found")
            found_any = found_any or bool(rows)
            if name != key and _searched(case, name, base, query):
                found = (
                    row in rows
                    or pager_of(case) is not None
                    or len(rows) >= min([*case.limits.values(), 10**6])
                )
                yield case.check("search_prose", found, f"a text of its {name} does not find a record")
    yield case.check("search_finds", found_any, "no text of any record is found")


def _searched(case: Case, name: str, base: dict[str, Any], query: str) -> bool:
    """True if a search without other conditions must look into a field: prose, and not of a closed set."""
    if case.roles[query].get("also") and name not in case.roles[query]["also"]:
        return False
    beside = set(base) - {query, *case.limits}
    filters = [n for n, p in case.properties.items() if "default" in p and n not in case.limits]
    if beside or filters:
        return False
    entity = case.environment.report["entities"][case.meaning["entity"]]
    part = entity["fields"].get(name, {})
    words = field_types.name_words(name)
    closed = set(part) & {"enum", "reference", "values", "moment"} or schema_type(part) != "string"
    told = f"{case.expectation.description} {case.properties[query].get('description', '')}".casefold()
    named = f" {' '.join(words)}" in f" {told}"
    return bool(words) and (words[-1] in _PROSE or named) and not closed and not is_query(name)


def check_count(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A count equals a recount, on the initial and on a crowded state."""
    for state in (case.environment.state, case.crowded):
        table = list(state[case.table_name].values())
        for given in successes:
            if not is_plain(case, given.arguments, table):
                continue
            outcome = case.run(given.arguments, state)
            expected = sum(matches(row, given.arguments, table) for row in table)
            yield case.check(
                "count", outcome.value == {"count": expected}, f"counted {outcome.value}, not {expected}"
            )
