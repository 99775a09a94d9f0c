"""Schema refactoring: every oddity has a right value or a named drop, and no JSON whatever raises.

Oracles: hand-written results for each oddity, ``jsonschema`` on the raw schema (what it accepts must still be
accepted, what it refuses refused), the 2020-12 metaschema, ``referencing`` for pointers.
"""

import copy
import json
import keyword
import os
import random
import re
from pathlib import Path

import jsonschema
import jsonschema_rs
import pytest
import referencing
import referencing.jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlab.environments.schemas.algebra import (
    ContradictionError,
    intersect,
    is_nullable,
    main_type,
    nullable,
    union,
)
from tvlab.environments.schemas.names import (
    parameter_name,
    tool_name,
    unique_parameter_names,
    unique_tool_names,
)
from tvlab.environments.schemas.references import References
from tvlab.environments.schemas.schemas import Drop, refactor_tool, refactor_tools

CORPUS = Path(os.environ.get("TVLAB_CORPUS", Path(__file__).resolve().parents[3] / "shared" / "mcp"))
needs_corpus = pytest.mark.skipif(
    not (CORPUS / "corpus.jsonl").exists(),
    reason="the schema corpus is not here (set TVLAB_CORPUS to its folder)",
)
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def as_tool(properties=None, **root) -> dict:
    schema = {"type": "object", "properties": properties or {}, **root}
    return {"name": "some_tool", "description": "made up", "inputSchema": schema}


def refactored(tool: dict) -> dict:
    result = refactor_tool(tool)
    assert not isinstance(result, Drop), result
    return result.tool


def cleaned(schema) -> dict:
    """The refactored schema of one parameter."""
    return refactored(as_tool({"p": schema}))["inputSchema"]["properties"]["p"]


