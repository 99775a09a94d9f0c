import math

import numpy as np
import pytest
from matplotlib.figure import Figure

from tvlab.evaluation.failure_groups import UNKNOWN, failure_rows, grouped, kind_shares
from tvlab.evaluation.gust_scores import outcome_of
from tvlab.evaluation.score_summary import MEAN, differences, gust_summary, summary, turn_summary
from tvlab.foundation.atomic_files import write_json, write_jsonl
from tvlab.reporting.plots_scores import plot_failures
from tvlab.reporting.score_tables import (
    NOT_RUN,
    PUBLISHED,
    benchmark_table,
    column_table,
    difference_table,
    failure_table,
    footnotes,
    long_table,
    published_table,
)
from tvlab.tasks.episode import Episode


def row(bench="tau2", category="airline", task="0", run=0, score=1.0, **more):
    ended = "error" if score is None else "finished"
    base = {"bench": bench, "category": category, "task": task, "run": run, "score": score, "termination": ended}
    return {**base, "side": "", "error": "", "details": {}, **more}


def rng():
    return np.random.default_rng(0)


def tau2(airline, retail, telecom):
    """Rows of one run with these scores of the tasks of each domain."""
    parts = {"airline": airline, "retail": retail, "telecom": telecom}
    return [row(category=name, task=str(n), score=s) for name, scores in parts.items() for n, s in enumerate(scores)]


def test_a_benchmarks_mean_weighs_its_categories_equally_however_many_tasks_they_have():
    table = summary(tau2([1.0], [0.0, 1.0], [0.0] * 7 + [1.0]), rng()).set_index("category")
    assert table.loc["airline", "score"] == 100.0
    assert table.loc["telecom", "score"] == 12.5
    assert table.loc[MEAN, "score"] == pytest.approx((100 + 50 + 12.5) / 3)
    assert table.loc[MEAN, "low"] < table.loc[MEAN, "score"] < table.loc[MEAN, "high"]
    assert table.loc[MEAN, "units"] == "11 tasks x 1 run"


def test_avg_at_k_is_the_mean_of_what_was_scored_and_errors_are_left_out_and_counted():
    rows = [row(run=n, score=float(n < 1)) for n in range(4)] + [row(task="1", run=n) for n in range(3)]
    rows += [row(task="1", run=3, score=None, side="user"), row(task="2", run=0, score=None, side="harness")]
    got = summary(rows, rng()).iloc[0]
    assert got["score"] == pytest.approx(100 * 4 / 7)
    assert (got["tasks"], got["runs"], got["n"]) == (2, 4, 7)
    assert (got["errors"], got["errors_user"]) == (2, 1)


def test_a_category_of_errors_alone_has_no_score_and_takes_the_mean_with_it():
    rows = tau2([1.0], [0.0], [1.0])
    rows[-1] = row(category="telecom", score=None, side="endpoint")
    table = summary(rows, rng()).set_index("category")
    assert math.isnan(table.loc["telecom", "score"])
    assert math.isnan(table.loc[MEAN, "score"])
    assert table.loc["airline", "score"] == 100.0


def test_the_interval_is_that_of_the_tasks():
    rng_ = np.random.default_rng(3)
    scores = (rng_.random(200) < 0.3).astype(float)
    got = summary([row(task=str(n), score=s) for n, s in enumerate(scores)], rng()).iloc[0]
    half = 196 * math.sqrt(scores.mean() * (1 - scores.mean()) / 200)
    assert got["high"] - got["score"] == pytest.approx(half, rel=0.15)


def test_tasks_that_all_fail_leave_an_interval_of_that_many_tasks():
    got = summary([row(task=str(n), score=0.0) for n in range(10)], rng()).iloc[0]
    assert (got["score"], got["low"]) == (0.0, 0.0)
    assert got["high"] == pytest.approx(100 * (1 - 0.025 ** (1 / 10)))
    assert summary([row(task=str(n)) for n in range(10)], rng()).iloc[0]["low"] == pytest.approx(100 - got["high"])


