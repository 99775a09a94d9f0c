"""Rules that texts state: each made-up tool is refused for its own reason; keys in another form are accepted."""

from __future__ import annotations

from typing import Any

import pytest
from test_doubts import Tool, tool

from tvlab.environments.build import build_server
from tvlab.environments.domain.tool_parsing import parse_tools
from tvlab.environments.drops import Drop
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.prepared_servers import decided, prepared_domain
from tvlab.environments.schemas.schemas import refactor_tools
from tvlab.environments.tool_lists import ToolList

KILN = [
    tool("create_kiln", "Create a kiln.", name="string", colour=("string",), status=("string",)),
    tool("list_kilns", "List the kilns.", colour=("string",)),
    tool("stop_kiln", "Stop a kiln.", kiln_id="string"),
]
MANY = {"type": "array", "items": {"type": "string"}}


def said(text: str, kind: str = "string") -> dict[str, Any]:
    return {"type": kind, "description": text}


def meant(*tools: Tool) -> dict[str, Meaning | Drop]:
    """What the tools mean beside the kilns, by name."""
    parsed = parse_tools(refactor_tools([*KILN, *tools]).tools)
    decisions = decided(parsed, prepared_domain(parsed))
    return {d.tool if isinstance(d, Drop) else d.tool.name: d for d in decisions}


REFUSED = [
    (tool("get_kiln", "Get a kiln.", kiln_id=said("The id or invite code of the kiln")),
     "another key than the one taken"),
    (tool("get_kiln", "Get a kiln.", kiln_id=(said("Uses the active kiln if not given"),)),
     "a key with a fallback made required"),
    (tool("delete_kiln", "Delete a kiln. The default kiln cannot be deleted.", kiln_id="string"),
     "stated rule is not honoured"),
    (tool("replace_kiln", "Replace a kiln (full update).", kiln_id="string", name="string", colour=("string",)),
     "stated rule is not honoured"),
    (tool("delete_deactivated_kiln", "Delete a kiln.", kiln_id="string"), "a qualifier that no record bears"),
    (tool("stop_kiln_now", "Stop a kiln.", kiln_id="string", numbers=MANY), "a part of the thing that is not modelled"),
    (tool("search_kilns", "Search kilns containing ANY of the search words.", query="string"),
     "search by any word or likeness"),
    (tool("start_kiln", "Start a new kiln.", name="string"), "opens or edits what it would make"),
    (tool("send_note", "Send a note to a kiln. Returns the agent's response.", kiln_id="string", text="string"),
     "generated or computed answer"),
    (tool("delete_kilns", "Delete kilns.", kiln_id=said("JSON array of kiln ids")), "several values in one text"),
    (tool("get_kiln", "Get a kiln with the counts of pots that entered it.", kiln_id="string"),
     "named content is missing"),
    (tool("add_kiln_to_yard", "Add a kiln to a yard.", yard="string", colour="string"), "attached by making"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "reason"), REFUSED, ids=[f"{one['name']}: {reason}" for one, reason in REFUSED])
def test_a_rule_that_a_plain_operation_does_not_keep_refuses_the_tool(one: Tool, reason: str) -> None:
    found = meant(one)[one["name"]]
    assert isinstance(found, Drop)
    assert found.reason == reason


def test_a_key_may_be_given_by_the_name_that_records_have() -> None:
    get = tool("get_kiln", "Get a kiln.", kiln_id=said("The ID or name of the kiln"))
    server = build_server(ToolList("kilns", tools=[*KILN, get]), smallest=1)
    environment = server.environments[0].environment
    row = next(iter(environment.state["kilns"].values()))
    by_name = environment.session().call("get_kiln", {"kiln_id": row["name"]})
    assert by_name.ok
    assert by_name.value == environment.session().call("get_kiln", {"kiln_id": row["kiln_id"]}).value
    assert not environment.session().call("get_kiln", {"kiln_id": row["name"] + "?"}).ok


def test_parameters_that_steer_are_taken_away_and_fields_stay() -> None:
    update = tool(
        "update_kiln", "Update a kiln.", kiln_id="string", colour=("string",),
        reason=(said("Reason for the audit log"),),
        message=(said("Message to be added to the activity log"),),
    )  # fmt: skip
    found = meant(update)["update_kiln"]
    assert isinstance(found, Meaning)
    assert {r.dotted for r in found.of("payload")} == {"colour"}
    assert {name for name, _ in found.narrowed} == {"reason", "message"}
