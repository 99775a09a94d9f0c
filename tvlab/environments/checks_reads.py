"""Checks of reading tools: records as stored, filters, limits, pages, search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments import checks_facts
from tvlab.environments.answer_options import counts_from_zero
from tvlab.environments.cases import Case, Check, Outcome
from tvlab.environments.expectations import is_limit, is_query, named_field, named_field_of_list
from tvlab.environments.tool_parsing import schema_type

Rows = list[dict[str, Any]]


def rows_of(value: Any) -> Rows | None:
    """Return the records of a listing value, None if it is none."""
    if not isinstance(value, dict):
        return None
    lists = [part for part in value.values() if isinstance(part, list)]
    if len(lists) == 1 and all(isinstance(row, dict) for row in lists[0]):
        return lists[0]
    return None


def check_read(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Check a reading tool by the shape of what it returns."""
    yield from _check_stored(case, successes)
    if case.environment.report["entities"].get(case.meaning["entity"], {}).get("fact"):
        yield from checks_facts.check_fact(case, successes)
    if case.meaning["operation"] in ("list", "search"):
        yield from _check_whole(case)
        yield from check_filters(case, successes)
        yield from check_limit(case)
        yield from check_pages(case, successes)
        yield from check_query(case)
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
    for outcome in successes:
        rows = rows_of(outcome.value) if case.meaning["operation"] != "read" else None
        if rows is not None:
            yield case.check(
                "as_stored", all(row in stored for row in rows), "a listed record is not a stored one"
            )
        elif case.meaning["operation"] == "read":
            keys = [
                v
                for name, v in outcome.arguments.items()
                if name in case.expectation.ids or name in case.roles
            ]
            held = any(_is_part(outcome.value, row) for row in stored)
            yield case.check("as_stored", held, "the record is not a stored one")
            own = all(any(value == key for value in outcome.value.values()) for key in keys)
            yield case.check("right_record", own, "the record does not have the key that was asked for")


def _is_part(value: Any, row: dict[str, Any]) -> bool:
    """True if a value is a stored record, or the key and one field of it."""
    if not isinstance(value, dict) or value == row:
        return value == row
    return 2 <= len(value) < len(row) and all(row.get(name) == part for name, part in value.items())


def _check_whole(case: Case) -> Iterator[Check]:
    """Without filters and with the largest limit, a list holds every record."""
    parts = case.properties
    plain = not case.tool["inputSchema"].get("required") and not case.action
    defaults = [name for name, part in parts.items() if "default" in part and not is_limit(name)]
    if (
        not plain
        or defaults
        or any(role["role"] in ("page", "cursor", "offset") for role in case.roles.values())
    ):
        return
    outcome = case.run({name: _largest(part) for name, part in parts.items() if is_limit(name)})
    rows, table = rows_of(outcome.value) if outcome.ok else None, list(_table(case).values())
    top = min((_largest(part) for name, part in parts.items() if is_limit(name)), default=10**6)
    if rows is not None:
        fits = len(rows) == min(top, len(table)) and all(row in table for row in rows)
        yield case.check("whole_list", fits, f"the list holds {len(rows)} of {len(table)} records")


def _largest(part: dict[str, Any]) -> int:
    top = part.get("maximum", 1000)
    return int(top) if isinstance(top, (int, float)) else 1000


