"""``tvlab corpus``: tool lists of real servers."""

from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app

corpus = typer.Typer(help="Collect the tool lists of real servers.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(corpus, name="corpus")


@corpus.command()
def pull(
    source: Annotated[
        str, typer.Argument(help="live, a checkout or archive of a collection, an mcp.json, or an http(s) address.")
    ],
    out: Annotated[Path, typer.Option(help="Dump to make or to extend (.jsonl).")],
    only: Annotated[list[str] | None, typer.Option("--only", help="A server's name; may be repeated.")] = None,
) -> None:
    """Add the tool lists of real servers to a dump, with provenance and licence; goes on where it was stopped.

    Example: tvlab corpus pull live --out workspace/live.jsonl
    """
    from tvlab.environments.corpus_sources import pull as pull_source

    typer.echo(str(pull_source(source, out, only)))
