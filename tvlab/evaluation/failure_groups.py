"""Failures of a scoring run, grouped: by kind, turn, benchmark; and as rows that new tasks can be drawn from.

Each row of failures is one thing that went wrong in one turn of one job.  Harnesses that keep golden calls
and the agent's per turn get the same kinds as GUST; a job without such a record counts by how it ended.
Errors are no failures of the model and are left out, as they are from scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tvlab.evaluation.failures import KINDS, Failure, turn_failures

UNKNOWN = "not recorded"
"""Kind of a failed job whose turns hold no calls to compare."""
_BY_TERMINATION = {"truncated": "truncated", "format": "format"}
TURN_KINDS = {"miss_func": "missing_function", "miss_param": "missing_parameter", "long_context": "long_context"}
"""Kinds of GUST's turns that BFCL's categories stand for."""


def failure_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one row a failure of jobs that did not reach the full score.

    Returns:
        bench, category, task, run, environment, turn, turn_kind, kind, tool, called, arguments.
    """
    found = []
    for row in rows:
        if row["termination"] == "error" or row["score"] >= 1.0:
            continue
        job = {name: row[name] for name in ("bench", "category", "task", "run")}
        for turn, turn_kind, failure in _failures(row):
            found.append(
                {
                    **job,
                    "environment": row["details"].get("environment", ""),
                    "turn": turn,
                    "turn_kind": turn_kind,
                    "kind": failure.get("kind", UNKNOWN),
                    "tool": failure.get("tool", ""),
                    "called": failure.get("called", ""),
                    "arguments": list(failure.get("arguments", ())),
                }
            )
    return found


def grouped(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return how often each kind of failure came, by benchmark and turn.

    Returns:
        bench, turn ("1", "2", "3", "4+"), failed jobs' failures of each kind, and their sum.
    """
    found = pd.DataFrame(failure_rows(rows))
    kinds = [*KINDS, UNKNOWN]
    if found.empty:
        return pd.DataFrame(columns=["bench", "turn", *kinds, "all"])
    found["turn"] = ["whole task" if turn < 0 else str(turn + 1) if turn < 3 else "4+" for turn in found["turn"]]
    table = found.groupby(["bench", "turn", "kind"]).size().unstack(fill_value=0)
    table = table.reindex(columns=kinds, fill_value=0)
    if not table[UNKNOWN].any():
        table = table.drop(columns=UNKNOWN)
    table["all"] = table.sum(axis=1)
    table.columns.name = None
    return table.reset_index()


def kind_shares(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the share of failed jobs in which each kind occurs, by benchmark: bench, kind, jobs, share."""
    found = pd.DataFrame(failure_rows(rows), columns=["bench", "category", "task", "run", "kind"])
    jobs = found.drop_duplicates(["bench", "category", "task", "run"]).groupby("bench").size()
    each = found.drop_duplicates(["bench", "category", "task", "run", "kind"]).groupby(["bench", "kind"]).size()
    table = each.rename("jobs").reset_index()
    table["share"] = table["jobs"] / table["bench"].map(jobs)
    return table


def _failures(row: Mapping[str, Any]) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Yield (turn or -1, kind of the turn, failure) of a job that failed."""
    turns = row["details"].get("turns") or []
    any_found = False
    for at, turn in enumerate(turns):
        kind = turn.get("kind") or TURN_KINDS.get(row["category"], "plain")
        for failure in _of_turn(turn, len(turns) == 1 and row.get("cut", 0) > 0):
            any_found = True
            yield at, kind, failure
    if not any_found:
        kind = _BY_TERMINATION.get(row["termination"], UNKNOWN)
        yield -1, TURN_KINDS.get(row["category"], "plain"), {"kind": kind}


def _of_turn(turn: Mapping[str, Any], cut: bool) -> list[Mapping[str, Any]]:
    """Failures of a turn; ``cut`` where a record of one turn stands for a whole task with a cut answer."""
    if "failures" in turn:
        return list(turn["failures"])
    if "golden" not in turn or "made" not in turn:
        return []
    cut = turn.get("cut", cut)
    failed: list[Failure] = turn_failures(
        turn["golden"], turn["made"], unreadable=turn.get("unreadable", 0), cut=cut
    )
    return [failure.to_json() for failure in failed]
