"""Other people's agents play items through the endpoint: their tokens are exact, their rewards those of our loop."""

import asyncio
import importlib.util
import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from character_chat import END, CharacterChat, ScriptedPolicy, written_call
from lab_worlds import bookstore
from test_verl_token_rollout import TWO, cancel, item_of, play, trained
from test_verl_users import Says
from test_verl_users import item_of as stated_item

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.agent_endpoint import AgentEndpoint, find_agent
from tvlab.learning.verl.agent_rollout import AgentRollout
from tvlab.learning.verl.conversation_record import ConversationRecord, plain_messages
from tvlab.learning.verl.golden_policy import GoldenPolicy
from tvlab.learning.verl.rollout import Limits
from tvlab.learning.verl.segments import Sample
from tvlab.learning.verl.simulated_users import DONE, ModelUser, ScriptedUser
from tvlab.learning.verl.token_rollout import TokenRollout
from tvlab.learning.verl.turn_batch import rollout_batch, token_advantages
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import GoldenCall, Item, Turn

pytest.importorskip("openai", reason="openai is not installed here: install the extra `base`")
import outside_agents as agents

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:websockets")
no_graphs = pytest.mark.skipif(importlib.util.find_spec("langgraph") is None, reason="langgraph is not installed here")
AGENTS = [agents.openai_agent, pytest.param(agents.langgraph_agent, marks=no_graphs), agents.streaming_agent]
LONG = written_call(*cancel("ord-001"))


def through(agent, item, texts, packing="sequence", limits=None, forgetful=False, timeout=30.0):
    """The rollout of an agent, and the fake engine."""
    limits, policy = limits or Limits(), ScriptedPolicy(texts)
    episode = Episode(bookstore(), item, step_cap=limits.turn_calls)
    rollout = AgentRollout(episode, policy, CharacterChat(forgetful), ScriptedUser(), "system", limits, packing)
    endpoint = AgentEndpoint()

    async def run():
        async with endpoint.serving():
            return await endpoint.play(rollout, agent, timeout)

    return asyncio.run(run()), policy


def tokens(rollout):
    return [(one.prompt_ids, one.response_ids, one.turn_ids, one.mask, one.log_probs) for one in rollout.segments]


def advantages(rollouts):
    """TARA's advantage of every token of rollouts of one item."""
    rows = [
        {
            "turn_rewards": r.episode.rewards[: r.turns_reached],
            "turn_ids": s.turn_ids,
            "turns": len(r.episode.item.turns),
            "rows": len(r.segments),
        }
        for r in rollouts
        for s in r.segments
    ]
    keys = [f"uid_{k}_{i}" for k, r in enumerate(rollouts) for i in range(len(r.segments))]
    batch = rollout_batch(rows, keys, max(len(row["turn_ids"]) for row in rows))
    return token_advantages(
        "tara",
        batch.rewards,
        batch.turn_ids,
        (batch.turn_ids >= 0) * 1,
        ["uid"] * len(rows),
        reached=batch.reached,
        turns=batch.turns,
        rollout=batch.rollout,
    ).tolist()


@pytest.mark.parametrize("packing", ["sequence", "turns"])
@pytest.mark.parametrize("agent", AGENTS)
def test_an_unmodified_agent_gives_the_tokens_rewards_and_advantages_of_our_own_loop(agent, packing):
    item = item_of([cancel("ord-001")], [cancel("ord-002")])
    worse = [TWO[0], "Done.", "I will not."]
    malformed = ["<tool_call>{no json}</tool_call>", *TWO]
    scripts = [TWO, worse, malformed, ["No.", *TWO[2:]]]
    theirs = [through(agent, item, texts, packing)[0] for texts in scripts]
    ours = [play(item, texts, packing=packing)[0] for texts in scripts]
    assert [r.failure for r in theirs] == [""] * 4
    assert [r.episode.rewards for r in theirs] == [r.episode.rewards for r in ours] == [[1, 1], [1, 0], [1, 1], [0, 1]]
    assert [tokens(r) for r in theirs] == [tokens(r) for r in ours]
    assert advantages(theirs) == advantages(ours)
    assert [r.malformed for r in theirs] == [0, 0, 1, 0]
    began = [one.began for one in theirs[0].record.sequences]
    assert began == (["first"] if packing == "sequence" else ["first", "turn"])


