"""Items as rows of the OpenAI Responses form that NeMo Gym reads, and the reward of a response.

A row holds ``responses_create_params`` (the first words and the tools as functions) beside ``environment`` and
``item``.  Calls are scored by making them again: function calls in the order of the response's output.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tvlab.environments.environment import Environment
from tvlab.tasks.item import Item
from tvlab.tasks.replying import SYSTEM, Replying, replayed


def response_row(environment: Environment, item: Item) -> dict[str, Any]:
    """Return an item as a row."""
    rollout = Replying(environment, item)
    tools = [
        {"type": "function", "name": tool["name"], "description": tool.get("description", ""),
         "parameters": tool["inputSchema"], "strict": False}
        for tool in rollout.tools
    ]  # fmt: skip
    words = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": rollout.words}]
    asked = {"input": words, "tools": tools, "parallel_tool_calls": False}
    return {"responses_create_params": asked, "environment": item.environment, "item": item.id}


def response_rewards(environment: Environment, item: Item, response: Mapping[str, Any], **options: Any) -> list[float]:
    """Return the turn rewards of a response by making its function calls again.

    Args:
        environment: the item's environment.
        item: what was played.
        response: a Responses object, or its ``output`` under that name.
        options: go to ``Episode``.

    A call whose arguments are no JSON object counts as a failed call.
    """
    return replayed(environment, item, _calls(response), **options).turn_rewards


def _calls(response: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for part in response.get("output", ()):
        if part.get("type") != "function_call":
            continue
        try:
            arguments = json.loads(part.get("arguments") or "{}")
        except ValueError:
            arguments = None
        yield (part["name"], arguments) if isinstance(arguments, dict) else ("", {})
