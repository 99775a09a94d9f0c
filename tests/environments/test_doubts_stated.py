"""Doubts from single sentences: returned once, cleared by null, the only one that may be written, other texts."""

import pytest
from test_rules import ok
from test_writes import built, reason, tool

HATCHES = (
    tool("create_hatch", "Create a hatch.", ("name",), name="string", code="string", cover="string"),
    tool("get_hatch", "Get a hatch.", ("hatch_id",), hatch_id="string"),
)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (tool("create_hatch_key", "Create it. The generated secret is\nreturned only here.", ("name",), name="string"),
         "named content is missing"),
        (tool("update_hatch", "Update a hatch. Pass null to clear the cover.", ("hatch_id",), hatch_id="string",
              cover="string"), "stated rule is not honoured"),
        (tool("update_hatch", "Update a hatch. Only the cover property is writable.", ("hatch_id",), hatch_id="string",
              cover="string"), "stated rule is not honoured"),
        (tool("get_hatch_as_markdown", "Reads a hatch.", ("hatch_id",), hatch_id="string"), "part read as its parent"),
        (tool("read_hatch", "Reads a hatch and returns it as clean HTML.", ("hatch_id",), hatch_id="string"),
         "part read as its parent"),
        (tool("list_hatches", "List hatches. Filter by free text over code and cover.", q="string"),
         "search in other fields than those named"),
    ],
)  # fmt: skip
def test_what_a_sentence_says_of_one_value(last, expected):
    assert reason(*HATCHES, last) == expected


def test_a_filter_under_another_name_than_what_is_stored_is_taken_away():
    listed = tool("list_hatches", "List hatches.", name="string", shipCover="string", berth="string")
    environment = built(*HATCHES, listed).environments[0].environment
    assert set(environment.tool("list_hatches")["inputSchema"]["properties"]) == {"name", "berth"}
    session = environment.session()
    made = ok(session, "create_hatch", name="aft", code="A1", cover="oak")
    assert ok(session, "list_hatches", name="aft")["hatches"] == [made]


def test_filters_that_no_record_answers_are_taken_away():
    plain = {"type": "string", "description": "Which cover", "default": ""}
    order = {"type": "boolean", "description": "Oldest at the end", "default": False}
    cells = {"type": "string", "description": "Where it is (e.g. A1:B2)"}
    listed = tool("list_hatches", "List hatches.", name="string", cover=plain, sort_descending=order, code=cells)
    environment = built(*HATCHES, listed).environments[0].environment
    assert set(environment.tool("list_hatches")["inputSchema"]["properties"]) == {"name"}


def test_a_body_that_holds_the_thing_under_its_name_is_refused():
    inner = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    body = {"type": "object", "properties": {"porch_lamp": inner}, "required": ["porch_lamp"]}
    make = tool("create_porch_lamp", "Create a lamp.", ("body",), body=body)
    dropped = {drop.tool: drop.reason for drop in built(*HATCHES, make).drops}
    assert dropped.get("create_porch_lamp") == "wrapper object not taken apart"
