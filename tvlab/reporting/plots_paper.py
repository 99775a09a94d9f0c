"""The paper's component table as a picture: published scores and measured ones on axes of their own."""

from typing import TYPE_CHECKING

import pandas as pd

from tvlab.reporting.palette import arm_colour, arm_label, arm_marker

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_published(axis: "Axes", components: pd.DataFrame) -> "Axes":
    """A row for each published arm: its BFCL score in percent, as the paper gives it, without an interval.

    Args:
        axis: where to draw.
        components: the saved table ``paper_components``.
    """
    rows = _one_each(components[components["published BFCL-v3 multi-turn"] != "not published"])
    for place, (arm, score) in enumerate(zip(rows["lab arm"], rows["published BFCL-v3 multi-turn"], strict=True)):
        axis.plot(float(score), place, marker=arm_marker(arm), markersize=10, color=arm_colour(arm))
    _name_rows(axis, rows)
    axis.set_title("As published: 8B language model, 32 A100")
    axis.set_xlabel("BFCL-v3 multi-turn (%)")
    return axis


def plot_measured(axis: "Axes", components: pd.DataFrame) -> "Axes":
    """A row for each arm: the lab policy's turn reward with its 95% interval, or the words "not run"."""
    rows = _one_each(components)
    for place, row in enumerate(rows[["lab arm", "measured", "low", "high"]].itertuples(index=False)):
        arm, score, low, high = row
        if pd.isna(score):
            axis.text(0.02, place, "not run", va="center", transform=axis.get_yaxis_transform())
            continue
        axis.plot([low, high], [place] * 2, color=arm_colour(arm), linewidth=3, alpha=0.6)
        axis.plot(score, place, marker=arm_marker(arm), markersize=10, color=arm_colour(arm))
    _name_rows(axis, rows)
    axis.set_title("Measured here: lab policy, CPU, unlimited calls")
    axis.set_xlabel("turn reward on held-out environments\n(mean, 95% interval)")
    return axis


def _one_each(components: pd.DataFrame) -> pd.DataFrame:
    """A row an arm, in the table's order: of several conditions the one without a limit, which is the paper's."""
    budget = components["note"].fillna("").astype(str).str.contains("call_budget")
    rows = pd.concat([components[~budget], components[budget]]).drop_duplicates("lab arm")
    return rows.sort_index()


def _name_rows(axis: "Axes", rows: pd.DataFrame) -> None:
    axis.set_yticks(range(len(rows)), [arm_label(arm) for arm in rows["lab arm"]])
    axis.set_ylim(len(rows) - 0.5, -0.5)
