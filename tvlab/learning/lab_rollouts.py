"""Rollouts of the lab policy, all of an update stepped together.

One round asks the policy, for every rollout that is not done, for a (clause, tool) or STOP, then for all arguments
of the chosen tools at once, and then makes the calls one by one in the real episodes. An argument is drawn without
regard to the call's other arguments.

What the policy is given of an episode is its words, the tools offered and its observations, nothing else
(``Playable``).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tvlab.learning.lab_decisions import CLOSED, Decisions, draw
from tvlab.learning.lab_memory import Memory
from tvlab.learning.lab_policy import LabPolicy
from tvlab.learning.lab_scores import ScoreTable, ranges
from tvlab.learning.lab_view import AgentView


class Playable(Protocol):
    """The side of an episode that an agent sees."""

    @property
    def turn(self) -> int: ...
    @property
    def words(self) -> str: ...
    @property
    def done(self) -> bool: ...
    @property
    def tools(self) -> Sequence[dict[str, Any]]: ...
    def call(self, tool: str, arguments: dict[str, Any]) -> Any: ...
    def end_turn(self, message: str = "") -> Any: ...


@dataclass(frozen=True)
class Rollouts:
    """What was decided in a batch of rollouts.

    Attributes:
        table: the scores and rows that the decisions point to.
        tools: (clause, tool) or STOP decisions.
        arguments: argument decisions.
    """

    table: ScoreTable
    tools: list[Decisions]
    arguments: list[Decisions]


@contextmanager
def without_cycle_search() -> Iterator[None]:
    """Keep Python from searching for reference cycles: caches make each search long, and rollouts leave no cycles.

    It cost a quarter of a run of 40 updates otherwise.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def roll_out(policy: LabPolicy, episodes: Sequence[Playable], agent_views: Sequence[AgentView],
             rng: np.random.Generator | None, step_cap: int = 8, keep: bool = True) -> Rollouts:  # fmt: skip
    """Play all episodes to their end.

    Args:
        policy: plays all of them.
        episodes: new episodes, one a rollout.
        agent_views: the tool list of each, as the policy sees it.
        rng: for drawing; None takes the likeliest row of each decision.
        step_cap: calls a turn may make, so that the policy sees how many are left.
        keep: keep the decisions (for a gradient).
    """
    return _Player(policy, episodes, agent_views, rng, step_cap, keep).play()


class _Player:
    def __init__(self, policy: LabPolicy, episodes: Sequence[Playable], agent_views: Sequence[AgentView],
                 rng: np.random.Generator | None, step_cap: int, keep: bool) -> None:  # fmt: skip
        self.episodes, self.views, self.rng, self.keep = episodes, agent_views, rng, keep
        self.table = ScoreTable(policy)
        self.memory = Memory(self.table, agent_views, step_cap)
        self.tool_moves = policy.weights["tool_dynamic"].detach().numpy()
        self.argument_moves = policy.weights["argument_dynamic"].detach().numpy()
        self.kept: tuple[list[Decisions], list[Decisions]] = ([], [])
        self.turns = np.zeros(len(episodes), np.int64)

    def play(self) -> Rollouts:
        for i, episode in enumerate(self.episodes):
            if not episode.done:
                self._begin(i)
        while len(active := np.array([i for i, e in enumerate(self.episodes) if not e.done], np.int64)):
            self._round(active)
        return Rollouts(self.table, *self.kept)

    def _round(self, active: np.ndarray) -> None:
        self.turns[active] = [self.episodes[i].turn for i in active]
        clause, tool = self._choose_tools(active)
        calling = tool >= 0
        for i in active[~calling].tolist():
            self.episodes[i].end_turn()
            self._after(i)
        if calling.any():
            self._call(active[calling], clause[calling], tool[calling])

    def _choose_tools(self, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (clause, tool) of each active rollout; tool -1 is STOP."""
        memory = self.memory
        lengths = memory.tool_rows[active]
        rows = ranges(memory.tool_start[active], lengths)
        owner = np.repeat(active, lengths)
        clause, tool = np.divmod(rows - memory.tool_start[owner], memory.tools[owner])
        dynamic, closed = memory.tool_features(owner, clause, tool)
        scores = self.table.tool.array[rows] + dynamic @ self.tool_moves
        scores[closed] = CLOSED
        at = draw(scores, lengths, self.rng)
        self._keep(0, rows, dynamic, scores, lengths, at, active)
        stop = clause[at] == memory.clauses[active]
        return clause[at], np.where(stop, -1, tool[at])

    def _call(self, who: np.ndarray, clause: np.ndarray, tool: np.ndarray) -> None:
        leaf, counts = self.memory.leaves(who, tool)
        chosen = self._choose_arguments(np.repeat(who, counts), np.repeat(clause, counts), leaf).tolist()
        ends = np.cumsum(counts).tolist()
        for i, c, m, count, end in zip(*(part.tolist() for part in (who, clause, tool, counts)), ends, strict=True):
            numbers, tools, episode = chosen[end - count : end], self.views[i].tools, self.episodes[i]
            turn = episode.turn
            result = episode.call(tools.names[m], tools.arguments(m, numbers))
            goes_on = not episode.done and episode.turn == turn
            self.memory.remember(i, c, m, numbers, result, goes_on)
            if not goes_on:
                self._after(i)

    def _choose_arguments(self, owner: np.ndarray, clause: np.ndarray, leaf: np.ndarray) -> np.ndarray:
        """Return the chosen value number of each (rollout, clause, leaf)."""
        if not len(owner):
            return np.zeros(0, np.int64)
        runs = self.memory.candidates(owner, leaf)
        lengths = np.bincount(runs.decision, runs.sizes, len(owner)).astype(np.int64)
        rows = ranges(runs.starts, runs.sizes)
        by_row = np.repeat(runs.decision, runs.sizes)
        slot = np.repeat(runs.slots, runs.sizes)
        dynamic = self.memory.argument_features(rows, owner[by_row], clause[by_row], slot)
        scores = self.table.argument.array[rows] + dynamic @ self.argument_moves
        at = draw(scores, lengths, self.rng)
        self._keep(1, rows, dynamic, scores, lengths, at, owner)
        return self.table.columns.array[rows[at], 0]

    def _after(self, i: int) -> None:
        if not self.episodes[i].done:
            self._begin(i)

    def _begin(self, i: int) -> None:
        episode = self.episodes[i]
        self.memory.begin_turn(i, episode.words, episode.turn, episode.tools)

    def _keep(self, which: int, rows: np.ndarray, dynamic: np.ndarray, scores: np.ndarray, lengths: np.ndarray,
              chosen: np.ndarray, rollout: np.ndarray) -> None:  # fmt: skip
        if self.keep:
            self.kept[which].append(Decisions(rows, dynamic, scores, lengths, chosen, rollout, self.turns[rollout]))
