"""Rules about single values that only a text states, as JSON Schema keywords: a format, a range, a length, a list.

``"Due date (YYYY-MM-DD)"`` becomes a pattern, ``"(1-50, default 20)"`` bounds, ``"One of 'low', 'high'"`` an enum.
Only a rule whose meaning is certain counts: a text that leaves another form open ("or a relative date") states
none.  The published schemas carry the keywords, so that a call which breaks a stated rule is refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.language.argument_lines import argument_line, led_sentence
from tvlab.environments.language.stated_numbers import item_bounds, length_bounds, number_bounds
from tvlab.environments.language.told_values import told_values
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.stated_needs import with_needs

_DAY = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]"
_ZONE = r"(Z|[+-][0-9]{2}:?[0-9]{2})"
DATE = f"^{_DAY}$"
MOMENT = f"^{_DAY}([T ]{_CLOCK}(:[0-5][0-9]([.,][0-9]+)?)?{_ZONE}?)?$"
_TIMED = f"^{_DAY}T{_CLOCK}:[0-5][0-9]([.,][0-9]+)?{_ZONE}?$"
_HEX = "[0-9a-fA-F]"
_PHONE = r"^\+[0-9]{7,15}$"
#: what a text says of a value's form, and the pattern of that form; the first that is said counts
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(said, re.IGNORECASE), pattern)
    for said, pattern in (
        (r"\bYYYY-MM-DDTHH:MM(?::SS)?\b", _TIMED),
        (r"\bYYYY-MM-DD\b(?![T ]*HH)", DATE),
        (r"\bISO[- ]?8601\b|\bRFC ?3339\b|\bISO date(?:time)?\b|\bISO (?:format(?:ted)? )?string\b", MOMENT),
        (r"(?<!:)\bHH:MM:SS\b", f"^{_CLOCK}:[0-5][0-9]$"),
        (r"(?<!:)\bHH:MM\b(?!:)", f"^{_CLOCK}$"),
        (r"\bISO 4217\b|\b(?:3|three)[- ]letter (?:ISO )?(?:currency|country)\b", "^[A-Za-z]{3}$"),
        (r"\bISO 3166(?:-1)? (?:alpha[- ]?2|2[- ]letter)\b|\bISO 639-1\b", "^[A-Za-z]{2}$"),
        (r"\b2[- ]letter (?:ISO )?(?:country |language )?code\b", "^[A-Za-z]{2}$"),
        (r"\bE\.164\b", _PHONE),
        (r"\bhex(?:adecimal)? (?:colou?r|string|code)\b|\bcolou?r\b[^.\n]{0,20}\bhex\b",
         f"^#?({_HEX}{{3}}|{_HEX}{{6}}|{_HEX}{{8}})$"),
        (r"\b(?:in|as an?|valid|must be an?) UUID\b|\bUUID format\b",
         f"^{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}$"),
        (r"\b(?:must be|must use|must start with|make use of the) ['\"`]?https\b", "^https://"),
        (r"\bmust be a valid url\b|\bfull url\b|\babsolute url\b", "^[A-Za-z][A-Za-z0-9+.-]*://[^ ]+$"),
    )
)  # fmt: skip
#: the days, moments and clock times among them: the forms that a list of texts may have
_LISTED_FORMS = 5
_E164 = re.compile(r"\bE\.164\b", re.IGNORECASE)
_EACH = re.compile(
    r"\beach (?:\w+ )?must (?:have|include|contain) (?:an? |the )?[`'\"](?P<name>\w+)[`'\"]",
    re.IGNORECASE,
)
_EMAIL = re.compile(
    r"^\W*(?:(?:the|a|an|new|optional|user's|valid|your) )*(?:[\w']+ ){0,2}e-?mail address\b", re.IGNORECASE
)
_EMAIL_FORM = r"[^ @]+@[^ @]+\.[^ @]+"
#: words that leave another form open
_OPEN = re.compile(
    r"\bor\b(?! (?:null|none|omit|omitted|later|earlier|after|before|greater|less|more|equal)\b)"
    r"|\brelative\b(?! to (?:the |a )?user)|\bnatural\b|\btoday\b|\btomorrow\b|\bnow\b|\bduration\b|\bepoch\b|\bunix\b"
    r"|\bcomma\b|\bseparated\b|\blist of\b|\.\.|\bJSON\b|\brange\b"
    r"|\bwildcard|\bprefer|\brecommended\b|\bENS\b|\bif\b|\bplaceholder|\baddresses\b|\bdisplay name\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\s*\((?:e\.?\s?g\.?|for example|for instance|such as|example|ex)\b[^()]*\)"
    r"|\b(?:e\.?g\.?|for example|example:|examples:|such as)[^.;\n]*",
    re.IGNORECASE,
)
_CLEARED = re.compile(r"\bempty (?:string )?(?:to|for|will|clears|removes)\b|[\"'`]{2} (?:to|for)\b", re.IGNORECASE)
_LOOSE_LIST = re.compile(
    r"\bcase[- ]insensitive\b|\bmultiple\b|\bcombin|\bcomma\b|\bseparated\b|\bJSON\b|\bvalues? includes?\b|\bcustom\b"
    r"|\bmust be provided\b|\brequired\b.{0,20}\bboth\b|\bcommon(?:ly)?\b|\btypically\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:must|may|can|should)(?: ?not|n't) (?:be|lie) in the past\b|\bnot in the past\b"
    r"|\bmust (?:be|lie) in the future\b|\bmust not be a past date\b",
    re.IGNORECASE,
)
#: a schema that says the form, or bounds the length, of a text has its own idea of it
_SETTLED = frozenset({"enum", "const", "format", "pattern", "minLength", "maxLength"})
#: what a text may add to a schema
KEYWORDS = frozenset("enum pattern minimum maximum exclusiveMinimum minLength maxLength minItems maxItems".split())
_DEEPEST = 6


def text_of(name: str, schema: dict[str, Any], description: str) -> str:
    """Return what the texts say of a parameter: its own, its line among the arguments, a sentence that it leads.

    >>> text_of("due", {"description": "The date."}, "Make a task. due is YYYY-MM-DD. It is open.")
    'The date. due is YYYY-MM-DD'
    """
    own = schema.get("description")
    told = _told_of(name, schema_type(schema), description) if description else ()
    parts = [own.strip() if isinstance(own, str) else "", *told]
    return " ".join(part for part in dict.fromkeys(parts) if part)


@lru_cache(maxsize=16384)
def _told_of(name: str, kind: str, description: str) -> tuple[str, ...]:
    """What the text of a tool says of a parameter of a type: in its line, in a sentence that it leads, of its size."""
    text = unwrapped(description)
    return argument_line(name, text).strip(), led_sentence(name, text).strip(), _bounds_told(name, kind, text)


def _bounds_told(name: str, kind: str, description: str) -> str:
    """What the first sentences say of the size of a value: ``Update up to 10 records``, ``(max 2,000 characters)``."""
    beside = re.search(rf"`{re.escape(name)}` (?P<text>\([^()\n]*\))", description) if name in description else None
    if beside:
        return beside["text"]
    if kind == "array" and "up to" in description.lower():
        many = re.search(rf"\bup to (?P<most>\d+) (?:[a-z]+ ){{0,2}}{re.escape(name)}\b", description, re.IGNORECASE)
        return f"(max {many['most']})" if many else ""
    long = _LENGTH_TOLD.search(description) if name in _CONTENTS and kind == "string" else None
    return (long["text"] or long[0]) if long else ""


_LENGTH_TOLD = re.compile(
    r"^[^.\n]*?(?P<text>\((?:max(?:imum)?|up to|at most) [\d,]+ char[^()\n]*\))"
    r"|\bmax(?:imum)?(?: \w+){0,2} size (?:is|of) \d+ ?KB\b",
    re.IGNORECASE,
)
_CONTENTS = frozenset("text content body message note comment script code".split())


def stated_keywords(name: str, schema: dict[str, Any], text: str, limit: bool = False) -> dict[str, Any]:
    """Return the keywords that a text states for a value and its schema does not have, {} if there are none.

    Args:
        name: of the parameter or property.
        schema: its schema.
        text: what is said of it.
        limit: it bounds the length of a list ("up to 100").

    >>> stated_keywords("priority", {"type": "string"}, 'One of "low", "med", "high".')
    {'enum': ['low', 'med', 'high']}
    >>> stated_keywords("limit", {"type": "integer"}, "Maximum number of rows (1-50, default 20)")
    {'minimum': 1, 'maximum': 50}
    >>> stated_keywords("due", {"type": "string"}, "Due date, YYYY-MM-DD or a relative date")
    {}
    """
    kind, text = schema_type(schema), unwrapped(text)
    if not text or "enum" in schema or "const" in schema:
        return {}
    if kind in ("integer", "number"):
        found = number_bounds(schema, text, limit)
    elif kind == "array":
        found = item_bounds(schema, text)
    elif kind == "string" and not _SETTLED & set(schema):
        found = _of_text(name, text)
    else:
        found = length_bounds(schema, text) if kind == "string" else {}
    return found if _keeps_default(schema, found) else {}


def _of_text(name: str, text: str) -> dict[str, Any]:
    if _CLEARED.search(text):
        return {}
    values = told_values(text)
    if values and name not in values:
        return {} if _LOOSE_LIST.search(text) or field_types.is_id_name(name) else {"enum": values}
    plain = _EXAMPLE.sub("", text)
    if not _OPEN.search(plain):
        found = next((pattern for said, pattern in _FORMS if said.search(plain)), "")
        if not found and _EMAIL.search(plain) and {"email", "mail", "e"} & set(field_types.name_words(name)):
            found = _EMAIL_FORM
        if found:
            return {"pattern": found}
    return length_bounds({}, text)


def _keeps_default(schema: dict[str, Any], found: dict[str, Any]) -> bool:
    """False if the declared default would break what the text is read to say."""
    default = schema.get("default")
    if default is None or not found:
        return True
    if isinstance(default, str):
        long = found.get("minLength", 0) <= len(default) <= found.get("maxLength", len(default))
        return long and default in found.get("enum", [default]) and bool(re.search(found.get("pattern", ""), default))
    if isinstance(default, (int, float)) and not isinstance(default, bool):
        low = max(found.get("minimum", default), found.get("exclusiveMinimum", default - 1) + 1e-9)
        return bool(low <= default <= found.get("maximum", default))
    return True


def with_stated(
    name: str, schema: dict[str, Any], text: str, limit: bool = False, skip: Collection[str] = (), depth: int = 0
) -> dict[str, Any]:
    """Return a schema with the keywords that its text states, and those of the objects inside it.

    Args:
        name: of the parameter or property.
        schema: its schema, left as it is.
        text: what is said of it.
        limit: it bounds the length of a list.
        skip: names of inner properties that stay as they are.
        depth: how many objects it lies in.
    """
    found = stated_keywords(name, schema, text, limit)
    result = with_needs({**schema, **found}) if depth else {**schema, **found}
    kinds = schema.get("type")
    if "enum" in found and (isinstance(kinds, list) and "null" in kinds):
        result["enum"] = [*found["enum"], None]
    inner = schema.get("properties")
    if isinstance(inner, dict) and depth < _DEEPEST:
        result["properties"] = {
            key: part if key in skip or not isinstance(part, dict) or field_types.is_id_name(key)
            else with_stated(key, part, _own_text(part), depth=depth + 1)
            for key, part in inner.items()
        }  # fmt: skip
    items = schema.get("items")
    if isinstance(items, dict) and isinstance(items.get("properties"), dict) and depth < _DEEPEST:
        result["items"] = with_stated(name, items, "", skip=skip, depth=depth + 1)
    more = item_keywords(schema, text)
    if more:
        result["items"] = {**result["items"], **more}
    return result


def item_keywords(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the keywords that a text states for each item of a list, {} if there are none.

    >>> item_keywords({"type": "array", "items": {"type": "object"}}, "Teams (each must have an 'id' field)")
    {'properties': {'id': {'type': 'string'}}, 'required': ['id']}
    >>> len(item_keywords({"type": "array", "items": {"type": "string"}}, "Phone numbers in E.164 format"))
    1
    """
    items = schema.get("items")
    if schema_type(schema) != "array" or not isinstance(items, dict):
        return {}
    text = unwrapped(text)
    kind, name = schema_type(items), each_needs(text)
    if kind == "string" and not _SETTLED & set(items):
        plain = _EXAMPLE.sub("", text)
        found = next((pattern for said, pattern in _FORMS[:_LISTED_FORMS] if said.search(plain)), "")
        found = found or (_PHONE if _E164.search(plain) else "")
        return {"pattern": found} if found and not re.search(r"\bor\b|\brelative\b|\brange\b", plain) else {}
    if kind not in ("object", "any") or not name or name in items.get("required", []):
        return {}
    properties = items.get("properties") or {}
    told = {name: properties.get(name, {"type": "string"})}
    return {"properties": {**properties, **told}, "required": [*items.get("required", []), name]}


