"""Doubts about writes: bodies without declared content, relative changes, edits, settings, relations.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.tool_parsing import Parameter
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.meanings.steering import said_of

_BODIES = frozenset("body data payload params request input args arguments options".split())
_RELATIVE = frozenset(
    "increment decrement delta increase decrease adjust adjustment deposit withdraw topup top_up charge extend "
    "change_by by_amount".split()
)
_RELATIVE_TEXT = re.compile(
    r"^\W*(?:increas|decreas|increment|decrement|adjust|extend|add\w* (?:to|funds)|deposit|withdraw|transfer\w* \w+ "
    r"(?:from|between))",
    re.IGNORECASE,
)
_EDITS = frozenset("open insert append prepend edit replace ensure".split())
_OPENED = frozenset(
    "document file browser page tab app application node project workbook url window session presentation folder "
    "directory link editor".split()
)
_TEXTS = frozenset(
    "text content body message value description prompt comment note caption subject markdown html".split()
)
_DISCRIMINATORS = ("type", "class_name", "kind", "object_type", "resource_type", "entity_type")
_REPLACES = re.compile(
    r"\boverwrites? (?:the |any )?(?:existing|previous|current)"
    r"|\b(?:and|or) (?:replac|overwrit)\w+|\bsets? or replac|\breplac(?:es|ing) (?:any|the) (?:existing|current)",
    re.IGNORECASE,
)
_ITEMS = frozenset("item row entry record input element data name value".split())
_SEVERAL = re.compile(r"\b(?:one or more|multiple|several|many|batch|bulk)\b", re.IGNORECASE)
_RELATIONS = frozenset(
    "dependency dependent follower watcher participant attendee collaborator assignee parent child blocker "
    "prerequisite relation link label tag member recipient".split()
)


def opaque(meaning: Meaning, domain: Domain) -> str:
    """The whole content lies in a body that says nothing of its fields."""
    if not meaning.writes:
        return ""
    bodies = [p for p in meaning.tool.parameters if _untyped(p)]
    if not bodies:
        return ""
    one = bodies[0]
    known = [f for f in meaning.entity.fields.values() if f.in_input and not f.reference and f.name != one.name]
    if meaning.operation in ("send", "transition", "link", "delete"):
        return one.name if one.required else ""
    invented = set(meaning.open_fields) <= {"name", one.name}
    told = [f for f in known if f.name not in meaning.open_fields] if meaning.open_fields else known
    stored = any(r.role == "payload" and r.field == one.name for r in meaning.roles)
    if one.snake in _BODIES and (stored or (meaning.open_fields and invented and not told)):
        return one.name
    return ""


def many_as_one(meaning: Meaning, domain: Domain) -> str:
    """An array that is the things themselves makes one record that holds them all."""
    if meaning.operation not in ("create", "send"):
        return ""
    tool, entity = meaning.tool, meaning.entity
    for role in meaning.of("payload", "reference"):
        p = role.parameter
        if not p.many or not p.required:
            continue
        one = field_types.singular_words(p.words)
        same = one in (entity.noun, entity.noun[-1:], tool.noun, tool.noun[-1:])
        generic = bool(_ITEMS & set(one[-1:]))
        objects = p.item_schema.get("type") == "object" and bool(p.item_schema.get("properties"))
        if objects and generic and _SEVERAL.search(tool.description[:200]):
            return role.dotted
        plain = [r for r in meaning.of("payload") if r.parameter.required and r.parameter is not p]
        if same or (generic and not plain and (tool.plural or tool.batch)):
            return role.dotted
    return tool.name if tool.batch else ""


def without_owner(meaning: Meaning, domain: Domain) -> str:
    """What a created record belongs to was taken away, or the record would be made of references alone by saving."""
    if meaning.operation not in ("create", "send"):
        return ""
    tool = meaning.tool
    gone = dict(meaning.narrowed)
    for p in tool.parameters:
        lost = p.name in gone and p.is_id and "made by the tool" not in gone[p.name] and p.id_noun and not p.many
        if lost and set(p.id_noun) & set(tool.noun):
            return p.name
    if tool.verb in ("save", "export", "download", "upload") and not meaning.of("payload"):
        return f"{tool.verb} of what is not given"
    own = any(p.is_id and domain.reference(p, meaning.entity) is meaning.entity for p in tool.parameters)
    if tool.verb == "save" and own:
        return "save of what is there"
    if tool.noun[-1:] in (("link",), ("url",)) and not meaning.of("payload"):
        return f"a {tool.noun[-1]} that is worked out"
    return ""


_REQUESTS = frozenset("body request update input".split())
_MANY_SET = re.compile(r"\b(?:object|JSON) (?:containing|with|of) (?:the )?(?:settings|fields|properties) to \w+", re.I)


def nested(meaning: Meaning, domain: Domain) -> str:
    """The fields of the thing lie one object deeper than they are kept: ``inputs[].properties``, ``model.team``."""
    if not meaning.writes:
        return ""
    for role in meaning.of("payload"):
        if len(role.path) < 2 or role.parameter.type != "object":
            continue
        words = role.parameter.words
        ends = {meaning.entity.noun[at:] for at in range(len(meaning.entity.noun))}
        if words in ends or words == ("properties",):
            return role.dotted
    for role in meaning.of("payload"):
        p = role.parameter
        body = p.type in ("object", "any") and p.words[-1] in _REQUESTS
        moved = role.field is not None and field_types.name_words(role.field) != p.words
        if len(role.path) == 1 and ((body and moved) or _MANY_SET.search(said_of(p, meaning.tool))):
            return role.dotted
    return ""


def replaces(meaning: Meaning, domain: Domain) -> str:
    """A create is described as replacing what is there."""
    if meaning.operation != "create":
        return ""
    match = _REPLACES.search(meaning.tool.description[:500])
    return match[0].lower() if match else ""


def renames_key(meaning: Meaning, domain: Domain) -> str:
    """A new name is written over a key that is no name."""
    last = field_types.name_words(meaning.entity.key)[-1:]
    names = (("name",), ("path",), ("title",), ("key",), ("slug",), ("label",), meaning.entity.noun[-1:])
    named = last in names
    return meaning.entity.key if meaning.operation == "rename" and not named else ""


def generic_thing(meaning: Meaning, domain: Domain) -> str:
    """A resource of a type that the call gives: the things of that type stand in tables of their own."""
    words = meaning.entity.noun
    typed = any(p.words[-1:] == ("type",) and p.required for p in meaning.tool.parameters)
    others = [e for e in domain.entities.values() if not e.hidden and e is not meaning.entity]
    generic = words[-1:] and words[-1] in ("resource", "object", "entity", "item", "record", "element", "component")
    lists = any(domain.own.get(t.name) is meaning.entity and t.kind in ("list", "search") for t in domain.tools)
    return meaning.entity.title if generic and len(words) == 1 and typed and len(others) > 2 and not lists else ""


def _untyped(p: Parameter) -> bool:
    words = set(p.words)
    return (
        p.type in ("object", "any") and not p.schema.get("properties") and not p.many and not p.children
        and not p.enum and bool(words & _BODIES)
    )  # fmt: skip


def relative(meaning: Meaning, domain: Domain) -> str:
    """The value given is added to, or taken from, the one that is there."""
    if meaning.operation not in ("update", "transition", "batch_update", "upsert"):
        return ""
    for role in meaning.of("payload"):
        words = role.parameter.words
        if set(words) & _RELATIVE or words in (("by",), ("by", "amount"), ("change", "by"), ("amount", "by")):
            return role.dotted
    text = meaning.tool.description
    if meaning.tool.verb in ("adjust", "extend", "transfer", "rate") and meaning.of("payload"):
        numbers = [r for r in meaning.of("payload") if r.parameter.type in ("number", "integer")]
        if numbers and meaning.tool.verb != "rate":
            return meaning.tool.verb
    match = _RELATIVE_TEXT.match(text)
    return match[0].lower() if match and meaning.operation in ("update", "batch_update") else ""


def edits(meaning: Meaning, domain: Domain) -> str:
    """A create under a verb of opening, of editing content or of making sure."""
    verb = meaning.tool.verb
    if verb == "open" and not set(meaning.tool.noun) & _OPENED:
        return ""
    if meaning.operation in ("create", "upsert") and verb in _EDITS and _opens(meaning):
        return verb
    return ""


def _opens(meaning: Meaning) -> bool:
    text = meaning.tool.description.lstrip(" \n*#").lower()
    made = re.match(r"(?:create|add|insert|open)s? (?:a|an) (?:new )?", text)
    places = {"row", "rows", "line", "position", "index", "at", "after", "before", "offset"}
    placed = any(set(p.words) & places for p in meaning.tool.parameters)
    return meaning.tool.verb in ("append", "prepend", "ensure", "edit", "replace") or not made or placed


def content_as_reference(meaning: Meaning, domain: Domain) -> str:
    """A free text is looked up as the key of a record."""
    for role in meaning.of("reference"):
        p = role.parameter
        if p.words and p.words[-1] in _TEXTS and p.type == "string" and not p.is_id:
            return role.dotted
    key = meaning.one("key")
    if key is not None and key.parameter.words[-1:] and key.parameter.words[-1] in _TEXTS - {"subject"}:
        return key.dotted if not key.parameter.is_id else ""
    return ""


def overwrites_key(meaning: Meaning, domain: Domain) -> str:
    """What says which kind of record is meant would be stored as a new value."""
    if meaning.operation not in ("update", "rename", "transition", "batch_update"):
        return ""
    payload = [r for r in meaning.of("payload") if "[]" not in r.path]
    for role in payload:
        p = role.parameter
        if p.required and p.snake in _DISCRIMINATORS and len(payload) > 1:
            return role.dotted
    return ""


def loose_setting(meaning: Meaning, domain: Domain) -> str:
    """A bare id below the path of another thing: a setting read as a thing of its own."""
    if meaning.operation != "update":
        return ""
    key = meaning.one("key")
    tools = [t for t in domain.tools if domain.own.get(t.name) is meaning.entity]
    bare = key is not None and key.parameter.is_id and not key.parameter.id_noun
    alone = all(t.kind in ("update", "read", "transition") for t in tools) and bool(bare)
    last = field_types.name_words(meaning.entity.name)[-1:]
    return meaning.entity.title if alone and last and last[0] in _ADJECTIVES else ""


_ADJECTIVES = frozenset("only enabled disabled allowed visible public private mode setting locked".split())


def untyped_map(meaning: Meaning, domain: Domain) -> str:
    """A map of values of which the schema tells no type would be replaced as a whole, and be seeded as a text."""
    if meaning.operation not in ("update", "upsert"):
        return ""
    for role in meaning.of("payload"):
        p = role.parameter
        if p.type == "any" and not p.enum and p.snake in _MAPS:
            return role.dotted
    return ""


_MAPS = frozenset("properties fields attributes parent data opts".split())


def relation_as_record(meaning: Meaning, domain: Domain) -> str:
    """A list of ids that are no references makes a record of what is a relation of its owner."""
    if meaning.operation not in ("create", "send"):
        return ""
    noun = meaning.tool.noun[-1:]
    if not noun or noun[0] not in _RELATIONS:
        return ""
    for role in meaning.of("payload"):
        if role.parameter.many and role.parameter.required and len(meaning.of("payload")) == 1:
            return role.dotted
    return ""
