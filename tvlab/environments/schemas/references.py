"""Where a ``$ref`` points, in schemas as servers send them.

``referencing`` refuses malformed documents as a whole; here a schema with one broken corner must still give
its other definitions, so this module walks pointers itself. On well-formed documents both agree (tested).
Nothing is ever fetched: a reference to another document is missing, unless its last part names a definition
of this one.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

_DEFINITIONS = ("$defs", "definitions", "schemas")
_ANCHORS = ("$anchor", "$dynamicAnchor", "$id", "id")
_SEARCH_DEPTH = 64


class References:
    """Look-up of references inside one document.

    Args:
        root: the schema that ``#`` stands for.
        others: further places (such as the whole tool) to look for a definition by its name.
    """

    def __init__(self, root: Any, *others: Any) -> None:
        self._documents = (root, *others)
        self._by_name: dict[str, Any] | None = None

    def find(self, reference: str) -> Any | None:
        """Return the schema that ``reference`` points at, None if there is none.

        >>> References({"$defs": {"a/b": {"type": "string"}}}).find("#/$defs/a~1b")
        {'type': 'string'}
        """
        base, _, fragment = reference.partition("#")
        if not base:
            if not fragment:
                return self._documents[0]
            if fragment.startswith("/"):
                target = _walk(self._documents[0], fragment)
                if isinstance(target, dict | bool):
                    return target
        return self._named(unquote(reference))

    def _named(self, reference: str) -> Any | None:
        if self._by_name is None:
            self._by_name = {}
            for document in self._documents:
                for name, schema in _definitions(document, 0):
                    self._by_name.setdefault(name, schema)
        last = reference.rsplit("/", 1)[-1].rsplit("#", 1)[-1]
        return self._by_name.get(reference, self._by_name.get(_unescaped(last)))


def _walk(node: Any, pointer: str) -> Any | None:
    for token in pointer[1:].split("/"):
        token = _unescaped(unquote(token))
        if isinstance(node, dict) and token in node:
            node = node[token]
        elif isinstance(node, list) and token.isdecimal() and int(token) < len(node):
            node = node[int(token)]
        else:
            return None
    return node


def _unescaped(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~")


def _definitions(node: Any, depth: int) -> Iterator[tuple[str, dict]]:
    """Yield (name, schema) for all named definitions and anchors, outer ones first."""
    if depth > _SEARCH_DEPTH or not isinstance(node, dict | list):
        return
    if isinstance(node, dict):
        for keyword in _DEFINITIONS:
            if isinstance(node.get(keyword), dict):
                yield from (
                    (name, schema) for name, schema in node[keyword].items() if isinstance(schema, dict)
                )
        for keyword in _ANCHORS:
            if isinstance(node.get(keyword), str):
                yield node[keyword], node
    for child in node.values() if isinstance(node, dict) else node:
        yield from _definitions(child, depth + 1)
