"""The states of a thing beyond those that one tool lists: an update names what a thing may become, not how it starts.

``update_ticket(status: acknowledged | resolved)`` beside a list by ``statuses: triggered | acknowledged | resolved``: a
new ticket is triggered.  Where no tool lists a first state, a new record bears none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.domain.entities import Field
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.foundation.words import singular, split_name

#: states that a thing comes to, and is not made in
_OUTCOMES = frozenset(
    "acknowledged resolved closed completed complete done cancelled canceled finished rejected approved archived "
    "failed declined accepted deleted expired delivered paid refunded".split()
)


def bare(value: Any) -> str:
    """Return a state as its letters alone: ``in_progress`` and ``In Progress`` are one."""
    return str(value).lower().replace("-", "").replace("_", "").replace(" ", "")


def only_outcomes(column: Field) -> bool:
    """True if a column lists states of which none is one to start in."""
    values = [bare(v) for v in column.schema.get("enum") or () if v is not None]
    return bool(values) and {*values} <= _OUTCOMES


def complete(column: Field, tools: list[ParsedTool]) -> None:
    """Give a column that lists outcomes alone the longer list that another tool about the thing has."""
    if not only_outcomes(column):
        return
    known = [v for v in column.schema["enum"] if v is not None]
    for tool in tools:
        for name, values in _listed(tool.schema):
            state = {singular(word) for word in split_name(name)} & {"status", "state"}
            if state and {*known} < {*values} and not {bare(v) for v in values} <= _OUTCOMES:
                column.schema = {**column.schema, "enum": [*values]}
                return


def _listed(schema: Any, name: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Yield (property, enumerated values) of everything in a schema."""
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("enum"), list):
        yield name, [v for v in schema["enum"] if isinstance(v, str)]
    yield from _listed(schema.get("items"), name)
    for key, part in (schema.get("properties") or {}).items():
        yield from _listed(part, key)
