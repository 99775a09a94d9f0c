"""A run of verl's trainer small enough for a notebook: two steps of a tiny random model on a CPU, through the launcher.

The model can do nothing, so that the run shows the machinery and no learning: two of the package's environments, real
items (half of their turns want no call), the estimator, checkpoints, verl's own log. With a GPU there is no need of it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tvlab.environments.environment import Environment
from tvlab.foundation.errors import UserError
from tvlab.learning.verl.launch_data import LaunchItems
from tvlab.learning.verl.launch_settings import Launch
from tvlab.learning.verl.training_run import ROLLOUTS, is_recorded, run_training
from tvlab.learning.verl.verl_process import VerlPlace, process_variables
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items
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
    if is_recorded(out, 2):
        return launch
    launch.rows_file.unlink(missing_ok=True)
    (out / ROLLOUTS).unlink(missing_ok=True)
    shutil.rmtree(out / "checkpoints", ignore_errors=True)  # else a run that was stopped at its end has no rows
    items = [item for one in chosen for item in _items(one, seed)]
    if not (launch.model / "model.safetensors").is_file():
        _make_model(place, chosen, items, out)
    model = "tiny random model of two layers; shows the machinery, no learning"
    run_training(launch, LaunchItems(items, items[::4]), place, model, show=False, variables={"HF_HUB_OFFLINE": "1"})
    return launch


def _items(environment: Environment, seed: int) -> Sequence[Item]:
    return build_items(environment, build_graph(environment), 6, seed, shares={"irrelevant": 0.5})


def _make_model(place: VerlPlace, environments: Sequence[Environment], items: Sequence[Item], out: Path) -> None:
    texts = [json.dumps(one.tools) for one in environments] + [turn.user for item in items for turn in item.turns]
    (out / "texts.txt").write_text("\n".join(texts), encoding="utf-8")
    command = [str(place.python), "-m", "tvlab.learning.verl.own_model", str(out / "texts.txt"), str(out / "model")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=process_variables())
    if done.returncode:
        raise UserError(f"the tiny model could not be made: {done.stderr.strip().splitlines()[-1:]}")
