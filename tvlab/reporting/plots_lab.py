"""Figures of lab experiments: arms with intervals, lines over a swept setting, the course of training.

``LAB_FIGURES`` names each figure's tables and panels for ``drawings.py``. One colour and one marker an arm everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from tvlab.reporting.palette import GREY, SERIES, arm_colour, arm_label, arm_marker

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCORE = "turn reward, held-out environments"
MOST_BANDS = 6
"""Arms whose bands can still be told apart in one panel."""
TITLES = {"unlimited": "unlimited calls", "call_budget": "call budget for the episode"}


def plot_arms(axis: Axes, scores: pd.DataFrame, seeds: pd.DataFrame, condition: str = "unlimited") -> Axes:
    """A row an arm, best first: mean, 95% interval, a small dot a seed, calls per golden call in words."""
    own = scores[(scores["condition"] == condition) & scores["score"].notna()].sort_values("score", ascending=False)
    if own.empty:
        return _not_run(axis, TITLES.get(condition, condition))
    for place, row in enumerate(own.itertuples()):
        colour = arm_colour(row.arm)
        axis.plot([row.low, row.high], [place, place], color=colour, linewidth=3, alpha=0.6, solid_capstyle="round")
        dots = seeds[(seeds["condition"] == condition) & (seeds["arm"] == row.arm)]["score"]
        axis.plot(dots, [place + 0.28] * len(dots), linestyle="", marker=".", color=colour, alpha=0.7)
        axis.plot(row.score, place, marker=arm_marker(row.arm), markersize=9, color=colour)
        axis.annotate(f"{row.calls_per_golden_call:.1f}", (1.01, place), xycoords=("axes fraction", "data"),
                      va="center", fontsize=10, color=GREY)  # fmt: skip
    axis.set_yticks(range(len(own)), [arm_label(arm) for arm in own["arm"]])
    axis.invert_yaxis()
    axis.set_xlabel(f"{SCORE}\n(mean, 95% interval; dots: seeds;\nright: calls per golden call)")
    axis.set_title(TITLES.get(condition, condition))
    return axis


def plot_pairs(axis: Axes, differences: pd.DataFrame, condition: str = "unlimited") -> Axes:
    """A row a pair of arms: the paired difference with its 95% interval; filled where zero lies outside."""
    own = differences[differences["condition"] == condition]
    if own.empty:
        return _not_run(axis, TITLES.get(condition, condition))
    axis.axvline(0.0, color=GREY, linewidth=1)
    for place, row in enumerate(own.itertuples()):
        colour = arm_colour(row.second)
        axis.plot([row.low, row.high], [place, place], color=colour, linewidth=3, alpha=0.6, solid_capstyle="round")
        axis.plot(row.difference, place, marker=arm_marker(row.second), markersize=9, color=colour,
                  fillstyle="full" if row.excludes_zero else "none")  # fmt: skip
    axis.set_yticks(range(len(own)), [f"- {arm_label(second)}" for second in own["second"]])
    axis.invert_yaxis()
    axis.set_xlabel(f"{arm_label(own['first'].iloc[0])} minus the other, turn reward\n"
                    "(paired, 95% interval; filled: zero outside)")  # fmt: skip
    axis.set_title(TITLES.get(condition, condition))
    return axis


def plot_lines(axis: Axes, table: pd.DataFrame, x: str, xlabel: str, by: str = "arm", ylabel: str = SCORE,
               only: tuple[str, Any] | None = None, even: bool = False) -> Axes:  # fmt: skip
    """Score over a setting, a line for each value of ``by``, with its 95% interval.

    Args:
        axis: where to draw.
        table: by, x, score, low, high.
        x, xlabel: the column and its words.
        by: arm, or another column.
        ylabel: words for the score.
        only: (column, value) of the rows to draw.
        even: put the settings at even distances, in order of appearance, as for settings that are words.
    """
    own = table if only is None else table[table[only[0]] == only[1]]
    own = own[own["score"].notna()]
    if own.empty:
        return _not_run(axis, str(only[1]) if only else "")
    places = {value: at for at, value in enumerate(dict.fromkeys(own[x]))} if even else {v: v for v in own[x]}
    names = list(dict.fromkeys(own[by]))
    for at, name in enumerate(names):
        rows = own[own[by] == name]
        colour = arm_colour(name) if by == "arm" else SERIES[at]
        shift = (at - (len(names) - 1) / 2) * 0.012 * (max(places.values()) - min(places.values()) or 1)
        at_x = [places[value] + shift for value in rows[x]]
        marker = arm_marker(name) if by == "arm" else "o"
        axis.plot(at_x, rows["score"], color=colour, marker=marker, markersize=7, linewidth=1.6,
                  label=arm_label(name) if by == "arm" else str(name))  # fmt: skip
        axis.vlines(at_x, rows["low"], rows["high"], color=colour, alpha=0.5, linewidth=2)
    low, high = axis.get_ylim()
    axis.set_ylim(low, high + (0.12 if len(names) == 1 else 0.07 * len(names)) * (high - low))  # room for words
    if len(names) == 1:
        for value, calls in zip(own[x], own["calls_per_golden_call"], strict=True):
            axis.annotate(f"{calls:.1f}", (places[value], 0.98), xycoords=("data", "axes fraction"), ha="center",
                          va="top", fontsize=10, color=GREY, backgroundcolor="white")  # fmt: skip
        xlabel += "\n(top: calls per golden call)"
    axis.set_xticks(list(places.values()), [f"{v:g}" if not isinstance(v, str) else v for v in places])
    axis.set_xlabel(xlabel)
    axis.set_ylabel(ylabel)
    place: Literal["best", "upper left"] = "best" if len(names) == 1 else "upper left"
    axis.legend(fontsize=10, frameon=True, framealpha=0.85, edgecolor="none", loc=place)
    return axis


def plot_sweep(axis: Axes, table: pd.DataFrame, parameter: str, words: str, condition: str = "unlimited") -> Axes:
    """Score over lambda or gamma with 95% intervals; a dotted line at the paper's 0.5."""
    own = table[(table["parameter"] == parameter) & (table["condition"] == condition)]
    if own["score"].notna().any():
        axis.axvline(0.5, color=GREY, linestyle=":", linewidth=1)
    plot_lines(axis, own.assign(arm="tara"), "value", words)
    axis.set_title(TITLES.get(condition, condition))
    legend = axis.get_legend()
    if legend is not None:
        legend.remove()
    return axis


