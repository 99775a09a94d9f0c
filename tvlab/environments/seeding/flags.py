"""Flags, states and marks of seeded records: what is not done has no end, one record is the default, a hash is its own.

For servers that are not the package's own, beside ``seed_truths``: ``isStarted`` is true where the state is started,
``hasDescription`` where an object of the record holds one, and a finding of nothing has no moment, at any depth.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.seeding.limits import is_number
from tvlab.environments.seeding.states import state_columns, state_of
from tvlab.environments.seeding.tables import Row, Tables

_MARKS = frozenset((("hash",), ("slot",), ("signature",), ("checksum",), ("sha",), ("pmid",)))
_ENDED = frozenset("completed complete finished done closed resolved".split())


def agree(tables: Tables) -> None:
    """Let flags, states and marks of the records agree; the records are changed."""
    for entity, table, _ in tables.changing():
        states = _states(entity, table)
        for row in table.values():
            for part in row.values():
                _undone(part)
            if entity.fact is None:
                _flags_of_states(entity, row, states)
                _ended(entity, row)
                _has(row)
        if not entity.single:
            _one_default(entity, table)
            _own_marks(entity, table)


def _states(entity: Entity, table: dict[str, Row]) -> dict[str, frozenset[str]]:
    """Return the columns of states with all states that they tell of."""
    columns = [n for n in state_columns(entity.fields, entity.noun) if entity.fields[n].type == "string"]
    told = {n: (*entity.fields[n].schema.get("enum", ()), *(row.get(n) for row in table.values())) for n in columns}
    return {n: frozenset(str(v).lower() for v in values) for n, values in told.items()}


def _flags_of_states(entity: Entity, row: Row, states: dict[str, frozenset[str]]) -> None:
    """``isStarted`` is true where the state is started, ``active`` where ``active_status`` is; no list counts 0."""
    words = {n: field_types.name_words(n) for n in row}
    for name, own in words.items():
        own = own[1:] if own[:1] == ("is",) and len(own) > 1 else own
        if isinstance(row[name], bool) and len(own) == 1:
            state = next((n for n, told in states.items() if n in row and own[0] in told), "")
            state = state or next(
                (n for n, w in words.items() if w == (*own, "status") and isinstance(row[n], str)), ""
            )
            twin = next((n for n, w in words.items() if w == own and n != name and isinstance(row[n], bool)), "")
            lacks = own[0][2:].removesuffix("d") if own[0][:2] == "un" else ""
            if state:
                row[name] = str(row[state]).lower() == own[0]
            elif twin:
                row[name] = row[twin]
            elif any(field_types.name_words(n) == (lacks,) for n in entity.fields if lacks):
                row[name] = not any(w == (lacks,) and row[n] for n, w in words.items())
        elif own[-1:] == ("count",) and isinstance(row[name], int) and entity.fact is None:
            one = field_types.singular_words(own[:-1])
            lists = [n for n, f in entity.fields.items() if f.type == "array"
                     and field_types.singular_words(field_types.name_words(n)) == one]  # fmt: skip
            row[name] = 0 if lists and lists[0] not in row else row[name]


def _own_marks(entity: Entity, table: dict[str, Row]) -> None:
    """The hash of a transaction and the slot of a block are its own."""
    for name, column in entity.fields.items():
        words = field_types.name_words(name)
        if column.reference or words[-1:] not in _MARKS or words[:-1] not in ((), entity.noun, entity.noun[-1:]):
            continue
        seen: set[Any] = set()
        for key, row in table.items():
            held = row.get(name)
            if held in seen and isinstance(held, str) and re.fullmatch(r"[0-9a-f]{6,64}", held):
                row[name] = sha256(f"{name} {key}".encode()).hexdigest()[: len(held)]
            while isinstance(held, int) and row[name] in seen:
                row[name] += 1
            seen.add(row.get(name))


def _one_default(entity: Entity, table: dict[str, Row]) -> None:
    """At most one record of a table is the default one."""
    for name, column in entity.fields.items():
        words = field_types.name_words(name)
        if column.type != "boolean" or "default" not in words[:2] or len(words) > 3:
            continue
        for row in [r for r in table.values() if r.get(name) is True][1:]:
            row[name] = False


def _ended(entity: Entity, row: Row) -> None:
    """What is not done has no moment at which it was done."""
    words = {n: field_types.name_words(n) for n in row}
    state = state_of(row, entity.noun)
    flags = [row[n] for n, w in words.items() if isinstance(row[n], bool) and set(w) & _ENDED and len(w) <= 2]
    off = {w[-1] for n, w in words.items() if row[n] is False and (len(w) == 1 or (len(w) == 2 and w[0] == "is"))}
    percent = [row[n] for n, w in words.items() if "percent" in w and set(w) & _ENDED and is_number(row[n])]
    open_ = False in flags or any(p < 100 for p in percent) or (not flags and state not in ("", *_ENDED))
    for name, own in words.items():
        column = entity.fields.get(name)
        told = set(own) & _ENDED if open_ else set(own[:1]) & off
        dated = told and column is not None and column.type == "string"
        if dated and column is not None and not column.required and field_types.is_moment(name, column.schema):
            del row[name]


def _undone(value: Any) -> None:
    """A nested object that says that something has not happened holds no moment at which it happened."""
    for one in value if isinstance(value, list) else [value]:
        words = {n: field_types.name_words(n) for n in one} if isinstance(one, dict) else {}
        for part in list(one.values()) if isinstance(one, dict) else ():
            _undone(part)
        off = {w[-1] for n, w in words.items() if one[n] is False and (len(w) == 1 or (len(w) == 2 and w[0] == "is"))}
        for name, own in words.items():
            if off & set(own) and isinstance(one[name], str) and field_types.is_moment(name, {"type": "string"}):
                del one[name]


def _has(row: Row) -> None:
    """``hasDescription`` is true where an object of the record holds a description."""
    for name, value in row.items():
        own = field_types.name_words(name)
        if not isinstance(value, bool) or own[:1] != ("has",) or own[1:] in map(field_types.name_words, row):
            continue
        for part in row.values():
            inner = {field_types.name_words(n): v for n, v in part.items()} if isinstance(part, dict) else {}
            if own[1:] in inner:
                row[name] = bool(inner[own[1:]])
