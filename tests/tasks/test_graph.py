import time

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlab.environments.environment import Environment
from tvlab.tasks.cycles import feedback_arcs
from tvlab.tasks.edges import run_edges
from tvlab.tasks.graph import ToolGraph, build_graph, carries_tasks, propose
from tvlab.tasks.tool_views import tool_views


def edge(graph, before, after):
    return [about for a, b, about in graph.edges() if (a, b) == (before, after)]


def test_list_search_and_create_form_an_or_group(graph):
    assert set(graph.producers("add_comment", "order_id")) == {
        ("create_order", "order_id"),
        ("list_orders", "orders[].order_id"),
    }
    assert ("search_customers", "customers[].customer_id") in graph.producers("create_order", "customer_id")
    assert ("list_books", "books[].sku") in graph.producers("create_order", "items[].sku")


def test_a_record_shows_the_keys_it_names(graph):
    assert ("get_order", "customer_id") in graph.producers("get_customer", "customer_id")
    assert ("get_order", "items[].sku") in graph.producers("get_book", "sku")


def test_an_echo_is_no_producer(graph):
    assert not edge(graph, "get_order", "cancel_order")
    assert not edge(graph, "add_comment", "cancel_order")
    assert not edge(graph, "update_order", "get_customer")


def _of_a_build(*tools):
    """An environment with builds and their artifacts, as far as proposals look at it."""
    fields = {"url": {"type": "string"}, "build_id": {"type": "string", "reference": "build"}}
    entities = {
        "artifact": {"table": "artifacts", "key": "url", "parents": ["build"], "fields": fields},
        "build": {"table": "builds", "key": "build_id", "parents": [], "fields": {"build_id": {"type": "string"}}},
    }
    meanings, listed = {}, []
    for operation, entity, parameter in tools:
        properties = {parameter: {"type": "string"}} if parameter else {}
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        listed.append({"name": f"{operation}_{entity}", "description": "", "inputSchema": schema})
        own = entities[entity]["key"]
        role = {"role": "key" if parameter == own else "reference", "field": parameter}
        role["entity"] = entity if parameter == own else "build"
        meanings[listed[-1]["name"]] = {
            "operation": operation,
            "entity": entity,
            "writes": operation == "create",
            "parameters": {parameter: role} if parameter else {},
            "output": {
                "entity": entity,
                "key_path": f"found[].{own}" if operation == "list" else own,
                "fields": entities[entity]["fields"],
            },
        }
    return Environment("ci", tuple(listed), {}, {}, {"entities": entities, "meanings": meanings})


READERS = [("list", "build", None), ("read", "build", "build_id"), ("read", "artifact", "url")]
UNDER_BUILD = ("list", "artifact", "build_id")


def test_a_record_found_only_under_its_parent_is_no_producer_of_the_parent():
    assert not edge(propose(_of_a_build(*READERS, UNDER_BUILD)), "read_artifact", "read_build")
    assert edge(propose(_of_a_build(*READERS, ("list", "artifact", None))), "read_artifact", "read_build")


def test_a_record_that_somebody_makes_shows_its_parent():
    """Who made it may have told its key alone: 'cancel the order of shipment S-1'."""
    made = _of_a_build(*READERS, UNDER_BUILD, ("create", "artifact", "build_id"))
    assert edge(propose(made), "read_artifact", "read_build")


def test_evidence_tells_what_running_showed(graph):
    [made] = edge(graph, "create_order", "cancel_order")
    assert made["evidence"]["with_value"] == "succeeds"
    assert made["evidence"]["with_unknown"].startswith("fails: not_found")
    assert made["evidence"]["without_producer"].startswith("fails: not_found")
    [listed] = edge(graph, "list_orders", "cancel_order")
    assert "without_producer" not in listed["evidence"]  # the orders are there whether listed or not


def test_a_proposal_that_does_not_hold_is_dropped(bookstore):
    """A book's SKU is no order id, whatever somebody proposes."""
    tools = propose(bookstore)
    tools.graph.add_edge(
        "list_books",
        "cancel_order",
        kind="data",
        field="books[].sku",
        parameter="order_id",
        found="model",
        weight=1.0,
        evidence={},
        feedback=False,
    )
    run = run_edges(bookstore, tools)
    assert not edge(run, "list_books", "cancel_order")
    assert edge(run, "list_orders", "cancel_order")


def test_an_edge_whose_consumer_ignores_the_value_is_dropped(bookstore):
    from dataclasses import replace

    blind = replace(
        bookstore, functions={**bookstore.functions, "get_order": lambda state, order_id: {"ok": True}}
    )
    assert not any(b == "get_order" for _, b, _ in build_graph(blind).edges("data"))


