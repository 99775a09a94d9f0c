"""The ready sample: about 300 items of the environments that come with the package, of all turn kinds.

It lies in the package with its card, so that nobody must build first to look at items.  It is the dataset of
``SAMPLE`` on the embedded descriptions; after a change of environments or tasks it is made anew by

    python -m tvlab.tasks.sample [--workers N] [--decontaminate FOLDER ...]

Matches with benchmarks are listed in the card and kept.  What models made of its items stands in
``gust_sample_models.json``; a record whose items have changed since is left out of the card.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from tvlab.environments.build import build_environments
from tvlab.environments.build_totals import environment_names
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.foundation.atomic_files import write_json, write_jsonl, write_text
from tvlab.tasks.dataset import Settings, make_dataset, read_dataset
from tvlab.tasks.dataset_card import card_text, with_models
from tvlab.tasks.dataset_models import fitting
from tvlab.tasks.gust import read_items
from tvlab.tasks.item import Item
from tvlab.tasks.turn_kinds import MIXED_SHARES

SAMPLE = Settings(count=38, seed=0, shares=MIXED_SHARES, attempts=8)


def load_sample() -> list[Item]:
    """Return the items of the ready sample."""
    with resources.as_file(_place("gust_sample.jsonl")) as path:
        return read_items(path)


def load_sample_card() -> dict[str, Any]:
    """Return the card of the ready sample."""
    return _read("gust_sample_card.json")


def make_sample(workers: int = 1, benchmarks: Sequence[str | Path] = ()) -> tuple[list[Item], dict[str, Any]]:
    """Build the embedded environments in a temporary folder and return the sample's items and card."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        rows = build_environments(
            load_tool_lists("embedded"), place / "environments", 0, workers, progress=False
        )
        folders = [place / "environments" / name for name in environment_names(rows)]
        card = make_dataset(folders, place / "out", SAMPLE, workers, benchmarks=benchmarks, keep_matches=True)
        items = [item for part in read_dataset(place / "out").values() for item in part]
    return sorted(items, key=lambda item: item.id), with_models(card, fitting(_models(), items))


def write_sample(workers: int = 1, benchmarks: Sequence[str | Path] = ()) -> Path:
    """Make the sample and its card anew in the package's folder."""
    items, card = make_sample(workers, benchmarks)
    write_json(Path(str(_place("gust_sample_card.json"))), card)
    write_text(Path(str(_place("gust_sample_card.md"))), card_text(card))
    return write_jsonl(Path(str(_place("gust_sample.jsonl"))), (item.to_json() for item in items))


def _models() -> list[dict[str, Any]]:
    return _read("gust_sample_models.json") if _place("gust_sample_models.json").is_file() else []


def _read(name: str) -> Any:
    return json.loads(_place(name).read_text(encoding="utf-8"))


def _place(name: str) -> Traversable:
    return resources.files("tvlab") / "data" / name


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make the ready sample anew.")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--decontaminate", action="append", default=[])
    given = parser.parse_args()
    print(write_sample(given.workers, given.decontaminate))
