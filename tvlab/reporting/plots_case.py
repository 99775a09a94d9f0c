"""The case study as a figure: a group's turns as cells, coloured by each arm's advantage, right turns marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tvlab.reporting.palette import arm_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_case_arm(axis: Axes, rows: pd.DataFrame, place: int) -> Axes:
    """Draw one arm of the rows of ``case_study.case_rows``; beyond the last arm the axis stays empty.

    ``place`` counts the arms from 0. Blue pushes up, vermilion down; all arms share one scale.
    """
    from matplotlib.colors import LinearSegmentedColormap

    arms = [name for name in rows.columns if name not in ("rollout", "turn", "reward")]
    if place >= len(arms):
        axis.axis("off")
        return axis
    arm = arms[place]
    table = rows.pivot(index="rollout", columns="turn", values=arm)
    right = rows.pivot(index="rollout", columns="turn", values="reward").to_numpy() > 0
    largest = float(np.abs(rows[arms].to_numpy()).max()) or 1.0
    shades = LinearSegmentedColormap.from_list("advantage", ["#D55E00", "white", "#0072B2"])
    axis.imshow(table.to_numpy(), cmap=shades, vmin=-largest, vmax=largest, aspect="auto")
    for (k, t), value in np.ndenumerate(table.to_numpy()):
        dark = abs(value) > 0.6 * largest
        mark = "right" if right[k, t] else "wrong"
        shown = f"{value:+.2f}" if abs(value) >= 0.005 else "0"
        axis.text(t, k, f"{mark}\n{shown}", ha="center", va="center", fontsize=10, color="white" if dark else "black")
    axis.set_xticks(range(table.shape[1]), table.columns)
    axis.set_yticks(range(table.shape[0]), table.index)
    axis.set(xlabel="user turn", ylabel="rollout" if place == 0 else "", title=arm_label(arm))
    axis.grid(False)
    axis.tick_params(length=0)
    return axis
