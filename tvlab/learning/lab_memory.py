"""What each rollout of a batch remembers of its episode, and the features that follow from it.

Kept as arrays over rollouts, so that the features of all rows of a round are a few array operations. Everything
here was shown to the agent: its own calls, whether they failed, and what they returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tvlab.learning.lab_columns import ARGUMENT_DYNAMIC, CHOICE, OBSERVED, OMIT, SPAN, TOOL_DYNAMIC
from tvlab.learning.lab_observations import Observation
from tvlab.learning.lab_observed_rows import RUNS, ObservedRows, RowShape
from tvlab.learning.lab_scores import ScoreTable, TurnBlock, ranges
from tvlab.learning.lab_tools import PLACES
from tvlab.learning.lab_view import AgentView
from tvlab.learning.lab_words import MAX_CLAUSES

_KEYS = 3
_NEVER = -1000
_SLOTS = 64


@dataclass(frozen=True)
class Candidates:
    """Runs of rows to choose arguments from, decision after decision.

    Attributes:
        starts, sizes: (runs,) first row and number of rows.
        slots: (runs,) number of the run's observation in its rollout; 0 for the turn's own rows.
        decision: (runs,) the argument decision that each run belongs to.
    """

    starts: np.ndarray
    sizes: np.ndarray
    slots: np.ndarray
    decision: np.ndarray


@dataclass
class _Own:
    """What one rollout holds beside the arrays."""

    view: AgentView
    turn: int = 0
    block: TurnBlock | None = None
    seen: dict[int, tuple[int, Observation, ObservedRows]] = field(default_factory=dict)
    withheld: list[int] = field(default_factory=list)


class Memory:
    """Memories of a batch of rollouts.

    Args:
        table: where rows are scored.
        views: the tool list of each rollout.
        step_cap: calls a turn may make.
    """

    def __init__(self, table: ScoreTable, views: Sequence[AgentView], step_cap: int) -> None:
        self.table, self.step_cap = table, step_cap
        self.own = [_Own(view) for view in views]
        n = len(views)
        most_tools = max((len(view.tools.names) for view in views), default=1)
        most_leaves = max((len(view.tools.leaves) for view in views), default=1)
        self.most_tools, self.no_leaf = most_tools, most_leaves
        self.tools = np.array([len(view.tools.names) for view in views], np.int64)
        self.tool_start, self.tool_rows, self.clauses = np.zeros((3, n), np.int64)
        shape = (n, MAX_CLAUSES + 1, most_tools)
        self.used, self.failed = np.zeros(shape, bool), np.zeros(shape, bool)
        self.fed, self.open = np.zeros((n, most_tools), bool), np.ones((n, most_tools), bool)
        self.keys, self.key_count = _keys(views, most_tools, most_leaves)
        self.shown, self.known = np.zeros((2, n, most_leaves + 1), bool)
        self.shown[:, most_leaves] = True
        self.mentioned = np.zeros((n, most_leaves + 1), np.int64)
        self.used_values = np.zeros((n, PLACES), bool)
        self.first_leaf, self.leaf_count = _leaf_ranges(views, most_tools)
        self.leaf_start = np.zeros((n, most_leaves + 1), np.int64)
        self.run_first, self.run_size = np.zeros((2, 64, most_leaves, RUNS), np.int64)
        self.has_runs = np.zeros((n, most_leaves), bool)
        self._shapes: dict[int, int] = {}
        self.seen_shape, self.seen_start = np.zeros((2, n, _SLOTS), np.int64)
        self.seen_call, self.seen_turn = np.full((2, n, _SLOTS), _NEVER, np.int64)
        self.seen_mentions = np.zeros((n, _SLOTS), np.int64)
        self.used_at, self.mentioned_in = np.full((2, n, PLACES), _NEVER, np.int64)
        self.back, self.new = np.zeros((2, n, MAX_CLAUSES + 1), bool)
        self.last_tool, self.last_clause = np.full((2, n), -1, np.int64)
        self.last_failed = np.zeros(n, bool)
        self.calls, self.turn_calls, self.turn_number = np.zeros((3, n), np.int64)

    def begin_turn(self, i: int, words: str, turn: int, tools: Sequence[dict[str, Any]]) -> None:
        """Take in the words of rollout i's next turn, or more of them, and the tools offered in it."""
        own = self.own[i]
        features = own.view.turn(words)
        own.block, own.turn = self.table.turn(own.view, features), turn
        self.tool_start[i], self.tool_rows[i] = own.block.tool_start, len(features.tool_dense)
        self.clauses[i], self.turn_number[i], self.turn_calls[i] = features.clauses, turn, 0
        self.used[i], self.failed[i], self.fed[i], self.used_values[i] = False, False, False, False
        self.last_tool[i], self.last_clause[i], self.last_failed[i] = -1, -1, False
        self.back[i, : features.clauses], self.new[i, : features.clauses] = features.back, features.new
        leaves = len(features.key_mask)
        self.leaf_start[i, : leaves + 1] = features.leaf_start + own.block.argument_start
        self.mentioned[i, :leaves], self.mentioned[i, self.no_leaf] = features.key_mask, -1
        self.known[i] = self.shown[i]
        self.known[i, :leaves] |= features.key_mask != 0
        self.seen_mentions[i] = 0
        for slot, observation, _ in own.seen.values():
            self._note_mentions(i, slot, observation)
        own.withheld = []
        if len(tools) < len(own.view.tools.names):
            offered = {tool["name"] for tool in tools}
            own.withheld = [m for m, name in enumerate(own.view.tools.names) if name not in offered]
        self._open(i)

    def _open(self, i: int) -> None:
        own = self.own[i]
        assert own.block is not None
        lacking = own.block.turn.empty_leaves
        self.open[i] = True
        self.open[i, own.withheld] = False
        if len(lacking):
            lacking = lacking[~self.has_runs[i, lacking]]
            self.open[i, own.view.features.leaf_tool[lacking]] = False

    def _note_mentions(self, i: int, slot: int, observation: Observation) -> None:
        own = self.own[i]
        assert own.block is not None
        found = own.view.mentions(observation, own.block.turn)
        if found is None:
            return
        self.seen_mentions[i, slot] = self.table.mentions(found)
        self.mentioned[i, found.key_leaves] |= found.key_masks
        self.mentioned_in[i, found.places] = own.turn

    def remember(self, i: int, clause: int, tool: int, values: Sequence[int], result: Any, in_turn: bool) -> None:
        """Take in what a call gave; ``in_turn`` says whether the turn goes on."""
        own = self.own[i]
        self.last_tool[i], self.last_clause[i], self.last_failed[i] = tool, clause, not result.ok
        self.calls[i] += 1
        self.turn_calls[i] += 1
        self.fed[i] = False
        if not result.ok:
            self.failed[i, clause, tool] = True
            return
        self.used[i, clause, tool] = True
        places = own.view.tools.values.places
        used = [places[value] for value in values if value]
        self.used_values[i, used] = True
        self.used_at[i, used] = self.calls[i]
        self._see(i, own.view.read(tool, result), in_turn)

    def _see(self, i: int, observation: Observation, in_turn: bool) -> None:
        """Take in an observation; made again, it counts as made now."""
        own = self.own[i]
        found = own.seen.get(observation.index)
        if found is None:
            found = own.seen[observation.index] = (len(own.seen) + 1, observation, own.view.rows(observation))
            self._new(i, found[0], found[2])
            if in_turn:
                assert own.block is not None
                self._note_mentions(i, found[0], observation)
                if len(own.block.turn.empty_leaves):
                    self._open(i)
        slot, _, rows = found
        self.seen_call[i, slot], self.seen_turn[i, slot] = self.calls[i], own.turn
        self.fed[i, : len(rows.shape.fed)] = rows.shape.fed

    def _new(self, i: int, slot: int, rows: ObservedRows) -> None:
        if slot >= self.seen_call.shape[1]:
            self._more_slots()
        self.seen_shape[i, slot] = self._shape(rows.shape)
        self.seen_start[i, slot] = self.table.observed(self.own[i].view, rows)
        self.has_runs[i, : len(rows.shape.filled)] |= rows.shape.filled
        if len(rows.shape.key_leaves):
            self.shown[i, rows.shape.key_leaves] = True
            self.known[i, rows.shape.key_leaves] = True

    def _more_slots(self) -> None:
        for name in ("seen_shape", "seen_start", "seen_call", "seen_turn", "seen_mentions"):
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros_like(old)], 1))

    def _shape(self, shape: RowShape) -> int:
        """Return the number of a shape; 0 is that of nothing."""
        number = self._shapes.get(id(shape))
        if number is None:
            number = self._shapes[id(shape)] = len(self._shapes) + 1
            if number == len(self.run_size):
                self.run_first, self.run_size = (np.concatenate([old, np.zeros_like(old)])
                                                 for old in (self.run_first, self.run_size))  # fmt: skip
            self.run_first[number, : len(shape.run_first)] = shape.run_first
            self.run_size[number, : len(shape.run_size)] = shape.run_size
        return number

    def leaves(self, who: np.ndarray, tools: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the leaves of each call, one call after the other, and their number in each."""
        counts = self.leaf_count[who, tools]
        return ranges(self.first_leaf[who, tools], counts), counts

    def candidates(self, owner: np.ndarray, leaf: np.ndarray) -> Candidates:
        """Return the rows to choose from for each (rollout, leaf): those of the turn, then those of observations."""
        most = max((len(self.own[i].seen) for i in set(owner.tolist())), default=0) + 1
        shape = self.seen_shape[owner, :most]
        size = self.run_size[shape, leaf[:, None]]
        decision, slot, run = np.nonzero(size)
        start = self.seen_start[owner[decision], slot] + self.run_first[shape[decision, slot], leaf[decision], run]
        first = self.leaf_start[owner, leaf]
        starts = np.concatenate([first, start])
        sizes = np.concatenate([self.leaf_start[owner, leaf + 1] - first, size[decision, slot, run]])
        slots = np.concatenate([np.zeros_like(owner), slot])
        decisions = np.concatenate([np.arange(len(owner)), decision])
        order = np.argsort(decisions, kind="stable")
        return Candidates(starts[order], sizes[order], slots[order], decisions[order])

    def tool_features(self, owner: np.ndarray, clause: np.ndarray, tool: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the (rows, columns) dynamic features of tool rows, and which rows cannot be taken."""
        stop = clause == self.clauses[owner]
        used_clause = np.logical_or.reduce(self.used, axis=2)
        used_tool, failed_tool = (np.logical_or.reduce(made, axis=1) for made in (self.used, self.failed))
        here, clause_used = self.used[owner, clause, tool], used_clause[owner, clause]
        first_unused = np.argmin(used_clause, 1)
        keys = self.keys[owner, tool]
        needs = self.key_count[owner, tool] > 0
        known = self.known[owner[:, None], keys].all(1)
        in_clause = ((self.mentioned[owner[:, None], keys] >> clause[:, None]) & 1).all(1)
        fed, same = self.fed[owner, tool], clause == self.last_clause[owner]
        columns = (
            here, clause_used & ~here, used_tool[owner, tool] & ~here, self.failed[owner, clause, tool],
            failed_tool[owner, tool], clause == first_unused[owner], clause < self.last_clause[owner], needs & known,
            needs & in_clause, needs & ~known, fed & same, fed & ~same, tool == self.last_tool[owner],
            self.last_failed[owner],
        )  # fmt: skip
        out = np.zeros((len(owner), len(TOOL_DYNAMIC)), np.float32)
        for at, column in enumerate(columns):
            out[:, at] = column
        out[stop] = 0.0
        out[stop, len(columns) :] = self._stop_features(owner[stop], used_clause)
        return out, ~stop & ~self.open[owner, tool]

    def _stop_features(self, who: np.ndarray, used_clause: np.ndarray) -> np.ndarray:
        clauses, calls = self.clauses[who], self.turn_calls[who]
        unused = clauses - used_clause[who].sum(1)
        more = np.clip(calls - clauses, 0, 4) / 4
        return np.stack([unused / clauses, unused == 0, calls == 0, calls / self.step_cap, more, self.last_failed[who],
                         self.calls[who] / 20], 1)  # fmt: skip

    def argument_features(self, rows: np.ndarray, owner: np.ndarray, clause: np.ndarray,
                          slot: np.ndarray) -> np.ndarray:  # fmt: skip
        """Return the (rows, columns) dynamic features of argument rows.

        Args:
            rows: row numbers.
            owner, clause: rollout and chosen clause of each row.
            slot: number of the row's observation in its rollout, 0 for the turn's own rows.
        """
        table = self.table
        value, mask, kind, record, place = table.columns.array[rows].T
        record = self.seen_mentions[owner, slot] + record
        mask = mask | table.mention_mask.array[record]
        here = ((mask >> clause) & 1).astype(bool)
        elsewhere = (mask != 0) & ~here
        span, choice, omit, observed = kind == SPAN, kind == CHOICE, kind == OMIT, kind == OBSERVED
        used = self.used_values[owner, place] & (value != 0)
        age = self.calls[owner] - self.seen_call[owner, slot]
        turns = self.turn_number[owner] - self.seen_turn[owner, slot]
        recency = np.where(observed, 1 / (1 + age), 0)
        lately = np.where(observed, 1 / (1 + self.calls[owner] - self.used_at[owner, place]), 0)
        since = np.where(observed, self.turn_number[owner] - self.mentioned_in[owner, place], -1)
        back, new = self.back[owner, clause], self.new[owner, clause]
        before = (since > 0) & (since < -_NEVER)
        out = np.empty((len(rows), len(ARGUMENT_DYNAMIC)), np.float32)
        columns = (
            span & here, span & elsewhere, span & used, choice & here, choice & elsewhere, observed & here,
            observed & elsewhere, observed & used, age == 0, recency, turns == 0, turns == 1, lately, lately * back,
            since == 1, before & (since > 1), before & back, recency * back, recency * new,
            np.where(here, table.mention_length.array[record] / 20, 0), omit & here, omit & elsewhere,
        )  # fmt: skip
        for at, column in enumerate(columns):
            out[:, at] = column
        return out


def _leaf_ranges(views: Sequence[AgentView], most_tools: int) -> tuple[np.ndarray, np.ndarray]:
    """(rollouts, tools) first leaf and number of leaves of each tool."""
    out = np.zeros((2, len(views), most_tools), np.int64)
    for i, view in enumerate(views):
        out[0, i, : len(view.tools.names)] = view.first_leaf
        out[1, i, : len(view.tools.names)] = view.leaf_count
    return out[0], out[1]


def _keys(views: Sequence[AgentView], most_tools: int, no_leaf: int) -> tuple[np.ndarray, np.ndarray]:
    """(rollouts, tools, 3) leaves that need an identifier, filled up with ``no_leaf``; and their number."""
    keys = np.full((len(views), most_tools, _KEYS), no_leaf, np.int64)
    count = np.zeros((len(views), most_tools), np.int64)
    made: dict[int, int] = {}
    for i, view in enumerate(views):
        first = made.setdefault(id(view), i)
        if first != i:
            keys[i], count[i] = keys[first], count[first]
            continue
        for tool, leaves in enumerate(view.tools.keys_needed):
            keys[i, tool, : min(_KEYS, len(leaves))] = leaves[:_KEYS]
            count[i, tool] = len(leaves)
    return keys, count
