"""The answer of a running server to ``tools/list``: every page, as the server wrote it.

Shared by the clients over stdio (``live.py``) and HTTP (``http_servers.py``).  The official client reads the
messages; its typed tools would drop what a schema holds beyond the specification, so the raw pages are kept.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

MAX_PAGES = 1_000


@dataclass(frozen=True)
class Listing:
    """What a server answered: tools and protocol version, or at which stage (start, list) what went wrong."""

    tools: list[Any] = field(default_factory=list)
    version: str = ""
    stage: str = "list"
    fault: str = ""


class _EndlessPagesError(Exception):
    pass


async def listing_of(session: Any, start: Callable[[], Awaitable[str]]) -> Listing:
    """Return what a server lists.  Its faults come back in words: exceptions change inside task groups.

    Args:
        session: a connected ``mcp.ClientSession``.
        start: opens the session, if it is not open yet, and returns the protocol version.
    """
    from mcp import MCPError
    from pydantic import ValidationError

    stage = "start"
    try:
        version = await start()
        stage = "list"
        tools = await _pages(session)
    except MCPError as error:
        fault = f"it ended or refused ({error})"
    except ValidationError as error:
        fault = f"its answer is no MCP ({error.error_count()} faults)"
    except (RuntimeError, _EndlessPagesError) as error:
        fault = str(error)
    else:
        return Listing(tools, version, "list", "" if tools else "it offers no tools")
    return Listing(stage=stage, fault=" ".join(fault.split())[:200])


async def _pages(session: Any) -> list[Any]:
    from mcp.types import ListToolsRequest, PaginatedRequestParams
    from pydantic import TypeAdapter

    raw_page: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])
    tools: list[Any] = []
    cursors: set[str] = set()
    cursor: str | None = None
    while True:
        parameters = PaginatedRequestParams(cursor=cursor) if cursor else None
        page = await session.send_request(ListToolsRequest(params=parameters), raw_page)
        tools += page["tools"]
        cursor = page.get("nextCursor")
        if not cursor:
            break
        if cursor in cursors or len(cursors) >= MAX_PAGES:
            raise _EndlessPagesError(
                f"its pages never end (cursor {cursor[:40]!r} after {len(cursors)} pages)"
            )
        cursors.add(cursor)
    return tools