def test_a_difference_is_paired_over_shared_tasks():
    first, second = tau2([1, 1, 0], [1, 0], [0, 0]), tau2([1, 0, 0, 1], [1, 0], [0, 0])
    table = differences(first, second, rng()).set_index("category")
    assert table.loc["airline", "difference"] == pytest.approx(100 / 3)
    assert table.loc["airline", "tasks"] == 3
    assert table.loc["retail", "difference"] == 0.0
    assert table.loc[MEAN, "difference"] == pytest.approx(100 / 9)
    swapped = differences(second, first, rng()).set_index("category")
    assert swapped.loc["airline", "difference"] == pytest.approx(-100 / 3)
    assert differences(first, [row(bench="bfcl", category="base")], rng()).empty


def gust(task, score, turns, depth=2):
    rewards = [turn["reward"] for turn in turns]
    details = {"trace": score, "validation": score, "turn_reward": float(np.mean(rewards)), "depth": depth}
    return row("gust", "all", task, score=score, details={**details, "environment": "shop", "turns": turns})


def turn(kind="plain", reward=1.0, golden=1, matched=1, failures=()):
    return {"kind": kind, "reward": reward, "golden": golden, "matched": matched, "failures": list(failures)}


GUST = [
    gust("a", 1.0, [turn(), turn("chain", golden=2, matched=2)]),
    gust("b", 0.0, [turn(), turn("plain", 0.0, 2, 1, [{"kind": "missing_call", "tool": "f"}])], depth=3),
    row("gust", "all", "c", score=None, side="endpoint", error="gone"),
]


def test_gust_has_its_other_scores_and_those_of_turns():
    table = gust_summary(GUST, rng()).set_index("score")
    assert table.loc["trace", "value"] == 50.0
    assert table.loc["turn_reward", "value"] == 75.0
    assert table.loc["trace", "do_nothing"] == 0.0
    assert math.isnan(table.loc["validation", "do_nothing"])
    kinds = turn_summary(GUST, "kind").set_index("kind")
    assert kinds.loc["plain", "turn_reward"] == pytest.approx(200 / 3)
    assert kinds.loc["plain", "covered"] == pytest.approx(75.0)
    assert list(turn_summary(GUST, "depth")["depth"]) == [2, 3]
    assert turn_summary([], "kind").empty


def test_what_doing_nothing_gets_is_what_it_gets_when_it_is_played(bookstore, items):
    rows = []
    for item in items:
        episode = Episode(bookstore, item)
        while not episode.done:
            episode.end_turn()
        outcome = outcome_of(episode)
        rows.append(row("gust", "all", item.id, score=outcome.score, details=outcome.details))
    table = gust_summary(rows, rng()).set_index("score")
    for name in ("trace", "turn_reward"):
        assert 0 < table.loc[name, "value"] == pytest.approx(table.loc[name, "do_nothing"])


def test_failures_are_grouped_by_kind_and_turn_and_errors_are_none():
    bfcl = {"golden": [{"tool": "f", "arguments": {"x": 1}}], "made": [{"tool": "f", "arguments": {"x": 2}}]}
    rows = [
        *GUST,
        row("bfcl", "miss_func", "m", score=0.0, details={"turns": [{"golden": [], "made": []}] * 4 + [bfcl]}),
        row("tau2", "retail", "1", score=0.0),
        row("tau2", "retail", "2", score=0.0) | {"termination": "truncated"},
    ]
    found = failure_rows(rows)
    assert [(f["bench"], f["turn"], f["kind"]) for f in found] == [
        ("gust", 1, "missing_call"),
        ("bfcl", 4, "wrong_argument"),
        ("tau2", -1, UNKNOWN),
        ("tau2", -1, "truncated"),
    ]
    assert found[0]["environment"] == "shop"
    assert (found[1]["turn_kind"], found[1]["arguments"]) == ("missing_function", ["x"])
    table = grouped(rows).set_index(["bench", "turn"])
    assert table.loc[("bfcl", "4+"), "wrong_argument"] == 1
    assert table["all"].sum() == 4
    assert set(kind_shares(rows)["share"]) == {1.0, 0.5}
    assert grouped([row()]).empty


def test_what_a_cut_answer_left_out_is_truncated_where_a_record_says_where_it_was_cut():
    nothing = {"golden": [{"tool": "f", "arguments": {}}], "made": []}
    whole = row("tau2", "retail", score=0.0, details={"turns": [nothing]}, cut=1)
    recorded = {"turns": [nothing | {"cut": True}, nothing | {"cut": False}]}
    turns = row("bfcl", "base", score=0.0, details=recorded, cut=1)
    old = row("bfcl", "base", "1", score=0.0, details={"turns": [nothing, nothing]}, cut=1)
    assert [f["kind"] for f in failure_rows([whole, turns, old])] == ["truncated", "truncated", *["gave_up"] * 3]


