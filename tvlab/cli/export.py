"""``tvlab export``: environments and items for other trainers."""

from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import SandboxOption
from tvlab.cli.paths import environment_folders, output_folder


@app.command()
def export(
    environments: Annotated[list[Path], typer.Argument(help="Folders of environments, or of a build.")],
    to: Annotated[str, typer.Option(help="trl, verifiers, openenv or nemo-gym.")],
    items: Annotated[Path, typer.Option(help="File of items that `tvlab tasks` wrote.")],
    out: Annotated[Path, typer.Option(callback=output_folder, help="Folder for the export.")],
    sandbox: SandboxOption = "auto",
) -> None:
    """Write environments and items in the form that another trainer loads.

    Example: tvlab export workspace/lab/environments/travel --to trl --items travel.jsonl --out travel_trl
    """
    from tvlab.environments.opening import open_environment
    from tvlab.tasks.export_forms import export as export_to
    from tvlab.tasks.gust import read_items

    opened = [open_environment(folder, sandbox) for folder in environment_folders(environments)]
    path = export_to(to, {environment.name: environment for environment in opened}, read_items(items), out)
    typer.echo(f"{path}: its first lines say how it is used" if path.suffix == ".py" else str(path))
