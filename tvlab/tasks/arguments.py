"""Putting the leaves of a call's arguments together to nested arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tvlab.tasks.paths import EACH, steps
from tvlab.tasks.tool_views import resolved


def assemble(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested arguments from values by leaf path; an array of objects gets one element.

    >>> assemble({"customer_id": "c", "items[].sku": "b", "items[].quantity": 2, "tags[]": ["x", "y"]})
    {'customer_id': 'c', 'items': [{'sku': 'b', 'quantity': 2}], 'tags': ['x', 'y']}
    """
    arguments: dict[str, Any] = {}
    for path, value in values.items():
        _put(arguments, steps(path), value)
    return arguments


def _put(target: dict[str, Any], parts: tuple[str, ...], value: Any) -> None:
    head, rest = parts[0], parts[1:]
    if not rest:
        target[head] = value
    elif rest == (EACH,):
        target[head] = value if isinstance(value, list) else [value]
    elif rest[0] == EACH:
        elements = target.setdefault(head, [{}])
        _put(elements[0], rest[1:], value)
    else:
        _put(target.setdefault(head, {}), rest, value)


def completed(arguments: dict[str, Any], schema: Any) -> dict[str, Any]:
    """Return arguments with the empty objects and arrays that a schema requires and no value has begun.

    >>> body = {"type": "object", "properties": {"note": {"type": "string"}}}
    >>> completed({"id": "a"}, {"properties": {"id": {"type": "string"}, "body": body}, "required": ["id", "body"]})
    {'id': 'a', 'body': {}}
    """
    schema = resolved(schema)
    full = dict(arguments)
    for name, part in schema.get("properties", {}).items():
        part = resolved(part)
        if name in full or name in schema.get("required", ()):
            full[name] = _completed_part(full.get(name), part)
            if full[name] is None:
                del full[name]
    return full


def _completed_part(value: Any, schema: dict[str, Any]) -> Any:
    items = resolved(schema.get("items"))
    if schema.get("type") == "object" and isinstance(value, (dict, type(None))):
        return completed(value or {}, schema)
    if schema.get("type") == "array" and isinstance(value, (list, type(None))) and items.get("type") == "object":
        return [completed(item, items) if isinstance(item, dict) else item for item in value or [{}]]
    return [] if value is None and schema.get("type") == "array" else value


def replaced(arguments: Any, at: Sequence[str], new: Any) -> Any:
    """Return arguments with another value at a path, in each element of an array.

    >>> replaced({"items": [{"sku": "a", "code": "a"}]}, ("items", "[]", "sku"), "b")
    {'items': [{'sku': 'b', 'code': 'a'}]}
    """
    if not at:
        return new
    if at[0] == EACH:
        return [replaced(item, at[1:], new) for item in arguments]
    return {**arguments, at[0]: replaced(arguments[at[0]], at[1:], new)}
