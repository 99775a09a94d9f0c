"""Tables that tools only tell: each record that a call may name has records under it.

The markets of an exchange, the versions of a package, the tasks of a paper: who asks for those of a record that is
there expects some.  So the records of a told table name the ones above them in turn, and there are as many of them as
that takes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.runtime import State

if TYPE_CHECKING:
    from tvlab.environments.domain.domain import Domain

#: so many records are made for the ones above them
MOST = 60
#: and for the values of a column by which calls pick them
_ASKED = 16
_NUMBER = re.compile(r"\d+$")
#: names of which there are as many as there is room for, in the form that programs give them
_MACHINE = frozenset("table view index column bucket collection queue topic".split())
_ENDS = ("archive", "history", "2025", "staging", "backup")


def takes_turns(domain: Domain, entity: Entity, column: Field) -> bool:
    """True for a column of a told table by which calls pick records of what is above it."""
    above = (column.name in entity.parents or column.in_input) and column.reference not in (None, entity.name)
    return entity.told and above and column.type != "array" and not domain.guessed_texts


def number_of(entity: Entity, domain: Domain, state: State) -> int:
    """Return how many records a told table needs so that what a call may name has some, 0 if nothing is named."""
    above = [f for f in entity.fields.values() if takes_turns(domain, entity, f)]
    most = max((len(state.get(domain.entities[f.reference or ""].table, {})) for f in above), default=0)
    asked = [f for f in entity.fields.values() if f.filtered and f.type == "string" and not f.reference]
    listed = max((len(f.schema.get("examples") or ()) for f in asked), default=0) if entity.told else 0
    return max(min(most + most // 2, MOST), min(listed, _ASKED))


def counted_on(known: tuple[str, ...], number: int, noun: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return so many names in the form of the known ones, the numbers at their ends counted on.

    >>> counted_on(("Gi0/0", "1/1"), 5)
    ('Gi0/0', '1/1', 'Gi0/1', '1/2', 'Gi0/2')
    >>> counted_on(("users", "orders"), 3, ("table",))
    ('users', 'orders', 'users_archive')
    """
    if not known or not all(_NUMBER.search(name) for name in known):
        ends = _ENDS if noun[-1:] and noun[-1] in _MACHINE else ()
        return (*known, *(f"{name}_{end}" for end in ends for name in known))[: max(number, len(known))]
    result = dict.fromkeys(known)
    for step in range(1, number):
        for name in known:
            digits = _NUMBER.search(name)
            start, end = (name[: digits.start()], digits[0]) if digits else (name, "0")
            result[f"{start}{str(int(end) + step).zfill(len(end))}"] = None
    return tuple(result)[: max(number, len(known))]
