"""Why a turn of an episode was paid what it was paid: which golden call was covered by which call.

Told after the turn has ended, from the episode's calls by the same matching that paid it.  What a policy or
a person sees of it is the caller's business: an agent in training sees none of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tvlab.tasks.coverage import Call, GoldenPattern, compile_turn, match_turn
from tvlab.tasks.episode import Episode
from tvlab.tasks.equality import CallKey, matches
from tvlab.tasks.item import GoldenCall


@dataclass(frozen=True, slots=True)
class GoldenReport:
    """What became of one golden call.

    Attributes:
        call: the golden call.
        covered_by: index of the agent's call in the turn that covers it, None if none does.
        reason: why none does; "" if one does.
    """

    call: GoldenCall
    covered_by: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class TurnReport:
    """One ended turn.

    Attributes:
        turn: its index.
        reward: what it was paid.
        golden: its golden calls, in order.
        why: one sentence.
    """

    turn: int
    reward: float
    golden: tuple[GoldenReport, ...]
    why: str


def turn_reports(episode: Episode) -> list[TurnReport]:
    """Return a report of each turn that has ended."""
    reports = []
    observations: dict[CallKey, Any] = {}
    for t, turn in enumerate(episode.item.turns):
        if not episode.reached[t]:
            break
        calls = episode.calls[t]
        patterns = compile_turn(episode.environment, t, turn.calls)
        found = match_turn(patterns, calls, observations)
        observations |= {key: calls[index].observation for key, index in found.items()}
        golden = tuple(
            GoldenReport(call, found.get((t, j)), "" if (t, j) in found else _why_not(pattern, calls, observations))
            for j, (call, pattern) in enumerate(zip(turn.calls, patterns, strict=True))
        )
        reward = episode.rewards[t]
        reports.append(TurnReport(t, reward, golden, _why(episode, t, reward, len(found))))
    return reports


def _why(episode: Episode, t: int, reward: float, found: int) -> str:
    wanted, last = len(episode.item.turns[t].calls), t == len(episode.item.turns) - 1
    if reward:
        covered = "the golden call is covered" if wanted == 1 else f"all {wanted} golden calls are covered"
        reached = " and the outcome is reached" if last and episode.reward != "coverage" else ""
        return (covered if wanted else "nothing was changed") + reached
    if len(episode.calls[t]) >= episode.step_cap:
        return f"the turn ended at the step cap of {episode.step_cap} calls"
    if episode.reward == "outcome":
        return "the outcome is not reached" if last else "only the last turn pays for the outcome"
    if found < wanted:
        return f"{found} of {wanted} golden calls are covered"
    if not wanted:
        return "a call changed the state, and nothing was to be changed in this turn"
    if episode.item.turns[t].answer:
        return "the state was changed before the user was asked for what is missing"
    return "the golden calls are covered, but the final state or a fact asked for is not the golden one"


def _why_not(pattern: GoldenPattern, calls: Sequence[Call], observations: dict[CallKey, Any]) -> str:
    """Say what kept the turn's calls from covering a golden call: the closest one of the same tool."""
    same = [(index, call) for index, call in enumerate(calls) if call.tool == pattern.tool]
    tried = [(index, call) for index, call in same if call.ok]
    if not same:
        return f"{pattern.tool} was not called"
    if not tried:
        return f"call {same[-1][0] + 1} failed"
    misses = [(_misses(pattern, call, observations), index) for index, call in tried]
    missing, index = min(misses, key=lambda pair: len(pair[0]))
    if not missing:
        return f"call {index + 1} already covers another golden call"
    return f"call {index + 1} differs in {', '.join(missing)}"


def _misses(pattern: GoldenPattern, call: Call, observations: dict[CallKey, Any]) -> list[str]:
    golden = pattern.arguments.value
    return [
        name
        for name, child in golden.items()
        if not matches(pattern.arguments._replace(value={name: child}), call.arguments, observations)
    ]
