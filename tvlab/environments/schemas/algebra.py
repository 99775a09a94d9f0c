"""Union and intersection of schemas that ``schema_cleaning`` has cleaned.

Both keep the meaning and make the result as simple as the meaning allows: ``anyOf`` with null becomes a type
list, constants become one ``enum``, ``allOf`` becomes one object. What does not simplify stays ``anyOf``,
``oneOf`` or ``allOf``. Schemas are never edited: results are new dictionaries (which may share parts).
"""

from collections.abc import Iterable
from typing import Any

from tvlab.foundation.canonical import canonical_json

Schema = dict[str, Any]

NULL: Schema = {"type": "null"}
NEVER: Schema = {"not": {}}
ANNOTATIONS = frozenset(
    {"description", "title", "default", "examples", "format", "deprecated", "readOnly", "writeOnly"}
)
_LOWER_BOUNDS = frozenset(
    {"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"}
)
_UPPER_BOUNDS = frozenset(
    {"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"}
)
_SUBSCHEMAS = frozenset({"items", "additionalProperties", "propertyNames", "unevaluatedProperties"})


class ContradictionError(Exception):
    """Two schemas have no value in common."""


def types_of(schema: Schema) -> list[str]:
    """Return the types that ``schema`` names, in order; none if it is open.

    >>> types_of({"type": ["string", "null"]}), types_of({"description": "anything"})
    (['string', 'null'], [])
    """
    declared = schema.get("type", [])
    return [declared] if isinstance(declared, str) else list(declared)


def main_type(schema: Schema) -> str | None:
    """Return the first type besides null, None if the schema is open (or only null)."""
    return next((name for name in types_of(schema) if name != "null"), None)


def is_nullable(schema: Schema) -> bool:
    """Return whether the schema names null as a type."""
    return "null" in types_of(schema)


def as_type(names: Iterable[str]) -> str | list[str]:
    """Return type names as a schema's ``type``: one name, or a list (without integer beside number)."""
    names = list(dict.fromkeys(names))
    if "number" in names and "integer" in names:
        names.remove("integer")
    return names[0] if len(names) == 1 else names


def unique_values(values: Iterable[Any]) -> list[Any]:
    """Return the values without repeats; ``1``, ``1.0`` and ``true`` are different values."""
    return list({canonical_json(value): value for value in reversed(list(values))}.values())[::-1]


