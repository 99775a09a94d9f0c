"""Tools in the OpenAI tools format: as they are, and in its strict form.

The plain form carries the input schema unchanged, so no nested field, constraint or description is lost.

The strict form (structured outputs) allows a part of JSON Schema only: every object is closed and requires
all its properties, an optional one is written as nullable, some keywords do not exist.  What is removed is
listed, and which parameters were optional stays on record (``StrictTool.optional``), so that arguments made
under the strict form can be turned back (``plain_arguments``) and the plain ``required`` lists restored
(``required_again``).  A tool with a part that the strict form cannot say at all, such as an object with free
names, is not bent: it is left out with a reason and can be sent beside the others in its plain form.  Which
keywords are allowed follows OpenAI's guide to structured outputs of 2025; an endpoint may take fewer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Schema = dict[str, Any]

#: JSON Schema keywords that the strict form knows, beside those that hold schemas
KEYWORDS = frozenset(
    "type description title enum const pattern multipleOf minimum maximum exclusiveMinimum "
    "exclusiveMaximum minItems maxItems".split()
)
FORMATS = frozenset("date-time time date duration email hostname ipv4 ipv6 uuid".split())
MAX_DEPTH, MAX_PROPERTIES, MAX_ENUM_VALUES, MAX_NAME_CHARACTERS = 10, 5_000, 1_000, 120_000
_WRITTEN_ANEW = frozenset({"properties", "required", "additionalProperties", "items", "anyOf", "oneOf"})
# without these a nested field could be lost
_UNSAYABLE = (
    "$ref",
    "allOf",
    "patternProperties",
    "prefixItems",
    "dependentSchemas",
    "unevaluatedProperties",
)


@dataclass(frozen=True)
class Removed:
    """A keyword that the strict form does not know: at which path of the arguments, and what it said."""

    path: str
    keyword: str
    value: Any


@dataclass(frozen=True)
class StrictTool:
    """One tool in the strict form.

    Attributes:
        tool: ``{"type": "function", "function": {"name", "description", "strict": True, "parameters"}}``.
        optional: paths of the properties that the plain form does not require, ``[]`` for "each element":
            ``("note", "items[].size")``.
        removed: keywords that were left out.
    """

    tool: dict[str, Any]
    optional: tuple[str, ...] = ()
    removed: tuple[Removed, ...] = ()

    @property
    def name(self) -> str:
        return self.tool["function"]["name"]


@dataclass(frozen=True)
class StrictTools:
    """A toolset in the strict form.

    Attributes:
        tools: the tools that have one, in order.
        left_out: tool name -> why it has none.
    """

    tools: tuple[StrictTool, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def payload(self) -> list[dict[str, Any]]:
        """What goes into a request's ``tools``."""
        return [strict.tool for strict in self.tools]


