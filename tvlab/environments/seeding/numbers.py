"""Ranges of seeded numbers: whole, within stated bounds, one of a list, around a stated default, seconds of a clock.

Asked for servers that are not the package's own, whose descriptions say more than the names of their fields.
"""

from __future__ import annotations

import calendar
import math
import re
from typing import Any, Final

from tvlab.environments.domain import field_types
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.seeding.moments import NOW
from tvlab.foundation.words import singular

Words = tuple[str, ...]

#: bounds from here on are those of a number format
_MACHINE: Final = 2**31 - 1
#: the seconds at which the state's clock stands, and those of a day
_NOW: Final = calendar.timegm(NOW.timetuple())
_DAY: Final = 86_400

#: last words of numbers that are whole
_WHOLE = frozenset(
    "id index count year level month day hour minute second millisecond week public private version length width "
    "height duration offset cent bid_amount attempt retry occurrence match line revision request success failure loop "
    "guest download slot port byte copy item result sequence pr place row column core replica thread connection "
    "lamport".split()
)
_COUNTED = re.compile(r"^(?:[\w'-]+ ){0,4}count\b|\bnumber of\b|\bhow many\b|^(?:The )?quantity\b", re.IGNORECASE)
_NO_COUNT = re.compile(r"\b(?:seconds?|hours?|price|cost|rate)\b", re.IGNORECASE)
_SPAN = re.compile(
    r"(?:\(|\bfrom |\bbetween |\brange:? |\bvalues? |: |^|, )(?P<low>\d{1,4}) ?"
    r"(?:-|\u2013| to | and |\.\.) ?(?P<high>\d{1,6})(?![\w-]|\.\d| ?%)"
)
_CHOICES = re.compile(r"(?<![\w.])(?P<one>\d{1,2}) ?(?:[(\uff08][^\W\d]|=|[:\uff1a-] ?(?=[^\W\d]))")
#: "(0, 1, or 2)"
_FEW = re.compile(
    r"(?:\(|\b(?:one of|either|must be):? )(?P<all>\d{1,3}(?:, ?\d{1,3})*,? ?(?:or|and) ?\d{1,3})(?!\w|\.\d)"
)
#: "400 for Regular, 700 for Bold"
_MEANT = re.compile(r"(?<![\w.])(\d{1,5}) for (?=[A-Z]?[a-z]+)")
_CENTS = re.compile(r"\bcents\b|\bsmallest (?:currency )?unit\b|\bminor units?\b", re.IGNORECASE)
_EPOCH = re.compile(r"\bepoch\b|\bunix (?:time(?:stamp)?|seconds|ms|millis\w*)\b", re.IGNORECASE)
_STAMPED = re.compile(r"\btimestamp\b", re.IGNORECASE)
_MILLIS = re.compile(r"\bmilliseconds?\b|\bmillis\b|\bms\b", re.IGNORECASE)
_BYTES = re.compile(r"\bin bytes\b|\bnumber of bytes\b", re.IGNORECASE)
_PERCENT = re.compile(r"^(?:The )?percent(?:age)? (?:of|complete)", re.IGNORECASE)
_DEFAULT = re.compile(r"\b[Dd]efaults?(?: value)?(?: is|:| to| =)? ?(?P<value>\d+(?:\.\d+)?)(?![\w%]|\.\d| ?%)")
_LATER = frozenset("end ends until expire expires expiry expiration due finish deadline to".split())
_TRIPLE = re.compile(r"\[ ?[a-z]\w*(?:, ?[a-z]\w*)+ ?\]", re.IGNORECASE)
_AXES = re.compile(
    r"\[ ?(?:x, ?y|r, ?g, ?b|red, ?green|pitch, ?yaw|roll, ?pitch|lon\w*, ?lat|lat\w*, ?lon)\b", re.IGNORECASE
)
_UNIT = re.compile(r"\b(?:0(?:\.0)?|0) ?(?:-|to) ?1(?:\.0)?\b")
_COLOURS = frozenset("color colour rgb".split())
_VECTORS = frozenset("embedding vector".split())
_WORDED = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_NUMBER = (
    r"(?P<n>one|two|three|four|five|\d{1,2})\b"
    r"(?! of\b|[- ]?(?:char|second|minute|hour|day|byte|word|digit|letter))"
)
_EXACTLY = re.compile(rf"\bexactly {_NUMBER}", re.IGNORECASE)
_AT_LEAST = re.compile(rf"\b(?:at least|minimum(?: of)?|min\.?) {_NUMBER}", re.IGNORECASE)
_AT_MOST = re.compile(rf"\b(?:at most|up to|maximum(?: of)?|max\.?) {_NUMBER}", re.IGNORECASE)


