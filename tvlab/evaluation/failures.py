"""What went wrong in a turn: golden calls and an agent's calls side by side, by kind.

    wrong_argument  a call of the right tool that the golden call does not fit, or that failed
    wrong_tool      a golden call is missing and another tool was called in its place
    missing_call    a golden call is missing, other calls of the turn were right or there were too few
    gave_up         no call at all in a turn that needs one
    surplus_call    a call changed the state and no golden call asks for it
    format          a tool call that could not be read
    truncated       the answer was cut at the token limit

A turn may hold several.  Each golden call that is not covered gives one failure and each of the agent's
calls explains at most one, so that the counts add up to something.  Arguments are compared as JSON, golden
ones contained in the agent's; who has a finer comparison passes its matching.  The kinds say what differs,
not why: a wrong argument may come from a wrong look-up earlier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

KINDS = ("wrong_tool", "wrong_argument", "missing_call", "surplus_call", "format", "gave_up", "truncated")


@dataclass(frozen=True)
class Failure:
    """One thing that went wrong in a turn.

    Attributes:
        kind: one of ``KINDS``.
        tool: the golden tool; for a surplus call the agent's.
        called: the tool that was called instead, or "".
        arguments: names of the arguments that differ.
    """

    kind: str
    tool: str = ""
    called: str = ""
    arguments: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the failure as a JSON object without its empty parts."""
        value = {name: part for name, part in asdict(self).items() if part}
        return value | {"arguments": list(self.arguments)} if self.arguments else value


def turn_failures(
    golden: Sequence[Mapping[str, Any]],
    made: Sequence[Mapping[str, Any]],
    matching: Mapping[int, int] | None = None,
    *,
    unreadable: int = 0,
    cut: bool = False,
) -> list[Failure]:
    """Return what went wrong in one turn; nothing if the calls are covered and none is surplus.

    Args:
        golden: ``{"tool", "arguments"}`` of each call that is needed.
        made: ``{"tool", "arguments", "ok", "writes"}`` of each call of the agent, in order; ``ok`` and
            ``writes`` may be left out: it succeeded, it changes nothing.
        matching: golden index -> index of the agent's call; by default calls of equal tool that contain
            the golden arguments, the first first.
        unreadable: tool calls of the turn that could not be read.
        cut: an answer of the turn was cut at the token limit.

    >>> turn_failures([{"tool": "f", "arguments": {"x": 1}}], [{"tool": "f", "arguments": {"x": 2}}])
    [Failure(kind='wrong_argument', tool='f', called='f', arguments=('x',))]
    """
    matched = _matching(golden, made) if matching is None else matching
    missing = [call for index, call in enumerate(golden) if index not in matched]
    free = [call for index, call in enumerate(made) if index not in matched.values()]
    found: list[Failure] = [Failure("truncated")] if cut and missing else []
    found += [Failure("format")] * (unreadable if missing else 0)
    rest = []
    for call in missing:
        same = [other for other in free if other["tool"] == call["tool"]]
        if same:
            closest = min(same, key=lambda other: len(_differing(call, other)))
            free.remove(closest)
            found.append(Failure("wrong_argument", call["tool"], call["tool"], _differing(call, closest)))
        else:
            rest.append(call)
    for call in rest:
        if free:
            instead = min(free, key=lambda other: bool(other.get("writes")) != bool(call.get("writes")))
            free.remove(instead)
            found.append(Failure("wrong_tool", call["tool"], instead["tool"]))
        elif not made and not unreadable and not cut:
            found.append(Failure("gave_up", call["tool"]))
        elif made:
            found.append(Failure("missing_call", call["tool"]))
    surplus = [call for call in free if call.get("writes") and call.get("ok", True)]
    return found + [Failure("surplus_call", call["tool"], call["tool"]) for call in surplus]


def contained(golden: Any, made: Any) -> bool:
    """Tell whether a golden JSON value is contained in another: objects by their keys, all else equal.

    >>> contained({"a": 1}, {"a": 1, "b": 2}), contained(1, True), contained([1], [1, 2])
    (True, False, False)
    """
    if isinstance(golden, Mapping):
        return isinstance(made, Mapping) and all(
            name in made and contained(value, made[name]) for name, value in golden.items()
        )
    if isinstance(golden, bool) or isinstance(made, bool):
        return golden is made
    return bool(golden == made)


def _matching(golden: Sequence[Mapping[str, Any]], made: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    matched: dict[int, int] = {}
    for index, call in enumerate(golden):
        for at, other in enumerate(made):
            fits = other["tool"] == call["tool"] and contained(call["arguments"], other["arguments"])
            if fits and other.get("ok", True) and at not in matched.values():
                matched[index] = at
                break
    return matched


def _differing(golden: Mapping[str, Any], made: Mapping[str, Any]) -> tuple[str, ...]:
    given = made["arguments"] if isinstance(made["arguments"], Mapping) else {}
    return tuple(
        name for name, value in golden["arguments"].items() if name not in given or not contained(value, given[name])
    )
