"""What looks like a list or read of the entity and is not: selections, parts, orphans; reasons of drops."""

import pytest

from tvlab.environments.build import build_server
from tvlab.environments.tool_lists import ToolList

TEXT = {"type": "string"}


def tool(name, description="", required=(), /, **properties):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema}


MILL = [
    tool("create_mill", "Create a mill.", ["title"], title=TEXT, status=TEXT),
    tool("get_mill", "Get a mill.", ["mill_id"], mill_id=TEXT),
    tool("list_mills", "List all mills.", status=TEXT),
    tool("update_mill", "Update a mill.", ["mill_id"], mill_id=TEXT, title=TEXT),
    tool("delete_mill", "Delete a mill.", ["mill_id"], mill_id=TEXT),
    tool("create_sack", "Create a sack.", ["mill_id", "weight"], mill_id=TEXT, weight={"type": "integer"}),
    tool("list_sacks", "List the sacks of a mill.", ["mill_id"], mill_id=TEXT),
]


def built(*more):
    build = build_server(ToolList("mills", "", "", {}, [*MILL, *more]))
    kept = {t["name"] for b in build.environments for t in b.environment.tools}
    return kept, {drop.tool: drop.reason for drop in build.drops}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (tool("list_trending_mills", "List trending mills."), "nothing is known of the thing"),
        (tool("get_me", "Get my mill.", ["mill_id"], mill_id=TEXT), "selection by a rule that is not stated"),
        (
            tool("get_mill_blueprint", "Get the blueprint.", ["mill_id"], mill_id=TEXT),
            "a part of the thing that is not modelled",
        ),
        (tool("get_all_sacks", "Get all sacks of a mill."), "children without their parent"),
        (tool("leave_mill", "Leave a mill.", ["mill_id"], mill_id=TEXT), "link with one end"),
        (
            tool("add_mill_tag", "Add a tag or ensure it is there.", ["mill_id", "name"], mill_id=TEXT, name=TEXT),
            "makes it only where it is not there",
        ),
        (tool("click_mill", "Click it.", ["mill_id"], mill_id=TEXT), "interface automation"),
        (tool("run_mill", "Run it.", ["mill_id"], mill_id=TEXT), "execution of code or commands"),
        (tool("generate_mill_report", "Generate it.", ["mill_id"], mill_id=TEXT), "generated content"),
        (tool("ping", "Ping."), "system information"),
        (tool("hget", "Get a field of a hash."), "primitive of a data structure"),
        (tool("wheel_plan"), "no verb in the name and no description"),
        (tool("wheel_map", "Get the rivers of a land."), "name and description name different things"),
        (tool("archive_view", "Convert a mill."), "computation of uncertain meaning"),
    ],
)
def test_what_the_record_does_not_answer_is_refused_with_its_reason(more, reason):
    kept, drops = built(more)
    assert drops == {more["name"]: reason}
    assert "list_mills" in kept


def test_a_field_of_the_record_is_no_foreign_part():
    kept, _ = built(tool("get_mill_title", "Get the title.", ["mill_id"], mill_id=TEXT))
    assert "get_mill_title" in kept


def test_an_area_in_the_plural_reads_one_by_its_key_but_several_are_not_read_by_the_key_of_one():
    kept, _ = built(tool("mills_get", "Get a mill.", ["mill_id"], mill_id=TEXT))
    assert "mills_get" in kept
    _, drops = built(tool("get_mills", "Get the mills.", ["mill_id"], mill_id=TEXT))
    assert drops == {"get_mills": "a part of the thing that is not modelled"}


def test_details_and_settings_are_one_thing_and_the_owner_beside_another_key_is_no_key():
    _, drops = built(tool("get_mill_details", "Get the details of the mill."))
    assert drops == {"get_mill_details": "read of one thing without a key"}
    _, drops = built(tool("get_wheel_settings", "Get the settings of the wheels."))
    assert drops == {"get_wheel_settings": "read of one thing without a key"}
    pair = {"username": TEXT, "domain": TEXT, "value": TEXT}
    _, drops = built(tool("update_pond", "Update a pond.", list(pair), **pair))
    assert drops == {"update_pond": "no entity in the name"}


def test_an_action_takes_only_the_parameters_that_are_not_another_actions():
    action = {"type": "string", "enum": ["create", "delete", "move"]}
    manage = tool(
        "manage_weir",
        "Manage weirs.",
        ["action"],
        action=action,
        weir_id={"type": "string", "description": 'Required for "delete" and "move".'},
        title={"type": "string", "description": "The title, for create."},
        destination={"type": "string", "description": 'Used by "move".'},
    )
    build = build_server(ToolList("mills", "", "", {}, [*MILL, manage]))
    tools = {t["name"]: t for b in build.environments for t in b.environment.tools}
    properties = tools["manage_weir"]["inputSchema"]["properties"]
    assert properties["action"]["enum"] == ["create", "delete"]
    assert set(properties) == {"action", "weir_id", "title"}
