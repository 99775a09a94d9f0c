"""What is read from a model's answer: the two parts, and a function written anew from its syntax tree."""

import pytest

from tvlab.environments.llm.answers import LARGEST, AnswerError, rewritten, split_answer

PARTS = '```json\n{"operation": "list"}\n```\n```python\ndef f(state):\n    return 1\n```'


def test_the_two_parts_are_found_among_other_words():
    raw = split_answer(f"Sure!\n{PARTS}\nI hope this helps.")
    assert raw.declaration == {"operation": "list"}
    assert raw.code == "def f(state):\n    return 1"
    unnamed = split_answer(PARTS.replace("```json", "```").replace("```python", "```"))
    assert unnamed == raw
    cut_off = split_answer(PARTS.removesuffix("\n```"))
    assert cut_off == raw


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "```json"),
        ('```json\n{"a": 1}\n```', "```python"),
        (PARTS.replace('{"operation"', "{operation"), "not JSON"),
        (PARTS.replace('{"operation": "list"}', "[1]"), "JSON object"),
        (PARTS.replace('{"operation": "list"}', "[" * 20_000), "not JSON"),
        ("x" * (LARGEST + 1), "characters"),
    ],
)
def test_an_answer_without_its_parts_is_refused_with_a_reason(text, message):
    with pytest.raises(AnswerError, match=message) as caught:
        split_answer(text)
    assert caught.value.check == "answer"


def test_a_function_is_written_anew_with_keyword_parameters_and_declared_defaults():
    code = '''
from tvlab.environments.runtime import find
"""A remark."""
def get(state: dict, key: "str" = 5, limit: int = 10) -> dict:
    # a remark
    return find(state, "rows", key, "row")  # noqa
'''
    written = rewritten(code, "get", {"key": ..., "limit": 20})
    assert written == "def get(state, *, key, limit=20):\n    return find(state, 'rows', key, 'row')\n"


@pytest.mark.parametrize(
    ("code", "check"),
    [
        ("def g(state): return 1", "code"),
        ("def f(state): return 1\ndef f(state): return 2", "code"),
        ("def f(state): return 1\nx = 1", "code"),
        ("import math\ndef f(state): return 1", "code"),
        ("class f: pass", "code"),
        ("async def f(state): return 1", "code"),
        ("@x\ndef f(state): return 1", "code"),
        ("def f(state, **more): return 1", "code"),
        ("def f(state, *more): return 1", "code"),
        ("def f(state, a): return 1", "code"),
        ("def f(a, state): return 1", "code"),
        ("def f(state) return 1", "code"),
        ("def f(state):\x00 return 1", "code"),
        ("def f(state): return " + "(" * 500, "code"),
        ("def f(state): return " + "-" * 3000 + "1", "code"),
        ("def f(state): return " + "x." * 3000 + "y", "code"),
        ("def f(state): return 0x" + "f" * 9000, "code"),
        ("def f(state): return " + "not " * 9000 + "1", "code"),
        ("def f(state):\n    import math\n    return math.pi", "source_check"),
        ("def f(state): return eval('1')", "source_check"),
        ("def f(state): return state.__class__", "source_check"),
        ("def f(state):\n    yield 1", "source_check"),
        ("def f(state):\n    global x\n    x = 1", "source_check"),
        ("def f(state):\n    class A: pass", "source_check"),
    ],
)
def test_more_than_one_plain_function_is_refused(code, check):
    with pytest.raises(AnswerError) as caught:
        rewritten(code, "f", {})
    assert caught.value.check == check


def test_an_optional_parameter_that_the_meaning_leaves_out_is_never_given():
    code = 'def f(state, *, a, b=5):\n    """Do it."""\n    return [a, b]'
    written = rewritten(code, "f", {"a": ...}, ["b", "c"])
    assert written == 'def f(state, *, a):\n    """Do it."""\n    b = None\n    return [a, b]\n'
    space = {}
    exec(written, space)
    assert space["f"]({}, a=1) == [1, None]


def test_a_missing_parameter_is_named():
    with pytest.raises(AnswerError, match="lacks b"):
        rewritten("def f(state, a): return a", "f", {"a": ..., "b": None})
