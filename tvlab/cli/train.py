"""``tvlab train``: train a policy with an advantage estimator; with --profile gpu|cluster a language model, by verl."""

from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import SandboxOption, SeedOption, WorkersOption
from tvlab.cli.paths import output_file, output_folder
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import workspace
from tvlab.foundation.profiles import get_profile

MODEL = "A language model (--profile gpu or cluster)"


def _of_model(text: str, *names: str, **more):
    return typer.Option(*names, help=text, rich_help_panel=MODEL, **more)


@app.command(context_settings={"allow_interspersed_args": True})
def train(
    overrides: Annotated[
        list[str] | None, typer.Argument(help="Behind --: settings of verl, KEY=VALUE, as hydra takes them.")
    ] = None,
    arm: Annotated[
        str, typer.Option("--arm", "--estimator", help="Advantage estimator, or package.module:function.")
    ] = "tara",
    out: Annotated[
        Path | None,
        typer.Option(
            help="File for the lab policy (.npz), folder for a language model; by default under workspace/PROFILE."
        ),
    ] = None,
    lam: Annotated[float, typer.Option(help="Weight of the future part (lambda).")] = 0.5,
    gamma: Annotated[float, typer.Option(help="Discount between future turns.")] = 0.5,
    model: Annotated[Path | None, _of_model("Folder of the model (Hugging Face format).")] = None,
    items: Annotated[Path | None, _of_model("Items, or a dataset's folder; else the sample.")] = None,
    environments: Annotated[
        list[Path] | None, _of_model("Folder that holds the items' environments; may be given again.")
    ] = None,
    lora: Annotated[int, _of_model("Rank of LoRA adapters; 0 trains all weights.", min=0)] = 0,
    plan: Annotated[bool, _of_model("Print memory and token arithmetic, start nothing.", "--plan")] = False,
    gpu: Annotated[str, _of_model("Kind of GPU that --plan reckons with; else H100-80GB, cluster A100-80GB.")] = "",
    verl: Annotated[str, _of_model("A Python that has verl; else this one, or .venv-verl/bin/python.")] = "",
    profile: Annotated[str, typer.Option("--profile", help="Scale: smoke, lab, full; gpu, cluster.")] = "lab",
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    sandbox: SandboxOption = "auto",
) -> None:
    """Train the lab policy on the training environments of its seed, or a language model with verl.

    Example: tvlab train --arm grpo --profile smoke --seed 1

    Example: tvlab train --profile gpu --model Qwen3-4B --lora 32 --plan

    Example: tvlab train --profile cluster --model Qwen3-8B --items data/mine --environments workspace/mine --
    trainer.nnodes=4
    """
    scale = get_profile(profile)
    if scale.local:
        named = {
            "--model": model,
            "--items": items,
            "--environments": environments,
            "--lora": lora,
            "--plan": plan,
            "--gpu": gpu,
            "--verl": verl,
            "settings of verl": overrides,
        }
        if extra := [name for name, value in named.items() if value]:
            raise UserError(f"{extra[0]} belongs to a language model: give --profile gpu or --profile cluster")
        _train_lab(scale.name, arm, output_file(out), lam, gamma, seed, workers)
        return
    from tvlab.cli.train_model import train_model

    train_model(
        scale.name,
        model,
        items,
        environments or [],
        output_folder(out),
        arm,
        lam,
        gamma,
        lora,
        plan,
        gpu,
        verl,
        seed,
        workers,
        sandbox,
        overrides or [],
    )


def _train_lab(profile: str, arm: str, out: Path | None, lam: float, gamma: float, seed: int, workers: int) -> None:
    from tvlab.evaluation.lab_experiment import lab_config, train_split
    from tvlab.evaluation.suite import load_suite
    from tvlab.learning.policy_files import save_policy

    config = lab_config(profile, arm, seed, lam=lam, gamma=gamma)
    trained, held_out = train_split(config, load_suite(profile, seed=0, workers=workers))
    for row in trained.rows[:: max(len(trained.rows) // 10, 1)]:
        typer.echo(f"update {row['update']:4d}: turn reward {row['turn_reward']:.3f}")
    path = save_policy(out or workspace(profile) / "policies" / f"{arm}-{seed}.npz", trained.policy, config, held_out)
    typer.echo(f"Policy in {path}; held out: {', '.join(held_out)}")
