"""The pipeline as a figure: steps as boxes in reading order, with what the latest runs left in each."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pandas as pd

from tvlab.reporting.palette import GREY, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = 4


def plot_pipeline(axis: Axes, counts: pd.DataFrame) -> Axes:
    """Draw the rows of ``overview.pipeline_counts`` as boxes, four in a row, an arrow from each to the next."""
    rows = -(-len(counts) // _COLUMNS)
    axis.set(xlim=(-0.5, _COLUMNS - 0.5), ylim=(-0.6, rows - 0.4))
    axis.axis("off")
    places = [(at % _COLUMNS, rows - 1 - at // _COLUMNS) for at in range(len(counts))]
    boxes = []
    for (x, y), row in zip(places, counts.itertuples(), strict=True):
        run = row.amount != "not run"
        colour = SERIES[0] if run else GREY
        style = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": colour, "linewidth": 1.8}
        text = f"{row.step}\n{_folded(row.amount)}\n(notebook {row.notebook.split('_')[0]})"
        boxes.append(axis.text(x, y, text, ha="center", va="center", fontsize=14, bbox=style,
                               color="black" if run else GREY))  # fmt: skip
    for before, after in pairwise(boxes):
        (x0, y0), (x1, y1) = before.get_position(), after.get_position()
        start, end = ((x0 + 0.4, y0), (x1 - 0.4, y1)) if y0 == y1 else ((x0, y0 - 0.3), (x1, y1 + 0.3))
        axis.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": GREY, "linewidth": 1.5})
    return axis


def _folded(text: str, width: int = 22) -> str:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)
