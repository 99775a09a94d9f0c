"""References of seeded records that agree: one line of things above, both directions of a relation, lists and singles.

For servers that are not the package's own.  An advertisement names the campaign of its set; a chat whose label names
the chat back names one of its own labels; the one project of a task is among its projects.  Two columns mean one
relation only where both are called after their thing alone or alike: the owner of a project is no assignee.
"""

from __future__ import annotations

import re
from typing import Any
from zlib import crc32

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.runtime import State
from tvlab.environments.seeding.tables import Known, Row, Table, Tables

_OF = re.compile(r"\b(?:owner|organi[sz]ation|owner slug|account|workspace) of the ((?:\w+ ){0,2}\w+)", re.IGNORECASE)
#: last words of the two ends of a relation
_ENDS = frozenset((w,) for w in "from to source target subject object head tail origin destination".split())


def agree(tables: Tables) -> None:
    """Let the references of the records agree; the records are changed."""
    state, mine = tables.state, tables.mine
    known = {name: entity for name, entity in tables.known.items() if entity.fact is None}
    for at, one in enumerate(known.values()):
        for two in list(known.values())[at + 1 :]:
            if one.name in mine and two.name in mine:
                _both_ways(one, two, state)
    settled: Known = {}
    for entity in known.values():
        if entity.name in mine:
            for row in state[entity.table].values():
                _one_line(entity, row, settled, state)
            _of_the_thing(entity, state[entity.table], settled)
        settled[entity.name] = entity
    for entity in known.values():
        for row in state[entity.table].values() if entity.name in mine else ():
            _among(entity, row, known, state)
        if entity.name in mine:
            _ends_differ(entity, known, state)


def plain(column: Field, target: Entity) -> bool:
    """True for a reference named after its thing alone: ``creative_id``, ``tags`` beside ad creatives and tags."""
    return (column.direct and column.reference == target.name) or _role(column) in (target.noun, target.noun[-1:])


def _role(column: Field) -> tuple[str, ...]:
    words = field_types.singular_words(field_types.name_words(column.name))
    return words[:-1] if len(words) > 1 and field_types.is_id_name("_".join(words)) else words


def _towards(entity: Entity, target: Entity, *, many: bool = False) -> Field | None:
    """Return the one plain reference of an entity to another one, None if there are none or several."""
    found = [f for f in entity.fields.values() if f.reference == target.name and (f.type == "array") == many
             and plain(f, target) and f.name not in entity.pair]  # fmt: skip
    return found[0] if len(found) == 1 else None


def _both_ways(one: Entity, two: Entity, state: State) -> None:
    """Where each of two things names the other, the records name one another."""
    there, back = _towards(one, two), _towards(two, one)
    if there is not None and back is not None:
        if there.name in one.parents and back.name not in two.parents:
            one, two, there, back = two, one, back, there
        _matched(one, two, there, back, state)
    for above, below in ((one, two), (two, one)):
        listed, single = _towards(above, below, many=True), _towards(below, above)
        if listed is not None and single is not None and _towards(above, below) is None:
            for key, row in state[above.table].items():
                under = [r[below.key] for r in state[below.table].values() if str(r.get(single.name)) == key]
                if listed.name in row:
                    row[listed.name] = under
    here, over = _towards(one, two, many=True), _towards(two, one, many=True)
    if here is not None and over is not None:
        for key, row in state[two.table].items():
            holders = [r[one.key] for r in state[one.table].values() if key in map(str, r.get(here.name) or ())]
            if over.name in row:
                row[over.name] = holders


def _matched(above: Entity, below: Entity, there: Field, back: Field, state: State) -> None:
    """Let the one that a record names be one of those that name the record."""
    rows: Table = state[below.table]
    claimed: set[str] = set()
    for key, row in state[above.table].items():
        if there.name not in row:
            continue
        mine = [k for k, r in rows.items() if str(r.get(back.name)) == key and k not in claimed]
        free = [k for k in rows if k not in claimed]
        told = str(row[there.name])
        free = free if there.required else []  # what lies under another record is not taken from it without need
        pick = told if told in mine or (not mine and told in free) else next(iter(mine or free), "")
        if pick:
            claimed.add(pick)
            row[there.name], rows[pick][back.name] = rows[pick][below.key], row[above.key]
        elif not there.required:
            del row[there.name]
    for key, row in rows.items():
        owner = state[above.table].get(str(row.get(back.name)), {})
        if key not in claimed and there.name in owner and not (back.required or back.name in below.parents):
            del row[back.name]


