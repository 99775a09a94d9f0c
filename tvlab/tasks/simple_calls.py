"""Arguments of a call that is made only to see what it does: keys that exist and fit, plausible values.

What a user would say is no matter here (``draft.py``); nothing is validated, the environment's own check decides.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from tvlab.environments.environment import Environment
from tvlab.tasks.arguments import assemble, completed
from tvlab.tasks.key_choices import KeyChoice
from tvlab.tasks.texts import pick
from tvlab.tasks.tool_views import Leaf, ToolView, key_of, rows_of
from tvlab.tasks.values import fresh_key, plausible, settled


def simple_arguments(
    environment: Environment,
    view: ToolView,
    state: Mapping[str, Any],
    given: Mapping[str, Any],
    rng: np.random.Generator,
    record: Mapping[str, Any] | None = None,
    of: str | None = None,
    like: Mapping[str, Any] | None = None,
    also: Collection[str] = (),
) -> dict[str, Any]:
    """Return arguments for a call: what is given, keys that exist and fit, plausible values for what is required.

    Args:
        given: values by leaf path.
        record: a record whose fields settle other references of the call, e.g. its parent.
        of: the record's entity.
        like: a record that filters and queries should find.
        also: paths of optional references to give as well.
    """
    keys = _keys(environment, view, state, given, rng, record, of, also)
    begun = {leaf.top for leaf in view.leaves if leaf.path in given or leaf.path in keys}
    values: dict[str, Any] = {}
    for leaf in view.leaves:
        needed = leaf.required or (leaf.inner and leaf.top in begun)
        if leaf.path in given:
            values[leaf.path] = given[leaf.path]
        elif leaf.path in keys:
            values[leaf.path] = keys[leaf.path]
        elif (value := settled(leaf)) is not None:
            values[leaf.path] = value
        elif needed or _else_hidden(leaf, like) or (view.operation in ("update", "set") and leaf.role == "payload"):
            values[leaf.path] = _invented(environment, view, leaf, state, rng, like)
    return completed(assemble(values), view.schema)


def _keys(
    environment: Environment,
    view: ToolView,
    state: Mapping[str, Any],
    given: Mapping[str, Any],
    rng: np.random.Generator,
    record: Mapping[str, Any] | None,
    of: str | None,
    also: Collection[str],
) -> dict[str, Any]:
    """Return the keys of a call by leaf path, those of things with parents before those of the parents."""
    choice = KeyChoice(environment, state)
    if record and of:
        choice.settle(of, record.get(str(key_of(environment, of))), record)
    begun = {leaf.top for leaf in view.leaves if leaf.path in given}
    asked = [
        leaf
        for leaf in view.references
        if leaf.path not in given
        and (leaf.required or leaf.path in also or (leaf.inner and leaf.top in begun))
    ]
    for leaf in view.references:
        if leaf.path in given and leaf.entity and isinstance(given[leaf.path], (str, int)):
            rows = rows_of(environment, leaf.entity, state)
            choice.settle(leaf.entity, given[leaf.path], rows.get(given[leaf.path], {}))
    asked.sort(key=lambda leaf: -choice.named_by(leaf.entity))
    return {leaf.path: choice.draw(leaf.entity, rng) for leaf in asked}


def _invented(
    environment: Environment,
    view: ToolView,
    leaf: Leaf,
    state: Mapping[str, Any],
    rng: np.random.Generator,
    like: Mapping[str, Any] | None = None,
) -> Any:
    rows = rows_of(environment, view.entity, state)
    now = state.get("_clock", {}).get("now", "2026-01-01T00:00:00Z")
    if leaf.role == "new_key":
        return fresh_key(leaf, list(rows), now, rng)
    found = list(rows.values()) if like is None else [like]
    known = [row[leaf.field] for row in found if leaf.field in row]
    if leaf.role == "query":
        texts = [value for row in found for value in row.values() if isinstance(value, str)]
        return pick(texts, rng) if texts else "a"
    if leaf.role == "filter" and known:
        return pick(known, rng)
    if leaf.role in ("page", "offset") and like is not None:
        return max(int(leaf.role == "page"), int(leaf.schema.get("minimum", 0)))
    return plausible(leaf, known, now, rng)


def _else_hidden(leaf: Leaf, like: Mapping[str, Any] | None) -> bool:
    """True for a filter whose default might hide a record that should be found."""
    return like is not None and leaf.role == "filter" and "default" in leaf.schema and leaf.field in like