def test_items_with_every_turn_kind_give_the_same_tokens_through_the_endpoint():
    """Golden traces of real items, with questions, missing tools and irrelevant requests."""
    from tvlab.tasks.graph import build_graph
    from tvlab.tasks.gust import build_items
    from tvlab.tasks.turn_kinds import MIXED_SHARES

    made = build_items(bookstore(), build_graph(bookstore()), 40, 3, shares=MIXED_SHARES)
    kinds = {}
    for item in made:
        kinds.setdefault(frozenset(turn.kind for turn in item.turns), item)
    chosen = sorted(kinds.values(), key=lambda item: -len({turn.kind for turn in item.turns}))[:8]
    assert {turn.kind for item in chosen for turn in item.turns} >= {"plain", "missing_parameter", "missing_function"}
    limits = Limits(turn_tokens=10_000, response_tokens=200_000, prompt_tokens=100_000)
    encode = lambda text: [*map(ord, text), END]  # noqa: E731
    for item in chosen:
        found = []
        for theirs in (True, False):
            episode = Episode(bookstore(), item)
            kind = AgentRollout if theirs else TokenRollout
            rollout = kind(
                episode, GoldenPolicy(episode, encode), CharacterChat(), ScriptedUser(), "s", limits, "sequence"
            )
            if theirs:
                asyncio.run(served(rollout, agents.openai_agent))
            else:
                asyncio.run(rollout.play())
            assert set(episode.rewards) == {1.0}
            found.append(rollout)
        assert tokens(found[0]) == tokens(found[1])


async def served(rollout, agent):
    endpoint = AgentEndpoint()
    async with endpoint.serving():
        await endpoint.play(rollout, agent)


def test_what_the_model_made_is_trained_once_and_a_changed_beginning_begins_a_sequence_and_is_marked():
    item = item_of([cancel("ord-001")], [cancel("ord-002")])
    rollout, _ = through(agents.forgetful_agent, item, TWO)
    assert [one.began for one in rollout.record.sequences] == ["first", "changed"]
    assert trained(rollout) == [(t, f"{text}<end>") for t, text in zip([0, 0, 1, 1], TWO, strict=True)]
    assert rollout.episode.rewards == [1.0, 1.0]
    reference = play(item, TWO)[0]
    rows, other = advantages([rollout, reference])[:2], advantages([reference, reference])
    assert len(rows) == 2  # a rollout of two sequences, beside one of one, is taken by the estimator
    assert other[0] == other[1]


def test_a_cut_message_is_marked_makes_no_call_and_fails_its_turn():
    limits = Limits(turn_tokens=len(LONG))
    item = item_of([cancel("ord-001")], [])
    theirs, _ = through(agents.openai_agent, item, [LONG, "Never mind."], limits=limits)
    ours, _ = play(item, [LONG, "Never mind."], limits=limits)
    assert theirs.truncated == ours.truncated == [0]
    assert theirs.episode.rewards == [0.0, 1.0]
    assert tokens(theirs) == tokens(ours)


def test_the_step_cap_ends_the_turn_and_the_next_goes_on_in_the_same_sequence():
    limits = Limits(turn_calls=1)
    item = item_of([cancel("ord-001")], [])
    theirs, policy = through(agents.openai_agent, item, [LONG, "Fine."], limits=limits)
    ours, _ = play(item, [LONG, "Fine."], limits=limits)
    assert theirs.episode.rewards == ours.episode.rewards == [0.0, 1.0]
    assert tokens(theirs) == tokens(ours)
    assert policy.texts == []


