"""A tool graph as tables of nodes and edges, and its layered drawing.

A tool's layer is the length of the longest chain of kept edges that leads to it; within a layer tools are
ordered by the mean height of those they depend on, which leaves few crossings but does not find the fewest.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import networkx as nx
import pandas as pd

from tvlab.environments.environment import Environment
from tvlab.reporting.palette import DATA_EDGE, GREY, ORDER_EDGE
from tvlab.tasks.graph import ToolGraph, propose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

WRITES, READS = "#FCE5D0", "#DCEBF7"


def node_table(environment: Environment, tools: ToolGraph) -> pd.DataFrame:
    """Return one row a tool: tool, operation, writes, layer, height (0 at the top of its layer)."""
    dag = tools.acyclic()
    layers = list(nx.topological_generations(dag))
    height: dict[str, float] = {}
    rows = []
    for number, layer in enumerate(layers):
        ordered = sorted(layer, key=lambda tool: (_mean_height(dag, tool, height), tool))
        for place, tool in enumerate(ordered):
            height[tool] = place - (len(ordered) - 1) / 2
            meaning = environment.meaning(tool)
            rows.append(
                {
                    "tool": tool,
                    "operation": meaning["operation"],
                    "writes": bool(meaning["writes"]),
                    "layer": number,
                    "height": height[tool],
                }
            )
    return pd.DataFrame(rows)


def _mean_height(dag: nx.DiGraph, tool: str, height: dict[str, float]) -> float:
    known = [height[before] for before in dag.predecessors(tool)]
    return sum(known) / len(known) if known else 0.0


def edge_table(tools: ToolGraph) -> pd.DataFrame:
    """Return one row an edge: before, after, kind, field, parameter, found, run (it was), feedback."""
    rows = [
        {
            "before": before,
            "after": after,
            "kind": about["kind"],
            "field": about["field"] or "",
            "parameter": about["parameter"] or "",
            "found": about["found"],
            "run": bool(about["evidence"]),
            "feedback": bool(about["feedback"]),
        }
        for before, after, about in tools.edges()
    ]
    columns = ["before", "after", "kind", "field", "parameter", "found", "run", "feedback"]
    return pd.DataFrame(rows, columns=columns).sort_values(columns[:5], ignore_index=True)


def plot_layers(axis: "Axes", nodes: pd.DataFrame, edges: pd.DataFrame) -> "Axes":
    """Draw tools as boxes in columns, and one arrow for each pair of tools and kind of edge."""
    boxes = {row.tool: _box(axis, row) for row in nodes.itertuples()}
    drawn = edges[edges["before"] != edges["after"]].drop_duplicates(["before", "after", "kind"])
    for edge in drawn.itertuples():
        _arrow(axis, boxes[edge.before], boxes[edge.after], edge.kind, edge.feedback)
    axis.set_xlim(-0.6, nodes["layer"].max() + 0.6)
    axis.set_ylim(-nodes["height"].max() - 0.7, -nodes["height"].min() + 0.7)
    axis.axis("off")
    _legend(axis, set(drawn["kind"]), bool(drawn["feedback"].any()))
    return axis


def _box(axis: "Axes", row: Any) -> "Text":
    look = {"boxstyle": "round,pad=0.35", "facecolor": WRITES if row.writes else READS, "edgecolor": GREY}
    words = row.tool if len(row.tool) <= 28 else row.tool[:27] + "…"
    place = (row.layer, -row.height)
    return axis.text(*place, words, ha="center", va="center", fontsize=10, bbox=look, zorder=3)


def _arrow(axis: "Axes", before: "Text", after: "Text", kind: str, feedback: bool) -> None:
    start, end = before.get_position(), after.get_position()
    colour = GREY if feedback else DATA_EDGE if kind == "data" else ORDER_EDGE
    bend = 0.35 if start[0] == end[0] or feedback else 0.08 if kind == "data" else -0.12
    axis.annotate(
        "",
        xy=end,
        xytext=start,
        zorder=1,
        arrowprops={
            "arrowstyle": "-|>",
            "color": colour,
            "linestyle": ":" if feedback else "-" if kind == "data" else "--",
            "linewidth": 1.2,
            "alpha": 0.8,
            "patchA": before.get_bbox_patch(),
            "patchB": after.get_bbox_patch(),
            "shrinkA": 1,
            "shrinkB": 2,
            "connectionstyle": f"arc3,rad={bend}",
        },
    )


def _legend(axis: "Axes", kinds: set[str], feedback: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=WRITES, edgecolor=GREY, label="changes the state"),
        Patch(facecolor=READS, edgecolor=GREY, label="reads"),
        Line2D([], [], color=DATA_EDGE, label="data: an output feeds a parameter (run)"),
    ]
    if "order" in kinds:
        handles.append(Line2D([], [], color=ORDER_EDGE, linestyle="--", label="order: one comes first"))
    if feedback:
        handles.append(Line2D([], [], color=GREY, linestyle=":", label="dropped to break a cycle"))
    axis.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(handles))


def graph_summary(environments: Mapping[str, Environment], graphs: Mapping[str, ToolGraph]) -> pd.DataFrame:
    """Return one row an environment: its tools and edges, in numbers.

    ``proposed`` counts data edges before running, ``data`` those that held, ``order`` order edges;
    ``or_groups`` counts parameters with a producer, ``choices`` those with more than one;
    ``dropped_for_cycles`` counts feedback edges; ``depth`` is the longest chain, in tools.
    """
    rows = []
    for name, tools in sorted(graphs.items()):
        groups = tools.or_groups
        proposed = propose(environments[name])
        rows.append(
            {
                "environment": name,
                "tools": tools.graph.number_of_nodes(),
                "proposed": sum(1 for _ in proposed.edges("data")),
                "data": sum(1 for _ in tools.edges("data")),
                "order": sum(1 for _ in tools.edges("order")),
                "or_groups": len(groups),
                "choices": sum(len(producers) > 1 for producers in groups.values()),
                "dropped_for_cycles": sum(bool(about["feedback"]) for _, _, about in tools.edges()),
                "depth": nx.dag_longest_path_length(tools.acyclic()) + 1,
            }
        )
    return pd.DataFrame(rows)
