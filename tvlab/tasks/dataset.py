"""Making the GUST dataset: items of many environments, split by environment, with a card.

Every environment is one job whose result is one file, written in one step and marked with a hash of all that
decides it (code, environment, settings).  A killed run leaves whole files or none, so a second run makes only
what is missing, and the assembled files are a function of the parts alone: the number of workers and the
moment of a kill leave no trace.

    out/parts/ENVIRONMENT.jsonl (+ .made.json)    out/train.jsonl  validation.jsonl  test.jsonl
    out/card.json  README.md  made.json (last: without it the dataset is not whole)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import tvlab
from tvlab.environments.environment import Environment
from tvlab.environments.opening import open_environment
from tvlab.foundation.atomic_files import read_json, write_json, write_jsonl, write_text
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError
from tvlab.foundation.runner import run_jobs
from tvlab.foundation.seeds import generator
from tvlab.foundation.stored_runs import source_hash
from tvlab.tasks.dataset_card import card_of, card_text
from tvlab.tasks.equivalent_plans import equivalent_plans
from tvlab.tasks.graph import build_graph, carries_tasks
from tvlab.tasks.gust import build_items, read_items
from tvlab.tasks.item import Item
from tvlab.tasks.near_duplicates import near_duplicates
from tvlab.tasks.pass_at_k import in_band
from tvlab.tasks.search_teacher import attempt_counts
from tvlab.tasks.turn_kinds import checked_shares

SPLITS = ("train", "validation", "test")
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


def make_dataset(
    environments: Sequence[str | Path],
    out: str | Path,
    settings: Settings,
    workers: int = 1,
    progress: bool = False,
    sandbox: str = "auto",
) -> dict[str, Any]:
    """Make the dataset of some environments and return its card; what is done already is not made again.

    Args:
        environments: folders of environments, no two of one name.
        out: folder of the dataset.
        settings: see ``Settings``.
        workers: processes; the result does not depend on them.
        progress: show progress on standard error.
        sandbox: where the environments' code runs, auto|strict|weak|off, as in ``open_environment``.

    Raises:
        UserError: bad settings, two environments of one name, or no environment that carries tasks.
    """
    folders, out = _by_name(environments), Path(out)
    _check(settings)
    jobs = [(folder, out / "parts" / f"{name}.jsonl", settings) for name, folder in folders.items()]
    keys = run_jobs(partial(_make_part, sandbox=sandbox), jobs, workers, progress, "environments")
    key = content_hash(["dataset", keys, sorted(folders), asdict(settings)])
    marker = out / "made.json"
    if marker.is_file() and read_json(marker).get("key") == key and (out / "card.json").is_file():
        return read_json(out / "card.json", "dataset card")
    marker.unlink(missing_ok=True)
    card = _assemble(folders, out, settings)
    write_json(marker, {"key": key})
    return card


def split_names(
    names: Sequence[str], seed: int, shares: Sequence[float] = (0.8, 0.1, 0.1)
) -> dict[str, list[str]]:
    """Split environments by name; with three or more of them no part is empty.

    >>> {part: len(found) for part, found in split_names([f"e{i}" for i in range(10)], 0).items()}
    {'train': 8, 'validation': 1, 'test': 1}
    """
    ordered = sorted(names)
    generator(seed, "split").shuffle(ordered)
    sizes = [round(share * len(ordered) / sum(shares)) for share in shares[1:]]
    if len(ordered) >= len(shares):
        sizes = [max(1, size) if share else 0 for size, share in zip(sizes, shares[1:], strict=True)]
    first = len(ordered) - sum(sizes)
    bounds = [0, first, first + sizes[0], len(ordered)]
    return {part: sorted(ordered[a:b]) for part, a, b in zip(SPLITS, bounds, bounds[1:], strict=False)}


def read_dataset(out: str | Path) -> dict[str, list[Item]]:
    """Return the items of every part of a dataset.

    Raises:
        UserError: the dataset is not whole.
    """
    out = Path(out)
    if not (out / "made.json").is_file():
        raise UserError(f"{out} holds no whole dataset: run `tvlab tasks` on it again")
    return {part: read_items(out / f"{part}.jsonl") for part in SPLITS}


def _assemble(folders: Mapping[str, Path], out: Path, settings: Settings) -> dict[str, Any]:
    """Put the parts together: near-duplicates, split, card."""
    rows = {name: read_json(out / "parts" / f"{name}.made.json") for name in folders}
    items = {
        name: read_items(out / "parts" / f"{name}.jsonl") for name in folders if rows[name]["carries_tasks"]
    }
    if not any(items.values()):
        raise UserError(
            "no item could be made: give environments with two changing tools that feed each other"
        )
    twins = near_duplicates([item for made in items.values() for item in made])
    if settings.drop_near_duplicates:
        gone = {later for _, later, _ in twins}
        items = {name: [item for item in made if item.id not in gone] for name, made in items.items()}
    parts = split_names([name for name, made in items.items() if made], settings.seed, settings.split)
    for part, names in parts.items():
        write_jsonl(out / f"{part}.jsonl", (item.to_json() for name in names for item in items[name]))
    card = card_of(items, parts, rows, twins, asdict(settings))
    write_json(out / "card.json", card)
    write_text(out / "README.md", card_text(card))
    return card


def _make_part(job: tuple[Path, Path, Settings], sandbox: str) -> str:
    """Make one environment's items unless they are there; return the key of what made them."""
    folder, path, settings = job
    environment = open_environment(folder, sandbox)
    key = content_hash([_code(), environment.code_hash, environment.report.get("source"), asdict(settings)])
    marker = path.with_suffix(".made.json")
    if marker.is_file() and path.is_file() and read_json(marker).get("key") == key:
        return key
    marker.unlink(missing_ok=True)
    items, about = _items_of(environment, settings)
    write_jsonl(path, (item.to_json() for item in items))
    write_json(marker, {"key": key, **about})
    return key


def _items_of(environment: Environment, settings: Settings) -> tuple[list[Item], dict[str, Any]]:
    source = environment.report.get("source") or {}
    about = {"tools": len(environment.tools), "source": source, "carries_tasks": False, "made": 0, "kept": 0}
    graph = build_graph(environment, seed=settings.seed)
    if source.get("benchmark") or not carries_tasks(environment, graph):
        return [], {**about, "benchmark": bool(source.get("benchmark"))}
    about["data_edges"] = sum(1 for _ in graph.edges("data"))
    items = build_items(
        environment, graph, settings.count, settings.seed, settings.n, settings.q, settings.shares
    )
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
    return items, about


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


def _by_name(environments: Sequence[str | Path]) -> dict[str, Path]:
    folders: dict[str, Path] = {}
    for folder in map(Path, environments):
        if folder.name in folders:
            raise UserError(f"two environments are called {folder.name!r}: rename one of the folders")
        folders[folder.name] = folder
    if not folders:
        raise UserError("no environment was given: name at least one folder of an environment")
    return dict(sorted(folders.items()))


def _check(settings: Settings) -> None:
    checked_shares(settings.shares)
    if settings.count < 1:
        raise UserError(f"count is {settings.count}: give 1 or more items an environment")
    if min(settings.split) < 0 or not settings.split[0]:
        raise UserError(f"split is {settings.split}: give three shares, the first above 0")


@lru_cache(maxsize=1)
def _code() -> str:
    return source_hash(*(_PACKAGE / room for room in ("foundation", "environments", "tasks")))
