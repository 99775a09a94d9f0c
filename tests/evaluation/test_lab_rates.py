"""The learning rate of an arm is the best on validation, and the package's table is read as it was written."""

import pandas as pd

from tvlab.evaluation import lab_rates
from tvlab.evaluation.lab_rates import BEYOND, CANDIDATES, at_the_edge, choose_rates, rate_of, rate_table
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


def test_the_table_of_the_package_has_every_arm_at_every_candidate_and_beyond_where_the_best_was_at_an_edge():
    table = pd.DataFrame(rate_table()).astype({"lr": float, "score": float, "runs": int})
    assert set(table["runs"]) == {2}
    for arm, own in table.groupby("arm"):
        assert set(own["lr"]) >= set(CANDIDATES), arm
        among = own[own["lr"].isin(CANDIDATES)]
        best = among.loc[among["score"].idxmax(), "lr"]
        assert set(own["lr"]) - set(CANDIDATES) == ({BEYOND[best]} if best in BEYOND else set()), arm
        assert own[own["chosen"] == "yes"]["score"].tolist() == [own["score"].max()], arm
    assert set(table["arm"]) == set(BUILT_IN)


def test_an_arm_whose_best_is_the_lowest_or_highest_candidate_has_a_rate_beyond():
    table = pd.DataFrame([{"arm": "low", "lr": 0.1, "chosen": "yes"}, {"arm": "low", "lr": 0.8, "chosen": "no"},
                          {"arm": "mid", "lr": 0.4, "chosen": "yes"}, {"arm": "high", "lr": 0.8, "chosen": "yes"},
                          {"arm": "past", "lr": 0.05, "chosen": "yes"}])  # fmt: skip
    assert at_the_edge(table) == {"low": 0.05, "high": 1.6}


def test_an_arm_without_a_choice_has_that_of_its_kin_and_a_stranger_the_default(monkeypatch):
    monkeypatch.setattr(lab_rates, "chosen_rates", lambda: {"tara": 0.4, "grpo": 0.1, "espo": 0.3})
    assert [rate_of(arm) for arm in ("tara", "turn_local", "espo", "rloo")] == [0.4, 0.4, 0.3, 0.1]
    assert rate_of("an arm of one's own") == LabConfig().lr
    assert set(lab_rates.KIN) | {"tara", "grpo"} == set(BUILT_IN)
