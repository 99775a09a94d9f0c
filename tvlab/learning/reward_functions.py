"""Turn rewards by name: what a finished episode earns in each of its turns, for the lab trainer and for verl alike.

A turn reward is a function of an `Episode` that returns T numbers. Built in: "episode", what the episode itself paid
(`Episode`: coverage, outcome or both), "without_surplus", that after the penalty of `surplus_calls` at cost 0.2, and
"delayed", a sparse reward: nothing before the last turn, which pays the mean of all.

One's own, in a module or a notebook cell:

    @register_turn_reward("mine")
    def mine(episode):
        return [r / (1 + len(made)) for r, made in zip(episode.rewards, episode.calls)]

A trainer puts `rewards_of(name, episodes)` in the place of the episodes' own rewards; an agent loop of verl calls
`turn_reward(name)(episode)` and lets the result travel as `tvlab.learning.verl` describes. Worker processes do not
see what a notebook registered: there, name it "package.module:function". A.4 asks for rewards >= 0 (`turn_level.tara`).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

import numpy as np

from tvlab.foundation.errors import UserError
from tvlab.learning.surplus_calls import penalised, surplus_table
from tvlab.tasks.episode import Episode

TurnReward = Callable[[Episode], Sequence[float]]
COST = 0.2  # of "without_surplus": a right turn with three surplus calls keeps half of its reward


def _episode(episode: Episode) -> Sequence[float]:
    return episode.rewards


def _without_surplus(episode: Episode) -> Sequence[float]:
    surplus = surplus_table([episode], so_far=episode.reward == "outcome")
    return penalised(np.array([episode.rewards]), surplus, COST)[0].tolist()


def _delayed(episode: Episode) -> Sequence[float]:
    rewards = episode.rewards
    return [0.0] * (len(rewards) - 1) + [sum(rewards) / len(rewards)]


BUILT_IN: dict[str, TurnReward] = {"episode": _episode, "without_surplus": _without_surplus, "delayed": _delayed}
TURN_REWARDS: dict[str, TurnReward] = dict(BUILT_IN)


def register_turn_reward(name: str) -> Callable[[TurnReward], TurnReward]:
    """Register a turn reward under a name of its own; registering it again (a cell run twice) replaces it.

    Raises:
        ValueError: the name is built in, or holds a colon, which marks an import path.
    """
    if name in BUILT_IN or ":" in name:
        raise ValueError(f"{name!r} cannot be registered: choose a name without ':' that is not built in")

    def register(function: TurnReward) -> TurnReward:
        TURN_REWARDS[name] = function
        return function

    return register


def turn_reward(name: str) -> TurnReward:
    """The turn reward of that name, built in or registered, or by its import path "package.module:function".

    Raises:
        UserError: there is none.
    """
    if name in TURN_REWARDS:
        return TURN_REWARDS[name]
    module, colon, attribute = name.partition(":")
    if not colon:
        raise UserError(f"no turn reward is called {name!r}; there are: {', '.join(sorted(TURN_REWARDS))}")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UserError(f"turn reward {name!r} cannot be imported: {error}") from error


def rewards_of(name: str, episodes: Sequence[Episode]) -> np.ndarray:
    """(N, T) turn rewards of finished episodes, 0 where an item has fewer turns or a turn was not reached.

    Raises:
        UserError: the function gave a number of values that is not the item's turns, or one that is not finite.
    """
    function = turn_reward(name)
    table = np.zeros((len(episodes), max((len(episode.item.turns) for episode in episodes), default=0)))
    for at, episode in enumerate(episodes):
        values = np.asarray(function(episode), dtype=np.float64)
        if values.shape != (len(episode.item.turns),) or not np.isfinite(values).all():
            raise UserError(f"turn reward {name!r} gave {values.tolist()} for item {episode.item.id}; expected "
                            f"{len(episode.item.turns)} finite numbers, one a turn")  # fmt: skip
        table[at, : len(values)] = np.where(episode.reached, values, 0.0)
    return table
