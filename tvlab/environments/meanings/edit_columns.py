"""Columns that only a left-out tool speaks of, and that are no content of a record: they leave the table.

The dictionary is made from all tools of a server.  A tool that is left out still tells what a thing holds where it
makes or updates one from plain values.  What it edits with (a start index, an old name) or takes as a whole (the
body of a request, the list of a batch) is an argument of its call alone; a record that told it would be odd.
"""

from __future__ import annotations

from collections.abc import Iterable

from tvlab.environments.domain import field_types, labels
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.tool_parsing import parse_parameters
from tvlab.environments.domain.twin_columns import is_itself
from tvlab.environments.drops import Drop
from tvlab.environments.meanings.argument_columns import argument_columns, used_columns
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.seeding.sorts import find_sorts
from tvlab.foundation.words import singular, split_name

_EDITS = frozenset({"update", "transition", "manage"})
#: verbs of tools that take what a record holds, and no way of editing it
_WHOLE = frozenset("update edit modify patch replace put save".split())


def drop_edit_columns(domain: Domain, decisions: Iterable[Meaning | Drop]) -> list[tuple[str, str]]:
    """Take such columns out of the entities of a server; return entity and column of each.

    Args:
        domain: the dictionary; its entities are changed.
        decisions: what each tool means, or why it is left out.
    """
    meanings = [one for d in decisions if isinstance(d, Meaning) for one in (d, *d.branches.values())]
    kept = {meaning.tool.name for meaning in meanings}
    editing = {tool.name for tool in domain.tools if tool.kind in _EDITS and tool.verb not in _WHOLE}
    gone = []
    for entity in domain.entities.values():
        mine = [meaning for meaning in meanings if entity in (meaning.entity, meaning.value)]
        used, told = used_columns(mine, entity), _told(mine)
        for name, column in list(entity.fields.items()):
            needed = column.reference or column.required or column.in_output or name in used
            if needed or not column.tools or column.tools & kept:
                continue
            words = {singular(word) for word in field_types.name_words(name)}
            if (column.tools <= editing or _is_whole(column)) and not told & words:
                del entity.fields[name]
                gone.append((entity.name, name))
    if not domain.guessed_texts:
        domain.sorts = find_sorts(meanings)
    for entity, column in [] if domain.guessed_texts else list(argument_columns(domain, decisions)):
        if is_itself(column, entity):
            _take_apart(domain, entity, column)
        del entity.fields[column.name]
        entity.parents.pop(column.name, None)
        gone.append((entity.name, column.name))
        if entity.label not in (entity.key, *entity.fields):
            labels.complete(entity)
    return gone


def _take_apart(domain: Domain, entity: Entity, wrapper: Field) -> None:
    """Give an entity the plain columns that a wrapper object of a left-out request holds."""
    for p in parse_parameters(wrapper.schema):
        target = domain.reference(p, entity)
        if p.words and p.words != ("id",) and target is None and entity.field_of(p.words) is None:
            entity.fields[p.name] = Field(p.name, field_types.column(p.schema), in_input=True)


def _is_whole(column: Field) -> bool:
    """True for an object, or a list of anything but plain values."""
    items = column.schema.get("items")
    plain = isinstance(items, dict) and items.get("type") in ("string", "integer", "number", "boolean")
    return column.type in ("object", "any") or (column.type == "array" and not plain)


def _told(meanings: Iterable[Meaning]) -> set[str]:
    """The words by which descriptions of kept tools may speak of a column."""
    return {singular(word) for meaning in meanings for word in split_name(meaning.tool.description)}
