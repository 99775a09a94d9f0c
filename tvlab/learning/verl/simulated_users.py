"""Who speaks for the user of an item: its script, or a model behind an endpoint that is told the script.

A simulated user says the words of each turn, answers what it is asked, and may act: with tools of its own over the same
state (dual control, as in a call to a help desk) it makes calls between the agent's messages, and the turn goes
on until it has nothing left to do or to say. The turns, their golden calls and their rewards stay those of the item.

A model that says something in which a value of the script is missing, fails, or takes too long is not used for that
message: the script is, and `fallbacks` counts it. Not checked: that a model keeps to itself what it was not asked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from tvlab.environments.tool_calls import MalformedCallError, ToolCall, observation_text
from tvlab.foundation.errors import UserError
from tvlab.tasks.endpoint_teacher import Model, tool_for_model
from tvlab.tasks.episode import Episode
from tvlab.tasks.outcome import says
from tvlab.tasks.paths import is_reference, values_at

DONE = "DONE"
INSTRUCTIONS = (
    "You play a person who talks to an assistant that works with tools. Say, in your own words and in one short "
    "message, what the note below tells you to say. Keep every name, number, id and date as it is written. Add no wish "
    "and no value of your own. Write the message alone."
)
CONTROL = (
    "You also hold tools of your own. When the assistant asks you to do something that one of them does, call it and "
    f"then tell the assistant what came out. When nothing is left for you to do or to tell, write {DONE} alone."
)


class SimulatedUser(Protocol):
    """Speaks for the user; one object serves one rollout.

    ``fallbacks``: messages for which the script stood in.
    """

    fallbacks: int

    @property
    def tools(self) -> Collection[str]:
        """Names of the tools that the user holds and the agent is not offered."""
        ...

    async def words(self, episode: Episode) -> str:
        """What the user says when a turn begins."""
        ...

    async def answer(self, episode: Episode, question: str) -> str:
        """What the user says when the agent asks for the value that was left out."""
        ...

    async def react(self, episode: Episode, message: str) -> str | None:
        """What the user says to a message that would end the turn; None lets it end."""
        ...


class ScriptedUser:
    """Says what the item says."""

    tools: Collection[str] = frozenset()
    fallbacks = 0

    async def words(self, episode: Episode) -> str:
        return episode.words

    async def answer(self, episode: Episode, question: str) -> str:
        return episode.item.turns[episode.turn].answer

    async def react(self, episode: Episode, message: str) -> str | None:
        return None


class ModelUser:
    """A model that is told the script.

    Args:
        model: answers messages; blocking, called in a thread of `threads`.
        threads: how many users may wait for the model at once.
        timeout: seconds from the request until the script stands in.
        tools: names of tools of the environment that the user holds.
        most: messages and calls of the user between two messages of the agent.
    """

    def __init__(
        self,
        model: Model,
        threads: ThreadPoolExecutor,
        timeout: float = 60.0,
        tools: Collection[str] = (),
        most: int = 6,
    ) -> None:
        self.model = model
        self.threads = threads
        self.timeout = timeout
        self.tools = frozenset(tools)
        self.most = most
        self.fallbacks = 0
        self._heard: list[dict[str, Any]] = []
        self._turn = -1

    async def words(self, episode: Episode) -> str:
        script = episode.words
        turn = episode.item.turns[episode.turn]
        if turn.context:  # pasted material is pasted, not retold
            said = await self._say(episode, turn.user)
            return f"{turn.context}\n\n{said}"
        return await self._say(episode, script)

    async def answer(self, episode: Episode, question: str) -> str:
        self._heard.append({"role": "user", "content": question})
        return await self._say(episode, episode.item.turns[episode.turn].answer)

    async def react(self, episode: Episode, message: str) -> str | None:
        if not self.tools:
            return None
        if self._turn != episode.turn:
            self._turn, self._left = episode.turn, self.most
        self._heard.append({"role": "user", "content": message})
        held = [tool_for_model(tool) for tool in episode.environment.tools if tool["name"] in self.tools]
        note = {"role": "system", "content": f"{INSTRUCTIONS}\n{CONTROL}\nYour wish: {episode.words}"}
        while self._left > 0:
            self._left -= 1
            reply = await self._ask([note, *self._heard], held)
            if reply is None:
                return None
            calls = reply.get("tool_calls") or []
            content = (reply.get("content") or "").strip()
            self._heard.append(reply)
            if not calls:
                return None if not content or content.startswith(DONE) else content
            turn = episode.turn
            for call in calls:
                self._heard.append(await self._call(episode, call))
            if episode.done or episode.turn != turn:
                return None
        return None

    async def _call(self, episode: Episode, call: Mapping[str, Any]) -> dict[str, Any]:
        """Make one call of the user; it counts towards the turn, whoever has to make it."""
        observation = '{"error":"you hold no such tool"}'
        try:
            parsed = ToolCall.parse(call)
            if parsed.name in self.tools and not episode.done:
                result = await asyncio.to_thread(episode.call, parsed.name, parsed.arguments)
                observation = observation_text(result)
        except MalformedCallError as error:
            observation = json.dumps({"error": str(error)})
        return {"role": "tool", "tool_call_id": call.get("id", ""), "content": observation}

    async def _say(self, episode: Episode, script: str) -> str:
        asked = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": f"Note: {script}"}]
        reply = await self._ask(asked, ())
        said = ((reply or {}).get("content") or "").strip()
        if not said or any(not says(said, value) for value in _stated(episode) if says(script, value)):
            self.fallbacks += 1
            said = script
        self._heard.append({"role": "assistant", "content": said})
        return said

    async def _ask(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
        loop, begun = asyncio.get_running_loop(), asyncio.Event()

        def message() -> dict[str, Any]:
            loop.call_soon_threadsafe(begun.set)
            return self.model.message(messages, tools)

        waiting = loop.run_in_executor(self.threads, message)
        await begun.wait()  # for a thread: the time for that is not the model's
        try:
            return await asyncio.wait_for(waiting, self.timeout)
        except (TimeoutError, UserError):
            return None


def _stated(episode: Episode) -> list[Any]:
    """Scalars of the golden calls that the script of the current turn states."""
    turn = episode.item.turns[episode.turn]
    found = [value for call, path in turn.stated for value in values_at(turn.calls[call].arguments, path)]
    return [value for value in found if not is_reference(value) and not isinstance(value, dict | list)]
