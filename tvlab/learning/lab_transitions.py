"""What calls did to a state, remembered: equal calls in equal states are run once.

A training run makes the same call in the same state again and again: K rollouts of an item begin alike, and an item
comes back many times. A tool is a function of the state and its arguments and replaces records instead of editing
them (``environment.py``), so a state, once reached, can be shared by all rollouts that get there by the same calls.
States are told apart by the calls that led to them, not by what they hold. Results are those of ``Session.call``.

Not checked: that tools keep to that rule; ``verification.py`` proves it of every tool that it lets through.
"""

from __future__ import annotations

import marshal
from typing import Any

from tvlab.environments.environment import CallResult, Environment, Session, Snapshot, copy_tables
from tvlab.environments.runtime import State

MOST_STATES = 4_000


class _Reached:
    """A state and what the calls made in it gave: {(tool, arguments): (result, the state after it)}."""

    __slots__ = ("calls", "fingerprint", "state")

    def __init__(self, state: State) -> None:
        self.state = state
        self.calls: dict[tuple[str, bytes], tuple[CallResult, _Reached]] = {}
        self.fingerprint: str | None = None


class Transitions:
    """The states of one environment that rollouts have reached.

    Args:
        environment: whose tools are run.
        most: states to keep; beyond that all but the initial one are forgotten.
    """

    def __init__(self, environment: Environment, most: int = MOST_STATES) -> None:
        self.environment, self.most = environment, most
        self._forget()

    def session(self) -> RememberingSession:
        """Start a rollout at the initial state."""
        if self.states > self.most:
            self._forget()
        return RememberingSession(self)

    def _forget(self) -> None:
        self.initial, self.states = _Reached(copy_tables(self.environment.state)), 1


class RememberingSession(Session):
    """A session that looks up what a call gave before it runs it; its state is shared and never edited."""

    __slots__ = ("_at", "_transitions")

    def __init__(self, transitions: Transitions) -> None:
        self.environment, self._transitions = transitions.environment, transitions
        self._at = transitions.initial
        self.state = self._at.state

    def call(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        """As ``Session.call``."""
        try:
            key = (tool, marshal.dumps(arguments, 2))
        except ValueError:  # no JSON, which the session itself refuses
            return super().call(tool, arguments)
        found = self._at.calls.get(key)
        if found is None:
            found = self._at.calls[key] = self._run(tool, arguments)
        result, self._at = found
        self.state = self._at.state
        return result

    def _run(self, tool: str, arguments: dict[str, Any]) -> tuple[CallResult, _Reached]:
        writes = tool in self.environment.writers
        if writes:
            self.state = copy_tables(self.state)
        result = super().call(tool, arguments)
        if not writes or not result.ok:
            return result, self._at
        self._transitions.states += 1
        return result, _Reached(self.state)

    def restore(self, snapshot: Snapshot) -> None:
        """As ``Session.restore``; what follows is remembered for this session alone."""
        super().restore(snapshot)
        self._at = _Reached(self.state)

    def fingerprint(self) -> str:
        """As ``Session.fingerprint``, computed once a state."""
        if self._at.fingerprint is None:
            self._at.fingerprint = super().fingerprint()
        return self._at.fingerprint
