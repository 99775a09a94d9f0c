"""The OpenAI form of our tools: the plain one loses nothing, the strict one keeps account.

The oracle for the strict form is a list of rules written from OpenAI's guide, checked on every schema, and
arguments that go there and back.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import jinja2
import jsonschema_rs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlab.environments.schemas.openai_tools import (
    StrictTool,
    plain_arguments,
    required_again,
    to_openai_tools,
    to_strict,
)
from tvlab.environments.schemas.schemas import refactor_tools
from tvlab.environments.tool_lists import EMBEDDED, load_tool_lists

CORPUS = Path(os.environ.get("TVLAB_CORPUS", Path(__file__).resolve().parents[3] / "shared" / "mcp"))
EMBEDDED_TOOLS = {server.server: refactor_tools(server.tools).tools for server in load_tool_lists("embedded")}

# what structured outputs take, written from the guide
ALLOWED = {
    "type",
    "description",
    "title",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
}
ALLOWED_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}


MATCHING = ("2026-03", "07:30", "BER", "EUR", "LH 123")


def tool(schema: dict[str, Any], name: str = "water") -> dict[str, Any]:
    return {"name": name, "description": "Water a bed.", "inputSchema": {"type": "object", **schema}}


def strict(schema: dict[str, Any]) -> StrictTool:
    result = to_strict([tool(schema)])
    assert not result.left_out
    return result.tools[0]


def parameters(strict_tool: StrictTool) -> dict[str, Any]:
    return strict_tool.tool["function"]["parameters"]


def breaches(schema: Any, where: str = "$") -> list[str]:
    """Rules of the guide that a schema breaks."""
    found = [f"{where}: {keyword}" for keyword in schema.keys() - ALLOWED]
    if schema.get("format", "date") not in ALLOWED_FORMATS:
        found.append(f"{where}: format {schema['format']}")
    kinds = schema.get("type")
    if "object" in (kinds if isinstance(kinds, list) else [kinds]):
        if schema.get("additionalProperties") is not False:
            found.append(f"{where} is open")
        if schema.get("required") != list(schema["properties"]):
            found.append(f"{where} does not require everything")
    if where == "$" and "anyOf" in schema:
        found.append("a choice at the root")
    for name, part in schema.get("properties", {}).items():
        found += breaches(part, f"{where}.{name}")
    for part in [schema["items"]] if "items" in schema else []:
        found += breaches(part, f"{where}[]")
    for part in schema.get("anyOf", []):
        found += breaches(part, f"{where}|")
    return found


def demanded(schema: Any, path: str = "") -> dict[str, list[str]]:
    """The required lists of a plain schema by path, a slow second writing of what is recovered."""
    found: dict[str, list[str]] = {}
    for name in schema.get("required", []):
        found.setdefault(path, []).append(name)
    for name, part in schema.get("properties", {}).items():
        for below, names in demanded(part, f"{path}.{name}" if path else name).items():
            found.setdefault(below, []).extend(names)
    if isinstance(schema.get("items"), dict):
        found |= demanded(schema["items"], f"{path}[]")
    for part in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        for below, names in demanded(part, path).items():
            found.setdefault(below, []).extend(names)
    return found


def sample(schema: dict[str, Any], rng: np.random.Generator) -> Any:
    """Some value that a schema of the embedded servers takes."""
    if "enum" in schema:
        return schema["enum"][int(rng.integers(len(schema["enum"])))]
    kind = schema.get("type")
    if kind == "object":
        required = schema.get("required", [])
        chosen = [n for n in schema.get("properties", {}) if n in required or rng.random() < 0.5]
        return {name: sample(schema["properties"][name], rng) for name in chosen}
    if kind == "array":
        number = max(int(rng.integers(3)), schema.get("minItems", 0))
        return [sample(schema["items"], rng) for _ in range(number)]
    if "pattern" in schema:
        return next(text for text in MATCHING if re.search(schema["pattern"], text))
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    text = "2026-03-02T09:00:00Z"[: schema.get("maxLength")]
    return {"string": text, "integer": least, "number": least + 0.5, "boolean": True}[kind]


def filled(schema: dict[str, Any], value: Any) -> Any:
    """Plain arguments as a model writes them under the strict form: null for what it leaves out."""
    if isinstance(value, dict):
        return {
            name: filled(part, value[name]) if name in value else None
            for name, part in schema.get("properties", {}).items()
        }
    return [filled(schema["items"], part) for part in value] if isinstance(value, list) else value


# --- the plain form --------------------------------------------------------------------------------------


@pytest.mark.parametrize("server", EMBEDDED)
def test_the_plain_form_is_the_tool_itself(server):
    tools = EMBEDDED_TOOLS[server]
    for raw, made in zip(tools, to_openai_tools(tools), strict=True):
        assert made == {
            "type": "function",
            "function": {
                "name": raw["name"],
                "description": raw["description"],
                "parameters": raw["inputSchema"],
            },
        }


NAMES = st.sampled_from(["size", "ref", "items", "a.b", "x y", "type", "äö", "id"])
SCALARS = st.sampled_from([{"type": "string"}, {"type": "integer", "minimum": 0}, {"enum": ["a", "b"]}])
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.builds(
            lambda p, r: {"type": "object", "properties": p, "required": [n for n in p if n in r]},
            st.dictionaries(NAMES, inner, min_size=1, max_size=3),
            st.lists(NAMES, max_size=2),
        ),
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
    ),
    max_leaves=8,
)
ROOTS = st.builds(
    lambda p, r: {"type": "object", "properties": p, "required": [n for n in p if n in r]},
    st.dictionaries(st.sampled_from(["bed", "plan", "tags"]), NESTED, max_size=3),
    st.lists(st.sampled_from(["bed", "plan", "tags"]), max_size=3, unique=True),
)


def nested_names(schema: Any) -> list[str]:
    """Every property name, as often as it occurs."""
    if not isinstance(schema, dict):
        return []
    below = [*schema.get("properties", {}).values(), schema.get("items"), *schema.get("anyOf", [])]
    return sorted([*schema.get("properties", {}), *(name for part in below for name in nested_names(part))])


@settings(max_examples=150, deadline=None)
@given(ROOTS)
def test_no_nested_field_is_lost_from_a_raw_schema_to_the_plain_form(schema):
    """Names stay; equal or contained branches of a choice may be joined, which loses no name."""
    result = refactor_tools([{"name": "grow", "inputSchema": schema}])
    assert not result.drops
    (made,) = to_openai_tools(result.tools)
    assert set(nested_names(made["function"]["parameters"])) == set(nested_names(schema))
    json.dumps(made, allow_nan=False)


def corpus_tools() -> list[dict[str, Any]]:
    path = CORPUS / "corpus.jsonl"
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [made for line in lines for made in refactor_tools(json.loads(line)["tools"]).tools]


needs_corpus = pytest.mark.skipif(not (CORPUS / "corpus.jsonl").exists(), reason="the corpus is not here")


# --- a chat template -------------------------------------------------------------------------------------

# The way of Hermes and Qwen: one JSON object a line between tags, in the system message.
TEMPLATE = r"""{%- if tools %}
    {{- "<|im_start|>system\nYou may call functions. They are between <tools></tools>:\n<tools>" }}
    {%- for tool in tools %}
        {{- "\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\n</tools><|im_end|>\n" }}
{%- endif %}
{%- for message in messages %}
    {{- "<|im_start|>" + message.role + "\n" + message.content + "<|im_end|>\n" }}
{%- endfor %}
{{- "<|im_start|>assistant\n" }}
"""


def as_transformers_does() -> jinja2.Environment:
    """transformers replaces jinja's ``tojson``, which escapes characters of HTML, by plain JSON."""
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment


