"""What some estimators need beside turn rewards (``advantages.REQUIRES``), read off played episodes.

A state is the environment's state when a turn began, together with the turn's words; a transition is that, the calls
made in the turn, and the state after it. Labels are hashes: equal labels mean equal things.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from tvlab.environments.environment import CallResult
from tvlab.foundation.canonical import content_hash
from tvlab.tasks.episode import Episode

SIGNALS = ("states", "transitions", "episode_rewards")


class Watched:
    """An episode that notes the state in which each turn began and the one in which the last turn ended."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.states = [episode.session.fingerprint()]

    @property
    def turn(self) -> int:
        return self.episode.turn

    @property
    def words(self) -> str:
        return self.episode.words

    @property
    def done(self) -> bool:
        return self.episode.done

    @property
    def tools(self) -> list[dict[str, Any]]:
        return self.episode.tools

    def call(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        result = self.episode.call(tool, arguments)
        self._note()
        return result

    def end_turn(self, message: str = "") -> float | None:
        reward = self.episode.end_turn(message)
        self._note()
        return reward

    def cut_turn(self, last: bool = False) -> float:
        reward = self.episode.cut_turn(last)
        self._note()
        return reward

    def _note(self) -> None:
        if self.episode.turn == len(self.states):
            self.states.append(self.episode.session.fingerprint())


def needs_watching(names: Collection[str]) -> bool:
    """Tell whether one of the signals needs the states of the turns."""
    return bool({"states", "transitions"} & set(names))


def signals(names: Collection[str], played: Sequence[Any], width: int) -> dict[str, np.ndarray]:
    """Return the signals of these names for finished rollouts.

    Args:
        names: of ``SIGNALS``.
        played: episodes, or ``Watched`` ones where ``needs_watching``.
        width: turns of the longest item.

    Returns:
        states, transitions: (N, width) labels, "" at turns not reached; episode_rewards: (N,) 1 if the outcome is met.
    """
    made: dict[str, Callable[[Any], Any]] = {"states": _states, "transitions": _transitions}
    out: dict[str, np.ndarray] = {}
    for name in names:
        if name == "episode_rewards":
            episodes = [getattr(one, "episode", one) for one in played]
            out[name] = np.array([float(episode.outcome_met()) for episode in episodes])
        else:
            out[name] = np.full((len(played), width), "", "U16")
            for row, watched in enumerate(played):
                labels = made[name](watched)
                out[name][row, : len(labels)] = labels
    return out


def _states(watched: Watched) -> list[str]:
    turns = watched.episode.item.turns
    return [content_hash([state, turn.user]) for state, turn in zip(watched.states, turns, strict=False)]


def _transitions(watched: Watched) -> list[str]:
    starts, calls = _states(watched), watched.episode.calls
    made = [[[call.tool, call.arguments] for call in turn] for turn in calls]
    return [
        content_hash([start, turn, after]) for start, turn, after in zip(starts, made, watched.states[1:], strict=False)
    ]
