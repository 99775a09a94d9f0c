"""A benchmark whose harness lives in an environment of its own, in the shape that scoring asks for.

Everything of the benchmark happens behind ``TaskServer``; this only says what is there and turns files into
outcomes.  An outcome that never came (the process failed, was killed or took too long) is an error of the
harness's side, without a score.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from tvlab.evaluation.harnesses.managed_environments import (
    ENVIRONMENTS,
    INSIDE,
    ManagedEnvironment,
    harness_variables,
)
from tvlab.evaluation.harnesses.task_server import TaskError, TaskServer
from tvlab.evaluation.score_rows import Job, Outcome, Setting
from tvlab.foundation.errors import UserError

JOB_SECONDS = 6 * 3600.0
"""After which a task is given up; its requests have limits of their own."""
_ACEBENCH_FILE = "data_agent_multi_step.json"


class ManagedHarness:
    """One benchmark.

    Args:
        environment: where its harness lives.
        data: folder of the benchmark's data where the harness has none (ACEBench).
    """

    def __init__(self, environment: ManagedEnvironment, data: Path | None = None) -> None:
        self.environment = environment
        self.name = environment.bench
        self.data = data
        self._tasks: dict[str, list[str]] | None = None
        command = [str(environment.python), str(INSIDE / environment.script)]
        self._server = TaskServer(command, harness_variables(environment))

    def missing(self) -> str:
        """Return "" if it can run here, else one line: what is missing and what to do."""
        name = self.environment.name
        if self.environment.made is None:
            return f"{name} is not set up: run `tvlab evaluate --setup --bench {name}`"
        if self.name == "acebench" and self.data is None:
            return "acebench needs its data: clone ACEBench and give its folder by --ace-data"
        return ""

    def version(self) -> str:
        """Return package, version and data; goes beside the numbers."""
        noted = (self.environment.made or {}).get("version", self.environment.package)
        return f"{noted} (data {_data_hash(self.data)})" if self.data else noted

    def tasks(self, category: str) -> Sequence[str]:
        """Return the names of all tasks of a category."""
        if self._tasks is None:
            self._tasks = self.request("tasks", 300.0)
        return self._tasks[category]

    def play(self, job: Job, setting: Setting, folder: Path) -> Outcome:
        """Play one job; see ``score_rows.Harness``."""
        asked = {"category": job.category, "task": job.task, "run": job.run, "setting": asdict(setting)}
        return self._outcome("play", folder, asked)

    def judge_again(self, job: Job, folder: Path) -> Outcome:
        """Judge what was played before from the files in its folder; nothing is asked of a model (tau2)."""
        return self._outcome("judge", folder, {"category": job.category, "task": job.task, "run": job.run})

    def request(self, do: str, seconds: float, **request: Any) -> dict[str, Any]:
        """Have the harness do something that asks no model, such as ``check``."""
        number = sha256(json.dumps([do, request], sort_keys=True).encode()).hexdigest()[:12]
        folder = self.environment.folder / "own" / "requests" / f"{os.getpid()}-{number}"
        data = {} if self.data is None else {"data": str(self.data)}
        return self._server.ask(do, folder, seconds, **data, **request)

    def close(self) -> None:
        """End the harness's process."""
        self._server.close()

    def _outcome(self, do: str, folder: Path, asked: dict[str, Any]) -> Outcome:
        data = {} if self.data is None else {"data": str(self.data)}
        try:
            return Outcome(**self._server.ask(do, folder, JOB_SECONDS, **data, **asked))
        except TaskError as error:
            return Outcome(None, "error", str(error), "harness")


def acebench_data(folder: str | Path | None = None) -> Path | None:
    """Return the folder that holds ``data_en`` and ``data_zh``.

    Args:
        folder: a clone of ACEBench or its ``data_all``; None means the variable ``TVLAB_ACE_DATA``.

    Returns:
        None if neither is given.

    Raises:
        UserError: the folder does not hold the data.
    """
    named = folder or os.environ.get("TVLAB_ACE_DATA")
    if not named:
        return None
    root = Path(named).expanduser().resolve()
    for place in (root, root / "data_all"):
        if all((place / f"data_{language}" / _ACEBENCH_FILE).is_file() for language in ("en", "zh")):
            return place
    raise UserError(
        f"{named} holds no ACEBench data (data_all/data_en/{_ACEBENCH_FILE}): give a clone of ACEBench by --ace-data"
    )


def harness_makers(
    ace_data: str | Path | None = None, bfcl_version: str = "v3"
) -> dict[str, Callable[[], ManagedHarness]]:
    """Return a maker of each external harness by its benchmark; nothing is started.

    Args:
        ace_data: as for ``acebench_data``.
        bfcl_version: of the data: ``v3`` (the published one) or ``v4``.
    """
    if bfcl_version not in ("v3", "v4"):
        raise UserError(f"BFCL's data has versions v3 and v4, not {bfcl_version!r}")
    bfcl = ENVIRONMENTS["bfcl" if bfcl_version == "v3" else "bfcl-v4"]
    return {
        "bfcl": lambda: ManagedHarness(bfcl),
        "tau2": lambda: ManagedHarness(ENVIRONMENTS["tau2"]),
        "acebench": lambda: ManagedHarness(ENVIRONMENTS["acebench"], acebench_data(ace_data)),
    }


def _data_hash(folder: Path) -> str:
    digest = sha256()
    for path in sorted(folder.glob("data_*/**/data_agent_*.json")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]
