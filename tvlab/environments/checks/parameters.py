"""Checks of single parameters: accepted, unknown ids, ids that do not go together, declared defaults.

``sensitivity.py`` holds that every parameter matters at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.checks.pages import longest
from tvlab.environments.domain.expectations import named_field
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.language import descriptions

_MODES = ("stay", "other", "fresh")
_TRIES = 6


def check_accepted(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Every parameter is taken in some call that succeeds: a well-typed value is not always refused."""
    given = {name for outcome in successes for name in outcome.arguments}
    required = set(case.tool["inputSchema"].get("required", []))
    required |= {name for name, role in case.roles.items() if role.get("role") == "preview"}
    if not case.action and not descriptions.needs_a_change(case.expectation.description):
        # an update may refuse a call with nothing to change
        more = 1 if case.meaning["operation"] in ("update", "batch_update") else 0
        bare = any(len(set(o.arguments) - required) <= more for o in successes)
        if not bare and more:
            bare = any(case.run(call).ok for name in case.properties for call in _calls_with(case, name))
        yield case.check("accepted", bare, f"no call with the required arguments alone succeeds: {case.last_error}")
    stored = any(case.roles.get(name, {}).get("role") == "payload" for name in required)
    told = descriptions.needs_a_change(case.expectation.description)
    if told and not stored and case.meaning["operation"] == "update":
        empty = next((case.run({n: o.arguments[n] for n in required if n in o.arguments}) for o in successes), None)
        yield case.check("stated_rule", empty is None or not empty.ok, "a call that gives nothing to change succeeds")
    for name in case.properties:
        role = case.roles.get(name, {}).get("role")
        if name in given or role in ("action", "cursor"):
            continue
        tried = list(_calls_with(case, name))
        fine = not tried or any(case.run(arguments).ok for arguments in tried)
        yield case.check("accepted", fine, f"no call that gives {name} succeeds: {case.last_error}")


def _calls_with(case: Case, name: str) -> Iterator[dict[str, Any]]:
    """Calls with the required parameters and this one."""
    for at in range(_TRIES):
        for mode in _MODES:
            plain, full = case.make(at, False, mode=mode), case.make(at, True, mode=mode)
            if plain is not None and full is not None and name in full:
                yield {**plain, name: full[name]}


