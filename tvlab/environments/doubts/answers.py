"""Doubts about which records a read answers: those that the text asks for, in its words, by its defaults.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import answer_options, field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.meanings import Meaning
from tvlab.foundation.words import singular, split_name

_READS = frozenset({"read", "list", "search", "fact", "batch_read", "count"})
_LANGUAGE = re.compile(
    r"\b(?:KQL|JQL|CQL|SQL|SOQL|OData|Lucene|GraphQL|regex|regular expression|filter expression"
    r"|query (?:language|syntax|string|operators?)|search (?:syntax|operators?)|boolean (?:operators?|query))\b"
    r"|\b\w+:\S+ (?:AND|OR) \w+|\b(?:from|to|subject|is|has|in|label|type|author|topic):\w+",
)
_BY_DEFAULT = re.compile(
    r"\bby default,? (?:[\w']+ ){0,4}(?:does ?n[o']t|do not|don't) (?:return|include|show|list)\b"
    r"|"
    r"\bby default,? (?:it )?(?:only|returns? only|shows? only|lists? only|excludes?|omits?|hides?)\b"
    r"|\bonly (?:\w+ ){1,3}(?:are|is) (?:returned|listed|shown|included) by default\b|\bexcludes? \w+ by default\b",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"^\W*(?:get|gets|run|runs|generate|list|lists|retrieve|retrieves|fetch|shows?)\s+(?:an?|the)\s+"
    r"(?:[A-Za-z&-]+\s+){0,5}?(?:report|breakdown|trial balance)\b",
    re.IGNORECASE,
)
#: nouns of many without a plural
_MASS = frozenset("news media feedback inventory equipment traffic table".split())
_FORMS = frozenset("txt pdf csv json xml xlsx docx desktop image audio video log markdown local remote".split())
_ABSENT = re.compile(
    r"\bfound[:=] ?false\b|\b(?:returns?|gives?|answers?) (?:null|none|nothing|an? empty \w+|false) (?:if|when|for)\b"
    r"|\b(?:null|none|empty) if (?:no|not|there)\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"(?:lists?|gets?|retrieves?|fetch(?:es)?|returns?|shows?)\s+(?:all |the |of |every |available |your |a list of )*"
    r"(?P<what>[A-Za-z]+)\b(?=\s+(?:for|of|in|from|on|with|by|that|which|within|across)\b|[.,]|\s*$)",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    r"\b(?:split|divided|separated|broken down|grouped|categori[sz]ed) (?:in)?(?:to|by)\b", re.IGNORECASE
)
_PARTIAL = re.compile(
    r"\bfirst or last name|\bpartial\b|\bpart of\b|\bname or (?:part|fragment)|\bfuzzy\b", re.IGNORECASE
)
_BOUNDS = (("from", "to"), ("start_date", "end_date"), ("startDate", "endDate"), ("start", "end"), ("since", "until"))
_HISTORY = re.compile(r"\bhistor(?:y|ical)|\bcalendar\b|\bover time\b|\btrends?\b|\bdaily\b", re.IGNORECASE)
_SORTED = re.compile(r"\b(?:sorted|ordered|ranked) by (?!default)(?:the )?\w+", re.IGNORECASE)
_KIN = frozenset("child children parent descendant ancestor sibling".split())
#: fields that a search of texts is about
_SOUGHT = frozenset(
    "name title text content body description subject summary message label headline comment caption snippet topic "
    "note question answer abstract username key path symbol company bio value code".split()
)


def query_language(meaning: Meaning, domain: Domain) -> str:
    """A query in a language of its own is sought as plain text."""
    if meaning.operation not in _READS:
        return ""
    for role in meaning.of("query"):
        match = _LANGUAGE.search(f"{role.parameter.description} {meaning.tool.description if role.required else ''}")
        if match and role.required:
            return f"{role.dotted}: {match[0]}"
    return ""


def textless(meaning: Meaning, domain: Domain) -> str:
    """A search of records that bear no name and no text."""
    asked = meaning.operation in _READS and meaning.of("query")
    return meaning.entity.title if asked and not has_texts(meaning.entity) else ""


def has_texts(entity: Entity) -> bool:
    """True if records bear a name or a text that one would search for."""
    texts = {field_types.name_words(f)[-1] for f in entity.text_fields if field_types.name_words(f)}
    return bool(texts & _SOUGHT) or entity.key_kind == "natural"


def aimless(meaning: Meaning, domain: Domain) -> str:
    """A search without any criterion left: it would answer everything."""
    tool = meaning.tool
    if meaning.operation not in ("list", "search", "fact") or tool.kind != "search":
        return ""
    roles = meaning.of("query", "filter", "reference", "within", "key")
    gone = {path for path, _ in meaning.narrowed}
    asked = [p for p in tool.parameters if p.name in gone and not answer_options.is_answer_option(p)
             and p.snake not in words_of.PAGING]  # fmt: skip
    return ", ".join(p.name for p in asked[:4]) if asked and not roles else ""


def defaults(meaning: Meaning, domain: Domain) -> str:
    """The text says what is left out by default, and nothing here leaves it out."""
    match = _BY_DEFAULT.search(meaning.tool.description)
    if meaning.operation not in ("list", "search", "count") or match is None:
        return ""
    kept = [r for r in meaning.of("filter") if r.parameter.schema.get("default") is not None]
    return "" if kept else match[0].lower()


def narrower(meaning: Meaning, domain: Domain) -> str:
    """A filter that leaves something out unless told otherwise ("open" of open, closed, all) was taken away."""
    gone = {path for path, _ in meaning.narrowed}
    if meaning.operation not in ("list", "search", "count"):
        return ""
    return next(
        (p.name for p in meaning.tool.parameters
         if p.name in gone and set(map(str, p.enum or ())) & answer_options.ALL
         and str(p.schema.get("default", "all")) not in answer_options.ALL),
        "",
    )  # fmt: skip


def unit(meaning: Meaning, domain: Domain) -> str:
    """A unit with a default was taken away, and the records have units of their own."""
    if meaning.operation not in _READS:
        return ""
    gone = {path for path, _ in meaning.narrowed}
    columns = {field_types.name_words(f)[-1:] for f in meaning.entity.fields}
    return next(
        (p.name for p in meaning.tool.parameters
         if p.name in gone and p.words[-1:] in (("currency",), ("unit",), ("units",)) and p.words[-1:] in columns
         and p.schema.get("default") is not None),
        "",
    )  # fmt: skip


def one_of_many(meaning: Meaning, domain: Domain) -> str:
    """One record answers where the noun speaks of many: the news."""
    tool = meaning.tool
    picked = meaning.of("key")
    many = tool.noun[-1:] and (tool.noun[-1] in _MASS) and not picked
    return tool.noun[-1] if many and meaning.operation in ("fact", "read") else ""


def kin(meaning: Meaning, domain: Domain) -> str:
    """The children of a block are blocks, no things of a kind of their own."""
    last = meaning.entity.noun[-1]
    alone = len(meaning.entity.noun) > 1 and last in _KIN
    inner = {"child", "sub"} & set(meaning.entity.noun[:-1])
    whole = tuple(w for w in meaning.entity.noun if w not in ("child", "sub"))
    seen = [e for e in domain.entities.values() if not e.hidden]
    whole = tuple(dict.fromkeys(whole))
    alone = alone or bool(inner and any(whole[-len(e.noun) :] == e.noun for e in seen))
    return meaning.entity.title if alone and (meaning.operation in _READS or (inner and meaning.writes)) else ""


def shadow(meaning: Meaning, domain: Domain) -> str:
    """Rows beside the things of that noun, which other tools take the ids of."""
    entity = meaning.entity
    if entity.fact is None or entity.noun[-1] != "record":
        return ""
    known = domain.entities.get("_".join(entity.noun[:-1]))
    if known is None or known.fact is not None or known.key_kind == "natural":
        return ""
    mine = [t for t in domain.tools if domain.own.get(t.name) is known]
    written = any(t.kind not in ("read", "list", "search", "count", "unknown", "") for t in mine)
    taken = any(f.reference == known.name and f.direct for e in domain.entities.values() for f in e.fields.values())
    return known.title if written or taken else ""


def absent(meaning: Meaning, domain: Domain) -> str:
    """The text says what is answered if there is no such thing; here that is refused."""
    match = _ABSENT.search(meaning.tool.description)
    return match[0].lower() if match and meaning.operation in ("read", "fact") else ""


def ordered(meaning: Meaning, domain: Domain) -> str:
    """The rows are sorted by a measure, and nothing here sorts them."""
    match = _SORTED.search(re.split(r"\n\s*(?:Args|Parameters|Returns)\b", meaning.tool.description)[0][:600])
    if meaning.operation not in ("list", "search") or match is None or meaning.newest or meaning.of("sort"):
        return ""
    ranks = getattr(meaning.entity.fact, "order", "") if meaning.entity.fact else ""
    return "" if ranks else match[0].lower()


def values_of(meaning: Meaning, domain: Domain) -> str:
    """A range of cells without what the cells hold."""
    last = meaning.entity.noun[-1]
    if meaning.operation not in _READS or last not in ("range", "cell", "row", "column"):
        return ""
    held = {word for f in meaning.entity.fields for word in field_types.name_words(f)}
    return "" if held & {"value", "values", "data", "formula", "formulas", "text", "cells"} else meaning.entity.title


def opaque_part(meaning: Meaning, domain: Domain) -> str:
    """The part that is told is an object of which nothing is declared."""
    f = meaning.entity.fields.get(meaning.column) if meaning.column else None
    bare = f is not None and f.type == "object" and not f.schema.get("properties")
    bare = bare or meaning.column in ("setting", "settings", "config", "configuration")
    return meaning.column if bare and meaning.operation in ("read", "fact") else ""


def another_object(meaning: Meaning, domain: Domain) -> str:
    """The description's object is none of the words of the name or of the thing: a calendar, "List all events"."""
    if meaning.operation not in ("list", "search", "read", "fact") or meaning.column:
        return ""
    text = re.sub(r"^\s*\[[^\]]*\]\s*", "", meaning.tool.description)
    match = _OBJECT.match(text)
    if match is None:
        return ""
    word = singular(match["what"].lower())
    known = {*meaning.entity.noun, *meaning.tool.noun, *(singular(w) for w in split_name(meaning.tool.name))}
    noun = meaning.tool.noun
    many = match["what"].lower() != word
    if many and meaning.operation in ("list", "search") and word in noun[:-1] and word != noun[-1]:
        return f"{word}: {' '.join(noun)}"
    known |= {word for f in meaning.entity.fields for word in field_types.name_words(f)}
    other = domain.entities.get(word)
    return f"{word}: {meaning.entity.title}" if word not in known and other is not None and not other.fact else ""