def test_a_message_of_the_agent_that_cannot_be_read_is_counted_apart_from_the_users(tmp_path):
    config = {"model": "m", "mode": "prompt", "temperature": 0.7, "max_tokens": 9, "tau2_steps": 30}
    rows = tau2([0, 1], [0], [0])
    rows[0] |= {"termination": "format", "side": "agent"}
    rows += [row(task="9", score=None, side="user", error="hung up"), row(task="8", score=None, side="endpoint")]
    write_json(tmp_path / "config.json", config)
    write_jsonl(tmp_path / "rows.jsonl", rows)
    about = {"version": "tau2 26.3", "tasks": {"airline": 50, "retail": 114, "telecom": 114}, "asked": 8, "floors": {}}
    write_json(tmp_path / "benches.json", {"tau2": about})
    airline = long_table([tmp_path], resamples=100).set_index("category").loc["airline"]
    assert (airline["n"], airline["errors"], airline["errors_user"], airline["unread"]) == (2, 2, 1, 1)
    notes = " ".join(footnotes([tmp_path]))
    assert "tau2-bench 4 of 8 asked for, 278 in all" in notes
    assert "of 6 simulations of tau2 1 ended by a message of the agent that cannot be read (score 0) and 1 by" in notes
    assert "tau2 at most 30 messages a simulation" in notes


def test_the_tables_say_what_was_not_run_and_what_stands_beside(tmp_path):
    for name, scores in (("one", [1, 1, 0]), ("two", [1, 0, 0])):
        config = {"model": name, "mode": "native", "temperature": 0.7, "max_tokens": 9, "hardware": "a laptop"}
        write_json(tmp_path / name / "config.json", config)
        rows = [*tau2(scores, [0], [0]), row(task="9", score=None, side="user", error="the user hung up")]
        write_jsonl(tmp_path / name / "rows.jsonl", rows)
        floors = {"airline": 0.38, "retail": 0.1, "telecom": 0.0}
        write_json(tmp_path / name / "benches.json", {"tau2": {"version": "tau2 26.3", "floors": floors}})
    folders = [tmp_path / "one", tmp_path / "two"]
    long = long_table(folders, resamples=200)
    assert len(long) == 2 * 13  # GUST, 4 + 1 of BFCL, 3 + 1 of tau2, 2 + 1 of ACEBench, and GUST is one
    table = column_table(folders, resamples=200).set_index("category")
    assert table.loc["airline", "one (native)"].startswith("66.7 [")
    assert table.loc["airline", "n, errors: one"] == "3, 1"
    assert table.loc["airline", "doing nothing"] == "38.0"
    assert table["published, other models"].iloc[5] == "base 17.9 to 28.9, tara 24.1 to 37.5"
    assert table["published, other models"].iloc[6] == ""
    assert set(table.loc[["base", "multi_turn"], "two (native)"]) == {NOT_RUN}
    notes = " ".join(footnotes(folders))
    assert all(part in notes for part in ("a laptop", "tau2 26.3", "1 errors of the user", "the user hung up"))
    assert difference_table(*folders)["difference"].iloc[0] == pytest.approx(100 / 3)
    failures = failure_table(folders)
    tau2_failures = failures[failures["bench"] == "tau2"].set_index("model")["failures"]
    assert tau2_failures.to_dict() == {"one": 3, "two": 4}  # one of retail and of telecom, the rest of airline
    axis = plot_failures(Figure().add_subplot(), failures)
    assert [text.get_text() for text in axis.texts if "%" not in text.get_text()] == [
        "none recorded", "none recorded", "3 failures", "4 failures", "none recorded",
    ]  # fmt: skip
    assert [label.get_text() for label in axis.get_yticklabels()][2:4] == ["tau2-bench\none", "tau2-bench\ntwo"]
    means = benchmark_table(folders, ["base", "tara"])
    assert list(means["arm"]) == ["base", "tara"]
    assert list(means["benchmark"]) == ["tau2", "tau2"]
    assert set(published_table()["source"]) == {PUBLISHED}
