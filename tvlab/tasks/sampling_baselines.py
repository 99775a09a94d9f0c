"""Two simpler ways to draw a sequence of tool calls from a graph, to compare unlocking with.

Random walk: from a random tool on along random edges; at a dead end it starts anew.  Uniform: tools drawn
without replacement, edges ignored.  Neither looks at what a call needs, so both break dependencies.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from tvlab.tasks.unlocking import dynamic_unlocking

Node = TypeVar("Node", bound=Hashable)


def random_walk(
    nodes: Sequence[Node], edges: Iterable[tuple[Node, Node]], length: int, rng: np.random.Generator
) -> list[Node]:
    """Return a walk of ``length`` nodes; repeated visits are kept, as a walk would call the tool again.

    >>> random_walk("ab", [("a", "b")], 4, np.random.default_rng(0))
    ['b', 'b', 'b', 'a']
    """
    successors: dict[Node, list[Node]] = {node: [] for node in nodes}
    for before, after in edges:
        successors[before].append(after)
    walk: list[Node] = []
    node: Node | None = None
    while len(walk) < length:
        ways = successors[node] if node is not None else []
        node = ways[int(rng.integers(len(ways)))] if ways else nodes[int(rng.integers(len(nodes)))]
        walk.append(node)
    return walk


def uniform(nodes: Sequence[Node], length: int, rng: np.random.Generator) -> list[Node]:
    """Return ``length`` distinct nodes (all of them if there are fewer) in random order."""
    return [nodes[at] for at in rng.permutation(len(nodes))[:length].tolist()]


def unlocking(
    nodes: Sequence[Node], edges: Iterable[tuple[Node, Node]], length: int, n: int, rng: np.random.Generator
) -> list[Node]:
    """Return the first ``length`` nodes of a dynamic unlocking sample, stage by stage."""
    stages = dynamic_unlocking(nodes, edges, n, rng)
    return [node for stage in stages for node in stage][:length]


def broken_dependencies(sequence: Sequence[Node], edges: Iterable[tuple[Node, Node]]) -> int:
    """Return how many calls come before some call that they depend on (every edge counts as needed)."""
    needs: dict[Node, set[Node]] = {}
    for before, after in edges:
        needs.setdefault(after, set()).add(before)
    seen: set[Node] = set()
    broken = 0
    for node in sequence:
        broken += not needs.get(node, set()) <= seen
        seen.add(node)
    return broken


def unsupplied(sequence: Sequence[Node], groups: Mapping[Node, Sequence[Iterable[Node]]]) -> int:
    """Return how many calls have a parameter that no earlier call could supply.

    Args:
        sequence: calls.
        groups: for each node the producers of each parameter that needs one: any of a group is enough.
    """
    seen: set[Node] = set()
    missing = 0
    for node in sequence:
        missing += any(seen.isdisjoint(group) for group in groups.get(node, ()))
        seen.add(node)
    return missing


def dependency_depth(sequence: Sequence[Node], edges: Iterable[tuple[Node, Node]]) -> int:
    """Return the longest chain of calls in which each depends on an earlier one (a lone call: 1)."""
    before: dict[Node, set[Node]] = {}
    for first, second in edges:
        before.setdefault(second, set()).add(first)
    depth: dict[Node, int] = {}
    for node in sequence:
        depth[node] = max(depth.get(node, 0), 1 + max((depth.get(b, 0) for b in before.get(node, ())), default=0))
    return max(depth.values(), default=0)
