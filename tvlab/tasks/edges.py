"""Running the edges of a tool graph: what holds stays, with its evidence.

A data edge holds if the consumer succeeds with a value from the producer's output, and with a well-typed
value that no call returned it fails, gives something else, or changes nothing where it changed something (a
deletion that does not mind what is gone).  Where the producer makes the thing: without the producer's call the
same consumer call fails too, or does nothing.  An order edge holds if the two calls cannot be
swapped: the other way round one fails, or the state ends up different.

Each edge gets a few attempts with other values before it is dropped.  That both calls mean what they say is
not checked here but by the environment's verification.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from tvlab.environments.environment import CallResult, Environment, Session, visible
from tvlab.foundation.seeds import generator
from tvlab.tasks.arguments import replaced
from tvlab.tasks.graph import ToolGraph
from tvlab.tasks.paths import steps, values_at
from tvlab.tasks.simple_calls import simple_arguments
from tvlab.tasks.texts import pick
from tvlab.tasks.tool_views import (
    Leaf,
    ToolView,
    named_key,
    once_per_environment,
    rows_of,
    tool_views,
)
from tvlab.tasks.values import unknown_like

ATTEMPTS = 6
NOTHING = "changes nothing"


def run_edges(environment: Environment, tools: ToolGraph, seed: int = 0) -> ToolGraph:
    """Return the graph with only the edges that held when run, each with its evidence."""
    views = tool_views(environment)
    kept = nx.MultiDiGraph()
    kept.add_nodes_from(tools.graph.nodes(data=True))
    for before, after, about in tools.edges():
        rng = generator(seed, "edge", environment.name, before, after, about["kind"], about["parameter"])
        run = run_data_edge if about["kind"] == "data" else run_order_edge
        evidence = run(environment, views[before], views[after], about, rng)
        if evidence:
            kept.add_edge(before, after, **{**about, "evidence": evidence})
    return ToolGraph(tools.environment, kept)


def run_data_edge(
    environment: Environment,
    producer: ToolView,
    consumer: ToolView,
    about: Mapping[str, Any],
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Return the evidence for a data edge, {} if it does not hold."""
    leaf = consumer.by_path[about["parameter"]]
    session = environment.session()
    start = session.snapshot()
    for attempt in range(ATTEMPTS):
        session.restore(start)
        made = session.call(producer.name, _producing(environment, producer, consumer, leaf, attempt, rng))
        found = values_at(made.value, about["field"]) if made.ok else []
        found = [value for value in found if isinstance(value, (str, int, float))]
        if not found:
            continue
        value = pick(found, rng)
        record = rows_of(environment, leaf.entity, session.state).get(value, {})
        arguments = simple_arguments(
            environment, consumer, session.state, {leaf.path: value}, rng, record, leaf.entity
        )
        evidence = _probe(environment, session, start, consumer, leaf, arguments, value, producer.makes, rng)
        if evidence:
            return {"value": value, "consumer_arguments": arguments, **evidence}
    return {}


