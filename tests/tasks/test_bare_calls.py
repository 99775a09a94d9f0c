"""Calls that a model wrote as text."""

import json

import pytest

from tvlab.tasks.bare_calls import with_calls

CALL = '{"name": "get_bed", "arguments": {"bed_id": "b1"}}'


def calls_in(text, names=("get_bed",)):
    return with_calls({"role": "assistant", "content": text}, names).get("tool_calls", [])


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"```json\n{CALL}\n```",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tool_call>{CALL}",
        f"[{CALL}]",
        f"```\n{CALL}\n```\n",
    ],
)
def test_json_alone_is_a_call_tagged_fenced_or_bare(text):
    [call] = calls_in(text)
    assert call["function"]["name"] == "get_bed"
    assert json.loads(call["function"]["arguments"]) == {"bed_id": "b1"}


def test_several_objects_are_several_calls():
    assert [call["id"] for call in calls_in(f"{CALL}\n{CALL}")] == ["call_0", "call_1"]


@pytest.mark.parametrize(
    "text",
    [
        f"I would call {CALL}",
        CALL[:-3],
        f"{CALL}\n{CALL[:-3]}",
        '{"name": "get_bed"}',
        '{"name": "other", "arguments": {}}',
        '{"name": "get_bed", "arguments": "b1"}',
        "[]",
        "The bed is free.",
        "",
    ],
)
def test_anything_else_stays_text(text):
    assert calls_in(text) == []
    assert with_calls({"role": "assistant", "content": text}, ["get_bed"])["content"] == text


def test_a_message_with_calls_comes_back_as_it_is():
    message = {"role": "assistant", "content": CALL, "tool_calls": [{"id": "x"}]}
    assert with_calls(message, ["get_bed"]) == message
    assert with_calls({"role": "assistant", "content": None}, ["get_bed"])["content"] is None
