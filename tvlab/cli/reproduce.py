"""``tvlab reproduce``: run the notebooks headlessly."""

import sys
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import ProfileOption, SeedOption


@app.command()
def reproduce(
    profile: ProfileOption = "lab",
    seed: SeedOption = 0,
    only: Annotated[str, typer.Option(help="Notebooks by name or number, separated by commas.")] = "",
    param: Annotated[list[str] | None, typer.Option(help="NAME=VALUE for notebooks with that parameter.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what is already done.")] = False,
) -> None:
    """Run the notebooks headlessly and end with a summary; what is done already is not run again.

    Example: tvlab reproduce --profile smoke --only 05,06 --param seed=1
    """
    from tvlab.reporting.notebook_runs import reproduce as run_notebooks
    from tvlab.reporting.notebooks import parse_parameters
    from tvlab.reporting.run_display import RunDisplay, console_for, print_summary
    from tvlab.reporting.run_records import FAILED

    console = console_for(sys.stdout)
    records = run_notebooks(
        profile,
        RunDisplay(console),
        seed=seed,
        only=[name.strip() for name in only.split(",") if name.strip()],
        parameters=parse_parameters(param or []),
        fresh=fresh,
    )
    print_summary(records, profile, console)
    if any(record.status == FAILED for record in records):
        raise typer.Exit(1)
