"""Checks of tools that change a record: the right one, in the given fields only; or give it another key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.checks.records import (
    Row,
    check_visible,
    fields_of,
    given_keys,
    given_values,
    holds,
    item_values,
    items_of,
    shows,
    stored_field,
)
from tvlab.environments.domain.expectations import named_field
from tvlab.environments.domain.field_types import name_words


def check_changed(case: Case, outcome: Outcome) -> Iterator[Check]:
    """One record (or each of a batch) changed, in the given fields only, and can be seen."""
    change = outcome.change
    many = case.meaning["operation"].startswith("batch_")
    tables = {table for table, _, _ in change.changed}
    yield case.check("right_table", len(tables) == 1, f"records of {sorted(tables)} changed")
    yield case.check("changes_one", many or len(change.changed) == 1, f"{len(change.changed)} records changed")
    yield from _check_fields(case, outcome, many)
    rows = [new for _, _, new in change.changed]
    answer = next((v for v in outcome.value.values() if isinstance(v, list)), None) if many else outcome.value
    shown = all(row in (answer or []) for row in rows) if many else answer == rows[0]
    yield case.check("returns_record", shown, "the changed record is not returned")
    yield from check_visible(case, outcome, [(table, new) for table, _, new in change.changed])
    yield from _check_right_record(case, outcome)
    yield from _check_second(case, outcome)


def _check_fields(case: Case, outcome: Outcome, many: bool) -> Iterator[Check]:
    given, fields_there = given_values(case, outcome.arguments), fields_of(case)
    items = items_of(outcome.arguments) if many else None
    if items:
        given = {name: value for item in items for name, value in item_values(case, item).items()}
        yield from _check_items(case, outcome, items, fields_there)
    for _, old, new in outcome.change.changed:
        fields = {name for name in {*old, *new} if old.get(name) != new.get(name)}
        named = {named_field(name, [old, new]) for name in given}
        named |= {stored_field(name, [old, new], case.name) for name in given}
        named |= {named_field(name.removeprefix("new_"), [old, new]) for name in given}
        named |= {named_field(n, [old, new]) for n, part in case.properties.items() if "default" in part}
        others = fields - named
        yield case.check(
            "other_fields",
            len(others) <= 1,
            f"fields that were not given changed: {', '.join(sorted(others))}",
        )
        if not many:
            lost = [n for n, v in given.items() if not shows(case, new, n, v, fields_there) and not _member(new, v)]
            yield case.check("stores_given", not lost, f"not stored: {', '.join(lost)}")
            sets = [n for n in given if stored_field(n, [old, new], case.name) or n.startswith("new")]
            if case.expectation.effect != "changes" or case.meaning["operation"] in ("update", "upsert"):
                spread = others and sets and case.meaning["operation"] in ("update", "upsert")
                yield case.check("only_given", not spread, f"an update changed {', '.join(sorted(others))} as well")


def _check_items(case: Case, outcome: Outcome, items: list[Row], fields: Row) -> Iterator[Check]:
    """Each item of a batch is in the record of its own key."""
    path = next((p for p, r in case.roles.items() if r["role"] == "key" and "[]" in p), None)
    if path is None:
        return
    tail = path.partition("[].")[2]
    for item in items:
        row = outcome.after[case.table_name].get(str(item.get(tail)))
        values = {n: v for n, v in item_values(case, item).items() if n != tail}
        kept = row is not None and all(holds(row, n, v, fields) or _member(row, v) for n, v in values.items())
        yield case.check("stores_given", kept, "an item's value is not in the record of its key")


def _member(row: Row, value: Any) -> bool:
    """True if a link shows: the value is in, or was taken out of, a list of the record."""
    values = value if isinstance(value, list) else [value]
    return any(isinstance(v, list) for v in row.values()) and all(isinstance(v, (str, int)) for v in values)


def _check_right_record(case: Case, outcome: Outcome) -> Iterator[Check]:
    """The changed records are those whose keys were given."""
    if case.meaning["operation"].startswith("batch_") and (keys := given_keys(case, outcome.arguments)):
        done = {str(new[case.readers.key(table)]) for table, _, new in outcome.change.changed}
        left = set(map(str, keys)) - done
        right = done <= set(map(str, keys)) and (_may_hold(case) or all(_held(case, outcome, key) for key in left))
        yield case.check("right_record", right, "not all of the given records changed, or others")
    for name, role in case.roles.items():
        if role["role"] == "key" and name in outcome.arguments and not isinstance(outcome.arguments[name], list):
            key = outcome.arguments[name]
            right = all(any(v == key for v in new.values()) for _, _, new in outcome.change.changed)
            yield case.check("right_record", right, f"another record than {name} changed")


def _held(case: Case, outcome: Outcome, key: str) -> bool:
    """True for a record that was before as the call asks for: moved to the group that it is in."""
    row, given = outcome.after[case.table_name].get(key), given_values(case, outcome.arguments)
    fields = fields_of(case)
    return row is not None and bool(given) and all(holds(row, name, value, fields) for name, value in given.items())


def _may_hold(case: Case) -> bool:
    """True for changes of lists that some of the given records may hold as they are asked to."""
    return case.meaning["operation"] in ("batch_members", "batch_append", "batch_take")


def _check_second(case: Case, outcome: Outcome) -> Iterator[Check]:
    """The same call again is refused or changes nothing more: it sets, it does not toggle."""
    again = case.run(outcome.arguments, outcome.after)
    yield case.check("second_call", not again.ok or not again.change, "the same call again changed more")
    repeats = any(name_words(name) == ("idempotency", "key") for name in outcome.arguments)
    if case.expectation.idempotent:
        yield case.check("idempotent", again.ok, "described as idempotent, and a second call fails")
    elif case.expectation.state_verb or (case.meaning["operation"] == "transition" and not _sets(case)):
        yield case.check("second_transition", repeats or not again.ok, "a state that holds is entered again")
    if case.expectation.state_verb:
        given = given_values(case, outcome.arguments)
        for _, old, new in outcome.change.changed:
            fields = [f for f in {*old, *new} if old.get(f) != new.get(f) and named_field(f, [given]) is None]
            fits = any(case.expectation.leads_to(new.get(f)) for f in fields)
            yield case.check("state_fits", fits, f"{fields} do not show that it was {case.expectation.state_verb}")


def _sets(case: Case) -> bool:
    """True for verbs by which a value is set: setting it again is no fault."""
    return bool(set(name_words(case.name)) & {"reset", "clear", "set", "mark", "toggle"})


def check_one_by_one(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Giving one optional field alone, with a value that the record does not have, changes that field alone."""
    required = set(case.tool["inputSchema"].get("required", []))
    full = next((o.arguments for o in reversed(successes) if o.change.kind == "changes"), None)
    if full is None or case.meaning["operation"] != "update":
        return
    fixed = {
        name: value
        for name, value in full.items()
        if name in required
        or name not in case.roles
        or case.roles[name]["role"] not in ("payload", "reference")
        or (case.action and case.roles[name]["role"] == "reference")
    }
    fields_there = fields_of(case)
    for name in case.properties:
        if name in fixed or name not in case.roles:
            continue
        taken = tried = False
        for value in _values(case, name, full):
            outcome = case.run({**fixed, name: value})
            taken, tried = taken or outcome.ok, tried or not outcome.invalid
            if outcome.ok:
                yield from _check_one(case, outcome, fixed, name, fields_there)
                if outcome.change:
                    break
        yield case.check("accepted", taken or not tried, f"{name} alone is refused: {case.last_error}")


