"""The part of ``tvlab train`` that launches verl: items to parquet, the plan, the check of the machine, the run."""

import inspect
from collections.abc import Sequence
from pathlib import Path

import typer

from tvlab.foundation.errors import UserError
from tvlab.foundation.places import workspace


def train_model(  # the options of one command
    profile: str,
    model: Path | None,
    items: Path | None,
    environments: Sequence[Path],
    out: Path | None,
    estimator: str,
    lam: float,
    gamma: float,
    lora: int,
    plan: bool,
    gpu: str,
    verl: str,
    seed: int,
    workers: int,
    sandbox: str,
    overrides: Sequence[str],
) -> None:
    """Train a language model, or print what it would take; the arguments are those of ``tvlab train``."""
    from tvlab.learning.verl.launch_settings import Launch

    if model is None:
        raise UserError(f"--profile {profile} trains a language model: give its folder with --model")
    taken = _takes(estimator)
    folder = out or workspace(profile) / "verl" / f"{model.resolve().name}-{estimator.rpartition(':')[2]}-{seed}"
    launch = Launch(
        profile,
        model.resolve(),
        folder.resolve(),
        [path.resolve() for path in environments],
        estimator,
        lam if "lam" in taken else None,
        gamma if "gamma" in taken else None,
        lora,
        seed,
        [f"++tvlab.sandbox={sandbox}", *overrides],
    )
    launch.settings()  # overrides are wrong at once or not at all
    if plan:
        _show_plan(launch, items, gpu or ("A100-80GB" if profile == "cluster" else "H100-80GB"), seed)
        return
    _start(launch, items, verl, workers)


def _show_plan(launch, items: Path | None, gpu: str, seed: int) -> None:
    from tvlab.learning.verl.launch_data import read_launch_items
    from tvlab.learning.verl.launch_plan import plan_launch
    from tvlab.learning.verl.model_shape import ModelShape

    shape = ModelShape.of(launch.model)
    count = len(read_launch_items(items, seed).train) if items else 0
    found = plan_launch(shape, launch.settings(), gpu, count)
    typer.echo(
        f"{launch.profile}, {gpu}, {launch.model.name}, estimator {launch.estimator}; ~ marks an estimate that no run "
        "on a GPU has confirmed"
    )
    section = ""
    for line in found.lines:
        if line.section != section:
            section = line.section
            typer.echo(f"{section}")
        shown = f"{line.value:,.0f}" if float(line.value).is_integer() or line.value >= 100 else f"{line.value:,.2f}"
        mark = "~" if line.estimate else " "
        typer.echo(f"  {line.quantity:<40}{mark}{shown:>10} {line.unit:<5} {line.how}")
    for warning in found.warnings:
        typer.echo(f"warning: {warning}")
    typer.echo("Started would be:")
    typer.echo("  python -m tvlab.learning.verl.main_ppo " + " ".join(launch.words()))


def _start(launch, items: Path | None, verl: str, workers: int) -> None:
    from dataclasses import replace

    from tvlab.learning.verl.launch_data import read_launch_items, split_items
    from tvlab.learning.verl.launch_settings import number
    from tvlab.learning.verl.training_run import run_training
    from tvlab.learning.verl.verl_process import find_verl, need_gpu

    if not (launch.model / "config.json").is_file():
        raise UserError(f"{launch.model} holds no model (config.json): give the folder of one with --model")
    place = find_verl(verl)
    need_gpu(place, int(number(launch.settings(), "trainer.n_gpus_per_node", 1)))
    if items is not None and not launch.environments:
        raise UserError("--items without --environments: name the folder of the environments that they were made on")
    if items is None:
        from tvlab.evaluation.suite import load_environments
        from tvlab.tasks.sample import load_sample

        load_environments(launch.profile, 0, "embedded", workers)
        launch = replace(launch, environments=[workspace(launch.profile) / "environments"])
        chosen = split_items(load_sample(), launch.seed)
    else:
        chosen = read_launch_items(items, launch.seed)
    typer.echo(f"{chosen}; verl {place.verl} on {place.accelerator}; rows in {launch.rows_file}")
    run_training(launch, chosen, place)
    typer.echo(f"Checkpoints in {launch.out / 'checkpoints'}; `tvlab export-model` makes a Hugging Face folder of one")


def _takes(estimator: str) -> set[str]:
    if estimator.startswith("verl:"):
        return set()
    from tvlab.learning.advantages import advantage

    return set(inspect.signature(advantage(estimator)).parameters)
