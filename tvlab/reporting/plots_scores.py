"""Scores of endpoints drawn: one row a category with intervals and the score of doing nothing; failures by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tvlab.evaluation.failures import KINDS
from tvlab.reporting.palette import GREY, SERIES
from tvlab.reporting.score_tables import NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 0.6
"""Of the band in which the endpoints of one category stand."""
LIGHT = {SERIES[1], SERIES[4], SERIES[5]}
"""Colours that black is read on."""
SHOWN = 12
"""Failures that a part of a bar must have for its number to be written in, in percent of the bar."""


def plot_scores(axis: Axes, table: pd.DataFrame) -> Axes:
    """Draw scores in percent with 95% intervals; a grey bar is doing nothing, n stands at the right.

    Args:
        axis: to draw on.
        table: as ``score_tables.long_table`` gives.
    """
    places = list(dict.fromkeys(zip(table["bench"], table["category"], strict=True)))
    rows = {place: at for at, place in enumerate(places)}
    models = [name for name in dict.fromkeys(table["model"]) if (table.loc[table["model"] == name, "n"] > 0).any()]
    for place, at in rows.items():
        floor = table[(table["bench"] == place[0]) & (table["category"] == place[1])]["do_nothing"].max()
        if not np.isnan(floor):
            axis.plot([floor, floor], [at - 0.4, at + 0.4], color=GREY, lw=3, label="doing nothing" if not at else None)
    for number, model in enumerate(models):
        part = table[(table["model"] == model) & table["score"].notna()]
        step = WIDTH * ((number + 0.5) / len(models) - 0.5)
        heights = [rows[place] + step for place in zip(part["bench"], part["category"], strict=True)]
        low, high = (part["score"] - part["low"]).fillna(0), (part["high"] - part["score"]).fillna(0)
        colour = SERIES[number % len(SERIES)]
        axis.errorbar(
            part["score"], heights, xerr=[low, high], fmt="o", color=colour, capsize=3, lw=1.5, label=model
        )
        for height, n, tasks in zip(heights, part["n"], part["tasks"], strict=True):
            told = f"{tasks} task{'' if tasks == 1 else 's'}, {n} played"
            axis.text(101, height, told, va="center", fontsize="x-small", color=colour)
    for place, at in rows.items():
        if not (table[(table["bench"] == place[0]) & (table["category"] == place[1])]["n"] > 0).any():
            axis.text(101, at, "not run", va="center", fontsize="x-small", color=GREY)
    axis.set_yticks(range(len(places)), [_label(*place) for place in places])
    axis.set(xlim=(-3, 100), ylim=(len(places) - 0.4, -0.6), xlabel="score (%), 95% interval over tasks and runs")
    axis.legend(loc="upper center", bbox_to_anchor=(0.4, 1.07), ncols=3)
    return axis


def plot_failures(axis: Axes, table: pd.DataFrame) -> Axes:
    """Draw one bar a benchmark and model: shares of its failures by kind.

    Args:
        axis: to draw on.
        table: bench, model, kind, failures.
    """
    table = table.assign(model=table["model"].fillna(""))
    models = list(dict.fromkeys(table["model"]))
    pairs = set(zip(table["bench"], table["model"], strict=True))
    rows = sorted(pairs, key=lambda pair: (list(NAMES).index(pair[0]), models.index(pair[1])))
    kinds = [*KINDS, *sorted(set(table["kind"].fillna("")) - set(KINDS) - {""})]
    counts = table.pivot_table(
        index=["bench", "model"], columns="kind", values="failures", aggfunc="sum", fill_value=0, dropna=False
    )
    counts = counts.reindex(index=pd.MultiIndex.from_tuples(rows), columns=kinds, fill_value=0)
    shares = 100 * counts.div(counts.sum(axis=1).replace(0, np.nan), axis=0)
    left = np.zeros(len(rows))
    for number, kind in enumerate(kinds):
        colour = SERIES[number % len(SERIES)]
        values = shares[kind].fillna(0).to_numpy()
        ink = "black" if colour in LIGHT else "white"
        axis.barh(range(len(rows)), values, left=left, color=colour, label=kind.replace("_", " "), edgecolor="white")
        for at, value in enumerate(values):
            if value >= SHOWN:
                axis.text(left[at] + value / 2, at, f"{value:.0f}%", ha="center", va="center", color=ink)
        left = left + values
    several = len(set(models) - {""}) > 1
    for at, total in enumerate(counts.sum(axis=1).astype(int)):
        axis.text(101, at, f"{total} failures" if total else "none recorded", va="center", fontsize="small")
    names = [f"{NAMES[bench]}\n{model}" if several and model else NAMES[bench] for bench, model in rows]
    axis.set_yticks(range(len(rows)), names)
    axis.set(xlim=(0, 118), xlabel="failures (%)", ylim=(max(len(rows), 1) - 0.4, -0.6))
    axis.grid(axis="y", visible=False)
    axis.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=4)
    return axis


def _label(bench: str, category: str) -> str:
    short = NAMES[bench].split(" ")[0].split("-")[0]
    return short if category == "all" else f"{short}: {category.replace('_', ' ')}"
