"""ToolEnvironment: every spelling of a call, a wall around the state, and episodes that stay apart."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlab.environments.checks.random_calls import random_call
from tvlab.environments.environment import Environment
from tvlab.environments.tool_calls import ToolCall, observation_text
from tvlab.environments.tool_environment import ToolEnvironment
from tvlab.foundation.seeds import generator

BOOKSTORE = Path(__file__).parent.parent / "data" / "environments" / "bookstore"
CANCEL = {"name": "cancel_order", "arguments": {"order_id": "ord-001"}}
ORDER = {"customer_id": "cus-001", "items": [{"sku": "BK-100", "quantity": 2}]}


@pytest.fixture(scope="module")
def bookstore() -> Environment:
    return Environment.load(BOOKSTORE)


@pytest.mark.parametrize(
    "call",
    [
        CANCEL,
        ToolCall("cancel_order", {"order_id": "ord-001"}),
        json.dumps(CANCEL),
        {"name": "cancel_order", "arguments": '{"order_id": "ord-001"}'},
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "cancel_order", "arguments": '{"order_id": "ord-001"}'},
        },
        {"type": "tool_use", "id": "t", "name": "cancel_order", "input": {"order_id": "ord-001"}},
    ],
    ids=["mapping", "ToolCall", "text", "arguments as text", "OpenAI", "Anthropic"],
)
def test_every_spelling_of_a_call_does_the_same(bookstore: Environment, call) -> None:
    rollout = ToolEnvironment(bookstore)
    result = rollout.step(call)
    assert result.ok
    assert result.value["status"] == "cancelled"
    assert rollout.words() == 'order ord-001: status "open" -> "cancelled"'


def test_absent_arguments_are_none_given(bookstore: Environment) -> None:
    rollout = ToolEnvironment(bookstore)
    assert rollout.step({"name": "list_books"}).value == rollout.step('{"name": "list_books"}').value


def _nested(depth: int) -> list:
    return [] if depth == 0 else [_nested(depth - 1)]


CIRCLE: dict = {"name": "create_order"}
CIRCLE["arguments"] = CIRCLE

MALFORMED = {
    "no JSON": "cancel the order",
    "cut off": '{"name": "cancel_order", "argum',
    "a list": [CANCEL],
    "nothing": None,
    "a number": 3,
    "no name": {"arguments": {}},
    "name is no text": {"name": 3, "arguments": {}},
    "arguments are a list": {"name": "cancel_order", "arguments": ["ord-001"]},
    "arguments are no JSON text": {"name": "cancel_order", "arguments": "order_id=ord-001"},
    "NaN in text": '{"name": "list_books", "arguments": {"limit": NaN}}',
    "infinity": {"name": "list_books", "arguments": {"limit": float("inf")}},
    "a set": {"name": "cancel_order", "arguments": {"order_id": {"ord-001"}}},
    "a numpy number": {"name": "list_books", "arguments": {"limit": np.int64(3)}},
    "a tuple": {"name": "create_order", "arguments": {**ORDER, "items": tuple(ORDER["items"])}},
    "a key that is no text": {"name": "cancel_order", "arguments": {1: "ord-001"}},
    "nested without end": CIRCLE,
    "nested deeply": {"name": "create_order", "arguments": {"customer_id": "cus-001", "items": _nested(250)}},
    "nested deeply in text": '{"name": "create_order", "arguments": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "an integer too long to read": '{"name": "list_books", "arguments": {"limit": ' + "9" * 5000 + "}}",
}


@pytest.mark.parametrize("call", MALFORMED.values(), ids=MALFORMED)
def test_what_is_no_call_is_refused_in_words_and_changes_nothing(bookstore: Environment, call) -> None:
    rollout = ToolEnvironment(bookstore)
    before = rollout.state_hash
    result = rollout.step(call)
    assert not result.ok
    assert result.error.startswith("invalid_arguments: ")
    assert len(result.error) < 300
    assert rollout.state_hash == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
TOOL_NAMES = [tool["name"] for tool in json.loads((BOOKSTORE / "tools.json").read_text())["tools"]]


@settings(max_examples=150, deadline=None)
@given(JSON | st.fixed_dictionaries({"name": st.sampled_from(TOOL_NAMES), "arguments": JSON}))
def test_whatever_an_agent_writes_a_step_never_raises_and_a_refusal_changes_nothing(call) -> None:
    bookstore = _loaded()
    for written in (call, json.dumps(call)):
        rollout = ToolEnvironment(bookstore)
        before = rollout.state_hash
        result = rollout.step(written)
        assert result.ok or rollout.state_hash == before
        json.loads(observation_text(result))


def _loaded(_cache: list[Environment] = []) -> Environment:  # noqa: B006 - hypothesis takes no fixtures
    if not _cache:
        _cache.append(Environment.load(BOOKSTORE))
    return _cache[0]


def test_nobody_reaches_the_state_through_what_goes_in_or_comes_out(bookstore: Environment) -> None:
    initial = json.dumps(bookstore.state, sort_keys=True)
    rollout = ToolEnvironment(bookstore)
    order = json.loads(json.dumps(ORDER))
    created = rollout.step(ToolCall("create_order", order))
    listed = rollout.step({"name": "list_orders", "arguments": {}})
    after = rollout.state_hash
    order["items"][0]["quantity"] = 99
    order["items"].append("gift")
    created.value["items"].clear()
    for record in listed.value["orders"]:
        record["items"].clear()
        record["status"] = "lost"
    rollout.state["orders"]["ord-001"]["status"] = "lost"
    rollout.tools[0]["inputSchema"]["properties"].clear()
    assert rollout.state_hash == after
    assert json.dumps(bookstore.state, sort_keys=True) == initial
    assert bookstore.tools[0]["inputSchema"]["properties"]


def test_a_rollout_branches_from_a_snapshot_as_often_as_wanted(bookstore: Environment) -> None:
    rollout = ToolEnvironment(bookstore)
    rollout.step(ToolCall("create_order", ORDER))
    snapshot = rollout.snapshot()
    middle = rollout.state_hash
    ends = []
    for _ in range(2):
        rollout.restore(snapshot)
        assert rollout.state_hash == middle
        rollout.step(CANCEL)
        rollout.step(ToolCall("create_order", ORDER))  # the second equal create, whichever branch makes it
        ends.append(rollout.state_hash)
    assert ends[0] == ends[1] != middle
    other = ToolEnvironment(bookstore)
    other.restore(pickle.loads(pickle.dumps(snapshot)))
    assert other.state_hash == middle
    assert not other.difference(snapshot)


def test_reset_forgets_everything_and_the_hash_knows_the_state_not_the_way(bookstore: Environment) -> None:
    rollout = ToolEnvironment(bookstore)
    initial = rollout.state_hash
    note = {"order_id": "ord-001", "note": "gift"}
    rollout.step(CANCEL)
    rollout.step(ToolCall("update_order", note))
    one_way = rollout.state_hash
    rollout.reset()
    assert rollout.state_hash == initial
    assert rollout.words() == "nothing changed"
    rollout.step(ToolCall("update_order", note))
    rollout.step(CANCEL)
    assert rollout.state_hash == one_way != initial


def test_an_agent_reads_json_with_its_own_letters(bookstore: Environment) -> None:
    rollout = ToolEnvironment(bookstore)
    text = rollout.read(ToolCall("update_order", {"order_id": "ord-001", "note": "für Zoë"}))
    assert "für Zoë" in text
    assert json.loads(text)["note"] == "für Zoë"
    assert json.loads(rollout.read(ToolCall("get_order", {"order_id": "ord-9"}))) == {
        "error": "not_found: no order 'ord-9'"
    }


Trace = list[str]


def _steps(environment: Environment, seed: int, count: int) -> Iterator[str]:
    """Play random calls drawn from the episode's own state; yield what each showed and left behind."""
    rollout, chance = ToolEnvironment(environment), generator(seed, "episode")
    for _ in range(count):
        call = random_call(environment, chance, rollout.session.state)
        yield f"{call} {rollout.read(call)} {rollout.state_hash}"