def _one_line(entity: Entity, row: Row, settled: Known, state: State) -> None:
    """Let what a record names lie under what else it names: the campaign of an ad is that of its set."""
    columns = [f for f in entity.fields.values() if f.reference in settled and f.type != "array"]
    fixed: set[str] = set()
    for column in sorted(columns, key=lambda f: -_depth(settled[f.reference or ""], settled)):
        target = settled[column.reference or ""]
        shared = [(outer, inner) for outer in columns if outer is not column and outer.name not in entity.pair
                  for inner in _likewise(outer, target)]  # fmt: skip
        table: Table = state[target.table]
        if not shared or column.name not in row or str(row[column.name]) not in table:
            continue
        owner = table[str(row[column.name])]
        held = {inner: row[outer.name] for outer, inner in shared if outer.name in fixed and outer.name in row}
        if column.name not in fixed and column.name not in entity.pair and _apart(owner, held):
            fit = [r for r in table.values() if not _apart(r, held)]
            if not fit and not column.required:
                del row[column.name]
                continue
            owner = fit[crc32(repr((column.name, row)).encode()) % len(fit)] if fit else owner
            row[column.name] = owner[target.key]
        for outer, inner in shared:
            if outer.name not in fixed and inner in owner:
                row[outer.name] = owner[inner]
                fixed.add(outer.name)


def _of_the_thing(entity: Entity, table: Table, settled: Known) -> None:
    """What a text says is of a thing, the owner of the suite, is one for each of these things."""
    for column in entity.fields.values():
        said = _OF.search(str(column.schema.get("description") or ""))
        phrase = tuple(said[1].lower().split()) if said and column.name not in entity.pair else ()
        for other in entity.fields.values() if phrase else ():
            target = settled.get(other.reference or "")
            if target is None or other is column or other.type == "array" or column.reference == other.reference:
                continue
            if phrase[: len(target.noun)] == target.noun or phrase[-len(target.noun) :] == target.noun:
                first: dict[str, Any] = {}
                for row in table.values():
                    if column.name in row and other.name in row:
                        row[column.name] = first.setdefault(str(row[other.name]), row[column.name])


def _likewise(outer: Field, target: Entity) -> list[str]:
    """Return the reference of a thing that means the same as one beside it, [] if none or several do."""
    same = [f.name for f in target.fields.values() if f.reference == outer.reference and f.type != "array"
            and ((f.direct and outer.direct) or _role(f) == _role(outer))]  # fmt: skip
    return same if len(same) == 1 else []


def _apart(owner: Row, held: Row) -> bool:
    return any(owner.get(inner, value) != value for inner, value in held.items())


def _depth(entity: Entity, settled: Known, seen: frozenset[str] = frozenset()) -> int:
    above = {f.reference for f in entity.fields.values() if f.type != "array"} & set(settled) - seen - {entity.name}
    return 1 + max((_depth(settled[name or ""], settled, seen | {entity.name}) for name in above), default=0)


def _among(entity: Entity, row: Row, known: Known, state: State) -> None:
    """Let the one thing that a record names be among the things of its list, and two lists of them be one."""
    for target in known.values():
        if target is entity:
            continue
        lists = [
            f
            for f in entity.fields.values()
            if f.name in row
            and isinstance(row[f.name], list)
            and f.name not in entity.pair
            and plain(f, target)
            and _keys(row[f.name], state[target.table])
        ]
        single = _towards(entity, target)
        if not lists or not (single or len(lists) > 1):
            continue
        told = [row[single.name]] if single is not None and single.name in row else []
        for column in lists:
            row[column.name] = list(dict.fromkeys([*told, *row[lists[0].name]]))


def _ends_differ(entity: Entity, known: Known, state: State) -> None:
    """No relation leads from a record to itself."""
    ends = [f for f in entity.fields.values() if f.reference in known and f.type != "array" and _role(f)[-1:] in _ENDS]
    if len(ends) != 2 or ends[0].reference != ends[1].reference:
        return
    one, two = (f.name for f in ends)
    target = known[ends[0].reference or ""]
    taken = {(row.get(one), row.get(two)) for row in state[entity.table].values()}
    for row in state[entity.table].values():
        if one in row and row[one] == row.get(two):
            others = [r[target.key] for r in state[target.table].values() if (row[one], r[target.key]) not in taken]
            others = [key for key in others if key != row[one]]
            if others:
                row[two] = others[crc32(repr(row).encode()) % len(others)]
                taken.add((row[one], row[two]))


def _keys(values: list[Any], table: Table) -> bool:
    return all(not isinstance(v, (dict, list)) and str(v) in table for v in values)
