"""What a model-written tool must do by its declared meaning: a slow oracle for eight plain operations.

These checks stand beside those of ``verification.py``, which know only what name and schema say.  The declared
meaning was checked against the same evidence (``llm/meanings.py``); the code was written by the model, so that
code and expectation come from different hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tvlab.environments.checks.call_values import CallMaker
from tvlab.environments.checks.cases import Case, Check, Outcome, Readers
from tvlab.environments.checks.verification import find_successes
from tvlab.environments.domain.own_expectations import expect_of
from tvlab.environments.environment import Environment

_EFFECTS = {"create": "adds", "update": "changes", "transition": "changes", "delete": "removes"}
_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def check_declared(environment: Environment, tool: str, seed: int = 0) -> Iterator[Check]:
    """Compare what a tool does with its declared operation, entity and roles."""
    expectation = expect_of(environment)[tool]
    maker = CallMaker(environment, tool, seed)
    case = Case(environment, environment.tool(tool), None, expectation, maker, Readers(environment))
    operation = case.meaning["operation"]
    wanted = _EFFECTS.get(operation)
    for outcome in find_successes(case):
        if wanted is None:
            yield case.check("declared_effect", not outcome.change, f"{operation} changed the state")
            yield from _check_read(case, outcome)
            continue
        idle = operation == "update" and _holds_already(case, outcome)
        yield case.check("declared_effect", bool(outcome.change or idle), f"{operation} changed nothing")
        if outcome.change:
            kind = outcome.change.kind
            yield case.check("declared_effect", kind == wanted, f"{operation} {kind} records")
            yield from _CHECKS[operation](case, outcome)


def _table(case: Case) -> str:
    return str(_entity(case)["table"])


def _entity(case: Case) -> dict[str, Any]:
    return case.environment.report["entities"][case.meaning["entity"]]


def _given(case: Case, outcome: Outcome, *roles: str) -> dict[str, Any]:
    """Return field -> value for the arguments with these roles."""
    return {
        role["field"]: outcome.arguments[name]
        for name, role in case.roles.items()
        if role["role"] in roles and name in outcome.arguments
    }


def _holds_already(case: Case, outcome: Outcome) -> bool:
    """True if the record has all that an update gives."""
    row = outcome.before[_table(case)].get(str(next(iter(_given(case, outcome, "key").values()), "")), {})
    return all(row.get(field) == value for field, value in _given(case, outcome, "payload", "reference").items())


def _defaults(case: Case) -> dict[str, Any]:
    return {
        role["field"]: case.properties[name]["default"]
        for name, role in case.roles.items()
        if role.get("field") and "default" in case.properties[name]
    }


def _check_read(case: Case, outcome: Outcome) -> Iterator[Check]:
    rows = outcome.before[_table(case)]
    if case.meaning["operation"] == "read":
        key = next(iter(_given(case, outcome, "key").values()))
        yield case.check("declared_value", outcome.value == rows.get(str(key)), "not the record with that key")
        return
    expected = [row for row in rows.values() if _passes(case, outcome, row)]
    if case.meaning["operation"] == "count":
        right = outcome.value == {"count": len(expected)}
        yield case.check("declared_value", right, f"counted {outcome.value}, the table holds {len(expected)}")
        return
    listed = outcome.value.get(_table(case)) if isinstance(outcome.value, dict) else None
    if not isinstance(listed, list):
        yield case.check("declared_value", False, f"no list under {_table(case)!r}")
        return
    yield case.check("declared_value", all(r in expected for r in listed), "a record that should not be listed")
    cut = any(role["role"] in ("limit", "offset", "page", "query") for role in case.roles.values())
    whole = cut or len(listed) == len(expected)
    yield case.check("declared_value", whole, f"{len(listed)} records listed, {len(expected)} fit")


def _passes(case: Case, outcome: Outcome, row: dict[str, Any]) -> bool:
    """True if a record fits every filter and reference that is given or has a default."""
    for name, role in case.roles.items():
        if role["role"] not in ("filter", "reference"):
            continue
        value = outcome.arguments.get(name, case.properties[name].get("default"))
        if value is None:
            continue
        stored = row.get(role["field"])
        if stored is None or not _HOLDS[role.get("op", "==")](stored, value):
            return False
    return True


def _check_created(case: Case, outcome: Outcome) -> Iterator[Check]:
    table, row = outcome.change.added[0]
    yield case.check("declared_table", table == _table(case), f"added to {table}, not to {_table(case)}")
    entity = _entity(case)
    given = {**_defaults(case), **_given(case, outcome, "key", "payload", "reference")}
    wrong = [f for f, value in given.items() if row.get(f) != value]
    yield case.check("declared_value", not wrong, f"not stored as given: {', '.join(wrong)}")
    invented = [
        field
        for field, value in row.items()
        if field not in given
        and field != entity["key"]
        and not _may_add(entity["fields"].get(field, {}), value, outcome)
    ]
    yield case.check("nothing_invented", not invented, f"nobody gave {', '.join(invented)}")


def _may_add(field: dict[str, Any], value: Any, outcome: Outcome) -> bool:
    """True for what a new record has by itself: its first state, the time."""
    now = outcome.before["_clock"]["now"]
    return ("initial" in field and value == field["initial"]) or (bool(field.get("moment")) and value == now)


def _check_changed(case: Case, outcome: Outcome) -> Iterator[Check]:
    tables = {table for table, *_ in outcome.change.changed}
    yield case.check("declared_table", tables == {_table(case)}, f"changed {sorted(tables)}")
    given = _given(case, outcome, "payload") | _payload_references(case, outcome)
    sets = case.meaning.get("sets")
    if sets:
        given[sets["field"]] = sets["value"]
    fields = _entity(case)["fields"]
    for _, old, new in outcome.change.changed:
        wrong = [f for f, value in given.items() if new.get(f) != value]
        yield case.check("declared_value", not wrong, f"not stored as given: {', '.join(wrong)}")
        others = [f for f in {*old, *new} if old.get(f) != new.get(f) and f not in given]
        bad = [f for f in sorted(others) if not (fields.get(f, {}).get("moment") and _is_now(new.get(f), outcome))]
        yield case.check("nothing_invented", not bad, f"changed as well: {', '.join(bad)}")


def _payload_references(case: Case, outcome: Outcome) -> dict[str, Any]:
    return _given(case, outcome, "reference") if case.meaning["operation"] == "update" else {}


def _is_now(value: Any, outcome: Outcome) -> bool:
    return bool(value == outcome.before["_clock"]["now"])


def _check_removed(case: Case, outcome: Outcome) -> Iterator[Check]:
    key = str(next(iter(_given(case, outcome, "key").values())))
    own = [row for table, row in outcome.change.removed if table == _table(case)]
    right = key in outcome.before[_table(case)] and key not in outcome.after[_table(case)]
    yield case.check("declared_value", bool(own) and right, f"{key} was not removed")


_CHECKS: dict[str, Callable[[Case, Outcome], Iterator[Check]]] = {
    "create": _check_created,
    "update": _check_changed,
    "transition": _check_changed,
    "delete": _check_removed,
}
