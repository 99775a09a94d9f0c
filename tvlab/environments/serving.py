"""An environment as an MCP server, by the official SDK: over stdio, or streamable HTTP for many clients.

Every client session has a state of its own and starts from the environment's initial one.  Over stdio a
session is the process.  Over HTTP it is an MCP session (``Mcp-Session-Id``); its state goes when the session
ends or has been idle for half an hour.  MCP 2026-07-28 has no sessions over HTTP, so there the server speaks
the revisions up to 2025-11-25: clients that negotiate find one, a client pinned to 2026-07-28 gets an error
that says so.  Over stdio it speaks both.

Schemas go out as they are in ``tools.json``.  A refused call is a result with ``isError``, in the words an
agent sees in process; an unknown tool is a protocol error, as the MCP specification asks.  No
authentication: bind to other than the loopback only where everybody may call.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tvlab.environments.environment import CallResult, Environment, Session
from tvlab.environments.opening import open_environment
from tvlab.environments.tool_calls import MalformedCallError, ToolCall, observation_text
from tvlab.foundation.errors import UserError

HTTP_PATH = "/mcp"
_SHUTDOWN_SECONDS = 2
_STATE = "tvlab.session"

SessionOf = Callable[[Any], Session]  # from a request's context to the state that its client owns


def serve(
    environment_folder: str | Path,
    transport: str = "stdio",
    host: str = "127.0.0.1",
    port: int = 8000,
    sandbox: str = "auto",
) -> None:
    """Serve an environment until the client leaves (stdio) or the process is told to stop (http).

    Args:
        environment_folder: a built environment.
        transport: ``stdio`` or ``http``.
        host: address to listen on (http).
        port: port to listen on (http); 0 takes a free one.  The address is printed on standard error.
        sandbox: auto|strict|weak|off, as in ``open_environment``.

    Raises:
        UserError: no such environment or transport, or the port is taken.
    """
    environment = open_environment(environment_folder, sandbox)
    if transport == "stdio":
        asyncio.run(_serve_stdio(environment))
    elif transport == "http":
        _serve_http(environment, host, port)
    else:
        raise UserError(f"transport {transport!r}: choose stdio or http")


def stdio_mcp_server(environment: Environment) -> Any:
    """Return an ``mcp`` low-level server, one connection a session: for stdio and in-process clients."""

    @asynccontextmanager
    async def one_session(_: Any):
        yield environment.session()

    return _server(environment, one_session, lambda context: context.lifespan_context)


def http_app(environment: Environment, host: str = "127.0.0.1") -> Any:
    """Return an ASGI application that serves the environment at ``/mcp``, for a web server of your own.

    Args:
        environment: what to serve.
        host: the address it will listen on; on the loopback, requests that name another host are refused.
    """
    from mcp import types
    from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

    @asynccontextmanager
    async def the_environment(_: Any):
        yield environment

    async def discover(context: Any, params: Any) -> types.DiscoverResult:
        """Answer a client's probe with the revisions that have sessions; it then opens one."""
        return types.DiscoverResult(
            supported_versions=list(HANDSHAKE_PROTOCOL_VERSIONS),
            capabilities=types.ServerCapabilities(tools=types.ToolsCapability(list_changed=False)),
        )

    server = _server(environment, the_environment, _session_of_http_client)
    server.add_request_handler("server/discover", types.RequestParams, discover)
    # answers are single messages: plain JSON instead of an event stream each
    return server.streamable_http_app(streamable_http_path=HTTP_PATH, json_response=True, host=host)


def _server(environment: Environment, lifespan: Any, session_of: SessionOf) -> Any:
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError

    listed = types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in environment.tools])

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return listed

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in environment.functions:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        result = _call(session_of(context), ToolCall(params.name, params.arguments or {}))
        answer = types.CallToolResult(
            content=[types.TextContent(type="text", text=observation_text(result))], is_error=not result.ok
        )
        if result.ok and "outputSchema" in environment.tool(params.name):
            answer.structured_content = result.value
        return answer

    return Server(
        environment.name,
        version=version("tvlab"),
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _call(session: Session, call: ToolCall) -> CallResult:
    try:
        call = ToolCall.parse(call)
    except MalformedCallError as error:
        return CallResult(False, None, f"invalid_arguments: {error}")
    return session.call(call.name, call.arguments)


def _session_of_http_client(context: Any) -> Session:
    from mcp import types
    from mcp.shared.exceptions import MCPError
    from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        supported, requested = list(HANDSHAKE_PROTOCOL_VERSIONS), context.protocol_version
        message = f"MCP {requested} has no sessions over HTTP, and each has a state here: initialize first"
        data = {"supported": supported, "requested": requested}
        raise MCPError(types.UNSUPPORTED_PROTOCOL_VERSION, message, data)
    # The SDK keeps this dictionary for the life of a connection and drops it with the session (DELETE, idle);
    # mcp 2.3 hands handlers no public way to it.
    states = context.session._connection.state
    if _STATE not in states:
        states[_STATE] = context.lifespan_context.session()
    return states[_STATE]


async def _serve_stdio(environment: Environment) -> None:
    from mcp.server.stdio import stdio_server

    server = stdio_mcp_server(environment)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _serve_http(environment: Environment, host: str, port: int) -> None:
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"cannot listen on {host} port {port} ({reason}); choose another") from None
    with listener:
        # asyncio turns Nagle's delay (40 ms a call) off for sockets that it opened itself, not for this one
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        shown = f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listener.getsockname()[1]}{HTTP_PATH}"
        print(f"{environment.name}: {url}", file=sys.stderr, flush=True)
        config = uvicorn.Config(
            http_app(environment, host), log_level="warning", timeout_graceful_shutdown=_SHUTDOWN_SECONDS
        )
        with suppress(KeyboardInterrupt):  # uvicorn raises the signal again after it has shut down
            uvicorn.Server(config).run(sockets=[listener])