def parts_apart(meaning: Meaning, domain: Domain) -> str:
    """The answer is told to be split into parts, and the records do not say to which one they belong."""
    match = _SPLIT.search(meaning.tool.description[:300])
    return match[0].lower() if match and meaning.operation in ("list", "search", "read", "fact") else ""


def part_of_name(meaning: Meaning, domain: Domain) -> str:
    """A part of a name is enough for the real tool: "first or last name", compared as a whole here."""
    for role in meaning.of("filter", "key"):
        match = _PARTIAL.search(role.parameter.description)
        if match and role.op == "==" and role.required and meaning.operation in _READS:
            return f"{role.dotted}: {match[0].lower()}"
    return ""


def undated(meaning: Meaning, domain: Domain) -> str:
    """Rows of a history whose bounds in time were taken away, for want of a date."""
    gone = {path.rstrip("_") for path, _ in meaning.narrowed}
    bounds = [pair for pair in _BOUNDS if set(pair) <= gone]
    told = _HISTORY.search(meaning.tool.description[:300])
    return "/".join(bounds[0]) if bounds and told and meaning.operation in ("list", "search") else ""


def files_of_a_kind(meaning: Meaning, domain: Domain) -> str:
    """Files of one kind or place are told apart by nothing that a record holds."""
    found = set(meaning.entity.noun) & _FORMS if meaning.entity.noun[-1] == "file" else set()
    return " ".join(sorted(found)) if meaning.operation in _READS else ""


def report(meaning: Meaning, domain: Domain) -> str:
    """The description calls the answer a report: a computation over other records."""
    match = _REPORT.search(meaning.tool.description[:160])
    if meaning.operation not in ("list", "fact", "search") or match is None:
        return ""
    made = any(domain.own.get(t.name) is meaning.entity and t.kind in ("create", "update") for t in domain.tools)
    return "" if made or set(meaning.entity.noun) & {"report"} else match[0].lower().split()[-1]
