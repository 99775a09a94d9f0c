"""Measures by a formula: what the code of a pure computation may use for money, bodies and places."""

from __future__ import annotations

import math
from typing import Any

from tvlab.environments.computing import above, finite
from tvlab.environments.runtime import fail

_EARTH_RADIUS = 6371.0


def monthly_payment(principal: Any, percent: Any, years: Any) -> float:
    """Return what pays a loan off in equal months: P r (1 + r)^n / ((1 + r)^n - 1), r a month's rate.

    Args:
        principal: the loan.
        percent: interest a year in percent.
        years: of twelve payments each.
    """
    months, rate = above(years) * 12, percent / 1200
    if percent < 0 or principal < 0:
        fail("invalid_arguments", "a loan and its rate are not negative")
    if rate == 0:
        return float(finite(principal / months))
    return float(finite(principal * rate / -math.expm1(-months * math.log1p(rate))))


def maintenance_fluids(weight: Any) -> float:
    """Return mL/hr by the 4-2-1 rule: 4 for each of the first 10 kg, 2 for each of the next 10, 1 above."""
    above(weight)
    return float(4 * min(weight, 10) + 2 * min(max(weight - 10, 0), 10) + max(weight - 20, 0))


def haversine(lat1: Any, lon1: Any, lat2: Any, lon2: Any) -> float:
    """Return the great-circle distance in kilometres of two places in degrees, on a sphere of 6371 km."""
    if max(abs(lat1), abs(lat2)) > 90 or max(abs(lon1), abs(lon2)) > 360:
        fail("invalid_arguments", "a latitude lies within 90 degrees, a longitude within 360")
    a, b = math.radians(lat1), math.radians(lat2)
    h = math.sin((b - a) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 2 * _EARTH_RADIUS * math.asin(min(1.0, math.sqrt(h)))
