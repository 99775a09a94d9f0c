"""One training run of the lab policy and its evaluation on environments that it did not see.

This module imports only what decides a run's result: the hash of what it imports is in the key of a stored run, so
that other modules can change without a run being made again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tvlab.environments.environment import Environment
from tvlab.foundation.errors import UserError
from tvlab.learning.lab_evaluation import evaluate
from tvlab.learning.lab_policy import LabPolicy
from tvlab.learning.lab_rollouts import without_cycle_search
from tvlab.learning.lab_trainer import LabConfig, TrainedPolicy, train
from tvlab.learning.overlap_policy import overlap_policy
from tvlab.tasks.item import Item

BASELINES = ("untrained", "overlap")
CLOCK = ("seconds",)


@dataclass(frozen=True)
class Worlds:
    """Environments with their items.

    Attributes:
        environments: in the order in which they are used.
        items: by environment name.
    """

    environments: Sequence[Environment]
    items: dict[str, Sequence[Item]]

    def first(self, count: int) -> Worlds:
        """The same with the first ``count`` items of each environment."""
        return Worlds(self.environments, {name: list(items)[:count] for name, items in self.items.items()})


def run(config: LabConfig, training: Worlds, validation: Worlds, test: Worlds, rollouts: int) -> dict[str, Any]:
    """Train, and evaluate on the validation and the test environments.

    Args:
        config: the arm, its seed and settings; an arm of ``BASELINES`` learns nothing.
        training, validation, test: disjoint in their environments.
        rollouts: of each validation and test item.

    Returns:
        rows, validation: one row a rollout, see ``evaluate``; updates: one row an update, see ``train``; clock: the
        columns of the updates that are not the same in a second run.

    Raises:
        UserError: an environment stands in two of the three.
    """
    names = [{e.name for e in worlds.environments} for worlds in (training, validation, test)]
    if shared := (names[0] & names[1]) | (names[0] & names[2]) | (names[1] & names[2]):
        raise UserError(f"environment {min(shared)!r} is used twice: train, validate and test on different ones")
    updates: list[dict[str, Any]] = []
    if config.arm in BASELINES:
        policy: Any = LabPolicy(config.size) if config.arm == "untrained" else overlap_policy()
    else:
        trained = train_on(config, training, validation)
        policy, updates = trained.policy, trained.rows
    with without_cycle_search():  # once for all environments: each end of it searches everything
        found = {name: _rows(evaluate_on(policy, config, worlds, rollouts, config.seed))
                 for name, worlds in (("rows", test), ("validation", validation))}  # fmt: skip
    plain = [{name: value for name, value in row.items() if name not in CLOCK} for row in updates]
    clock = [{name: row[name] for name in CLOCK} for row in updates]
    return {**found, "updates": plain, "clock": clock}


def train_on(config: LabConfig, training: Worlds, validation: Worlds | None = None) -> TrainedPolicy:
    """Train a policy, validating on the way where the configuration says so."""
    held = (validation.environments, validation.items) if validation is not None else None
    return train(config, training.environments, training.items, held)


def evaluate_on(policy: LabPolicy, config: LabConfig, worlds: Worlds, rollouts: int, seed: int) -> pd.DataFrame:
    """Play all items of the worlds; one row a rollout, see ``evaluate``."""
    return evaluate(policy, worlds.environments, worlds.items, rollouts, seed, config, arm=config.arm)


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return json.loads(table.to_json(orient="records", double_precision=15))
