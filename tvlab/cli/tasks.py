"""``tvlab tasks``: multi-turn items (GUST) on environments."""

from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import ProfileOption, RayOption, SandboxOption, SeedOption, WorkersOption
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import workspace
from tvlab.foundation.profiles import get_profile


@app.command()
def tasks(
    environments: Annotated[list[Path], typer.Argument(help="Folders of environments.")],
    out: Annotated[Path | None, typer.Option(help="File for the items (JSON lines).")] = None,
    count: Annotated[int | None, typer.Option(min=1, help="Items an environment; by default the profile's.")] = None,
    dataset: Annotated[
        Path | None,
        typer.Option(help="Folder for a dataset instead: split by environment, with a card; goes on if stopped."),
    ] = None,
    workers: WorkersOption = 1,
    ray: RayOption = "",
    seed: SeedOption = 0,
    profile: ProfileOption = "lab",
    sandbox: SandboxOption = "auto",
) -> None:
    """Make multi-turn items (GUST) with golden calls on environments.

    Example: tvlab tasks workspace/lab/environments/travel --count 20 --out travel.jsonl
    """
    if dataset is not None:
        items_each = count or get_profile(profile).items_per_environment
        _make_dataset(environments, dataset, items_each, seed, workers, sandbox)
        return
    from tvlab.environments.opening import open_environment
    from tvlab.tasks.graph import build_graph, carries_tasks
    from tvlab.tasks.gust import build_items, write_items

    scale = get_profile(profile)
    items = []
    for environment in [open_environment(folder, sandbox) for folder in environments]:
        tools = build_graph(environment, seed=seed)
        if not carries_tasks(environment, tools):
            typer.echo(f"{environment.name}: carries no tasks")
            continue
        made = build_items(environment, tools, count or scale.items_per_environment, seed)
        turns = sum(len(item.turns) for item in made) / max(len(made), 1)
        typer.echo(f"{environment.name}: {len(made)} items, {turns:.1f} user turns an item")
        items += made
    if not items:
        raise UserError("no item could be made: give environments with two state-changing tools that feed each other")
    path = write_items(out or workspace(scale.name) / "tasks" / "items.jsonl", items)
    typer.echo(f"{len(items)} items in {path}")


def _make_dataset(environments: list[Path], out: Path, count: int, seed: int, workers: int, sandbox: str) -> None:
    from tvlab.tasks.dataset import Settings, make_dataset

    make_dataset(environments, out, Settings(count=count, seed=seed), workers, progress=True, sandbox=sandbox)
    typer.echo(f"Dataset in {out}: train.jsonl, validation.jsonl, test.jsonl, card.json")
