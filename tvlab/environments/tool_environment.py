"""One rollout in an environment as a plain object: reset, step, snapshot, restore, state hash, difference.

For those who bring a loop of their own.  It is a ``Session`` behind a wall: what goes in and what comes out
is copied, so that no caller can change a record which other rollouts share.  Training loops of tvlab use
``Session`` and ``Episode``, which leave the copy out and must not edit what they read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tvlab.environments.environment import CallResult, Environment, Snapshot, visible
from tvlab.environments.opening import open_environment
from tvlab.environments.state_difference import Difference, difference
from tvlab.environments.tool_calls import MalformedCallError, ToolCall, detached, observation_text


class ToolEnvironment:
    """A state that only tool calls change.

    Args:
        environment: a loaded environment or its folder.  Any number of rollouts may share one.

    For example::

        rollout = ToolEnvironment("path/to/bookstore")
        rollout.step({"name": "cancel_order", "arguments": {"order_id": "ord-001"}})
        print(rollout.words())  # order ord-001: status "open" -> "cancelled"
    """

    __slots__ = ("environment", "session")

    def __init__(self, environment: Environment | str | Path) -> None:
        self.environment = loaded(environment)
        self.session = self.environment.session()

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools in the MCP ``tools/list`` shape, the caller's own copy."""
        return detached(list(self.environment.tools))

    @property
    def state(self) -> dict[str, dict[Any, Any]]:
        """What can be read of the current state, the caller's own copy."""
        return detached(visible(self.session.state))

    @property
    def state_hash(self) -> str:
        """Hash of what can be read of the current state; equal for equal states, whatever way led there."""
        return self.session.fingerprint()

    def reset(self) -> None:
        """Go back to the environment's initial state."""
        self.session = self.environment.session()

    def step(self, call: ToolCall | Mapping[str, Any] | str) -> CallResult:
        """Make one call, in any spelling that ``ToolCall.parse`` reads.

        Never raises: what is no call, an unknown tool and a refusal are results with ``ok`` False, and
        change nothing.
        """
        try:
            parsed = ToolCall.parse(call)
        except MalformedCallError as error:
            return CallResult(False, None, f"invalid_arguments: {error}")
        result = self.session.call(parsed.name, parsed.arguments)
        return CallResult(True, detached(result.value)) if result.ok else result

    def read(self, call: ToolCall | Mapping[str, Any] | str) -> str:
        """Make one call and return the text an agent reads of the result."""
        return observation_text(self.step(call))

    def snapshot(self) -> Snapshot:
        """Return a copy to ``restore`` later, here or in another rollout of the same environment.

        It shares the records: treat it as opaque, or make it a value of your own by pickling or JSON.
        """
        return self.session.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot, which stays usable."""
        self.session.restore(snapshot)

    def difference(self, since: Snapshot | None = None) -> Difference:
        """Return what changed since a snapshot, or since the initial state."""
        return difference(self.environment.state if since is None else since, self.session.state)

    def words(self, since: Snapshot | None = None) -> str:
        """Return what changed, one line a record, with the environment's own nouns."""
        return self.difference(since).words(nouns(self.environment))


def loaded(environment: Environment | str | Path) -> Environment:
    """Return the environment itself, or open its folder: in a sandbox if its code was not written here."""
    return environment if isinstance(environment, Environment) else open_environment(environment)


def nouns(environment: Environment) -> dict[str, str]:
    """Return what the report calls a record of each table."""
    return {entity["table"]: name for name, entity in environment.report.get("entities", {}).items()}
