"""Somebody's servers to tasks in one go."""

import json
import os
import sys
from pathlib import Path

import pytest

from tvlab.environments.tool_lists import embedded_tool_lists
from tvlab.foundation.errors import UserError
from tvlab.tasks.own_servers import own_servers, own_tool_lists

BOOKSTORE = Path(__file__).parents[1] / "data" / "environments" / "bookstore"


def test_tool_lists_become_environments_graphs_and_items(project):
    made = own_servers(embedded_tool_lists()[:2], project / "own", seed=1, items=2)
    assert set(made.environments) == set(made.graphs) == {"orders_and_inventory", "calendar"}
    assert {name: len(items) for name, items in made.items.items()} == dict.fromkeys(made.environments, 2)
    assert made.richest in made.items
    assert all((project / "own" / name / "tools.py").is_file() for name in made.environments)


def test_a_dump_is_read_by_its_path(project):
    tools = embedded_tool_lists()[0]
    (project / "mine.json").write_text(json.dumps({"server": "mine", "tools": tools.tools}))
    assert [len(found.tools) for found in own_tool_lists(project / "mine.json", project)] == [len(tools.tools)]


def test_servers_that_carry_no_tasks_are_named(project):
    reads = [tool for tool in embedded_tool_lists()[0].tools if tool["name"].startswith(("get", "list", "search"))]
    (project / "reads.json").write_text(json.dumps({"server": "reads", "tools": reads}))
    with pytest.raises(UserError, match=r"carries tasks|no environment"):
        own_servers(project / "reads.json", project / "own")


def test_an_mcp_json_starts_its_servers_and_ends_in_tasks(project):
    """The server is one of ours, served over stdio as a user's would be."""
    server = {"command": sys.executable, "args": ["-m", "tvlab", "serve", str(BOOKSTORE), "--sandbox", "off"],
              "env": {"PYTHONPATH": os.pathsep.join(sys.path)}}  # fmt: skip
    (project / "mcp.json").write_text(json.dumps({"mcpServers": {"shop": server}}))
    made = own_servers(project / "mcp.json", project / "own", items=3)
    assert [row["server"] for row in made.rows] == ["shop"]
    assert made.rows[0]["tools"] == 11
    assert len(made.items[made.richest]) == 3
