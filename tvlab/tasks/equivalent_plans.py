"""Other plans that do what a golden trace does: how often coverage rejects what the outcome check accepts.

Three ways to vary a trace, each sampled:

* reordered: independent calls of a turn in another order;
* other look-up: another list, search or read of the environment that shows what is needed, in the place of a
  golden look-up, given what that one was given or what the words say of the thing;
* other changes: a change replaced by one or two tools that lead to the same state (an update for a
  transition, one update split in two).  These are combinations nobody asked for; those that pass the outcome
  check are counted (the paper's "emergent combinations").

A sampled plan counts only if it is equivalent: it ends in the golden state, and shows the facts.  The outcome
check must pass all of these; coverage may reject some, and the rate is the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tvlab.environments.environment import Environment
from tvlab.environments.runtime import State
from tvlab.tasks.arguments import assemble
from tvlab.tasks.episode import Episode
from tvlab.tasks.equality import CallKey, same_scalar
from tvlab.tasks.item import GoldenCall, Item
from tvlab.tasks.necessity import run_golden
from tvlab.tasks.outcome import difference, says, shown_values, spelled
from tvlab.tasks.paths import is_reference, leaves, values_at
from tvlab.tasks.teachers import resolve
from tvlab.tasks.texts import pick
from tvlab.tasks.tool_views import ToolView, tool_views

OTHER_CHANGES = "other changes"
PLAN_COUNTS = ("plans", "rejected_by_coverage", "rejected_by_outcome", "items", "items_rejected")
"""What is counted of sampled plans: the last two are items, those with a plan and those where coverage rejects one."""
Plan = list[list[tuple[CallKey | None, str, dict[str, Any]]]]
"""One list a turn of (golden call it stands for, tool, arguments); references name golden calls."""


@dataclass(frozen=True)
class PlanResult:
    """One equivalent plan: its way, and what the two checks say of it."""

    way: str
    covered: bool
    outcome: bool


def golden_plan(item: Item) -> Plan:
    """Return the golden trace as a plan."""
    return [
        [((t, j), call.tool, call.arguments) for j, call in enumerate(turn.calls)]
        for t, turn in enumerate(item.turns)
    ]


def equivalent_plans(
    environment: Environment, item: Item, rng: np.random.Generator, tries: int = 4
) -> Iterator[PlanResult]:
    """Yield what the checks say of sampled plans that are equivalent to an item's golden trace."""
    for way, vary in WAYS.items():
        seen = [golden_plan(item)]
        for _ in range(tries):
            plan = vary(environment, item, rng)
            if plan is None or plan in seen:
                continue
            seen.append(plan)
            episode = play(environment, item, plan)
            if episode is not None and _is_equivalent(environment, item, episode):
                yield PlanResult(way, all(episode.rewards), episode.outcome_met())


def play(environment: Environment, item: Item, plan: Plan) -> Episode | None:
    """Play a plan in an episode.

    Returns None if a call fails, a reference cannot be resolved, or the plan does not show a fact.
    """
    episode = Episode(environment, item)
    observations: dict[CallKey, Any] = {}
    for t, calls in enumerate(plan):
        if item.turns[t].answer:
            episode.end_turn("?")
        for key, tool, arguments in calls:
            try:
                result = episode.call(tool, resolve(arguments, observations))
            except LookupError:
                return None
            if not result.ok or (episode.turn != t):
                return None
            if key is not None:
                observations[key] = result.value
        facts = _facts_seen(item, t, observations, [call.observation for call in episode.calls[t]])
        if facts is None:
            return None
        episode.end_turn("; ".join(map(spelled, facts)))
    return episode


def _facts_seen(item: Item, t: int, matched: Mapping[CallKey, Any], seen: Sequence[Any]) -> list[Any] | None:
    """Return the turn's facts, for the agent to tell the user; None if it did not see one of them."""
    facts = item.turns[t].facts
    for fact in facts:
        if (t, fact.call) in matched:
            shown = shown_values(matched[t, fact.call], fact.path, fact.record)
        else:
            shown = [value for observation in seen for _, value in leaves(observation)]
        if not any(same_scalar(value, fact.value) for value in shown):
            return None
    return [fact.value for fact in facts]


def _is_equivalent(environment: Environment, item: Item, episode: Episode) -> bool:
    """True if the plan ends in the golden state: compared here, not by ``outcome_met``."""
    return same_scalar(difference(environment.state, episode.session.state), item.outcome["state"])


def _reordered(environment: Environment, item: Item, rng: np.random.Generator) -> Plan | None:
    plan = golden_plan(item)
    t = int(rng.integers(len(plan)))
    plan[t] = [plan[t][i] for i in rng.permutation(len(plan[t]))]
    return plan


def _other_lookup(environment: Environment, item: Item, rng: np.random.Generator) -> Plan | None:
    """Replace one golden look-up by another tool that shows what later calls need of it."""
    trace = run_golden(environment, item)
    looks = [(key, call) for key, call in item.golden() if not call.writes]
    if not looks:
        return None
    key, call = pick(looks, rng)
    needed = _needed_of(item, key, trace.observations[key])
    said = "\n".join(turn.words for turn in item.turns[: key[0] + 1])
    known = [value for _, value in leaves(trace.arguments[key])]
    known += [value for _, value in leaves(trace.observations[key]) if isinstance(value, str) and says(said, value)]
    others = [view for view in tool_views(environment).values() if view.reads and view.name != call.tool]
    options = [
        (view, arguments)
        for view in others
        for arguments in _reading_arguments(view, known)
        if _shows(environment, view, arguments, needed)
    ]
    if not options:
        return None
    view, arguments = pick(options, rng)
    plan = golden_plan(item)
    plan[key[0]][key[1]] = (None, view.name, arguments)
    return plan


