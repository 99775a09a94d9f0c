"""Sandbox workers for one environment's code: who gets which, and what follows a fault.

A worker holds one state at a time, and the parent the truth; so any worker can serve any call, and one that
holds the call's state already serves it faster.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from tvlab.environments.sandbox.layers import Limits
from tvlab.environments.sandbox.process import RefusalError, Worker, WorkerError
from tvlab.foundation.errors import UserError

_SEVERAL = object()


class SandboxError(UserError):
    """A named error where no ``CallResult`` could say so; ``code`` is its name."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class WorkerPool:
    """Workers that are started now, locked up and loaded when first used, and replaced after a fault.

    Args:
        code: what a worker loads: folder, source, tools.
        layers: the layers that each worker puts on.
        limits: what each may use.
        workers: number of processes.
        static_filter: check the source before running it; off only to test the layers behind it.
        modules: further modules that workers import before they are locked up.

    Attributes:
        faults: how often each named error occurred, repeated calls included.
        replaced: how many workers were ended and followed by another.
    """

    def __init__(
        self,
        code: dict[str, Any],
        layers: Collection[str],
        limits: Limits,
        workers: int = 1,
        static_filter: bool = True,
        modules: Sequence[str] = (),
    ) -> None:
        if workers < 1:
            raise UserError(f"workers must be at least 1, got {workers}")
        self.code, self.limits, self.layers = code, limits, layers
        self.static_filter, self.modules = static_filter, modules
        self.faults: Counter[str] = Counter()
        self.replaced = 0
        self._alone = workers == 1
        self._all: set[Worker] = set()
        self._owner = os.getpid()
        self._closing = weakref.finalize(self, _kill_all, self._all, self._owner)
        self._lock = threading.Condition()
        self._fresh = [self._new() for _ in range(workers)]
        self._idle: list[Worker] = []

    def single(self) -> WorkerPool:
        """Return another pool for the same code, of one worker."""
        return WorkerPool(self.code, self.layers, self.limits, 1, self.static_filter, self.modules)

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers, busy ones included."""
        return sorted(worker.pid for worker in self._all)

    def warm(self) -> None:
        """Start one worker and load the code in it, so that code that cannot be loaded is found out now.

        Raises:
            SandboxError: loading ended with a named error.
            UserError: the source check refuses the code, or it fails while it is loaded.
        """
        where = self.code["folder"]
        try:
            self._give_back(self._take(b""))
        except WorkerError as error:
            text = f"{where}/tools.py: cannot be loaded in the sandbox: {error}"
            raise SandboxError(error.code, one_line(text)) from None
        except RefusalError as error:
            text = str(error)
            text = text if text.startswith(where) else f"{where}/tools.py: fails when it is loaded ({text})"
            raise UserError(one_line(text)) from None

    def ask(self, request: str, state: bytes, mark: object) -> tuple[Any, bytes]:
        """Let a worker answer on ``state``; return (value, the new state or b"" if it is unchanged).

        Args:
            request: a JSON object: the worker's operation and its arguments.
            state: the marshalled state to work on.
            mark: tells episodes apart.

        Raises:
            RefusalError: the tool's own error.
            WorkerError: a named error; the worker has been replaced.
        """
        if os.getpid() != self._owner:
            raise RuntimeError("a sandbox cannot be used after os.fork: open it in the process that uses it")
        worker = self._take(state)
        served = worker.served
        try:
            return self._ask(worker, request, state, mark)
        except WorkerError as error:
            # An idle worker may also have been ended by someone else, such as a system short of memory.
            others = served not in (None, mark)
            if not others and (error.code != "worker_died" or served is None):
                raise
        return self._ask(self._take(state, fresh=True), request, state, mark)

    def close(self) -> None:
        """End all workers; the pool cannot be used again."""
        self._closing()
        with self._lock:
            self._lock.notify_all()

    def _ask(self, worker: Worker, request: str, state: bytes, mark: object) -> tuple[Any, bytes]:
        worker.served = mark if worker.served in (None, mark) else _SEVERAL
        try:
            value, changed = worker.ask(request, b"" if worker.state is state else state)
        except RefusalError:
            worker.state = state
            self._give_back(worker)
            raise
        except BaseException as error:  # an interrupt too: its reply would be taken for the next one's
            if isinstance(error, WorkerError):
                self.faults[error.code] += 1
            self._replace(worker)
            raise
        worker.state = changed or state
        self._give_back(worker)
        return value, changed

    def _take(self, state: bytes, fresh: bool = False) -> Worker:
        """Return a worker: the one that holds ``state``, a new one, or else the one that rested longest."""
        with self._lock:
            while self._closing.alive and not (self._idle or self._fresh):
                self._lock.wait()
            if not self._closing.alive:
                raise RuntimeError("this sandbox is closed")
            for at, worker in enumerate(self._idle):
                if worker.state is state and not fresh:
                    return self._idle.pop(at)
            if self._idle and not (fresh or self._fresh):
                return self._idle.pop(0)
            if not self._fresh:
                self._end(self._idle.pop(0))
            worker = self._fresh.pop()
        try:
            worker.start()
            worker.load(self.code)
        except BaseException:
            self._replace(worker)
            raise
        return worker

    def _give_back(self, worker: Worker) -> None:
        # Calls together must stay clear of the worker's processor time, or an honest call would pay for it.
        if worker.busy > self.limits.cpu_seconds / 2:
            self._replace(worker)
            return
        with self._lock:
            self._idle.append(worker)
            self._lock.notify()

    def _replace(self, worker: Worker) -> None:
        with self._lock:
            self._end(worker)
            self._lock.notify()

    def _end(self, worker: Worker) -> None:
        worker.kill()
        self._all.discard(worker)
        self.replaced += 1
        if self._closing.alive:
            self._fresh.append(self._new())

    def _new(self) -> Worker:
        worker = Worker(self.layers, self.limits, self.static_filter, self.modules, close_by=self._alone)
        self._all.add(worker)
        return worker


def one_line(text: str) -> str:
    """Return what a stranger's code said as one line that cannot steer a terminal.

    >>> one_line("two\\nlines and \\x1b]0;a title\\x07")
    'two lines and ?]0;a title?'
    """
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))[:500]


def _kill_all(workers: set[Worker], owner: int) -> None:
    if os.getpid() != owner:  # a forked copy of the owner: the workers are not its own
        return
    for worker in list(workers):
        worker.kill()
    workers.clear()
