"""Objects inside seeded records that are other records: a parent beside its id, an id with the type of a thing.

``seed_copies`` settles the objects under the plain name of a thing.  Here are those that say less or more: with a
word for their use (``parentNotebook``), named by the end of the thing's name, told by a type, or empty.  All objects
of one record tell of one line of records: the notebook of a page is that of its section.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.runtime import State
from tvlab.environments.seeding.copies import Words, key_property, named_thing, told_of
from tvlab.environments.seeding.tables import Row, Tables

#: columns that hold what a thing is called, the most usual first
CALLED = (("name",), ("display", "name"), ("title",), ("full", "name"), ("label",))
_BEFORE = words_of.REFERENCE_MODIFIERS | {"main"}
_TYPED = ("_reference", "_ref")


def name_of(entity: Entity) -> str:
    """Return the column that says what a record is called, "" if none does."""
    plain = {field_types.name_words(n): n for n, f in entity.fields.items() if f.type == "string" and not f.reference}
    forms = [form for called in CALLED for form in (called, (*entity.noun, *called))]
    found = next((plain[form] for form in forms if form in plain), "")
    last = field_types.name_words(entity.key)[-1:]
    named = entity.key if entity.key_kind == "natural" and last in (("name",), ("title",)) else ""
    return found or named or (entity.label if entity.label in plain.values() else "")


def thing_of(words: Words, known: dict[str, Entity]) -> Entity | None:
    """Return the thing that some words name, be it by the end of its name alone, None if none or several do."""
    rest = words
    while len(rest) > 1 and rest[0] in _BEFORE:
        rest = rest[1:]
    exact = known.get("_".join(words)) or known.get("_".join(rest))
    ends = [e for e in known.values() if rest and not e.hidden and e.noun[-len(rest) :] == rest != e.noun]
    return exact or (ends[0] if len(ends) == 1 else None)


@dataclass
class _Line:
    """The records that the objects of one record have told of so far."""

    known: dict[str, Entity]
    state: State
    about: dict[str, Row] = field(default_factory=dict)
    at: int = 0  # place in a list whose parts each tell of records of their own


def agree(tables: Tables) -> None:
    """Let the objects of each record be copies of the records that they tell of; the records are changed."""
    known = tables.known
    for entity, table, _ in tables.changing():
        for row in table.values():
            line = _Line(known, tables.state)
            targets = {name: target_of(_words(name), value, entity, known) for name, value in row.items()}
            order = sorted(row, key=lambda name: -len(target.parents) if (target := targets[name]) else 1)
            for name in order:
                if name in entity.fields and not entity.fields[name].reference:
                    row[name] = _settled(name, row[name], entity, row, line)


def _words(name: str) -> Words:
    return field_types.singular_words(field_types.name_words(name))


def target_of(words: Words, value: Any, entity: Entity, known: dict[str, Entity]) -> Entity | None:
    """Return the thing that an object, or each of a list, is one record of, None if nothing says it."""
    if isinstance(value, list):
        return target_of(words, value[0], entity, known) if value else None
    if not isinstance(value, dict):
        return None
    kind = value.get("type")
    typed = next((kind.removesuffix(end) for end in _TYPED if isinstance(kind, str) and kind.endswith(end)), "")
    if typed in known:
        return known[typed]
    if typed:
        return next((one for name, one in known.items() if name.endswith(f"_{typed}")), None)
    exact = named_thing(words, entity, known)
    if exact is not None:
        return exact
    plain = words
    while len(plain) > 1 and plain[0] in words_of.REFERENCE_MODIFIERS:
        plain = plain[1:]
    if not plain or plain == entity.noun:
        return None
    if plain != words and "_".join(plain) in known:
        return known["_".join(plain)]
    named = {f.reference for f in entity.fields.values() if f.reference}
    ends = [one for one in known.values() if one.noun[-len(plain) :] == plain and one is not entity]
    keyed = [one for one in ends if not one.hidden and key_property(one, value)]
    referred = [one for one in ends if one.name in named] or (ends if plain != words else keyed)
    return referred[0] if len(referred) == 1 else None


def _settled(name: str, value: Any, entity: Entity, row: Row, line: _Line) -> Any:
    """Return the value of a part of a record with every object in it as the record that it tells of."""
    target = target_of(_words(name), value, entity, line.known)
    if isinstance(value, list):
        return _several(name, value, target, entity, row, line)
    if not isinstance(value, dict):
        return value
    if target is None or target is entity:
        return {part: _settled(part, inner, entity, row, line) for part, inner in value.items()}
    owner = _owner(name, value, target, entity, row, line)
    line.about[target.name] = owner
    inner = _Line(line.known, line.state, dict(line.about))
    told = {part: held for part, held in _told(target, owner, value).items() if not _is_child(part, held, target, line)}
    return {part: _settled(part, held, target, owner, inner) for part, held in told.items()}


def _is_child(name: str, value: Any, target: Entity, line: _Line) -> bool:
    """True for a list of the children of a thing that is told of inside a record: they have a table of their own."""
    words = _words(name)
    many = words != field_types.name_words(name)
    listed = many and isinstance(value, list) and any(isinstance(v, dict) for v in value)
    children = [one for one in line.known.values() if one.noun[-len(words) :] == words and one.parents]
    return listed and bool(children or words[-1:] == target.noun[-1:])


def _several(name: str, values: list[Any], target: Entity | None, entity: Entity, row: Row, line: _Line) -> list[Any]:
    """Return a list with each object as another record, as many as there are: their names, and no amounts."""
    if target is None or target is entity:
        parts = [_settled(name, v, entity, row, _Line(line.known, line.state, at=at)) for at, v in enumerate(values)]
        return [part for at, part in enumerate(parts) if not isinstance(part, dict) or part not in parts[:at]]
    rows = list(line.state[target.table].values())
    found: list[Any] = []
    seen: set[str] = set()
    for at, value in enumerate(values):
        key = key_property(target, value) if isinstance(value, dict) else ""
        owner = line.state[target.table].get(str(value[key])) if key else None
        owner = owner or rows[(crc32(repr((name, row[entity.key])).encode()) + at) % len(rows)]
        if isinstance(value, dict) and (key or not value) and str(owner[target.key]) not in seen:
            seen.add(str(owner[target.key]))
            told = _told(target, owner, value)
            own = {n: v for n, v in value.items() if n != key and isinstance(v, (int, float))}
            found.append({n: own.get(n, v) for n, v in told.items() if not _is_child(n, v, target, line)})
        elif not isinstance(value, dict) or not key:
            found.append(_settled(name, value, target, owner, _Line(line.known, line.state)) if value else value)
    return found


def _owner(name: str, value: Row, target: Entity, entity: Entity, row: Row, line: _Line) -> Row:
    """The record that an object tells of: the one beside it, one further up, one told before, the one it names."""
    table = line.state[target.table]
    beside = [f for f in entity.fields.values() if f.reference == target.name and f.type != "array" and f.name in row]
    words = field_types.name_words(name)
    named = [f for f in beside if field_types.name_words(f.name)[: len(words)] == words] or beside[:1]
    if named and str(row[named[0].name]) in table:
        return table[str(row[named[0].name])]
    for above in [*_above(entity, row, line), *((line.known[n], one) for n, one in line.about.items())]:
        inherited = above[0].reference_to(target.name)
        if inherited is not None and str(above[1].get(inherited.name)) in table:
            return table[str(above[1][inherited.name])]
    if target.name in line.about:
        return line.about[target.name]
    key = key_property(target, value)
    if key and str(value[key]) in table:
        return table[str(value[key])]
    rows = list(table.values())
    return rows[(crc32(repr((name, row.get(entity.key))).encode()) + line.at) % len(rows)]


def _above(entity: Entity, row: Row, line: _Line) -> list[tuple[Entity, Row]]:
    """The records that a record refers to, each with its entity."""
    found = []
    for f in entity.fields.values():
        target = line.known.get(f.reference or "")
        owner = line.state[target.table].get(str(row.get(f.name))) if target is not None else None
        if target is not None and owner is not None and target is not entity:
            found.append((target, owner))
    return found


def _told(target: Entity, owner: Row, value: Row) -> Row:
    """Return an object with what its record tells under the same names; an empty one gets its key and name."""
    if not value:
        named = {target.label: owner[target.label]} if target.label in owner and target.label != target.key else {}
        return {"id": owner[target.key], **named}
    told = told_of(target, owner, value)
    called = name_of(target)
    names = {n for n, v in value.items() if isinstance(v, str) and field_types.name_words(n) in (*CALLED, ("summary",))}
    if key_property(target, value) and isinstance(owner.get(called), str):
        told |= {n: owner[called] for n in names if n not in target.fields}
    whole = {n: owner[n] for n, v in value.items() if n in owner and isinstance(v, (dict, list)) and v != owner[n]}
    return {**told, **{n: v for n, v in whole.items() if type(v) is type(value[n])}}
