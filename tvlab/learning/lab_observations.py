"""What the lab policy reads in an observation: scalar values, the field each stands in, and its record's texts.

Values are found by walking the JSON; nothing says which of them matter. Equal observations are read once.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tvlab.foundation.words import split_name, stem
from tvlab.learning.lab_tools import KEY_WORDS, ToolSet

MAX_RECORDS = 256
_MAX_DEPTH = 6


@dataclass(frozen=True)
class Field:
    """A place in a tool's output, e.g. ``orders[].order_id`` of ``list_orders``.

    Attributes:
        tool: index of the tool.
        name: stems of the field's name (with those of its container or tool where that is a bare "id").
        around: stems of the container's name and of the tool's.
        verb: stem of the tool's first word.
        key: the name looks like an identifier's.
        type: JSON type of the values: string, integer, number or boolean.
    """

    tool: int
    name: frozenset[str]
    around: frozenset[str]
    verb: str
    key: bool
    type: str


@dataclass(frozen=True)
class Observation:
    """The scalar values of one observation, in the order in which they stand there.

    Attributes:
        index: number of the observation among those its reader has read.
        values: value numbers.
        places: field number * ``MAX_RECORDS`` + record number of each value.
        records: number of each record among the reader's; records with the same texts share one.
    """

    index: int
    values: list[int]
    places: tuple[int, ...]
    records: tuple[int, ...]


class ObservationReader:
    """Reads the observations of one tool set; numbers fields as they turn up."""

    def __init__(self, tools: ToolSet) -> None:
        self.tools = tools
        self.fields: list[Field] = []
        self._field_index: dict[tuple[int, str, str, str], int] = {}
        self.records: list[tuple[str, ...]] = []
        self._record_index: dict[tuple[str, ...], int] = {}
        self._read: dict[tuple[int, bytes], Observation] = {}

    def read(self, tool: int, value: Any) -> Observation:
        """Return the values of what ``tool`` returned."""
        key = (tool, marshal.dumps(value, 2))
        found = self._read.get(key)
        if found is None:
            found = self._read[key] = self._parse(tool, value)
        return found

    def forget(self) -> None:
        """Forget observations and records; the numbers of fields and values stay."""
        self._read.clear()
        self._record_index.clear()
        self.records.clear()

    def _parse(self, tool: int, value: Any) -> Observation:
        values: list[int] = []
        places: list[int] = []
        records: list[int] = []
        for path, name, container, record in _records(value):
            if len(records) == MAX_RECORDS:
                break
            for key, item in record:
                type_ = _TYPES.get(type(item))
                if type_ is not None and item != "":
                    values.append(self.tools.values.index(item))
                    places.append(self._field(tool, path, key or name, container, type_) * MAX_RECORDS + len(records))
            records.append(self._record(tuple(item for _, item in record if isinstance(item, str))))
        return Observation(len(self._read), values, tuple(places), tuple(records))

    def _record(self, texts: tuple[str, ...]) -> int:
        at = self._record_index.get(texts)
        if at is None:
            at = self._record_index[texts] = len(self.records)
            self.records.append(texts)
        return at

    def _field(self, tool: int, path: str, name: str, container: str, type_: str) -> int:
        at = self._field_index.get((tool, path, name, type_))
        if at is None:
            at = self._field_index[tool, path, name, type_] = len(self.fields)
            self.fields.append(self._new_field(tool, name, container, type_))
        return at

    def _new_field(self, tool: int, name: str, container: str, type_: str) -> Field:
        words = [stem(word) for word in split_name(name)]
        holder = frozenset(stem(word) for word in split_name(container))
        tool_stems = self.tools.stems[tool]
        around = holder or frozenset(tool_stems[1:])
        bare = set(words) <= KEY_WORDS
        key = bool(words) and words[-1] in KEY_WORDS
        return Field(tool, frozenset(words) | (around if bare else frozenset()), around, tool_stems[0], key, type_)


_NESTED = (dict, list)
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def _records(value: Any, path: str = "", name: str = "", container: str = "",
             depth: int = 0) -> Iterator[tuple[str, str, str, list[tuple[str, Any]]]]:  # fmt: skip
    """Yield (path, own name, container's name, scalar items) of each object, and of each array of scalars."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        scalars = [(key, item) for key, item in value.items() if not isinstance(item, _NESTED)]
        if scalars:
            yield path, name, container, scalars
        for key, item in value.items():
            if isinstance(item, _NESTED):
                yield from _records(item, f"{path}.{key}", key, key, depth + 1)
    elif isinstance(value, list):
        scalars = [("", item) for item in value if not isinstance(item, _NESTED)]
        if scalars:
            yield f"{path}[]", name, container, scalars
        for item in value:
            if isinstance(item, _NESTED):
                yield from _records(item, f"{path}[]", name, container, depth + 1)
    else:
        yield path, name, container, [("", value)]
