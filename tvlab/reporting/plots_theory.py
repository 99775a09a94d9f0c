"""Figures of notebook 05, each drawn from a table of `theory_tables`."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tvlab.reporting.palette import GREY, SERIES, arm_colour, arm_label, arm_marker

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FLOOR = 1e-5  # a smaller squared bias is drawn here: it cannot be told from 0 by sampling
_READING_TITLES = {
    "same discount": "r + λrS against r + S",
    "usual return": "r + λrS against r + γS",
    "no discount": "r + λrS against the undiscounted sum",
    "future alone": "λrS against S",
}
_MAIN = ("grpo", "grpo_outcome", "rloo", "return_to_go", "turn_local", "turn_local_future", "tara")
_PUBLISHED = ("mt_grpo", "matchtir", "gigpo", "espo")


def plot_variance_map(axis: "Axes", table: pd.DataFrame, reading: str) -> "Axes":
    """log2 of the ratio of the variances at turn 1 over p and damage; red where TARA's form has the larger.

    The black line is ratio 1; dots mark where the sufficient condition proves that TARA's is not larger. Ratios
    beyond the colours, such as that of a variance of 0, are drawn as the last colour.
    """
    rows = table[table["reading"] == reading]
    ours, theirs = (np.maximum(rows[side], 1e-12) for side in ("ours", "theirs"))
    ratio = rows.assign(ratio=np.log2(ours / theirs)).pivot(index="damage", columns="p", values="ratio")
    image = axis.pcolormesh(
        ratio.columns, ratio.index, ratio, cmap="RdBu_r", vmin=-2, vmax=2, shading="nearest"
    )
    if ratio.min().min() < 0 < ratio.max().max():
        axis.contour(ratio.columns, ratio.index, ratio, levels=[0.0], colors="black", linewidths=1.8)
    proven = rows[rows["proven"]]
    axis.scatter(proven["p"], proven["damage"], s=4, color="black", linewidths=0)
    axis.set_xlabel("success probability p of a turn")
    axis.set_ylabel("damage of a failure")
    axis.set_title(_READING_TITLES.get(reading, reading))
    axis.grid(visible=False)
    axis.figure.colorbar(image, ax=axis, label="log2 variance ratio, TARA / other", shrink=0.9)
    return axis


def plot_boundary(axis: "Axes", table: pd.DataFrame) -> "Axes":
    """Success probability beyond which A.2 is false, for independent turns, over lambda and gamma."""
    grid = table.pivot(index="gamma", columns="lam", values="p")
    image = axis.pcolormesh(grid.columns, grid.index, grid, cmap="viridis", vmin=0, vmax=1, shading="nearest")
    lines = axis.contour(
        grid.columns, grid.index, grid, levels=[0.4, 0.6, 0.8], colors="white", linewidths=1.2
    )
    axis.clabel(lines, fmt="%.1f", fontsize=10)
    axis.set_xlabel("lambda")
    axis.set_ylabel("gamma")
    axis.set_title("Beyond this p, A.2 is false (independent turns)")
    axis.grid(visible=False)
    axis.figure.colorbar(image, ax=axis, label="boundary p*", shrink=0.9)
    return axis


def plot_zscored(axis: "Axes", table: pd.DataFrame) -> "Axes":
    """Variance of both z-scored advantages at turn 1 against group size; a colour for each process."""
    for at, ((p, damage), rows) in enumerate(table.groupby(["p", "damage"])):
        colour = SERIES[at % len(SERIES)]
        words = f"p = {p:g}, damage {damage:g}"
        axis.plot(rows["rollouts"], rows["tara"], marker="o", color=colour, label=words)
        axis.plot(rows["rollouts"], rows["return_to_go"], marker="^", linestyle="--", color=colour)
    axis.axhline(1.0, color=GREY, linewidth=1)
    axis.set_xscale("log", base=2)
    axis.set_xticks(sorted(table["rollouts"].unique()), [str(k) for k in sorted(table["rollouts"].unique())])
    axis.set_ylim(bottom=0)
    axis.set_xlabel("rollouts in a group, K")
    axis.set_ylabel("variance of the advantage, turn 1")
    axis.set_title("z-scored: TARA (solid) and return-to-go (dashed)")
    axis.legend()
    return axis


def plot_quality(axis: "Axes", table: pd.DataFrame, column: str, published: bool = False) -> "Axes":
    """One measure of the gradient against group size, at the largest damage below 1 in the table."""
    damages = sorted(table["damage"].unique())
    damage = damages[len(damages) // 2]
    for name in (*_PUBLISHED, "grpo", "tara") if published else _MAIN:
        rows = table[(table["estimator"] == name) & (table["damage"] == damage)]
        if rows.empty:
            continue
        faint = published and name not in _PUBLISHED
        axis.plot(
            rows["rollouts"],
            rows[column].clip(lower=_FLOOR),
            marker=arm_marker(name),
            color=GREY if faint else arm_colour(name),
            linestyle=":" if faint else "-",
            label=arm_label(name),
        )
    sizes = sorted(table["rollouts"].unique())
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xticks(sizes, [str(size) for size in sizes])
    axis.set_xlabel("rollouts in a group, K")
    words = {"bias2": "squared bias", "variance": "variance", "mse": "mean squared error"}[column]
    axis.set_ylabel(f"{words} / |g|$^2$")
    axis.set_title(f"{words.capitalize()} (damage {damage:g})")
    if column == "bias2":
        axis.axhline(_FLOOR, color=GREY, linewidth=1, linestyle=":")
        axis.text(sizes[0], _FLOOR, "at or below 0.00001", va="bottom", fontsize=9, color=GREY)
        axis.legend(fontsize=8.5, ncols=2, loc="center", bbox_to_anchor=(0.5, 0.59))
    return axis


def plot_pushed_down(axis: "Axes", table: pd.DataFrame, p: float = 0.8) -> "Axes":
    """Share of correct turns with a negative advantage, one bar an estimator, sorted."""
    rows = table[np.isclose(table["p"], p)].sort_values("share", ascending=True)
    names = [arm_label(name) for name in rows["estimator"]]
    bars = axis.barh(names, 100 * rows["share"], color=[arm_colour(name) for name in rows["estimator"]])
    axis.bar_label(bars, fmt="%.1f", padding=3, fontsize=10)
    axis.set_xlabel(f"correct turns with a negative advantage (%), p = {p:g}")
    axis.set_title("Correct turns pushed down")
    axis.grid(visible=False, axis="y")
    axis.margins(x=0.12)
    return axis


def plot_turn_weights(axis: "Axes", table: pd.DataFrame) -> "Axes":
    """Share of each turn in the loss by aggregation mode, stacked; the second rollout is drawn paler."""
    modes = list(dict.fromkeys(table["mode"]))[::-1]
    left = np.zeros(len(modes))
    for (rollout, turn), rows in table.groupby(["rollout", "turn"]):
        width = 100 * rows.set_index("mode").loc[modes, "share"].to_numpy()
        label = f"rollout {rollout}, turn {turn}: {rows['tokens'].iloc[0]:,} tokens"
        colour, alpha = SERIES[turn - 1], 1.0 if rollout == 1 else 0.45
        axis.barh(modes, width, left=left, color=colour, alpha=alpha, edgecolor="white", label=label)
        left = left + width
    axis.set_xlabel("share of the loss (%)")
    axis.set_title("What a turn weighs in the loss")
    axis.legend(fontsize=9, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.16))
    axis.grid(visible=False, axis="y")
    return axis
