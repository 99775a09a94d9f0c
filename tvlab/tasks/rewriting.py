"""Words of items put anew by a model, under checks; where none of its answers passes, the template's stay.

A rewritten turn is taken if

* it is not the template's own text;
* every value that the template's words say, of arguments, records shown and facts, is still said exactly;
* nothing else is said: no minted id, no value that a call is to find out, no number that was not there;
* the verb of every change is there, or one of its synonyms, every kind of thing that is spoken of is still
  spoken of, and a question is still a question;
* the item still passes what depends on words: every argument can be known in time, every call is necessary, and
  what the user leaves out is left out.

Not checked: that "that order" still means the same order, and anything else only a reader can tell; a model
that is not trusted with this needs a sample read by hand.  Turns without golden calls keep their words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tvlab.environments.environment import Environment
from tvlab.foundation.words import split_name, stem
from tvlab.tasks.endpoint_teacher import Model
from tvlab.tasks.golden import CHANGING, Rejected
from tvlab.tasks.item import Item, Turn
from tvlab.tasks.necessity import Trace, run_golden, unnecessary_calls
from tvlab.tasks.outcome import says, spelled
from tvlab.tasks.paths import leaves
from tvlab.tasks.phrases import NOUNS, VERBS
from tvlab.tasks.tool_views import tool_views
from tvlab.tasks.turn_kinds import EMPTY, GRANTED
from tvlab.tasks.validation import check_words, stated_in

SYSTEM = (
    "You rewrite what a person types to an assistant. Say the same request in other words, as another person "
    "would put it. Copy every value of the list letter for letter, in the order of the request. Add nothing, "
    "leave nothing out, answer nothing. Reply with the rewritten request alone, on one line."
)
ATTEMPTS = 2
_NUMBER = re.compile(r"\d+")
_ASKING = frozenset(
    "what which how who when where whether is are does do tell give show let know find count check".split()
)
_LONGEST = 2.5
"""Times the template's words; a longer answer explains something."""


@dataclass(frozen=True)
class Rewriting:
    """An item after rewriting, and what became of its turns.

    Attributes:
        item: with the words that were accepted.
        results: of every turn that was tried: "accepted", or why the last answer was not taken.
        answers: of every answer of the model, likewise.
    """

    item: Item
    results: tuple[str, ...]
    answers: tuple[str, ...]


def rewritten(environment: Environment, item: Item, model: Model, attempts: int = ATTEMPTS) -> Rewriting:
    """Return an item with its turns in a model's words where they pass the checks.

    Args:
        environment: the item's environment.
        item: one that passed its checks.
        model: answers messages.
        attempts: answers a turn may have.
    """
    trace = run_golden(environment, item)
    results, answers, accepted = [], [], []
    for t, turn in enumerate(item.turns):
        if turn.kind in EMPTY or turn.kind == GRANTED:
            continue
        values = said_values(item, trace, t)
        for attempt in range(attempts):
            text = _cleaned(model.message(_asking(turn, values), (), attempt).get("content"))
            reason = reason_against(environment, item, trace, t, text, values)
            answers.append(reason or "accepted")
            if not reason:
                item = _with_words(item, trace, t, text)
                accepted.append(t)
                break
        results.append(answers[-1])
    if accepted:
        item = replace(item, provenance={**item.provenance, "rewritten": accepted})
    return Rewriting(item, tuple(results), tuple(answers))


def said_values(item: Item, trace: Trace, t: int) -> list[str]:
    """Return the values that the words of a turn say and that must survive, in the order of the words."""
    turn = item.turns[t]
    found = {spelled(value) for value in _scalars(trace) if not isinstance(value, bool)}
    given = [value for call in turn.calls for _, value in leaves(call.arguments)]
    found |= {spelled(value) for value in given if isinstance(value, bool)}
    said = [value for value in found if value and says(turn.user, value)]
    return sorted(said, key=lambda value: (turn.user.find(value), -len(value), value))