@pytest.fixture(scope="module")
def notes():
    """Notes whose deletion answers the same whether the note was there, and whose pinning ignores its key."""
    entities = {"note": {"table": "notes", "key": "note_id", "parents": [], "fields": {"note_id": {"type": "string"}}}}
    needed = {"type": "object", "properties": {"note_id": {"type": "string"}}, "required": ["note_id"]}
    own = {"note_id": {"role": "key", "entity": "note", "field": "note_id"}}
    shown = {"entity": "note", "fields": entities["note"]["fields"]}
    listing = {"operation": "list", "entity": "note", "writes": False, "parameters": {}}
    meanings = {
        "list_notes": {**listing, "output": {**shown, "key_path": "notes[].note_id"}},
        **{
            name: {"operation": of, "entity": "note", "writes": True, "parameters": own,
                   "output": {**shown, "key_path": "note_id"}}
            for name, of in (("delete_note", "delete"), ("pin_note", "transition"))
        },
    }  # fmt: skip
    schemas = {"list_notes": {"type": "object", "properties": {}}, "delete_note": needed, "pin_note": needed}
    tools = tuple({"name": name, "description": "", "inputSchema": schema} for name, schema in schemas.items())

    def list_notes(state):
        return {"notes": list(state["notes"].values())}

    def delete_note(state, *, note_id):
        state["notes"].pop(note_id, None)
        return {"deleted": True, "note_id": note_id}

    def pin_note(state, *, note_id):
        state["pins"][str(len(state["pins"]))] = {"pinned": True}
        return {"pinned": True, "note_id": note_id}

    functions = {"list_notes": list_notes, "delete_note": delete_note, "pin_note": pin_note}
    state = {"notes": {f"not-{i}": {"note_id": f"not-{i}"} for i in range(4)}, "pins": {}}
    return Environment("notes", tools, state, functions, {"entities": entities, "meanings": meanings})


def test_a_deletion_that_does_not_mind_what_is_gone_is_told_by_what_it_changes(notes):
    graph = build_graph(notes)
    found = edge(graph, "list_notes", "delete_note")
    assert {about["evidence"]["with_unknown"] for about in found} == {"changes nothing"}
    assert not edge(graph, "list_notes", "pin_note")  # it does the same whatever it is told


def test_order_edges_are_kept_only_where_the_calls_cannot_be_swapped(bookstore, graph):
    proposed = [(a, b) for a, b, _ in propose(bookstore).edges("order")]
    assert ("update_order", "cancel_order") in proposed
    assert not list(graph.edges("order"))  # here a note can be changed before or after


def test_the_graph_is_acyclic_without_its_feedback_edges(graph):
    assert nx.is_directed_acyclic_graph(graph.acyclic())
    assert all(not about["feedback"] for a, b, about in graph.edges() if a == "create_order")


def test_node_link_json_comes_back(graph, tmp_path):
    again = ToolGraph.load(graph.save(tmp_path / "graph.json"))
    assert again.to_json() == graph.to_json()
    assert again.or_groups == graph.or_groups


def test_the_same_seed_gives_the_same_graph(bookstore, graph):
    assert build_graph(bookstore).to_json() == graph.to_json()


def test_carrying_tasks_needs_an_executed_edge_and_two_writers(bookstore, graph):
    assert carries_tasks(bookstore, graph)
    assert not carries_tasks(bookstore, build_graph(bookstore, run=False))
    tool_views(bookstore)
    from dataclasses import replace

    kept = ("create_order", "list_orders", "get_order")
    small = replace(bookstore, tools=tuple(tool for tool in bookstore.tools if tool["name"] in kept))
    assert not carries_tasks(small, build_graph(small))


def test_a_tool_named_in_the_text_is_a_producer(bookstore):
    from dataclasses import replace

    tools = [dict(tool) for tool in bookstore.tools]
    for tool in tools:
        if tool["name"] == "get_book":
            tool["description"] = "Get one book. Use a SKU from list_books."
    found = {
        about["found"]
        for about in edge(propose(replace(bookstore, tools=tuple(tools))), "list_books", "get_book")
    }
    assert found == {"text"}


def test_proposing_takes_five_milliseconds(bookstore):
    build_graph(bookstore, run=False)
    times = []
    for _ in range(20):
        start = time.perf_counter()
        build_graph(bookstore, run=False)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.005


ARCS = st.dictionaries(st.tuples(st.integers(0, 8), st.integers(0, 8)), st.floats(0.1, 5), max_size=40)


@given(ARCS)
def test_removing_the_feedback_arcs_leaves_no_cycle_and_no_more_than_half_the_weight(arcs):
    dropped = feedback_arcs(range(9), arcs)
    graph = nx.DiGraph([arc for arc in arcs if arc not in dropped])
    assert nx.is_directed_acyclic_graph(graph)
    assert {(a, b) for a, b in arcs if a == b} <= dropped


def test_an_acyclic_graph_loses_no_arc():
    arcs = {(a, b): 1.0 for b in range(12) for a in range(b) if (a + 2 * b) % 3}
    assert feedback_arcs(range(12), arcs) == set()


def test_a_dense_digraph_takes_milliseconds():
    rng = np.random.default_rng(0)
    arcs = {(a, b): 1.0 for a in range(20) for b in range(20) if rng.random() < 0.35}
    start = time.perf_counter()
    dropped = feedback_arcs(range(20), arcs)
    assert time.perf_counter() - start < 0.05
    assert len(dropped) < 0.5 * len(arcs)


def test_self_loops_always_go_in_milliseconds():
    loops = {(node, node): 1.0 for node in range(20)}
    start = time.perf_counter()
    dropped = feedback_arcs(range(20), {**loops, (0, 1): 1.0})
    assert time.perf_counter() - start < 0.01
    assert dropped == set(loops)


def test_a_lighter_arc_goes():
    assert feedback_arcs("ab", {("a", "b"): 1.0, ("b", "a"): 3.0}) == {("a", "b")}


@pytest.mark.parametrize("tool", ["create_order", "update_order"])
def test_views_know_required_leaves(bookstore, tool):
    view = tool_views(bookstore)[tool]
    required = {leaf.path for leaf in view.leaves if leaf.required}
    expected = {
        "create_order": {"customer_id", "items[].sku", "items[].quantity"},
        "update_order": {"order_id"},
    }
    assert required == expected[tool]
