"""A real MCP server as a process of its own: scratch folder, few environment variables, and nothing left behind.

This is no sandbox: a server can do what the user can, so only servers that the user chooses are started.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import anyio

from tvlab.environments.sources.server_installs import LiveServer, end_group, executables

_RUN_VARIABLE = "TVLAB_SERVER_RUN"
_LAUNCHER = 'echo $$ > "$0" && exec "$@"'


class StartError(Exception):
    """A server's own preparations failed, in one line."""


def process_environment(server: LiveServer, cache: Path, scratch: Path, work: Path) -> dict[str, str]:
    """Return the environment variables that the server gets: few, and homes of its own."""
    search = [] if server.ecosystem == "command" else [str(executables(server, cache))]
    home = scratch / "home"
    home.mkdir()
    return {
        "PATH": os.pathsep.join([*search, os.environ.get("PATH", os.defpath)]),
        "HOME": str(home),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        _RUN_VARIABLE: scratch.name,
        **{name: value.replace("WORKDIR", str(work)) for name, value in server.env.items()},
    }


def _placed(text: str, work: Path) -> Path:
    return Path(text.replace("WORKDIR", str(work)))


async def set_up(server: LiveServer, work: Path, environment: dict[str, str]) -> None:
    """Make the server's folders and run its preparations.

    Raises:
        StartError: there is no such program, or a preparation ended with an error.
    """
    program = server.command[0]
    if "/" not in program and shutil.which(program, path=environment["PATH"]) is None:
        raise StartError(f"there is no program {program!r} on PATH: install it, or give its full path")
    for folder in server.folders:
        _placed(folder, work).mkdir(parents=True, exist_ok=True)
    for command in server.setup:
        result = await anyio.run_process(["/usr/bin/env", *command], cwd=work, env=environment, check=False,
                                         start_new_session=True)  # fmt: skip
        if result.returncode != 0:
            words = result.stderr.decode(errors="replace").strip().splitlines() or [""]
            raise StartError(f"{' '.join(command)} ended with {result.returncode} ({words[-1][:160]})")


@asynccontextmanager
async def client_session(
    server: LiveServer, environment: dict[str, str], work: Path, errors: TextIO, noise: list[str]
) -> AsyncIterator[Any]:
    """Start the server and yield a client session that is not initialised; end all that the server started.

    Args:
        server: what to start.
        environment: from ``process_environment``.
        work: its working folder.
        errors: where its standard error goes.
        noise: gets what it wrote on its standard output that was no message.
    """
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def on_message(message: Any) -> None:
        if isinstance(message, Exception):
            noise.append(str(message)[:160])

    leader = work.parent / "leader"
    command = [word.replace("WORKDIR", str(work)) for word in server.command]
    parameters = StdioServerParameters(command="/bin/sh", args=["-c", _LAUNCHER, str(leader), *command],
                                       env=environment, cwd=server.folder or work,
                                       encoding_error_handler="replace")  # fmt: skip
    try:
        async with (
            stdio_client(parameters, errors) as (read, write),
            ClientSession(read, write, message_handler=on_message) as session,
        ):
            yield session
    finally:
        _end(leader, environment[_RUN_VARIABLE])


def _end(leader: Path, run: str) -> None:
    """End the server's process group, and on Linux whatever else carries the mark of its run."""
    with suppress(FileNotFoundError, ValueError):
        end_group(int(leader.read_text()))
    mark = f"{_RUN_VARIABLE}={run}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)


@contextmanager
def quiet_client() -> Iterator[None]:
    """Keep the client's log, which prints a traceback for each line that is no message, off the screen."""
    logger = logging.getLogger("mcp")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
