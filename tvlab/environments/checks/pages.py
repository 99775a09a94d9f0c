"""Checks of what cuts a list: limits, pages, offsets, cursors.

They run on a crowded state, in which a list is longer than any page.  Not checked: how long a page is where the
schema does not say it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.call_values import least_of
from tvlab.environments.checks.cases import Case, Check
from tvlab.environments.domain.answer_options import counts_from_zero
from tvlab.environments.domain.expectations import named_field
from tvlab.environments.domain.tool_parsing import schema_type

Rows = list[dict[str, Any]]


def rows_of(value: Any) -> Rows | None:
    """Return the records of a listing value, None if it is none."""
    if not isinstance(value, dict):
        return None
    lists = [part for part in value.values() if isinstance(part, list)]
    if len(lists) == 1 and all(isinstance(row, dict) for row in lists[0]):
        return lists[0]
    return None


def longest(case: Case) -> dict[str, Any] | None:
    """Return the required arguments that give the longest list, None if none can be made."""
    best, most = None, -1
    for at in range(16):
        arguments = case.make(at // 2, optional=False, mode="other" if at % 2 else "stay")
        if arguments is None:
            return None
        rows = rows_of(case.run(arguments).value)
        if rows is not None and len(rows) > most:
            best, most = arguments, len(rows)
        if not case.tool["inputSchema"].get("required"):
            break
    return best


def pager_of(case: Case) -> str | None:
    """Return the parameter that turns pages."""
    return next((n for n, r in case.roles.items() if r["role"] in ("page", "offset", "cursor")), None)


def listed(case: Case, arguments: dict[str, Any]) -> Rows | None:
    """Return what a list gives on the crowded state."""
    outcome = case.run(arguments, case.crowded)
    return rows_of(outcome.value) if outcome.ok else None


def check_limit(case: Case, base: dict[str, Any]) -> Iterator[Check]:
    """A limit cuts the list and keeps its order; a number with a point is the same number."""
    for name, top in case.limits.items():
        full = listed(case, {**base, name: top})
        if full is None:
            continue
        low = least_of(case.properties[name])
        for size in (low, low + 1, low + 2, len(full) + 1):
            if size > top:
                continue
            cut = listed(case, {**base, name: size})
            if cut is not None:
                fits = cut == full[:size]
                yield case.check("limit", fits, f"{name} = {size} gave {len(cut)} of {len(full)}")
        if schema_type(case.properties[name]) == "number":
            whole = max(2, low)
            same = listed(case, {**base, name: float(whole)}) == full[:whole]
            yield case.check("limit", same, f"{name} = {whole}.0 is not {whole}")


def check_order(case: Case, base: dict[str, Any]) -> Iterator[Check]:
    """A list is sorted by the field that is asked for, the other way round where that is asked for."""
    sort = next((n for n, r in case.roles.items() if r["role"] == "sort" and n in case.properties), None)
    way = next((n for n, r in case.roles.items() if r["role"] == "direction" and n in case.properties), None)
    if sort is None:
        return
    fields = {named_field(str(v), case.rows): v for v in case.properties[sort].get("enum", [])}
    ways = [{way: w} for w in case.properties[way].get("enum", [])] if way else [{}]
    for field, value in fields.items():
        for direction in ways if field is not None else ():
            rows = listed(case, {**base, **case.limits, sort: value, **direction}) or []
            cells = [row[str(field)] for row in rows if isinstance(row.get(str(field)), (str, int, float))]
            down = any(str(w).lower().startswith("desc") for w in direction.values())
            yield case.check(
                "order", cells == sorted(cells, reverse=down), f"not sorted by {value} {direction}"
            )


def check_pages(case: Case, base: dict[str, Any], expected: Rows | None) -> Iterator[Check]:
    """The pages together are the whole list in its order, each as long as asked, without a record twice.

    Args:
        case: a list with pages.
        base: required arguments.
        expected: the records of the crowded state that the list should hold, None if that is not sure.
    """
    pager = pager_of(case)
    if pager is None:
        return
    limit = next(iter(case.limits), None)
    length = max(3, least_of(case.properties[limit])) if limit else 3
    size = {limit: length} if limit else {}
    pages = _turn(case, pager, {**base, **size})
    if pages is None:
        return
    if case.roles[pager]["role"] == "cursor":
        lost = case.run({**base, pager: "no-such-cursor"})
        yield case.check("unknown_id", not lost.ok, f"a {pager} that no call gave was accepted")
    rows = [row for page in pages for row in page]
    key = case.readers.key(case.table_name)
    unique = len({str(row.get(key)) for row in rows}) == len(rows)
    whole = expected is None or (len(rows) == len(expected) and all(row in expected for row in rows))
    yield case.check(
        "pages", unique and whole, f"pages hold {len(rows)} records, the list {len(expected or rows)}"
    )
    if limit is not None:
        even = all(len(page) == length for page in pages[:-1])
        yield case.check("page_size", even, f"{limit} = {length} gave pages of {[len(page) for page in pages]}")
        start = _first(case, pager)
        full = listed(case, {**base, limit: case.limits[limit], **({} if start is None else {pager: start})})
        if full is not None and case.limits[limit] >= len(rows):
            yield case.check("page_order", rows == full, "pages hold the list in another order")
        if case.roles[pager]["role"] == "cursor" and len(rows) > 1:
            yield from _check_last(case, base, limit, len(rows))
    if pager not in case.tool["inputSchema"].get("required", []) and pages:
        first = listed(case, {k: v for k, v in {**base, **size}.items() if k != pager})
        yield case.check("first_page", first == pages[0], f"without {pager} it is not the first page")
    if schema_type(case.properties[pager]) == "number" and len(pages) > 1:
        number = float(_first(case, pager) + (1 if case.roles[pager]["role"] == "page" else len(pages[0])))
        same = listed(case, {**base, **size, pager: number}) == pages[1]
        yield case.check("pages", same, f"{pager} = {number} is not {number:.0f}")


def _check_last(case: Case, base: dict[str, Any], limit: str, count: int) -> Iterator[Check]:
    """A cursor is given as long as something is left, and not where nothing is."""
    for size, more in ((count, False), (count - 1, True)):
        if size <= case.limits[limit]:
            outcome = case.run({**base, limit: size}, case.crowded)
            told = isinstance(outcome.value, dict) and outcome.value.get("next_cursor") is not None
            yield case.check("last_page", told == more, f"{limit} = {size} of {count}: cursor {told}")


def _turn(case: Case, pager: str, arguments: dict[str, Any]) -> list[Rows] | None:
    """Turn the pages to the end; None if one cannot be read or there is no end."""
    kind, place = case.roles[pager]["role"], _first(case, pager)
    pages: list[Rows] = []
    for _ in range(60):
        given = {**arguments, pager: place}
        if kind == "cursor" and not pages:
            del given[pager]
        outcome = case.run(given, case.crowded)
        rows = rows_of(outcome.value) if outcome.ok else None
        if rows is None:
            return [*pages, *pages] or None
        if not rows:
            return pages if kind != "cursor" or not pages else [*pages, rows, rows]
        pages.append(rows)
        if kind == "cursor":
            place = outcome.value.get("next_cursor")
            if place is None:
                return pages
        else:
            place += 1 if kind == "page" else len(rows)
    return [*pages, *pages]


def _first(case: Case, pager: str) -> Any:
    part, kind = case.properties[pager], case.roles[pager]["role"]
    if kind == "page":
        return 0 if counts_from_zero(part) else 1
    return 0 if kind == "offset" else None
