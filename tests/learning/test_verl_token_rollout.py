"""A rollout of tokens: exact masks, the item's own state, limits, malformed calls, both packings."""

import asyncio
import json

import numpy as np
import pytest
from character_chat import END, CharacterChat, ScriptedPolicy, written_call
from lab_worlds import bookstore, bookstore_items

from tvlab.environments.environment import Environment
from tvlab.environments.tool_calls import ToolCall
from tvlab.foundation.errors import UserError
from tvlab.learning.verl.chat_tokens import change_of_tools, is_append_only, packing_for
from tvlab.learning.verl.rollout import Limits
from tvlab.learning.verl.segments import Sample
from tvlab.learning.verl.simulated_users import ScriptedUser
from tvlab.learning.verl.token_rollout import TokenRollout
from tvlab.learning.verl.written_calls import Malformed, read_hermes
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import GoldenCall, Item, Turn

ORDER = {"customer_id": "cus-001", "items": [{"sku": "BK-100", "quantity": 2}]}


def item_of(*turns, **special):
    """An item of turns, each a list of (tool, arguments)."""
    made = [
        Turn(f"words {t}", tuple(GoldenCall(name, given, True) for name, given in calls), **special.get(f"t{t}", {}))
        for t, calls in enumerate(turns)
    ]  # fmt: skip
    return Item("bookstore", bookstore().state_hash, tuple(made), {"state": {}, "facts": [], "ids": []})


def cancel(order):
    return ("cancel_order", {"order_id": order})


def play(item, texts, forgetful=False, packing="sequence", limits=None, user=None):
    limits = limits or Limits()
    chat, policy = CharacterChat(forgetful), ScriptedPolicy(texts)
    episode = Episode(bookstore(), item, step_cap=limits.turn_calls)
    rollout = TokenRollout(episode, policy, chat, user or ScriptedUser(), "system", limits, packing)
    return asyncio.run(rollout.play()), policy


def trained(rollout):
    """(turn, text) of each run of tokens that the model wrote."""
    runs = []
    for segment in rollout.segments:
        before = -1
        for i, turn in zip(segment.response_ids, segment.turn_ids, strict=True):
            if turn >= 0 and turn != before:
                runs.append([turn, ""])
            if turn >= 0:
                runs[-1][1] += "<end>" if i == END else chr(i)
            before = turn
            if i == END:
                before = -1
    return [tuple(run) for run in runs]


TWO = [written_call(*cancel("ord-001")), "Done.", written_call(*cancel("ord-002")), "Done too."]


@pytest.mark.parametrize("packing", ["sequence", "turns"])
def test_what_the_model_made_is_trained_and_nothing_else(packing):
    rollout, policy = play(item_of([cancel("ord-001")], [cancel("ord-002")]), TWO, packing=packing)
    assert trained(rollout) == [(t, f"{text}<end>") for t, text in zip([0, 0, 1, 1], TWO, strict=True)]
    assert rollout.episode.rewards == [1.0, 1.0]
    for segment in rollout.segments:
        assert segment.response_ids[-1] == END  # nothing of the context trails behind
        assert len(segment.mask) == len(segment.response_ids) == len(segment.log_probs)
        assert {p for p, m in zip(segment.log_probs, segment.mask, strict=True) if m} == {-0.5}
        assert {p for p, m in zip(segment.log_probs, segment.mask, strict=True) if not m} <= {0.0}
    last = rollout.segments[-1]
    assert (last.prompt_ids + last.response_ids)[: len(policy.prompts[-1])] == policy.prompts[-1]


def test_the_sequence_is_what_the_chat_template_makes_of_the_conversation():
    rollout, _ = play(item_of([cancel("ord-001")], [cancel("ord-002")]), TWO)
    segment, chat = rollout.segments[0], CharacterChat()
    whole = chat.text(segment.prompt_ids + segment.response_ids)
    tools = json.dumps(bookstore().tools[0]["inputSchema"])
    assert tools in whole
    assert whole.index("words 0") < whole.index("cancel_order", whole.index("words 0")) < whole.index("words 1")
    assert rollout.episode.calls[0][0].observation["status"] == "cancelled"
    assert [m["role"] for m in rollout.messages] == ["system", *["user", "assistant", "tool", "assistant"] * 2]


