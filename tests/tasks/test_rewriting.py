"""Words by a model: what passes the checks is taken, all else falls back to the template's words."""

import re
from dataclasses import replace

import pytest

from tvlab.tasks.necessity import run_golden
from tvlab.tasks.outcome import says
from tvlab.tasks.rewriting import reason_against, rewriting_counts, rewritten, said_values, summed
from tvlab.tasks.teachers import replay
from tvlab.tasks.validation import validated


class Script:
    """Answers by a function of (words, values to copy, attempt)."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def message(self, messages, tools=(), attempt=0):
        words, _, listed = messages[1]["content"].removeprefix("Request: ").partition("\nValues to copy:\n")
        values = [line.removeprefix("- ") for line in listed.splitlines()]
        self.asked.append((words, values, attempt))
        return {"role": "assistant", "content": self.answer(words, values, attempt)}


def polite(words, values=(), attempt=0):
    return f"Hey there, when you have a moment: {words[0].lower()}{words[1:]}"


def test_faithful_answers_are_taken_and_the_items_still_pass_everything(bookstore, items):
    for item in items[:12]:
        made = rewritten(bookstore, item, Script(polite))
        assert set(made.results) == {"accepted"}
        assert made.item.provenance["rewritten"] == list(range(len(item.turns)))
        assert all(turn.user.startswith("Hey there") for turn in made.item.turns)
        episode = replay(bookstore, made.item)
        assert all(episode.rewards)
        assert episode.outcome_met()
        assert [turn.stated for turn in made.item.turns] == [turn.stated for turn in item.turns]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda words, values, attempt: "", "empty"),
        (lambda words, values, attempt: f"{words.upper()}", "the same words"),
        (lambda words, values, attempt: polite(words) + " And buy 777 more.", "a number that was not said"),
        (lambda words, values, attempt: polite(words) + " please" * 200, "too long"),
    ],
)
def test_bad_answers_fall_back_to_the_words_of_the_template(bookstore, items, answer, reason):
    item = items[0]
    made = rewritten(bookstore, item, Script(answer), attempts=2)
    assert set(made.results) == {reason}
    assert made.item is item
    assert len(made.answers) == 2 * len(made.results)


def test_a_lost_value_a_leak_and_a_lost_verb_are_found(bookstore, items):
    lost = leaked = verbs = 0
    for item in items[:20]:
        trace = run_golden(bookstore, item)
        minted = [value for _, _, _, value in item.outcome["ids"]]
        for t, turn in enumerate(item.turns):
            values = said_values(item, trace, t)
            for value in values:
                text = turn.user.replace(value, "it")
                lost += reason_against(bookstore, item, trace, t, text, values) == "a value is lost"
            for value in minted:
                text = f"{turn.user} I mean {value}."
                reason = reason_against(bookstore, item, trace, t, text, values)
                assert reason in ("a value leaks", "a number that was not said")
                leaked += 1
            if any(call.writes for call in turn.calls):
                text = "What about " + " and ".join(values) + "?"
                verbs += reason_against(bookstore, item, trace, t, text, values) == "a verb is lost"
    assert lost > 20
    assert leaked > 5
    assert verbs > 5


def test_a_thing_that_is_spoken_of_stays(bookstore, items):
    found = 0
    for item in items[:20]:
        trace = run_golden(bookstore, item)
        for t, turn in enumerate(item.turns):
            if "that order" not in turn.user:
                continue
            text = polite(turn.user.replace("that order", "it"))
            reason = reason_against(bookstore, item, trace, t, text, said_values(item, trace, t))
            found += reason == "a thing is lost" or "order" in text
    assert found > 3


def test_the_second_answer_of_a_turn_counts(bookstore, items):
    made = rewritten(bookstore, items[1], Script(lambda w, v, attempt: polite(w) if attempt else "no"))
    assert set(made.results) == {"accepted"}
    counts = rewriting_counts([made, made])
    assert counts["turns"] == counts["accepted"] == 2 * len(made.results)
    assert sum(counts["answers"].values()) == 2 * counts["turns"]
    assert summed([counts, counts])["turns"] == 2 * counts["turns"]


def test_what_the_user_leaves_out_is_not_said_for_him(bookstore, items, graph):
    from tvlab.tasks.gust import build_items

    made = build_items(bookstore, graph, 12, 1, shares={"missing_parameter": 0.6})
    asked = [item for item in made if any(turn.answer for turn in item.turns)]
    assert asked
    item = asked[0]
    t = next(t for t, turn in enumerate(item.turns) if turn.answer)
    model = Script(lambda words, values, attempt: f"{polite(words)} {re.sub('[.]$', '', item.turns[t].answer)}")
    result = rewritten(bookstore, item, model)
    assert result.item.turns[t].user == item.turns[t].user


def test_a_rewritten_item_still_says_what_only_the_user_knows(bookstore, items):
    item = rewritten(bookstore, items[2], Script(polite)).item
    for turn in item.turns:
        for j, path in turn.stated:
            value = turn.calls[j].arguments.get(path)
            assert value is None or isinstance(value, (dict, list)) or says(turn.words, value)
    stages = items[2].provenance["stages"]
    if stages:  # a rewritten item can be validated anew
        assert validated(bookstore, replace(item, provenance={**item.provenance})).filters["grounded"]
