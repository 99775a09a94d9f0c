"""What seeded records tell of others beside ids: the name of the one meant, in columns and at any depth inside them.

For servers that are not the package's own, after ``seed_objects``.  ``author`` beside ``authorId`` is the author's
name, ``lines[].customer_name`` that of the customer whose id stands beside it, ``scope.customer_ids`` are keys of
customers.  One thing stands once in a list, and an object under the record's own name holds what the record holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from zlib import crc32

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.runtime import State
from tvlab.environments.seeding.copies import key_property
from tvlab.environments.seeding.objects import CALLED, name_of, target_of, thing_of
from tvlab.environments.seeding.tables import Known, Row, Tables

#: what is beside an id and is no name: the certificate itself
_ENCODED = re.compile(r"\bbase-?64\b|\bPEM\b|\bencoded\b|\bJSON\b|\bserialized\b", re.IGNORECASE)
_PERSONS = frozenset("customer client contact user member patient guest buyer employee student".split())
#: (who leaves, who comes) in names of two parts of a record
_TURNS = (("overridden", "overriding"), ("old", "new"), ("replaced", "replacing"), ("from", "to"))


def agree(tables: Tables) -> None:
    """Let records tell of one another what is true, at any depth; the records are changed."""
    state, things = tables.state, {name: one for name, one in tables.known.items() if one.fact is None}
    for entity, table, _ in tables.changing():
        told = list(_told_columns(entity, things))
        for key, row in table.items():
            for reference, column, target, source in told:
                owner = state[target.table].get(str(row.get(reference)))
                if owner is not None and column in row:
                    row[column] = owner.get(source, row[column])
            _unwrap(entity, row)
            plain = {n for n, f in entity.fields.items() if not f.reference and n not in entity.pair}
            row.update({n: v for n, v in _of_kind(row, things, state, key).items() if n in plain})
            for column, value in list(row.items()):
                if isinstance(value, (dict, list)):
                    row[column] = _inside(column, value, (entity, row), things, state, f"{key} {column}")
                    _under(entity, row[entity.key], row[column])
        _differ(entity, table)


def _told_columns(entity: Entity, known: Known) -> Iterator[tuple[str, str, Entity, str]]:
    """Yield (reference, column, target, its column) for plain columns that tell of the record named beside them."""
    references = [f for f in entity.fields.values() if f.reference in known and f.type != "array"]
    for reference in references:
        target = known[reference.reference or ""]
        words = field_types.name_words(reference.name)
        base = words[:-1] if field_types.is_id_name(reference.name) else ()
        called = name_of(target)
        for column in entity.fields.values() if target is not entity else ():
            name = field_types.name_words(column.name)
            if column.reference or column.type != "string" or column.name in (entity.key, *entity.pair):
                continue
            if {"enum", "values"} & set(column.schema) or _ENCODED.search(str(column.schema.get("description") or "")):
                continue
            after = name[len(base) :] if base and name[: len(base)] == base else None
            if called and (after in CALLED or after == ()):
                yield reference.name, column.name, target, called
            elif name[-1:] == ("email",) and name[:-1] in ((), base) and set(target.noun[-1:]) & _PERSONS:
                alone = sum(set(known[f.reference or ""].noun[-1:]) & _PERSONS != set() for f in references) == 1
                source = next((n for n in target.fields if field_types.name_words(n) == ("email",)), "")
                if source and (after or alone) and not set(entity.noun[-1:]) & _PERSONS:
                    yield reference.name, column.name, target, source


def _unwrap(entity: Entity, row: Row) -> None:
    """An object under the record's own name holds what the record holds, and what it holds alone the record holds."""
    for column, value in list(row.items()):
        if isinstance(value, dict) and field_types.name_words(column) == entity.noun:
            for part in list(value):
                if part in row and part != column:
                    value[part] = row[part]
                elif part in entity.fields and not entity.fields[part].reference:
                    row[part] = value[part]


Place = tuple[Entity, Row]


def _inside(name: str, value: Any, place: Place, known: Known, state: State, salt: str) -> Any:
    """Return a value in which the ids are keys of records and the names beside them those of these records."""
    if isinstance(value, list):
        return _once([_inside(name, v, place, known, state, f"{salt} {at}") for at, v in enumerate(value)])
    if not isinstance(value, dict):
        return value
    target = target_of(field_types.singular_words(field_types.name_words(name)), value, place[0], known)
    key = key_property(target, value) if target is not None else ""
    owner = state[target.table].get(str(value[key])) if target is not None and key else None
    inner = (target, owner) if target is not None and owner is not None else place
    value = _of_kind(_named_beside(value, place, known, state, salt), known, state, salt)
    return {
        part: _inside(part, v, inner, known, state, f"{salt} {part}") if isinstance(v, (dict, list)) else v
        for part, v in value.items()
    }  # fmt: skip


