"""Rows of a scoring run on disk: appended as they come, read back after whatever ended the run.

    OUT/config.json     what decides the answers: model, mode, sampling, user
    OUT/rows.jsonl      one line a finished job; the last line of a job counts
    OUT/answers.sqlite  every answer of the models
    OUT/logs/JOB/       what a harness leaves there

A line torn by a kill is dropped at the next start and its job is played again, from the kept answers.
"""

from __future__ import annotations

import fcntl
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tvlab.evaluation.score_rows import Job, job_of
from tvlab.foundation.atomic_files import read_json, read_jsonl, read_text, write_bytes, write_json
from tvlab.foundation.errors import UserError


class ScoreStore:
    """Rows of one endpoint in a folder.

    Args:
        folder: made if missing.
        config: JSON that must be the same whenever the run is gone on with.

    Raises:
        UserError: the folder holds scores made another way.
    """

    def __init__(self, folder: str | Path, config: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        self.path = self.folder / "rows.jsonl"
        self._lock = threading.Lock()
        self._torn_line_gone = False
        known = self.folder / "config.json"
        if known.is_file():
            _must_agree(known, read_json(known, "settings of scores"), config)
        else:
            write_json(known, dict(config))
        self._rows = {job_of(row).key: row for row in self._read()}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows so far, one a job."""
        with self._lock:
            return list(self._rows.values())

    def scored(self, job: Job) -> bool:
        """True if the job has a score; an error is none and is tried again."""
        row = self._rows.get(job.key)
        return row is not None and row["termination"] != "error"

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep a row; it is on its way to the disk when this returns."""
        line = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        with self._lock:
            self._rows[job_of(dict(row)).key] = dict(row)
            self._drop_torn_line()
            with self.path.open("a", encoding="utf-8", errors="surrogatepass") as file:
                file.write(line + "\n")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from writing here; the lock goes with the process, also after kill -9.

        Raises:
            UserError: another process is writing.
        """
        with (self.folder / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UserError(f"another run writes into {self.folder}: wait for it, or give another --out") from None
            with self._lock:
                self._rows = {job_of(row).key: row for row in self._read()}  # one that has just ended may have added
            yield

    def logs(self, job: Job) -> Path:
        """Return the job's folder for logs."""
        return self.folder / "logs" / job.key

    def _read(self) -> list[dict[str, Any]]:
        if not self.path.is_file():
            return []
        # a run that is under way may be in the middle of its last line: reading changes nothing
        text = read_text(self.path, "rows of scores")
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines() if line.strip()]

    def _drop_torn_line(self) -> None:
        """Drop what a killed run left of a line, before the first row of this one."""
        if self._torn_line_gone:
            return
        self._torn_line_gone = True
        data = self.path.read_bytes() if self.path.is_file() else b"\n"
        if not data.endswith(b"\n"):
            write_bytes(self.path, data[: data.rfind(b"\n") + 1])


def load_scores(folder: str | Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return (config, rows) of a folder of scores; the last row of each job.

    Raises:
        UserError: there are no scores.
    """
    folder = Path(folder)
    if not (folder / "rows.jsonl").is_file():
        raise UserError(f"{folder} holds no scores (rows.jsonl): make them with `tvlab evaluate --base-url ...`")
    rows = {job_of(row).key: row for row in read_jsonl(folder / "rows.jsonl", "rows of scores")}
    return read_json(folder / "config.json", "settings of scores"), list(rows.values())


def _must_agree(path: Path, known: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for name in wanted:
        if known.get(name) != wanted[name]:
            raise UserError(
                f"{path.parent} holds scores with {name} {known.get(name)!r}, not {wanted[name]!r}: give another --out"
            )
