"""The columns of a fact: from the declared output, from lists in the description, from the noun itself.

A phrase of a description becomes a column only if its last word names a known quantity (``fact_words.py``);
everything else it says is left out.  Nothing is read from the text but names in the form of identifiers.
"""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain import field_types, known_things
from tvlab.environments.domain.tool_parsing import Noun, ParsedTool, schema_type
from tvlab.environments.language import fact_words
from tvlab.foundation.words import singular

Columns = dict[str, dict[str, Any]]

_MOST = 10
_HEADING = re.compile(r"^\s*#*\s*\**\s*(?P<head>[A-Za-z][A-Za-z ]{0,24}?)\s*\**\s*[:：]\s*(?P<rest>.*)$")
_BULLET = re.compile(
    r"^\s*(?:[-*•]\s*)[`\"'*]*(?P<name>[A-Za-z][A-Za-z0-9_ ]{0,30}?)[`\"'*]*\s*(?:\([^)]*\))?\s*(?:[:–-]|$)"
)
_LISTS = re.compile(
    r"\b(?:including|includes?|such as|like|containing|contains?|with|returns?|provides?|retrieves?"
    r"|details (?:on|about|of|for|like)|data on|information (?:on|about|like)|features?)\b:?\s+"
    r"(?P<what>[^.;:\n]{3,300})",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"(?:get|retrieve|fetch|return|show)s?\s+(?:the\s+)?(?P<what>[a-z][a-z -]{2,40}?)\s+(?:of|for)\b", re.IGNORECASE
)
_INSIDE = re.compile(r"\((?P<what>[^()]{5,160})\)")
_PARTS = re.compile(
    r",|/|;|\b(?:including|such as|containing|like|with)\b|\band\b|\bor\b|\bas well as\b|&|\bplus\b"
    r"|\balong with\b",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"\b(?:of|for|from|by|in|on|to|between|at|across|per|using|that|which|over|about|within|when|if|is|are"
    r"|was|were|via|through|since|until|after|before|available|where)\b.*$",
    re.IGNORECASE,
)
_IDLE = frozenset(
    "a an the its their his her all any each other more most key current latest detailed real essential "
    "important comprehensive full various real-time basic general specific relevant critical core main "
    "also both multiple several many different various "
    "recent historical associated related corresponding optional different essential".split()
)
#: what happened once has a day beside its time
_HAPPENED = frozenset(
    "submission submitted received sent created creation modified upload publication trade order".split()
)
_VIEWS = (fact_words.RANKED | fact_words.NEWEST | {"available", "supported", "all", "list", "daily", "weekly"}) - {
    "active"
}
_INPUTS = ("arg", "param", "input", "example", "raise", "note", "usage", "when", "error", "tip", "require")
_OUTPUTS = ("return", "output", "response", "result")


def columns_of(tool: ParsedTool) -> Columns:
    """Return the columns that a tool's output, description and noun promise, none of them a parameter."""
    declared = _declared(tool.output)
    found: Columns = dict(declared)
    if not declared:
        found |= usual_columns(tool.noun)
        ends = {name.split("_")[-1] for name in found}
        for name, schema in described(tool.description).items():
            if name not in ends:
                found.setdefault(name, schema)
    taken = {p.words for p in tool.parameters if p.required}
    asked = {p.words: field_types.column(p.schema) for p in tool.parameters if p.enum}
    kept = {n: s for n, s in list(found.items())[:_MOST] if field_types.name_words(n) not in taken}
    return {n: asked.get(field_types.name_words(n), s) for n, s in kept.items()}


def noun_columns(noun: Noun) -> Columns:
    """Return the columns of the longest known phrase that the noun ends with, generic words left out.

    >>> list(noun_columns(("stock", "price", "history")))
    ['open', 'high', 'low', 'close', 'volume']
    """
    words = [w for w in noun if w not in ("detail", "info", "information")] or list(noun)
    whole = " ".join(w for w in words if w not in _VIEWS) or " ".join(words)
    if whole in fact_words.WHOLE_NOUNS:
        return dict(fact_words.WHOLE_NOUNS[whole])
    for at in range(len(words)):
        phrase = " ".join(words[at:])
        if phrase in fact_words.NOUN_FIELDS:
            return dict(fact_words.NOUN_FIELDS[phrase])
    if len(words) > 1 and words[-1] == "data":
        return noun_columns(tuple(words[:-1]))
    return {}


def usual_columns(noun: Noun) -> Columns:
    """Return the columns that a noun promises, or those that a thing of that name usually has.

    >>> list(usual_columns(("payment",)))
    ['amount', 'currency', 'status', 'created_at']
    """
    plain = tuple(w for w in noun if w not in _VIEWS) or noun
    return known_things.phrase(noun) or noun_columns(noun) or known_things.columns(plain)


