"""``tvlab serve``: an environment as an MCP server."""

from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import SandboxOption
from tvlab.cli.paths import one_environment


@app.command()
def serve(
    environment: Annotated[Path, typer.Argument(callback=one_environment, help="Folder of an environment.")],
    transport: Annotated[str, typer.Option(help="stdio or http (streamable).")] = "stdio",
    host: Annotated[str, typer.Option(help="Address to listen on (http).")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on (http); 0 takes a free one.")] = 8000,
    sandbox: SandboxOption = "auto",
) -> None:
    """Serve an environment as an MCP server, one state a client session.

    Example: tvlab serve workspace/lab/environments/travel --transport http --port 8000
    """
    from tvlab.environments.serving import serve as serve_environment

    serve_environment(environment, transport, host, port, sandbox)