def corpus() -> list[list[dict]]:
    """The tools of every server of the corpus."""
    lines = (CORPUS / "corpus.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line)["tools"] for line in lines if line]


def check(result, metaschema: bool = True) -> None:
    """What holds for every refactored list of tools; ``metaschema`` asks the slow, independent validator."""
    assert all(drop.stage == "schema" and drop.reason not in ("", "fault in the refactoring")
               for drop in result.drops), result.drops  # fmt: skip
    assert len(result.name_map) == len(set(result.name_map.values())) == len(result.tools)
    assert len({name.replace("-", "_") for name in result.name_map}) == len(result.tools)
    for tool in result.tools:
        assert TOOL_NAME.fullmatch(tool["name"])
        assert isinstance(tool["description"], str)
        parameters = result.parameter_maps[tool["name"]]
        assert list(parameters) == list(tool["inputSchema"]["properties"])
        assert len(set(parameters.values())) == len(parameters)
        assert all(name.isidentifier() and not keyword.iskeyword(name) and name not in ("state", "self")
                   for name in parameters)  # fmt: skip
        assert not tool["inputSchema"].keys() & {"anyOf", "oneOf", "allOf", "not", "enum", "const"}
        for schema in (tool["inputSchema"], tool.get("outputSchema", {"type": "object"})):
            assert schema["type"] == "object"
            if metaschema:
                jsonschema.Draft202012Validator.check_schema(schema)
            jsonschema_rs.Draft202012Validator(schema)
        assert "$ref" not in keywords_in(tool["inputSchema"]) | keywords_in(tool.get("outputSchema", {}))
        assert json.loads(json.dumps(tool)) == tool


def keywords_in(schema) -> set[str]:
    """Keywords of a schema and those inside it (names of properties and literal values are no keywords)."""
    if not isinstance(schema, dict):
        return set()
    found = set(schema)
    for word in ("properties", "patternProperties"):
        found = found.union(*(keywords_in(child) for child in schema.get(word, {}).values()))
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        found = found.union(*(keywords_in(child) for child in schema.get(word, [])))
    for word in ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"):
        found |= keywords_in(schema.get(word))
    return found


# --- oddities, one by one --------------------------------------------------------------------------------

STREET = {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]}
ODD_PARAMETERS = {
    "type list with null": ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
    "type list": ({"type": ["string", "number", "integer"]}, {"type": ["string", "number"]}),
    "anyOf with null": ({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "title": "P"},
                        {"type": ["string", "null"], "default": None}),
    "anyOf with null around an array": (
        {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}], "description": "tags"},
        {"type": ["array", "null"], "description": "tags", "items": {"type": "string"}}),
    "anyOf with null around an enum": ({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]},
                                       {"type": ["string", "null"], "enum": ["a", "b", None]}),
    "anyOf of one": ({"anyOf": [{"type": "string", "minLength": 2}]}, {"type": "string", "minLength": 2}),
    "anyOf of constants": ({"anyOf": [{"const": "a"}, {"const": "b"}]}, {"type": "string", "enum": ["a",
                                                                                                    "b"]}),
    "anyOf of objects": ({"anyOf": [STREET, {"type": "object", "properties": {"x": {"type": "number"}}}]},
                         {"type": "object",
                          "anyOf": [STREET, {"type": "object", "properties": {"x": {"type": "number"}}}]}),
    "nullable of OpenAPI": ({"type": "integer", "nullable": True}, {"type": ["integer", "null"]}),
    "allOf of one": ({"allOf": [STREET], "description": "where"}, {**STREET, "description": "where"}),
    "allOf of two objects": (
        {"allOf": [STREET, {"type": "object", "properties": {"zip": {"type": "string"}},
                            "required": ["zip"]}]},
        {"type": "object", "properties": {"street": {"type": "string"}, "zip": {"type": "string"}},
         "required": ["street", "zip"]}),
    "allOf that tightens": ({"type": "integer", "minimum": 1, "allOf": [{"minimum": 5}, {"maximum": 9}]},
                            {"type": "integer", "minimum": 5, "maximum": 9}),
    "shorthand": ("integer", {"type": "integer"}),
    "type of another language": ({"type": "Float"}, {"type": "number"}),
    "type any": ({"type": "any", "description": "free"}, {"description": "free"}),
    "open": ({}, {}),
    "true": (True, {}),
    "null in place of a schema": (None, {}),
    "type from properties": ({"properties": {"a": {"type": "string"}}},
                             {"type": "object", "properties": {"a": {"type": "string"}}}),
    "type from enum": ({"enum": ["x", 3]}, {"type": ["string", "integer"], "enum": ["x", 3]}),
    "type from const": ({"const": 3}, {"type": "integer", "const": 3}),
    "enum that its type excludes": ({"type": "string", "enum": [1, 2]}, {"type": "string", "enum": ["1",
                                                                                                    "2"]}),
    "enum with repeats": ({"type": "string", "enum": ["a", "a", ""]}, {"type": "string", "enum": ["a", ""]}),
    "empty enum": ({"type": "string", "enum": []}, {"type": "string"}),
    "array without items": ({"type": "array"}, {"type": "array", "items": {}}),
    "tuple of one kind": ({"type": "array", "items": [{"type": "number"}, {"type": "number"}], "maxItems": 2},
                          {"type": "array", "items": {"type": "number"}, "maxItems": 2}),
    "tuple of two kinds": (
        {"type": "array", "items": [{"type": "string"}, {"type": "number"}], "additionalItems": False},
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": {},
         "maxItems": 2}),
    "draft-4 bound": ({"type": "number", "maximum": 5, "exclusiveMaximum": True},
                      {"type": "number", "exclusiveMaximum": 5}),
    "draft-4 bound that is off": ({"type": "number", "minimum": 5, "exclusiveMinimum": False},
                                  {"type": "number", "minimum": 5}),
    "bounds as text": ({"type": "integer", "minimum": "1", "maximum": "many"}, {"type": "integer",
                                                                                "minimum": 1}),
    "bounds that exclude each other": ({"type": "integer", "minimum": 9, "maximum": 1}, {"type": "integer"}),
    "bounds of the integer range": ({"type": "integer", "minimum": -(2**53) + 1, "maximum": 2**63},
                                    {"type": "integer"}),
    "lengths": ({"type": "string", "minLength": 2.0, "maxLength": -1}, {"type": "string", "minLength": 2}),
    "no regular expression": ({"type": "string", "pattern": "(["}, {"type": "string"}),
    "default null on a plain type": ({"type": "string", "default": None}, {"type": "string"}),
    "default as text": ({"type": "boolean", "default": "False"}, {"type": "boolean", "default": False}),
    "default of another case": ({"type": "string", "enum": ["LOW", "HIGH"], "default": "low"},
                                {"type": "string", "enum": ["LOW", "HIGH"], "default": "LOW"}),
    "default that lacks a field": ({**STREET, "default": {}}, STREET),
    "default deep inside": (
        {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer",
                                                                           "default": "3"}}}},
        {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer",
                                                                           "default": 3}}}}),
    "vendor keywords": ({"type": "string", "x-order": 3, "$comment": "c", "optional": True},
                        {"type": "string"}),
    "example": ({"type": "string", "example": "abc"}, {"type": "string", "examples": ["abc"]}),
    "title that says more": ({"type": "string", "title": "Name of the bed"},
                             {"type": "string", "title": "Name of the bed"}),
    "required inside the property": (
        {"type": "object", "properties": {"a": {"type": "string", "required": True}}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    "properties as a list": (
        {"type": "object", "properties": [{"name": "a", "type": "string"}]},
        {"type": "object", "properties": {"a": {"type": "string"}}}),
    "property that is forbidden": ({"type": "object", "properties": {"a": False, "b": {"type": "string"}}},
                                   {"type": "object", "properties": {"b": {"type": "string"}}}),
    "map": ({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
            {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}),
    "property called properties": (
        {"type": "object", "properties": {"type": {"type": "string"}, "properties": {"type": "object"}}},
        {"type": "object", "properties": {"type": {"type": "string"}, "properties": {"type": "object"}}}),
    "zod optional": ({"_def": {"typeName": "ZodOptional", "innerType": {"_def": {"typeName": "ZodString",
                      "checks": [{"kind": "max", "value": 9}]}}}}, {"type": "string", "maxLength": 9}),
    "missing definition": ({"$ref": "#/$defs/Nowhere", "description": "a gate"}, {"description": "a gate"}),
    "foreign document": ({"$ref": "https://example.com/schema.json"}, {}),
}  # fmt: skip


@pytest.mark.parametrize("what", ODD_PARAMETERS)
def test_an_odd_parameter_gets_its_plain_form(what):
    raw, expected = ODD_PARAMETERS[what]
    before = copy.deepcopy(raw)
    result = cleaned(raw)
    assert result == expected
    assert json.dumps(result).count("true") == json.dumps(expected).count("true")
    assert raw == before


@pytest.mark.parametrize("what", ODD_PARAMETERS)
def test_refactoring_twice_changes_nothing_more(what):
    once = cleaned(ODD_PARAMETERS[what][0])
    assert cleaned(once) == once


def test_a_reference_is_put_in_place_and_what_stands_beside_it_wins():
    tool = as_tool(
        {"to": {"$ref": "#/$defs/Place", "description": "where it goes", "default": {"street": "Quay 1"}}},
        **{"$defs": {"Place": {**STREET, "description": "a place"}}},
    )
    assert refactored(tool)["inputSchema"]["properties"]["to"] == {
        **STREET, "description": "where it goes", "default": {"street": "Quay 1"}}  # fmt: skip


def test_a_circular_definition_stands_three_times_and_is_then_open():
    twig = {"type": "object", "properties": {"label": {"type": "string"},
                                             "twigs": {"type": "array",
                                                       "items": {"$ref": "#/$defs/Twig"}}}}  # fmt: skip
    result = refactor_tool(as_tool({"root": {"$ref": "#/$defs/Twig"}}, **{"$defs": {"Twig": twig}}))
    schema, depth = result.tool["inputSchema"]["properties"]["root"], 0
    while "properties" in schema:
        assert schema["properties"]["label"] == {"type": "string"}
        schema, depth = schema["properties"]["twigs"]["items"], depth + 1
    assert depth == 3
    assert schema == {"type": "object"}
    assert any("circular" in note for note in result.notes)


def test_a_circle_of_references_alone_is_open():
    tool = as_tool(
        {"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    )
    assert refactored(tool)["inputSchema"]["properties"]["a"] == {}
    assert refactored({"name": "x", "inputSchema": {"$ref": "#"}})["inputSchema"] == {
        "type": "object",
        "properties": {},
    }


def test_definitions_that_multiply_are_unrolled_less_or_dropped():
    wide = {f"d{i}": {"type": "object", "properties": {f"p{j}": {"$ref": f"#/$defs/d{j}"} for j in range(6)}}
            for i in range(6)}  # fmt: skip
    result = refactor_tool(as_tool({"a": {"$ref": "#/$defs/d0"}}, **{"$defs": wide}))
    assert not isinstance(result, Drop)
    assert len(json.dumps(result.tool)) < 500_000
    assert any("depth" in note for note in result.notes)
    bomb = {
        f"d{i}": {"type": "array", "prefixItems": [{"$ref": f"#/$defs/d{i + 1}"}] * 10} for i in range(30)
    }
    result = refactor_tool(as_tool({"a": {"$ref": "#/$defs/d0"}}, **{"$defs": bomb}))
    assert isinstance(result, Drop)
    assert (result.stage, result.reason) == ("schema", "the schema is too large")


def test_a_definition_is_found_by_name_where_its_pointer_is_wrong():
    tool = as_tool(
        {"a": {"$ref": "#/definitions/Place"}, "b": {"$ref": "Place"}}, **{"$defs": {"Place": STREET}}
    )
    properties = refactored(tool)["inputSchema"]["properties"]
    assert properties == {"a": STREET, "b": STREET}


@pytest.mark.parametrize(
    "pointer", ["#", "#/$defs/a~1b", "#/$defs/c%25d", "#/properties/x/anyOf/1/items", "#/$defs/e~0f"]
)
def test_pointers_lead_where_the_referencing_package_says(pointer):
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {"a/b": {"type": "string"}, "c%d": {"type": "integer"}, "e~f": {"type": "null"}},
        "properties": {"x": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "number"}}]}},
    }
    registry = referencing.Registry().with_resource(
        "", referencing.jsonschema.DRAFT202012.create_resource(document)
    )
    assert References(document).find(pointer) == registry.resolver().lookup(pointer).contents


