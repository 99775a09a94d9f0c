"""``tvlab corpus``: tool lists of real servers."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.paths import output_file
from tvlab.foundation.errors import UserError

corpus = typer.Typer(help="Collect the tool lists of real servers.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(corpus, name="corpus")


@corpus.command()
def pull(
    source: Annotated[
        str, typer.Argument(help="live, a checkout or archive of a collection, an mcp.json, or an http(s) address.")
    ],
    out: Annotated[Path, typer.Option(callback=output_file, help="Dump to make or to extend (.jsonl).")],
    only: Annotated[
        list[str] | None, typer.Option("--only", help="A server's name; may be repeated; by default all.")
    ] = None,
) -> None:
    """Add the tool lists of real servers to a dump, with provenance and licence; goes on where it was stopped.

    Example: tvlab corpus pull live --out workspace/live.jsonl
    """
    from tvlab.environments.sources.corpus_sources import pull as pull_source

    told = _Told()
    try:
        pulled = pull_source(source, out, only, report=told)
    except UserError as error:
        told.end(str(error))
        raise
    told.end()
    typer.echo(str(pulled))


class _Told:
    """Lines of a pull on standard error; a failure waits for the next line, since the end may be it in other words."""

    def __init__(self) -> None:
        self._waiting = ""

    def __call__(self, line: str) -> None:
        self.end()
        if " failed " in line:
            self._waiting = line
        else:
            print(line, file=sys.stderr, flush=True)

    def end(self, last: str = "") -> None:
        """Say what waits, unless ``last`` says it."""
        if self._waiting and self._waiting not in last:
            print(self._waiting, file=sys.stderr, flush=True)
        self._waiting = ""
