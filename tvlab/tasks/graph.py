"""The tool dependency graph of an environment: which call gives another its argument, which comes first.

Data edges are proposed from typed matches between output fields and parameters, and from tools that a
description names; order edges from what the operations mean.  Running them (``edges.py``) keeps those that
hold.  All data edges into one parameter form an OR-group: any of them can supply it.  A weighted heuristic
for the feedback arc set marks edges whose removal leaves no cycle.

Departure from the paper: edges are not taken on a model's word; a model's proposals (``model_proposals.py``,
``found="model"``) are run like all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx

from tvlab.environments.environment import Environment
from tvlab.foundation.atomic_files import read_json, write_json
from tvlab.foundation.words import split_name
from tvlab.tasks.cycles import feedback_arcs
from tvlab.tasks.paths import EACH
from tvlab.tasks.tool_views import (
    GENERIC,
    PAGING,
    Leaf,
    ToolView,
    once_per_environment,
    references_of,
    tool_views,
)

if TYPE_CHECKING:
    from tvlab.tasks.model_proposals import Proposal

WEIGHTS = {"fields": 2.0, "text": 3.0, "model": 1.0, "order": 1.5, "maker": 4.0, "foreign": -1.5}
"""What a proposal is worth before it is run (the last two are added): which edge of a cycle goes."""

_RANKS: dict[int, str] = {
    1: "update edit set modify assign move rename add_to link tag",
    2: "submit start begin open activate enable publish lock accept",
    3: "approve confirm pay pause mute hold ship check_in",
    4: "resume continue unmute unlock deliver check_out",
    5: "complete finish close end stop resolve cancel reject disable deactivate archive void refund expire "
    "unpublish",
    6: "reopen restore unarchive",
    7: "delete remove purge destroy unlink",
}
TERMINAL = 5
"""From this rank on a thing's life is over, or starts anew."""
_RANK_OF = {verb: rank for rank, verbs in _RANKS.items() for verb in verbs.split()}


