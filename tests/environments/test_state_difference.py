"""Differences: worked by hand, complete, empty exactly for states that look the same, and readable."""

from __future__ import annotations

import copy
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tvlab.environments.checks.random_calls import random_call
from tvlab.environments.environment import Environment, visible
from tvlab.environments.state_difference import Change, difference
from tvlab.environments.tool_environment import ToolEnvironment
from tvlab.foundation.canonical import canonical_json
from tvlab.foundation.seeds import generator

BOOKSTORE = Path(__file__).parent.parent / "data" / "environments" / "bookstore"
BEFORE = {
    "_clock": {"now": "2026-03-02T09:00:00Z"},
    "_minted": {},
    "orders": {
        "o-1": {"order_id": "o-1", "status": "open", "items": [{"sku": "b", "quantity": 1}], "note": "gift"},
        "o-2": {"order_id": "o-2", "status": "open", "items": []},
    },
}
AFTER = {
    "_clock": {"now": "2026-03-02T10:00:00Z"},
    "_minted": {"ab": 1},
    "orders": {
        "o-1": {"order_id": "o-1", "status": "paid", "items": [{"sku": "b", "quantity": 3}], "tag": None},
        "o-3": {"order_id": "o-3", "status": "open"},
    },
}
ROWS = [
    Change("_clock", "now", "changed", "", "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z"),
    Change("orders", "o-1", "changed", "status", "open", "paid"),
    Change("orders", "o-1", "changed", "items[0].quantity", 1, 3),
    Change("orders", "o-1", "unset", "note", "gift", None),
    Change("orders", "o-1", "set", "tag", None, None),
    Change("orders", "o-2", "deleted", "", BEFORE["orders"]["o-2"], None),
    Change("orders", "o-3", "created", "", None, AFTER["orders"]["o-3"]),
]
WORDS = """\
clock now: "2026-03-02T09:00:00Z" -> "2026-03-02T10:00:00Z"
order o-1: status "open" -> "paid", items[0].quantity 1 -> 3, note removed (was "gift"), tag set to null
deleted order o-2 (order_id "o-2", status "open", items [])
created order o-3 (order_id "o-3", status "open")"""


def test_a_difference_lists_every_change_once() -> None:
    found = difference(BEFORE, AFTER)
    assert list(found.changes) == ROWS
    row = {"table": "orders", "key": "o-1", "kind": "changed", "field": "status"}
    assert found.rows[1] == {**row, "before": "open", "after": "paid"}
    assert found.tables == ["_clock", "orders"]


def test_a_difference_reads_as_one_line_a_record() -> None:
    assert difference(BEFORE, AFTER).words() == WORDS
    assert (
        difference(BEFORE, AFTER).words({"orders": "purchase"}).splitlines()[3].startswith("created purchase")
    )


def test_no_difference_is_false_and_says_so() -> None:
    same = difference(BEFORE, copy.deepcopy(BEFORE))
    assert not same
    assert (same.rows, same.tables, same.words()) == ([], [], "nothing changed")


def test_a_list_of_another_length_is_one_change() -> None:
    before, after = ({"t": {"k": {"list": values}}} for values in ([1, 2], [1, 2, 3]))
    assert difference(before, after).changes == (Change("t", "k", "changed", "list", [1, 2], [1, 2, 3]),)


def test_a_table_that_appears_or_goes_is_its_records() -> None:
    state = {"t": {"k": {"a": 1}}}
    assert [change.kind for change in difference({}, state).changes] == ["created"]
    assert [change.kind for change in difference(state, {}).changes] == ["deleted"]


def test_long_values_are_cut_in_words_and_whole_in_rows() -> None:
    after = {"t": {"k": {"text": "x" * 500}}}
    found = difference({"t": {"k": {"text": "y"}}}, after)
    assert len(found.words()) < 100
    assert found.rows[0]["after"] == "x" * 500


SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 0.0, -0.0, 2, "", "1", "a"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
)
STATES = st.dictionaries(
    st.sampled_from(["t", "u"]), st.dictionaries(st.sampled_from("xyz"), VALUES, max_size=3)
)


@settings(max_examples=300, deadline=None)
@given(STATES, STATES)
def test_a_difference_is_empty_exactly_if_the_states_have_the_same_text(before, after) -> None:
    # a table without rows is the same as no table: nobody can read it
    texts = [canonical_json({table: rows for table, rows in s.items() if rows}) for s in (before, after)]
    assert bool(difference(before, after)) == (texts[0] != texts[1])


def _apply(state: dict, changes) -> dict:
    """Make the changes one by one: the slow way from before to after."""
    state = copy.deepcopy(state)
    for change in changes:
        table = state.setdefault(change.table, {})
        if change.kind == "deleted":
            del table[change.key]
        elif not change.field:
            table[change.key] = change.after
        else:
            *way, last = [int(p) if p.isdigit() else p for p in re.findall(r"[^.\[\]]+", change.field)]
            target = table[change.key]
            for part in way:
                target = target[part]
            if change.kind == "unset":
                del target[last]
            else:
                target[last] = change.after
    return state


@settings(max_examples=300, deadline=None)
@given(STATES, STATES)
def test_applying_the_rows_to_the_first_state_gives_the_second(before, after) -> None:
    made = _apply(before, difference(before, after).changes)
    assert not difference(made, after)


def test_the_differences_of_random_episodes_lead_from_the_first_state_to_the_last() -> None:
    bookstore = Environment.load(BOOKSTORE)
    for seed in range(20):
        rollout, chance = ToolEnvironment(bookstore), generator(seed, "difference")
        for _ in range(15):
            rollout.step(random_call(bookstore, chance, rollout.session.state))
        made = _apply(visible(bookstore.state), rollout.difference().changes)
        assert canonical_json(made) == canonical_json(rollout.state)
