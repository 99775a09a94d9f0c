"""Options that several commands share."""

import os
from typing import Annotated

import typer

from tvlab.foundation.ray_cluster import VARIABLE


def _keep_address(address: str) -> str:
    """Put the address where the runner, and the notebooks that it starts, find it."""
    if address:
        os.environ[VARIABLE] = address
    return address


ProfileOption = Annotated[str, typer.Option("--profile", help="Scale: smoke, lab, full.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of everything that is random.")]
WorkersOption = Annotated[int, typer.Option("--workers", min=1, help="Processes.")]
RayOption = Annotated[
    str,
    typer.Option(
        "--ray",
        envvar=VARIABLE,
        callback=_keep_address,
        help="Address of a Ray cluster (HOST:PORT or auto) that jobs go to instead of processes here.",
    ),
]
SandboxOption = Annotated[
    str,
    typer.Option(
        "--sandbox",
        help="Where an environment's code runs: auto (written here: in process; else strict), strict, weak, off.",
    ),
]
