"""Doubts from single sentences about one value: returned once, cleared by null, the only one that may be written."""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning
from tvlab.foundation.words import split_name

_ONCE = re.compile(r"\b(?:generated|new)\s+(\w+)\s+(?:is|will\s+be)\s+returned\b", re.IGNORECASE)
_CLEARED = re.compile(r"\bnull\b[`'\"]?(?:\s+value)?\s+to\s+(?:clear|remove|unset|delete)\b", re.IGNORECASE)
_ONLY = re.compile(
    r"\bonly\s+the\s+\w+\s+(?:property|field|value)\s+(?:is|can\s+be|may\s+be)\b"
    r"|\bcannot\s+(?:update|rename|change|modify)\s+the\s+default\b",
    re.IGNORECASE,
)
_OVER = re.compile(r"\bfree[-\s+]text\s+(?:search\s+)?over\s+(\w+)\s+and\s+(\w+)\b", re.IGNORECASE)
_NAMED = re.compile(r"\b([A-Z][A-Z_]{3,})\s+(?:label|tag|folder|group|role)\b")
_CHANGES = frozenset({"update", "upsert", "set", "batch_update", "transition"})


def returned_once(meaning: Meaning, domain: Domain) -> str:
    """A create answers a secret that no record holds."""
    found = _ONCE.search(meaning.tool.description) if meaning.operation in ("create", "batch_create") else None
    given = found and any(found[1].lower() in r.parameter.words for r in meaning.roles)
    return found[1].lower() if found and not given else ""


def cleared_by_null(meaning: Meaning, domain: Domain) -> str:
    """An update takes a value away where null is given; here null is a value that was left out."""
    found = _CLEARED.search(meaning.tool.description) if meaning.operation in _CHANGES else None
    return found[0].lower() if found else ""


def only_one(meaning: Meaning, domain: Domain) -> str:
    """An update may change one value only, or not that of the default record."""
    found = _ONLY.search(meaning.tool.description) if meaning.operation in _CHANGES else None
    return found[0].lower() if found else ""


def other_texts(meaning: Meaning, domain: Domain) -> str:
    """A search over two named fields that would look at others as well."""
    found = _OVER.search(meaning.tool.description) if meaning.of("query") else None
    others = set(meaning.entity.text_fields) - set(map(str.lower, found.groups())) if found else set()
    return ", ".join(sorted(others))


def named_members(meaning: Meaning, domain: Domain) -> str:
    """Members that the text names, ``the INBOX label``, are none of those that records can have."""
    found = _NAMED.search(meaning.tool.description) if meaning.operation.endswith("members") else None
    return found[1] if found else ""


def layered(meaning: Meaning, domain: Domain) -> str:
    """The body holds the thing as one object of its name, which would lie inside the record."""
    if meaning.operation not in ("create", *_CHANGES):
        return ""
    inner = (r for r in meaning.of("payload") if len(r.path) == 2 and r.parameter.schema.get("properties"))
    return next((r.dotted for r in inner if r.parameter.words == meaning.entity.noun), "")


def part_by_part(meaning: Meaning, domain: Domain) -> str:
    """``set_sheet_layout(sheet, layout: {...})`` changes what the object names and would replace the whole of it."""
    given = meaning.of("payload")
    if meaning.operation not in ("update", "set") or len(given) != 1 or len(given[0].path) != 1:
        return ""
    p = given[0].parameter
    parts = p.schema.get("properties") or {}
    optional = len(parts) > 2 and not p.schema.get("required") and schema_type(p.schema) == "object"
    return p.name if optional and p.words == meaning.tool.noun[-len(p.words) :] else ""


_WRITTEN_AS = r"markdown|html|csv|pdf|xml|latex|docx"
_AS_FORM = re.compile(rf"\breturns? (?:it|its contents?|the \w+) as (?:\w+ )?(?:{_WRITTEN_AS})\b", re.IGNORECASE)
_NAMED_AS = re.compile(rf"_(?:as|to|in)_(?:{_WRITTEN_AS})$")


def as_written(meaning: Meaning, domain: Domain) -> str:
    """``get_doc_as_markdown`` answers a text in a form, and here a record with all of its fields."""
    if meaning.operation != "read" or meaning.column or domain.guessed_texts:
        return ""
    named = _NAMED_AS.search("_".join(split_name(meaning.tool.name)))
    said = _AS_FORM.search(unwrapped(meaning.tool.description).split("\n")[0])
    found = named or said
    return found[0].strip("_") if found else ""


def narrow_aliases(meaning: Meaning, domain: Domain) -> None:
    """Take optional filters away that ask for what records hold under another name: ``crypto_address``, ``address``."""
    entity = meaning.entity
    if meaning.operation not in ("list", "search", "count") or entity.fact is not None:
        return
    written = {f.name: f for f in entity.fields.values() if f.written}
    for role in meaning.of("filter"):
        column = entity.fields.get(role.field or "")
        words = field_types.name_words(role.field or "")
        if column is None or column.written or role.required or len(words) < 2 or column.type != "string":
            continue
        names = [*written, *(inner for f in written.values() for inner in f.schema.get("properties") or {})]
        if "enum" not in column.schema and any(_ends(words, field_types.name_words(name)) for name in names):
            meaning.roles.remove(role)
            meaning.narrow(role.parameter, "records hold it under another name")


def _ends(words: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return bool(other) and other != words and words[-len(other) :] == other and not _SAYS_LITTLE & set(other)


_SAYS_LITTLE = frozenset("name title type id after before from to status state date time text".split())
