"""Simulated users: the script, a model that is told it, one that holds tools; and the settings that choose them."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from character_chat import CharacterChat, ScriptedPolicy, written_call
from lab_worlds import bookstore, bookstore_items
from scripted_chat import serving

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.settings import DEFAULTS, LoopSettings, environment_of, simulated_user
from tvlab.learning.verl.simulated_users import DONE, ModelUser, ScriptedUser
from tvlab.learning.verl.token_rollout import TokenRollout
from tvlab.learning.verl.turn_batch import rollout_batch
from tvlab.learning.verl.turn_metrics import turn_metrics
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import GoldenCall, Item, Turn

CANCEL = ("cancel_order", {"order_id": "ord-001"})


def item_of(words="Cancel order ord-001.", **special):
    turn = Turn(words, (GoldenCall(*CANCEL, True),), stated=((0, "order_id"),), **special)
    return Item("bookstore", bookstore().state_hash, (turn,), {"state": {}, "facts": [], "ids": []})


class Says:
    """A model that says what it is given; a number is a pause in seconds, an exception is raised."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.asked = []

    def message(self, messages, tools=(), attempt=0):
        self.asked.append((list(messages), list(tools)))
        reply = self.replies.pop(0)
        if isinstance(reply, float):
            time.sleep(reply)
            reply = "late"
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, dict) else {"role": "assistant", "content": reply}


@pytest.fixture
def threads():
    with ThreadPoolExecutor(16) as pool:
        yield pool


def play(item, texts, user):
    episode = Episode(bookstore(), item)
    rollout = TokenRollout(episode, ScriptedPolicy(texts), CharacterChat(), user, "s")
    return asyncio.run(rollout.play())


def test_a_model_says_the_script_in_its_own_words(threads):
    user = ModelUser(Says("Please call off ord-001, will you?"), threads)
    rollout = play(item_of(), [written_call(*CANCEL), "Done."], user)
    assert rollout.messages[1]["content"] == "Please call off ord-001, will you?"
    assert rollout.episode.rewards == [1.0]
    assert user.fallbacks == 0


@pytest.mark.parametrize("reply", ["Please call it off.", "", 3.0, UserError("the endpoint is gone")])
def test_the_script_stands_in_where_a_value_is_missing_or_the_model_is_late_or_gone(threads, reply):
    user = ModelUser(Says(reply), threads, timeout=0.2)
    began = time.monotonic()
    rollout = play(item_of(), ["No."], user)
    assert rollout.messages[1]["content"] == "Cancel order ord-001."
    assert user.fallbacks == 1
    assert time.monotonic() - began < 2.5


def test_the_answer_to_a_question_is_the_models_too(threads):
    model = Says("Call off my order.", "It is ord-001.")
    item = item_of("Cancel my order.", answer="Order ord-001.")
    rollout = play(item, ["Which one?", written_call(*CANCEL), "Done."], ModelUser(model, threads))
    assert rollout.messages[3]["content"] == "It is ord-001."
    assert rollout.episode.rewards == [1.0]


def test_pasted_material_is_pasted(threads):
    user = ModelUser(Says("Call off ord-001."), threads)
    rollout = play(item_of(context="A LONG TABLE"), ["No."], user)
    assert rollout.messages[1]["content"] == "A LONG TABLE\n\nCall off ord-001."


def test_many_users_wait_at_once(threads):
    together = threading.Barrier(12, timeout=30)

    class Waits:
        def message(self, messages, tools=(), attempt=0):
            together.wait()
            return {"role": "assistant", "content": "Call off ord-001."}

    users = [ModelUser(Waits(), threads) for _ in range(12)]
    assert say_at_once(users) == ["Call off ord-001."] * 12


class Slow:
    """A model that says the note in its own words after a pause; ``most``: how many it answered at once."""

    def __init__(self):
        self.pause, self.now, self.most, self.lock = 0.2, 0, 0, threading.Lock()

    def __call__(self, asked):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(self.pause)
        with self.lock:
            self.now -= 1
        return {"content": "Please: " + asked["messages"][-1]["content"].removeprefix("Note: ")}


