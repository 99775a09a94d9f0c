"""The part of a dataset that comes from one environment: settings, making, and what is noted about it.

A part is one file, written in one step and marked with a hash of all that decides it (code, environment,
settings); one that is there is not made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import tvlab
from tvlab.environments.environment import Environment
from tvlab.environments.opening import open_environment
from tvlab.foundation.atomic_files import read_json, write_json, write_jsonl
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.endpoint import Endpoint
from tvlab.foundation.seeds import generator
from tvlab.foundation.stored_runs import source_hash
from tvlab.tasks.equivalent_plans import PLAN_COUNTS, WAYS, PlanResult, equivalent_plans
from tvlab.tasks.graph import ToolGraph, build_graph
from tvlab.tasks.gust import build_items
from tvlab.tasks.item import Item
from tvlab.tasks.model_proposals import proposals_of
from tvlab.tasks.rewriting import Rewriting, rewriting_counts, rewritten
from tvlab.tasks.teaching import AskedModel, Band, taught, with_endpoint
from tvlab.tasks.tool_views import tool_views

TOO_FEW = ("no state-changing tool", "one state-changing tool")
LEAST_DEPTH = 2
"""Golden calls on the longest path of an item that only asks: without a path it is a list of look-ups."""
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
        teacher: the model that tries the items (``teaching.py``); "" is the search teacher.
        propose: the model that proposes edges (``model_proposals.py``); "" leaves them to schemas and texts.
        asking: take environments in that cannot carry tasks for want of changing tools but have a data edge that
            holds; their items ask, and some call of each depends on another.
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
    teacher: str = ""
    propose: str = ""
    asking: bool = False


@dataclass(frozen=True)
class Models:
    """The models that have a part in a dataset; None where none has.

    Attributes:
        writer: puts the words anew (``rewriting.py``).
        teacher: tries the items (``teaching.py``); None is the search teacher.
        proposer: proposes edges of the tool graphs (``model_proposals.py``).
    """

    writer: AskedModel | None = None
    teacher: AskedModel | None = None
    proposer: AskedModel | None = None

    def named_in(self, settings: Settings) -> Settings:
        """Return the settings with the names of the models."""
        rewrite, teacher, propose = (
            "" if model is None else model.config.model for model in (self.writer, self.teacher, self.proposer)
        )
        return replace(settings, rewrite=rewrite, teacher=teacher, propose=propose)

    def sampling(self) -> list[Any]:
        """Return how each model is asked: what its answers hang on, beside its name."""
        asked = (self.writer, self.teacher, self.proposer)
        return [None if one is None else [one.config.temperature, one.config.max_tokens] for one in asked]


NO_MODELS = Models()


def make_part(job: tuple[Path, Path, Settings], sandbox: str = "auto", models: Models = NO_MODELS) -> str:
    """Make one environment's items unless they are there; return the key of what made them.

    Args:
        job: (folder of the environment, file for its items, settings).
        sandbox: where the environment's code runs.
        models: those that the settings name.
    """
    folder, path, settings = job
    environment = open_environment(folder, sandbox)
    asked = [asdict(settings), models.sampling()]
    key = content_hash([_code(), environment.code_hash, environment.report.get("source"), asked])
    marker = path.with_suffix(".made.json")
    if marker.is_file() and path.is_file() and read_json(marker).get("key") == key:
        return key
    marker.unlink(missing_ok=True)
    items, about = _items_of(environment, settings, models)
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
        return TOO_FEW[writers]
    return "" if any(about["evidence"] for _, _, about in graph.edges("data")) else "no data edge that holds"


def few_changing_tools(environment: Environment, graph: ToolGraph) -> bool:
    """True if an environment lacks changing tools alone: it has a data edge that holds, and tools that answer."""
    return why_no_tasks(environment, graph) in TOO_FEW and any(about["evidence"] for *_, about in graph.edges("data"))


def _items_of(environment: Environment, settings: Settings, models: Models) -> tuple[list[Item], dict[str, Any]]:
    source = environment.report.get("source") or {}
    about = {"tools": len(environment.tools), "source": source, "has_items": False, "made": 0, "kept": 0}
    about["kind"] = environment.report.get("kind")
    if of_benchmark(environment.report):
        return [], {**about, "benchmark": True, "why": "belongs to a benchmark"}
    graph, proposed = _graph_of(environment, settings, models.proposer)
    about.update(proposed)
    why = why_no_tasks(environment, graph)
    asking = settings.asking and few_changing_tools(environment, graph)
    if why and not asking:
        return [], {**about, "benchmark": False, "why": why}
    about["data_edges"] = sum(1 for _ in graph.edges("data"))
    about["few_changing_tools"] = asking
    items = build_items(
        environment,
        graph,
        settings.count,
        settings.seed,
        settings.n,
        settings.q,
        settings.shares,
        least_depth=LEAST_DEPTH if asking else 1,
    )
    if settings.rewrite and models.writer is not None:
        items, about["rewriting"] = _in_other_words(environment, items, models.writer)
    if settings.replay:
        from tvlab.tasks.graph_replay import replay_as_graph

        for item in items:
            replay_as_graph(environment, item)
            item.filters["graph_replay"] = True
    if settings.attempts:
        band = Band(settings.attempts, settings.keep_least, settings.keep_most, settings.temperature)
        items = taught(environment, items, band, settings.seed, models.teacher)
    if settings.plans:
        about["plans"] = plan_counts(environment, items, settings.plans, settings.seed)
    about.update(has_items=bool(items), kept=len(items), made=settings.count)
    return items, about if items else {**about, "why": "no draft passed the checks"}


def _graph_of(
    environment: Environment, settings: Settings, proposer: AskedModel | None
) -> tuple[ToolGraph, dict[str, Any]]:
    """Return the graph of an environment, and what came of a model's proposals."""
    if not settings.propose or proposer is None:
        return build_graph(environment, seed=settings.seed), {}
    found = with_endpoint(proposer, partial(proposals_of, environment))
    graph = build_graph(environment, seed=settings.seed, also=found.proposals)
    held = sum(about["found"] == "model" for *_, about in graph.edges("data"))
    return graph, {"proposals": {"made": len(found.proposals), "held": held, "refused": found.refused}}


