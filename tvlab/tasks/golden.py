"""Golden calls: a draft is executed turn by turn, and every argument gets its value there.

Each argument is a reference to an id minted earlier in the item, a value found in the initial state, or
something only the user can say.  A call that fails is tried again with other values, then the draft is
given up with the reason.  Optional arguments are given now and then; one that equals its schema default is
left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np

from tvlab.environments.environment import Environment, Session
from tvlab.tasks.arguments import assemble
from tvlab.tasks.comparing import meeting, options_shown
from tvlab.tasks.draft import Draft, Step, Thing
from tvlab.tasks.equality import CallKey, same_scalar, same_value
from tvlab.tasks.outcome import says
from tvlab.tasks.paths import EACH, LENGTH, leaves, path_of, values_at
from tvlab.tasks.teachers import resolve
from tvlab.tasks.texts import pick
from tvlab.tasks.tool_views import LISTING, PAGING, Leaf, foreign_fields, key_of, rows_of
from tvlab.tasks.value_order import put_in_order
from tvlab.tasks.values import fresh_key, plausible, settled

TRIES = 4
OPTIONAL = 0.35
CURIOUS = 0.5
CURIOUS_LOOK = 0.25
MOST_OPTIONAL = 3
CHANGING = frozenset({"update", "set", "batch_update"})


class Rejected(Exception):  # noqa: N818 - an outcome of drawing, not a fault
    """A draft that cannot become an item; the message is the reason, counted in the statistics."""


class Execution:
    """Runs a draft on a session of its own and settles the values of its calls.

    Attributes:
        place: (turn, call) of every step number, as far as it has run.
        observations: what each golden call returned.
    """

    def __init__(self, environment: Environment, draft: Draft, rng: np.random.Generator) -> None:
        self.environment = environment
        self.draft = draft
        self.rng = rng
        self.session: Session = environment.session()
        self.place: dict[int, CallKey] = {}
        self.observations: dict[CallKey, Any] = {}
        self._updated: dict[int, set[str]] = {}

    def run(self, turns: Sequence[Sequence[int]]) -> None:
        """Execute all steps in the order of the turns.

        Raises:
            Rejected: a call fails with all values tried, or a question has no answer that is news.
        """
        for t, turn in enumerate(turns):
            for j, number in enumerate(turn):
                self._run_step(self.draft.steps[number], (t, j))

    def _run_step(self, step: Step, at: CallKey) -> None:
        before = self.session.snapshot()
        error = ""
        for attempt in range(TRIES):
            step.values = self._values(step, attempt)
            step.arguments = assemble(step.values)
            result = self.session.call(step.view.name, resolve(step.arguments, self.observations))
            if result.ok:
                break
            error = (result.error or "").split(":")[0]
            self.session.restore(before)
        else:
            raise Rejected(f"call fails: {error}")
        if step.focus is not None and step.view.operation in CHANGING:
            self._updated.setdefault(id(step.focus), set()).update(
                leaf.field for leaf in step.view.leaves if leaf.path in step.values and not leaf.refers
            )
        step.observation = result.value
        self._check_constraints(step)
        options = self._news(step, result.value)
        if step.purpose == "ask" and not options:
            raise Rejected("a question has no new answer")
        share = CURIOUS if step.view.operation == "read" else CURIOUS_LOOK
        curious = self.rng.random() < share
        if options and (step.purpose == "ask" or (step.purpose == "look" and curious)):
            step.facts = [pick(options, self.rng)]
        self.place[step.number] = at
        self.observations[at] = result.value

    def _check_constraints(self, step: Step) -> None:
        """Reject a draft in which a constraint no longer singles out its thing, or may not later."""
        for thing in self.draft.things:
            if not thing.limits or thing.shown_by is not step:
                continue
            found = meeting(options_shown(step.view, step.observation), thing.limits)
            own = str(key_of(self.environment, thing.entity))
            if [row.get(own) for row in found] != [thing.key]:
                raise Rejected("a constraint does not single out one option")
            if any(other.view.writes and other.view.entity == thing.entity for other in self.draft.steps):
                raise Rejected("the options of a constraint change")

    def _values(self, step: Step, attempt: int) -> dict[str, Any]:
        """Choose the value of every leaf that the call is to have, in the order of the schema."""
        chosen = self._chosen_leaves(step, attempt)
        values: dict[str, Any] = {}
        for leaf in step.view.leaves:
            if leaf.path in step.bound:
                values[leaf.path] = self.key(step.bound[leaf.path])
            elif leaf.path in step.fixed:
                values[leaf.path] = step.fixed[leaf.path]
            elif leaf in chosen:
                value = self._said(step, leaf)
                if leaf.required or not _is_default(leaf, value):
                    values[leaf.path] = value
        rows = rows_of(self.environment, step.view.entity, self.session.state)
        said = values.keys() - step.bound.keys() - step.fixed.keys()
        put_in_order(values, step.view.leaves, self._current(step, rows), said, self.rng)
        return values

    def key(self, thing: Thing) -> Any:
        """Return a thing's key as an argument: a reference if the item mints it, else the literal."""
        if thing.maker is None:
            return thing.key
        turn, call = self.place[thing.maker.number]
        about = self.environment.report["entities"].get(thing.entity, {})
        made = values_at(self.observations[turn, call], thing.key_path)
        if not made:
            raise Rejected("a create shows no key")
        named = any(leaf.role == "new_key" for leaf in thing.maker.view.leaves)
        if named and about.get("key_kind") == "natural":
            return made[0]
        if named and made[0] in [value for _, value in leaves(thing.maker.arguments)]:
            return made[0]
        return {"$ref": [turn, call, thing.key_path]}

    def _chosen_leaves(self, step: Step, attempt: int) -> set[Leaf]:
        """Required leaves and some optional parameters; at the last attempt only what a change needs."""
        free = [leaf for leaf in step.view.leaves if not leaf.refers and leaf.path not in step.fixed]
        chosen = {leaf for leaf in free if leaf.required or settled(leaf) is not None}
        opened = {leaf.top for leaf in step.view.leaves if leaf.path in step.bound} | {
            leaf.top for leaf in chosen
        }
        bound = {leaf.top for leaf in step.view.leaves if leaf.refers and leaf.inner}
        tops = list(dict.fromkeys(leaf.top for leaf in free if self._may_give(step, leaf, bound)))
        self.rng.shuffle(tops)
        changing = step.view.operation in CHANGING and step.purpose == "act"
        updated = self._updated.get(id(step.focus), set())
        fresh = any(leaf.role == "payload" and leaf.field not in updated for leaf in chosen)
        needed = changing and (not fresh or self.rng.random() < OPTIONAL)
        share = OPTIONAL if attempt < TRIES - 1 and step.purpose != "look" else 0.0
        count = int(sum(self.rng.random() < share for _ in tops))
        for top in tops[: min(MOST_OPTIONAL, max(count, int(needed)))]:
            chosen |= self._within([leaf for leaf in free if leaf.top == top and self._fillable(leaf)])
        inside = {leaf for leaf in free if leaf.inner and leaf.top in opened and self._fillable(leaf)}
        return chosen | inside

    def _within(self, group: list[Leaf]) -> set[Leaf]:
        """What is given of an optional parameter: what it needs, or some of its parts if it needs none."""
        needed = {leaf for leaf in group if leaf.inner}
        if needed:
            return needed
        parts = list(group)
        self.rng.shuffle(parts)
        return set(parts[: 1 + int(self.rng.random() < 0.3)])

    def _may_give(self, step: Step, leaf: Leaf, bound: Set[str]) -> bool:
        """Optional parameters that make sense: payload for changes, no field twice; filters for questions.

        ``bound``: groups with a reference; they are given with it or not at all.
        """
        if leaf.required or leaf.role in PAGING or not self._fillable(leaf) or leaf.top in bound:
            return False
        if step.view.reads:
            return leaf.role == "filter"
        updated = self._updated.get(id(step.focus), set()) if step.focus else set()
        return leaf.role in ("payload", "new_key") and not (
            step.view.operation in CHANGING and leaf.field in updated
        )

    @staticmethod
    def _fillable(leaf: Leaf) -> bool:
        return leaf.schema.get("type") not in ("object", "null", "array")

    def _said(self, step: Step, leaf: Leaf) -> Any:
        """A value only the user can say: plausible, and new where it has to be."""
        if (value := settled(leaf)) is not None:
            return value
        rows = rows_of(self.environment, step.view.entity, self.session.state)
        now = self.session.state.get("_clock", {}).get("now", "2026-01-01T00:00:00Z")
        if leaf.role == "new_key":
            like = self._current(step, rows).get(leaf.field)
            return fresh_key(leaf, list(rows), now, self.rng, step.view.entity, like)
        current = self._current(step, rows).get(leaf.field)
        if leaf.role == "filter" and current is not None and not leaf.is_array:
            return current  # with another value the call would not find its own record
        known = [row[leaf.field] for row in rows.values() if isinstance(row, dict) and leaf.field in row]
        if leaf.role == "filter" and known and not leaf.is_array:
            return pick(known, self.rng)
        label = self.environment.report["entities"].get(step.view.entity, {}).get("label")
        taken = [*known, current] if leaf.field == label else [current]
        value = plausible(leaf, known, now, self.rng, step.view.entity)
        for _ in range(12):
            if not any(same_value(value, other) for other in taken) and not _is_default(leaf, value):
                break
            value = plausible(leaf, known, now, self.rng, step.view.entity)
        return value

    def _current(self, step: Step, rows: Mapping[Any, Any]) -> Mapping[str, Any]:
        if step.focus is None:
            return {}
        record = rows.get(resolve(self.key(step.focus), self.observations))
        return record if isinstance(record, dict) else {}

    def _news(self, step: Step, output: Any) -> list[tuple[str, Any, dict[str, Any]]]:
        """What the user may ask for, (path, value, record): scalars no call showed before."""
        if step.view.writes:
            return []
        given = [value for _, value in leaves(resolve(step.arguments, self.observations))]
        for thing in self.draft.things:
            if thing.shown_by is step:  # the user describes it by these: they are no news
                given += [value for _, value in thing.described]
        seen = [value for observation in self.observations.values() for _, value in leaves(observation)]
        return [
            fact
            for fact in facts_in(self.environment, step, output)
            if fact[0].endswith(LENGTH) or not any(same_value(fact[1], other) for other in given + seen)
        ]


