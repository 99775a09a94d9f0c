"""The endpoint teacher and its client, against a scripted server on this machine."""

import json

import pytest
from scripted_chat import serving

from tvlab.foundation.answer_cache import AnswerCache
from tvlab.foundation.endpoint import Endpoint, EndpointConfig
from tvlab.foundation.errors import UserError
from tvlab.tasks.endpoint_teacher import play, teach
from tvlab.tasks.teachers import resolve

pytest.importorskip("openai")


class GoldenModel:
    """Answers with an item's golden calls, one a message; knows the item by its first words."""

    def __init__(self, items):
        self.items = {item.turns[0].user: item for item in items}

    def message(self, messages, tools=(), attempt=0):
        item = self.items[messages[1]["content"]]
        turn = sum(m["role"] == "user" for m in messages) - 1
        done = len(messages) - 1 - max(i for i, m in enumerate(messages) if m["role"] == "user")
        calls = item.turns[turn].calls
        if done // 2 >= len(calls):
            return {"role": "assistant", "content": "Done."}
        shown = [json.loads(m["content"]) for m in messages if m["role"] == "tool"]
        keys = [key for key, _ in item.golden()]
        arguments = resolve(calls[done // 2].arguments, dict(zip(keys, shown, strict=False)))
        function = {"name": calls[done // 2].tool, "arguments": json.dumps(arguments)}
        return {
            "role": "assistant",
            "tool_calls": [{"id": f"c{done}", "type": "function", "function": function}],
        }


@pytest.fixture
def server(items):
    """A chat server; ``server.trouble`` is a list of (status, headers) it answers with first."""
    model = GoldenModel(items)

    def answer(asked):
        if running.trouble:
            status, headers = running.trouble.pop(0)
            return status, "no", headers
        return model.message(asked["messages"])

    with serving(answer, usage=None) as running:
        running.trouble = []
        yield running


def config(server, **changes):
    return EndpointConfig(server.url, "m", **changes)


def test_a_model_that_makes_the_golden_calls_solves_the_item(bookstore, items):
    for item in items[:10]:
        assert all(play(bookstore, item, GoldenModel(items)).rewards)


def test_items_are_played_over_http_many_at_a_time_and_cached(bookstore, items, server, tmp_path):
    cache = AnswerCache(tmp_path / "answers.sqlite")
    endpoint = Endpoint(config(server), cache)
    rows = teach({"bookstore": bookstore}, items[:4], endpoint, attempts=2, concurrency=4)
    assert [row["item"] for row in rows] == [item.id for item in items[:4]]
    assert all(row["successes"] == 2 and row["turn_reward"] == 1.0 for row in rows)
    sent = endpoint.sent
    assert sent == len(cache) == len(server.requests)
    body = server.requests[0]
    assert body.path == "/v1/chat/completions"
    assert {tool["function"]["name"] for tool in body["tools"]} == set(bookstore.tool_names)
    again = Endpoint(config(server), AnswerCache(tmp_path / "answers.sqlite"))
    assert teach({"bookstore": bookstore}, items[:4], again, attempts=2, concurrency=4) == rows
    assert again.sent == 0


def test_a_stopped_run_goes_on_where_it_was(bookstore, items, server, tmp_path):
    first = Endpoint(config(server, retries=0), AnswerCache(tmp_path / "a.sqlite"))
    play(bookstore, items[0], first)
    server.trouble[:] = [(400, {})]
    with pytest.raises(UserError, match="does not answer"):
        play(bookstore, items[1], first)
    before = first.sent
    second = Endpoint(config(server), AnswerCache(tmp_path / "a.sqlite"))
    play(bookstore, items[0], second)
    assert second.sent == 0
    play(bookstore, items[1], second)
    assert second.sent > 0
    assert before > 1


def test_it_waits_longer_each_time_and_as_long_as_it_is_told(bookstore, items, server):
    waits = []
    endpoint = Endpoint(config(server, wait=1.0, most_waiting=9.0), None, waits.append)
    server.trouble[:] = [(503, {}), (429, {"retry-after": "7"}), (500, {}), (502, {"retry-after": "600"})]
    assert endpoint.message([{"role": "user", "content": items[0].turns[0].user}] * 2)
    assert 0.5 <= waits[0] <= 1.5
    assert waits[1] == 7.0
    assert 2.0 <= waits[2] <= 6.0
    assert waits[3] == 9.0
    assert endpoint.sent == 5


@pytest.mark.parametrize(
    ("status", "words"), [(401, "set MY_KEY"), (404, "check address"), (400, "does not answer")]
)
def test_refusals_are_told_at_once(server, status, words):
    endpoint = Endpoint(config(server, key_variable="MY_KEY"), None, lambda _: pytest.fail("waited"))
    server.trouble[:] = [(status, {})]
    with pytest.raises(UserError, match=words):
        endpoint.message([{"role": "user", "content": "hello"}])


def test_a_server_that_is_not_there_is_told():
    endpoint = Endpoint(EndpointConfig("http://127.0.0.1:9/v1", "m", retries=1), None, lambda _: None)
    with pytest.raises(UserError, match="check that the server runs"):
        endpoint.message([{"role": "user", "content": "hello"}])


def test_bad_arguments_become_an_error_the_model_sees(bookstore, items):
    class Clumsy:
        def __init__(self):
            self.seen = []

        def message(self, messages, tools=(), attempt=0):
            self.seen = messages
            if messages[-1]["role"] == "user":
                bad = [{"name": "list_books", "arguments": text} for text in ("{", "[1]")]
                return {"tool_calls": [{"id": "x", "function": function} for function in bad]}
            return {"content": "Sorry."}

    model = Clumsy()
    episode = play(bookstore, items[0], model)
    assert not any(episode.rewards)
    errors = [json.loads(m["content"])["error"] for m in model.seen if m["role"] == "tool"]
    assert errors
    assert all(error.startswith("invalid_arguments") for error in errors)
