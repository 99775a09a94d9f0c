"""Columns for what a description promises and no schema names: "including its jobs, timing and status".

A phrase becomes a column only if its last word is a known quantity (``fact_words.py``) or stands below: a text or
value of one kind, or things of which the record lists several by name.  Things that are entities of the server
themselves are not filled in: the list here and the records there would differ.  A tool of whose promises one is
not known gets none, and is refused by the doubts.
"""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain import fact_fields, field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.promised_content import Phrase, missing, promised
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings import looked_at, overlaps
from tvlab.environments.meanings.steering import said_of
from tvlab.environments.seeding import things as seed_things
from tvlab.foundation.words import plural, singular

_TEXT: dict[str, Any] = {"type": "string"}
#: words for what is asked of, which a caller gives
_SUBJECT = frozenset("symbol ticker stock given specific".split())
_MOST = 8
_FEW = 4  # so few promises are kept one and all
_SEARCHED = re.compile(
    r"\b(?:by|against|across|in|over|match(?:es|ing)?(?: on)?)\s+(?:their |the "
    r"|its )?(?P<what>[a-z_ -]+(?:,\s*[a-z_ -]+)*,?\s*"
    r"(?:\bor\b|\band\b|and/or|/)\s*[a-z_ -]+)",
    re.IGNORECASE,
)
_IDLE = frozenset("the a an their its any all".split())
#: fields of text that searches are told to look at
_SEARCHABLE = frozenset(
    "name title description email phone company city content text body subject username keyword symbol code sku "
    "summary author".split()
)


def _one_of(values: str) -> dict[str, Any]:
    return {"type": "string", "values": values.split(", ")}


#: words of the links between records
RELATED = frozenset("parent child subtask epic issue task dependency blocker record item event alert".split())
#: last word of a phrase -> values of its column
_VALUES: dict[str, dict[str, Any]] = {
    **dict.fromkeys(
        "context purpose constraint configuration queue command key path signature hash branch".split(), _TEXT
    ),
    **dict.fromkeys("status state".split(), _one_of("active, pending, completed")),
    "token": _TEXT,
    "identifier": {"type": "string", "pattern": "^[a-z]{6}_[0-9]{4}$"},
    "locale": _one_of("en-US, de-DE, fr-FR, es-ES, ja-JP"),
    "style": _one_of("info, success, warning, error"),
    "mime": _one_of("application/json, application/pdf, image/png, text/plain"),
    "method": _one_of("bank transfer, card, cash"),
    "permission": _one_of("read, write, admin"),
    "usage": {"type": "number", "minimum": 0, "maximum": 100},
    "decimal": {"type": "integer", "minimum": 6, "maximum": 18},
    "pid": {"type": "integer", "minimum": 100, "maximum": 32_000},
    "runtime": {"type": "integer", "minimum": 1, "maximum": 900},
    "timing": {"type": "string", "format": "date-time"},
}
#: things of which a record lists several by name
_SEVERAL = frozenset(
    "job step member role team rule task note comment deal tag plan column metric reviewer participant attendee chain "
    "trigger action dependency label language category skill ingredient actor variable argument channel device "
    "service subscription webhook environment feature amenity contributor keyword topic".split()
)


def fill_promises(domain: Domain) -> None:
    """Give the entity of each read the columns that its description promises, if all of them are known."""
    for tool in domain.tools:
        entity = domain.own.get(tool.name)
        if entity is None or entity.is_path or tool.kind not in ("read", "list", "search"):
            continue
        _fill_searched(tool, entity, domain)
        if not domain.guessed_texts:
            overlaps.begin(tool.description, entity)
        for name, schema in (_columns(tool, entity, domain) or {}).items():
            entity.fields.setdefault(name, Field(name, schema, required=True))


def _fill_searched(tool: ParsedTool, entity: Entity, domain: Domain) -> None:
    """Give records the texts that a search is told to look at: "by name, company, email or phone"."""
    for p in tool.parameters:
        if p.snake not in words_of.QUERY_WORDS or p.type != "string":
            continue
        for word in searched_fields(f"{tool.description[:400]} {said_of(p, tool)}"):
            if entity.field_of((word,)) is None and word != entity.key and not _named_alike(entity, word):
                entity.fields[word] = Field(word, dict(_TEXT), required=True)
        if not domain.guessed_texts:
            for name in looked_at.unheld(p, tool, entity, domain):
                entity.fields[name] = Field(name, dict(_TEXT), required=True)


