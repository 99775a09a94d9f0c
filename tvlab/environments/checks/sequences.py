"""Checks of what several calls must give together: a batch is its singles, an inverse undoes.

Not checked: inverses whose names do not show it, and those that need other arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome, difference
from tvlab.environments.domain.field_types import name_words
from tvlab.environments.environment import visible

_INVERSES = {
    "add": ("remove", "delete"),
    "archive": ("unarchive", "restore"),
    "star": ("unstar",),
    "pin": ("unpin",),
    "lock": ("unlock",),
    "mute": ("unmute",),
    "enable": ("disable",),
    "disable": ("enable",),
    "activate": ("deactivate",),
    "deactivate": ("activate",),
    "pause": ("resume",),
    "suspend": ("resume", "unsuspend"),
    "close": ("reopen",),
    "complete": ("reopen", "uncomplete"),
    "assign": ("unassign",),
    "attach": ("detach",),
    "link": ("unlink",),
    "block": ("unblock",),
    "follow": ("unfollow",),
    "like": ("unlike",),
    "publish": ("unpublish",),
    "subscribe": ("unsubscribe",),
}
#: between these both ways are the same state, so that the way back leads where it began
_SWITCHES = frozenset("add star pin lock mute assign attach link block follow like subscribe".split())


def check_batch(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A batch of n does what n batches of one do, one after the other."""
    if not case.meaning["operation"].startswith("batch_"):
        return
    for outcome in successes:
        name = _array(case, outcome.arguments)
        if name is None or len(outcome.arguments[name]) < 2:
            continue
        state, fine = outcome.before, True
        for item in outcome.arguments[name]:
            one = case.run({**outcome.arguments, name: [item]}, state)
            fine, state = fine and (one.ok or one.invalid), one.after
            if one.invalid:
                return
        same = fine and not difference(outcome.after, state)
        yield case.check("batch_is_singles", same, "a batch does not do what its items do one by one")


def _array(case: Case, arguments: dict[str, Any]) -> str | None:
    """Return the parameter that holds the items or keys of a batch."""
    heads = {path.partition("[]")[0] for path, role in case.roles.items() if "[]" in path or role.get("many")}
    lists = [n for n, v in arguments.items() if isinstance(v, list) and n in heads]
    return lists[0] if len(lists) == 1 else None


def check_undone(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """The inverse tool takes a change back: the state before, or one from which the same call leads there again."""
    inverse = None if case.action else _inverse(case)
    if inverse is None:
        return
    schema = case.environment.tool(inverse)["inputSchema"]
    for outcome in successes:
        arguments = {n: v for n, v in outcome.arguments.items() if n in schema["properties"]}
        if outcome.change and set(schema.get("required", [])) <= set(arguments):
            yield from _check_way_back(case, outcome, inverse, arguments)


def _check_way_back(case: Case, outcome: Outcome, inverse: str, arguments: dict[str, Any]) -> Iterator[Check]:
    session = case.environment.session()
    session.restore(outcome.after)
    result = session.call(inverse, arguments)
    if case.environment.meaning(inverse)["operation"] == "delete" and outcome.change.kind == "changes":
        # what only changes a record is not taken back by removing one: the fault is the inverse's
        yield Check(inverse, "undone", False, f"{case.name} makes no record and this removes one")
        return
    yield case.check("undone", result.ok, f"{inverse} does not take it back: {result.error}")
    if not result.ok:
        return
    again = case.run(outcome.arguments, session.state)
    there = again.ok and _same(case, again, outcome)
    yield case.check("undone", there, f"after {inverse} the same call does not do the same")
    if name_words(case.name)[0] in _SWITCHES and outcome.change.kind != "changes":
        back = visible(session.state) == visible(outcome.before)
        yield case.check("undone", back, f"{inverse} does not lead back to the state before")


def _same(case: Case, again: Outcome, first: Outcome) -> bool:
    """True if two calls made the same change; a record made anew may have another id."""
    changes = again.change, first.change
    if again.change.added and first.change.added:
        rows = [
            [{n: v for n, v in row.items() if n != case.readers.key(t)} for t, row in c.added]
            for c in changes
        ]
        return rows[0] == rows[1]
    return not difference(again.after, first.after) or again.change.kind == first.change.kind


def _inverse(case: Case) -> str | None:
    """Return the tool whose name is this one's with the inverse verb."""
    words = name_words(case.name)
    for at, word in enumerate(words):
        for other in _INVERSES.get(word, ()):
            wanted = (*words[:at], other, *words[at + 1 :])
            for name in case.environment.tool_names:
                if name_words(name) == wanted or name_words(name) == _from(wanted):
                    return name
    return None


def _from(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return ``remove tag from task`` for ``remove tag to task``."""
    return tuple("from" if word == "to" else word for word in words)