def json_type(value: Any) -> str:
    """Return the JSON Schema type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def nullable(schema: Schema) -> Schema:
    """Return a schema that takes what ``schema`` takes, and null."""
    if not schema or (is_nullable(schema) and not schema.keys() & {"enum", "const", "anyOf", "oneOf"}):
        return schema
    if schema.keys() & {"not", "allOf", "if"}:
        return _carry_annotations(schema, {"anyOf": [_without_annotations(schema), NULL]})
    result = dict(schema)
    if types_of(schema):
        result["type"] = as_type([*types_of(schema), "null"])
    if "const" in result:
        result["enum"] = [result.pop("const")]
    if "enum" in result and None not in result["enum"]:
        result["enum"] = [*result["enum"], None]
    for keyword in ("anyOf", "oneOf"):
        if keyword in result and not any(is_nullable(branch) for branch in result[keyword]):
            result[keyword] = [*result[keyword], NULL]
    return result


def union(branches: list[Schema], keyword: str = "anyOf") -> Schema:
    """Return one schema for ``anyOf`` (or ``oneOf``) over cleaned branches.

    >>> union([{"type": "string"}, {"type": "null"}]), union([{"const": "a"}, {"const": "b"}])
    ({'type': ['string', 'null']}, {'type': 'string', 'enum': ['a', 'b']})
    """
    branches = [branch for branch in unique_values(_flattened(branches)) if branch != NEVER]
    rest = [branch for branch in branches if not _is_null(branch)]
    if not branches:
        return NEVER
    if not rest:
        return NULL
    if len(rest) == 1:
        return nullable(rest[0]) if len(branches) > 1 else rest[0]
    result = _one_type_list(rest) or _one_enum(rest)
    if result is None:
        result = {keyword: rest}
        if all(types_of(branch) for branch in rest):
            result = {"type": as_type(name for branch in rest for name in types_of(branch)), **result}
    return nullable(result) if len(branches) > len(rest) else result


def _flattened(branches: list[Schema]) -> Iterable[Schema]:
    for branch in branches:
        if branch.keys() <= {"type", "anyOf"} and "anyOf" in branch:
            yield from branch["anyOf"]
        else:
            yield branch


def _is_null(schema: Schema) -> bool:
    return types_of(schema) == ["null"] or schema.get("enum") == [None] or schema.get("const", 0) is None


def _one_type_list(branches: list[Schema]) -> Schema | None:
    if any(branch.keys() - {"type", "title"} or "type" not in branch for branch in branches):
        return None
    return {"type": as_type(name for branch in branches for name in types_of(branch))}


def _one_enum(branches: list[Schema]) -> Schema | None:
    if any(branch.keys() - {"type", "title", "enum", "const"} or not branch.keys() & {"enum", "const"}
           for branch in branches):  # fmt: skip
        return None
    values = unique_values(
        value for branch in branches for value in branch.get("enum", [branch.get("const")])
    )
    return {"type": as_type(json_type(value) for value in values), "enum": values}


def intersect(left: Schema, right: Schema) -> Schema:
    """Return one schema for ``allOf: [left, right]``; annotations of ``right`` win.

    ``additionalProperties: false`` of one side is read as the authors of such schemas mean it: about the
    properties of both sides together.

    Raises:
        ContradictionError: the two have no type or no constant in common.
    """
    result = dict(left)
    apart = _apart(left, right)
    if apart:
        result["allOf"] = [*result.get("allOf", []), apart]
    for keyword, value in right.items():
        if keyword in apart:
            continue
        if keyword not in result or keyword in ANNOTATIONS:
            result[keyword] = value
        elif result[keyword] != value or json_type(result[keyword]) != json_type(value):
            _intersect_keyword(result, keyword, value)
    if "const" in result:
        allowed = result.pop("enum", [result["const"]])
        if canonical_json(result["const"]) not in map(canonical_json, allowed):
            raise ContradictionError("the constant is not in the enum")
    return result


def _apart(left: Schema, right: Schema) -> Schema:
    """Keywords of ``right`` that act on one another and so cannot be mixed with those of ``left``."""
    apart: Schema = {}
    for group, mixing_is_harmless in _GROUPS:
        mine, theirs = left.keys() & group, right.keys() & group
        if mine and theirs and not mixing_is_harmless(left, right):
            apart |= {keyword: right[keyword] for keyword in right if keyword in theirs}
    return apart


def _plain_arrays(left: Schema, right: Schema) -> bool:
    return "prefixItems" not in left and "prefixItems" not in right


def _plain_objects(left: Schema, right: Schema) -> bool:
    """No side has a schema for the properties that only the other side names."""
    return not any(
        isinstance(one.get("additionalProperties"), dict)
        and (
            other.get("properties", {}).keys() - one.get("properties", {}).keys()
            or "patternProperties" in other
        )
        for one, other in ((left, right), (right, left))
    )


_GROUPS = (
    (frozenset({"items", "prefixItems"}), _plain_arrays),
    (frozenset({"properties", "patternProperties", "additionalProperties"}), _plain_objects),
    (frozenset({"if", "then", "else"}), lambda left, right: False),
    (frozenset({"contains", "minContains", "maxContains"}), lambda left, right: False),
)


def _intersect_keyword(result: Schema, keyword: str, value: Any) -> None:
    present = result[keyword]
    if keyword == "type":
        result["type"] = _common_types(result, {"type": value})
    elif keyword == "enum":
        wanted = set(map(canonical_json, value))
        result["enum"] = [item for item in present if canonical_json(item) in wanted]
        if not result["enum"]:
            raise ContradictionError("the enums have no value in common")
    elif keyword == "const":
        raise ContradictionError("the constants differ")
    elif keyword == "properties":
        result["properties"] = {**present, **{
            name: intersect_or_all(present[name], schema) if name in present else schema
            for name, schema in value.items()}}  # fmt: skip
    elif keyword in ("required", "allOf"):
        result[keyword] = unique_values([*present, *value])
    elif keyword in _LOWER_BOUNDS:
        result[keyword] = max(present, value)
    elif keyword in _UPPER_BOUNDS:
        result[keyword] = min(present, value)
    elif keyword == "uniqueItems":
        result[keyword] = present or value
    elif keyword in _SUBSCHEMAS and isinstance(present, dict) and isinstance(value, dict):
        result[keyword] = intersect_or_all(present, value)
    elif keyword in _SUBSCHEMAS:
        result[keyword] = False if value is False or present is False else present
    else:
        result["allOf"] = [*result.get("allOf", []), {keyword: value}]


def _common_types(left: Schema, right: Schema) -> str | list[str]:
    mine, theirs = types_of(left), types_of(right)
    common = [name for name in mine if name in theirs or (name == "integer" and "number" in theirs)]
    common += [name for name in theirs if name == "integer" and "number" in mine]
    if not common:
        raise ContradictionError(f"no value is both {' or '.join(mine)} and {' or '.join(theirs)}")
    return as_type(common)


def intersect_or_all(left: Schema, right: Schema) -> Schema:
    """``intersect``, or ``allOf`` of both where they contradict each other."""
    try:
        return intersect(left, right)
    except ContradictionError:
        return {"allOf": [left, right]}


def _without_annotations(schema: Schema) -> Schema:
    return {keyword: value for keyword, value in schema.items() if keyword not in ANNOTATIONS}


def _carry_annotations(source: Schema, target: Schema) -> Schema:
    return {**target, **{keyword: value for keyword, value in source.items() if keyword in ANNOTATIONS}}
