"""Keys that go together in one call: the record, its table and its base.

A call with several keys succeeds only if they belong together.  Keys are chosen one after the other; each
settles what its record says of other things, and later keys keep to that as far as the records allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tvlab.environments.environment import Environment
from tvlab.tasks.texts import pick
from tvlab.tasks.tool_views import references_of, rows_of


class KeyChoice:
    """The keys of one call, chosen so that they fit each other.

    Attributes:
        named: entity -> key that a settled record names, e.g. its parent.
        taken: entity -> key of the settled record itself.
    """

    def __init__(self, environment: Environment, state: Mapping[str, Any]) -> None:
        self.environment = environment
        self.state = state
        self.named: dict[str, Any] = {}
        self.taken: dict[str, Any] = {}

    def settle(self, entity: str, key: Any, record: Mapping[str, Any]) -> None:
        """Take a record into the call: what it names is settled too."""
        self.taken.setdefault(entity, key)
        for field, other in references_of(self.environment, entity).items():
            if other != entity and isinstance(record.get(field), (str, int)):
                self.named.setdefault(other, record[field])

    def named_by(self, entity: str | None) -> int:
        """How many other things the records of an entity name: those with parents are drawn before these."""
        fields = {name for row in rows_of(self.environment, entity, self.state).values() for name in row}
        return len(fields & references_of(self.environment, entity).keys())

    def draw(self, entity: str | None, rng: np.random.Generator) -> Any:
        """Return the key for an entity; "none" where there are no records."""
        rows = rows_of(self.environment, entity, self.state)
        if entity in self.named:
            key = self.named[entity]
        elif rows:
            scores = {key: self._agreement(str(entity), row) for key, row in rows.items()}
            best = max(scores.values())
            key = pick([key for key, score in scores.items() if score == best], rng)
        else:
            return "none"
        self.settle(str(entity), key, rows.get(key, {}))
        return key

    def _agreement(self, entity: str, record: Mapping[str, Any]) -> int:
        """How many settled keys a record names, less those that it contradicts."""
        score = 0
        for field, other in references_of(self.environment, entity).items():
            settled, own = self.taken.get(other, self.named.get(other)), record.get(field)
            if other != entity and settled is not None and own is not None:
                score += 1 if own == settled else -len(self.named) - len(self.taken)
        return score
