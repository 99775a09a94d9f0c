"""Which key a parameter asks for, from its name, its type and what texts say of it.

The entities are those of the server's domain dictionary, over all its tools.  A parameter asks for an id
(``account_id``), for a code (``inventoryAssetAccountCode``), for a person's email, or for a thing by name
where a text says so ("the name or ID of a view"); a bare address ("URIs: track, album or playlist") may be that
of several things.  A text that names a tool ("from list-tax-rates") tells where a value comes from, whatever
the value is, for every parameter of that name and type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, schema_type
from tvlab.environments.language import vocabulary as words_of
from tvlab.foundation.words import singular, split_name
from tvlab.tasks.schema_leaves import SchemaLeaf, schema_leaves

MAKING = frozenset({"create", "send", "upsert"})
READING = frozenset({"list", "search", "read", "manage"})

_CODES = frozenset("code number sku slug symbol".split())
_ADDRESSES = frozenset("uri uris".split())
_ASKING = frozenset("requester sender recipient invitee participant attendee".split())
_OUTSIDE = ("customer", "contact", "person", "user", "member", "account")
_AFTER = frozenset("and or with including plus as to for in that which whose by on from is are id ids uri uris".split())
_PLACE = re.compile(
    r"\b(?:for|in|of|by|to|from|on|within|under|across|per|against|about|into)\b(?:\s+[\w'-]+){1,3}", re.IGNORECASE
)


@dataclass(frozen=True)
class Key:
    """What goes from one call to another.

    Attributes:
        kind: id, code, email, or told (only a text says where it comes from).
        of: the entity; for told the parameter's words and type.
    """

    kind: str
    of: str


class SchemaKeys:
    """The keys that the parameters of one server ask for.

    Attributes:
        asked: tool -> (leaf, keys it may ask for).
        told: key -> the tools that texts name as its source.
        people: the persons that the server keeps, those outside first.
    """

    def __init__(self, tools: list[ParsedTool], domain: Domain) -> None:
        self.domain = domain
        known = (domain.entities.get(name) for name in _OUTSIDE)
        self.people = [person for person in known if person is not None and not person.hidden]
        self.leaves = {tool.name: list(schema_leaves(tool.schema)) for tool in tools}
        self.told = _told(self.leaves)
        self._named: set[str] = set()
        for _ in range(2):  # what one tool says of a parameter holds for all parameters of that name
            self.asked = {
                tool.name: [(leaf, self._keys(leaf, tool)) for leaf in self.leaves[tool.name]] for tool in tools
            }

    def given(self, tool: ParsedTool) -> set[Key]:
        """Return the keys that every call of a tool has."""
        return {key for leaf, keys in self.asked[tool.name] if leaf.required for key in keys}

    def is_shared(self, name: str) -> bool:
        """True for a parameter that most tools have: on whose behalf a call is, not what a record holds."""
        having = sum(any(leaf.path == name for leaf in leaves) for leaves in self.leaves.values())
        return having >= 0.6 * len(self.leaves)

    def person(self, entity: Entity) -> Entity:
        """Return who plays a role that has no tools of its own: the requester of a ticket is a contact."""
        role = entity.noun[-1]
        if not entity.hidden or role not in words_of.PERSON_ROLES:
            return entity
        names = _OUTSIDE if role in _ASKING else words_of.PERSON_ENTITIES
        known = (self.domain.entities.get(name) for name in names)
        return next((other for other in known if other is not None and not other.hidden), entity)

    def mentioned(self, text: str) -> list[str]:
        """Return the entities whose nouns stand in a text by themselves, not before another noun."""
        found = re.findall(r"[A-Za-z]+|[^A-Za-z\s]", text)
        words = [singular(word.lower()) if word.isalpha() else word for word in found]
        return [entity.name for entity in self.domain.entities.values() if _stands(entity.noun, words)]

    def _keys(self, leaf: SchemaLeaf, tool: ParsedTool) -> list[Key]:
        p, own = leaf.parameter, self.domain.own.get(tool.name)
        if not p.words or p.enum or (p.snake in words_of.PAGING and tool.kind in ("list", "search")):
            return []
        told = [key] if (key := told_key(p)) in self.told else []
        address = p.words[-1] in _ADDRESSES and len(p.words) < 3
        several = self._spoken_of(p, tool) if address or p.words in (("id",), ("ids",)) else []
        if len(several) > 1 or (several and address):
            return [Key("id", name) for name in several]
        entity = self.domain.reference(p, own) or self._by_name(p, own)
        if entity is not None:
            entity = self.person(entity)
            new = tool.kind in MAKING and entity is own and leaf.path == entity.key
            return told if new else [Key("id", entity.name), *told]
        if p.words == ("email",) and leaf.path == p.name and p.type == "string" and own not in self.people:
            return [*(Key("email", person.name) for person in self.people[:1]), *told]
        entity = self._coded(p)
        if entity is None or (entity is own and tool.kind not in READING):
            return told
        return [Key("code", entity.name), *told]

    def _by_name(self, p: Parameter, own: Entity | None) -> Entity | None:
        """Return the thing that a text picks by name: ``view`` ("the name or ID of a view"), ``account``."""
        words = p.words[:-2] if p.words[-2:] == ("or", "name") else p.words
        words = words[:-1] if words[-1:] and words[-1] in words_of.ID_WORDS else words
        said = re.search(r"\b(?:ids?|names?|nicknames?|identifiers?|keys?)\b", p.description, re.IGNORECASE)
        if not words or _kind(p) not in ("string", "integer", "any") or not (said or p.name in self._named):
            return None
        entity = self._ending(words, whole=words == p.words)
        if entity is None or entity is own:
            return None
        self._named.add(p.name)
        return entity

    def _coded(self, p: Parameter) -> Entity | None:
        """Return the thing whose code this is: ``inventoryAssetAccountCode``, ``invoiceNumbers``."""
        if singular(p.words[-1]) not in _CODES or _kind(p) not in ("string", "integer"):
            return None
        entity = self._ending(p.words[:-1])
        return entity if entity is not None and not entity.hidden else None

    def _ending(self, words: tuple[str, ...], whole: bool = False) -> Entity | None:
        """Return the entity whose noun the words are, or end with."""
        noun = [singular(word) for word in words]
        starts = range(1 if whole else len(noun))
        return next((e for at in starts if (e := self.domain.entities.get("_".join(noun[at:])))), None)

    def _spoken_of(self, p: Parameter, tool: ParsedTool) -> list[str]:
        """Return the entities that the text of a bare id or address names, else those of the tool's first line."""
        text = p.description
        if not text:
            line = re.search(
                rf"^\s*{re.escape(p.name)}\b[^:\n]*:(.*(?:\n(?!\s*\w+:).*)*)", tool.description, re.MULTILINE
            )
            text = line[1] if line else ""
        found = self.mentioned(re.sub(r"[(\[]e\.g\..*", ";", text))
        return found or self.mentioned(without_places(tool.description.strip().partition("\n")[0]))


