"""A tool graph to look into: pointing at an edge shows what running it showed.

The layers are those of the static drawing (``plots_graph.py``).  Each edge has a mark in its middle, an arrow; its
label says which output feeds which parameter, how that was found and the evidence.  Edges that only the schemas
propose can be switched on in the legend; their label says why no environment ran them.

JupyterLab shows it with the extension that plotly brings, without network; so does VS Code.  Elsewhere one line
of text stands in its place, and ``save_html`` writes a page that needs nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from tvlab.foundation.atomic_files import write_text
from tvlab.reporting.palette import DATA_EDGE, GREY, ORDER_EDGE
from tvlab.reporting.plots_graph import READS, WRITES
from tvlab.tasks.executability import EXECUTED
from tvlab.tasks.graph import ToolGraph

MIMETYPE = "application/vnd.plotly.v1+json"
_LONGEST = 90
_CURVE = tuple(step / 12 for step in range(13))
_MARKS = (0.42, 0.5, 0.58)

# kind of edge: (name in the legend, colour, dash, shown at first)
_KINDS = {
    "data": ("data: an output feeds a parameter (run)", DATA_EDGE, "solid", True),
    "order": ("order: one comes first (run)", ORDER_EDGE, "dash", True),
    "feedback": ("dropped to break a cycle", GREY, "dot", True),
    "proposed": ("proposed, not executed: click to show", "#CC79A7", "dot", "legendonly"),
}


@dataclass(frozen=True)
class InteractiveGraph:
    """A figure for notebooks.

    Attributes:
        spec: ``data``, ``layout`` and ``config`` of plotly.
        words: what a display without plotly shows.
    """

    spec: Mapping[str, Any]
    words: str

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {MIMETYPE: dict(self.spec), "text/plain": self.words}

    def save_html(self, path: str | Path) -> Path:
        """Write a page with plotly inside (about 4.5 MB), for a browser without network."""
        from plotly.io import to_html

        figure = {"data": self.spec["data"], "layout": self.spec["layout"]}
        page = to_html(figure, config=self.spec["config"], include_plotlyjs=True, validate=False)
        return write_text(path, page)


def interactive_layers(
    nodes: pd.DataFrame, tools: ToolGraph, proposals: Iterable[Mapping[str, Any]] = ()
) -> InteractiveGraph:
    """Return the layered drawing of a graph whose edges tell their evidence.

    Args:
        nodes: of ``node_table``.
        tools: the executed graph.
        proposals: rows of ``proposal_rows``; those that were not executed can be switched on.
    """
    from plotly.graph_objects import Figure

    places = {row.tool: (float(row.layer), -float(row.height)) for row in nodes.itertuples()}
    labels = _labels(tools)
    for row in proposals:
        pair = (row["producer"], row["consumer"])
        if row["outcome"] != EXECUTED and set(pair) <= places.keys() and pair[0] != pair[1]:
            labels.setdefault(("proposed", *pair), []).append(_reason(row))
    figure = Figure(layout={"template": None})
    for kind in _KINDS:
        mine = {(before, after): told for (of, before, after), told in labels.items() if of == kind}
        if mine:
            figure.add_traces(_edges(kind, mine, places))
    figure.update_layout(_layout(nodes, places))
    spec = json.loads(figure.to_json())
    config = {"displaylogo": False, "responsive": True, "scrollZoom": True}
    words = f"Interactive graph of {tools.environment}: shown by JupyterLab; the drawing above is the same graph."
    return InteractiveGraph({**spec, "config": config}, words)


def _labels(tools: ToolGraph) -> dict[tuple[str, str, str], list[str]]:
    """Return what to tell of each (kind, before, after): one text an edge."""
    labels: dict[tuple[str, str, str], list[str]] = {}
    for before, after, about in tools.edges():
        if before != after:
            kind = "feedback" if about["feedback"] else about["kind"]
            labels.setdefault((kind, before, after), []).append(evidence_text(about))
    return labels


def evidence_text(about: Mapping[str, Any]) -> str:
    """Return what an edge carries and what running it showed, lines apart by ``<br>``, all values escaped."""
    evidence = about["evidence"]
    if about["kind"] == "order":
        lines = [f"the other way round: {_short(evidence.get('reversed', 'not run'))}"]
    else:
        lines = [
            f"<b>{escape(about['field'])} → {escape(about['parameter'])}</b>, found by {escape(about['found'])}"
        ]
        if not evidence:
            lines.append("not run")
        for name, words in (
            ("with_value", f"with the value {_short(evidence.get('value'))}"),
            ("with_unknown", "with a value no call returned"),
            ("without_producer", "without the producer's call"),
        ):
            if name in evidence:
                lines.append(f"{words}: {_short(evidence[name])}")
    return "<br>".join(lines)


def _reason(row: Mapping[str, Any]) -> str:
    what = f"<b>→ {escape(row['parameter'])}</b>, {escape(row['key'])}, found by {escape(row['found'])}"
    detail = f" ({_short(row['detail'])})" if row["detail"] else ""
    return f"{what}<br>not executed: {escape(row['outcome'])}{detail}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return escape(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def _edges(
    kind: str, labels: Mapping[tuple[str, str], Sequence[str]], places: Mapping[str, tuple[float, float]]
) -> list[dict[str, Any]]:
    """Return two traces: the lines of one kind of edge, and the marks in their middles that carry the labels."""
    name, colour, dash, shown = _KINDS[kind]
    lines: dict[str, list[Any]] = {"x": [], "y": []}
    marks: dict[str, list[Any]] = {"x": [], "y": [], "hovertext": [], "size": []}
    for (before, after), told in labels.items():
        ends = places[before], places[after]
        for at in _CURVE:
            _put(lines, _on_curve(*ends, at, kind))
        _put(lines, (None, None))
        text = f"{escape(before)} → {escape(after)}<br>" + "<br>".join(told)
        for at, size in zip(_MARKS, (0.1, 11, 0.1), strict=True):
            _put(marks, _on_curve(*ends, at, kind))
            marks["hovertext"].append(text)
            marks["size"].append(size)
    both = {"type": "scatter", "legendgroup": kind, "visible": shown}
    return [
        {**both, **lines, "mode": "lines", "name": name, "hoverinfo": "skip",
         "line": {"color": colour, "width": 1.4, "dash": dash}, "opacity": 0.75},
        {**both, "x": marks["x"], "y": marks["y"], "mode": "markers", "showlegend": False, "hoverinfo": "text",
         "hovertext": marks["hovertext"],
         "marker": {"symbol": "arrow", "angleref": "previous", "color": colour, "size": marks["size"],
                    "line": {"width": 0}}},
    ]  # fmt: skip


def _put(points: dict[str, list[Any]], point: tuple[float | None, float | None]) -> None:
    points["x"].append(None if point[0] is None else round(point[0], 3))
    points["y"].append(None if point[1] is None else round(point[1], 3))


def _on_curve(
    start: tuple[float, float], end: tuple[float, float], at: float, kind: str
) -> tuple[float, float]:
    """Return a point of a curve whose middle is bent aside, so that edges between the same tools stay apart."""
    bend = {"data": 0.12, "order": -0.18, "feedback": 0.3, "proposed": -0.3}[kind]
    across = (start[1] - end[1], end[0] - start[0])
    aside = bend if start[0] != end[0] else bend + 0.25
    middle = ((start[0] + end[0]) / 2 + 0.15 * aside * across[0], (start[1] + end[1]) / 2 + aside * across[1])
    weights = ((1 - at) ** 2, 2 * at * (1 - at), at**2)
    return tuple(sum(w * p[i] for w, p in zip(weights, (start, middle, end), strict=True)) for i in (0, 1))  # type: ignore[return-value]


def _layout(nodes: pd.DataFrame, places: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    boxes = []
    for row in nodes.itertuples():
        x, y = places[row.tool]
        does = "changes the state" if row.writes else "reads"
        boxes.append(
            {
                "x": x, "y": y, "text": escape(row.tool), "showarrow": False, "borderpad": 4, "bordercolor": GREY,
                "bgcolor": WRITES if row.writes else READS, "font": {"size": 12, "color": "#222222"},
                "hovertext": f"{escape(row.tool)}: {escape(row.operation)}, {does}",
            }
        )  # fmt: skip
    tall = int(nodes.groupby("layer").size().max())
    hidden = {"visible": False, "fixedrange": False}
    return {
        "annotations": boxes,
        "xaxis": {**hidden, "range": [-0.5, float(nodes["layer"].max()) + 0.5]},
        "yaxis": hidden,
        "height": 170 + 78 * tall,
        "margin": {"l": 10, "r": 10, "t": 10, "b": 10},
        "hovermode": "closest",
        "hoverdistance": 30,
        "hoverlabel": {"align": "left", "bgcolor": "white", "font": {"size": 12, "color": "#222222"}, "namelength": -1},
        "legend": {"orientation": "h", "y": -0.02, "yanchor": "top"},
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "dragmode": "pan",
    }
