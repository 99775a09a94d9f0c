"""How much of a schema a seeded record fills: properties of nested objects, lengths of texts, bounds of numbers."""

from __future__ import annotations

from typing import Any, TypeGuard

from tvlab.environments.domain.tool_parsing import schema_type

#: objects that lie in this many others hold few of their optional properties
DEEP = 2
#: bounds beyond this are those of a number format
_MACHINE = 2**31 - 1


def shallow(schema: dict[str, Any], depth: int) -> dict[str, Any]:
    """Return the properties of a nested object that records have: all of them near the surface, then fewer.

    An object inside another one keeps what is required and its first four plain properties, below that only
    what is required: a schema of a thousand nested properties gives a record, not a megabyte.
    """
    properties = schema.get("properties") or {}
    if depth < DEEP:
        return properties
    required = schema.get("required", [])
    plain = [n for n, part in properties.items() if schema_type(part) not in ("object", "array")]
    kept = {*required, *(plain[:4] if depth == DEEP else ())}
    return {name: part for name, part in properties.items() if name in kept}


def fit_length(value: str, schema: dict[str, Any]) -> str:
    """Return the text with the least and greatest length that the schema allows."""
    low, high = schema.get("minLength"), schema.get("maxLength")
    if "pattern" in schema:
        return value
    if isinstance(low, int) and len(value) < low:
        value = value + "x" * (low - len(value))
    return value[:high] if isinstance(high, int) and high >= 0 else value


def bounds(words: set[str], schema: dict[str, Any]) -> tuple[float, float]:
    """Return plausible bounds for a number whose name has these words, inside those of its schema."""
    usual: tuple[float, float] = (1, 90)
    if words & {"latitude", "lat"}:
        usual = (-60, 60)
    elif words & {"longitude", "lon", "lng"}:
        usual = (-170, 170)
    elif "year" in words:
        usual = (2015, 2026)
    elif words & {"rating", "stars", "score"}:
        usual = (1, 5)
    elif words & {"price", "amount", "total", "cost"}:
        usual = (1, 400)
    low, high = schema.get("minimum"), schema.get("maximum")
    if is_number(low) and low <= -_MACHINE:
        low = None  # the least number of a machine is no bound that a record comes near
    clock = is_number(low) and low > _MACHINE // 2  # seconds or milliseconds of a clock lie close together
    if is_number(high) and high >= _MACHINE and not clock:
        high = None
    if is_number(low):
        usual = (low, max(usual[1], low + 1)) if not is_number(high) else (low, high)
    elif is_number(high):
        usual = (min(usual[0], high), high)
    reach = 5000 if usual[0] < 1000 else usual[1]
    return float(usual[0]), float(min(usual[1], usual[0] + reach))


def is_number(value: Any) -> TypeGuard[int | float]:
    """True for a number; a flag is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
