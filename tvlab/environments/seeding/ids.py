"""Ids that are no references: "the parent task ID", "array of project IDs" hold keys of records that are there.

A parameter that no rule takes for a reference is stored as it is given; what is seeded for it are keys of the thing
that its description names, so that an id in an answer leads to a record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from zlib import crc32

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.runtime import State
from tvlab.environments.seeding.tables import Tables
from tvlab.foundation.words import singular

Row = dict[str, Any]
Known = Mapping[str, Entity]

_SAID = re.compile(
    r"(?P<what>\b[A-Za-z]+(?:[ _-][A-Za-z]+){0,2})(?:'s)? (?:[Gg]?IDs?|GIDs?|UUIDs?|identifiers?)\b"
    r"|\b(?:G?IDs?|UUIDs?|[Ii]dentifiers?) of (?:the |an? |all |each )*(?P<of>[a-z]+(?:[ _-][a-z]+){0,2})"
)
#: ids as parts of a larger text
_KEYED = re.compile(r"\bJSON\b|\bkeyed by\b|\bmap of\b")
#: an id is what the field is, where its text says so at the beginning
_SOON = 60
_NAMES = frozenset("name names title email path url".split())


def meant(said: str, known: Known) -> Entity | None:
    """Return the entity whose ids a description says a field holds, None if it says none of a known one.

    Args:
        said: the description: "Array of project IDs to add this task to".
        known: entities by name.
    """
    match = None if _KEYED.search(said) else _SAID.search(said[:_SOON])
    if match is None:
        return None
    text = match["what"] or match["of"]
    words = [singular(word.lower()) for word in re.split(r"[ _-]", text)]
    ends = range(len(words)) if match["what"] else range(len(words), 0, -1)
    parts = (words[at:] if match["what"] else words[:at] for at in ends)
    return next((known["_".join(part)] for part in parts if "_".join(part) in known), None)


def agree(tables: Tables) -> None:
    """Put keys of existing records where descriptions of columns say ids; the records are changed."""
    for entity, _, _ in tables.changing():
        fill(entity, tables.known, tables.state, tables.said)


def fill(entity: Entity, known: Known, state: State, said: Mapping[tuple[str, str], Row]) -> None:
    """Put keys of existing records where the descriptions of an entity's columns say ids; the state is changed.

    Args:
        entity: whose records are looked at.
        known: entities with records, by name.
        state: the seeded tables.
        said: what texts add to the schemas of columns.
    """
    rows = state[entity.table]
    for name, column in entity.fields.items():
        if column.reference or name in entity.pair or field_types.name_words(name)[-1] in _NAMES:
            continue
        schema = {**said.get((entity.name, name), {}), **column.schema}
        for at, (key, row) in enumerate(rows.items()):
            if name not in row:
                continue
            beside = _beside(entity, name, row)
            value = _filled(schema, row[name], (entity, at, beside), f"{key} {name}", known, state)
            if value is None:
                del row[name]
            else:
                row[name] = value


def _beside(entity: Entity, name: str, row: Row) -> dict[str, Any]:
    """Keys that plain references under the same word name: the project of ``project_id`` beside ``project``."""
    words = field_types.name_words(name)
    return {
        f.reference: row[f.name] for f in entity.fields.values()
        if f.reference and f.type != "array" and f.name in row and field_types.name_words(f.name)[:-1] == words
    }  # fmt: skip


def _filled(schema: Row, value: Any, place: tuple[Entity, int, Row], salt: str, known: Known, state: State) -> Any:
    """Return the value with keys where ids are said; None where a thing can have none: no task is above the first."""
    if isinstance(value, dict):
        parts = schema.get("properties") or {}
        inner = {n: _filled(parts[n], v, place, f"{salt} {n}", known, state) if isinstance(parts.get(n), dict) else v
                 for n, v in value.items()}  # fmt: skip
        return {n: v for n, v in inner.items() if v is not None or value[n] is None}
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        if schema_type(items) in ("object", "array"):
            return [_filled(items, v, place, f"{salt} {at}", known, state) for at, v in enumerate(value)]
        keys = _keys(items, schema.get("description") or items.get("description"), place, known, state)
        if keys is None or all(one in keys for one in value):
            return value
        return list(dict.fromkeys(_one(keys, f"{salt} {at}") for at, _ in enumerate(value))) if keys else []
    if isinstance(value, (str, int, float)) and not isinstance(value, bool) and not {"enum", "const"} & set(schema):
        keys = _keys(schema, schema.get("description"), place, known, state)
        if keys is None or value in keys:
            return value
        return _one(keys, salt) if keys else None
    return value


def _keys(schema: Row, said: Any, place: tuple[Entity, int, Row], known: Known, state: State) -> list[Any] | None:
    """Return the keys that a field may hold, None if it is not said to hold ids of a thing that is there."""
    target = meant(str(said or ""), known)
    if target is None or "pattern" in schema or "format" in schema:
        return None
    kind = schema_type(schema)
    if kind not in (target.key_type, "any") and not (kind == "number" and target.key_type == "integer"):
        return None
    entity, at, beside = place
    if target.name in beside:
        return [beside[target.name]]
    keys = [row[target.key] for row in state[target.table].values()]
    return keys[:at] if target is entity else keys


def _one(keys: list[Any], salt: str) -> Any:
    return keys[crc32(salt.encode()) % len(keys)]
