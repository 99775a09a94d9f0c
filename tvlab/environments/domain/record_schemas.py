"""Where a schema holds the records of an entity: the array of a batch, the part of a declared output."""

from __future__ import annotations

from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, schema_type


def batch_parameter(tool: ParsedTool, entity: Entity) -> Parameter | None:
    """The array of records that a batch takes: ``items`` of objects, or the plural noun itself."""
    arrays = [p for p in tool.parameters if p.many and schema_type(p.item_schema) == "object"]
    if not (tool.plural or tool.batch) or len(arrays) != 1 or not arrays[0].item_schema.get("properties"):
        return None
    words = field_types.singular_words(arrays[0].words)
    generic = ("item", "input", "record", "entry", "object", "operation", "data", "row", "element")
    if words[-1:] == entity.noun[-1:] or (words[-1:] and words[-1] in generic):
        return arrays[0]
    plain = [p for p in tool.parameters if p.required and p is not arrays[0] and not p.is_id]
    return arrays[0] if tool.kind == "create" and arrays[0].required and not plain else None


def declared_record(output: dict[str, Any], entity: Entity) -> dict[str, Any]:
    """Return the properties that a declared output gives one record of the entity."""
    properties = output.get("properties")
    if not isinstance(properties, dict):
        return {}
    if entity.key in properties:
        return {name: s for name, s in properties.items() if isinstance(s, dict)}
    arrays = [
        s for s in properties.values() if schema_type(s) == "array" and isinstance(s.get("items"), dict)
    ]
    if len(arrays) == 1 and isinstance(arrays[0]["items"].get("properties"), dict):
        records = arrays[0]["items"]["properties"]
        return {name: s for name, s in records.items() if isinstance(s, dict)}
    return {}
