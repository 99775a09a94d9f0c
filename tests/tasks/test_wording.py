import re

import numpy as np
import pytest

from tvlab.tasks.gust import build_items
from tvlab.tasks.paths import is_reference, leaves
from tvlab.tasks.phrases import cue_for, prefix_words, reference_cue, said, verb_for
from tvlab.tasks.sentences import sentences
from tvlab.tasks.tool_views import Leaf, ToolView, tool_views


def leaf(path, entity=None, role="payload", **schema):
    return Leaf(path, schema, role, entity, path.split(".")[-1].removesuffix("[]"), False)


@pytest.mark.parametrize(
    ("path", "entity", "cue"),
    [
        ("order_note", "order", "note"),
        ("dueDate", "task", "due"),
        ("attendees[].email", "event", "attendee email"),
        ("items[].quantity", "order", "quantity"),
        ("new_name", "folder", "name"),
        ("order", "order", "order"),
    ],
)
def test_the_cue_of_a_parameter_is_its_name_without_the_entitys(path, entity, cue):
    assert cue_for(leaf(path), entity) == cue


def test_a_reference_says_the_part_it_plays():
    assert reference_cue(leaf("assignee_id", "user", "reference")) == "assignee"
    assert reference_cue(leaf("customerId", "customer", "reference")) == ""
    assert reference_cue(leaf("policy_rule_ids", "policy_rule", "reference")) == ""


def test_values_stay_contiguous():
    rng = np.random.default_rng(0)
    texts = {said("two words", rng) for _ in range(40)}
    assert texts == {"two words", '"two words"'}
    assert said('say "hi" now', rng) == 'say "hi" now'
    assert {said(["a b", "c"], rng, free=False) for _ in range(40)} == {"a b, c", "a b and c"}
    assert said(True, rng) == "yes"


def test_a_synonym_never_names_another_tool_of_the_entity():
    """'drop' would be a fine word for cancel, were there no drop_order."""
    cancel = ToolView("cancel_order", "transition", "order", True, "cancel", (), {})
    drop = ToolView("drop_order", "delete", "order", True, "drop", (), {})
    words = {verb_for(cancel, [cancel, drop], np.random.default_rng(seed)) for seed in range(60)}
    assert words == {"cancel", "call off", "scrap"}


def test_prefixes_of_a_server_are_no_words():
    views = [ToolView(f"discord_{x}", "create", None, True, "create", (), {}) for x in "abcde"]
    assert prefix_words(views) == {"discord"}
    assert prefix_words(views[:3]) == frozenset()


def test_sentences_begin_with_capitals_and_end(items):
    for item in items:
        for turn in item.turns:
            assert turn.user[0].isupper() or turn.user[0] == '"'
            assert turn.user[-1] in ".?"
            assert "  " not in turn.user
            assert not re.search(r"\b(a [aeio]\w+|an [bcdfgj-np-tv-z]\w+)", turn.user.split('"')[0]), (
                turn.user
            )


def test_all_clauses_are_said():
    for seed in range(50):
        text = sentences(
            ["cancel that order", "what is its status?", "add a note"], np.random.default_rng(seed)
        )
        assert [
            text.lower().count(part) for part in ("cancel that order", "what is its status?", "add a note")
        ] == [1, 1, 1]


def test_a_tool_is_rarely_named_outright(bookstore, items):
    """Word overlap alone must not give the tool away: its verb is said in less than two turns of three."""
    views = tool_views(bookstore)
    said_verbs = [
        re.search(rf"\b{views[call.tool].verb}\b", turn.user.lower()) is not None
        for item in items
        for turn in item.turns
        for call in turn.calls
        if call.writes
    ]
    assert 0.2 < np.mean(said_verbs) < 0.67


def test_that_thing_means_the_one_mentioned_last(bookstore, items):
    """Where a turn of one call says 'that order', the golden call is on the order mentioned last."""
    checked = 0
    for item in items:
        last = None
        for turn in item.turns:
            for call in turn.calls:
                if "order_id" not in call.arguments:
                    continue
                target = call.arguments["order_id"]
                if (
                    len(turn.calls) == 1
                    and re.search(r"\b(that|this|the same) order\b", turn.user)
                    and last is not None
                ):
                    assert target == last
                    checked += 1
                last = target
            for j, call in enumerate(turn.calls):
                if call.tool == "create_order":
                    last = None if len(turn.calls) > 1 else {"$ref": [item.turns.index(turn), j, "order_id"]}
    assert checked > 3


def test_the_second_one_means_the_second_that_the_item_made(bookstore, graph):
    """Things of a kind that no words tell apart are told apart by their rank: 'the second order you made'."""
    items = build_items(bookstore, graph, 120, seed=11)
    views, ranks, found = tool_views(bookstore), ("first", "second", "third"), 0
    for item in items:
        made: dict[str, list[list]] = {}
        for t, turn in enumerate(item.turns):
            for j, call in enumerate(turn.calls):
                if views[call.tool].makes:
                    made.setdefault(views[call.tool].entity, []).append([t, j])
            given = [value for call in turn.calls for _, value in leaves(call.arguments)]
            meant = [value["$ref"][:2] for value in given if is_reference(value)]
            for rank in re.findall(r"\bthe (first|second|third) \w[\w -]* you (?:made|created|added)\b", turn.user):
                ranked = [of[ranks.index(rank)] for of in made.values() if len(of) > ranks.index(rank)]
                assert any(one in meant for one in ranked), (item.id, turn.user)
                found += 1
    assert found >= 3
