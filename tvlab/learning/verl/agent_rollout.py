"""A rollout that somebody else's agent leads: it asks for messages, makes calls, answers the user; the tokens are kept.

The counterpart of `TokenRollout`, with the same turns, limits, rewards, and, for an agent that sends its conversation
unchanged, the same tokens. Here the agent owns the loop: it sends its messages (``write``), makes the calls (``call``),
and hands the message that ends its work to the user (``reply``), who says what comes next.

A message that a limit cuts is marked, makes no call and fails its turn. After a turn is over (cut, or the step cap) the
model is not asked again until the agent replies: it is given an empty message. A turn in which the agent stopped or
failed counts as cut if the model had written in it, and as never reached if not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tvlab.environments.environment import CallResult
from tvlab.environments.tool_calls import MalformedCallError, ToolCall, observation_text
from tvlab.foundation.errors import UserError
from tvlab.learning.verl.chat_tokens import Message, tool_for_chat
from tvlab.learning.verl.conversation_record import MALFORMED, ConversationRecord, plain_messages
from tvlab.learning.verl.rollout import Rollout
from tvlab.learning.verl.segments import Segment
from tvlab.learning.verl.written_calls import Malformed, Written


@dataclass(frozen=True)
class Reply:
    """A message of the model for the agent.

    Attributes:
        content: its words.
        calls: (name, arguments) of its calls; a malformed one is named ``malformed_call``.
        finish: "stop", "tool_calls" or "length".
        read, wrote: tokens.
        first: number of its first call in the conversation.
    """

    content: str
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    finish: str = "stop"
    read: int = 0
    wrote: int = 0
    first: int = 0


@dataclass(eq=False, repr=False)
class AgentRollout(Rollout):
    """Plays an episode at the hand of an agent.

    Attributes:
        record: the sequences, and why each began.
        tools: offered at the beginning.
    """

    record: ConversationRecord = field(init=False)
    tools: list[Message] = field(init=False)
    _spoken: int = field(init=False, default=-1)  # the turn whose words the user has said
    _calls: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.record = ConversationRecord(self.chat, self.packing)
        self.tools = self._offered()

    @property
    def segments(self) -> list[Segment]:
        """The sequences of tokens."""
        return self.record.segments

    @property
    def offered(self) -> list[Message]:
        """The tools offered now, in the chat protocol's shape; ``tools`` are those at the beginning."""
        return [tool_for_chat(tool) for tool in (self._offered() if not self.episode.done else self._announced)]

    async def words(self) -> str | None:
        """What the user says in the turn that begins; None if there is none. Changes of the tools are said in front."""
        if self.episode.done:
            return None
        offered = self._offered()
        words = await self.user.words(self.episode)
        self._spoken = self.episode.turn
        return self._begin_turn(words, offered)

    async def write(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Message], most: int | None = None
    ) -> Reply:
        """Let the model write the next message of a conversation.

        Args:
            messages, tools: as the agent sent them.
            most: tokens that the agent allows.

        Raises:
            UserError: messages that are none, or whose first prompt is too long.
        """
        plain = plain_messages(messages)
        if self.over:
            return Reply("")
        turn = self.episode.turn
        context = await asyncio.to_thread(self.record.context, plain, tools, turn)
        if not self.segments and len(context.ids) > self.limits.prompt_tokens:
            raise UserError(
                f"the first prompt has {len(context.ids)} tokens, more than "
                f"data.max_prompt_length={self.limits.prompt_tokens}"
            )
        window = self.limits.prompt_tokens + self.limits.response_tokens - len(context.ids)
        left = min(self.limits.response_tokens - self.record.response_tokens - context.added, window)
        room = min(left, self.limits.turn_tokens - self._written, most or left)
        if room <= 0:
            self._cut(turn, full=left <= 0)
            return Reply("", finish="length", read=len(context.ids))
        sample = await self._sample(context.ids, room)
        ids = sample.ids
        closed = bool(ids) and ids[-1] in self.chat.stop_ids
        written = await asyncio.to_thread(self.chat.read, ids[:-1] if closed else ids)
        reply = self._reply(written, closed, len(context.ids), len(ids))
        self.record.record(context, ids, sample.log_probs, _as_message(reply), closed)
        if not closed and not self.over:
            self._cut(turn, full=self.record.response_tokens >= self.limits.response_tokens)
        return reply

    async def call(self, name: str, arguments: Any) -> str:
        """Make a call of the model; what comes back is what the model reads."""
        if self.over:
            return '{"error":"the turn is over"}'
        result = await self._made(name, arguments)
        return observation_text(result)[: self.limits.observation_characters]

    async def reply(self, text: str) -> str | None:
        """Hand a message to the user, and return what the user says next; None at the end.

        Args:
            text: of the agent's last message, without calls.
        """
        if self._spoken == -1 and not self.episode.done:
            raise UserError("the agent replied before the user spoke: begin with the user's words")
        answer = None
        if not self.over:
            asked = self.episode.asks_first
            answer = await (self.user.answer if asked else self.user.react)(self.episode, text)
            if not self.over and (asked or answer is None):
                self.watched.end_turn(text)
        if self.over:
            return await self.words()
        return answer

    def finish(self, failure: str = "") -> None:
        """End the rollout where the agent ended.

        Raises:
            UserError: the agent never asked the model.
        """
        self.failure = failure
        if not self.segments:
            raise UserError(
                f"the agent never asked the model ({failure or 'it returned at once'}): no rollout was made"
            )
        if not self.episode.done and self._written and not self.over:
            self._cut(self.episode.turn, full=True)
        self.episode.done = True

    @property
    def over(self) -> bool:
        """True from the end of a turn until the user has spoken again."""
        return self.episode.done or self.episode.turn != self._spoken

    async def _made(self, name: str, arguments: Any) -> CallResult:
        call: ToolCall | Malformed
        try:
            call = ToolCall.parse({"name": name, "arguments": arguments})
        except MalformedCallError as error:
            call = Malformed(str(error))
        if isinstance(call, ToolCall) and call.name == MALFORMED:
            call = Malformed(str(call.arguments.get("reason", "")))
        return await self._result(call)

    def _reply(self, written: Written, closed: bool, read: int, wrote: int) -> Reply:
        if not closed:
            return Reply(written.content, (), "length", read, wrote)
        calls = tuple(
            (call.name, call.arguments) if isinstance(call, ToolCall) else (MALFORMED, {"reason": call.reason})
            for call in written.calls
        )
        first, self._calls = self._calls, self._calls + len(calls)
        return Reply(written.content, calls, "tool_calls" if calls else "stop", read, wrote, first)


def _as_message(reply: Reply) -> Message:
    message: Message = {"role": "assistant", "content": reply.content}
    if calls := [(at, call) for at, call in enumerate(reply.calls) if call[0] != MALFORMED]:
        message["tool_calls"] = [
            {"id": f"call-{reply.first + at}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for at, (name, arguments) in calls
        ]
    return message