def plot_course(axis: Axes, table: pd.DataFrame, measure: str, ylabel: str, legend: bool = False) -> Axes:
    """A measure over updates, a line an arm; with few arms a band that spans the runs."""
    own = table[table["measure"] == measure]
    if own.empty:
        return _not_run(axis, ylabel)
    for arm, rows in own.groupby("arm", sort=False):
        colour = arm_colour(str(arm))
        axis.plot(rows["update"], rows["score"], color=colour, marker=arm_marker(str(arm)), markevery=2,
                  markersize=6, label=arm_label(str(arm)))  # fmt: skip
        if own["arm"].nunique() <= MOST_BANDS:
            axis.fill_between(rows["update"], rows["low"], rows["high"], color=colour, alpha=0.08, linewidth=0)
    axis.set_xlabel("updates")
    axis.set_ylabel(ylabel)
    if legend:
        axis.legend(fontsize=10)
    return axis


def plot_environments(axis: Axes, table: pd.DataFrame, plan: str, xlabel: str) -> Axes:
    """Score over the number of training environments under a plan for items; right of the line not all are domains."""
    own = table[table["items"] == plan]
    plot_lines(axis, own, "environments", xlabel, even=True)
    counts = own.drop_duplicates("environments")
    domains = int((counts["source"] == "domains").sum())
    if domains < len(counts):
        words = str(counts["source"].iloc[-1])
        axis.axvline(domains - 0.5, color=GREY, linestyle=":", linewidth=1)
        axis.annotate(words, (domains - 0.4, 0.02), xycoords=("data", "axes fraction"), fontsize=10, color=GREY)
    return axis


def plot_sizes_of_policy(axis: Axes, table: pd.DataFrame) -> Axes:
    """Score of each arm in three sizes of the lab policy."""
    axis.set_title("measured: lab policy")
    return plot_lines(axis, table, "size", "size of the lab policy", even=True)


