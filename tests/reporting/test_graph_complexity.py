import networkx as nx
import pandas as pd
import pytest
from matplotlib.figure import Figure

from tvlab.reporting.graph_complexity import (
    MEASURES,
    complexity_summary,
    complexity_table,
    outcome_table,
    plot_complexity,
)
from tvlab.tasks.executability import EXECUTED, TOOL, Executable
from tvlab.tasks.graph import ToolGraph
from tvlab.tasks.schema_keys import Key
from tvlab.tasks.schema_proposals import SchemaEdge


def edge(graph, before, after, kind="data", feedback=False, parameter="id"):
    about = {"kind": kind, "field": "id", "parameter": parameter, "found": "fields", "weight": 1.0}
    graph.add_edge(before, after, **about, evidence={"a": 1}, feedback=feedback)


@pytest.fixture
def tools():
    graph = nx.MultiDiGraph()
    graph.add_nodes_from("abcde")
    edge(graph, "a", "c")
    edge(graph, "b", "c")
    edge(graph, "a", "c", parameter="other")
    edge(graph, "c", "d", kind="order")
    edge(graph, "c", "a", feedback=True)
    return ToolGraph("five", graph)


def test_measures_worked_by_hand(tools):
    [row] = complexity_table({"five": tools}).to_dict("records")
    assert (row["tools"], row["edges"]) == (5, 4)
    assert row["density"] == 4 / 20
    assert (row["layers"], row["data_chain"]) == (3, 2)
    # c.id from a or b, c.other from a, and a.id from c, which is left out of chains but can supply
    assert (row["or_groups"], row["or_group_largest"]) == (3, 2)
    assert row["or_group_mean"] == pytest.approx(4 / 3)
    assert row["cycles_broken"] == 1


def test_the_spread_over_a_corpus_stands_beside_the_profiles_and_reads_not_run_without_a_record(tools):
    own = complexity_table({"five": tools})
    corpus = [{**own.to_dict("records")[0], "layers": layers, "or_group_mean": None} for layers in (1, 2, 9)]
    table = complexity_summary(own, {"graph_complexity": corpus}).set_index(["source", "measure"])
    assert table.loc[("corpus", "layers"), ["environments", "least", "median", "most"]].tolist() == [3, 1, 2, 9]
    assert table.loc[("this profile", "layers"), "median"] == 3
    assert set(complexity_summary(own, None).query("source == 'corpus'")["median"]) == {"not run"}
    assert set(complexity_summary(own, {"items": 3}).query("source == 'corpus'")["most"]) == {"not run"}


def test_a_graph_without_edges_has_no_mean_of_producers():
    graph = nx.MultiDiGraph()
    graph.add_nodes_from("ab")
    [row] = complexity_table({"bare": ToolGraph("bare", graph)}).to_dict("records")
    assert (row["layers"], row["data_chain"], row["or_groups"], row["density"]) == (1, 1, 0, 0)
    assert pd.isna(row["or_group_mean"])


def test_outcomes_are_counted_over_servers():
    built = Executable(executed={("a", "b", "id")}, together={("a", "a"), ("b", "b"), ("a", "b")})
    key = Key("id", "thing")
    edges = [SchemaEdge("a", "b", "id", key, "fields"), SchemaEdge("x", "b", "id", key, "fields")]
    table = outcome_table([("one", edges, built), ("two", edges[:1], built)]).set_index("outcome")
    assert table.loc[EXECUTED].to_dict() == {"proposals": 2.0, "servers": 2.0, "share": 2 / 3}
    assert table.loc[TOOL, "proposals"] == 1
    assert table["share"].sum() == pytest.approx(1)


def test_nothing_proposed_is_no_share():
    assert outcome_table([("none", [], Executable())])["share"].sum() == 0


@pytest.mark.parametrize("count", [3, 60])
@pytest.mark.parametrize("measure", MEASURES)
def test_each_measure_can_be_drawn_for_few_and_for_many(tools, measure, count):
    table = complexity_table({f"environment {at:02d}": tools for at in range(count)})
    axis = plot_complexity(Figure().subplots(), table, measure)
    assert axis.get_xlabel() == MEASURES[measure]
    assert len(axis.get_yticklabels()) == count if count == 3 else axis.get_ylabel() == "environments"
