"""A tool list as the lab policy reads it: tools, and one leaf for each scalar that a call may hold.

Only what an agent is shown is read: names, descriptions, parameter names, types, enums, ``required``. An array is
opened to ``SLOTS`` places, an object to its properties; what stays open (no properties, no item type) is a leaf of
type ``list`` or ``object``. Where a schema leaves a choice (``anyOf``, several types) the first branch is taken.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tvlab.foundation.words import split_name, stem

SLOTS = 3
MAX_DEPTH = 4
NO_VALUE = 0
PLACES = 2048
KEY_WORDS = frozenset("id key uuid guid uid gid sku code number slug symbol ref iban handle".split())
_FORMATS = {
    "date-time": "datetime",
    "date": "date",
    "time": "time",
    "email": "email",
    "uri": "path",
    "url": "path",
}
_HINTS = ((re.compile(r"ISO.?8601|date-?time|T\d\d:\d\d|timestamp", re.I), "datetime"),
          (re.compile(r"YYYY-MM-DD|\d{4}-\d\d-\d\d", re.I), "date"), (re.compile(r"HH:MM", re.I), "time"))  # fmt: skip
_FORMAT_WORDS = {"date": "date", "email": "email", "url": "path", "path": "path", "time": "time"}


@dataclass(frozen=True)
class Leaf:
    """One scalar place in a tool's arguments.

    Attributes:
        tool: index of the tool.
        path: keys and array indices from the arguments to the place.
        type: string, integer, number, boolean, choice, list, object or any.
        choices: the values of an enum or boolean.
        format: a kind of ``lab_words.KINDS`` that a string should have, or None.
        required: the call is invalid without it.
        within: the call is invalid without it if the object at this path is given; None where that says nothing.
        slot: the last array index on the path (0 outside arrays).
        key: the name looks like an identifier's.
        default: the schema's default, or None.
        name: stems of the parameter's own name (and of the tool's nouns where that is a bare "id").
        around: stems of the names around it on the path.
        text: stems of its description.
    """

    tool: int
    path: tuple[str | int, ...]
    type: str
    choices: tuple[Any, ...]
    format: str | None
    required: bool
    within: tuple[str | int, ...] | None
    slot: int
    key: bool
    default: Any
    name: frozenset[str]
    around: frozenset[str]
    text: frozenset[str]


class ValueTable:
    """Gives every value one small integer; 0 stands for leaving a parameter out.

    Attributes:
        values: the values by their integers.
        places: of each value a hash below ``PLACES``, the same whatever other values there are.
    """

    def __init__(self) -> None:
        self.values: list[Any] = [None]
        self.places: list[int] = [0]
        self._index: dict[Any, int] = {}

    def index(self, value: Any) -> int:
        """Return the value's integer; equal JSON values of one type share it."""
        key = (type(value), repr(value) if isinstance(value, (list, dict)) else value)
        at = self._index.get(key)
        if at is None:
            at = self._index[key] = len(self.values)
            self.values.append(value)
            self.places.append(zlib.crc32(f"{type(value).__name__} {value!r}".encode()) % PLACES)
        return at


class ToolSet:
    """The tools of one environment, cut into leaves, with the words that matter for matching.

    Args:
        tools: refactored tools in the MCP ``tools/list`` shape.
    """

    def __init__(self, tools: Sequence[dict[str, Any]]) -> None:
        self.names = [tool["name"] for tool in tools]
        self.stems = [tuple(map(stem, split_name(name))) for name in self.names]
        self.texts = [_stems(tool.get("description", "")) for tool in tools]
        self.leaves: list[Leaf] = []
        self.leaf_range: list[range] = []
        for at, tool in enumerate(tools):
            start = len(self.leaves)
            nouns = frozenset(self.stems[at][1:])
            self.leaves += _leaves(tool.get("inputSchema", {}), at, nouns, _Place())
            self.leaf_range.append(range(start, len(self.leaves)))
        self.nouns = frozenset(word for stems in self.stems for word in stems[1:])
        self.values = ValueTable()

    @cached_property
    def rarity(self) -> dict[str, float]:
        """log(tools / tools with the word in their name) + .1: how much a word tells the tools apart."""
        seen = Counter(word for stems in self.stems for word in set(stems))
        return {word: float(np.log(len(self.names) / count)) + 0.1 for word, count in seen.items()}

    @cached_property
    def keys_needed(self) -> list[list[int]]:
        """For each tool the required leaves that look like identifiers."""
        return [[at for at in leaves if self.leaves[at].required and self.leaves[at].key] for leaves in self.leaf_range]

    @cached_property
    def flat(self) -> list[bool]:
        """For each tool: all its leaves are top-level parameters."""
        return [all(len(self.leaves[at].path) == 1 for at in leaves) for leaves in self.leaf_range]

    @cached_property
    def optional_parts(self) -> list[list[tuple[list[int], list[int]]]]:
        """For each tool (leaves, needed leaves) of its optional objects and array elements, the innermost first."""
        return [_optional_parts([self.leaves[at] for at in leaves]) for leaves in self.leaf_range]

    def arguments(self, tool: int, chosen: Sequence[int]) -> dict[str, Any]:
        """Return the arguments in which leaf j of the tool has value number ``chosen[j]`` (0: left out).

        An optional object or array element that lacks what it must have is left out.
        """
        leaves, values = self.leaves, self.values.values
        at = self.leaf_range[tool]
        for inside, needed in self.optional_parts[tool]:
            if any(chosen[j] == NO_VALUE for j in needed):
                chosen = [NO_VALUE if j in inside else v for j, v in enumerate(chosen)]
        if self.flat[tool]:
            return {str(leaves[j].path[0]): values[v] for j, v in zip(at, chosen, strict=True) if v != NO_VALUE}
        tree: dict[Any, Any] = {}
        for j, v in zip(at, chosen, strict=True):
            if v != NO_VALUE:
                node = tree
                for step in leaves[j].path[:-1]:
                    node = node.setdefault(step, {})
                node[leaves[j].path[-1]] = values[v]
        return _arrays(tree)


