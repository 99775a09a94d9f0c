"""What one record is called, in agreement: its key and its name, its free fields."""

from __future__ import annotations

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.seeding.objects import name_of
from tvlab.environments.seeding.tables import Row, Tables

Words = tuple[str, ...]

_NAME = ("name",)
_STATUS = (("status",), ("state",))


def agree(tables: Tables) -> None:
    """Let the names and texts of each record agree, but for facts; the records are changed."""
    for entity, table, _ in tables.changing():
        for row in table.values() if entity.fact is None else ():
            _called(entity, row)
            _open_fields(entity, row)


def _called(entity: Entity, row: Row) -> None:
    """A key that is the name of the thing, its plain name and the name under its noun are one."""
    forms = {(*entity.noun, *_NAME), (*entity.noun[-1:], *_NAME), entity.noun}
    key = field_types.name_words(entity.key)
    columns = {n: f for n, f in entity.fields.items() if n in row and f.type == "string" and "enum" not in f.schema}
    named = {n: field_types.name_words(n) for n in columns}
    plain = next((n for n, words in named.items() if words == _NAME and not columns[n].reference), "")
    longer = [n for n, words in named.items() if words in forms and words[-1:] == _NAME and n != plain]
    given = next((n for n in longer if columns[n].reference), "")
    if entity.key_kind == "natural" and entity.key_type == "string" and key in forms:
        for name in (plain, *(n for n in longer if not columns[n].reference)):
            if name and name != entity.key:
                row[name] = row[entity.key]
    elif given and plain:
        row[plain] = row[given]


def _open_fields(entity: Entity, row: Row) -> None:
    """The free fields of a record name it as it is named, and tell no second state."""
    label = row.get(name_of(entity))
    states = any(field_types.name_words(n) in _STATUS for n in row)
    for name, value in row.items():
        column = entity.fields.get(name)
        if column is None or not isinstance(value, dict) or column.schema.get("properties") or "Name" not in value:
            continue
        told = {**value, "Name": label} if isinstance(label, str) else value
        row[name] = {n: v for n, v in told.items() if n != "Status" or not states}