def _needed_of(item: Item, key: CallKey, observation: Any) -> list[Any]:
    """What later calls, and the user, need of a look-up: literals that it shows and the words do not hold."""
    shown = [value for _, value in leaves(observation)]
    facts = [fact.value for fact in item.turns[key[0]].facts if fact.call == key[1]]
    said = "\n".join(turn.words for turn in item.turns)
    used = [
        value
        for later, call in item.golden()
        if later > key
        for _, value in leaves(call.arguments)
        if isinstance(value, (str, int, float)) and not isinstance(value, bool) and str(value) not in said
    ]
    return facts + [value for value in used if any(same_scalar(value, other) for other in shown)]


def _reading_arguments(view: ToolView, known: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Yield arguments an agent could make a look-up with: none, or a value it knows."""
    required = [leaf for leaf in view.leaves if leaf.required]
    if not required:
        yield {}
    if len(required) == 1:
        for value in dict.fromkeys(value for value in known if isinstance(value, (str, int))):
            yield assemble({required[0].path: value})


def _shows(
    environment: Environment, view: ToolView, arguments: dict[str, Any], needed: Sequence[Any]
) -> bool:
    result = environment.session().call(view.name, arguments)
    if not result.ok:
        return False
    shown = [value for _, value in leaves(result.value)]
    return all(any(same_scalar(value, other) for other in shown) for value in needed)


def _other_changes(environment: Environment, item: Item, rng: np.random.Generator) -> Plan | None:
    """Replace one change of a record by one or two other tools that lead to the same state."""
    trace = run_golden(environment, item)
    changes = [
        (key, call)
        for key, call in item.golden()
        if call.writes and not tool_views(environment)[call.tool].makes
    ]
    if not changes:
        return None
    key, call = pick(changes, rng)
    before, after = _states_around(environment, item, key)
    options = list(_detours(environment, call, trace.arguments[key], before, after))
    if not options:
        return None
    plan = golden_plan(item)
    chosen = pick(options, rng)
    plan[key[0]][key[1] : key[1] + 1] = [
        (None, tool, _with_references(arguments, call, trace.arguments[key])) for tool, arguments in chosen
    ]
    return plan


def _states_around(environment: Environment, item: Item, key: CallKey) -> tuple[State, State]:
    session = environment.session()
    observations: dict[CallKey, Any] = {}
    for other, call in item.golden():
        before = session.snapshot()
        observations[other] = session.call(call.tool, resolve(call.arguments, observations)).value
        if other == key:
            return before, session.snapshot()
    raise KeyError(key)


def _detours(
    environment: Environment, call: GoldenCall, arguments: dict[str, Any], before: State, after: State
) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """Yield other calls that lead from one state to the other."""
    views = tool_views(environment)
    own = views[call.tool]
    target = _changed_record(before, after)
    if target is None:
        return
    key, record = target
    session, wanted = environment.session(), difference(before, after)
    for view in views.values():
        if view.reads or view.makes or view.entity != own.entity or view.name == call.tool:
            continue
        given = _fill(view, key, record)
        if given is None:
            continue
        session.restore(before)
        if session.call(view.name, given).ok and difference(before, session.state) == wanted:
            yield [(view.name, given)]
    yield from _split(environment, own, arguments, before, after)


def _split(
    environment: Environment, view: ToolView, arguments: dict[str, Any], before: State, after: State
) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """One update of several fields as two updates."""
    free = [leaf.top for leaf in view.leaves if not leaf.required and leaf.top in arguments]
    tops = list(dict.fromkeys(free))
    if len(tops) < 2:
        return
    parts = [{k: v for k, v in arguments.items() if k not in gone} for gone in (tops[:1], tops[1:])]
    session = environment.session()
    session.restore(before)
    made = all(session.call(view.name, part).ok for part in parts)
    if made and difference(before, session.state) == difference(before, after):
        yield [(view.name, part) for part in parts]


def _changed_record(before: State, after: State) -> tuple[Any, dict[str, Any]] | None:
    """The key and new record, if exactly one record changed."""
    changed = difference(before, after).values()
    rows = [(key, row) for table in changed for key, row in table.items() if row is not None]
    return rows[0] if len(rows) == 1 else None


def _fill(view: ToolView, key: Any, record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arguments that ask for the record as it should be; None if a required one is not in it."""
    values: dict[str, Any] = {}
    for leaf in view.leaves:
        if leaf.refers and leaf.entity == view.entity:
            values[leaf.path] = next((v for v in record.values() if str(v) == str(key)), key)
        elif leaf.path in record or leaf.field in record:
            values[leaf.path] = record.get(leaf.field, record.get(leaf.path))
        elif leaf.required:
            return None
    return assemble(values)


def _with_references(
    arguments: dict[str, Any], golden: GoldenCall, resolved: dict[str, Any]
) -> dict[str, Any]:
    """Put references back where a detour uses an id that the item mints."""
    minted = [
        (wanted, values_at(resolved, ".".join(map(str, at)))[0])
        for at, wanted in leaves(golden.arguments)
        if is_reference(wanted) and not any(isinstance(part, int) for part in at)
    ]
    return {
        name: next((wanted for wanted, value in minted if same_scalar(value, given)), given)
        for name, given in arguments.items()
    }


WAYS = {"reordered": _reordered, "other look-up": _other_lookup, OTHER_CHANGES: _other_changes}
