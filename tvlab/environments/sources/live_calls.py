"""Calls to a real MCP server, one after another, in a process and a scratch folder of its own."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from tvlab.environments.sources.live import run_async
from tvlab.environments.sources.live_process import (
    StartError,
    client_session,
    process_environment,
    quiet_client,
    set_up,
)
from tvlab.environments.sources.server_installs import INSTALL_SECONDS, LiveServer, cache_folder, install
from tvlab.foundation.errors import UserError

CALL_SECONDS = 30.0


@dataclass(frozen=True)
class LiveAnswer:
    """What a server answered to one call.

    Attributes:
        ok: False if the server said that it is an error (``isError``) or answered with a protocol error.
        value: the structured content, else the text read as JSON, else the text.
        text: all text of the answer.
    """

    ok: bool
    value: Any
    text: str


Caller = Callable[[str, dict[str, Any]], Awaitable[LiveAnswer]]


def with_live_server(
    server: LiveServer,
    script: Callable[[Caller, Path], Awaitable[None]],
    cache: str | Path | None = None,
    seconds: float = 300.0,
) -> None:
    """Install and start a server, let a script call its tools, and end it.

    Args:
        server: from ``choose_servers``.
        script: gets a function ``await call(tool, arguments)`` and the server's working folder.
        cache: where servers are installed; see ``cache_folder``.
        seconds: time limit of the whole script.

    Raises:
        UserError: the server cannot be installed or started, or the time is up.
    """
    where = Path(cache or cache_folder())
    install(server, where, INSTALL_SECONDS)
    with tempfile.TemporaryDirectory(prefix="tvlab-server-", ignore_cleanup_errors=True) as scratch:
        run_async(lambda: _run(server, script, where, Path(scratch).resolve(), seconds))


async def _run(
    server: LiveServer,
    script: Callable[[Caller, Path], Awaitable[None]],
    cache: Path,
    scratch: Path,
    seconds: float,
) -> None:
    work = scratch / "work"
    work.mkdir()
    environment = process_environment(server, cache, scratch, work)
    noise: list[str] = []
    try:
        with (scratch / "stderr").open("w") as errors, quiet_client(), anyio.fail_after(seconds):
            await set_up(server, work, environment)
            async with client_session(server, environment, work, errors, noise) as session:
                await session.initialize()

                async def call(tool: str, arguments: dict[str, Any]) -> LiveAnswer:
                    return await _answer(session, tool, arguments)

                await script(call, work)
    except TimeoutError:
        raise UserError(f"live server {server.name}: not done within {seconds:g} s") from None
    except (StartError, OSError) as error:
        raise UserError(f"live server {server.name} cannot be started: {error}") from None


async def _answer(session: Any, tool: str, arguments: dict[str, Any]) -> LiveAnswer:
    from mcp.shared.exceptions import MCPError

    try:
        with anyio.fail_after(CALL_SECONDS):
            result = await session.call_tool(tool, arguments)
    except MCPError as error:
        return LiveAnswer(False, str(error), str(error))
    text = "\n".join(block.text for block in result.content if getattr(block, "text", None))
    return LiveAnswer(not result.is_error, _value(result.structured_content, text), text)


def _value(structured: Any, text: str) -> Any:
    """The answer as JSON where it is JSON; a lone ``result`` is a wrapper of the server's framework."""
    value = structured
    if isinstance(value, dict) and set(value) == {"result"}:
        value = value["result"]
    if value is None:
        value = text
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
