"""The tokens of a conversation that an agent of somebody else leads: what it sends, message by message, as sequences.

An agent sends its whole conversation with every request. If a sequence there is holds its beginning, with the same
tools, the sequence goes on: only what is new becomes tokens, and what the model wrote stays the very ids that it wrote.
Nothing is tokenised again. If not, a new sequence begins, and ``began`` says why:

    first      there was none
    turn       the user spoke, and the chat template then drops earlier reasoning (packing "turns")
    tools      the same messages with other tools
    branch     another answer to messages that were answered already (a retry, or several samples)
    changed    earlier messages were edited, left out or summarised

What the model wrote is 1 in the mask of the sequence in which it wrote it, and nowhere else: in a sequence begun anew
earlier answers are prompt. Compared is what reaches the model: roles, words, calls with parsed arguments. Ids of calls
are not compared, and an assistant's message without words and calls is no message.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.chat_tokens import ChatTokens, Message, Packing
from tvlab.learning.verl.segments import Segment

MALFORMED = "malformed_call"
"""Name under which a call that is none is shown to the agent, so that it answers it and does not end its turn."""


@dataclass
class RecordedSequence:
    """One sequence: its tokens, the messages that stand in them, the tools of its prompt, its turn, why it began."""

    segment: Segment
    messages: list[Message]
    tools: list[Message]
    turn: int
    began: str


@dataclass(frozen=True)
class Context:
    """What the model reads for one request.

    Attributes:
        ids: all of it.
        kept: how many of its first ids are those of the sequence that goes on; 0 if one begins.
        messages, tools: that it stands for.
        turn: user turn.
        began: why a sequence begins; "" if one goes on.
        sequence: the one that goes on.
        length: ids of that sequence when the context was made.
    """

    ids: list[int]
    kept: int
    messages: list[Message]
    tools: list[Message]
    turn: int
    began: str
    sequence: RecordedSequence | None = None
    length: int = 0

    @property
    def added(self) -> int:
        """How many response tokens the context adds; a prompt adds none."""
        return len(self.ids) - self.length if self.sequence is not None else 0


class ConversationRecord:
    """The sequences of one conversation.

    Args:
        chat: how messages become tokens.
        packing: "turns" begins a sequence with each message of the user.
    """

    def __init__(self, chat: ChatTokens, packing: Packing = "sequence") -> None:
        self.chat = chat
        self.packing = packing
        self.sequences: list[RecordedSequence] = []

    @property
    def segments(self) -> list[Segment]:
        """Tokens of all sequences, in the order in which they began."""
        return [sequence.segment for sequence in self.sequences]

    @property
    def response_tokens(self) -> int:
        """Response tokens of all sequences."""
        return sum(len(segment.response_ids) for segment in self.segments)

    def context(self, messages: Sequence[Message], tools: Sequence[Message], turn: int) -> Context:
        """What the model reads for these messages (see ``plain_messages``); nothing is recorded yet."""
        said, offered = list(messages), list(tools)
        sequence, began = self._earlier(said, offered)
        if sequence is None:
            return Context(self.chat.start(said, offered), 0, said, offered, turn, began)
        ids = sequence.segment.prompt_ids + sequence.segment.response_ids
        more = self.chat.extend(sequence.messages, said, ids, offered)
        return Context(more.ids, more.kept, said, offered, turn, "", sequence, len(ids))

    def record(
        self, context: Context, ids: Sequence[int], log_probs: Sequence[float] | None, reply: Message, closed: bool
    ) -> None:
        """Record what the model wrote for a context.

        Args:
            context: of this record.
            ids, log_probs: that it wrote.
            reply: the message that they are, as ``plain_messages`` has it.
            closed: whether the last id ends the message; if not, the id that does is put behind it, untrained.
        """
        sequence, began = context.sequence, context.began
        now = len(sequence.segment.prompt_ids) + len(sequence.segment.response_ids) if sequence is not None else 0
        if sequence is None or now != context.length:  # another request went on with that sequence meanwhile
            began = began or "branch"
            sequence = RecordedSequence(Segment(list(context.ids)), [], context.tools, context.turn, began)
            self.sequences.append(sequence)
        else:
            sequence.segment.take_back(context.length - context.kept)
            sequence.segment.put(context.ids[context.kept :])
        sequence.segment.put(ids, context.turn, log_probs)
        if not closed:
            sequence.segment.put([self.chat.end_id])
        sequence.messages = [*context.messages, *([] if _is_void(reply) else [reply])]
        sequence.turn = context.turn

    def _earlier(self, said: list[Message], offered: list[Message]) -> tuple[RecordedSequence | None, str]:
        if not self.sequences:
            return None, "first"
        whys = set()
        for sequence in sorted(self.sequences, key=lambda one: len(one.messages), reverse=True):
            length = len(sequence.messages)
            if _compared(sequence.messages[: len(said)]) != _compared(said[:length]):
                continue
            if any(message["role"] == "assistant" for message in said[length:]):
                continue
            if length >= len(said):
                whys.add("branch")
            elif sequence.tools != offered:
                whys.add("tools")
            elif self.packing == "turns" and any(message["role"] == "user" for message in said[length:]):
                whys.add("turn")
            else:
                return sequence, ""
        return None, next((why for why in ("turn", "tools", "branch") if why in whys), "changed")


def plain_messages(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Messages of the chat protocol as chat templates take them: words as text, arguments parsed, results with names.

    Raises:
        UserError: something that is no message, or that is not text.

    >>> plain_messages([{"role": "user", "content": [{"type": "text", "text": "Hi."}]}])
    [{'role': 'user', 'content': 'Hi.'}]
    """
    names: dict[str, str] = {}
    plain: list[Message] = []
    for at, message in enumerate(messages):
        role = {"developer": "system"}.get(str(message.get("role")), message.get("role"))
        if role not in ("system", "user", "assistant", "tool"):
            raise UserError(f"messages[{at}].role is {role!r}: it is system, user, assistant or tool")
        one: Message = {"role": role, "content": _text(message.get("content"), at)}
        if role == "assistant":
            calls = [_call(call, at) for call in message.get("tool_calls") or []]
            names.update({call["id"]: call["function"]["name"] for call in calls})
            if known := [call for call in calls if call["function"]["name"] != MALFORMED]:
                one["tool_calls"] = known
            if _is_void(one) and not calls:
                continue
        if role == "tool":
            call_id = str(message.get("tool_call_id") or "")
            name = names.get(call_id, "")
            one |= {"name": "" if name == MALFORMED else name, "tool_call_id": call_id}
        plain.append(one)
    return plain


def _text(content: Any, at: int) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list) and all(isinstance(part, Mapping) and part.get("type") == "text" for part in content):
        return "".join(str(part.get("text", "")) for part in content)
    raise UserError(f"messages[{at}].content is not text: this model reads text alone")


def _call(call: Any, at: int) -> Message:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not function.get("name"):
        raise UserError(f"messages[{at}].tool_calls holds something that is no call of a function")
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError:
            arguments = {"": arguments}  # was never sent by us: such a conversation begins anew
    return {
        "id": str(call.get("id") or ""),
        "type": "function",
        "function": {"name": str(function["name"]), "arguments": arguments},
    }


def _compared(messages: Sequence[Message]) -> list[tuple[Any, ...]]:
    return [
        (m["role"], m["content"], m.get("name", ""), [call["function"] for call in m.get("tool_calls", ())])
        for m in messages
    ]


def _is_void(message: Message) -> bool:
    return message["role"] == "assistant" and not message["content"] and not message.get("tool_calls")
