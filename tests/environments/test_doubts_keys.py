"""Doubts about keys and references, and the values that a text tells: each made-up tool fails for its own reason."""

from __future__ import annotations

from typing import Any

import pytest
from test_doubts import Tool, tool

from tvlab.environments.domain.field_types import loosened
from tvlab.environments.domain.tool_parsing import parse_tools
from tvlab.environments.drops import Drop
from tvlab.environments.language.told_values import told_values
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.meanings.transitions import first_value
from tvlab.environments.prepared_servers import decided, prepared_domain
from tvlab.environments.schemas.schemas import refactor_tools


def meant(*tools: Tool) -> dict[str, Meaning | Drop]:
    """What the tools mean, by name."""
    parsed = parse_tools(refactor_tools(list(tools)).tools)
    decisions = decided(parsed, prepared_domain(parsed))
    return {d.tool if isinstance(d, Drop) else d.tool.name: d for d in decisions}


LABELS = [
    tool("list_labels", "List the labels of a parcel.", identifier="string"),
    tool("rename_label", "Change a label of a parcel.", identifier="string", label_id="string", title=("string",)),
    tool("get_label", "Get a label.", label_id="string"),
]
CURVES = [
    tool("add_curve", "Add a curve to a sheet.", path="string", sheet="string", style="string"),
    tool("delete_curve", "Delete a curve from a sheet.", path="string", sheet="string"),
    tool("list_sheets", "List the sheets.", path="string"),
    tool("add_sheet", "Add a sheet.", path="string", sheet="string"),
]
JOURNALS = [
    tool("create_journal", "Create a journal.", filename="string", author=("string",)),
    tool("add_entry", "Add an entry to a journal.", filename="string", text="string"),
    tool("add_chapter", "Add a chapter to a journal.", filename="string", heading="string"),
    tool("add_figure", "Add a figure to a journal.", filename="string", caption="string"),
]
RECIPES = [
    tool("create_recipe", "Create a recipe.", name="string", steps="string"),
    tool("update_recipe", "Update a recipe.", configuration_id="string", name="string", steps=("string",)),
    tool("list_recipes", "List recipes.", recipe_ids=({"type": "array", "items": {"type": "string"}},)),
]
BINS = [
    tool("list_mail_bins", "List the mail bins.", page=("integer",)),
    tool("create_mail_bin", "Create a mail bin.", title="string"),
    tool("get_mail_bin", "Get a mail bin.", bin_id="string"),
    tool("list_photo_bins", "List the photo bins.", page=("integer",)),
    tool("create_photo_bin", "Create a photo bin.", title="string"),
    tool("create_letter", "Create a letter.", bin_id="string", text="string"),
    tool("get_letter", "Get a letter.", letter_id="string"),
]
ALONE = [
    tool("create_portrait", "Create a portrait image.", prompt="string", style=("string",)),
    tool("create_quotes", "[Read] Create quotes of a set.", dataset="string"),
    tool("depot_upload", "Upload or update the content.", file_id=("string",), data="string"),
    tool("create_depot_parcel", "Create a depot parcel.", parcel_fields="object"),
    tool(
        "create_solid",
        "Create one or more solids.",
        data={"type": "array", "items": {"type": "object", "properties": {"size": {"type": "number"}}}},
    ),
]


@pytest.mark.parametrize(
    ("tools", "name"),
    [
        (LABELS, "list_labels"),
        (LABELS, "rename_label"),
        (CURVES, "delete_curve"),
        (JOURNALS, "add_entry"),
        (RECIPES, "create_recipe"),
        (BINS, "create_letter"),
        *[([one], one["name"]) for one in ALONE],
    ],
)
def test_a_key_or_reference_to_something_else_drops_the_tool(tools: list[Tool], name: str):
    assert isinstance(meant(*tools)[name], Drop)


CHANGES = [
    tool("create_hat", "Create a published hat.", label="string"),
    tool("archive_hat", "Archive a hat.", hat_id="string"),
    tool("publish_hat", "Publish a hat.", hat_id="string"),
    tool("get_hat", "Get a hat.", hat_id="string"),
    tool("list_hats", "List hats.", status=({"type": "string", "enum": ["draft", "published", "archived"]},)),
    tool("update_hat", "Change a hat's status.", hat_id="string", transition="string"),
    tool("upload_hat_photo", "Update the photo of the hats.", content="string"),
    tool("update_hat_shop", "Restart the hat with the newest parts.", hat_id="string", shop_id="string"),
    tool("reset_hat_colours", "Reset all colours of a hat.", hat_id="string"),
]


