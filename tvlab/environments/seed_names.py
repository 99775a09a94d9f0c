"""Columns by which one record is known, in agreement: its key and its name, a text and the same text marked up."""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments import field_types
from tvlab.environments.entities import Entity
from tvlab.environments.runtime import State

Row = dict[str, Any]
Words = tuple[str, ...]

_NAME = ("name",)
_MARKED = frozenset(("html", "rich", "formatted"))
_STATUS = (("status",), ("state",))


def agree(entities: list[Entity], state: State) -> None:
    """Let the names and texts of each record agree; the state is changed.

    Args:
        entities: those of the state; facts are left alone.
        state: the seeded tables.
    """
    for entity in entities:
        for row in state.get(entity.table, {}).values() if entity.fact is None else ():
            _called(entity, row)
            _marked_up(entity, row)
            _open_fields(entity, row)
            _declared(entity, row)


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
    elif plain and not entity.fields[plain].filtered:
        for name in longer:
            row[name] = row[plain]


def _marked_up(entity: Entity, row: Row) -> None:
    """``html_notes`` are the notes in HTML."""
    texts = {field_types.name_words(n): n for n in row if isinstance(row[n], str) and n in entity.fields}
    for words, name in texts.items():
        if len(words) < 2 or entity.fields[name].reference:
            continue
        rest = words[1:] if words[0] in _MARKED else words[:-1] if words[-1] == "html" else ()
        plain = texts.get(rest)
        if plain and not entity.fields[plain].reference:
            body = "<body>" in str(entity.fields[name].schema.get("description") or "")
            row[name] = f"<body>{row[plain]}</body>" if body else f"<p>{row[plain]}</p>"


def _open_fields(entity: Entity, row: Row) -> None:
    """The free fields of a record name it as it is named, and tell no second state."""
    label = row.get(entity.label) if entity.label != entity.key else None
    states = any(field_types.name_words(n) in _STATUS for n in row)
    for name, value in row.items():
        column = entity.fields.get(name)
        if column is None or not isinstance(value, dict) or column.schema.get("properties") or "Name" not in value:
            continue
        told = {**value, "Name": label} if isinstance(label, str) else value
        row[name] = {n: v for n, v in told.items() if n != "Status" or not states}


def _declared(entity: Entity, row: Row) -> None:
    """The prototype of a function declares the function: it has its name."""
    name = row.get(entity.label)
    for column, value in row.items():
        declares = field_types.name_words(column)[-1:] in (("prototype",), ("signature",)) and column != entity.label
        if declares and isinstance(name, str) and name.isidentifier() and isinstance(value, str):
            row[column] = re.sub(r"\b\w+\(", f"{name}(", value, count=1)
