"""Whether the environments of a server ran a proposed edge, and if not, why they could not.

A proposal that no environment can express is no worse for it: it stands in the proposal graph with its reason,
and the executed graph, from which items are drawn, does without it.  Reasons are looked for in the order in which
an edge can get lost: the tool, the parameter, its meaning, the answer, what is new in it (``shown_keys``), running.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tvlab.environments.build import environment_name, unique_names
from tvlab.environments.environment import Environment
from tvlab.environments.tool_lists import ToolList
from tvlab.tasks.graph import ToolGraph, build_graph, carried_keys, propose
from tvlab.tasks.paths import EACH
from tvlab.tasks.schema_proposals import SchemaEdge, original_path, propose_from_schemas
from tvlab.tasks.tool_views import tool_views

EXECUTED = "executed"
TOOL = "a tool was left out"
APART = "the tools are in different environments"
PARAMETER = "the parameter was dropped"
UNCHECKED = "no call checks the parameter"
ANSWER = "the answer does not hold the key"
NOTHING_NEW = "the graph takes the key as known before"
NOT_HELD = "it did not hold when run"
REASONS = (TOOL, APART, PARAMETER, UNCHECKED, ANSWER, NOTHING_NEW, NOT_HELD)

Edge = tuple[str, str, str]
"""(producer, consumer, parameter) under the server's names, ``[]`` left out of the path."""


