"""Dynamic unlocking on the graphs of environments: how many stages it takes, and one sample as a picture."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pandas as pd

from tvlab.foundation.seeds import generator
from tvlab.reporting.palette import GREY, SERIES
from tvlab.tasks.unlocking import dynamic_unlocking

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLED = SERIES[0]
# states of a tool at a stage: (colour, words)
_STATES = (("#EFEFEF", "locked"), ("#F6D58A", "unlocked, waiting"), (_CALLED, "called"), ("#CDE6DB", "called before"))


def stage_counts(
    dags: Mapping[str, nx.DiGraph], widths: Sequence[int], samples: int, seed: int
) -> pd.DataFrame:
    """Sample each DAG often and count stages and different sequences.

    Args:
        dags: {environment: DAG of its tools}.
        widths: values of N, the most calls a stage takes; N = 1 is one call after the other.
        samples: sequences for each DAG and N.
        seed: of the samples.

    Returns:
        One row a DAG and N: environment, tools, depth (longest chain, in tools), n, samples, stages (mean),
        low and high (5% and 95% quantiles over the samples), different (different sequences / samples).
    """
    rows = []
    for environment, dag in dags.items():
        nodes, edges = sorted(dag), sorted(dag.edges)
        for n in widths:
            rng = generator(seed, "stages", environment, n)
            sampled = [dynamic_unlocking(nodes, edges, n, rng) for _ in range(samples)]
            lengths = pd.Series([len(stages) for stages in sampled], dtype=float)
            distinct = {tuple(tuple(sorted(stage)) for stage in stages) for stages in sampled}
            rows.append(
                {
                    "environment": environment,
                    "tools": len(nodes),
                    "depth": _depth(dag),
                    "n": n,
                    "samples": samples,
                    "stages": lengths.mean(),
                    "low": lengths.quantile(0.05),
                    "high": lengths.quantile(0.95),
                    "different": len(distinct) / samples,
                }
            )
    return pd.DataFrame(rows)


def _depth(dag: nx.DiGraph) -> int:
    return nx.dag_longest_path_length(dag, weight=None) + 1 if len(dag) else 0


def stage_sample(environment: str, dag: nx.DiGraph, n: int, seed: int) -> pd.DataFrame:
    """Return one sampled sequence: one row a tool with environment, tool, n, unlocked and stage (both from 1).

    A tool is unlocked from the stage on that follows the last tool it depends on; it waits in the queue until drawn.
    """
    stages = dynamic_unlocking(sorted(dag), sorted(dag.edges), n, generator(seed, "sample", environment, n))
    drawn = {tool: number for number, stage in enumerate(stages, start=1) for tool in stage}
    return pd.DataFrame(
        [
            {
                "environment": environment,
                "tool": tool,
                "n": n,
                "unlocked": 1 + max((drawn[before] for before in dag.predecessors(tool)), default=0),
                "stage": number,
            }
            for tool, number in drawn.items()
        ]
    )


def plot_stage_counts(axis: "Axes", counts: pd.DataFrame) -> "Axes":
    """Mean number of stages against N, one line an environment; bars hold 5% to 95% of the samples.

    The environments stand beside each other at each N, since many of them have the same numbers.
    """
    groups = list(counts.groupby("environment", sort=True))
    step = 0.45 / len(groups)
    for at, (environment, rows) in enumerate(groups):
        spread = [rows["stages"] - rows["low"], rows["high"] - rows["stages"]]
        axis.errorbar(
            rows["n"] + (at - (len(groups) - 1) / 2) * step, rows["stages"], yerr=spread, marker="o", markersize=5,
            linewidth=0.8, elinewidth=2.2, color=SERIES[at % len(SERIES)], label=str(environment),
        )  # fmt: skip
    axis.set_xticks(sorted(counts["n"].unique()))
    axis.set_ylim(bottom=0)
    axis.set_xlabel("N, the most calls a stage takes")
    axis.set_ylabel("stages for all tools once")
    axis.set_title("Wider stages, shorter sequences")
    axis.legend(fontsize=9)
    return axis


def plot_stages(axis: "Axes", sample: pd.DataFrame, edges: pd.DataFrame) -> "Axes":
    """One sequence: each tool in the column of its stage, an arrow from each tool to those that depend on it.

    Args:
        axis: to draw on.
        sample: rows of ``stage_sample``.
        edges: before and after, one row an edge of the DAG.
    """
    small = sample["stage"].max() > 9
    boxes = {}
    for stage, rows in sample.groupby("stage"):
        for at, tool in enumerate(rows["tool"]):
            boxes[tool] = axis.text(
                stage,
                (len(rows) - 1) / 2 - at + 0.12 * (-1) ** stage,  # arrows between neighbours do not all lie on one line
                tool.replace("_", "_\n", 1) if small else tool,
                ha="center",
                va="center",
                fontsize=8 if small else 10.5,
                zorder=3,
                bbox={"boxstyle": "round,pad=0.35", "facecolor": "#DCEBF7", "edgecolor": _CALLED},
            )
    for before, after in edges.itertuples(index=False):
        start, end = boxes[before], boxes[after]
        axis.annotate(
            "",
            xy=end.get_position(),
            xytext=start.get_position(),
            zorder=1,
            arrowprops={
                "arrowstyle": "-|>",
                "color": GREY,
                "alpha": 0.65,
                "linewidth": 1.0,
                "patchA": start.get_bbox_patch(),
                "patchB": end.get_bbox_patch(),
                "connectionstyle": "arc3,rad=0.06",
            },
        )
    last, high = int(sample["stage"].max()), sample["stage"].value_counts().max() / 2
    axis.set_xlim(0.4, last + 0.6)
    axis.set_ylim(-high - 0.3, high + 0.3)
    axis.set_xticks(range(1, last + 1))
    axis.set_yticks([])
    axis.spines["left"].set_visible(False)
    axis.grid(visible=False, axis="y")
    axis.set_xlabel("stage")
    n, environment = int(sample["n"].iloc[0]), sample["environment"].iloc[0]
    axis.set_title(f"One run of unlocking on {environment}, N = {n}: arrows lead to what depends on a call")
    return axis


def plot_queue(axis: "Axes", sample: pd.DataFrame) -> "Axes":
    """The same sequence as states: a row for each tool, a column a stage; the amber cells of a column are the queue."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    last = int(sample["stage"].max())
    stages = np.arange(1, last + 1)[None, :]
    unlocked, stage = (sample[column].to_numpy()[:, None] for column in ("unlocked", "stage"))
    state = np.where(stages < unlocked, 0, np.where(stages < stage, 1, np.where(stages == stage, 2, 3)))
    axis.imshow(
        state,
        cmap=ListedColormap([colour for colour, _ in _STATES]),
        vmin=0,
        vmax=len(_STATES) - 1,
        aspect="auto",
        extent=(0.5, last + 0.5, len(sample) - 0.5, -0.5),
    )
    axis.set_xticks(range(1, last + 1))
    axis.set_yticks(range(len(sample)), sample["tool"])
    axis.set_xticks(np.arange(0.5, last + 1), minor=True)
    axis.set_yticks(np.arange(-0.5, len(sample)), minor=True)
    axis.grid(visible=False)
    axis.grid(visible=True, which="minor", color="white", linewidth=1.5)
    axis.set_axisbelow(False)
    axis.tick_params(which="both", length=0)
    axis.set_xlabel("stage")
    axis.set_title("The same run as states: at most N of the unlocked tools are called at a stage")
    handles = [Patch(facecolor=colour, label=words) for colour, words in _STATES]
    axis.legend(handles=handles, ncols=len(_STATES), loc="upper center", bbox_to_anchor=(0.5, -0.12))
    return axis


def violations(dag: nx.DiGraph, sample: pd.DataFrame) -> int:
    """Return how many edges of the DAG a sampled sequence breaks: 0 if it is one of dynamic unlocking."""
    stage = dict(zip(sample["tool"], sample["stage"], strict=True))
    return sum(stage[before] >= stage[after] for before, after in dag.edges)
