"""The graph's benchmarks measure what they say: causes of misses, the least feedback, the plain baseline."""

from __future__ import annotations

import importlib.util
import itertools
import random
import sys
import time
from pathlib import Path
from types import ModuleType

import networkx as nx
import numpy as np
import pytest

ROOT = Path(__file__).parents[1]


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    return loaded("bench_graph")


@pytest.fixture(scope="module")
def quality() -> ModuleType:
    return loaded("graph_quality")


def test_the_least_feedback_is_that_of_the_best_of_all_orders(bench: ModuleType) -> None:
    for seed in range(5):
        weights = bench.dense_digraph(5, 0.5, seed)
        orders = itertools.permutations(range(5))
        best = min(sum(w for (a, b), w in weights.items() if order.index(a) >= order.index(b)) for order in orders)
        assert bench.least_feedback(5, weights) == best


def test_the_plain_baseline_unlocks_in_causal_order(bench: ModuleType) -> None:
    edges = bench.random_dag(12, 1.5, seed=0)
    stages = bench.plain_unlocking(range(12), edges, 3, random.Random(0))
    at = {node: stage for stage, nodes in enumerate(stages) for node in nodes}
    assert len(at) == 12
    assert all(at[a] < at[b] for a, b in edges)
    assert all(len(stage) <= 3 for stage in stages)


def test_a_synthetic_environment_has_data_and_order_edges(bench: ModuleType) -> None:
    graph = bench.build_graph(bench.synthetic(200), run=False)
    assert len(graph.graph) == 200
    assert ("list_thing5", "thing5s[].thing5_id") in graph.producers("update_thing5", "thing5_id")
    assert list(graph.edges("order"))
    assert nx.is_directed_acyclic_graph(graph.acyclic())


def test_a_graph_of_5000_tools_takes_under_20_seconds(bench: ModuleType) -> None:
    large = bench.synthetic(5_000)
    start = time.process_time()
    graph = bench.build_graph(large, run=False)
    assert time.process_time() - start < 20
    assert len(graph.graph) == 5_000
    assert nx.is_directed_acyclic_graph(graph.acyclic())


def test_edges_to_near_nodes_form_a_dag_of_the_wanted_size(bench: ModuleType) -> None:
    edges = bench.near_dag(500, 2.0, seed=1)
    assert 900 < len(edges) <= 1_000
    assert all(0 < b - a <= 50 and b < 500 for a, b in edges)


def test_a_power_is_found_again(bench: ModuleType) -> None:
    amounts = np.array([10.0, 100.0, 1000.0])
    exponent, squared = bench.power(amounts, 3 * amounts**1.5)
    assert exponent == pytest.approx(1.5)
    assert squared == pytest.approx(1)


def test_the_work_of_unlocking_is_linear(bench: ModuleType) -> None:
    assert bench.work_exponent([2_500, 10_000]) == pytest.approx(1, abs=0.02)


def _built(quality: ModuleType) -> dict[str, object]:
    built = quality.Executable(executed={("a", "use", "id")}, proposed={("a", "use", "id"), ("b", "use", "id")})
    built.together = {(one, other) for one in ("a", "b", "c", "use") for other in ("a", "b", "c", "use")}
    built.keys = {("use", "id"): "thing", ("use", "text"): None}
    built.carried = {"a": {"thing"}, "b": {"thing"}, "c": {"other"}}
    return {"s": built}


def test_scores_are_over_labels_between_kept_tools_and_over_all(quality: ModuleType) -> None:
    edges = [("s", "a", "use", "id"), ("s", "b", "use", "id"), ("s", "b", "use", "gone"), ("s", "x", "use", "id")]
    label = {edge: edge[1] == "b" for edge in edges}
    found = {edges[0], edges[3], ("s", "b", "a", "id")}
    row = quality.scores("s", found, _built(quality), label, label)
    assert (row["edges"], row["labelled"], row["labelled_all"]) == (3, 3, 4)
    assert row["precision"] == pytest.approx(2 / 3)
    assert row["recall"] == pytest.approx(1 / 3)
    assert row["primary"] == 1.0
    assert row["recall_all"] == 0.5


def test_an_edge_that_only_one_labeller_has_is_right_and_not_wanted(quality: ModuleType) -> None:
    edge, other = ("s", "a", "use", "id"), ("s", "b", "use", "id")
    row = quality.scores("s", {edge, other}, _built(quality), {edge: False, other: False}, {edge: False})
    assert (row["precision"], row["recall"], row["labelled"]) == (1.0, 1.0, 1)


def test_reasons_count_what_the_environment_loses_apart(quality: ModuleType) -> None:
    truth = {("s", "a", "use", "id"), ("s", "b", "use", "id"), ("s", "b", "use", "gone"), ("s", "x", "use", "id")}
    row = quality.reasons("s", _built(quality), truth | {("s", "b", "use", "text"), ("s", "c", "use", "id")})
    counts = {name: row[name] for name in (quality.TOOL, *quality.UNABLE, quality.NOTHING_NEW, quality.NOT_HELD)}
    assert list(counts.values()) == [1, 1, 1, 1, 0, 1]
    assert row["recall_able"] == 0.5


def test_the_servers_held_out_are_labelled_servers(quality: ModuleType) -> None:
    servers = {edge[0] for edge in quality.labels("first.jsonl")}
    assert servers > quality.HELD_OUT
    assert len(servers) == 12
