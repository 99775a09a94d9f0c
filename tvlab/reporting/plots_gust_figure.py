"""Figure 4 of the paper in our form: how hard items are (pass@k), how complex their graphs, how long their turns.

pass@k comes from the ready sample's card: the search teacher on all its items, models on some.  Graphs and
turns come from the recorded dataset of a corpus (``benchmarks/gust_dataset.json``, made by the command of
``benchmarks/README.md``); where there is no record, from the profile's own items.  Published figures stand in
columns of their own; the paper's pass@k curve and its distributions are not known as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import tvlab
from tvlab.environments.environment import Environment
from tvlab.foundation.atomic_files import read_json
from tvlab.foundation.places import home
from tvlab.foundation.published import published
from tvlab.foundation.seeds import generator
from tvlab.foundation.stored_runs import source_hash
from tvlab.reporting.palette import GREY, SERIES
from tvlab.tasks.graph import ToolGraph
from tvlab.tasks.item import Item
from tvlab.tasks.pass_at_k import pass_at_k

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KS = (1, 2, 4, 8)
RESAMPLES = 2000
_TEACHER = "search teacher"
_MARKERS = ("o", "s", "^", "D")


def dataset_record() -> dict[str, Any] | None:
    """Return the recorded dataset of a corpus, None where there is none."""
    path = home() / "benchmarks" / "gust_dataset.json"
    return read_json(path) if path.is_file() else None


def record_is_current(record: Mapping[str, Any]) -> bool:
    """True if the code that makes environments and items is still that of the record."""
    package = Path(tvlab.__file__).parent
    return record["code"] == source_hash(*(package / room for room in ("foundation", "environments", "tasks")))


def pass_table(items: Sequence[Item], models: Sequence[Mapping[str, Any]], seed: int = 0) -> pd.DataFrame:
    """Return pass@k with intervals: solver, k, pass_at_k, low, high (95%, items resampled), items, attempts.

    Args:
        items: with the search teacher's results in their filters.
        models: records of models that tried items (``model_passes.py``).
        seed: of the resampling.
    """
    teacher = [item.filters["teacher"] for item in items if "teacher" in item.filters]
    solvers = [(_TEACHER, teacher), *((str(record["model"]), record["items"]) for record in models)]
    rows = []
    for solver, results in solvers:
        rng = generator(seed, "pass intervals", solver)
        for k in KS:
            values = np.array([pass_at_k(r["attempts"], r["successes"], k) for r in results if r["attempts"] >= k])
            if len(values):
                means = values[rng.integers(0, len(values), (RESAMPLES, len(values)))].mean(axis=1)
                low, high = np.quantile(means, (0.025, 0.975))
                rows.append(
                    {"solver": solver, "k": k, "pass_at_k": values.mean(), "low": low, "high": high,
                     "items": len(values), "attempts": max(r["attempts"] for r in results)}
                )  # fmt: skip
    return pd.DataFrame(rows)


def complexity_table(
    record: Mapping[str, Any] | None, environments: Mapping[str, Environment], graphs: Mapping[str, ToolGraph]
) -> pd.DataFrame:
    """Return one row an environment with items: source, environment, tools, data_edges (run and held)."""
    own = [
        {"source": "this profile", "environment": name, "tools": len(environments[name].tools),
         "data_edges": sum(1 for _ in graph.edges("data"))}
        for name, graph in sorted(graphs.items())
    ]  # fmt: skip
    rows = [{"source": "corpus", "environment": one["name"], **one} for one in (record or {}).get(_LISTED, ())]
    return pd.DataFrame([*rows, *own])[["source", "environment", "tools", "data_edges"]]


_LISTED = "environments_with_items"


def depth_table(record: Mapping[str, Any] | None, items: Sequence[Item]) -> pd.DataFrame:
    """Return how many items have calls in chains of each length: source, depth, items, share."""
    own = pd.Series([item.provenance["depth"] for item in items]).value_counts().to_dict()
    return _counted(record, "items_by_depth", own, "depth")


def turn_table(record: Mapping[str, Any] | None, items: Sequence[Item]) -> pd.DataFrame:
    """Return how many items have how many user turns: source, turns, items, share."""
    own = pd.Series([len(item.turns) for item in items]).value_counts().to_dict()
    return _counted(record, "turns_per_item", own, "turns")


def _counted(record: Mapping[str, Any] | None, name: str, own: Mapping[int, int], column: str) -> pd.DataFrame:
    sources = {"corpus": {int(k): n for k, n in record[name].items()}} if record else {}
    rows = [
        {"source": source, column: value, "items": int(counts[value]), "share": counts[value] / sum(counts.values())}
        for source, counts in {**sources, "this profile": own}.items()
        for value in sorted(counts)
    ]
    return pd.DataFrame(rows)


def beside_published(record: Mapping[str, Any] | None, card: Mapping[str, Any]) -> pd.DataFrame:
    """Return figures of datasets beside the paper's: figure, corpus, sample, published (texts)."""
    paper, figures = published()["dataset"], card["statistics"]
    names = {
        "items": ("items", f"{paper['items']:,}"),
        "environments": ("environments", str(paper["environments"])),
        "tools": ("tools", f"{paper['tools']:,}"),
        "tools an environment": ("tools_per_environment", f"{paper['tools_per_environment']} in the text"),
        "user turns an item": ("user_turns_per_item", f"{paper['tasks_per_item']} tasks"),
        "golden calls an item": ("calls_per_item", "not stated"),
        "calls on the longest path": ("depth", "not known as a number"),
        "largest share of one environment": ("largest_share_of_one_environment", "not stated"),
    }
    rows = [
        {"figure": figure, "corpus": _shown(record, name), "sample": _shown(figures, name), "published": told}
        for figure, (name, told) in names.items()
    ]
    teacher = {row["k"]: row["pass_at_k"] for row in card["pass_at_k"]}
    rows.append(
        {"figure": "pass@8 of the teacher", "corpus": "not run", "sample": f"{teacher[8]:.3f} (search)",
         "published": f"not known as a number ({paper['teacher']})"}
    )  # fmt: skip
    return pd.DataFrame(rows)


