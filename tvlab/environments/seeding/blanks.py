"""Objects of seeded records in which nothing stands: they leave, since an answer with ``{}`` tells nothing."""

from __future__ import annotations

from typing import Any

from tvlab.environments.seeding.tables import Tables

_ORDERS = frozenset("delete remove destroy".split())


def leave_out(tables: Tables) -> None:
    """Take empty objects out of the records, with the lists that hold nothing else, but for facts."""
    for entity, table, _ in tables.changing():
        for row in table.values() if entity.fact is None else ():
            for name, column in entity.fields.items():
                if name not in row or column.reference:
                    continue
                kept = filled(row[name], column.schema)
                if kept in ({}, []) and row[name]:
                    kept = {} if isinstance(row[name], dict) else []
                if row[name] == kept and kept != {}:
                    continue
                if kept in ({}, []) and not column.required:
                    del row[name]
                else:
                    row[name] = kept


def filled(value: Any, schema: Any) -> Any:
    """Return a value without empty objects inside, but for those that its schema requires.

    >>> filled({"actions": {}, "rules": [{}, {"id": "a"}]}, {})
    {'rules': [{'id': 'a'}]}
    """
    schema = schema if isinstance(schema, dict) else {}
    if isinstance(value, list):
        parts = [filled(part, schema.get("items")) for part in value]
        return [part for part in parts if part != {}]
    if not isinstance(value, dict):
        return value
    properties, needed = schema.get("properties") or {}, schema.get("required") or []
    result = {}
    for name, part in value.items():
        if isinstance(part, bool) and name.strip("_").lower() in _ORDERS and name not in needed:
            continue  # asks a call to take the part away: no part that is there says so
        inner = filled(part, properties.get(name))
        gone = inner == {} or (inner == [] and part != [])
        if not gone or name in needed:
            result[name] = part if gone else inner
    return result
