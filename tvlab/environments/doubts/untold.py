"""Doubts about what a text says of an answer or of a value in passing, and nothing here keeps.

Counts and measures that are worked out at the call, contents that are searched or paged through and are in no
column, values that are completed before they are used, times and states that a record starts with.  Each test
returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.meanings.steering import said_of
from tvlab.foundation.words import singular

_LISTS = frozenset({"list", "search"})
_READS = frozenset({"list", "search", "read", "fact", "batch_read"})
_TEXTS = frozenset("content text body passage excerpt message".split())
_COUNTED = re.compile(r"\bmatch(?:ing)? counts?\b|\bnumber of (?:matches|hits|occurrences)\b", re.IGNORECASE)
_SEARCHED = re.compile(
    r"^\W*search(?:es)? (?:through|across|within|in|for [^.]{3,40} (?:in|across))\b[^.]{0,50}"
    r"(?:\bcontents?\b|\bfiles for (?:specific )?\w+)",
    re.IGNORECASE,
)
_WORKED_OUT = re.compile(
    r"\band (?:calculate|compute|estimate)s? (?:the |its |their )?(?P<what>\w+(?: \w+)?)", re.IGNORECASE
)
_COMPLETED = re.compile(
    r"\b(?:appended|prepended|added) automatically\b|\bautomatically (?:appended|prepended)\b"
    r"|\bfor weekends (?:and|or) holidays\b",
    re.IGNORECASE,
)
_OF_TEXT = re.compile(r"\bnumber of (?:characters|lines|words|tokens)\b", re.IGNORECASE)
_STARTS_AT = re.compile(
    r"\b(?:seeds?|sets?|initiali[sz]es?) (?P<what>\w+) to (?:the |its )?(?:creation|current) (?:time|date)\b",
    re.IGNORECASE,
)
_TAKES_OVER = re.compile(r"\bif an? [^.;]{3,80} exists, (?:it|that one) (?:will )?becomes?\b", re.IGNORECASE)
_BETWEEN = re.compile(
    r"^\W*(?:creates?|adds?|makes?) (?:multiple |new |an? |several )*\w+ between (?P<what>\w+)\b", re.IGNORECASE
)
_OF_ITS = re.compile(
    r"\ball (?:of )?(?:its|the|their) (?:associated|related) (?:data \()?(?P<what>[\w ,]{3,60})", re.IGNORECASE
)
_FOR_ONE = r"\bfor an? (?:specific|given|particular) (?:\w+ ){{0,2}}(?:{words})"


def counts_matches(meaning: Meaning, domain: Domain) -> str:
    """How often the query matches is told to come back, and no record can hold that."""
    match = _COUNTED.search(unwrapped(meaning.tool.description)[:300]) if meaning.operation in _LISTS else None
    return match[0].lower() if match and meaning.of("query", "filter") else ""


def searches_contents(meaning: Meaning, domain: Domain) -> str:
    """Contents are searched, and no column holds any."""
    match = _SEARCHED.search(unwrapped(meaning.tool.description)[:200]) if meaning.operation in _LISTS else None
    held = {w for name in meaning.entity.fields for w in field_types.name_words(name)}
    return match[0].strip().lower() if match and meaning.of("query") and not held & _TEXTS else ""


def works_out(meaning: Meaning, domain: Domain) -> str:
    """A measure is told to be worked out at the call, and no column bears it."""
    match = _WORKED_OUT.search(unwrapped(meaning.tool.description)[:300]) if meaning.operation in _READS else None
    held = {singular(w) for name in meaning.entity.fields for w in field_types.name_words(name)}
    told = {singular(w) for w in match["what"].lower().split()} if match else set()
    return match[0].lower() if match and not told & held else ""


def completed(meaning: Meaning, domain: Domain) -> str:
    """A value is told to be completed before it is used, and is compared or stored as it comes."""
    lines = re.split(r"\n(?=[ \t]*\w+ ?\()", meaning.tool.description)
    for role in meaning.of("key", "filter", "reference", "payload"):
        starts = tuple(f"{role.parameter.name}{space}(" for space in ("", " "))
        own = [line for line in lines if line.lstrip(" \t").startswith(starts)]
        match = _COMPLETED.search(" ".join([said_of(role.parameter, meaning.tool), *own]))
        if match and role.op in ("", "=="):
            return f"{role.dotted}: {match[0].lower()}"
    return ""


def pages_of_text(meaning: Meaning, domain: Domain) -> str:
    """Pages of so many characters are told, so the answer is a text, and no column holds one."""
    if meaning.operation not in ("read", "fact"):
        return ""
    gone = {path for path, _ in meaning.narrowed}
    held = {w for name in meaning.entity.fields for w in field_types.name_words(name)}
    told = [p for p in meaning.tool.parameters if p.name in gone and _OF_TEXT.search(said_of(p, meaning.tool))]
    return told[0].name if told and not held & _TEXTS else ""


def starts_at(meaning: Meaning, domain: Domain) -> str:
    """A time is told to start with the making, and what is made has none."""
    if meaning.operation not in ("create", "upsert"):
        return ""
    match = _STARTS_AT.search(unwrapped(meaning.tool.description))
    return match[0].lower() if match else ""


def takes_over(meaning: Meaning, domain: Domain) -> str:
    """What is removed is told to be followed by another of the same key."""
    match = _TAKES_OVER.search(unwrapped(meaning.tool.description)) if meaning.operation == "delete" else None
    return match[0].lower() if match else ""


def free_between(meaning: Meaning, domain: Domain) -> str:
    """Connections are made between things that are here, and their ends name none of them."""
    if meaning.operation not in ("create", "batch_create"):
        return ""
    match = _BETWEEN.search(unwrapped(meaning.tool.description))
    noun = singular(match["what"].lower()) if match else ""
    ends = [e for e in domain.entities.values() if e.noun[-1:] == (noun,) and not e.hidden and e is not meaning.entity]
    tied = any(f.reference in {e.name for e in ends} for f in meaning.entity.fields.values())
    return noun if ends and not tied else ""


def left_behind(meaning: Meaning, domain: Domain) -> str:
    """Records of another table are told to go with one, and do not know what they belong to."""
    match = _OF_ITS.search(unwrapped(meaning.tool.description)) if meaning.operation == "delete" else None
    nouns = {singular(w) for w in re.findall(r"\w+", match["what"].lower())} if match else set()
    others = [e for e in domain.entities.values() if not e.hidden and e.noun[-1] in nouns and e is not meaning.entity]
    return next((e.title for e in others if meaning.entity.name not in e.parents.values()), "")


def of_given(meaning: Meaning, domain: Domain) -> str:
    """Things of a specific one are told, and what would say of which was taken away."""
    if meaning.operation not in _READS or meaning.of("key", "filter", "reference", "query"):
        return ""
    gone = {path for path, reason in meaning.narrowed if "required" not in reason}
    text = meaning.tool.description[:200]
    for p in meaning.tool.parameters:
        words = [w for w in p.words if w not in ("id", "name", "code")] if p.name in gone else []
        if words and re.search(_FOR_ONE.format(words="|".join(map(re.escape, words))), text, re.IGNORECASE):
            return p.name
    return ""


def other_place(meaning: Meaning, domain: Domain) -> str:
    """Many records are read by where they lie, and others pick them by a key that the place is to be made of."""
    roles = [r for r in meaning.of("filter", "reference") if r.required and r.op == "in"]
    column = (
        meaning.entity.fields.get(roles[0].field or "") if len(roles) == 1 and meaning.operation == "list" else None
    )
    place = column is not None and field_types.name_words(column.name)[-1] in ("path", "url", "uri", "slug")
    if column is None or not place or column.reference or meaning.tool.kind != "read":
        return ""
    others = [tool for tool in domain.tools_on(meaning.entity) if tool.kind in ("read", "delete", "update")]
    keyed = any(tool is not meaning.tool and domain.key_parameter(tool, meaning.entity) for tool in others)
    return column.name if keyed else ""


def timeless_rows(meaning: Meaning, domain: Domain) -> str:
    """Rows of opening and closing prices follow one another in time, and none bears a time."""
    if meaning.operation not in _LISTS or not {"open", "high", "low", "close"} <= meaning.entity.fields.keys():
        return ""
    dated = any(field_types.is_moment(name, f.schema) for name, f in meaning.entity.fields.items())
    return "" if dated else meaning.entity.title


def rates_of_one(meaning: Meaning, domain: Domain) -> str:
    """Rates of exchange lie between two currencies, and the rows name one at most."""
    if meaning.operation not in _LISTS or meaning.entity.noun[-2:] != ("exchange", "rate"):
        return ""
    texts = {name: f.schema for name, f in meaning.entity.fields.items() if f.type == "string"}
    ends = [name for name, schema in texts.items() if not field_types.is_moment(name, schema)]
    return meaning.entity.title if len(ends) < 2 and not meaning.writes else ""