@pytest.mark.parametrize(("schema", "expected"), [
    (None, {"type": "object", "properties": {}}),
    ({}, {"type": "object", "properties": {}}),
    (True, {"type": "object", "properties": {}}),
    ({"type": "object"}, {"type": "object", "properties": {}}),
    ({"type": ["object", "null"], "properties": {"a": {"type": "string"}}},
     {"type": "object", "properties": {"a": {"type": "string"}}}),
    ({"type": "object", "properties": None}, {"type": "object", "properties": {}}),
    ({"json": {"type": "object", "properties": {"a": {"type": "string"}}}},
     {"type": "object", "properties": {"a": {"type": "string"}}}),
    ({"type": "object", "properties": {"type": "object", "properties": {"gem": {"type": "string"}},
                                       "required": ["gem"]}},
     {"type": "object", "properties": {"gem": {"type": "string"}}, "required": ["gem"]}),
    ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "a", "b", 3]},
     {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    ({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
      "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
     {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}),
    ({"oneOf": [{"type": "object", "properties": {"mode": {"const": "a"}, "x": {"type": "integer"}},
                 "required": ["mode", "x"]},
                {"type": "object", "properties": {"mode": {"const": "b"}, "y": {"type": "string"}},
                 "required": ["mode", "y"]}]},
     {"type": "object", "properties": {"mode": {"type": "string", "enum": ["a", "b"]},
                                       "x": {"type": "integer"},
                                       "y": {"type": "string"}}, "required": ["mode"]}),
])  # fmt: skip
def test_a_root_becomes_one_plain_object(schema, expected):
    assert refactored({"name": "t", "inputSchema": schema})["inputSchema"] == expected