def _alone(environment: Environment, episodes: int, count: int) -> list[Trace]:
    return [list(_steps(environment, seed, count)) for seed in range(episodes)]


def _interleaved(environment: Environment, episodes: int, count: int) -> list[Trace]:
    """The same episodes, all open at once, one step of a randomly chosen one at a time."""
    running = [_steps(environment, seed, count) for seed in range(episodes)]
    traces: list[Trace] = [[] for _ in running]
    order = np.repeat(np.arange(episodes), count)
    generator(0, "order").shuffle(order)
    for episode in order:
        traces[episode].append(next(running[episode]))
    return traces


def test_a_thousand_interleaved_episodes_are_the_same_as_each_alone(bookstore: Environment) -> None:
    initial = bookstore.state_hash
    alone = _alone(bookstore, 1000, 6)
    assert _interleaved(bookstore, 1000, 6) == alone
    assert ToolEnvironment(bookstore).state_hash == ToolEnvironment(BOOKSTORE).state_hash
    assert replace(bookstore).state_hash == initial
    ends = {trace[-1].rsplit(" ", 1)[1] for trace in alone}
    assert len(ends) > 500  # the episodes did change something, and not all the same


def test_a_tool_that_edits_records_in_place_does_not_pass_as_clean() -> None:
    def update_order(state, *, order_id, note=None, priority=None):
        order = state["orders"].get(order_id, {})
        order["note"] = note  # the shared record itself
        return order

    bookstore = Environment.load(BOOKSTORE)
    leaky = replace(bookstore, functions={**bookstore.functions, "update_order": update_order})
    alone = _alone(leaky, 30, 6)
    assert _interleaved(replace(leaky, state=Environment.load(BOOKSTORE).state), 30, 6) != alone
