"""Batches whose items each pick a record: ``close_tasks(items: [{task_id}])``, ``read_notes(inputs: [{id}])``.

An item that may name its record by an id or by another key ("Either 'id' or the 'name'") keeps both where records
hold the other one; else it is narrowed to the id, which is required then.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tvlab.environments.domain import answer_options
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.named_parts import bare_words
from tvlab.environments.domain.record_schemas import batch_parameter
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, parse_parameters
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.meanings import REQUIRED_NOW, Meaning, Role, UnmodelledError, check_type, side_role

_EITHER = re.compile(r"\beither [\"'`]?(\w+)[\"'`]? or (?:the )?[\"'`]?(\w+)[\"'`]?", re.IGNORECASE)
#: columns that say what a record is called
_CALLED = ("name", "title", "subject", "content", "summary")
#: what an item of a read says of the answer, not of the record
_ANSWERS = frozenset("properties fields associations include expand columns select".split())


def item_parameters(batch: Parameter, entity: Entity) -> list[Parameter]:
    """Return the properties of a batch's items as parameters, those of a wrapper inside an item as well."""
    result = []
    for p in parse_parameters(batch.item_schema, (), entity.noun):
        for leaf in p.children or (p,):
            needed = leaf.required and p.required
            result.append(replace(leaf, path=(batch.name, "[]", *leaf.path), required=needed, children=()))
    return result


def either_keys(tool: ParsedTool) -> frozenset[str]:
    """Return the two names of which a description asks for one, () if it asks for none."""
    found = _EITHER.search(tool.description)
    return frozenset(found.groups()) if found else frozenset()


def item_key(tool: ParsedTool, domain: Domain, entity: Entity, parameters: list[Parameter]) -> Parameter | None:
    """Return the property by which an item picks its record: required, or one of the two that are asked for."""
    either = either_keys(tool)
    found = [
        p
        for p in parameters
        if domain.reference(p, entity) is entity
        and p.words[0] not in words_of.REFERENCE_MODIFIERS
        and not p.many
        and (p.required or (p.is_id and p.name in either and len(either) == 2))
    ]
    return found[0] if found else None


def narrowed_to_key(meaning: Meaning, key: Parameter, parameters: list[Parameter]) -> list[Parameter]:
    """Give the key its role and take the other one away; return the properties that are left."""
    needed = replace(key, required=True)
    meaning.roles.append(Role(key.path, "key", needed, meaning.entity.name, meaning.entity.key))
    other = either_keys(meaning.tool) if key.name in either_keys(meaning.tool) else frozenset()
    others = [p for p in parameters if p.name in other and p is not key]
    columns = [column for p in others if (column := _other_column(meaning.entity, p)) is not None]
    if not key.required and not (others and len(columns) == len(others)):
        meaning.narrowed.append((".".join(key.path), REQUIRED_NOW))
        columns = []
    for p in others:
        if columns and not key.required:
            columns[0].filtered, columns[0].required = False, True  # so no two records are called alike at first
            meaning.roles.append(Role(p.path, "other_key", p, meaning.entity.name, columns[0].name))
        else:
            meaning.narrow(p, "the id picks the record")
    return [p for p in parameters if p is not key and p.name not in other]


def _other_column(entity: Entity, p: Parameter) -> Field | None:
    """Return the column that holds the other key: one of its name, or what a record is called by."""
    known = entity.field_of(bare_words(p)) or entity.field_of(p.words)
    called = next((f for word in _CALLED if (f := entity.fields.get(word)) is not None and f.written), None)
    if p.words == (*entity.noun, "name") and called is not None and called is not known:
        # ``task_name`` is no column beside the content that a task is made of
        entity.fields.pop(known.name, None) if known is not None else None
        known, entity.label = called, called.name
    plain = known is not None and known.type == "string" and not known.reference and p.type == "string"
    return known if plain else None


def picked_items(tool: ParsedTool, domain: Domain, entity: Entity, operation: str) -> Meaning | None:
    """Mean a read or a change of state of the records that the items of an array pick, None if there is no array."""
    batch = batch_parameter(tool, entity)
    if batch is None or not batch.required:
        return None
    parameters = item_parameters(batch, entity)
    key = item_key(tool, domain, entity, parameters)
    if key is None:
        return None
    meaning = Meaning(tool, operation, entity, wrapper=batch.name)
    check_type(key, entity.key_type, "key")
    for p in narrowed_to_key(meaning, key, parameters):
        if p.name.lower() not in _ANSWERS and not answer_options.is_credential(p):
            raise UnmodelledError("more in an item than its key", p.name)
        meaning.narrow(p, "says what the answer holds")
    for p in tool.parameters:
        if p is not batch:
            side_role(meaning, domain, p)
    return meaning
