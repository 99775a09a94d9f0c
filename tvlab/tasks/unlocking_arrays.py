"""Dynamic Unlocking Sampling of large graphs: the same draws as ``unlocking.py``, on flat arrays.

From a few thousand nodes on, most of the time goes into waiting for memory: a dictionary, a list and an object
for each node lie far apart.  Here nodes are numbers, all successors stand in one array, and in-degrees in one
byte each where they fit, 1.5 MB at 100,000 nodes.  For a dozen nodes the arrays cost more than they save.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import TypeVar

import numpy as np

Node = TypeVar("Node", bound=Hashable)
LARGE = 2048
"""From this many nodes on ``dynamic_unlocking`` works on arrays."""


class StuckError(ValueError):
    """Nodes never unlocked: (before, after) edges among them are in ``edges``."""

    def __init__(self, edges: list[tuple[int, int]]) -> None:
        super().__init__("cycle")
        self.edges = edges


def unlock_on_arrays(
    nodes: Sequence[Node], edges: Iterable[tuple[Node, Node]], n: int, rng: np.random.Generator
) -> list[list[Node]]:
    """Sample what ``dynamic_unlocking`` samples, node for node, from the same generator.

    Args:
        nodes: distinct nodes; ``range(size)`` saves the look-up of their places.
        edges: (before, after) pairs of them.
        n: the most nodes a stage takes, at least 1.
        rng: numpy generator; ``len(nodes)`` uniforms are drawn from it.

    Raises:
        KeyError: an edge names a node that is not there.
        StuckError: the graph has a cycle.
    """
    names = list(dict.fromkeys(nodes))
    size = len(names)
    ends = _places(nodes, names, edges)
    before, after = ends[::2], ends[1::2]
    following = _packed(after[np.argsort(before, kind="stable")])
    first = _packed(np.concatenate([[0], np.cumsum(np.bincount(before, minlength=size))]))
    counts = np.bincount(after, minlength=size)
    blocked = bytearray(counts.astype(np.uint8).tobytes()) if counts.max(initial=0) < 256 else counts.tolist()
    uniforms = rng.random(size).tolist()
    queue = np.flatnonzero(counts == 0).tolist()
    stages: list[list[Node]] = []
    drawn = 0
    while queue:
        stage = []
        for _ in range(min(len(queue), n)):
            at = int(uniforms[drawn] * len(queue))
            drawn += 1
            stage.append(queue[at])
            last = queue.pop()
            if at < len(queue):
                queue[at] = last
        for node in stage:
            for other in following[first[node] : first[node + 1]]:
                left = blocked[other] - 1
                blocked[other] = left
                if not left:
                    queue.append(other)
        stages.append([names[node] for node in stage])
    if drawn < size:
        stuck = np.asarray(list(blocked)) > 0
        inside = stuck[before] & stuck[after]
        raise StuckError(list(zip(before[inside].tolist(), after[inside].tolist(), strict=True)))
    return stages


def _places(nodes: Sequence[Node], names: list[Node], edges: Iterable[tuple[Node, Node]]) -> np.ndarray:
    """Return the places of before, after, before, after, ... in the list of nodes."""
    ends: Iterable = chain.from_iterable(edges)
    if nodes != range(len(names)):
        place = {node: at for at, node in enumerate(names)}
        return np.fromiter(map(place.__getitem__, ends), np.int64)
    found = np.fromiter(ends, np.int64)
    outside = found[(found < 0) | (found >= len(names))]
    if outside.size:
        raise KeyError(int(outside[0]))
    return found


def _packed(values: np.ndarray) -> array:
    """Return whole numbers as an array that Python reads without a list of objects."""
    return array("i", values.astype(np.int32).tobytes())