def seen_by_the_model(environment: jinja2.Environment, tools: list[dict[str, Any]]) -> list[Any]:
    """The tools as they stand in the text that the model reads."""
    text = environment.from_string(TEMPLATE).render(tools=tools, messages=[{"role": "user", "content": "hi"}])
    lines = text.split("\n")
    return [
        json.loads(line) for line in lines[lines.index("<tools>") + 1 : lines.index("</tools><|im_end|>")]
    ]


@pytest.mark.parametrize(
    "environment", [jinja2.Environment(), as_transformers_does()], ids=["jinja", "transformers"]
)
def test_a_chat_template_shows_the_model_every_nested_field(environment):
    for tools in EMBEDDED_TOOLS.values():
        made = to_openai_tools(tools)
        assert seen_by_the_model(environment, made) == made
    awkward = tool(
        {"properties": {"note": {"type": "string", "description": "</tools>\n{{ 7 * 7 }} <b> 'ü' \u2028"}}}
    )
    assert seen_by_the_model(environment, to_openai_tools([awkward])) == to_openai_tools([awkward])


@needs_corpus
def test_a_chat_template_carries_the_whole_corpus():
    made = to_openai_tools(corpus_tools())
    assert len(made) == 6972
    assert seen_by_the_model(as_transformers_does(), made) == made


