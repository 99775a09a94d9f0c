"""Checks of tools that remove records: gone with what belonged to them, nothing else, and not twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.checks.records import given_keys

_DEPENDED_ON = 3


def check_removed(case: Case, outcome: Outcome) -> Iterator[Check]:
    """The record is gone with what belonged to it, nothing refers to it, it cannot be removed twice."""
    change = outcome.change
    gone = {str(row[case.readers.key(table)]) for table, row in change.removed}
    keys = given_keys(case, outcome.arguments)
    missing = [key for key in keys if str(key) not in gone]
    yield case.check("removes_right", not missing, f"{missing[:2]} was not removed")
    asked = set(map(str, keys))
    for table, row in change.removed:
        own = str(row[case.readers.key(table)])
        related = own in asked or any(
            str(v) in gone - {own} for v in row.values() if isinstance(v, (str, int))
        )
        related = related or any(own.startswith(key.rstrip("/") + "/") for key in asked)
        yield case.check("removes_only", related or not keys, f"{own} was removed and does not belong to it")
    for table, old, new in change.changed:
        fields = {f for f in {*old, *new} if old.get(f) != new.get(f)}
        cut = all(_let_go(old.get(f), new.get(f), gone) for f in fields)
        yield case.check("removes_only", cut, f"a record of {table} changed that did not refer to it")
    yield from _check_dangling(case, outcome, gone)
    yield from _check_answer(case, outcome, keys)
    for table, row in change.removed[:2]:
        for tool, ok, _ in case.readers.read(outcome.after, table, row):
            yield case.check("gone", not ok, f"{tool} still shows it")
        for tool, found in case.readers.listed(outcome.after, table, row):
            yield case.check("gone", not found, f"{tool} still lists it")
    again = case.run(outcome.arguments, outcome.after)
    quiet = case.expectation.idempotent and not again.change
    yield case.check("second_delete", quiet or not again.ok, "a second delete succeeds")


def check_removed_with_dependents(case: Case) -> Iterator[Check]:
    """The same for the records on which most others depend."""
    rows, key = case.rows, case.readers.key(case.table_name)
    known = {str(row[key]) for row in rows}
    paths = [k for k in known if k.startswith("/")]
    weight: Counter[str] = Counter()
    for table, others in case.environment.state.items():
        for own, row in others.items() if not table.startswith("_") else ():
            values = [v for value in row.values() for v in (value if isinstance(value, list) else [value])]
            weight.update({str(v) for v in values if isinstance(v, (str, int)) and str(v) in known} - {own})
            weight.update(p for p in paths if str(own).startswith(p.rstrip("/") + "/"))
    for wanted, _ in weight.most_common(_DEPENDED_ON):
        at = next(at for at, row in enumerate(rows) if str(row[key]) == wanted)
        arguments = case.make(at, optional=False)
        outcome = case.run(arguments) if arguments is not None else None
        if outcome is not None and outcome.ok and outcome.change.kind == "removes":
            yield from check_removed(case, outcome)


def _check_answer(case: Case, outcome: Outcome, keys: list[Any]) -> Iterator[Check]:
    """The answer says that it was removed, and which."""
    value = outcome.value if isinstance(outcome.value, dict) else {}
    said = value.get("deleted", True)
    one = said if isinstance(said, list) else keys
    echo = [v for n, v in value.items() if n == case.readers.key(case.table_name)]
    right = said is not False and one == keys and all(not keys or v in keys for v in echo)
    yield case.check("returns_record", right, "the answer is not what was removed")


def _let_go(old: Any, new: Any, gone: set[str]) -> bool:
    if isinstance(old, list):
        return [v for v in old if str(v) not in gone] == new
    return str(old) in gone and new is None


def _check_dangling(case: Case, outcome: Outcome, gone: set[str]) -> Iterator[Check]:
    """No field that refers to the entity still names the record, nothing lies in a folder that is gone."""
    entities = case.environment.report["entities"]
    names = {name for name, e in entities.items() if any(t == e["table"] for t, _ in outcome.change.removed)}
    folders = tuple(key.rstrip("/") + "/" for key in gone if key.startswith("/"))
    for entity in entities.values():
        columns = [n for n, f in entity["fields"].items() if f.get("reference") in names]
        for key, row in outcome.after.get(entity["table"], {}).items():
            left = [c for c in columns if _names(row.get(c), gone)]
            yield case.check(
                "no_dangling", not left, f"{entity['table']} still refer to it by {', '.join(left)}"
            )
            if folders and str(key).startswith(folders):
                yield case.check("no_dangling", False, f"{key} lies in a folder that is gone")


def _names(value: Any, gone: set[str]) -> bool:
    return any(str(v) in gone for v in (value if isinstance(value, list) else [value]) if v is not None)
