"""The graph's benchmarks measure what they say: causes of misses, the least feedback, the plain baseline."""

from __future__ import annotations

import importlib.util
import itertools
import random
import sys
from pathlib import Path
from types import ModuleType

import networkx as nx
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


def test_a_miss_has_the_cause_that_lies_deepest(quality: ModuleType) -> None:
    keys = {("s", "use", "id"): "thing", ("s", "use", "text"): None}
    found = quality.Found({("s", "a", "use", "id")}, {("s", "b", "use", "id")}, set(), keys)
    found.carried = {("s", "b"): {"thing"}, ("s", "c"): {"thing"}, ("s", "d"): {"other"}}
    assert found.cause(("s", "b", "use", "gone")) == "parameter gone"
    assert found.cause(("s", "b", "use", "text")) == "not a key"
    assert found.cause(("s", "d", "use", "id")) == "not in the answer"
    assert found.cause(("s", "c", "use", "id")) == "not proposed"
    assert found.cause(("s", "b", "use", "id")) == "did not hold"


def test_scores_count_what_the_environment_loses_apart(quality: ModuleType) -> None:
    edges = [("s", "a", "use", "id"), ("s", "b", "use", "id"), ("s", "b", "use", "gone"), ("s", "x", "use", "id")]
    label = dict.fromkeys(edges, False)
    kept = {("s", "a"), ("s", "b"), ("s", "use")}
    found = quality.Found({edges[0], ("s", "b", "a", "id")}, set(), kept, {("s", "use", "id"): "thing"})
    found.carried = {("s", "b"): {"thing"}}
    row = quality.scores("s", {"s"}, found, label, label)
    assert (row["labelled"], row["kept"], row["edges"]) == (4, 3, 2)
    assert row["precision"] == 0.5
    assert row["recall"] == pytest.approx(1 / 3)
    assert row["recall_graph"] == 0.5


def test_the_halves_are_fixed_and_share_nothing(quality: ModuleType) -> None:
    servers = [f"server-{n}" for n in range(12)]
    seen, held_out = quality.halves(servers)
    assert (seen, held_out) == quality.halves(servers[::-1])
    assert len(seen) == len(held_out) == 6
    assert not seen & held_out
