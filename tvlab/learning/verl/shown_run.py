"""The run of verl that notebook 12 shows: one that is there, a real one on GPUs, or two steps on this CPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tvlab.environments.environment import Environment
from tvlab.foundation.errors import UserError
from tvlab.learning.verl.launch_data import split_items
from tvlab.learning.verl.launch_settings import Launch, number
from tvlab.learning.verl.training_run import is_recorded, run_training
from tvlab.learning.verl.two_steps import two_step_launch
from tvlab.learning.verl.verl_process import VerlPlace, find_verl, need_gpu
from tvlab.tasks.sample import load_sample

REAL = ("gpu", "cluster")
"""Profiles that train a language model on GPUs."""


def run_or_reason(
    python: str,
    environments: Mapping[str, Environment],
    out: Path,
    estimator: str,
    seed: int = 0,
    run: str = "",
    profile: str = "cpu",
    model: str = "",
) -> tuple[Path | None, str]:
    """The folder of a run, and why it was not made here ("" if it was).

    Args:
        python: where verl is looked for.
        environments: by name; none means that nothing is to be run.
        out, estimator, seed: of the run.
        run: folder of a run that is there (`training_run`).
        profile, model: "gpu" or "cluster" and a model's folder make a real run, on the package's sample of items;
            otherwise the two steps are made.

    Raises:
        UserError: a real run that cannot begin, or failed.
    """
    if run:
        return Path(run), "a run that was made before"
    if not environments:
        return None, "not run here (profile smoke, or live=False): the record of an earlier run"
    if profile in REAL:
        launch = Launch(profile, Path(model).resolve(), out, [], estimator, seed=seed)
        return _real(find_verl(python), environments, launch)
    try:
        place = find_verl(python)
    except UserError as error:
        return None, f"not run here ({error}): the record of an earlier run"
    two_step_launch(place, environments, out, estimator, seed)
    return out, ""


def _real(place: VerlPlace, environments: Mapping[str, Environment], launch: Launch) -> tuple[Path, str]:
    if not (launch.model / "config.json").is_file():
        raise UserError(f"{launch.model} holds no model (config.json): name its folder (parameter model)")
    if is_recorded(launch.out, int(number(launch.settings(), "trainer.total_training_steps"))):
        return launch.out, ""
    need_gpu(place, int(number(launch.settings(), "trainer.n_gpus_per_node", 1)))
    items = [item for item in load_sample() if item.environment in environments]
    folders = [Path(str(environments[name].path)) for name in sorted({item.environment for item in items})]
    run_training(replace(launch, environments=folders), split_items(items, launch.seed), place)
    return launch.out, ""
