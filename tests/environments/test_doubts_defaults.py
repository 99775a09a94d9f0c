"""Doubts about what is stated of values left out, of values beside each other, of places, orders and searches."""

import pytest
from test_doubts_rules import said
from test_rules import ok
from test_writes import built, reason, tool

BUOYS = (
    tool("create_buoy", "Create a buoy.", ("name",), name="string", colour="string", hidden="boolean"),
    tool("get_buoy", "Get a buoy.", ("buoy_id",), buoy_id="string"),
)
FLAG = {"type": "boolean", "default": False, "description": "Whether to include hidden buoys."}
CREW = (
    tool("create_channel", "Create a channel.", ("name",), name="string"),
    tool("get_channel", "Get a channel.", ("channel_id",), channel_id="string"),
    tool("create_relay", "Create a relay.", ("name",), name="string"),
    tool("get_relay", "Get a relay.", ("relay_id",), relay_id="string"),
    tool("create_message", "Create a message.", ("channel_id", "text"), channel_id="string", text="string"),
)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (tool("list_buoys", "List the buoys.", include_hidden=FLAG), "stated default is not kept"),
        (tool("create_buoy_light", "Create a light.", ("name",), name="string",
              sender=said("Defaults to the global sender address.")), "stated default is not kept"),
        (tool("create_buoy_light", "Create a light.", ("name",), name="string",
              slug=said("Auto-generated from the name if omitted.")), "stated default is not kept"),
        (tool("create_buoy_light", "Create a light.", ("name",), name=said("A unique name of the light.")),
         "stated rule is not honoured"),
        (tool("create_buoy_light", "Create a light. Body: { name (unique), colour }.", ("name",), name="string"),
         "stated rule is not honoured"),
        (tool("create_buoy_light", "Create a light. Its figures are also written into the log.", ("name",),
              name="string"), "generated or computed answer"),
        (tool("update_buoy", "Update a buoy. Either 'name' or 'colour' is required.", ("buoy_id",),
              buoy_id="string", name="string", colour="string"), "stated rule is not honoured"),
        (tool("update_buoy", "Update a buoy.", ("buoy_id", "colour"), buoy_id="string",
              colour=said("Must be one of the colours returned by the colours call.")), "stated rule is not honoured"),
        (tool("list_buoys", "List recent buoys.", limit="integer"), "picked by an order that is not modelled"),
        (tool("list_buoys", "List buoys.", query=said("Filter by title")), None),
        (tool("list_buoys", "List buoys.", query=said("Filter by description")),
         "search in other fields than those named"),
    ],
)  # fmt: skip
def test_what_is_stated_and_not_kept(last, expected):
    assert reason(*BUOYS, last) == expected


def test_a_message_without_the_channel_that_its_text_names_is_refused():
    sent = tool("send_relay_message", "Sends a message to a channel using a relay.", ("relay_id", "text"),
                relay_id="string", text="string")  # fmt: skip
    dropped = {drop.tool: drop.reason for drop in built(*CREW, sent).drops}
    assert dropped.get("send_relay_message") == "made without what it belongs to"


def test_a_parameter_that_makes_others_ignored_is_taken_away():
    raw = said("The whole buoy in one text, ignores name and colour if provided")
    make = tool("create_buoy", "Create a buoy.", name="string", colour="string", raw=raw)
    environment = built(make, BUOYS[1]).environments[0].environment
    assert set(environment.tool("create_buoy")["inputSchema"]["properties"]) == {"name", "colour"}


def test_a_query_by_the_name_of_the_thing_reads_the_name_alone():
    listed = tool("list_buoys", "List buoys.", query=said("Filter by buoy name"))
    session = built(*BUOYS, listed).environments[0].environment.session()
    made = ok(session, "create_buoy", name="Zyxgate", colour="Qwvred")
    assert ok(session, "list_buoys", query="zyxgate")["buoys"] == [made]
    assert ok(session, "list_buoys", query="qwvred")["buoys"] == []