# --- the strict form -------------------------------------------------------------------------------------


def test_an_optional_parameter_becomes_nullable_and_a_required_one_stays():
    schema = {
        "properties": {
            "bed": {"type": "string", "description": "Which."},
            "litres": {"type": "number", "default": 1, "minimum": 0},
            "when": {"enum": ["now", "later"], "type": "string"},
        },
        "required": ["bed"],
    }
    made = strict(schema)
    assert made.tool == {
        "type": "function",
        "function": {
            "name": "water",
            "description": "Water a bed.",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {
                    "bed": {"type": "string", "description": "Which."},
                    "litres": {"type": ["number", "null"], "minimum": 0},
                    "when": {"enum": ["now", "later", None], "type": ["string", "null"]},
                },
                "required": ["bed", "litres", "when"],
                "additionalProperties": False,
            },
        },
    }
    assert made.optional == ("litres", "when")
    assert [(r.path, r.keyword, r.value) for r in made.removed] == [("litres", "default", 1)]


@pytest.mark.parametrize(
    ("part", "nullable"),
    [
        ({"type": ["integer", "null"]}, {"type": ["integer", "null"]}),
        ({"type": ["integer", "string"]}, {"type": ["integer", "string", "null"]}),
        (
            {"enum": [1, 2], "description": "d"},
            {"description": "d", "anyOf": [{"enum": [1, 2]}, {"type": "null"}]},
        ),
        ({"enum": [1, None]}, {"enum": [1, None]}),
        ({"const": "x"}, {"anyOf": [{"const": "x"}, {"type": "null"}]}),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ),
        (
            {"oneOf": [{"type": "string"}, {"type": "null"}]},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ),
    ],
)
def test_null_is_added_where_it_is_missing(part, nullable):
    assert parameters(strict({"properties": {"x": part}}))["properties"]["x"] == nullable


@pytest.mark.parametrize(
    ("part", "keywords"),
    [
        (
            {"type": "string", "minLength": 1, "maxLength": 9, "examples": ["a"]},
            ["minLength", "maxLength", "examples"],
        ),
        ({"type": "string", "format": "uri"}, ["format"]),
        ({"type": "string", "format": "date"}, []),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True, "minItems": 1}, ["uniqueItems"]),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "dependentRequired": {}},
            ["dependentRequired"],
        ),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True},
            ["additionalProperties"],
        ),
        ({"type": "string", "not": {"const": "x"}}, ["not"]),
        ({"oneOf": [{"type": "string"}]}, ["oneOf"]),
    ],
)
def test_what_the_strict_form_does_not_know_is_removed_and_listed(part, keywords):
    made = strict({"properties": {"x": part}})
    assert [(found.path, found.keyword) for found in made.removed] == [("x", keyword) for keyword in keywords]
    assert breaches(parameters(made)) == []


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"properties": {"x": {}}}, "x may be anything"),
        ({"properties": {"x": {"type": "object"}}}, "x is an object with free names"),
        (
            {"properties": {"x": {"type": "object", "additionalProperties": {"type": "string"}}}},
            "x is an object with free names",
        ),
        (
            {
                "properties": {
                    "x": {
                        "type": "object",
                        "properties": {"a": {"type": "string"}},
                        "additionalProperties": {"type": "string"},
                    }
                }
            },
            "x takes further names",
        ),
        ({"properties": {"x": {"type": "array"}}}, "the elements of x may be anything"),
        (
            {"properties": {"x": {"type": "array", "items": {"type": "array"}}}},
            r"the elements of x\[\] may be anything",
        ),
        ({"anyOf": [{"required": ["x"]}]}, "the whole is a choice"),
        (
            {"properties": {"x": {"type": "string", "allOf": [{"type": "object", "properties": {"a": {}}}]}}},
            "x has allOf",
        ),
        (
            {
                "properties": {
                    "x": {
                        "anyOf": [
                            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                            {"type": "object", "properties": {"a": {"type": "string"}}},
                        ]
                    }
                }
            },
            "x.a is optional in one choice only",
        ),
        ({"properties": {"x": {"enum": [str(n) for n in range(1001)]}}}, "too large"),
    ],
)
def test_a_tool_that_the_strict_form_cannot_say_is_left_out_with_a_reason(schema, reason):
    result = to_strict([tool(schema), tool({}, "rest")])
    assert [made.name for made in result.tools] == ["rest"]
    assert re.search(reason, result.left_out["water"])
    assert result.payload == [result.tools[0].tool]


