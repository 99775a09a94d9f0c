import json

import pytest

from tvlab.evaluation.hermes_format import as_text, read_calls, without_thinking

TOOL = {"type": "function", "function": {"name": "find", "description": "Find", "parameters": {"type": "object"}}}


def test_tools_calls_and_results_become_text_and_nothing_is_lost():
    call = {"id": "1", "type": "function", "function": {"name": "find", "arguments": '{"x": 1}'}}
    messages = [
        {"role": "system", "content": "Be good."},
        {"role": "user", "content": "Find it."},
        {"role": "assistant", "content": "", "tool_calls": [call, call]},
        {"role": "tool", "tool_call_id": "1", "content": "found"},
        {"role": "tool", "tool_call_id": "1", "content": "again"},
        {"role": "assistant", "content": "Here."},
    ]
    told = as_text(messages, [TOOL])
    assert [message["role"] for message in told] == ["system", "user", "assistant", "user", "assistant"]
    assert all(set(message) == {"role", "content"} for message in told)
    assert told[0]["content"].startswith("Be good.")
    assert json.dumps(TOOL["function"]) in told[0]["content"]
    assert [c["function"] for c in read_calls(told[2]["content"])[1]] == [call["function"]] * 2
    assert "found" in told[3]["content"]
    assert "again" in told[3]["content"]


@pytest.mark.parametrize(
    ("text", "calls", "unreadable"),
    [
        ('<tool_call>\n{"name": "find", "arguments": {"x": 1}}\n</tool_call>', ["find"], 0),
        ('Well. <tool_call>{"name": "find", "arguments": {}}</tool_call><tool_call>{"name": "b"}', ["find", "b"], 0),
        ('<tool_call>{"name": "find", "arguments": {"x": 1}', [], 1),
        ("<tool_call>find(x=1)</tool_call>", [], 1),
        ('<tool_call>{"name": "find"}</tool_call><tool_call>oops</tool_call>', ["find"], 1),
        ('```json\n{"name": "find", "arguments": {"x": 1}}\n```', ["find"], 0),
        ('I call {"name": "find", "parameters": {"x": {"y": 1}}} now', ["find"], 0),
        ('{"name": "other", "arguments": {}}', [], 0),
        ('{"name": "find"}', [], 0),
        ('{"a": {"name": "find", "arguments": {}}}', [], 0),
        ("No call here: {x}", [], 0),
    ],
)
def test_calls_are_read_from_tags_and_without_tags_only_for_offered_tools(text, calls, unreadable):
    rest, found, bad = read_calls(text, ["find"])
    assert [call["function"]["name"] for call in found] == calls
    assert bad == unreadable
    assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in found)
    assert calls or rest == text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("plain", "plain"),
        ("<think>a</think>\n\nb", "b"),
        ("a</think>b", "b"),
        ("x <think>never closed", "x"),
        ("<think>a</think>b<think>c</think>d", "bd"),
    ],
)
def test_thinking_is_taken_out(text, rest):
    assert without_thinking(text) == rest
