"""The pipeline at a glance: how much of everything the latest runs of a profile left, and where to read on.

Counts come from the saved tables alone (their rows and the n in their side-files), so the picture is that of
results that exist; a step whose table is not there reads "not run".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tvlab.foundation.atomic_files import read_json
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import executed_folder
from tvlab.reporting.notebooks import Notebook
from tvlab.reporting.palette import GREY, SERIES, arm_label
from tvlab.reporting.run_records import RunRecords
from tvlab.reporting.shown import Shown, escaped, table, tag, tint
from tvlab.reporting.tables import load_table, table_provenance

Count = Callable[[pd.DataFrame, dict[str, Any]], str]


@dataclass(frozen=True)
class Step:
    """One step of the pipeline.

    Attributes:
        name: what comes out of it.
        table: the saved table that tells how much.
        count: words of the table and its n.
        notebook: where it is shown.
    """

    name: str
    table: str
    count: Count
    notebook: str


def _best(scores: pd.DataFrame, _: dict[str, Any]) -> str:
    scores = scores.dropna(subset=["score"])  # a condition that was left out is a row without a score
    if "condition" in scores and (scores["condition"] == "unlimited").any():
        scores = scores[scores["condition"] == "unlimited"]
    best = scores.sort_values("score").iloc[-1]
    untrained = scores.set_index("arm")["score"].get("untrained")
    beside = "" if untrained is None else f"; untrained {untrained:.2f}"
    return f"{arm_label(best['arm'])} {best['score']:.2f}{beside}"


STEPS = (
    Step("tool lists", "tool_fates", lambda t, n: f"{len(t)} servers, {t['tools'].sum()} tools",
         "01_environment_construction"),
    Step("verified environments", "environments", lambda t, n: f"{len(t)} environments, {t['tools'].sum()} tools",
         "01_environment_construction"),
    Step("tool graphs", "graph_summary", lambda t, n: f"{t['data'].sum()} data edges that held when run",
         "02_tdg_visualization"),
    Step("unlocked samples", "sampler_intervals", lambda t, n: f"{n.get('samples each', 0)} samples a sampler",
         "03_dus_sampling"),
    Step("tasks (GUST)", "gust_items", lambda t, n: f"{n.get('items', 0)} items", "04_gust_dataset"),
    Step("advantages", "theory_variance_map", lambda t, n: f"variance mapped at {len(t)} points",
         "05_tara_variance_theory"),
    Step("trained policies", "ablation_scores", lambda t, n: f"{t['arm'].nunique()} arms, {n.get('seeds', 0)} seeds",
         "06_component_ablation"),
    Step("held-out turn reward", "ablation_scores", _best, "06_component_ablation"),
)  # fmt: skip


# colours of boxes by notebook: what happens in environments, tasks and learning
_ROOMS = {"01": SERIES[0], "02": SERIES[1], "03": SERIES[1], "04": SERIES[1], "05": SERIES[2], "06": SERIES[2]}


def pipeline_counts(profile: str) -> pd.DataFrame:
    """Return one row a step: step, count in words, date, table, notebook; "not run" where its table is missing."""
    return pd.DataFrame([_row(step, profile) for step in STEPS])


def draw_pipeline(counts: pd.DataFrame) -> Shown:
    """Return the steps as boxes in reading order, an arrow from each to the next, each with count, date and a link."""
    boxes, lines = [], []
    for at, row in enumerate(counts.itertuples()):
        run = row.amount != "not run"
        number = row.notebook.split("_")[0]
        link = f'<a href="{escaped(row.notebook)}.ipynb">notebook {escaped(number)}</a>'
        when = f" · {escaped(row.date)}" if run else ""
        inside = (
            tag("b", escaped(row.step))
            + tag("div", escaped(row.amount), "font-size:115%;margin:4px 0")
            + tag("div", link + when, "opacity:.85;font-size:90%")
        )
        colour = _ROOMS[number] if run else GREY
        style = (f"background:{tint(colour, 0.16 if run else 0.06)};border:1px solid {tint(colour, 0.8)};"
                 "border-radius:8px;padding:8px 12px;flex:1")  # fmt: skip
        arrow = tag("div", "&rarr;" if at + 1 < len(counts) else "", "padding:0 6px;align-self:center;width:14px")
        boxes.append(tag("div", tag("div", inside, style) + arrow, "display:flex"))
        lines.append(f"{row.step}: {row.amount} ({row.notebook})")
    page = tag(
        "div", "".join(boxes), "display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:10px 0;max-width:1100px"
    )
    return Shown(page, "\n".join(lines))


def notebook_rows(notebooks: list[Notebook], profile: str) -> pd.DataFrame:
    """Return one row a notebook: name, question, minutes of the profile, how its latest run ended."""
    records = RunRecords(profile)
    return pd.DataFrame([
        {
            "notebook": notebook.name,
            "question": question(notebook),
            "minutes": f"{notebook.minutes.get(profile, float('nan')):g}",
            "latest_run": _status(notebook.name, profile, records),
        }
        for notebook in notebooks
    ])  # fmt: skip


def notebook_links(rows: pd.DataFrame) -> Shown:
    """Return the rows as a table with links, for a notebook's folder."""
    shown = [
        (f'<a href="{escaped(row.notebook)}.ipynb">{escaped(row.notebook)}</a>', escaped(row.question),
         tag("span", escaped(row.latest_run), "white-space:nowrap"))
        for row in rows.itertuples()
    ]  # fmt: skip
    lines = [f"{row.notebook}: {row.question} ({row.latest_run})" for row in rows.itertuples()]
    return Shown(table(("notebook", "question", "latest run"), shown), "\n".join(lines))


def question(notebook: Notebook) -> str:
    """Return the question that a notebook's first cell asks."""
    first = "".join(read_json(notebook.path, "notebook")["cells"][0]["source"])
    return first.partition("**Question.**")[2].split("\n\n")[0].strip().replace("\n", " ")


def _status(name: str, profile: str, records: RunRecords) -> str:
    record = records.get(name)
    if record is not None:
        return record.status
    stored = (executed_folder(profile) / f"{name}.ipynb").is_file()
    return "stored result" if stored else "not run"


def _row(step: Step, profile: str) -> dict[str, str]:
    row = {"step": step.name, "amount": "not run", "date": "", "table": step.table, "notebook": step.notebook}
    try:
        table, about = load_table(step.table, profile), table_provenance(step.table, profile)
    except UserError:
        return row
    return {**row, "amount": step.count(table, about["n"]), "date": str(about["date"])}
