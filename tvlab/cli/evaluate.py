"""``tvlab evaluate``: scores on held-out items."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import ProfileOption, SeedOption, WorkersOption
from tvlab.foundation.profiles import get_profile


@app.command()
def evaluate(
    policy: Annotated[Path, typer.Argument(help="File that `tvlab train` wrote.")],
    profile: ProfileOption = "lab",
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
) -> None:
    """Play a trained policy on the environments that it was not trained on.

    Example: tvlab evaluate workspace/smoke/policies/tara-0.npz --profile smoke
    """
    from tvlab.evaluation.lab_experiment import evaluate_held_out
    from tvlab.evaluation.suite import load_suite
    from tvlab.learning.policy_files import load_policy
    from tvlab.reporting.run_display import console_for, frame_table

    loaded, config, held_out = load_policy(policy)
    scale = get_profile(profile)
    suite = load_suite(scale.name, seed=0, workers=workers)
    size = (scale.evaluation_items, scale.evaluation_rollouts)
    rows = evaluate_held_out(loaded, config, suite, held_out, *size, seed)
    means = rows.groupby("environment")[["turn_reward", "outcome", "all_turns"]].mean().reset_index()
    title = f"{config.arm}, profile {profile}, {len(rows)} rollouts"
    console_for(sys.stdout).print(frame_table(means, title))