def check_unknown_ids(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A well-typed id that nothing has must be refused, wherever it is given, alone or beside known ones."""
    for name, part in case.properties.items():
        role = case.roles.get(name, {})
        picks = role.get("role") in ("key", "reference") or name in case.expectation.ids
        if not picks or (role.get("role") == "key" and _makes_key(name, successes)):
            continue
        removes = case.expectation.idempotent and case.expectation.effect == "removes"
        if role.get("role") == "key" and (removes or descriptions.ensures(case.expectation.description)):
            continue
        unknown = case.maker.unknown(part)
        for arguments in _bases(name, successes):
            for value in (unknown, *_with_known(arguments.get(name), unknown)):
                outcome = case.run({**arguments, name: value})
                refused = not outcome.ok
                yield case.check("unknown_id", refused, f"an unknown {name} was accepted")
    yield from _check_inner_ids(case, successes)


def _bases(name: str, successes: list[Outcome]) -> list[dict[str, Any]]:
    """Arguments to put an unknown id into: the fullest that have one, and the fewest of all."""
    full = next((o.arguments for o in reversed(successes) if name in o.arguments), None)
    if full is None:
        return []
    least = min((o.arguments for o in successes), key=len)
    return [full] if least is full else [full, least]


def _with_known(value: Any, unknown: Any) -> list[Any]:
    """A list in which the unknown id comes last."""
    return [[*value, *unknown]] if isinstance(value, list) and isinstance(unknown, list) else []


def _makes_key(name: str, successes: list[Outcome]) -> bool:
    """True if the calls made new records under the given key."""
    return all(
        (o.change.added and any(o.arguments.get(name) in (row.values()) for _, row in o.change.added))
        or (o.change.kind == "changes" and not o.change.added and o.declared_operation == "upsert")
        for o in successes
    )


def _check_inner_ids(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """The same for ids inside objects and arrays of objects, in the first item as in the last."""
    for path, role in case.roles.items():
        if role.get("role") not in ("key", "reference") or not set(path) & {".", "["}:
            continue
        for outcome in reversed(successes):
            calls = [call for at in (0, -1) if (call := _with_unknown(outcome.arguments, path, at)) is not None]
            made = role.get("role") == "key" and outcome.change.added
            for call in calls if not made else ():
                yield case.check("unknown_id", not case.run(call).ok, f"an unknown {path} was accepted")
            if calls:
                break


def _with_unknown(arguments: dict[str, Any], path: str, at: int) -> dict[str, Any] | None:
    """Return the arguments with an unknown id in one item of the path, None if it is not given."""
    head, *rest = path.replace("[]", ".[]").split(".")
    if head not in arguments:
        return None
    changed = _replace(arguments[head], rest, at)
    return None if changed is None else {**arguments, head: changed}


def _replace(value: Any, parts: list[str], at: int) -> Any:
    if not parts:
        if isinstance(value, bool) or value is None:
            return None
        return 2147480001 if isinstance(value, (int, float)) else "no-such-id-0000"
    if parts[0] == "[]":
        if not isinstance(value, list) or not value:
            return None
        at %= len(value)
        item = _replace(value[at], parts[1:], at)
        return None if item is None else [*value[:at], item, *value[at + 1 :]]
    if not isinstance(value, dict) or parts[0] not in value:
        return None
    inner = _replace(value[parts[0]], parts[1:], at)
    return None if inner is None else {**value, parts[0]: inner}


def check_fitting(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A record is not found under another thing's id: refused, or the call puts it there and shows it."""
    key = next((n for n, r in case.roles.items() if r["role"] == "key" and n in case.properties), None)
    base = next((o for o in successes if key in o.arguments and not o.change.added), None)
    if key is None or base is None or case.meaning["operation"] in ("list", "search", "count"):
        return
    for name in case.properties:
        field = named_field(name, case.rows)
        if name == key or field is None or not (name in case.expectation.ids or _is_reference(case, name)):
            continue
        value = _value_of_others(case, base.arguments[key], key, field)
        if value is None or schema_type(case.properties[name]) == "array":
            continue
        outcome = case.run({**base.arguments, name: value})
        rows = [new for _, _, new in outcome.change.changed] or _rows_in(outcome.value)
        fits = not outcome.ok or (bool(rows) and all(_shows(row, field, value) for row in rows))
        yield case.check("fitting_ids", fits, f"a record is found under a {name} that is not its own")


def _is_reference(case: Case, name: str) -> bool:
    return bool(case.roles.get(name, {}).get("role") == "reference")


def _value_of_others(case: Case, asked: Any, key: str, field: str) -> Any:
    """Return a value that other records have in a field and none of the asked ones, None if there is none."""
    own = case.readers.key(case.table_name)
    keys = {str(one) for one in (asked if isinstance(asked, list) else [asked])}
    mine = [row.get(field) for row in case.rows if str(row[own]) in keys]
    others = [row.get(field) for row in case.rows if isinstance(row.get(field), (str, int))]
    role = next(
        (r for r in case.roles.values() if r["role"] == "reference" and r.get("field") == field), None
    )
    if role is not None:
        entity = case.environment.report["entities"][role["entity"]]
        rows = case.environment.state[entity["table"]].values()
        others += [row[entity["key"]] for row in rows]
    return next((value for value in others if value not in mine), None) if mine else None


def _shows(row: dict[str, Any], field: str, value: Any) -> bool:
    """True if a record has the value in its field, or among the members of a list."""
    return row.get(field) == value or any(isinstance(v, list) and value in v for v in row.values())


def _rows_in(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, dict):
        return []
    rows = [row for part in value.values() if isinstance(part, list) for row in part if isinstance(row, dict)]
    return rows or [value]


def check_defaults(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A call that leaves an argument out is the call that gives its declared default."""
    required = set(case.tool["inputSchema"].get("required", []))
    plain = min((o.arguments for o in successes), key=len)
    if case.meaning["operation"] in ("list", "search") and not case.action:
        plain = longest(case) or plain
    for name, part in case.properties.items():
        default = part.get("default")
        if default is None or name in required or case.roles.get(name, {}).get("role") == "action":
            continue
        base = {k: v for k, v in plain.items() if k != name}
        left_out = case.run(base, case.crowded)
        given = case.run({**base, name: default}, case.crowded)
        if left_out.ok or not given.invalid:
            same = (left_out.ok, left_out.value) == (given.ok, given.value) and left_out.after == given.after
            yield case.check("default", same, f"leaving {name} out is not giving {default!r}")
    yield from _check_inner_defaults(case, successes)


def _check_inner_defaults(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """The same for the properties of an object, or of the objects in an array, that is stored as a field."""
    for name, part in case.properties.items():
        inner = part.get("items") if schema_type(part) == "array" else part
        if not isinstance(inner, dict) or not isinstance(inner.get("properties"), dict):
            continue
        defaults = {
            key: p["default"]
            for key, p in inner["properties"].items()
            if isinstance(p, dict)
            and isinstance(p.get("default"), (str, int, float, bool))
            and key not in inner.get("required", [])
        }
        base = next((o.arguments for o in successes if o.arguments.get(name) and o.change), None)
        if not defaults or base is None or case.roles.get(name, {}).get("role") != "payload":
            continue
        bare = _without(base[name], defaults)
        outcome = case.run({**base, name: bare})
        full = _rows_with(outcome, name)
        for stored in full:
            items = stored if isinstance(stored, list) else [stored]
            kept = all(isinstance(i, dict) and all(i.get(k) == v for k, v in defaults.items()) for i in items)
            yield case.check("default", kept, f"the defaults inside {name} are not stored")


def _without(value: Any, names: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_without(item, names) for item in value]
    return {k: v for k, v in value.items() if k not in names} if isinstance(value, dict) else value


def _rows_with(outcome: Outcome, name: str) -> list[Any]:
    """Return the values that the records which a call made or changed have in a field."""
    if not outcome.ok:
        return []
    change = outcome.change
    rows = [row for _, row in change.added] + [new for _, _, new in change.changed]
    return [row[field] for row in rows if (field := named_field(name, [row])) is not None]
