"""Roles of the parameters that a write stores: values, references, wrapper objects, batches of items."""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.named_parts import bare_words, stored_words
from tvlab.environments.domain.record_schemas import batch_parameter
from tvlab.environments.domain.scope_columns import scope_column
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, parse_parameters, schema_type
from tvlab.environments.language import descriptions
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.meanings import Meaning, Role, UnmodelledError, check_type, own_many, side_role
from tvlab.environments.writing.item_keys import item_key, item_parameters, narrowed_to_key

#: a text that sets what else a record holds, by name
_NAMES_FIELDS = re.compile(
    r"\bjson (?:text|string|object)\b[^.;]{0,12}"
    r"\b(?:additional|extra|other|further) (?:fields|attributes|properties)\b",
    re.IGNORECASE,
)
_CHANGES = ("update", "transition", "batch_update")


def payload_role(meaning: Meaning, domain: Domain, p: Parameter) -> None:
    """Give a parameter of a write its column, its reference check, or take it away."""
    entity = meaning.entity
    where = scope_column(meaning.tool, entity, p) if meaning.operation in _CHANGES else None
    if where is not None:
        return meaning.roles.append(Role(p.path, "filter", p, None, where.name))
    if p.children or _is_open_wrapper(p, meaning):
        return _wrapper(meaning, domain, p)
    if field_types.is_preview(p) and meaning.operation in ("create", "update", "upsert"):
        return meaning.roles.append(Role(p.path, "preview", p))
    if p.words == ("confirm",) and p.type == "boolean" and p.required:
        return meaning.roles.append(Role(p.path, "confirm", p))
    if field_types.is_option(p) and not (
        p.required and p.type == "string" and p.words[0] not in words_of.NOT_SETTING
    ):
        return meaning.narrow(p, "steers the call, is no field")
    if _NAMES_FIELDS.search(p.description) and not (p.required or domain.guessed_texts or p.type == "object"):
        return meaning.narrow(p, "names fields of the record inside a text")
    if meaning.operation in _CHANGES and p.many and _edits_parts(p):
        return meaning.narrow(p, "adds, changes and removes parts")
    target = domain.reference(p, entity)
    named = not p.required and not p.many and p.words[-1] == "name"
    if target is not None and target is not entity and named and not _is_kept(domain, target):
        return _plain_name(meaning, p)
    words = stored_words(meaning.tool, entity, p) if target is None else bare_words(p)
    column = entity.column_for(words, target.name if target else None, target is not None)
    if column is None:
        return meaning.narrow(p, "no such field in the records")
    if p.many != (column.type == "array") or (
        column.type not in (p.type, "any") and p.type != "any" and not column.reference
    ):
        return meaning.narrow(p, "types of one column differ")
    meaning.roles.append(
        Role(
            p.path,
            "reference" if target else "payload",
            p,
            target.name if target else None,
            column.name,
            "in" if p.many and target else "==",
        )
    )
    if target is None:
        meaning.roles.extend(_inner_references(domain, p))
    return None


def _is_kept(domain: Domain, target: Entity) -> bool:
    """True if tools make or list the things."""
    kinds = ("create", "upsert", "list", "search")
    return any(domain.own.get(t.name) is target and t.kind in kinds for t in domain.tools)


def _plain_name(meaning: Meaning, p: Parameter) -> None:
    """Store a name of something that no tool is about as it is given: ``company_name`` of a customer."""
    column = meaning.entity.field_of(bare_words(p))
    if column is None or column.type != p.type:
        return meaning.narrow(p, "no such field in the records")
    return meaning.roles.append(Role(p.path, "payload", p, None, column.name))


def _inner_references(domain: Domain, p: Parameter) -> list[Role]:
    """References inside an array of objects or a nested object."""
    schema, path = (p.item_schema, (*p.path, "[]")) if p.many else (p.schema, p.path)
    if schema_type(schema) != "object":
        return []
    result = []
    for inner in parse_parameters(schema):
        target = domain.reference(inner)
        if target is not None and not inner.many:
            result.append(Role((*path, inner.name), "reference", inner, target.name, None))
    return result


def _is_open_wrapper(p: Parameter, meaning: Meaning) -> bool:
    """An object without declared properties that carries the fields of the thing."""
    if p.type not in ("object", "any") or p.schema.get("properties") or p.many or p.enum:
        return False
    words = field_types.singular_words(p.words)
    named = {words[-1], p.words[-1]} & words_of.WRAPPERS or words == meaning.entity.noun
    alone = _carries_all(meaning.tool, p.name)
    return bool(named) and alone and bool(_open_fields(p, meaning))


def _edits_parts(p: Parameter) -> bool:
    """True for a list of parts of which an item may say that the part is to go."""
    inner = p.item_schema.get("properties") or {}
    gone = ("delete", "remove", "destroy", "deleted", "removed")
    return any(n.strip("_").lower() in gone and schema_type(part) == "boolean" for n, part in inner.items())


def _carries_all(tool: ParsedTool, name: str) -> bool:
    """True unless a tool takes the open object of this name beside other values of the record."""
    return tool.parameter(name) is None or not [
        q for q in tool.parameters if q.name != name and not q.is_id and not field_types.is_option(q)
    ]


