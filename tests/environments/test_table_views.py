"""Things by name, connections between them, texts on them, and views of both tables."""

import pytest
from test_item_keys import items
from test_rules import ok, refused
from test_writes import built, opened, reason, tool

from tvlab.environments.build import build_server
from tvlab.environments.tool_lists import ToolList


def end(which):
    return {"type": "string", "description": f"The name of the station where the line {which}"}


TEXTS = {"type": "array", "items": {"type": "string"}}
LINE = {"type": "object", "properties": {"from": end("starts"), "to": end("ends"), "kind": {"type": "string"}},
        "required": ["from", "to", "kind"]}  # fmt: skip
STATION = {"type": "object", "properties": {"name": {"type": "string"}, "remarks": TEXTS},
           "required": ["name", "remarks"]}  # fmt: skip
BOTH = {"type": "object", "properties": {"stations": {"type": "array", "items": STATION},
                                         "lines": {"type": "array", "items": LINE}}}  # fmt: skip
REMARKS = {"type": "array", "items": {"type": "object", "properties": {"stationName": {"type": "string"},
           "contents": TEXTS}, "required": ["stationName", "contents"]}}  # fmt: skip
NET = (
    tool("create_stations", "Create stations.", ("stations",), stations={"type": "array", "items": STATION}),
    tool("delete_stations", "Delete stations and their lines.", ("stationNames",), stationNames=TEXTS),
    tool("create_lines", "Create lines between stations.", ("lines",), lines={"type": "array", "items": LINE}),
    tool("delete_lines", "Delete lines.", ("lines",), lines={"type": "array", "items": LINE}),
    tool("add_remarks", "Add remarks to stations.", ("remarks",), remarks=REMARKS),
    tool("delete_remarks", "Delete remarks of stations.", ("deletions",), deletions=REMARKS),
    {**tool("read_net", "Read the whole net."), "outputSchema": BOTH},
    {**tool("search_halts", "Search the net.", ("query",), query="string"), "outputSchema": BOTH},
    {**tool("open_halts", "Open stations of the net by their names.", ("names",), names=TEXTS), "outputSchema": BOTH},
)


@pytest.fixture
def session():
    found = opened(*NET)
    ok(found, "create_stations", stations=[{"name": "Elm", "remarks": ["old clock"]}, {"name": "Oak", "remarks": []}])
    ok(found, "create_lines", lines=[{"from": "Elm", "to": "Oak", "kind": "ferry"}])
    return found


def test_names_pick_records_and_ends_are_checked(session):
    assert refused(session, "create_stations", stations=[{"name": "Elm", "remarks": []}]) == "conflict"
    assert refused(session, "create_lines", lines=[{"from": "Elm", "to": "Nowhere", "kind": "x"}]) == "not_found"
    net = ok(session, "open_halts", names=["Elm", "Oak"])
    assert [(line["from"], line["to"]) for line in net["lines"]] == [("Elm", "Oak")]
    assert ok(session, "open_halts", names=["Elm"])["lines"] == []
    assert refused(session, "open_halts", names=["Elm", "Nowhere"]) == "not_found"


def test_a_thing_takes_its_connections_along(session):
    ok(session, "delete_stations", stationNames=["Oak"])
    net = ok(session, "read_net")
    assert "Oak" not in {row["name"] for row in net["stations"]}
    assert not [line for line in net["lines"] if "Oak" in (line["from"], line["to"])]
    assert refused(session, "delete_stations", stationNames=["Oak"]) == "not_found"


def test_a_connection_is_removed_by_all_that_it_says(session):
    line = {"from": "Elm", "to": "Oak", "kind": "ferry"}
    assert refused(session, "delete_lines", lines=[{**line, "kind": "tram"}]) == "not_found"
    assert refused(session, "delete_lines", lines=[{**line, "from": "Oak", "to": "Elm"}]) == "not_found"
    ok(session, "delete_lines", lines=[line])
    assert ok(session, "open_halts", names=["Elm", "Oak"])["lines"] == []


def test_texts_are_put_into_records_and_taken_out(session):
    add = {"stationName": "Elm", "contents": ["old clock", "two tracks"]}
    assert ok(session, "add_remarks", remarks=[add])["stations"][0]["remarks"] == ["old clock", "two tracks"]
    taken = ok(session, "delete_remarks", deletions=[{"stationName": "Elm", "contents": ["old clock"]}])
    assert taken["stations"][0]["remarks"] == ["two tracks"]
    assert refused(session, "add_remarks", remarks=[{**add, "stationName": "Nowhere"}]) == "not_found"


def test_a_search_reads_the_texts_on_records(session):
    found = ok(session, "search_halts", query="OLD CLOCK")
    assert [row["name"] for row in found["stations"]] == ["Elm"]
    assert found["lines"] == []
    assert len(ok(session, "search_halts", query="")["stations"]) == len(ok(session, "read_net")["stations"])


def test_the_environment_carries_tasks():
    from tvlab.tasks.graph import build_graph, carries_tasks

    environment = build_server(ToolList("net", "net", "", {}, list(NET)), seed=1).environments[0].environment
    assert carries_tasks(environment, build_graph(environment))


def test_without_a_declared_output_a_view_is_not_guessed():
    plain = [{k: v for k, v in one.items() if k != "outputSchema"} for one in NET]
    dropped = {drop.tool for drop in built(*plain).drops}
    assert {"read_net", "open_halts"} <= dropped


def test_a_list_with_tools_of_its_own_is_a_thing():
    server = built(*NET[:6], tool("list_remarks", "List all remarks."))
    assert server.environments
    operations = server.environments[0].environment.report["meanings"]
    assert operations.get("add_remarks", {}).get("operation") != "batch_append"


def test_an_end_of_something_unknown_is_plain_text():
    other = {"type": "string", "description": "The name of the galaxy where the line starts"}
    lines = items(("from", "to"), to="string")
    lines["items"]["properties"]["from"] = other
    make = tool("create_lines", "Create lines.", ("lines",), lines=lines)
    assert reason(*NET[:2], make) is None
