"""Doubts about one relation or value that is kept in two places, of which a tool would read or write one alone.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.meanings.steering import said_of
from tvlab.foundation.words import split_name

_LISTS = frozenset({"list", "search", "count"})
_MADE = frozenset({"create", "send", "batch_create"})
_CHANGED = frozenset({"update", "set", "transition", "batch_update"})
_READS = frozenset({"read", "list", "search", "count"})
#: what says of a thing that it is tied to another one
_TIED = frozenset("attached linked connected assigned associated added".split())
_ID_OF_ITEM = re.compile(r"[-*\"'`]\s*[\"'`]?(?P<name>[a-z]+(?:_[a-z]+)*_id|[a-z]+(?:[A-Z][a-z]+)*Id)[\"'`]?\s*:")
_JSON_MAP = re.compile(r"\bjson\b[^.]{0,60}\{|\bfollowing (?:this|the) structure:?\s*\\*\{", re.IGNORECASE)


def both_ways(meaning: Meaning, domain: Domain) -> str:
    """A list of what a thing has, told by a column that nothing writes, where the thing itself holds their keys.

    ``get_creatives_of_ad(ad_id)`` beside ``ad.creative_id``, ``get_tags_of_task(task_id)`` beside ``task.tag_ids``.
    """
    entity = meaning.entity
    if meaning.operation not in _LISTS or domain.guessed_texts:
        return ""
    for role in meaning.of("reference"):
        column, target = entity.fields.get(role.field or ""), domain.entities.get(role.entity or "")
        if column is None or target is None or column.written or column.type == "array":
            continue
        first = unwrapped(meaning.tool.description).split(". ")[0].lower()
        if not role.required and not re.search(rf"\b(?:for|of|in) (?:an?|the) (?:\w+ )?{target.noun[-1]}\b", first):
            continue
        back = [f.name for f in _held(target, entity) if f.type == "array" or (f.direct and f.written)]
        if target is not entity and back:
            return f"{target.name}.{back[0]}"
        lists = [f.name for f in _held(entity, target) if f.type == "array"]
        if target is not entity and lists:
            return f"{entity.name}.{lists[0]}"
        if entity.noun[0] in _TIED and (plain := domain.entities.get("_".join(entity.noun[1:]))) is not None:
            listed = [f.name for f in _held(target, plain) if f.type == "array"]
            if listed:
                return f"{target.name}.{listed[0]}"
    return ""


def _held(owner: Entity, held: Entity) -> list[Any]:
    return [f for f in owner.fields.values() if f.reference == held.name]


def linked_elsewhere(meaning: Meaning, domain: Domain) -> str:
    """A link fills a list of keys, and what is listed under the other thing is read from another column."""
    if meaning.operation not in ("link", "unlink") or domain.guessed_texts:
        return ""
    entity, member = meaning.entity, meaning.one("reference")
    other = domain.entities.get(member.entity or "") if member is not None else None
    if other is None:
        return ""
    lists = [t for t in domain.tools_on(entity) if t.kind in _READS and domain.key_parameter(t, entity) is None]
    if not any(p.required and domain.reference(p, entity) is other for t in lists for p in t.parameters):
        return ""
    return next((f.name for f in _held(entity, other) if f.name != meaning.column and f.filtered), "")


def shown_by_none(meaning: Meaning, domain: Domain) -> str:
    """What is added to a thing is a record that no tool shows, and the thing has a field for it."""
    if meaning.operation not in ("create", "delete") or domain.guessed_texts or not meaning.entity.pair:
        return ""
    if any(tool.kind in _READS for tool in domain.tools_on(meaning.entity)):
        return ""
    payload = {field_types.singular_words(r.parameter.words) for r in meaning.of("payload", "filter")}
    for role in meaning.of("reference"):
        target = domain.entities.get(role.entity or "")
        for column in target.fields.values() if target is not None and not target.hidden else ():
            if field_types.singular_words(field_types.name_words(column.name)) in payload:
                return f"{role.entity}.{column.name}"
    return ""


def in_parts(meaning: Meaning, domain: Domain) -> str:
    """A value is set beside the object of the record that holds it: ``driver_name`` beside ``driver: {name}``."""
    if meaning.operation not in _CHANGED or domain.guessed_texts:
        return ""
    for role in meaning.of("payload", "reference"):
        words, enum = field_types.name_words(role.field or ""), role.parameter.enum
        for column in meaning.entity.fields.values():
            if column.name == role.field or not role.field:
                continue
            schema = column.schema.get("items") if column.type == "array" else column.schema
            parts = schema.get("properties") if isinstance(schema, dict) else None
            for name, part in parts.items() if isinstance(parts, dict) else ():
                joined = (*field_types.name_words(column.name), *split_name(name))
                same = column.type == "object" and column.written and tuple(words) == joined
                listed = len(enum) > 2 and isinstance(part, dict) and part.get("enum") == enum
                inside = listed and column.type == "array" and {*split_name(name)} & {*words}
                if same or inside:
                    return f"{role.dotted}: {column.name}.{name}"
    return ""


def ids_of_items(meaning: Meaning, domain: Domain) -> str:
    """The items of a list are told to hold ids of things, their schema is open, and any item passes."""
    if meaning.operation not in _MADE or domain.guessed_texts:
        return ""
    known = {(*e.noun, "id") for e in domain.entities.values() if not e.hidden and e is not meaning.entity}
    for role in meaning.of("payload"):
        p = role.parameter
        if not p.many or schema_type(p.item_schema) != "object" or p.item_schema.get("properties"):
            continue
        text = unwrapped(said_of(p, meaning.tool)) + meaning.tool.description
        for found in _ID_OF_ITEM.finditer(text):
            if tuple(split_name(found["name"])) in known:
                return f"{role.dotted}: {found['name']}"
    return ""


def map_as_text(meaning: Meaning, domain: Domain) -> str:
    """A text that holds new values by their keys changes those, and would replace all that are there."""
    if meaning.operation not in _CHANGED or domain.guessed_texts:
        return ""
    texts = [r for r in meaning.of("payload") if r.parameter.type == "string" and r.parameter.words[-1:] == ("values",)]
    return next((r.dotted for r in texts if _JSON_MAP.search(unwrapped(said_of(r.parameter, meaning.tool)))), "")
