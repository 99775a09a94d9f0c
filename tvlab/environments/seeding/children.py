"""Lists of a record's parts where the parts are records of their own: ``tasks`` in a bucket, ``childFolders``.

A record holds no such list at first, since it would go on telling what the other table no longer does.  Where a text
promises it, or every record needs it, it is copied from the table.
"""

from __future__ import annotations

from collections.abc import Mapping

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.seeding.tables import Row, Tables

_BELOW = frozenset("child sub nested inner".split())


def agree(tables: Tables) -> None:
    """Let no record hold parts that the table of the parts does not; the records are changed."""
    state, known = tables.state, {entity.name: entity for entity, _, _ in tables.changing()}
    for entity in known.values():
        for column in entity.fields.values() if entity.fact is None else ():
            child = child_of(column, entity, known)
            if child is None:
                continue
            above = next(f.name for f in child.fields.values() if f.reference == entity.name and f.type != "array")
            for key, row in state[entity.table].items():
                parts = [one for one in state[child.table].values() if str(one.get(above)) == key]
                if column.type == "array" and column.name in row:
                    if column.required or column.name in tables.promised.get(entity.name, ()):
                        row[column.name] = [_shown(column, child, part) for part in parts]
                    else:
                        del row[column.name]
                elif column.name in row:
                    row[column.name] = len(parts)


def child_of(column: Field, entity: Entity, known: Mapping[str, Entity]) -> Entity | None:
    """Return the thing with records of its own that a column lists or counts, None if it does neither."""
    words = field_types.name_words(column.name)
    if column.reference:
        return None
    if column.type in ("integer", "number"):
        counted = words[-1:] == ("count",) and len(words) > 2 and words[0] in _BELOW
        return _named(words[:-1], entity, known) if counted else None
    items = column.schema.get("items")
    kind = schema_type(items) if isinstance(items, dict) else "any"
    if column.type != "array" or kind not in ("object", "any") or not words:
        return None
    return _named(words, entity, known)


def _named(words: tuple[str, ...], entity: Entity, known: Mapping[str, Entity]) -> Entity | None:
    plain = field_types.singular_words(words)
    inside = plain[0] in _BELOW and len(plain) > 1
    plain = plain[1:] if inside else plain
    fits = [
        one for one in known.values()
        if one.noun[-len(plain) :] == plain and (inside or one is not entity)
        and any(f.reference == entity.name and f.type != "array" for f in one.fields.values())
    ]  # fmt: skip
    return next((one for one in fits if one.noun == plain), fits[0] if fits else None)


def _shown(column: Field, child: Entity, part: Row) -> Row:
    """What a list tells of one part: the properties that its schema declares, else its key and name."""
    items = column.schema.get("items")
    declared = items.get("properties") if isinstance(items, dict) else None
    told = {name: part[name] for name in declared or (child.label,) if name in part}
    return {"id": part[child.key], **told}