@pytest.mark.parametrize(("tool", "reason"), [
    (None, "not an object"),
    ([], "not an object"),
    ({}, "no name"),
    ({"name": " "}, "no name"),
    ({"name": 7}, "no name"),
    ({"name": "t", "inputSchema": []}, "the inputSchema is not a schema"),
    ({"name": "t", "inputSchema": "object"}, "the inputSchema is not a schema"),
    ({"name": "t", "inputSchema": False}, "the inputSchema is not a schema"),
    ({"name": "t", "inputSchema": {"type": "string"}}, "the arguments are not an object"),
    ({"name": "t", "inputSchema": {"type": "object", "properties": 3}}, "properties is not an object"),
    ({"name": "t", "inputSchema": {"allOf": [False]}}, "the arguments are not an object"),
    ({"name": "t", "inputSchema": {"allOf": [{"properties": {}}, {"type": "array"}]}},
     "parts of the schema do not join into one object"),
])  # fmt: skip
def test_what_cannot_be_a_tool_is_dropped_with_stage_and_reason(tool, reason):
    drop = refactor_tool(tool, 4)
    assert isinstance(drop, Drop)
    assert (drop.stage, drop.reason) == ("schema", reason)
    assert drop.tool in ("t", "(tool 4)")


def test_a_second_tool_of_the_same_name_is_dropped():
    first, second = as_tool({"a": {"type": "string"}}), as_tool({"b": {"type": "string"}})
    result = refactor_tools([first, second])
    assert [(d.stage, d.reason) for d in result.drops] == [("schema", "a tool before has the same name")]
    assert list(result.tools[0]["inputSchema"]["properties"]) == ["a"]


