"""GUST: drawing, checking, writing and reading items.

An item's calls are one connected sub-graph.  Where ``CONNECTED`` drafts of that kind fail, mostly because an
environment's things have too few tools for the turns wanted, the item may go on with other things: it then has
up to ``COMPONENTS`` sub-graphs, and its provenance says how many.

An item is a pure function of (environment, graph, seed, number): ``build_items`` gives the same items
whatever was built before.  A draft that fails a check is drawn again; the reasons are counted in the item's
``filters``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from tvlab.environments.environment import Environment
from tvlab.foundation.atomic_files import iterate_jsonl, write_jsonl
from tvlab.foundation.errors import UserError
from tvlab.foundation.seeds import generator
from tvlab.tasks.contexts import distracting_records
from tvlab.tasks.draft import Draft, Step
from tvlab.tasks.drawing import Drawer
from tvlab.tasks.golden import Execution, Rejected
from tvlab.tasks.graph import ToolGraph
from tvlab.tasks.item import Fact, GoldenCall, Item, Turn
from tvlab.tasks.paths import leaves
from tvlab.tasks.tool_views import tool_views
from tvlab.tasks.turn_kinds import checked_shares, draw_kinds, groups_wanted, laid_out
from tvlab.tasks.unlocking import dynamic_unlocking, group_stages, turn_sizes
from tvlab.tasks.validation import stated_in, validated
from tvlab.tasks.withholding import withheld_tools
from tvlab.tasks.wording import Speaker

TURNS = {2: 0.10, 3: 0.29, 4: 0.36, 5: 0.19, 6: 0.06}
"""How many user turns an item is drawn for; the mean is 3.82."""
MOST_CALLS = 4
"""Golden calls a turn may have; the step cap of an episode leaves room for look-ups beside them."""
DRAWS = 80
CONNECTED = 30
"""Drafts that have to be connected; after them another component may be begun where the first cannot grow."""
AS_WANTED = 60
"""Drafts of the number of turns drawn first; after them it is drawn anew."""
COMPONENTS = 4
HOPELESS = 6
"""Where a depth is asked for and so many numbers gave no item, the environment has none of it."""
KINDS_KEPT = 20
"""Drafts tried for the turn kinds drawn first; drawing them anew each time would leave out the hard ones."""


def build_items(
    environment: Environment,
    graph: ToolGraph,
    count: int,
    seed: int,
    n: int = 3,
    q: float = 0.3,
    shares: Mapping[str, float] | None = None,
    turns: Mapping[int, float] | None = None,
    least_depth: int = 1,
) -> list[Item]:
    """Build GUST items on one environment.

    Args:
        environment: one that carries tasks.
        graph: its tool graph with run edges.
        count: how many items to build; fewer come back if the environment has not that many in it.
        seed: of everything random.
        n: the most calls of one unlocking stage; each item draws its N (the paper's) from 1 to n.
        q: probability that a turn takes the next stage too.
        shares: of turns, by special kind (``turn_kinds.py``); by default all turns are plain or chain.
        turns: how many user turns an item is drawn for, with probabilities; None for ``TURNS``.
        least_depth: golden calls on the longest path of every item; above 1, an environment whose first ``HOPELESS``
            numbers give no item gives none at all.

    Returns:
        Items, each replayed, with all calls necessary and all arguments knowable.
    """
    shares = checked_shares(shares)
    if count < 0:
        raise ValueError(f"count is {count}: expected 0 or more")
    items: list[Item] = []
    seen: set[tuple[str, ...]] = set()
    for number in range(count):
        item = build_item(environment, graph, seed, number, n, q, shares, turns, least_depth)
        if item is not None and (words := tuple(turn.user for turn in item.turns)) not in seen:
            seen.add(words)
            items.append(item)
        if least_depth > 1 and not items and number + 1 >= HOPELESS:
            break
    return items


def build_item(
    environment: Environment,
    graph: ToolGraph,
    seed: int,
    number: int,
    n: int = 3,
    q: float = 0.3,
    shares: Mapping[str, float] | None = None,
    turns: Mapping[int, float] | None = None,
    least_depth: int = 1,
) -> Item | None:
    """Build item ``number`` of an environment; None if no draw out of many passes the checks."""
    rng = generator(seed, "item", environment.name, number)
    drawer = Drawer(environment, graph, rng)
    if not drawer.candidates:
        return None
    lengths = TURNS if turns is None else turns
    target = int(rng.choice(list(lengths), p=list(lengths.values())))
    shares = checked_shares(shares)
    rejected: Counter[str] = Counter()
    kinds: list[str] = []
    for draw in range(DRAWS):
        wanted = target if draw < AS_WANTED else int(rng.choice(list(lengths), p=list(lengths.values())))
        try:
            limit = int(rng.integers(1, n + 1))
            if len(kinds) != wanted or draw % KINDS_KEPT == 0:
                kinds = draw_kinds(wanted, shares if draw < 2 * KINDS_KEPT else {}, rng)
            components = 1 if draw < CONNECTED else COMPONENTS
            stages, groups = draw_turns(
                drawer, groups_wanted(kinds), limit, q, kinds.count("constraint"), components
            )
            if drawer.draft.depth < least_depth:
                raise Rejected("no call depends on another")
            item = realise(environment, drawer.draft, stages, laid_out(groups, kinds), rng, kinds)
            item = validated(environment, item)
            if least_depth > 1 and drawer.draft.depth - item.provenance.get("demoted", 0) < least_depth:
                raise Rejected("no call depends on another")
        except Rejected as reason:
            rejected[str(reason)] += 1
            continue
        item.provenance.update(seed=seed, number=number, n=limit, q=q, target_turns=target, draws=draw + 1)
        item.filters["rejected"] = dict(sorted(rejected.items()))
        return item
    return None


def draw_turns(
    drawer: Drawer, wanted: int, n: int, q: float, constraints: int = 0, components: int = 1
) -> tuple[list[list[int]], list[list[int]]]:
    """Grow a draft until dynamic unlocking gives the stages of the wanted turns; return stages and turns.

    How many stages each turn takes is drawn first: deciding after the fact would favour drafts in which few
    were joined.  Where it cannot grow any more and ``components`` is above 1, it goes on with calls on other
    things, until it has that many components.
    """
    drawer.restart(constraints)
    draft = drawer.draft
    sizes = turn_sizes(wanted, q, drawer.rng)
    while drawer.grow() or (draft.components < components and drawer.grow(elsewhere=True)):
        if len(draft.steps) > n * sum(sizes):
            raise Rejected("too many calls for the turns wanted")
        if len(draft.steps) < sum(sizes):
            continue
        stages = dynamic_unlocking(range(len(draft.steps)), draft.edges, n, drawer.rng)
        if len(stages) == sum(sizes):
            turns = group_stages(stages, sizes)
            if max(map(len, turns)) > MOST_CALLS:
                raise Rejected("a turn with too many calls")
            if drawer.compared < constraints:
                raise Rejected("nothing to compare")
            return stages, turns
    raise Rejected("the draft cannot grow")


def realise(
    environment: Environment,
    draft: Draft,
    stages: Sequence[Sequence[int]],
    turns: Sequence[Sequence[int]],
    rng: np.random.Generator,
    kinds: Sequence[str] | None = None,
) -> Item:
    """Execute a draft, word it, and put the item together; raises ``Rejected``."""
    kinds = kinds or ["plain"] * len(turns)
    execution = Execution(environment, draft, rng)
    execution.run(turns)
    said = Speaker(environment, draft, rng).say(turns, kinds)
    steps = [[draft.steps[number] for number in turn] for turn in turns]
    stage_of = {number: at for at, stage in enumerate(stages) for number in stage}
    return Item(
        environment=environment.name,
        state_hash=environment.state_hash,
        turns=tuple(
            _turn(*text, made, kind, *_around(environment, draft, steps, t, kind, rng))
            for t, (text, made, kind) in enumerate(zip(said, steps, kinds, strict=True))
        ),
        provenance={
            "stages": [[stage_of[number] for number in turn] for turn in turns],
            "depth": draft.depth,
            "components": draft.components,
            "edges": sorted([list(execution.place[a]), list(execution.place[b])] for a, b in draft.edges),
        },
    )


def write_items(path: str | Path, items: Iterable[Item]) -> Path:
    """Write items as JSON lines."""
    return write_jsonl(path, (item.to_json() for item in items))


def read_items(path: str | Path) -> list[Item]:
    """Read items that ``write_items`` wrote.

    Raises:
        UserError: the file is missing, or a line is no item.
    """
    items = []
    for line, value in iterate_jsonl(path, "GUST file"):
        try:
            items.append(Item.from_json(value))
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(f"{path}:{line}: not a GUST item ({error!r}); make the items again") from None
    return items


def _around(
    environment: Environment,
    draft: Draft,
    steps: Sequence[Sequence[Step]],
    t: int,
    kind: str,
    rng: np.random.Generator,
) -> tuple[tuple[str, ...], str]:
    """Return the tools that a turn withholds and the material that the user pastes."""
    if kind == "missing_function":
        needed = steps[t + 1]
        if len(needed) != 1 or not needed[0].view.writes:
            raise Rejected("not one change to withhold")
        return withheld_tools(tool_views(environment), needed[0]), ""
    if kind == "long_context":
        shown = [[step.arguments, step.observation] for step in draft.steps]
        touched = {value for _, value in leaves(shown) if isinstance(value, (str, int))}
        context = distracting_records(environment, touched, rng)
        if not context:
            raise Rejected("too few records for a long context")
        return (), context
    return (), ""


def _turn(
    words: str, answer: str, steps: Sequence[Step], kind: str, withheld: tuple[str, ...], context: str
) -> Turn:
    compares = any(step.compares for step in steps)
    numbers = {step.number for step in steps}
    chained = any(
        thing.source is not None and thing.source.number in numbers
        for step in steps
        for thing in step.bound.values()
    )
    return Turn(
        user=words,
        calls=tuple(GoldenCall(step.view.name, step.arguments, step.view.writes) for step in steps),
        facts=tuple(Fact(j, *fact) for j, step in enumerate(steps) for fact in step.facts),
        stated=tuple((j, path) for j, step in enumerate(steps) for path in stated_in(step.arguments, words)),
        kind=_kind(kind, compares=compares, chained=chained),
        answer=answer,
        withheld=withheld,
        context=context,
    )


def _kind(drawn: str, compares: bool, chained: bool) -> str:
    """A turn of constraint or chain is one by its calls, whatever was drawn; other kinds stay."""
    if drawn not in ("plain", "constraint"):
        return drawn
    return "constraint" if compares else "chain" if chained else "plain"