def _in_other_words(
    environment: Environment, items: Sequence[Item], writer: AskedModel
) -> tuple[list[Item], dict[str, Any]]:
    """Let the model rewrite the items' words; return the items and what became of the turns."""

    def put(endpoint: Endpoint) -> list[Rewriting]:
        with ThreadPoolExecutor(writer.concurrency) as pool:
            return list(pool.map(partial(rewritten, environment, model=endpoint), items))

    made = with_endpoint(writer, put)
    return [one.item for one in made], rewriting_counts(made)


def plan_counts(environment: Environment, items: Sequence[Item], tries: int, seed: int = 0) -> list[dict[str, Any]]:
    """Count equivalent plans, and what coverage and the outcome check say of them: a row a way to vary a trace.

    Args:
        environment: the items'.
        items: whose golden traces are varied.
        tries: samples an item and way.
        seed: of the sampling.

    Returns:
        Rows of way, plans, rejected_by_coverage and rejected_by_outcome (plans), items and items_rejected (items with
        such a plan, and those of them where coverage rejects one).
    """
    counts: dict[str, Counter[str]] = {way: Counter(dict.fromkeys(PLAN_COUNTS, 0)) for way in sorted(WAYS)}
    for item in items:
        by_way: dict[str, list[PlanResult]] = {}
        for plan in equivalent_plans(environment, item, generator(seed, "plans", item.id), tries):
            by_way.setdefault(plan.way, []).append(plan)
        for way, plans in by_way.items():
            counts[way]["plans"] += len(plans)
            counts[way]["rejected_by_coverage"] += sum(not plan.covered for plan in plans)
            counts[way]["rejected_by_outcome"] += sum(not plan.outcome for plan in plans)
            counts[way]["items"] += 1
            counts[way]["items_rejected"] += not all(plan.covered for plan in plans)
    return [{"way": way, **count} for way, count in counts.items()]


@lru_cache(maxsize=1)
def _code() -> str:
    return source_hash(*(_PACKAGE / room for room in ("foundation", "environments", "tasks")))
