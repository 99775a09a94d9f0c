"""Variations keep what their parents mean, differ as they say, and build; the further domains are sound."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema_rs
import numpy as np
import pytest

from tvlab.environments.build import build_server
from tvlab.environments.environment import Environment
from tvlab.environments.language import synonyms
from tvlab.environments.language.name_words import verb_kind
from tvlab.environments.schemas.schemas import refactor_tools
from tvlab.environments.tool_lists import EMBEDDED, ToolList, load_tool_lists, more_tool_lists
from tvlab.environments.variations.renaming import Renaming, spelt, style_of, without_tools
from tvlab.environments.variations.tool_readings import reading
from tvlab.environments.variations.variations import CHANGES, LARGEST, SMALLEST, variations, vary
from tvlab.foundation.errors import UserError
from tvlab.foundation.words import plural, split_name
from tvlab.tasks.graph import build_graph, carries_tasks

PARENTS = {server.server: server for server in [*load_tool_lists("embedded"), *more_tool_lists()]}
MORE = [server.server for server in more_tool_lists()]


def schemas_below(schema: Any):
    """Every schema in a schema, itself first."""
    yield schema
    for part in [*schema.get("properties", {}).values(), schema.get("items"), *schema.get("anyOf", [])]:
        if isinstance(part, dict):
            yield from schemas_below(part)


def schemas_of(server: ToolList):
    for tool in server.tools:
        for key in ("inputSchema", "outputSchema"):
            if key in tool:
                yield from schemas_below(tool[key])


def texts_of(server: ToolList) -> str:
    texts = [tool["description"] for tool in server.tools]
    return "\n".join([*texts, *(str(schema.get("description", "")) for schema in schemas_of(server))])


def identifiers_of(server: ToolList) -> list[str]:
    names = [tool["name"] for tool in server.tools]
    return [*names, *(name for schema in schemas_of(server) for name in schema.get("properties", {}))]


def values_of(server: ToolList) -> Counter[str]:
    """Enumerations, defaults and patterns, however often they occur."""
    keys = ("enum", "default", "pattern", "format", "minimum", "maximum", "type")
    return Counter(json.dumps([key, s[key]]) for s in schemas_of(server) for key in keys if key in s)


def carries(server: ToolList, folder: Path) -> tuple[int, bool]:
    """How many tools of a server are built, and whether an environment of 5 or more carries tasks."""
    build = build_server(server, server.source.get("variation", {}).get("build_seed", 0))
    good = False
    for built in build.environments:
        environment = Environment.load(built.write(folder))
        good |= len(environment.tools) >= 5 and carries_tasks(environment, build_graph(environment))
    return build.kept, good


# --- the further domains ---------------------------------------------------------------------------------


def test_with_sixteen_more_there_are_descriptions_of_24_domains_and_the_embedded_ones_stay_eight():
    assert len(MORE) == 16
    assert len(PARENTS) == 24
    assert [server.server for server in load_tool_lists("embedded")] == list(EMBEDDED)


@pytest.mark.parametrize("name", MORE)
def test_a_further_domain_needs_no_repair_and_describes_everything(name):
    server = PARENTS[name]
    assert 10 <= len(server.tools) <= 16
    assert server.source == {"license": "Apache-2.0", "origin": "written for tvlab", "schema": "raw"}
    assert server.title
    assert server.description
    refactored = refactor_tools(server.tools)
    assert not refactored.drops
    assert not refactored.notes
    names = {tool["name"] for tool in server.tools}
    for raw, tool in zip(server.tools, refactored.tools, strict=True):
        assert tool["inputSchema"] == raw["inputSchema"]
        assert tool.get("outputSchema") == raw.get("outputSchema")
        assert len(tool["description"]) > 20
        assert "outputSchema" in tool or "Returns" in tool["description"]
        assert all(schema.get("description") for schema in list(schemas_below(tool["inputSchema"]))[1:])
    for producers in re.findall(r"as returned by ([^\"]*?)\.?$", texts_of(server), re.MULTILINE):
        assert set(re.split(r", | or ", producers)) <= names, producers


def test_the_further_domains_show_what_real_servers_show():
    servers = [PARENTS[name] for name in MORE]
    schemas = [schema for server in servers for schema in schemas_of(server)]
    assert sum(len(server.tools) for server in servers) == 241
    assert sum("enum" in schema for schema in schemas) >= 100
    assert sum("default" in schema for schema in schemas) >= 80
    inputs = [schemas_below(tool["inputSchema"]) for server in servers for tool in server.tools]
    nested = [schema for below in inputs for schema in list(below)[1:]]
    assert sum(schema.get("type") == "object" for schema in nested) >= 30
    assert sum(schema.get("type") == "array" for schema in nested) >= 20
    assert sum(any("outputSchema" in tool for tool in server.tools) for server in servers) == 7
    styles = {style_of(server.tools[0]["name"]) for server in servers}
    assert styles == {"snake", "camel", "kebab", "dotted", "pascal"}


@pytest.mark.parametrize("name", MORE)
def test_a_further_domain_builds_and_carries_tasks(name, tmp_path):
    kept, good = carries(PARENTS[name], tmp_path)
    assert kept >= 0.9 * len(PARENTS[name].tools)
    assert good


# --- what a variation keeps ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["calendar", "home_devices", "parcels", "gym"])
def test_equal_seeds_give_equal_variations_whatever_else_is_random(name):
    first = vary(PARENTS[name], 5).to_json()
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    assert vary(PARENTS[name], 5).to_json() == first
    assert vary(PARENTS[name], 6).to_json() != first


def test_a_variation_is_marked_with_parent_seed_and_changes():
    parent = PARENTS["tickets"]
    variation = vary(parent, 3)
    about = variation.source["variation"]
    assert about["parents"] == ["tickets"]
    assert about["seed"] == 3
    assert isinstance(about["build_seed"], int)
    assert about["changes"]
    assert variation.source["license"] == parent.source["license"]
    assert "variation" not in parent.source


@pytest.mark.parametrize("name", PARENTS)
def test_a_renamed_toolset_reads_as_its_parent_does(name):
    """Verbs, nouns and style change; kinds of operation, entities, shapes and values do not."""
    parent = PARENTS[name]
    for seed in range(3):
        variation = vary(parent, seed, changes=["nouns", "verbs", "style"])
        before, after = reading(parent.tools), reading(variation.tools)
        kinds = [tool.kind for tool in before.parsed]
        assert [tool.kind for tool in after.parsed] == kinds
        entities = {}
        for at in range(len(parent.tools)):
            assert entities.setdefault(before.of(at)[1], after.of(at)[1]) == after.of(at)[1]
        assert len(set(entities.values())) == len(entities)
        assert values_of(variation) == values_of(parent)
        for schema in schemas_of(variation):
            jsonschema_rs.Draft202012Validator(schema)
            assert set(schema.get("required", [])) <= set(schema.get("properties", {}))
        refactored = refactor_tools(variation.tools)
        assert not refactored.drops
        assert not refactored.notes


@pytest.mark.parametrize("name", PARENTS)
def test_a_subset_keeps_entities_whole_and_names_no_tool_that_is_gone(name):
    parent = PARENTS[name]
    whole = reading(parent.tools)
    sizes = Counter(whole.of(at)[1] for at in range(len(parent.tools)))
    for seed in range(4):
        variation = vary(parent, seed, changes=["subset"])
        kept = [tool["name"] for tool in variation.tools]
        assert SMALLEST <= len(kept) <= LARGEST
        places = [at for at, tool in enumerate(parent.tools) if tool["name"] in kept]
        assert Counter(whole.of(at)[1] for at in places).items() <= sizes.items()
        gone = {tool["name"] for tool in parent.tools} - set(kept)
        assert not set(re.findall(r"[\w.-]+\w", texts_of(variation))) & gone
        assert [whole.of(at) for at in places] == [reading(variation.tools).of(i) for i in range(len(kept))]


def test_subsets_of_one_parent_differ():
    sizes = {len(vary(PARENTS["recipes"], seed, changes=["subset"]).tools) for seed in range(20)}
    assert len(sizes) >= 3


@pytest.mark.parametrize("name", PARENTS)
def test_fewer_optional_parameters_leave_the_required_ones_and_something_to_update(name):
    parent = PARENTS[name]
    variation = vary(parent, 1, changes=["optional"])
    fewer = 0
    for raw, tool in zip(parent.tools, variation.tools, strict=True):
        before, after = raw["inputSchema"], tool["inputSchema"]
        assert after.get("required") == before.get("required")
        assert after["properties"].items() <= before["properties"].items()
        assert set(before.get("required", [])) <= set(after["properties"])
        fewer += len(before["properties"]) - len(after["properties"])
        if verb_kind(split_name(tool["name"])[0]) == "update" and len(before["properties"]) > 1:
            assert len(after["properties"]) > 1
    assert fewer > 0


def test_the_naming_styles_and_orders_all_occur():
    made = [vary(PARENTS["recipes"], seed, changes=["style"]).tools for seed in range(60)]
    names = {tool["name"] for tools in made for tool in tools}
    assert {style_of(tools[0]["name"]) for tools in made} == {"snake", "camel", "kebab"}
    assert {"list_meals", "meal_list", "listMeals", "mealList", "list-meals", "meal-list"} <= names
    assert "recipes_list_meals" in names
    fields = {name for tools in made for tool in tools for name in tool["inputSchema"]["properties"]}
    assert {"recipe_id", "recipeId"} <= fields


def test_a_synonym_reaches_names_nested_fields_and_texts():
    variation = next(
        v
        for seed in range(30)
        if "ticket -> case" in str((v := vary(PARENTS["tickets"], seed, changes=["nouns"])).source)
    )
    assert "case_create" in {tool["name"] for tool in variation.tools}
    assert "case_id" in identifiers_of(variation)
    assert not [n for n in identifiers_of(variation) if "ticket" in split_name(n)]
    assert not re.search(r"\btickets?\b", texts_of(variation), re.IGNORECASE)
    create = next(tool for tool in variation.tools if tool["name"] == "case_create")
    assert create["description"].startswith("Open a case for a problem")
    assert "A new case has the status open. Returns the case: id" in create["description"]


# --- two servers -----------------------------------------------------------------------------------------


def test_two_servers_together_keep_apart_what_belongs_to_each():
    variation = vary(PARENTS["calendar"], 2, PARENTS["payroll"], changes=[])
    assert SMALLEST <= len(variation.tools) <= LARGEST
    assert variation.source["variation"]["parents"] == ["calendar", "payroll"]
    names = {noun[0] for noun in reading(variation.tools).nouns.names}
    assert names & {"calendar", "event"}
    assert names & {"employee", "timesheet", "absence", "payrun", "payslip"}
    assert len({style_of(tool["name"]) for tool in variation.tools if len(split_name(tool["name"])) > 1}) == 1


def test_servers_that_share_a_name_are_not_merged():
    with pytest.raises(UserError, match="travel and restaurant share names"):
        vary(PARENTS["travel"], 0, PARENTS["restaurant"])


# --- many ------------------------------------------------------------------------------------------------


def test_many_variations_all_differ_and_their_number_can_exceed_the_parents(tmp_path):
    made = variations(list(PARENTS.values()), 60, seed=4)
    assert len({json.dumps(server.tools) for server in made}) == 60
    assert len({server.server for server in made}) == 60
    assert {change.split(":")[0] for s in made for change in s.source["variation"]["changes"]} == {
        *CHANGES, "merged"}  # fmt: skip
    assert all(SMALLEST <= len(server.tools) <= LARGEST for server in made)
    assert [s.to_json() for s in variations(list(PARENTS.values()), 3, seed=4)] == [
        s.to_json() for s in made[:3]
    ]


def test_variations_build_and_carry_tasks(tmp_path):
    made = variations(list(PARENTS.values()), 24, seed=1)
    outcomes = [carries(server, tmp_path) for server in made]
    assert sum(kept for kept, _ in outcomes) >= 0.97 * sum(len(server.tools) for server in made)
    assert all(kept >= 5 and good for kept, good in outcomes)


@pytest.mark.slow
def test_of_two_hundred_variations_nearly_all_carry_tasks(tmp_path):
    outcomes = [carries(server, tmp_path) for server in variations(list(PARENTS.values()), 200)]
    assert sum(good for _, good in outcomes) >= 196


def test_another_seed_of_the_build_gives_other_records():
    one, two = vary(PARENTS["museum"], 0, changes=[]), vary(PARENTS["museum"], 1, changes=[])
    assert one.tools == two.tools
    states = [
        build_server(v, v.source["variation"]["build_seed"]).environments[0].environment.state
        for v in (one, two)
    ]
    assert states[0]["exhibitions"] != states[1]["exhibitions"]


# --- bad input -------------------------------------------------------------------------------------------


def test_bad_input_is_named_in_one_line():
    small = ToolList("small", tools=PARENTS["files"].tools[:5])
    for call, words in (
        (
            lambda: vary(PARENTS["files"], 0, changes=["colour"]),
            "change 'colour' is unknown: choose among subset",
        ),
        (lambda: vary(small, 0), "server small has fewer than 8 tools"),
        (lambda: variations([], 3), "no server with 8 or more tools"),
        (lambda: variations([small], 3), "no server with 8 or more tools"),
    ):
        with pytest.raises(UserError, match=re.escape(words)) as error:
            call()
        assert "\n" not in str(error.value)


def test_a_server_that_needs_repair_is_refactored_first():
    schema = {"type": "object", "properties": {"crate_id": {"$ref": "#/$defs/Id"}}, "required": ["crate_id"],
              "$defs": {"Id": {"type": "string"}}}  # fmt: skip
    verbs = ("get", "delete", "archive", "lock", "unlock", "pin", "unpin")
    tools = [{"name": f"{verb}_crate", "description": "", "inputSchema": schema} for verb in verbs]
    tools += [{"name": "create_crate", "inputSchema": {"properties": {"label": {"type": "string"}}}}]
    variation = vary(ToolList("crates", tools=tools), 0, changes=["style"])
    assert "$ref" not in json.dumps(variation.tools)
    assert len(variation.tools) == 8


# --- words -----------------------------------------------------------------------------------------------


def test_verbs_that_stand_for_each_other_are_of_one_kind():
    for row in synonyms.VERBS:
        assert len({verb_kind(verb) for verb in row}) == 1, row
        assert len(set(row)) == len(row) > 1


def test_nouns_that_stand_for_others_are_no_verbs_and_no_plurals():
    for noun, others in synonyms.NOUNS.items():
        for word in (noun, *others):
            assert plural(word) != word, word
        for other in others:
            assert not verb_kind(other), (noun, other, verb_kind(other))
            assert other != noun


def test_texts_are_renamed_by_hand_worked_examples():
    renaming = Renaming(
        {"get-bed": "fetchPlot"}, {"bed": "allotment"}, "snake", frozenset({"in_bed", "bed_rest"})
    )
    for text, new in (
        ("A bed, as returned by get-bed.", "An allotment, as returned by fetchPlot."),
        ("Beds of a bed. Returns bedId, Name.", "Allotments of an allotment. Returns allotment_id, name."),
        ("Is in_bed or bed_rest; get-bedding stays.", "Is in_bed or bed_rest; get-bedding stays."),
        ("Name the Bed", "Name the Allotment"),
    ):
        assert renaming.text(text) == new
    beds = {"items": {"type": "string"}}
    assert renaming.schema({"properties": {"bedIds": beds}, "required": ["bedIds"]}) == {
        "properties": {"allotment_ids": beds},
        "required": ["allotment_ids"],
    }


@pytest.mark.parametrize("style", ["snake", "camel", "kebab", "pascal", "dotted"])
def test_a_spelt_name_splits_into_its_words_again(style):
    assert split_name(spelt(["list", "open", "orders"], style)) == ["list", "open", "orders"]
    assert style_of(spelt(["list", "open", "orders"], style)) == style


def test_producers_that_are_gone_leave_the_sentence_whole():
    text = "The key, as returned by room.list, room.create or room.get. More."
    for gone, left in (
        (set(), text),
        ({"room.list"}, "The key, as returned by room.create or room.get. More."),
        ({"room.list", "room.get"}, "The key, as returned by room.create. More."),
        ({"room.list", "room.get", "room.create"}, "The key. More."),
        ({"More"}, "The key, as returned by room.list, room.create or room.get."),
    ):
        assert without_tools(text, frozenset(gone)) == left
