"""Units: what the code of a pure computation may use to convert a value exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tvlab.environments.computing import exact, finite
from tvlab.environments.language import units as _units
from tvlab.environments.runtime import fail


def convert(value: Any, from_unit: str, to_unit: str, *dimensions: str) -> float:
    """Return a value in another unit of the same dimension, or refuse units that are not of one dimension.

    >>> convert(212, "F", "C", "length", "temperature")
    100.0
    """
    spelled = [unit.strip().casefold() for unit in (from_unit, to_unit)]
    tables = [_units.UNITS[dimension] for dimension in dimensions]
    table = next((t for t in tables if all(unit in t for unit in spelled)), None)
    if table is None:
        fail("invalid_arguments", f"{from_unit!r} cannot be converted to {to_unit!r}")
    (size, offset), (other, shift) = ([Fraction(part) for part in table[unit]] for unit in spelled)
    return float(finite(float((exact(value) + offset) * size / other - shift)))
