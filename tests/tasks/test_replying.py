"""Answering the user as a tool: the same rewards as the episode, whatever way the calls come."""

import json

import pytest

from tvlab.tasks.gust import build_items
from tvlab.tasks.replying import OVER, REPLY, Replying, replayed
from tvlab.tasks.response_rows import response_rewards, response_row
from tvlab.tasks.teachers import replay


@pytest.fixture(scope="module")
def mixed(bookstore, graph):
    shares = {"missing_parameter": 0.2, "missing_function": 0.15, "irrelevant": 0.1}
    return build_items(bookstore, graph, 12, 0, shares=shares)


def golden(bookstore, item):
    episode, calls = replay(bookstore, item), []
    for t, turn in enumerate(item.turns):
        calls += [(REPLY, {"message": "What is missing?"})] if turn.answer else []
        calls += [(call.tool, call.arguments) for call in episode.calls[t]]
        calls.append((REPLY, {"message": "Done."}))
    return calls


def test_golden_calls_pay_every_turn_and_each_reply_returns_the_next_words(bookstore, mixed):
    for item in mixed:
        rollout = Replying(bookstore, item)
        heard = [rollout.words]
        for name, arguments in golden(bookstore, item):
            text = rollout.call(name, arguments)
            heard += [text] if name == REPLY else []
        assert rollout.turn_rewards == [1.0] * len(item.turns)
        assert rollout.reward == 1.0
        assert heard[-1] == OVER == rollout.call("list_orders", {})
        expected = [part for turn in item.turns for part in (turn.user, turn.answer) if part]
        assert heard[:-1] == expected


def test_calls_recorded_elsewhere_give_the_same_rewards(bookstore, items):
    for item in items[:5]:
        calls = golden(bookstore, item)
        assert replayed(bookstore, item, calls).turn_rewards == [1.0] * len(item.turns)
        assert replayed(bookstore, item, calls[:-2]).turn_rewards[-1] == 0.0


def test_a_turn_that_ends_at_the_step_cap_says_what_comes_next(bookstore, items):
    rollout = Replying(bookstore, items[0], step_cap=1)
    text = rollout.call("list_orders", {})
    assert text.endswith(f"\n{items[0].turns[1].user}")
    assert rollout.turn_rewards[0] == 0.0


def test_what_is_no_call_is_an_error_to_read_and_never_an_exception(bookstore, items):
    rollout = Replying(bookstore, items[0])
    assert "message must be text" in rollout.call(REPLY, {})
    assert "invalid_arguments" in rollout.call("get_order", {"order_id": float("nan")})
    assert "unknown_tool" in rollout.read('{"name": "nothing", "arguments": {}}')
    assert "unknown_tool" in rollout.read("{broken")
    assert rollout.episode.turn == 0


def test_text_is_a_call_with_tags_or_fences_around_it_or_else_words(bookstore, items):
    for around in ("{}", "<tool_call>\n{}\n</tool_call>", "```json\n{}\n```"):
        rollout = Replying(bookstore, items[0])
        rollout.read(around.replace("{}", '{"name": "list_orders", "arguments": {"limit": 1}}'))
        assert rollout.episode.calls[0][0].tool == "list_orders"
        rollout.read("Here they are.")
        assert rollout.episode.messages == ["Here they are."]


def test_a_response_is_scored_by_making_its_function_calls_again(bookstore, items):
    item = items[1]
    row = json.loads(json.dumps(response_row(bookstore, item)))
    assert row["responses_create_params"]["input"][1]["content"] == item.turns[0].user
    assert {tool["name"] for tool in row["responses_create_params"]["tools"]} == {*bookstore.tool_names, REPLY}
    output = [{"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": "c"}
              for name, arguments in golden(bookstore, item)]  # fmt: skip
    spoken = [{"type": "message", "role": "assistant", "content": []}, *output]
    assert response_rewards(bookstore, item, {"output": spoken}) == [1.0] * len(item.turns)
    assert response_rewards(bookstore, item, {"output": [{**output[0], "arguments": "[1]"}]}) == [0.0] * len(item.turns)
    assert response_rewards(bookstore, item, {}) == [0.0] * len(item.turns)
