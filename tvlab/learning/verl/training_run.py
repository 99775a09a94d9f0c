"""One run of verl's trainer in a folder of its own, from items to what notebook 12 and `tvlab export-model` read.

    data/             the items as verl's parquet files          items.jsonl     the items
    checkpoints/      verl's                                     about.json      model, machine, versions, date
    rows.jsonl        verl's own log, one line a step            rollouts.jsonl  what the model wrote (`rollout_record`)
    log.txt           all that was printed
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from tvlab.foundation.atomic_files import write_json
from tvlab.learning.verl.launch_data import LaunchItems, write_launch_data
from tvlab.learning.verl.launch_settings import Launch, number
from tvlab.learning.verl.rollout_record import VARIABLE
from tvlab.learning.verl.trainer_folder import TrainerFolder
from tvlab.learning.verl.trainer_rows import kept_rows
from tvlab.learning.verl.verl_process import VerlPlace, run_verl
from tvlab.tasks.gust import write_items

ROLLOUTS = "rollouts.jsonl"


def run_training(
    launch: Launch,
    items: LaunchItems,
    place: VerlPlace,
    model: str = "",
    show: bool = True,
    variables: Mapping[str, str] | None = None,
) -> None:
    """Train to the end; in a folder that has checkpoints, from the last one.

    Args:
        launch: what is trained, where, and how.
        items: to train and to validate on.
        place: where verl is.
        model: what about.json says of the model; its folder's name if empty.
        show: print what verl prints.
        variables: of the trainer's environment.

    Raises:
        UserError: verl failed, or another run works in the folder.
    """
    settings = launch.settings()
    rollouts = number(settings, "data.train_batch_size") * number(settings, "actor_rollout_ref.rollout.n")
    about = {
        "hardware": place.accelerator,
        "verl": place.verl,
        "torch": place.torch,
        "profile": launch.profile,
        "estimator": launch.estimator,
        "date": time.strftime("%Y-%m-%d"),
        "rollouts": int(rollouts),
        "model": model or launch.model.name,
    }
    told = {"VERL_FILE_LOGGER_PATH": str(launch.rows_file), VARIABLE: str(launch.out / ROLLOUTS), **(variables or {})}
    with TrainerFolder(launch.out) as folder, kept_rows(launch.rows_file):
        write_launch_data(launch, items)
        played = {item.id: item for part in (items.train, items.validation) for item in part}
        write_items(launch.out / "items.jsonl", list(played.values()))
        write_json(launch.out / "about.json", about)
        run_verl(launch.command(place.python), launch.out / "log.txt", told, show, [folder.lock])


def is_recorded(folder: Path, steps: int = 1) -> bool:
    """True if a folder holds the record of a run of at least so many steps."""
    rows = folder / "rows.jsonl"
    return rows.is_file() and len(rows.read_text(encoding="utf-8").splitlines()) >= steps
