"""Doubts about what a list or search looks at and in what form it answers: open content, modes, masks, orders.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.language.wrapped_lines import unwrapped, without_brackets
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.meanings.steering import said_of
from tvlab.foundation.words import singular

_LISTS = frozenset({"list", "search"})
_READS = _LISTS | {"read", "fact", "batch_read", "count"}
_ALWAYS = re.compile(
    r"\balways (?:includes?|contains?) the\b|\b(?:is|are) always (?:present|there|included|listed)\b", re.IGNORECASE
)
_MASKED = re.compile(r"\b(?:values? )?(?:are |is )?(?:always )?masked\b|\bredacted\b", re.IGNORECASE)
_KEPT_BACK = re.compile(r"\b(?P<what>\w+) (?:itself )?is not (?:exposed|returned|included)\b", re.IGNORECASE)
_ON_EACH = re.compile(r"`(?P<what>\w+)` field (?:on|of) each\b")
_MODES = re.compile(r"\bsupports? (?:two|three|four|several|multiple) modes\b|\bMODE: ", re.IGNORECASE)
_ANY_KEY = re.compile(
    r"\balways returns? (?:a |the )?results?\b|\beven if the [\w ]+ is not registered\b", re.IGNORECASE
)
_FIRST_ROWS = re.compile(r"\b(?:plus|with|and) (?:the )?first \d+ (?P<what>\w+)", re.IGNORECASE)
_SPOKEN = frozenset("log output transcript".split())
_TEXTS = frozenset("content contents text message output log logs line lines body transcript entry entries".split())
_PAST = re.compile(
    r"\bdefaults?(?: to|:| is)? (?:the )?(?:start|beginning) of|\bdefaults?(?: to|:)? (?:the )?last \d+"
    r"|\bdefaults?(?: to|:)? \d+ \w+ ago",
    re.IGNORECASE,
)
_OF_ONE = re.compile(
    r"^\W*(?:lists?|gets?|retrieves?|returns?|shows?) (?:all |the )*[\w -]{3,40} (?:of|for) an? "
    r"(?:specific |given |single )?(?P<what>\w+)",
    re.IGNORECASE,
)
_BY_FIELDS = re.compile(
    r"\bby (?P<what>\w+(?:(?:, | or | and |/)\w+)+)(?![\w-])", re.IGNORECASE
)


def open_content(meaning: Meaning, domain: Domain) -> str:
    """A search reads no text of the records but made-up ones: what they hold lies in an open object."""
    if meaning.operation not in _LISTS or not meaning.of("query"):
        return ""
    fields = meaning.entity.fields
    texts = [name for name in meaning.entity.text_fields if name in fields and fields[name].written]
    opened = [
        f.name for f in fields.values()
        if f.type == "object" and f.written and not f.schema.get("properties")
        and field_types.name_words(f.name)[-1] in words_of.WRAPPERS
    ]  # fmt: skip
    return opened[0] if opened and not texts else ""


def listed_fields(meaning: Meaning, domain: Domain) -> str:
    """A search is told to look at a list of the record as well ("by content or tags"), which is no text."""
    if meaning.operation not in _LISTS:
        return ""
    for role in meaning.of("query"):
        text = f"{said_of(role.parameter, meaning.tool)}\n{unwrapped(meaning.tool.description)[:200]}"
        for match in _BY_FIELDS.finditer(text):
            for word in re.findall(r"\w+", match["what"]):
                found = meaning.entity.fields.get(word)
                if found is not None and found.type == "array":
                    return word
    return ""


def always_there(meaning: Meaning, domain: Domain) -> str:
    """One record is told to be among the rows in any case."""
    match = _ALWAYS.search(unwrapped(meaning.tool.description)[:1200])
    return match[0].lower() if match and meaning.operation in _LISTS else ""


def masked(meaning: Meaning, domain: Domain) -> str:
    """Values are told to come back masked, and come plain."""
    text = unwrapped(meaning.tool.description)[:600]
    match = _MASKED.search(text) if meaning.operation in _READS else None
    if match:
        return match[0].lower().strip()
    kept_back = _KEPT_BACK.search(text) if meaning.operation in _READS else None
    held = {w for f in meaning.entity.fields for w in field_types.name_words(f)}
    return kept_back[0].lower() if kept_back and kept_back["what"].lower() in held else ""


def modes(meaning: Meaning, domain: Domain) -> str:
    """One of several modes is chosen, each with parameters and answers of its own."""
    match = _MODES.search(meaning.tool.description)
    return match[0].strip().lower() if match and meaning.operation in _READS else ""


def any_key(meaning: Meaning, domain: Domain) -> str:
    """Any key is answered, and an unknown one is refused here."""
    match = _ANY_KEY.search(unwrapped(meaning.tool.description))
    return match[0].lower() if match and meaning.operation in ("read", "fact") else ""


def first_rows(meaning: Meaning, domain: Domain) -> str:
    """The first rows of another list come with the record, and it holds none."""
    match = _FIRST_ROWS.search(unwrapped(meaning.tool.description)) if meaning.operation == "read" else None
    held = {singular(w) for f in meaning.entity.fields for w in field_types.name_words(f)}
    return match[0].lower() if match and singular(match["what"].lower()) not in held else ""


def wordless_log(meaning: Meaning, domain: Domain) -> str:
    """A log is asked for, and no record holds what was logged."""
    noun = {singular(w) for w in (*meaning.entity.noun[-1:], *meaning.tool.noun[-1:])}
    if meaning.operation not in _READS - {"count"} or not noun & _SPOKEN or meaning.column:
        return ""
    held = {w for f in meaning.entity.fields for w in field_types.name_words(f)[-1:]}
    return "" if held & _TEXTS else meaning.entity.title


def since_then(meaning: Meaning, domain: Domain) -> str:
    """A bound that is left out stands for a day that is worked out: the start of the year."""
    if meaning.operation not in _LISTS | {"count"}:
        return ""
    for role in meaning.of("filter"):
        match = _PAST.search(said_of(role.parameter, meaning.tool)) if not role.required else None
        if match and role.op[0] in "<>":
            return f"{role.dotted}: {match[0].lower()}"
    return ""


def told_beside(meaning: Meaning, domain: Domain) -> str:
    """What is told to come with each record is in no column: "custom fields and their values"."""
    if meaning.operation not in _READS - {"count"} or meaning.column:
        return ""
    held = {singular(w) for f in (meaning.entity.key, *meaning.entity.fields) for w in field_types.name_words(f)}
    text = without_brackets(unwrapped(meaning.tool.description)[:300])
    on_each = _ON_EACH.search(unwrapped(meaning.tool.description))
    if on_each and not set(field_types.name_words(on_each["what"])) & held:
        return on_each[0].lower()
    for match in _BESIDE.finditer(text):
        phrase = next(part for part in match.groups() if part)
        words = {singular(w) for w in re.findall(r"[a-z]+", phrase.lower())} - _VAGUE
        if words and not words & (held | set(meaning.tool.noun)):
            return match[0].lower()
    return ""


_BESIDE = re.compile(
    r"\band their (?:own |current |available )?(?P<one>\w+)(?=[.,]|\s*$|\n| \()"
    r"|\b(?:along|together) with (?:its|their|the) (?:associated )?(?:\w+ )?(?P<two>\w+)(?=[.,]|\s*$|\n)"
    r"|\band the (?P<three>\w+) it (?:\w+) |\bincluding its (?:[\w]+-[\w]+ )?(?P<four>\w+)(?=[.,]|\s*$|\n)"
    r"|\band the (?P<five>\w+ \w+) that must be\b",
    re.IGNORECASE,
)
_VAGUE = frozenset("detail information metadata property attribute relationship id name data record".split())


def of_no_one(meaning: Meaning, domain: Domain) -> str:
    """The rows of one thing are asked for, and no parameter says of which."""
    tool = meaning.tool
    match = _OF_ONE.match(unwrapped(tool.description)) if meaning.operation in _LISTS else None
    if match is None or meaning.of("reference", "filter", "query", "key", "within"):
        return ""
    word = singular(match["what"].lower())
    named = any(e.noun[-1] == word and not e.hidden and e is not meaning.entity for e in domain.entities.values())
    return word if named and word not in words_of.PERSON_ENTITIES else ""
