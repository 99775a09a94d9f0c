"""Pure tools in an environment: the graph takes them in without edges, items are drawn beside them."""

import pytest

from tvlab.environments.build import build_server
from tvlab.environments.tool_lists import ToolList
from tvlab.tasks.graph import build_graph, carries_tasks
from tvlab.tasks.gust import build_items

NUMBER, TEXT = {"type": "number"}, {"type": "string"}


def tool(name, required, optional=()):
    properties = {p: TEXT if p.startswith(("note", "title", "text")) else NUMBER for p in (*required, *optional)}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": "", "inputSchema": schema}


PURE = [tool("add", "ab"), tool("multiply", "ab"), tool("sqrt", "x"), tool("sha256", ["text"]), tool("sum", ["a", "b"])]
NOTES = [
    tool("create_note", ["title"], ["text"]),
    tool("get_note", ["note_id"]),
    tool("list_notes", []),
    tool("update_note", ["note_id"], ["title", "text"]),
    tool("delete_note", ["note_id"]),
]


@pytest.fixture(scope="module")
def environments():
    def build(name, tools):
        (built,) = build_server(ToolList(name, name, "", {"license": "Apache-2.0"}, tools)).environments
        return built.environment

    return {"pure": build("sums", PURE), "mixed": build("notes", [*NOTES, *PURE])}


def test_a_pure_environment_is_counted_apart_and_carries_no_tasks(environments):
    pure = environments["pure"]
    graph = build_graph(pure)
    assert pure.report["kind"] == "pure"
    assert pure.report["entities"] == {}
    assert set(graph.graph.nodes) == set(pure.tool_names)
    assert graph.graph.number_of_edges() == 0
    assert not carries_tasks(pure, graph)


def test_items_are_drawn_beside_pure_tools(environments):
    mixed = environments["mixed"]
    assert mixed.report["kind"] == "stateful"
    assert set(mixed.tool_names) == {t["name"] for t in (*NOTES, *PURE)}
    graph = build_graph(mixed)
    assert carries_tasks(mixed, graph)
    assert not [e for e in graph.graph.edges if set(e[:2]) & {t["name"] for t in PURE}]
    assert build_items(mixed, graph, 3, seed=0)
