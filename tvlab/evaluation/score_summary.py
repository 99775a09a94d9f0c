"""Scores of rows by category and benchmark with intervals, and paired differences of two endpoints.

A score is the mean over tasks and runs (avg@runs), in percent.  The interval resamples tasks and
runs, crossed (``statistics``); a benchmark's mean weighs its categories equally and resamples tasks within
their category.  With one run only tasks are resampled, and the interval says nothing about sampling noise.  Where
all tasks have the same score of 0 or 1 resampling says nothing either: the interval is then the exact binomial one
(Clopper and Pearson 1934) for that many tasks, of a mean over all its categories' tasks.

Rows that ended in an error have no score: they are left out of means and counted beside them.  A difference is
taken task by task over tasks that both have, runs averaged first, since runs of two models have nothing in
common but their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tvlab.evaluation.score_rows import BENCHES
from tvlab.evaluation.statistics import bootstrap_interval, paired_difference

MEAN = "mean"
"""Category of a benchmark's mean over its categories."""
PERCENT = 100.0


def score_frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the rows as a table without their details; ``score`` is NaN where there is none."""
    frame = pd.DataFrame([{name: value for name, value in row.items() if name != "details"} for row in rows])
    frame["score"] = frame["score"].astype(float)
    frame["unit"] = frame["category"] + "/" + frame["task"].astype(str)
    return frame


def summary(rows: Sequence[Mapping[str, Any]], rng: np.random.Generator, resamples: int = 10_000) -> pd.DataFrame:
    """Return one row a category, and one a benchmark of several categories.

    Args:
        rows: of one endpoint.
        rng: numpy generator of the intervals.
        resamples: of the bootstrap.

    Returns:
        bench, category, score, low, high (percent), tasks, runs, n (scored rows), errors, errors_user (those of
        the user's side), unread (scored rows that a message of the agent that cannot be read has ended), units.
        Categories without a scored row have NaN.
    """
    frame, made = score_frame(rows), []
    for bench, categories in BENCHES.items():
        here = frame[frame["bench"] == bench]
        if here.empty:
            continue
        for category in categories:
            part = here[here["category"] == category]
            if not part.empty:
                made.append(_summed(part, bench, category, rng, resamples))
        if len(categories) > 1:
            whole = set(here.loc[here["score"].notna(), "category"]) == set(categories)
            made.append(_summed(here if whole else here.assign(score=np.nan), bench, MEAN, rng, resamples))
    return pd.DataFrame(made)


def gust_summary(rows: Sequence[Mapping[str, Any]], rng: np.random.Generator, resamples: int = 10_000) -> pd.DataFrame:
    """Return GUST's other scores: trace, validation and turn reward of items.

    Returns:
        score, value, low, high, do_nothing (percent), tasks, runs. Doing nothing earns the turns that ask for no call,
        in trace as in turn reward; what it makes of the outcome rows do not tell (NaN).
    """
    names = ("trace", "validation", "turn_reward")
    scored = [row for row in rows if row["bench"] == "gust" and row["score"] is not None]
    frame = pd.DataFrame(
        [
            {"task": row["task"], "run": row["run"], **{n: row["details"][n] for n in names},
             "idle": np.mean([turn["golden"] == 0 for turn in row["details"]["turns"]])}
            for row in scored
        ],
        columns=["task", "run", *names, "idle"],
    )  # fmt: skip
    made = []
    for name in names if len(frame) else ():
        interval = bootstrap_interval(frame, name, rng, units=("task", "run"), resamples=resamples)
        resampled = (PERCENT * interval.low, PERCENT * interval.high)
        low, high = _exact(frame.assign(score=frame[name], unit=frame["task"])) or resampled
        made.append(
            {
                "score": name,
                "value": PERCENT * interval.estimate,
                "low": low,
                "high": high,
                "do_nothing": np.nan if name == "validation" else PERCENT * frame["idle"].mean(),
                "tasks": frame["task"].nunique(),
                "runs": frame["run"].nunique(),
            }
        )
    return pd.DataFrame(made)


def turn_summary(rows: Sequence[Mapping[str, Any]], by: str) -> pd.DataFrame:
    """Return GUST's turn reward by ``kind`` of turn, by ``turn`` (from 1), or by ``depth`` of the item's graph.

    Returns:
        the column ``by``, turn_reward and covered (share of golden calls) in percent, turns, items.
    """
    turns = pd.DataFrame(
        [
            {
                "item": row["task"],
                "kind": turn["kind"],
                "turn": at + 1,
                "depth": row["details"]["depth"],
                "turn_reward": PERCENT * turn["reward"],
                "golden": turn["golden"],
                "matched": turn["matched"],
            }
            for row in rows
            if row["bench"] == "gust" and row["score"] is not None
            for at, turn in enumerate(row["details"]["turns"])
        ]
    )
    if turns.empty:
        return pd.DataFrame(columns=[by, "turn_reward", "covered", "turns", "items"])
    groups = turns.groupby(by)
    covered = PERCENT * groups["matched"].sum() / groups["golden"].sum().replace(0, np.nan)
    return pd.DataFrame(
        {
            "turn_reward": groups["turn_reward"].mean(),
            "covered": covered,
            "turns": groups.size(),
            "items": groups["item"].nunique(),
        }
    ).reset_index()


def differences(
    first: Sequence[Mapping[str, Any]],
    second: Sequence[Mapping[str, Any]],
    rng: np.random.Generator,
    resamples: int = 10_000,
) -> pd.DataFrame:
    """Return first minus second in percentage points over the tasks that both have a score of.

    Returns:
        bench, category, difference, low, high, p, wins, tasks; one row a category and a benchmark's mean.
        Categories that the two share no task of are left out.
    """
    both = pd.concat([score_frame(first).assign(arm="first"), score_frame(second).assign(arm="second")])
    both = both[both["score"].notna()]
    shared = both.groupby(["bench", "unit"])["arm"].transform("nunique") == 2
    both, made = both[shared], []
    for bench, categories in BENCHES.items():
        here = both[both["bench"] == bench]
        parts = {category: here[here["category"] == category] for category in categories}
        parts = {category: part for category, part in parts.items() if not part.empty}
        if len(parts) > 1 and len(parts) == len(categories):
            parts[MEAN] = here
        for category, part in parts.items():
            found = paired_difference(
                part.assign(value=_weighed(part)), "value", "first", "second", rng,
                units=("unit",), strata="category", resamples=resamples,
            )  # fmt: skip
            interval = found.interval
            made.append(
                {
                    "bench": bench,
                    "category": category,
                    "difference": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "p": found.p_value,
                    "wins": found.wins,
                    "tasks": part["unit"].nunique(),
                }
            )
    return pd.DataFrame(made)


def _summed(part: pd.DataFrame, bench: str, category: str, rng: np.random.Generator, resamples: int) -> dict[str, Any]:
    scored = part[part["score"].notna()]
    errors = part[part["termination"] == "error"]
    row: dict[str, Any] = {"bench": bench, "category": category, "score": np.nan, "low": np.nan, "high": np.nan}
    units = ""
    if len(scored):
        interval = bootstrap_interval(
            scored.assign(value=_weighed(scored)), "value", rng,
            units=("unit", "run"), strata="category", resamples=resamples,
        )  # fmt: skip
        low, high = _exact(scored) or (interval.low, interval.high)
        row |= {"score": interval.estimate, "low": low, "high": high}
        units = interval.units.replace("unit", "task")
    return {
        **row,
        "tasks": scored["unit"].nunique(),
        "runs": scored["run"].nunique(),
        "n": len(scored),
        "errors": len(errors),
        "errors_user": int((errors["side"] == "user").sum()),
        "unread": int((scored["termination"] == "format").sum()),
        "units": units,
    }


def _exact(scored: pd.DataFrame) -> tuple[float, float] | None:
    """The exact 95% interval in percent where every score is 0, or every one is 1; else None."""
    from scipy.stats import binomtest

    values = set(scored["score"])
    if len(values) != 1 or not values <= {0.0, 1.0}:
        return None
    tasks = scored["unit"].nunique()
    interval = binomtest(int(values.pop()) * tasks, tasks).proportion_ci(0.95, method="exact")
    return PERCENT * interval.low, PERCENT * interval.high


def _weighed(part: pd.DataFrame) -> pd.Series:
    """Scores in percent, weighed so that the mean over all tasks is the mean of the categories' means."""
    sizes = part.drop_duplicates("unit").groupby("category").size()
    weights = sizes.sum() / (len(sizes) * sizes)
    return PERCENT * part["score"] * part["category"].map(weights)
