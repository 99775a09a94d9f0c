"""Moments in seeded records: which values are one, the day that they lie on, the same moment some days later."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any, TypeGuard

from tvlab.environments.domain import field_types

#: what the clock of an environment shows at first
NOW = datetime(2026, 3, 2, 9, 0, 0)
#: a date, or a date and time with nothing behind it
STAMP = re.compile(r"^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$")
_DAY = re.compile(r"^\d{4}-\d\d-\d\d")


def moment_of(value: Any) -> str:
    """Return the moment that a value is, or that an object holds as its date and time; "" if it is none.

    >>> moment_of("2026-03-02T09:00Z"), moment_of({"dateTime": "2026-03-02"}), moment_of("2026-03-02 or so")
    ('2026-03-02T09:00Z', '2026-03-02', '')
    """
    if isinstance(value, dict):
        inner = [v for n, v in value.items() if "date" in field_types.name_words(n) or n in ("time", "timestamp")]
        return moment_of(inner[0]) if len(inner) == 1 and not isinstance(inner[0], dict) else ""
    return value if isinstance(value, str) and STAMP.match(value) else ""


def begins_with_day(value: Any) -> TypeGuard[str]:
    """True for a text that begins with a date, whatever follows."""
    return isinstance(value, str) and bool(_DAY.match(value))


def day_of(stamp: str) -> datetime:
    """Return the day of a moment, at midnight.

    >>> day_of("2026-03-02T09:00:00Z").isoformat()
    '2026-03-02T00:00:00'
    """
    return datetime.fromisoformat(stamp[:10])


def moved(stamp: str, by: timedelta) -> str:
    """Return a moment some days later in its own form.

    >>> moved("2026-03-02T09:00:00Z", timedelta(days=30))
    '2026-04-01T09:00:00Z'
    """
    return f"{day_text(day_of(stamp) + by)}{stamp[10:]}"


def day_text(at: datetime) -> str:
    """Return the date of a moment as a text.

    >>> day_text(NOW)
    '2026-03-02'
    """
    return at.strftime("%Y-%m-%d")


def time_text(at: datetime) -> str:
    """Return a moment as a text with its time.

    >>> time_text(NOW)
    '2026-03-02T09:00:00Z'
    """
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
