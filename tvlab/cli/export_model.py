"""``tvlab export-model``: a checkpoint of verl as a Hugging Face folder, ready for vLLM."""

from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app


@app.command("export-model")
def export_model(
    checkpoint: Annotated[Path, typer.Argument(help="OUT of `tvlab train --profile gpu`, or one global_step_N of it.")],
    out: Annotated[Path, typer.Option(help="Folder to write; must not exist.")],
    name: Annotated[str, typer.Option(help="Name of the model where it is served.")] = "tuned",
    verl: Annotated[str, typer.Option(help="A Python that has verl; else this one, or .venv-verl/bin/python.")] = "",
) -> None:
    """Turn a checkpoint into a Hugging Face folder, and say how to serve and to evaluate it.

    Example: tvlab export-model workspace/gpu/verl/Qwen3-4B-tara-0 --out qwen3-4b-tara
    """
    from tvlab.learning.verl import checkpoints

    folder = checkpoints.export_model(checkpoint, out.resolve(), verl)
    typer.echo(f"Model in {folder}. Next:")
    typer.echo("  " + " ".join(checkpoints.serve_command(folder, name)))
    typer.echo(f"  tvlab evaluate --base-url http://localhost:8000/v1 --model {name} --bench gust")
