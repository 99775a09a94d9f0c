"""Parameters that steer an answer and say nothing of the records: pages, fields, units, credentials.

Such a parameter is never a filter and never a stored field.  Read off its words and its own description.
"""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain.tool_parsing import Parameter

_CREDENTIALS = frozenset(
    "api_key apikey access_token auth_token api_token token bearer_token refresh_token google_access_token "
    "service_key secret client_secret password credentials authorization auth_key auth user_agent "
    "useragent api_secret app_secret private_key x_api_key jwt cookie cookies".split()
)
_WHOLE = frozenset(
    "opt_fields fields select expand format verbose lang output_format response_format return_fields "
    "exclude_fields detail_level include_raw units unit timezone time_zone tz precision page_token "
    "skip_token skiptoken continuation top skip projection view output pretty full_data "
    "summarize excluderesponse consistency_level params headers relays timeout timeout_ms "
    "random_string encoding commitment granularity short".split()
)
#: values of a filter that mean: do not filter
ALL = frozenset("all any both * ALL ANY BOTH All Any Both everything".split())
_LAST = frozenset("limit limits offset cursor units timezone format skiptoken".split())
_TELLS = re.compile(
    r"\b(?:fields? (?:to|that should be) (?:include|return|retrieve|be returned)|properties to (?:include|return)"
    r"|next page|previous page|per page|page size|page number|pagination|continuation token"
    r"|(?:number|count|amount) of (?:results|items|records|entries|rows)"
    r"|(?:response|output|return|result) format|format of the (?:response|output|result)"
    r"|whether to (?:include|return|show|fetch|expand|summari[sz]e)"
    r"|access token|api key|authentication token)\b",
    re.IGNORECASE,
)
_SHOWN_IN = re.compile(
    r"\b(?:in which|price data|convert|display|quoted|denominat|prices? in|values? in|target currency|expressed)",
    re.IGNORECASE,
)
_SEPARATED = re.compile(
    r"\b(?:comma|semicolon|pipe|space)[- ]?(?:separated|delimited)|separated by (?:a )?(?:comma|semicolon)",
    re.IGNORECASE,
)
_LIKE = re.compile(
    r"\b(?:search|fuzzy|contain(?:s|ing)?|keywords?|partial(?:ly)?|substring|match(?:es|ing)?|text to find)\b",
    re.IGNORECASE,
)
_DATED = re.compile(r"\b(?:dates?|time|timestamp|iso[- ]?8601|yyyy|rfc ?3339|datetime|day)\b", re.IGNORECASE)


def is_credential(p: Parameter) -> bool:
    """True for a token or a password: who asks, not what is asked for."""
    joined = p.snake
    return joined in _CREDENTIALS or "".join(p.words) in _CREDENTIALS or (
        len(p.words) > 1 and joined.endswith(("_api_key", "_access_token", "_auth_token"))
    )  # fmt: skip


def is_answer_option(p: Parameter) -> bool:
    """True if a parameter of a read steers the answer: its pages, fields, units or form."""
    if not p.words:
        return True
    words, first, last = set(p.words), p.words[0], p.words[-1]
    if is_credential(p) or p.snake in _WHOLE or "".join(p.words) in _WHOLE:
        return True
    if (first == "fetch" and "all" in words) or {"skip", "token"} <= words or (len(p.words) > 1 and last in _LAST):
        return True
    if first in ("include", "with", "show", "return", "expand", "exclude", "fetch") and (
        p.type in ("boolean", "any") or first in ("include", "expand")
    ):
        return True
    if last == "currency" and (len(p.words) > 1 or _SHOWN_IN.search(p.description)) and not p.required:
        return True
    return bool(_TELLS.search(p.description)) and p.type != "object"


def says_separated(text: str) -> bool:
    """True for a text that says of a value that it is several, with a mark between them.

    >>> says_separated("Comma-separated list of ids"), says_separated("An id")
    (True, False)
    """
    return bool(_SEPARATED.search(text))


def is_separated(p: Parameter) -> bool:
    """True for a text that lists several values between commas."""
    return p.type == "string" and not p.enum and bool(_SEPARATED.search(p.description))


#: last words of what is compared as a whole unless a text says otherwise
EXACT = (("number",), ("code",), ("zip",), ("postcode",), ("reference",))

#: last words of what a filter compares as a whole: it holds one of a few values
_KINDS_OF = tuple((w,) for w in "exchange country sector industry status type category currency region".split())

PARTLY = re.compile(
    r"\bpartial(?:ly)?\b|\bsubstring\b|\bcontain(?:s|ing)?\b|\bfuzzy\b|\bcase[- ]insensitive|\bwildcards?\b|\bprefix\b"
    r"|\bstarts? with\b|\bmatch(?:es|ing)? (?:a )?part",
    re.IGNORECASE,
)
#: how many records a page has, under a name that does not say so
_PER_PAGE = re.compile(
    r"\b(?:number|amount|count|quantity|items|results|records|quantidade|registros|itens|cantidad|resultados)\b[^.]{0,20}"
    r"\b(?:per|a|por) (?:page|p[aá]gina)\b",
    re.IGNORECASE,
)


def is_page_length(p: Parameter) -> bool:
    """True for a number that is said to be the length of a page: ``show``, the records per page."""
    return p.type in ("integer", "number") and not p.required and bool(_PER_PAGE.search(p.description))


def is_sought(p: Parameter, verb: str, target: tuple[str, ...]) -> bool:
    """True if a text parameter is searched for in a field and not compared with it.

    A search searches by all its free texts but numbers and codes; elsewhere, and for these, the parameter's own
    description must say so.
    """
    if p.type != "string" or p.enum or p.is_id:
        return False
    if p.words[-1:] in EXACT:
        return bool(PARTLY.search(p.description))
    if p.words[-1:] in _KINDS_OF and re.match(r"\W*filter (?:\w+ )?by\b", p.description, re.IGNORECASE):
        return bool(PARTLY.search(p.description))
    if _LIKE.search(p.description):
        return True
    return verb in ("search", "query", "discover") or (verb == "find" and not target)


def names_date(p: Parameter) -> bool:
    """True if a parameter speaks of a date or a time."""
    text = f"{p.snake.replace('_', ' ')} {p.description} {p.schema.get('format', '')}"
    return bool(_DATED.search(text))


def counts_from_zero(schema: dict[str, Any]) -> bool:
    """True if the schema of a page number says that the first page is number 0.

    >>> counts_from_zero({"type": "integer", "description": "Page number (0-based)"})
    True
    """
    text = str(schema.get("description", "")).lower()
    told = any(w in text for w in ("0-based", "zero-based", "starting from 0", "starts at 0", "0-indexed"))
    told = told or bool(re.search(r"default(?:s to|:| is|=)?\s*0\b", text))
    return told or schema.get("minimum") == 0 or schema.get("default") == 0


def allows_null(schema: dict[str, Any]) -> bool:
    """True if a schema accepts an explicit null, so that a value may be missing although it was given.

    >>> allows_null({"type": ["integer", "null"]}), allows_null({"type": "integer"})
    (True, False)
    """
    kind = schema.get("type")
    parts = [part for word in ("anyOf", "oneOf") for part in schema.get(word) or [] if isinstance(part, dict)]
    return (isinstance(kind, list) and "null" in kind) or any(map(allows_null, parts)) or kind == "null"
