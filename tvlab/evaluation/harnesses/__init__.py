"""BFCL Multi-Turn, tau2-bench and ACEBench-Agent by their own harnesses, each in an environment of its own.

    managed_environments   what each needs, and making it
    task_server            speaks with a harness's process from many threads
    harness                a benchmark in the shape that scoring asks for
    ground_truth_counts    counts of ground truth and of nothing done

The files below ``inside/`` run in those environments: they import a harness and the standard library, never tvlab.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tvlab.evaluation.harnesses.ground_truth_counts import Count
    from tvlab.evaluation.harnesses.harness import ManagedHarness


def harnesses(
    ace_data: str | Path | None = None, bfcl_version: str = "v3"
) -> dict[str, Callable[[], ManagedHarness]]:
    """Return a maker of each external harness by its benchmark (see ``harness.harness_makers``)."""
    from tvlab.evaluation.harnesses.harness import harness_makers

    return harness_makers(ace_data, bfcl_version)


def setup(names: Iterable[str] = (), show: bool = True) -> list[Path]:
    """Make the environments of these names (see ``managed_environments.make_environments``)."""
    from tvlab.evaluation.harnesses.managed_environments import make_environments

    return make_environments(names, show)


def self_test(
    names: Iterable[str] = (), sample: bool = False, ace_data: str | Path | None = None, show: bool = True
) -> list[Count]:
    """Count what the checkers call right (see ``ground_truth_counts.self_test``)."""
    from tvlab.evaluation.harnesses.ground_truth_counts import self_test as counted

    return counted(names, sample, ace_data, show)
