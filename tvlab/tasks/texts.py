"""Made-up texts: names, titles, remarks, dates and addresses that an argument can hold.

The make of a text comes from the values that records already have in the field, else from the field's name,
format and description.  Names, addresses, topics and sentences are the environments' own
(``environments/seeding/values.py``), so that what a user says looks like what the records hold.  All random
choices come from the given generator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np

from tvlab.environments.seeding.values import Values
from tvlab.foundation.words import singular, split_name

_ALPHABET = "abcdefghjkmnpqrstuvwxyz"
_LOOKS = {
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "date-time": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?"),
    "month": re.compile(r"\d{4}-\d\d"),
    "time": re.compile(r"\d\d:\d\d"),
    "email": re.compile(r"[^@\s]+@[^@\s]+"),
    "uri": re.compile(r"https?://\S+"),
}
_TOLD = {"date-time": ("iso 8601",), "date": ("yyyy-mm-dd",), "month": ("yyyy-mm",), "time": ("hh:mm",)}
"""What a description says of the make, the longest format first where one holds another."""
_NAMED = {
    "date": "date day birthday deadline due",
    "date-time": "datetime timestamp at start end",
    "time": "time",
}
_STYLE_OF = {name: style for style, names in _NAMED.items() for name in names.split()}
_ADDRESSED = frozenset("recipient recipients to cc bcc attendee email mail".split())
_PERSONS = frozenset(
    "full customer user contact guest author passenger traveller traveler attendee holder driver patient "
    "student employee agent owner member recipient sender assignee person".split()
)
_TITLED = frozenset("summary subject purpose headline goal topic agenda title".split())
_PLACES = frozenset("venue place room spot".split())
_BIRTH = frozenset("birth birthday born".split())
_ZONES = ("Europe/Berlin", "Europe/Lisbon", "Asia/Tokyo", "America/New_York", "Australia/Sydney")
_CURRENCIES = ("EUR", "USD", "GBP", "CHF", "JPY")
PROSE = frozenset(
    "note notes text body message content comment description reason remark remarks details instructions "
    "feedback memo resolution grounds bio".split()
)


def pick(options: Sequence[Any], rng: np.random.Generator) -> Any:
    """Return one option, uniformly."""
    return options[int(rng.random() * len(options))]


def made_text(
    name: str,
    schema: Mapping[str, Any],
    known: Sequence[str],
    now: str,
    rng: np.random.Generator,
    noun: str | None = None,
) -> str:
    """Return a text for a field.

    Args:
        name: the field's or parameter's name.
        schema: its JSON schema.
        known: the texts that records have in it.
        now: the environment's time, ISO 8601.
        rng: numpy generator.
        noun: the kind of thing whose field it is.
    """
    words = split_name(name)
    style = _style(words, schema, known)
    if style in _MOMENTS:
        return _MOMENTS[style](words, now, rng)
    if "pattern" in schema and known:
        return like_key(pick(known, rng), rng)
    return _fitted(_by_name(words, schema, split_name(noun or ""), rng), schema)


def like_key(key: str, rng: np.random.Generator) -> str:
    """Return a key of the same shape: with other digits, or where it has none, with another last word."""
    fresh = Values(rng).natural_key("slug", ("x",))
    if "/" in key:
        folder, _, last = key.rpartition("/")
        stem, dot, ending = last.rpartition(".")
        return f"{folder}/{fresh}{dot}{ending}" if stem else f"{folder}/{fresh.split('-')[-1]}"
    if re.search(r"\d", key):
        return re.sub(r"\d", lambda _: str(int(rng.integers(0, 10))), key)
    last = re.split(r"[-_ .]", key)[-1] or key
    word = fresh.split("-")[-1]
    return key.removesuffix(last) + (
        word.upper()[: max(2, len(last))] if last.isupper() else word.capitalize() if last.istitle() else word
    )


def scrambled(text: str, rng: np.random.Generator) -> str:
    """Return a text of the same shape: letters replaced by letters, digits by digits."""
    changed = []
    for char in text or "x":
        if char.isdigit():
            changed.append(str(int(rng.integers(0, 10))))
        elif char.isalpha():
            other = pick(_ALPHABET, rng)
            changed.append(other.upper() if char.isupper() else other)
        else:
            changed.append(char)
    return "".join(changed)


def _style(words: Sequence[str], schema: Mapping[str, Any], known: Sequence[str]) -> str | None:
    """The make of a text: from its format, existing values, the name and the description, in this order."""
    if schema.get("format"):
        return str(schema["format"])
    for style, look in _LOOKS.items():
        if known and all(look.fullmatch(value) for value in known):
            return style
    last = words[-1] if words else ""
    if list(words[-2:]) != ["time", "zone"] and last in _STYLE_OF:
        return _STYLE_OF[last]
    told = str(schema.get("description", "")).lower()
    return next((style for style, marks in _TOLD.items() if any(mark in told for mark in marks)), None)


def _by_name(
    words: Sequence[str], schema: Mapping[str, Any], noun: Sequence[str], rng: np.random.Generator
) -> str:
    """A text that is no moment, by the field's name."""
    values, last = Values(rng), singular(words[-1]) if words else ""
    plain = {key: schema[key] for key in ("format", "description") if key in schema}
    if schema.get("format") == "email" or last in _ADDRESSED:
        return values.text("email", {}, ())
    if last == "currency":
        return pick(_CURRENCIES, rng)
    if last in ("timezone", "tz") or list(words[-2:]) == ["time", "zone"]:
        return pick(_ZONES, rng)
    if last in PROSE:
        return re.split(r"[.?] ", values.sentence())[0].rstrip(".?")
    if last in _TITLED and not (last == "title" and len(noun) and noun[-1] in _NAMED_BY_TITLE):
        return values.label(("task",))
    if last in _PLACES:
        return values.label(("room",))
    if last == "name" and (_PERSONS & {*words, *(noun if len(words) == 1 else ())}):
        part = next((word for word in words if word in ("first", "last")), "full")
        return values.text(f"{part}_name", {}, ())
    text = values.text("_".join(words) or "text", plain, tuple(noun) or ("thing",))
    return text.removesuffix(".") if " " in text else text


