"""Tool lists of real MCP servers, asked over stdio with the official client.

Each server runs in an environment of its own (``server_installs.py``), in a scratch folder that is deleted
after, with few environment variables, under a time limit. One that dies, never answers or writes something
else than MCP gives one line that names it and loses nothing of the others. Whatever a server started is ended
with it. This is no sandbox: a server can do what the user can, so only servers that the user chooses are
started.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from tvlab.environments.sources.live_process import (
    StartError,
    client_session,
    process_environment,
    quiet_client,
    set_up,
)
from tvlab.environments.sources.server_installs import (
    INSTALL_SECONDS,
    InstallError,
    LiveServer,
    cache_folder,
    choose_servers,
    install,
    is_installed,
)
from tvlab.environments.sources.tool_pages import listing_of
from tvlab.environments.tool_lists import ToolList
from tvlab.foundation.errors import UserError

LIST_SECONDS = 60.0


@dataclass(frozen=True)
class LiveFailure:
    """A server without an answer: at which stage (``install``, ``start``, ``list``) and why, in one line."""

    server: str
    stage: str
    reason: str

    def __str__(self) -> str:
        return f"live server {self.server} failed at {self.stage}: {self.reason}"


@dataclass(frozen=True)
class LiveAnswers:
    """What the servers answered: tool lists in the order asked, and the failures."""

    tool_lists: list[ToolList]
    failures: list[LiveFailure]


class _ListingError(Exception):
    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(reason)
        self.stage = stage


def live_tool_lists(names: list[str] | None = None, cache: str | Path | None = None,
                    seconds: float = LIST_SECONDS,
                    report: Callable[[str], None] | None = None) -> LiveAnswers:  # fmt: skip
    """Install (once), start and ask the servers called ``names``, or all known ones.

    Args:
        names: names in ``tvlab/data/live_servers.json``.
        cache: where servers are installed; see ``cache_folder``.
        seconds: time limit of starting and asking one server; installing has its own.
        report: called with one line a server; None writes them to standard error.

    Raises:
        UserError: a name is unknown, or no server at all answered.
    """
    servers = choose_servers(names)
    missing = [server for server in servers if not is_installed(server, Path(cache or cache_folder()))]
    if missing:
        say = report or _to_standard_error
        say(f"installing {len(missing)} MCP servers into {cache or cache_folder()}, "
            f"about {sum(server.megabytes for server in missing)} MB on disk")  # fmt: skip
    answers = ask_servers(servers, cache, seconds, report)
    if not answers.tool_lists:
        first = answers.failures[0] if answers.failures else "none was asked"
        raise UserError(f"none of {len(answers.failures)} live servers answered; {first}. "
                        "Check the network, or use --from embedded")  # fmt: skip
    return answers


def ask_servers(servers: list[LiveServer], cache: str | Path | None = None, seconds: float = LIST_SECONDS,
                report: Callable[[str], None] | None = None, at_once: int = 2) -> LiveAnswers:  # fmt: skip
    """Ask the given servers, ``at_once`` of them at a time; nothing is raised for a server that fails."""
    say = report or _to_standard_error
    results: list[ToolList | LiveFailure | None] = [None] * len(servers)

    async def ask_all() -> None:
        limiter = anyio.CapacityLimiter(at_once)

        async def ask_one(at: int) -> None:
            async with limiter:
                results[at] = await _ask(servers[at], Path(cache or cache_folder()), seconds)
            say(_line(results[at]))

        async with anyio.create_task_group() as group:
            for at in range(len(servers)):
                group.start_soon(ask_one, at)

    run_async(ask_all)
    return LiveAnswers(
        tool_lists=[result for result in results if isinstance(result, ToolList)],
        failures=[result for result in results if isinstance(result, LiveFailure)],
    )


def _to_standard_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _line(result: ToolList | LiveFailure | None) -> str:
    return (
        f"live server {result.server}: {len(result.tools)} tools"
        if isinstance(result, ToolList)
        else str(result)
    )


async def _ask(server: LiveServer, cache: Path, seconds: float) -> ToolList | LiveFailure:
    try:
        await anyio.to_thread.run_sync(install, server, cache, INSTALL_SECONDS)
    except (InstallError, OSError) as error:
        return LiveFailure(server.name, "install", " ".join(str(error).split()))
    with tempfile.TemporaryDirectory(prefix="tvlab-server-", ignore_cleanup_errors=True) as scratch:
        try:
            return await _listed(server, cache, Path(scratch).resolve(), seconds)
        except _ListingError as error:
            return LiveFailure(server.name, error.stage, str(error))


async def _listed(server: LiveServer, cache: Path, scratch: Path, seconds: float) -> ToolList:
    """The server's tools; a failure tells what the server last wrote to its standard error.

    Raises:
        _ListingError: it did not start, did not answer in time, or answered something else.
    """
    work, log = scratch / "work", scratch / "stderr"
    work.mkdir()
    environment = process_environment(server, cache, scratch, work)
    stage = "start"
    noise: list[str] = []
    try:
        with log.open("w") as errors, quiet_client(), anyio.fail_after(seconds):
            await set_up(server, work, environment)
            tools, version = await _tools(server, environment, work, errors, noise)
    except TimeoutError:
        reason = f"no answer to tools/list within {seconds:g} s"
        stage = "list"
    except _ListingError as error:
        stage, reason = error.stage, str(error)
    except StartError as error:
        reason = str(error)
    except OSError as error:
        reason = f"the command {server.command[0]!r} cannot be run ({error.strerror})"
    else:
        tools = json.loads(json.dumps(tools).replace(json.dumps(str(work))[1:-1], "/work"))
        return ToolList(
            server.name, server.name, server.description, {**server.source, "protocolVersion": version}, tools
        )
    raise _ListingError(stage, f"{reason}{_said(log, noise)}; leave it out or try again")


def _said(log: Path, noise: list[str]) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    text = f"; it wrote {lines[-1][:160]!r}" if lines else ""
    return f"{text}; {len(noise)} lines on its stdout were no MCP messages" if noise else text


async def _tools(server: LiveServer, environment: dict[str, str], work: Path, errors: Any,
                 noise: list[str]) -> tuple[list[Any], str]:  # fmt: skip
    """The raw tools of all pages, and the protocol version."""
    async with client_session(server, environment, work, errors, noise) as session:

        async def start() -> str:
            return str((await session.initialize()).protocol_version)

        listing = await listing_of(session, start)
    if listing.fault:
        raise _ListingError(listing.stage, listing.fault)
    return listing.tools, listing.version


def run_async(function: Callable[[], Any]) -> None:
    """Run an async function, in a thread of its own where an event loop runs already (as in a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        anyio.run(function)
        return
    faults: list[BaseException] = []

    def target() -> None:
        try:
            anyio.run(function)
        except BaseException as fault:
            faults.append(fault)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    if faults:
        raise faults[0]