def test_a_full_response_ends_the_rollout_and_later_turns_were_never_reached():
    limits = Limits(response_tokens=len(LONG) + 5)
    item = item_of([cancel("ord-001")], [])
    theirs, _ = through(agents.openai_agent, item, [LONG, "Fine."], limits=limits)
    ours, _ = play(item, [LONG, "Fine."], limits=limits)
    assert theirs.episode.reached == ours.episode.reached == [True, False]
    assert tokens(theirs) == tokens(ours)


def test_an_agent_that_fails_ends_its_rollout_and_the_reason_is_kept():
    item = item_of([cancel("ord-001")], [cancel("ord-002")])
    rollout, _ = through(agents.crashing_agent, item, TWO)
    assert rollout.failure == "ValueError: a fault of the agent"
    assert rollout.episode.reached == [True, False]  # the model had written in it: cut
    assert rollout.truncated == [0]
    assert through(agents.leaving_agent, item, TWO)[0].failure == "RuntimeError: the agent left by SystemExit"
    with pytest.raises(UserError, match=r"never asked the model \(it returned at once\)"):
        through(lambda session: None, item, [])
    with pytest.raises(UserError, match=r"never asked the model \(no end after 0.05 s\)"):
        through(lambda session: __import__("time").sleep(0.3), item, [], timeout=0.05)


def test_more_agents_at_once_than_the_event_loop_has_threads_all_come_to_their_end():
    """A plain function waits in a thread for answers that the threads of the event loop make."""
    item, endpoint = item_of([cancel("ord-001")], [cancel("ord-002")]), AgentEndpoint()
    rollouts = [
        AgentRollout(Episode(bookstore(), item), ScriptedPolicy(TWO), CharacterChat(), ScriptedUser(), "system")
        for _ in range(4)
    ]

    async def run():
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
        async with endpoint.serving():
            await asyncio.gather(*(endpoint.play(rollout, agents.openai_agent, 60.0) for rollout in rollouts))

    asyncio.run(run())
    assert [rollout.failure for rollout in rollouts] == [""] * 4
    assert [rollout.episode.rewards for rollout in rollouts] == [[1, 1]] * 4


@pytest.mark.parametrize("packing", ["sequence", "turns"])
def test_a_user_who_acts_with_tools_of_its_own_is_the_same_to_an_agent_as_to_our_own_loop(packing):
    """Dual control: the agent asks for it, the user does it over the same state, and the agent goes on."""
    call = {"id": "1", "type": "function", "function": {"name": "cancel_order", "arguments": '{"order_id": "ord-001"}'}}
    texts = [LONG, "Please call it off yourself.", written_call("get_order", {"order_id": "ord-001"}), "Fine."]
    made = []
    with ThreadPoolExecutor(2) as threads:
        for kind in (AgentRollout, TokenRollout):
            replies = ("I want ord-001 called off.", {"role": "assistant", "content": "", "tool_calls": [call]})
            user = ModelUser(Says(*replies, "I have called it off.", DONE), threads, tools=["cancel_order"])
            rollout = kind(Episode(bookstore(), stated_item()), ScriptedPolicy(texts), CharacterChat(), user,
                           "system", packing=packing)  # fmt: skip
            asyncio.run(served(rollout, agents.openai_agent) if kind is AgentRollout else rollout.play())
            made.append(rollout)
    assert [rollout.episode.rewards for rollout in made] == [[1.0], [1.0]]
    assert [rollout.failure for rollout in made] == ["", ""]
    assert "unknown_tool" in CharacterChat().text(made[0].segments[0].response_ids)
    assert tokens(made[0]) == tokens(made[1])