_NAMED_BY_TITLE = frozenset("calendar board list folder book album playlist channel product survey".split())


def _day(words: Sequence[str], now: str, rng: np.random.Generator) -> str:
    if _BIRTH & set(words):
        return date(
            int(rng.integers(1955, 2005)), int(rng.integers(1, 13)), int(rng.integers(1, 29))
        ).isoformat()
    return (date.fromisoformat(now[:10]) + timedelta(days=int(rng.integers(1, 90)))).isoformat()


def _moment(now: str, rng: np.random.Generator) -> datetime:
    """A moment in the daytime of the next two months, on the half hour."""
    start = datetime.fromisoformat(now.replace("Z", "+00:00")).replace(hour=8, minute=0, second=0)
    return start + timedelta(days=int(rng.integers(1, 60)), minutes=30 * int(rng.integers(0, 20)))


def _month(now: str, rng: np.random.Generator) -> str:
    at = int(now[:4]) * 12 + int(now[5:7]) - 1 - int(rng.integers(0, 9))
    return f"{at // 12:04d}-{at % 12 + 1:02d}"


_MOMENTS = {
    "date": _day,
    "date-time": lambda words, now, rng: _moment(now, rng).strftime("%Y-%m-%dT%H:%M:%SZ"),
    "time": lambda words, now, rng: _moment(now, rng).strftime("%H:%M"),
    "month": lambda words, now, rng: _month(now, rng),
    "uuid": lambda words, now, rng: "-".join(_hex(n, rng) for n in (8, 4, 4, 4, 12)),
}


def _hex(n: int, rng: np.random.Generator) -> str:
    return "".join("0123456789abcdef"[int(i)] for i in rng.integers(0, 16, n))


def _fitted(text: str, schema: Mapping[str, Any]) -> str:
    most = schema.get("maxLength")
    return text[:most].rstrip() or "x" if most else text
