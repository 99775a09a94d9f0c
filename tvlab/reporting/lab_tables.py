"""Tables of lab experiments: scores and paired differences by any columns, dynamics over updates, findings in words.

Intervals are bootstraps over environments and seeds; what a table's interval resamples stands in its column ``units``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tvlab.evaluation.statistics import LEAST_SEEDS, bootstrap_interval, paired_difference, seed_tests
from tvlab.foundation.seeds import generator
from tvlab.reporting.palette import arm_label

RESAMPLES = 4_000
NOT_RUN = "not run: left out of this run of the notebook"
DYNAMICS = ("turn_reward", "trace_score", "outcome", "validation_trace_score", "validation_outcome",
            "validation_turn_reward", "entropy", "gradient_norm", "advantage_variance", "calls_per_golden_call",
            "decisions")  # fmt: skip


def lab_scores(evaluation: pd.DataFrame, by: Sequence[str] = ("arm",), seed: int = 0) -> pd.DataFrame:
    """Return one row a combination of the columns ``by``, in order of appearance.

    Columns: by, label, score (mean turn reward) with low and high, trace_score, outcome, all_turns, emergent (shares
    of rollouts), emergent_plans (their number), rollouts, calls_per_golden_call, units.
    """
    rows = []
    for key, own in evaluation.groupby(list(by), sort=False):
        interval = bootstrap_interval(own, "turn_reward", generator(seed, "score", *map(str, key)), resamples=RESAMPLES)
        means = _cell_means(own, ("trace_score", "outcome", "all_turns", "emergent"))
        rows.append({
            **dict(zip(by, key, strict=True)), **({"label": arm_label(str(own["arm"].iloc[0]))} if "arm" in by else {}),
            "score": interval.estimate, "low": interval.low, "high": interval.high, **means,
            "emergent_plans": int(own["emergent"].sum()), "rollouts": len(own),
            "calls_per_golden_call": own["calls"].sum() / own["golden_calls"].sum(), "units": interval.units,
        })  # fmt: skip
    return pd.DataFrame(rows)


def ranked(scores: pd.DataFrame, within: Sequence[str] = ()) -> pd.DataFrame:
    """The rows of ``lab_scores`` sorted by score, best first, within the columns named."""
    order = [*within, "score"]
    return scores.sort_values(order, ascending=[*([True] * len(within)), False], kind="stable", ignore_index=True)


def lab_differences(evaluation: pd.DataFrame, pairs: Sequence[tuple[str, str]], by: Sequence[str] = (),
                    seed: int = 0, arm: str = "arm") -> pd.DataFrame:  # fmt: skip
    """Return paired differences in turn reward for each pair and each combination of ``by``.

    Columns: by, first, second, difference, low, high, excludes_zero, seeds, p (exact paired test over seeds; NaN below
    nine), p_holm (Holm over the pairs of one combination), effect_size (of the seeds), units.
    """
    rows: list[dict[str, Any]] = []
    groups = evaluation.groupby(list(by), sort=False) if by else [((), evaluation)]
    for key, own in groups:
        known = set(own[arm])
        there = [(first, second) for first, second in pairs if {first, second} <= known and first != second]
        if not there:
            continue
        tests = seed_tests(own, "turn_reward", there, arm=arm).set_index(["first", "second"])
        for first, second in there:
            rng = generator(seed, "difference", *map(str, (*key, first, second)))
            found = paired_difference(own, "turn_reward", first, second, rng, arm=arm, resamples=RESAMPLES).interval
            test = tests.loc[(first, second)]
            rows.append({
                **dict(zip(by, key, strict=True)), "first": first, "second": second, "difference": found.estimate,
                "low": found.low, "high": found.high, "excludes_zero": found.excludes(0.0),
                "seeds": int(test["seeds"]), "p": float(test["p"]), "p_holm": float(test["p_holm"]),
                "effect_size": float(test["effect_size"]), "units": found.units,
            })  # fmt: skip
    columns = [*by, "first", "second", "difference", "low", "high", "excludes_zero", "seeds", "p", "p_holm",
               "effect_size", "units"]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def lab_seed_scores(evaluation: pd.DataFrame, by: Sequence[str] = ("arm",)) -> pd.DataFrame:
    """Return the mean turn reward of each seed (environments weigh the same): by, seed, score."""
    cells = evaluation.groupby([*by, "seed", "environment"], sort=False)["turn_reward"].mean()
    return cells.groupby([*by, "seed"], sort=False).mean().rename("score").reset_index()


def with_missing(table: pd.DataFrame, column: str, wanted: Sequence[str]) -> pd.DataFrame:
    """Add a row for each value of a column that was not run, with NaN and the reason in column ``note``."""
    missing = [value for value in wanted if value not in set(table[column])]
    if not missing:
        return table
    rows = pd.DataFrame([{column: value, "note": NOT_RUN} for value in missing])
    return pd.concat([table.assign(note=""), rows], ignore_index=True)


def dynamics(updates: pd.DataFrame, by: Sequence[str] = ("arm",), windows: int = 12) -> pd.DataFrame:
    """Return the course of training in windows of updates, long: by, update, measure, score, low, high.

    ``update`` is the window's last; low and high are the lowest and highest run in it. Validation scores are there
    where the policy was validated.
    """
    last = int(updates["update"].max()) + 1
    window = max(last // windows, 1)
    frame = updates.assign(update=((updates["update"] // window + 1) * window).clip(upper=last))
    measures = [name for name in DYNAMICS if name in frame]
    long = frame.melt([*by, "update", "seed"], measures, "measure", "score").dropna(subset=["score"])
    runs = long.groupby([*by, "measure", "update", "seed"], sort=False)["score"].mean()
    grouped = runs.groupby([*by, "measure", "update"], sort=False)
    return pd.DataFrame({"score": grouped.mean(), "low": grouped.min(), "high": grouped.max()}).reset_index()


def component_sentences(differences: pd.DataFrame, published: Mapping[str, float] | None = None) -> list[str]:
    """Return one sentence a row of ``lab_differences``: sign, interval, test, and whether the paper says the same.

    Args:
        differences: rows of one condition.
        published: the paper's score by arm, where it gives one.
    """
    return [_sentence(row, published or {}) for row in differences.to_dict("records")]


def _sentence(row: Mapping[str, Any], published: Mapping[str, float]) -> str:
    first, second = row["first"], row["second"]
    sign = "above" if row["difference"] > 0 else "below"
    told = f"{sign} {arm_label(second)}" if row["excludes_zero"] else f"not told apart from {arm_label(second)}"
    text = f"{arm_label(first)} is {told}: {row['difference']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"
    text += f"; {_test(row)}"
    if first in published and second in published:
        same = np.sign(published[first] - published[second]) == np.sign(row["difference"])
        verdict = "in line with" if same else "against"
        text += f"; {verdict} the paper's order" if row["excludes_zero"] else "; the paper's order is not decided"
    return text + "."


def trend_sentence(row: Mapping[str, Any], x: str, what: str) -> str:
    """Say whether scores rise along a setting, from the paired difference of its last point and its first.

    Args:
        row: of ``lab_differences`` of points, first the last point, second the first.
        x: the setting.
        what: whose score it is.
    """
    word = ("rises" if row["difference"] > 0 else "falls") if row["excludes_zero"] else "shows no direction"
    return (f"{what} {word} from {x} {row['second']} to {row['first']}: {row['difference']:+.3f} "
            f"({row['low']:+.3f} to {row['high']:+.3f}); {_test(row)}.")  # fmt: skip


def emergent_sentence(scores: pd.DataFrame) -> str:
    """Count the outcomes that were met by another plan than the golden one, over the rows of ``lab_scores``."""
    plans, rollouts = int(scores["emergent_plans"].sum()), int(scores["rollouts"].sum())
    most = scores.loc[scores["emergent"].idxmax()]
    where = f"; most by {most['label']} ({int(most['emergent_plans'])} of {int(most['rollouts'])})" if plans else ""
    return f"Emergent plans, which met the outcome by other calls than the golden ones: {plans} of {rollouts}{where}."


def floor_sentence(differences: pd.DataFrame) -> str:
    """Say how small a p-value can get at all: the exact test has 2^(seeds - 1) different outcomes, Holm multiplies."""
    seeds, pairs = int(differences["seeds"].min()), len(differences)
    if seeds < LEAST_SEEDS:
        return f"{seeds} seeds: no test is made below {LEAST_SEEDS}."
    floor = min(1.0, pairs * 2.0 ** (1 - seeds))
    note = ": no pair can pass 0.05, whatever the difference" if floor > 0.05 else ""
    return f"With {seeds} seeds the smallest p-value after Holm over {pairs} pairs is {floor:.3f}{note}."


def _test(row: Mapping[str, Any]) -> str:
    if row["seeds"] < LEAST_SEEDS:
        return f"{row['seeds']} seeds, not tested"
    return f"p {row['p_holm']:.3f} after Holm, effect size {row['effect_size']:+.2f}"


def _cell_means(rows: pd.DataFrame, measures: Sequence[str]) -> dict[str, float]:
    cells = rows.groupby(["environment", "seed"])[list(measures)].mean()
    return {name: float(cells[name].astype(float).mean()) for name in measures}