def each_needs(text: str) -> str:
    """Return the name that each item of a list must have, "" if none is told.

    >>> each_needs("Teams (each must have an 'id' field)"), each_needs("Each must have members.")
    ('id', '')
    """
    found = _EACH.search(unwrapped(text))
    return found["name"] if found else ""


def _own_text(part: dict[str, Any]) -> str:
    text = part.get("description")
    return text if isinstance(text, str) else ""


_LEAST = re.compile(
    r"\brequires? at least (?:an? |the )?"
    r"(?P<names>[`'\"]?\w+[`'\"]?(?:(?:, and |, | and )(?:an? |the )?[`'\"]?\w+[`'\"]?)*)(?! of\b)(?=[.,;:)\n]|$)",
    re.IGNORECASE,
)
_NO_NAMES = frozenset("one a an the and at least two or".split())


def needed_names(description: str) -> list[str]:
    """Return the names that a description calls the least that a call needs, [] if it names none.

    >>> needed_names("Create a company. Requires at least 'name' and 'domain'."), needed_names("Requires at least one.")
    (['name', 'domain'], [])
    """
    found = _LEAST.search(unwrapped(description))
    return [n for n in re.findall(r"\w+", found["names"]) if n.lower() not in _NO_NAMES] if found else []


def not_past(text: str) -> bool:
    """True if a moment must not lie in the past.

    >>> not_past("due_date is YYYY-MM-DD and may not be in the past."), not_past("Any day of the past")
    (True, False)
    """
    return bool(_PAST.search(unwrapped(text)))