def to_openai_tools(tools: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return tools in the plain OpenAI form.

    Args:
        tools: refactored tools (``name``, ``description``, ``inputSchema``), as in ``tools.json``.

    >>> to_openai_tools([{"name": "now", "description": "Tell it.", "inputSchema": {"type": "object"}}])[0]
    {'type': 'function', 'function': {'name': 'now', 'description': 'Tell it.', 'parameters': {'type': 'object', 'properties': {}}}}
    """  # noqa: E501
    return [_function(tool, {"parameters": _with_properties(tool["inputSchema"])}) for tool in tools]


def to_strict(tools: Iterable[Mapping[str, Any]]) -> StrictTools:
    """Return tools in the strict form, with what had to be removed, and the tools that have none.

    Args:
        tools: refactored tools.
    """
    strict: list[StrictTool] = []
    left_out: dict[str, str] = {}
    for tool in tools:
        writer = _StrictWriter()
        try:
            schema = writer.written(_with_properties(tool["inputSchema"]), "", 1)
            writer.check(schema)
        except _NotStrictError as reason:
            left_out[tool["name"]] = str(reason)
            continue
        function = _function(tool, {"strict": True, "parameters": schema})
        strict.append(StrictTool(function, tuple(dict.fromkeys(writer.optional)), tuple(writer.removed)))
    return StrictTools(tuple(strict), left_out)


def plain_arguments(strict: StrictTool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments made under the strict form as the plain form takes them: without "null, left out".

    Null for an optional parameter that may be null by itself is left out too; the strict form cannot tell.
    """
    return _without_nulls(dict(arguments), "", frozenset(strict.optional))


def required_again(strict: StrictTool) -> dict[str, list[str]]:
    """Return the plain form's required properties: {path of the object: names}, "" for the arguments."""
    required: dict[str, list[str]] = {}
    for path, part in _schemas(strict.tool["function"]["parameters"]):
        names = [name for name in part.get("properties", {}) if _join(path, name) not in strict.optional]
        if names:
            required[path] = list(dict.fromkeys([*required.get(path, []), *names]))
    return required


def _function(tool: Mapping[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool["name"], "description": tool.get("description") or "", **more},
    }


def _with_properties(schema: Mapping[str, Any]) -> Schema:
    """The root of a schema with ``properties`` said: some endpoints refuse an object without."""
    return {"type": "object", "properties": {}, **schema}


def _join(path: str, name: str) -> str:
    name = re.sub(r"([\\.\[])", r"\\\1", name)
    return f"{path}.{name}" if path else name


def _without_nulls(value: Any, path: str, optional: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {
            name: _without_nulls(part, _join(path, name), optional)
            for name, part in value.items()
            if not (part is None and _join(path, name) in optional)
        }
    if isinstance(value, list):
        return [_without_nulls(part, f"{path}[]", optional) for part in value]
    return value


class _NotStrictError(Exception):
    """A part of a schema that the strict form cannot say; the message names path and part."""


class _StrictWriter:
    """Writes one tool's schema in the strict form and keeps account."""

    def __init__(self) -> None:
        self.optional: list[str] = []
        self.removed: list[Removed] = []
        self._demanded: set[str] = set()

    def written(self, schema: Any, path: str, depth: int) -> Schema:
        """Return the strict form of a schema.

        Raises:
            _NotStrictError: it has none.
        """
        if not isinstance(schema, dict) or not schema.keys() & {"type", "anyOf", "oneOf", "enum", "const"}:
            raise _NotStrictError(f"{path or 'the whole'} may be anything")
        if depth > MAX_DEPTH:
            raise _NotStrictError(f"{path} is nested deeper than {MAX_DEPTH}")
        if found := [keyword for keyword in _UNSAYABLE if keyword in schema]:
            raise _NotStrictError(f"{path or 'the whole'} has {found[0]}")
        if schema.keys() & {"anyOf", "oneOf"}:
            return self._either(schema, path, depth)
        strict = self._known(schema, path)
        types = schema.get("type")
        kinds = types if isinstance(types, list) else [types]
        if "object" in kinds:
            strict |= self._object(schema, path, depth)
        if "array" in kinds:
            if not isinstance(schema.get("items"), dict):
                raise _NotStrictError(f"the elements of {path} may be anything")
            strict["items"] = self.written(schema["items"], f"{path}[]", depth + 1)
        return strict

    def _known(self, schema: Schema, path: str) -> Schema:
        """The keywords that the strict form shares; the others are noted as removed."""
        kept: Schema = {}
        for keyword, value in schema.items():
            if keyword in KEYWORDS or (keyword == "format" and value in FORMATS):
                kept[keyword] = value
            elif keyword not in _WRITTEN_ANEW:
                self.removed.append(Removed(path, keyword, value))
        return kept

    def _either(self, schema: Schema, path: str, depth: int) -> Schema:
        if not path:
            raise _NotStrictError("the whole is a choice between schemas")
        beside = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
        if beside.keys() & {"properties", "items"} or {"anyOf", "oneOf"} <= schema.keys():
            raise _NotStrictError(f"{path} has a choice beside other demands")
        if "oneOf" in schema:
            self.removed.append(Removed(path, "oneOf", "written as anyOf"))
        branches = schema["anyOf"] if "anyOf" in schema else schema["oneOf"]
        written = [self.written(part, path, depth) for part in branches]
        if not all(_kinds(part) <= _kinds(beside) for part in written if "type" in beside):
            raise _NotStrictError(f"{path} has a choice beside other demands")
        beside.pop("type", None)
        return self._known(beside, path) | {"anyOf": written}

    def _object(self, schema: Schema, path: str, depth: int) -> Schema:
        properties = schema.get("properties", {})
        if not properties and path and schema.get("additionalProperties") is not False:
            raise _NotStrictError(f"{path} is an object with free names")
        if isinstance(schema.get("additionalProperties"), dict):
            raise _NotStrictError(f"{path or 'the whole'} takes further names")
        if schema.get("additionalProperties") is True:
            self.removed.append(Removed(path, "additionalProperties", True))
        required = schema.get("required", [])
        strict: Schema = {}
        for name, part in properties.items():
            below = _join(path, name)
            strict[name] = self.written(part, below, depth + 1)
            if name in required:
                self._demanded.add(below)
            else:
                self.optional.append(below)
                strict[name] = _nullable(strict[name])
        return {"properties": strict, "required": list(properties), "additionalProperties": False}

    def check(self, schema: Schema) -> None:
        """Hold the whole against the limits of the format, and see that what was optional is clear.

        Raises:
            _NotStrictError: it is too large, or a property is optional in one choice and required in another.
        """
        if unclear := self._demanded & set(self.optional):
            raise _NotStrictError(f"{min(unclear)} is optional in one choice only")
        properties = values = characters = 0
        for _, part in _schemas(schema):
            names = list(part.get("properties", {}))
            enum = part.get("enum", [])
            properties += len(names)
            values += len(enum)
            characters += sum(map(len, names)) + sum(len(v) if isinstance(v, str) else 0 for v in enum)
        if properties > MAX_PROPERTIES or values > MAX_ENUM_VALUES or characters > MAX_NAME_CHARACTERS:
            raise _NotStrictError(f"too large: {properties} properties, {values} enumerated values")


def _nullable(schema: Schema) -> Schema:
    """The schema that takes null too, its description kept outside."""
    if "anyOf" in schema:
        with_null = [*schema["anyOf"], {"type": "null"}]
        return {**schema, "anyOf": schema["anyOf"] if _takes_null(schema) else with_null}
    kinds = schema.get("type")
    if kinds is None or "const" in schema:
        text: Schema = {key: schema[key] for key in ("description", "title") if key in schema}
        rest = {key: value for key, value in schema.items() if key not in text}
        return schema if _takes_null(schema) else {**text, "anyOf": [rest, {"type": "null"}]}
    kinds = kinds if isinstance(kinds, list) else [kinds]
    nullable = {**schema, "type": kinds if "null" in kinds else [*kinds, "null"]}
    if "enum" in schema and None not in schema["enum"]:
        nullable["enum"] = [*schema["enum"], None]
    return nullable


def _kinds(schema: Schema) -> set[Any]:
    kinds = schema.get("type", "any")
    return set(kinds) if isinstance(kinds, list) else {kinds}


def _takes_null(schema: Schema) -> bool:
    if "anyOf" in schema:
        return any(_takes_null(branch) for branch in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return None in schema.get("enum", [schema.get("const", 0)])
    kinds = schema.get("type", [])
    return "null" in (kinds if isinstance(kinds, list) else [kinds])


def _schemas(schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield (path, schema) for a strict schema and all below it."""
    yield path, schema
    for name, part in schema.get("properties", {}).items():
        yield from _schemas(part, _join(path, name))
    if isinstance(schema.get("items"), dict):
        yield from _schemas(schema["items"], f"{path}[]")
    for branch in schema.get("anyOf", []):
        yield from _schemas(branch, path)
