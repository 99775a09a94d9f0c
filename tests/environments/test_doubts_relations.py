"""One relation or value in two places: each made-up tool is refused for its own reason, its plain twin stays."""

import pytest
from plain_tools import built, tool
from test_reference_effects import TEXT

BOATS = (
    tool("list_boats"),
    tool("create_boat", "", ("name",), name=TEXT),
    tool("get_boat", "", ("boat_id",), boat_id=TEXT),
)
FLAGS = (tool("list_flags"), tool("create_flag", "", ("colour",), colour=TEXT))
CREW = {"type": "object", "properties": {"name": TEXT, "rank": TEXT}}
ANSWERS = {"type": "string", "enum": ["yes", "no", "maybe"]}
GUESTS = {"type": "array", "items": {"type": "object", "properties": {"email": TEXT, "answerState": ANSWERS}}}
STOPS = {"type": "array", "items": {"type": "object"}}
ADD = tool("add_flag_to_boat", "Add a flag to a boat.", ("boat_id", "flag_id"), boat_id=TEXT, flag_id=TEXT)


def reason(name, *tools):
    """Why a tool of a server is left out, "" if it is there."""
    server, _ = built(*tools)
    return {drop.tool: drop.reason for drop in server.drops}.get(name, "")


REFUSED = {
    "told by a column that nothing writes": (
        "list_boat_flags",
        "one relation in two columns",
        [*BOATS, *FLAGS, ADD, tool("list_boat_flags", "List the flags of a boat.", ("boat_id",), boat_id=TEXT)],
    ),
    "told by another table": (
        "list_attached_flags",
        "one relation in two columns",
        [
            *BOATS,
            *FLAGS,
            ADD,
            tool("list_attached_flags", "Returns the flags, each with name and colour.", ("boat_id",), boat_id=TEXT),
        ],
    ),
    "linked beside the parent": (
        "add_flag_to_boat",
        "one relation in two columns",
        [
            *FLAGS,
            tool("create_boat", "", ("name", "flag_id"), name=TEXT, flag_id=TEXT),
            tool("list_boats", "", ("flag_id",), flag_id=TEXT),
            ADD,
        ],
    ),
    "a record that no tool shows": (
        "add_pennant_to_boat",
        "relation stored as a record",
        [
            BOATS[0],
            tool("create_boat", "", ("name", "pennants"), name=TEXT, pennants={"type": "array", "items": TEXT}),
            tool("add_pennant_to_boat", "Add a pennant.", ("boat_id", "pennant"), boat_id=TEXT, pennant=TEXT),
            tool("remove_pennant_from_boat", "Remove it.", ("boat_id", "pennant"), boat_id=TEXT, pennant=TEXT),
        ],
    ),
    "beside the object that holds it": (
        "update_boat",
        "two values in one column",
        [
            BOATS[0],
            tool("create_boat", "", ("name", "captain"), name=TEXT, captain=CREW),
            tool("update_boat", "", ("boat_id",), boat_id=TEXT, captain_rank=TEXT),
        ],
    ),
    "beside the list that holds it": (
        "update_boat",
        "two values in one column",
        [
            BOATS[0],
            tool("create_boat", "", ("name", "guests"), name=TEXT, guests=GUESTS),
            tool("update_boat", "", ("boat_id", "answer"), boat_id=TEXT, answer=ANSWERS),
        ],
    ),
    "ids in open items": (
        "create_voyage",
        "reference left free",
        [
            *BOATS,
            tool("create_voyage", "Plan a voyage. stops: each has\n- boat_id: the boat", ("stops",), stops=STOPS),
            tool("list_voyages"),
        ],
    ),
    "a map as text": (
        "update_boat",
        "several values in one text",
        [
            *BOATS,
            tool(
                "update_boat",
                "",
                ("boat_id", "sail_values"),
                boat_id=TEXT,
                sail_values={**TEXT, "description": 'JSON like {"sail_id": "up"}'},
            ),
        ],
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_one_relation_or_value_in_two_places_is_refused(case):
    name, why, tools = REFUSED[case]
    assert reason(name, *tools) == why


KEPT = {
    "told by a column that a create writes": (
        "list_boat_flags",
        [
            *BOATS,
            tool("create_flag", "", ("colour", "boat_id"), colour=TEXT, boat_id=TEXT),
            tool("list_boat_flags", "List the flags of a boat.", ("boat_id",), boat_id=TEXT),
        ],
    ),
    "a link with one list of keys": ("add_flag_to_boat", [*BOATS, *FLAGS, ADD]),
    "an object as a whole": (
        "update_boat",
        [
            BOATS[0],
            tool("create_boat", "", ("name", "captain"), name=TEXT, captain=CREW),
            tool("update_boat", "", ("boat_id",), boat_id=TEXT, captain=CREW),
        ],
    ),
    "a plain text": (
        "update_boat",
        [*BOATS, tool("update_boat", "", ("boat_id", "sail_values"), boat_id=TEXT, sail_values=TEXT)],
    ),
}


@pytest.mark.parametrize("case", KEPT)
def test_what_is_kept_in_one_place_stays(case):
    name, tools = KEPT[case]
    assert reason(name, *tools) == ""
