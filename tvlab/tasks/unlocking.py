"""Dynamic Unlocking Sampling (DUS): a random causally valid order of tool calls, in stages.

A queue Q holds the nodes whose predecessors have all run.  Each step takes k = min(|Q|, N) of them without
replacement: one stage.  Running it lowers the in-degree of the successors, and what reaches zero enters Q.

Every node runs exactly once, so one uniform number a node is all the randomness there is; they are drawn in
one block, which is what keeps a 12-node sample near ten microseconds.  The graph is not checked for
anything but cycles: parallel edges count as many, as in a multigraph.  Large graphs are sampled on arrays
(``unlocking_arrays.py``), with the same draws.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from tvlab.tasks.unlocking_arrays import LARGE, StuckError, unlock_on_arrays

Node = TypeVar("Node", bound=Hashable)


def dynamic_unlocking(
    nodes: Sequence[Node], edges: Iterable[tuple[Node, Node]], n: int, rng: np.random.Generator
) -> list[list[Node]]:
    """Sample one sequence of stages by Dynamic Unlocking Sampling.

    Args:
        nodes: distinct nodes.
        edges: (before, after) pairs of them.
        n: the most nodes a stage takes (the paper's N), at least 1.
        rng: numpy generator; ``len(nodes)`` uniforms are drawn from it.

    Returns:
        Stages: each node stands in exactly one, after all its predecessors.

    Raises:
        ValueError: n < 1, or the graph has a cycle; the message names one.

    >>> dynamic_unlocking("abc", [("a", "b"), ("b", "c")], 2, np.random.default_rng(0))
    [['a'], ['b'], ['c']]
    """
    if n < 1:
        raise ValueError(f"n is {n}: a stage takes at least 1 node")
    if len(nodes) >= LARGE:
        return _large(nodes, edges, n, rng)
    in_degree = dict.fromkeys(nodes, 0)
    successors: dict[Node, list[Node]] = {node: [] for node in in_degree}
    for before, after in edges:
        successors[before].append(after)
        in_degree[after] += 1
    uniforms = rng.random(len(in_degree)).tolist()
    queue = [node for node, degree in in_degree.items() if not degree]
    stages: list[list[Node]] = []
    drawn = 0
    while queue:
        stage = []
        for _ in range(min(len(queue), n)):
            # taking a random element and filling its place with the last is sampling without replacement
            at = int(uniforms[drawn] * len(queue))
            drawn += 1
            stage.append(queue[at])
            last = queue.pop()
            if at < len(queue):
                queue[at] = last
        for node in stage:
            for after in successors[node]:
                in_degree[after] -= 1
                if not in_degree[after]:
                    queue.append(after)
        stages.append(stage)
    if drawn < len(in_degree):
        raise _cycle_error(_cycle(in_degree, successors))
    return stages


def _large(
    nodes: Sequence[Node], edges: Iterable[tuple[Node, Node]], n: int, rng: np.random.Generator
) -> list[list[Node]]:
    try:
        return unlock_on_arrays(nodes, edges, n, rng)
    except StuckError as error:
        names = list(dict.fromkeys(nodes))
        in_degree: dict[Node, int] = {}
        successors: dict[Node, list[Node]] = {}
        for before, after in error.edges:
            in_degree[names[after]] = 1
            successors.setdefault(names[after], [])
            successors.setdefault(names[before], []).append(names[after])
        raise _cycle_error(_cycle(in_degree, successors)) from None


def _cycle_error(cycle: Sequence[Node]) -> ValueError:
    return ValueError(f"cycle: {' -> '.join(map(str, cycle))}; remove an edge of it")


def merge_stages(stages: Sequence[Sequence[Node]], q: float, rng: np.random.Generator) -> list[list[Node]]:
    """Join stages to user turns: with probability q a turn takes the next stage too (once).

    Args:
        stages: what ``dynamic_unlocking`` gave.
        q: 0 is the paper's reading, one turn a stage.
        rng: numpy generator.

    >>> merge_stages([["a"], ["b"], ["c"]], 1.0, np.random.default_rng(0))
    [['a', 'b'], ['c']]
    """
    return group_stages(stages, turn_sizes(len(stages), q, rng))


def turn_sizes(turns: int, q: float, rng: np.random.Generator) -> list[int]:
    """Draw how many stages each of a number of turns takes: 2 with probability q, else 1."""
    if not 0 <= q <= 1:
        raise ValueError(f"q is {q}: expected a probability")
    return [1 + (uniform < q) for uniform in rng.random(turns).tolist()]


def group_stages(stages: Sequence[Sequence[Node]], sizes: Sequence[int]) -> list[list[Node]]:
    """Join stages to turns of the given sizes; sizes beyond the last stage are not used."""
    turns: list[list[Node]] = []
    at = 0
    for size in sizes:
        if at < len(stages):
            turns.append([node for stage in stages[at : at + size] for node in stage])
        at += size
    return turns


def _cycle(in_degree: dict[Node, int], successors: dict[Node, list[Node]]) -> list[Node]:
    """Return one cycle among the nodes that never unlocked, its first node repeated at the end."""
    stuck = {node for node, degree in in_degree.items() if degree}
    before = {after: node for node in stuck for after in successors[node] if after in stuck}
    node = next(iter(before))
    seen: dict[Node, None] = {}
    while node not in seen:
        seen[node] = None
        node = before[node]
    walk = list(seen)
    cycle = walk[walk.index(node) :][::-1]
    return [*cycle, cycle[0]]
