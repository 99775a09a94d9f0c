"""Defaults that a schema declares deeper than the first level of an argument: ``route.upstream.type``."""

from __future__ import annotations

from typing import Any

from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.meanings.meanings import Meaning

_MADE = frozenset({"create", "send"})
_DEEPEST = 5


def declared(schema: Any, depth: int = 0) -> dict[str, Any]:
    """Return the plain defaults of an object's properties, and of the objects and lists of objects inside them.

    What lies inside a list of objects stands in a list of its own.

    >>> point = {"type": "object", "properties": {"x": {"type": "integer", "default": 1}}}
    >>> declared({"properties": {"at": point, "all": {"type": "array", "items": point}, "z": {"default": 2}}})
    {'at': {'x': 1}, 'all': [{'x': 1}], 'z': 2}
    """
    found: dict[str, Any] = {}
    properties = schema.get("properties") if isinstance(schema, dict) and depth < _DEEPEST else None
    for name, part in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(part, dict):
            continue
        inner = declared(part, depth + 1) if schema_type(part) == "object" else {}
        below = declared(part.get("items"), depth + 1) if schema_type(part) == "array" else {}
        if inner or below:
            found[name] = inner or [below]
        elif isinstance(part.get("default"), (str, int, float, bool)) and name not in schema.get("required", []):
            found[name] = part["default"]
    return found


def deeper(schema: Any) -> dict[str, Any]:
    """Return what is declared below the first level of an object.

    >>> deeper({"properties": {"z": {"default": 2}, "at": {"type": "object", "properties": {"x": {"default": 1}}}}})
    {'at': {'x': 1}}
    """
    return {name: inner for name, inner in declared(schema).items() if isinstance(inner, (dict, list))}


def of_arguments(meaning: Meaning) -> dict[str, Any]:
    """Return the deeper defaults of the arguments of a tool that makes something, those of its wrapper included."""
    if meaning.operation not in _MADE:
        return {}
    found = {}
    for p in meaning.tool.parameters:
        if p.name == meaning.wrapper:
            taken = {r.path[1] for r in meaning.of("payload") if len(r.path) == 2 and r.path[0] == p.name}
            inner = {name: tree for name, tree in deeper(p.schema).items() if name in taken}
        elif any(r.path == (p.name,) for r in meaning.of("payload")):
            inner = deeper(p.schema)
        else:
            continue
        if inner:
            found[p.name] = inner
    return found


def without_variants(schema: Any) -> Any:
    """Return a schema without the defaults inside alternatives: which one is meant is the caller's to say.

    >>> without_variants({"anyOf": [{"properties": {"a": {"default": 1, "type": "integer"}}}], "default": 2})
    {'anyOf': [{'properties': {'a': {'type': 'integer'}}}], 'default': 2}
    """
    if isinstance(schema, list):
        return [without_variants(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _bare(part) if key in ("anyOf", "oneOf") else part if key == "default" else without_variants(part)
        for key, part in schema.items()
    }


def _bare(schema: Any) -> Any:
    """Alternatives without the defaults of their properties."""
    if isinstance(schema, list):
        return [_bare(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: _bare(part) for key, part in schema.items()}
    if isinstance(schema.get("properties"), dict):
        result["properties"] = {
            name: {k: v for k, v in part.items() if k != "default"} if isinstance(part, dict) else part
            for name, part in result["properties"].items()
        }
    return result
