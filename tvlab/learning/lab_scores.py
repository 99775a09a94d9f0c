"""The static scores of one update, in growing arrays, and their way back to the weights.

A block of rows enters when a rollout first meets a turn, or an observation in a turn; rollouts address rows by number.
After the rollouts the gradient with respect to every row's score is sent back through the same scorer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from tvlab.learning.lab_features import TurnFeatures
from tvlab.learning.lab_observations import MAX_RECORDS
from tvlab.learning.lab_observed_rows import Mentions, ObservedRows, RowShape
from tvlab.learning.lab_policy import LabPolicy, StaticScorer
from tvlab.learning.lab_view import AgentView


class Growing:
    """An array that grows by blocks along its first axis."""

    def __init__(self, dtype: type, *width: int) -> None:
        self.array: np.ndarray = np.zeros((1 << 14, *width), dtype)
        self.size = 0

    def append(self, block: np.ndarray | int, length: int) -> int:
        """Add a block and return where it starts."""
        start, end = self.size, self.size + length
        if end > len(self.array):
            more = np.zeros((max(end, len(self.array)), *self.array.shape[1:]), self.array.dtype)
            self.array = np.concatenate([self.array, more])
        self.array[start:end] = block
        self.size = end
        return start


@dataclass(frozen=True)
class TurnBlock:
    """Where a turn's rows lie: first tool row and first argument row."""

    turn: TurnFeatures
    tool_start: int
    argument_start: int


@dataclass
class _ViewBlocks:
    """Blocks of one tool list in the order in which they came."""

    turns: list[TurnFeatures] = field(default_factory=list)
    tool_starts: list[int] = field(default_factory=list)
    argument_starts: list[int] = field(default_factory=list)
    shapes: dict[int, _ShapeBlocks] = field(default_factory=dict)
    fields: np.ndarray | None = None


@dataclass
class _ShapeBlocks:
    """Scores of the rows of one shape, and where its blocks begin."""

    shape: RowShape
    scores: np.ndarray
    starts: list[int] = field(default_factory=list)


