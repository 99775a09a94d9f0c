"""What seeded records tell of other records: nested ``incident`` and ``invoice_number`` are those of the one meant.

Four rules.  A record names the parents of the records that it names.  An object under the name of a thing holds id,
name and further columns of one record of it: of the record that the reference beside it names, of the record itself
where it is under its own name.  A column under the name of a referenced thing (``course_name`` beside ``course_id``)
is a copy of the column there.  Where the thing has no such column, rows that name one record tell one value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.runtime import State
from tvlab.environments.seeding.tables import Row, Tables

Words = tuple[str, ...]

#: last words of columns by which a thing is known
TELLING = frozenset("name title number code symbol slug label email".split())
_CALLED = frozenset((("name",), ("title",), ("label",), ("summary",), ("display", "name")))
_PERSONS = frozenset("assignee owner creator author requester reporter member agent user organizer sender".split())
_ID = ("id",)
_PLAIN = (str, int, float)


def agree(tables: Tables) -> None:
    """Let the records, of all entities of the state, tell of one another what is true; the records are changed."""
    known, state = tables.known, tables.state
    for entity in known.values():
        table = state[entity.table]
        for key, row in table.items() if entity.fact is None else ():
            table[key] = row = _one_line(entity, row, known, state)
        for key, row in table.items():
            filled = _with_own(entity, _whole_names(_with_copies(entity, row, known, state)))
            table[key] = {c: _nested(entity, filled, c, v, known, state) for c, v in filled.items()}
        for reference, column in told_once(entity, known):
            first: dict[str, Any] = {}
            for row in table.values():
                if reference in row and column in row:
                    row[column] = first.setdefault(str(row[reference]), row[column])


def _one_line(entity: Entity, row: Row, known: dict[str, Entity], state: State) -> Row:
    """Return a row whose references name the parents of the records that it names: an ad has its campaign's account.

    The parents of what is named first, a thing with most parents before others, are taken over; what is named later
    is picked anew among the records with these parents, if there are any.
    """
    columns = [f for f in entity.fields.values() if f.reference in known and f.type != "array" and f.name in row]
    columns = [f for f in columns if f.name not in entity.pair and f.reference != entity.name]
    settled: set[str] = set()
    for column in sorted(columns, key=lambda f: -len(known[f.reference or ""].parents)):
        target = known[column.reference or ""]
        table = state[target.table]
        shared = [
            (above.name, inner) for inner, name in target.parents.items() for above in columns
            if above.reference == name and sum(f.reference == name for f in columns) == 1
        ]  # fmt: skip
        held = {inner: row[outer] for outer, inner in shared if outer in settled}
        owner = table.get(str(row[column.name]), {})
        if column.name not in settled and any(owner.get(inner, value) != value for inner, value in held.items()):
            fit = [one for one in table.values() if all(one.get(n) == v for n, v in held.items())]
            owner = fit[crc32(repr((column.name, row)).encode()) % len(fit)] if fit else owner
            row = {**row, column.name: owner[target.key]}
        for outer, inner in shared:
            if outer not in settled and inner in owner:
                row = {**row, outer: owner[inner]}
                settled.add(outer)
    return row


def copied_columns(entity: Entity, known: dict[str, Entity]) -> Iterator[tuple[Field, str, str]]:
    """Yield (reference, column, column of the referenced record) for the columns that repeat one of another record."""
    for reference, target, column, rest in _under_references(entity, known):
        source = _column_of(target, rest)
        if source and _type_of(target, source) == column.type and source not in _itself(target):
            yield reference, column.name, source


def told_once(entity: Entity, known: dict[str, Entity]) -> Iterator[tuple[str, str]]:
    """Yield (reference, column) where rows of one reference tell one value that is not in the referenced record."""
    copied = {column for _, column, _ in copied_columns(entity, known)}
    for reference, _, column, rest in _under_references(entity, known):
        if column.name not in copied and rest[-1] in TELLING:
            yield reference.name, column.name


def _under_references(entity: Entity, known: dict[str, Entity]) -> Iterator[tuple[Field, Entity, Field, Words]]:
    """References, their targets, and plain columns under the target's name with the words that follow it."""
    for reference in entity.fields.values():
        target = known.get(reference.reference or "")
        if target is None or target is entity or reference.type == "array":
            continue
        words = field_types.name_words(reference.name)
        bases = {words[:-1] if field_types.is_id_name(reference.name) else words, target.noun} - {()}
        for column in entity.fields.values():
            own = column.reference or column.name in (entity.key, *entity.pair) or column.type in ("array", "object")
            name = field_types.name_words(column.name)
            rest = next((name[len(base) :] for base in bases if name[: len(base)] == base and name != base), ())
            if rest and not own and column is not reference:
                yield reference, target, column, rest


def _itself(target: Entity) -> frozenset[str]:
    """Columns that are not told of a record by another one: states and moments change on their own."""
    return frozenset(
        name for name, f in target.fields.items()
        if f.type in ("array", "object") or field_types.name_words(name)[-1:] in (("status",), ("state",))
        or field_types.is_moment(name, f.schema)
    )  # fmt: skip


