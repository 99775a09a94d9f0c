"""``tvlab doctor``: what the sandbox can use on this machine."""

import typer

from tvlab.cli.application import app


@app.command()
def doctor() -> None:
    """Say which layers of the sandbox for foreign code this machine has, each tried just now.

    Example: tvlab doctor
    """
    from tvlab.environments.sandbox.doctor import doctor as try_layers
    from tvlab.environments.sandbox.doctor import doctor_text

    typer.echo(doctor_text(try_layers()))
