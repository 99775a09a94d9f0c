"""Options that several commands share."""

from typing import Annotated

import typer

ProfileOption = Annotated[str, typer.Option("--profile", help="Scale: smoke, lab, full.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of everything that is random.")]
WorkersOption = Annotated[int, typer.Option("--workers", min=1, help="Processes.")]
SandboxOption = Annotated[
    str,
    typer.Option(
        "--sandbox",
        help="Where an environment's code runs: auto (written here: in process; else strict), strict, weak, off.",
    ),
]
