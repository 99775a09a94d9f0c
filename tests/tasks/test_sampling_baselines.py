"""Simpler samplers beside unlocking: what each guarantees, and how their faults are counted."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlab.tasks.sampling_baselines import (
    broken_dependencies,
    dependency_depth,
    random_walk,
    uniform,
    unlocking,
    unsupplied,
)

CHAIN = [("a", "b"), ("b", "c"), ("a", "d")]


@pytest.mark.parametrize(
    ("sequence", "broken", "depth"),
    [("abcd", 0, 3), ("acbd", 1, 2), ("cba", 2, 1), ("dabc", 1, 3), ("aa", 0, 1), ("", 0, 0), ("cbabc", 2, 3)],
)
def test_faults_and_chains_are_counted(sequence: str, broken: int, depth: int) -> None:
    assert broken_dependencies(sequence, CHAIN) == broken
    assert dependency_depth(sequence, CHAIN) == depth


def test_one_supplier_of_a_group_is_enough_for_each_parameter() -> None:
    groups = {"c": [{"a", "b"}, {"d"}]}
    assert [unsupplied(sequence, groups) for sequence in ("c", "ac", "adc", "bdc", "dc")] == [1, 1, 0, 0, 1]


@given(st.integers(1, 9), st.integers(1, 12), st.integers(1, 4), st.integers(0, 2**32 - 1), st.data())
@settings(max_examples=60, deadline=None)
def test_only_unlocking_never_breaks_a_dependency(
    size: int, length: int, n: int, seed: int, data: st.DataObject
) -> None:
    pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
    edges = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    nodes, rng = list(range(size)), np.random.default_rng(seed)
    unlocked = unlocking(nodes, edges, length, n, rng)
    assert broken_dependencies(unlocked, edges) == 0
    assert len(unlocked) == min(length, size)
    walk = random_walk(nodes, edges, length, rng)
    assert len(walk) == length
    assert set(walk) <= set(nodes)
    drawn = uniform(nodes, length, rng)
    assert len(drawn) == len(set(drawn)) == min(length, size)


def test_a_walk_follows_edges_until_a_dead_end() -> None:
    walk = random_walk("abcd", [("a", "b"), ("b", "c"), ("c", "a")], 200, np.random.default_rng(0))
    follows = {"a": "b", "b": "c", "c": "a"}
    assert all(after == follows[before] for before, after in pairwise(walk) if before in follows)
