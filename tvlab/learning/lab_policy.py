"""The lab policy: a log-linear model over (clause, tool), STOP and argument candidates.

The score of a row is

    dense . w  +  a^T W b  +  dynamic . v

with dense features (``lab_features.py``), the hashed word bags a (words around) and b (names of tool, leaf or field),
and a few features that change from call to call (``lab_rollouts.py``). A decision is a softmax over its rows. The
first two terms are fixed for one update and are computed once a turn by ``static_scores`` (torch, differentiable).

The policy is shown a tool list, the words of the turns and the observations. It is never shown an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch.nn.functional import embedding_bag, pad

from tvlab.foundation.errors import UserError
from tvlab.learning.lab_features import TurnFeatures
from tvlab.learning.lab_observed_rows import RowShape
from tvlab.learning.lab_prior import prior_weights
from tvlab.learning.lab_tool_features import Bags
from tvlab.learning.lab_view import AgentView

SIZES = {"small": 96, "medium": 192, "large": 384}
PAIRS = ("tool_pairs", "argument_pairs", "field_pairs")
Weights = dict[str, torch.Tensor]


@dataclass
class LabPolicy:
    """Weights of the lab policy.

    Attributes:
        size: small, medium or large: the width of the word hashes.
        weights: tensors by name: three (width, width) pair tables, two dense and two dynamic vectors.
        greedy: it takes the likeliest row of every decision wherever it is evaluated.
    """

    size: str = "medium"
    weights: Weights = field(default_factory=dict)
    greedy: bool = False

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise UserError(f"policy size {self.size!r} is unknown: choose one of {', '.join(SIZES)}")
        if not self.weights:
            self.weights = {name: torch.zeros(self.width, self.width) for name in PAIRS}
            self.weights |= {name: torch.tensor(value) for name, value in prior_weights().items()}

    @property
    def width(self) -> int:
        return SIZES[self.size]

    @property
    def parameters(self) -> int:
        """Number of weights."""
        return sum(weight.numel() for weight in self.weights.values())

    def copy(self) -> LabPolicy:
        weights = {name: weight.detach().clone() for name, weight in self.weights.items()}
        return LabPolicy(self.size, weights, self.greedy)


class StaticScorer:
    """Static scores of turns and observed rows under one setting of the weights.

    Args:
        weights: those of a policy; gradients flow if they require any.
        width: width of the word hashes.
    """

    def __init__(self, weights: Weights, width: int) -> None:
        self.weights, self.width = weights, width
        self._products: dict[tuple[str, int], torch.Tensor] = {}

    def pairs(self, turns: Sequence[TurnFeatures], view: AgentView) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the pair scores of the turns' (clauses, tools) and of their (spans, leaves)."""
        tool = self._pair_scores([t.clause_bags for t in turns], "tool_pairs", view.tool_names(self.width))
        leaves = view.leaf_names(self.width)
        return tool, self._pair_scores([t.span_bags for t in turns], "argument_pairs", leaves)

    def turns(self, turns: Sequence[TurnFeatures], view: AgentView) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the scores of the turns' tool rows (STOP last in each) and of their argument rows, turn by turn."""
        w = self.weights
        pairs, around = self.pairs(turns, view)
        tool = _dense([t.tool_dense for t in turns]) @ w["tool_dense"]
        tool = tool + pad(pairs.reshape(-1), (0, 1))[_tool_index(turns, pairs.shape[1])]
        argument = _dense([t.dense for t in turns]) @ w["argument_dense"]
        return tool, argument + around.reshape(-1)[_argument_index(turns, around.shape[1])]

    def observed(self, rows: Sequence[RowShape], view: AgentView) -> torch.Tensor:
        """Return the scores of the rows of several shapes, one after the other."""
        table = self.field_table(view)
        at = np.concatenate([part.field * table.shape[1] + part.leaf for part in rows])
        dense = _dense([part.dense for part in rows])
        return dense @ self.weights["argument_dense"] + table.reshape(-1)[torch.from_numpy(at)]

    def field_table(self, view: AgentView) -> torch.Tensor:
        """Return the (fields, leaves) pair scores of the fields known so far."""
        return self._pair_scores([view.observed.field_bags()], "field_pairs", view.leaf_names(self.width))

    def _pair_scores(self, bags: Sequence[Bags], table: str, names: torch.Tensor) -> torch.Tensor:
        """(bags, names) a^T W b for every bag a and name b; W b is kept, since a scorer sees the same names often."""
        product = self._products.get((table, id(names)))
        if product is None:
            product = self._products[table, id(names)] = self.weights[table] @ names.T
        hashes = np.concatenate([part.hashes for part in bags]) % self.width
        lengths = np.concatenate([np.diff(part.starts) for part in bags])
        if not product.shape[1]:  # tools without parameters, which embedding_bag refuses
            return product.new_zeros(len(lengths), 0)
        starts = np.cumsum(lengths) - lengths
        scales = (1.0 / np.sqrt(lengths)).astype(np.float32)
        summed = embedding_bag(torch.from_numpy(hashes), product, torch.from_numpy(starts), mode="sum")
        return summed * torch.from_numpy(scales)[:, None]


def _dense(parts: Sequence[np.ndarray]) -> torch.Tensor:
    return torch.from_numpy(np.concatenate(parts))


def _tool_index(turns: Sequence[TurnFeatures], tools: int) -> torch.Tensor:
    """Where each tool row's pair score lies; the place behind the last is STOP's, which has none."""
    clauses = [turn.clauses for turn in turns]
    stop = sum(clauses) * tools
    parts, start = [], 0
    for count in clauses:
        parts += [np.arange(start, start + count * tools), np.array([stop])]
        start += count * tools
    return torch.from_numpy(np.concatenate(parts))


def _argument_index(turns: Sequence[TurnFeatures], leaves: int) -> torch.Tensor:
    parts, start = [], 0
    for turn in turns:
        parts.append((turn.span + start) * leaves + turn.leaf)
        start += turn.span_bags.count
    return torch.from_numpy(np.concatenate(parts))
