"""The case study: what counts as a booking within a budget, and what is said of a group of rollouts."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from tvlab.environments.environment import Environment
from tvlab.evaluation.case_study import (
    Case,
    budget_bookings,
    case_rows,
    case_story,
    find_cases,
    misjudged,
    most_damaged,
    most_telling,
    play_case,
    play_forgetful,
    train_on,
)
from tvlab.foundation.errors import UserError
from tvlab.learning.advantages import advantage
from tvlab.reporting.plots_case import plot_case_arm
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items
from tvlab.tasks.item import GoldenCall, Item, Turn
from tvlab.tasks.teachers import replay

ARMS = ("grpo", "tara")


@pytest.fixture(scope="module")
def bookstore() -> Environment:
    return Environment.load(Path(__file__).parents[1] / "data" / "environments" / "bookstore")


@pytest.fixture(scope="module")
def items(bookstore):
    return build_items(bookstore, build_graph(bookstore), 6, seed=3)


def booking(bookstore, words, sku, kind="constraint", tool="create_order"):
    order = GoldenCall(tool, {"customer_id": "cus-001", "items": [{"sku": sku, "quantity": 1}]}, True)
    turns = (Turn(words, (GoldenCall("list_books", {}, False),), kind=kind), Turn("order it", (order,)))
    return Item("bookstore", bookstore.state_hash, turns)


def test_a_booking_within_a_budget_books_the_one_thing_that_meets_the_limit(bookstore):
    prices = sorted((book["price"], sku) for sku, book in bookstore.state["books"].items())
    (lowest, cheapest), (second, other) = prices[:2]
    assert lowest < second
    words = f"find the book within a budget of {lowest} for the price"
    assert len(budget_bookings(bookstore, [booking(bookstore, words, cheapest)])) == 1
    for wrong in (
        booking(bookstore, words, other),  # dearer than the limit
        booking(bookstore, f"a price of at most {second}", cheapest),  # two meet it
        booking(bookstore, words, cheapest, kind="plain"),
        booking(bookstore, words, cheapest, tool="cancel_order"),
        booking(bookstore, "the book with the lowest price", cheapest),
    ):
        assert budget_bookings(bookstore, [wrong]) == []
    with pytest.raises(UserError, match="no booking within a budget among"):
        find_cases(bookstore, build_graph(bookstore), 1, seed=0)


def case_of(bookstore, item, rewards):
    table = np.array(rewards, float)
    groups = np.zeros(len(table), int)
    advantages = {arm: np.asarray(advantage(arm)(table, None, groups)) for arm in ARMS}
    return Case(item, [replay(bookstore, item) for _ in table], table, advantages)


def test_the_story_names_turns_that_are_pushed_the_wrong_way(bookstore, items):
    item = next(item for item in items if len(item.turns) == 3)
    case = case_of(bookstore, item, [[1, 0, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0]])
    assert case.told == 1
    story = case_story(case, {"grpo": "GRPO", "tara": "TARA"})
    assert story[0] == "Rollout 2 is right in 2 of 3 turns (mean reward 0.67; the group's 0.42)."
    assert "wrong (right in 0% of the rollouts)" in story[3]
    assert story[3].endswith("GRPO pushes this wrong turn up.")
    counted = misjudged(case).set_index("arm")
    assert counted.loc["grpo"].tolist() == [7, 1, 5, 3]
    assert counted.loc["tara", "wrong_pushed_up"] == 0
    flat = case_of(bookstore, item, [[1, 1, 1]] * 4)
    assert most_telling([flat, case]) is case


def test_a_group_is_played_by_a_policy_and_drawn(bookstore, items):
    policy = train_on(bookstore, items[1:], updates=1, rollouts=2, seed=0)
    case = play_case(policy, bookstore, items[0], ARMS, rollouts=4, seed=0)
    again = play_case(policy, bookstore, items[0], ARMS, rollouts=4, seed=0)
    assert np.array_equal(case.rewards, again.rewards)
    assert all(episode.done for episode in case.episodes)
    rows = case_rows(case)
    assert len(rows) == 4 * len(items[0].turns)
    assert rows.groupby("rollout")["grpo"].nunique().max() == 1
    axis = plot_case_arm(Figure().subplots(), rows, 1)
    assert axis.get_title() == "TARA"
    assert len(axis.texts) == len(rows)


def test_rollouts_that_forget_a_turn_fail_it_and_what_needs_it(bookstore, items):
    item = most_damaged(bookstore, items)
    case = play_forgetful(bookstore, item, ARMS, lam=0.0)
    turns = len(item.turns)
    assert case.rewards.shape == (turns + 1, turns)
    assert case.rewards[0].all()
    asking = [t for t, turn in enumerate(item.turns) if turn.calls]
    assert all(case.rewards[t + 1, t] == 0 for t in asking)
    worst = max((play_forgetful(bookstore, one, ()).rewards == 0).sum() for one in items if len(one.turns) == turns)
    assert (case.rewards == 0).sum() == worst or not all(turn.calls for turn in item.turns)
    local = advantage("turn_local")(case.rewards)
    assert np.allclose(case.advantages["tara"], local)  # lambda 0
    assert all(len(set(row)) == 1 for row in case.advantages["grpo"].round(9).tolist())


def test_a_panel_beyond_the_last_arm_stays_empty(bookstore, items):
    rows = case_rows(play_forgetful(bookstore, items[0], ARMS))
    axis = plot_case_arm(Figure().subplots(), rows, 2)
    assert not axis.axison
    assert axis.texts == [] or len(axis.texts) == 0