def _named_alike(entity: Entity, word: str) -> bool:
    return any(word in field_types.name_words(name) for name, f in entity.fields.items() if f.type == "string")


def searched_fields(text: str) -> list[str]:
    """Return the fields that a search is told to look at, [] if it is not told or one of them is no plain text.

    >>> searched_fields("Find contacts by name, company, email, phone or city (case-insensitive substring).")
    ['name', 'company', 'email', 'phone', 'city']
    >>> searched_fields("Search term to match against contact names or phone numbers")
    ['name', 'phone']
    """
    found: dict[str, None] = {}
    for match in _SEARCHED.finditer(text):
        parts = re.split(r",|/|&|\bor\b|\band\b", match["what"].lower())
        words = [[singular(w) for w in re.findall(r"[a-z]+", part) if w not in _IDLE] for part in parts]
        known = [next((w for w in part if w in _SEARCHABLE), "") for part in words if part]
        if len(known) > 1:
            found |= dict.fromkeys(word for word in known if word)
    return list(found)


def promised_columns(tool: ParsedTool, entity: Entity, domain: Domain) -> dict[str, dict[str, Any]]:
    """Return the columns that a table of facts lacks of what the description promises, as far as they are known."""
    gone = missing(promised(tool.description, (*tool.noun, *entity.noun)), (*entity.fields, entity.key))
    subject = {*tool.noun, *entity.noun} | {word for p in tool.parameters for word in p.words} | _SUBJECT
    gone = [phrase for phrase in gone if not set(phrase) <= subject]
    found = [_column(phrase, tool, domain) for phrase in gone[:_MOST]]
    columns = {column[0]: column[1] for column in found if column is not None and column[0] != entity.key}
    if "free float" in tool.description.lower() and {"float_shares", "outstanding_shares"} <= set(entity.fields):
        columns["free_float"] = {"type": "number", "minimum": 1, "maximum": 99}  # in percent of the outstanding ones
    return columns


def _columns(tool: ParsedTool, entity: Entity, domain: Domain) -> dict[str, dict[str, Any]] | None:
    """The columns for what is promised and missing; None if it is much, or much of it, or one of few, is not known."""
    phrases = promised(tool.description, (*tool.noun, *entity.noun))
    held = [name for name in entity.fields if domain.guessed_texts or not _of_one_part(name, entity)]
    gone, told = missing(phrases, (*held, entity.key)), len(phrases)
    if not gone or len(gone) > _MOST:
        return None
    found = [_column(phrase, tool, domain) for phrase in gone]
    unknown = sum(column is None for column in found)
    if unknown and (unknown * 2 >= told or told <= _FEW):
        return None
    return {column[0]: column[1] for column in found if column is not None}


def _of_one_part(name: str, entity: Entity) -> bool:
    """True for what a call says of one of a record's parts: ``column_name`` of a table, which has several."""
    words = field_types.name_words(name)
    called = len(words) == len(_ONE_PART) and words[0] in _SEVERAL and words[0] not in entity.noun
    return called and words[1] in _ONE_PART and not entity.fields[name].reference


_ONE_PART = ("name", "description")


def _column(phrase: Phrase, tool: ParsedTool, domain: Domain) -> tuple[str, dict[str, Any]] | None:
    last, name = phrase[-1], "_".join(phrase)
    if any(entity.noun[-1] == last for entity in domain.entities.values()):
        return None
    if last == "link" and set(phrase[:-1]) & RELATED and not domain.guessed_texts:
        return None  # what it is linked with, and no page
    many = plural(last)
    if last in _SEVERAL and (many in tool.description.lower() or _told_of(last, tool.description)):
        return "_".join((*phrase[:-1], many)), {"type": "array", "items": dict(_TEXT)}
    schema = _VALUES.get(last) or fact_fields.field_schema(name)
    if last in ("status", "state") and (states := seed_things.states(_thing(tool, domain))):
        schema = {"type": "string", "values": list(states)}
    return (name, dict(schema)) if schema else None


def _told_of(word: str, text: str) -> bool:
    return bool(re.search(rf"\b{word} (?:information|info|details)\b", text, re.IGNORECASE))


def _thing(tool: ParsedTool, domain: Domain) -> tuple[str, ...]:
    entity = domain.own.get(tool.name)
    return tool.noun if entity is None else entity.noun
