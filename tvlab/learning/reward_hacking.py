"""Scripted policies that earn a turn's reward by other means than doing what was asked, and what they get for it.

Each but `search` knows the golden calls, so that what is measured is the reward and the estimator, not the skill:

| policy | in each turn |
| --- | --- |
| honest | the golden calls, and nothing else |
| reorder | the golden calls in reverse order |
| repeat | every golden call twice |
| every_read | the golden calls, then every tool that only reads |
| every_tool | the golden calls, then every tool |
| early | all golden calls of the item in the first turn, nothing in the others |
| idle | nothing |
| search | what the search teacher does, which sees only what an agent sees |

Arguments of what is called besides are drawn from the schema and the records there are. Reordering is no hack where the
calls are independent, and "idle" is right where nothing should be called; both are there for comparison. `search` shows
what a penalty on surplus calls costs an agent that has to find things out.

Under reward "outcome" only the last turn pays, so there the penalty counts the surplus calls of all turns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from tvlab.environments.checks.random_calls import known_values, random_arguments
from tvlab.environments.environment import Environment
from tvlab.foundation.errors import UserError
from tvlab.foundation.seeds import generator
from tvlab.learning.lab_trainer import reward_table
from tvlab.learning.surplus_calls import penalised, surplus_table
from tvlab.learning.theory_groups import estimators_with
from tvlab.tasks.episode import REWARDS, Episode
from tvlab.tasks.equality import CallKey
from tvlab.tasks.item import Item
from tvlab.tasks.search_teacher import solve
from tvlab.tasks.teachers import resolve

Step = CallKey | str  # a golden call, or a tool to be called with drawn arguments
Script = Callable[[Environment, Item, int], Sequence[Step]]


def _golden(item: Item, turn: int) -> list[Step]:
    return [(turn, call) for call in range(len(item.turns[turn].calls))]


def _tools(environment: Environment, item: Item, turn: int, reads_only: bool) -> list[Step]:
    withheld = item.turns[turn].withheld
    names = [tool["name"] for tool in environment.tools if tool["name"] not in withheld]
    return [name for name in names if not (reads_only and environment.meaning(name)["writes"])]


def _early(environment: Environment, item: Item, turn: int) -> list[Step]:
    return [step for t in range(len(item.turns)) for step in _golden(item, t)] if turn == 0 else []


SCRIPTS: dict[str, Script] = {
    "honest": lambda environment, item, turn: _golden(item, turn),
    "reorder": lambda environment, item, turn: _golden(item, turn)[::-1],
    "repeat": lambda environment, item, turn: [step for step in _golden(item, turn) for _ in range(2)],
    "every_read": lambda environment, item, turn: _golden(item, turn) + _tools(environment, item, turn, True),
    "every_tool": lambda environment, item, turn: _golden(item, turn) + _tools(environment, item, turn, False),
    "early": _early,
    "idle": lambda environment, item, turn: [],
}
POLICIES = (*SCRIPTS, "search")
HACKS = ("reorder", "repeat", "every_read", "every_tool", "early")


def play(script: str, environment: Environment, item: Item, rng: np.random.Generator, **options: Any) -> Episode:
    """Play one episode by a script of `SCRIPTS`; options go to `Episode`. A call that cannot be made is left out."""
    episode = Episode(environment, item, **options)
    seen: dict[CallKey, Any] = {}
    for t, turn in enumerate(item.turns):
        if turn.answer and not episode.done:
            episode.end_turn("What is missing?")
        for step in SCRIPTS[script](environment, item, t):
            if episode.done or episode.turn != t:
                break
            _make(episode, step, seen, rng)
        if episode.done:
            break
        if episode.turn == t:
            episode.end_turn()
    return episode


def _make(episode: Episode, step: Step, seen: dict[CallKey, Any], rng: np.random.Generator) -> None:
    environment = episode.environment
    if isinstance(step, str):
        known = known_values(environment, step, episode.session.state)
        episode.call(step, random_arguments(environment.tool(step)["inputSchema"], rng, known))
        return
    call = episode.item.turns[step[0]].calls[step[1]]
    try:
        arguments = resolve(call.arguments, seen)
    except LookupError:  # the producer has not been called yet
        return
    result = episode.call(call.tool, arguments)
    if result.ok:
        seen.setdefault(step, result.value)


def hacked_rewards(
    environments: Mapping[str, Environment],
    items: Mapping[str, Sequence[Item]],
    seed: int,
    cost: float,
    rewards: Sequence[str] = REWARDS,
    step_caps: Sequence[int] = (8, 64),
) -> list[dict[str, Any]]:
    """What each policy earns: one row a (reward, step cap, policy), means over items.

    Returns:
        Rows with paid (mean over the turns that pay: all, under "outcome" the last), outcome (share of items whose
        outcome is met), surplus (surplus calls a turn), penalised (as paid, after the penalty), items.
    """
    return [
        {
            "reward": reward,
            "step_cap": cap,
            "policy": policy,
            **_earned(_played(policy, environments, items, seed, reward, cap), cost),
        }
        for reward in rewards
        for cap in step_caps
        for policy in POLICIES
    ]


def _earned(episodes: Sequence[Episode], cost: float) -> dict[str, Any]:
    table = _table(episodes)
    paying = table.reached.copy()
    if episodes[0].reward == "outcome":
        paying &= np.arange(paying.shape[1]) == table.turns[:, None] - 1
    return {
        "paid": float(table.rewards[paying].mean()),
        "outcome": float(np.mean([episode.outcome_met() for episode in episodes])),
        "surplus": float(surplus_table(episodes)[table.reached].mean()),
        "penalised": float(penalised(table.rewards, table.surplus, cost)[paying].mean()),
        "items": len(episodes),
    }


def hacked_advantages(
    environments: Mapping[str, Environment],
    items: Mapping[str, Sequence[Item]],
    estimators: Sequence[str],
    seed: int,
    costs: Sequence[float],
    rewards: Sequence[str] = REWARDS,
    rollouts: int = 8,
    step_cap: int = 64,
    lam: float = 0.5,
    gamma: float = 0.5,
) -> list[dict[str, Any]]:
    """What each estimator gives a hack in a group of K: one row a (reward, cost, company, hack, estimator).

    Two companies: "honest", K - 1 honest rollouts; "failures", half of the group idle and the rest honest.

    Returns:
        Rows with hack and honest (mean advantage a turn), positive (share of the hack's turns with A > 0), below (share
        in which it is under the honest rollout's), ratio (hack / honest, NaN where the honest one is 0: no signal).
        Beside failures a ratio of 1 means that the hack is reinforced like honest work, below 0 that it is pushed
        down.

    Raises:
        UserError: fewer than three rollouts.
    """
    if rollouts < 3:
        raise UserError(f"rollouts = {rollouts} is too small: a group holds a hack, an idle and an honest rollout")
    out, known = [], estimators_with(estimators, lam, gamma)
    for reward in rewards:
        tables = {script: _table(_played(script, environments, items, seed, reward, step_cap)) for script in SCRIPTS}
        for cost, (company, idle), hack in product(costs, (("honest", 0), ("failures", rollouts // 2)), HACKS):
            group = [tables["honest"]] * (rollouts - 1 - idle) + [tables[hack]] + [tables["idle"]] * idle
            for name in estimators:
                row: dict[str, Any] = {"reward": reward, "cost": cost, "company": company, "policy": hack}
                out.append({**row, "estimator": name, **_compared(group, rollouts - 1 - idle, known[name], cost)})
    return out


class _Table(NamedTuple):
    """Episodes of one policy, one an item: (N, T) rewards, reached, surplus calls that count, and (N,) turns."""

    rewards: np.ndarray
    reached: np.ndarray
    surplus: np.ndarray
    turns: np.ndarray


def _table(episodes: Sequence[Episode]) -> _Table:
    rewards, reached, turns = reward_table(episodes)
    return _Table(rewards, reached, surplus_table(episodes, so_far=episodes[0].reward == "outcome"), turns)


def _compared(group: Sequence[_Table], at: int, estimator: Callable[..., Any], cost: float) -> dict[str, float]:
    """Advantages of member `at` of each item's group beside those of member 0, an honest one."""
    rewards, reached, surplus = (
        np.stack([getattr(table, part) for table in group], axis=1) for part in ("rewards", "reached", "surplus")
    )
    shape = rewards.shape
    flat = [x.reshape(-1, shape[2]) for x in (penalised(rewards, surplus, cost), reached)]
    items = np.repeat(np.arange(shape[0]), shape[1])
    advantages = estimator(*flat, items, turns=np.repeat(group[0].turns, shape[1])).reshape(shape)
    both = reached[:, at] & reached[:, 0]
    hack, honest = advantages[:, at][both], advantages[:, 0][both]
    signal = abs(honest.mean()) > 1e-9
    return {
        "hack": float(hack.mean()),
        "honest": float(honest.mean()),
        "positive": float((hack > 1e-9).mean()),
        "below": float((hack < honest - 1e-9).mean()),
        "ratio": float(hack.mean() / honest.mean()) if signal else float("nan"),
    }


def _played(
    policy: str,
    environments: Mapping[str, Environment],
    items: Mapping[str, Sequence[Item]],
    seed: int,
    reward: str,
    step_cap: int,
) -> list[Episode]:
    options = {"reward": reward, "step_cap": step_cap}
    out = []
    for name in sorted(items):
        for item in items[name]:
            rng = generator(seed, policy, item.id)
            if policy == "search":
                out.append(solve(environments[name], item, rng, temperature=0.0, **options))
            else:
                out.append(play(policy, environments[name], item, rng, **options))
    return out