def _arrays(tree: Any) -> Any:
    """Turn dictionaries with integer keys into lists."""
    if not isinstance(tree, dict) or not tree:
        return tree
    if isinstance(next(iter(tree)), int):
        return [_arrays(tree[key]) for key in sorted(tree)]
    return {key: _arrays(value) for key, value in tree.items()}


@dataclass(frozen=True)
class _Place:
    """Where a schema stands: path, names around, whether needed, the optional object that it is needed in, slot."""

    path: tuple[str | int, ...] = ()
    around: frozenset[str] = frozenset()
    required: bool = True
    within: tuple[str | int, ...] | None = None
    slot: int = 0

    def property(self, name: str, needed: bool) -> _Place:
        within = None if self.required else self.within if self.within is not None else self.path
        return _Place((*self.path, name), self.around | frozenset(_name_stems(self.path)), self.required and needed,
                      within if needed else None, self.slot)  # fmt: skip

    def element(self, slot: int) -> _Place:
        first = slot == 0
        return _Place((*self.path, slot), self.around, self.required and first, self.within if first else None, slot)


def _leaves(schema: dict[str, Any], tool: int, nouns: frozenset[str], place: _Place) -> Iterator[Leaf]:
    schema = _first_branch(schema)
    type_ = _type(schema)
    if type_ == "object" and schema.get("properties") and len(place.path) < 2 * MAX_DEPTH:
        needed = set(schema.get("required", ()))
        for name, sub in schema["properties"].items():
            yield from _leaves(_as_schema(sub), tool, nouns, place.property(name, name in needed))
    elif type_ == "array" and place.path and _type(_first_branch(_as_schema(schema.get("items")))) != "any":
        items = _as_schema(schema["items"])
        items = {**items, "description": items.get("description") or schema.get("description", "")}
        for slot in range(min(SLOTS, schema.get("maxItems", SLOTS))):
            yield from _leaves(items, tool, nouns, place.element(slot))
    elif place.path:
        yield _leaf(schema, tool, nouns, place)


def _leaf(schema: dict[str, Any], tool: int, nouns: frozenset[str], place: _Place) -> Leaf:
    words = _name_stems(place.path)
    choices = tuple(schema["enum"]) if isinstance(schema.get("enum"), list) else ()
    if "const" in schema:
        choices = (schema["const"],)
    type_ = "choice" if choices else _type(schema)
    bare = set(words) <= KEY_WORDS
    text = str(schema.get("description", ""))
    return Leaf(
        tool=tool, path=place.path, type={"array": "list"}.get(type_, type_),
        choices=(True, False) if type_ == "boolean" else choices,
        format=_format(schema, words, text) if type_ == "string" else None,
        required=place.required, within=place.within, slot=place.slot,
        key=bool(words) and words[-1] in KEY_WORDS and type_ in ("string", "integer"), default=schema.get("default"),
        name=frozenset(words) | (nouns if bare else frozenset()),
        around=place.around - frozenset(words), text=frozenset(_stems(text)),
    )  # fmt: skip


def _optional_parts(leaves: Sequence[Leaf]) -> list[tuple[list[int], list[int]]]:
    """(leaves, needed leaves) of each optional object, as places among ``leaves``, the innermost first."""
    paths = {leaf.within for leaf in leaves if leaf.within is not None}
    return [([j for j, leaf in enumerate(leaves) if leaf.path[: len(path)] == path],
             [j for j, leaf in enumerate(leaves) if leaf.within == path])
            for path in sorted(paths, key=len, reverse=True)]  # fmt: skip


def _first_branch(schema: dict[str, Any]) -> dict[str, Any]:
    for word in ("anyOf", "oneOf", "allOf"):
        branches = [b for b in schema.get(word, ()) if isinstance(b, dict) and b.get("type") != "null"]
        if branches and "type" not in schema:
            return {**{k: v for k, v in schema.items() if k != word}, **branches[0]}
    return schema


def _type(schema: dict[str, Any]) -> str:
    type_ = schema.get("type", "object" if "properties" in schema else "any")
    if isinstance(type_, list):
        return str(next((t for t in type_ if t != "null"), "any"))
    return str(type_)


def _as_schema(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _name_stems(path: tuple[str | int, ...]) -> list[str]:
    named = [step for step in path if isinstance(step, str)]
    return [stem(word) for word in split_name(named[-1])] if named else []


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in re.findall(r"[^\W_]+", text.lower()))


def _format(schema: dict[str, Any], words: list[str], text: str) -> str | None:
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    for pattern, kind in _HINTS:
        if pattern.search(text):
            return kind
    plain = words[-1] if words else ""
    return next((kind for word, kind in _FORMAT_WORDS.items() if plain == stem(word)), None)