def test_two_answers_to_the_same_messages_are_two_sequences():
    chat, record = CharacterChat(), ConversationRecord(CharacterChat())
    asked = plain_messages([{"role": "user", "content": "u"}])
    at_once = [record.context(asked, [], 0) for _ in range(2)]
    for context, text in zip(at_once, ("a", "b"), strict=True):
        reply = {"role": "assistant", "content": text}
        record.record(context, [ord(text), END], [-0.5, -0.5], reply, closed=True)
    later = record.context(asked, [], 0)
    assert later.began == "branch"
    more = [*asked, {"role": "assistant", "content": "b"}, {"role": "user", "content": "v"}]
    on = record.context(plain_messages(more), [], 0)
    assert on.sequence is record.sequences[1]
    assert on.ids[: on.kept] == record.sequences[1].segment.prompt_ids + record.sequences[1].segment.response_ids
    two = [record.context(plain_messages(more), [], 0) for _ in range(2)]  # both go on with one sequence, at once
    for context in two:
        record.record(context, [ord("c"), END], None, {"role": "assistant", "content": "c"}, closed=True)
    assert [one.began for one in record.sequences] == ["first", "first", "branch"]
    written = [sum(segment.mask) for segment in record.segments]
    assert written == [2, 4, 2]
    assert chat.text(record.segments[2].prompt_ids).count("b") >= 1
    assert record.context(plain_messages(more), [{"type": "function"}], 0).began in ("tools", "branch")


def ask(url, body=None):
    """Status and JSON of a request, as a program without any client would make it."""
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_requests_that_cannot_be_trained_on_are_refused_in_the_protocol_s_form():
    item = item_of([cancel("ord-001")])
    policy = ScriptedPolicy(["Fine."])
    rollout = AgentRollout(Episode(bookstore(), item), policy, CharacterChat(), ScriptedUser(), "s")
    endpoint = AgentEndpoint()
    told = {}

    def agent(session):
        place, chat = session.base_url.removesuffix("/v1"), f"{session.base_url}/chat/completions"
        told["words"] = ask(f"{place}/turn", {"reply": None})[1]["user"]
        hello = [{"role": "user", "content": "hello"}]
        wrong = [
            {"n": 2},
            {"tool_choice": "required"},
            {"response_format": {"type": "json_object"}},
            {"messages": []},
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
        ]
        for change in wrong:
            status, answer = ask(chat, {"messages": hello, **change})
            told[next(iter(change)), len(told)] = (status, answer["error"]["message"])
        told["nobody"] = ask(place.rpartition("/")[0] + "/nobody/v1/models")[0]
        told["tools"] = len(ask(f"{place}/tools")[1]["tools"])
        ask(chat, {"messages": hello, "max_tokens": 50})
        body = {"name": "cancel_order", "arguments": {"order_id": "ord-001"}}
        told["call"] = ask(f"{place}/calls", body)[1]["content"]
        told["end"] = ask(f"{place}/turn", {"reply": "Done."})[1]["user"]

    async def run():
        async with endpoint.serving():
            await endpoint.play(rollout, agent, 30)

    asyncio.run(run())
    assert rollout.failure == ""
    assert told.pop("words") == "words 0"
    assert told.pop("nobody") == 404
    assert told.pop("tools") == len(bookstore().tools)
    assert "cancelled" in told.pop("call")
    assert told.pop("end") is None
    assert len(told) == 5
    assert {status for status, _ in told.values()} == {400}
    assert rollout.episode.rewards == [1.0]


def test_an_agent_is_found_by_its_path():
    assert find_agent("outside_agents:openai_agent") is agents.openai_agent
    with pytest.raises(UserError, match=r"tvlab.agent=nowhere:f: write package.module:function"):
        find_agent("nowhere:f")


def test_a_withheld_tool_is_announced_by_the_user_when_it_comes_back():
    first = Turn("words 0", (), kind="missing_function", withheld=("cancel_order",))
    second = Turn("words 1", (GoldenCall("cancel_order", {"order_id": "ord-001"}, True),))
    item = Item("bookstore", bookstore().state_hash, (first, second), {"state": {}, "facts": [], "ids": []})
    texts = ["I have no tool for that.", LONG, "Done."]
    theirs, _ = through(agents.openai_agent, item, texts)
    ours, _ = play(item, texts)
    assert tokens(theirs) == tokens(ours)
    assert theirs.episode.rewards == [1.0, 1.0]
    assert Sample([1]).log_probs is None
