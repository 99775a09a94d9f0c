"""Measures by a formula: what the code of a pure computation may use for money, bodies and places."""

from __future__ import annotations

import math
from typing import Any

from tvlab.environments.computing import above, finite, not_below, power, whole
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


def compounded(principal: Any, rate: Any, years: Any, times: Any) -> float:
    """Return a sum with interest added so many times a year: P (1 + r / n)^(n t), the rate as a fraction."""
    periods = whole(times, 1, 366)
    return float(finite(not_below(principal) * power(1 + rate / periods, periods * not_below(years))))


def maintenance_fluids(weight: Any) -> float:
    """Return mL/hr by the 4-2-1 rule: 4 for each of the first 10 kg, 2 for each of the next 10, 1 above."""
    above(weight)
    return float(4 * min(weight, 10) + 2 * min(max(weight - 10, 0), 10) + max(weight - 20, 0))


def egfr(creatinine: Any, age: Any, male: bool) -> float:
    """Return the glomerular filtration rate, CKD-EPI creatinine equation of 2021 (mg/dL, years)."""
    share = above(creatinine) / (0.9 if male else 0.7)
    slope = -0.302 if male else -0.241
    rate = 142 * min(share, 1) ** slope * max(share, 1) ** -1.2 * 0.9938 ** above(age)
    return float(finite(rate if male else rate * 1.012))


def egfr_with_cystatin(creatinine: Any, cystatin: Any, age: Any, male: bool) -> float:
    """Return the glomerular filtration rate, CKD-EPI creatinine-cystatin C equation of 2021 (mg/dL, mg/L)."""
    share, other = above(creatinine) / (0.9 if male else 0.7), above(cystatin) / 0.8
    rate = 135 * min(share, 1) ** (-0.144 if male else -0.219) * max(share, 1) ** -0.544
    rate *= min(other, 1) ** -0.323 * max(other, 1) ** -0.778 * 0.9961 ** above(age)
    return float(finite(rate if male else rate * 0.963))


def child_pugh(bilirubin: Any, albumin: Any, inr: Any, ascites: str, grade: Any) -> int:
    """Return the Child-Pugh score (mg/dL, g/dL): 5 for the mildest disease, 15 for the gravest."""
    points = {"absent": 1, "slight": 2, "moderate": 3}
    if ascites.lower() not in points:
        fail("invalid_arguments", f"unknown degree of ascites {ascites!r}")
    return (
        (1 if bilirubin < 2 else 2 if bilirubin <= 3 else 3)
        + (1 if albumin > 3.5 else 2 if albumin >= 2.8 else 3)
        + (1 if inr < 1.7 else 2 if inr <= 2.3 else 3)
        + points[ascites.lower()]
        + (1, 2, 2, 3, 3)[whole(grade, 0, 4)]
    )


def body_weights(weight: Any, height: Any, male: bool) -> dict[str, float]:
    """Return ideal (Devine; height in inches) and adjusted body weight in kg."""
    ideal = (50 if male else 45.5) + 2.3 * (height - 60)
    return {"ideal_body_weight": float(finite(ideal)), "adjusted_body_weight": finite(ideal + 0.4 * (weight - ideal))}


def haversine(lat1: Any, lon1: Any, lat2: Any, lon2: Any) -> float:
    """Return the great-circle distance in kilometres of two places in degrees, on a sphere of 6371 km."""
    if max(abs(lat1), abs(lat2)) > 90 or max(abs(lon1), abs(lon2)) > 360:
        fail("invalid_arguments", "a latitude lies within 90 degrees, a longitude within 360")
    a, b = math.radians(lat1), math.radians(lat2)
    h = math.sin((b - a) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 2 * _EARTH_RADIUS * math.asin(min(1.0, math.sqrt(h)))