def _under(entity: Entity, key: Any, value: Any) -> None:
    """What a record holds of its own kind lies under it: ``parentFolderId`` of a child folder is the folder's id."""
    for part in value if isinstance(value, list) else ():
        for name in part if isinstance(part, dict) else ():
            words = field_types.name_words(name)
            up = words[:1] == ("parent",) and words[-1:] == ("id",) and words[1:-1] in (entity.noun, entity.noun[-1:])
            if up and isinstance(part[name], type(key)):
                part[name] = key
            elif isinstance(part[name], list) and "id" in part:
                _under(entity, part["id"], part[name])


def _differ(entity: Entity, table: dict[str, Row]) -> None:
    """Who takes over is not the one who is replaced."""
    for one, two in _TURNS:
        words = {n: field_types.name_words(n) for n, f in entity.fields.items() if f.type == "object"}
        for first, own in words.items():
            second = next((n for n, w in words.items() if w == tuple(two if x == one else x for x in own)), "")
            if one not in own or not second:
                continue
            for part in ("user_id", "userId", "id"):
                told = [r[n][part] for r in table.values() for n in (first, second) if part in (r.get(n) or {})]
                for key, row in table.items():
                    left, right = row.get(first) or {}, row.get(second) or {}
                    others = [v for v in dict.fromkeys(told) if v != left.get(part)]
                    if part in left and left[part] == right.get(part) and others:
                        right[part] = others[crc32(key.encode()) % len(others)]


def _of_kind(value: Row, known: Known, state: State, salt: str) -> Row:
    """The id beside the name of a kind of thing is the id of one: ``subject_id`` where ``subject_type`` is order."""
    words = {field_types.name_words(n): n for n in value}
    for own, name in words.items():
        kind = value.get(words.get((*own[:-1], "type"), "")) if own[-1:] == ("id",) and len(own) > 1 else None
        target = known.get(kind.lower()) if isinstance(kind, str) and thing_of(own[:-1], known) is None else None
        if target is None or target.key_kind != "minted" or not isinstance(value[name], str):
            continue
        keys = [row[target.key] for row in state[target.table].values()]
        if value[name] not in keys and isinstance(keys[0], str):
            value = {**value, name: keys[crc32(f"{salt} {name}".encode()) % len(keys)]}
    return value


def _fitting(target: Entity, place: Place, state: State) -> list[Any]:
    """Return the keys of the records that lie under what the record names too, all keys if none does."""
    entity, row = place
    above = {f.reference: f.name for f in entity.fields.values() if f.reference and f.direct and f.type != "array"}
    shared = [(f.name, row[above[f.reference]]) for f in target.fields.values()
              if f.reference in above and f.direct and f.type != "array" and above[f.reference] in row]  # fmt: skip
    rows = list(state[target.table].values())
    return [r[target.key] for r in rows if all(r.get(n) == v for n, v in shared)] or [r[target.key] for r in rows]


def _named_beside(value: Row, place: Place, known: Known, state: State, salt: str) -> Row:
    """Let an id in an object be the key of a record, and the name beside it the name of this record."""
    for part, held in list(value.items()):
        words = field_types.singular_words(field_types.name_words(part))
        target = thing_of(words[:-1], known) if len(words) > 1 and words[-1] in ("id", "gid", "uuid") else None
        if target is not None and target.key_kind == "minted":
            keys = _fitting(target, place, state)
            ids = held if isinstance(held, list) else [held]
            if all(type(one) is type(keys[0]) for one in ids) and not set(ids) <= set(keys):
                first, many = crc32(f"{salt} {part}".encode()), min(len(ids), len(keys))
                new = [keys[(first + at) % len(keys)] for at in range(many)]
                value = {**value, part: new if isinstance(held, list) else new[0]}
    for part, held in list(value.items()):
        words = field_types.name_words(part)
        if len(words) < 2 or not field_types.is_id_name(part) or not isinstance(held, (str, int)):
            continue
        target = thing_of(words[:-1], known)
        owner = state[target.table].get(str(held)) if target is not None else None
        source = name_of(target) if target is not None else ""
        for other, text in value.items() if owner is not None and source in owner else ():
            rest = field_types.name_words(other)
            if isinstance(text, str) and rest in (words[:-1], *((*words[:-1], *called) for called in CALLED)):
                value = {**value, other: owner[source]} if owner is not None else value
    return value


def _once(values: list[Any]) -> list[Any]:
    """Return a list in which one thing, by its id, stands once."""
    seen: set[str] = set()
    result = []
    for value in values:
        mark = str(value["id"]) if isinstance(value, dict) and isinstance(value.get("id"), (str, int)) else ""
        if not mark or mark not in seen:
            result.append(value)
        seen.add(mark)
    return result
