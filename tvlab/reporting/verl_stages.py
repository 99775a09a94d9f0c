"""The real model that was trained on a CPU: held-out turn reward before, after fine-tuning and after TARA.

The record comes with the package (`learning/verl/train_cpu.py` made it): about.json, verl's rows of both trainers,
held_out.jsonl with a row an item and stage, and rollouts with the items that they played.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tvlab.foundation.atomic_files import read_jsonl
from tvlab.foundation.seeds import generator
from tvlab.learning.verl.held_out import RESAMPLES, summary
from tvlab.reporting.palette import GREY, SERIES

STAGES = ("before", "after fine-tuning", "after TARA")
KEPT = ("n", "turn_reward", "low", "high", "trace", "calls", "malformed", "truncated")


def small_model_run() -> Path:
    """The folder of the record."""
    return Path(str(resources.files("tvlab") / "data" / "verl_small_model"))


def stages_of(folder: Path) -> pd.DataFrame:
    """One row a stage: n, turn_reward with a 95% interval, shares and means."""
    found = {stage: summary(rows) for stage, rows in _by_stage(folder).items()}
    return pd.DataFrame([{"stage": stage, **{name: one[name] for name in KEPT}} for stage, one in found.items()])


def change(folder: Path, earlier: str, later: str) -> dict[str, float]:
    """Turn reward of a stage minus that of an earlier one, paired by item: mean, low, high (95%, items resampled)."""
    rows = _by_stage(folder)
    before = {row["item"]: row["turn_reward"] for row in rows[earlier]}
    difference = np.array([row["turn_reward"] - before[row["item"]] for row in rows[later]])
    draws = generator(0, "held-out change").integers(0, len(difference), (RESAMPLES, len(difference)))
    low, high = np.quantile(difference[draws].mean(1), [0.025, 0.975])
    return {"mean": float(difference.mean()), "low": float(low), "high": float(high)}


def course_of_trainers(folder: Path) -> pd.DataFrame:
    """What verl logged: trainer ("fine-tuning" or "TARA"), step, measure, value."""
    wanted = {
        "fine-tuning": ("fine_tuning.jsonl", {"train/loss": "loss"}),
        "TARA": ("rows.jsonl", {"tvlab/turn_reward": "turn reward of the batch", "tvlab/seconds": "seconds"}),
    }
    return pd.DataFrame([
        {"trainer": trainer, "step": line["step"], "measure": measure, "value": float(line["data"][name])}
        for trainer, (file, measures) in wanted.items()
        for line in read_jsonl(folder / file, "log of verl")
        for name, measure in measures.items()
    ])  # fmt: skip


def plot_loss(axis: Any, course: pd.DataFrame) -> Any:
    """Draw the loss of fine-tuning over its updates."""
    own = course[course["measure"] == "loss"]
    axis.plot(own["step"], own["value"], color=SERIES[0], marker="o", markersize=4)
    axis.set(xlabel="update of fine-tuning", ylabel="loss a token", ylim=(0, None))
    axis.set_xticks(range(0, int(own["step"].max()) + 1, 4))
    return axis


def plot_trained_stages(axis: Any, stages: pd.DataFrame) -> Any:
    """Draw the held-out turn reward of each stage with its interval."""
    places = range(len(stages))
    axis.bar(places, stages["turn_reward"], color=[GREY, *SERIES[: len(stages) - 1]], width=0.6)
    wide = [stages["turn_reward"] - stages["low"], stages["high"] - stages["turn_reward"]]
    axis.errorbar(places, stages["turn_reward"], yerr=wide, fmt="none", ecolor="#222222", capsize=5)
    for place, row in zip(places, stages.itertuples(), strict=True):
        axis.text(place + 0.06, row.turn_reward + 0.015, f"{row.turn_reward:.2f}", ha="left", va="bottom")
    axis.set_xticks(list(places), [f"{row.stage}\nn = {row.n}" for row in stages.itertuples()])
    axis.set(ylabel="held-out turn reward, greedy", ylim=(0, 1))
    return axis


def _by_stage(folder: Path) -> dict[str, list[dict[str, Any]]]:
    rows = read_jsonl(folder / "held_out.jsonl", "held-out items of a run")
    return {stage: [row for row in rows if row["stage"] == stage] for stage in STAGES}
