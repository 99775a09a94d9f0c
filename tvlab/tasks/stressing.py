"""New items that stress what a model got wrong (error-driven drawing).

Failures are rows as ``tvlab evaluate --explain`` writes them: kind, tool, environment, kind of the turn.  More
items are drawn than wanted, with the kinds of turns that were failed at a higher share, and kept with a
probability that grows with how much of the failures they touch:

    wrong tool, wrong argument, gave up, format   calls of the tools that were failed
    missing call                                  turns of several calls
    surplus call                                  turns in which nothing may change
    truncated                                     pasted material

The items come from another stream of draws than any dataset's, so that a held-out set drawn with the same seed
does not come back.  Failures of other benchmarks name tools that no environment here has: they only move the
kinds of turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tvlab.environments.environment import Environment
from tvlab.foundation.seeds import generator
from tvlab.tasks.graph import ToolGraph
from tvlab.tasks.gust import build_items
from tvlab.tasks.item import Item
from tvlab.tasks.turn_kinds import EMPTY, MIXED_SHARES

POOL = 4
"""Items drawn for each one that is kept."""
MOST_SPECIAL = 0.6
"""Special turns that may be asked for; the others stay plain."""
LEAST_WEIGHT = 0.02
"""Of an item that touches no failure, so that the draw never runs dry."""
_OF_TOOLS = ("wrong_tool", "wrong_argument", "gave_up", "format")


@dataclass(frozen=True)
class Stress:
    """What failures are made of.

    Attributes:
        tools: how often each (environment, tool) was failed; environment "" is any.
        kinds: share of each kind of failure.
        turns: share of each special kind of turn among the failed turns.
    """

    tools: Mapping[tuple[str, str], int]
    kinds: Mapping[str, float]
    turns: Mapping[str, float]


def stress_of(failures: Sequence[Mapping[str, Any]]) -> Stress:
    """Sum failures up; rows need ``kind`` and may have ``tool``, ``environment`` and ``turn_kind``.

    >>> stress_of([{"kind": "gave_up", "tool": "pay", "environment": "shop"}]).tools
    {('shop', 'pay'): 1}
    """
    tools = Counter((row.get("environment", ""), row["tool"]) for row in failures if row.get("tool"))
    kinds = Counter(row["kind"] for row in failures)
    turns = Counter(row.get("turn_kind", "plain") for row in failures)
    whole = max(len(failures), 1)
    return Stress(
        dict(tools),
        {kind: count / whole for kind, count in kinds.items()},
        {kind: turns[kind] / whole for kind in MIXED_SHARES if turns[kind]},
    )


def stressing_items(
    environment: Environment, graph: ToolGraph, count: int, seed: int, stress: Stress
) -> list[Item]:
    """Draw items that stress failures.

    Args:
        environment: one that carries tasks.
        graph: its tool graph.
        count: how many to keep; fewer come back if the environment has not that many in it.
        seed: of everything random.
        stress: what was failed.

    Returns:
        Items by number, each with ``provenance["like"]``: how much of the failures it touches, 0 to 1.
    """
    rng = generator(seed, "items like failures", environment.name)
    drawn = build_items(
        environment, graph, POOL * count, int(rng.integers(1 << 30)), shares=turn_shares(stress.turns)
    )
    weights = np.array([touched(item, stress) for item in drawn])
    keys = rng.random(len(drawn)) ** (1 / (LEAST_WEIGHT + weights))  # Efraimidis and Spirakis 2006
    kept = sorted(np.argsort(-keys)[:count])
    for at in kept:
        drawn[at].provenance["like"] = round(float(weights[at]), 4)
    return [drawn[at] for at in kept]


def turn_shares(failed: Mapping[str, float]) -> dict[str, float]:
    """Return the shares of special turns to draw: the usual ones and those of failed turns, half each.

    >>> turn_shares({"irrelevant": 1.0})["irrelevant"] > 2 * MIXED_SHARES["irrelevant"]
    True
    """
    mixed = {kind: (share + failed.get(kind, 0.0)) / 2 for kind, share in MIXED_SHARES.items()}
    return {kind: share * min(1.0, MOST_SPECIAL / sum(mixed.values())) for kind, share in mixed.items()}


def touched(item: Item, stress: Stress) -> float:
    """Return how much of the failures an item touches, 0 to 1: its features weighed by the kinds' shares."""
    most = max(stress.tools.values(), default=1)
    tools = [_failed(stress, item.environment, call.tool) / most for _, call in item.golden()]
    of_tools = float(np.mean(tools)) if tools else 0.0
    turns = len(item.turns)
    features = {
        **dict.fromkeys(_OF_TOOLS, of_tools),
        "missing_call": sum(len(turn.calls) > 1 for turn in item.turns) / turns,
        "surplus_call": sum(turn.kind in EMPTY for turn in item.turns) / turns,
        "truncated": sum(bool(turn.context) for turn in item.turns) / turns,
    }
    return sum(share * features.get(kind, 0.0) for kind, share in stress.kinds.items())


def _failed(stress: Stress, environment: str, tool: str) -> int:
    return stress.tools.get((environment, tool), 0) + stress.tools.get(("", tool), 0)
