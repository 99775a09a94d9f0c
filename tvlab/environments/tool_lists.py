"""Tool lists: what servers offer, in the shape of an MCP ``tools/list`` answer.

Three sources: the descriptions that come with the package, real servers started here (``live.py``), and dumps
in a file. A dump is JSON Lines (a server a line) or JSON (a server, a list of servers, or bare tools).
Nothing is skipped in silence: a line that is no server is an error that names it. The tools themselves stay
raw; a faulty tool is the business of ``schemas.py``.
"""

from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from tvlab.foundation.atomic_files import iterate_jsonl, read_json
from tvlab.foundation.errors import UserError

EMBEDDED = (
    "orders_and_inventory",
    "calendar",
    "tickets",
    "mail",
    "files",
    "telecom",
    "travel",
    "home_devices",
)

#: ``source.origin`` of the descriptions that come with the package, and of variations of them
OWN = "written for tvlab"


@dataclass(frozen=True)
class ToolList:
    """The tools of one server.

    Attributes:
        server: the server's name.
        title: its display title.
        description: what it is for.
        source: where the list comes from (repository, commit or version, licence).
        tools: raw tools: ``name``, ``description``, ``inputSchema``, ...
    """

    server: str
    title: str = ""
    description: str = ""
    source: dict[str, Any] = field(default_factory=dict)
    tools: list[Any] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the server as one value of a dump."""
        return {"server": self.server, "title": self.title, "description": self.description,
                "source": self.source, "tools": self.tools}  # fmt: skip


def load_tool_lists(source: str | Path) -> list[ToolList]:
    """Return the tool lists of a source.

    Args:
        source: ``"embedded"`` (the eight servers of the package that the notebooks use), ``"embedded-all"``
            (these and sixteen more domains), ``"live"`` (real servers of the package index, started over
            stdio) or the path of a dump: ``.jsonl``, or ``.json``.

    Raises:
        UserError: the source is missing, empty or malformed; or no live server answered.

    >>> [tool_list.server for tool_list in load_tool_lists("embedded")][:2]
    ['orders_and_inventory', 'calendar']
    """
    if source == "embedded":
        return embedded_tool_lists()
    if source == "embedded-all":
        return [*embedded_tool_lists(), *more_tool_lists()]
    if source == "live":
        from tvlab.environments.sources.live import live_tool_lists

        return live_tool_lists().tool_lists
    path = Path(source)
    if not path.exists():
        raise UserError(
            f"tool list {path} does not exist: give embedded, embedded-all, live, or the path of a .jsonl or .json "
            "dump"
        )
    if path.is_dir():
        raise UserError(f"tool list {path} is a folder: give a .jsonl or .json file in it")
    found = _from_json_lines(path) if path.suffix in (".jsonl", ".ndjson") else _from_json(path)
    if not found:
        raise UserError(f"tool list {path} is empty: it needs at least one server with tools")
    return _with_unique_names(found)


def embedded_tool_lists() -> list[ToolList]:
    """Return the servers whose descriptions come with the package."""
    folder = resources.files("tvlab") / "data" / "mcp"
    return [tool_list_of(read_json(Path(str(folder / f"{name}.json"))), name, name) for name in EMBEDDED]


def more_tool_lists() -> list[ToolList]:
    """Return the further servers that come with the package: sixteen more domains."""
    folder = Path(str(resources.files("tvlab") / "data" / "mcp_more"))
    return [tool_list_of(read_json(path), path.stem, path.stem) for path in sorted(folder.glob("*.json"))]


def tool_list_of(value: Any, where: str, name: str) -> ToolList:
    """Return one server of a dump.

    Args:
        value: ``{"server", "title", "description", "source", "tools"}``, ``{"tools"}`` or a list of tools.
        where: file and line, for the message.
        name: the server's name if the value has none.

    Raises:
        UserError: it has no list of tools.
    """
    if isinstance(value, list):
        value = {"tools": value}
    if isinstance(value, dict) and "tools" not in value and isinstance(value.get("result"), dict):
        value = {**value, **value["result"]}
    if not isinstance(value, dict):
        raise UserError(f'{where} is no server but {_kind(value)}: give {{"server": ..., "tools": [...]}}')
    tools = value.get("tools")
    if not isinstance(tools, list):
        fault = "has no tools" if tools is None else f"has {_kind(tools)} as tools"
        raise UserError(f'{where} {fault}: give {{"server": ..., "tools": [...]}} in the shape of tools/list')
    if not tools:
        raise UserError(f"{where} has an empty list of tools: remove it or add tools")
    source = value.get("source")
    return ToolList(
        server=_text(value.get("server")) or _text(value.get("name")) or name,
        title=_text(value.get("title")),
        description=_text(value.get("description")),
        source=source if isinstance(source, dict) else {},
        tools=tools,
    )


def _from_json_lines(path: Path) -> list[ToolList]:
    return [tool_list_of(value, f"tool list {path} line {number}", f"{path.stem}-{number}")
            for number, value in iterate_jsonl(path, "tool list")]  # fmt: skip


def _from_json(path: Path) -> list[ToolList]:
    value = read_json(path, "tool list")
    where = f"tool list {path}"
    if isinstance(value, list) and not all(_is_tool(item) for item in value):
        return [tool_list_of(item, f"{where} entry {number}", f"{path.stem}-{number}")
                for number, item in enumerate(value, start=1)]  # fmt: skip
    return [] if value == [] else [tool_list_of(value, where, path.stem)]


def _is_tool(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str) and "tools" not in value


def _with_unique_names(found: list[ToolList]) -> list[ToolList]:
    """The lists, each under a name of its own, as environments are folders."""
    taken: set[str] = set()
    result = []
    for tool_list in found:
        name, number = tool_list.server, 2
        while name in taken:
            name, number = f"{tool_list.server}-{number}", number + 1
        taken.add(name)
        result.append(
            ToolList(name, tool_list.title, tool_list.description, tool_list.source, tool_list.tools)
        )
    return result


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")
