"""A run of verl's trainer small enough for a notebook: two steps of a tiny random model on a CPU, through the launcher.

The model can do nothing, so that the run shows the machinery and no learning: two of the package's environments, real
items (half of their turns want no call), the estimator, checkpoints, verl's own log. With a GPU there is no need of it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tvlab.environments.environment import Environment
from tvlab.foundation.atomic_files import write_json
from tvlab.foundation.errors import UserError
from tvlab.learning.verl.launch_data import LaunchItems, write_launch_data
from tvlab.learning.verl.launch_settings import Launch, number
from tvlab.learning.verl.rollout_record import VARIABLE
from tvlab.learning.verl.trainer_folder import TrainerFolder
from tvlab.learning.verl.verl_process import VerlPlace, find_verl, process_variables, run_verl
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items, write_items
from tvlab.tasks.item import Item


def two_step_launch(
    place: VerlPlace, environments: Mapping[str, Environment], out: Path, estimator: str = "tara", seed: int = 0
) -> Launch:
    """Run the two steps, unless they are there; afterwards `out` holds rows.jsonl, rollouts.jsonl and checkpoints.

    Args:
        place: where verl is.
        environments: by name; the two with the fewest words are taken.
        out: folder of everything.
        estimator: of ours.
        seed: of items and weights.
    """
    out.mkdir(parents=True, exist_ok=True)
    chosen = sorted(environments.values(), key=lambda one: len(json.dumps(one.tools)))[:2]
    launch = Launch("cpu", out / "model", out, [Path(str(one.path)) for one in chosen], estimator, seed=seed)
    if launch.rows_file.is_file() and len(launch.rows_file.read_text().splitlines()) >= 2:
        return launch
    with TrainerFolder(out) as folder:
        launch.rows_file.unlink(missing_ok=True)
        (out / "rollouts.jsonl").unlink(missing_ok=True)
        shutil.rmtree(out / "checkpoints", ignore_errors=True)  # else a run that was stopped at its end has no rows
        items = [item for one in chosen for item in _items(one, seed)]
        write_items(out / "items.jsonl", items)
        write_launch_data(launch, LaunchItems(items, items[::4]))
        if not (launch.model / "model.safetensors").is_file():
            _make_model(place, chosen, items, out)
        rows = {
            "VERL_FILE_LOGGER_PATH": str(launch.rows_file),
            VARIABLE: str(out / "rollouts.jsonl"),
            "HF_HUB_OFFLINE": "1",
        }
        run_verl(launch.command(place.python), out / "log.txt", rows, show=False, held=[folder.lock])
    return launch


def two_steps_or_reason(
    python: str, environments: Mapping[str, Environment], out: Path, estimator: str, seed: int = 0, run: str = ""
) -> tuple[Path | None, str]:
    """The folder of a run, and why it was not made here ("" if it was).

    Args:
        python: where verl is looked for.
        environments: by name; none means that nothing is to be run.
        out, estimator, seed: of the two steps.
        run: folder of a run that is there; it needs an about.json (hardware, model, rollouts, date).
    """
    if run:
        return Path(run), "a run that was made before"
    if not environments:
        return None, "not run here (profile smoke, or live=False): the record of an earlier run"
    try:
        place = find_verl(python)
    except UserError as error:
        return None, f"not run here ({error}): the record of an earlier run"
    launch = two_step_launch(place, environments, out, estimator, seed)
    if not (out / "about.json").is_file():
        settings = launch.settings()
        write_json(
            out / "about.json",
            {
                "hardware": place.accelerator,
                "verl": place.verl,
                "torch": place.torch,
                "profile": "cpu",
                "estimator": estimator,
                "date": time.strftime("%Y-%m-%d"),
                "rollouts": int(
                    number(settings, "data.train_batch_size") * number(settings, "actor_rollout_ref.rollout.n")
                ),
                "model": "tiny random model of two layers; shows the machinery, no learning",
            },
        )
    return out, ""


def _items(environment: Environment, seed: int) -> Sequence[Item]:
    return build_items(environment, build_graph(environment), 6, seed, shares={"irrelevant": 0.5})


def _make_model(place: VerlPlace, environments: Sequence[Environment], items: Sequence[Item], out: Path) -> None:
    texts = [json.dumps(one.tools) for one in environments] + [turn.user for item in items for turn in item.turns]
    (out / "texts.txt").write_text("\n".join(texts), encoding="utf-8")
    command = [str(place.python), "-m", "tvlab.learning.verl.own_model", str(out / "texts.txt"), str(out / "model")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=process_variables())
    if done.returncode:
        raise UserError(f"the tiny model could not be made: {done.stderr.strip().splitlines()[-1:]}")
