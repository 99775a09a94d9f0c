"""Progress of a scoring run on standard error: tasks, errors, tokens, time and cost left."""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

SECONDS_BETWEEN_LINES = 10.0


class ScoreProgress:
    """Counts rows and prints a line now and then.

    Args:
        jobs: how many are to be played, by benchmark.
        concurrency: how many at once.
        price_in, price_out: money a million tokens; 0 leaves the cost out.
        show: False prints nothing.
    """

    def __init__(
        self, jobs: Mapping[str, int], concurrency: int, price_in: float, price_out: float, show: bool = True
    ) -> None:
        self.jobs, self.concurrency, self.show = dict(jobs), concurrency, show
        self.prices = (price_in, price_out)
        self.start = self.printed = time.monotonic()
        self.done: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.cost: defaultdict[str, float] = defaultdict(float)
        self.errors = self.input_tokens = self.output_tokens = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row; prints at most one line in ten seconds, and one at the end."""
        self.done[row["bench"]] += 1
        self.seconds[row["bench"]] += row["seconds"]
        self.errors += row["termination"] == "error"
        tokens = max(row["input_tokens"], 0), max(row["output_tokens"], 0)
        self.cost[row["bench"]] += (tokens[0] * self.prices[0] + tokens[1] * self.prices[1]) / 1e6
        self.input_tokens += tokens[0]
        self.output_tokens += tokens[1]
        now = time.monotonic()
        whole = self.done.total() == sum(self.jobs.values())
        if self.show and (whole or now - self.printed >= SECONDS_BETWEEN_LINES):
            self.printed = now
            print(self.line(now - self.start), file=sys.stderr, flush=True)

    def line(self, elapsed: float) -> str:
        """Return the line for the state after ``elapsed`` seconds."""
        jobs = sum(self.jobs.values())
        spent = sum(self.seconds.values())
        left = elapsed * self._left(self.seconds) / spent if spent else float("nan")
        benches = ", ".join(f"{name} {count}" for name, count in self.done.items())
        tokens = f"{self.input_tokens / 1000:.0f}k tokens in, {self.output_tokens / 1000:.0f}k out"
        done = f"{self.done.total()}/{jobs} ({benches})"
        text = f"scores: {done}, {self.errors} errors, {tokens}, about {_minutes(left)} left"
        if any(self.prices):
            text += f", cost {sum(self.cost.values()):.2f}, about {self._left(self.cost):.2f} more"
        return text

    def _left(self, spent: Mapping[str, float]) -> float:
        """What the jobs left will take of something: by benchmark; one without a job done takes as all others."""
        usual = sum(spent.values()) / max(self.done.total(), 1)
        each = {name: spent[name] / self.done[name] if self.done[name] else usual for name in self.jobs}
        return sum(each[name] * (count - self.done[name]) for name, count in self.jobs.items())


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
