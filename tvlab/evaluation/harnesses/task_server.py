"""The other end of ``inside/task_processes.py``: start a harness's server and ask it from many threads."""

from __future__ import annotations

import contextlib
import itertools
import json
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

TIME_UP = 124
START_SECONDS = 600.0
"""That a harness may take to start: importing one of them takes 15 s on a busy machine."""


class TaskError(RuntimeError):
    """A request came to no outcome: its process failed, was killed, or ran out of time."""


class TaskServer:
    """A process in a harness's own environment that forks a child for each request.

    Args:
        command: interpreter and script.
        variables: environment variables of the process, all of them.

    The process starts with the first request and again after it has died.
    """

    def __init__(self, command: list[str], variables: Mapping[str, str]) -> None:
        self.command, self.variables = command, dict(variables)
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._waiting: dict[int, tuple[subprocess.Popen[str], SimpleQueue[int | None]]] = {}
        self._process: subprocess.Popen[str] | None = None

    def ask(self, do: str, folder: Path, seconds: float, **request: Any) -> dict[str, Any]:
        """Have a request done; wait for it.

        Args:
            do: name of the handler.
            folder: the request's own; holds ``log.txt`` and ``outcome.json`` afterwards.
            seconds: after which the child is killed.
            request: JSON for the handler.

        Raises:
            TaskError: there is no outcome; one line, with the last line of the log.
        """
        folder = folder.resolve()
        answer: SimpleQueue[int | None] = SimpleQueue()
        line = {"id": next(self._numbers), "do": do, "folder": str(folder), "seconds": seconds, **request}
        with self._lock:
            process = self._started()
            self._waiting[line["id"]] = (process, answer)
            assert process.stdin is not None
            try:
                process.stdin.write(json.dumps(line) + "\n")
                process.stdin.flush()
            except BrokenPipeError:
                answer.put(None)  # the process ended just now; a second None from its listener harms nobody
        try:
            code = answer.get(timeout=seconds + START_SECONDS)
        except Empty:
            raise TaskError(f"the harness's process did not answer for {seconds + START_SECONDS:.0f} s") from None
        if code == 0:
            return json.loads((folder / "outcome.json").read_text(encoding="utf-8", errors="surrogatepass"))
        if code is None:
            raise TaskError("the harness's process ended: start again")
        if code == TIME_UP:
            raise TaskError(f"not done after {seconds:.0f} s")
        how = f"killed by signal {-code}" if code < 0 else "failed"
        raise TaskError(f"{how}: {_last_line(folder / 'log.txt')}")

    def close(self) -> None:
        """End the process and its children."""
        with self._lock:
            if self._process is None:
                return
            process, self._process = self._process, None
        _close(process.stdin)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is not None:
            _close(self._process.stdin)
            self._process = None
        if self._process is None:
            self._process = subprocess.Popen(
                self.command, env=self.variables, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        return self._process

    def _listen(self, process: subprocess.Popen[str]) -> None:
        """Hand each answer to who waits for it; None to all who still wait when the process has ended."""
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                said = json.loads(line)
                if "id" in said:
                    with self._lock:
                        _, answer = self._waiting.pop(said["id"])
                    answer.put(said["code"])
        with self._lock:
            for number in [number for number, (of, _) in self._waiting.items() if of is process]:
                self._waiting.pop(number)[1].put(None)


def _close(stream: IO[str] | None) -> None:
    with contextlib.suppress(BrokenPipeError):
        if stream is not None:
            stream.close()


def _last_line(log: Path) -> str:
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except FileNotFoundError:
        lines = []
    return (lines or ["no output"])[-1][:300]
