"""Plausible argument values: what only a user can say.

Values are grounded in the environment: an enum gives one of its members, a number the range that people
mean by its name (``_RANGES``), a field that records already have a value of the same make.  Nothing is
validated here; the environment's own check decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tvlab.foundation.words import singular, split_name
from tvlab.tasks.paths import EACH, steps
from tvlab.tasks.texts import like_key, made_text, pick, scrambled
from tvlab.tasks.tool_views import Leaf, resolved

_RANGES: dict[str, tuple[float, float, float]] = {
    words: (low, high, step)
    for line, (low, high, step) in {
        "budget": (400, 6000, 50),
        "salary income": (28000, 96000, 500),
        "price cost amount fee fare charge payment subtotal tax total refund deposit": (5, 400, 0.5),
        "nights": (1, 9, 1),
        "floor storey": (1, 12, 1),
        "quantity qty copies units": (1, 9, 1),
        "stock inventory": (5, 150, 1),
        "seats guests people adults passengers party participants attendees": (1, 8, 1),
        "age": (18, 80, 1),
        "position index number order": (1, 12, 1),
        "minutes duration": (5, 180, 5),
        "hours": (1, 12, 1),
        "days": (1, 21, 1),
        "weeks months": (1, 12, 1),
        "seconds": (5, 120, 5),
        "kg weight": (1, 30, 0.5),
        "cm height width length depth": (10, 200, 5),
        "km miles distance radius": (1, 60, 1),
        "brightness percent percentage volume humidity battery progress completion opacity": (5, 100, 5),
        "celsius temperature": (16, 27, 0.5),
        "fahrenheit": (60, 82, 1),
        "rating stars score": (1, 5, 1),
        "discount": (5, 50, 5),
        "points": (10, 500, 10),
        "year": (2021, 2027, 1),
        "latitude lat": (-60, 60, 0.01),
        "longitude lon lng": (-170, 170, 0.01),
    }.items()
    for words in line.split()
}
"""What people mean by a number of this name: lowest, highest, and the step they count in."""


def plausible(
    leaf: Leaf, existing: Sequence[Any], now: str, rng: np.random.Generator, noun: str | None = None
) -> Any:
    """Return a plausible value for a leaf; a list for an array of scalars.

    Args:
        leaf: what to fill.
        existing: the values that records have in this field now.
        now: the environment's time, ISO 8601.
        rng: numpy generator.
        noun: the kind of thing the call is about.
    """
    if leaf.is_array:
        count = max(1, leaf.schema.get("minItems", 1))
        return _distinct([_scalar(leaf, existing, now, rng, noun) for _ in range(count)])
    return _scalar(leaf, existing, now, rng, noun)


def settled(leaf: Leaf) -> Any:
    """Return the value that a leaf needs for the call to take effect, None where that is open.

    A preview must not be asked for; a confirmation is the word its description names, or yes.
    """
    if leaf.role == "preview":
        return False
    if leaf.role == "confirm":
        return True if leaf.schema.get("type") == "boolean" else leaf.field
    return None


def fresh_key(
    leaf: Leaf,
    existing: Sequence[Any],
    now: str,
    rng: np.random.Generator,
    noun: str | None = None,
    like: Any = None,
) -> Any:
    """Return a value for the key of a new record: of the make of the existing keys, and none of them.

    ``like`` is the key that a renamed record has now: a file keeps its ending.
    """
    texts = [like] if isinstance(like, str) else [key for key in existing if isinstance(key, str)]
    for _ in range(20):
        value = like_key(pick(texts, rng), rng) if texts else _scalar(leaf, (), now, rng, noun)
        if value not in existing:
            return value
    return _scalar(leaf, (), now, rng, noun)


def unknown_like(value: Any, existing: Sequence[Any], rng: np.random.Generator) -> Any:
    """Return a well-typed value that no call returned: same type and shape, not among ``existing``."""
    if isinstance(value, bool):
        return not value
    known = set(map(str, existing)) | {str(value)}
    other: Any = value
    for attempt in range(1000):
        if isinstance(value, int):
            other = int(rng.integers(1, 2**30))
        elif isinstance(value, float):
            other = round(float(rng.uniform(0, 1e6)), 3)
        else:
            other = scrambled(str(value), rng) + "x" * (attempt // 10)
        if str(other) not in known:
            break
    return other


def _scalar(
    leaf: Leaf, existing: Sequence[Any], now: str, rng: np.random.Generator, noun: str | None = None
) -> Any:
    schema = leaf.schema
    if schema.get("enum"):
        return pick([value for value in schema["enum"] if value is not None] or schema["enum"], rng)
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type", "string")
    if kind == "boolean":
        return bool(rng.random() < 0.5)
    if kind in ("integer", "number"):
        return _number(leaf, existing, kind, rng)
    if kind == "object":
        return {}
    if kind == "array":  # rows of a table: an array in an array
        return [_scalar(replace(leaf, schema=resolved(schema.get("items"))), (), now, rng, noun)]
    texts = [value for value in existing if isinstance(value, str)]
    holder = _holder(leaf)
    return made_text(
        f"{holder}_{leaf.name}" if holder else leaf.name, schema, texts, now, rng, holder or noun
    )


def _holder(leaf: Leaf) -> str:
    """What holds a leaf: passengers[].name is the name of a passenger."""
    holder = next((step for step in reversed(steps(leaf.path)[:-1]) if step not in (EACH, leaf.name)), "")
    return singular(holder) if holder else ""


def _number(leaf: Leaf, existing: Sequence[Any], kind: str, rng: np.random.Generator) -> Any:
    schema = leaf.schema
    known = [v for v in existing if isinstance(v, (int, float)) and not isinstance(v, bool)]
    low, high, step = _range(leaf, known, kind)
    unit = 1 if kind == "integer" else 0.01
    least = max(schema.get("minimum", -math.inf), schema.get("exclusiveMinimum", -math.inf) + unit)
    most = min(schema.get("maximum", math.inf), schema.get("exclusiveMaximum", math.inf) - unit)
    low, high = (min(most, max(least, bound)) for bound in (low, high))
    if schema.get("multipleOf"):
        step = schema["multipleOf"]
    value: Any = step * round((low + rng.random() * (high - low)) / step)
    if kind == "integer" or (float(step).is_integer() and float(low).is_integer()):
        return int(min(math.floor(high), max(math.ceil(low), round(value))))
    value = round(min(high, max(low, float(value))), 2)
    return int(value) if float(value).is_integer() else value  # a user says 68, not 68.0


def _range(leaf: Leaf, known: Sequence[float], kind: str) -> tuple[float, float, float]:
    """Where a number lies and the step it is counted in: by its name, else like the known ones."""
    named = [_RANGES[word] for word in reversed(split_name(leaf.name)) if word in _RANGES]
    if named:
        return named[0]
    if len(known) > 1:
        low, high = min(known), max(known)
        whole = kind == "integer" or all(float(value).is_integer() for value in known)
        return low, high + max(1, (high - low) / 2), 1 if whole else 0.5
    low = leaf.schema.get("minimum", 1)
    return low, min(leaf.schema.get("maximum", math.inf), low + 24), 1 if kind == "integer" else 0.5


def _distinct(values: list[Any]) -> list[Any]:
    seen: list[Any] = []
    for value in values:
        if value not in seen:
            seen.append(value)
    return seen
