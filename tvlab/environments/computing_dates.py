"""Dates: what the code of a pure computation may use to count days (proleptic Gregorian calendar, ISO 8601).

Time zones stay out: their rules change, and a local time zone is never certain.
"""

from __future__ import annotations

import calendar
import datetime
from typing import Any

from tvlab.environments.computing import whole
from tvlab.environments.runtime import fail


def date_of(text: str) -> datetime.date:
    """Return the date at the start of an ISO 8601 text, or refuse what is none.

    >>> date_of("2026-03-02T09:00:00Z")
    datetime.date(2026, 3, 2)
    """
    try:
        return datetime.date.fromisoformat(text.strip()[:10])
    except ValueError:
        fail("invalid_arguments", f"{text!r} is no date like 2026-03-02")


def days_between(start: str, end: str) -> int:
    """Return the days from one date to another, negative if it lies before.

    >>> days_between("2024-02-28", "2024-03-01")
    2
    """
    return (date_of(end) - date_of(start)).days


def shifted(date: str, days: Any) -> str:
    """Return the date so many days later.

    >>> shifted("2024-02-28", 2), shifted("2024-03-01", -1)
    ('2024-03-01', '2024-02-29')
    """
    try:
        return (date_of(date) + datetime.timedelta(days=whole(days))).isoformat()
    except OverflowError:
        fail("invalid_arguments", "the date is out of range")


def weekday(date: str) -> str:
    """Return the English name of the day of the week.

    >>> weekday("2026-03-02")
    'Monday'
    """
    return calendar.day_name[date_of(date).weekday()]


def iso_week(date: str) -> int:
    """Return the week of the year as ISO 8601 counts it."""
    return date_of(date).isocalendar().week


def day_of_year(date: str) -> int:
    """Return the day of the year, 1 for the first of January."""
    return date_of(date).timetuple().tm_yday


def days_in_month(year: Any, month: Any) -> int:
    """Return the number of days in a month.

    >>> days_in_month(2024, 2)
    29
    """
    return calendar.monthrange(whole(year, 1, 9999), whole(month, 1, 12))[1]


def days_in_month_of(date: str) -> int:
    """Return the number of days in the month of a date."""
    day = date_of(date)
    return days_in_month(day.year, day.month)


def is_leap_year(year: Any) -> bool:
    """Tell whether a year has 366 days.

    >>> is_leap_year(1900), is_leap_year(2000)
    (False, True)
    """
    return calendar.isleap(whole(year, 1, 9999))
