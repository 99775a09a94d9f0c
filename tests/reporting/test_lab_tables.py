"""Tables, figures and sentences of the lab experiments, on rows one can check by hand."""

import numpy as np
import pandas as pd
import pytest

from tvlab.reporting.lab_tables import (
    NOT_RUN,
    component_sentences,
    dynamics,
    emergent_sentence,
    floor_sentence,
    lab_differences,
    lab_scores,
    lab_seed_scores,
    ranked,
    trend_sentence,
    with_missing,
)
from tvlab.reporting.plots_lab import (
    LAB_FIGURES,
    plot_arms,
    plot_course,
    plot_environments,
    plot_lines,
    plot_pairs,
    plot_sweep,
)


def axis():
    from matplotlib.figure import Figure

    return Figure().subplots()


def rows_of(scores: dict[str, list[float]], **labels) -> pd.DataFrame:
    """Two environments x two seeds for each arm: the scores of (e0, 0), (e0, 1), (e1, 0), (e1, 1)."""
    cells = [("e0", 0), ("e0", 1), ("e1", 0), ("e1", 1)]
    return pd.DataFrame([
        {"arm": arm, "environment": e, "seed": s, "turn_reward": value, "trace_score": value, "outcome": value > 0.5,
         "all_turns": False, "emergent": False, "calls": 6, "golden_calls": 4, "condition": "unlimited", **labels}
        for arm, values in scores.items() for (e, s), value in zip(cells, values, strict=True)])  # fmt: skip


ROWS = rows_of({"grpo": [0.2, 0.4, 0.4, 0.6], "tara": [0.5, 0.7, 0.7, 0.9]})


def test_scores_come_with_interval_shares_and_calls():
    scores = ranked(lab_scores(ROWS, ("condition", "arm")))
    assert scores["arm"].tolist() == ["tara", "grpo"]
    assert scores["score"].tolist() == pytest.approx([0.7, 0.4])
    assert scores["outcome"].tolist() == [0.75, 0.25]
    assert ((scores["low"] < scores["score"]) & (scores["score"] < scores["high"])).all()
    assert set(scores["calls_per_golden_call"]) == {1.5}
    assert set(scores["units"]) == {"2 environments x 2 seeds"}
    assert lab_scores(ROWS, ("condition", "arm")).equals(lab_scores(ROWS, ("condition", "arm")))


def test_an_environment_weighs_the_same_however_many_rollouts_it_has():
    extra = pd.concat([ROWS, ROWS[ROWS["environment"] == "e0"]])
    assert lab_seed_scores(extra)["score"].tolist() == pytest.approx([0.3, 0.5, 0.6, 0.8])
    assert lab_scores(extra)["outcome"].tolist() == [0.25, 0.75]


def test_differences_are_paired_and_few_seeds_are_not_tested():
    found = lab_differences(ROWS, [("tara", "grpo"), ("tara", "rloo")], ("condition",))
    assert found["second"].tolist() == ["grpo"], "a pair that was not run has no row"
    assert found["difference"].tolist() == pytest.approx([0.3])
    assert found["excludes_zero"].tolist() == [True]
    assert np.isnan(found["p_holm"]).all()
    assert lab_differences(ROWS, [], ("condition",)).empty


def test_what_was_not_run_has_a_row_and_a_reason():
    table = with_missing(lab_scores(ROWS, ("condition", "arm")), "condition", ["unlimited", "call_budget"])
    assert table["condition"].tolist() == ["unlimited", "unlimited", "call_budget"]
    assert np.isnan(table["score"].iloc[-1])
    assert table["note"].tolist() == ["", "", NOT_RUN]


def test_windows_of_the_course_average_seeds_and_span_runs():
    updates = pd.DataFrame([{"arm": "tara", "seed": s, "update": u, "turn_reward": u + 10.0 * s,
                             "validation_outcome": 1.0 if u == 3 else np.nan}
                            for s in (0, 1) for u in range(4)])  # fmt: skip
    course = dynamics(updates, windows=2)
    reward = course[course["measure"] == "turn_reward"]
    assert reward["update"].tolist() == [2, 4]
    assert reward["score"].tolist() == [5.5, 7.5]
    assert reward[["low", "high"]].to_numpy().tolist() == [[0.5, 10.5], [2.5, 12.5]]
    assert course[course["measure"] == "validation_outcome"]["update"].tolist() == [4]


