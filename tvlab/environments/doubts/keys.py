"""Doubts about what picks a record and what a parameter points at: a container's key, another thing's id, two parents.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re
from collections import Counter

from tvlab.environments.domain import field_types, visible_things
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.told_references import begins_with
from tvlab.environments.meanings.meanings import Meaning
from tvlab.foundation.words import singular, split_name

_PLACES = frozenset("path filename filepath file workbook url uri directory folder".split())
_FILES = frozenset(
    "file directory folder dir document workbook spreadsheet presentation project repository path link".split()
)
_INSIDE = frozenset("cell row column range slide sheet table chart line paragraph".split())
_MEDIA = re.compile(
    r"\b(?:image|picture|photo|video|audio|voice|music|song|speech)s?\b|\b(?:using|by) (?:an? )?AI\b", re.IGNORECASE
)
_LABELS = frozenset("name title label".split())


def bare_id(meaning: Meaning, domain: Domain) -> str:
    """A bare id beside the thing's own key, or in a list of the thing: it is the id of what the thing belongs to."""
    for role in meaning.of("reference"):
        p = role.parameter
        if role.entity == meaning.entity.name and p.is_id and not p.id_noun and not p.many:
            return role.dotted
    return ""


def container_key(meaning: Meaning, domain: Domain) -> str:
    """The thing is keyed by the path of the file that holds it."""
    entity = meaning.entity
    last = field_types.name_words(entity.key)[-1:]
    if entity.key_kind != "natural" or not last or last[0] not in _PLACES or set(entity.noun) & _FILES:
        return ""
    if last[0] in entity.noun:
        return ""
    places = [r for r in meaning.of("reference", "filter") if r.parameter.required]
    inside = entity.noun[-1] in _INSIDE
    return entity.key if (places or inside) and meaning.of("key") else ""


def unheld_file(meaning: Meaning, domain: Domain) -> str:
    """A file that every tool is given by name is looked up in a table that no tool fills."""
    for role in meaning.of("reference"):
        target = domain.entities.get(role.entity or "")
        if target is None or not target.hidden or not role.parameter.required or target.key_kind != "natural":
            continue
        if target.noun[-1] in _PLACES and _made_with(role.parameter.name, domain):
            return role.dotted
    return ""


def _made_with(name: str, domain: Domain) -> bool:
    """True if a create of the server makes the file of that name."""
    return any(
        t.kind in ("create", "upsert") and [p.name for p in t.parameters if p.required] == [name]
        for t in domain.tools
    )


def optional_name(meaning: Meaning, domain: Domain) -> str:
    """A name is the key, but tools of the thing leave it out beside an id that they require."""
    entity = meaning.entity
    if entity.key_kind != "natural" or not _LABELS & set(field_types.name_words(entity.key)[-1:]):
        return ""
    for tool in (t for t in domain.tools if domain.own.get(t.name) is entity):
        for p in tool.parameters:
            if p.is_id and p.many and domain.reference(p, entity) is entity:
                return f"{tool.name}: {p.name}"
    for tool in domain.tools:
        if domain.own.get(tool.name) is not entity or tool.kind not in ("update", "read", "delete", "transition"):
            continue
        name = next((p for p in tool.parameters if p.name == entity.key), None)
        ids = [p for p in tool.parameters if p.required and p.is_id and not p.many]
        if name is not None and not name.required and ids:
            return f"{tool.name}: {ids[0].name}"
    return ""


def inner_key(meaning: Meaning, domain: Domain) -> str:
    """The key is that of the container: the call gives the id of the thing it names as well."""
    tool, key = meaning.tool, meaning.one("key")
    if key is None or meaning.operation not in ("update", "delete", "transition", "read", "rename"):
        return ""
    last = tool.noun[-1:]
    if not last or last == meaning.entity.noun[-1:]:
        return ""
    for p in tool.parameters:
        if p.required and p.is_id and p is not key.parameter and p.id_noun[-1:] == last:
            return p.name
    return ""