def _column_of(target: Entity, words: Words) -> str:
    """Return the column of a record that some words mean, its key included; "" if there is none."""
    key = field_types.name_words(target.key)
    if words == key or words == (*target.noun, *key) or (*target.noun, *words) == key:
        return target.key
    return next(
        (n for n in target.fields if field_types.name_words(n) in (words, (*target.noun, *words))), ""
    )  # fmt: skip


def _type_of(entity: Entity, column: str) -> str:
    return entity.key_type if column == entity.key else entity.fields[column].type


def _with_copies(entity: Entity, row: Row, known: dict[str, Entity], state: State) -> Row:
    for reference, column, source in copied_columns(entity, known):
        owner = state[known[reference.reference or ""].table].get(str(row.get(reference.name)))
        if owner is not None and source in owner and column in row:
            row = {**row, column: owner[source]}
    return row


def _with_own(entity: Entity, row: Row) -> Row:
    """Return a row with the texts that it tells only in an object under its own name: searches read the plain ones."""
    own = next((v for c, v in row.items() if isinstance(v, dict) and field_types.name_words(c) == entity.noun), {})
    told = {_column_of(entity, field_types.name_words(part)): v for part, v in own.items()}
    return {**row, **{c: v for c, v in told.items() if c and c not in row and isinstance(v, str)}}


def _whole_names(row: Row) -> Row:
    """Let first and last name beside a whole one be parts of it."""
    names = {field_types.name_words(column): column for column in row if isinstance(row[column], str)}
    whole, first, last = (
        next((names[form] for form in forms if form in names), "")
        for forms in (
            (("full", "name"), ("display", "name"), ("name",)),
            (("first", "name"), ("firstname",), ("given", "name")),
            (("last", "name"), ("lastname",), ("family", "name"), ("surname",)),
        )
    )
    return {**row, whole: f"{row[first]} {row[last]}"} if whole and first and last else row


def _nested(entity: Entity, row: Row, name: str, value: Any, known: dict[str, Entity], state: State) -> Any:
    """Return the value of a column with each object in it as one record of the thing that it is named after."""
    words = field_types.singular_words(field_types.name_words(name))
    if isinstance(value, list):
        if named_thing(words, entity, known) is entity:
            return value  # several things under the record's own name are others
        return [_nested(entity, row, name, part, known, state) for part in value]
    if not isinstance(value, dict):
        return value
    target = named_thing(words, entity, known)
    if target is not None:
        owner = row if target is entity else _owner(entity, row, words, target, value, state)
        value = told_of(target, owner, value)
    return {part: _nested(entity, row, part, inner, known, state) for part, inner in value.items()}


def named_thing(words: Words, entity: Entity, known: dict[str, Entity]) -> Entity | None:
    """Return the entity that an object of this name is one of, None if no name of an entity says it."""
    if not words:
        return None
    if words == entity.noun:
        return entity
    exact = known.get("_".join(words))
    if exact is None and words[-1] in _PERSONS:
        exact = next((known[name] for name in ("user", "member", "person") if name in known), None)
    return exact


def _owner(entity: Entity, row: Row, words: Words, target: Entity, value: Row, state: State) -> Row:
    """The record that an object tells of: the one referred to beside it, the one it names, else one of the table."""
    table = state[target.table]
    columns = [f for f in entity.fields.values() if f.reference == target.name and f.type != "array" and f.name in row]
    named = [f for f in columns if field_types.name_words(f.name)[: len(words)] == words] or columns[:1]
    if named and str(row[named[0].name]) in table:
        return table[str(row[named[0].name])]
    key = key_property(target, value)
    if key and str(value[key]) in table:
        return table[str(value[key])]
    rows = list(table.values())
    return rows[crc32(repr((words, value)).encode()) % len(rows)]


def key_property(target: Entity, value: Row) -> str:
    """The property of an object that holds the key of its record, "" if none does."""
    kind: type = int if target.key_type == "integer" else str
    forms = {_ID, field_types.name_words(target.key), (*target.noun, "id")}
    fits = [n for n, v in value.items() if field_types.name_words(n) in forms and isinstance(v, kind)]
    minted = fits and (target.key_kind == "minted" or field_types.name_words(fits[0])[-1] not in words_of.ID_WORDS)
    return fits[0] if minted else ""


def told_of(target: Entity, owner: Row, value: Row) -> Row:
    """Return an object with key, name and equal columns of a record; nothing is changed where it bears neither."""
    key = key_property(target, value)
    told = dict(value)
    if key:
        told[key] = owner[target.key]
    for part, held in value.items():
        words = field_types.singular_words(field_types.name_words(part))
        source = _column_of(target, field_types.name_words(part)) or _column_of(target, words)
        if part != key and not source and words in _CALLED and target.label in target.fields:
            source = target.label
        if part != key and source in owner and isinstance(held, _PLAIN) and type(owner[source]) is type(held):
            told[part] = owner[source]
    return told