def _values(case: Case, name: str, full: dict[str, Any]) -> Iterator[Any]:
    """Values for one parameter, until one is new to the record."""
    if name in full:
        yield full[name]
    for at in (3, 4, 5):
        for mode in ("stay", "other"):
            arguments = case.make(at, True, mode=mode)
            if arguments is not None and name in arguments:
                yield arguments[name]


def _check_one(case: Case, outcome: Outcome, fixed: dict[str, Any], name: str, fields_there: Row) -> Iterator[Check]:
    value = outcome.arguments[name]
    for _, old, new in outcome.change.changed:
        fields = {field for field in {*old, *new} if old.get(field) != new.get(field)}
        named = {named_field(n, [old, new]) for n in [*fixed, name, *(value if isinstance(value, dict) else ())]}
        named |= {named_field(name.removeprefix("new_"), [old, new])}
        named |= {stored_field(n, [old, new], case.name) for n in [*fixed, name]}
        yield case.check("one_field", fields <= named, f"{name} alone changed {', '.join(sorted(fields - named))}")
    for key in given_keys(case, outcome.arguments)[:1]:
        row = outcome.after[case.table_name].get(str(key))
        if row is not None and named_field(name, [fields_there]):
            kept = shows(case, row, name, value, fields_there) or _member(row, value)
            yield case.check("stores_given", kept, f"{name} given alone is not stored")


def check_moved(case: Case, outcome: Outcome) -> Iterator[Check]:
    """A record is under another key, the same in all else; what referred to it follows; no other is replaced."""
    change = outcome.change
    one = len(change.added) == len(change.removed) == 1 and change.added[0][0] == change.removed[0][0]
    yield case.check("changes_only", one, "records came or went as well")
    if not one:
        return
    (table, new), (_, old) = change.added[0], change.removed[0]
    key = case.readers.key(table)
    rest = [{n: v for n, v in row.items() if n != key} for row in (old, new)]
    yield case.check("other_fields", rest[0] == rest[1], "more than the key of the record changed")
    given = list(outcome.arguments.values())
    yield case.check("right_record", old[key] in given and new[key] in given, "not from and to the given keys")
    for other, before, after in change.changed:
        fields = [n for n in {*before, *after} if before.get(n) != after.get(n)]
        follows = all(before.get(n) == old[key] and after.get(n) == new[key] for n in fields)
        yield case.check("changes_only", follows, f"a record of {other} changed that did not refer to it")
    left = [
        column
        for rows in outcome.after.values()
        for row in rows.values()
        if isinstance(row, dict)
        for column, value in row.items()
        if value == old[key] and column in _referring(case, table)
    ]
    yield case.check("no_dangling", not left, f"{', '.join(sorted(set(left)))} still name the old key")
    yield case.check("returns_record", outcome.value == new, "the moved record is not what is returned")
    yield from check_visible(case, outcome, change.added)
    again = case.run(outcome.arguments, outcome.after)
    yield case.check("second_call", not again.ok, "the same record is moved twice")
    taken = next((row[key] for row in outcome.after[table].values() if row[key] != new[key]), None)
    name = next((n for n, v in outcome.arguments.items() if v == new[key]), None)
    if taken is not None and name is not None:
        onto = case.run({**outcome.arguments, name: taken})
        yield case.check("second_create", not onto.ok, "a record is moved onto another")


def _referring(case: Case, table: str) -> set[str]:
    """Return the columns that refer to records of a table."""
    entities = case.environment.report["entities"]
    names = {name for name, e in entities.items() if e["table"] == table}
    return {column for e in entities.values() for column, f in e["fields"].items() if f.get("reference") in names}