@pytest.mark.parametrize(
    "name", ["create_hat", "update_hat", "upload_hat_photo", "update_hat_shop", "reset_hat_colours"]
)
def test_a_change_that_is_not_what_is_said_drops_the_tool(name: str):
    assert isinstance(meant(*CHANGES)[name], Drop)


TREES = [
    tool("list_trees", "List trees.", page=("integer",)),
    tool("create_tree", "Create or replace a tree.", height="number"),
    tool("update_tree", "Change the code of a tree, with a new one.", tree_id="string", owner_name=("string",)),
    tool("delete_tree_summary", "Delete the summary of a tree.", tree_id="string"),
    tool("insert_tree", "Insert a tree; shifts the others.", height="number"),
    tool("plan_tree", "Plans trees for a garden using an AI agent.", prompt="string"),
    tool("post_tree", "Post a tree in a garden, or edit one that is there.", text="string", tree_name=("string",)),
    tool("set_tree_json", "Set a value of a tree.", tree_id="string", path="string", value="string"),
    tool(
        "change_tree",
        "Change a tree.",
        tree_id="string",
        height="number",
        revision={"type": "string", "description": "Current revision for optimistic locking"},
    ),
    tool("prune_tree", "Update a tree. Only works on drafts.", tree_id="string", height="number"),
]


_LEFT_OUT = (
    "create_tree delete_tree_summary insert_tree prune_tree plan_tree post_tree set_tree_json change_tree".split()
)


@pytest.mark.parametrize("name", _LEFT_OUT)
def test_what_does_more_or_less_than_its_rule_is_left_out(name: str):
    assert isinstance(meant(*TREES)[name], Drop)


def test_new_things_start_where_things_begin():
    found = meant(
        tool("create_alarm", "Create an alarm.", label="string"),
        tool("close_alarm", "Close an alarm.", alarm_id="string"),
        tool("list_alarms", "List.", status=({"type": "string", "enum": ["acknowledged", "triggered", "closed"]},)),
    )
    meaning = found["create_alarm"]
    assert isinstance(meaning, Meaning)
    parsed = parse_tools(refactor_tools([tool("suspend_key", "Suspend a key.", key_id="string")]).tools)
    domain = prepared_domain(parsed)
    assert first_value(domain, meaning.entity) == "triggered"
    assert first_value(domain, domain.entities["key"]) == "active"


def test_what_lies_in_a_thing_is_not_the_thing():
    found = meant(
        tool("delete_scroll", "Delete a scroll.", scroll_id="string"),
        tool("delete_scroll_content", "Delete content at rows.", scroll_id="string", row=("integer",)),
    )
    assert isinstance(found["delete_scroll"], Meaning)
    assert isinstance(found["delete_scroll_content"], Drop)


GATES = [
    tool("list_yards", "List the yards.", page=("integer",)),
    tool("create_yard", "Create a yard.", label="string"),
    tool("list_gates", "List the gates.", page=("integer",)),
    tool("create_gate", "Create a gate.", yard_id="string", label="string"),
    tool("move_gate", "Move a gate to another yard.", gate_id="string", target_yard_id="string"),
    tool("add_content", "Add content to a yard.", yard_id="string", markdown="string"),
    tool("sell_gate", "Update a gate. Deducts stock.", gate_id="string", label="string"),
]


@pytest.mark.parametrize("name", ["move_gate", "add_content", "sell_gate"])
def test_a_write_that_needs_more_than_its_record_is_left_out(name: str):
    found = meant(*GATES)
    assert isinstance(found["create_gate"], Meaning)
    assert isinstance(found[name], Drop)


def test_an_id_with_words_of_its_use_names_the_plain_thing():
    found = meant(
        tool("create_remark", "Create a remark.", text="string", reply_to_remark_id=("string",)),
        tool("get_remark", "Get a remark.", remark_id="string"),
    )
    meaning = found["create_remark"]
    assert isinstance(meaning, Meaning)
    assert [role.entity for role in meaning.of("reference")] == ["remark"]


def test_a_bare_parent_is_what_it_is_said_to_be():
    parent = ({"type": "string", "description": "Parent bed ID to put it into"},)
    found = meant(
        tool("create_bed", "Create a bed.", label="string"),
        tool("list_beds", "List the beds.", page=("integer",)),
        tool("create_bush", "Create a bush.", label="string", parent_id=parent),
        tool("get_bush", "Get a bush.", bush_id="string"),
    )
    meaning = found["create_bush"]
    assert isinstance(meaning, Meaning)
    assert {role.entity for role in meaning.of("reference")} == {"bed"}


