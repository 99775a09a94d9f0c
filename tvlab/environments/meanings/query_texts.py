"""What a query is told to be: words of a language of its own, or a text of one field.

A query in a language cannot be honoured and goes, if it is optional (``doubts/answers.py`` refuses required ones).
A query that is told to look at one field alone ("search docs by name", "filter messages by content") is compared
with that field and with no other; one that is told several fields ("title and SKU") reads those.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.filled_promises import searched_fields
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.steering import said_of

_LANGUAGE = re.compile(
    r"\b(?:KQL|JQL|CQL|SOQL|OData|Lucene)\b"
    r"|\bsame (?:query )?(?:format|syntax) as\b|\b(?:search|query) (?:syntax|operators?|expression)\b"
    r"|\bsearch box\b|\bquery language\b|\bq parameter syntax\b",
    re.IGNORECASE,
)
_WORD = r"(?P<{0}>name|title|e-?mail|content|subject|body|text|description|message text)s?"
_AFTER = r"(?!\s*(?:,|/|&|\bor\b|\band\b|\band/or\b) ?\w)(?! or other)"
_ONE = re.compile(
    rf"\b(?:filter|search|find|match)(?:s|es|ing)?(?: for)? (?:[\w-]+ ){{0,4}}by (?:their |the |its )?"
    rf"{_WORD.format('a')}\b{_AFTER}"
    rf"|\btext to (?:search|match|look) (?:for )?in (?:the )?(?:\w+ )?{_WORD.format('b')}\b{_AFTER}"
    rf"|\b(?:match(?:es)? )?against (?:the )?(?:\w+ )?{_WORD.format('c')}\b{_AFTER}"
    rf"|\bfiltering by {_WORD.format('d')}\b{_AFTER}|\bwhose {_WORD.format('e')}s? (?:contain|match)",
    re.IGNORECASE,
)
#: fields that bear what a text calls by another word
_SAME = {
    "content": ("content", "text", "body", "message"), "text": ("text", "body", "content", "message"),
    "body": ("body", "text", "content"), "name": ("name", "title", "label"), "title": ("title", "name"),
    "description": ("description",), "email": ("email",), "e-mail": ("email",),
    "subject": ("subject", "title"), "message text": ("message", "text", "body"),
}  # fmt: skip


def in_language(role: Role, meaning: Meaning) -> str:
    """Return why an optional query goes: its words are a language of their own; "" if they are plain text."""
    if role.role != "query" or role.required:
        return ""
    match = _LANGUAGE.search(said_of(role.parameter, meaning.tool))
    return "a query language" if match else ""


def one_field(p: Parameter, tool: ParsedTool, entity: Entity) -> Field | None:
    """Return the field that alone is looked at, None if the text does not say so or no record has it."""
    for name in _SAME.get(_told_word(p, tool, entity), ()):
        found = entity.field_of((name,)) or _ending(entity, name)
        if found is not None and found.type == "string" and "enum" not in found.schema:
            return found
    return None


def missing_field(p: Parameter, tool: ParsedTool, entity: Entity) -> str:
    """Return the one field that a query is told to look at, if no record has it."""
    said = unwrapped(said_of(p, tool))
    word = _told_word(p, tool, entity) if not _OPEN.search(f"{said} {tool.description[:300]}") else ""
    alone = field_types.name_words(entity.key)[-1] in _SAME.get(word, ()) or set(entity.text_fields) == {entity.key}
    own_key = entity.key_kind == "natural" and alone
    return "" if not word or own_key or one_field(p, tool, entity) else word


def _told_word(p: Parameter, tool: ParsedTool, entity: Entity) -> str:
    """The word by which a text calls the one field; the noun before it ("team name") says no more."""
    noun = re.compile(rf"\b{re.escape(entity.noun[-1])} (?=(?:name|title|content|description)\b)", re.IGNORECASE)
    said = noun.sub("", unwrapped(said_of(p, tool)))
    match = _ONE.search(said) or (_ONE.search(unwrapped(tool.description)[:300]) if _tells_nothing(said) else None)
    return next((w for w in match.groups() if w), "").lower() if match else ""


def told_fields(p: Parameter, tool: ParsedTool, entity: Entity) -> tuple[str, ...]:
    """Return the text fields that a query is told to look at, () if the text names none, or others as well."""
    said = unwrapped(f"{said_of(p, tool)}. {unwrapped(tool.description)[:400]}")
    inside = _FIELDS.search(said)
    pair = _PAIR.search(unwrapped(said_of(p, tool)))
    told = inside["what"] if inside else pair[0] if pair else ""
    words = re.findall(r"\w+", told) or searched_fields(said)
    if len(words) < _SEVERAL or _OPEN.search(said):
        return ()
    found = [_field_of(entity, word.lower()) for word in words if word != "and"]
    plain = [f.name for f in found if f is not None and f.type == "string"]
    return tuple(plain) if len(plain) == len(found) and set(plain) < set(entity.text_fields) else ()


_FIELDS = re.compile(r"\bfields? \((?P<what>\w+(?:, (?:and )?\w+)+)\)", re.IGNORECASE)
#: "Text to search for in notes (title and body)"
_PAIR = re.compile(r"(?<=\()(?:name|title|subject)s? and (?:body|content|description|text)s?(?=\))", re.IGNORECASE)
_OPEN = re.compile(r"\bor other\b|\betc\b|\band more\b|\bany (?:text )?field\b|\ball (?:text )?fields\b", re.IGNORECASE)
_SEVERAL = 2


def _field_of(entity: Entity, word: str) -> Field | None:
    names = (entity.field_of((name,)) or _ending(entity, name) for name in (word, *_SAME.get(word, ())))
    return next((f for f in names if f is not None), None)


def _ending(entity: Entity, word: str) -> Field | None:
    ends = [f for n, f in entity.fields.items() if n.lower().endswith(f"_{word}") and f.written]
    return ends[0] if len(ends) == 1 else None


def _tells_nothing(said: str) -> bool:
    """True if a parameter's own text does not say which fields are looked at."""
    return not re.search(r"\b(?:by|in|against|match)\b", said, re.IGNORECASE)
