"""Doubts about which records a read answers: those that the text asks for, in its words, by its defaults.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments import answer_options, field_types
from tvlab.environments import vocabulary as words_of
from tvlab.environments.domain import Domain
from tvlab.environments.entities import Entity
from tvlab.environments.meanings import Meaning

_READS = frozenset({"read", "list", "search", "fact", "batch_read", "count"})
_LANGUAGE = re.compile(
    r"\b(?:KQL|JQL|CQL|SQL|SOQL|OData|Lucene|GraphQL|regex|regular expression|query (?:language|syntax|string|operators?)"
    r"|search (?:syntax|operators?)|filter expression|boolean (?:operators?|query))\b"
    r"|\b\w+:\S+ (?:AND|OR) \w+|\b(?:from|to|subject|is|has|in|label|type|author|topic):\w+",
)
_BY_DEFAULT = re.compile(
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
_MASS = frozenset("news media feedback inventory equipment traffic".split())
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
    return meaning.entity.title if alone and meaning.operation in _READS else ""


def report(meaning: Meaning, domain: Domain) -> str:
    """The description calls the answer a report: a computation over other records."""
    match = _REPORT.search(meaning.tool.description[:160])
    if meaning.operation not in ("list", "fact", "search") or match is None:
        return ""
    made = any(domain.own.get(t.name) is meaning.entity and t.kind in ("create", "update") for t in domain.tools)
    return "" if made or set(meaning.entity.noun) & {"report"} else match[0].lower().split()[-1]
