"""Tool lists of MCP servers that run elsewhere, asked over streamable HTTP with the official client.

The client negotiates the protocol revision and keeps to the address's origin when redirected.  What
identifies the user (userinfo and query of the address, headers) is sent and never kept: provenance holds the
bare address.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import anyio

from tvlab.environments.sources.live import LiveFailure, run_async
from tvlab.environments.sources.live_process import quiet_client
from tvlab.environments.sources.tool_pages import Listing, listing_of
from tvlab.environments.tool_lists import ToolList
from tvlab.foundation.errors import UserError

HTTP_SECONDS = 60.0


@dataclass(frozen=True)
class HttpServer:
    """An MCP server at an address.

    Attributes:
        name: its name here; "" takes the one that it gives itself.
        url: its address.
        headers: sent with every request, for example an authorization.
    """

    name: str
    url: str
    headers: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
        except ValueError:
            sound = None
        if not sound or self.url != self.url.strip() or " " in self.url:
            raise UserError(
                f"{bare_address(self.url)!r} is no address of a server: give http://host:port/path"
            )


def bare_address(url: str) -> str:
    """Return an address without what may be secret in it.

    >>> bare_address("https://me:secret@host:8000/mcp?api_key=1#x")
    'https://host:8000/mcp'
    """
    try:
        parts = urlsplit(url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    except ValueError:
        return url.partition("?")[0].rpartition("@")[2]


def ask_http_server(server: HttpServer, seconds: float = HTTP_SECONDS) -> ToolList | LiveFailure:
    """Return what a server lists, or why it gave no answer within ``seconds``; its faults raise nothing."""
    label = server.name or bare_address(server.url)
    found: list[tuple[Listing, str, str]] = []

    async def ask() -> None:
        with anyio.fail_after(seconds), quiet_client():
            found.append(await _ask(server, seconds))

    try:
        run_async(ask)
    except TimeoutError:
        return LiveFailure(
            label, "list", f"no answer to tools/list within {seconds:g} s: is it an MCP server?"
        )
    except Exception as error:  # the client wraps what went wrong on the way in groups of exceptions
        return LiveFailure(
            label, "start", f"no MCP answer ({_innermost(error, server.url)}): check the address"
        )
    listing, name, title = found[0]
    if listing.fault:
        return LiveFailure(label, listing.stage, listing.fault)
    source = {
        "repo": "http",
        "path": bare_address(server.url),
        "commit": "",
        "license": "unspecified",
        "schema": "raw",
        "live": True,
        "protocolVersion": listing.version,
        "captured": datetime.now(UTC).date().isoformat(),
    }
    return ToolList(server.name or name or label, title or name or label, "", source, listing.tools)


async def _ask(server: HttpServer, seconds: float) -> tuple[Listing, str, str]:
    from mcp import Client
    from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

    async with (
        create_mcp_http_client(headers=server.headers or None) as http,
        Client(streamable_http_client(server.url, http_client=http), read_timeout_seconds=seconds) as client,
    ):

        async def version() -> str:
            return str(client.protocol_version)

        listing = await listing_of(client.session, version)
        about = client.server_info
        return listing, _one_line(about, "name"), _one_line(about, "title")


def _one_line(about: Any, key: str) -> str:
    return " ".join(str(getattr(about, key, None) or "").split())[:120]


def _innermost(error: BaseException, url: str) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = " ".join(str(error).split()) or type(error).__name__
    with suppress(ValueError):
        text = text.replace(url, bare_address(url))
    return text[:160]
