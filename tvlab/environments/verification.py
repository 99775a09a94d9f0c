"""Verification by meaning: what a tool does is compared with what its name and schema promise.

Checks run the tools on the seeded state and on states that earlier calls made.  Expectations come from
``expectations.py`` (name, schema, hints), never from the meaning that the code was written from; the report's
meanings only say from which table a well-typed key can be taken.

Every tool: it succeeds for some arguments, its value fits its output schema, equal calls give equal results,
a call that fails leaves the state byte-equal, an unknown id fails, nothing is edited in place, every
parameter changes the outcome somewhere.  ``checks_reads.py`` and ``checks_writes.py`` hold what depends on
the kind of effect.

Not checked: constraints that only the prose of a description states.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from tvlab.environments import checks_reads, checks_writes
from tvlab.environments.call_values import CallMaker
from tvlab.environments.cases import Case, Check, Outcome, Readers
from tvlab.environments.environment import Environment
from tvlab.environments.expectations import expect_action
from tvlab.environments.own_expectations import expect_of
from tvlab.environments.sensitivity import check_parameters

__all__ = ["Check", "verify"]

_TRIES = 12


def verify(environment: Environment, seed: int = 0, only: Collection[str] | None = None) -> list[Check]:
    """Run every check on every tool; a tool is sound if none of its checks failed.

    Args:
        environment: the environment; its state is not changed.
        seed: seeds the arguments.
        only: names of the tools to check; None: all.
    """
    maker = CallMaker(environment, seed)
    readers = Readers(environment)
    expectations = expect_of(environment)
    checks: list[Check] = []
    for tool in environment.tools:
        name = tool["name"]
        if only is not None and name not in only:
            continue
        meaning = environment.report["meanings"][name]
        for action in meaning.get("branches", {None: None}):
            expectation = expectations[name]
            if action is not None:
                expectation = expect_action(name, action, list(tool["inputSchema"]["properties"]))
            case = Case(environment, tool, action, expectation, maker, readers)
            checks.extend(_checks_of(case))
    return checks


def _checks_of(case: Case) -> Iterator[Check]:
    """Run the checks of one tool (one action of it) and report each kind of check once."""
    seen: dict[str, Check] = {}
    for check in _run(case):
        if check.check not in seen or seen[check.check].passed:
            seen[check.check] = check
    yield from seen.values()


def _run(case: Case) -> Iterator[Check]:
    successes = find_successes(case)
    yield case.check("succeeds", bool(successes), case.last_error)
    if not successes:
        yield from case.standing()
        return
    for outcome in successes:
        misfit = case.misfit(outcome.value)
        yield case.check("output_schema", not misfit, misfit)
        again = case.run(outcome.arguments, outcome.before)
        same = again.value == outcome.value and again.after == outcome.after
        yield case.check("deterministic", same, "the same call gave another result")
    yield from check_effect(case, successes)
    yield from check_unknown_ids(case, successes)
    yield from check_parameters(case, successes)
    yield from case.standing()


def find_successes(case: Case) -> list[Outcome]:
    """Call the tool with and without optional parameters, in every mode, until each has succeeded twice."""
    found: list[Outcome] = []
    has_optional = len(case.properties) > len(case.tool["inputSchema"].get("required", []))
    for mode in ("stay", "other", "fresh"):
        if mode == "fresh" and not any(role["role"] == "key" for role in case.roles.values()):
            continue
        if mode == "other" and not any(role["role"] == "reference" for role in case.roles.values()):
            continue
        for optional in (False, True) if has_optional else (False,):
            found += _some_successes(case, mode, optional)
    return found


def _some_successes(case: Case, mode: str, optional: bool) -> list[Outcome]:
    found: list[Outcome] = []
    for at in range(_TRIES if not optional else 5):
        arguments = case.make(at, optional, mode=mode)
        if arguments is None:
            break
        outcome = case.run(arguments)
        if outcome.ok:
            found.append(outcome)
        telling = sum(bool(o.change) for o in found) if case.declared_writes else len(found)
        if telling == 2 or (mode == "fresh" and at > 2):
            break
    return found


def check_effect(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Compare the change of the state with the effect that the verb promises."""
    effect = case.expectation.effect
    changes = [outcome.change for outcome in successes]
    if effect == "none" or not any(changes):
        yield case.check("read_only", not any(changes), "a reading tool changed the state")
        yield case.check("writes", effect == "none", "the verb promises a change and none came")
        yield case.check(
            "declared_effect", not case.declared_writes, "declared as a writer and changes nothing"
        )
        yield from checks_reads.check_read(case, successes)
        return
    yield case.check("declared_effect", case.declared_writes, "declared as a reader and changes the state")
    kinds = {outcome.change.kind for outcome in successes if outcome.change}
    promised = {"adds": {"adds"}, "changes": {"changes"}, "removes": {"removes"}}.get(effect)
    fits = promised is None or kinds <= promised
    yield case.check("kind_of_change", fits, f"the verb promises {effect}, the state shows {sorted(kinds)}")
    yield from checks_writes.check_write(case, successes)


def check_unknown_ids(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A well-typed id that nothing has must be refused, wherever it is given."""
    for name, part in case.properties.items():
        role = case.roles.get(name, {})
        picks = role.get("role") in ("key", "reference") or name in case.expectation.ids
        if not picks or (role.get("role") == "key" and _makes_key(name, successes)):
            continue
        arguments = next((o.arguments for o in reversed(successes) if name in o.arguments), None)
        if arguments is None:
            continue
        outcome = case.run({**arguments, name: case.maker.unknown(part)})
        refused = not outcome.ok and not outcome.invalid
        yield case.check("unknown_id", refused or outcome.invalid, f"an unknown {name} was accepted")
    yield from _check_inner_ids(case, successes)


def _makes_key(name: str, successes: list[Outcome]) -> bool:
    """True if the calls made new records under the given key."""
    return all(
        (o.change.added and any(o.arguments.get(name) in (row.values()) for _, row in o.change.added))
        or (o.change.kind == "changes" and not o.change.added and _upserts(name, o))
        for o in successes
    )


def _upserts(name: str, outcome: Outcome) -> bool:
    return outcome.declared_operation == "upsert"


def _check_inner_ids(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """The same for ids inside objects and arrays of objects."""
    for path, role in case.roles.items():
        if role.get("role") not in ("key", "reference") or not set(path) & {".", "["}:
            continue
        for outcome in reversed(successes):
            changed = _with_unknown(outcome.arguments, path)
            if changed is not None:
                made = role.get("role") == "key" and outcome.change.added
                result = case.run(changed)
                if not made:
                    yield case.check("unknown_id", not result.ok, f"an unknown {path} was accepted")
                break


def _with_unknown(arguments: dict[str, Any], path: str) -> dict[str, Any] | None:
    """Return the arguments with an unknown id at the first place of the path, None if it is not given."""
    head, *rest = path.replace("[]", ".[]").split(".")
    if head not in arguments:
        return None
    changed = _replace(arguments[head], rest)
    return None if changed is None else {**arguments, head: changed}


def _replace(value: Any, parts: list[str]) -> Any:
    if not parts:
        if isinstance(value, bool) or value is None:
            return None
        return 2147480001 if isinstance(value, (int, float)) else "no-such-id-0000"
    if parts[0] == "[]":
        if not isinstance(value, list) or not value:
            return None
        first = _replace(value[0], parts[1:])
        return None if first is None else [first, *value[1:]]
    if not isinstance(value, dict) or parts[0] not in value:
        return None
    inner = _replace(value[parts[0]], parts[1:])
    return None if inner is None else {**value, parts[0]: inner}
