"""Things of several sorts in one table: each tool that makes one gives it fields of its own.

``add_command_task(command)`` and ``add_reminder_task(message)`` make tasks, and no task has both.  Seeded records take
the sorts in turn and hold the fields that the tool of their sort gives, with the kind that it sets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.meanings.meanings import Meaning, Role

Row = dict[str, Any]


@dataclass(frozen=True)
class Sort:
    """One sort of a thing.

    Attributes:
        without: columns that a record of it has not.
        kinds: columns with the one value that they have.
    """

    without: frozenset[str] = frozenset()
    kinds: dict[str, Any] = field(default_factory=dict)


def find_sorts(meanings: Iterable[Meaning]) -> dict[str, tuple[Sort, ...]]:
    """Return the sorts of each thing of which two tools make ones with required fields that the others never take.

    Args:
        meanings: of the tools that are kept.
    """
    makers: dict[str, list[Meaning]] = {}
    for meaning in meanings:
        if meaning.operation in ("create", "send") and not meaning.wrapper:
            makers.setdefault(meaning.entity.name, []).append(meaning)
    return {name: found for name, mine in makers.items() if (found := _sorts(mine))}


def _sorts(mine: list[Meaning]) -> tuple[Sort, ...]:
    taken = [{role.field: role for role in m.of("payload", "reference") if role.field} for m in mine]
    own = []
    for at, roles in enumerate(taken):
        others = {name for n, other in enumerate(taken) if n != at for name in other}
        own.append({name for name, role in roles.items() if role.required and name not in others})
    if sum(map(bool, own)) < 2:
        return ()
    every = {name for roles in taken for name in roles}
    every |= _told_apart(mine, every)
    return tuple(Sort(frozenset(every - set(roles)), _fixed(roles)) for roles in taken)


def _told_apart(mine: list[Meaning], every: set[str]) -> set[str]:
    """The other columns that are named after one sort: ``reminder_message``, said again of what is in ``message``."""
    entity = mine[0].entity
    kinds = {word for meaning in mine for word in meaning.tool.noun} - set(entity.noun)
    words = {name: field_types.name_words(name) for name in entity.fields if name not in every}
    return {name for name, parts in words.items() if len(parts) > 1 and parts[0] in kinds}


def _fixed(roles: dict[str, Role]) -> dict[str, Any]:
    """The columns of which a tool takes one value alone."""
    found = {}
    for name, role in roles.items():
        schema = role.parameter.schema
        choices = [value for value in schema.get("enum") or () if value is not None]
        if "const" in schema or len(choices) == 1:
            found[name] = schema["const"] if "const" in schema else choices[0]
    return found


def agree(entity: Entity, table: dict[str, Row], sorts: tuple[Sort, ...]) -> None:
    """Let each record of a table be of one sort; the table is changed.

    Args:
        entity: the thing.
        table: its records.
        sorts: of the thing, () if it has one.
    """
    stay = {entity.key, entity.label, *entity.pair, *entity.parents, *entity.scope}
    for at, row in enumerate(table.values() if sorts else ()):
        sort = sorts[at % len(sorts)]
        for name in sort.without - stay:
            row.pop(name, None)
        for name, value in sort.kinds.items():
            if name in row or name in entity.fields:
                row[name] = value