def plot_published(axis: Axes, table: pd.DataFrame) -> Axes:
    """The paper's scores of its three models, averaged over its benchmarks; not ours, another scale."""
    models = list(dict.fromkeys(table["model"]))
    for arm, rows in table.groupby("arm", sort=False):
        name = "untrained" if arm == "base" else str(arm)
        axis.plot([models.index(model) for model in rows["model"]], rows["published_mean"], color=arm_colour(name),
                  marker=arm_marker(name), linewidth=1.6, label=f"{arm} (published)")  # fmt: skip
    labels = [model.replace(" ", "\n", 1).replace("-Instruct", "\nInstruct") for model in models]
    axis.set_xticks(range(len(models)), labels, fontsize=10)
    axis.set_ylabel("published score, mean of three benchmarks (%)")
    axis.set_xlabel("language model")
    axis.set_title("published (32 A100): not measured here")
    axis.legend(fontsize=10)
    return axis


def _not_run(axis: Axes, title: str) -> Axes:
    axis.text(0.5, 0.5, "not run", ha="center", va="center", transform=axis.transAxes, color=GREY)
    axis.set_title(title)
    axis.set_xticks([])
    axis.set_yticks([])
    return axis


def _course(measures: Sequence[tuple[str, str]]) -> tuple[tuple[Any, tuple[int, ...]], ...]:
    return tuple((partial(plot_course, measure=measure, ylabel=words, legend=at == 0), (0,))
                 for at, (measure, words) in enumerate(measures))  # fmt: skip


# name: (tables, panels, (width, height) in inches, columns), the arguments of ``drawings.Drawing``
LAB_FIGURES: dict[str, tuple[Any, ...]] = {
    "component_ablation": (
        ("ablation_scores", "ablation_seeds"),
        ((partial(plot_arms, condition="unlimited"), (0, 1)), (partial(plot_arms, condition="call_budget"), (0, 1))),
        (13.5, 7), 2,
    ),
    "component_differences": (
        ("ablation_differences",),
        ((partial(plot_pairs, condition="unlimited"), (0,)), (partial(plot_pairs, condition="call_budget"), (0,))),
        (13.5, 6.5), 2,
    ),
    "learning_curves": (
        ("ablation_curves",),
        _course([("turn_reward", "turn reward, training items"),
                 ("validation_turn_reward", "turn reward, validation environments")]),
        (12.5, 5.5), 2,
    ),
    "lambda_gamma": (
        ("sweep_scores",),
        tuple((partial(plot_sweep, parameter=name, words=words, condition=condition), (0,))
              for condition in TITLES
              for name, words in (("lambda", "lambda (gamma 0.5)"), ("gamma", "gamma (lambda 0.5)"))),
        (12, 9), 2,
    ),
    "environment_scale": (
        ("environment_scale",),
        ((partial(plot_environments, plan="fixed", xlabel="training environments, total of items fixed"), (0,)),
         (partial(plot_environments, plan="growing", xlabel="training environments, so many items each"), (0,))),
        (12.5, 5.5), 2,
    ),
    "training_dynamics": (
        ("dynamics",),
        _course([("trace_score", "trace score, training items"),
                 ("validation_trace_score", "trace score, validation"),
                 ("validation_outcome", "validation score (outcome met)"),
                 ("entropy", "entropy of a decision (nats)"),
                 ("gradient_norm", "gradient norm"),
                 ("advantage_variance", "variance of the advantages")]),
        (14, 8.5), 3,
    ),
    "main_results": (
        ("main_scores", "main_published"),
        ((plot_sizes_of_policy, (0,)), (plot_published, (1,))),
        (12.5, 5.5), 2,
    ),
    "horizon": (
        ("horizon_scores",),
        ((partial(plot_lines, x="turns", xlabel="user turns of an item"), (0,)),),
        (8, 5), 1,
    ),
    "reward_noise": (
        ("noise_scores",),
        ((partial(plot_lines, x="reward", xlabel="reward in training", even=True), (0,)),),
        (8, 5), 1,
    ),
}  # fmt: skip
