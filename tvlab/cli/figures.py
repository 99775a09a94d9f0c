"""``tvlab figures``: every table and figure again, from saved numbers."""

from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.foundation.errors import UserError
from tvlab.foundation.profiles import get_profile


@app.command()
def figures(
    profile: Annotated[str, typer.Option("--profile", help="One scale; by default all that have results.")] = "",
    gallery: Annotated[
        Path | None, typer.Option(help="Folder for the executed notebooks as HTML pages, such as docs/gallery.")
    ] = None,
) -> None:
    """Make every table and figure again from the saved CSV tables, and the index of runs, without running anything.

    Example: tvlab figures --gallery docs/gallery
    """
    from tvlab.reporting.rebuild import profiles_with_results, rebuild
    from tvlab.reporting.run_index import write_index

    chosen = [get_profile(profile).name] if profile else profiles_with_results()
    if not chosen:
        raise UserError("no profile has saved tables: run `tvlab reproduce` first")
    for name in chosen:
        for what, outcome in rebuild(name).items():
            typer.echo(f"{what}: {outcome}")
    if gallery is not None:
        from tvlab.reporting.gallery import write_gallery

        for page in write_gallery(gallery, chosen):
            typer.echo(f"page: {page}")
    typer.echo(f"index: {write_index()}")
