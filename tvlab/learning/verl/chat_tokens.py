"""How a conversation becomes tokens: what a rollout asks of a tokenizer and its chat template.

`AgentLoop` answers with verl's continuous tokens; tests answer with a tokenizer of their own. A template is
*append-only* if each message only adds tokens behind those there are. Templates that drop earlier reasoning (Qwen3)
are not: there a rollout is packed into one sequence a message of the user.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.written_calls import Written

Message = dict[str, Any]
Packing = Literal["sequence", "turns"]
PACKINGS = ("auto", "sequence", "turns")
REASONING = "A thought that some templates drop."


@dataclass(frozen=True)
class Extended:
    """A sequence to which context was added.

    Attributes:
        ids: the whole sequence.
        kept: how many of its first ids are those there were; the others were added.
    """

    ids: list[int]
    kept: int


class ChatTokens(Protocol):
    """A tokenizer with its chat template."""

    @property
    def stop_ids(self) -> Collection[int]:
        """Ids that end a message of the model."""
        ...

    @property
    def end_id(self) -> int:
        """The one of them that is put behind a message that a limit cut off."""
        ...

    def start(self, messages: Sequence[Message], tools: Sequence[Message]) -> list[int]:
        """Ids of a whole conversation, ready for the model to write."""
        ...

    def extend(
        self, before: Sequence[Message], after: Sequence[Message], ids: Sequence[int], tools: Sequence[Message]
    ) -> Extended:
        """`ids` of the conversation `before`, with what `after` adds, ready for the model to write."""
        ...

    def read(self, ids: Sequence[int]) -> Written:
        """What the model wrote, without the id that ended it."""
        ...


def packing_for(choice: str, chat: ChatTokens) -> Packing:
    """The packing that is asked for, or for "auto" the one that the chat template allows.

    Raises:
        UserError: there is no such packing, or "sequence" is asked of a template that drops earlier reasoning.
    """
    if choice not in PACKINGS:
        raise UserError(f"tvlab.packing={choice}: choose one of {', '.join(PACKINGS)}")
    if choice == "turns":
        return "turns"
    able = is_append_only(chat)
    if choice == "sequence" and not able:
        raise UserError("tvlab.packing=sequence: the chat template changes earlier messages when a user turn begins, "
                        "so that one sequence would be another conversation; use turns or auto")  # fmt: skip
    return "sequence" if able else "turns"


def is_append_only(chat: ChatTokens) -> bool:
    """True if a new user turn leaves the tokens of earlier messages, reasoning included, as they were."""
    first = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": f"<think>\n{REASONING}\n</think>\n\na"},
    ]
    shorter = chat.start([*first, {"role": "user", "content": "v"}], [])
    alone = chat.start(first[:2], [])
    thought = chat.read([i for i in shorter[len(alone) :] if i not in chat.stop_ids]).content
    return shorter[: len(alone)] == alone and REASONING in thought


def tool_for_chat(tool: Message) -> Message:
    """A tool of an environment in the chat protocol's shape, with its whole schema."""
    function = {"name": tool["name"], "description": tool.get("description") or ""}
    return {"type": "function", "function": {**function, "parameters": tool["inputSchema"]}}


def change_of_tools(before: Sequence[Message], now: Sequence[Message]) -> str:
    """What the user's message says in front of its words when the tools offered are others; "" if they are not.

    One sequence has one list of tools, in its first message, so that a change of it has to be said.

    >>> print(change_of_tools([{"name": "a"}, {"name": "b"}], [{"name": "a"}]))
    No longer available: b
    """
    names, wanted = {tool["name"] for tool in before}, {tool["name"] for tool in now}
    lines = [f"No longer available: {', '.join(sorted(names - wanted))}"] if names - wanted else []
    lines += [
        f"Available now: {json.dumps(tool_for_chat(tool), ensure_ascii=False)}"
        for tool in now
        if tool["name"] not in names
    ]
    return "\n".join(lines)