def test_sentences_follow_signs_intervals_and_the_papers_order():
    rows = [
        {"first": "tara", "second": "grpo", "difference": 0.1, "low": 0.02, "high": 0.2, "excludes_zero": True,
         "seeds": 9, "p_holm": 0.004, "effect_size": 1.25},
        {"first": "tara", "second": "turn_local", "difference": -0.1, "low": -0.2, "high": -0.02,
         "excludes_zero": True, "seeds": 3, "p_holm": float("nan")},
        {"first": "tara", "second": "untrained", "difference": 0.01, "low": -0.1, "high": 0.1, "excludes_zero": False,
         "seeds": 3, "p_holm": float("nan")},
    ]  # fmt: skip
    published = {"tara": 37.5, "grpo": 35.25, "turn_local": 33.75, "untrained": 28.88}
    above, below, open_ = component_sentences(pd.DataFrame(rows), published)
    assert "TARA is above GRPO" in above
    assert "p 0.004 after Holm, effect size +1.25; in line with the paper's order" in above
    assert "below turn-local only" in below
    assert "3 seeds, not tested; against the paper's order" in below
    assert "not told apart from untrained" in open_
    assert "is not decided" in open_


def test_a_trend_needs_an_interval_of_the_paired_difference_without_zero():
    row = {"first": "8", "second": "2", "difference": 0.3, "low": 0.1, "high": 0.5, "excludes_zero": True, "seeds": 9,
           "p_holm": 0.0123, "effect_size": 1.5}  # fmt: skip
    said = trend_sentence(row, "n", "the score")
    assert said == ("the score rises from n 2 to 8: +0.300 (+0.100 to +0.500); p 0.012 after Holm, effect size +1.50.")
    assert "falls from" in trend_sentence({**row, "difference": -0.3}, "n", "the score")
    few = {**row, "excludes_zero": False, "seeds": 2}
    assert "shows no direction from n 2 to 8: +0.300 (+0.100 to +0.500); 2 seeds, not tested." in trend_sentence(
        few, "n", "the score"
    )


def test_the_smallest_p_value_that_seeds_and_pairs_allow_is_said():
    nine = pd.DataFrame({"seeds": [9] * 14})
    assert "over 14 pairs is 0.055: no pair can pass 0.05" in floor_sentence(nine)
    assert floor_sentence(nine.head(4)).endswith("over 4 pairs is 0.016.")
    assert floor_sentence(nine.assign(seeds=3)) == "3 seeds: no test is made below 9."


def test_emergent_plans_are_counted_and_the_most_are_named():
    rows = ROWS.assign(emergent=(ROWS["arm"] == "tara") & (ROWS["seed"] == 1))
    scores = lab_scores(rows, ("condition", "arm"))
    assert scores["emergent_plans"].tolist() == [0, 2]
    assert emergent_sentence(scores).endswith("2 of 8; most by TARA (2 of 4).")
    assert emergent_sentence(lab_scores(ROWS, ("arm",))).endswith("0 of 8.")


def test_every_figure_draws_from_tables_of_its_columns_and_says_what_was_not_run():
    scores = lab_scores(ROWS, ("condition", "arm"))
    drawn = plot_arms(axis(), scores, lab_seed_scores(ROWS, ("condition", "arm")))
    assert [label.get_text() for label in drawn.get_yticklabels()] == ["TARA", "GRPO (mean turn reward)"]
    missing = plot_arms(axis(), scores, lab_seed_scores(ROWS, ("condition", "arm")), "call_budget")
    assert missing.texts[0].get_text() == "not run"
    pairs = plot_pairs(axis(), lab_differences(ROWS, [("tara", "grpo")], ("condition",)))
    assert [label.get_text() for label in pairs.get_yticklabels()] == ["- GRPO (mean turn reward)"]
    lines = plot_lines(axis(), scores.assign(turns=[2, 4]), "turns", "turns")
    assert [label.get_text() for label in lines.get_xticklabels()] == ["2", "4"]
    scale = scores.assign(environments=[13, 100], items="fixed", source=["domains", "domains and variations"])
    scaled = plot_environments(axis(), scale, "fixed", "environments")
    assert [text.get_text() for text in scaled.texts][-1] == "domains and variations"
    sweep = scores.assign(parameter="lambda", value=[0.0, 0.5])
    assert plot_sweep(axis(), sweep, "lambda", "lambda").get_xlabel().startswith("lambda\n")
    at = {"arm": "tara", "measure": "entropy", "update": [1, 2]}
    course = pd.DataFrame({**at, "score": 0.5, "low": 0.4, "high": 0.6})
    assert len(plot_course(axis(), course, "entropy", "nats").lines) == 1
    assert {"component_ablation", "lambda_gamma", "training_dynamics", "main_results"} <= set(LAB_FIGURES)
