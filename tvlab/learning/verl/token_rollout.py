"""One rollout of one item by a model that reads and writes tokens: the conversation, and what of it is trained.

The model writes messages; its calls run in the item's episode; the user speaks in between. Every token knows its
user turn if the model made it, and -1 if not, so that masks are exact: 1 on what the model wrote, 0 on prompts, words
of the user, results of calls, and on what the chat template puts between messages.

Packing "sequence" keeps one sequence, to which context is added; where the tools offered change, the user's message
says so. "turns" begins a sequence with each user turn, and where the user answers within one: there such templates
drop what was reasoned before. The conversation so far, rendered anew, is its prompt.

Limits: a message that reaches one is cut. It is closed, the turn ends with r = 0, and the rollout goes on unless the
response as a whole is full; a cut message makes no calls. A turn whose words no longer fit was never reached.
Fixed by us: "1,024 tokens a turn" (the paper) are the tokens that the model writes in one user turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tvlab.environments.environment import CallResult
from tvlab.environments.tool_calls import ToolCall, observation_text
from tvlab.foundation.errors import UserError
from tvlab.learning.lab_signals import Watched
from tvlab.learning.verl.chat_tokens import ChatTokens, Message, Packing, change_of_tools, tool_for_chat
from tvlab.learning.verl.simulated_users import SimulatedUser
from tvlab.learning.verl.written_calls import Malformed
from tvlab.tasks.episode import Episode

Policy = Callable[[list[int], int], Awaitable["Sample"]]
"""Takes the ids so far and the most tokens to write; returns what the model wrote."""


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


class TokenRollout:
    """Plays an episode; afterwards it holds the tokens and what happened.

    Args:
        episode: not yet begun.
        policy, chat, user: who writes, how messages become tokens, who speaks for the user.
        system: the system message.
        limits, packing: see the module.

    Attributes:
        segments: sequences of tokens, one in packing "sequence", else one a message of the user.
        messages: the conversation.
        truncated: turns in which the model was cut.
        malformed: calls that were none.
        has_log_probs: whether every sample had them.
    """

    def __init__(
        self,
        episode: Episode,
        policy: Policy,
        chat: ChatTokens,
        user: SimulatedUser,
        system: str,
        limits: Limits | None = None,
        packing: Packing = "sequence",
    ) -> None:
        self.watched = Watched(episode)
        self.policy = policy
        self.chat = chat
        self.user = user
        self.limits = limits or Limits()
        self.packing = packing
        self.segments: list[Segment] = []
        self.messages: list[Message] = [{"role": "system", "content": system}]
        self.truncated: list[int] = []
        self.malformed = 0
        self.has_log_probs = True
        self._read = 0  # messages that stand in the current segment
        self._tools: list[Message] = []  # offered when it began
        self._announced: list[Message] = []  # offered when the user spoke last
        self._written = 0  # tokens of the model in the current turn

    @property
    def episode(self) -> Episode:
        """The episode that is played."""
        return self.watched.episode

    @property
    def turns_reached(self) -> int:
        """Turns that ended: those before the first one never reached."""
        return sum(self.episode.reached)

    async def play(self) -> TokenRollout:
        """Play all turns.

        Raises:
            UserError: the first prompt is too long.
        """
        while not self.episode.done:
            await self._turn()
        return self

    async def _turn(self) -> None:
        turn, offered = self.episode.turn, self._offered()
        words = await self.user.words(self.episode)
        if self.packing == "turns" or not self.segments:
            self._tools = self._announced = offered
        if change := change_of_tools(self._announced, offered):
            words = f"{change}\n\n{words}"
        self._announced = offered
        self.messages.append({"role": "user", "content": words})
        self._written = 0
        begins = self.packing == "turns" or not self.segments
        while self.episode.turn == turn and not self.episode.done:
            if not await self._message(turn, begins):
                return
            begins = self.packing == "turns" and self.messages[-1]["role"] == "user"

    async def _message(self, turn: int, begins: bool) -> bool:
        """Let the model write one message and do what it says; False if there is no room for one."""
        room, left = await self._context(begins)
        if room <= 0:
            self._cut(turn, full=left <= 0)
            return False
        segment = self.segments[-1]
        sample = await self.policy(segment.prompt_ids + segment.response_ids, room)
        ids = sample.ids[:room]
        self.has_log_probs = self.has_log_probs and sample.log_probs is not None
        segment.put(ids, turn, sample.log_probs[: len(ids)] if sample.log_probs is not None else None)
        self._written += len(ids)
        if not ids or ids[-1] not in self.chat.stop_ids:
            segment.put([self.chat.end_id])
            written = await asyncio.to_thread(self.chat.read, ids)
            self.messages.append({"role": "assistant", "content": written.content})
            self._read = len(self.messages)
            self._cut(turn, full=self._used() >= self.limits.response_tokens)
            return True
        await self._act(ids[:-1])
        return True

    async def _context(self, begins: bool) -> tuple[int, int]:
        """Bring messages not yet read into tokens, if there is room for more.

        Returns:
            How many tokens the model may write now, and how many the response may still hold.
        """
        shown = [tool_for_chat(tool) for tool in self._tools]
        if begins:
            ids: list[int] = []
            new = await asyncio.to_thread(self.chat.start, self.messages, shown)
            self._check_first(new)
            window = self.limits.prompt_tokens + self.limits.response_tokens - len(new)
            left = min(self.limits.response_tokens - self._used(), window)
        else:
            segment, before = self.segments[-1], self.messages[: self._read]
            ids = segment.prompt_ids + segment.response_ids
            more = await asyncio.to_thread(self.chat.extend, before, self.messages, ids, shown)
            new = more.ids
            left = self.limits.response_tokens - self._used() - (len(new) - len(ids))
        room = min(left, self.limits.turn_tokens - self._written)
        if room <= 0:
            return room, left
        if begins:
            self.segments.append(Segment(new))
        else:
            _take_back(segment, len(ids) - more.kept)
            segment.put(new[more.kept :])
        self._read = len(self.messages)
        return room, left

    def _check_first(self, prompt: Sequence[int]) -> None:
        if not self.segments and len(prompt) > self.limits.prompt_tokens:
            raise UserError(f"item {self.episode.item.id}: its first prompt has {len(prompt)} tokens, more than "
                            f"data.max_prompt_length={self.limits.prompt_tokens}")  # fmt: skip

    async def _act(self, ids: Sequence[int]) -> None:
        """Do what a whole message says: make its calls, or end the turn."""
        written = await asyncio.to_thread(self.chat.read, ids)
        turn = self.episode.turn
        named = [call for call in written.calls if isinstance(call, ToolCall)]
        message: Message = {"role": "assistant", "content": written.content}
        if named:
            message["tool_calls"] = [_as_protocol(call, at) for at, call in enumerate(named)]
        self.messages.append(message)
        self._read = len(self.messages)
        for at, call in enumerate(written.calls):
            over = self.episode.done or self.episode.turn != turn
            shown = '{"error":"the turn is over"}' if over else await self._observe(call)
            name = call.name if isinstance(call, ToolCall) else ""
            content = shown[: self.limits.observation_characters]
            self.messages.append({"role": "tool", "name": name, "tool_call_id": f"call-{at}", "content": content})
        if written.calls:
            return
        asked = self.episode.asks_first
        answer = await self.user.answer(self.episode, written.content) if asked else None
        if not asked:
            answer = await self.user.react(self.episode, written.content)
        over = self.episode.done or self.episode.turn != turn  # a call of the user was the last one allowed
        if not over and (asked or answer is None):
            self.watched.end_turn(written.content)
        if answer is not None:
            self.messages.append({"role": "user", "content": answer})

    async def _observe(self, call: ToolCall | Malformed) -> str:
        if isinstance(call, Malformed):
            self.malformed += 1
            await asyncio.to_thread(self.watched.call, "", {})  # counts towards the calls of the turn
            return observation_text(_error(f"malformed_call: {call.reason}"))
        if call.name in self.user.tools:
            await asyncio.to_thread(self.watched.call, "", {})
            return observation_text(_error(f"unknown_tool: there is no tool {call.name!r}"))
        return observation_text(await asyncio.to_thread(self.watched.call, call.name, call.arguments))

    def _offered(self) -> list[Message]:
        return [tool for tool in self.episode.tools if tool["name"] not in self.user.tools]

    def _cut(self, turn: int, full: bool) -> None:
        """End the turn with nothing; one in which the model wrote no token was not reached."""
        if self._written:
            self.truncated.append(turn)
            self.watched.cut_turn(last=full)
        else:
            self.episode.done = True

    def _used(self) -> int:
        return sum(len(segment.response_ids) for segment in self.segments)


def _take_back(segment: Segment, count: int) -> None:
    if count:
        del segment.response_ids[-count:], segment.turn_ids[-count:], segment.log_probs[-count:]


def _as_protocol(call: ToolCall, at: int) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": f"call-{at}", "type": "function", "function": function}


def _error(text: str) -> CallResult:
    return CallResult(False, None, text)
