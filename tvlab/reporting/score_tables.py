"""Tables of endpoint scores: one column an endpoint, one row a category, with what must stand beside the numbers.

Published figures come in a table of their own, labelled as such: other models, other code, other user models.
They are means of a benchmark; the paper gives no intervals and no category.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tvlab.evaluation.failure_groups import failure_rows
from tvlab.evaluation.score_rows import BENCHES
from tvlab.evaluation.score_sources import known_floors
from tvlab.evaluation.score_store import load_scores
from tvlab.evaluation.score_summary import MEAN, differences, gust_summary, score_frame, summary, turn_summary
from tvlab.foundation.atomic_files import read_json
from tvlab.foundation.places import home
from tvlab.foundation.published import published
from tvlab.foundation.seeds import generator

NAMES = {"gust": "GUST", "bfcl": "BFCL Multi-Turn", "tau2": "tau2-bench", "acebench": "ACEBench-Agent"}
"""Of the benchmarks; their versions stand in the footnotes."""
PUBLISHED_NAMES = NAMES | {"bfcl": "BFCL-v3 Multi-Turn"}
PUBLISHED = "published, not run here"
NOT_RUN = "not run"
COUNTS = ("tasks", "runs", "n", "errors", "errors_user", "unread")
"""Columns of ``summary`` that are 0 where nothing was run."""


def long_table(folders: Sequence[str | Path], seed: int = 0, resamples: int = 10_000) -> pd.DataFrame:
    """Return one row an endpoint and category, in percent.

    Args:
        folders: of scores.
        seed: of the intervals.
        resamples: of the bootstrap.

    Returns:
        the columns of ``summary`` and model, mode, do_nothing (score of doing nothing), version.  A category that
        was not run has a row with NaN and n = 0.
    """
    tables = [] if folders else [_nothing_run()]
    for label, folder in zip(_labels(folders), map(Path, folders), strict=True):
        config, rows = load_scores(folder)
        origin = _origin(folder)
        table = summary(rows, generator(seed, "endpoint scores", config["model"]), resamples)
        whole = pd.DataFrame(_places(), columns=["bench", "category"]).merge(table, how="left")
        whole[list(COUNTS)] = whole[list(COUNTS)].fillna(0).astype(int)
        whole["units"] = whole["units"].fillna("").replace("", NOT_RUN)
        whole["do_nothing"] = [_floor(origin, *place) for place in _places()]
        whole["version"] = [origin.get(bench, {}).get("version", "") for bench, _ in _places()]
        whole.insert(0, "model", label)
        whole.insert(1, "mode", config["mode"])
        tables.append(whole)
    return pd.concat(tables, ignore_index=True)


def _labels(folders: Sequence[str | Path]) -> list[str]:
    """What each endpoint is called in tables: its model, with the folder where two have the same model."""
    paths = [Path(folder) for folder in folders]
    models = [load_scores(path)[0]["model"] for path in paths]
    labels = []
    for model, path in zip(models, paths, strict=True):
        alike = [other.name for name, other in zip(models, paths, strict=True) if name == model]
        shown = path.name if alike.count(path.name) == 1 else path
        labels.append(model if len(alike) == 1 else f"{model} in {shown}")
    return labels


def score_folders(named: str = "") -> list[Path]:
    """Return folders of scores: those named, with commas, else the committed ones; none where there are none."""
    if named:
        return [Path(word.strip()) for word in named.split(",")]
    return sorted(path.parent for path in (home() / "papermill_runs" / "endpoints").glob("*/rows.jsonl"))


def settings_table(folders: Sequence[str | Path]) -> pd.DataFrame:
    """Return one row an endpoint: how it was asked, on what, and what it took."""
    made = []
    for folder in map(Path, folders):
        config, rows = load_scores(folder)
        frame = score_frame(rows)
        tokens = frame[["input_tokens", "output_tokens"]].clip(lower=0).sum()
        made.append(
            {
                **config,
                "played": len(frame),
                "errors": int((frame["termination"] == "error").sum()),
                "cut_answers": int(frame["cut"].sum()),
                "unreadable_calls": int(frame["unreadable"].sum()),
                "input_tokens": int(tokens["input_tokens"]),
                "output_tokens": int(tokens["output_tokens"]),
                "task_hours": frame["seconds"].sum() / 3600,
            }
        )
    return pd.DataFrame(made or [{"model": NOT_RUN, "played": 0}])


def failure_table(folders: Sequence[str | Path]) -> pd.DataFrame:
    """Return how often each kind of failure came: bench, model, kind, failures, failed (tasks played and failed)."""
    job = ["bench", "model", "category", "task", "run"]
    scored = zip(_labels(folders), map(load_scores, folders), strict=True)
    made = [pd.DataFrame(failure_rows(rows)).assign(model=label) for label, (_, rows) in scored]
    found = pd.concat([pd.DataFrame(columns=[*job, "kind"]), *made], ignore_index=True)
    jobs = found.drop_duplicates(job).groupby(["bench", "model"]).size().rename("failed")
    counts = found.groupby(["bench", "model", "kind"]).size().rename("failures").reset_index()
    counts = counts.join(jobs, on=["bench", "model"])
    absent = [bench for bench in NAMES if bench not in set(counts["bench"])]
    missing = [{"bench": bench, "model": "", "kind": "", "failures": 0, "failed": 0} for bench in absent]
    return pd.concat([counts, pd.DataFrame(missing)], ignore_index=True) if missing else counts


def gust_table(folders: Sequence[str | Path], seed: int = 0) -> pd.DataFrame:
    """Return GUST's other scores: model, score, value, low, high, do_nothing (percent), tasks, runs."""
    made = []
    for label, (config, rows) in zip(_labels(folders), map(load_scores, folders), strict=True):
        made.append(gust_summary(rows, generator(seed, "gust scores", config["model"])).assign(model=label))
    table = pd.concat(made, ignore_index=True) if made else pd.DataFrame()
    return table[["model", *table.columns.drop("model")]] if len(table) else pd.DataFrame([{"model": NOT_RUN}])


