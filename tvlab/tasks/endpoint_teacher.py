"""A model as teacher: it plays items through an endpoint, many at a time.

It gets the tools of the turn and the conversation, as any agent does.  Each answer is cached on disk, so a
stopped run goes on where it was and a finished one sends nothing.  A message without calls ends the turn (or
is answered, where the user left a value out); arguments that are no JSON object become an error observation.
Calls that stand in the text alone are read too (``bare_calls.py``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from tvlab.environments.environment import Environment
from tvlab.foundation.progress import progress as show_progress
from tvlab.tasks.bare_calls import with_calls
from tvlab.tasks.dataset_export import SYSTEM
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import Item

LONGEST = 6000
"""Characters of one observation that are shown by default; lists of a big state would fill the context."""


class Model(Protocol):
    """What answers: ``tvlab.foundation.endpoint.Endpoint``, or a script in a test."""

    def message(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]] = (), attempt: int = 0
    ) -> dict[str, Any]:
        """Return the assistant's next message."""
        ...


def play(
    environment: Environment, item: Item, model: Model, attempt: int = 0, longest: int = LONGEST, **options: Any
) -> Episode:
    """Let a model play an item and return the episode, done.

    Args:
        environment: the item's environment.
        item: what to do.
        model: answers messages.
        attempt: number of the attempt, the seed of sampling.
        longest: characters of one observation that are shown.
        options: go to ``Episode``.
    """
    episode = Episode(environment, item, **options)
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
    while not episode.done:
        messages.append({"role": "user", "content": episode.words})
        _play_turn(episode, messages, model, attempt, longest)
    return episode


def teach(
    environments: Mapping[str, Environment],
    items: Sequence[Item],
    model: Model,
    attempts: int = 8,
    concurrency: int = 8,
    on_failed_turn: str = "continue",
    progress: bool = False,
    longest: int = LONGEST,
) -> list[dict[str, Any]]:
    """Let a model try items, ``concurrency`` at a time.

    Args:
        environments: by name.
        items: what to try.
        model: answers messages.
        attempts: an item.
        concurrency: attempts under way at once.
        on_failed_turn: continue, or stop: enough to know whether an item is solved, and cheaper.
        progress: show progress on standard error.
        longest: characters of one observation that are shown.

    Returns:
        One row an item, in their order: item, attempts, successes, turn_reward (mean over all turns).
    """
    jobs = [(item, attempt) for item in items for attempt in range(attempts)]

    def run(job: tuple[Item, int]) -> Episode:
        item, attempt = job
        environment = environments[item.environment]
        return play(environment, item, model, attempt, longest, on_failed_turn=on_failed_turn)

    episodes = []
    with ThreadPoolExecutor(concurrency) as pool, show_progress(len(jobs), "attempts", progress) as advance:
        for episode in pool.map(run, jobs):
            episodes.append(episode)
            advance(len(episodes))
    return [
        _row(item, episodes[at * attempts : (at + 1) * attempts], attempts) for at, item in enumerate(items)
    ]


def tool_for_model(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool in the shape of the chat protocol."""
    function = {"name": tool["name"], "description": tool.get("description") or ""}
    return {"type": "function", "function": {**function, "parameters": tool["inputSchema"]}}


def _play_turn(
    episode: Episode, messages: list[dict[str, Any]], model: Model, attempt: int, longest: int
) -> None:
    turn = episode.turn
    while not episode.done and episode.turn == turn:
        answer = model.message(messages, [tool_for_model(tool) for tool in episode.tools], attempt)
        answer = with_calls(answer, {tool["name"] for tool in episode.tools})
        calls = answer.get("tool_calls") or []
        messages.append(
            {
                "role": "assistant",
                "content": answer.get("content") or "",
                **({"tool_calls": calls} if calls else {}),
            }
        )
        if not calls:
            if episode.end_turn(answer.get("content") or "") is None:
                messages.append({"role": "user", "content": episode.item.turns[turn].answer})
            continue
        for call in calls:
            going = not episode.done and episode.turn == turn
            shown = _observed(episode, call["function"]) if going else {"error": "the turn is over"}
            content = json.dumps(shown, ensure_ascii=False)[:longest]
            messages.append({"role": "tool", "tool_call_id": call.get("id", ""), "content": content})


def _observed(episode: Episode, function: Mapping[str, Any]) -> Any:
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except json.JSONDecodeError:
        arguments = None
    return episode.call(
        function["name"], arguments if isinstance(arguments, dict) else {"": arguments}
    ).observation


def _row(item: Item, episodes: Sequence[Episode], attempts: int) -> dict[str, Any]:
    solved = [all(episode.rewards) and episode.outcome_met() for episode in episodes]
    rewards = sum(sum(episode.rewards) for episode in episodes)  # a turn never reached counts 0
    turns = len(item.turns) * len(episodes)
    return {
        "item": item.id,
        "attempts": attempts,
        "successes": sum(solved),
        "turn_reward": round(rewards / turns, 4) if turns else float("nan"),
    }
