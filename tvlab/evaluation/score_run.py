"""Scoring an endpoint for hours: many jobs at a time, resumable, errors kept apart from wrong answers.

A run that is started again plays only the jobs without a score, and those find every answer that was given
before.  Jobs that ended in an error are tried again at the next start.  When the endpoint fails for good in
several jobs one after the other the run stops, since each further job would be an error as well.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from tvlab.evaluation.gateway import Gateway, Ledger
from tvlab.evaluation.score_progress import ScoreProgress
from tvlab.evaluation.score_rows import BENCHES, Harness, Job, Outcome, Setting, drawn_tasks, score_row, shared_out
from tvlab.evaluation.score_store import ScoreStore
from tvlab.foundation.answer_cache import AnswerCache
from tvlab.foundation.endpoint import Endpoint, EndpointConfig
from tvlab.foundation.errors import UserError

FAILED_IN_A_ROW = 3
"""Jobs that the endpoint may fail one after the other, times the number played at once."""


@dataclass(frozen=True)
class ScorePlan:
    """How an endpoint is scored.

    Attributes:
        agent: the endpoint that is scored, and its sampling.
        user: the endpoint of the model that plays the user; None if there is none.
        mode: native or prompt.
        runs: repetitions of every task.
        limit: tasks of each benchmark, or tasks by benchmark, shared out over its categories; None means all.
        concurrency: jobs played at once.
        price_in, price_out: money a million tokens, for the cost shown.
        minutes: stop beginning jobs after so long; None means no limit.
        hardware: what the endpoint runs on, in words; goes into the settings.
        tau2_steps: messages of a simulation of tau2; 0 means upstream's limit.
    """

    agent: EndpointConfig
    user: EndpointConfig | None = None
    mode: str = "native"
    runs: int = 4
    limit: int | Mapping[str, int | None] | None = None
    concurrency: int = 8
    price_in: float = 0.0
    price_out: float = 0.0
    minutes: float | None = None
    hardware: str = ""
    tau2_steps: int = 0

    @property
    def config(self) -> dict[str, Any]:
        """What must stay the same in one folder of scores."""
        asked = {
            "model": self.agent.model,
            "mode": self.mode,
            "temperature": self.agent.temperature,
            "max_tokens": self.agent.max_tokens,
        }
        steps = {"tau2_steps": self.tau2_steps} if self.tau2_steps else {}
        return {**asked, **steps, "user_model": self.user.model if self.user else "", "hardware": self.hardware}


def jobs_of(harnesses: Sequence[Harness], runs: int, limit: int | Mapping[str, int | None] | None) -> list[Job]:
    """Return all jobs: the first run of everything first, then by benchmark, category and name of the task.

    Tasks of one environment or domain so follow each other, and a server that keeps prompts reads the tools once.
    """
    jobs = []
    for harness in harnesses:
        categories = BENCHES[harness.name]
        total = limit.get(harness.name) if isinstance(limit, Mapping) else limit
        counts = shared_out(total, len(categories))
        for category, count in zip(categories, counts, strict=True):
            tasks = sorted(drawn_tasks(harness.tasks(category), count))
            jobs += [Job(harness.name, category, task, run) for run in range(runs) for task in tasks]
    return sorted(jobs, key=lambda job: job.run)


def run_scores(
    harnesses: Sequence[Harness], plan: ScorePlan, out: str | Path, show: bool = True
) -> list[dict[str, Any]]:
    """Play all jobs that have no score in ``out`` and return all rows.

    Args:
        harnesses: the benchmarks, ready to run.
        plan: how.
        out: the folder; see ``ScoreStore``.
        show: progress on standard error.

    Raises:
        UserError: the endpoint does not answer, or fails too often; what was made is kept.
    """
    store = ScoreStore(out, plan.config)
    jobs = [job for job in jobs_of(harnesses, plan.runs, plan.limit) if not store.scored(job)]
    if not jobs:
        return store.rows
    reachable(plan.agent)
    with store.alone():
        jobs = [job for job in jobs if not store.scored(job)]
        run = _play_all(jobs, harnesses, plan, store, show)
    run.complain()
    return store.rows


def _play_all(
    jobs: Sequence[Job], harnesses: Sequence[Harness], plan: ScorePlan, store: ScoreStore, show: bool
) -> _Run:
    cache = AnswerCache(store.folder / "answers.sqlite")
    user = Endpoint(plan.user, cache) if plan.user else None
    try:
        with Gateway(Endpoint(plan.agent, cache), user, plan.mode) as gateway:
            run = _Run({harness.name: harness for harness in harnesses}, plan, store, gateway, jobs, show)
            with ThreadPoolExecutor(plan.concurrency) as pool:
                list(pool.map(run.play, jobs))
    finally:
        cache.close()
        for harness in harnesses:
            harness.close()
    return run


def reachable(config: EndpointConfig) -> None:
    """Ask an endpoint for its models, to tell at once that nothing is there.

    Raises:
        UserError: no server answers; one that answers with an error is there.
    """
    try:
        with urlopen(f"{config.base_url.rstrip('/')}/models", timeout=30):
            pass
    except HTTPError:
        pass
    except (URLError, OSError, ValueError) as error:
        raise UserError(f"no endpoint at {config.base_url} ({error}): start the server or check --base-url") from None


class _Run:
    """One run's threads, what they share."""

    def __init__(
        self,
        harnesses: Mapping[str, Harness],
        plan: ScorePlan,
        store: ScoreStore,
        gateway: Gateway,
        jobs: Sequence[Job],
        show: bool,
    ) -> None:
        self.harnesses, self.plan, self.store, self.gateway = harnesses, plan, store, gateway
        self.versions = {name: harness.version() for name, harness in harnesses.items()}
        counts = Counter(job.bench for job in jobs)
        self.progress = ScoreProgress(counts, plan.concurrency, plan.price_in, plan.price_out, show)
        self.start = time.monotonic()
        self.left, self.errors = len(jobs), 0
        self._failed_in_a_row, self._failure = 0, ""
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def play(self, job: Job) -> None:
        late = self.plan.minutes is not None and time.monotonic() - self.start > 60 * self.plan.minutes
        if self._stop.is_set() or late:
            return
        try:
            row = self._played(job)
        except BaseException:
            self._stop.set()
            raise
        self.store.add(row)
        with self._lock:
            self.left -= 1
            self.errors += row["termination"] == "error"
            self.progress.add(row)

    def complain(self) -> None:
        """Raise if the endpoint's failures have ended the run."""
        if self._stop.is_set():
            left, errors = self.left, self.errors
            raise UserError(
                f"{self._failure}; {errors} jobs ended in an error, {left} jobs are left: start again and it goes on"
            )

    def _played(self, job: Job) -> dict[str, Any]:
        plan, start = self.plan, time.monotonic()
        ledger = self.gateway.open(job.key)
        setting = Setting(
            self.gateway.address(job.key),
            self.gateway.address(job.key, "user") if plan.user else "",
            plan.agent.model,
            plan.user.model if plan.user else "",
            plan.mode,
            plan.agent.temperature,
            plan.agent.max_tokens,
            tau2_steps=plan.tau2_steps,
        )
        try:
            outcome = self.harnesses[job.bench].play(job, setting, self.store.logs(job))
        except Exception as error:  # whatever a harness raises is its error, not the model's wrong answer
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"[:400]
            outcome = Outcome(None, "error", reason, "harness")
        if ledger.failure:
            outcome = Outcome(None, "error", ledger.failure[:400], ledger.side, outcome.calls)
        self._watch(ledger)
        return score_row(
            job,
            outcome,
            **ledger.measured(),
            seconds=round(time.monotonic() - start, 3),
            model=plan.agent.model,
            mode=plan.mode,
            version=self.versions[job.bench],
        )

    def _watch(self, ledger: Ledger) -> None:
        """Stop the run when an endpoint is gone; one that refuses single requests is there."""
        with self._lock:
            gone = bool(ledger.failure) and not ledger.refused
            self._failed_in_a_row = self._failed_in_a_row + 1 if gone else 0
            if self._failed_in_a_row >= FAILED_IN_A_ROW * self.plan.concurrency:
                self._failure = ledger.failure
                self._stop.set()
