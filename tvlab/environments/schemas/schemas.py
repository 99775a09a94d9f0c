"""Tools of MCP servers, refactored: legal unique names and plain JSON Schema 2020-12, or a drop with a
reason.

Out comes a tool that an MCP client, the OpenAI tools format and a chat template can carry: the root of a
schema is an object without combinators, parameters are Python identifiers, no ``$ref`` is left, nested fields
are kept. Whatever JSON comes in, nothing is raised. What a tool *means* is not decided here (``domain.py``).
"""

import json
from dataclasses import dataclass, field
from typing import Any

import jsonschema_rs

from tvlab.environments.drops import Drop
from tvlab.environments.schemas.algebra import ContradictionError, Schema, intersect, types_of, union
from tvlab.environments.schemas.cleaning import MAX_NODES, SchemaCleaner, TooLargeError
from tvlab.environments.schemas.names import tool_name, unique_parameter_names, unique_tool_names
from tvlab.environments.schemas.references import References
from tvlab.environments.schemas.values import NotJsonError, clean_json

UNROLL = 3
_UNROLLED_NODES = 1_000
_INPUT_KEYS = ("inputSchema", "input_schema", "parameters")
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_NOT_AT_ROOT = ("not", "if", "then", "else", "enum", "const", "patternProperties", "propertyNames", "format")


@dataclass(frozen=True)
class RefactoredTool:
    """One refactored tool.

    Attributes:
        tool: ``name``, ``description``, ``inputSchema``; ``title``, ``outputSchema``, ``annotations`` if any.
        original_name: the name the server gave.
        parameters: {parameter: the name the server gave}, one to one.
        notes: changes of meaning, one line each.
    """

    tool: dict[str, Any]
    original_name: str
    parameters: dict[str, str]
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.tool["name"]


@dataclass(frozen=True)
class Refactored:
    """All tools of a server, refactored.

    Attributes:
        tools: the tools, in the server's order.
        name_map: {name: original name}, one to one.
        parameter_maps: {name: {parameter: original name}}, each one to one.
        drops: the tools that were left out.
        notes: {name: changes of meaning}.
    """

    tools: list[dict[str, Any]]
    name_map: dict[str, str] = field(default_factory=dict)
    parameter_maps: dict[str, dict[str, str]] = field(default_factory=dict)
    drops: list[Drop] = field(default_factory=list)
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)


def refactor_tools(tools: Any) -> Refactored:
    """Refactor the tools of one server; a name that was taken before drops the later tool.

    >>> refactor_tools([{"name": "Get Thing", "inputSchema": {"type": "object"}}]).name_map
    {'Get_Thing': 'Get Thing'}
    """
    if not isinstance(tools, list):
        return Refactored([], drops=[Drop("(tools)", "schema", "not a list of tools", type(tools).__name__)])
    kept: dict[str, RefactoredTool] = {}
    drops: list[Drop] = []
    for position, tool in enumerate(tools):
        result = refactor_tool(tool, position)
        if isinstance(result, Drop):
            drops.append(result)
        elif result.original_name in kept:
            drops.append(_drop(result.original_name, "a tool before has the same name", f"tool {position}"))
        else:
            kept[result.original_name] = result
    names = unique_tool_names(kept)
    return Refactored(
        tools=[{**result.tool, "name": names[original]} for original, result in kept.items()],
        name_map={name: original for original, name in names.items()},
        parameter_maps={names[original]: result.parameters for original, result in kept.items()},
        drops=drops,
        notes={names[original]: result.notes for original, result in kept.items() if result.notes},
    )


