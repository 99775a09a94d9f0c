"""What an item has to pass before it is written.

Replay to reward 1 in all turns and to its outcome; every call necessary (unneeded reads become permitted
look-ups); every literal argument knowable when it is needed; no minted id in the words; calls of one
unlocking stage give the same state in reverse order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tvlab.environments.environment import Environment
from tvlab.tasks.equality import CallKey, same_scalar
from tvlab.tasks.golden import Rejected, grounded
from tvlab.tasks.item import Item, Turn
from tvlab.tasks.necessity import Trace, run_golden, unnecessary_calls, with_lookups_permitted
from tvlab.tasks.outcome import says
from tvlab.tasks.paths import is_reference, leaves, path_of, values_at
from tvlab.tasks.teachers import replay


def validated(environment: Environment, item: Item) -> Item:
    """Return the item with outcome and filters.

    Raises:
        Rejected: it fails a check; the message says which.
    """
    trace = run_golden(environment, item)
    if trace.failed:
        raise Rejected("golden call fails")
    if not _commutes(environment, item, trace):
        raise Rejected("calls of one stage do not commute")
    unneeded = unnecessary_calls(environment, item, trace)
    if unneeded:
        kept = with_lookups_permitted(item, unneeded)
        if kept is None:
            raise Rejected("a call is not necessary")
        item = replace(
            kept, provenance={**kept.provenance, "stages": None, "edges": None, "demoted": len(unneeded)}
        )
        trace = run_golden(environment, item)
        if trace.failed or unnecessary_calls(environment, item, trace):
            raise Rejected("a call is not necessary")
    item = replace(item, outcome=outcome_of(item, trace), filters={})
    check_words(item, trace)
    episode = replay(environment, item)
    if not all(episode.rewards) or not episode.outcome_met():
        raise Rejected("the golden trace does not replay")
    item.filters.update(replay=True, necessity=True, grounded=True)
    return item


def stated_in(arguments: Mapping[str, Any], words: str) -> list[str]:
    """Return the paths of arguments whose values stand in some words."""
    paths = [
        path_of(at)
        for at, value in leaves(arguments)
        if not is_reference(value) and not isinstance(value, (dict, list)) and says(words, value)
    ]
    return list(dict.fromkeys(paths))


def outcome_of(item: Item, trace: Trace) -> dict[str, Any]:
    """Return an item's outcome from its golden trace."""
    facts = [
        {"turn": t, "call": fact.call, "path": fact.path, "value": fact.value, "record": fact.record}
        for t, turn in enumerate(item.turns)
        for fact in turn.facts
    ]
    return {
        "state": trace.state,
        "facts": facts,
        "ids": [[t, j, path, value] for t, j, path, value in minted(item, trace)],
    }


def minted(item: Item, trace: Trace) -> list[tuple[int, int, str, Any]]:
    """Return (turn, call, path, id) of all ids that later golden calls refer to."""
    wanted = {
        tuple(value["$ref"]): None
        for _, call in item.golden()
        for _, value in leaves(call.arguments)
        if is_reference(value)
    }
    return [(t, j, path, values_at(trace.observations[t, j], path)[0]) for t, j, path in wanted]


def check_words(item: Item, trace: Trace) -> None:
    """Check what an item's words must say and must not.

    Raises:
        Rejected: an id leaks, what should be asked for is said, or an argument cannot be known in time.
    """
    words = [turn.words for turn in item.turns]
    if any(says(text, value) for text in words for _, _, _, value in minted(item, trace)):
        raise Rejected("a minted id stands in the words")
    for turn in item.turns:
        if turn.answer and all(says(turn.user, value) for value in _answered_values(turn)):
            raise Rejected("the words hold what the user should be asked for")
    calls = [
        [(call.arguments, trace.observations[t, j]) for j, call in enumerate(turn.calls)]
        for t, turn in enumerate(item.turns)
    ]
    if not grounded(words, calls):
        raise Rejected("an argument cannot be known")


def _answered_values(turn: Turn) -> list[Any]:
    """Return the arguments of a turn that the user's answer holds."""
    values = [value for call in turn.calls for _, value in leaves(call.arguments)]
    plain = [value for value in values if isinstance(value, (str, int, float))]
    return [value for value in plain if says(turn.answer, value) and not says(turn.user, value)] or plain


def _commutes(environment: Environment, item: Item, trace: Trace) -> bool:
    """True if every stage can run in reverse order with the same state and facts."""
    order: list[CallKey] = []
    for t, stages in enumerate(item.provenance["stages"]):
        for stage in sorted(set(stages)):
            order += [(t, j) for j in reversed(range(len(stages))) if stages[j] == stage]
    if order == [key for key, _ in item.golden()]:
        return True
    other = run_golden(environment, item, order)
    return (
        not other.failed
        and same_scalar(other.state, trace.state)
        and same_scalar(other.facts(item), trace.facts(item))
    )
