import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from scripted_chat import serving

from tvlab.evaluation.gateway import Gateway
from tvlab.foundation.answer_cache import AnswerCache
from tvlab.foundation.endpoint import Endpoint, EndpointConfig

pytest.importorskip("openai")
TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}


def endpoint(server, cache=None, **settings):
    return Endpoint(EndpointConfig(server.url, "m", **{"retries": 1, **settings}), cache, lambda _: None)


def ask(gateway, job="b/c/t/0", side="agent", **body):
    body = {"model": "any", "messages": [{"role": "user", "content": "hi"}], "temperature": 0.123, **body}
    data = json.dumps(body).encode()
    address = f"{gateway.address(job, side)}/chat/completions"
    with urlopen(Request(address, data, {"authorization": "Bearer theirs"}), timeout=30) as answer:
        return json.load(answer)["choices"][0]


def test_it_sets_sampling_strips_thinking_and_counts(monkeypatch):
    monkeypatch.setenv("MY_KEY", "secret")
    with serving(lambda body: {"content": "<think>hm</think>yes", "finish": "length"}) as server:
        settings = {"temperature": 0.5, "key_variable": "MY_KEY", "max_tokens": 77}
        with Gateway(endpoint(server, **settings)) as gateway:
            ledger = gateway.open("b/c/t/3")
            choice = ask(gateway, "b/c/t/3")
    assert choice["message"]["content"] == "yes"
    assert choice["finish_reason"] == "length"
    body = server.requests[0]
    assert (body["model"], body["temperature"], body["max_tokens"], body["seed"]) == ("m", 0.5, 77, 3)
    assert body.key == "Bearer secret"
    assert (ledger.requests, ledger.input_tokens, ledger.output_tokens, ledger.cut) == (1, 100, 10, 1)


def test_a_question_repeated_in_a_job_has_another_seed_and_one_of_a_job_played_again_is_known(tmp_path):
    cache = AnswerCache(tmp_path / "a.sqlite")
    with (
        serving(lambda body: {"content": str(body["seed"])}) as server,
        Gateway(endpoint(server, cache)) as gateway,
    ):
        for _ in range(2):
            ledger = gateway.open("b/c/t/2")
            said = [ask(gateway, "b/c/t/2")["message"]["content"] for _ in range(2)]
            assert said == ["2", "1002"]
        assert ask(gateway, "b/c/t/0")["message"]["content"] == "0"
    assert len(server.requests) == 3
    assert ledger.cached == 2


def test_prompt_mode_writes_tools_as_text_and_reads_calls_back():
    text = '<tool_call>{"name": "find", "arguments": {"x": 1}}</tool_call>'
    with serving(lambda body: {"content": text}) as server, Gateway(endpoint(server), mode="prompt") as gateway:
        choice = ask(gateway, tools=[TOOL])
        plain = ask(gateway)
    assert "tools" not in server.requests[0]
    assert '"find"' in server.requests[0]["messages"][0]["content"]
    assert choice["finish_reason"] == "tool_calls"
    assert json.loads(choice["message"]["tool_calls"][0]["function"]["arguments"]) == {"x": 1}
    assert plain["message"]["content"] == text  # without tools the harness has a format of its own


def test_a_failure_is_told_once_and_stays_in_the_ledger():
    with serving(lambda body: (503, "busy")) as server, Gateway(endpoint(server)) as gateway:
        ledger = gateway.open("b/c/t/0")
        for _ in range(2):
            with pytest.raises(HTTPError) as caught:
                ask(gateway)
            assert caught.value.code == 400
            caught.value.close()
    assert len(server.requests) == 2  # one and its repetition; then the job is told at once
    assert "busy" in ledger.failure
    assert (ledger.side, ledger.refused) == ("endpoint", False)


def test_a_refused_request_is_no_dead_endpoint_and_the_user_has_a_side_of_its_own():
    with serving(lambda body: (400, "too long")) as server, serving(lambda body: {"content": "hello"}) as user:
        with Gateway(endpoint(server), endpoint(user)) as gateway:
            ledger = gateway.open("b/c/t/0")
            assert ask(gateway, side="user")["message"]["content"] == "hello"
            with pytest.raises(HTTPError) as caught:
                ask(gateway)
            caught.value.close()
        with Gateway(endpoint(server)) as gateway:
            other = gateway.open("b/c/t/0")
            with pytest.raises(HTTPError) as caught:
                ask(gateway, side="user")
            caught.value.close()
    assert ledger.refused
    assert (ledger.user_input_tokens, ledger.input_tokens) == (100, 0)
    assert other.side == "user"
    assert "--user-model" in other.failure


def test_calls_that_are_no_json_are_wrapped_since_servers_refuse_such_a_history():
    call = {"id": "1", "type": "function", "function": {"name": "find", "arguments": "{oops"}}
    history = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    with serving(lambda body: {"content": "ok"}) as server, Gateway(endpoint(server)) as gateway:
        ask(gateway, messages=history, tools=[TOOL])
    sent = server.requests[0]["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"malformed": "{oops"}


@pytest.mark.parametrize("body", [{"stream": True}, {"messages": 3}, {"messages": [{}], "tools": [{"function": 1}]}])
def test_what_it_does_not_serve_is_refused(body):
    with serving(lambda body: {"content": "ok"}) as server, Gateway(endpoint(server)) as gateway:
        with pytest.raises(HTTPError) as caught:
            ask(gateway, **body)
        assert caught.value.code == 400
        caught.value.close()
    assert server.requests == []
