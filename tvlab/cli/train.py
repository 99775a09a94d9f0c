"""``tvlab train``: train a policy with an advantage estimator."""

from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import ProfileOption, SeedOption, WorkersOption
from tvlab.foundation.places import workspace
from tvlab.foundation.profiles import get_profile


@app.command()
def train(
    arm: Annotated[str, typer.Option(help="Advantage estimator, or package.module:function.")] = "tara",
    out: Annotated[Path | None, typer.Option(help="File for the policy.")] = None,
    lam: Annotated[float, typer.Option(help="Weight of the future part (lambda).")] = 0.5,
    gamma: Annotated[float, typer.Option(help="Discount between future turns.")] = 0.5,
    profile: ProfileOption = "lab",
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
) -> None:
    """Train the lab policy on the training environments of its seed; the others are held out.

    Example: tvlab train --arm grpo --profile smoke --seed 1
    """
    from tvlab.evaluation.lab_experiment import lab_config, train_split
    from tvlab.evaluation.suite import load_suite
    from tvlab.learning.policy_files import save_policy

    config = lab_config(get_profile(profile).name, arm, seed, lam=lam, gamma=gamma)
    trained, held_out = train_split(config, load_suite(profile, seed=0, workers=workers))
    for row in trained.rows[:: max(len(trained.rows) // 10, 1)]:
        typer.echo(f"update {row['update']:4d}: turn reward {row['turn_reward']:.3f}")
    path = save_policy(out or workspace(profile) / "policies" / f"{arm}-{seed}.npz", trained.policy, config, held_out)
    typer.echo(f"Policy in {path}; held out: {', '.join(held_out)}")
