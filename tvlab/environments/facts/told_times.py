"""How far apart the rows of a told series lie, and how many there are: hourly, 7 days, an interval of 15 minutes.

Read off a tool's noun, its description and the defaults of its parameters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.meanings.steering import said_of
from tvlab.environments.seeding.moments import NOW, time_text

DAY = 24 * 60
_UNITS = {
    "m": 1, "min": 1, "minute": 1, "minutes": 1, "h": 60, "hr": 60, "hour": 60, "hours": 60, "d": DAY, "day": DAY,
    "wk": 7 * DAY, "w": 7 * DAY, "week": 7 * DAY,
}  # fmt: skip
_INTERVAL = re.compile(r"(?P<n>\d{0,3})\s?(?P<unit>m|min|minutes?|h|hr|hours?|d|day|w|wk|week)", re.IGNORECASE)
_INTERVALS = frozenset("interval timeframe granularity resolution bar".split())
_DEFAULT = re.compile(
    r"\bdefault(?:s to|s)?(?: is|:|=)? *[\"'`]?(?P<a>\d+[a-z]+)|默认(?:为|是)?\s*(?P<b>\d+[a-z]+)", re.I
)
_SO_MANY = re.compile(
    r"\b(?P<n>\d{1,2})[- ]?(?P<unit>hours?|saat\w*|stunden|heures|horas|days?|gün\w*|tage|jours|d[ií]as)\b",
    re.IGNORECASE,
)
_BACK = re.compile(r"\b(?:days?|hours?) to (?:look|go|search) back\b|\blook ?back\b", re.IGNORECASE)
_DAILY = 5
_HOURLY = 24


@dataclass(frozen=True)
class Times:
    """Minutes between two rows and rows a combination of keys; 0 for what is usual."""

    minutes: int = 0
    each: int = 0


def minutes_of(text: str) -> int:
    """Return the minutes of an interval, 0 if the text is none.

    >>> minutes_of("15min"), minutes_of("1h"), minutes_of("Berlin")
    (15, 60, 0)
    """
    match = _INTERVAL.fullmatch(text.strip())
    if match and match["unit"] == "M":  # a month beside the ``m`` of minutes
        return int(match["n"] or 1) * 30 * DAY
    return int(match["n"] or 1) * _UNITS[match["unit"].lower()] if match else 0


def of_tool(tool: ParsedTool) -> Times:
    """Return how far apart the rows of a tool are and how many there are."""
    noun = set(tool.noun)
    minutes = 60 if noun & {"hourly", "hour"} else 1 if "minute" in noun else 0
    for p in tool.parameters:
        if not minutes and set(p.words) & _INTERVALS and not p.required:
            minutes = minutes_of(str(p.schema.get("default") or "")) or _told_default(said_of(p, tool))
    if "forecast" not in noun:
        return Times(minutes, _back(tool))
    match = _SO_MANY.search(tool.description[:240])
    hours = match is not None and match["unit"].lower()[0] in "hs"
    count = int(match["n"]) if match else 0
    if "hourly" in noun or hours:
        return Times(60, count if hours and count <= 2 * _HOURLY else _HOURLY)
    limit = next((p for p in tool.parameters if p.words[-1:] == ("days",)), None)
    usual = limit.schema.get("default") if limit is not None else None
    return Times(0, max(count, usual + 2 if isinstance(usual, int) else _DAILY))


def of_one_day(tool: ParsedTool) -> bool:
    """True if the caller says of which day or time a tool tells."""
    return any(p.required and set(p.words) & {"day", "date", "time", "hour", "when"} for p in tool.parameters)


def _told_default(text: str) -> int:
    match = _DEFAULT.search(text)
    return minutes_of(match["a"] or match["b"]) if match else 0


def _back(tool: ParsedTool) -> int:
    """So many days back a tool looks unless told otherwise, 0 if it says nothing of it."""
    for p in tool.parameters:
        usual = p.schema.get("default")
        if p.type in ("integer", "number") and _BACK.search(said_of(p, tool)) and isinstance(usual, int):
            return usual
    return 0


def moment(steps: int, minutes: int) -> str:
    """Return the moment so many steps from the full hour of the clock."""
    return time_text(NOW + timedelta(minutes=steps * minutes))
