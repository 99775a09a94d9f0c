"""Environments whose code nobody here has reason to trust, run in locked worker processes.

    with SandboxedEnvironment.open(folder) as environment:
        session = environment.session()
        session.call("create_order", {...})

The interface is that of ``Environment`` and ``Session``; the code is never loaded in this process.  Arguments
are validated in the worker too: a stranger's schema can take hours over a small value, or ask for a file.

**Whose state is it.**  The parent keeps the last accepted state of every episode, as bytes that it never
reads.  A worker holds one state at a time; a call sends the episode's own state first if the worker holds
another.  So a worker can be ended at any moment and nothing is lost but the call it was in, no code sees
another episode's state, a snapshot is a reference, and rolling back does not rely on records being replaced
rather than edited.

**What workers share.**  Episodes of one environment share workers, one after another.  Code that changes its
module, the builtins or a module it imports is refused (``forbidden``).  Code that takes its worker over can
still answer wrongly to later episodes *of the same environment*, and no more; ``worker_per_session=True``
rules that out too, for one process an episode.

**After a named error** (``timeout``, ``memory``, ``output_too_large``, ``forbidden``, ``worker_died``) the
worker is replaced, and the episode goes on from its last accepted state.  A call is a function of its state
and arguments and has no other effect, so one that fails so in a worker that served other episodes before is
made once more in a fresh worker: nobody pays for what another left behind.  A call may therefore take twice
its time limit.
"""

from __future__ import annotations

import json
import marshal
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, Self

from tvlab.environments.environment import CallResult, Environment, Session, Snapshot
from tvlab.environments.runtime import State
from tvlab.environments.sandbox.folder import ForeignFolder
from tvlab.environments.sandbox.layers import Limits
from tvlab.environments.sandbox.pool import SandboxError, WorkerPool, one_line
from tvlab.environments.sandbox.process import RefusalError, WorkerError
from tvlab.environments.sandbox.trials import usable_layers

_encode = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode


class StateCopy(dict[str, dict[Any, Any]]):
    """A state read out of a sandbox, for reading; ``marshalled`` is what ``restore`` goes back to."""

    marshalled: bytes


