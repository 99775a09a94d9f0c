"""Ends of a connection that their text ties to a thing: ``from``: "The name of the station where the line starts".

The word of the parameter says only which end it is; "the name of the X" or "the id of the X" says whose.  Lists of
natural keys, ``station_names``, pick records in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.nouns import flat
from tvlab.environments.domain.tool_parsing import Noun, Parameter, ParsedTool, parse_parameters, schema_type
from tvlab.environments.language import vocabulary as words_of
from tvlab.foundation.words import singular

_ENDS = frozenset("from to source target start end subject object head tail origin destination".split())
_TOLD_ID = re.compile(
    rf"^\W*(?:(?:the|an?|unique|numeric|{'|'.join(sorted(_ENDS))}) )*(?:id|identifier) of (?:the |an? |existing )*"
    r"((?:[a-z]+ ){0,2}?[a-z]+?)s?"
    r"(?=[.,;:()\n]|\s*$| (?:to|in|that|which|where|for|on|whose|being|used|from|with|when)\b)",
    re.IGNORECASE,
)
_TOLD = re.compile(r"\b(name|title|id|identifier) of (?:the |an? |existing )*([a-z]+)\b", re.IGNORECASE)


def told_end(p: Parameter, own: Entity | None, entities: Iterable[Entity]) -> Entity | None:
    """Return the visible thing whose name or id a parameter is said to be, None if its word says more than an end."""
    said = _TOLD.search(p.description) if p.words and set(p.words) <= _ENDS and p.type == "string" else None
    if said is None:
        return None
    kind, noun = said[1].lower(), singular(said[2].lower())
    for entity in entities:
        if entity is own or entity.hidden or entity.noun != (noun,):
            continue
        word = field_types.name_words(entity.key)[-1:]
        by_name = entity.key_kind == "natural" and word == (kind,)
        by_id = entity.key_kind == "minted" and kind in ("id", "identifier")
        if (by_name or by_id) and entity.key_type == "string":
            return entity
    return None


def told_owner(p: Parameter, found: Entity, entities: Iterable[Entity]) -> Entity | None:
    """Return the visible thing whose id a parameter is said to be, instead of one that no tool makes or lists.

    ``journal_id``: "ID of the pocket journal" picks a pocket journal, ``source_id``: "Source ID of a cell" a cell.
    """
    said = _TOLD_ID.search(p.description)
    phrase = [singular(word) for word in re.findall(r"[a-z]+", said[1].lower())] if said else []
    known = [
        e for e in entities
        if e is not found and not e.hidden and e.key_kind == "minted" and e.key_type == found.key_type
        and tuple(phrase) == e.noun and (found.hidden or e.noun[-len(found.noun):] == found.noun)
    ]  # fmt: skip
    return known[0] if known else None


def told_thing(p: Parameter, found: Entity | None, entities: Iterable[Entity]) -> Entity | None:
    """Return the visible thing that the text of an id begins with where what was found has no word of the id.

    ``installation_uuid``: "Git installation used to read the sources" picks a git installation, not the settings that
    are kept by such an id.
    """
    if found is None or set(found.noun) & set(p.id_noun):
        return found
    size = len(p.id_noun)
    known = [
        e for e in entities
        if not e.hidden and len(e.noun) > size and e.noun[-size:] == p.id_noun and begins_with(p, e.noun)
        and e.key_kind == "minted" and e.key_type == found.key_type
    ]  # fmt: skip
    return known[0] if len(known) == 1 else found


def begins_with(p: Parameter, noun: Noun) -> bool:
    """True if the text of a parameter begins with the name of a thing: "Git installation used to read"."""
    said = [singular(word) for word in re.findall(r"[a-z]+", p.description.lower())]
    said = said[1:] if said[:1] in (["the"], ["a"], ["an"]) else said
    return tuple(said[: len(noun)]) == noun


_CALLED_ID = re.compile(
    r"^\W*(?:(?:the|an?|new|array of|list of) )*(?P<what>[a-z]+(?: [a-z]+){0,2}?)(?: public| numeric)? "
    r"(?:id|uuid|gid|identifier)s?\b(?! or\b|/)",
    re.IGNORECASE,
)


def called_id(p: Parameter, own: Entity | None, entities: Iterable[Entity]) -> Entity | None:
    """Return the visible thing whose id a parameter under the thing's own name holds: ``epic``: "Epic ID".

    A person's role counts as a name (``owner``: "Owner user ID"), and ``parent`` of a thing of the same kind.
    """
    said = _CALLED_ID.match(p.description)
    if said is None or len(p.path) > 1 or p.enum:
        return None
    words = [singular(word) for word in said["what"].lower().split()]
    name = field_types.singular_words(p.words)
    if name[-1] in words_of.PERSON_ROLES or name == ("parent",):
        phrase = tuple(words[1:]) if words[:1] == [name[-1]] else ()
    else:
        phrase = tuple(words) if tuple(words) == name else ()
    kind = schema_type(p.item_schema) if p.many else p.type
    for entity in entities:
        same = entity is own and name != ("parent",)
        if phrase and entity.noun == phrase and not entity.hidden and not same and entity.key_kind == "minted":
            return entity if entity.key_type == ("integer" if kind == "number" else kind) else None
    return None


def joined_ends(entity: Entity) -> list[str]:
    """Return the two required columns by which a connection names two records of one thing, [] if it is none."""
    found = [
        f for f in entity.fields.values()
        if f.reference and f.required and f.type != "array" and set(field_types.name_words(f.name)) <= _ENDS
    ]  # fmt: skip
    same = len(found) == 2 and found[0].reference == found[1].reference != entity.name
    return [f.name for f in found] if same else []


def plural_key(noun: Noun, mine: list[ParsedTool]) -> tuple[str, str] | None:
    """Return the name that creates require where other tools take many of them: ``delete_stations(station_names)``."""
    taken = set()
    for tool in mine:
        for p in tool.parameters if tool.kind in ("read", "delete", "update", "transition") else ():
            words = field_types.singular_words(p.words)
            if p.required and p.many and schema_type(p.item_schema) == "string" and words[:-1] == noun:
                taken.add(words[-1])
    for tool in mine:
        arrays = [p for p in tool.parameters if p.many and schema_type(p.item_schema) == "object"]
        inside = [q for p in arrays for q in parse_parameters(p.item_schema)]
        for q in [*flat(tool.parameters), *inside] if tool.kind == "create" else ():
            named = q.words[-1:] and q.words[-1] in taken and q.words[-1] in words_of.NATURAL_KEYS
            if named and q.required and q.type == "string" and q.words in (q.words[-1:], (*noun, q.words[-1])):
                return q.name, "string"
    return None


def plural_picks(p: Parameter, entity: Entity, own: Entity | None) -> bool:
    """True for a list of natural keys: ``station_names`` anywhere, ``names`` in a tool on stations."""
    if not p.many or entity.key_kind != "natural" or entity.hidden or schema_type(p.item_schema) != entity.key_type:
        return False
    key, words = field_types.name_words(entity.key), field_types.singular_words(p.words)
    return words != p.words and (words == (*entity.noun, *key) or (own is entity and words == key))
