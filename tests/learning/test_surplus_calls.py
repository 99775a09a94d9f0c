"""Surplus calls and the penalty on them: what it leaves of A.4, and what it changes for scripted hacks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from lab_worlds import bookstore, bookstore_items

from tvlab.foundation.errors import UserError
from tvlab.foundation.seeds import generator
from tvlab.learning.advantages import ADVANTAGES, REQUIRES, tara
from tvlab.learning.reward_functions import TURN_REWARDS, register_turn_reward, rewards_of
from tvlab.learning.reward_hacking import HACKS, POLICIES, SCRIPTS, hacked_advantages, hacked_rewards, play
from tvlab.learning.surplus_calls import penalised, surplus_calls, surplus_table
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import GoldenCall, Item, Turn

PLAIN = sorted(set(ADVANTAGES) - set(REQUIRES))
WORLD = {"bookstore": bookstore()}
ITEMS = {"bookstore": bookstore_items()["bookstore"][:12]}
shape = st.tuples(st.integers(2, 6), st.integers(1, 4))


def rewards_and_surplus(kind=(0.0, 1.0)):
    return shape.flatmap(
        lambda s: st.tuples(
            arrays(float, s, elements=st.sampled_from(kind)), arrays(int, s, elements=st.integers(0, 5))
        )
    )


# --- counting


def one_turn(*calls, lookups=()) -> Episode:
    item = Item(
        "bookstore", bookstore().state_hash, (Turn("", tuple(calls), lookups),), {"state": {}, "facts": [], "ids": []}
    )
    return Episode(bookstore(), item)


def test_surplus_calls_by_hand():
    read = GoldenCall("list_books", {}, False)
    names = {tool["name"] for tool in bookstore().tools}
    assert "list_books" in names
    episode = one_turn(read)
    for _ in range(3):
        episode.call("list_books", {})
    episode.call("no_such_tool", {})
    episode.end_turn()
    assert episode.rewards == [1.0]
    assert surplus_calls(episode) == [3]  # two repetitions and a failed call


def test_a_permitted_look_up_is_free_once():
    read = GoldenCall("list_books", {}, False)
    episode = one_turn(read, lookups=(read,))
    for _ in range(3):
        episode.call("list_books", {})
    episode.end_turn()
    assert surplus_calls(episode) == [1]


def test_the_golden_trace_has_no_surplus_call_and_each_hack_but_the_order_has():
    for item in ITEMS["bookstore"]:
        counts = {
            name: sum(surplus_calls(play(name, bookstore(), item, generator(0), step_cap=64))) for name in SCRIPTS
        }
        assert counts["honest"] == counts["idle"] == 0
        assert counts["repeat"] == sum(len(turn.calls) for turn in item.turns)
        assert counts["every_tool"] > counts["every_read"] > 0


def test_counting_so_far_adds_up_the_turns():
    episodes = [play("repeat", bookstore(), item, generator(0), step_cap=64) for item in ITEMS["bookstore"]]
    for row, total, episode in zip(
        surplus_table(episodes), surplus_table(episodes, so_far=True), episodes, strict=True
    ):
        turns = len(episode.item.turns)
        np.testing.assert_array_equal(np.cumsum(row[:turns]), total[:turns])


# --- the penalty


@given(rewards_and_surplus(kind=(0.0, 0.25, 1.0, 3.0)), st.floats(0, 0.99))
def test_a_penalised_reward_stays_within_0_and_the_reward_and_is_0_for_wrong_turns_only(both, cost):
    rewards, surplus = both
    after = penalised(rewards, surplus, cost)
    assert (after >= 0).all()
    assert (after <= rewards).all()
    np.testing.assert_array_equal(after == 0, rewards == 0)
    np.testing.assert_array_equal(penalised(rewards, surplus), rewards)  # off by default


@given(rewards_and_surplus(), st.floats(0, 0.99), st.floats(0, 5), st.floats(0, 2))
def test_a_wrong_turn_still_never_gets_a_positive_advantage(both, cost, lam, gamma):
    rewards, surplus = both
    advantages = tara(penalised(rewards, surplus, cost), lam=lam, gamma=gamma)
    assert (advantages[rewards == 0] <= 1e-12).all()


def test_a_penalty_that_is_subtracted_breaks_that_by_hand():
    rewards, surplus = np.array([[0.0], [0.0], [1.0], [0.0]]), np.array([[0], [5], [0], [5]])
    subtracted = tara(rewards - 0.5 * surplus)  # 0, -2.5, 1, -2.5: their mean is -1
    assert subtracted[0, 0] > 0.5
    assert tara(penalised(rewards, surplus, 0.5))[0, 0] < 0


@pytest.mark.parametrize("name", PLAIN)
@given(data=st.data())
def test_surplus_calls_never_raise_a_rollout_above_one_with_the_same_rewards(name, data):
    rewards, surplus = data.draw(rewards_and_surplus())
    rewards[1] = rewards[0]
    surplus[1] = surplus[0] + data.draw(arrays(int, rewards.shape[1], elements=st.integers(0, 3)))
    cost = data.draw(st.floats(0, 0.9))
    advantages = ADVANTAGES[name](penalised(rewards, surplus, cost))
    assert (advantages[1] <= advantages[0] + 1e-9).all()


def test_a_right_turn_with_one_surplus_call_is_pushed_down_as_far_by_a_small_cost_as_by_a_large_one():
    rewards, surplus = np.ones((8, 1)), np.zeros((8, 1), int)
    surplus[0] = 1
    small, large = (tara(penalised(rewards, surplus, cost), eps=0.0)[0, 0] for cost in (0.01, 0.5))
    assert small == pytest.approx(large) == pytest.approx(-np.sqrt(7))


@pytest.mark.parametrize(
    ("rewards", "surplus", "cost"),
    [
        ([[1.0]], [[1]], 1.0),
        ([[1.0]], [[1]], -0.1),
        ([[-1.0]], [[1]], 0.5),
        ([[1.0]], [[-1]], 0.5),
        ([[1.0]], [1], 0.5),
    ],
)
def test_outside_its_range_the_penalty_is_an_error(rewards, surplus, cost):
    with pytest.raises(ValueError):
        penalised(np.array(rewards), np.array(surplus), cost)


# --- hacks on real items


@pytest.fixture(scope="module")
def earned():
    rows = pd.DataFrame(hacked_rewards(WORLD, ITEMS, 0, 0.2, step_caps=(64,)))
    assert set(rows["policy"]) == set(POLICIES)
    return rows.set_index(["reward", "policy"])


def test_coverage_pays_for_repeating_and_for_reading_everything_and_the_outcome_check_for_the_latter(earned):
    assert earned.loc[("coverage", "honest"), "paid"] == 1
    for hack in ("repeat", "every_read"):
        assert earned.loc[("coverage", hack), "paid"] == 1
        assert earned.loc[("coverage", hack), "penalised"] < 0.9
    assert earned.loc[("outcome", "every_read"), "paid"] == earned.loc[("both", "every_read"), "paid"] == 1
    assert earned.loc[("outcome", "repeat"), "paid"] < 0.5
    assert earned.loc[("coverage", "idle"), "paid"] == 0


def test_doing_all_at_once_is_seen_by_coverage_and_not_by_the_outcome(earned):
    assert earned.loc[("coverage", "early"), "paid"] < 0.6
    assert earned.loc[("outcome", "early"), "paid"] > 0.8


def test_no_estimator_tells_a_hack_from_honest_work_that_earns_the_same_and_with_the_penalty_all_do():
    rows = pd.DataFrame(hacked_advantages(WORLD, ITEMS, ["grpo", "rloo", "tara"], 0, (0.0, 0.2), ("coverage",)))
    fooling = rows[rows["policy"].isin(["repeat", "every_read"])]
    free, charged = (fooling[fooling["cost"] == cost] for cost in (0.0, 0.2))
    assert (free["below"] == 0).all()
    assert (free.loc[free["company"] == "failures", "positive"] > 0.9).all()
    assert (charged["below"] == 1).all()
    assert (charged.loc[charged["company"] == "honest", "hack"] < -0.2).all()
    assert set(rows["policy"]) == set(HACKS)


def test_the_product_of_turn_rewards_has_no_signal_where_only_the_last_turn_pays():
    rows = pd.DataFrame(hacked_advantages(WORLD, ITEMS, ["grpo_outcome", "grpo"], 0, (0.0,), ("outcome",)))
    signal = rows.groupby("estimator")["honest"].max()
    several = [item for item in ITEMS["bookstore"] if len(item.turns) > 1]
    assert len(several) == len(ITEMS["bookstore"])
    assert signal["grpo_outcome"] == 0 < signal["grpo"]


# --- turn rewards of one's own


def test_a_turn_reward_of_ones_own_is_found_by_name_and_checked():
    episodes = [play("repeat", bookstore(), item, generator(0), step_cap=64) for item in ITEMS["bookstore"]]
    try:
        register_turn_reward("half")(lambda episode: [r / 2 for r in episode.rewards])
        register_turn_reward("short")(lambda episode: [1.0] * (len(episode.rewards) + 1))
        np.testing.assert_array_equal(rewards_of("half", episodes), rewards_of("episode", episodes) / 2)
        with pytest.raises(UserError, match="one a turn"):
            rewards_of("short", episodes)
    finally:
        TURN_REWARDS.pop("half", None)
        TURN_REWARDS.pop("short", None)
    expected = penalised(rewards_of("episode", episodes), surplus_table(episodes), 0.2)
    np.testing.assert_allclose(rewards_of("without_surplus", episodes), expected)
    with pytest.raises(UserError, match=r"no turn reward is called 'none'; there are: .*episode, without_surplus"):
        rewards_of("none", episodes)
    with pytest.raises(ValueError):
        register_turn_reward("episode")