def test_names_that_clash_are_told_apart_and_legal_ones_stay():
    names = [
        "Get Thing",
        "Get_Thing",
        "get-thing",
        "x" * 70 + "a",
        "x" * 70 + "b",
        "天气",
        "fetch.page",
        "fetch_page",
    ]
    result = refactor_tools([{"name": name} for name in names])
    check(result)
    new = {original: name for name, original in result.name_map.items()}
    assert new["Get_Thing"] == "Get_Thing"
    assert new["fetch_page"] == "fetch_page"
    assert new["Get Thing"] != "Get_Thing"
    assert new["fetch.page"].startswith("fetch_page_")
    assert list(new) == names


def test_a_long_name_keeps_its_telling_end_or_gets_a_hash():
    ending = "units_withdrawFromShelfAndReturnRemainingAmountV1beta"
    assert tool_name(f"depot.v2/stock-keeping/{ending}") == ending
    long = tool_name("a_very" * 20)
    assert len(long) == 64
    assert long.startswith("a_very")
    assert long != tool_name("a_very" * 21)


@pytest.mark.parametrize(("name", "expected"), [
    ("from", "from_"), ("state", "state_"), ("self", "self_"), ("None", "None_"), ("type", "type"), ("$top",
        "top"),
    ("user.name", "user_name"), ("first name", "first_name"), ("2nd", "p_2nd"), ("größe", "größe"), ("ﬁle",
        "file"),
    ("__debug__", "__debug___"),
])  # fmt: skip
def test_a_parameter_becomes_an_identifier(name, expected):
    assert parameter_name(name) == expected


def test_parameters_that_clash_are_told_apart_and_identifiers_stay():
    names = unique_parameter_names(["a-b", "a_b", "a b", "$", "%"])
    assert names["a_b"] == "a_b"
    assert len(set(names.values())) == 5
    tool = refactor_tool(as_tool({"a-b": {"type": "string"}, "a_b": {"type": "integer"}}, required=["a-b"]))
    assert tool.parameters == {"a_b_2": "a-b", "a_b": "a_b"}
    assert tool.tool["inputSchema"]["required"] == ["a_b_2"]


@given(st.lists(st.text(min_size=1), unique=True, max_size=30))
def test_any_names_map_one_to_one(names):
    tools, parameters = unique_tool_names(names), unique_parameter_names(names)
    assert len(set(tools.values())) == len(set(parameters.values())) == len(names)
    assert all(TOOL_NAME.fullmatch(name) for name in tools.values())
    for name in parameters.values():
        assert name.isidentifier()
        compile(f"def f(state, *, {name}): return {name}", "x", "exec")