@pytest.mark.parametrize("forgetful", [False, True])
def test_both_packings_give_the_same_episode_the_same_turns_and_the_same_advantages(forgetful):
    item = item_of([cancel("ord-001")], [cancel("ord-002")], t1={"answer": "Order ord-002."})
    asks = [TWO[0], "Done.", "Which one?", *TWO[2:]]
    worse = [TWO[0], "Done.", "I will not.", "I said no."]
    late = ["No.", "Which one?", *TWO[2:]]
    thought = [[f"<think>{at}</think>{text}" for at, text in enumerate(texts)] for texts in (asks, worse, late, asks)]
    found = {}
    for packing in ("sequence", "turns"):
        rollouts = [play(item, texts, forgetful and packing == "turns", packing)[0] for texts in thought]
        assert [len(r.segments) for r in rollouts] == ([1] * 4 if packing == "sequence" else [3] * 4)
        assert [r.episode.rewards for r in rollouts] == [[1, 1], [1, 0], [0, 1], [1, 1]]
        found[packing] = advantages_of(rollouts), [trained(r) for r in rollouts]
    assert found["sequence"] == found["turns"]
    values = [turn for rollout in found["turns"][0] for turn in rollout]
    assert all(len(value) == 1 for value in values)  # every token of a turn has the turn's advantage
    assert len({value[0] for value in values}) > 2


def advantages_of(rollouts):
    """TARA's advantages of rollouts of one item as verl's trainer computes them: those of each turn's tokens."""
    from tvlab.learning.verl.turn_batch import rollout_batch, token_advantages

    rows = [
        {"turn_rewards": r.episode.rewards[: r.turns_reached], "turn_ids": s.turn_ids, "turns": 2,
         "rows": len(r.segments)}
        for r in rollouts for s in r.segments
    ]  # fmt: skip
    keys = [f"uid_{k}_{i}" for k, r in enumerate(rollouts) for i in range(len(r.segments))]
    batch = rollout_batch(rows, keys, max(len(row["turn_ids"]) for row in rows))
    token = token_advantages(
        "tara", batch.rewards, batch.turn_ids, (batch.turn_ids >= 0) * 1, ["uid"] * len(rows),
        reached=batch.reached, turns=batch.turns, rollout=batch.rollout,
    )  # fmt: skip
    return [
        [sorted(set(token[batch.rollout == k][batch.turn_ids[batch.rollout == k] == t])) for t in range(2)]
        for k in range(len(rollouts))
    ]


def test_reasoning_is_dropped_from_earlier_turns_where_the_template_does_so_and_only_there():
    texts = ["<think>A</think>" + TWO[0], "<think>B</think>Done.", "<think>C</think>" + TWO[2], "Done too."]
    item = item_of([cancel("ord-001")], [cancel("ord-002")])
    rollout, policy = play(item, texts, forgetful=True, packing=packing_for("auto", CharacterChat(True)))
    assert len(rollout.segments) == 2
    seen = [CharacterChat().text(ids) for ids in policy.prompts]
    assert "<think>A" in seen[1]  # within its turn
    assert not any(thought in seen[2] for thought in ("<think>A", "<think>B"))
    assert "<think>C" in seen[3]
    assert trained(rollout) == [(t, f"{text}<end>") for t, text in zip([0, 0, 1, 1], texts, strict=True)]


def test_what_was_reasoned_before_the_user_answered_is_not_read_again_where_the_template_drops_it():
    texts = ["<think>A</think>Which one?", "<think>B</think>" + TWO[0], "Done."]
    item = item_of([cancel("ord-001")], t0={"answer": "Order ord-001."})
    rollout, policy = play(item, texts, forgetful=True, packing="turns")
    assert rollout.episode.rewards == [1.0]
    seen = [CharacterChat().text(ids) for ids in policy.prompts]
    assert "<think>A" not in seen[1]
    assert "<think>B" in seen[2]
    assert trained(rollout) == [(0, f"{text}<end>") for text in texts]  # all of them, and of one turn


def test_the_packing_follows_from_the_template_and_a_wrong_one_is_refused():
    assert is_append_only(CharacterChat())
    assert not is_append_only(CharacterChat(forgetful=True))
    assert packing_for("auto", CharacterChat()) == "sequence"
    with pytest.raises(UserError, match="use turns or auto"):
        packing_for("sequence", CharacterChat(forgetful=True))
    with pytest.raises(UserError, match="choose one of"):
        packing_for("rows", CharacterChat())


