"""The ready sample: about 300 items of the environments that come with the package, of all turn kinds.

It lies in the package with its card, so that nobody must build first to look at items.  It is the dataset of
``SAMPLE`` on the embedded descriptions; after a change of environments or tasks it is made anew by

    python -m tvlab.tasks.sample [--workers N] [--decontaminate FOLDER ...]

Matches with benchmarks are listed in the card and kept.  What models made of its items stands in
``gust_sample_models.json``; a record whose items have changed since is left out of the card.  A model is asked
(items and the rest of the card stay as they are) by

    python -m tvlab.tasks.sample --try 20 --base-url URL --model NAME [--answers FILE]
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

from tvlab.environments.build import build_environment, build_environments
from tvlab.environments.build_totals import environment_names
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.foundation.answer_cache import AnswerCache
from tvlab.foundation.atomic_files import write_json, write_jsonl, write_text
from tvlab.foundation.endpoint import Endpoint, EndpointConfig
from tvlab.tasks.dataset import Settings, make_dataset, read_dataset
from tvlab.tasks.dataset_card import with_models
from tvlab.tasks.dataset_card_text import card_text
from tvlab.tasks.dataset_models import fitting
from tvlab.tasks.gust import read_items
from tvlab.tasks.item import Item
from tvlab.tasks.model_passes import measure_passes, spread
from tvlab.tasks.turn_kinds import MIXED_SHARES

SAMPLE = Settings(count=38, seed=0, shares=MIXED_SHARES, attempts=8, plans=3)


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


def try_model_on_sample(endpoint: Endpoint, count: int, attempts: int, longest: int, concurrency: int) -> Path:
    """Let a model try items of the sample; keep the record in the package's folder and in the card."""
    lists = load_tool_lists("embedded")
    built = [made.environment for tool_list in lists for made in build_environment(tool_list)]
    items = load_sample()
    chosen = spread(items, count)
    environments = {environment.name: environment for environment in built}
    record = measure_passes(environments, chosen, endpoint, attempts, concurrency, True, longest)
    records = [one for one in _models() if one["model"] != record["model"]] + [record]
    write_json(Path(str(_place("gust_sample_models.json"))), records)
    card = with_models(load_sample_card(), fitting(records, items))
    write_json(Path(str(_place("gust_sample_card.json"))), card)
    return write_text(Path(str(_place("gust_sample_card.md"))), card_text(card))


def _models() -> list[dict[str, Any]]:
    return _read("gust_sample_models.json") if _place("gust_sample_models.json").is_file() else []


def _read(name: str) -> Any:
    return json.loads(_place(name).read_text(encoding="utf-8"))


def _place(name: str) -> Traversable:
    return resources.files("tvlab") / "data" / name


def _main() -> None:
    parser = argparse.ArgumentParser(description="Make the ready sample anew, or let a model try its items.")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--decontaminate", action="append", default=[], help="folder with a benchmark's package")
    parser.add_argument("--try", type=int, dest="count", default=0, help="items that a model tries")
    parser.add_argument("--tries", type=int, default=4, help="attempts at each")
    parser.add_argument("--base-url", default="")
    parser.add_argument("--model", default="")
    parser.add_argument("--answers", type=Path, default=Path("answers.sqlite"))
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--longest", type=int, default=1500, help="characters of an observation that are shown")
    parser.add_argument("--concurrency", type=int, default=1)
    given = parser.parse_args()
    if not given.count:
        print(write_sample(given.workers, given.decontaminate))
        return
    sampling = {"temperature": given.temperature, "max_tokens": given.max_tokens, "timeout": 900.0}
    config = EndpointConfig(given.base_url, given.model, **sampling)
    endpoint = Endpoint(config, AnswerCache(given.answers))
    print(try_model_on_sample(endpoint, given.count, given.tries, given.longest, given.concurrency))


if __name__ == "__main__":
    _main()
