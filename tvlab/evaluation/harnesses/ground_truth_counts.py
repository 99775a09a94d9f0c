"""Do the harnesses count as they should?  Ground truth, nothing done, and in between, without any model.

The expected counts are properties of the benchmarks' data and of their checkers (one version each), so a count
that differs means a different harness or different data.  Doing nothing is rewarded on many tau2 tasks: that floor
belongs beside every score.

Counts, of the whole benchmark:

* BFCL v3: ground truth, no calls, and ground truth of the first turn only.
* tau2: golden actions with the words that the user has to hear, without them, and nothing.
* ACEBench: milestones run as calls (they are no full solutions), and nothing.  Milestones are text in which an
  apostrophe breaks the notation: ``possessives`` mends ``'s``, ``milestones`` mends all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tvlab.evaluation.harnesses.harness import ManagedHarness, harness_makers
from tvlab.evaluation.harnesses.managed_environments import USUAL
from tvlab.foundation.errors import UserError
from tvlab.foundation.progress import progress

_SECONDS = 3600.0
_AT_ONCE = 10  # tasks of one request
_SAMPLE = 3  # tasks of a category
EXPECTED: dict[tuple[str, str], dict[str, int]] = {
    ("bfcl", "base"): {"tasks": 200, "gold": 200, "empty": 0, "first": 3},
    ("bfcl", "miss_func"): {"tasks": 200, "gold": 200, "empty": 0, "first": 0},
    ("bfcl", "miss_param"): {"tasks": 200, "gold": 200, "empty": 0, "first": 0},
    ("bfcl", "long_context"): {"tasks": 200, "gold": 200, "empty": 0, "first": 3},
    ("tau2", "airline"): {"tasks": 50, "told": 50, "silent": 44, "nothing": 19},
    ("tau2", "retail"): {"tasks": 114, "told": 114, "silent": 76, "nothing": 7},
    ("tau2", "telecom"): {"tasks": 114, "told": 114, "silent": 114, "nothing": 0},
    ("acebench", "en_multi_step"): {"tasks": 20, "possessives": 10, "milestones": 12, "untouched": 0},
    ("acebench", "en_multi_turn"): {"tasks": 30, "possessives": 29, "milestones": 29, "untouched": 1},
    ("acebench", "zh_multi_step"): {"tasks": 20, "possessives": 14, "milestones": 14, "untouched": 0},
    ("acebench", "zh_multi_turn"): {"tasks": 30, "possessives": 29, "milestones": 29, "untouched": 1},
}
"""By benchmark and category (ACEBench: language and category).  BFCL's v4 gives the same counts as v3."""
FLOORS = {"tau2": "nothing", "bfcl": "empty", "acebench": "untouched"}
"""Which count is the score of an agent that does nothing."""
_OF_EVERY_SAMPLE = {"bfcl": {"gold": 1, "empty": 0}, "tau2": {"told": 1}}  # the share is 0 or 1 of any tasks


@dataclass(frozen=True)
class Count:
    """One number of the self-test.

    Attributes:
        bench: benchmark.
        category: its category.
        kind: what was given to the checker.
        counted: tasks that it called right.
        expected: how many it should.
        tasks: how many there were.
    """

    bench: str
    category: str
    kind: str
    counted: int
    expected: int
    tasks: int

    @property
    def right(self) -> bool:
        """True if the count is the expected one."""
        return self.counted == self.expected


def do_nothing_floors() -> dict[tuple[str, str], float]:
    """Return the score of an agent that does nothing, by benchmark and category.

    >>> do_nothing_floors()["tau2", "airline"]
    0.38
    """
    return {(bench, at): row[FLOORS[bench]] / row["tasks"] for (bench, at), row in EXPECTED.items()}


def self_test(
    names: Iterable[str] = (), sample: bool = False, ace_data: str | Path | None = None, show: bool = True
) -> list[Count]:
    """Count what the checkers call right.

    Args:
        names: benchmarks, or ``bfcl-v4``; none means all that can run here, at least one: the others are skipped, and
            standard error says why.
        sample: a few tasks a category and only counts that hold for any tasks (ACEBench is always whole); seconds
            instead of minutes.
        ace_data: as for ``harness.acebench_data``.
        show: print progress on standard error.

    Raises:
        UserError: a named benchmark is not known or cannot run here, or none can.
    """
    makers = {**harness_makers(ace_data), "bfcl-v4": harness_makers(bfcl_version="v4")["bfcl"]}
    unknown = [name for name in names if name not in makers]
    if unknown:
        raise UserError(f"no external benchmark is called {unknown[0]!r}: choose from {', '.join(makers)}")
    chosen = [makers[name]() for name in (list(names) or USUAL)]
    why = {harness.name: harness.missing() for harness in chosen}
    able = [harness for harness in chosen if not why[harness.name]]
    if (names and len(able) < len(chosen)) or not able:
        raise UserError(next(reason for reason in why.values() if reason))
    for reason in filter(None, why.values()):
        print(f"Skipped: {reason}", file=sys.stderr)
    return [count for harness in able for count in _counts(harness, sample, show)]


def _counts(harness: ManagedHarness, sample: bool, show: bool) -> list[Count]:
    try:
        requests = [
            (category, names[at : at + _AT_ONCE])
            for category, names in _categories(harness, sample).items()
            for at in range(0, len(names), _AT_ONCE)
        ]
        totals: dict[str, dict[str, int]] = {}
        with (
            ThreadPoolExecutor(os.cpu_count() or 1) as threads,
            progress(len(requests), f"{harness.name}: self-test", show) as advance,
        ):
            done = threads.map(lambda request: _check(harness, *request), requests)
            for at, ((category, _), counts) in enumerate(zip(requests, done, strict=True)):
                total = totals.setdefault(category, dict.fromkeys(counts, 0))
                totals[category] = {kind: total[kind] + count for kind, count in counts.items()}
                advance(at + 1)
    finally:
        harness.close()
    return [count for category, total in totals.items() for count in _compared(harness.name, category, total, sample)]


def _check(harness: ManagedHarness, category: str, names: list[str]) -> dict[str, int]:
    return harness.request("check", _SECONDS, category=category, tasks=names)


def _categories(harness: ManagedHarness, sample: bool) -> dict[str, list[str]]:
    """Names of tasks by the category that ``EXPECTED`` has."""
    found: dict[str, list[str]] = {}
    for bench, category in EXPECTED:
        if bench == harness.name == "acebench":
            language, own = category.split("_", 1)
            found[category] = [name for name in harness.tasks(own) if name.startswith(f"{language}_")]
        elif bench == harness.name:
            found[category] = list(harness.tasks(category))[: _SAMPLE if sample else None]
    return found


def _compared(bench: str, category: str, total: dict[str, int], sample: bool) -> list[Count]:
    """The counts with what they should be; of a sample only those that hold for any tasks."""
    tasks, expected = total["tasks"], EXPECTED[bench, category]
    if sample and bench in _OF_EVERY_SAMPLE:
        expected = {kind: share * tasks for kind, share in _OF_EVERY_SAMPLE[bench].items()}
    return [Count(bench, category, kind, total[kind], number, tasks) for kind, number in expected.items()]