def refactor_tool(tool: Any, position: int = 0) -> RefactoredTool | Drop:
    """Refactor one tool, by itself (``refactor_tools`` makes names unique).

    Args:
        tool: any JSON value.
        position: where it stands in the server's list, to name a tool without a name.
    """
    name = tool.get("name") if isinstance(tool, dict) else None
    label = name if isinstance(name, str) and name.strip() else f"(tool {position})"
    label = label.encode("utf-8", "replace").decode()
    try:
        return _refactored(clean_json(tool), label)
    except _DropError as drop:
        return _drop(label, drop.reason, drop.detail)
    except NotJsonError as error:
        return _drop(label, "not JSON", str(error))
    except RecursionError:
        return _drop(label, "nested too deeply")
    except (
        Exception
    ) as error:  # a stranger's schema may find a fault of ours: it costs that tool, not the build
        return _drop(label, "fault in the refactoring", f"{type(error).__name__}: {error}"[:200])


def _drop(tool: str, reason: str, detail: str = "") -> Drop:
    return Drop(tool, "schema", reason, detail)


class _DropError(Exception):
    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


def _refactored(tool: Any, label: str) -> RefactoredTool:
    if not isinstance(tool, dict):
        raise _DropError("not an object", type(tool).__name__)
    if isinstance(tool.get("function"), dict):
        tool = tool["function"]
    original = tool.get("name")
    if not isinstance(original, str) or not original.strip():
        raise _DropError("no name", f"name is {original!r}"[:80])
    schema, notes = _cleaned_root(_input_schema(tool), tool)
    schema, parameters = _with_parameter_names(schema)
    if not _compiles(schema):
        raise _DropError("no valid schema came out", "inputSchema")
    description = tool.get("description")
    title = tool.get("title")
    result: dict[str, Any] = {"name": tool_name(original)}
    if isinstance(title, str) and title.strip():
        result["title"] = title.strip()
    result["description"] = description.strip() if isinstance(description, str) else ""
    result["inputSchema"] = schema
    output = _output_schema(tool, notes)
    if output is not None:
        result["outputSchema"] = output
    annotations = _annotations(tool.get("annotations"))
    if annotations:
        result["annotations"] = annotations
    return RefactoredTool(result, original, parameters, tuple(dict.fromkeys(notes)))


def _input_schema(tool: dict) -> dict:
    raw = next((tool[key] for key in _INPUT_KEYS if tool.get(key) is not None), True)
    if (
        isinstance(raw, dict)
        and isinstance(raw.get("json"), dict)
        and "type" not in raw
        and "properties" not in raw
    ):
        raw = raw["json"]
    if raw is True:
        return {"type": "object"}
    if not isinstance(raw, dict):
        raise _DropError("the inputSchema is not a schema", f"it is {json.dumps(raw)[:60]}")
    properties = raw.get("properties")
    if raw.get("type") in ("object", None) and not isinstance(properties, dict | list | None):
        raise _DropError("properties is not an object", f"it is {json.dumps(properties)[:60]}")
    return raw


def _cleaned_root(raw: dict, tool: dict) -> tuple[Schema, list[str]]:
    """The cleaned object schema; circular references are unrolled less where it would become too large."""
    references = References(raw, tool)
    for unroll in range(UNROLL, 0, -1):
        cleaner = SchemaCleaner(references, unroll, _UNROLLED_NODES if unroll > 1 else MAX_NODES)
        try:
            cleaned = cleaner.clean(raw)
            break
        except TooLargeError as error:
            reason = str(error)
    else:
        raise _DropError("the schema is too large", reason)
    if unroll < UNROLL:
        cleaner.notes.append(f"schema: circular references unrolled to depth {unroll} only, for its size")
    return _root_object(cleaned, cleaner.notes), cleaner.notes


