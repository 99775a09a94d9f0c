from dataclasses import replace

import pytest

from tvlab.tasks import executability as ex
from tvlab.tasks.executability import Executable, counted, executable, plain_path, proposal_rows
from tvlab.tasks.schema_keys import Key
from tvlab.tasks.schema_proposals import SchemaEdge


@pytest.fixture
def server(bookstore, graph):
    return executable([bookstore], {bookstore.name: graph})


def test_an_executed_edge_is_executed(server):
    assert server.outcome(("list_orders", "cancel_order", "order_id")) == ex.EXECUTED
    assert server.outcome(("list_books", "create_order", "items.sku")) == ex.EXECUTED


def test_each_way_to_get_lost_has_its_reason(server):
    assert server.outcome(("list_orders", "void_order", "order_id")) == ex.TOOL
    assert server.outcome(("list_orders", "cancel_order", "shelf_id")) == ex.PARAMETER
    assert server.outcome(("list_orders", "create_order", "items.quantity")) == ex.UNCHECKED
    assert server.outcome(("list_books", "cancel_order", "order_id")) == ex.ANSWER
    assert server.outcome(("get_order", "cancel_order", "order_id")) == ex.NOTHING_NEW
    server.proposed.add(("get_order", "cancel_order", "order_id"))
    assert server.outcome(("get_order", "cancel_order", "order_id")) == ex.NOT_HELD


def test_tools_of_two_environments_are_apart():
    built = Executable(together={("a", "a"), ("b", "b")})
    assert built.outcome(("a", "b", "id")) == ex.APART


def test_the_detail_is_what_the_build_said(bookstore, graph):
    drops = [{"tool": "void_order", "stage": "meaning", "reason": "unclear verb"}]
    narrowed = [{"tool": "list_orders", "parameter": "expand", "reason": "steers the answer"}]
    told = replace(bookstore, report={**bookstore.report, "drops": drops, "narrowed": narrowed})
    server = executable([told], {bookstore.name: graph})
    assert server.detail(("list_orders", "void_order", "order_id")) == "void_order: unclear verb"
    assert server.detail(("list_books", "list_orders", "expand")) == "steers the answer"
    assert server.detail(("list_orders", "cancel_order", "order_id")) == ""


def test_rows_count_every_proposal_once(server):
    key = Key("id", "order")
    edges = [SchemaEdge("list_orders", "cancel_order", "order_id", key, "fields"),
             SchemaEdge("list_orders", "void_order", "order_id", key, "fields")]  # fmt: skip
    rows = proposal_rows(edges, server)
    assert [row["outcome"] for row in rows] == [ex.EXECUTED, ex.TOOL]
    assert sum(counted(rows).values()) == 2


def test_a_plain_path_has_no_brackets():
    assert plain_path("items[].sku") == "items.sku"
