"""Every parameter that an environment keeps must change the outcome in some state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.call_values import least_of
from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.domain.alternative_schemas import is_settled
from tvlab.environments.domain.tool_parsing import schema_type

#: a least limit from which on the records that are there at first may be too few
_LONG = 4

def check_parameters(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Vary one parameter at a time until the outcome differs."""
    for name, part in case.properties.items():
        if case.roles.get(name, {}).get("role") == "action" or is_settled(part):
            continue
        matters = any(_matters(case, outcome, name, part) for outcome in _bases(case, successes))
        matters = matters or any(_cuts(case, outcome, name, part) for outcome in successes)
        yield case.check("parameter_matters", matters, f"{name} changes nothing in any state tried")


def _cuts(case: Case, outcome: Outcome, name: str, part: dict[str, Any]) -> bool:
    """True if a limit whose least value is long cuts a list that is longer still."""
    low = least_of(part)
    if case.roles.get(name, {}).get("role") != "limit" or low < _LONG:
        return False
    short, long = (case.run({**outcome.arguments, name: size}, case.crowded) for size in (low, low + 1))
    return short.ok and long.ok and short.value != long.value


def _bases(case: Case, successes: list[Outcome]) -> Iterator[Outcome]:
    """Successful calls to vary: those found before, then plain calls about other records."""
    yield from reversed(successes)
    for at in range(10):
        arguments = case.make(at, optional=False)
        outcome = case.run(arguments) if arguments is not None else None
        if outcome is not None and outcome.ok:
            yield outcome


def _matters(case: Case, outcome: Outcome, name: str, part: dict[str, Any]) -> bool:
    for arguments in _variants(case, outcome, name, part):
        other = case.run(arguments)
        if other.invalid:
            continue
        if (other.ok, other.error.split(":")[0]) != (outcome.ok, ""):
            return True
        if other.value != outcome.value or other.after != outcome.after:
            return True
    return False


def _variants(case: Case, outcome: Outcome, name: str, part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Calls that differ from a successful one in one parameter."""
    arguments = outcome.arguments
    required = name in case.tool["inputSchema"].get("required", [])
    role = case.roles.get(name, {})
    if name in arguments and not required and role.get("role") != "key":
        yield {key: value for key, value in arguments.items() if key != name}
    if role.get("role") in ("key", "reference"):
        yield {**arguments, name: case.maker.unknown(part)}
        return
    if role.get("role") in ("limit", "page", "offset"):
        query = next(
            (n for n, r in case.roles.items() if r["role"] == "query" and n in case.properties), None
        )
        wide = {**arguments, query: "e"} if query in arguments else arguments
        first = case.run(wide) if wide is not arguments else outcome
        for number in (1, 2, 0, 3, 1000):
            other = {**wide, name: number}
            if wide is arguments or (first.ok and case.run(other).value != first.value):
                yield {**arguments, name: number} if wide is arguments else other
        return
    if role.get("role") == "cursor":
        yield {**arguments, name: "3"}
        return
    if role.get("role") in ("filter", "query"):
        yield from _by_stored_values(case, outcome, name, part)
    values = (
        part.get("enum") or [not arguments.get(name)]
        if schema_type(part) == "boolean"
        else part.get("enum") or []
    )
    for value in values[:6]:
        if value is not None and value != arguments.get(name):
            yield {**arguments, name: value}
    for at in (3, 4, 5):
        yield {
            **arguments,
            name: case.maker.fill(name, part, case.roles, case.environment.state, at, None, name),
        }


def _by_stored_values(
    case: Case, outcome: Outcome, name: str, part: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    entity = case.environment.report["entities"][case.meaning["entity"]]
    field = case.roles[name].get("field")
    values = [row.get(field) for row in case.environment.state[entity["table"]].values()]
    for value in list({repr(v): v for v in values if isinstance(v, (str, int, float))}.values())[:5]:
        yield {**outcome.arguments, name: [value] if schema_type(part) == "array" else value}
    if schema_type(part) == "string" and not part.get("enum"):
        yield {**outcome.arguments, name: "zqxjv"}
        yield {**outcome.arguments, name: "e"}
