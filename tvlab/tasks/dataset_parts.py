"""The part of a dataset that comes from one environment: settings, making, and what is noted about it.

A part is one file, written in one step and marked with a hash of all that decides it (code, environment,
settings); one that is there is not made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import tvlab
from tvlab.environments.environment import Environment
from tvlab.environments.opening import open_environment
from tvlab.foundation.answer_cache import AnswerCache
from tvlab.foundation.atomic_files import read_json, write_json, write_jsonl
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.endpoint import Endpoint, EndpointConfig
from tvlab.foundation.seeds import generator
from tvlab.foundation.stored_runs import source_hash
from tvlab.tasks.equivalent_plans import equivalent_plans
from tvlab.tasks.graph import ToolGraph, build_graph
from tvlab.tasks.gust import build_items
from tvlab.tasks.item import Item
from tvlab.tasks.pass_at_k import in_band
from tvlab.tasks.rewriting import rewriting_counts, rewritten
from tvlab.tasks.search_teacher import attempt_counts
from tvlab.tasks.tool_views import tool_views

_PACKAGE = Path(tvlab.__file__).parent


@dataclass(frozen=True)
class Settings:
    """What decides a dataset beside the environments.

    Attributes:
        count: items an environment.
        seed: of everything random.
        n, q, shares: as in ``build_items``.
        replay: replay every item as a LangGraph graph too.
        attempts: of the search teacher at each item; 0 leaves pass@k out.
        temperature: of the teacher.
        keep_least, keep_most: how often of ``attempts`` an item has to be solved to be kept; None: no bound.
        plans: samples of equivalent plans an item and way (``equivalent_plans.py``); 0 leaves them out.
        split: shares of environments in train, validation and test.
        drop_near_duplicates: leave items out that are near-duplicates of an earlier one.
        rewrite: the model that put the words anew (``rewriting.py``); "" leaves the template's.
    """

    count: int = 60
    seed: int = 0
    n: int = 3
    q: float = 0.3
    shares: Mapping[str, float] = field(default_factory=dict)
    replay: bool = True
    attempts: int = 0
    temperature: float = 0.5
    keep_least: int = 0
    keep_most: int | None = None
    plans: int = 0
    split: tuple[float, float, float] = (0.8, 0.1, 0.1)
    drop_near_duplicates: bool = False
    rewrite: str = ""


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


def make_part(job: tuple[Path, Path, Settings], sandbox: str = "auto", writer: AskedModel | None = None) -> str:
    """Make one environment's items unless they are there; return the key of what made them.

    Args:
        job: (folder of the environment, file for its items, settings).
        sandbox: where the environment's code runs.
        writer: needed if the settings name a model that rewrites.
    """
    folder, path, settings = job
    environment = open_environment(folder, sandbox)
    key = content_hash([_code(), environment.code_hash, environment.report.get("source"), asdict(settings)])
    marker = path.with_suffix(".made.json")
    if marker.is_file() and path.is_file() and read_json(marker).get("key") == key:
        return key
    marker.unlink(missing_ok=True)
    items, about = _items_of(environment, settings, writer)
    write_jsonl(path, (item.to_json() for item in items))
    write_json(marker, {"key": key, **about})
    return key


def of_benchmark(report: Mapping[str, Any]) -> bool:
    """Whether an environment, or one of the servers it was joined from, belongs to a benchmark."""
    sources = [report.get("source"), *(part.get("source") for part in report.get("joined") or ())]
    return any(bool((source or {}).get("benchmark")) for source in sources)


def why_no_tasks(environment: Environment, graph: ToolGraph) -> str:
    """Return why an environment carries no tasks, "" if it does (``graph.carries_tasks``)."""
    writers = sum(view.writes for view in tool_views(environment).values())
    if writers < 2:
        return "no state-changing tool" if not writers else "one state-changing tool"
    return "" if any(about["evidence"] for _, _, about in graph.edges("data")) else "no data edge that holds"


def _items_of(
    environment: Environment, settings: Settings, writer: AskedModel | None
) -> tuple[list[Item], dict[str, Any]]:
    source = environment.report.get("source") or {}
    about = {"tools": len(environment.tools), "source": source, "carries_tasks": False, "made": 0, "kept": 0}
    about["kind"] = environment.report.get("kind")
    graph = build_graph(environment, seed=settings.seed)
    if of_benchmark(environment.report):
        return [], {**about, "benchmark": True, "why": "belongs to a benchmark"}
    why = why_no_tasks(environment, graph)
    if why:
        return [], {**about, "benchmark": False, "why": why}
    about["data_edges"] = sum(1 for _ in graph.edges("data"))
    items = build_items(
        environment, graph, settings.count, settings.seed, settings.n, settings.q, settings.shares
    )
    if settings.rewrite and writer is not None:
        items, about["rewriting"] = _in_other_words(environment, items, writer)
    if settings.replay:
        from tvlab.tasks.graph_replay import replay_as_graph

        for item in items:
            replay_as_graph(environment, item)
            item.filters["graph_replay"] = True
    if settings.attempts:
        items = [item for item in items if _solved_as_wanted(environment, item, settings)]
    if settings.plans:
        about["plans"] = _plans_of(environment, items, settings)
    about.update(carries_tasks=bool(items), kept=len(items), made=settings.count)
    return items, about if items else {**about, "why": "no draft passed the checks"}


def _in_other_words(
    environment: Environment, items: Sequence[Item], writer: AskedModel
) -> tuple[list[Item], dict[str, Any]]:
    """Let the model rewrite the items' words; return the items and what became of the turns."""
    cache = AnswerCache(writer.answers)
    try:
        with ThreadPoolExecutor(writer.concurrency) as pool:
            made = list(pool.map(partial(rewritten, environment, model=Endpoint(writer.config, cache)), items))
    finally:
        cache.close()
    return [one.item for one in made], rewriting_counts(made)


def _plans_of(environment: Environment, items: Sequence[Item], settings: Settings) -> list[dict[str, Any]]:
    """Count equivalent plans by way, and by what coverage and the outcome check say of them."""
    counts = Counter(
        (plan.way, plan.covered, plan.outcome)
        for item in items
        for plan in equivalent_plans(
            environment, item, generator(settings.seed, "plans", item.id), settings.plans
        )
    )
    return [
        {"way": way, "covered": covered, "outcome": outcome, "plans": count}
        for (way, covered, outcome), count in sorted(counts.items())
    ]


def _solved_as_wanted(environment: Environment, item: Item, settings: Settings) -> bool:
    """Let the teacher try an item, record what came of it, and tell whether the item is kept."""
    found = attempt_counts(environment, item, settings.attempts, settings.seed, settings.temperature)
    item.filters["teacher"] = {"name": "search", "temperature": settings.temperature, **found}
    return in_band(found["successes"], found["attempts"], settings.keep_least, settings.keep_most)


@lru_cache(maxsize=1)
def _code() -> str:
    return source_hash(*(_PACKAGE / room for room in ("foundation", "environments", "tasks")))
