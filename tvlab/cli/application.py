"""The application that the commands join, and how it ends.

Bad input, options included, gives one line on standard error (what, where, what to do) and exit code 2; so does a
disk or a folder that does not take what is written. A fault of ours gives one line and the file that holds the
traceback, and exit code 1. Ctrl-C gives a line and exit code 130.
"""

import errno
import os
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

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


#: faults of files that the user can mend; a missing file is none of them, since it may be one of ours
_MENDABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG)
_INTERRUPTED = 130
_FULL = (errno.ENOSPC, errno.EDQUOT)
#: the file that ``atomic_files`` writes first, beside the one that is meant
_NEIGHBOUR = re.compile(r"\.(?P<name>.+)\.\d+\.tmp")


@app.callback()
def _every_command(
    debug: Annotated[bool, typer.Option("--debug", hidden=True, help="Show tracebacks.")] = False,
) -> None:
    if debug:
        os.environ["TVLAB_DEBUG"] = "1"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code: 0, 1 for our faults, 2 for the user's."""
    try:
        code = app(args=None if arguments is None else list(arguments), prog_name="tvlab", standalone_mode=False)
    except Exception as error:
        if hasattr(error, "format_message") and hasattr(error, "show"):  # of the parser, whose classes are private
            _end_usage(error)
        if os.environ.get("TVLAB_DEBUG"):
            raise
        if (line := _users_fault(error)) is not None:
            print(f"tvlab: {line}", file=sys.stderr)
            sys.exit(2)
        print(f"tvlab: {_one_line(error)}; traceback in {_write_traceback()}", file=sys.stderr)
        sys.exit(1)
    if code == _INTERRUPTED:
        print("Stopped: what is done is kept, and the same command goes on.", file=sys.stderr)
    sys.exit(code if isinstance(code, int) else 0)


def _end_usage(error: Any) -> NoReturn:
    """End for options that cannot be read: in one line, or with the help where nothing was given."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
    else:
        command = error.ctx.command_path if getattr(error, "ctx", None) is not None else "tvlab"
        text = " ".join(error.format_message().split()).removesuffix(".")
        print(f"tvlab: {text}; `{command} --help` lists the options", file=sys.stderr)
    sys.exit(error.exit_code)


def _users_fault(error: BaseException) -> str | None:
    """Return the line of a fault that the user can mend, None for one of ours."""
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, OSError) and error.errno in _FULL:
        return f"the disk is full ({error.strerror}): free some space and start again; what was made before stays"
    if isinstance(error, OSError) and error.filename is not None:
        path = Path(os.fsdecode(error.filename2 or error.filename))
        neighbour = _NEIGHBOUR.fullmatch(path.name)
        if error.errno not in _MENDABLE and not (neighbour and error.errno == errno.ENOENT):
            return None
        path = path.with_name(neighbour["name"]) if neighbour else path
        return f"{path} cannot be used ({error.strerror}): give another path, or change what is there"
    return None


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
