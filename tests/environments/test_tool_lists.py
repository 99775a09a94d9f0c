"""Tool lists: the embedded servers are what they promise, dumps load, and bad input is named in one line."""

import json
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tvlab.environments.schemas.schemas import refactor_tools
from tvlab.environments.tool_lists import EMBEDDED, ToolList, embedded_tool_lists, load_tool_lists
from tvlab.foundation.errors import UserError

CORPUS = Path(os.environ.get("TVLAB_CORPUS", Path(__file__).resolve().parents[3] / "shared" / "mcp"))
TOOL = {"name": "get_bed", "inputSchema": {"type": "object", "properties": {"bed_id": {"type": "string"}}}}

# For each server: tool, the parameter that takes the key of the tool before, the key that it returns.
CHAINS = {
    "orders_and_inventory": [
        ("create_customer", "", "customer_id"), ("create_order", "customer_id", "order_id"),
        ("create_return", "order_id", "return_id"), ("create_refund", "return_id", "refund_id"),
    ],
    "calendar": [
        ("create-calendar", "", "calendarId"), ("create-event", "calendarId", "eventId"),
        ("create-invitation", "eventId", "invitationId"), ("set-invitation-response", "invitationId",
                                                           "response"),
    ],
    "tickets": [
        ("ticket_create", "", "id"), ("comment_create", "ticket_id", "id"),
        ("follow_up_create", "comment_id", "id"), ("follow_up_complete", "id", "follow"),
    ],
    "mail": [
        ("createFolder", "", "folderId"), ("createRule", "folderId", "ruleId"),
        ("addRuleException", "ruleId", "ruleExceptionId"), ("removeRuleException", "ruleExceptionId",
                                                            "deleted"),
    ],
    "files": [
        ("write_file", "", "path"), ("create_share_link", "file_path", "share_link_id"),
        ("create_access_grant", "share_link_id", "access_grant_id"),
        ("delete_access_grant", "access_grant_id", "deleted"),
    ],
    "telecom": [
        ("telco_open_account", "", "account_id"), ("telco_add_line", "account_id", "line_id"),
        ("telco_issue_bill", "line_id", "bill_id"), ("telco_open_dispute", "bill_id", "dispute_id"),
        ("telco_withdraw_dispute", "dispute_id", "dispute_id"),
    ],
    "travel": [
        ("create_trip", "", "trip_id"), ("reserve_hotel", "trip_id", "reservation_id"),
        ("request_transfer", "reservation_id", "transfer_id"), ("confirm_transfer", "transfer_id",
                                                                "transfer"),
    ],
    "home_devices": [
        ("room.create", "", "roomUid"), ("device.register", "roomUid", "deviceUid"),
        ("scene.create", "deviceUid", "sceneUid"), ("schedule.create", "sceneUid", "scheduleUid"),
        ("schedule.pause", "scheduleUid", "scheduleUid"),
    ],
}  # fmt: skip


def message(source) -> str:
    with pytest.raises(UserError) as error:
        load_tool_lists(source)
    assert "\n" not in str(error.value)
    return str(error.value)


def schemas_below(schema: dict):
    yield schema
    for child in [*schema.get("properties", {}).values(), schema.get("items")]:
        if isinstance(child, dict):
            yield from schemas_below(child)


@pytest.mark.parametrize("name", EMBEDDED)
def test_an_embedded_server_needs_no_repair_and_describes_everything(name):
    server = next(item for item in load_tool_lists("embedded") if item.server == name)
    assert 6 <= len(server.tools) <= 16
    assert server.source["license"] == "Apache-2.0"
    assert server.title
    assert server.description
    refactored = refactor_tools(server.tools)
    assert not refactored.drops
    assert not refactored.notes
    for raw, tool in zip(server.tools, refactored.tools, strict=True):
        assert tool["inputSchema"] == raw["inputSchema"]
        assert len(tool["description"]) > 20
        parameters = list(schemas_below(tool["inputSchema"]))[1:]
        assert all(schema.get("description") or "enum" in schema or schema == {"type": "string"}
                   for schema in parameters)  # fmt: skip
        assert "outputSchema" in tool or "Returns" in tool["description"] or name == "files"


def test_the_embedded_servers_show_what_real_servers_show():
    tools = [tool for server in embedded_tool_lists() for tool in server.tools]
    schemas = [schema for tool in tools for schema in schemas_below(tool["inputSchema"])]
    assert len(EMBEDDED) == 8
    assert len(tools) == 128
    assert sum("enum" in schema for schema in schemas) >= 40
    assert sum("default" in schema for schema in schemas) >= 40
    assert (
        sum(schema.get("type") == "object" and "properties" in schema for schema in schemas) - len(tools)
        >= 15
    )
    assert sum(schema.get("type") == "array" for schema in schemas) >= 9
    declared = [any("outputSchema" in tool for tool in server.tools) for server in embedded_tool_lists()]
    assert sum(declared) == 4


