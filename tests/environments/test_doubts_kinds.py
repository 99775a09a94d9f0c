"""What kind of thing a tool is about: two kinds under one noun, one in two tables, either of two."""

from __future__ import annotations

import pytest
from test_doubts import Tool, tool
from test_doubts_rules import MANY, meant

from tvlab.environments.drops import Drop

LISTS = [
    tool("list_pot_lists", "List the pot lists."),
    tool("create_pot_list", "Create a pot list.", title="string"),
    tool("create_pot", "Create a pot.", pot_list_id="string", title="string"),
]
FILES = [
    tool("create_directory", "Make a directory.", path="string"),
    tool("read_file", "Read a file.", path="string"),
    tool("write_file", "Write a file.", path="string", content="string"),
]
LETTERS = [
    tool("send_letter", "Send a letter.", subject="string", body="string", cc=("string",), stamp=("string",)),
    tool("send_kiln_letter", "Post to a kiln.", kiln_id="string", mood="string", smoke="string", heat="string"),
]
GLAZES = [
    tool("apply_glaze", "Apply a glaze.", glaze_id="string"),
    tool("list_glazes", "List the glazes on the pots.", kiln_id="string"),
    tool("create_glaze", "Create a glaze.", kiln_id="string", title="string"),
]
LINKS = [
    tool("create_oven", "Create an oven.", name="string", colour="string"),
    tool("create_wick", "Add a wick to an oven.", oven_id="string", wick="string"),
]
SHEETS = [
    tool("create_workbook", "Create a workbook.", path="string"),
    tool("read_workbook", "Read a workbook.", path="string"),
    tool("delete_workbook", "Delete a workbook.", path="string"),
    tool("delete_sheet", "Delete a sheet.", path="string", sheet="string"),
]
REFUSED: list[tuple[list[Tool], Tool, str]] = [
    (LISTS, tool("get_pot_list", "Get details of a specific pot list.", pot_list_id="string"),
     "one thing read as a list"),
    ([], tool("create_tile", "Create a tile.", holder_id="string", name="string",
              holder_type={"type": "string", "enum": ["kiln", "yard"]}), "one of several containers"),
    (FILES, tool("list_directory", "List all files and directories in a path.", path="string"),
     "named content is missing"),
    (GLAZES, tool("search_glazes", "Search the glaze plugin directory.", query="string"),
     "different things under one noun"),
    ([], tool("kiln_list", "List all firings for today"), "description speaks of another thing"),
    (LETTERS, tool("list_kiln_letters", "List letters to a kiln.", kiln_id="string"),
     "different things under one noun"),
    ([], tool("create_duty", "Create a duty for a potter.", potter_id=("string",), kind=("string",)),
     "made without what it belongs to"),
    (LINKS, tool("find_ovens", "Find ovens with a wick.", wick="string"), "one thing kept in two tables"),
    ([tool("create_memory_bead", "Add a memory bead.", title="string", tags=MANY)],
     tool("search_memories", "Search for memory beads by title or content.", query="string"),
     "description speaks of another thing"),
    ([], tool("create_edge", "Link kilns.", kiln_id="string", kiln_uuid="string"), "two values in one column"),
    (SHEETS, tool("create_sheet", "Add a sheet.", path="string", new_name="string"), "a name that is no key"),
]  # fmt: skip


@pytest.mark.parametrize(("beside", "one", "reason"), REFUSED, ids=[one["name"] for _, one, _ in REFUSED])
def test_another_kind_of_thing_is_refused(beside, one, reason):
    decision = meant(*beside, one)[one["name"]]
    assert isinstance(decision, Drop)
    assert decision.reason == reason


def test_the_rest_of_two_kinds_stays():
    decisions = meant(*LETTERS, tool("list_letters", "List the letters.", subject=("string",)))
    assert not isinstance(decisions["send_letter"], Drop)
    assert not isinstance(decisions["list_letters"], Drop)
    assert isinstance(decisions["send_kiln_letter"], Drop)


def test_an_optional_id_of_one_of_several_kinds_goes():
    kinds = {"type": "string", "enum": ["kiln", "yard"]}
    one = tool("create_tile", "Create a tile.", name="string", holder_id=("string",), holder_type=(kinds,))
    found = meant(one)["create_tile"]
    assert not isinstance(found, Drop)
    assert "holder_id" in dict(found.narrowed)


def test_the_two_ends_of_a_link_are_kept_apart():
    found = meant(tool("create_flue", "Join.", inward_kiln_id="string", outward_kiln_id="string"))["create_flue"]
    assert not isinstance(found, Drop)
    assert len({r.field for r in found.of("reference")}) == 2


def test_an_optional_filter_of_what_is_kept_apart_goes():
    found = meant(*LINKS, tool("list_ovens", "List ovens.", wick=("string",), colour=("string",)))["list_ovens"]
    assert not isinstance(found, Drop)
    assert ("wick", "is kept in a table of its own") in found.narrowed
