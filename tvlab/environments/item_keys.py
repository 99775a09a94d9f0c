"""Batches whose items each pick a record: ``close_tasks(items: [{task_id}])``, ``read_notes(inputs: [{id}])``.

An item that may name its record by an id or by another key ("Either 'id' or the 'name'") is narrowed to the id,
which is required then: the other key leaves the item's schema.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tvlab.environments import answer_options
from tvlab.environments import vocabulary as words_of
from tvlab.environments.domain import Domain
from tvlab.environments.entities import Entity
from tvlab.environments.meanings import REQUIRED_NOW, Meaning, Role, UnmodelledError, check_type, side_role
from tvlab.environments.record_schemas import batch_parameter
from tvlab.environments.tool_parsing import Parameter, ParsedTool, parse_parameters

_EITHER = re.compile(r"\beither [\"'`]?(\w+)[\"'`]? or (?:the )?[\"'`]?(\w+)[\"'`]?", re.IGNORECASE)
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
    if not key.required:
        meaning.narrowed.append((".".join(key.path), REQUIRED_NOW))
    other = either_keys(meaning.tool) if key.name in either_keys(meaning.tool) else frozenset()
    for p in parameters:
        if p.name in other and p is not key:
            meaning.narrow(p, "the id picks the record")
    return [p for p in parameters if p is not key and p.name not in other]


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
