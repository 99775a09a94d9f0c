"""An episode for trainers that know tools and nothing of a user: answering the user is a tool among the others.

Most training frameworks play one prompt: the model calls tools until it writes a message.  A GUST item has
several user turns, so here the message to the user is the call ``reply_to_user(message)``; what it returns is
the user's next words, or that the conversation is over.  Rewards are those of the episode underneath.

Not for evaluation beside other work: an agent that answers in plain text instead of this tool ends the
conversation, and the turns that are left count as not reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tvlab.environments.environment import CallResult, Environment
from tvlab.environments.tool_calls import MalformedCallError, ToolCall, observation_text
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import Item

REPLY = "reply_to_user"
_AROUND = re.compile(r"</?tool_call>|```(?:json)?")
OVER = "The conversation is over."
SYSTEM = (
    f"You help a user by calling tools. When you have done what the user asks, or need to ask something, call "
    f"{REPLY} with your message; it returns what the user says next. Stop when it says that the conversation is over."
)
REPLY_TOOL: dict[str, Any] = {
    "name": REPLY,
    "description": "Say something to the user, ending your turn; returns what the user says next.",
    "inputSchema": {
        "type": "object",
        "properties": {"message": {"type": "string", "description": "What you say."}},
        "required": ["message"],
    },
}


class Replying:
    """One rollout of one item with the user behind a tool.

    Args:
        environment: the item's environment.
        item: what is played.
        options: go to ``Episode``.

    Attributes:
        episode: what is played underneath.
    """

    def __init__(self, environment: Environment, item: Item, **options: Any) -> None:
        self.episode = Episode(environment, item, **options)

    @property
    def words(self) -> str:
        """What the user says first, or says now."""
        return OVER if self.episode.done else self.episode.words

    @property
    def tools(self) -> list[dict[str, Any]]:
        """All tools of the environment, and ``reply_to_user``; one withheld in a turn answers that it is not there."""
        return [*self.episode.environment.tools, REPLY_TOOL]

    @property
    def turn_rewards(self) -> list[float]:
        """r_t of all turns, 0 where one was not reached."""
        return self.episode.rewards

    @property
    def reward(self) -> float:
        """The mean turn reward: one number for trainers that take no more."""
        rewards = self.episode.rewards
        return sum(rewards) / len(rewards)

    def read(self, text: str) -> str:
        """Take what a model wrote, a tool call as JSON (tags and fences around it are dropped) or words to the user."""
        inside = _AROUND.sub("", text).strip()
        if not inside.startswith("{"):
            return self.call(REPLY, {"message": text})
        try:
            call = ToolCall.parse(inside)
        except MalformedCallError as error:
            return self.call("", {"error": str(error)})
        return self.call(call.name, call.arguments)

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Make one call, the reply to the user included, and return what the agent reads."""
        if self.episode.done:
            return OVER
        if name == REPLY:
            message = arguments.get("message")
            if not isinstance(message, str):
                return observation_text(CallResult(False, None, "invalid_arguments: message must be text"))
            answer = self.episode.item.turns[self.episode.turn].answer if self.episode.asks_first else ""
            self.episode.end_turn(message)
            return answer or self.words
        turn = self.episode.turn
        try:
            call = ToolCall.parse({"name": name, "arguments": dict(arguments)})
        except MalformedCallError as error:
            self.episode.call("", {})
            text = observation_text(CallResult(False, None, f"invalid_arguments: {error}"))
        else:
            text = observation_text(self.episode.call(call.name, call.arguments))
        return text if self.episode.turn == turn else f"{text}\n{self.words}"


def replayed(
    environment: Environment, item: Item, calls: Iterable[tuple[str, Mapping[str, Any]]], **options: Any
) -> Replying:
    """Make recorded calls again: ids are a hash of what was created, so the same calls give the same rewards."""
    rollout = Replying(environment, item, **options)
    for name, arguments in calls:
        rollout.call(name, arguments)
    return rollout
