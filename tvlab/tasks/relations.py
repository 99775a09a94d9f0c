"""Changes of a record that has no key of its own in the call: the logo of a theme, the share of a file with a user.

Such a call works only where a record names all the things that it is given, so these are taken from one record
instead of one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tvlab.environments.environment import Environment
from tvlab.tasks.draft import Thing
from tvlab.tasks.tool_views import Leaf, ToolView, named_key, references_of, rows_of

if TYPE_CHECKING:
    from tvlab.tasks.drawing import Drawer


def is_relation(environment: Environment, view: ToolView) -> bool:
    """True if a tool changes an existing record that it is told by the things which the record names.

    All that every call needs are references to other kinds of things, each to another kind, and the records name them.
    """
    needed = [leaf for leaf in view.leaves if leaf.required]
    kinds = {leaf.entity for leaf in needed}
    named = set(references_of(environment, view.entity).values()) if view.entity else set()
    return bool(
        view.writes
        and view.operation in ("delete", "unlink")
        and needed
        and all(leaf.refers and not leaf.is_array for leaf in needed)
        and len(kinds) == len(needed)
        and view.entity not in kinds
        and kinds <= named
    )


def things_of_one_record(drawer: Drawer, view: ToolView) -> dict[str, Thing] | None:
    """Return the things that a record names, by parameter path; None if every record is taken or names too little.

    Records that name a thing of the draft come first.
    """
    leaves = [leaf for leaf in view.leaves if leaf.required]
    there = {(thing.entity, thing.key) for thing in drawer.draft.things if not thing.made and not thing.gone}
    gone = {(thing.entity, thing.key) for thing in drawer.draft.things if thing.gone}
    taken = [_keys(step.bound) for step in drawer.draft.steps if step.view.entity == view.entity]
    choices: list[tuple[int, float, dict[str, Any]]] = []
    for record in rows_of(drawer.environment, view.entity).values():
        keys = _named(drawer.environment, view, record, leaves)
        pairs = {(leaf.entity, keys.get(leaf.path)) for leaf in leaves}
        if len(keys) == len(leaves) and keys not in taken and not pairs & gone:
            choices.append((-len(pairs & there), drawer.rng.random(), keys))
    if not choices:
        return None
    keys = min(choices, key=lambda choice: choice[:2])[2]
    return {leaf.path: drawer.seed_thing(leaf.entity, keys[leaf.path]) for leaf in leaves}


def _named(environment: Environment, view: ToolView, record: dict[str, Any], leaves: list[Leaf]) -> dict[str, Any]:
    """Return the keys that a record names, by parameter path; what is no key of a record is left out."""
    found = {leaf.path: named_key(environment, str(view.entity), record, leaf.entity) for leaf in leaves}
    return {leaf.path: found[leaf.path] for leaf in leaves if found[leaf.path] in rows_of(environment, leaf.entity)}


def _keys(bound: dict[str, Thing]) -> dict[str, Any]:
    return {path: thing.key for path, thing in bound.items()}
