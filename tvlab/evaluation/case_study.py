"""One item told closely: a booking within a budget, played by a group of rollouts, with each estimator's advantages.

The item is found among ours, not written for the purpose: a turn asks for the one thing that meets a limit
(``tasks/comparing.py``), and a later call books or reserves something for exactly that thing.  The rollouts
are those of a lab policy that was trained a few updates on other items of the same environment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tvlab.environments.environment import Environment
from tvlab.foundation.errors import UserError
from tvlab.foundation.seeds import generator
from tvlab.learning.advantages import Estimator, advantage
from tvlab.learning.lab_policy import LabPolicy
from tvlab.learning.lab_rollouts import roll_out, without_cycle_search
from tvlab.learning.lab_trainer import LabConfig, reward_table, train
from tvlab.learning.lab_view import views
from tvlab.learning.theory_groups import estimators_with
from tvlab.tasks.episode import Episode
from tvlab.tasks.graph import ToolGraph
from tvlab.tasks.gust import build_items
from tvlab.tasks.item import Item
from tvlab.tasks.paths import leaves
from tvlab.tasks.teachers import replay

#: share of turns drawn as constraints where a case is looked for
SHARES = {"constraint": 0.4}
_BUDGET = re.compile(r"(?:within a budget of|at most) (\d+(?:\.\d+)?)")
_BOOKS = re.compile(r"book|reserve|order|rent|purchase", re.I)


@dataclass(frozen=True)
class Case:
    """One item and a group of rollouts of it.

    Attributes:
        item: what was played.
        episodes: K finished episodes.
        rewards: (K, T) turn rewards.
        advantages: {arm: (K, T) advantages}.
    """

    item: Item
    episodes: list[Episode]
    rewards: np.ndarray
    advantages: Mapping[str, np.ndarray]

    @property
    def disagreement(self) -> np.ndarray:
        """(K,) how far the first two arms lie apart in each rollout, summed over turns."""
        first, second = list(self.advantages.values())[:2]
        return np.abs(first - second).sum(axis=1)

    @property
    def told(self) -> int:
        """The rollout in which the first two arms disagree most; one with right and wrong turns goes before."""
        mixed = (self.rewards.min(axis=1) < 1) & (self.rewards.max(axis=1) > 0)
        return int(np.argmax(self.disagreement + 1e3 * mixed))


def budget_bookings(environment: Environment, items: Sequence[Item]) -> list[Item]:
    """Return the items in which a turn names a limit and a later call books something for what meets it."""
    return [item for item in items if _is_budget_booking(environment, item)]


def find_cases(environment: Environment, graph: ToolGraph, count: int, seed: int) -> tuple[list[Item], list[Item]]:
    """Make items with constraint turns; return those that are bookings within a budget, and the others.

    Raises:
        UserError: none of ``count`` items is one.
    """
    items = build_items(environment, graph, count, seed, shares=SHARES)
    found = budget_bookings(environment, items)
    if not found:
        raise UserError(f"no booking within a budget among {len(items)} items of {environment.name}: ask for more")
    return found, [item for item in items if item not in found]


def train_on(environment: Environment, items: Sequence[Item], updates: int, rollouts: int, seed: int) -> LabPolicy:
    """Train a lab policy a few updates with TARA on items that are not the case."""
    config = LabConfig(arm="tara", updates=updates, items_per_update=min(8, len(items)), rollouts=rollouts, seed=seed)
    return train(config, [environment], {environment.name: list(items)}).policy


def play_case(
    policy: LabPolicy, environment: Environment, item: Item, arms: Sequence[str], rollouts: int, seed: int
) -> Case:
    """Play one item ``rollouts`` times and compute every arm's advantages on the group."""
    episodes = [Episode(environment, item) for _ in range(rollouts)]
    view = views([environment])[environment.name]
    rng = generator(seed, "case study", item.id)
    with without_cycle_search():
        roll_out(policy, episodes, [view] * rollouts, rng, episodes[0].step_cap, keep=False)
    return _case(item, episodes, {arm: advantage(arm) for arm in arms})


def play_forgetful(
    environment: Environment, item: Item, arms: Sequence[str], lam: float = 0.5, gamma: float = 0.5
) -> Case:
    """Play T + 1 scripted rollouts: the first does all that is asked, each other forgets the calls of one turn.

    A call that needs what a forgotten one would have made cannot be made either, so the rewards show what a
    failure costs later. Advantages are those of the group.
    """
    left_out = [{(t, j): None for j in range(len(turn.calls))} for t, turn in enumerate(item.turns)]
    episodes = [replay(environment, item, forgotten) for forgotten in ({}, *left_out)]
    return _case(item, episodes, estimators_with(arms, lam, gamma))


