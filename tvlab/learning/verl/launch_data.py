"""The items of a launch as verl's two parquet files: training and validation items share no environment.

A dataset's folder (`tvlab tasks --dataset`) brings its own split. A file of items is split here by environment, a tenth
of the environments (at least one) for validation; with one environment, every tenth item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.launch_settings import Launch
from tvlab.tasks.dataset import read_dataset, split_names
from tvlab.tasks.dataset_export import write_verl_parquet
from tvlab.tasks.gust import read_items
from tvlab.tasks.item import Item


@dataclass(frozen=True)
class LaunchItems:
    """Items by part."""

    train: Sequence[Item]
    validation: Sequence[Item]

    def __str__(self) -> str:
        parts = (("training", self.train), ("validation", self.validation))
        return ", ".join(f"{len(items)} {name} items of {len(_names(items))} environments" for name, items in parts)


def read_launch_items(path: Path, seed: int = 0) -> LaunchItems:
    """Items of a dataset's folder or of a file.

    Raises:
        UserError: no items, or too few to hold one out.
    """
    if path.is_dir():
        parts = read_dataset(path)
        return LaunchItems(parts["train"], parts["validation"])
    return split_items(read_items(path), seed)


def split_items(items: Sequence[Item], seed: int = 0) -> LaunchItems:
    """Split items by environment.

    Raises:
        UserError: fewer than two items.
    """
    if len(items) < 2:
        raise UserError(f"{len(items)} items are too few to train and to validate: give two or more")
    names = _names(items)
    if len(names) == 1:
        held = set(range(0, len(items), 10))
        return LaunchItems([x for at, x in enumerate(items) if at not in held], [items[at] for at in sorted(held)])
    shares = (0.9, 0.1, 0.0) if len(names) > 2 else (0.5, 0.5, 0.0)
    split = split_names(names, seed, shares)
    parts = [[item for item in items if item.environment in split[part]] for part in ("train", "validation")]
    return LaunchItems(*parts)


def write_launch_data(launch: Launch, items: LaunchItems) -> None:
    """Write the parquet files where the launch expects them."""
    write_verl_parquet({"train": items.train, "validation": items.validation}, launch.train_file.parent)


def _names(items: Sequence[Item]) -> list[str]:
    return sorted({item.environment for item in items})
