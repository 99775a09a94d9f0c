"""Random tool calls that fit their schemas: a random policy, for exploration, load tests and baselines.

Parameters which the report knows as a key or a reference are drawn from the records there are (an optional
one is left out where there are none, a cursor always), everything else from the schema.  Keywords that are
read: type, enum, const, anyOf, oneOf, properties, required, items, the bounds of numbers, strings and
arrays, uniqueItems, multipleOf, and the formats date, date-time, time, email and uri.  A ``pattern`` is not:
such a value may be refused, which a random policy bears.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tvlab.environments.environment import Environment
from tvlab.environments.runtime import State
from tvlab.environments.tool_calls import ToolCall, detached

Known = Mapping[str, Sequence[Any]]  # values that are there, by the parameter's path

_WORDS = "amber birch cedar delta ember fjord grove haven iris jade kelp lotus maple north olive".split()
_FORMATS = {
    "date": ("2026-03-02", "2026-03-09", "2026-04-01"),
    "date-time": ("2026-03-02T09:00:00Z", "2026-03-09T17:30:00Z"),
    "time": ("09:00:00Z", "17:30:00Z"),
    "email": ("amber@example.com", "birch@example.com"),
    "uri": ("https://example.com/amber", "https://example.com/birch"),
}
_MAX_DEPTH = 8


def random_call(
    environment: Environment,
    generator: np.random.Generator,
    state: State | None = None,
    optional: float = 0.3,
) -> ToolCall:
    """Draw a tool and arguments for it.

    Args:
        environment: whose tools.
        generator: where chance comes from.
        state: where keys are drawn from; the initial state if None.
        optional: probability that an optional parameter is given.
    """
    tool = environment.tools[int(generator.integers(len(environment.tools)))]
    known = known_values(environment, tool["name"], environment.state if state is None else state)
    return ToolCall(tool["name"], random_arguments(tool["inputSchema"], generator, known, optional))


def known_values(environment: Environment, tool: str, state: State) -> dict[str, list[Any]]:
    """Return the keys that ``state`` holds for each key or reference parameter; none for a cursor."""
    entities = environment.report.get("entities", {})
    parameters = environment.report.get("meanings", {}).get(tool, {}).get("parameters", {})
    known: dict[str, list[Any]] = {}
    for path, parameter in parameters.items():
        entity = entities.get(parameter.get("entity"))
        if parameter.get("role") == "cursor":  # opaque: only a reply can give one
            known[path] = []
        elif entity and parameter.get("role") in ("key", "reference"):
            rows = state.get(entity["table"], {})
            known[path] = [_key(key, record, entity["key"]) for key, record in rows.items()]
    return known


def random_arguments(
    schema: Mapping[str, Any],
    generator: np.random.Generator,
    known: Known | None = None,
    optional: float = 0.3,
) -> dict[str, Any]:
    """Draw arguments that fit an ``inputSchema``."""
    return _Draw(generator, known or {}, optional).object(schema, "", 0)


def _key(key: Any, record: Any, field: str) -> Any:
    # a state file's keys are strings, also where the key field is an integer
    return record.get(field, key) if isinstance(record, dict) else key


class _Draw:
    """One draw of arguments: the generator, and what is known of the state."""

    def __init__(self, generator: np.random.Generator, known: Known, optional: float) -> None:
        self.generator = generator
        self.known = known
        self.optional = optional

    def value(self, schema: Any, path: str, depth: int) -> Any:
        if self.known.get(path):
            return self.one_of(self.known[path])
        if not isinstance(schema, Mapping):
            return self.word()
        if "const" in schema:
            return detached(schema["const"])
        if schema.get("enum"):
            return detached(self.one_of(schema["enum"]))
        branches = schema.get("anyOf") or schema.get("oneOf")
        if branches and "properties" not in schema:
            return self.value({**schema, "anyOf": None, "oneOf": None, **self.one_of(branches)}, path, depth)
        types = schema.get("type", "object" if "properties" in schema else "string")
        name = types if isinstance(types, str) else self.one_of(types)
        draw = {"object": self.object, "array": self.array}.get(name)
        return draw(schema, path, depth) if draw else self.scalar(name, schema)

    def object(self, schema: Mapping[str, Any], path: str, depth: int) -> dict[str, Any]:
        required = set(schema.get("required", ()))
        given = {}
        for name, part in schema.get("properties", {}).items():
            where = f"{path}.{name}" if path else name
            if name in required or (self.known.get(where, True) and self.wanted(depth)):
                given[name] = self.value(part, where, depth + 1)
        return given

    def wanted(self, depth: int) -> bool:
        return depth < _MAX_DEPTH and self.generator.random() < self.optional

    def array(self, schema: Mapping[str, Any], path: str, depth: int) -> list[Any]:
        least = schema.get("minItems", 0)
        most = min(schema.get("maxItems", least + 2), least + 2)
        length = int(self.generator.integers(least, max(most, least) + 1)) if depth < _MAX_DEPTH else least
        values = [self.value(schema.get("items"), f"{path}[]", depth + 1) for _ in range(length)]
        return _unique(values) if schema.get("uniqueItems") else values

    def scalar(self, name: str, schema: Mapping[str, Any]) -> Any:
        if name == "null":
            return None
        if name == "boolean":
            return bool(self.generator.integers(2))
        if name in ("integer", "number"):
            return self.number(schema, whole=name == "integer")
        return self.text(schema)

    def number(self, schema: Mapping[str, Any], whole: bool) -> float:
        step = schema.get("multipleOf") or (1 if whole else 0.25)
        first = _first_step(schema.get("minimum"), schema.get("exclusiveMinimum"), step)
        # n * step <= maximum is -n * step >= -maximum
        maximum, below = _negative(schema.get("maximum")), _negative(schema.get("exclusiveMaximum"))
        least = _first_step(maximum, below, step)
        low = first if first is not None else min(0, -least) if least is not None else 0
        high = low + 20 if least is None else max(low, min(low + 20, -least))
        value = (low + int(self.generator.integers(high - low + 1))) * step
        return int(value) if whole else float(value)

    def text(self, schema: Mapping[str, Any]) -> str:
        if schema.get("format") in _FORMATS:
            return self.one_of(_FORMATS[schema["format"]])
        text = self.word()
        while len(text) < schema.get("minLength", 0):
            text += f" {self.word()}"
        return text[: schema.get("maxLength", len(text))]

    def word(self) -> str:
        return self.one_of(_WORDS)

    def one_of(self, values: Sequence[Any]) -> Any:
        return values[int(self.generator.integers(len(values)))]


def _first_step(minimum: float | None, above: float | None, step: float) -> int | None:
    """Return the least n for which n * step keeps both bounds; None without bounds."""
    bounds = [math.ceil(minimum / step)] if minimum is not None else []
    bounds += [math.floor(above / step) + 1] if above is not None else []
    return max(bounds, default=None)


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _unique(values: list[Any]) -> list[Any]:
    return [value for index, value in enumerate(values) if value not in values[:index]]
