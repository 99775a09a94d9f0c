"""Keyword values as servers write them, turned into values that JSON Schema 2020-12 allows.

Bounds given as text, type names of other languages, draft-4 booleans, defaults of the wrong type. A value
without a sensible reading is None: the keyword is then left out.
"""

import json
import math
import re
from functools import lru_cache
from typing import Any

import jsonschema_rs

from tvlab.environments.schemas.algebra import Schema, json_type, types_of, unique_values

SAFE_INTEGER = 2**53 - 1
JSON_DEPTH = 200
JSON_TYPES = ("string", "integer", "number", "boolean", "object", "array", "null")
_ALIASES = {
    "str": "string", "text": "string", "char": "string", "date": "string", "datetime": "string",
    "uuid": "string",
    "file": "string", "enum": "string", "bytes": "string", "int": "integer", "int32": "integer",
    "int64": "integer",
    "long": "integer", "float": "number", "double": "number", "decimal": "number", "numeric": "number",
    "bool": "boolean", "list": "array", "tuple": "array", "set": "array", "dict": "object", "map": "object",
    "dictionary": "object", "record": "object", "none": "null", "nil": "null",
}  # fmt: skip
_KEYWORDS_OF_TYPE = {
    "object": ("properties", "required", "additionalProperties", "patternProperties", "propertyNames",
               "minProperties", "maxProperties", "dependentRequired"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"),
    "string": ("minLength", "maxLength", "pattern"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}  # fmt: skip
_ZOD_TYPES = {
    "ZodString": "string", "ZodNumber": "number", "ZodBigInt": "integer", "ZodBoolean": "boolean",
    "ZodDate": "string", "ZodArray": "array", "ZodSet": "array", "ZodObject": "object", "ZodRecord": "object",
    "ZodNull": "null", "ZodEnum": "string", "ZodNativeEnum": "string", "string": "string", "number": "number",
    "boolean": "boolean", "array": "array", "object": "object", "enum": "string", "int": "integer",
}  # fmt: skip
_ZOD_WRAPPERS = ("ZodOptional", "ZodNullable", "ZodDefault", "optional", "nullable", "default")


class NotJsonError(ValueError):
    """A value that no JSON text can hold."""


def type_name(name: Any) -> str | None:
    """Return the JSON Schema type meant by ``name``, None if there is none (``any``, unknown words).

    >>> type_name("String"), type_name("float"), type_name("any")
    ('string', 'number', None)
    """
    if not isinstance(name, str):
        return None
    name = name.strip().lower()
    return name if name in JSON_TYPES else _ALIASES.get(name)


def declared_types(raw: dict) -> list[str]:
    """Return the types that ``type``, or else the other keywords, tell; [] for an open schema."""
    declared = raw.get("type")
    if declared is not None:
        given = declared if isinstance(declared, list) else [declared]
        names = [name for name in map(type_name, given) if name is not None]
        return list(dict.fromkeys(names)) if len(names) == len(given) else []
    if isinstance(raw.get("enum"), list) and raw["enum"]:
        return list(dict.fromkeys(map(json_type, raw["enum"])))
    if "const" in raw:
        return [json_type(raw["const"])]
    found = [name for name, keywords in _KEYWORDS_OF_TYPE.items()
             if any(not isinstance(raw.get(word, True), bool) for word in keywords)]  # fmt: skip
    return found[:1] if len(found) == 1 else []


def bound(value: Any) -> int | float | None:
    """Return a numeric bound; none for text that is no number and for the ends of the integer range."""
    number = _number(value)
    if number is None or abs(number) >= SAFE_INTEGER:
        return None
    return number


def count(value: Any) -> int | None:
    """Return a length or number of items: a whole number from 0 on."""
    number = bound(value)
    return int(number) if number is not None and number >= 0 and number == int(number) else None


def _number(value: Any) -> int | float | None:
    if isinstance(value, str):
        try:
            value = float(value) if re.search(r"[.eE]", value) else int(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def numeric_bounds(raw: dict) -> Schema:
    """Return the number keywords of ``raw``; draft-4 booleans beside ``minimum`` become 2020-12 bounds.

    >>> numeric_bounds({"minimum": 0, "exclusiveMinimum": True, "maximum": "9"})
    {'exclusiveMinimum': 0, 'maximum': 9}
    """
    result: Schema = {}
    for plain, strict in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        limit, strict_limit = bound(raw.get(plain)), bound(raw.get(strict))
        if raw.get(strict) is True:
            limit, strict_limit = None, limit
        result |= {plain: limit, strict: strict_limit}
    step = _number(raw.get("multipleOf"))
    result["multipleOf"] = step if step and 0 < step < SAFE_INTEGER else None
    result = {keyword: value for keyword, value in result.items() if value is not None}
    low = max((result[word] for word in ("minimum", "exclusiveMinimum") if word in result), default=-math.inf)
    high = min((result[word] for word in ("maximum", "exclusiveMaximum") if word in result), default=math.inf)
    if low > high:
        result = {keyword: value for keyword, value in result.items() if keyword == "multipleOf"}
    return result


def counts(raw: dict, least: str, most: str) -> Schema:
    """Return the pair of size keywords of ``raw``, none of them if they contradict each other."""
    low, high = count(raw.get(least)), count(raw.get(most))
    if low is not None and high is not None and low > high:
        return {}
    return {word: value for word, value in ((least, low or None), (most, high)) if value is not None}


@lru_cache(maxsize=4096)
def is_pattern(text: str) -> bool:
    """Return whether ``text`` is a regular expression for Python and for the validator alike."""
    try:
        re.compile(text)
        jsonschema_rs.Draft202012Validator({"pattern": text})
    except (re.error, ValueError, OverflowError, RecursionError):
        return False
    return True


def enum_values(values: list, types: list[str]) -> tuple[list, list[str]]:
    """Return the values of an ``enum`` and its types, made to agree.

    Values that the declared types exclude are converted if all of them can be (``1`` to ``"1"``); else the
    types are those of the values.
    """
    values = unique_values(values)
    if types:
        converted = [value if _is_of(value, types) else coerced(value, types) for value in values]
        if all(_is_of(value, types) for value in converted):
            return unique_values(converted), types
    return values, list(dict.fromkeys(map(json_type, values)))


def _is_of(value: Any, types: list[str]) -> bool:
    name = json_type(value)
    return name in types or (name == "integer" and "number" in types)


def coerced(value: Any, types: list[str]) -> Any:
    """Return ``value`` as one of ``types`` where it is plainly meant so, else ``value`` itself.

    >>> coerced("true", ["boolean"]), coerced("10", ["integer"]), coerced(200, ["string"])
    (True, 10, '200')
    >>> coerced("x", ["number"])
    'x'
    """
    if _is_of(value, types):
        return value
    for name in types:
        if name == "boolean" and isinstance(value, str) and value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        number = _number(value)
        if name == "integer" and number is not None and number == int(number):
            return int(number)
        if name == "number" and number is not None:
            return number
        if name == "string" and isinstance(value, int | float):
            return str(value).lower() if isinstance(value, bool) else str(value)
        if name == "array" and types == ["array"] and isinstance(value, str | int | float):
            return [value] if value != "" else []
    return value


def default_for(value: Any, schema: Schema) -> tuple[Any] | None:
    """Return ``(default,)`` if ``value``, or what it plainly means, is valid under ``schema``, else None."""
    value = coerced(value, types_of(schema)) if types_of(schema) else value
    if "enum" in schema and isinstance(value, str):
        same = [
            item for item in schema["enum"] if isinstance(item, str) and item.casefold() == value.casefold()
        ]
        value = same[0] if len(same) == 1 else value
    if not schema.keys() - {"type", "title", "description", "examples"}:
        return (value,) if not schema.get("type") or _is_of(value, types_of(schema)) else None
    try:
        return (value,) if jsonschema_rs.Draft202012Validator(schema).is_valid(value) else None
    except (ValueError, OverflowError):
        return None


def from_zod(raw: dict) -> tuple[dict, bool]:
    """Return (schema, optional) for a Zod object that was serialised in place of its schema."""
    definition = raw["_def"]
    kind = definition.get("typeName") or definition.get("type")
    inner = definition.get("innerType")
    if kind in _ZOD_WRAPPERS and isinstance(inner, dict):
        wrapped, _ = from_zod(inner) if isinstance(inner.get("_def"), dict) else (inner, False)
        if kind.lower().endswith("nullable"):
            return {"anyOf": [wrapped, {"type": "null"}]}, False
        return wrapped, True
    schema: dict = {"type": _ZOD_TYPES[kind]} if isinstance(kind, str) and kind in _ZOD_TYPES else {}
    if isinstance(definition.get("description"), str):
        schema["description"] = definition["description"]
    if isinstance(definition.get("values"), list):
        schema["enum"] = definition["values"]
    for check in definition.get("checks") if isinstance(definition.get("checks"), list) else []:
        schema |= _zod_check(check, schema.get("type"))
    return schema, False


def _zod_check(check: Any, type_: str | None) -> dict:
    if not isinstance(check, dict):
        return {}
    kind, value = check.get("kind"), check.get("value")
    if kind == "int":
        return {"type": "integer"}
    if kind not in ("min", "max"):
        return {}
    if type_ == "string":
        return {f"{kind}Length": value}
    word = "imum" if check.get("inclusive", True) else ""
    return {f"{kind}imum" if word else f"exclusive{kind.capitalize()}imum": value}


def clean_json(value: Any) -> Any:
    """Return ``value`` as JSON that every consumer can hold: no lone surrogates, NaN or endless numbers.

    Raises:
        NotJsonError: it holds something that is no JSON, or is nested too deeply to be mended.
    """
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        return value
    except (ValueError, TypeError):
        return _rebuilt(value, 0)


def _rebuilt(value: Any, depth: int) -> Any:
    if depth > JSON_DEPTH:
        raise NotJsonError(f"nested deeper than {JSON_DEPTH} levels")
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_rebuilt(str(key), depth): _rebuilt(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rebuilt(item, depth + 1) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if (isinstance(value, int) and value.bit_length() <= 1024) or (
        isinstance(value, float) and math.isfinite(value)
    ):
        return value
    if isinstance(value, int | float):
        return None
    raise NotJsonError(type(value).__name__)