@pytest.mark.parametrize(("output", "kept"), [
    ({"type": "object", "properties": {"result": {"type": "string"}}, "x-fastmcp-wrap-result": True}, False),
    ({"type": "object", "properties": {"result": {"type": "array", "items": {}}}}, False),
    ({"type": "object", "properties": {"result": {"type": "integer"}}}, True),
    ({"type": "object", "properties": {"result": {"type": "array", "items": STREET}}}, True),
    ({"type": "object", "properties": {"bed_id": {"type": "string"}}}, True),
    ({"type": "string"}, False),
    ({}, False),
    ("object", False),
])  # fmt: skip
def test_an_output_schema_stays_where_it_tells_a_structure(output, kept):
    assert ("outputSchema" in refactored({**as_tool(), "outputSchema": output})) == kept


def test_openai_style_tools_and_hints_are_understood():
    tool = {
        "type": "function",
        "function": {"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}},
    }
    assert list(refactored(tool)["inputSchema"]["properties"]) == ["a"]
    hints = {"readOnlyHint": True, "destructiveHint": "no", "other": 1}
    assert refactored({**as_tool(), "annotations": hints})["annotations"] == {"readOnlyHint": True}


def test_unusual_json_values_do_not_get_through():
    tool = as_tool({"a\ud800": {"type": "number", "default": float("nan"), "description": "x\ud800",
                                "maximum": float("inf"), "minimum": 10**400}})  # fmt: skip
    result = refactor_tools([tool])
    check(result)
    json.dumps(result.tools, allow_nan=False, ensure_ascii=False).encode()


def test_a_schema_that_is_nested_without_end_is_dropped():
    for levels in (70, 3000):
        schema = {"type": "string"}
        for _ in range(levels):
            schema = {"type": "array", "items": schema}
        drop = refactor_tool(as_tool({"a": schema}))
        assert isinstance(drop, Drop)
        assert drop.stage == "schema"


def test_union_and_intersection_of_schemas():
    assert union([{"type": "integer"}, {"type": "number"}]) == {"type": "number"}
    assert union([{"type": "null"}]) == {"type": "null"}
    assert union([{}, {"type": "null"}]) == {}
    assert intersect({"type": "number"}, {"type": "integer", "minimum": 3}) == {
        "type": "integer",
        "minimum": 3,
    }
    with pytest.raises(ContradictionError):
        intersect({"type": "string"}, {"type": "integer"})
    with pytest.raises(ContradictionError):
        intersect({"const": True}, {"const": 1})
    schema = nullable({"type": "string", "enum": ["a"]})
    assert main_type(schema) == "string"
    assert is_nullable(schema)
    assert not is_nullable({"type": "string"})


# --- properties ------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(
    ["a", "b", "from", "user name", "type", "properties", "items", "required", "enum", "$ref", ""]
)
TYPES = st.sampled_from(
    ["string", "integer", "number", "boolean", "object", "array", "null", "any", "STR", "file"]
)
POINTERS = st.sampled_from(
    ["#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/properties/b/items", "a", "#/x/0"]
)


def schema_like(inner):
    """Dictionaries with the keywords of schemas, right and wrong values alike."""
    some = st.lists(inner, max_size=3)
    return st.fixed_dictionaries({}, optional={
        "type": TYPES | st.lists(TYPES, max_size=3) | JSON, "properties": st.dictionaries(NAMES, inner,
            max_size=4) | JSON,
        "required": st.lists(NAMES, max_size=3) | st.booleans() | JSON, "items": inner | some,
        "prefixItems": some,
        "anyOf": some | JSON, "oneOf": some, "allOf": some, "not": inner, "if": inner, "then": inner,
        "additionalProperties": inner | JSON, "patternProperties": st.dictionaries(st.text(max_size=3),
                                                                                   inner, max_size=2),
        "$ref": POINTERS | JSON, "$defs": st.dictionaries(NAMES, inner, max_size=3) | JSON,
        "definitions": JSON,
        "enum": st.lists(JSON, max_size=3) | JSON, "const": JSON, "default": JSON, "minimum": JSON,
        "maximum": JSON,
        "exclusiveMinimum": JSON, "minLength": JSON, "maxItems": JSON, "minItems": JSON,
        "pattern": st.text(max_size=5),
        "format": JSON, "title": JSON, "description": JSON, "nullable": st.booleans(), "_def": JSON,
        "examples": JSON,
        "dependentRequired": JSON, "propertyNames": inner, "$anchor": JSON, "$id": JSON, "uniqueItems": JSON,
    })  # fmt: skip