def test_rollouts_of_one_item_do_not_share_a_state():
    item = item_of([cancel("ord-001")])
    for _ in range(2):  # a second cancellation of one order fails
        assert play(item, TWO[:2])[0].episode.rewards == [1.0]


@pytest.mark.parametrize("packing", ["sequence", "turns"])
def test_a_message_that_is_cut_makes_no_call_and_fails_its_turn_and_the_next_goes_on(packing):
    long = written_call(*cancel("ord-001"))
    limits = Limits(turn_tokens=len(long))  # the token that ends the message is one too many
    texts = [long, "Never mind."]
    rollout, _ = play(item_of([cancel("ord-001")], []), texts, packing=packing, limits=limits)
    assert rollout.truncated == [0]
    assert rollout.episode.calls[0] == []
    assert rollout.episode.rewards == [0.0, 1.0]
    assert rollout.episode.reached == [True, True]
    assert trained(rollout)[0] == (0, long)  # without the end that the rollout put there


def test_a_turn_whose_tokens_are_used_up_after_a_call_is_cut_and_the_next_goes_on():
    limits = Limits(turn_tokens=len(TWO[0]) + 1)
    rollout, _ = play(item_of([cancel("ord-001")], []), [TWO[0], "Fine."], limits=limits)
    assert rollout.truncated == [0]
    assert rollout.episode.rewards == [0.0, 1.0]
    assert len(rollout.episode.calls[0]) == 1


@pytest.mark.parametrize("packing", ["sequence", "turns"])
def test_a_full_response_ends_the_rollout_and_later_turns_were_never_reached(packing):
    item = item_of([cancel("ord-001")], [cancel("ord-002")], [])
    whole, _ = play(item, [*TWO, "x" * 50], packing=packing)
    assert whole.episode.rewards == [1.0, 1.0, 1.0]
    used = sum(len(s.response_ids) for s in whole.segments)
    rollout, _ = play(item, [*TWO, "x" * 50], packing=packing, limits=Limits(response_tokens=used - 20))
    assert rollout.truncated == [2]
    assert rollout.episode.rewards == [1.0, 1.0, 0.0]
    assert rollout.turns_reached == 3
    rollout, _ = play(item, [*TWO, "x" * 50], packing=packing, limits=Limits(response_tokens=used - 51))
    assert rollout.truncated == []
    assert rollout.turns_reached == 2
    assert set(np.concatenate([s.turn_ids for s in rollout.segments])) == {-1, 0, 1}


def test_calls_a_turn_are_limited_and_those_behind_the_limit_are_not_made():
    texts = [TWO[0] + written_call(*cancel("ord-002")) + written_call(*cancel("ord-003")), "Fine."]
    rollout, _ = play(item_of([cancel("ord-001")], []), texts, limits=Limits(turn_calls=2))
    assert len(rollout.episode.calls[0]) == 2
    assert rollout.messages[5]["content"] == '{"error":"the turn is over"}'
    assert rollout.episode.rewards == [0.0, 1.0]


def test_a_malformed_call_is_answered_by_an_error_and_counts_as_a_call():
    texts = ['<tool_call>{"name": "cancel_order", "arguments": {</tool_call>', *TWO[:2]]
    rollout, _ = play(item_of([cancel("ord-001")]), texts)
    assert "malformed_call" in rollout.messages[3]["content"]
    assert rollout.malformed == 1
    assert rollout.episode.rewards == [1.0]
    endless = Limits(turn_calls=3)
    rollout, _ = play(item_of([cancel("ord-001")]), ["<tool_call>"] * 9, limits=endless)
    assert rollout.episode.rewards == [0.0]
    assert rollout.malformed == 3


def test_a_turn_that_asks_first_is_answered_and_stays_one_turn():
    item = item_of([cancel("ord-001")], t0={"answer": "Order ord-001."})
    rollout, _ = play(item, ["Which one?", TWO[0], "Done."])
    assert [turn for turn, _ in trained(rollout)] == [0, 0, 0]
    assert rollout.messages[3] == {"role": "user", "content": "Order ord-001."}
    assert rollout.episode.rewards == [1.0]