@pytest.mark.parametrize("server", CHAINS)
def test_an_embedded_server_has_a_chain_of_four_writing_calls(server):
    """Each call of the chain takes the key that the call before says it returns."""
    tools = {
        tool["name"]: tool for item in embedded_tool_lists() if item.server == server for tool in item.tools
    }
    steps = CHAINS[server]
    assert len(steps) >= 4
    for (producer, _, key), (consumer, parameter, _) in pairwise(steps):
        returned = json.dumps(tools[producer].get("outputSchema", "")) + tools[producer]["description"]
        assert re.search(rf"\b{key}\b", returned), (producer, key)
        assert parameter in parameters_of(tools[consumer]), (consumer, parameter)
    assert not any(tools[name].get("annotations", {}).get("readOnlyHint") for name, _, _ in steps)


def parameters_of(tool: dict) -> set[str]:
    return set().union(
        *(schema.get("properties", {}).keys() for schema in schemas_below(tool["inputSchema"]))
    )


def test_a_json_lines_dump_gives_a_server_a_line(tmp_path):
    path = tmp_path / "dump.jsonl"
    rows = [{"server": "a", "title": "A", "source": {"license": "MIT"}, "tools": [TOOL]}, {"tools": [TOOL]}]
    path.write_text("\n\n".join(map(json.dumps, rows)) + "\n")
    first, second = load_tool_lists(path)
    assert first == ToolList("a", "A", "", {"license": "MIT"}, [TOOL])
    assert second.server == "dump-3"
    assert load_tool_lists(str(path)) == [first, second]


@pytest.mark.parametrize("value", [
    {"server": "beds", "tools": [TOOL]}, [{"server": "beds", "tools": [TOOL]}], {"tools": [TOOL]}, [TOOL],
    {"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}},
])  # fmt: skip
def test_a_json_dump_is_a_server_a_list_of_servers_or_bare_tools(tmp_path, value):
    path = tmp_path / "beds.json"
    path.write_text(json.dumps(value))
    (loaded,) = load_tool_lists(path)
    assert loaded.server == "beds"
    assert loaded.tools == [TOOL]


def test_servers_of_one_name_are_told_apart(tmp_path):
    path = tmp_path / "dump.jsonl"
    path.write_text(3 * (json.dumps({"server": "a", "tools": [TOOL]}) + "\n"))
    assert [server.server for server in load_tool_lists(path)] == ["a", "a-2", "a-3"]


def test_a_round_trip_through_a_dump_keeps_everything(tmp_path):
    path = tmp_path / "dump.jsonl"
    path.write_text("".join(json.dumps(server.to_json()) + "\n" for server in embedded_tool_lists()))
    assert load_tool_lists(path) == embedded_tool_lists()


def test_a_missing_file_is_named_with_the_sources_there_are(tmp_path):
    text = message(tmp_path / "nowhere.jsonl")
    assert "nowhere.jsonl does not exist" in text
    assert "embedded" in text
    assert "live" in text


@pytest.mark.parametrize(("name", "content", "expected"), [
    ("a.jsonl", '{"server": "x", "tools": [{"name": "y"}]}\n{"server": \n', "line 2 is not JSON"),
    ("a.jsonl", '{"server": "x", "tools": [{"name": "y"}]}\n\n{"server": "z"}\n', "line 3 has no tools"),
    ("a.jsonl", '{"server": "x", "tools": "none"}\n', "line 1 has a text as tools"),
    ("a.jsonl", '{"server": "x", "tools": []}\n', "line 1 has an empty list of tools"),
    ("a.jsonl", "17\n", "line 1 is no server but a number"),
    ("a.jsonl", "", "is empty"),
    ("a.jsonl", "\n \n", "is empty"),
    ("a.json", "{", "is not JSON (line 1"),
    ("a.json", "[]", "is empty"),
    ("a.json", "{}", "has no tools"),
    ("a.json", '"tools"', "is no server but a text"),
    ("a.json", '[{"server": "x", "tools": [{"name": "y"}]}, {"server": "z"}]', "entry 2 has no tools"),
    ("a.json", '[{"server": "x", "tools": [{"name": "y"}]}, 3]', "entry 2 is no server but a number"),
])  # fmt: skip
def test_bad_content_gives_one_line_with_the_place(tmp_path, name, content, expected):
    path = tmp_path / name
    path.write_text(content)
    text = message(path)
    assert expected in text
    assert str(path) in text


def test_a_file_that_is_no_text_or_is_a_folder_is_named(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in message(path)
    assert "is a folder" in message(tmp_path)


@pytest.mark.skipif(
    not (CORPUS / "corpus.jsonl").exists(), reason="the corpus is not here (set TVLAB_CORPUS)"
)
def test_the_whole_corpus_and_its_small_part_load():
    corpus, mini = load_tool_lists(CORPUS / "corpus.jsonl"), load_tool_lists(CORPUS / "mini.jsonl")
    assert (len(corpus), sum(len(server.tools) for server in corpus)) == (698, 6974)
    assert (len(mini), sum(len(server.tools) for server in mini)) == (24, 417)


def test_all_embedded_servers_are_twenty_four_domains_of_which_the_notebooks_use_eight():
    every = load_tool_lists("embedded-all")
    assert len({one.server for one in every}) == len(every) == 24
    assert [one.server for one in every[:8]] == [one.server for one in load_tool_lists("embedded")]