SCHEMAS = st.recursive(JSON | st.fixed_dictionaries({"type": TYPES}), schema_like, max_leaves=10)
TOOLS = st.fixed_dictionaries({}, optional={
    "name": st.text(max_size=70) | JSON, "description": st.text(max_size=9) | JSON,
    "inputSchema": schema_like(SCHEMAS) | JSON,
    "outputSchema": schema_like(SCHEMAS) | JSON, "annotations": JSON, "title": JSON, "parameters": SCHEMAS,
    "function": JSON,
})  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_any_json_in_place_of_tools_gives_tools_or_drops(value):
    check(refactor_tools(value))
    check(refactor_tools([value]))


@settings(max_examples=200, deadline=None)
@given(st.lists(TOOLS, max_size=2))
def test_whatever_comes_in_a_valid_tool_or_a_named_drop_comes_out(tools):
    before = repr(tools)
    check(refactor_tools(tools))
    assert repr(tools) == before


def mutated(value, rng: random.Random, rate: float):
    """A copy of ``value`` in which parts are replaced, removed, repeated or swapped."""
    junk = [
        None,
        True,
        False,
        0,
        -1,
        2**70,
        "",
        "string",
        [],
        {},
        {"$ref": "#"},
        {"type": "null"},
        float("nan"),
        ["a"],
    ]
    if rng.random() < rate:
        return rng.choice(junk)
    if isinstance(value, dict):
        keys = [key for key in value if rng.random() > rate]
        return {
            rng.choice(list(value)) if rng.random() < rate else key: mutated(value[key], rng, rate)
            for key in keys
        }
    if isinstance(value, list):
        return [mutated(item, rng, rate) for item in value for _ in range(2 if rng.random() < rate else 1)]
    return value


@needs_corpus
def test_broken_copies_of_real_tools_give_valid_tools_or_named_drops():
    rng = random.Random(5)
    for tools in rng.sample(corpus(), 60):
        check(refactor_tools([mutated(tool, rng, 0.04) for tool in tools[:12]]))


LEAVES = st.sampled_from([
    {"type": "string"}, {"type": "integer", "minimum": 0, "maximum": 3}, {"type": "number",
                                                                          "exclusiveMinimum": 0},
    {"type": "boolean"}, {"type": "null"}, {"enum": ["a", "b", 1, None]}, {"const": "a"},
    {"type": ["string", "null"]},
    {"type": ["integer", "boolean"]}, {"type": "string", "pattern": "^a"}, {"type": "string",
                                                                            "maxLength": 1}, {}, True,
    {"$ref": "#/$defs/Leaf"}, {"$ref": "#/$defs/Box"},
])  # fmt: skip
FIELDS = st.sampled_from(["a", "b", "c"])
GOOD = st.recursive(LEAVES, lambda inner: st.one_of(
    st.builds(lambda properties, required: {"type": "object", "properties": properties,
                                            "required": [name for name in properties if name in required]},
              st.dictionaries(FIELDS, inner, max_size=3), st.lists(FIELDS, max_size=2)),
    st.builds(lambda items, least: {"type": "array", "items": items, "minItems": least}, inner,
              st.integers(0, 2)),
    st.builds(lambda parts: {"anyOf": parts}, st.lists(inner, min_size=1, max_size=3)),
    st.builds(lambda parts: {"allOf": parts}, st.lists(inner, min_size=1, max_size=2)),
    st.builds(lambda values: {"type": "object", "additionalProperties": values}, inner),
    st.builds(lambda parts: {"type": "array", "prefixItems": parts, "items": False},
              st.lists(inner, min_size=1, max_size=2)),
), max_leaves=6)  # fmt: skip
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2, 7, 0.5, "", "a", "ab", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=3),
    max_leaves=5,
)
DEFINITIONS = {
    "Leaf": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    "Box": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/Leaf"}, "b": {"type": "boolean"}},
        "required": ["a"],
    },
}