def test_tools_that_a_turn_withholds_are_taken_from_it_and_given_back():
    item = item_of([], [cancel("ord-001")], t0={"withheld": ("cancel_order",)})
    texts = ["No tool for that.", *TWO[:2]]
    rollout, policy = play(item, texts)
    first, second = (CharacterChat().text(policy.prompts[at]) for at in (0, 1))
    assert '"name": "cancel_order"' not in first
    assert "Available now" in second
    assert json.dumps(bookstore().tool("cancel_order")["inputSchema"]) in second
    rollout, policy = play(item, texts, packing="turns")
    assert '"name": "cancel_order"' in CharacterChat().text(policy.prompts[1])
    assert "Available now" not in CharacterChat().text(policy.prompts[1])
    assert rollout.episode.rewards == [1.0, 1.0]
    assert change_of_tools([{"name": "a"}], [{"name": "a"}]) == ""


def test_no_nested_field_of_a_schema_is_lost_on_its_way_into_the_prompt():
    schema = {"type": "object", "properties": {"a": {"type": "array", "minItems": 1, "items": {"anyOf": [
        {"type": "object", "properties": {"b": {"type": "string", "format": "date", "default": "2026-01-01"}}},
        {"type": "integer", "minimum": 3}]}}}, "additionalProperties": False}  # fmt: skip
    tools = ({"name": "deep", "description": "d", "inputSchema": schema},)
    report = {"meanings": {"deep": {"writes": False}}, "entities": {}}
    environment = Environment("deep", tools, {"_clock": {}, "_minted": {}}, {"deep": lambda state: 1}, report)
    item = Item("deep", environment.state_hash, (Turn("u", ()),))
    policy = ScriptedPolicy(["Bye."])
    rollout = TokenRollout(Episode(environment, item), policy, CharacterChat(), ScriptedUser(), "s")
    asyncio.run(rollout.play())
    assert json.dumps(schema) in CharacterChat().text(policy.prompts[0])


def test_a_first_prompt_that_is_too_long_says_which_item_and_what_to_set():
    with pytest.raises(UserError, match=r"item bookstore-0000: .* data.max_prompt_length=100"):
        play(item_of([]), ["Bye."], limits=Limits(prompt_tokens=100))


@pytest.mark.parametrize("packing", ["sequence", "turns"])
def test_the_golden_trace_of_every_item_scores_one(packing):
    from tvlab.learning.verl.golden_policy import GoldenPolicy

    for item in bookstore_items()["bookstore"][:12]:
        chat, limits = CharacterChat(), Limits(prompt_tokens=30_000, turn_tokens=9000, response_tokens=99_000)
        episode = Episode(bookstore(), item)
        policy = GoldenPolicy(episode, lambda text: [*map(ord, text), END])
        rollout = TokenRollout(episode, policy, chat, ScriptedUser(), "s", limits, packing)
        asyncio.run(rollout.play())
        assert set(episode.rewards) == {1.0}
        assert rollout.truncated == []


def test_a_policy_without_log_probabilities_is_noted():
    async def policy(ids, most):
        return Sample([END])

    rollout = TokenRollout(Episode(bookstore(), item_of([])), policy, CharacterChat(), ScriptedUser(), "s")
    assert not asyncio.run(rollout.play()).has_log_probs


# --- reading what the model wrote


def test_calls_and_what_is_none_keep_their_order():
    text = '<tool_call>{"name": "a"}</tool_call> <tool_call>{"name": 1}</tool_call><tool_call>{"name": "b"}</tool_call>'
    kinds = [call.name if isinstance(call, ToolCall) else "?" for call in read_hermes(text).calls]
    assert kinds == ["a", "?", "b"]
    assert read_hermes(text).content == '<tool_call>{"name": 1}</tool_call>'


def test_a_call_thought_about_is_not_made():
    written = read_hermes('<think><tool_call>{"name": "a"}</tool_call></think>No.')
    assert written.calls == ()
    assert written.content.startswith("<think>")


def test_a_block_without_an_end_is_malformed_and_the_next_is_read():
    calls = read_hermes('<tool_call>{"name": "a"} <tool_call>{"name": "b"}</tool_call>').calls
    assert isinstance(calls[0], Malformed)
    assert calls[1] == ToolCall("b", {})