def number_schema(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a number as its name and description tell it: whole, within stated bounds, one of a list.

    >>> number_schema("heading_level", {"type": "number", "description": "Heading level (1-6)"})["maximum"]
    6
    >>> number_schema("public", {"type": "number", "description": "0 (private), 1 (public)"})["values"]
    [0, 1]
    >>> number_schema("guess", {"type": "integer", "description": "Index of the guess (0, 1, or 2)"})["values"]
    [0, 1, 2]
    """
    words = field_types.name_words(name)
    said = str(schema.get("description") or "")
    schema = _without_machine_bounds(schema)
    if values := _listed(said, schema):
        return {**schema, "values": values}
    told: dict[str, Any] = {}
    counted = _COUNTED.search(said[:80]) and not _NO_COUNT.search(said[:80])
    named = {singular(word) for word in words[-1:]} & _WHOLE or field_types.is_id_name(name)
    named = named or "".join(words).startswith("numberof")
    if counted or named or _CENTS.search(said):
        told["type"] = "integer"
    bounded = {"minimum", "maximum"} & set(schema)
    span = _SPAN.search(said)
    if span and int(span["low"]) < int(span["high"]) and not bounded:
        told |= {"minimum": int(span["low"]), "maximum": int(span["high"])}
        if int(span["high"]) > 1:
            told["type"] = "integer"
    elif told and words[-1:] == ("level",) and "heading" in words and not bounded:
        told |= {"minimum": 1, "maximum": 6}
    elif clock := _clock(words, said):
        told |= clock
    elif not bounded and (usual := _usual(words, said)):
        told |= {"type": "integer", "minimum": usual[0], "maximum": usual[1]}
    elif told and _CENTS.search(said) and "maximum" not in schema:
        told |= {"minimum": max(100, schema.get("minimum") or 0), "maximum": 50_000}
    elif around := _around_default(said, schema):
        told |= around
    return {**schema, **told}


def _without_machine_bounds(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without the bounds of a number format, which say that it is whole and nothing else."""
    low, high = schema.get("minimum"), schema.get("maximum")
    gone = {name for name, bound in (("minimum", low), ("maximum", high)) if _is_machine(bound)}
    whole = {"type": "integer"} if gone and schema_type(schema) == "number" else {}
    return {**{name: part for name, part in schema.items() if name not in gone}, **whole}


def _is_machine(bound: Any) -> bool:
    return isinstance(bound, (int, float)) and not isinstance(bound, bool) and abs(bound) >= _MACHINE


def _listed(said: str, schema: dict[str, Any]) -> list[int]:
    """The numbers that a description lists as all there are, [] if it lists none within the bounds."""
    few = _FEW.search(said)
    for found in (re.findall(r"\d+", few["all"]) if few else [], _CHOICES.findall(said), _MEANT.findall(said)):
        values = sorted({int(one) for one in found})
        if len(values) > 1 and _inside(values, schema):
            return values
    return []


def _clock(words: Words, said: str) -> dict[str, Any]:
    """Bounds of a moment in seconds or milliseconds since the epoch, {} for other numbers."""
    stamped = words[-1:] in (("timestamp",), ("epoch",)) or _STAMPED.search(said[:80])
    if not (_EPOCH.search(said) or (stamped and "duration" not in words)):
        return {}
    later = bool({*words, *re.findall(r"[a-z]+", said[:60].lower())} & _LATER)
    low, high = (_NOW + 41 * _DAY, _NOW + 130 * _DAY) if later else (_NOW - 90 * _DAY, _NOW - _DAY)
    unit = 1000 if _MILLIS.search(said) or "ms" in words else 1
    return {"type": "integer", "minimum": low * unit, "maximum": high * unit}


def _usual(words: Words, said: str) -> tuple[int, int] | None:
    """Bounds of what a calendar counts, how many of its units lie between two events, ports, shares of a hundred."""
    if {"day", "month"} <= set(words):
        return 1, 28
    if words[-1:] == ("ms",) or re.search(r"\bin milliseconds\b|\(ms\)", said):
        return 1000, 60_000
    if _PERCENT.search(said) or words[:2] == ("percent", "complete"):
        return 0, 100
    if _BYTES.search(said):
        return 500, 900_000
    known = {
        "month": (1, 12), "hour": (0, 23), "minute": (0, 59), "interval": (1, 6), "port": (1024, 9999),
        "minutes": (5, 60), "occurrences": (2, 20),
    }  # fmt: skip
    return known.get(words[-1] if words else "")


def _around_default(said: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Bounds near a stated default: font sizes around 14, page sizes around 10."""
    found = _DEFAULT.search(said)
    if found is None:
        return {}
    value = float(found["value"])
    low, high = (value / 2, value * 2) if value else (0.0, 3.0)
    whole = "." not in found["value"]
    if whole:
        low, high = math.ceil(low), math.floor(high)
    low = max([low, *(bound for bound in [schema.get("minimum")] if isinstance(bound, (int, float)))])
    high = min([high, *(bound for bound in [schema.get("maximum")] if isinstance(bound, (int, float)))])
    if low > high:
        return {}
    kind = {"type": "integer"} if whole and high > 1 else {} if whole else {"type": "number"}
    return {"minimum": low, "maximum": high, **kind}


def _inside(values: list[int], schema: dict[str, Any]) -> bool:
    low, high = schema.get("minimum"), schema.get("maximum")
    return (low is None or values[0] >= low) and (high is None or values[-1] <= high)


def list_schema(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an array with the length that its description states, three bytes for a colour.

    >>> list_schema("recurrence", {"type": "array", "description": "Array with exactly one rule"})["maxItems"]
    1
    >>> colour = list_schema("background_colors", {"type": "array", "items": {"type": "integer"}})
    >>> colour["minItems"], colour["items"]["maximum"]
    (3, 255)
    """
    said = str(schema.get("description") or "")
    inner = schema.get("items")
    items: dict[str, Any] = inner if isinstance(inner, dict) else {}
    numbers = schema_type(items) in ("integer", "number") and not {"minimum", "maximum", "enum"} & set(items)
    words = {singular(word) for word in field_types.name_words(name)[-1:]}
    if numbers and words & _COLOURS:
        bounds = {"maximum": 1} if _UNIT.search(said) else {"type": "integer", "maximum": 255}
        return {**schema, "items": {**items, "minimum": 0, **bounds}, "minItems": 3, "maxItems": 3}
    if numbers and words & _VECTORS:
        return {**schema, "items": {**items, "minimum": -1, "maximum": 1}}
    if {"minItems", "maxItems"} & set(schema):
        return schema
    told: dict[str, Any] = {}
    for forms, names in ((_EXACTLY, ("minItems", "maxItems")), (_AT_LEAST, ("minItems",)), (_AT_MOST, ("maxItems",))):
        if (found := forms.search(said)) and not told:
            number = _WORDED.get(found["n"].lower()) or int(found["n"])
            told = dict.fromkeys(names, number) if number else {}
    return {**schema, **told}


def number_items(said: str) -> dict[str, Any]:
    """Return the array schema of a vector that a description shows: ``[x, y, z]`` holds three numbers; {} for none.

    >>> number_items("Location as [X, Y, Z] coordinates")["minItems"]
    3
    """
    match = _AXES.search(said)
    shown = _TRIPLE.search(said, match.start()) if match else None
    if shown is None:
        return {}
    unit = {"minimum": 0, "maximum": 1} if _UNIT.search(said) else {}
    number = len(shown[0].split(","))
    return {"items": {"type": "number", **unit}, "minItems": number, "maxItems": number}