def test_a_schema_that_is_nested_too_deeply_is_left_out():
    schema: dict[str, Any] = {"type": "string"}
    for depth in range(12):
        schema = {"type": "object", "properties": {"x": schema}}
        result = to_strict([{"name": "deep", "inputSchema": schema}])
        assert bool(result.left_out) == (depth > 8)


@pytest.mark.parametrize("server", EMBEDDED)
def test_every_embedded_tool_has_a_strict_form_and_what_was_optional_comes_back(server):
    tools = EMBEDDED_TOOLS[server]
    result = to_strict(tools)
    assert not result.left_out
    rng = np.random.default_rng(0)
    for raw, made in zip(tools, result.tools, strict=True):
        schema = raw["inputSchema"]
        assert breaches(parameters(made)) == []
        assert nested_names(parameters(made)) == nested_names(schema)
        assert {p: sorted(n) for p, n in required_again(made).items()} == {
            p: sorted(n) for p, n in demanded(schema).items()
        }
        plain = jsonschema_rs.Draft202012Validator(schema)
        validator = jsonschema_rs.Draft202012Validator(parameters(made))
        for _ in range(5):
            arguments = sample(schema, rng)
            assert plain.is_valid(arguments)
            written = filled(schema, arguments)
            assert validator.is_valid(written), list(validator.iter_errors(written))
            assert plain_arguments(made, written) == arguments


@settings(max_examples=150, deadline=None)
@given(ROOTS)
def test_the_strict_form_keeps_to_its_rules_or_is_refused(schema):
    made = refactor_tools([{"name": "grow", "inputSchema": schema}]).tools
    result = to_strict(made)
    assert len(result.tools) + len(result.left_out) == 1
    for one in result.tools:
        assert breaches(parameters(one)) == []
        assert set(nested_names(parameters(one))) == set(nested_names(made[0]["inputSchema"]))
        jsonschema_rs.Draft202012Validator(parameters(one))


def test_names_with_dots_and_brackets_are_not_taken_for_paths():
    inner = {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}
    schema = {
        "properties": {"a": inner, "box": {"type": "object", "properties": {"a.b": {"type": "string"}}}},
        "required": ["a", "box"],
    }
    made = strict(schema)
    assert made.optional == ("box.a\\.b",)
    assert plain_arguments(made, {"a": {"b": None}, "box": {"a.b": None}}) == {"a": {"b": None}, "box": {}}


@needs_corpus
def test_the_strict_forms_of_the_corpus_keep_to_the_rules():
    """Most real tools have one; the rest say why not."""
    tools = corpus_tools()
    result = to_strict(tools)
    for made in result.tools:
        assert breaches(parameters(made)) == []
    assert len(result.tools) + len(result.left_out) >= 6_500  # names of left-out tools repeat between servers
    assert len(result.tools) > 0.85 * len(tools)
