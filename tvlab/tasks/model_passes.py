"""pass@k of a model behind an endpoint on some items, as a record for a dataset's card.

The items are drawn evenly over environments, seeded.  An attempt ends at its first failed turn, since it can
no longer succeed: success is all turns covered and the outcome reached.  Answers are cached, so that a
stopped measurement goes on where it was.

Not measured here: how far attempts that fail would have got in later turns (those turns count as 0).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from tvlab.environments.environment import Environment
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.endpoint import Endpoint
from tvlab.foundation.seeds import generator
from tvlab.tasks.endpoint_teacher import LONGEST, teach
from tvlab.tasks.item import Item
from tvlab.tasks.pass_at_k import pass_rows


class Metered:
    """An endpoint that counts what it sends: answers, tokens, and seconds of those not in the cache."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.answers = self.tokens_in = self.tokens_out = 0
        self.fresh_seconds, self.fresh_tokens = 0.0, 0
        self._lock = threading.Lock()

    def message(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]] = (), attempt: int = 0
    ) -> dict[str, Any]:
        """Return the next message, counted."""
        known = self.endpoint.known(messages, tools, attempt)
        begun = time.monotonic()
        answer = known or self.endpoint.answer(messages, tools, attempt)
        with self._lock:
            self.answers += 1
            self.tokens_in += max(answer.input_tokens, 0)
            self.tokens_out += max(answer.output_tokens, 0)
            if known is None:
                self.fresh_seconds += time.monotonic() - begun
                self.fresh_tokens += max(answer.output_tokens, 0)
        return answer.message


def spread(items: Sequence[Item], count: int, seed: int = 0) -> list[Item]:
    """Return items drawn evenly over environments, one of each in turn: every beginning is spread too.

    Args:
        items: to draw from.
        count: how many; all of them if there are fewer.
        seed: of the draw.
    """
    rng = generator(seed, "spread")
    by_environment: dict[str, list[Item]] = {}
    for item in sorted(items, key=lambda item: item.id):
        by_environment.setdefault(item.environment, []).append(item)
    for made in by_environment.values():
        rng.shuffle(made)
    names = sorted(by_environment)
    rng.shuffle(names)
    rounds = [(at, name) for at in range(len(items)) for name in names if at < len(by_environment[name])]
    return [by_environment[name][at] for at, name in rounds[:count]]


def measure_passes(
    environments: Mapping[str, Environment],
    items: Sequence[Item],
    endpoint: Endpoint,
    attempts: int = 4,
    concurrency: int = 4,
    progress: bool = False,
    longest: int = LONGEST,
) -> dict[str, Any]:
    """Let a model try items and return the record.

    Returns:
        ``model``, ``measured`` (date), sampling, ``pass_at_k`` (k = 1, 2, 4, ... up to the attempts), ``items``
        (one row an item, with a hash of the item), tokens, and ``tokens_per_second`` (written by the model, the
        reading of prompts included; None if all answers came from the cache).
    """
    model = Metered(endpoint)
    rows = teach(environments, items, model, attempts, concurrency, "stop", progress, longest)
    for item, row in zip(items, rows, strict=True):
        row["hash"] = item_hash(item)
    ks = [k for k in (1, 2, 4, 8, 16) if k <= attempts]
    return {
        "model": endpoint.config.model,
        "measured": date.today().isoformat(),
        "temperature": endpoint.config.temperature,
        "max_tokens": endpoint.config.max_tokens,
        "longest_observation": longest,
        "attempts": attempts,
        "pass_at_k": pass_rows(rows, ks),
        "mean_turn_reward": sum(row["turn_reward"] for row in rows) / max(len(rows), 1),
        "answers": model.answers,
        "tokens_in": model.tokens_in,
        "tokens_out": model.tokens_out,
        "tokens_per_second": model.fresh_tokens / model.fresh_seconds if model.fresh_tokens else None,
        "items": rows,
    }


def item_hash(item: Item) -> str:
    """Return a hash of all that a model is shown of an item and measured by."""
    value = item.to_json()
    return content_hash([value["id"], value["state_hash"], value["turns"], value["outcome"]])