def told_key(p: Parameter) -> Key:
    """Return the key of a parameter of which only a text can say where it comes from."""
    return Key("told", f"{p.snake} {p.type}")


def without_places(text: str) -> str:
    """Return a text without what it says of where and for whom: "tasks of a project" speaks of tasks."""
    return _PLACE.sub(" ; ", text)


def _kind(p: Parameter) -> str:
    return schema_type(p.item_schema) if p.many else p.type


def _stands(noun: tuple[str, ...], words: list[str]) -> bool:
    for at in range(len(words) - len(noun) + 1):
        after = words[at + len(noun)] if at + len(noun) < len(words) else "."
        if tuple(words[at : at + len(noun)]) == noun and (not after.isalpha() or after in _AFTER):
            return True
    return False


def _told(leaves: dict[str, list[SchemaLeaf]]) -> dict[Key, set[str]]:
    """Return the tools that the texts of plain parameters name."""
    told: dict[Key, set[str]] = {}
    for tool, p in _plain_parameters(leaves.items()):
        named = {name for name in re.findall(r"[\w-]+", p.description) if len(split_name(name)) > 1}
        named &= leaves.keys() - {tool}
        if named:
            told.setdefault(told_key(p), set()).update(named)
    return told


def _plain_parameters(leaves: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Parameter]]:
    for tool, places in leaves:
        for leaf in places:
            p = leaf.parameter
            if p.words and p.type in ("string", "integer", "any") and not p.enum:
                yield tool, p
