"""``tvlab graph``: which tool can feed which."""

from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import ProfileOption, SandboxOption, SeedOption
from tvlab.foundation.places import workspace
from tvlab.foundation.profiles import get_profile


@app.command()
def graph(
    environment: Annotated[Path, typer.Argument(help="Folder of an environment.")],
    out: Annotated[Path | None, typer.Option(help="File for the graph (node-link JSON).")] = None,
    seed: SeedOption = 0,
    profile: ProfileOption = "lab",
    sandbox: SandboxOption = "auto",
) -> None:
    """Find which tool can feed which, run every such pair, and write the graph of those that held.

    Example: tvlab graph workspace/lab/environments/travel
    """
    from tvlab.environments.opening import open_environment
    from tvlab.tasks.graph import build_graph, carries_tasks

    loaded = open_environment(environment, sandbox)
    tools = build_graph(loaded, seed=seed)
    path = tools.save(out or workspace(get_profile(profile).name) / "graphs" / f"{loaded.name}.json")
    data, order = (sum(1 for _ in tools.edges(kind)) for kind in ("data", "order"))
    tasks = "carries tasks" if carries_tasks(loaded, tools) else "carries no tasks"
    typer.echo(f"{loaded.name}: {len(loaded.tools)} tools, {data} data edges, {order} order edges; {tasks}")
    typer.echo(f"Graph in {path}")
