"""Tables and figures of notebook 05: known cells, sums, reproducibility, what the figures draw."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from tvlab.foundation.errors import UserError
from tvlab.learning.theory import READINGS, TurnProcess, boundary, variances
from tvlab.reporting.plots_hacking import plot_hacks
from tvlab.reporting.plots_theory import (
    plot_boundary,
    plot_pushed_down,
    plot_quality,
    plot_turn_weights,
    plot_variance_map,
    plot_zscored,
)
from tvlab.reporting.theory_tables import (
    Scale,
    boundary_map,
    check_range,
    distractors,
    pushed_down_table,
    quality_table,
    scale_of,
    share_table,
    side_by_side,
    variance_map,
    zscored_table,
)

TINY = Scale(points=3, groups=60, listed=40, group_sizes=(2, 4), items=2)


@pytest.fixture
def axis():
    return Figure(figsize=(5, 4)).subplots()


def test_no_wrong_turn_is_rewarded_in_any_group():
    assert distractors(2, 3, 0.5, 0.5) == {"groups": 20, "wrong turns": 60, "largest advantage": 0.0}


def test_variance_map_has_the_known_cells(axis):
    table = variance_map(3, 4, 0.5, 0.5)
    assert len(table) == 3 * 3 * 4
    corner = table[(table["reading"] == "same discount") & (table["p"] > 0.9) & (table["damage"] == 0)]
    assert not corner["smaller"].any()  # high p, independent turns: A.2 is false
    ruined = table[(table["reading"] == "same discount") & (table["damage"] == 1)]
    assert ruined["proven"].all()
    assert ruined["smaller"].all()
    assert plot_variance_map(axis, table, "same discount") is axis


def test_a_variance_of_zero_is_drawn_as_the_last_colour(axis):
    table = variance_map(3, 2, 0.0, 1.0)  # lambda 0: the future part alone is 0 everywhere
    assert (table.loc[table["reading"] == "future alone", "ours"] == 0).all()
    plot_variance_map(axis, table, "future alone")
    drawn = axis.collections[0].get_array()
    assert np.isfinite(np.asarray(drawn)).all()
    assert drawn.max() < -2


def test_two_variances_stand_side_by_side_with_the_smaller_named():
    shown = side_by_side(variances(TurnProcess((0.9,) * 4), READINGS["same discount"]))
    assert shown.loc["turn 1"].tolist() == [0.314, 0.208, "r + S"]
    assert shown.loc["turn 4", "smaller"] == "equal"  # nothing comes after it
    assert list(shown.index) == ["turn 1", "turn 2", "turn 3", "turn 4", "sum over turns"]


@pytest.mark.parametrize(
    ("name", "value", "least"), [("lam", -1.0, 0), ("gamma", -0.5, 0), ("turns", 1, 2), ("rollouts", 2, 3)]
)
def test_a_parameter_out_of_range_is_named_with_its_least_value(name, value, least):
    usual = {"lam": 0.5, "gamma": 0.5, "turns": 4, "rollouts": 8}
    check_range(**usual)
    check_range(lam=0, gamma=0, turns=2, rollouts=3)
    with pytest.raises(UserError, match=f"{name} = {value} .* from {least} on"):
        check_range(**{**usual, name: value})


def test_lambda_and_gamma_reach_the_estimators_that_have_them():
    names = ["tara", "turn_local", "grpo"]
    local, none, some = (
        pushed_down_table(TINY, (0.8,), 3, 4, names, 0, *setting).set_index("estimator")["share"]
        for setting in ((0.0, 1.0), (0.0, 0.0), (0.5, 0.5))
    )
    assert local["tara"] == none["tara"] == local["turn_local"] == 0  # lambda 0 leaves the local part
    assert some["tara"] > 0
    assert local["grpo"] == some["grpo"] > 0


def test_boundary_map_is_the_boundary(axis):
    table = boundary_map(4, 4)
    for row in table.itertuples():
        assert row.p == boundary(row.lam, row.gamma, 3)
    assert plot_boundary(axis, table) is axis


def test_small_groups_are_listed_and_large_ones_sampled(axis):
    table = zscored_table(TINY, 2, 0.5, 0.5, (0.5,), seed=0)
    assert table.groupby("rollouts")["how"].unique().map(list).to_dict() == {2: ["listed"], 4: ["listed"]}
    sampled = zscored_table(Scale(3, 60, 10, (2, 4), 2), 2, 0.5, 0.5, (0.5,), seed=0)
    assert list(sampled[sampled["rollouts"] == 4]["how"]) == ["sampled", "sampled"]
    plot_zscored(axis, table)
    assert len(axis.lines) == 2 * 2 + 1


def test_estimators_are_compared_on_the_same_groups(axis):
    table = quality_table(TINY, (0.5, 0.7), (0.5,), ["rloo", "dr_grpo", "gigpo"], seed=1)
    again = quality_table(TINY, (0.5, 0.7), (0.5,), ["rloo", "dr_grpo", "gigpo"], seed=1)
    assert table.equals(again)
    by_name = table.set_index(["estimator", "rollouts"])
    for rollouts in TINY.group_sizes:  # Dr. GRPO is RLOO times a constant, so all but the scale agree
        one, two = by_name.loc[("rloo", rollouts)], by_name.loc[("dr_grpo", rollouts)]
        assert one["mse"] == pytest.approx(two["mse"])
    for column in ("bias2", "variance", "mse"):
        plot_quality(axis, table, column)
    plot_quality(axis, table, "mse", published=True)


def test_pushed_down_leaves_out_what_needs_more_than_rewards(axis):
    table = pushed_down_table(TINY, (0.8,), 2, 2, ["tara", "turn_local", "gigpo"], seed=0)
    assert list(table["estimator"]) == ["tara", "turn_local"]
    assert table.set_index("estimator")["share"]["turn_local"] == 0
    plot_pushed_down(axis, table)
    assert [label.get_text() for label in axis.get_yticklabels()] == ["turn-local only", "TARA"]


def test_shares_of_every_mode_sum_to_one(axis):
    table = share_table([(900, 100), (50, 50)], ("token_mean", "sequence_mean", "turn_mean"))
    assert np.allclose(table.groupby("mode")["share"].sum(), 1)
    assert set(table[table["mode"] == "turn_mean"]["share"]) == {0.25}
    plot_turn_weights(axis, table)
    assert len(axis.patches) == 3 * 4


def test_a_profile_without_a_scale_is_named():
    with pytest.raises(UserError, match="'gpu'"):
        scale_of("gpu")


def test_the_figure_of_hacks_writes_every_ratio_and_says_where_there_is_no_signal(axis):
    policies, estimators = ("reorder", "repeat", "every_read", "every_tool", "early"), ("grpo", "tara")
    rows = [
        {"reward": "coverage", "cost": 0.0, "company": "failures", "policy": policy, "estimator": estimator}
        for policy in policies
        for estimator in estimators
    ]
    table = pd.DataFrame(rows).assign(ratio=[0.1 * i for i in range(9)] + [float("nan")])
    plot_hacks(axis, table, "coverage", 0.0)
    assert [text.get_text() for text in axis.texts] == [f"{0.1 * i:.2f}" for i in range(9)] + ["no signal"]