def described(text: str) -> Columns:
    """Return the columns that a description lists.

    >>> list(described("Get a stock quote, including price, day high and trading volume."))
    ['price', 'day_high', 'trading_volume']
    """
    result: Columns = {}
    first = _FIRST.match(text.strip())
    named = _name(first["what"]) if first and not _PARTS.search(first["what"]) else ""
    if named and not named.endswith(("name", "id", "title", "url")):
        result[named] = field_schema(named) or {}
    for phrase in _phrases(text):
        for part in _PARTS.split(phrase):
            name = _name(part)
            if name and len(result) < _MOST:
                result.setdefault(name, field_schema(name) or {})
    return result


def field_schema(name: str) -> dict[str, Any] | None:
    """Return the values of a field whose name ends with a known quantity, None if it ends with none."""
    words = field_types.name_words(name)
    if not words:
        return None
    if words[-2:] == ("date", "time") or (words[-1] == "time" and set(words[:-1]) & _HAPPENED):
        return {"type": "string", "format": "date-time"}
    found = fact_words.FIELD_WORDS.get(words[-1]) or fact_words.FIELD_WORDS.get(singular(words[-1]))
    return dict(found) if found else None


def _phrases(text: str) -> list[str]:
    """Lists in the part of a description that says what comes back."""
    result: list[str] = []
    section, listing = "intro", False
    for number, line in enumerate(text[:4000].splitlines()):
        if section == "intro" and number > 12:
            section = "inputs"
        bullet = _BULLET.match(line)
        heading = _HEADING.match(line)
        if heading and not bullet:
            head = heading["head"].strip().lower()
            if head.startswith(_INPUTS):
                section = "inputs"
            elif head.startswith(_OUTPUTS):
                section = "outputs"
                result.append(heading["rest"])
        if section == "inputs":
            continue
        if bullet and (section == "outputs" or listing):
            if bullet["name"].lower() not in ("count", "total", "results", "success", "query", "status", "error"):
                result.append(bullet["name"])
            continue
        listing = (line.rstrip().endswith((":", "：")) and bool(_LISTS.search(f"{line} x"))) or (listing and not line)
        result += [match["what"] for match in _LISTS.finditer(line)]
        result += [m["what"] for m in _INSIDE.finditer(line) if re.search(r"[,/]", m["what"])]
    return result


def _name(part: str) -> str:
    """Return the field name of one phrase, "" if it is none."""
    number = re.match(r"\s*(?:the\s+)?number of\s+(?P<what>[A-Za-z]+)", part, re.IGNORECASE)
    text = number["what"] if number else _CUT.sub("", part)
    text = re.sub(r"\([^)]*\)|[`\"'*%]", " ", text)
    words = re.findall(r"[A-Za-z][A-Za-z0-9_]*", text)
    while words and words[0].lower() in _IDLE:
        words.pop(0)
    snake = "_".join("_".join(field_types.name_words(w)) for w in words)
    if words[-2:-1] and words[-2].lower() in ("price", "data", "trading") and words[-1].lower() == "points":
        return ""
    fits = 1 <= len(words) <= 3 and snake.isidentifier() and len(snake) <= 40
    if not fits or any(w.lower() in _IDLE for w in words):
        return ""
    if number:
        return snake if field_schema(snake) else f"{snake}_count"
    return _in_singular(snake) if field_schema(snake) is not None else ""


def _in_singular(name: str) -> str:
    """``end_dates`` is a column ``end_date`` of each record; ``views`` is a number of them."""
    schema = field_schema(name) or {}
    head, _, last = name.rpartition("_")
    if last in fact_words.FIELD_WORDS or schema.get("type") in ("integer",):
        return name
    return f"{head}_{singular(last)}" if head else singular(last)


def _declared(output: dict[str, Any]) -> Columns:
    """Return the plain fields of one record in a declared output."""
    properties = output.get("properties")
    if not isinstance(properties, dict):
        return {}
    if len(properties) == 1:
        inner = next(iter(properties.values()))
        inner = inner if isinstance(inner, dict) else {}
        inner = inner.get("items") if schema_type(inner) == "array" else inner
        inner = inner.get("properties") if isinstance(inner, dict) else None
        properties = inner if isinstance(inner, dict) else properties
    lists = [s for s in properties.values() if schema_type(s) == "array" and isinstance(s.get("items"), dict)]
    if len(lists) == 1 and isinstance(lists[0]["items"].get("properties"), dict):
        properties = lists[0]["items"]["properties"]
    return {
        name: field_types.column(schema)
        for name, schema in properties.items()
        if schema_type(schema) in ("number", "integer", "string", "boolean")
        and name.isidentifier()
        and field_types.name_words(name) not in (("success",), ("error",), ("message",), ("result",))
    }
