"""Single tools and what is built of them, for tests that need no whole server."""

from tvlab.environments.build import build_server
from tvlab.environments.tool_lists import ToolList


def tool(called, description="", required=(), /, **properties):
    """One raw tool: name, description, names of the required, schemas of the parameters."""
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": called, "description": description, "inputSchema": schema}


def built(*tools):
    """The build of a server of these tools, and its first environment, None if there is none."""
    server = build_server(ToolList("made-up", "", "", "", list(tools)), smallest=1)
    return server, (server.environments[0].environment if server.environments else None)
