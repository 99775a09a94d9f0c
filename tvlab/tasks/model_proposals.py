"""Data edges that a model proposes: which output field of one tool can supply which parameter of another.

The model sees the tools of one environment, what each answers and what each has to be given, and replies with JSON
lines.  Nothing is taken on its word: a line that names a tool, field or parameter which is not there is dropped and
counted, and what is left is run like every other proposal (``edges.py``), so that only what holds becomes an edge.

Not done: asking about tools of different servers, or more often than once.  All tools of an environment stand in one
message; a model whose context is too short for it refuses.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tvlab.environments.environment import Environment
from tvlab.tasks.endpoint_teacher import Model
from tvlab.tasks.graph import ToolGraph, add_data_edge, output_names
from tvlab.tasks.tool_views import ToolView, tool_views

SYSTEM = (
    "You find data dependencies between tools. A dependency: a value that one tool answers with can be given to "
    "another tool as an argument. Reply with one JSON object a line and nothing else: "
    '{"producer": tool, "field": path in its answer, "consumer": tool, "parameter": path of its argument}. '
    "Copy names and paths letter for letter. Name every dependency that makes sense, and no other."
)
_LONGEST = 200
"""Characters of a description that are shown."""
_OBJECT = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True)
class Proposal:
    """A data edge that a model proposes: an output field of one tool supplies a parameter of another."""

    producer: str
    field: str
    consumer: str
    parameter: str


@dataclass(frozen=True)
class Proposed:
    """What a model proposed for one environment.

    Attributes:
        proposals: those that name what is there, in the model's order, each once.
        refused: how many lines were dropped, by reason.
    """

    proposals: tuple[Proposal, ...]
    refused: dict[str, int]


def proposals_of(environment: Environment, model: Model) -> Proposed:
    """Ask a model for the data edges of an environment.

    Args:
        environment: with meanings in its report.
        model: answers messages.
    """
    views = tool_views(environment)
    shown = "\n".join(_shown(view) for view in views.values())
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"Tools:\n{shown}"}]
    text = model.message(messages).get("content")
    found: dict[Proposal, None] = {}
    refused: Counter[str] = Counter()
    for line in _lines(text if isinstance(text, str) else ""):
        reason = _reason_against(line, views)
        if reason:
            refused[reason] += 1
        else:
            found[Proposal(*(line[name] for name in _NAMES))] = None
    return Proposed(tuple(found), dict(sorted(refused.items())))


def add_proposals(environment: Environment, tools: ToolGraph, also: Sequence[Proposal]) -> None:
    """Add proposals to a graph that was not run, except those that are in it.

    Raises:
        ValueError: a tool or parameter that the environment has not.
    """
    views = tool_views(environment)
    for one in also:
        producer, consumer = views.get(one.producer), views.get(one.consumer)
        leaf = consumer.by_path.get(one.parameter) if consumer else None
        if producer is None or consumer is None or leaf is None:
            raise ValueError(f"{one}: no such tool or parameter in {environment.name}")
        if (one.producer, one.field) not in tools.producers(one.consumer, one.parameter):
            add_data_edge(tools.graph, producer, consumer, leaf, one.field, "model")


def answer_paths(view: ToolView) -> list[str]:
    """Return the paths of the scalars that a tool's answer is known to hold, its key first."""
    key_path = str(view.output.get("key_path") or "")
    prefix = key_path[: key_path.rfind(".") + 1]
    paths = [path for path, _ in output_names(view.output.get("fields", {}), prefix)]
    return list(dict.fromkeys([*([key_path] if key_path else []), *paths]))


_NAMES = ("producer", "field", "consumer", "parameter")


def _shown(view: ToolView) -> str:
    described = " ".join(view.description.split())[:_LONGEST]
    given = ", ".join(leaf.path + ("" if leaf.required else "?") for leaf in view.leaves) or "nothing"
    return f"- {view.name}: {described}\n  arguments: {given}\n  answers: {', '.join(answer_paths(view)) or 'no field'}"


def _lines(text: str) -> Iterator[dict[str, Any]]:
    """Yield the flat JSON objects of a text, whatever stands around them; what is none is {}."""
    for found in _OBJECT.findall(text):
        try:
            value = json.loads(found)
        except json.JSONDecodeError:
            value = {}
        yield value


def _reason_against(line: dict[str, Any], views: dict[str, ToolView]) -> str:
    if not all(isinstance(line.get(name), str) for name in _NAMES):
        return "not the form asked for"
    producer, consumer = views.get(line["producer"]), views.get(line["consumer"])
    if producer is None or consumer is None:
        return "no such tool"
    if producer is consumer:
        return "a tool that supplies itself"
    if line["field"] not in answer_paths(producer):
        return "no such field"
    return "" if line["parameter"] in consumer.by_path else "no such parameter"
