"""Values that come in pairs: a start before its end, a minimum below its maximum.

Two parameters are a pair if their names differ only by a word for the beginning and one for the end
(``start``/``end``, ``valid_from``/``valid_until``, ``timeMin``/``timeMax``, ``check_in``/``check_out``).  If
only one is said, the other is what the record holds.  What is no moment and no number is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np

from tvlab.foundation.words import split_name
from tvlab.tasks.texts import pick
from tvlab.tasks.tool_views import Leaf

_FIRST_WORDS = (
    "start starts started begin begins from since after min minimum departure departs depart opens pickup "
    "outbound low lower in"
).split()
_LAST_WORDS = (
    "end ends ended finish finishes to until before till max maximum return returns arrival arrives arrive "
    "closes dropoff inbound high upper out"
).split()
_FIRST, _LAST = frozenset(_FIRST_WORDS), frozenset(_LAST_WORDS)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z?")
_TIME = re.compile(r"\d\d:\d\d")
_MINUTES = (30, 60, 60, 90, 120, 180)


def pairs_in(leaves: Sequence[Leaf]) -> list[tuple[Leaf, Leaf]]:
    """Return (first, last) of every pair among the leaves of a tool."""
    words = [(leaf, set(split_name(leaf.name))) for leaf in leaves]
    lasts = [leaf for leaf, of in words if of & _LAST]
    return [(a, b) for a, of in words if of & _FIRST for b in lasts if a is not b and _are_pair(a, b)]


def put_in_order(
    values: dict[str, Any],
    leaves: Sequence[Leaf],
    record: Mapping[str, Any],
    said: Set[str],
    rng: np.random.Generator,
) -> None:
    """Change said values, in place, so that nothing ends before it starts.

    Args:
        values: by leaf path.
        leaves: of the tool.
        record: what the thing holds now.
        said: paths of values that may change: those only the user knows.
        rng: numpy generator.
    """
    for first, last in pairs_in(leaves):
        low = values.get(first.path, record.get(first.field))
        high = values.get(last.path, record.get(last.field))
        if low is None or high is None or not {first.path, last.path} & said:
            continue
        both = {first.path, last.path} <= said
        if last.path in said and (both or not _ordered(low, high)):
            values[last.path] = _later(low, high, rng)
        elif first.path in said and not _ordered(low, high):
            values[first.path] = _later(high, low, rng, -1)


def _are_pair(a: Leaf, b: Leaf) -> bool:
    if a.path.rpartition(".")[0] != b.path.rpartition(".")[0]:
        return False
    first, last = split_name(a.name), split_name(b.name)
    if len(first) != len(last):
        return False
    other = [(x, y) for x, y in zip(first, last, strict=True) if x != y]
    return len(other) == 1 and other[0][0] in _FIRST and other[0][1] in _LAST


def _ordered(low: Any, high: Any) -> bool:
    same = type(low) is type(high) or {type(low), type(high)} <= {int, float}
    return not same or isinstance(low, bool) or not _is_comparable(low) or low < high


def _is_comparable(value: Any) -> bool:
    if isinstance(value, str):
        return any(look.fullmatch(value) for look in (_DATE, _MOMENT, _TIME))
    return isinstance(value, (int, float))


def _later(value: Any, other: Any, rng: np.random.Generator, sign: int = 1) -> Any:
    """Return a value of the make of ``other`` a plausible while after ``value`` (before it if sign is -1)."""
    if isinstance(value, str) and isinstance(other, str):
        if _DATE.fullmatch(value) and _DATE.fullmatch(other):
            return (date.fromisoformat(value) + sign * timedelta(days=int(rng.integers(1, 10)))).isoformat()
        if _MOMENT.fullmatch(value) and _MOMENT.fullmatch(other):
            at = datetime.fromisoformat(value.removesuffix("Z")) + sign * timedelta(
                minutes=pick(_MINUTES, rng)
            )
            return at.strftime("%Y-%m-%dT%H:%M:%S") + ("Z" if value.endswith("Z") else "")
        if _TIME.fullmatch(value) and _TIME.fullmatch(other):
            hour, minute = map(int, value.split(":"))
            return f"{min(23, max(0, hour + sign * int(rng.integers(1, 4)))):02d}:{minute:02d}"
        return other
    if (
        type(value) in (int, float)
        and type(other) in (int, float)
        and not _ordered(*((value, other)[::sign]))
    ):
        return value + sign * max(1, abs(value - other))
    return other
