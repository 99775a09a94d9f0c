"""Playing by hand: the same game from a script as at a prompt, with rewards equal to those of the episode."""

import pytest

from tvlab.tasks.gust import build_items
from tvlab.tasks.play import COMMANDS, Play, play_by_hand, play_lines, scripted_attempt, typed_lines
from tvlab.tasks.teachers import replay

ORDER = {"customer_id": "cus-001", "items": [{"sku": "BK-100", "quantity": 2}]}
REF = {"$ref": [0, 0, "order_id"]}


@pytest.fixture
def game(bookstore, make_item):
    return Play(bookstore, make_item([("create_order", ORDER)], [("update_order", {"order_id": REF, "note": "quick"})]))


def told(game, line):
    return [tuple(part) for part in game.answer(line)]


def test_the_golden_trace_typed_in_pays_every_turn(bookstore, items):
    for item in items[:20]:
        game = Play(bookstore, item)
        parts = list(play_lines(game, typed_lines(replay(bookstore, item))))
        assert game.episode.rewards == [1.0] * len(item.turns)
        assert parts[-1] == ("note", "Outcome reached.")
        assert [part.role for part in parts].count("user") == len(item.turns)


def test_turns_that_need_a_question_get_the_answer(bookstore, graph):
    mixed = build_items(bookstore, graph, 20, 0, shares={"missing_parameter": 0.3, "missing_function": 0.2})
    asking = [item for item in mixed if any(turn.answer or turn.withheld for turn in item.turns)]
    assert len(asking) > 5
    for item in asking:
        game = Play(bookstore, item)
        parts = list(play_lines(game, typed_lines(replay(bookstore, item))))
        assert all(game.episode.rewards)
        answers = [turn.answer for turn in item.turns if turn.answer]
        assert [part.text for part in parts if part.role == "user" and not part.text.startswith("[")] == answers


def test_a_turn_tells_what_changed_and_which_call_covered_what(game):
    said = list(game.begin())
    assert said[-1] == ("user", "[turn 1 of 2] turn 0")
    assert "create_order customer_id=<string>" in said[1].text
    role, observation = told(game, 'create_order customer_id=cus-001 items=[{"sku":"BK-100","quantity":2}]')[0]
    assert role == "tool"
    assert '"order_id":' in observation
    changed, paid, words = told(game, "/say done")
    assert changed[1].startswith("Changed in this turn: created order ord-")
    assert paid[1].startswith("Turn 1: reward 1: the golden call is covered.\n  + create_order(")
    assert paid[1].endswith("[call 1]")
    assert words == ("user", "[turn 2 of 2] turn 1")
    assert game.episode.messages == ["done"]


def test_no_golden_call_is_shown_before_its_turn_has_ended(game):
    shown = " ".join(part.text for part in [*game.begin(), *game.answer("/help"), *game.answer("/tools create_order")])
    assert "cus-001" not in shown
    assert "<order_id of" not in shown


def test_mistakes_cost_nothing_but_a_failed_call_counts(game):
    for line, help_ in (
        ("cancel ord-001", "did you mean cancel_order?"),
        ("please cancel it", "type /say in front"),
        ("get_order ord-001", "not key=value"),
        ("/nothing", "there is no command /nothing"),
        ("/say", "/say needs words"),
    ):
        role, text = told(game, line)[0]
        assert (role, help_ in text) == ("error", True), text
    assert told(game, "") == told(game, "# a comment") == []
    assert game.episode.calls == [[], []]
    assert told(game, "get_order order_id=nothing")[0][0] == "error"
    assert len(game.episode.calls[0]) == 1


def test_leaving_counts_the_rest_as_not_reached(game):
    parts = list(play_lines(game, ["/changes", "/end", "/quit", "/end"]))
    assert ("note", "nothing changed") in parts
    assert parts[-2].text == "Rewards: turn 1 0, turn 2 not reached (0). Mean 0.00."
    assert ("typed", "/end") not in parts[parts.index(("typed", "/quit")) :]


def test_commands_and_tools_are_completed(game):
    assert game.complete("/s") == ["/say "]
    assert game.complete("get_o") == ["get_order "]
    assert all(name in " ".join(COMMANDS.values()) for name in COMMANDS)


def test_the_scripted_attempt_forgets_one_call_and_loses_that_turn_alone(bookstore, items):
    for item in items[:10]:
        game = Play(bookstore, item)
        list(play_lines(game, scripted_attempt(bookstore, item)))
        assert sum(game.episode.rewards) == len(item.turns) - 1


def test_by_hand_lines_come_from_input_and_all_is_shown(game, monkeypatch):
    lines = iter(["/end", "/quit"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    shown = []
    told_ = play_by_hand(game, shown.append)
    assert [part.text for part in told_ if part.role != "typed"] == shown
    assert shown[-1] == "Outcome reached."  # make_item's outcome: nothing changes
