"""What a call gave for a record, whether a record holds it, and whether an agent can see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.domain.expectations import named_field
from tvlab.environments.domain.field_types import name_words
from tvlab.foundation.words import singular

Row = dict[str, Any]


def given_values(case: Case, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a call gives for the record: arguments, or the properties of a wrapper."""
    given: dict[str, Any] = {}
    wrappers = {path.split(".")[0] for path in case.roles if "." in path and "[" not in path}
    for name, value in arguments.items():
        role = case.roles.get(name, {}).get("role")
        if case.roles.get(name, {}).get("shown"):
            continue
        if name in wrappers and isinstance(value, dict) and role != "payload":
            given |= value
        elif role not in ("action", "confirm", "key", "preview") and name in case.properties:
            given[name] = value
    return given


def given_keys(case: Case, arguments: dict[str, Any]) -> list[Any]:
    """Return the keys of the records that a call names: one, a list, or one in each item."""
    keys: list[Any] = []
    for path, role in case.roles.items():
        if role["role"] != "key":
            continue
        if "[]" in path:
            head, _, tail = path.partition("[].")
            keys += [item[tail] for item in arguments.get(head, []) if tail in item]
        else:
            value = arguments.get(path)
            keys += value if isinstance(value, list) else [] if value is None else [value]
    return keys


def item_values(case: Case, item: Row) -> Row:
    """Return what an item of a batch gives: its values, or those of a wrapper object inside it."""
    inside = [path.partition("[].")[2].split(".") for path in case.roles if "[]." in path]
    wrappers = {parts[0] for parts in inside if len(parts) > 1}
    given: Row = {}
    for name, value in item.items():
        given |= value if name in wrappers and isinstance(value, dict) else {name: value}
    return given


def stored_field(parameter: str, rows: list[Row], tool: str) -> str | None:
    """Return the field that holds a parameter: one of a part that the tool names, or one of the same words.

    ``password`` of ``set_root_password`` is held by ``root_password``, and ``owner_id`` may be held by ``owner``.
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
    if len(ending) == 1:
        return ending.pop()
    plain = "_".join(words[:-1]) if words[-1:] == ("id",) and words[:-1] else parameter
    return named_field(parameter, rows) or named_field(plain, rows)


def shows(case: Case, row: Row, name: str, value: Any, fields: Row | None = None) -> bool:
    """True if a record holds a given value, under its name or as the part that the tool's name speaks of."""
    field = stored_field(name, [row], case.name)
    return holds(row, name, value, fields) or (field is not None and includes(row[field], value))


def items_of(arguments: dict[str, Any]) -> list[Row] | None:
    """Return the items of a batch: the only array of objects."""
    arrays = [
        v for v in arguments.values() if isinstance(v, list) and v and all(isinstance(i, dict) for i in v)
    ]
    return arrays[0] if len(arrays) == 1 else None


def fields_of(case: Case) -> Row:
    """Return a row that has every field of the tool's thing: names to look for."""
    return dict.fromkeys(case.environment.report["entities"][case.meaning["entity"]]["fields"])


def holds(row: Row, name: str, value: Any, fields: Row | None = None) -> bool:
    """True if a record holds a given value: under its name, or, for a renamed field, anywhere.

    Args:
        row: the record.
        name: the parameter.
        value: what was given.
        fields: the fields that records of this kind can have; a value belongs under its own name if it is one.
    """
    field = named_field(name, [row, fields or {}])
    if field is not None and field in row and includes(row[field], value):
        return True
    bare = name.removeprefix("new_").removeprefix("new")
    renamed = named_field(bare, [row])
    if renamed is not None and bare != name:
        return includes(row[renamed], value)
    return field is None and any(type(v) is type(value) and v == value for v in row.values())


def includes(stored: Any, given: Any) -> bool:
    """True if what is stored is what was given, apart from defaults filled in inside objects."""
    if isinstance(stored, dict) and isinstance(given, dict):
        return all(key in stored and includes(stored[key], value) for key, value in given.items())
    if isinstance(stored, list) and isinstance(given, list):
        return len(stored) == len(given) and all(map(includes, stored, given))
    return bool(stored == given) and isinstance(stored, bool) == isinstance(given, bool)


def check_visible(case: Case, outcome: Outcome, rows: list[tuple[str, Row]]) -> Iterator[Check]:
    """Every tool that can read a record shows it as it is now."""
    for table, row in rows[:2]:
        for tool, ok, value in case.readers.read(outcome.after, table, row):
            yield case.check("read_back", ok and value == row, f"{tool} does not show it")
        for tool, found in case.readers.listed(outcome.after, table, row):
            yield case.check("listed", found, f"{tool} does not list it")