def _open_fields(p: Parameter, meaning: Meaning) -> dict[str, Any]:
    """Return the fields that an open wrapper may carry: those other tools set, else those it is said to hold."""
    taken = {r.field for r in meaning.roles}
    written = {
        f.name: f.schema
        for f in meaning.entity.fields.values()
        if f.written and f.name not in taken and f.name != p.name and not f.reference
    }
    told = descriptions.listed_fields(meaning.tool.description)
    named = {name: field_types.guess(name) for name in told if name not in taken}
    if written or named:
        return written or named
    noun, words = meaning.entity.noun, field_types.singular_words(p.words)
    if words != noun and p.words[: len(noun)] != noun:
        return {}
    known = {
        f.name: f.schema
        for f in meaning.entity.fields.values()
        if f.name not in taken and f.name != p.name and not f.reference and f.type != "object"
    }
    return known or {"name": {"type": "string"}}


def _wrapper(meaning: Meaning, domain: Domain, p: Parameter) -> None:
    """Model the properties of a wrapper object as if they were parameters."""
    if meaning.wrapper:
        return meaning.narrow(p, "a second wrapper object")
    meaning.wrapper = p.name
    children = p.children
    if not children:
        open_fields = _open_fields(p, meaning)
        meaning.open_fields = open_fields
        if all(_carries_all(t, p.name) for t in domain.tools if domain.own.get(t.name) is meaning.entity):
            meaning.entity.fields.pop(p.name, None)
        children = parse_parameters({"properties": open_fields}, (p.name,))
        for name, schema in open_fields.items():
            meaning.entity.fields.setdefault(name, Field(name, schema, in_input=True, written=True))
    for child in children:
        target = domain.reference(child, meaning.entity)
        if child.words == ("id",) or (child.name == meaning.entity.key and target is meaning.entity):
            meaning.narrow(child, "the id is made by the tool")
        elif field_types.is_option(child) or child.name not in meaning.entity.fields:
            meaning.narrow(child, "no such field in the records")
        elif target is not None and not child.many and target is not meaning.entity:
            meaning.roles.append(Role(child.path, "reference", child, target.name, child.name))
        else:
            meaning.roles.append(Role(child.path, "payload", child, None, child.name))
    return None


def batch_create(tool: ParsedTool, domain: Domain, entity: Entity, batch: Parameter) -> Meaning:
    """Mean a create of one record an item."""
    if not batch.required:
        raise UnmodelledError("batch without its array", tool.name)
    meaning = Meaning(tool, "batch_create", entity)
    meaning.wrapper = batch.name
    for p in item_parameters(batch, entity):
        target = domain.reference(p, entity)
        if p.name == entity.key:
            role = "key" if entity.key_kind == "natural" and p.required else ""
            meaning.roles.append(Role(p.path, role, p, entity.name, entity.key)) if role else meaning.narrow(
                p, "the id is made by the tool"
            )
        elif target is not None and not p.many:
            meaning.roles.append(Role(p.path, "reference", p, target.name, p.name))
        else:
            meaning.roles.append(Role(p.path, "payload", p, None, p.name))
    if entity.key_kind == "natural" and not meaning.of("key"):
        raise UnmodelledError("create without the key", f"{entity.key} of {entity.name}")
    for p in tool.parameters:
        if p is not batch:
            target = domain.reference(p, entity)
            column = entity.column_for(p.words, target.name, True) if target else None
            where = scope_column(tool, entity, p)
            if column is not None and target is not None and not p.many:
                meaning.roles.append(Role(p.path, "reference", p, target.name, column.name))
            elif where is not None:
                meaning.roles.append(Role(p.path, "payload", p, None, where.name))
            else:
                meaning.narrow(p, "no rule for it beside a batch")
    return meaning


def update_many(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning:
    """Mean an update of many records: by their keys alike, or item by item."""
    many = own_many(tool, domain, entity)
    if many is not None and not many.required:
        raise UnmodelledError("state change with unknown key", tool.name)
    if many is None:
        batch = batch_parameter(tool, entity)
        if batch is not None:
            return batch_items(tool, domain, entity, batch, "batch_update")
        raise UnmodelledError("state change with unknown key", tool.name)
    meaning = Meaning(
        tool, "batch_update", entity, [Role(many.path, "key", many, entity.name, entity.key, "in")]
    )
    for p in tool.parameters:
        if p is not many:
            payload_role(meaning, domain, p)
    if not [r for r in meaning.of("payload", "reference") if r.field]:
        raise UnmodelledError("nothing to update", tool.name)
    return meaning


def batch_items(
    tool: ParsedTool, domain: Domain, entity: Entity, batch: Parameter, operation: str
) -> Meaning:
    """An array of objects that each pick a record and say what changes."""
    meaning = Meaning(tool, operation, entity)
    meaning.wrapper = batch.name
    parameters = item_parameters(batch, entity)
    key = item_key(tool, domain, entity, parameters)
    if key is None or not batch.required:
        raise UnmodelledError("state change with unknown key", tool.name)
    check_type(key, entity.key_type, "key")
    for p in narrowed_to_key(meaning, key, parameters):
        column = entity.field_of(p.words)
        target = domain.reference(p, entity)
        fits = column is not None and (not p.many or (column.type == "array" and target is None))
        if operation == "batch_update" and column is not None and fits:
            meaning.roles.append(
                Role(
                    p.path,
                    "reference" if target else "payload",
                    p,
                    target.name if target else None,
                    column.name,
                )
            )
        else:
            meaning.narrow(p, "no such field in the records")
    if operation == "batch_update" and not meaning.of("payload", "reference"):
        raise UnmodelledError("nothing to update", tool.name)
    for p in tool.parameters:
        if p is not batch:
            side_role(meaning, domain, p)
    return meaning
