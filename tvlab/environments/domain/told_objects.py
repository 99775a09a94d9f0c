"""Objects whose parts stand in their texts alone, and objects that may come as a text as well: one declared form each.

``rule_data``: "The rule containing: - name (str, required): Rule name - priority (int, optional): ..." declares these
properties, so that they are fields of the record.  An object that is also taken as JSON in a text is taken as an
object alone.
"""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain.tool_parsing import schema_type

_TYPES = {
    "str": "string", "string": "string", "text": "string", "int": "integer", "integer": "integer",
    "float": "number", "number": "number", "bool": "boolean", "boolean": "boolean",
    "dict": "object", "object": "object", "list": "array", "array": "array",
}  # fmt: skip
_PART = re.compile(
    rf"(?:^|[:\n]|(?<=\s))\s*[-*•]\s+`?(?P<name>[A-Za-z_]\w*)`?\s*"
    rf"\((?P<kind>{'|'.join(_TYPES)})(?:\[[^\]]*\])?(?P<more>,[^)]*)?\)\s*[:\-]\s*"
)
_OPTIONAL = re.compile(r"\boptional\b", re.IGNORECASE)
#: the beginning of something else, by which a listing is not the whole of the thing
_NOT = re.compile(r"\bdo not include\b", re.IGNORECASE)
_CHOICE = re.compile(r"[A-Z][A-Z0-9_]{2,}")
#: words in capitals that are all that may be given: "ACTIVE or INACTIVE", "(PASSWORD, MFA_ENROLL)"
_CHOICES = re.compile(
    rf"^{_CHOICE.pattern}(?:,? (?:or )?{_CHOICE.pattern})+|(?<=\(){_CHOICE.pattern}(?:, {_CHOICE.pattern})+(?=\))"
)
_LEAST = 2
_DEEPEST = 4


def told_properties(text: str) -> tuple[dict[str, Any], list[str]]:
    """Return (properties, names of the required ones) that a text lists with their types.

    >>> told_properties("Holds: - name (str, required): Name - level (int, optional): How much")[1]
    ['name']
    >>> told_properties("- state (str): ON_AIR or OFF_AIR")[0]
    {'state': {'type': 'string', 'description': 'ON_AIR or OFF_AIR', 'enum': ['ON_AIR', 'OFF_AIR']}}
    """
    found = list(_PART.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)][: len(found)]
    properties: dict[str, Any] = {}
    needed = []
    for match, end in zip(found, ends, strict=True):
        told = " ".join(text[match.end() : end].split())
        properties[match["name"]] = {"type": _TYPES[match["kind"]], **({"description": told} if told else {})}
        if _TYPES[match["kind"]] == "string" and (listed := _CHOICES.search(told)):
            properties[match["name"]]["enum"] = _CHOICE.findall(listed[0])
        more = match["more"] or ""
        if re.search(r"\brequired\b", more, re.IGNORECASE) and not _OPTIONAL.search(more):
            needed.append(match["name"])
    return properties, needed


def with_told_parts(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool whose input schema declares what its texts say of objects."""
    schema = tool.get("inputSchema")
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return tool
    told = {name: _declared(part) for name, part in schema["properties"].items()}
    return {**tool, "inputSchema": {**schema, "properties": told}} if told != schema["properties"] else tool


def _declared(part: Any, depth: int = 0) -> Any:
    if not isinstance(part, dict) or depth > _DEEPEST:
        return part
    part = _as_object(part)
    text = part.get("description")
    if schema_type(part) == "object" and not part.get("properties") and isinstance(text, str) and not _NOT.search(text):
        properties, needed = told_properties(text)
        if len(properties) >= _LEAST:
            part = {**part, "properties": properties, **({"required": needed} if needed else {})}
    if isinstance(part.get("properties"), dict):
        part = {**part, "properties": {n: _declared(inner, depth + 1) for n, inner in part["properties"].items()}}
    if isinstance(part.get("items"), dict):
        part = {**part, "items": _declared(part["items"], depth + 1)}
    return part


def _as_object(part: dict[str, Any]) -> dict[str, Any]:
    """Return the one declared object of an object that may be a text as well."""
    for word in ("anyOf", "oneOf"):
        branches = part.get(word)
        if not isinstance(branches, list) or not all(isinstance(b, dict) for b in branches):
            continue
        objects = [b for b in branches if b.get("properties")]
        others = [b for b in branches if not b.get("properties")]
        plain = [b for b in others if set(b) <= {"type", "title", "additionalProperties"}]
        kinds = {schema_type(b) for b in others}
        if len(objects) == 1 and plain == others and "string" in kinds and kinds <= {"string", "object"}:
            rest = {k: v for k, v in part.items() if k not in (word, "type")}
            return {**rest, **objects[0], **({"description": part["description"]} if "description" in part else {})}
    return part
