"""Bounds that only a text states: of a number, of a text's length, of a list's length."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = r"-?\d+(?:\.\d+)?"
#: what a number counts that is not the value itself, or a condition
_OTHERS = r"(?! ?(?:char|item|word|letter|digit|if\b))"
_BETWEEN = re.compile(
    rf"\b(?:between|in the range(?: of)?|within|range(?: is|:| of)?|from) (?P<low>{_NUMBER}) ?(?:and|to|-|–) ?"
    rf"(?P<high>{_NUMBER})(?![\w-]|\.\w)(?! (?:if|when|or)\b)"
    rf"|\((?:range:? )?(?P<least>{_NUMBER}) ?(?:-|–|to) ?(?P<most>{_NUMBER})(?= ?(?:[,;)]|inclusive))",
    re.IGNORECASE,
)
_LEAST = re.compile(
    rf"\bm[ií]n(?:imum|imo)?(?: value)?(?: is|:| of| =)? ?(?P<low>{_NUMBER})(?![\w:-]|\.\w){_OTHERS}"
    rf"|\bmust be (?:at least|>=|≥) ?(?P<other>{_NUMBER})(?![\w:-]|\.\w){_OTHERS}",
    re.IGNORECASE,
)
_MOST = re.compile(
    rf"\bm[aá]x(?:imum|imo)?(?: value)?(?: is|:| of| =)? ?(?P<high>{_NUMBER})(?![\w.:-]*\w){_OTHERS}"
    rf"|\bmust be (?:at most|<=|≤) ?(?P<other>{_NUMBER})(?![\w.:-]*\w){_OTHERS}",
    re.IGNORECASE,
)
_UP_TO = re.compile(r"\bup to (?P<high>\d+)\b(?! ?%)", re.IGNORECASE)
_POSITIVE = re.compile(
    r"\b(?:must be (?:a )?positive|positive (?:whole )?(?:integer|number)|positive \(greater than zero\)"
    r"|greater than (?:zero|0))\b"
    r"(?! (?:if|when|or)\b)",
    re.IGNORECASE,
)
_NOT_NEGATIVE = re.compile(r"\bnon-?negative\b|\bmust not be negative\b|\bzero or (?:greater|more)\b", re.IGNORECASE)
#: a number outside the bounds that means something of its own
_SPECIAL = re.compile(
    r"(?<![\d.])(?:0|-1)\b ?(?:=|means?|for|is|to|disables?|returns?|stands)\b|\buse (?:0|-1)\b|\bunlimited\b",
    re.IGNORECASE,
)
_LONG = re.compile(
    r"\b(?:max(?:imum)?(?: length)?|up to|at most|no more than|limit(?:ed to)?|≤|<=)(?: of| is|:)? ?"
    r"(?P<most>\d+(?:,\d{3})*) ?(?:char|letters)"
    r"|[≤(] ?(?P<bare>\d+(?:,\d{3})*) char|\bmax(?:imum)? length(?: of| is|:)? ?(?P<length>\d+(?:,\d{3})*)",
    re.IGNORECASE,
)
_LARGE = re.compile(
    r"\bmax(?:imum)?(?: \w+){0,2} size(?: of| is|:)? ?(?P<most>\d+) ?(?P<unit>KB|kilobytes|bytes)\b", re.IGNORECASE
)
_SHORT = re.compile(
    r"\b(?:min(?:imum)?(?: length)?|at least)(?: of| is|:)? ?(?P<least>\d+) ?(?:char|letters)"
    r"|\bmin(?:imum)? length(?: of| is|:)? ?(?P<length>\d+)",
    re.IGNORECASE,
)
_SPAN = re.compile(r"\b(?P<least>\d+) ?(?:-|–|to) ?(?P<most>\d+) char", re.IGNORECASE)
_FILLED = re.compile(
    r"\b(?:must not|can ?not|may not) be (?:empty|blank)\b|\bmust be non-?empty\b|^\W*(?:an? )?non-?empty\b",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"\((?:up to|max(?:imum)?:?|at most) (?P<most>\d+)(?: [a-z]+)?\)|, up to (?P<plain>\d+)\b"
    r"|\b(?:max(?:imum)?(?: of)?|up to|at most|no more than) (?P<named>\d+) "
    r"(?:items|entries|elements|records|ids|values)\b",
    re.IGNORECASE,
)
_WORDS = {"one": 1, "two": 2, "three": 3}
_COUNT = rf"(?:\d+|{'|'.join(_WORDS)})"
_FEW = re.compile(
    rf"\((?:min(?:imum)?(?: of)?|at least):? (?P<least>{_COUNT})(?: [a-z]+)?\)"
    rf"|\b(?:min(?:imum)?(?: of)?|at least) (?P<named>{_COUNT}) "
    r"(?:items|entries|elements|records|ids|values|participants|members|recipients|options)\b",
    re.IGNORECASE,
)
_EXACTLY = re.compile(
    rf"^\W*exactly (?P<many>{_COUNT}) (?!of\b)\w+(?! plus\b)|\(exactly (?P<each>{_COUNT}) (?:per|for|in) \w+",
    re.IGNORECASE,
)
#: a list of all the numbers that a value may be
_ONE_OF = re.compile(
    r"(?:\(|\bone of |\bmust be (?:either )?|\beither )(?P<all>-?\d+(?:, -?\d+)*,? or -?\d+)(?![\w.%-])"
    r"(?! (?:char|items|more|less|greater|higher|above|below|digits|letters|\w+s\b))",
    re.IGNORECASE,
)
_SOME = re.compile(r"\((?P<least>\d+) ?(?:-|–|to) ?(?P<most>\d+) (?:[a-z]+)\)", re.IGNORECASE)
_ONE = re.compile(
    r"\bat least one\b(?! of\b)|\bnon-?empty (?:list|array)\b|\b(?:must not|can ?not) be empty\b", re.IGNORECASE
)
_CAPPED = re.compile(
    r"\bclamp|\bcapped\b|\bsilently\b|\bwill be (?:cut|reduced|truncated|limited)\b|\btruncated?\b", re.IGNORECASE
)
_MACHINE = 2**31 - 1


def number_bounds(schema: dict[str, Any], text: str, limit: bool = False) -> dict[str, Any]:
    """Return the bounds of a number that a text states beside those of its schema.

    >>> number_bounds({"type": "number"}, "Opacity (0-1)"), number_bounds({}, "Page number (min 1)")
    ({'minimum': 0, 'maximum': 1}, {'minimum': 1})
    >>> number_bounds({}, "How many (0 means all)"), number_bounds({}, "Rows, clamped to max 50")
    ({}, {})
    >>> number_bounds({"type": "integer"}, "Index of the door (0, 1, or 2)")
    {'enum': [0, 1, 2]}
    """
    found: dict[str, Any] = {}
    if _CAPPED.search(text):
        return {}
    listed = _ONE_OF.search(text)
    if listed and not {"minimum", "maximum"} & set(schema):
        return {"enum": [int(number) for number in re.findall(r"-?\d+", listed["all"])]}
    both = _BETWEEN.search(text)
    low = both and (both["low"] or both["least"])
    high = both and (both["high"] or both["most"])
    least, most = _LEAST.search(text), _MOST.search(text) or (_UP_TO.search(text) if limit else None)
    low = low or (least and (least["low"] or least["other"]))
    high = high or (most and (most["high"] or most.groupdict().get("other")))
    special = _SPECIAL.search(text)
    if low and not special:
        found["minimum"] = _number(low)
    elif _POSITIVE.search(text) and not special:
        found["exclusiveMinimum"] = 0
    elif _NOT_NEGATIVE.search(text):
        found["minimum"] = 0
    if high:
        found["maximum"] = _number(high)
    if found.get("minimum", 0) > found.get("maximum", _MACHINE):
        return {}
    bound = {word for word in ("minimum", "exclusiveMinimum") if abs(schema.get(word, _MACHINE)) < _MACHINE}
    if bound and found.keys() & {"minimum", "exclusiveMinimum"}:
        found = {word: value for word, value in found.items() if word == "maximum"}
    if abs(schema.get("maximum", _MACHINE)) < _MACHINE or "exclusiveMaximum" in schema:
        found.pop("maximum", None)
    return found


def length_bounds(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the bounds of a text's length that another text states.

    >>> length_bounds({}, "Display name (max 255 characters)"), length_bounds({}, "The title, must not be empty")
    ({'maxLength': 255}, {'minLength': 1})
    """
    span = _SPAN.search(text)
    short, long = _SHORT.search(text), _LONG.search(text)
    least = span["least"] if span else short and (short["least"] or short["length"])
    large = None if span or long else _LARGE.search(text)
    most = span["most"] if span else long and (long["most"] or long["bare"] or long["length"])
    if large:
        most = str(int(large["most"]) * (1 if large["unit"].lower() == "bytes" else 1024))
    found: dict[str, Any] = {"minLength": int(least)} if least else {"minLength": 1} if _FILLED.search(text) else {}
    if most and not _CAPPED.search(text):
        found["maxLength"] = int(most.replace(",", ""))
    if found.get("minLength", 0) > found.get("maxLength", _MACHINE):
        return {}
    return {word: value for word, value in found.items() if word not in schema}


def item_bounds(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the bounds of a list's length that a text states.

    >>> item_bounds({}, "Records to update (max 10)"), item_bounds({}, "At least one tag")
    ({'maxItems': 10}, {'minItems': 1})
    >>> item_bounds({}, "Exactly one shift per day"), item_bounds({}, "Phone numbers (minimum 2 participants)")
    ({'minItems': 1, 'maxItems': 1}, {'minItems': 2})
    """
    some, many, few = _SOME.search(text), _MANY.search(text), _FEW.search(text)
    found: dict[str, Any] = {}
    if exactly := _EXACTLY.search(text):
        number = _counted(exactly["many"] or exactly["each"])
        found = {"minItems": number, "maxItems": number}
    elif some:
        found = {"minItems": int(some["least"]), "maxItems": int(some["most"])}
    elif many and not _CAPPED.search(text):
        found["maxItems"] = int(many["most"] or many["plain"] or many["named"])
    if not some and not exactly and (few or _ONE.search(text)):
        found["minItems"] = _counted(few["least"] or few["named"]) if few else 1
    return {word: value for word, value in found.items() if word not in schema}


def _counted(text: str) -> int:
    return _WORDS.get(text.lower()) or int(text)


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)
