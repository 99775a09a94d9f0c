"""The leaves of a schema as a server sent it, at any depth, each with the name by which it says what it is.

Beside ``tool_views.Leaf``, which shows a parameter of an environment with the role that it has there, this is
the schema alone: nothing is narrowed and nothing has a role yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tvlab.environments.domain.tool_parsing import Parameter
from tvlab.environments.language import vocabulary as words_of
from tvlab.foundation.words import singular, split_name
from tvlab.tasks.paths import EACH
from tvlab.tasks.tool_views import resolved

DEEPEST = 6


@dataclass(frozen=True)
class SchemaLeaf:
    """One scalar, array of scalars or open object of a schema.

    Attributes:
        path: where it stands, ``records[].id``.
        parameter: its last name, schema and words; a bare ``id`` inside a thing has that thing's words too.
        required: whether everything that has its root has it.
    """

    path: str
    parameter: Parameter
    required: bool


def schema_leaves(
    schema: Any, at: str = "", required: bool = True, above: tuple[str, ...] = (), depth: int = 0
) -> Iterator[SchemaLeaf]:
    """Yield the leaves of an object schema down to six levels.

    >>> thing = {"type": "object", "properties": {"id": {"type": "string"}}}
    >>> [leaf] = schema_leaves({"properties": {"users": {"type": "array", "items": thing}}})
    >>> leaf.path, leaf.parameter.words
    ('users[].id', ('user', 'id'))
    """
    schema = resolved(schema)
    properties = schema.get("properties")
    if depth > DEEPEST or not isinstance(properties, dict):
        return
    needed = schema.get("required") or ()
    for name, child in properties.items():
        child = resolved(child)
        path = f"{at}.{name}" if at else name
        inner = child
        if child.get("type") == "array":
            path, inner = path + EACH, resolved(child.get("items", {}))
        words, here = tuple(split_name(name)), required and name in needed
        if inner.get("properties"):
            yield from schema_leaves(inner, path, here, tuple(singular(word) for word in words), depth + 1)
        else:
            bare = len(words) == 1 and words[0] in words_of.ID_WORDS and above and above[-1] not in words_of.WRAPPERS
            yield SchemaLeaf(path, Parameter((name,), child, here, (*above, *words) if bare else words), here)
