"""Drawing an item's AND-DAG from a tool graph: connected calls, one producer for each reference.

A draft grows by one call at a time.  Each call acts on at least one thing that is already there; what else
it needs is made by a create, found by a look-up, read off another record, or stated by the user.  Only
producers that the graph's OR-group of the parameter offers are used: each of them has been run.  A tool may
appear more than once.

Calls that would undo or overwrite each other are avoided here by simple rules (a thing that the item made
is not deleted, a deleted one is left alone); that each call is necessary is checked when the item is
finished (``necessity.py``).
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from itertools import accumulate
from typing import Any

import numpy as np

from tvlab.environments.environment import Environment
from tvlab.tasks.call_rules import DELETING, CallRules
from tvlab.tasks.comparing import find_option
from tvlab.tasks.draft import Draft, Step, Thing
from tvlab.tasks.edges import scope_references
from tvlab.tasks.graph import ToolGraph
from tvlab.tasks.lookups import find_lookup
from tvlab.tasks.relations import is_relation, things_of_one_record
from tvlab.tasks.simple_calls import simple_arguments
from tvlab.tasks.texts import pick
from tvlab.tasks.tool_views import LISTING, READING, Leaf, ToolView, named_key, rows_of, tool_views

WEIGHTS = {
    "create": 3.0,
    "send": 3.0,
    "update": 3.0,
    "set": 2.0,
    "transition": 2.5,
    "delete": 0.8,
    "read": 5.0,
    "count": 0.8,
    "list": 0.9,
    "search": 0.9,
    "fact": 1.0,
    "compute": 0.6,
}
INTRODUCTIONS = {"make": 0.35, "look": 0.5, "state": 0.3, "via": 0.35}
REUSE = 0.72
GROWTH_TRIES = 16
KEY_TRIES = 4
OPTIONAL_REFERENCE = 0.3
ASKING = frozenset({"read", "count", "fact", "compute"})


class Drawer:
    """Grows drafts on one environment.

    Args:
        environment: with meanings.
        graph: edges that held when run.
        rng: numpy generator.
    """

    def __init__(self, environment: Environment, graph: ToolGraph, rng: np.random.Generator) -> None:
        self.environment = environment
        self.rng = rng
        self.views = tool_views(environment)
        self.groups = graph.or_groups
        self.rules = CallRules(self.views, graph)
        self.scopes = scope_references(environment)
        self.session = environment.session()
        self.start = self.session.snapshot()
        self.draft = Draft()
        self.constraints = 0
        self.candidates = [view for view in self.views.values() if self._wanted(view)]
        self.weights = [WEIGHTS.get(view.operation, 1.0) for view in self.candidates]

    def restart(self, constraints: int = 0) -> None:
        """Begin a new draft, in which so many things are to be chosen by comparing."""
        self.draft = Draft()
        self.constraints = constraints

    @property
    def compared(self) -> int:
        """How many things of the draft are chosen by comparing."""
        return sum(bool(thing.limits) for thing in self.draft.things)

    def grow(self, elsewhere: bool = False) -> bool:
        """Add one call and what it needs; False if no tool was found that fits.

        Args:
            elsewhere: the call may act on things that nothing of the draft acts on: another component.
        """
        used = Counter(step.view.name for step in self.draft.steps)
        weights = [w / (1 + used[view.name]) for w, view in zip(self.weights, self.candidates, strict=True)]
        total = list(accumulate(weights))
        for _ in range(GROWTH_TRIES):
            view = self.candidates[bisect(total, self.rng.random() * total[-1])]
            kept = self._mark()
            if self._add(view, "ask" if view.reads else "act", anywhere=elsewhere or not self.draft.steps):
                return True
            self._undo(kept)
        return False

    def _wanted(self, view: ToolView) -> bool:
        """Acting tools and those that answer a question: how many tickets the agent has, what its name is.

        A list or search that finds a thing comes in as a look-up.
        """
        if view.writes:
            return view.operation not in READING and (bool(view.references) or view.makes)
        if view.operation in LISTING:
            return bool(view.output.get("key_path")) and not any(
                leaf.required and not leaf.refers for leaf in view.leaves
            )
        return view.operation in ASKING

    def _mark(self) -> tuple[int, int, set[tuple[int, int]], list[tuple[Thing, int, bool]]]:
        draft = self.draft
        touched = [(thing, len(thing.touched_by), thing.gone) for thing in draft.things]
        return len(draft.steps), len(draft.things), set(draft.edges), touched

    def _undo(self, kept: tuple[int, int, set[tuple[int, int]], list[tuple[Thing, int, bool]]]) -> None:
        steps, things, edges, touched = kept
        draft = self.draft
        del draft.steps[steps:], draft.things[things:]
        draft.edges = edges
        for thing, count, gone in touched:
            del thing.touched_by[count:]
            thing.gone = gone

    def _add(self, view: ToolView, purpose: str, anywhere: bool = False, depth: int = 0) -> Step | None:
        """Add a step of this tool with all it needs; None if that cannot be."""
        old = set(map(id, self.draft.things))
        bound = things_of_one_record(self, view) if is_relation(self.environment, view) else self._bound(view, depth)
        if bound is None:
            return None
        if len(set(map(id, bound.values()))) < len(bound):
            return None  # the same thing in two places (link a to a) is never meant
        if not anywhere and not any(id(thing) in old for thing in bound.values()):
            return None
        step = Step(len(self.draft.steps), view, purpose, bound)
        if not self.rules.allows(step, self.rng):
            return None
        self.draft.add(step)
        self.rules.add_order(self.draft, step)
        if view.operation in DELETING:
            for thing in bound.values():
                thing.gone = thing is step.focus or view.operation == "batch_delete" or thing.gone
        if view.operation == "rename" and step.focus is not None:
            step.focus.gone = True  # its key is another now; nothing refers to it any more
        if view.makes:
            thing = Thing(view.output["entity"], maker=step, key_path=view.output["key_path"])
            self.draft.things.append(thing)
        return step

    def _bound(self, view: ToolView, depth: int) -> dict[str, Thing] | None:
        """Bring a thing in for each reference, one after the other; None if one cannot be."""
        bound: dict[str, Thing] = {}
        for leaf in self._leaves_to_bind(view):
            thing = self._thing_for(view, leaf, bound, depth)
            if thing is None:
                return None
            bound[leaf.path] = thing
        return bound

    def _leaves_to_bind(self, view: ToolView) -> list[Leaf]:
        """Own key first, then what lies deepest: it settles the parents.

        Optional references come in now and then; the only one of a change always.
        """
        needed = [leaf for leaf in view.references if leaf.required]
        optional = [
            leaf for leaf in view.references if not leaf.required and leaf.inner and not leaf.is_array
        ]
        chosen = (
            [leaf for leaf in optional if self.rng.random() < OPTIONAL_REFERENCE] if not view.reads else []
        )
        if not needed and not chosen and optional and view.writes and not view.makes:
            chosen = [pick(optional, self.rng)]
        chosen_tops = {leaf.top for leaf in chosen} - {leaf.top for leaf in needed}
        leaves = needed + [leaf for leaf in optional if leaf in chosen or leaf.top in chosen_tops]
        entities = self.environment.report.get("entities", {})
        return sorted(
            leaves,
            key=lambda leaf: (
                leaf.role != "key" or leaf.entity != view.entity,
                -len(entities.get(leaf.entity, {}).get("parents", ())),
                leaf.path,
            ),
        )

    def _thing_for(self, view: ToolView, leaf: Leaf, bound: dict[str, Thing], depth: int) -> Thing | None:
        parent = self._parent(bound, leaf)
        scope = view.makes or view.reads or leaf.role == "key" or (view.name, leaf.path) in self.scopes
        if parent is not None and scope:
            return parent
        taken = {id(thing) for thing in bound.values()} | {id(parent)}
        there = [
            thing for thing in self.draft.things_of(leaf.entity) if not thing.gone and id(thing) not in taken
        ]
        if there and self.rng.random() < REUSE:
            newest = 1 + int(min(self.rng.exponential(1.0), len(there) - 1))
            return there[-newest]
        return self._introduce(view, leaf, depth)

    def _parent(self, bound: dict[str, Thing], leaf: Leaf) -> Thing | None:
        """The thing of the leaf's kind that another thing of the call names: the room of a message.

        A read or a call with a composite key has to be given it; a change (move to another room) must not be.
        """
        entities = self.environment.report.get("entities", {})
        for thing in bound.values():
            if leaf.entity not in entities.get(thing.entity, {}).get("parents", ()):
                continue
            if thing.maker is not None:
                return next((t for t in thing.maker.bound.values() if t.entity == leaf.entity), None)
            key = named_key(self.environment, thing.entity, thing.record, leaf.entity)
            if key in rows_of(self.environment, leaf.entity):
                return self.seed_thing(leaf.entity, key)
        return None

    def seed_thing(self, entity: str | None, key: Any) -> Thing:
        """Return the thing with this key in the initial state, stated by the user if it is new."""
        known = next(
            (thing for thing in self.draft.things_of(entity) if thing.key == key and not thing.made), None
        )
        if known is None:
            known = Thing(str(entity), key, record=rows_of(self.environment, entity)[key])
            self.draft.things.append(known)
        return known

    def _introduce(self, view: ToolView, leaf: Leaf, depth: int) -> Thing | None:
        """Bring a new thing in: made, looked up, read off another record, or stated."""
        producers = self.groups.get((view.name, leaf.path), [])
        if self.compared < self.constraints and depth < 1:
            option = find_option(self, leaf, [self.views[name] for name, _ in producers])
            if option is not None:
                return option
        ways = list(INTRODUCTIONS)
        while ways:
            weights = np.cumsum([INTRODUCTIONS[way] for way in ways])
            way = ways.pop(int(np.searchsorted(weights, self.rng.random() * weights[-1])))
            thing = getattr(self, f"_{way}")(view, leaf, producers, depth)
            if thing is not None:
                return thing
        return None

    def _make(self, view: ToolView, leaf: Leaf, producers: list[tuple[str, str]], depth: int) -> Thing | None:
        makers = [name for name, _ in producers if self.views[name].makes]
        if depth > 1 or not makers:
            return None
        kept = self._mark()
        if self._add(self.views[pick(makers, self.rng)], "act", anywhere=True, depth=depth + 1):
            return self.draft.things[-1]
        self._undo(kept)
        return None

    def _look(self, view: ToolView, leaf: Leaf, producers: list[tuple[str, str]], depth: int) -> Thing | None:
        key = self._new_key(leaf, view)
        if key is None or depth > 1:
            return None
        lookers = [
            name
            for name, path in producers
            if self.views[name].operation in ("list", "search")
            and self.views[name].output.get("key_path") == path
        ]
        return find_lookup(self, str(leaf.entity), key, [self.views[name] for name in lookers])

    def _via(self, view: ToolView, leaf: Leaf, producers: list[tuple[str, str]], depth: int) -> Thing | None:
        readers = [
            (self.views[name], path)
            for name, path in producers
            if self.views[name].operation == "read" and "[]" not in path and "." not in path
        ]
        if depth > 0 or not readers:
            return None
        reader, field = pick(readers, self.rng)
        own = next((x for x in reader.references if x.role == "key" and x.required), None)
        others = [x for x in reader.references if x.required and x is not own]
        key = self._new_key(own) if own and not others else None
        if own is None or key is None:
            return None
        named = rows_of(self.environment, own.entity)[key].get(field)  # the reader shows the record itself
        if named not in rows_of(self.environment, leaf.entity) or self._known(leaf.entity, named):
            return None
        holder = self.seed_thing(own.entity, key)
        step = self.draft.add(Step(len(self.draft.steps), reader, "look", {own.path: holder}))
        record = rows_of(self.environment, leaf.entity)[named]
        thing = Thing(str(leaf.entity), named, shown_by=step, via=(holder, field), record=record)
        self.draft.things.append(thing)
        return thing

    def _state(
        self, view: ToolView, leaf: Leaf, producers: list[tuple[str, str]], depth: int
    ) -> Thing | None:
        key = self._new_key(leaf, view)
        return None if key is None else self.seed_thing(leaf.entity, key)

    def _new_key(self, leaf: Leaf, view: ToolView | None = None) -> Any:
        """A key of the initial state that no thing of the draft has; None if there is none.

        For a transition, one that the call works on: an order that is not cancelled yet.
        """
        keys = [key for key in rows_of(self.environment, leaf.entity) if not self._known(leaf.entity, key)]
        if view is None or view.operation != "transition" or leaf.role != "key" or not keys:
            return pick(keys, self.rng) if keys else None
        for key in (pick(keys, self.rng) for _ in range(KEY_TRIES)):
            arguments = simple_arguments(
                self.environment, view, self.environment.state, {leaf.path: key}, self.rng
            )
            works = self.session.call(view.name, arguments).ok
            self.session.restore(self.start)
            if works:
                return key
        return pick(keys, self.rng)

    def _known(self, entity: str | None, key: Any) -> bool:
        return any(thing.key == key and not thing.made for thing in self.draft.things_of(entity))