class ScoreTable:
    """Static scores of all rows met in one update.

    Attributes:
        tool: scores of the tool rows.
        argument: scores of the argument rows.
        columns: (rows, 5) of the argument rows: value number, clause bits, SPAN|CHOICE|OMIT|OBSERVED, record number in
            its observation, the value's place (``ValueTable``).
        mention_mask, mention_length: of the records of observations in turns, see ``Mentions``; the first ones are 0.
    """

    def __init__(self, policy: LabPolicy) -> None:
        self.policy = policy
        self._scorer = StaticScorer({name: w.detach() for name, w in policy.weights.items()}, policy.width)
        self._dense = policy.weights["argument_dense"].detach().numpy()
        self._tool_dense = policy.weights["tool_dense"].detach().numpy()
        self.tool, self.argument = Growing(np.float64), Growing(np.float64)
        self.columns = Growing(np.int64, 5)
        self.mention_mask, self.mention_length = Growing(np.int64), Growing(np.float32)
        self.mention_mask.append(0, MAX_RECORDS)
        self.mention_length.append(0, MAX_RECORDS)
        self._mentions: dict[int, int] = {}
        self._views: dict[int, tuple[AgentView, _ViewBlocks]] = {}
        self._turns: dict[int, TurnBlock] = {}
        self._observed: dict[int, int] = {}

    def turn(self, view: AgentView, turn: TurnFeatures) -> TurnBlock:
        """Return the block of a turn, scored when it is first met."""
        block = self._turns.get(id(turn))
        if block is None:
            block = self._turns[id(turn)] = self._new_turn(view, turn)
        return block

    def observed(self, view: AgentView, rows: ObservedRows) -> int:
        """Return the first row of the block of an observation, scored when it is first met."""
        start = self._observed.get(id(rows))
        if start is None:
            blocks = self._shape_blocks(view, rows.shape)
            start = self._append(blocks.scores, rows.columns)
            self._observed[id(rows)] = start
            blocks.starts.append(start)
        return start

    def mentions(self, mentions: Mentions) -> int:
        """Return where the mention masks of an observation's records in a turn begin."""
        start = self._mentions.get(id(mentions))
        if start is None:
            length = len(mentions.masks)
            start = self._mentions[id(mentions)] = self.mention_mask.append(mentions.masks, length)
            self.mention_length.append(mentions.lengths, length)
        return start

    def backward(self, tool_gradient: np.ndarray, argument_gradient: np.ndarray) -> None:
        """Add the gradients of the static weights, given those of the scores, to ``.grad``."""
        scorer = StaticScorer(self.policy.weights, self.policy.width)
        total = torch.zeros(())
        for view, blocks in self._views.values():
            tool, argument = scorer.turns(blocks.turns, view)
            total = total + tool @ _picked(tool_gradient, blocks.tool_starts, [len(t.tool_dense) for t in blocks.turns])
            total = total + argument @ _picked(argument_gradient, blocks.argument_starts,
                                               [len(t.leaf) for t in blocks.turns])  # fmt: skip
            if blocks.shapes:
                sums = np.concatenate([_summed(argument_gradient, part) for part in blocks.shapes.values()])
                scores = scorer.observed([part.shape for part in blocks.shapes.values()], view)
                total = total + scores @ torch.from_numpy(sums.astype(np.float32))
        total.backward()

    def _blocks(self, view: AgentView) -> _ViewBlocks:
        return self._views.setdefault(id(view), (view, _ViewBlocks()))[1]

    def _new_turn(self, view: AgentView, turn: TurnFeatures) -> TurnBlock:
        pairs, around = (sums.numpy() for sums in self._scorer.pairs([turn], view))
        tool = turn.tool_dense @ self._tool_dense
        tool[:-1] += pairs.ravel()
        tool_start = self.tool.append(tool, len(tool))
        argument = turn.dense @ self._dense + around[turn.span, turn.leaf]
        start = self._append(argument, turn.columns)
        blocks = self._blocks(view)
        blocks.turns.append(turn)
        blocks.tool_starts.append(tool_start)
        blocks.argument_starts.append(start)
        return TurnBlock(turn, tool_start, start)

    def _shape_blocks(self, view: AgentView, shape: RowShape) -> _ShapeBlocks:
        blocks = self._blocks(view)
        found = blocks.shapes.get(id(shape))
        if found is None:
            if blocks.fields is None or len(blocks.fields) < len(view.reader.fields):
                blocks.fields = self._scorer.field_table(view).numpy()
            scores = shape.dense @ self._dense + blocks.fields[shape.field, shape.leaf]
            found = blocks.shapes[id(shape)] = _ShapeBlocks(shape, scores)
        return found

    def _append(self, scores: np.ndarray, columns: np.ndarray) -> int:
        self.columns.append(columns, len(scores))
        return self.argument.append(scores, len(scores))


def ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the concatenated ranges start..start + length.

    >>> ranges(np.array([3, 10]), np.array([2, 3])).tolist()
    [3, 4, 10, 11, 12]
    """
    shift = starts - (np.cumsum(lengths) - lengths)
    return np.repeat(shift, lengths) + np.arange(int(lengths.sum()))


def _summed(gradient: np.ndarray, blocks: _ShapeBlocks) -> np.ndarray:
    """(rows,) the gradient summed over all blocks of a shape."""
    rows = np.array(blocks.starts, np.int64)[:, None] + np.arange(len(blocks.scores))
    return gradient[rows].sum(0)


def _picked(gradient: np.ndarray, starts: Sequence[int], lengths: Sequence[int]) -> torch.Tensor:
    rows = ranges(np.array(starts, np.int64), np.array(lengths, np.int64))
    return torch.from_numpy(gradient[rows].astype(np.float32))
