"""How many environments of a build carry tasks: two state-changing tools and an executed data edge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tvlab.environments.build_totals import environment_rows
from tvlab.environments.environment import Environment
from tvlab.foundation.runner import run_jobs
from tvlab.tasks.graph import build_graph, carries_tasks


def carrying(folder: str | Path, rows: Iterable[Mapping[str, Any]], workers: int = 1, progress: bool = True) -> int:
    """Return the number of environments that carry tasks; those without a writing tool are not looked at.

    Args:
        folder: of the environments, just built.
        rows: what ``build_environments`` returned.
        workers: number of processes.
        progress: show progress on standard error.
    """
    names = [one["environment"] for one in environment_rows(rows) if one["kind"] == "stateful"]
    return sum(run_jobs(partial(_carries, Path(folder)), names, workers, progress, "graphs"))


def _carries(folder: Path, name: str) -> bool:
    environment = Environment.load(folder / name)
    return carries_tasks(environment, build_graph(environment))