@pytest.fixture
def slow():
    return Slow()


@pytest.fixture
def endpoint_users(slow):
    """Makes users of one endpoint, as the agent loop does it from its settings."""
    with serving(slow) as server:

        def made(count, **more):
            user = {"kind": "endpoint", "base_url": server.url, "model": "user", **more}
            settings = LoopSettings.of(Config(tvlab={"environments": ["a"], "user": user}))
            return [simulated_user(settings) for _ in range(count)]

        yield made


def say_at_once(users):
    async def all_of_them():
        return await asyncio.gather(*(user.words(Episode(bookstore(), item_of())) for user in users))

    return asyncio.run(all_of_them())


def test_users_of_an_endpoint_speak_side_by_side_and_no_more_than_allowed(endpoint_users, slow, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    slow.pause = 0.5
    users = endpoint_users(6, concurrency=2)
    assert say_at_once(users) == ["Please: Cancel order ord-001."] * 6
    assert [user.fallbacks for user in users] == [0] * 6
    assert slow.most == 2


def test_waiting_for_a_thread_is_no_timeout():
    with ThreadPoolExecutor(1) as one:
        one.submit(time.sleep, 3.0)
        user = ModelUser(Says("Call off ord-001."), one, timeout=1.5)
        assert say_at_once([user]) == ["Call off ord-001."]
        assert user.fallbacks == 0


def test_an_endpoint_that_hangs_is_given_up_and_the_script_goes_on(endpoint_users, slow, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    slow.pause = 9.0
    users = endpoint_users(3, concurrency=3, timeout=0.3)
    began = time.monotonic()
    assert say_at_once(users) == ["Cancel order ord-001."] * 3
    assert [user.fallbacks for user in users] == [1] * 3
    assert time.monotonic() - began < 8


def test_a_user_with_tools_of_its_own_acts_on_the_same_state_and_the_agent_cannot(threads):
    call = {"id": "1", "type": "function", "function": {"name": "cancel_order", "arguments": '{"order_id": "ord-001"}'}}
    model = Says("I want ord-001 called off.", {"role": "assistant", "content": "", "tool_calls": [call]},
                 "I have called it off.", DONE)  # fmt: skip
    user = ModelUser(model, threads, tools=["cancel_order"])
    look = written_call("get_order", {"order_id": "ord-001"})
    texts = [written_call(*CANCEL), "Please call it off yourself.", look, "Fine."]
    rollout = play(item_of(), texts, user)
    assert "unknown_tool" in rollout.messages[3]["content"]
    assert '"cancel_order"' not in CharacterChat().text(rollout.segments[0].prompt_ids)
    assert [tool["function"]["name"] for tool in model.asked[1][1]] == ["cancel_order"]
    assert "I have called it off." in [m["content"] for m in rollout.messages]
    assert '"status":"cancelled"' in rollout.messages[-2]["content"]
    assert rollout.episode.rewards == [1.0]


def test_a_user_who_never_stops_is_stopped(threads):
    user = ModelUser(Says("Call off ord-001.", *["And then?"] * 9), threads, tools=["cancel_order"], most=3)
    rollout = play(item_of(), ["Please do it."] * 9, user)
    assert rollout.episode.done


# --- settings


class Config(dict):
    """What the settings ask of verl's configuration."""

    actor_rollout_ref = SimpleNamespace(rollout=SimpleNamespace(response_length=500, prompt_length=1000))


def test_settings_have_defaults_and_refuse_what_does_not_exist():
    found = LoopSettings.of(Config(tvlab={"environments": "a", "limits": {"turn_calls": 3}}))
    assert (found.limits.turn_calls, found.limits.turn_tokens) == (3, DEFAULTS["limits"]["turn_tokens"])
    assert (found.limits.response_tokens, found.limits.prompt_tokens) == (500, 1000)
    assert found.environments == ("a",)
    assert isinstance(simulated_user(found), ScriptedUser)
    with pytest.raises(UserError, match=r"tvlab.limits.turn_call is no setting"):
        LoopSettings.of(Config(tvlab={"environments": ["a"], "limits": {"turn_call": 3}}))
    with pytest.raises(UserError, match=r"tvlab\.environments is empty"):
        LoopSettings.of(Config())
    with pytest.raises(UserError, match="a script calls no tools"):
        simulated_user(LoopSettings.of(Config(tvlab={"environments": ["a"], "user": {"tools": ["cancel_order"]}})))
    with pytest.raises(UserError, match=r"tvlab\.user\.kind=endpoint: choose"):
        simulated_user(LoopSettings.of(Config(tvlab={"environments": ["a"], "user": {"kind": "endpoint"}})))


def test_an_environment_is_found_below_a_root_or_as_one():
    folder = bookstore().path
    for root in (folder, folder.parent):
        assert environment_of((str(root),), "bookstore", "off").state_hash == bookstore().state_hash
    with pytest.raises(UserError, match=r"'ghost' is not in tvlab\.environments"):
        environment_of((str(folder),), "ghost", "off")


# --- what is gathered of a batch


def rows():
    common = {"turns": 3, "truncated": [], "calls": 2, "malformed": 0, "fallbacks": 0}
    whole = {**common, "turn_rewards": [1.0, 1.0, 1.0], "rows": 1, "turn_ids": [0, -1, 1, 2]}
    split = {**common, "turn_rewards": [0.0, 1.0], "rows": 2, "truncated": [1]}
    return [whole, {**split, "turn_ids": [0, 0]}, {**split, "turn_ids": [-1, 1]}, {**whole, "turn_ids": []}]


KEYS = ["u_0_0", "u_1_0", "u_1_1", "pad7_0_0"]
PADDING = [False, False, False, True]


def test_rows_of_one_rollout_become_one_rollout_and_padding_is_a_rollout_without_turns():
    batch = rollout_batch(rows(), KEYS, 4, PADDING)
    assert sorted(np.bincount(batch.rollout).tolist()) == [1, 1, 2]
    assert batch.rewards[batch.rollout[0]].tolist() == [1.0, 1.0, 1.0]
    assert batch.reached[batch.rollout[1]].tolist() == [True, True, False]
    assert batch.turns[batch.rollout[3]] == 0
    assert (batch.turn_ids[3] == -1).all()


def test_a_rollout_that_lacks_a_row_is_an_error():
    with pytest.raises(UserError, match="rollout u_1 has 1 of its 2 rows"):
        rollout_batch(rows()[:2], KEYS[:2], 4)


def test_metrics_of_turns_by_hand():
    batch = rollout_batch(rows(), KEYS, 4, PADDING)
    advantages = np.array([[1.0, 0, 2, 3], [-1, -3, 0, 0], [0, -2, 0, 0], [0, 0, 0, 0]])
    found = turn_metrics(batch, rows(), advantages, PADDING)
    assert found["tvlab/rollouts"] == 2
    assert found["tvlab/trace_score"] == 0.5
    assert found["tvlab/turn_reward"] == pytest.approx(4 / 6)
    assert found["tvlab/turns_reached"] == 2.5
    assert found["tvlab/truncated"] == 0.5
    assert found["tvlab/trained_tokens"] == 6
    assert [found[f"tvlab/turn_{t}/reward"] for t in (1, 2, 3)] == [0.5, 1.0, 0.5]
    assert [found[f"tvlab/turn_{t}/reached"] for t in (1, 2, 3)] == [1.0, 1.0, 0.5]
    assert [found[f"tvlab/turn_{t}/advantage"] for t in (1, 2, 3)] == [-1.0, 0.0, 3.0]
    assert found["tvlab/calls"] == 2


def test_items_of_the_parquet_file_come_back_as_they_were(tmp_path):
    from tvlab.tasks.dataset_export import read_verl_parquet, write_verl_parquet

    items = bookstore_items()["bookstore"][:4]
    (path,) = write_verl_parquet({"train": items}, tmp_path)
    assert [item.to_json() for item in read_verl_parquet(path)] == [item.to_json() for item in items]
