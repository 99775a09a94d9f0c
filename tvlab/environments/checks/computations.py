"""Checks of a pure computation: answers known beforehand, refusals, no state, every parameter matters.

The answers stand in the catalogue and come from elsewhere than its code (tables, hand calculation, another
library); the tests compare them with independent libraries.  Which operation a tool promises is read from the
tool as published, not from the meaning that its code was written from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.computations.computations import Recognised, recognise
from tvlab.environments.domain.tool_parsing import parse_tools
from tvlab.foundation.words import split_name

_LEAST_KNOWN = 2


def check(case: Case) -> Iterator[Check]:
    """Run the checks of one pure tool."""
    promised = _promised(case.tool)
    yield case.check("recognised", promised is not None, "the published tool is no certain computation")
    if promised is None:
        return
    calls = list(_known_calls(promised, set(case.properties)))
    outcomes = [(case.run(arguments), answer) for arguments, answer in calls]
    right = [(outcome, answer) for outcome, answer in outcomes if _allowed(case, outcome.arguments)]
    yield case.check("succeeds", sum(o.ok for o, _ in right) >= min(_LEAST_KNOWN, len(calls)) > 0, case.last_error)
    for outcome, answer in right:
        got = outcome.value.get(promised.result) if isinstance(outcome.value, dict) else outcome.value
        detail = f"{outcome.arguments} gave {got!r}, not {answer!r}: {outcome.error}"[:200]
        yield case.check("known_answer", outcome.ok and same(got, answer), detail)
        if outcome.ok:
            yield from _plain_checks(case, outcome)
    yield from _refusals(case, promised)
    yield from _parameters(case, [outcome for outcome, _ in right if outcome.ok])
    yield from case.standing()


def _promised(tool: dict[str, Any]) -> Recognised | None:
    """Read what a published tool promises; words before its own name (a server it was joined from) are left out."""
    words = split_name(tool["name"])
    shorter = ({**tool, "name": "_".join(words[at:])} for at in range(1, len(words)))
    names = (recognise(parse_tools([one])[0]) for one in (tool, *shorter))
    return next((found for found in names if found is not None), None)


def _plain_checks(case: Case, outcome: Outcome) -> Iterator[Check]:
    misfit = case.misfit(outcome.value)
    yield case.check("output_schema", not misfit, misfit)
    again = case.run(outcome.arguments, outcome.before)
    yield case.check("deterministic", again.value == outcome.value, "the same call gave another result")
    yield case.check("read_only", not outcome.change, "a computation changed the state")


def _known_calls(promised: Recognised, offered: set[str]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield arguments and answer; a known call that needs a part which the tool lacks is left out."""
    for values, answer in promised.computation.known:
        arguments = _arguments(promised, values, offered)
        if arguments is not None:
            yield arguments, answer


def _arguments(promised: Recognised, values: tuple[Any, ...], offered: set[str]) -> dict[str, Any] | None:
    arguments: dict[str, Any] = {}
    for wanted, value in zip(promised.computation.inputs, values, strict=True):
        p = promised.parts.get(wanted.role)
        if p is not None:
            arguments[p.name] = value
        elif not _stands_for(wanted.otherwise, value, arguments):
            return None
    return arguments if set(arguments) <= offered else None


def _stands_for(otherwise: str, value: Any, arguments: dict[str, Any]) -> bool:
    """True if a part that the tool lacks has the known value anyway."""
    return otherwise in (repr(value), f'"{value}"') or (otherwise == "{n}" and value in arguments.values())


def same(got: Any, answer: Any) -> bool:
    """Compare an answer with the known one: numbers to twelve digits, anything else exactly.

    >>> same(0.1 + 0.2, 0.3), same([2.0], [2]), same(True, 1)
    (True, True, False)
    """
    if isinstance(got, bool) or isinstance(answer, bool):
        return got is answer
    if isinstance(got, int) and isinstance(answer, int):
        return got == answer
    if isinstance(got, (int, float)) and isinstance(answer, (int, float)):
        return math.isclose(got, answer, rel_tol=1e-12, abs_tol=1e-12)
    if isinstance(got, list) and isinstance(answer, list):
        return len(got) == len(answer) and all(map(same, got, answer))
    if isinstance(got, dict) and isinstance(answer, dict):
        return got.keys() == answer.keys() and all(same(got[key], answer[key]) for key in answer)
    return type(got) is type(answer) and got == answer


def _refusals(case: Case, promised: Recognised) -> Iterator[Check]:
    for values in promised.computation.refused:
        arguments = _arguments(promised, values, set(case.properties))
        if arguments is not None:
            outcome = case.run(arguments)
            detail = f"{arguments} was answered with {outcome.value!r}"[:200]
            yield case.check("refuses", not outcome.ok and "internal" not in outcome.error, detail)


def _parameters(case: Case, outcomes: list[Outcome]) -> Iterator[Check]:
    """Every parameter, put from one known call into another or left out, must change some answer."""
    for name in case.properties:
        matters = any(
            _differs(case, outcome, other, name) for outcome in outcomes for other in _others(case, outcomes, name)
        )
        yield case.check("parameter_matters", matters, f"{name} changes nothing in any call tried")


def _others(case: Case, outcomes: list[Outcome], name: str) -> list[Any]:
    seen: dict[str, Any] = {repr(o.arguments[name]): o.arguments[name] for o in outcomes if name in o.arguments}
    values = list(seen.values())
    if values and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        values += [value + 1 for value in values]
    return values


def _differs(case: Case, outcome: Outcome, value: Any, name: str) -> bool:
    arguments = {**outcome.arguments, name: value}
    if not _allowed(case, arguments):
        return False
    changed = case.run(arguments)
    return (changed.ok, changed.value) != (True, outcome.value)


def _allowed(case: Case, arguments: dict[str, Any]) -> bool:
    """True if the input schema takes the arguments, whatever the tool then says."""
    return bool(case.environment.validators[case.name].is_valid(arguments))