@settings(max_examples=500, deadline=None)
@given(GOOD, st.lists(VALUES, min_size=1, max_size=6))
def test_a_sound_schema_accepts_after_refactoring_exactly_what_it_accepted_before(schema, values):
    raw = {"type": "object", "properties": {"p": schema}, "$defs": DEFINITIONS}
    before = jsonschema.Draft202012Validator(raw)
    after = jsonschema_rs.Draft202012Validator(refactored({"name": "t", "inputSchema": raw})["inputSchema"])
    for value in values:
        assert before.is_valid({"p": value}) == after.is_valid({"p": value}), value


@settings(max_examples=200, deadline=None)
@given(GOOD, VALUES)
def test_the_validator_of_build_time_and_that_of_call_time_agree(schema, value):
    tool = refactored({"name": "t", "inputSchema": {"properties": {"p": schema}, "$defs": DEFINITIONS}})
    assert jsonschema.Draft202012Validator(tool["inputSchema"]).is_valid({"p": value}) == (
        jsonschema_rs.Draft202012Validator(tool["inputSchema"]).is_valid({"p": value}))  # fmt: skip


# --- the corpus ------------------------------------------------------------------------------------------


def fields_in(schema, depth: int = 0) -> set[str]:
    """Names of all properties of a raw schema, references aside."""
    if not isinstance(schema, dict) or depth > 40:
        return set()
    properties = schema.get("properties") if isinstance(schema.get("properties"), dict) else {}
    children = [*properties.values(), schema.get("items"), schema.get("additionalProperties")]
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        children += schema.get(word) or []
    named = {name for name, child in properties.items() if isinstance(child, dict) and depth}
    return named.union(*(fields_in(child, depth + 1) for child in children)) if children else named


@needs_corpus
def test_the_whole_corpus_goes_through_and_no_nested_field_is_lost():
    tools = kept = 0
    drops = []
    for number, raw in enumerate(corpus()):
        result = refactor_tools(raw)
        check(result, metaschema=number % 20 == 0)
        by_name = {tool["name"]: tool for tool in raw[::-1]}
        for tool in result.tools:
            schema = by_name[result.name_map[tool["name"]]]["inputSchema"]
            if "_def" not in json.dumps(schema) and not isinstance(
                schema.get("properties", {}).get("type"), str
            ):
                assert fields_in(schema) <= fields_in(tool["inputSchema"]), (tool["name"], result.name_map)
        tools, kept, drops = tools + len(raw), kept + len(result.tools), drops + result.drops
    assert (tools, kept) == (6974, 6972)
    assert {drop.reason for drop in drops} == {"a tool before has the same name"}


# For each oddity of the corpus's list: the properties that come out, and name and required where they change.
WARTS = json.loads(
    (Path(__file__).parents[1] / "data" / "wart_expectations.json").read_text(encoding="utf-8")
)


def warts() -> dict[str, dict]:
    path = CORPUS / "warts.json"
    return {wart["id"]: wart["schema"] for wart in json.loads(path.read_text())} if path.exists() else {}


@needs_corpus
@pytest.mark.parametrize("wart", WARTS)
def test_a_recorded_oddity_gets_its_right_value(wart):
    raw, expected = warts()[wart], WARTS[wart]
    result = refactor_tools([raw])
    check(result)
    (tool,) = result.tools
    inner = raw["inputSchema"]
    inner = inner["properties"] if wart == "schema-nested-in-properties" else inner
    assert tool["inputSchema"]["properties"] == expected["properties"]
    assert tool["inputSchema"].get("required", []) == expected.get("required", inner.get("required", []))
    assert tool["name"] == expected.get("name", raw["name"])
    assert tool["description"] == raw["description"]
    assert "outputSchema" not in tool


@needs_corpus
def test_every_recorded_oddity_has_its_test():
    assert warts().keys() == WARTS.keys()
