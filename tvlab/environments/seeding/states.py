"""The state that a seeded record tells of itself: ``status``, ``state``, either under the name of the thing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tvlab.environments.domain import field_types

Words = tuple[str, ...]


def state_columns(names: Iterable[str], noun: Words) -> list[str]:
    """Return the names that mean the state of a thing.

    >>> state_columns(("id", "order_status", "state", "payment_state"), ("order",))
    ['order_status', 'state']
    """
    forms = {(*start, word) for start in ((), noun) for word in ("status", "state")}
    return [name for name in names if field_types.name_words(name) in forms]


def state_of(row: dict[str, Any], noun: Words) -> str:
    """Return the state of a record in small letters, "" if it tells none.

    >>> state_of({"id": "a", "status": "Open"}, ("order",))
    'open'
    """
    return next((row[name].lower() for name in state_columns(row, noun) if isinstance(row[name], str)), "")
