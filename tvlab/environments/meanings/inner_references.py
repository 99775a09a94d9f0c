"""References that lie deeper in what a write stores: ``service: {id}``, ``items: [{product_id}]``.

An object that holds little but an id refers to the thing that its own name, its title ("ServiceReference") or the one
value of its type ("service_reference") speaks of.  Only things that tools of the server are about are looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.parameter_targets import held_type
from tvlab.environments.domain.tool_parsing import Parameter, schema_type
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft
from tvlab.foundation.words import singular, split_name

_WRITES = frozenset({"create", "send", "upsert", "update", "set", "batch_create", "batch_update"})
#: what stands beside the id of an object that only refers
_BESIDE = frozenset("id type name summary title label self html_url url href display_name displayName key".split())
_REFERS = frozenset(("reference", "ref", "input", "link", "pointer"))
_DEEPEST = 3
#: what only the server says
_TOLD = frozenset("created modified updated completed last".split())

Place = tuple[tuple[str, ...], Parameter, Entity]


def attach(meaning: Meaning, domain: Domain) -> None:
    """Give the meaning a role for each reference inside the values it stores."""
    if domain.guessed_texts:
        return
    for one in (meaning, *meaning.branches.values()):
        known = {role.path for role in one.roles}
        for role in one.of("payload") if one.operation in _WRITES else ():
            p = role.parameter
            for inner, parameter, entity in places(domain, p.name, p.schema):
                path = (*role.path, *inner)
                if path not in known and inner:
                    one.roles.append(Role(path, "inside", parameter, entity.name))


def places(domain: Domain, name: str, schema: dict[str, Any], depth: int = 0) -> Iterator[Place]:
    """Yield (path below the value, the parameter there, what it refers to) for the ids inside a value."""
    if depth > _DEEPEST or {*split_name(name)[:1]} & _TOLD:
        return
    if schema_type(schema) == "array" and isinstance(schema.get("items"), dict):
        for path, p, entity in places(domain, singular(name), schema["items"], depth + 1):
            yield ("[]", *path), p, entity
        return
    parts = schema.get("properties")
    for key, part in parts.items() if isinstance(parts, dict) and schema_type(schema) == "object" else ():
        part = part if isinstance(part, dict) else {}
        p = Parameter((key,), part, False, tuple(split_name(key)))
        if schema_type(part) in ("object", "array"):
            for path, inner, entity in places(domain, key, part, depth + 1):
                yield (key, *path), inner, entity
        target = _bare(domain, name, schema, p) if p.words == ("id",) else domain.reference(p) if p.is_id else None
        if target is not None and not target.hidden and not p.many and held_type(p) == target.key_type:
            yield (key,), p, target


def _bare(domain: Domain, name: str, schema: dict[str, Any], p: Parameter) -> Entity | None:
    """Return what an object refers to that holds its id and little else."""
    if not {*schema.get("properties", {})} <= _BESIDE or not {*schema.get("required", ())} <= {"id", "type"}:
        return None
    types = [v for v in _values(schema["properties"].get("type")) if isinstance(v, str)]
    title = schema.get("title")
    told = [types[0]] if len(types) == 1 else [] if types else [title, name]
    for words in ([w for w in split_name(text) if w not in _REFERS] for text in told if isinstance(text, str)):
        named = Parameter((f"{'_'.join(words)}_id",), p.schema, False, (*words, "id"))
        found = domain.reference(named) if words and named.is_id else None
        if found is not None and not found.hidden:
            return found
    return None


def _values(schema: Any) -> list[Any]:
    if not isinstance(schema, dict):
        return []
    return [schema["const"]] if "const" in schema else [v for v in schema.get("enum", ()) if v is not None]


def check(draft: Draft) -> None:
    """Add the lines that refuse ids inside an argument that nothing has."""
    for role in draft.meaning.of("inside"):
        target, one = draft.domain.entities[role.entity or ""], draft.own("one")
        path = ", ".join(literal(part) for part in role.path[1:])
        draft.add(f"for {one} in parts_at({draft.argument(role.path[0])}, {path}):")
        draft.add(draft.find(target, one), 1)
