"""One shape out of a schema that leaves several open, so that made values fit: ``anyOf``, maps, one allowed value."""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain.tool_parsing import schema_type


def one_shape(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the first branch of ``anyOf`` or ``oneOf`` that says what a value is, the schema itself if it has none."""
    parts = [p for word in ("anyOf", "oneOf") for p in schema.get(word) or [] if isinstance(p, dict)]
    told = [p for p in parts if schema_type(p) not in ("any", "null") and (schema_type(p) != "object" or _told(p))]
    if not told or "enum" in schema or schema.get("properties"):
        return schema
    first = next((p for p in told if "enum" in p), told[0])
    return {**{k: v for k, v in schema.items() if k not in ("anyOf", "oneOf")}, **first}


def one_text(schema: dict[str, Any]) -> dict[str, Any] | None:
    """Return the part of a schema that takes one text, where it takes a text or a list of them; else None.

    What its description says of lists leaves it.

    >>> one_text({"type": ["string", "array"], "items": {"type": "string"}, "description": "Ids. Or an array of them."})
    {'type': 'string', 'description': 'Ids.'}
    >>> one_text({"type": "string"})
    """
    kind = schema.get("type")
    parts = [p for word in ("anyOf", "oneOf") for p in schema.get(word) or [] if isinstance(p, dict)]
    shapes = parts or [{**schema, "type": one} for one in (kind if isinstance(kind, list) else ())]
    kinds = [schema_type(shape) for shape in shapes if schema_type(shape) not in ("any", "null")]
    lists = [shape for shape in shapes if schema_type(shape) == "array"]
    texts = all(schema_type(one.get("items")) in ("string", "any") for one in lists)
    if sorted(set(kinds)) != ["array", "string"] or not texts:
        return None
    text = next(shape for shape in shapes if schema_type(shape) == "string")
    lost = ("anyOf", "oneOf", "items", "minItems", "maxItems")
    whole = {k: v for k, v in {**schema, **text}.items() if k not in lost}
    told = " ".join(s for s in re.split(r"(?<=[.!?])\s+", str(whole.get("description", ""))) if not _SEVERAL.search(s))
    return {**whole, "type": "string", **({"description": told} if "description" in whole else {})}


_SEVERAL = re.compile(r"\b(?:arrays?|JSON|multiple|several|comma-separated)\b", re.IGNORECASE)


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
