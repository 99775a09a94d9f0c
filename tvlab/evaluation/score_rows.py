"""Rows of scores, and what a benchmark has to offer to be scored: the interface of every harness.

A *job* is one task played once.  A harness plays it against OpenAI-compatible addresses and returns an
*outcome*; whoever runs it adds what it measured itself (tokens, seconds, model) and keeps a flat *row*.

What a harness need not care for, since a gateway of this program stands between it and the model: keys,
retries, answers kept on disk, counting tokens, thinking text, and tool calls of a model whose server parses
none.  It speaks plain chat completions to the addresses that it is given and runs no job twice.

A score is missing (None) exactly where ``termination`` is ``error``: such a row is counted and left out of
means, never taken for a wrong answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from tvlab.foundation.errors import UserError

BENCHES = {
    "gust": ("all",),
    "bfcl": ("base", "miss_func", "miss_param", "long_context"),
    "tau2": ("airline", "retail", "telecom"),
    "acebench": ("multi_step", "multi_turn"),
}
"""Benchmarks and their categories, in the order of the table's columns."""

MODES = ("native", "prompt")
TERMINATIONS = ("finished", "step_limit", "truncated", "format", "error")
"""How a task ended.

finished: played to its end and judged.  step_limit: more steps than the benchmark allows; judged.
truncated: a message was cut at the token limit and the task ended by it; judged.  format: the harness could
not read the model's output and ended the task; judged.  error: not judged, no score.
"""
SIDES = ("", "agent", "user", "endpoint", "harness")
"""Whose fault an error is; "" where there is none."""


@dataclass(frozen=True)
class Job:
    """One task of one benchmark, played once.

    Attributes:
        bench: key of ``BENCHES``.
        category: one of its categories.
        task: the benchmark's own name of the task; ACEBench's carry the language (``en_...``, ``zh_...``).
        run: number of the repetition, from 0; also the seed of sampling.
    """

    bench: str
    category: str
    task: str
    run: int

    @property
    def key(self) -> str:
        """Name in files and addresses: letters, digits, ``.``, ``_``, ``-`` and ``/`` only."""
        return "/".join((self.bench, self.category, _plain(self.task), str(self.run)))


@dataclass(frozen=True)
class Setting:
    """How a harness reaches the models in one job.

    Attributes:
        agent_url: address up to and with ``/v1`` for the model that is scored; made for this job alone.
        user_url: the same for the model that plays the user; "" if there is none.
        model: name to send to ``agent_url``.
        user_model: name to send to ``user_url``.
        mode: ``native``: send ``tools`` and read ``tool_calls``.  ``prompt``: the harness's own text format
            where the benchmark has one (BFCL, ACEBench); else as ``native``, the gateway translates.
        temperature: of sampling; the gateway sets it on every request for the agent anyway.
        max_tokens: of one message.
        timeout: seconds for one request, retries of the gateway included.
        key: what to send as key: any word, the gateway knows the real one.
        tau2_steps: messages of a simulation of tau2; 0 means as many as upstream allows (200).
    """

    agent_url: str
    user_url: str
    model: str
    user_model: str
    mode: str = "native"
    temperature: float = 0.7
    max_tokens: int = 1024
    timeout: float = 3600.0
    key: str = "none"
    tau2_steps: int = 0


@dataclass(frozen=True)
class Outcome:
    """What came of a job.

    Attributes:
        score: 0 to 1 by the benchmark's own rule; None with termination ``error``.
        termination: one of ``TERMINATIONS``.
        error: one line; what went wrong, "" if nothing did.
        side: one of ``SIDES``.
        calls: tool calls that the agent made.
        partial: a second, finer score of 0 to 1 (GUST: turn reward; ACEBench: process accuracy), else None.
        details: JSON of the harness's own; ``turns`` may hold one dictionary a turn for failure analysis.
    """

    score: float | None
    termination: str = "finished"
    error: str = ""
    side: str = ""
    calls: int = 0
    partial: float | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.termination not in TERMINATIONS or self.side not in SIDES:
            raise ValueError(f"termination {self.termination!r}, side {self.side!r}: not known")
        if (self.score is None) != (self.termination == "error"):
            raise ValueError(f"score {self.score} with termination {self.termination!r}: None means error")


