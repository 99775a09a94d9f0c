"""One shape out of a schema that leaves several open, so that made values fit: ``anyOf``, maps, one allowed value."""

from __future__ import annotations

from typing import Any

from tvlab.environments.tool_parsing import schema_type


def one_shape(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the first branch of ``anyOf`` or ``oneOf`` that says what a value is, the schema itself if it has none."""
    parts = [p for word in ("anyOf", "oneOf") for p in schema.get(word) or [] if isinstance(p, dict)]
    told = [p for p in parts if schema_type(p) not in ("any", "null") and (schema_type(p) != "object" or _told(p))]
    if not told or "enum" in schema or schema.get("properties"):
        return schema
    first = next((p for p in told if "enum" in p), told[0])
    return {**{k: v for k, v in schema.items() if k not in ("anyOf", "oneOf")}, **first}


def _told(schema: dict[str, Any]) -> bool:
    return bool(schema.get("properties")) or isinstance(schema.get("additionalProperties"), dict)


def map_values(schema: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema of what a map holds under free keys, None if the object is no such map."""
    more = schema.get("additionalProperties")
    plain = schema_type(schema) == "object" and not schema.get("properties")
    return more if plain and isinstance(more, dict) and more else None


def is_settled(schema: dict[str, Any]) -> bool:
    """True if only one value is allowed, or a list of one value alone: nothing that a call could choose."""
    inner = schema.get("items") if schema_type(schema) == "array" else schema
    choices = inner.get("enum") if isinstance(inner, dict) else None
    fixed = isinstance(inner, dict) and "const" in inner
    return fixed or (isinstance(choices, list) and len([v for v in choices if v is not None]) == 1)