def _shown(figures: Mapping[str, Any] | None, name: str) -> str:
    if figures is None:
        return "not run"
    value = figures[name]
    return f"{value:,}" if isinstance(value, int) else f"{value:.1%}" if "share" in name else f"{value:.2f}"


def bars_table(record: Mapping[str, Any] | None) -> pd.DataFrame:
    """Return the bars of the recorded dataset: figure, bar, value, held; one row "not run" without a record."""
    if record is None:
        none = {"figure": "all", "bar": "", "value": "not run", "held": "not run: no record of a corpus"}
        return pd.DataFrame([none])
    return pd.DataFrame(
        [
            {"figure": one["figure"], "bar": _bar(one["least"], one["most"]), "value": one["value"],
             "held": "yes" if one["held"] else "no"}
            for one in record["bars"]
        ]
    )  # fmt: skip


def _bar(least: float | None, most: float | None) -> str:
    return " and ".join(
        f"{word} {value:g}" for word, value in (("at least", least), ("at most", most)) if value is not None
    )


def plot_pass(axis: Axes, table: pd.DataFrame) -> Axes:
    """pass@k against k, a line a solver with its 95% interval; k on a logarithmic axis."""
    for at, (solver, part) in enumerate(table.groupby("solver", sort=False)):
        colour, low, high = SERIES[at], part["pass_at_k"] - part["low"], part["high"] - part["pass_at_k"]
        axis.errorbar(
            part["k"], part["pass_at_k"], yerr=[low, high], color=colour, marker=_MARKERS[at % len(_MARKERS)],
            capsize=4, label=f"{solver} ({part['items'].iloc[0]} items)",
        )  # fmt: skip
    axis.set_xscale("log", base=2)
    axis.set_xticks(sorted(table["k"].unique()), [str(k) for k in sorted(table["k"].unique())])
    axis.set_ylim(0, 1)
    axis.set_xlabel("k attempts")
    axis.set_ylabel("pass@k")
    axis.legend(loc="upper left", fontsize="small")
    return axis


def plot_gust_complexity(axis: Axes, table: pd.DataFrame) -> Axes:
    """A point an environment: its tools and the data edges that held when run."""
    for at, (source, part) in enumerate(table.groupby("source", sort=False)):
        axis.scatter(
            part["tools"], part["data_edges"], color=SERIES[at], marker=_MARKERS[at], alpha=0.7,
            label=f"{source} ({len(part)} environments)",
        )  # fmt: skip
    axis.set_yscale("log")
    axis.set_xlabel("tools")
    axis.set_ylabel("data edges that held")
    axis.legend(loc="upper left", fontsize="small")
    return axis


def plot_counts(axis: Axes, table: pd.DataFrame, column: str, label: str, paper: float | None = None) -> Axes:
    """Bars beside each other: the share of items with each value; lines at the means and the published one."""
    sources = list(table["source"].unique())
    width = 0.8 / len(sources)
    for at, source in enumerate(sources):
        part = table[table["source"] == source]
        mean = (part[column] * part["items"]).sum() / part["items"].sum()
        offset = (at - (len(sources) - 1) / 2) * width
        name = f"{source}: mean {mean:.2f}, {part['items'].sum():,} items"
        axis.bar(part[column] + offset, 100 * part["share"], width, color=SERIES[at], label=name)
    if paper is not None:
        axis.axvline(paper, color=GREY, linestyle="--", label=f"published mean {paper:g}")
    axis.set_xticks(sorted(table[column].unique()))
    axis.set_xlabel(label)
    axis.set_ylabel("items (%)")
    axis.set_ylim(top=1.35 * 100 * table["share"].max())
    axis.legend(loc="upper right", fontsize="small")
    return axis


def plot_turns(axis: Axes, table: pd.DataFrame) -> Axes:
    """User turns an item, with the paper's mean of tasks an item."""
    return plot_counts(axis, table, "turns", "user turns an item", published()["dataset"]["tasks_per_item"])
