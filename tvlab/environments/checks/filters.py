"""Checks of what selects records: equality, lists of accepted values, bounds, folders.

A filter is expected to read the field that it names; where none has its name, the one that the report states.
Not checked: whether ``after`` takes in its bound (``min`` and ``max`` do).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.checks.pages import Rows, pager_of, rows_of
from tvlab.environments.domain.expectations import bound_of, is_query, named_field, named_field_of_list
from tvlab.environments.domain.tool_parsing import schema_type


def check_filters(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A filter gives the records that a Python filter over all records gives."""
    for name, part in case.properties.items():
        role = case.roles.get(name, {})
        if name in case.limits or is_query(name) or schema_type(part) in ("object", "any"):
            continue
        if role.get("role") == "filter" and role.get("op", "==")[0] in "<>":
            yield from _check_bound(case, successes, name, str(role["field"]))
            continue
        if role.get("role") == "reference" and _is_folder(case, name):
            yield from _check_folder(case, successes, name)
            continue
        if role.get("role") == "filter" and role.get("op") == "contains":
            yield from _check_sought(case, successes, name, str(role["field"]))
            continue
        field, many = _field_of(case, name, part)
        if field is not None:
            yield from _check_equal(case, successes, name, field, many)


def _check_sought(case: Case, successes: list[Outcome], name: str, field: str) -> Iterator[Check]:
    """A text that is searched for in one field is held there by every record found, and by all that hold it."""
    texts = [row[field] for row in case.rows if isinstance(row.get(field), str) and len(row[field]) > 3]
    for text in texts[:3]:
        needle = text[: max(3, len(text) // 2)].upper()
        outcome = case.run({**_fixed(case, successes, name), **_cuts(case, successes), name: needle})
        rows = rows_of(outcome.value) if outcome.ok else None
        if rows is not None:
            held = all(needle.casefold() in str(row.get(field, "")).casefold() for row in rows)
            yield case.check("filter", held, f"a record without {needle!r} in its {field} was found")


def _field_of(case: Case, name: str, part: dict[str, Any]) -> tuple[str | None, bool]:
    """Return the field that a filter reads, and whether it takes a list of values."""
    role, many = case.roles.get(name, {}), schema_type(part) == "array"
    if role.get("shown"):
        return None, False
    field = named_field_of_list(name, case.rows) if many else named_field(name, case.rows)
    if field is None and role.get("role") in ("filter", "reference") and role.get("op", "==") in ("==", "in"):
        field = role.get("field")
    return field, many


def _fixed(case: Case, successes: list[Outcome], name: str) -> dict[str, Any]:
    """Return the other required arguments of a call that succeeded."""
    required = set(case.tool["inputSchema"].get("required", []))
    base = next((o.arguments for o in successes), {})
    cuts = {*case.limits, pager_of(case)}
    return {k: v for k, v in base.items() if (k in required - cuts and k != name) or k == _action(case)}


def _cuts(case: Case, successes: list[Outcome]) -> dict[str, Any]:
    """Return the required arguments that turn pages, at their first."""
    pager = pager_of(case)
    base = next((o.arguments for o in successes), {})
    return (
        {pager: base[pager]}
        if pager in base and pager in case.tool["inputSchema"].get("required", [])
        else {}
    )


def _check_equal(case: Case, successes: list[Outcome], name: str, field: str, many: bool) -> Iterator[Check]:
    fixed, limits, cuts = _fixed(case, successes, name), case.limits, _cuts(case, successes)
    values = list(
        {repr(v): v for row in case.rows if isinstance(v := row.get(field), (str, int, float))}.values()
    )
    asked = [[v] for v in values[:3]] + ([values[:2]] if many and len(values) > 1 else [])
    for wanted in asked:
        outcome = case.run({**fixed, **cuts, **limits, name: wanted if many else wanted[0]})
        rows = rows_of(outcome.value)
        if not outcome.ok or rows is None:
            continue
        right = all(row.get(field) in wanted for row in rows)
        whole = with_defaults(case, fixed, name)
        if is_plain(case, whole, case.rows):
            expected = [
                row for row in case.rows if row.get(field) in wanted and matches(row, whole, case.rows)
            ]
            right = right and _same(rows, expected, case)
        yield case.check(
            "filter", right, f"{name} = {wanted!r} gave {len(rows)} records or others than it must"
        )


def _check_bound(case: Case, successes: list[Outcome], name: str, field: str) -> Iterator[Check]:
    """A bound lets pass what lies on its side and nothing from the other side."""
    side, inclusive = bound_of(name)
    kinds = (str,) if schema_type(case.properties[name]) == "string" else (int, float)
    values: list[Any] = sorted({v for row in case.rows if isinstance(v := row.get(field), kinds)})
    if not side or len(values) < 3:
        return
    fixed = _fixed(case, successes, name)
    bound = values[len(values) // 2]
    outcome = case.run({**fixed, **_cuts(case, successes), **case.limits, name: bound})
    rows = rows_of(outcome.value)
    if not outcome.ok or rows is None:
        return
    beyond = [v for v in values if (v > bound if side == "high" else v < bound)]
    inside = [v for v in values if v not in beyond and (v != bound or inclusive)]
    right = all(isinstance(row.get(field), kinds) and row[field] not in beyond for row in rows)
    if is_plain(case, fixed, case.rows) and pager_of(case) is None:
        expected = [row for row in case.rows if row.get(field) in inside and matches(row, fixed, case.rows)]
        right = right and all(row in rows for row in expected[: min([*case.limits.values(), 10**6])])
    yield case.check("bound", right, f"{name} = {bound!r} is not the {side} bound of {field}")


def _is_folder(case: Case, name: str) -> bool:
    """True if a parameter gives the path of a folder of which the list holds what is in it."""
    key = case.readers.key(case.table_name)
    role = case.roles[name]
    return role.get("field") == key and all(str(row[key]).startswith("/") for row in case.rows)


def _check_folder(case: Case, successes: list[Outcome], name: str) -> Iterator[Check]:
    """The list holds what lies in the folder, directly or (a search) at any depth."""
    key = case.readers.key(case.table_name)
    fixed = _fixed(case, successes, name)
    entity = case.environment.report["entities"][case.roles[name]["entity"]]
    for folder in list(case.environment.state[entity["table"]])[:6]:
        outcome = case.run({**fixed, **_cuts(case, successes), **case.limits, name: folder})
        rows = rows_of(outcome.value)
        if not outcome.ok or rows is None:
            continue
        below = [row for row in case.rows if row[key].startswith(folder.rstrip("/") + "/")]
        direct = [row for row in below if "/" not in row[key][len(folder.rstrip("/")) + 1 :]]
        inside = all(row in below for row in rows)
        whole = bool(set(fixed)) or pager_of(case) is not None or all(row in rows for row in direct)
        yield case.check("filter", inside and whole, f"the list is not what lies in {folder!r}")


def _action(case: Case) -> str | None:
    roles = case.environment.meaning(case.name)["parameters"]
    return next((name for name, role in roles.items() if role["role"] == "action"), None)


def matches(row: dict[str, Any], fixed: dict[str, Any], rows: Rows) -> bool:
    """True if a record has the given values in the fields of their names."""
    return all(
        row.get(field) == value
        for name, value in fixed.items()
        if (field := named_field(name, rows)) is not None
    )


def with_defaults(case: Case, fixed: dict[str, Any], beside: str = "") -> dict[str, Any]:
    """Return the arguments with the declared defaults of the other filters."""
    defaults = {
        n: p["default"]
        for n, p in case.properties.items()
        if "default" in p and n != beside and n not in case.limits and named_field(n, case.rows)
    }
    return {**defaults, **fixed}


def is_plain(case: Case, fixed: dict[str, Any], rows: Rows) -> bool:
    """True if the arguments are filters by their names, and no default filters beside them."""
    action = _action(case)
    defaults = [
        n for n, p in case.properties.items() if "default" in p and named_field(n, rows) and n not in fixed
    ]
    return not defaults and all(named_field(name, rows) or name == action for name in fixed)


def _same(rows: Rows, expected: Rows, case: Case) -> bool:
    top = min(case.limits.values(), default=10**6)
    if pager_of(case) is not None or top < len(expected):
        return all(row in expected for row in rows) and (bool(rows) or not expected)
    return len(rows) == len(expected) and all(row in expected for row in rows)
