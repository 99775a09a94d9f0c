"""The interactive graph: what an edge tells, what is drawn, that it is small and needs no network."""

import json
import re
from pathlib import Path

import pytest

from tvlab.environments.environment import Environment
from tvlab.reporting.interactive_graph import MIMETYPE, evidence_text, interactive_layers
from tvlab.reporting.plots_graph import node_table
from tvlab.tasks.executability import EXECUTED, TOOL
from tvlab.tasks.graph import ToolGraph, build_graph


@pytest.fixture(scope="module")
def bookstore() -> Environment:
    return Environment.load(Path(__file__).parents[1] / "data" / "environments" / "bookstore")


@pytest.fixture(scope="module")
def graph(bookstore: Environment) -> ToolGraph:
    return build_graph(bookstore)


def row(producer, consumer, outcome, detail=""):
    return {"producer": producer, "consumer": consumer, "parameter": "sku", "key": "id of book", "found": "fields",
            "outcome": outcome, "detail": detail}  # fmt: skip


@pytest.fixture(scope="module")
def spec(bookstore: Environment, graph: ToolGraph):
    rows = [row("get_order", "get_book", "no call checks the parameter", "<b>told</b>"),
            row("list_books", "get_book", EXECUTED), row("list_books", "gone", TOOL)]  # fmt: skip
    return interactive_layers(node_table(bookstore, graph), graph, rows).spec


def marks(spec, kind):
    return next(trace for trace in spec["data"] if trace["legendgroup"] == kind and trace["mode"] == "markers")


def test_every_tool_has_its_box_where_the_static_drawing_has_it(bookstore, graph, spec):
    boxes = {box["text"]: (box["x"], box["y"]) for box in spec["layout"]["annotations"]}
    nodes = node_table(bookstore, graph)
    assert boxes == {n.tool: (n.layer, -n.height) for n in nodes.itertuples()}


def test_every_pair_of_tools_with_an_executed_edge_has_a_mark_that_tells_its_evidence(graph, spec):
    texts = set(marks(spec, "data")["hovertext"])
    pairs = {(a, b) for a, b, about in graph.edges("data") if not about["feedback"] and a != b}
    assert len(texts) == len(pairs)
    told = next(text for text in texts if text.startswith("create_order → cancel_order"))
    assert "<b>order_id → order_id</b>" in told
    assert re.search(r"with the value ord\S+: succeeds", told)
    assert "with a value no call returned: fails: not_found" in told
    assert "without the producer&#x27;s call: fails" in told or "without the producer's call: fails" in told


def test_a_mark_lies_on_its_line(spec):
    lines = next(trace for trace in spec["data"] if trace["legendgroup"] == "data" and trace["mode"] == "lines")
    points = set(zip(lines["x"], lines["y"], strict=True))
    found = marks(spec, "data")
    middles = list(zip(found["x"], found["y"], strict=True))[1::3]
    assert set(middles) <= points


def test_proposals_that_were_not_executed_are_off_at_first_and_tell_why(spec):
    found = marks(spec, "proposed")
    assert found["visible"] == "legendonly"
    [text] = set(found["hovertext"])  # neither the executed one nor that of a tool that is not there
    assert text.startswith("get_order → get_book")
    assert "not executed: no call checks the parameter (&lt;b&gt;told&lt;/b&gt;)" in text


def test_values_are_escaped_and_cut():
    evidence = {"value": "<script>" + "x" * 200, "with_value": "succeeds"}
    about = {"kind": "data", "field": "a", "parameter": "b", "found": "fields", "evidence": evidence}
    text = evidence_text(about)
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert len(text) < 250


def test_an_edge_that_was_not_run_says_so():
    about = {"kind": "data", "field": "a", "parameter": "b", "found": "model", "evidence": {}}
    assert evidence_text(about).endswith("not run")
    assert evidence_text({**about, "kind": "order"}) == "the other way round: not run"


def test_the_bundle_is_plain_json_under_a_hundred_kilobytes(bookstore, graph):
    shown = interactive_layers(node_table(bookstore, graph), graph)
    bundle = shown._repr_mimebundle_()
    assert set(bundle) == {MIMETYPE, "text/plain"}
    text = json.dumps(bundle[MIMETYPE])
    assert len(text) < 100_000
    assert "http" not in text


def test_the_page_holds_plotly_and_fetches_nothing(bookstore, graph, tmp_path):
    page = interactive_layers(node_table(bookstore, graph), graph).save_html(tmp_path / "graph.html")
    text = page.read_text(encoding="utf-8")
    assert len(text) > 3_000_000
    assert not re.search(r"<script[^>]+src=|<link[^>]+href=", text)


def test_the_same_graph_gives_the_same_figure(bookstore, graph, spec):
    again = interactive_layers(node_table(bookstore, graph), graph).spec
    assert again == interactive_layers(node_table(bookstore, graph), graph).spec
    assert marks(again, "data") == marks(spec, "data")
