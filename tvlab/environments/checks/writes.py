"""Checks of writing tools: what was added, that it is whole, and that an agent can see it.

``checks/changes.py`` holds what changes a record, ``checks/removals.py`` what removes one, ``checks/sequences.py``
what several calls must give together.
"""

from __future__ import annotations

from collections.abc import Iterator

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.checks.changes import check_changed, check_moved, check_one_by_one
from tvlab.environments.checks.records import (
    Row,
    check_visible,
    fields_of,
    given_keys,
    given_values,
    holds,
    item_values,
    items_of,
)
from tvlab.environments.checks.removals import check_removed, check_removed_with_dependents
from tvlab.environments.checks.sequences import check_batch, check_undone
from tvlab.environments.domain.expectations import named_field
from tvlab.environments.domain.field_types import name_words
from tvlab.environments.language import descriptions


def check_write(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Check every successful call by the kind of change it made."""
    for outcome in successes:
        kind = outcome.change.kind
        if not outcome.change:
            yield from _check_unchanged(case, outcome)
            continue
        if kind == "adds":
            yield from check_added(case, outcome)
        elif kind == "removes":
            yield from check_removed(case, outcome)
        elif outcome.change.added or outcome.change.removed:
            yield from check_moved(case, outcome)
        else:
            yield from check_changed(case, outcome)
    if any(o.change.kind == "changes" and o.change.changed for o in successes):
        yield from check_one_by_one(case, successes)
    if any(o.change.kind == "removes" for o in successes):
        yield from check_removed_with_dependents(case)
    yield from check_batch(case, successes)
    yield from check_undone(case, successes)


def _check_unchanged(case: Case, outcome: Outcome) -> Iterator[Check]:
    """Where nothing changed, the record was as the call wants it."""
    if case.meaning["operation"] in ("update", "upsert"):
        given, fields = given_values(case, outcome.arguments), fields_of(case)
        for key in given_keys(case, outcome.arguments)[:1]:
            row = outcome.after[case.table_name].get(str(key), {})
            lost = [n for n, v in given.items() if named_field(n, [fields]) and not holds(row, n, v, fields)]
            yield case.check("stores_given", not lost, f"not stored: {', '.join(lost)}")


def check_added(case: Case, outcome: Outcome) -> Iterator[Check]:
    """One record (or one an item) is new, holds what was given, is returned and can be read back."""
    change = outcome.change
    tables = {table for table, _ in change.added}
    yield case.check(
        "adds_only",
        len(tables) == 1 and not change.removed and not change.changed,
        f"a create also changed {len(change.changed)} and removed {len(change.removed)} records",
    )
    yield case.check("right_table", tables == {case.table_name}, f"the record is put among {sorted(tables)}")
    rows = [row for _, row in change.added]
    batch = items_of(outcome.arguments) if case.meaning["operation"].startswith("batch_") else None
    if batch is not None:
        yield from _check_items(case, outcome, rows, batch)
    else:
        yield case.check("adds_one", len(rows) == 1, f"one call made {len(rows)} records")
        given, fields = given_values(case, outcome.arguments), fields_of(case)
        lost = [name for name, value in given.items() if not holds(rows[0], name, value, fields)]
        yield case.check("stores_given", not lost, f"not stored: {', '.join(lost)}")
        empty = [name for name, value in rows[0].items() if value is None and name not in outcome.arguments]
        yield case.check("only_given", not empty, f"stored without being given: {', '.join(empty)}")
        yield case.check("returns_record", outcome.value == rows[0], "the new record is not what is returned")
        yield from _check_defaults(case, outcome, rows[0])
    for row in rows if batch is None else ():
        yield from _check_initial(case, outcome, row)
    yield from check_visible(case, outcome, change.added)
    yield from _check_repeat(case, outcome)


def _check_items(case: Case, outcome: Outcome, rows: list[Row], batch: list[Row]) -> Iterator[Check]:
    """Every item of a batch has become a record, in the answer as in the state."""
    fields = fields_of(case)
    shared = {
        n: v for n, v in given_values(case, outcome.arguments).items() if not isinstance(v, (list, dict))
    }
    yield case.check("adds_all", len(rows) == len(batch), f"{len(batch)} items made {len(rows)} records")
    for row, item in zip(rows, batch, strict=False):
        kept = all(holds(row, n, v, fields) for n, v in {**shared, **item_values(case, item)}.items())
        yield case.check("stores_given", kept, "an item's value is not stored")
    answer = next((v for v in outcome.value.values() if isinstance(v, list)), None)
    yield case.check("returns_record", answer == rows, "the new records are not what is returned")


def _check_defaults(case: Case, outcome: Outcome, row: Row) -> Iterator[Check]:
    """A declared default is stored when the argument is left out."""
    for name, part in case.properties.items():
        if name not in outcome.arguments and isinstance(part.get("default"), (str, int, float, bool)):
            yield case.check(
                "default", holds(row, name, part["default"]), f"the default of {name} is not stored"
            )


def _check_initial(case: Case, outcome: Outcome, row: Row) -> Iterator[Check]:
    """A new record is in its kind's first state wherever no argument says otherwise."""
    given = given_values(case, outcome.arguments)
    for name, part in case.environment.report["entities"][case.meaning["entity"]]["fields"].items():
        if "initial" in part and not named_field(name, [given]):
            own = named_field(name, [case.properties])
            first = row.get(name) == case.properties.get(own or "", {}).get("default", part["initial"])
            yield case.check("initial_state", first, f"{name} of a new record is {row.get(name)!r}")


def _check_repeat(case: Case, outcome: Outcome) -> Iterator[Check]:
    """A second equal create makes another record or is refused; it never replaces the first."""
    again = case.run(outcome.arguments, outcome.after)
    kept = not again.change.changed and not again.change.removed
    fine = not again.ok or (kept and len(again.change.added) == len(outcome.change.added))
    repeats = any(name_words(name) == ("idempotency", "key") for name in outcome.arguments)
    named = case.meaning["operation"] == "upsert" and given_keys(case, outcome.arguments)
    if again.ok and not again.change.added and (repeats or named):
        fine = not again.change.removed
    if again.ok and not again.change and descriptions.ensures(case.expectation.description):
        fine = again.value == outcome.value
    yield case.check("second_create", fine, "a second equal create replaced or lost something")
