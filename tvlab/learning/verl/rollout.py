"""What every rollout of an item has, whoever leads it: the episode, the limits, what was cut, what was malformed.

`TokenRollout` leads the conversation itself; in `AgentRollout` somebody else's agent does. Both ask the model, make
calls and end turns in the same way: here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from tvlab.environments.environment import CallResult
from tvlab.environments.tool_calls import ToolCall
from tvlab.learning.lab_signals import Watched
from tvlab.learning.verl.chat_tokens import ChatTokens, Message, Packing, change_of_tools
from tvlab.learning.verl.segments import Policy, Sample, Segment
from tvlab.learning.verl.simulated_users import SimulatedUser
from tvlab.learning.verl.written_calls import Malformed
from tvlab.tasks.episode import Episode


@dataclass(frozen=True)
class Limits:
    """What a rollout may use.

    Attributes:
        turn_tokens: tokens that the model may write in one user turn.
        response_tokens: tokens of the whole response: the model's, the user's and the tools'.
        prompt_tokens: tokens of the first prompt.
        turn_calls: calls in one user turn (`Episode.step_cap`).
        observation_characters: of one call's result; the rest is not shown.
    """

    turn_tokens: int = 1024
    response_tokens: int = 24_000
    prompt_tokens: int = 8192
    turn_calls: int = 8
    observation_characters: int = 6000


@dataclass(eq=False, repr=False)
class Rollout:
    """One rollout of one item.

    Attributes:
        episode: not yet begun.
        policy, chat, user: who writes, how messages become tokens, who speaks for the user.
        system: the system message.
        limits, packing: see `token_rollout`.
        watched: the episode, through which calls are made and turns ended.
        truncated: turns in which the model was cut.
        malformed: calls that were none.
        has_log_probs: whether every sample had them.
        failure: what ended the rollout early, if anything did.
    """

    episode: Episode
    policy: Policy
    chat: ChatTokens
    user: SimulatedUser
    system: str
    limits: Limits = field(default_factory=Limits)
    packing: Packing = "sequence"
    watched: Watched = field(init=False)
    truncated: list[int] = field(init=False, default_factory=list)
    malformed: int = field(init=False, default=0)
    has_log_probs: bool = field(init=False, default=True)
    failure: str = field(init=False, default="")
    _announced: list[Message] = field(init=False)  # tools offered when the user spoke last
    _written: int = field(init=False, default=0)  # tokens of the model in the current turn

    def __post_init__(self) -> None:
        self.watched = Watched(self.episode)
        self._announced = self._offered()

    @property
    def segments(self) -> Sequence[Segment]:
        """The sequences of tokens."""
        raise NotImplementedError

    @property
    def turns_reached(self) -> int:
        """Turns that ended: those before the first one never reached."""
        return sum(self.episode.reached)

    def _offered(self) -> list[Message]:
        return [tool for tool in self.episode.tools if tool["name"] not in self.user.tools]

    def _begin_turn(self, words: str, offered: list[Message]) -> str:
        """What the user says; a change of the tools offered is said in front."""
        change = change_of_tools(self._announced, offered)
        self._announced, self._written = offered, 0
        return f"{change}\n\n{words}" if change else words

    async def _sample(self, ids: list[int], room: int) -> Sample:
        """What the model writes next, no more than there is room for."""
        sample = await self.policy(ids, room)
        self.has_log_probs = self.has_log_probs and sample.log_probs is not None
        kept = sample.ids[:room]
        self._written += len(kept)
        return Sample(kept, sample.log_probs[: len(kept)] if sample.log_probs is not None else None)

    async def _result(self, call: ToolCall | Malformed) -> CallResult:
        """Make a call; one that is none, or that is the user's to make, counts and is answered by an error."""
        if isinstance(call, Malformed):
            self.malformed += 1
            error = f"malformed_call: {call.reason}"
        elif call.name in self.user.tools:
            error = f"unknown_tool: there is no tool {call.name!r}"
        else:
            return await asyncio.to_thread(self.watched.call, call.name, call.arguments)
        await asyncio.to_thread(self.watched.call, "", {})  # counts towards the calls of the turn
        return CallResult(False, None, error)

    def _cut(self, turn: int, full: bool) -> None:
        """End the turn with nothing; one in which the model wrote no token was not reached."""
        if self._written:
            self.truncated.append(turn)
            self.watched.cut_turn(last=full)
        else:
            self.episode.done = True