def test_the_name_of_what_no_tool_keeps_is_stored_as_it_is():
    found = meant(
        tool("create_guest", "Create a guest.", label="string", company_name=("string",)),
        tool("get_guest", "Get a guest.", guest_id="string"),
        tool("get_company", "Get a company.", company_name="string"),
    )
    meaning = found["create_guest"]
    assert isinstance(meaning, Meaning)
    assert {role.dotted for role in meaning.of("payload")} == {"label", "company_name"}


def test_a_name_beside_an_id_of_the_same_thing_is_taken_away():
    found = meant(
        tool("list_units", "List the units.", page=("integer",)),
        tool("get_unit", "Get a unit.", unit_name="string"),
        tool("create_bill", "Create a bill.", amount="number", unit_name=("string",), unit_id=("string",)),
    )
    meaning = found["create_bill"]
    assert isinstance(meaning, Meaning)
    stored = [role.field for role in meaning.of("payload", "reference")]
    assert len(stored) == len(set(stored))


def test_a_parameter_that_says_where_or_how_is_taken_away():
    found = meant(
        tool("create_hat", "Create a hat.", label="string", tags=({"type": "array", "items": {"type": "string"}},)),
        tool(
            "update_hat",
            "Update a hat.",
            hat_id="string",
            label=("string",),
            shop=({"type": "string", "description": "Shop to use instead of the default"},),
            tags_to_add=({"type": "array", "items": {"type": "string"}},),
            add_tags=({"type": "array", "items": {"type": "string"}},),
        ),
    )
    meaning = found["update_hat"]
    assert isinstance(meaning, Meaning)
    assert {role.dotted for role in meaning.roles} == {"hat_id", "label"}


def test_a_name_with_the_thing_before_it_is_the_name():
    found = meant(
        tool("create_shed_file", "Create a file.", file_name="string", content="string"),
        tool("update_shed_file", "Update a file.", file_id="string", name=("string",), content=("string",)),
    )
    meaning = found["update_shed_file"]
    assert isinstance(meaning, Meaning)
    assert {role.field for role in meaning.of("payload")} == {"file_name", "content"}


def test_one_parent_under_two_names_is_one_column():
    found = meant(
        tool("create_subtask", "Create a subtask.", parent_task_id="string", title="string"),
        tool("list_subtasks", "List the subtasks of a task.", task_gid="string"),
        tool("get_task", "Get a task.", task_gid="string"),
        tool("create_task", "Create a task.", title="string"),
    )
    made, listed = found["create_subtask"], found["list_subtasks"]
    assert isinstance(made, Meaning)
    assert isinstance(listed, Meaning)
    assert {r.field for r in made.of("reference")} == {r.field for r in listed.of("reference")}


def test_the_id_inside_a_body_is_no_second_column():
    body: dict[str, Any] = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "size": {"type": "number"}},
    }
    made = meant(tool("create_poster", "Create a poster.", body=body), tool("get_poster", "Get.", poster_id="string"))
    meaning = made["create_poster"]
    assert isinstance(meaning, Meaning)
    assert "id" not in meaning.entity.fields


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Valid values: ``NONE`` | ``FULL``. Defaults to ``FULL``.", ["NONE", "FULL"]),
        ("Sort order: 'newest' or 'oldest' (default)", ["newest", "oldest"]),
        ("The scale must be one of: Windows (default - like 'Pacific'), or Iana (names)", ["Windows", "Iana"]),
        ("Chains such as 'red' or 'blue'", []),
        ("Used by \"create\" and \"update\" actions.", []),
        ("Must be a valid slug", []),
    ],
)
def test_values_told_in_words(text: str, values: list[str]):
    assert told_values(text) == values


def test_told_values_are_seeded_and_not_promised():
    kind = ({"type": "string", "description": "One of: oak, elm"},)
    found = meant(
        tool("create_plank", "Create a plank.", label="string", wood=kind),
        tool("get_plank", "Get a plank.", plank_id="string"),
    )
    meaning = found["create_plank"]
    assert isinstance(meaning, Meaning)
    column = meaning.entity.fields["wood"]
    assert column.schema["enum"] == ["oak", "elm"]
    assert "enum" not in loosened(column.schema)
