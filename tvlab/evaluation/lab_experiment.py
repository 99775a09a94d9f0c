"""Arms against each other: many training runs of the lab policy, each stored under what decides its result.

A job is one run: a suite, a split of its environments (``lab_split.py``), and a configuration. Runs are stored and
shared by all notebooks; one that is there is not made again. The key holds the configuration as far as the arm uses
it, the contents of the environments and items, and the code that a run imports (``lab_run.py``), nothing else.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pandas as pd

from tvlab.evaluation import lab_run
from tvlab.evaluation.lab_rates import rate_of
from tvlab.evaluation.lab_run import BASELINES, Worlds, evaluate_on, run, train_on
from tvlab.evaluation.lab_split import Split, split
from tvlab.evaluation.lab_suites import BASE, SuiteName, get_suite, open_suite, suite_hashes
from tvlab.evaluation.suite import Suite
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError
from tvlab.foundation.import_closure import closure_hash
from tvlab.foundation.profiles import get_profile
from tvlab.foundation.runner import run_jobs
from tvlab.foundation.stored_runs import StoredRun, stored_run
from tvlab.learning.advantages import advantage
from tvlab.learning.lab_policy import LabPolicy
from tvlab.learning.lab_trainer import LabConfig, TrainedPolicy

__all__ = ["BASELINES", "Job", "Results", "evaluate_held_out", "job_of", "lab_config", "run_grid", "train_split"]

VALIDATIONS = 5
IN_PROCESS = ("smoke",)
"""Profiles whose runs are shorter than the start of a worker process."""
PLAIN = LabConfig()


@dataclass(frozen=True)
class Job:
    """One run.

    Attributes:
        profile: whose suites are used.
        suite: which suite of the profile.
        config: the arm, its seed and settings.
        labels: columns that are put on the run's rows; they decide nothing.
        environments: how many of the split's training environments are used; None for all.
        items: items of each that are trained on; None for all.
        total: items that are trained on in all, dealt evenly over the environments; None for no such limit.
        evaluation: items of each environment in an evaluation, and rollouts of each.
    """

    profile: str
    suite: SuiteName
    config: LabConfig
    labels: tuple[tuple[str, Any], ...] = ()
    environments: int | None = None
    items: int | None = None
    total: int | None = None
    evaluation: tuple[int, int] = (12, 2)

    def split(self, suite: Suite) -> Split:
        """The run's environments, cut down to the number that it trains on."""
        found = split(list(get_suite(self.profile, self.suite.base).items), self.config.seed)
        return replace(found, training=training_names(suite, found, self.environments))


@dataclass(frozen=True)
class Results:
    """What a set of runs gave, with the jobs' labels as columns.

    Attributes:
        evaluation, validation: one row a rollout of a test, a validation item: arm, environment, item, seed, ...
        updates: one row an update of a training run: arm, seed, update, turn_reward, ...
        clock: one row an update: seconds since the run began; not the same in a second run.
    """

    evaluation: pd.DataFrame
    validation: pd.DataFrame
    updates: pd.DataFrame
    clock: pd.DataFrame


