"""What a text says a value is needed for: "Required if type is weekly", also as a rule inside an object's schema."""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain.alternative_schemas import one_shape
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.language.wrapped_lines import unwrapped

_NEEDED = re.compile(
    r"\brequired (?:if|when) [`'\"]?(?P<name>\w+)[`'\"]? (?:is|=|==|equals) (?:set to )?(?P<values>[`'\"]?\w+[`'\"]?"
    r"(?:(?:, | or |, or |/)[`'\"]?\w+[`'\"]?)*)(?=[.,;)\n]|$)",
    re.IGNORECASE,
)
_NEEDED_FOR = re.compile(r"\brequired for [`'\"]?(?P<value>\w+)[`'\"]?(?=[.,;)\n]|$)", re.IGNORECASE)


def needed_when(text: str) -> tuple[str, list[str]] | None:
    """Return the name and the values of another parameter that make a value required, None if none is told.

    >>> needed_when('Branch to build (required if source is "git")')
    ('source', ['git'])
    >>> needed_when("Required if type is weekly, monthly or yearly."), needed_when("Required.")
    (('type', ['weekly', 'monthly', 'yearly']), None)
    """
    found = _NEEDED.search(text)
    return (found["name"], re.findall(r"\w+", re.sub(r"\bor\b", " ", found["values"]))) if found else None


def needed_for(text: str, properties: dict[str, Any]) -> tuple[str, list[str]] | None:
    """The same for a text that names the value alone: ``Required for weekly`` beside a kind that may be weekly.

    >>> needed_for("Required for weekly.", {"kind": {"enum": ["daily", "weekly"]}, "day": {}})
    ('kind', ['weekly'])
    """
    found = _NEEDED_FOR.search(text)
    asking = [n for n, part in properties.items() if found and found["value"] in _choices(part)]
    return (asking[0], [found["value"]]) if found and len(asking) == 1 else None


def _choices(part: Any) -> list[Any]:
    found = one_shape(part).get("enum") if isinstance(part, dict) else None
    return found if isinstance(found, list) else []


def inner_needs(schema: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    """Return the optional properties of an object that another one asks for: (property, the one that asks, values).

    >>> inner_needs({"properties": {"kind": {"type": "string"}, "day": {"description": "Required if kind is weekly."}}})
    [('day', 'kind', ['weekly'])]
    """
    properties = schema.get("properties") or {}
    result = []
    for name, part in properties.items():
        text = part.get("description") if isinstance(part, dict) else None
        free = isinstance(text, str) and name not in schema.get("required", [])
        said = unwrapped(str(text))
        told = (needed_when(said) or needed_for(said, properties)) if free else None
        asks = properties.get(told[0]) if told else None
        if told and told[0] != name and isinstance(asks, dict):
            shape = one_shape(asks)
            known = [value for value in shape.get("enum", told[1]) if value is not None]
            if schema_type(shape) == "string" and set(told[1]) <= set(known):
                result.append((name, told[0], told[1]))
    return result


def with_needs(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with a rule for each property that another one asks for."""
    rules = [
        {"if": {"properties": {asks: {"enum": values}}, "required": [asks]}, "then": {"required": [name]}}
        for name, asks, values in inner_needs(schema)
    ]
    return {**schema, "allOf": [*schema.get("allOf", []), *rules]} if rules else schema
