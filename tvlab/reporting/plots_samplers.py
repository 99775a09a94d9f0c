"""Dynamic unlocking beside a random walk and uniform draws on the same graphs, at equal numbers of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pandas as pd

from tvlab.evaluation.statistics import bootstrap_interval
from tvlab.foundation.seeds import generator
from tvlab.reporting.palette import SERIES
from tvlab.tasks.graph import ToolGraph
from tvlab.tasks.sampling_baselines import (
    broken_dependencies,
    dependency_depth,
    random_walk,
    uniform,
    unlocking,
    unsupplied,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SAMPLERS = ("unlocking", "random walk", "uniform")
MEASURES = {
    "broken": "calls before what they depend on",
    "unsupplied": "calls that nothing can supply",
    "coverage": "tools reached",
    "depth": "longest chain of dependent calls",
    "distinct": "different sequences",
}


def sampler_rows(
    graphs: Mapping[str, ToolGraph], samples: int, length: int, width: int, seed: int
) -> pd.DataFrame:
    """Draw from every graph with every sampler and measure.

    Args:
        graphs: {environment: graph}; those without an edge are left out.
        samples: sequences for each graph and sampler.
        length: calls of a sequence (fewer on a smaller graph).
        width: N of unlocking.
        seed: of the draws.

    Returns:
        One row an environment and sampler: environment, sampler, broken and unsupplied (shares of
        calls), coverage (share of the tools reached by all samples together), depth (mean), distinct (share).
    """
    rows = []
    for environment, graph in sorted(graphs.items()):
        dag = graph.acyclic()
        if not dag.edges:
            continue
        for sampler in SAMPLERS:
            rng = generator(seed, "samplers", environment, sampler)
            drawn = [_draw(sampler, dag, min(length, len(dag)), width, rng) for _ in range(samples)]
            rows.append({"environment": environment, "sampler": sampler, **_measured(drawn, dag, _suppliers(graph))})
    return pd.DataFrame(rows)


def _draw(sampler: str, dag: nx.DiGraph, length: int, width: int, rng: np.random.Generator) -> list[str]:
    nodes, edges = sorted(dag), sorted(dag.edges)
    if sampler == "unlocking":
        return unlocking(nodes, edges, length, width, rng)
    return random_walk(nodes, edges, length, rng) if sampler == "random walk" else uniform(nodes, length, rng)


def _suppliers(graph: ToolGraph) -> dict[str, list[set[str]]]:
    """For each tool the producers of each of its parameters."""
    groups: dict[str, list[set[str]]] = {}
    for (tool, _), producers in graph.or_groups.items():
        groups.setdefault(tool, []).append({name for name, _ in producers})
    return groups


def _measured(
    drawn: Sequence[Sequence[str]], dag: nx.DiGraph, groups: Mapping[str, Sequence[set[str]]]
) -> dict[str, float]:
    calls, edges = sum(map(len, drawn)), sorted(dag.edges)
    return {
        "broken": sum(broken_dependencies(sequence, edges) for sequence in drawn) / calls,
        "unsupplied": sum(unsupplied(sequence, groups) for sequence in drawn) / calls,
        "coverage": len({node for sequence in drawn for node in sequence}) / len(dag),
        "depth": float(np.mean([dependency_depth(sequence, edges) for sequence in drawn])),
        "distinct": len(set(map(tuple, drawn))) / len(drawn),
    }


def sampler_intervals(rows: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return a row a sampler and measure: sampler, measure, mean, low, high (95%, environments resampled)."""
    table: list[dict[str, Any]] = []
    for sampler in SAMPLERS:
        part = rows[rows["sampler"] == sampler]
        for measure in MEASURES:
            rng = generator(seed, "sampler intervals", sampler, measure)
            interval = bootstrap_interval(part, measure, rng, units=("environment",), resamples=2000)
            table.append({"sampler": sampler, "measure": measure, "mean": interval.estimate,
                          "low": interval.low, "high": interval.high})  # fmt: skip
    return pd.DataFrame(table)


def plot_measure(axis: Axes, table: pd.DataFrame, measure: str) -> Axes:
    """A dot with its interval for each sampler, for one measure."""
    part = table[table["measure"] == measure].set_index("sampler").loc[list(SAMPLERS)]
    for at, (_, row) in enumerate(part.iterrows()):
        axis.plot([row["low"], row["high"]], [at, at], color=SERIES[at], linewidth=3, solid_capstyle="butt")
        axis.plot(row["mean"], at, "o", color=SERIES[at], markersize=9)
    axis.set_yticks(range(len(SAMPLERS)), SAMPLERS)
    axis.set_ylim(len(SAMPLERS) - 0.5, -0.5)
    axis.set_xlabel(MEASURES[measure])
    if measure == "depth":
        axis.set_xlim(left=0)
    else:
        axis.set_xlim(-0.03, 1.03)
    return axis
