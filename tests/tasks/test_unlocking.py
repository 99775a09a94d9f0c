import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlab.tasks.unlocking import dynamic_unlocking, merge_stages
from tvlab.tasks.unlocking_arrays import LARGE, unlock_on_arrays


@st.composite
def dags(draw):
    size = draw(st.integers(0, 14))
    pairs = [(a, b) for b in range(size) for a in range(b)]
    edges = draw(st.lists(st.sampled_from(pairs), max_size=40)) if pairs else []
    names = draw(st.permutations(range(size)))
    return list(range(size)), [(names[a], names[b]) for a, b in edges]


@given(dags(), st.integers(1, 5), st.integers(0, 2**32))
def test_every_node_runs_once_and_after_its_predecessors(dag, n, seed):
    nodes, edges = dag
    stages = dynamic_unlocking(nodes, edges, n, np.random.default_rng(seed))
    stage_of = {node: at for at, stage in enumerate(stages) for node in stage}
    assert sorted(node for stage in stages for node in stage) == nodes
    assert all(stage_of[a] < stage_of[b] for a, b in edges)


@given(dags(), st.integers(1, 5), st.integers(0, 2**32))
def test_each_stage_takes_min_of_queue_and_n_from_what_is_unlocked_that_moment(dag, n, seed):
    nodes, edges = dag
    done: set[int] = set()
    for stage in dynamic_unlocking(nodes, edges, n, np.random.default_rng(seed)):
        queue = {v for v in nodes if v not in done and all(a in done for a, b in edges if b == v)}
        assert set(stage) <= queue
        assert len(stage) == min(len(queue), n)
        done |= set(stage)


@given(dags(), st.integers(1, 5), st.integers(0, 2**32))
def test_same_generator_state_gives_the_same_stages(dag, n, seed):
    nodes, edges = dag
    one = dynamic_unlocking(nodes, edges, n, np.random.default_rng(seed))
    assert one == dynamic_unlocking(nodes, edges, n, np.random.default_rng(seed))


def test_a_stage_is_a_uniform_sample_without_replacement():
    rng = np.random.default_rng(0)
    counts = Counter(frozenset(dynamic_unlocking("abcd", [], 2, rng)[0]) for _ in range(12_000))
    assert len(counts) == 6
    # six pairs, 2,000 expected each, standard deviation 41
    assert max(abs(count - 2000) for count in counts.values()) < 5 * 41


@pytest.mark.parametrize("edges", [[("a", "a")], [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]])
def test_a_cycle_is_an_error_that_names_it(edges):
    with pytest.raises(ValueError, match="a -> a" if len(edges) == 1 else "b -> c -> b|c -> b -> c"):
        dynamic_unlocking("abcd", edges, 2, np.random.default_rng(0))


def test_a_stage_of_no_calls_is_refused():
    with pytest.raises(ValueError, match="n is 0"):
        dynamic_unlocking("ab", [], 0, np.random.default_rng(0))


@given(dags(), st.floats(0, 1), st.integers(0, 2**32))
def test_merging_keeps_the_order_and_joins_at_most_two_stages(dag, q, seed):
    rng = np.random.default_rng(seed)
    stages = dynamic_unlocking(*dag, 2, rng)
    turns = merge_stages(stages, q, rng)
    assert [v for turn in turns for v in turn] == [v for stage in stages for v in stage]
    assert all(len(turn) <= 4 for turn in turns)


@settings(max_examples=20)
@given(dags(), st.integers(0, 2**32))
def test_no_merging_is_one_turn_a_stage(dag, seed):
    rng = np.random.default_rng(seed)
    stages = dynamic_unlocking(*dag, 3, rng)
    assert merge_stages(stages, 0.0, rng) == stages


def test_a_turn_takes_the_next_stage_with_probability_q():
    rng = np.random.default_rng(1)
    sizes = [len(turn) for _ in range(400) for turn in merge_stages([[i] for i in range(50)], 0.3, rng)[:-1]]
    assert abs(np.mean(np.array(sizes) == 2) - 0.3) < 0.02


@given(dags(), st.integers(1, 5), st.integers(0, 2**32))
def test_arrays_give_the_same_stages_from_the_same_generator(dag, n, seed):
    nodes, edges = dag
    stages = dynamic_unlocking(nodes, edges, n, np.random.default_rng(seed))
    assert unlock_on_arrays(range(len(nodes)), edges, n, np.random.default_rng(seed)) == stages
    named = [(f"tool {a}", f"tool {b}") for a, b in edges]
    on_names = unlock_on_arrays([f"tool {v}" for v in nodes], iter(named), n, np.random.default_rng(seed))
    assert on_names == [[f"tool {v}" for v in stage] for stage in stages]


def test_a_node_that_hundreds_lead_to_is_unlocked_by_the_last_of_them():
    edges = [(a, 300) for a in range(300)]
    assert unlock_on_arrays(range(301), edges, 7, np.random.default_rng(0))[-1] == [300]


def test_a_large_graph_is_sampled_like_a_small_one(monkeypatch):
    edges = large_dag(3_000)
    assert LARGE <= 3_000
    on_arrays = dynamic_unlocking(range(3_000), edges, 4, np.random.default_rng(1))
    monkeypatch.setattr("tvlab.tasks.unlocking.LARGE", 10_000)
    assert dynamic_unlocking(range(3_000), edges, 4, np.random.default_rng(1)) == on_arrays


@pytest.mark.parametrize("name", [int, str])
def test_a_cycle_in_a_large_graph_is_an_error_that_names_it(name):
    nodes = range(LARGE) if name is int else [str(v) for v in range(LARGE)]
    edges = [(name(a), name(b)) for a, b in [*large_dag(LARGE), (9, 8), (8, 9)]]
    with pytest.raises(ValueError, match=r"9 -> 8 -> 9|8 -> 9 -> 8"):
        dynamic_unlocking(nodes, edges, 2, np.random.default_rng(0))


@pytest.mark.parametrize("stranger", [-1, LARGE])
def test_an_edge_to_a_node_that_is_not_there_is_refused(stranger):
    with pytest.raises(KeyError, match=str(stranger)):
        dynamic_unlocking(range(LARGE), [(0, stranger)], 2, np.random.default_rng(0))


def large_dag(size):
    return [(i, j) for i in range(size) for j in (i + 1, i + 7, 3 * i + 1) if i < j < size]


def lines_run(size, n):
    """How many lines of unlocking run for a graph: what it does, whatever memory and other work cost."""
    count = 0

    def each(frame, event, _):
        nonlocal count
        count += event == "line"
        return each

    def local(frame, event, _):
        return each if "unlocking" in frame.f_code.co_filename else None

    edges, before = large_dag(size), sys.gettrace()
    sys.settrace(local)
    try:
        dynamic_unlocking(range(size), edges, n, np.random.default_rng(0))
    finally:
        sys.settrace(before)
    return count / (size + len(edges))


@pytest.mark.parametrize("sizes", [(200, 1_600), (LARGE, 8 * LARGE)], ids=["dictionaries", "arrays"])
def test_the_work_is_linear_in_nodes_and_edges(sizes):
    small, large = (lines_run(size, 3) for size in sizes)
    assert large == pytest.approx(small, rel=0.03)