def ambiguous_container(meaning: Meaning, domain: Domain) -> str:
    """``folder_id`` is bound to one of several kinds of folders, to none that the name speaks of."""
    known = {singular(w) for w in split_name(meaning.tool.name)} | set(meaning.entity.noun)
    for role in meaning.of("reference"):
        p, target = role.parameter, domain.entities.get(role.entity or "")
        if target is None or not p.is_id or not p.id_noun or len(target.noun) <= len(p.id_noun):
            continue
        extra = set(target.noun[: -len(p.id_noun)])
        others = [
            e for e in domain.entities.values()
            if e is not target and e is not meaning.entity and e.noun[-len(p.id_noun):] == p.id_noun and not e.hidden
            and not (e.noun == p.id_noun and visible_things.listed(e, [target], domain.kinds) is target)
        ]  # fmt: skip
        told = begins_with(p, target.noun)
        if target.noun[-len(p.id_noun):] == p.id_noun and others and not extra & known and not told:
            return f"{role.dotted}: {target.title}"
    return ""


def two_parents(meaning: Meaning, domain: Domain) -> str:
    """What belongs to one thing is held in two columns: made under one, listed under the other."""
    if meaning.operation not in ("create", "list", "search", "send", "batch_create"):
        return ""
    counts = Counter(meaning.entity.parents.values())
    twice = [name for name, n in counts.items() if n > 1]
    mine = {r.field for r in meaning.of("reference")}
    for name in twice:
        columns = [column for column, parent in meaning.entity.parents.items() if parent == name]
        if mine & set(columns) and not set(columns) <= mine:
            return " ".join(columns)
    return ""


def verb_as_thing(meaning: Meaning, domain: Domain) -> str:
    """The verb is taken for the thing: ``drive_upload(file_id, data)`` makes no upload, it changes the file."""
    verb = meaning.tool.verb
    if meaning.operation not in ("create", "send", "batch_create") or verb not in _NO_THINGS:
        return ""
    return verb if meaning.entity.noun[-1:] == (verb,) else ""


_NO_THINGS = frozenset("upload import export download write edit sync save insert append move copy read run".split())


def prompted(meaning: Meaning, domain: Domain) -> str:
    """What is made or changed is generated from a prompt."""
    if meaning.operation not in ("create", "update", "send"):
        return ""
    asked = any(p.words[-1:] == ("prompt",) for p in meaning.tool.parameters)
    made = _MEDIA.search(meaning.tool.description)
    return made[0].lower() if asked and made else ""


def labelled_read(meaning: Meaning, domain: Domain) -> str:
    """A label before the description says that the call only reads."""
    label = re.match(r"\s*[\[(【](read|query|get|lookup|read[- ]only)[\])】]", meaning.tool.description, re.IGNORECASE)
    return label[1].lower() if label and meaning.writes else ""


def saved_elsewhere(meaning: Meaning, domain: Domain) -> str:
    """A save or export of something that the call does not give: a type, a path, a format."""
    if meaning.operation not in ("create", "send") or meaning.tool.verb not in ("save", "export", "download", "store"):
        return ""
    given = [r.parameter for r in meaning.of("payload")]
    return meaning.tool.verb if given and all(set(p.words[-1:]) & _STEERING for p in given) else ""


_STEERING = frozenset("type path filename format file directory folder location name overwrite extension".split())


def undeclared_fields(meaning: Meaning, domain: Domain) -> str:
    """All content lies in an object of fields that are not declared, beside a name of the record that it hides."""
    if meaning.operation not in ("create", "update", "upsert"):
        return ""
    payload = meaning.of("payload")
    if len(payload) != 1 or meaning.open_fields:
        return ""
    p = payload[0].parameter
    open_object = p.type in ("object", "any") and not p.schema.get("properties") and not p.many and not p.children
    named = len(p.words) > 1 and p.words[-1] in ("fields", "properties", "attributes")
    return payload[0].dotted if open_object and named else ""