def facts_in(environment: Environment, step: Step, output: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield (path, value, record) of what a user may ask for of an output.

    Of a record its fields; of a list the number of its records, and the fields of the only one or of the one
    that was looked for.  Keys are no facts: a user cannot want them.
    """
    entity = step.view.output.get("entity")
    own, path = key_of(environment, entity), str(step.view.output.get("key_path") or "")
    hidden = {own, *foreign_fields(environment)}
    if step.view.operation in LISTING:
        table = path.rpartition(EACH)[0]
        rows = values_at(output, f"{table}{EACH}")
        if step.purpose == "ask" and len(rows) > 1 and len(rows) < _page_size(step):
            yield f"{table}.{LENGTH}", len(rows), {}
        wanted = rows if len(rows) == 1 else [row for row in rows if row.get(own) in step.found]
        if len(wanted) == 1:
            yield from _scalars(wanted[0], f"{table}{EACH}.", hidden, own)
    else:
        yield from _scalars(output, "", hidden, own)


def _scalars(
    record: Any, prefix: str, hidden: set[str | None], own: str | None
) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    whose = {own: record[own]} if own is not None and isinstance(record, dict) and own in record else {}
    for at, value in leaves(record):
        plain = at and not any(isinstance(part, int) for part in at) and at[-1] not in hidden
        if plain and isinstance(value, (str, int, float)):
            yield prefix + path_of(at), value, whose


def _page_size(step: Step) -> float:
    """How many records a list shows at most."""
    sizes = [leaf.schema.get("default") for leaf in step.view.leaves if leaf.role == "limit"]
    return min((size for size in sizes if isinstance(size, int)), default=float("inf"))


def grounded(words: Sequence[str], calls: Sequence[Sequence[tuple[dict[str, Any], Any]]]) -> bool:
    """True if every literal argument can be known in time: said by the user or shown by an earlier call.

    Args:
        words: the user's words, one text a turn.
        calls: (arguments, observation) of the golden calls, one list a turn.
    """
    seen: list[Any] = []
    for t, turn in enumerate(calls):
        said = "\n".join(words[: t + 1])
        for arguments, observation in turn:
            for _, value in leaves(arguments):
                scalar = isinstance(value, (str, int, float))
                if scalar and not says(said, value) and not any(same_scalar(value, other) for other in seen):
                    return False
            seen += [value for _, value in leaves(observation)]
    return True


def _is_default(leaf: Leaf, value: Any) -> bool:
    return "default" in leaf.schema and same_value(leaf.schema["default"], value)