def check_filters(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A filter gives the records that a Python filter over all records gives."""
    all_rows = list(_table(case).values())
    required = set(case.tool["inputSchema"].get("required", []))
    limits = {name: _largest(part) for name, part in case.properties.items() if is_limit(name)}
    for name, part in case.properties.items():
        field, many = named_field(name, all_rows), False
        if field is None and schema_type(part) == "array":
            field, many = named_field_of_list(name, all_rows), True
        if field is None or is_limit(name) or is_query(name) or schema_type(part) in ("object", "any"):
            continue
        if schema_type(part) == "array" and not many:
            continue
        values = list(
            {
                repr(row[field]): row[field]
                for row in all_rows
                if isinstance(row.get(field), (str, int, float))
            }.values()
        )
        for value in values[:3]:
            base = next((o.arguments for o in successes), {})
            fixed = {k: v for k, v in base.items() if (k in required and k != name) or k == _action(case)}
            outcome = case.run({**fixed, **limits, name: [value] if many else value})
            rows = rows_of(outcome.value)
            if not outcome.ok or rows is None:
                continue
            expected = [row for row in all_rows if row.get(field) == value and _matches(row, fixed, all_rows)]
            if _plain(case, fixed, all_rows):
                same = _same(rows, expected, case, limits)
                yield case.check(
                    "filter", same, f"{name} = {value!r} gave {len(rows)} records, not {len(expected)}"
                )
            else:
                right = all(row.get(field) == value for row in rows)
                yield case.check("filter", right, f"{name} = {value!r} gave other records")


def _action(case: Case) -> str | None:
    return next(
        (
            name
            for name, role in case.environment.meaning(case.name)["parameters"].items()
            if role["role"] == "action"
        ),
        None,
    )


def _matches(row: dict[str, Any], fixed: dict[str, Any], rows: Rows) -> bool:
    return all(
        row.get(named_field(name, rows) or name) == value
        for name, value in fixed.items()
        if named_field(name, rows)
    )


def _plain(case: Case, fixed: dict[str, Any], rows: Rows) -> bool:
    """True if the required arguments are plain filters too, and no default filters beside them."""
    action = _action(case)
    defaults = [
        n for n, p in case.properties.items() if "default" in p and named_field(n, rows) and n not in fixed
    ]
    return not defaults and all(named_field(name, rows) or name == action for name in fixed)


def _same(rows: Rows, expected: Rows, case: Case, limits: dict[str, int]) -> bool:
    paged = any(role["role"] in ("page", "offset", "cursor") for role in case.roles.values())
    top = min(limits.values(), default=10**6)
    if paged or top < len(expected):
        return all(row in expected for row in rows) and (bool(rows) or not expected)
    return len(rows) == len(expected) and all(row in expected for row in rows)


def _table(case: Case) -> dict[str, dict[str, Any]]:
    entity = case.environment.report["entities"][case.meaning["entity"]]
    return case.environment.state[entity["table"]]


def check_limit(case: Case) -> Iterator[Check]:
    """A limit cuts the list and keeps its order."""
    for name, part in case.properties.items():
        if not is_limit(name):
            continue
        base = _base(case)
        if base is None:
            return
        full = case.run({**base, name: _largest(part)})
        rows = rows_of(full.value) if full.ok else None
        if rows is None:
            continue
        for size in (1, 2, 3):
            outcome = case.run({**base, name: size})
            cut = rows_of(outcome.value)
            if outcome.ok and cut is not None:
                yield case.check(
                    "limit", cut == rows[:size], f"{name} = {size} gave {len(cut)} of {len(rows)}"
                )


def _base(case: Case) -> dict[str, Any] | None:
    """Required arguments that give the longest list."""
    best, most = None, -1
    for at in range(8):
        arguments = case.make(at, optional=False)
        if arguments is None:
            return None
        outcome = case.run(arguments)
        rows = rows_of(outcome.value) if outcome.ok else None
        if rows is not None and len(rows) > most:
            best, most = arguments, len(rows)
        if not case.tool["inputSchema"].get("required"):
            break
    return best


def check_pages(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """The union of all pages is the whole list, without a record twice."""
    pager = next((n for n, r in case.roles.items() if r["role"] in ("page", "offset", "cursor")), None)
    base = _base(case)
    if pager is None or base is None:
        return
    limit = next((name for name in case.properties if is_limit(name)), None)
    size = {limit: 3} if limit else {}
    kind = case.roles[pager]["role"]
    collected: Rows = []
    cursor: Any = {"page": _first_page(case.properties[pager]), "offset": 0, "cursor": None}[kind]
    for _ in range(40):
        outcome = case.run({**base, **size, **({} if cursor is None else {pager: cursor})})
        rows = rows_of(outcome.value) if outcome.ok else None
        if not rows:
            break
        collected += rows
        cursor = (
            outcome.value.get("next_cursor")
            if kind == "cursor"
            else cursor + (1 if kind == "page" else len(rows))
        )
        if cursor is None:
            break
    fixed = {k: v for k, v in base.items() if k != pager}
    table = list(_table(case).values())
    expected = [row for row in table if _matches(row, fixed, table)]
    keys = [row[case.readers.key(_table_name(case))] for row in collected]
    unique = len(keys) == len(set(map(str, keys)))
    whole = not _plain(case, fixed, table) or len(collected) == len(expected)
    yield case.check(
        "pages", unique and whole, f"pages hold {len(collected)} records, the list {len(expected)}"
    )


def _first_page(part: dict[str, Any]) -> int:
    return 0 if counts_from_zero(part) else 1


def _table_name(case: Case) -> str:
    return str(case.environment.report["entities"][case.meaning["entity"]]["table"])


def check_query(case: Case) -> Iterator[Check]:
    """A search gives records that hold the text, and nothing for nonsense."""
    query = next((n for n, r in case.roles.items() if r["role"] == "query" and n in case.properties), None)
    base = _base(case)
    if query is None or base is None:
        return
    limits = {name: _largest(part) for name, part in case.properties.items() if is_limit(name)}
    nothing = case.run({**base, **limits, query: "zqxjv nothing"})
    yield case.check("search_nothing", not nothing.ok or not rows_of(nothing.value), "nonsense was found")
    found_any = False
    table = list(_table(case).values())
    for row in table[:4]:
        for text in [v for v in row.values() if isinstance(v, str) and len(v) > 3][:8]:
            needle = text[: max(3, len(text) // 2)].upper()
            outcome = case.run({**base, **limits, query: needle})
            rows = rows_of(outcome.value) if outcome.ok else None
            if rows is None:
                continue
            held = all(
                any(isinstance(v, str) and needle.lower() in v.lower() for v in r.values()) for r in rows
            )
            yield case.check("search", held, f"a record without {needle!r} was found")
            found_any = found_any or bool(rows)
    yield case.check("search_finds", found_any, "no text of any record is found")


def check_count(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A count equals a recount."""
    table = list(_table(case).values())
    for outcome in successes:
        if _plain(case, outcome.arguments, table):
            expected = sum(_matches(row, outcome.arguments, table) for row in table)
            yield case.check(
                "count", outcome.value == {"count": expected}, f"counted {outcome.value}, not {expected}"
            )
