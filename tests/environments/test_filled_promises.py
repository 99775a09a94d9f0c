"""What a description promises becomes a column if it is known; else the tool is refused; children stay children."""

from __future__ import annotations

from typing import Any

import pytest

from tvlab.environments.build import build_server
from tvlab.environments.tool_lists import ToolList

TEXT = {"type": "string"}


def tool(name: str, description: str, required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema}


def built(*more: dict[str, Any]) -> Any:
    kiln = [
        tool("create_kiln", "Create a kiln.", ("title",), title=TEXT),
        tool("delete_kiln", "Delete a kiln.", ("kiln_id",), kiln_id=TEXT),
    ]
    return build_server(ToolList("kilns", "", "", {}, [*kiln, *more]), smallest=1)


def answer(server: Any, name: str, **arguments: Any) -> Any:
    environment = server.environments[0].environment
    key = next(iter(environment.state["kilns"]))
    return environment.session().call(name, {"kiln_id": key, **arguments}).value


def test_values_and_things_that_are_promised_are_in_the_answer() -> None:
    get = tool("get_kiln", "Get a kiln including its status, clay steps and CPU usage.", ("kiln_id",), kiln_id=TEXT)
    found = answer(built(get), "get_kiln")
    assert found["status"] in ("active", "pending", "completed")
    assert isinstance(found["clay_steps"], list)
    assert all(isinstance(step, str) for step in found["clay_steps"])
    assert 0 <= found["cpu_usage"] <= 100


@pytest.mark.parametrize("promise", ["its status and flux gubbins", "its gubbins"])
def test_a_promise_of_what_is_not_known_drops_the_tool(promise: str) -> None:
    server = built(tool("get_kiln", f"Get a kiln including {promise}.", ("kiln_id",), kiln_id=TEXT))
    reasons = ("named content is missing", "nothing is known of the thing")
    assert {drop.tool: drop.reason for drop in server.drops}["get_kiln"] in reasons


def test_things_with_tools_of_their_own_are_not_filled_in() -> None:
    server = built(
        tool("get_kiln", "Get a kiln including its jobs.", ("kiln_id",), kiln_id=TEXT),
        tool("create_job", "Create a job.", ("kiln_id", "label"), kiln_id=TEXT, label=TEXT),
        tool("list_jobs", "List the jobs of a kiln.", ("kiln_id",), kiln_id=TEXT),
    )
    assert {drop.tool: drop.reason for drop in server.drops}["get_kiln"] == "named content is missing"


def test_a_key_that_may_be_one_or_several_is_refused() -> None:
    either = {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}
    server = built(tool("get_kiln", "Get one kiln or several.", ("kiln_id",), kiln_id=either))
    assert {drop.tool: drop.reason for drop in server.drops}["get_kiln"] == "one value or several"


def test_states_that_one_server_adds_are_not_those_of_the_next() -> None:
    get = tool("get_kiln", "Get a kiln including its status.", ("kiln_id",), kiln_id=TEXT)
    before = built(get).environments[0].environment.state
    built(get, tool("stop_kiln", "Stop a kiln.", ("kiln_id",), kiln_id=TEXT))
    assert built(get).environments[0].environment.state == before
