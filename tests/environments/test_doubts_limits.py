"""What a write keeps to: a body's own fields, one form of a key, one product; and plain twins."""

from __future__ import annotations

import pytest
from test_doubts import Tool, tool
from test_doubts_rules import meant, said
from test_rules import ok, refused
from test_writes import opened
from test_writes import tool as plain

from tvlab.environments.domain.tool_parsing import parse_tools
from tvlab.environments.drops import Drop
from tvlab.environments.prepared_servers import decided, prepared_domain
from tvlab.environments.schemas.schemas import refactor_tools

OPEN = {"type": "object", "additionalProperties": True}
ENDS = {"kiln_id": "string", "potter_id": "string"}
MOVED = {"source": "string", "destination": "string"}
TIME = {"type": "string", "description": "An RFC 3339 timestamp"}
CRATES = [
    tool("create_crate", "Create a crate.", label="string"),
    tool("list_crates", "List the crates."),
]


def reason_of(one: Tool, *others: Tool) -> str:
    decision = meant(*others, one)[one["name"]]
    return decision.reason if isinstance(decision, Drop) else ""


@pytest.mark.parametrize(
    ("others", "one", "reason"),
    [
        ([], tool("create_lantern", "Create a lantern.", lantern_fields=OPEN), "opaque body"),
        (CRATES, tool("delete_crate", "Delete a crate. Deleting a pallet deletes ALL instances.", crate_id="string"),
         "stated rule is not honoured"),
        (CRATES, tool("delete_crate", "Delete a crate.", crate_id=said("Either 'big' or 'crate.big'")),
         "another key than the one taken"),
        (CRATES, tool("update_crate", "Update a crate.", crate_id="string",
                      settings={"type": "object", "description": "Settings to update"}), "changes what lies inside"),
    ],
)  # fmt: skip
def test_a_write_that_keeps_to_less_or_more_is_refused(others, one, reason):
    assert reason_of(one, *others) == reason


@pytest.mark.parametrize(
    ("others", "one"),
    [
        (CRATES, tool("delete_crate", "Delete a crate.", crate_id="string")),
        (CRATES, tool("update_crate", "Update a crate.", crate_id="string",
                      settings={"type": "object", "description": "The new settings"})),
    ],
)  # fmt: skip
def test_its_plain_twin_is_not(others, one):
    assert reason_of(one, *others) not in (
        "stated rule is not honoured", "another key than the one taken", "changes what lies inside",
    )  # fmt: skip


def _product(name: str, place: str) -> list[Tool]:
    return [
        tool(f"{name}_create_{place}", f"Create a {place}.", name="string", colour="string"),
        tool(f"{name}_list_{place}s", f"List the {place}s."),
        tool(f"{name}_get_{place}", f"Get a {place}.", **{f"{place}_id": "string"}),
        tool(f"{name}_delete_{place}", f"Delete a {place}.", **{f"{place}_id": "string"}),
        tool(f"{name}_add_comment", f"Add a comment to a {place}.", **{f"{place}_id": "string"}, body="string"),
    ]


def test_a_reply_in_one_product_is_none_to_the_comments_of_another():
    def reasons(*tools: Tool) -> dict[str, str]:
        parsed = parse_tools(refactor_tools(list(tools)).tools)
        decisions = decided(parsed, prepared_domain(parsed))
        return {d.tool: d.reason for d in decisions if isinstance(d, Drop)}

    answers = [
        tool(f"{name}_reply_to_comment", "Reply to a comment.", comment_id="string", body="string")
        for name in ("gira", "folium")
    ]
    two = reasons(*_product("gira", "kiln"), *_product("folium", "leaf"), *answers)
    assert two.get("folium_reply_to_comment") == "different things under one noun"
    assert "gira_create_kiln" not in two
    assert "folium_create_leaf" not in two
    one = reasons(*_product("gira", "kiln"), *answers[:1])
    assert one.get("gira_reply_to_comment") != "different things under one noun"


def test_what_the_server_alone_sets_is_no_parameter():
    one = tool("update_kiln", "Update a kiln.", kiln_id="string", name=("string",),
               colour=(said("The colour of the kiln. Read-only."),))  # fmt: skip
    decision = meant(one)["update_kiln"]
    assert not isinstance(decision, Drop)
    assert ("colour", "read-only, set by the server alone") in decision.narrowed