def most_damaged(environment: Environment, items: Sequence[Item], turns: int = 4) -> Item:
    """Return the item in which forgetting one turn costs most others, of those closest to that many turns.

    Turns that ask for no call are never forgotten, so items with such turns come last.
    """

    def order(item: Item) -> tuple[int, int, int]:
        wrong = int((play_forgetful(environment, item, ()).rewards == 0).sum())
        return sum(not turn.calls for turn in item.turns), abs(len(item.turns) - turns), -wrong

    return min(items, key=order)


def _case(item: Item, episodes: list[Episode], estimators: Mapping[str, Estimator]) -> Case:
    rewards, reached, turns = reward_table(episodes)
    groups = np.zeros(len(episodes), np.int64)
    advantages = {arm: np.asarray(one(rewards, reached, groups, turns=turns)) for arm, one in estimators.items()}
    return Case(item, episodes, rewards, advantages)


def most_telling(cases: Sequence[Case]) -> Case:
    """Return the case in whose told rollout the first two arms lie farthest apart; ties go to the earlier one."""
    return max(cases, key=lambda case: float(case.disagreement[case.told]))


def case_rows(case: Case) -> pd.DataFrame:
    """Return one row a rollout and turn: rollout, turn, reward, and the advantage of each arm."""
    return pd.DataFrame([
        {"rollout": k + 1, "turn": t + 1, "reward": float(case.rewards[k, t]),
         **{arm: float(values[k, t]) for arm, values in case.advantages.items()}}
        for k in range(len(case.episodes)) for t in range(len(case.item.turns))
    ])  # fmt: skip


def case_story(case: Case, labels: Mapping[str, str]) -> list[str]:
    """Return the told rollout turn by turn in sentences, made from its rewards and advantages."""
    k = case.told
    mean, own = float(case.rewards.mean()), float(case.rewards[k].mean())
    share = f"{int(case.rewards[k].sum())} of {len(case.item.turns)} turns"
    lines = [f"Rollout {k + 1} is right in {share} (mean reward {own:.2f}; the group's {mean:.2f})."]
    for t in range(len(case.item.turns)):
        right, rate = bool(case.rewards[k, t]), float(case.rewards[:, t].mean())
        values = {arm: float(table[k, t]) for arm, table in case.advantages.items()}
        shown = ", ".join(f"{labels.get(arm, arm)} {value:+.2f}" for arm, value in values.items())
        lines.append(f"Turn {t + 1}: {'right' if right else 'wrong'} (right in {rate:.0%} of the rollouts); {shown}."
                     + "".join(f" {labels.get(arm, arm)} {verdict}." for arm, value in values.items()
                               if (verdict := _verdict(right, value))))  # fmt: skip
    return lines


def misjudged(case: Case) -> pd.DataFrame:
    """Return, for each arm, how many wrong turns of the group are pushed up and right turns pushed down."""
    right = case.rewards > 0
    return pd.DataFrame([
        {"arm": arm, "wrong_turns": int((~right).sum()), "wrong_pushed_up": int((values[~right] > 1e-9).sum()),
         "right_turns": int(right.sum()), "right_pushed_down": int((values[right] < -1e-9).sum())}
        for arm, values in case.advantages.items()
    ])  # fmt: skip


def _verdict(right: bool, value: float) -> str:
    if right and value < -1e-9:
        return "pushes this right turn down"
    return "pushes this wrong turn up" if not right and value > 1e-9 else ""


def _is_budget_booking(environment: Environment, item: Item) -> bool:
    for t, turn in enumerate(item.turns):
        limits = [float(number) for number in _BUDGET.findall(turn.user)] if turn.kind == "constraint" else []
        calls = [call for later in item.turns[t:] for call in later.calls if call.writes and _BOOKS.search(call.tool)]
        values = [value for call in calls if "cancel" not in call.tool for _, value in leaves(call.arguments)]
        if any(_alone_within(environment, value, limit) for limit in limits for value in values):
            return True
    return False


def _alone_within(environment: Environment, key: object, limit: float) -> bool:
    """True if the key's record is the only one of its table in which some amount is at most the limit."""
    for rows in environment.state.values():
        record = rows.get(key) if isinstance(key, str) else None
        for field, amount in record.items() if isinstance(record, dict) else ():
            if isinstance(amount, int | float) and not isinstance(amount, bool) and amount <= limit:
                others = [row.get(field) for name, row in rows.items() if name != key]
                if all(other > limit for other in others if isinstance(other, int | float)):
                    return True
    return False
