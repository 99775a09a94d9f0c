"""The learning rate of an arm is the best on validation, and the package's table is read as it was written."""

import pandas as pd

from tvlab.evaluation import lab_rates
from tvlab.evaluation.lab_rates import CANDIDATES, choose_rates, rate_of, rate_table
from tvlab.learning.advantages import BUILT_IN
from tvlab.learning.lab_trainer import LabConfig


def test_the_best_rate_on_validation_is_chosen_for_each_arm_and_the_smaller_of_equals():
    scores = {("a", 0.1): (0.2, 0.4), ("a", 0.2): (0.5, 0.5), ("b", 0.1): (0.3, 0.3), ("b", 0.2): (0.1, 0.5)}
    rows = [{"arm": arm, "lr": lr, "seed": seed, "environment": "e", "turn_reward": value}
            for (arm, lr), values in scores.items() for seed, value in enumerate(values)]  # fmt: skip
    table = choose_rates(pd.DataFrame(rows), "lab")
    assert table[table["chosen"] == "yes"][["arm", "lr"]].to_numpy().tolist() == [["a", 0.2], ["b", 0.1]]
    assert set(table["runs"]) == {2}
    assert set(table["profile"]) == {"lab"}


def test_the_table_of_the_package_has_one_choice_an_arm():
    chosen = [row["arm"] for row in rate_table() if row["chosen"] == "yes"]
    assert len(chosen) == len(set(chosen))
    assert set(chosen) <= set(BUILT_IN)
    for row in rate_table():
        assert float(row["lr"]) in CANDIDATES


def test_an_arm_without_a_choice_has_that_of_its_kin_and_a_stranger_the_default(monkeypatch):
    monkeypatch.setattr(lab_rates, "chosen_rates", lambda: {"tara": 0.4, "grpo": 0.1, "espo": 0.3})
    assert [rate_of(arm) for arm in ("tara", "turn_local", "espo", "rloo")] == [0.4, 0.4, 0.3, 0.1]
    assert rate_of("an arm of one's own") == LabConfig().lr
    assert set(lab_rates.KIN) | {"tara", "grpo"} == set(BUILT_IN)