class Harness(Protocol):
    """A benchmark that can be scored.

    Attributes:
        name: key of ``BENCHES``.
    """

    name: str

    def missing(self) -> str:
        """Return "" if it can run here, else one line: what is missing and what to do."""
        ...

    def version(self) -> str:
        """Return package, version and data, e.g. ``bfcl-eval 2025.7.17 (v3)``; goes beside the numbers."""
        ...

    def tasks(self, category: str) -> Sequence[str]:
        """Return the names of all tasks of a category."""
        ...

    def play(self, job: Job, setting: Setting, folder: Path) -> Outcome:
        """Play one job; called from several threads at a time.

        Args:
            job: what to play.
            setting: where the models are.
            folder: the job's own folder for logs; may not exist, may hold leavings of a killed try.

        What is raised is kept as an error of the harness's side.
        """
        ...

    def close(self) -> None:
        """End processes that are kept between jobs."""
        ...


def score_row(job: Job, outcome: Outcome, **measured: Any) -> dict[str, Any]:
    """Return the flat row of a job.

    Args:
        job: what was played.
        outcome: what came of it.
        measured: input_tokens, output_tokens, seconds, requests, model, mode, version, ...
    """
    return {
        "bench": job.bench,
        "category": job.category,
        "task": job.task,
        "run": job.run,
        "score": outcome.score,
        "partial": outcome.partial,
        "termination": outcome.termination,
        "error": outcome.error,
        "side": outcome.side,
        "calls": outcome.calls,
        **measured,
        "details": outcome.details,
    }


def job_of(row: dict[str, Any]) -> Job:
    """Return the job that a row is of."""
    return Job(row["bench"], row["category"], row["task"], row["run"])


def drawn_tasks(tasks: Iterable[str], count: int | None) -> list[str]:
    """Return ``count`` tasks of a category in the order of a hash of their names; None means all.

    A larger count keeps the tasks of a smaller one, so that a run can be widened without being repeated.

    >>> drawn_tasks(["a", "b", "c"], 2) == drawn_tasks(["c", "b", "a"], 3)[:2]
    True
    """
    ordered = sorted(tasks, key=lambda name: sha256(name.encode()).hexdigest())
    return ordered if count is None else ordered[:count]


def task_limits(text: str) -> dict[str, int | None]:
    """Return how many tasks of each benchmark a user asks for; None means all.

    Args:
        text: one number for every benchmark, or numbers by benchmark; "" asks for all.

    Raises:
        UserError: neither, or an unknown benchmark.

    >>> task_limits("gust=40,tau2=8") == {"gust": 40, "tau2": 8, "bfcl": None, "acebench": None}
    True
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    named = dict(word.split("=", 1) for word in words if "=" in word)
    wanted = dict.fromkeys(BENCHES, words[0]) if len(words) == 1 and not named else named
    sound = all(name in BENCHES and number.isdecimal() and int(number) for name, number in wanted.items())
    if not sound or (words and len(wanted) < len(words)):
        raise UserError(f"--limit {text}: give a number of tasks, or such as gust=40,tau2=8 ({', '.join(BENCHES)})")
    return {name: int(wanted[name]) if name in wanted else None for name in BENCHES}


def shared_out(total: int | None, categories: int) -> list[int | None]:
    """Return how many tasks each category gets of a limit for the whole benchmark.

    >>> shared_out(8, 3), shared_out(None, 2)
    ([3, 3, 2], [None, None])
    """
    if total is None:
        return [None] * categories
    return [total // categories + (at < total % categories) for at in range(categories)]


def _plain(name: str) -> str:
    kept = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "_" for letter in name)
    return kept if kept == name else f"{kept[:80]}-{sha256(name.encode()).hexdigest()[:8]}"
