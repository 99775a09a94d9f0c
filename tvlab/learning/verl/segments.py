"""Sequences of tokens that know which of them the model wrote, and in which user turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

Policy = Callable[[list[int], int], Awaitable["Sample"]]
"""Takes the ids so far and the most tokens to write; returns what the model wrote."""


@dataclass(frozen=True)
class Sample:
    """What the model wrote: ids, with the one that ended it if it was not cut, and their log-probabilities."""

    ids: list[int]
    log_probs: list[float] | None = None


@dataclass
class Segment:
    """One sequence of tokens. ``turn_ids``: user turn of each response token, -1 where the model did not write it."""

    prompt_ids: list[int]
    response_ids: list[int] = field(default_factory=list)
    turn_ids: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)

    @property
    def mask(self) -> list[int]:
        """1 on what the model wrote, else 0."""
        return [int(turn >= 0) for turn in self.turn_ids]

    def put(self, ids: Sequence[int], turn: int = -1, log_probs: Sequence[float] | None = None) -> None:
        """Add response tokens."""
        self.response_ids += ids
        self.turn_ids += [turn] * len(ids)
        self.log_probs += log_probs if log_probs is not None else [0.0] * len(ids)

    def take_back(self, count: int) -> None:
        """Drop the last response tokens, which a chat template writes otherwise when more follows."""
        if count:
            del self.response_ids[-count:], self.turn_ids[-count:], self.log_probs[-count:]
