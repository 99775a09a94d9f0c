"""Verification by meaning: what a tool does is compared with what its name and schema promise.

Checks run the tools on the seeded state and on states that earlier calls made.  Expectations come from
``expectations.py`` (name, schema, hints), never from the meaning that the code was written from; the report's
meanings only say from which table a well-typed key can be taken.

Every tool: it succeeds for some arguments, its value fits its output schema, equal calls give equal results,
a call that fails leaves the state byte-equal, an unknown id fails, nothing is edited in place, every
parameter changes the outcome somewhere, a value that breaks a rule which a text states is refused
(``checks/stated.py``).  ``checks/reads.py`` and ``checks/writes.py`` hold what depends on the kind of effect.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tvlab.environments.checks import between as checks_between
from tvlab.environments.checks import computations as checks_computations
from tvlab.environments.checks import defaults as checks_defaults
from tvlab.environments.checks import parameters as checks_parameters
from tvlab.environments.checks import reads as checks_reads
from tvlab.environments.checks import stated as checks_stated
from tvlab.environments.checks import writes as checks_writes
from tvlab.environments.checks.call_values import CallMaker
from tvlab.environments.checks.cases import Case, Check, Outcome, Readers
from tvlab.environments.checks.sensitivity import check_parameters
from tvlab.environments.domain.expectations import expect_action
from tvlab.environments.domain.own_expectations import expect_of
from tvlab.environments.environment import Environment

__all__ = ["Check", "verify"]

_TRIES = 12


def verify(environment: Environment, seed: int = 0, tools: Collection[str] | None = None) -> list[Check]:
    """Run every check on every tool; a tool is sound if none of its checks failed.

    Args:
        environment: the environment; its state is not changed.
        seed: seeds the arguments.
        tools: check these tools only; their checks are the same as in a run over all.
    """
    readers = Readers(environment)
    expectations = expect_of(environment)
    checks: list[Check] = []
    for tool in environment.tools:
        name = tool["name"]
        if tools is not None and name not in tools:
            continue
        maker = CallMaker(environment, name, seed)
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
    seen: dict[tuple[str, str], Check] = {}
    run = checks_computations.check if case.meaning["operation"] == "compute" else _run
    try:
        for check in run(case):
            kind = check.tool, check.check
            if kind not in seen or seen[kind].passed:
                seen[kind] = check
    except Exception as fault:  # a tool whose answers break the checks themselves is no tool to keep
        yield case.check("checkable", False, f"{type(fault).__name__}: {fault}"[:200])
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
    yield from checks_parameters.check_accepted(case, successes)
    yield from checks_parameters.check_unknown_ids(case, successes)
    yield from checks_parameters.check_fitting(case, successes)
    yield from checks_parameters.check_defaults(case, successes)
    yield from checks_defaults.check_deeper_defaults(case, successes)
    yield from check_parameters(case, successes)
    yield from checks_stated.check_stated(case, successes)
    yield from checks_stated.check_other_key(case, successes)
    yield from checks_between.check_between(case, successes)
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
    several = case.meaning["operation"] in ("batch_transition", "batch_update", "batch_delete", "batch_read")
    return found or (_of_one(case) if several else [])


def _of_one(case: Case) -> list[Outcome]:
    """Call a batch with one of its items alone: two neighbours are seldom both in the state that a change needs."""
    found = []
    for at in range(_TRIES):
        arguments = case.make(at, False) or {}
        outcome = case.run({name: v[:1] if isinstance(v, list) else v for name, v in arguments.items()})
        found += [outcome] if outcome.ok else []
    return found[:2]


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
    misplaced = next((place for o in successes if (place := case.misplaced(o))), "")
    yield case.check("keyed", not misplaced, misplaced)
    if misplaced:
        return
    if effect == "none" or not any(changes):
        yield case.check("read_only", not any(changes), "a reading tool changed the state")
        shown = effect == "none" or (effect == "some" and case.meaning["operation"] == "view")
        yield case.check("writes", shown, "the verb promises a change and none came")
        yield case.check("declared_effect", not case.declared_writes, "declared as a writer and changes nothing")
        yield from checks_reads.check_read(case, successes)
        return
    yield case.check("declared_effect", case.declared_writes, "declared as a reader and changes the state")
    kinds = {outcome.change.kind for outcome in successes if outcome.change}
    promised = {"adds": {"adds"}, "changes": {"changes"}, "removes": {"removes"}}.get(effect)
    if case.meaning["operation"] in ("batch_append", "batch_take"):  # texts inside a record come and go
        promised = {"changes"}
    fits = promised is None or kinds <= promised
    yield case.check("kind_of_change", fits, f"the verb promises {effect}, the state shows {sorted(kinds)}")
    yield from checks_writes.check_write(case, successes)
