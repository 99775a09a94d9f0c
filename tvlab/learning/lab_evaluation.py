"""Playing a policy on items and writing one tidy row for every rollout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tvlab.environments.environment import Environment
from tvlab.foundation.seeds import generator
from tvlab.learning.lab_policy import LabPolicy
from tvlab.learning.lab_rollouts import roll_out, without_cycle_search
from tvlab.learning.lab_transitions import Transitions
from tvlab.learning.lab_view import views
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import Item

COLUMNS = ("arm", "environment", "item", "seed", "attempt", "turn_reward", "trace_score", "outcome", "all_turns",
           "turns", "calls", "golden_calls", "emergent")  # fmt: skip


def trace_score(episode: Episode) -> float:
    """Return the share of the item's golden calls that are covered; 1 for an item without any."""
    golden = sum(len(turn.calls) for turn in episode.item.turns)
    return len(episode.matched) / golden if golden else 1.0


def evaluate(
    policy: LabPolicy,
    environments: Sequence[Environment],
    items: Mapping[str, Sequence[Item]],
    rollouts: int,
    seed: int,
    config: Any = None,
    greedy: bool = False,
    arm: str = "",
) -> pd.DataFrame:
    """Play ``rollouts`` attempts at every item.

    Args:
        policy: what plays.
        environments: environments that the policy need not have seen.
        items: items by environment name.
        rollouts: attempts an item.
        seed: of the draws; attempts of one environment do not depend on the other environments.
        config: a ``LabConfig`` whose episode settings hold; None for the defaults of ``Episode``.
        greedy: take the likeliest row of every decision instead of drawing, as a policy that says so always does.
        arm: the name to write into the rows.

    Returns:
        One row a rollout, ``COLUMNS``: turn_reward is the mean of r_t over the item's turns, trace_score the share of
        golden calls covered, outcome and all_turns booleans, item the item's place in the list, emergent True where
        the outcome was met by another plan than the golden one (some golden call is not covered).
    """
    rows: list[dict[str, Any]] = []
    known = views(environments)
    sessions = {environment.name: Transitions(environment) for environment in environments}
    for environment in environments:
        rng = None if greedy or policy.greedy else generator(seed, "lab evaluation", environment.name)
        chosen = list(items.get(environment.name, ()))
        pairs = [(at, attempt) for at in range(len(chosen)) for attempt in range(rollouts)]
        episodes = [_episode(environment, chosen[at], config) for at, _ in pairs]
        for episode in episodes:
            episode.session = sessions[environment.name].session()
        view, cap = known[environment.name], max((episode.step_cap for episode in episodes), default=1)
        with without_cycle_search():
            roll_out(policy, episodes, [view] * len(episodes), rng, cap, keep=False)
        rows += [{"arm": arm, "environment": environment.name, "item": at, "seed": seed, "attempt": attempt,
                  **episode_row(episode)} for (at, attempt), episode in zip(pairs, episodes, strict=True)]  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def episode_row(episode: Episode) -> dict[str, Any]:
    """Return the figures of one finished episode."""
    rewards, covered, outcome = episode.rewards, trace_score(episode), bool(episode.outcome_met())
    return {
        "turn_reward": float(np.mean(rewards)), "trace_score": covered, "outcome": outcome,
        "emergent": outcome and covered < 1, "all_turns": all(r >= 1 for r in rewards), "turns": len(rewards),
        "calls": sum(len(made) for made in episode.calls),
        "golden_calls": sum(len(turn.calls) for turn in episode.item.turns),
    }  # fmt: skip


def _episode(environment: Environment, item: Item, config: Any) -> Episode:
    return Episode(environment, item) if config is None else config.episode(environment, item)
