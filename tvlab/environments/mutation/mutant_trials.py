"""What became of a mutant: which checks caught it, and whether it does anything else than the original.

A mutant that no check catches and that answers a large set of calls like the original is called *alike*: it is
equivalent as far as these calls show.  Ids in answers count as behaviour, messages of refusals do not.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tvlab.environments.checks.call_values import Arguments, CallMaker
from tvlab.environments.checks.random_calls import known_values, random_arguments, random_call
from tvlab.environments.checks.verification import verify
from tvlab.environments.environment import Environment, Session, copy_tables
from tvlab.environments.mutation.mutants import Mutant
from tvlab.environments.runtime import State
from tvlab.foundation.seeds import generator


class TooSlowError(BaseException):
    """A call ran past its limit; no ``Exception``, so that no session takes it for a tool's fault."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise ``TooSlowError`` in the block after some seconds (main thread only)."""

    def stop(*_: Any) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True)
class Verdict:
    """The failed checks of a mutant, the first to fail first; none if it survives."""

    checks: tuple[str, ...] = ()
    neighbours: tuple[str, ...] = ()

    @property
    def killed(self) -> bool:
        """True if some check of the environment failed."""
        return bool(self.checks or self.neighbours)


def judge(original: Environment, mutant: Mutant, seconds: float = 20.0) -> Verdict:
    """Verify a mutant: the tools that run its function, and if they pass, the whole environment.

    Args:
        original: the environment without the fault.
        mutant: the fault.
        seconds: a verification that runs longer counts as failed (``too_slow``).
    """
    try:
        with time_limit(seconds):
            own = failed_checks(mutant.environment(original), set(mutant.tools))
            if own:
                return Verdict(own)
            others = set(original.tool_names) - set(mutant.tools)
            return Verdict((), failed_checks(mutant.environment(original), others))
    except TooSlowError:
        return Verdict(("too_slow",))


def failed_checks(environment: Environment, tools: set[str]) -> tuple[str, ...]:
    """Return the names of the checks of some tools that fail, without the action they are about."""
    before = json.dumps(environment.state)
    checks = [c.check.partition(" (")[0] for c in verify(environment, tools=tools) if not c.passed]
    after = json.dumps(environment.state)
    assert before == after, "verification must leave the state as it was"
    return tuple(dict.fromkeys(checks))


@dataclass
class Behaviour:
    """Calls of one environment in several states, with what the original answers."""

    environment: Environment
    states: list[State] = field(default_factory=list)
    _calls: dict[str, list[tuple[int, Arguments]]] = field(default_factory=dict)
    _answers: dict[str, list[Any]] = field(default_factory=dict)
    _per_state: int = 60

    @classmethod
    def of(cls, environment: Environment, seed: int = 0, walks: int = 7, steps: int = 12) -> Behaviour:
        """Walk at random to some states beside the initial one.

        Args:
            environment: the original.
            seed: seeds walks and arguments.
            walks: how many states.
            steps: calls on the way to each.
        """
        result = cls(environment, [copy_tables(environment.state)])
        for walk in range(walks):
            draw = generator(seed, "walk", environment.name, walk)
            session = environment.session()
            for _ in range(steps):
                call = random_call(environment, draw, session.state, optional=0.5)
                session.call(call.name, call.arguments)
            result.states.append(copy_tables(session.state))
        return result

    def alike(self, mutant: Mutant) -> bool:
        """True if the mutant answers every call like the original and leaves the same state."""
        changed = mutant.environment(self.environment)
        text = json.dumps(self.states)
        try:
            with time_limit(20):
                same = all(self._same(changed, tool) for tool in mutant.tools)
        except TooSlowError:
            same = False
        if json.dumps(self.states) != text:
            self.states = json.loads(text)
            return False
        return same

    def calls(self, tool: str) -> list[tuple[int, Arguments]]:
        """Return the calls of a tool as (state, arguments)."""
        if tool not in self._calls:
            draw = generator(0, "alike", self.environment.name, tool)
            maker = CallMaker(self.environment, tool, 1)
            self._calls[tool] = [
                (at, arguments)
                for at, state in enumerate(self.states)
                for arguments in self._arguments(tool, state, draw, maker)
            ]
        return self._calls[tool]

    def _arguments(
        self, tool: str, state: State, draw: np.random.Generator, maker: CallMaker
    ) -> Iterator[Arguments]:
        meaning = self.environment.meaning(tool)
        for action in meaning.get("branches", {None: None}) if meaning["entity"] else ():
            for at in range(self._per_state // 6):
                for mode in ("stay", "other", "fresh"):
                    for optional in (False, True):
                        arguments = maker.arguments(tool, state, at, optional, action, mode)
                        if arguments is not None:
                            yield arguments
        known = known_values(self.environment, tool, state) | self._filters(tool, state)
        schema = self.environment.tool(tool)["inputSchema"]
        for _ in range(self._per_state):
            yield random_arguments(schema, draw, known, optional=0.5)

    def _filters(self, tool: str, state: State) -> dict[str, list[Any]]:
        """Return stored values to filter by."""
        meaning = self.environment.meaning(tool)
        if not meaning["entity"]:
            return {}
        rows = state.get(self.environment.report["entities"][meaning["entity"]]["table"], {}).values()
        return {
            path: [
                row[role["field"]] for row in rows if isinstance(row.get(role["field"]), (str, int, float))
            ]
            for path, role in meaning["parameters"].items()
            if role["role"] == "filter"
        }

    def _same(self, changed: Environment, tool: str) -> bool:
        if tool not in self._answers:
            self._answers[tool] = [self._answer(self.environment, tool, *call) for call in self.calls(tool)]
        pairs = zip(self.calls(tool), self._answers[tool], strict=True)
        return all(self._answer(changed, tool, *call) == answer for call, answer in pairs)

    def _answer(self, environment: Environment, tool: str, at: int, arguments: Arguments) -> Any:
        """Call twice and return what an agent sees and what is left."""
        session = Session(environment)
        session.state = copy_tables(self.states[at])
        seen = []
        for _ in range(2):
            result = session.call(tool, arguments)
            seen.append((result.ok, json.dumps(result.value), (result.error or "").split(":")[0]))
        return seen, session.state
