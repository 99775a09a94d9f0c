"""``tvlab reproduce``: run the notebooks headlessly."""

import sys
from dataclasses import replace
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import ProfileOption, RayOption, SeedOption
from tvlab.foundation.profiles import get_profile


@app.command()
def reproduce(
    profile: ProfileOption = "lab",
    seed: SeedOption = 0,
    only: Annotated[str, typer.Option(help="Notebooks by name or number, separated by commas.")] = "",
    param: Annotated[list[str] | None, typer.Option(help="NAME=VALUE for notebooks with that parameter.")] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE,VALUE: run the notebooks of --only once a combination, each in its own folder."),
    ] = None,
    parallel: Annotated[int, typer.Option(min=0, help="Cells of a grid at once; 0: one a core.")] = 0,
    ray: RayOption = "",
    memory_limit: Annotated[
        float | None, typer.Option(min=0.1, help="GiB a notebook may hold; by default 4 smoke, 6 lab, 12 full.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0.01, help="Minutes a notebook may run; by default 15 smoke, 45 lab, 600 full.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Say how long each notebook takes, and run nothing.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what is already done.")] = False,
) -> None:
    """Run the notebooks headlessly and end with a summary; what is done already is not run again.

    Example: tvlab reproduce --profile smoke --only 05,06 --param seed=1
    """
    from tvlab.reporting.grid import parse_grid
    from tvlab.reporting.limits import LIMITS
    from tvlab.reporting.notebook_runs import reproduce as run_notebooks
    from tvlab.reporting.notebooks import find_notebooks, parse_parameters, select_notebooks
    from tvlab.reporting.run_display import RunDisplay, console_for, plan_table, print_summary
    from tvlab.reporting.run_records import FAILED

    limits = LIMITS.get(profile)
    if limits is not None:
        limits = replace(limits, gib=memory_limit or limits.gib, minutes=time_limit or limits.minutes)
    console = console_for(sys.stdout)
    names = [name.strip() for name in only.split(",") if name.strip()]
    if plan:
        console.print(plan_table(select_notebooks(find_notebooks(), names), get_profile(profile).name))
        return
    records = run_notebooks(
        profile,
        RunDisplay(console),
        seed=seed,
        only=names,
        parameters=parse_parameters(param or []),
        grid=parse_grid(grid or []),
        parallel=parallel,
        limits=limits,
        fresh=fresh,
    )
    print_summary(records, profile, console)
    if any(record.status == FAILED for record in records):
        raise typer.Exit(1)
