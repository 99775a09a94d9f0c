"""Doubts about what a write is told to keep to: a body's own fields, one form of a key, one product.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re
from collections import Counter

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.language import descriptions
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.language.name_words import verb_kind
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.meanings.steering import said_of

_PUTS = frozenset({"create", "upsert", "rename", "send"})
_CHANGES = frozenset({"update", "batch_update", "upsert"})
_SERIES = re.compile(
    r"\bdelet\w+ (?:an? |the )?(?:whole |entire |recurring )?(?:\w+ )?"
    r"(?:deletes?|removes?|will delete|cancels?) all (?:its |of its )?(?:occurrences|instances|events)\b",
    re.IGNORECASE,
)
_TWO_FORMS = re.compile(r"[\"'`](?P<bare>\w+)[\"'`] or [\"'`]\w+[.:/](?P=bare)[\"'`]")
_PARTS = re.compile(
    r"\b(?:parameters?|settings?|options|values|keys|entries|fields|variables) to (?:update|change|set|merge|modify)\b",
    re.IGNORECASE,
)
_MAPS = frozenset("config configuration settings options preferences parameters variables metadata env".split())
_AND_METADATA = re.compile(r"\b(?:contents?|texts?|messages?|data|body) and (?:its |their )?metadata\b", re.IGNORECASE)
_READS = frozenset({"list", "search", "read", "fact", "batch_read"})
#: a product has so many tools of its own in a server of several
_PRODUCT = 5


def guessed_body(meaning: Meaning, domain: Domain) -> str:
    """The body declares no field, the text names none, and what is taken for its content is a name or a state alone."""
    if meaning.operation not in ("create", "update", "upsert") or not meaning.open_fields:
        return ""
    told = set(descriptions.listed_fields(meaning.tool.description))
    guessed = [name for name in meaning.open_fields if name not in told]
    thin = all(field_types.name_words(name)[-1] in _THIN for name in meaning.open_fields)
    return meaning.wrapper if guessed and thin else ""


_THIN = frozenset("name title label type status state kind".split())


def whole_series(meaning: Meaning, domain: Domain) -> str:
    """Deleting the head of a series is told to delete all of it, and no record knows its series."""
    match = _SERIES.search(unwrapped(meaning.tool.description)) if meaning.operation == "delete" else None
    tied = any(f.reference == meaning.entity.name for f in meaning.entity.fields.values())
    return match[0].lower() if match and not tied else ""


def key_in_two_forms(meaning: Meaning, domain: Domain) -> str:
    """A key may be given bare or with a prefix, and only the bare one is found."""
    for role in meaning.of("key", "reference"):
        match = _TWO_FORMS.search(unwrapped(said_of(role.parameter, meaning.tool)))
        if match and role.parameter.type == "string":
            return f"{role.dotted}: {match[0]}"
    return ""


def merged_map(meaning: Meaning, domain: Domain) -> str:
    """A map of settings is told to be changed by the entries that are given, and would be replaced as a whole."""
    if meaning.operation not in _CHANGES:
        return ""
    for role in meaning.of("payload"):
        p = role.parameter
        bare = p.type == "object" and not p.schema.get("properties") and not p.many
        if bare and p.words[-1] in _MAPS and _PARTS.search(said_of(p, meaning.tool)):
            return role.dotted
    return ""


def without_metadata(meaning: Meaning, domain: Domain) -> str:
    """Content and metadata are told, and the records hold the content alone."""
    match = _AND_METADATA.search(unwrapped(meaning.tool.description)) if meaning.operation in _READS else None
    if match is None or meaning.column:
        return ""
    asked = {r.field for r in meaning.of("key", "filter", "reference")}
    more = [name for name, f in meaning.entity.fields.items() if name not in asked and not f.reference]
    return match[0].lower() if len(more) < 2 else ""


def of_two_products(meaning: Meaning, domain: Domain) -> str:
    """What is meant lies in the table of another product under the same noun: comments of a tracker and of a wiki.

    The product whose tools make most of them keeps the noun.
    """
    products = _products(domain)
    own = _product(meaning.tool.name)
    if own not in products or meaning.operation not in _PUTS:
        return ""
    for entity in (domain.entities[r.entity] for r in meaning.of("reference") if r.entity):
        made = [t for t in domain.tools if domain.own.get(t.name) is entity and t.kind in ("create", "send")]
        counts = Counter(_product(t.name) for t in made)
        sharing = products & counts.keys()
        keeper = max(sharing, key=lambda name: (counts[name], name), default=own)
        apart = own in sharing and not _owners(domain, entity, made, own) & _owners(domain, entity, made, keeper)
        if len(sharing) > 1 and keeper != own and apart and _varied(entity):
            return f"{entity.title}: {own}, {keeper}"
    return ""


def _owners(domain: Domain, entity: Entity, made: list[ParsedTool], product: str) -> set[str]:
    """What a product's tools make such things under; the thing itself if under nothing."""
    mine = [t for t in made if _product(t.name) == product]
    ends = [domain.reference(p, entity) for t in mine for p in t.parameters if p.required]
    return {e.name for e in ends if e is not None and not e.hidden} or {entity.name}


def _products(domain: Domain) -> set[str]:
    """The first words of the names, if they share a server's tools out among several products."""
    firsts = Counter(_product(tool.name) for tool in domain.tools)
    found = {word for word, count in firsts.items() if word and count >= _PRODUCT}
    covered = sum(firsts[word] for word in found)
    return found if len(found) > 1 and covered * 10 >= len(domain.tools) * 9 else set()


def _product(name: str) -> str:
    words = field_types.name_words(name)
    return words[0] if len(words) > 2 and not verb_kind(words[0]) else ""


def _varied(entity: Entity) -> bool:
    """True unless both products speak of the same people: users and groups are of the server."""
    return entity.noun[-1] not in words_of.PERSON_ENTITIES and not entity.hidden