def lab_config(profile: str, arm: str = "tara", seed: int = 0, **settings: Any) -> LabConfig:
    """Return the configuration of an arm at the scale of a profile, at the arm's learning rate.

    Args:
        profile: the scale.
        arm: name of an advantage estimator, or of ``BASELINES``.
        seed: of the run.
        settings: replace single values of ``LabConfig``.
    """
    scale = get_profile(profile)
    plain = LabConfig(
        arm=arm,
        seed=seed,
        updates=scale.updates,
        items_per_update=scale.items_per_update,
        rollouts=scale.rollouts,
        lr=rate_of(arm),
        validate_every=max(int(settings.get("updates", scale.updates)) // VALIDATIONS, 1),
        validation_items=max(scale.evaluation_items // 3, 1),
        validation_rollouts=1,
    )
    return replace(plain, **settings)


def job_of(profile: str, arm: str, seed: int, suite: SuiteName = BASE, environments: int | None = None,
           items: int | None = None, labels: Mapping[str, Any] | None = None, total: int | None = None,
           **settings: Any) -> Job:  # fmt: skip
    """Return the job of an arm and seed at the scale of a profile; see ``Job`` and ``lab_config``."""
    config = lab_config(profile, arm, seed, **settings)
    scale = get_profile(profile)
    evaluation = (scale.evaluation_items, scale.evaluation_rollouts)
    return Job(profile, suite, config, tuple((labels or {}).items()), environments, items, total, evaluation)


def run_grid(jobs: Sequence[Job], workers: int = 2) -> Results:
    """Make the runs that are not stored, seed after seed, and return all of them.

    Args:
        jobs: what to run; jobs that differ in their labels only are run once.
        workers: processes; those of ``IN_PROCESS`` take none.
    """
    if not jobs:
        raise UserError("no runs are asked for: name at least one arm")
    workers = 1 if jobs[0].profile in IN_PROCESS else workers
    for name in dict.fromkeys((job.profile, job.suite) for job in jobs):
        open_suite(*name, workers=workers)
    stored = [stored_run(key_of(job)) for job in jobs]
    missing = {run.folder: (job, run) for job, run in zip(jobs, stored, strict=True) if not run.done}
    ordered = sorted(missing.values(), key=lambda work: (repr(work[0].suite), work[0].config.seed))
    run_jobs(_run_and_store, ordered, workers, what="training runs")
    loaded = [(job, run.load()) for job, run in zip(jobs, stored, strict=True)]
    return Results(
        *(pd.DataFrame([row for job, found in loaded for row in _labelled(job, found[name])])
          for name in ("rows", "validation", "updates", "clock"))
    )  # fmt: skip


def _labelled(job: Job, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    own = {"arm": job.config.arm, "seed": job.config.seed, **dict(job.labels)}
    return [{**row, **own} for row in rows]


def _run_and_store(work: tuple[Job, StoredRun]) -> None:
    job, stored = work
    with stored.claimed():
        if stored.done:
            return
        suite = get_suite(job.profile, job.suite)
        parts, (few, rollouts) = job.split(suite), job.evaluation
        training = worlds(suite, parts.training)
        training = training if job.items is None else training.first(job.items)
        training = training if job.total is None else dealt(training, job.total)
        validation, test = (worlds(suite, names).first(few) for names in (parts.validation, parts.test))
        stored.save(run(canonical(job.config), training, validation, test, rollouts))


def worlds(suite: Suite, names: Sequence[str]) -> Worlds:
    """Return environments of a suite with their items.

    Raises:
        UserError: the suite has no items for one of them.
    """
    unknown = sorted(set(names) - set(suite.items))
    if unknown:
        raise UserError(
            f"no items for environment {unknown[0]}: evaluate with the profile it was trained with"
        )
    return Worlds([suite.environments[name] for name in names], {name: suite.items[name] for name in names})


def dealt(training: Worlds, total: int) -> Worlds:
    """Return the worlds with ``total`` items, dealt round by round: the first item of each, then the second, ...

    Raises:
        UserError: they have fewer items.
    """
    names = [environment.name for environment in training.environments]
    order = sorted((at, place, name) for place, name in enumerate(names) for at in range(len(training.items[name])))
    if len(order) < total:
        raise UserError(f"{len(order)} items to train on, {total} asked for: ask for fewer, or more environments")
    counts = Counter(name for _, _, name in order[:total])
    return Worlds(training.environments, {name: list(training.items[name])[: counts[name]] for name in names})


def parent_of(name: str) -> str | None:
    """The environment that a variation was made from; None for one that is no variation.

    >>> parent_of("calendar-v12"), parent_of("calendar")
    ('calendar', None)
    """
    parent, mark, number = name.rpartition("-v")
    return parent if mark and number.isdigit() else None


def training_names(suite: Suite, parts: Split, count: int | None) -> tuple[str, ...]:
    """The first ``count`` training environments: the domains in an order of their own, then what stands beside them.

    A variation of a domain that is held out or validated on is left out; other environments, of a corpus, are not.
    """
    if count is None:
        return parts.training
    used, held = set(parts.training), {*parts.validation, *parts.test}
    domains = sorted(parts.training, key=lambda name: content_hash(["scale", name]))
    beside = [name for name in suite.items if name not in used | held and parent_of(name) not in held]
    number = {name: int(name.rpartition("-v")[2]) if parent_of(name) in used else 0 for name in beside}
    names = [*domains, *sorted(beside, key=lambda name: (number[name], content_hash(["scale", name])))][:count]
    if len(names) < count:
        raise UserError(f"{len(names)} environments to train on, {count} asked for: ask for fewer, or give more")
    return tuple(names)


def canonical(config: LabConfig) -> LabConfig:
    """Return the configuration without what the arm does not use, so that equal runs are stored once.

    >>> canonical(LabConfig(arm="tara", lam=0.0, gamma=0.3)) == canonical(LabConfig(arm="turn_local", lam=0.9))
    True
    """
    if config.arm in BASELINES:
        kept = ("arm", "size", "seed", "step_cap", "call_budget", "reward", "on_failed_turn")
        return LabConfig(**{name: getattr(config, name) for name in kept})
    if config.arm in ("tara", "turn_local_future") and config.lam == 0:
        config = replace(config, arm="turn_local")
    known = inspect.signature(advantage(config.arm)).parameters
    unused = ("lam", "gamma") if "lam" not in known else ()
    return replace(config, **{name: getattr(PLAIN, name) for name in unused})


def key_of(job: Job) -> dict[str, Any]:
    """All that decides a run's result."""
    suite = get_suite(job.profile, job.suite)
    hashes, parts = suite_hashes(job.profile, job.suite), job.split(suite)
    names = {part: list(getattr(parts, part)) for part in ("training", "validation", "test")}
    return {
        "what": "lab run",
        "worlds": {part: [[name, hashes[name]] for name in chosen] for part, chosen in names.items()},
        "items": job.items if job.total is None else {"total": job.total},
        "config": canonical(job.config).to_json(),
        "evaluation": list(job.evaluation),
        "code": _code(),
    }


@lru_cache(maxsize=1)
def _code() -> str:
    return closure_hash(lab_run.__name__)


def train_split(config: LabConfig, suite: Suite) -> tuple[TrainedPolicy, list[str]]:
    """Train on a suite's training environments for the configuration's seed; return the policy and what is held out."""
    parts = split(list(suite.items), config.seed)
    return train_on(config, worlds(suite, parts.training)), sorted((*parts.validation, *parts.test))


def evaluate_held_out(policy: LabPolicy, config: LabConfig, suite: Suite, held_out: Sequence[str], items: int,
                      rollouts: int, seed: int) -> pd.DataFrame:  # fmt: skip
    """Play the first ``items`` items of each held-out environment; one row a rollout, see ``evaluate``.

    Raises:
        UserError: the suite has no items for one of the environments.
    """
    return evaluate_on(policy, config, worlds(suite, held_out).first(items), rollouts, seed)