@dataclass
class ToolGraph:
    """A multigraph over tool names.

    Edge attributes: kind (data|order), field (output path), parameter (input path), found
    (fields|text|model|order), weight, evidence (what running showed, {} if not run), feedback (True if
    dropped to break cycles).
    """

    environment: str
    graph: nx.MultiDiGraph

    def edges(self, kind: str | None = None) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Yield (before, after, attributes) of all edges or those of one kind."""
        for before, after, about in self.graph.edges(data=True):
            if kind is None or about["kind"] == kind:
                yield before, after, about

    def producers(self, tool: str, parameter: str) -> list[tuple[str, str]]:
        """Return the OR-group of a parameter: (producing tool, output path)."""
        return [
            (p, about["field"])
            for p, _, about in self.graph.in_edges(tool, data=True)
            if about["kind"] == "data" and about["parameter"] == parameter
        ]

    @property
    def or_groups(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        """All OR-groups by (tool, parameter)."""
        groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for before, after, about in self.edges("data"):
            groups.setdefault((after, about["parameter"]), []).append((before, about["field"]))
        return groups

    def acyclic(self) -> nx.DiGraph:
        """Return the simple graph without feedback edges: a DAG."""
        dag = nx.DiGraph()
        dag.add_nodes_from(self.graph)
        dag.add_edges_from((a, b) for a, b, about in self.edges() if not about["feedback"] and a != b)
        return dag

    def to_json(self) -> dict[str, Any]:
        """Return node-link JSON."""
        return {"environment": self.environment, **nx.node_link_data(self.graph, edges="edges")}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ToolGraph:
        """Return the graph that ``to_json`` gave."""
        return cls(value["environment"], nx.node_link_graph(dict(value), edges="edges"))

    def save(self, path: str | Path) -> Path:
        """Write the graph as node-link JSON."""
        return write_json(path, self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> ToolGraph:
        """Read a graph that ``save`` wrote."""
        return cls.from_json(read_json(path, "graph"))


def build_graph(
    environment: Environment, run: bool = True, seed: int = 0, also: Sequence[Proposal] = ()
) -> ToolGraph:
    """Return the tool graph of an environment.

    Args:
        environment: with meanings in its report.
        run: keep only edges that hold when run; False keeps all proposals (evidence {}).
        seed: of the values that edges are run with.
        also: proposals of a model, beside those that schemas and texts make.
    """
    tools = propose(environment)
    if also:
        from tvlab.tasks.model_proposals import add_proposals

        add_proposals(environment, tools, also)
    if run:
        from tvlab.tasks.edges import run_edges

        tools = run_edges(environment, tools, seed)
    mark_feedback(tools)
    return tools


def carries_tasks(environment: Environment, graph: ToolGraph) -> bool:
    """True if there are two state-changing tools and one data edge that was run and held."""
    views = tool_views(environment)
    writers = sum(view.writes for view in views.values())
    return writers >= 2 and any(about["evidence"] for _, _, about in graph.edges("data"))


def propose(environment: Environment) -> ToolGraph:
    """Return the graph of all proposals, none of them run."""
    views = tool_views(environment)
    graph = nx.MultiDiGraph()
    for view in views.values():
        graph.add_node(view.name, operation=view.operation, entity=view.entity, writes=view.writes)
    shown: dict[str, list[tuple[ToolView, str]]] = {}
    for view in views.values():
        for path, entity in shown_keys(environment, view):
            shown.setdefault(entity, []).append((view, path))
    for consumer in views.values():
        named = _named_producers(consumer, views)
        for leaf in consumer.references:
            for producer, path in shown.get(str(leaf.entity), ()):
                if producer.name != consumer.name:
                    add_data_edge(graph, producer, consumer, leaf, path, "text" if producer.name in named else "fields")
        _add_named(graph, consumer, [views[name] for name in sorted(named)])
    for before, after in order_pairs(views):
        graph.add_edge(
            before,
            after,
            kind="order",
            field=None,
            parameter=None,
            found="order",
            weight=WEIGHTS["order"],
            evidence={},
            feedback=False,
        )
    return ToolGraph(environment.name, graph)


def carried_keys(environment: Environment, view: ToolView) -> list[tuple[str, str]]:
    """Return (path, entity) of every key in a tool's answer: its own record's first, then what that names."""
    key_path, entity = view.output.get("key_path"), view.output.get("entity")
    if not entity:
        return []
    found = [(key_path, entity)] if key_path else []
    fields = references_of(environment, entity)
    prefix = key_path[: key_path.rfind(".") + 1] if key_path else ""
    names = output_names(view.output.get("fields", {}), prefix)
    return found + [
        (path, fields[name])
        for path, name in names
        if name in fields and (path == prefix + name or name.lower() not in GENERIC)
    ]


def shown_keys(environment: Environment, view: ToolView) -> list[tuple[str, str]]:
    """Return (path, entity) of every key in a tool's answer that is new to the caller.

    A deletion shows only what is gone; a record of a tool that was given its key shows that key again; what
    else a change shows was there before.  A record that no tool makes is found by reading: where every reader
    that gives out its key had to be told the parent, the record shows its parent to nobody who did not know it.
    """
    shown = _shown_keys(environment, view, _given(view))
    told = _given_by_suppliers(environment).get(str(view.output.get("entity"))) if view.takes_own_key else None
    return [(path, other) for path, other in shown if not told or other not in told]


@once_per_environment
def _given_by_suppliers(environment: Environment) -> dict[str, frozenset[str | None]]:
    """Return what every tool that gives out an entity's key was told; nothing for what a tool makes."""
    told: dict[str, frozenset[str | None]] = {}
    for view in tool_views(environment).values():
        given = frozenset() if view.makes else _given(view)
        for _, entity in _shown_keys(environment, view, given):
            told[entity] = told.get(entity, given) & given
    return told


def _given(view: ToolView) -> frozenset[str | None]:
    """Return the entities whose keys a tool must be told, without that of its answer."""
    return frozenset(leaf.entity for leaf in view.references if leaf.required) - {view.output.get("entity")}