def turn_table(folders: Sequence[str | Path]) -> pd.DataFrame:
    """Return GUST's turns: model, by (kind, turn, depth), of, turn_reward and covered (percent), turns, items."""
    made = []
    for label, (_, rows) in zip(_labels(folders), map(load_scores, folders), strict=True):
        for by in ("kind", "turn", "depth"):
            part = turn_summary(rows, by).rename(columns={by: "of"})
            made.append(part.assign(model=label, by=by, of=part["of"].astype(str)))
    table = pd.concat(made, ignore_index=True) if made else pd.DataFrame()
    if not len(table):
        return pd.DataFrame([{"model": NOT_RUN}])
    return table[["model", "by", "of", "turn_reward", "covered", "turns", "items"]]


def column_table(folders: Sequence[str | Path], seed: int = 0, resamples: int = 10_000) -> pd.DataFrame:
    """Return the table to read: a row a category, an endpoint a column ("12.5 [4, 21]"), doing nothing, published."""
    long = long_table(folders, seed, resamples)
    table = pd.DataFrame(_places(), columns=["bench", "category"])
    table.insert(0, "benchmark", table["bench"].map(NAMES))
    for (model, mode), part in long.groupby(["model", "mode"], sort=False):
        name = f"{model} ({mode})"
        table[name] = [_cell(row) for _, row in part.iterrows()]
        table[f"n, errors: {model}"] = [
            f"{row.n}, {row.errors}" if row.n or row.errors else "" for row in part.itertuples()
        ]
    floors = long.groupby(["bench", "category"], sort=False)["do_nothing"].max()
    table["doing nothing"] = [
        "" if np.isnan(floors[place]) else f"{floors[place]:.1f}"
        for place in zip(table.bench, table.category, strict=True)
    ]
    table["published, other models"] = [
        _published_span(bench) if category == MEAN else ""
        for bench, category in zip(table.bench, table.category, strict=True)
    ]
    return table.drop(columns="bench")


def footnotes(folders: Sequence[str | Path]) -> list[str]:
    """Return what must stand below the table: settings, versions of data, what was left out and why."""
    notes = []
    for label, folder in zip(_labels(folders), map(Path, folders), strict=True):
        config, rows = load_scores(folder)
        user = f", user {config['user_model']}" if config.get("user_model") else ""
        steps = f", tau2 at most {config['tau2_steps']} messages a simulation" if config.get("tau2_steps") else ""
        where = f", on {config['hardware']}" if config.get("hardware") else ""
        notes.append(
            f"{label}: tool calls {config['mode']}, temperature {config['temperature']}, at most "
            f"{config['max_tokens']} tokens a message{user}{steps}{where}."
        )
        notes += _played(label, rows, _origin(folder))
        errors = [row for row in rows if row["termination"] == "error"]
        for side in sorted({row["side"] for row in errors}):
            count = sum(row["side"] == side for row in errors)
            example = next(row["error"] for row in errors if row["side"] == side)
            notes.append(f"{label}: {count} errors of the {side} left out, e.g. {example[:160]}")
    versions = {name: part["version"] for folder in map(Path, folders) for name, part in _origin(folder).items()}
    notes += [f"{NAMES[name]}: {version}." for name, version in versions.items()]
    notes.append("Intervals: 95%, tasks and runs resampled; with one run tasks only. Doing nothing: the score of an")
    notes[-1] += " agent that makes no call, as the checkers count it."
    return notes


