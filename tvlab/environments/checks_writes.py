"""Checks of writing tools: what was added, changed or removed, and that an agent can see it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from tvlab.environments import descriptions
from tvlab.environments.cases import Case, Check, Outcome
from tvlab.environments.expectations import named_field
from tvlab.environments.field_types import name_words
from tvlab.foundation.words import singular

Row = dict[str, Any]


def check_write(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Check every successful call by the kind of change it made."""
    for outcome in successes:
        kind = outcome.change.kind
        if not outcome.change:
            continue
        if kind == "adds":
            yield from check_added(case, outcome)
        elif kind == "removes":
            yield from check_removed(case, outcome)
        else:
            yield from check_changed(case, outcome)
    if any(o.change.kind == "changes" and o.change.changed for o in successes):
        yield from check_one_by_one(case, successes)


def given_values(case: Case, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a call gives for the record: arguments, or the properties of a wrapper."""
    given: dict[str, Any] = {}
    wrappers = {path.split(".")[0] for path in case.roles if "." in path and "[" not in path}
    for name, value in arguments.items():
        role = case.roles.get(name, {}).get("role")
        if name in wrappers and isinstance(value, dict) and role != "payload":
            given |= value
        elif role not in ("action", "confirm", "key", "preview") and name in case.properties:
            given[name] = value
    return given


def holds(row: Row, name: str, value: Any) -> bool:
    """True if a record holds a given value: under its name, or, for a renamed field, anywhere."""
    field = named_field(name, [row])
    if field is not None and includes(row[field], value):
        return True
    bare = name.removeprefix("new_").removeprefix("new")
    renamed = named_field(bare, [row])
    if renamed is not None and bare != name:
        return includes(row[renamed], value)
    return field is None and any(type(v) is type(value) and v == value for v in row.values())


def stored_field(parameter: str, rows: list[Row], tool: str) -> str | None:
    """Return the field that holds a parameter: one of a part that the tool names, or one of the same words.

    ``password`` of ``set_root_password`` is held by ``root_password``.
    """
    words = name_words(parameter)
    spoken = {word for part in name_words(tool) for word in (part, singular(part))}
    ending = {
        name
        for row in rows
        for name in row
        if name_words(name)[-len(words) :] == words
        and len(name_words(name)) > len(words)
        and set(name_words(name)) - set(words) <= spoken
    }
    return ending.pop() if len(ending) == 1 else named_field(parameter, rows)


def includes(stored: Any, given: Any) -> bool:
    """True if what is stored is what was given, apart from defaults filled in inside objects."""
    if isinstance(stored, dict) and isinstance(given, dict):
        return all(key in stored and includes(stored[key], value) for key, value in given.items())
    if isinstance(stored, list) and isinstance(given, list):
        return len(stored) == len(given) and all(map(includes, stored, given))
    return bool(stored == given) and isinstance(stored, bool) == isinstance(given, bool)


def _batches(arguments: dict[str, Any]) -> list[Row] | None:
    """Return the items of a batch: the only array of objects."""
    arrays = [
        v for v in arguments.values() if isinstance(v, list) and v and all(isinstance(i, dict) for i in v)
    ]
    return arrays[0] if len(arrays) == 1 else None


def _item_values(case: Case, item: Row) -> Row:
    """Return what an item of a batch gives: its values, or those of a wrapper object inside it."""
    inside = [path.partition("[].")[2].split(".") for path in case.roles if "[]." in path]
    wrappers = {parts[0] for parts in inside if len(parts) > 1}
    given: Row = {}
    for name, value in item.items():
        given |= value if name in wrappers and isinstance(value, dict) else {name: value}
    return given


def check_added(case: Case, outcome: Outcome) -> Iterator[Check]:
    """One record (or one an item) is new, holds what was given, is returned and can be read back."""
    change = outcome.change
    tables = {table for table, _ in change.added}
    yield case.check(
        "adds_only",
        len(tables) == 1 and not change.removed and not change.changed,
        f"a create also changed {len(change.changed)} and removed {len(change.removed)} records",
    )
    rows = [row for _, row in change.added]
    batch = _batches(outcome.arguments) if case.meaning["operation"].startswith("batch_") else None
    if batch is not None:
        yield case.check("adds_all", len(rows) == len(batch), f"{len(batch)} items made {len(rows)} records")
        for row, item in zip(rows, batch, strict=False):
            yield case.check(
                "stores_given",
                all(holds(row, n, v) for n, v in _item_values(case, item).items()),
                "an item's value is not stored",
            )
    else:
        yield case.check("adds_one", len(rows) == 1, f"one call made {len(rows)} records")
        given = given_values(case, outcome.arguments)
        lost = [name for name, value in given.items() if not holds(rows[0], name, value)]
        yield case.check("stores_given", not lost, f"not stored: {', '.join(lost)}")
        yield case.check("returns_record", outcome.value == rows[0], "the new record is not what is returned")
        yield from _check_defaults(case, outcome, rows[0])
    yield from check_visible(case, outcome, change.added)
    yield from _check_repeat(case, outcome)


def _check_defaults(case: Case, outcome: Outcome, row: Row) -> Iterator[Check]:
    """A declared default is stored when the argument is left out."""
    for name, part in case.properties.items():
        if name not in outcome.arguments and isinstance(part.get("default"), (str, int, float, bool)):
            yield case.check(
                "default", holds(row, name, part["default"]), f"the default of {name} is not stored"
            )


def _check_repeat(case: Case, outcome: Outcome) -> Iterator[Check]:
    """A second equal create makes another record or is refused; it never replaces the first."""
    again = case.run(outcome.arguments, outcome.after)
    kept = not again.change.changed and not again.change.removed
    fine = not again.ok or (kept and len(again.change.added) == len(outcome.change.added))
    repeats = any(name_words(name) == ("idempotency", "key") for name in outcome.arguments)
    if again.ok and not again.change.added and (repeats or case.meaning["operation"] == "upsert"):
        fine = not again.change.removed
    if again.ok and not again.change and descriptions.ensures(case.expectation.description):
        fine = again.value == outcome.value
    yield case.check("second_create", fine, "a second equal create replaced or lost something")


def check_visible(case: Case, outcome: Outcome, rows: list[tuple[str, Row]]) -> Iterator[Check]:
    """Every tool that can read a record shows it as it is now."""
    for table, row in rows[:2]:
        for tool, ok, value in case.readers.read(outcome.after, table, row):
            yield case.check("read_back", ok and value == row, f"{tool} does not show it")
        for tool, found in case.readers.listed(outcome.after, table, row):
            yield case.check("listed", found, f"{tool} does not list it")


def check_changed(case: Case, outcome: Outcome) -> Iterator[Check]:
    """One record (or each of a batch) changed, in the given fields only, and can be seen."""
    change = outcome.change
    moved = bool(change.added and change.removed)
    many = case.meaning["operation"].startswith("batch_")
    if not moved:
        yield case.check(
            "changes_one", many or len(change.changed) == 1, f"{len(change.changed)} records changed"
        )
        yield case.check(
            "changes_only", not change.added and not change.removed, "records came or went as well"
        )
        yield from _check_fields(case, outcome, many)
    rows = [(table, new) for table, _, new in change.changed] if not moved else change.added
    if not many and not moved and change.changed:
        yield case.check(
            "returns_record", outcome.value == change.changed[0][2], "the changed record is not returned"
        )
    yield from check_visible(case, outcome, rows)
    if not moved:
        yield from _check_right_record(case, outcome)
        yield from _check_second(case, outcome)


def _check_fields(case: Case, outcome: Outcome, many: bool) -> Iterator[Check]:
    given = given_values(case, outcome.arguments)
    if many and (items := _batches(outcome.arguments)):
        given = {name: value for item in items for name, value in _item_values(case, item).items()}
    for _, old, new in outcome.change.changed:
        fields = {name for name in {*old, *new} if old.get(name) != new.get(name)}
        held = partial(stored_field, rows=[old, new], tool=case.name)
        named = {f(name) for name in given for f in (partial(named_field, rows=[old, new]), held)}
        named |= {stored_field(name.removeprefix("new_"), [old, new], case.name) for name in given}
        others = fields - named
        state_only = len(others) <= 1
        yield case.check(
            "other_fields", state_only, f"fields that were not given changed: {', '.join(sorted(others))}"
        )
        if not many:
            lost = [
                n for n, v in given.items() if not _shows(case, new, n, v) and not _member(new, v)
            ]
            yield case.check("stores_given", not lost, f"not stored: {', '.join(lost)}")
            sets = [name for name in given if stored_field(name, [old, new], case.name) or name.startswith("new")]
            if case.expectation.effect != "changes" or case.meaning["operation"] in ("update", "upsert"):
                spread = others and sets and case.meaning["operation"] == "update"
                yield case.check(
                    "only_given", not spread, f"an update changed {', '.join(sorted(others))} as well"
                )


def _shows(case: Case, row: Row, name: str, value: Any) -> bool:
    field = stored_field(name, [row], case.name)
    return holds(row, name, value) or (field is not None and includes(row[field], value))


def _member(row: Row, value: Any) -> bool:
    """True if a link shows: the value is in, or was taken out of, a list of the record."""
    values = value if isinstance(value, list) else [value]
    return any(isinstance(v, list) for v in row.values()) and all(isinstance(v, (str, int)) for v in values)


def _check_right_record(case: Case, outcome: Outcome) -> Iterator[Check]:
    """The changed records are those whose keys were given."""
    if case.meaning["operation"].startswith("batch_") and (keys := _given_keys(case, outcome)):
        done = {str(new[case.readers.key(table)]) for table, _, new in outcome.change.changed}
        yield case.check("right_record", done == set(map(str, keys)), "not all of the given records changed")
    for name, role in case.roles.items():
        if (
            role["role"] == "key"
            and name in outcome.arguments
            and not isinstance(outcome.arguments[name], list)
        ):
            key = outcome.arguments[name]
            right = all(any(v == key for v in new.values()) for _, _, new in outcome.change.changed)
            yield case.check("right_record", right, f"another record than {name} changed")


def _check_second(case: Case, outcome: Outcome) -> Iterator[Check]:
    """The same call again is refused or changes nothing more: it sets, it does not toggle."""
    again = case.run(outcome.arguments, outcome.after)
    yield case.check("second_call", not again.ok or not again.change, "the same call again changed more")
    if case.expectation.idempotent:
        yield case.check("idempotent", again.ok, "described as idempotent, and a second call fails")
    elif case.expectation.state_verb:
        repeats = any(name_words(name) == ("idempotency", "key") for name in outcome.arguments)
        yield case.check("second_transition", repeats or not again.ok, "a state that holds is entered again")
    if case.expectation.state_verb:
        given = given_values(case, outcome.arguments)
        for _, old, new in outcome.change.changed:
            fields = [f for f in {*old, *new} if old.get(f) != new.get(f) and stored_field(f, [given], case.name) is None]
            fits = any(case.expectation.leads_to(new.get(f)) for f in fields)
            yield case.check(
                "state_fits", fits, f"{fields} do not show that it was {case.expectation.state_verb}"
            )


def check_one_by_one(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Giving one optional field alone changes that field alone."""
    required = set(case.tool["inputSchema"].get("required", []))
    base = next((o.arguments for o in successes if o.change.kind == "changes"), None)
    full = next((o.arguments for o in reversed(successes) if o.change.kind == "changes"), None)
    if base is None or full is None or case.meaning["operation"] != "update":
        return
    fixed = {
        name: value
        for name, value in full.items()
        if name in required
        or name not in case.roles
        or case.roles[name]["role"] in ("key", "action")
        or (case.action and case.roles[name]["role"] == "reference")
    }
    for name, value in full.items():
        if name in fixed:
            continue
        outcome = case.run({**fixed, name: value})
        for _, old, new in outcome.change.changed:
            fields = {field for field in {*old, *new} if old.get(field) != new.get(field)}
            named = {
                stored_field(n, [old, new], case.name)
                for n in [*fixed, name, *(value if isinstance(value, dict) else ())]
            }
            named |= {stored_field(name.removeprefix("new_"), [old, new], case.name)}
            yield case.check(
                "one_field", fields <= named, f"{name} alone changed {', '.join(sorted(fields - named))}"
            )


def check_removed(case: Case, outcome: Outcome) -> Iterator[Check]:
    """The record is gone with what belonged to it, nothing refers to it, it cannot be removed twice."""
    change = outcome.change
    gone = {str(row[case.readers.key(table)]) for table, row in change.removed}
    keys = _given_keys(case, outcome)
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
    for table, row in change.removed[:2]:
        for tool, ok, _ in case.readers.read(outcome.after, table, row):
            yield case.check("gone", not ok, f"{tool} still shows it")
    again = case.run(outcome.arguments, outcome.after)
    quiet = case.expectation.idempotent and not again.change
    yield case.check("second_delete", quiet or not again.ok, "a second delete succeeds")


def _given_keys(case: Case, outcome: Outcome) -> list[Any]:
    keys: list[Any] = []
    for path, role in case.roles.items():
        if role["role"] != "key":
            continue
        if "[]" in path:
            head, _, tail = path.partition("[].")
            keys += [item[tail] for item in outcome.arguments.get(head, []) if tail in item]
        else:
            value = outcome.arguments.get(path)
            keys += value if isinstance(value, list) else [] if value is None else [value]
    return keys


def _let_go(old: Any, new: Any, gone: set[str]) -> bool:
    if isinstance(old, list):
        return [v for v in old if str(v) not in gone] == new
    return str(old) in gone and new is None


def _check_dangling(case: Case, outcome: Outcome, gone: set[str]) -> Iterator[Check]:
    """No field that refers to the entity still names the record."""
    entities = case.environment.report["entities"]
    names = {name for name, e in entities.items() if any(t == e["table"] for t, _ in outcome.change.removed)}
    for entity in entities.values():
        columns = [n for n, f in entity["fields"].items() if f.get("reference") in names]
        for row in outcome.after.get(entity["table"], {}).values():
            left = [c for c in columns if not isinstance(row.get(c), list) and str(row.get(c)) in gone]
            yield case.check(
                "no_dangling", not left, f"{entity['table']} still refer to it by {', '.join(left)}"
            )
