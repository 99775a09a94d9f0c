"""Checks of defaults that the published schema declares inside the objects of an argument.

The defaults are read from the schema, the values from the records that a call made: a call that leaves the inner
value out makes a record that holds its default.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.meanings.nested_defaults import deeper

_MADE = frozenset({"create", "send"})
Path = tuple[str, ...]


def check_deeper_defaults(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """What a create leaves out inside an object is stored as its declared default."""
    if case.meaning["operation"] not in _MADE or case.action is not None:
        return
    for name, part in case.properties.items():
        for path, default in _leaves(deeper(part)):
            base = next((o for o in successes if o.change and _holder(o.arguments.get(name), path)), None)
            if base is None:
                continue
            arguments = copy.deepcopy(base.arguments)
            for holder in _holder(arguments[name], path):
                holder.pop(path[-1], None)
            outcome = case.run(arguments)
            if not outcome.ok:
                continue
            rows = [row for _, row in outcome.change.added]
            held = [one for row in rows for at in (path, (name, *path)) for one in _holder(row, at)]
            kept = bool(held) and all(one.get(path[-1]) == default for one in held)
            yield case.check("default", kept, f"the default of {'.'.join((name, *path))} is not stored")


def _leaves(tree: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The path of each default, with ``[]`` for the items of a list."""
    if isinstance(tree, list):
        yield from _leaves(tree[0], (*path, "[]"))
    elif isinstance(tree, dict):
        for name, part in tree.items():
            yield from _leaves(part, (*path, name))
    else:
        yield path, tree


def _holder(value: Any, path: Path) -> list[dict[str, Any]]:
    """The objects that hold the last name of a path."""
    if len(path) == 1:
        return [value] if isinstance(value, dict) else []
    if path[0] == "[]":
        return [one for item in value for one in _holder(item, path[1:])] if isinstance(value, list) else []
    return _holder(value.get(path[0]), path[1:]) if isinstance(value, dict) else []