def _played(model: str, rows: Sequence[dict[str, Any]], origin: dict[str, Any]) -> list[str]:
    """How many tasks have a score, of how many; of tau2 whose words could not be read."""
    notes, counts = [], []
    for bench, about in origin.items():
        tasks = {(row["category"], row["task"]) for row in rows if row["bench"] == bench and row["score"] is not None}
        asked = f" of {about['asked']} asked for" if "asked" in about else ""
        there = f", {sum(about['tasks'].values())} in all" if "tasks" in about else ""
        counts.append(f"{NAMES[bench]} {len(tasks)}{asked}{there}")
    if counts:
        notes.append(f"{model}: tasks with a score: {'; '.join(counts)}.")
    simulated = [row for row in rows if row["bench"] == "tau2"]
    if simulated:
        agent = sum(row["termination"] == "format" for row in simulated)
        user = sum(row["termination"] == "error" and row["side"] == "user" for row in simulated)
        notes.append(
            f"{model}: of {len(simulated)} simulations of tau2 {agent} ended by a message of the agent that cannot be "
            f"read (score 0) and {user} by one of the user's model (left out)."
        )
    return notes


def published_table() -> pd.DataFrame:
    """Return the paper's means of the benchmarks: source, model, arm, and one column a benchmark."""
    rows = [dict(row) for row in published()["main"]]
    baselines = published()["public_baselines"]
    rows += [{"model": baselines["model"], **row} for row in baselines["rows"]]
    frame = pd.DataFrame(rows).rename(columns=PUBLISHED_NAMES)
    frame.insert(0, "source", PUBLISHED)
    return frame


def benchmark_table(folders: Sequence[str | Path], arms: Sequence[str], seed: int = 0) -> pd.DataFrame:
    """Return the means by benchmark: benchmark, model, arm, score, low, high, units (percent), those that were run.

    Args:
        folders: of scores.
        arms: what each folder's model is: base, grpo, tara, ToolRL, ...
        seed: of the intervals.
    """
    tables = []
    for folder, arm in zip(folders, arms, strict=True):
        long = long_table([folder], seed)
        means = long[(long["category"] == MEAN) | (long["bench"] == "gust")]
        means = means[means["score"].notna()].rename(columns={"bench": "benchmark"})
        tables.append(means.assign(arm=arm)[["benchmark", "model", "arm", "score", "low", "high", "units"]])
    return pd.concat(tables, ignore_index=True)


def difference_table(first: str | Path, second: str | Path, seed: int = 0) -> pd.DataFrame:
    """Return ``differences`` of two folders of scores with the benchmarks' names."""
    (_, rows), (_, others) = load_scores(first), load_scores(second)
    table = differences(rows, others, generator(seed, "endpoint differences"))
    if not table.empty:
        table["bench"] = table["bench"].map(NAMES)
    return table


def _nothing_run() -> pd.DataFrame:
    """The long table without any endpoint: what doing nothing scores is known all the same."""
    table = pd.DataFrame(_places(), columns=["bench", "category"])
    empty = {"model": NOT_RUN, "mode": "", "score": np.nan, "low": np.nan, "high": np.nan, "units": NOT_RUN}
    counts = dict.fromkeys(COUNTS, 0)
    floors = [_floor({}, *place) for place in _places()]
    table = table.assign(**empty, **counts, do_nothing=floors, version="")
    return table[["model", "mode", *(name for name in table if name not in ("model", "mode"))]]


def _published_span(bench: str) -> str:
    """The paper's own figures of a benchmark in a few words: least and most over its model sizes."""
    spans = []
    for arm in ("base", "tara"):
        values = [row[bench] for row in published()["main"] if row["arm"] == arm]
        spans.append(f"{arm} {min(values):.1f} to {max(values):.1f}")
    return ", ".join(spans)


def _places() -> list[tuple[str, str]]:
    return [
        (bench, category)
        for bench, categories in BENCHES.items()
        for category in (*categories, *([MEAN] if len(categories) > 1 else []))
    ]


def _origin(folder: Path) -> dict[str, Any]:
    path = folder / "benches.json"
    return read_json(path) if path.is_file() else {}


def _floor(origin: dict[str, Any], bench: str, category: str) -> float:
    floors = origin.get(bench, {}).get("floors", {}) or known_floors(bench)
    if category == MEAN and floors:
        return 100.0 * float(np.mean(list(floors.values())))
    return 100.0 * floors.get(category, np.nan)


def _cell(row: Any) -> str:
    if np.isnan(row["score"]):
        return NOT_RUN
    interval = "" if np.isnan(row["low"]) else f" [{row['low']:.1f}, {row['high']:.1f}]"
    return f"{row['score']:.1f}{interval}"
