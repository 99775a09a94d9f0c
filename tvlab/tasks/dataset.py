"""Making the GUST dataset: items of many environments, split by environment, with a card.

Every environment is one job whose result is one file, written in one step and marked with a hash of all that
decides it (code, environment, settings).  A killed run leaves whole files or none, so a second run makes only
what is missing, and the assembled files are a function of the parts alone: the number of workers and the
moment of a kill leave no trace.

    out/parts/ENVIRONMENT.jsonl (+ .made.json)    out/train.jsonl  validation.jsonl  test.jsonl
    out/decontamination.json (if benchmarks were given)
    out/card.json  README.md  made.json (last: without it the dataset is not whole)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from tvlab.foundation.atomic_files import read_json, write_json, write_jsonl, write_text
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError
from tvlab.foundation.runner import run_jobs
from tvlab.foundation.seeds import generator
from tvlab.tasks.benchmark_data import BenchmarkData, read_benchmarks
from tvlab.tasks.dataset_card import card_of
from tvlab.tasks.dataset_card_text import card_text
from tvlab.tasks.dataset_parts import NO_MODELS, Models, Settings, make_part
from tvlab.tasks.decontamination import contamination
from tvlab.tasks.gust import read_items
from tvlab.tasks.item import Item
from tvlab.tasks.near_duplicates import near_duplicates
from tvlab.tasks.turn_kinds import checked_shares

__all__ = ["SPLITS", "Models", "Settings", "make_dataset", "read_dataset", "split_names"]
SPLITS = ("train", "validation", "test")


def make_dataset(
    environments: Sequence[str | Path],
    out: str | Path,
    settings: Settings,
    workers: int = 1,
    progress: bool = False,
    sandbox: str = "auto",
    models: Models = NO_MODELS,
    benchmarks: Sequence[str | Path] = (),
    keep_matches: bool = False,
) -> dict[str, Any]:
    """Make the dataset of some environments and return its card; what is done already is not made again.

    Args:
        environments: folders of environments, no two of one name.
        out: folder of the dataset.
        settings: see ``Settings``.
        workers: processes; the result does not depend on them.
        progress: show progress on standard error.
        sandbox: where the environments' code runs, auto|strict|weak|off, as in ``open_environment``.
        models: those that put the words anew, try the items and propose edges.
        benchmarks: folders that hold benchmarks (``benchmark_data.py``), to compare the items with.
        keep_matches: keep items that match a benchmark; they are listed all the same.

    Raises:
        UserError: bad settings, two environments of one name, or no environment that carries tasks.
    """
    folders, out = _by_name(environments), Path(out)
    _check(settings)
    known = read_benchmarks(benchmarks)
    settings = models.named_in(settings)
    jobs = [(folder, out / "parts" / f"{name}.jsonl", settings) for name, folder in folders.items()]
    make = partial(make_part, sandbox=sandbox, models=models)
    keys = run_jobs(make, jobs, workers, progress, "environments")
    compared = [[data.name, data.tools, data.tasks] for data in known]
    key = content_hash(["dataset", keys, sorted(folders), asdict(settings), repr(compared), keep_matches])
    marker = out / "made.json"
    if marker.is_file() and read_json(marker).get("key") == key and (out / "card.json").is_file():
        return read_json(out / "card.json", "dataset card")
    marker.unlink(missing_ok=True)
    card = _assemble(folders, out, settings, known, keep_matches)
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


def _assemble(
    folders: Mapping[str, Path],
    out: Path,
    settings: Settings,
    benchmarks: Sequence[BenchmarkData],
    keep_matches: bool,
) -> dict[str, Any]:
    """Put the parts together: matches with benchmarks, near-duplicates, split, card."""
    rows = {name: read_json(out / "parts" / f"{name}.made.json") for name in folders}
    items = {
        name: read_items(out / "parts" / f"{name}.jsonl") for name in folders if rows[name]["has_items"]
    }
    if not any(items.values()):
        raise UserError(
            "no item could be made: give environments with two changing tools that feed each other"
        )
    report = _decontaminated(items, folders, benchmarks, keep_matches) if benchmarks else None
    (out / "decontamination.json").unlink(missing_ok=True)
    if report is not None:
        write_json(out / "decontamination.json", report)
    twins = near_duplicates([item for made in items.values() for item in made])
    if settings.drop_near_duplicates:
        gone = {later for _, later, _ in twins}
        items = {name: [item for item in made if item.id not in gone] for name, made in items.items()}
    parts = split_names([name for name, made in items.items() if made], settings.seed, settings.split)
    for part, names in parts.items():
        write_jsonl(out / f"{part}.jsonl", (item.to_json() for name in names for item in items[name]))
    card = card_of(items, parts, rows, twins, asdict(settings), report)
    write_json(out / "card.json", card)
    write_text(out / "README.md", card_text(card))
    return card


def _decontaminated(
    items: dict[str, list[Item]], folders: Mapping[str, Path], benchmarks: Sequence[BenchmarkData], keep: bool
) -> dict[str, Any]:
    """Take the items out that match a benchmark, in place, unless they are kept; return the report."""
    tools = {name: read_json(folders[name] / "tools.json")["tools"] for name, made in items.items() if made}
    found = contamination([item for made in items.values() for item in made], tools, benchmarks)
    if not keep:
        for name, made in items.items():
            items[name] = [item for item in made if item.id not in found.items]
    return found.to_json(benchmarks, removed=not keep)


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