def _root_object(schema: Schema, notes: list[str]) -> Schema:
    """A schema that is one plain object at its root, as the OpenAI tools format asks for."""
    if (types_of(schema) and "object" not in types_of(schema)) or schema.keys() == {"not"}:
        raise _DropError("the arguments are not an object", f"type is {schema.get('type')!r}")
    if schema.get("allOf"):
        raise _DropError(
            "parts of the schema do not join into one object", json.dumps(schema["allOf"])[:120]
        )
    rest = {keyword: value for keyword, value in schema.items() if keyword not in ("anyOf", "oneOf")}
    for keyword in ("anyOf", "oneOf"):
        branches = [branch for branch in schema.get(keyword, []) if types_of(branch) in ([], ["object"])]
        if branches:
            notes.append(f"schema: {keyword} of the whole was joined into one object")
            rest = _joined(rest, branches)
    for keyword in _NOT_AT_ROOT:
        if rest.pop(keyword, None) is not None:
            notes.append(f"schema: {keyword!r} of the whole was left out")
    extra = rest.get("additionalProperties")
    if isinstance(extra, dict):
        del rest["additionalProperties"]
        notes.append("schema: parameters under free names were left out")
    for keyword in ("default", "examples", "title"):
        rest.pop(keyword, None)
    properties = rest.pop("properties", {})
    required = [name for name in rest.pop("required", []) if name in properties]
    head: Schema = {"type": "object", "properties": properties}
    if required:
        head["required"] = required
    return head | {keyword: value for keyword, value in rest.items() if keyword != "type"}


def _joined(rest: Schema, branches: list[Schema]) -> Schema:
    """``rest`` with the properties of all branches; required is what every branch requires."""
    names = dict.fromkeys(name for branch in branches for name in branch.get("properties", {}))
    properties = {name: union([branch["properties"][name] for branch in branches
                               if name in branch.get("properties", {})]) for name in names}  # fmt: skip
    required = [name for name in branches[0].get("required", [])
                if all(name in branch.get("required", []) for branch in branches)]  # fmt: skip
    joined: Schema = {"properties": properties} if properties else {}
    if required:
        joined["required"] = required
    try:
        return intersect(joined, rest)
    except ContradictionError as reason:
        raise _DropError("parts of the schema do not join into one object", str(reason)) from None


def _with_parameter_names(schema: Schema) -> tuple[Schema, dict[str, str]]:
    names = unique_parameter_names(schema["properties"])
    renamed = {**schema, "properties": {names[name]: value for name, value in schema["properties"].items()}}
    if "required" in schema:
        renamed["required"] = [names[name] for name in schema["required"]]
    if "dependentRequired" in schema:
        renamed["dependentRequired"] = {
            names[name]: [names[other] for other in others if other in names]
            for name, others in schema["dependentRequired"].items() if name in names}  # fmt: skip
    return renamed, {new: original for original, new in names.items()}


def _output_schema(tool: dict, notes: list[str]) -> Schema | None:
    """The declared output if it tells something, and does not only wrap a bare text or list as ``result``."""
    raw = tool.get("outputSchema")
    if not isinstance(raw, dict) or not raw:
        return None
    try:
        schema = SchemaCleaner(References(raw, tool), unroll=1).clean(raw)
    except TooLargeError as error:
        notes.append(f"outputSchema: left out, {error}")
        return None
    properties = schema.get("properties", {})
    wrapped = raw.get("x-fastmcp-wrap-result") is True or list(properties) == ["result"]
    if wrapped and list(properties) == ["result"] and not _tells_structure(properties["result"]):
        notes.append("outputSchema: left out, it only wraps an answer of unknown structure")
        return None
    if types_of(schema) != ["object"] or not _compiles(schema):
        notes.append("outputSchema: left out, it is not an object schema")
        return None
    return schema


def _tells_structure(schema: Schema) -> bool:
    types = [name for name in types_of(schema) if name != "null"]
    if types == ["array"]:
        return _tells_structure(schema.get("items", {}))
    if types == ["string"]:
        return bool(schema.keys() & {"enum", "const"})
    if types == ["object"] and not schema.get("properties"):
        return False
    return bool(types)


def _annotations(raw: Any) -> dict[str, Any]:
    if not isinstance(raw, dict):
        return {}
    hints = {key: raw[key] for key in _HINTS if isinstance(raw.get(key), bool)}
    return {"title": raw["title"].strip(), **hints} if isinstance(raw.get("title"), str) else hints


def _compiles(schema: Schema) -> bool:
    """Whether the metaschema and the validator of call time take the schema."""
    try:
        jsonschema_rs.Draft202012Validator(schema)
    except (jsonschema_rs.ValidationError, ValueError, OverflowError):
        return False
    return True
