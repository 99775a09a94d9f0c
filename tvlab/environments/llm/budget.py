"""What asking a model costs: tokens and money, counted, and a cap that no request may pass.

A request reserves the most that it can cost before it is sent and settles what it did cost afterwards, so that
requests under way at the same time cannot pass the cap together.  Answers from the cache cost nothing.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from tvlab.foundation.endpoint import Answer
from tvlab.foundation.errors import UserError

_MILLION = 1_000_000


class BudgetSpentError(Exception):
    """The next request could pass the cap."""


@dataclass(frozen=True)
class Prices:
    """Price of a million tokens, in any one currency."""

    input: float = 0.0
    output: float = 0.0

    def __post_init__(self) -> None:
        if min(self.input, self.output) < 0:
            raise UserError(f"prices must not be negative, got {self.input} and {self.output}")

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """Return the price of some tokens."""
        return (self.input * input_tokens + self.output * output_tokens) / _MILLION


class Budget:
    """Counts what is spent; may be used from many threads.

    Args:
        prices: of a million tokens.
        money: most money to spend in one run; None: no cap.
        tokens: most tokens to spend in one run, both ways together; None: no cap.
    """

    def __init__(self, prices: Prices | None = None, money: float | None = None, tokens: int | None = None) -> None:
        self.prices = prices or Prices()
        self.money, self.tokens = money, tokens
        if money is not None and self.prices == Prices():
            raise UserError("a budget in money needs prices: give --price-in and --price-out, or --token-budget")
        self._lock = threading.Condition()
        self._reserved = [0, 0]
        self._sent = [0, 0]
        self._cached = [0, 0]
        self._counts = {"asked": 0, "cached": 0, "estimated": 0}
        self.spent_out = False

    def reserve(self, messages: list[dict[str, Any]], most: int) -> tuple[int, int]:
        """Set aside what a request can cost at most; waits while requests under way may leave enough for it.

        Args:
            messages: the request's messages; a token is taken to be at least two bytes of text.
            most: tokens that the answer may have.

        Raises:
            BudgetSpentError: it could pass the cap; nothing is set aside.
        """
        wanted = (_bytes(messages) // 2 + 16 * len(messages), most)
        with self._lock:
            while self._is_over(wanted):
                if not any(self._reserved):
                    self.spent_out = True
                    raise BudgetSpentError
                self._lock.wait()
            self._reserved = [a + b for a, b in zip(self._reserved, wanted, strict=True)]
        return wanted

    def _is_over(self, wanted: tuple[int, int]) -> bool:
        total = [a + b + c for a, b, c in zip(self._sent, self._reserved, wanted, strict=True)]
        over_tokens = self.tokens is not None and sum(total) > self.tokens
        return over_tokens or (self.money is not None and self.prices.cost(*total) > self.money)

    def settle(self, reserved: tuple[int, int], answer: Answer | None, messages: list[dict[str, Any]]) -> None:
        """Count what a request did cost; ``answer`` is None if it failed."""
        with self._lock:
            self._reserved = [a - b for a, b in zip(self._reserved, reserved, strict=True)]
            self._lock.notify_all()
            if answer is None:
                return
            self._counts["asked"] += 1
            self._counts["estimated"] += answer.input_tokens < 0
            self._sent = [a + b for a, b in zip(self._sent, tokens_of(answer, messages), strict=True)]

    def note_cached(self, answer: Answer, messages: list[dict[str, Any]]) -> None:
        """Count an answer that an earlier run has paid for."""
        with self._lock:
            self._counts["cached"] += 1
            self._cached = [a + b for a, b in zip(self._cached, tokens_of(answer, messages), strict=True)]

    def report(self) -> dict[str, Any]:
        """Return requests, tokens and cost of this run, and of answers that were there already."""
        with self._lock:
            return {
                "asked": self._counts["asked"],
                "input_tokens": self._sent[0],
                "output_tokens": self._sent[1],
                "cost": round(self.prices.cost(*self._sent), 6),
                "answers_without_token_counts": self._counts["estimated"],
                "from_cache": self._counts["cached"],
                "cached_input_tokens": self._cached[0],
                "cached_output_tokens": self._cached[1],
                "cached_cost": round(self.prices.cost(*self._cached), 6),
                "stopped_by_budget": self.spent_out,
            }


def tokens_of(answer: Answer, messages: list[dict[str, Any]]) -> tuple[int, int]:
    """Return input and output tokens; where the server gave no counts, four bytes are taken for one."""
    if answer.input_tokens >= 0 and answer.output_tokens >= 0:
        return answer.input_tokens, answer.output_tokens
    return _bytes(messages) // 4, len(answer.text.encode()) // 4


def _bytes(messages: list[dict[str, Any]]) -> int:
    return sum(len(str(message.get("content") or "").encode()) for message in messages)
