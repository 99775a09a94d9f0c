"""What models make of a dataset: records in its folder, and in its card.

    out/models/NAME.json    one record a model (``model_passes.py``)

A record goes into the card as long as all items it is about are in the dataset unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tvlab.environments.opening import open_environment
from tvlab.foundation.answer_cache import AnswerCache
from tvlab.foundation.atomic_files import read_json, write_json, write_text
from tvlab.foundation.endpoint import Endpoint
from tvlab.foundation.errors import UserError
from tvlab.tasks.dataset import read_dataset
from tvlab.tasks.dataset_card import with_models
from tvlab.tasks.dataset_card_text import card_text
from tvlab.tasks.item import Item
from tvlab.tasks.model_passes import item_hash, measure_passes, spread
from tvlab.tasks.teaching import AskedModel


def try_model(
    out: str | Path,
    environments: Sequence[str | Path],
    asked: AskedModel,
    count: int,
    attempts: int = 4,
    longest: int = 6000,
    seed: int = 0,
    sandbox: str = "auto",
    progress: bool = True,
) -> dict[str, Any]:
    """Let a model try some items of a dataset, keep the record, and put it into the card.

    Args:
        out: folder of the dataset, whole.
        environments: folders of its environments.
        asked: the model.
        count: items, drawn evenly over environments.
        attempts: at each item.
        longest: characters of an observation that the model is shown.
        seed: of the draw.
        sandbox: where the environments' code runs.
        progress: show progress on standard error.

    Raises:
        UserError: the dataset is not whole, an environment is missing, or the endpoint does not answer.
    """
    out, folders = Path(out), {Path(folder).name: Path(folder) for folder in environments}
    items = [item for part in read_dataset(out).values() for item in part]
    chosen = spread(items, count, seed)
    missing = sorted({item.environment for item in chosen} - folders.keys())
    if missing:
        raise UserError(f"the environment {missing[0]!r} of the dataset is not among the folders: give it too")
    opened = {name: open_environment(folders[name], sandbox) for name in {item.environment for item in chosen}}
    cache = AnswerCache(asked.answers)
    try:
        endpoint = Endpoint(asked.config, cache)
        record = measure_passes(opened, chosen, endpoint, attempts, asked.concurrency, progress, longest)
    finally:
        cache.close()
    write_json(out / "models" / f"{re.sub('[^A-Za-z0-9.-]+', '-', asked.config.model)}.json", record)
    card = with_models(read_json(out / "card.json", "dataset card"), records_of(out, items))
    write_json(out / "card.json", card)
    write_text(out / "README.md", card_text(card))
    return record


def records_of(out: str | Path, items: Iterable[Item]) -> list[dict[str, Any]]:
    """Return the records in a dataset's folder that are about items it has."""
    paths = sorted((Path(out) / "models").glob("*.json"))
    return fitting([read_json(path, "record of a model") for path in paths], items)


def fitting(records: Iterable[dict[str, Any]], items: Iterable[Item]) -> list[dict[str, Any]]:
    """Return the records all of whose items are among these, unchanged."""
    hashes = {item_hash(item) for item in items}
    return [record for record in records if all(row["hash"] in hashes for row in record["items"])]
