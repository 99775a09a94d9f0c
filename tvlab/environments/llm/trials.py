"""Run a model's code for its checks: in sandbox workers only, with little patience.

The worker pool already ends a worker that hangs, eats memory or is forbidden something.  A trial gives up
after a few such faults, so that code which hangs on every call costs seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from tvlab.environments.checks.cases import Check
from tvlab.environments.checks.verification import verify
from tvlab.environments.environment import CallResult
from tvlab.environments.llm.checks import check_declared
from tvlab.environments.sandbox.layers import Limits
from tvlab.environments.sandbox.sandbox import SandboxedEnvironment, SandboxedSession
from tvlab.foundation.errors import UserError

LIMITS = Limits(seconds=1.0, load_seconds=10.0)
_PATIENCE = 4


class TrialSession(SandboxedSession):
    """A session that stops asking once the code has cost too many workers."""

    __slots__ = ()
    environment: TrialEnvironment

    def call(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        """Call as in the sandbox; after too many faults of one tool its calls fail at once."""
        environment = self.environment
        environment.called[:] = [tool]
        if environment.faults[tool] >= _PATIENCE:
            return CallResult(False, None, f"timeout: given up after {_PATIENCE} faults")
        before = sum(environment.pool.faults.values())
        result = super().call(tool, arguments)
        if more := sum(environment.pool.faults.values()) - before:
            environment.faults[tool] += more
            environment.names[tool] = (result.error or "").partition(":")[0]
        return result


@dataclass(frozen=True)
class TrialEnvironment(SandboxedEnvironment):
    """An environment with model-written code under trial.

    Attributes:
        faults: how often each tool cost a worker; ``names``: the last named error of each.
        called: the tool that was called last.
    """

    faults: Counter[str] = field(default_factory=Counter, kw_only=True, compare=False)
    names: dict[str, str] = field(default_factory=dict, kw_only=True, compare=False)
    called: list[str] = field(default_factory=list, kw_only=True, compare=False)

    def session(self) -> TrialSession:
        """Start an episode."""
        return TrialSession(self, self.pool)


def tried(environment: TrialEnvironment, written: Collection[str], checked: Collection[str]) -> list[Check]:
    """Return every check of an environment that holds model-written tools.

    Args:
        environment: in its sandbox.
        written: the tools whose code is the model's: their declared meaning is checked as well.
        checked: the tools to check.
    """
    try:
        checks = verify(environment, tools=checked)
        for tool in environment.tool_names:
            if tool in written and tool in checked:
                checks += _once(list(check_declared(environment, tool)))
    except (UserError, KeyError, TypeError, AttributeError, ValueError) as error:
        # a state or a value that is no JSON, or none of the shape that the checks expect
        culprit = next(iter(environment.called), environment.tool_names[0])
        return [Check(culprit, "sandbox", False, f"{type(error).__name__}: {error}"[:300])]
    faults = [Check(tool, "sandbox", False, environment.names[tool]) for tool in environment.faults]
    return [*faults, *checks]


def _once(checks: list[Check]) -> list[Check]:
    """Keep one check of each kind: the first that failed, else the first."""
    kept: dict[tuple[str, str], Check] = {}
    for check in checks:
        known = kept.get((check.tool, check.check))
        if known is None or (known.passed and not check.passed):
            kept[check.tool, check.check] = check
    return list(kept.values())
