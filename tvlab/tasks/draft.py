"""An item before it has arguments or words: steps, the things they act on, and their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tvlab.tasks.tool_views import ToolView


@dataclass(eq=False)
class Thing:
    """Something that calls act on: a record of the initial state, or one that the item makes.

    Attributes:
        entity: its kind.
        key: its key in the initial state; None if the item makes it.
        maker: the step that makes it.
        key_path: where the maker's output shows its key.
        shown_by: the look-up or read that shows its key; None if the user states the key.
        described: (field, value) the user describes it by; empty if the key is stated.
        limits: the constraint that singles it out among what a look-up shows.
        via: the thing whose record names this one, and the field.
        record: the record in the initial state.
    """

    entity: str
    key: Any = None
    maker: Step | None = None
    key_path: str = ""
    shown_by: Step | None = None
    described: tuple[tuple[str, Any], ...] = ()
    limits: tuple[Any, ...] = ()
    via: tuple[Thing, str] | None = None
    record: dict[str, Any] = field(default_factory=dict)
    touched_by: list[Step] = field(default_factory=list)
    gone: bool = False

    @property
    def made(self) -> bool:
        return self.maker is not None

    @property
    def source(self) -> Step | None:
        """The step after which its key is known; None if the user states it."""
        return self.maker or self.shown_by


@dataclass(eq=False)
class Step:
    """One call to be: a tool, and the things its reference parameters mean.

    Attributes:
        compares: whether one of what it shows is chosen by comparing.
        purpose: act (changes the state), ask (the user wants a fact), look (finds a thing for a later step).
        bound: thing by parameter path.
        fixed: values by parameter path that are settled by the drawing (a look-up's query).
        shows, found: keys a look-up shows, and of these the ones it is made for.
        values, arguments, observation: filled when the item is executed.
        facts: (path, value, record) the user asks for.
    """

    number: int
    view: ToolView
    purpose: str
    bound: dict[str, Thing] = field(default_factory=dict)
    fixed: dict[str, Any] = field(default_factory=dict)
    shows: set[Any] = field(default_factory=set)
    found: set[Any] = field(default_factory=set)
    values: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    observation: Any = None
    compares: bool = False
    facts: list[tuple[str, Any, dict[str, Any]]] = field(default_factory=list)

    @property
    def focus(self) -> Thing | None:
        """The thing whose own key the call is given."""
        return next(
            (
                self.bound[leaf.path]
                for leaf in self.view.references
                if leaf.role == "key" and leaf.entity == self.view.entity and leaf.path in self.bound
            ),
            None,
        )


@dataclass
class Draft:
    """Steps, things and (before, after) edges by step number: an AND-DAG."""

    steps: list[Step] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)
    edges: set[tuple[int, int]] = field(default_factory=set)

    def things_of(self, entity: str | None) -> Iterator[Thing]:
        return (thing for thing in self.things if thing.entity == entity)

    def add(self, step: Step) -> Step:
        """Append a step with an edge from whatever gives its arguments."""
        self.steps.append(step)
        for thing in step.bound.values():
            thing.touched_by.append(step)
            if thing.source is not None and thing.source is not step:
                self.edges.add((thing.source.number, step.number))
        return step

    def ancestors(self, number: int) -> set[int]:
        """Return the steps that must come before a step."""
        before: dict[int, set[int]] = {}
        for a, b in self.edges:
            before.setdefault(b, set()).add(a)
        found: set[int] = set()
        queue = [number]
        while queue:
            for other in before.get(queue.pop(), ()):
                if other not in found:
                    found.add(other)
                    queue.append(other)
        return found

    @property
    def depth(self) -> int:
        """Calls on the longest path."""
        longest: dict[int, int] = {}

        def length(number: int) -> int:
            if number not in longest:
                longest[number] = 1 + max((length(a) for a, b in self.edges if b == number), default=0)
            return longest[number]

        return max((length(step.number) for step in self.steps), default=0)

    @property
    def components(self) -> int:
        """How many groups of calls share no thing, directly or through others."""
        group = list(range(len(self.steps)))
        for thing in self.things:
            for other in [step for step in (thing.source, *thing.touched_by) if step is not None][1:]:
                first = thing.source or thing.touched_by[0]
                old, new = group[other.number], group[first.number]
                group = [new if at == old else at for at in group]
        return len(set(group))