def _shown_keys(environment: Environment, view: ToolView, given: frozenset[str | None]) -> list[tuple[str, str]]:
    if view.operation in ("delete", "batch_delete", "unlink"):
        return []
    own = view.output.get("key_path")
    return [
        (path, other)
        for path, other in carried_keys(environment, view)
        if (not view.takes_own_key if path == own else _names_new(view, other, given))
    ]


def _names_new(view: ToolView, other: str, given: frozenset[str | None]) -> bool:
    return view.reads and other not in given and (other != view.output["entity"] or view.takes_own_key)


def output_names(fields: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    """Yield (path, name) of the scalar fields of a record, those in nested arrays and objects too."""
    for name, schema in fields.items():
        schema = schema if isinstance(schema, dict) else {}
        items = schema.get("items", {})
        items = items if isinstance(items, dict) else {}
        if schema.get("properties"):
            yield from output_names(schema["properties"], f"{prefix}{name}.")
        elif items.get("properties"):
            yield from output_names(items["properties"], f"{prefix}{name}{EACH}.")
        elif not items:
            yield prefix + name, name


def add_data_edge(
    graph: nx.MultiDiGraph, producer: ToolView, consumer: ToolView, leaf: Leaf, path: str, found: str
) -> None:
    """Add a data edge that nobody has run: a field of the producer's answer into a parameter of the consumer."""
    weight = WEIGHTS[found] + (WEIGHTS["maker"] if producer.makes else 0.0)
    weight += WEIGHTS["foreign"] if path != producer.output.get("key_path") else 0.0
    graph.add_edge(
        producer.name,
        consumer.name,
        kind="data",
        field=path,
        parameter=leaf.path,
        found=found,
        weight=weight,
        evidence={},
        feedback=False,
    )


def _named_producers(consumer: ToolView, views: Mapping[str, ToolView]) -> set[str]:
    """Return the tools whose names stand in a tool's description or in those of its parameters."""
    text = " ".join(
        [consumer.description, *(str(leaf.schema.get("description", "")) for leaf in consumer.leaves)]
    )
    words = set(re.findall(r"[\w-]+", text))
    return {name for name in words & views.keys() if name != consumer.name and len(split_name(name)) > 1}


def _add_named(graph: nx.MultiDiGraph, consumer: ToolView, named: Sequence[ToolView]) -> None:
    """Add edges from named producers to parameters that nothing typed matches: 'the ref from list_jobs'."""
    for producer in named:
        path = producer.output.get("key_path")
        matched = graph.has_edge(producer.name, consumer.name) or producer.takes_own_key
        leaf = next((x for x in consumer.leaves if x.required and _mentions(x, producer.name)), None)
        if path and leaf and not matched and leaf.role not in PAGING:
            add_data_edge(graph, producer, consumer, leaf, path, "text")


def _mentions(leaf: Leaf, tool: str) -> bool:
    return tool in str(leaf.schema.get("description", ""))


def order_pairs(views: Mapping[str, ToolView]) -> list[tuple[str, str]]:
    """Return (before, after) tools on one entity in the order its life takes: update, complete, delete."""
    ranked: dict[str | None, list[tuple[int, str]]] = {}
    for view in views.values():
        rank = life_rank(view) if view.writes and view.takes_own_key else None
        if rank is not None:
            ranked.setdefault(view.entity, []).append((rank, view.name))
    return [
        (before, after)
        for of_one in ranked.values()
        for rank, before in of_one
        for later, after in of_one
        if rank < later
    ]


def life_rank(view: ToolView) -> int | None:
    """Where in a thing's life a tool belongs; None for a create and for what no list knows."""
    if view.operation in ("delete", "batch_delete", "rename"):
        return 7
    if view.operation == "transition":
        return _RANK_OF.get(view.verb)
    return 1 if view.operation in ("update", "set") else None


def mark_feedback(tools: ToolGraph) -> None:
    """Mark the edges to drop so that the rest has no cycle."""
    weights: dict[tuple[str, str], float] = {}
    for before, after, about in tools.edges():
        weights[before, after] = weights.get((before, after), 0.0) + about["weight"]
    arcs = feedback_arcs(list(tools.graph), weights)
    for before, after, about in tools.edges():
        about["feedback"] = (before, after) in arcs
