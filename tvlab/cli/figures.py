"""``tvlab figures``: draw every figure again."""

import typer

from tvlab.cli.application import app
from tvlab.cli.options import ProfileOption
from tvlab.foundation.profiles import get_profile


@app.command()
def figures(profile: ProfileOption = "lab") -> None:
    """Draw every figure again from the saved tables, without running anything.

    Example: tvlab figures --profile lab
    """
    from tvlab.reporting.drawings import draw_all

    for name, outcome in draw_all(get_profile(profile).name).items():
        typer.echo(f"{name}: {outcome}")