def _producing(
    environment: Environment,
    producer: ToolView,
    consumer: ToolView,
    leaf: Leaf,
    attempt: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Return arguments with which a producer shows something.

    A reader is asked for a record that exists, under its own parent; a maker is given, two times of three, the
    optional parents that the consumer will ask for.
    """
    entity = producer.output.get("entity")
    rows = rows_of(environment, entity)
    if producer.makes or not rows:
        needed = {x.entity for x in consumer.references if x.required and x is not leaf}
        optional = [x for x in producer.references if not x.required and x.entity in needed]
        some = {x.entity: x.path for x in (optional if attempt % 3 == 1 else reversed(optional))}
        also = some.values() if attempt % 3 else ()
        return simple_arguments(environment, producer, environment.state, {}, rng, also=also)
    telling = [key for key, row in rows.items() if named_key(environment, str(entity), row, leaf.entity)]
    key = pick(telling or list(rows), rng)
    own = {x.path: key for x in producer.references if x.role == "key" and x.entity == entity and x.required}
    return simple_arguments(environment, producer, environment.state, own, rng, rows[key], entity, rows[key])


def _probe(
    environment: Environment,
    session: Session,
    start: Any,
    consumer: ToolView,
    leaf: Leaf,
    arguments: dict[str, Any],
    value: Any,
    made: bool,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Call the consumer with the value, with an unknown one, and without the producer; {} if it fails."""
    after_producer = session.snapshot()
    known = session.call(consumer.name, arguments)
    if not known.ok:
        return {}
    changes = consumer.writes and visible(session.state) != visible(after_producer)
    session.restore(after_producer)
    unknown = unknown_like(value, list(rows_of(environment, leaf.entity, session.state)), rng)
    other = session.call(consumer.name, replaced(arguments, steps(leaf.path), unknown))
    told = _told(other)
    if other.ok and _told_back(consumer, known, value) == _told_back(consumer, other, unknown):
        if not changes or visible(session.state) != visible(after_producer):
            return {}
        told = NOTHING
    evidence = {"with_value": "succeeds", "with_unknown": told}
    if made:
        session.restore(start)
        without = session.call(consumer.name, arguments)
        told = _told(without)
        if without.ok and _told_back(consumer, without, value) == _told_back(consumer, known, value):
            if not changes or visible(session.state) != visible(start):
                return {}
            told = NOTHING
        evidence["without_producer"] = told
    return evidence


def _told_back(consumer: ToolView, result: CallResult, value: Any) -> Any:
    """What a call answers, without the value it was given and the key it made: an echo means nothing."""
    made = values_at(result.value, consumer.output["key_path"]) if consumer.makes else []
    return _without(result.value, [value, *made])


def _without(answer: Any, values: list[Any]) -> Any:
    if isinstance(answer, dict):
        return {name: _without(item, values) for name, item in answer.items()}
    if isinstance(answer, list):
        return [_without(item, values) for item in answer]
    return None if any(type(answer) is type(value) and answer == value for value in values) else answer


def run_order_edge(
    environment: Environment,
    before: ToolView,
    after: ToolView,
    about: Mapping[str, Any],
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Return the evidence for an order edge, {} if the calls can be swapped or never succeed so."""
    session = environment.session()
    start = session.snapshot()
    entity = before.entity
    keys = list(rows_of(environment, entity))
    for key in (pick(keys, rng) for _ in range(ATTEMPTS if keys else 0)):
        record = rows_of(environment, entity)[key]
        calls = [
            (
                view.name,
                simple_arguments(
                    environment, view, environment.state, _own_key(view, key), rng, record, entity
                ),
            )
            for view in (before, after)
        ]
        session.restore(start)
        if not all(session.call(*call).ok for call in calls):
            continue
        forward = visible(session.snapshot())
        session.restore(start)
        results = [session.call(*call) for call in reversed(calls)]
        failed = next((result for result in results if not result.ok), None)
        if failed is not None:
            return {"reversed": _told(failed)}
        if visible(session.state) != forward:
            return {"reversed": "another state"}
    return {}


@once_per_environment
def scope_references(environment: Environment) -> frozenset[tuple[str, str]]:
    """Return the (tool, parameter) pairs that only say where a thing is: with another parent the call fails.

    ``update_field(base_id, table_id, field_id)`` has two of them; ``move_event(event_id, calendar_id)`` has
    none.
    """
    found = set()
    for view in tool_views(environment).values():
        own = next((x for x in view.references if x.role == "key" and x.entity == view.entity), None)
        if own is None:
            continue
        for leaf in view.references:
            rng = generator(0, "scope", environment.name, view.name, leaf.path)
            if leaf is not own and _is_scope(environment, view, own, leaf, rng):
                found.add((view.name, leaf.path))
    return frozenset(found)


def _is_scope(
    environment: Environment, view: ToolView, own: Leaf, leaf: Leaf, rng: np.random.Generator
) -> bool:
    rows, others = rows_of(environment, own.entity), list(rows_of(environment, leaf.entity))
    session = environment.session()
    for key in list(rows)[:ATTEMPTS]:
        parent = named_key(environment, str(own.entity), rows[key], leaf.entity)
        elsewhere = [other for other in others if other != parent]
        if parent not in others or not elsewhere:
            continue
        given = {own.path: key, leaf.path: parent}
        arguments = simple_arguments(environment, view, session.state, given, rng, rows[key], own.entity)
        if session.call(view.name, arguments).ok:
            session = environment.session()
            return not session.call(
                view.name, replaced(arguments, steps(leaf.path), pick(elsewhere, rng))
            ).ok
    return False


def _own_key(view: ToolView, key: Any) -> dict[str, Any]:
    return {leaf.path: key for leaf in view.references if leaf.role == "key" and leaf.entity == view.entity}


def _told(result: CallResult) -> str:
    return "other result" if result.ok else f"fails: {result.error}"
