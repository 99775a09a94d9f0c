"""The application that the commands join, and how it ends.

Bad input gives one line on standard error (what, where, what to do) and exit code 2; a fault of ours gives
one line and the file that holds the traceback, and exit code 1.
"""

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tvlab.foundation.errors import UserError
from tvlab.foundation.places import home

app = typer.Typer(
    name="tvlab",
    help="MCP tool lists -> verified environments -> multi-turn tasks -> turn-level reinforcement learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def _every_command(
    debug: Annotated[bool, typer.Option("--debug", hidden=True, help="Show tracebacks.")] = False,
) -> None:
    if debug:
        os.environ["TVLAB_DEBUG"] = "1"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code: 0, 1 for our faults, 2 for the user's."""
    try:
        app(args=None if arguments is None else list(arguments), prog_name="tvlab")
    except UserError as error:
        if os.environ.get("TVLAB_DEBUG"):
            raise
        print(f"tvlab: {error}", file=sys.stderr)
        sys.exit(2)
    except Exception as error:
        if os.environ.get("TVLAB_DEBUG"):
            raise
        print(f"tvlab: {_one_line(error)}; traceback in {_write_traceback()}", file=sys.stderr)
        sys.exit(1)


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _write_traceback() -> Path:
    """Write the traceback of the exception at hand into the work folder, else into a temporary one."""
    name = f"error-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in (home() / "workspace" / "logs", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(traceback.format_exc(), encoding="utf-8")
        except OSError:
            continue
        return folder / name
    return Path("(nowhere: no folder can be written)")