def reason_against(
    environment: Environment, item: Item, trace: Trace, t: int, text: str, values: Sequence[str]
) -> str:
    """Return why a text cannot be the words of a turn, "" if it can.

    Args:
        environment: the item's environment.
        item: with its words so far.
        trace: of its golden calls.
        t: the turn.
        text: the words proposed.
        values: those that must be said.
    """
    turn = item.turns[t]
    if not text:
        return "empty"
    if _letters(text) == _letters(turn.user):
        return "the same words"
    if len(text.split()) > _LONGEST * len(turn.user.split()) + 8:
        return "too long"
    if any(not says(text, value) for value in values):
        return "a value is lost"
    if set(_NUMBER.findall(text)) - set(_NUMBER.findall(turn.user)):
        return "a number that was not said"
    if any(says(text, value) and not says(turn.user, value) for value in _hidden(trace)):
        return "a value leaks"
    words = {stem(word) for word in re.findall(r"[a-z]+", text.lower())}
    if any(not words & verbs for verbs in _verbs(environment, turn)):
        return "a verb is lost"
    if (_nouns(environment) & {stem(word) for word in re.findall(r"[a-z]+", turn.user.lower())}) - words:
        return "a thing is lost"
    if turn.facts and "?" not in text and not words & {stem(word) for word in _ASKING}:
        return "a question is lost"
    return _against_whole(environment, _with_words(item, trace, t, text), trace)


def _against_whole(environment: Environment, item: Item, trace: Trace) -> str:
    try:
        check_words(item, trace)
    except Rejected as reason:
        return str(reason)
    return "a call is not necessary" if unnecessary_calls(environment, item, trace) else ""


def _asking(turn: Turn, values: Sequence[str]) -> list[dict[str, Any]]:
    listed = "\n".join(f"- {value}" for value in values) or "- (none)"
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": f"Request: {turn.user}\nValues to copy:\n{listed}"},
    ]


def _cleaned(content: Any) -> str:
    """One line of an answer, without quotation marks around it and a label in front."""
    text = " ".join(content.split()) if isinstance(content, str) else ""
    text = re.sub(r"^(?:rewritten )?request:\s*", "", text, flags=re.IGNORECASE)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' and text.count('"') == 2 else text


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def _with_words(item: Item, trace: Trace, t: int, text: str) -> Item:
    turn = item.turns[t]
    said = replace(turn, user=text)
    stated = [(j, path) for j, call in enumerate(turn.calls) for path in stated_in(call.arguments, text)]
    turns = tuple(replace(said, stated=tuple(stated)) if at == t else other for at, other in enumerate(item.turns))
    return replace(item, turns=turns)


def _scalars(trace: Trace) -> Iterator[Any]:
    """All values of a golden trace: what calls are given and what they show."""
    for part in (*trace.arguments.values(), *trace.observations.values()):
        yield from (value for _, value in leaves(part) if isinstance(value, (str, int, float)))


def _hidden(trace: Trace) -> set[str]:
    """Values of the trace that no words may say unless the template's did; short plain words may be meant otherwise."""
    texts = {value for value in _scalars(trace) if isinstance(value, str)}
    return {text for text in texts if len(text) > 3 and (not text.isalpha() or not text.islower())}


def _nouns(environment: Environment) -> set[str]:
    """The words for the kinds of things that an environment has, stemmed."""
    names = [word for name in environment.report.get("entities", {}) for word in split_name(name)]
    others = [way for name in names for way in NOUNS.get(name, "").split("|") if way and " " not in way]
    return {stem(word) for word in (*names, *others)}


def _verbs(environment: Environment, turn: Turn) -> Iterator[set[str]]:
    """For every change of a turn the first words of all ways to say it, stemmed."""
    views = tool_views(environment)
    for call in turn.calls:
        if not call.writes:
            continue
        view = views[call.tool]
        ways = VERBS.get(view.verb, view.verb).split("|")
        ways += [*VERBS["update"].split("|"), "set"] if view.operation in CHANGING else []
        ways += [*VERBS["create"].split("|"), *VERBS["add"].split("|")] if view.makes else []
        yield {stem(way.split()[0].lower()) for way in ways}


def rewriting_counts(rewritings: Sequence[Rewriting]) -> dict[str, Any]:
    """Return what became of turns and answers: turns tried, accepted, reasons of all answers."""
    turns = Counter(result for one in rewritings for result in one.results)
    answers = Counter(result for one in rewritings for result in one.answers)
    return {
        "turns": sum(turns.values()),
        "accepted": turns["accepted"],
        "answers": dict(sorted(answers.items())),
    }


def summed(counts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the sum of some ``rewriting_counts``."""
    answers: Counter[str] = Counter()
    for count in counts:
        answers.update(count["answers"])
    return {
        "turns": sum(count["turns"] for count in counts),
        "accepted": sum(count["accepted"] for count in counts),
        "answers": dict(sorted(answers.items())),
    }
