"""A tool as the task side sees it: its meaning, and the leaves of its arguments.

A leaf is one scalar an argument needs (``items[].sku``); an array is filled with one element, except arrays
of plain scalars.  Roles come from the environment's report; where it is silent, a leaf named like an
entity's key refers to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, wraps
from typing import Any, TypeVar

from tvlab.environments.environment import Environment
from tvlab.foundation.words import split_name
from tvlab.tasks.paths import EACH, steps

Result = TypeVar("Result")

MAKING = frozenset({"create", "send", "batch_create", "upsert", "add", "copy"})
READING = frozenset({"read", "list", "search", "count", "fact", "compute", "batch_read"})
LISTING = frozenset({"list", "search"})
REFERRING = frozenset({"key", "reference"})
PAGING = frozenset({"limit", "offset", "page", "cursor", "sort"})
ACTING = frozenset("target source new old destination dest from to".split())
GENERIC = frozenset("id uid uuid guid key name title label slug code number url path index type value".split())
"""Names that a key may have and that say nothing of whose key it is."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """One scalar argument of a tool.

    Attributes:
        path: where it stands, e.g. ``items[].sku``.
        schema: its JSON schema, alternatives resolved to the first that is not null.
        role: key|reference|payload|filter|query|limit|offset|page|cursor|sort|new_key.
        entity: whose key it is, for key and reference.
        field: the record field it fills or compares.
        required: whether every call has it (all parents required too).
        inner: whether every call that gives the top-level parameter has it.
    """

    path: str
    schema: Mapping[str, Any]
    role: str
    entity: str | None
    field: str
    required: bool
    inner: bool = True

    @cached_property
    def name(self) -> str:
        """The last name of the path, without ``[]``."""
        return next(step for step in reversed(steps(self.path)) if step != EACH)

    @property
    def refers(self) -> bool:
        return self.role in REFERRING and self.entity is not None

    @property
    def top(self) -> str:
        """The top-level parameter."""
        return steps(self.path)[0]

    @property
    def is_array(self) -> bool:
        return self.path.endswith(EACH)


@dataclass(frozen=True, eq=False)
class ToolView:
    """Meaning and leaves of one tool.

    Attributes:
        operation, entity, writes, verb: as in the environment's report.
        leaves: the arguments' leaves.
        output: as in the report: shape, entity, key_path, fields.
    """

    name: str
    operation: str
    entity: str | None
    writes: bool
    verb: str
    leaves: tuple[Leaf, ...]
    output: Mapping[str, Any]
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def by_path(self) -> dict[str, Leaf]:
        return {leaf.path: leaf for leaf in self.leaves}

    @cached_property
    def references(self) -> tuple[Leaf, ...]:
        """Leaves that hold the key of something that exists."""
        return tuple(leaf for leaf in self.leaves if leaf.refers)

    @cached_property
    def takes_own_key(self) -> bool:
        """True if the tool is given the key of the entity it returns: its output key is an echo."""
        return any(
            leaf.entity == self.output.get("entity") and leaf.role == "key" for leaf in self.references
        )

    @property
    def makes(self) -> bool:
        """True if a successful call brings a new record into being, whose key it returns."""
        shown = self.output.get("key_path") and self.output.get("entity")
        return bool(self.writes and self.operation in MAKING and shown and not self.takes_own_key)

    @property
    def reads(self) -> bool:
        return not self.writes


class _Identity:
    """An environment as a cache key: by identity, kept alive."""

    __slots__ = ("environment",)

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def __hash__(self) -> int:
        return id(self.environment)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.environment is self.environment


def once_per_environment(function: Callable[[Environment], Result]) -> Callable[[Environment], Result]:
    """Keep what a function says of an environment; an environment never changes."""
    kept = lru_cache(maxsize=1024)(lambda identity: function(identity.environment))

    @wraps(function)
    def looked_up(environment: Environment) -> Result:
        return kept(_Identity(environment))

    return looked_up


@once_per_environment
def tool_views(environment: Environment) -> dict[str, ToolView]:
    """Return the views of all tools that the report gives a meaning."""
    meanings = environment.report.get("meanings", {})
    return {tool["name"]: _view(environment, tool) for tool in environment.tools if tool["name"] in meanings}


def key_of(environment: Environment, entity: str | None) -> str | None:
    """Return the key field of an entity, None if the report does not know it."""
    return environment.report.get("entities", {}).get(entity, {}).get("key")


def rows_of(
    environment: Environment, entity: str | None, state: Mapping[str, Any] | None = None
) -> dict[Any, Any]:
    """Return an entity's records by key, in the initial state or in ``state``.

    Tables have text keys, as JSON wants; here the keys have the type that arguments have.
    """
    if state is None or state is environment.state:
        return _initial_rows(environment).get(entity, {})
    about = environment.report.get("entities", {}).get(entity, {})
    return _by_key(about, state)


@once_per_environment
def _initial_rows(environment: Environment) -> dict[str | None, dict[Any, Any]]:
    entities = environment.report.get("entities", {})
    return {name: _by_key(about, environment.state) for name, about in entities.items()}


def _by_key(about: Mapping[str, Any], state: Mapping[str, Any]) -> dict[Any, Any]:
    name = about.get("key")
    return {_typed_key(row, name, key): row for key, row in state.get(str(about.get("table")), {}).items()}


def _typed_key(row: Any, name: Any, key: Any) -> Any:
    own = row.get(name) if isinstance(row, dict) else None
    return own if isinstance(own, (str, int)) else key


@once_per_environment
def foreign_fields(environment: Environment) -> Mapping[str, str]:
    """Return the record fields that hold another thing's key: field name -> entity.

    Known from parameters that refer to something (``ticket_id``), and from keys that only one entity has and
    that name it: a nested ``id`` is anybody's.
    """
    entities = environment.report.get("entities", {})
    keys = [about.get("key") for about in entities.values()]
    fields = {
        about["key"]: name
        for name, about in entities.items()
        if keys.count(about.get("key")) == 1 and str(about["key"]).lower() not in GENERIC
    }
    for view in tool_views(environment).values():
        for leaf in view.references:
            if leaf.role == "reference" and leaf.field not in keys and leaf.field.lower() not in GENERIC:
                fields.setdefault(leaf.field, str(leaf.entity))
    return fields


def references_of(environment: Environment, entity: str | None) -> Mapping[str, str]:
    """Return the fields in which a record of an entity names other things: field name -> entity.

    What the report says of a field goes before what its name says.
    """
    return _references(environment).get(entity) or foreign_fields(environment)


@once_per_environment
def _references(environment: Environment) -> Mapping[str | None, Mapping[str, str]]:
    entities = environment.report.get("entities", {})
    said = {
        entity: {
            name: field["reference"]
            for name, field in about.get("fields", {}).items()
            if isinstance(field, dict) and field.get("reference")
        }
        for entity, about in entities.items()
    }
    names = foreign_fields(environment)
    keys = (about.get("key") for about in entities.values())
    plain = {_joined(name) for name in [*names, *keys, *(name for fields in said.values() for name in fields)]}
    names = {name: other for name, other in names.items() if not _of_an_act(name, plain)}
    found: dict[str | None, dict[str, str]] = {}
    for entity, fields in said.items():
        own = {name: other for name, other in fields.items() if not _of_an_act(name, plain)}
        others = {name: other for name, other in names.items() if name not in fields}
        found[entity] = {**others, **own}
        found[entity].pop(entities[entity].get("key"), None)
    return found


def _joined(name: Any) -> str:
    return "".join(split_name(str(name)))


def _of_an_act(field: str, plain: Collection[str]) -> bool:
    """True for the key that an act was given, not a property of a thing: ``target_project_key`` of a copy."""
    words = split_name(field)
    return len(words) > 1 and words[0] in ACTING and "".join(words[1:]) in plain


def named_key(environment: Environment, entity: str, record: Mapping[str, Any], other: str | None) -> Any:
    """Return the key of the ``other`` entity that a record of ``entity`` holds; None if it holds none."""
    fields = references_of(environment, entity)
    return next(
        (
            value
            for name, value in record.items()
            if fields.get(name) == other and isinstance(value, (str, int))
        ),
        None,
    )


def resolved(schema: Any) -> dict[str, Any]:
    """Return a schema with alternatives and type lists narrowed to the first that is not null.

    >>> resolved({"anyOf": [{"type": "null"}, {"type": "string"}], "default": None})
    {'default': None, 'type': 'string'}
    """
    if not isinstance(schema, dict):
        return {}
    for word in ("anyOf", "oneOf"):
        choices = [c for c in schema.get(word, ()) if isinstance(c, dict) and c.get("type") != "null"]
        if choices:
            schema = {**{k: v for k, v in schema.items() if k != word}, **choices[0]}
    kinds = schema.get("type")
    if isinstance(kinds, list):
        schema = {**schema, "type": next((kind for kind in kinds if kind != "null"), "null")}
    return schema


def _view(environment: Environment, tool: dict[str, Any]) -> ToolView:
    meaning = environment.meaning(tool["name"])
    schema = tool.get("inputSchema", {})
    return ToolView(
        name=tool["name"],
        operation=meaning.get("operation", ""),
        entity=meaning.get("entity"),
        writes=tool["name"] in environment.writers,
        verb=meaning.get("verb") or meaning.get("operation", ""),
        leaves=tuple(_leaves(environment, meaning, schema, "", True, True)),
        output=meaning.get("output") or {},
        description=tool.get("description") or "",
        schema=schema,
    )


def _leaves(
    environment: Environment, meaning: Mapping[str, Any], schema: Any, at: str, required: bool, inner: bool
) -> Iterator[Leaf]:
    schema = resolved(schema)
    if schema.get("properties"):
        needed = set(schema.get("required", ()))
        for name, child in schema["properties"].items():
            path = f"{at}.{name}" if at else name
            within = not at or (inner and name in needed)
            yield from _leaves(environment, meaning, child, path, required and name in needed, within)
    elif schema.get("type") == "array" and not at.endswith(EACH):
        yield from _leaves(environment, meaning, schema.get("items", {}), at + EACH, required, inner)
    elif at:
        yield _leaf(environment, meaning, schema, at, required, inner)


def _leaf(
    environment: Environment,
    meaning: Mapping[str, Any],
    schema: dict[str, Any],
    at: str,
    required: bool,
    inner: bool,
) -> Leaf:
    roles = meaning.get("parameters", {})
    given = roles.get(at) or roles.get(at.removesuffix(EACH)) or {}
    name = next(step for step in reversed(steps(at)) if step != EACH)
    role, entity = given.get("role", "payload"), given.get("entity")
    if not given and name.lower() not in GENERIC:
        entity = next(
            (e for e, about in environment.report.get("entities", {}).items() if about["key"] == name), None
        )
        role = "reference" if entity else "payload"
    own_key = entity is not None and entity == meaning.get("entity")
    named = given.get("field") == key_of(environment, meaning.get("entity")) and role == "payload"
    operation = meaning.get("operation")
    if (operation in MAKING and own_key and role == "key") or (operation in (*MAKING, "rename") and named):
        role = "new_key"
    return Leaf(at, schema, role, entity, given.get("field") or name, required, inner)