@dataclass(frozen=True)
class SandboxedEnvironment(Environment):
    """An environment whose sessions call into workers; its ``functions`` cannot be called."""

    pool: WorkerPool = field(kw_only=True, compare=False)
    worker_per_session: bool = field(default=False, kw_only=True)

    @classmethod
    def open(
        cls,
        folder: str | Path,
        sandbox: str = "strict",
        workers: int = 1,
        limits: Limits | None = None,
        worker_per_session: bool = False,
        layers: Sequence[str] | None = None,
        static_filter: bool = True,
        modules: Sequence[str] = (),
    ) -> SandboxedEnvironment:
        """Read an environment folder without running its code here, and start a worker that runs it.

        Args:
            folder: an environment folder from anywhere.
            sandbox: strict|weak; weak goes on without the layers that this machine lacks.
            workers: processes; more than one serves sessions in several threads.
            limits: what a worker may use.
            worker_per_session: give each session a process of its own.
            layers: fewer layers than the machine has; for tests of single layers.
            static_filter: check the source first; off only to test the layers behind it.
            modules: further modules that workers import before they are locked up.

        Raises:
            UserError: a layer is missing, a file is no part of an environment, or a schema is not usable.
            SandboxError: the code misbehaved while it was loaded.
        """
        folder = Path(folder)
        usable = usable_layers(sandbox)
        files = ForeignFolder.read(folder)
        layers = usable if layers is None else [layer for layer in usable if layer in layers]
        pool = WorkerPool(files.code, layers, limits or Limits(), workers, static_filter, modules)
        try:
            pool.warm()
        except BaseException:
            pool.close()
            raise
        return cls(
            name=folder.name,
            tools=tuple(files.tools),
            state=files.state,
            functions={tool["name"]: _only_in_the_sandbox for tool in files.tools},
            report=files.report,
            path=folder,
            pool=pool,
            worker_per_session=worker_per_session,
        )

    @classmethod
    def of_parts(
        cls,
        name: str,
        tools: Sequence[dict[str, Any]],
        state: State,
        source: str,
        report: dict[str, Any],
        sandbox: str = "strict",
        limits: Limits | None = None,
    ) -> Self:
        """Put code that is not in a folder yet into a worker; arguments and errors as in ``open``."""
        code = {"folder": name, "source": source, "tools": list(tools)}
        pool = WorkerPool(code, usable_layers(sandbox), limits or Limits())
        try:
            pool.warm()
        except BaseException:
            pool.close()
            raise
        functions = {tool["name"]: _only_in_the_sandbox for tool in tools}
        return cls(name=name, tools=tuple(tools), state=state, functions=functions, report=report, pool=pool)

    @property
    def validators(self) -> NoReturn:
        """Not here: a stranger's schemas are compiled in the workers only."""
        raise RuntimeError("the sandbox validates arguments: call the tool through a session")

    @cached_property
    def initial(self) -> bytes:
        """The initial state as a worker reads it."""
        return marshal.dumps(self.state)

    def session(self) -> SandboxedSession:
        """Start an episode's own state from the initial one."""
        return SandboxedSession(self, self.pool.single() if self.worker_per_session else self.pool)

    def close(self) -> None:
        """End the workers.  Also happens when the environment is forgotten, and when this process ends."""
        self.pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SandboxedSession(Session):
    """One episode.  Same interface as ``Session``; ``state`` is a copy for reading, made when asked for."""

    __slots__ = ("_copy", "_mark", "_marshalled", "_pool")

    def __init__(self, environment: SandboxedEnvironment, pool: WorkerPool) -> None:
        self.environment: SandboxedEnvironment = environment
        self._pool = pool
        self._mark = object()  # what workers remember; if they held the session, it would never be forgotten
        self._marshalled = environment.initial
        self._copy: StateCopy | None = None

    def call(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        """Let a worker validate the arguments and run the tool; a failed call leaves the state as it was.

        Never raises: besides the errors of ``Session.call`` there are the named errors of the sandbox.
        """
        if tool not in self.environment.functions:
            return CallResult(False, None, f"unknown_tool: there is no tool {tool!r}")
        try:
            request = _encode({"op": "call", "tool": tool, "arguments": arguments})
        except (TypeError, ValueError, RecursionError) as error:
            return CallResult(False, None, f"invalid_arguments: not JSON ({error})")
        try:
            value, changed = self._pool.ask(request, self._marshalled, self._mark)
        except (RefusalError, WorkerError) as error:
            return CallResult(False, None, str(error))
        if changed:
            self._marshalled = changed
        return CallResult(True, value)

    @property
    def state(self) -> StateCopy:
        """A copy of the state as it is now, shared by those who ask: read it, never edit it.

        Raises:
            SandboxError: the worker could not give it.
        """
        if self._copy is None or self._copy.marshalled is not self._marshalled:
            self._copy = self._read()
        return self._copy

    @state.setter
    def state(self, value: State) -> None:
        self.restore(value)

    def _read(self) -> StateCopy:
        name = self.environment.name
        try:
            tables = self._pool.ask('{"op":"tables"}', self._marshalled, self._mark)[0]
            copy = StateCopy((table, dict(rows)) for table, rows in tables)
        except WorkerError as error:
            raise SandboxError(error.code, one_line(f"{name}: the sandbox gave no state: {error}")) from None
        except (RefusalError, TypeError, ValueError) as error:
            raise SandboxError("forbidden", one_line(f"{name}: its state is no JSON ({error})")) from None
        copy.marshalled = self._marshalled
        return copy

    def snapshot(self) -> Snapshot:
        """Return the state, to ``restore`` later."""
        return self.state

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot, or to any plain JSON state."""
        if isinstance(snapshot, StateCopy):
            self._marshalled = snapshot.marshalled
        else:
            self._marshalled = marshal.dumps(snapshot)

    def reset(self) -> None:
        """Go back to the initial state."""
        self._marshalled = self.environment.initial

    def close(self) -> None:
        """End this session's worker if it has one of its own."""
        if self.environment.worker_per_session:
            self._pool.close()


def _only_in_the_sandbox(state: Any, **arguments: Any) -> NoReturn:
    raise RuntimeError("this tool runs in the sandbox only: call it through a session")
