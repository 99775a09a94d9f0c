"""An episode: one agent working through an item's turns, and its turn rewards.

A turn ends at ``end_turn`` (an assistant message without calls) or by itself at the step cap, then with r_t
= 0.  Else r_t = 1 if the turn's golden calls are covered (``coverage.py``) and 0 if not.  A turn without
golden calls has r_t = 1 if no call changed the state.  A failed turn does not end the episode unless told
so.

Where the user leaves a value out, the first message without calls is taken for the question: it is answered
and the turn goes on.  A change of state before that is a guess and costs the turn its reward, whatever comes
after.

Fixed by us: the call that reaches ``step_cap`` is still made, then the turn ends.  A call beyond
``call_budget`` is not made; it ends the turn with r_t = 0 and the episode, and the later turns count as
never reached.  With ``reward="outcome"`` only the last turn pays, by the outcome check; with ``"both"`` the
last turn needs coverage and outcome, the others coverage.

``call`` is the training loop's hot path: it keeps the call and nothing else; matching happens once, in
``end_turn``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tvlab.environments.environment import CallResult, Environment, visible
from tvlab.foundation.errors import UserError
from tvlab.tasks.coverage import Call, GoldenPattern, compile_turn, match_turn
from tvlab.tasks.equality import CallKey
from tvlab.tasks.item import Item
from tvlab.tasks.outcome import outcome_met

REWARDS = ("coverage", "outcome", "both")


class Episode:
    """One rollout of one item.

    Args:
        environment: the item's environment.
        item: what to do.
        step_cap: calls after which a turn ends by itself.
        call_budget: calls the whole episode may make; None means no limit.
        reward: coverage|outcome|both.
        on_failed_turn: continue|stop.

    Attributes:
        turn: index of the current turn.
        done: True when no turn is left.
        rewards: r_t of each turn so far ended.
        calls: the agent's calls, one list a turn.
        messages: the closing message of each ended turn ("" where there was none).
    """

    def __init__(
        self,
        environment: Environment,
        item: Item,
        step_cap: int = 8,
        call_budget: int | None = None,
        reward: str = "coverage",
        on_failed_turn: str = "continue",
    ) -> None:
        if reward not in REWARDS or on_failed_turn not in ("continue", "stop"):
            raise UserError(
                f"reward {reward!r} / on_failed_turn {on_failed_turn!r}: see Episode for the choices"
            )
        if item.state_hash != environment.state_hash:
            raise UserError(
                f"item of {item.environment!r} was made on another initial state: make the items again"
            )
        self.environment = environment
        self.item = item
        self.step_cap = step_cap
        self.call_budget = call_budget
        self.reward = reward
        self.stops = on_failed_turn == "stop"
        self.session = environment.session()
        self.turn = 0
        self.done = False
        self.calls: list[list[Call]] = [[] for _ in item.turns]
        self.messages: list[str] = []
        self._golden = _compiled(_Pair(environment, item))
        self._rewards: list[float] = []
        self._matched: dict[CallKey, Any] = {}
        self._made = 0
        self._changed = False
        self._answered = False

    @property
    def words(self) -> str:
        """What the user has said in the current turn: pasted material, words, and the answer once given."""
        turn = self.item.turns[self.turn]
        text = f"{turn.context}\n\n{turn.user}" if turn.context else turn.user
        return f"{text}\n{turn.answer}" if self._answered else text

    @property
    def asks_first(self) -> bool:
        """True while the next message without calls is answered and does not end the turn."""
        return not self.done and bool(self.item.turns[self.turn].answer) and not self._answered

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools that are offered in the current turn."""
        withheld = self.item.turns[self.turn].withheld
        return [tool for tool in self.environment.tools if tool["name"] not in withheld]

    @property
    def rewards(self) -> list[float]:
        """r_t of all T turns; 0 where a turn was never reached."""
        return self._rewards + [0.0] * (len(self.item.turns) - len(self._rewards))

    @property
    def reached(self) -> list[bool]:
        """Which of the T turns ended; the others were never reached."""
        return [t < len(self._rewards) for t in range(len(self.item.turns))]

    @property
    def matched(self) -> Mapping[CallKey, Any]:
        """Observations of the agent's calls that were matched to golden ones, by (turn, call)."""
        return self._matched

    def call(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        """Make one call in the current turn.

        Raises:
            RuntimeError: the episode is done.
        """
        if self.done:
            raise RuntimeError("the episode is done: no call can be made")
        if self.call_budget is not None and self._made >= self.call_budget:
            self._close(0.0, "")
            self.done = True
            return CallResult(False, None, f"budget: all {self.call_budget} calls of this episode are used")
        watched = self.asks_first or not self._golden[self.turn]
        before = visible(self.session.snapshot()) if watched else None
        if tool in self.item.turns[self.turn].withheld:
            result = CallResult(False, None, f"unknown_tool: there is no tool {tool!r}")
        else:
            result = self.session.call(tool, arguments)
        calls = self.calls[self.turn]
        calls.append(Call(tool, arguments, result.ok, result.value if result.ok else {"error": result.error}))
        self._made += 1
        if before is not None and result.ok and before != visible(self.session.state):
            self._changed = True
        if len(calls) >= self.step_cap:
            self._match()
            self._close(0.0, "")
        return result

    def end_turn(self, message: str = "") -> float | None:
        """End the current turn by a message and return r_t; None if the user answers and the turn goes on.

        Raises:
            RuntimeError: the episode is done.
        """
        if self.done:
            raise RuntimeError("the episode is done: no turn is left to end")
        if self.asks_first:
            self._answered = True
            return None
        golden = self._golden[self.turn]
        success = (self._match() if golden else True) and not self._changed
        last = self.turn == len(self.item.turns) - 1
        if self.reward != "coverage":
            self.messages.append(message)
            outcome = last and self.outcome_met()
            self.messages.pop()
            success = outcome if self.reward == "outcome" else success and (outcome or not last)
        return self._close(float(success), message)

    def cut_turn(self, last: bool = False) -> float:
        """End the current turn with r_t = 0, because the agent was cut off in it (a limit of tokens, say).

        Args:
            last: end the episode too; later turns were then never reached.

        Raises:
            RuntimeError: the episode is done.
        """
        if self.done:
            raise RuntimeError("the episode is done: no turn is left to cut")
        self._match()
        self._close(0.0, "")
        self.done = self.done or last
        return 0.0

    def outcome_met(self) -> bool:
        """True if the final state is the golden one and the agent saw or said all facts asked for."""
        return outcome_met(
            self.item, self.environment, self.session.state, self.calls, self.messages, self._matched
        )

    def _match(self) -> bool:
        """Match the turn's calls, remember what they returned, and tell whether the turn is covered."""
        golden, calls = self._golden[self.turn], self.calls[self.turn]
        found = match_turn(golden, calls, self._matched)
        for key, index in found.items():
            self._matched[key] = calls[index].observation
        return len(found) == len(golden)

    def _close(self, reward: float, message: str) -> float:
        self._rewards.append(reward)
        self.messages.append(message)
        self.turn += 1
        self._changed = self._answered = False
        self.done = self.turn >= len(self.item.turns) or (self.stops and not reward)
        return reward


class _Pair:
    """Environment and item by identity; a cache entry keeps both alive."""

    __slots__ = ("environment", "item")

    def __init__(self, environment: Environment, item: Item) -> None:
        self.environment = environment
        self.item = item

    def __hash__(self) -> int:
        return hash((id(self.environment), id(self.item)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Pair) and self.environment is other.environment and self.item is other.item


@lru_cache(maxsize=8192)
def _compiled(pair: _Pair) -> tuple[tuple[GoldenPattern, ...], ...]:
    """Compile an item's golden calls, once for all its rollouts."""
    return tuple(compile_turn(pair.environment, t, turn.calls) for t, turn in enumerate(pair.item.turns))
