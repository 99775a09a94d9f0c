"""A model's proposals: nothing is taken on its word, and what holds when run is an edge like any other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tvlab.cli import app
from tvlab.environments.environment import Environment
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items
from tvlab.tasks.model_proposals import Proposal, add_proposals, proposals_of

BOOKSTORE = Path(__file__).parents[1] / "data" / "environments" / "bookstore"
KNOWN = Proposal("create_order", "order_id", "cancel_order", "order_id")
NEW = Proposal("get_order", "status", "list_orders", "status")
WRONG = Proposal("list_books", "books[].title", "cancel_order", "order_id")


class Scripted:
    """A model that says one text."""

    def __init__(self, text: str | None) -> None:
        self.text = text
        self.asked: list[list[dict]] = []

    def message(self, messages, tools=(), attempt=0):
        self.asked.append(list(messages))
        return {"role": "assistant", "content": self.text}


def told(*proposals: Proposal | dict) -> str:
    values = [one if isinstance(one, dict) else vars(one) for one in proposals]
    return "\n".join(json.dumps(value) for value in values)


def test_lines_that_name_what_is_not_there_are_dropped_and_counted(bookstore: Environment) -> None:
    bad = [
        {**vars(KNOWN), "consumer": "drop_database"},
        {**vars(KNOWN), "field": "no.such"},
        {**vars(KNOWN), "parameter": "no_such"},
        {**vars(KNOWN), "consumer": "create_order"},
        {"producer": "create_order"},
    ]
    model = Scripted("Here they are:\n```\n" + told(KNOWN, KNOWN, NEW, *bad) + "\n{not json}\n```")
    found = proposals_of(bookstore, model)
    assert found.proposals == (KNOWN, NEW)
    assert found.refused == {
        "a tool that supplies itself": 1,
        "no such field": 1,
        "no such parameter": 1,
        "no such tool": 1,
        "not the form asked for": 2,
    }
    [[_, asked]] = model.asked
    assert all(f"- {name}:" in asked["content"] for name in bookstore.tool_names)
    assert proposals_of(bookstore, Scripted(None)).proposals == ()


def test_what_holds_when_run_becomes_an_edge_and_what_does_not_is_dropped(bookstore: Environment) -> None:
    graph = build_graph(bookstore, also=(KNOWN, NEW, WRONG))
    by_model = [(a, b, about) for a, b, about in graph.edges("data") if about["found"] == "model"]
    assert [(a, about["field"], b, about["parameter"]) for a, b, about in by_model] == [
        ("get_order", "status", "list_orders", "status")
    ]
    assert by_model[0][2]["evidence"]["with_value"] == "succeeds"
    plain = build_graph(bookstore)
    assert len(list(graph.edges("data"))) == len(list(plain.edges("data"))) + 1
    assert build_items(bookstore, graph, 3, 0)


def test_without_proposals_the_graph_is_what_it_was(bookstore: Environment) -> None:
    assert build_graph(bookstore, also=()).to_json() == build_graph(bookstore).to_json()


def test_a_proposal_of_something_else_is_refused(bookstore: Environment) -> None:
    graph = build_graph(bookstore, run=False)
    with pytest.raises(ValueError, match="no such tool or parameter in bookstore"):
        add_proposals(bookstore, graph, [Proposal("create_order", "order_id", "fly", "order_id")])


def test_the_command_asks_a_model_where_one_is_given(tmp_path: Path, chat_server: Callable) -> None:
    pytest.importorskip("openai")
    address = chat_server(lambda body: {"role": "assistant", "content": told(KNOWN, NEW)})
    command = ["graph", str(BOOKSTORE), "--out", str(tmp_path / "graph.json"), "--base-url", address]
    made = CliRunner().invoke(app, [*command, "--model", "tiny"])
    assert made.exit_code == 0, made.output
    assert "The model proposed 2 edges; 1 held that nothing else proposes" in made.output
    assert '"found": "model"' in (tmp_path / "graph.json").read_text()
    assert CliRunner().invoke(app, command).exit_code != 0
