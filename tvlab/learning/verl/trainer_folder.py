"""The folder of a run on this machine: verl's trainers run in it one at a time, and what is made is not made again.

A trainer ends with the process that started it (``verl_process.child``), unless that was killed with SIGKILL: then it
goes on alone, and holds the folder until it ends.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tvlab.foundation.errors import UserError
from tvlab.foundation.progress import progress
from tvlab.learning.verl.trainer_rows import kept_rows, read_rows
from tvlab.learning.verl.verl_process import child

POLL = 2.0  # seconds between two looks at verl's log


class TrainerFolder:
    """Held by one process; a trainer holds it too, for as long as it lives.

    Args:
        path: the folder; it is made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = -1  # what a trainer is handed to hold the folder too

    def __enter__(self) -> TrainerFolder:
        self.path.mkdir(parents=True, exist_ok=True)
        self.lock = os.open(self.path / ".lock", os.O_CREAT | os.O_RDWR)
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.lock)
            raise UserError(
                f"another run still works in {self.path} (perhaps a trainer of one that was killed): wait for it, "
                "or end it"
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.lock)

    def run(
        self,
        name: str,
        command: Sequence[str],
        settings: Mapping[str, Any],
        steps: int,
        model: str,
        variables: Mapping[str, str] | None = None,
    ) -> Path:
        """Run one of verl's trainers unless its last step is there.

        Args:
            name: of its folder of checkpoints, and of its rows (.jsonl) and log (.log).
            command: arguments of Python.
            settings: hydra's, by key.
            steps: the last one.
            model: where a checkpoint has the model in the Hugging Face format.
            variables: of the environment.

        Returns:
            The folder of the model that it made.

        Raises:
            UserError: it failed.
        """
        made = self.path / name / f"global_step_{steps}" / model
        if (made / "config.json").is_file():
            return made
        rows, logged = self.path / f"{name}.jsonl", self.path / f"{name}.log"
        words = [sys.executable, *command, *(f"{key}={value}" for key, value in settings.items())]
        own = {**os.environ, **(variables or {}), "VERL_FILE_LOGGER_PATH": str(rows), "HF_HUB_OFFLINE": "1"}
        with (
            kept_rows(rows),
            logged.open("a") as log,
            progress(steps, f"updates ({name})") as advance,
            child(words, env=own, stdout=log, stderr=log, pass_fds=[self.lock]) as process,
        ):
            while process.poll() is None:
                time.sleep(POLL)
                advance(last_step(rows))
        if process.returncode or not (made / "config.json").is_file():
            raise UserError(
                f"verl stopped with exit status {process.returncode}: see {logged}, then start again"
            )
        return made


def last_step(rows: Path) -> int:
    """The last step that verl's file logger wrote; 0 if none."""
    return int(max((row["step"] for row in read_rows(rows)), default=0))
