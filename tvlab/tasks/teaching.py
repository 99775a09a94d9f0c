"""What a teacher makes of the items of one environment: how often each is solved, and which are kept.

The teacher is the built-in search teacher, or a model behind an endpoint.  How often an item was solved stands in
its ``filters``; its difficulty, the share of attempts that failed, follows from that (``pass_at_k.difficulty``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tvlab.environments.environment import Environment
from tvlab.foundation.answer_cache import AnswerCache
from tvlab.foundation.endpoint import Endpoint, EndpointConfig
from tvlab.tasks.endpoint_teacher import teach
from tvlab.tasks.item import Item
from tvlab.tasks.pass_at_k import in_band
from tvlab.tasks.search_teacher import attempt_counts

Result = TypeVar("Result")


@dataclass(frozen=True)
class AskedModel:
    """A model behind an endpoint, and how it is asked.

    Attributes:
        config: where it is and how it is asked.
        answers: the file that keeps its answers.
        concurrency: items under way at once, in one process.
    """

    config: EndpointConfig
    answers: Path
    concurrency: int = 4


def with_endpoint(model: AskedModel, ask: Callable[[Endpoint], Result]) -> Result:
    """Return what a function makes of a model's endpoint; the answers are kept whatever comes of it."""
    cache = AnswerCache(model.answers)
    try:
        return ask(Endpoint(model.config, cache))
    finally:
        cache.close()


@dataclass(frozen=True)
class Band:
    """How often of ``attempts`` an item has to be solved to be kept.

    Attributes:
        attempts: at each item.
        least, most: times; None: no bound.
        temperature: of the search teacher; a model's stands in its configuration.
    """

    attempts: int
    least: int = 0
    most: int | None = None
    temperature: float = 0.5


def taught(
    environment: Environment, items: Sequence[Item], band: Band, seed: int, model: AskedModel | None = None
) -> list[Item]:
    """Let a teacher try items, record in each what came of it, and return those that are kept.

    Args:
        environment: theirs.
        items: to try.
        band: how often each is tried and has to be solved.
        seed: of the search teacher.
        model: the teacher; None is the search teacher.

    Raises:
        UserError: the endpoint does not answer; what it answered so far is kept.
    """
    for item, found in zip(items, _results(environment, items, band, seed, model), strict=True):
        item.filters["teacher"] = found
    return [
        item
        for item in items
        if in_band(item.filters["teacher"]["successes"], band.attempts, band.least, band.most)
    ]


def _results(
    environment: Environment, items: Sequence[Item], band: Band, seed: int, model: AskedModel | None
) -> list[dict[str, Any]]:
    if model is None:
        about: dict[str, Any] = {"name": "search", "temperature": band.temperature}
        return [
            {**about, **attempt_counts(environment, item, band.attempts, seed, band.temperature)} for item in items
        ]
    about = {"name": model.config.model, "temperature": model.config.temperature}
    opened, many = {environment.name: environment}, model.concurrency
    rows = with_endpoint(model, lambda endpoint: teach(opened, items, endpoint, band.attempts, many, "stop"))
    return [{**about, **{name: row[name] for name in ("attempts", "successes", "turn_reward")}} for row in rows]
