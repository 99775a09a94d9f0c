"""The ready sample: about 300 items of the environments that come with the package, of all turn kinds.

It lies in the package, so that nobody must build first to look at items.  It is the dataset of ``SAMPLE`` on
the embedded descriptions; after a change of environments or tasks ``python -m tvlab.tasks.sample`` makes it
anew.
"""

from __future__ import annotations

import tempfile
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from tvlab.environments.build import build_environments
from tvlab.environments.build_totals import environment_names
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.foundation.atomic_files import write_jsonl
from tvlab.tasks.dataset import Settings, make_dataset, read_dataset
from tvlab.tasks.gust import read_items
from tvlab.tasks.item import Item
from tvlab.tasks.turn_kinds import MIXED_SHARES

SAMPLE = Settings(count=38, seed=0, shares=MIXED_SHARES, attempts=8)


def load_sample() -> list[Item]:
    """Return the items of the ready sample."""
    with resources.as_file(_place()) as path:
        return read_items(path)


def make_sample(workers: int = 1) -> list[Item]:
    """Build the embedded environments in a temporary folder and return the items of the sample."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        rows = build_environments(
            load_tool_lists("embedded"), place / "environments", 0, workers, progress=False
        )
        names = environment_names(rows)
        make_dataset([place / "environments" / name for name in names], place / "out", SAMPLE, workers)
        items = [item for part in read_dataset(place / "out").values() for item in part]
    return sorted(items, key=lambda item: item.id)


def write_sample(workers: int = 1) -> Path:
    """Make the sample anew in the package's folder."""
    return write_jsonl(Path(str(_place())), (item.to_json() for item in make_sample(workers)))


def _place() -> Traversable:
    return resources.files("tvlab") / "data" / "gust_sample.jsonl"


if __name__ == "__main__":
    print(write_sample())
