"""How complex the tool graphs of environments are: density, chains, choices, cycles; table and panels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import networkx as nx
import pandas as pd

from tvlab.reporting.palette import SERIES
from tvlab.tasks.executability import Executable, counted, proposal_rows
from tvlab.tasks.graph import ToolGraph
from tvlab.tasks.schema_proposals import SchemaEdge

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# measure: its words on an axis
MEASURES = {
    "density": "pairs of tools with an edge (share)",
    "layers": "longest chain, all edges (tools)",
    "data_chain": "longest chain, data edges (tools)",
    "or_group_mean": "producers that can supply a parameter (mean)",
    "or_group_largest": "producers that can supply a parameter (most)",
    "cycles_broken": "pairs left out to break cycles",
}
_NAMED = 24
"""Up to this many environments have a bar each; more are a histogram."""


def complexity_table(graphs: Mapping[str, ToolGraph]) -> pd.DataFrame:
    """Return one row an environment.

    Columns: environment; tools; edges (pairs of tools, whatever the number of parameters); density, edges over
    ordered pairs of tools; layers and data_chain, the longest chain in tools over all kept edges and over data edges
    alone; or_groups, parameters with a producer, with the mean and the largest number of producers; cycles_broken,
    pairs of tools whose edges were left out.
    """
    rows = []
    for name, tools in sorted(graphs.items()):
        dag, size = tools.acyclic(), tools.graph.number_of_nodes()
        pairs = {(a, b) for a, b, _ in tools.edges() if a != b}
        data = nx.DiGraph([(a, b) for a, b, about in tools.edges("data") if dag.has_edge(a, b)])
        sizes = [len({producer for producer, _ in producers}) for producers in tools.or_groups.values()]
        rows.append(
            {
                "environment": name,
                "tools": size,
                "edges": len(pairs),
                "density": len(pairs) / (size * (size - 1)) if size > 1 else float("nan"),
                "layers": nx.dag_longest_path_length(dag) + 1 if size else 0,
                "data_chain": nx.dag_longest_path_length(data) + 1 if data else 1,
                "or_groups": len(sizes),
                "or_group_mean": sum(sizes) / len(sizes) if sizes else float("nan"),
                "or_group_largest": max(sizes, default=0),
                "cycles_broken": len({(a, b) for a, b, about in tools.edges() if about["feedback"]}),
            }
        )
    return pd.DataFrame(rows)


def complexity_summary(table: pd.DataFrame, record: Mapping[str, Any] | None) -> pd.DataFrame:
    """Return the spread of each measure over environments, of a profile and of a recorded corpus.

    Args:
        table: rows of ``complexity_table``.
        record: of a dataset (``benchmarks/gust_dataset.json``), whose ``graph_complexity`` holds such rows of all
            environments; None where there is none.

    Columns: source, environments, measure, least, lower (first quarter), median, upper, most; "not run" where the
    record has no such rows.
    """
    corpus = (record or {}).get("graph_complexity")
    rows: list[dict[str, Any]] = []
    for source, part in (("this profile", table), ("corpus", pd.DataFrame(corpus) if corpus else None)):
        for measure in ("tools", *MEASURES):
            spread: Sequence[Any] = ["not run"] * len(_SPREAD)
            if part is not None:
                spread = [round(float(part[measure].quantile(at)), 3) for at in _SPREAD.values()]
            found: Any = "not run" if part is None else len(part)
            shown = dict(zip(_SPREAD, spread, strict=True))
            rows.append({"source": source, "environments": found, "measure": measure, **shown})
    return pd.DataFrame(rows)


_SPREAD = {"least": 0.0, "lower": 0.25, "median": 0.5, "upper": 0.75, "most": 1.0}


def outcome_table(servers: Iterable[tuple[str, list[SchemaEdge], Executable]]) -> pd.DataFrame:
    """Return one row an outcome: how many proposals of how many servers were executed, or why they were not."""
    rows = []
    for server, edges, built in servers:
        counts = counted(proposal_rows(edges, built))
        rows += [{"server": server, "outcome": outcome, "proposals": count} for outcome, count in counts.items()]
    table = pd.DataFrame(rows, columns=["server", "outcome", "proposals"])
    found = table.groupby("outcome", sort=False)["proposals"]
    result = pd.DataFrame({"proposals": found.sum(), "servers": found.agg(lambda column: int((column > 0).sum()))})
    result["share"] = result["proposals"] / max(int(result["proposals"].sum()), 1)
    return result.reset_index()


def plot_complexity(axis: Axes, table: pd.DataFrame, measure: str) -> Axes:
    """Draw one measure: a bar an environment if they are few, else a histogram with the median."""
    at = list(MEASURES).index(measure)
    values = table.dropna(subset=[measure])
    if len(values) <= _NAMED:
        ordered = values.sort_values([measure, "environment"])
        axis.barh(ordered["environment"], ordered[measure], color=SERIES[at], height=0.7)
        for place, value in enumerate(ordered[measure]):
            axis.text(value, place, f" {value:.2g}", va="center", fontsize=10)
        axis.grid(visible=False, axis="y")
        axis.margins(x=0.12)
    else:
        whole = bool((values[measure] % 1 == 0).all())
        bins = [edge - 0.5 for edge in range(int(values[measure].max()) + 2)] if whole else 20
        axis.hist(values[measure], bins=bins, color=SERIES[at], rwidth=0.85)
        median = values[measure].median()
        axis.axvline(median, color="#222222", linestyle="--", label=f"median {median:.2g}")
        axis.set_ylabel("environments")
        axis.legend()
    axis.set_xlabel(MEASURES[measure])
    return axis