@dataclass
class Executable:
    """What the environments of one server can express and what they ran, under the server's own names.

    Attributes:
        environments: their names.
        executed, proposed: data edges of the environments' graphs, after and before running.
        together: (producer, consumer) pairs that share an environment; a tool with itself tells that it is kept.
        keys: (tool, parameter) of the parameters kept -> the entity whose key it is, None if no call checks it.
        carried: tool -> entities whose keys its answer holds.
        left_out: tool -> why it is in no environment.
        narrowed: (tool, parameter) -> why the parameter was dropped.
    """

    environments: list[str] = field(default_factory=list)
    executed: set[Edge] = field(default_factory=set)
    proposed: set[Edge] = field(default_factory=set)
    together: set[tuple[str, str]] = field(default_factory=set)
    keys: dict[tuple[str, str], str | None] = field(default_factory=dict)
    carried: dict[str, set[str]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    narrowed: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def kept(self) -> set[str]:
        """The tools in an environment."""
        return {tool for tool, other in self.together if tool == other}

    def outcome(self, edge: Edge) -> str:
        """Return ``EXECUTED`` or the reason why the edge is not in an executed graph.

        >>> Executable(left_out={"a": "unclear verb"}).outcome(("a", "b", "id"))
        'a tool was left out'
        """
        producer, consumer, parameter = edge
        if edge in self.executed:
            return EXECUTED
        if not {producer, consumer} <= self.kept:
            return TOOL
        if (producer, consumer) not in self.together:
            return APART
        if (consumer, parameter) not in self.keys:
            return PARAMETER
        entity = self.keys[consumer, parameter]
        if entity is None:
            return UNCHECKED
        if entity not in self.carried.get(producer, ()):
            return ANSWER
        return NOT_HELD if edge in self.proposed else NOTHING_NEW

    def detail(self, edge: Edge) -> str:
        """Return what the build said of the tool or parameter that the edge lacks, empty if nothing."""
        producer, consumer, parameter = edge
        outcome = self.outcome(edge)
        if outcome == TOOL:
            gone = next(tool for tool in (producer, consumer) if tool not in self.kept)
            return f"{gone}: {self.left_out.get(gone, '')}".removesuffix(": ")
        top = parameter.partition(".")[0]
        said = self.narrowed.get((consumer, parameter)) or self.narrowed.get((consumer, top), "")
        return said if outcome == PARAMETER else ""


def plain_path(path: str) -> str:
    """Return a parameter's path without ``[]``.

    >>> plain_path("lineItems[].accountCode")
    'lineItems.accountCode'
    """
    return path.replace(EACH, "")


def executable(
    environments: Iterable[Environment], graphs: Mapping[str, ToolGraph] | None = None, seed: int = 0
) -> Executable:
    """Return what the environments of one server can express and ran.

    Args:
        environments: all of one server.
        graphs: their executed graphs by name of the environment; None builds them.
        seed: of the values that edges are run with where they are built.
    """
    found = Executable()
    for environment in environments:
        graph = graphs[environment.name] if graphs is not None else build_graph(environment, seed=seed)
        _add(found, environment, graph)
    return found


def server_proposals(
    tool_lists: Iterable[ToolList], environments: Mapping[str, Environment], graphs: Mapping[str, ToolGraph]
) -> list[tuple[str, list[SchemaEdge], Executable]]:
    """Return (server, its proposals, what its environments can express and ran) of each server.

    Environments that several servers share are not looked at: tools that are in these alone count as left out.

    Args:
        tool_lists: the servers, as they were given to the build.
        environments, graphs: all that were built, by name.
    """
    tool_lists = list(tool_lists)
    names = unique_names([environment_name(one.server) for one in tool_lists])
    built: dict[str, list[Environment]] = {name: [] for name in names}
    for environment in environments.values():
        server = environment.report.get("server", "")
        for name in (server, environment_name(server)):
            if name in built:
                built[name].append(environment)
                break
    return [
        (name, propose_from_schemas(one), executable(built[name], graphs))
        for name, one in zip(names, tool_lists, strict=True)
    ]


def _add(found: Executable, environment: Environment, graph: ToolGraph) -> None:
    names: dict[str, str] = environment.report.get("name_map", {})
    renamed: dict[str, dict[str, str]] = environment.report.get("parameter_maps", {})

    def edges(tools: ToolGraph) -> set[Edge]:
        return {
            (names.get(before, before), names.get(after, after), path(after, about["parameter"]))
            for before, after, about in tools.edges("data")
        }

    def path(tool: str, parameter: str) -> str:
        return plain_path(original_path(parameter, renamed.get(tool, {})))

    found.environments.append(environment.name)
    found.executed |= edges(graph)
    found.proposed |= edges(propose(environment))
    kept = [names.get(name, name) for name in environment.tool_names]
    found.together |= {(one, other) for one in kept for other in kept}
    for view in tool_views(environment).values():
        tool = names.get(view.name, view.name)
        found.carried.setdefault(tool, set()).update(entity for _, entity in carried_keys(environment, view))
        for leaf in view.leaves:
            found.keys[tool, path(view.name, leaf.path)] = leaf.entity if leaf.refers else None
    for drop in environment.report.get("drops", ()):
        found.left_out[names.get(drop["tool"], drop["tool"])] = drop["reason"]
    for one in environment.report.get("narrowed", ()):
        found.narrowed[names.get(one["tool"], one["tool"]), path(one["tool"], one["parameter"])] = one["reason"]


def proposal_rows(edges: Iterable[SchemaEdge], server: Executable) -> list[dict[str, Any]]:
    """Return one row a proposal: producer, consumer, parameter, key, found, outcome, detail."""
    rows = []
    for edge in edges:
        at = (edge.producer, edge.consumer, plain_path(edge.parameter))
        rows.append(
            {
                "producer": edge.producer,
                "consumer": edge.consumer,
                "parameter": edge.parameter,
                "key": f"{edge.key.kind} of {edge.key.of}" if edge.key.kind != "told" else "as a text says",
                "found": edge.found,
                "outcome": server.outcome(at),
                "detail": server.detail(at),
            }
        )
    return rows


def counted(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many proposals had each outcome, executed ones first, in the order of ``REASONS``."""
    counts = Counter(row["outcome"] for row in rows)
    return {outcome: counts[outcome] for outcome in (EXECUTED, *REASONS)}
