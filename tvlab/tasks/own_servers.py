"""From somebody's own servers to tasks in one go: tool lists -> environments -> graphs -> items.

What `tvlab corpus pull`, `build`, `graph` and `tasks` do one after the other, for those who want to see
what their servers give.  Servers of an ``mcp.json`` are started as the user's own client would start them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvlab.environments.build import build_environments
from tvlab.environments.build_totals import environment_names
from tvlab.environments.environment import Environment
from tvlab.environments.opening import open_environment
from tvlab.environments.sources.corpus_sources import pull
from tvlab.environments.tool_lists import ToolList, load_tool_lists
from tvlab.foundation.atomic_files import read_json
from tvlab.foundation.errors import UserError
from tvlab.tasks.graph import ToolGraph, build_graph, carries_tasks
from tvlab.tasks.gust import build_items
from tvlab.tasks.item import Item


@dataclass(frozen=True)
class OwnServers:
    """What somebody's servers gave.

    Attributes:
        rows: one a server: its tools, environments and drops (``build_environments``).
        environments: all that were built, by name.
        graphs: the tool graph of each.
        items: of each environment that carries tasks.
    """

    rows: list[dict[str, Any]]
    environments: Mapping[str, Environment]
    graphs: Mapping[str, ToolGraph]
    items: Mapping[str, list[Item]]

    @property
    def richest(self) -> str:
        """The environment with the most items, of those the one with the most data edges."""
        edges = {name: sum(1 for _ in self.graphs[name].edges("data")) for name in self.items}
        return max(self.items, key=lambda name: (len(self.items[name]), edges[name]))


def own_tool_lists(source: str | Path, folder: str | Path) -> list[ToolList]:
    """Return the tool lists of a source.

    Args:
        source: an ``mcp.json``, a dump in the shape of ``tools/list`` (.json, .jsonl), or what
            ``load_tool_lists`` knows by name.
        folder: keeps what the servers of an ``mcp.json`` answered; they are not asked again for a known version.

    Raises:
        UserError: the source is missing or gives nothing.
    """
    path = Path(source)
    if path.suffix == ".json" and path.is_file() and _names_servers(read_json(path, "tool list")):
        dump = Path(folder) / "servers.jsonl"
        pull(path, dump)
        return load_tool_lists(dump)
    return load_tool_lists(source)


def own_servers(
    source: str | Path | Sequence[ToolList], folder: str | Path, seed: int = 0, items: int = 3, workers: int = 1
) -> OwnServers:
    """Build environments, graphs and items from somebody's servers.

    Args:
        source: as for ``own_tool_lists``, or tool lists.
        folder: of the environments.
        seed: of states and items.
        items: an environment.
        workers: processes of the build.

    Raises:
        UserError: the source gives no environment, or none that carries tasks.
    """
    given = own_tool_lists(source, folder) if isinstance(source, str | Path) else list(source)
    rows = build_environments(given, Path(folder), seed, workers, progress=False)
    environments = {name: open_environment(Path(folder) / name) for name in environment_names(rows)}
    if not environments:
        raise UserError(f"no environment could be built from {source}: see the reports in {folder}")
    graphs = {name: build_graph(environment, seed=seed) for name, environment in environments.items()}
    able = [name for name in environments if carries_tasks(environments[name], graphs[name])]
    made = {name: build_items(environments[name], graphs[name], items, seed) for name in able}
    if not any(made.values()):
        raise UserError(
            f"none of {', '.join(environments)} carries tasks: they need two state-changing tools that feed each other"
        )
    return OwnServers(rows, environments, graphs, {name: found for name, found in made.items() if found})


def _names_servers(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(name), dict) for name in ("mcpServers", "servers"))
