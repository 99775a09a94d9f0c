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
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tvlab.environments.tool_calls import ToolCall, observation_text
from tvlab.foundation.errors import UserError
from tvlab.learning.verl.chat_tokens import Message, tool_for_chat
from tvlab.learning.verl.rollout import Rollout
from tvlab.learning.verl.segments import Segment
from tvlab.learning.verl.written_calls import Malformed


@dataclass(eq=False, repr=False)
class TokenRollout(Rollout):
    """Plays an episode; afterwards it holds the tokens and what happened.

    Attributes:
        messages: the conversation.
    """

    messages: list[Message] = field(init=False)
    _segments: list[Segment] = field(init=False, default_factory=list)
    _read: int = field(init=False, default=0)  # messages that stand in the current segment
    _tools: list[Message] = field(init=False, default_factory=list)  # offered when it began

    def __post_init__(self) -> None:
        super().__post_init__()
        self.messages = [{"role": "system", "content": self.system}]

    @property
    def segments(self) -> list[Segment]:
        """Sequences of tokens, one in packing "sequence", else one a message of the user."""
        return self._segments

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
        begins = self.packing == "turns" or not self.segments
        if begins:
            self._tools = self._announced = offered
        self.messages.append({"role": "user", "content": self._begin_turn(words, offered)})
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
        sample = await self._sample(segment.prompt_ids + segment.response_ids, room)
        ids = sample.ids
        segment.put(ids, turn, sample.log_probs)
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
            segment.take_back(len(ids) - more.kept)
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
        return observation_text(await self._result(call))

    def _used(self) -> int:
        return sum(len(segment.response_ids) for segment in self.segments)


def _as_protocol(call: ToolCall, at: int) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": f"call-{at}", "type": "function", "function": function}
