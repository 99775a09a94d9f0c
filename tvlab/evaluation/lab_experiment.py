"""Arms against each other: training runs of the lab policy, evaluated on environments that it did not see.

The environments are split into two folds. A run trains on one and is evaluated on the other, and every arm
and seed has a run for each fold, so every environment is held out once and results are complete over
(environment, seed). Runs are stored; one that is there is not made again. The default learning
rates and starting weights of the lab policy were chosen with TARA on items of the embedded environments, so on
these the arms' order may favour it; a choice per arm on validation is not made here.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

import tvlab
from tvlab.evaluation.suite import Suite, folds, load_suite, read_suite
from tvlab.foundation.errors import UserError
from tvlab.foundation.profiles import get_profile
from tvlab.foundation.runner import run_jobs
from tvlab.foundation.stored_runs import StoredRun, source_hash, stored_run
from tvlab.learning.lab_evaluation import evaluate
from tvlab.learning.lab_policy import LabPolicy
from tvlab.learning.lab_trainer import LabConfig, TrainedPolicy, train
from tvlab.learning.overlap_policy import overlap_policy

FOLDS = 2
BASELINES = ("untrained", "overlap")
_PACKAGE = Path(tvlab.__file__).parent


@dataclass(frozen=True)
class Results:
    """What a set of runs gave.

    Attributes:
        evaluation: one row a held-out rollout: arm, environment, item, seed, attempt, turn_reward, ...
        updates: one row an update of a training run: arm, seed, fold, update, turn_reward, ...
    """

    evaluation: pd.DataFrame
    updates: pd.DataFrame


@dataclass(frozen=True)
class Job:
    """One run: an arm, a seed and a fold of a profile's suite.

    Attributes:
        profile: whose suite on disk is used.
        fold: which fold is held out.
        config: the arm, its seed and settings.
        items: held-out items an environment in the evaluation.
        rollouts: rollouts of each.
    """

    profile: str
    fold: int
    config: LabConfig
    items: int
    rollouts: int

    @property
    def name(self) -> str:
        """The arm, seed and fold in words."""
        return f"{self.config.arm}, seed {self.config.seed}, fold {self.fold}"


def lab_config(profile: str, arm: str = "tara", seed: int = 0, **settings: Any) -> LabConfig:
    """Return the configuration of an arm at the scale of a profile; ``settings`` replace single values."""
    scale = get_profile(profile)
    plain = LabConfig(
        arm=arm,
        seed=seed,
        updates=scale.updates,
        items_per_update=scale.items_per_update,
        rollouts=scale.rollouts,
    )
    return replace(plain, **settings)


def lab_job(profile: str, fold: int, arm: str, seed: int, **settings: Any) -> Job:
    """Return the job of an arm, seed and fold at the scale of a profile."""
    scale = get_profile(profile)
    config = lab_config(profile, arm, seed, **settings)
    return Job(profile, fold, config, scale.evaluation_items, scale.evaluation_rollouts)


def run_arms(
    profile: str,
    arms: Sequence[str],
    suite_seed: int = 0,
    workers: int = 2,
    source: str = "embedded",
    first_seed: int = 0,
    **settings: Any,
) -> Results:
    """Train and evaluate each arm with all seeds of the profile.

    Args:
        profile: the scale.
        arms: names of advantage estimators, or of ``BASELINES``, which learn nothing.
        suite_seed: of environments and items.
        workers: processes.
        source: of the tool lists.
        first_seed: training seeds are ``first_seed``, ``first_seed + 1``, ...
        settings: replace values of ``LabConfig`` for all arms, such as ``lam=0.3``.
    """
    suite = load_suite(profile, suite_seed, source, workers)
    jobs = [
        lab_job(profile, fold, arm, first_seed + at, **settings)
        for arm in arms
        for at in range(get_profile(profile).seeds)
        for fold in range(FOLDS)
    ]
    stored = [stored_run(_key(job, suite)) for job in jobs]
    missing = [(job, run) for job, run in zip(jobs, stored, strict=True) if not run.done]
    run_jobs(_run_and_store, missing, workers, what="training runs")
    loaded = [run.load() for run in stored]
    return Results(
        pd.DataFrame([row for run in loaded for row in run["rows"]]),
        pd.DataFrame(
            [
                {"arm": job.config.arm, "seed": job.config.seed, "fold": job.fold, **row}
                for job, run in zip(jobs, loaded, strict=True)
                for row in run["updates"]
            ]
        ),
    )


def _run_and_store(work: tuple[Job, StoredRun]) -> None:
    job, stored = work
    stored.save(run(job, _suite(job.profile)))


def run(job: Job, suite: Suite) -> dict[str, Any]:
    """Train on one fold and evaluate on the other; return ``rows`` and ``updates``."""
    config, updates = job.config, []
    if config.arm in BASELINES:
        policy: Any = LabPolicy(config.size) if config.arm == "untrained" else overlap_policy()
        held_out = folds(sorted(suite.items), FOLDS)[job.fold][1]
    else:
        trained, held_out = train_fold(config, suite, job.fold)
        policy = trained.policy
        updates = [{name: value for name, value in row.items() if name != "seconds"} for row in trained.rows]
    table = evaluate_held_out(policy, config, suite, held_out, job.items, job.rollouts, config.seed)
    return {"rows": json.loads(table.to_json(orient="records", double_precision=15)), "updates": updates}


def train_fold(config: LabConfig, suite: Suite, fold: int) -> tuple[TrainedPolicy, list[str]]:
    """Train on one fold of a suite; return what was trained and the names of the held-out environments."""
    seen, held_out = folds(sorted(suite.items), FOLDS)[fold]
    environments = [suite.environments[name] for name in seen]
    return train(config, environments, {name: suite.items[name] for name in seen}), held_out


def evaluate_held_out(
    policy: Any,
    config: LabConfig,
    suite: Suite,
    held_out: Sequence[str],
    items: int,
    rollouts: int,
    seed: int,
) -> pd.DataFrame:
    """Play the first ``items`` items of each held-out environment; one row a rollout, see ``evaluate``.

    Raises:
        UserError: the suite has no items for one of the environments.
    """
    unknown = sorted(set(held_out) - set(suite.items))
    if unknown:
        raise UserError(
            f"no items for environment {unknown[0]}: evaluate with the profile it was trained with"
        )
    environments = [suite.environments[name] for name in held_out]
    chosen = {name: suite.items[name][:items] for name in held_out}
    return evaluate(policy, environments, chosen, rollouts, seed, config, arm=config.arm)


@lru_cache(maxsize=1)
def _suite(profile: str) -> Suite:
    return read_suite(profile)


def _key(job: Job, suite: Suite) -> dict[str, Any]:
    """All that decides a run's result."""
    rooms = [_PACKAGE / room for room in ("foundation", "environments", "tasks", "learning", "evaluation")]
    return {
        "what": "lab run",
        "suite": suite.key,
        "fold": [job.fold, FOLDS],
        "config": job.config.to_json(),
        "evaluation": [job.items, job.rollouts],
        "code": source_hash(*rooms),
    }