def test_a_watcher_is_added_once():
    session = opened(
        plain("create_kiln", "", ("name",), name="string"),
        plain("list_kilns"),
        plain("create_potter", "", ("name",), name="string"),
        plain("list_potters"),
        plain("add_watcher", "Add a watcher to a kiln.", tuple(ENDS), **ENDS),
    )
    ends = {
        "kiln_id": ok(session, "create_kiln", name="K")["kiln_id"],
        "potter_id": ok(session, "create_potter", name="P")["potter_id"],
    }
    ok(session, "add_watcher", **ends)
    assert refused(session, "add_watcher", **ends) == "conflict"


def test_a_directory_moves_with_what_lies_below_it():
    session = opened(
        plain("write_file", "Write a file.", ("path", "content"), path="string", content="string"),
        plain("read_file", "Read a file.", ("path",), path="string"),
        plain("move_file", "Move files and directories.", tuple(MOVED), **MOVED),
    )
    for path in ("/attic/box/a.txt", "/attic/box/deep/b.txt", "/attic/boxes.txt"):
        ok(session, "write_file", path=path, content=path)
    assert refused(session, "move_file", source="/attic/box", destination="/attic/box/deep/c") == "invalid_arguments"
    ok(session, "move_file", source="/attic/box", destination="/cellar")
    assert ok(session, "read_file", path="/cellar/deep/b.txt")["content"] == "/attic/box/deep/b.txt"
    assert refused(session, "read_file", path="/attic/box/a.txt") == "not_found"
    assert ok(session, "read_file", path="/attic/boxes.txt")["content"] == "/attic/boxes.txt"
    ok(session, "write_file", path="/attic/box/a.txt", content="new")
    assert refused(session, "move_file", source="/attic/box", destination="/cellar") == "conflict"


def test_a_day_lies_within_the_points_of_time_of_that_day():
    session = opened(
        plain("create_errand", "", ("title", "due"), title="string", due="string"),
        plain("list_errands", "List the errands.", (), due_min=TIME, due_max=TIME),
    )
    made = ok(session, "create_errand", title="late", due="2026-03-19")
    assert made in ok(session, "list_errands", due_min="2026-03-19T00:00:00Z")["errands"]
    assert made not in ok(session, "list_errands", due_min="2026-03-20T00:00:00Z")["errands"]


def test_a_record_with_another_owner_outlives_the_one_it_was_not_made_under():
    session = opened(
        plain("create_harbour", "", ("name",), name="string"),
        plain("list_harbours"),
        plain("create_pilot", "", ("name",), name="string"),
        plain("list_pilots"),
        plain("delete_pilot", "", ("pilot_id",), pilot_id="string"),
        plain("create_report", "", ("harbour_id", "text"), harbour_id="string", text="string"),
        plain("send_report", "", ("pilot_id", "text"), pilot_id="string", text="string"),
        plain("list_reports", "", ("harbour_id",), harbour_id="string"),
    )
    pilot = ok(session, "create_pilot", name="P")["pilot_id"]
    report = ok(session, "send_report", pilot_id=pilot, text="fog")
    ok(session, "delete_pilot", pilot_id=pilot)
    assert any(row["text"] == "fog" and "pilot_id" not in row for row in session.state["reports"].values()), report


def test_a_number_is_compared_as_a_whole_where_only_the_name_is_sought_in_part():
    session = opened(
        plain("create_payee", "", ("name", "accountNumber"), name="string", accountNumber="string"),
        plain("search_payees", "", (), name={"type": "string", "description": "The name to search for (partial match)"},
              accountNumber={"type": "string", "description": "The account number to search for"}),
    )  # fmt: skip
    made = ok(session, "create_payee", name="Bright Harbour", accountNumber="777123")
    assert made in ok(session, "search_payees", name="harb")["payees"]
    assert made in ok(session, "search_payees", accountNumber="777123")["payees"]
    assert made not in ok(session, "search_payees", accountNumber="7771")["payees"]


def test_the_length_of_a_page_may_go_under_any_name():
    session = opened(
        plain("create_crate", "", ("label",), label="string"),
        plain("list_crates", "", (), page="integer",
              show={"type": "integer", "description": "Quantidade por p\u00e1gina (padr\u00e3o: 3)"}),
    )  # fmt: skip
    for number in range(8):
        ok(session, "create_crate", label=f"crate {number}")
    assert len(ok(session, "list_crates")["crates"]) == 3
    assert len(ok(session, "list_crates", show=5)["crates"]) == 5
