"""The tables of a seeded state while their records are brought into agreement: which may change, and what stays."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tvlab.environments.domain.entities import Entity
from tvlab.environments.runtime import State

Row = dict[str, Any]
Table = dict[str, Row]
Known = dict[str, Entity]


@dataclass(frozen=True)
class Tables:
    """What the rules of agreement work on; each of them changes the records.

    Attributes:
        entities: those of the state, what is referred to before what refers to it.
        state: the seeded tables.
        mine: names of the entities whose records may change.
        said: what texts add to the schemas of columns, by entity and column.
        promised: by entity, the columns that a text promises.
        reads: by entity, the descriptions of the tools that read it, of those that no tool changes.
    """

    entities: Sequence[Entity]
    state: State
    mine: Collection[str]
    said: Mapping[tuple[str, str], Row] = field(default_factory=dict)
    promised: Mapping[str, frozenset[str]] = field(default_factory=dict)
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def known(self) -> Known:
        """The entities that have records, by name."""
        return {entity.name: entity for entity in self.entities if self.state.get(entity.table)}

    def changing(self) -> Iterator[tuple[Entity, Table, frozenset[str]]]:
        """Yield the entities whose records may change, with their tables and the columns whose values stay."""
        for entity in self.entities:
            if entity.name in self.mine and self.state.get(entity.table):
                references = {name for name, column in entity.fields.items() if column.reference}
                yield entity, self.state[entity.table], found_by(entity) | references

    def remove(self, entity: Entity, key: str) -> None:
        """Take a record out of its table; an entity without records is not known any more."""
        del self.state[entity.table][key]
        if not self.state[entity.table]:
            self.known.pop(entity.name, None)


def found_by(entity: Entity) -> frozenset[str]:
    """Return the columns by which a record is found: its key, its pair, the keys of a fact."""
    return frozenset((entity.key, *entity.pair, *(entity.fact.keys if entity.fact is not None else ())))
