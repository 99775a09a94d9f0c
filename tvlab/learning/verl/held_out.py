"""How a model does on items, greedily, without a trainer: one process, the agent loop's own rollouts.

An item's row is in the file as soon as the item has been played; what the file holds is not played again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tvlab.environments.environment import Environment
from tvlab.foundation.atomic_files import read_jsonl, write_jsonl
from tvlab.foundation.progress import progress
from tvlab.foundation.seeds import generator
from tvlab.learning.verl.chat_tokens import ChatTokens, packing_for
from tvlab.learning.verl.rollout import Limits
from tvlab.learning.verl.segments import Policy
from tvlab.learning.verl.simulated_users import ScriptedUser
from tvlab.learning.verl.token_rollout import TokenRollout
from tvlab.tasks.dataset_export import SYSTEM
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import Item

RESAMPLES = 2000


def play_items(
    environments: Mapping[str, Environment],
    items: Sequence[Item],
    chat: ChatTokens,
    policy: Policy,
    limits: Limits,
    file: str | Path,
    at_once: int = 8,
) -> list[dict[str, Any]]:
    """Play every item once that has no row in the file yet.

    Args:
        environments: by name.
        items: to play; their ids differ.
        chat, policy, limits: of the rollouts.
        file: a JSON line an item.
        at_once: items that are played side by side.

    Returns:
        One row an item, in the order of the items: item, environment, turns, turn_reward (mean over its turns), trace
        (1 if all are right), calls, malformed, truncated.
    """
    packing = packing_for("auto", chat)
    made = {row["item"]: row for row in read_jsonl(file)} if Path(file).is_file() else {}
    left, there = [item for item in items if item.id not in made], len(made)

    async def play(item: Item, gate: asyncio.Semaphore, advance: Callable[[int], None]) -> None:
        async with gate:
            episode = Episode(environments[item.environment], item, step_cap=limits.turn_calls)
            rollout = TokenRollout(episode, policy, chat, ScriptedUser(), SYSTEM, limits, packing)
            await rollout.play()
        made[item.id] = {
            "item": item.id,
            "environment": item.environment,
            "turns": len(item.turns),
            "turn_reward": float(np.mean(episode.rewards)),
            "trace": float(all(episode.rewards)),
            "calls": sum(map(len, episode.calls)),
            "malformed": rollout.malformed,
            "truncated": len(rollout.truncated),
        }
        write_jsonl(file, made.values())
        advance(len(made) - there)

    async def play_all(advance: Callable[[int], None]) -> None:
        gate = asyncio.Semaphore(at_once)
        await asyncio.gather(*(play(item, gate, advance) for item in left))

    with progress(len(left), "held-out items") as advance:
        asyncio.run(play_all(advance))
    return [made[item.id] for item in items]


def summary(rows: Sequence[Mapping[str, Any]], seed: int = 0) -> dict[str, Any]:
    """Mean turn reward with a 95% interval, resampled by item, and the other means.

    >>> found = summary([{"turn_reward": r, "trace": 0, "calls": 1, "malformed": 0, "truncated": 0} for r in (0, 1)])
    >>> found["turn_reward"], found["low"], found["high"], found["n"]
    (0.5, 0.0, 1.0, 2)
    """
    rewards = np.array([row["turn_reward"] for row in rows], dtype=float)
    draws = generator(seed, "held-out").integers(0, len(rewards), (RESAMPLES, len(rewards)))
    low, high = np.quantile(rewards[draws].mean(1), [0.025, 0.975])
    rest = {name: float(np.mean([row[name] for row in rows])) for name in ("trace", "calls", "malformed", "truncated")}
    return {"n": len(rewards), "turn_reward": float(rewards.mean()), "low": float(low), "high": float(high), **rest}
