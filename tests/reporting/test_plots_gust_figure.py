"""Figure 4 in our form: measured and published in columns of their own, intervals, and what was not run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tvlab.environments.environment import Environment
from tvlab.reporting import plots_gust_figure as figure
from tvlab.reporting.plots_gust import kind_table, plan_table
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items
from tvlab.tasks.sample import load_sample_card

BOOKSTORE = Path(__file__).parents[1] / "data" / "environments" / "bookstore"
RECORD: dict[str, Any] = {
    "code": "old",
    "items": 4000,
    "environments": 2,
    "tools": 20,
    "tools_per_environment": 10.0,
    "user_turns_per_item": 3.75,
    "calls_per_item": 5.0,
    "depth": 2.0,
    "largest_share_of_one_environment": 0.012,
    "items_by_depth": {"1": 1000, "2": 2000, "10": 1000},
    "turns_per_item": {"3": 1000, "4": 3000},
    "environments_with_items": [
        {"name": "a", "tools": 8, "data_edges": 12, "items": 40, "license": "MIT"},
        {"name": "b", "tools": 12, "data_edges": 3, "items": 40, "license": "MIT"},
    ],
    "bars": [
        {"figure": "items", "least": 2987, "most": None, "value": 4000, "held": True},
        {"figure": "user_turns_per_item", "least": 3.5, "most": 4.1, "value": 4.2, "held": False},
    ],
}


@pytest.fixture(scope="module")
def shop():
    environment = Environment.load(BOOKSTORE)
    graph = build_graph(environment)
    items = build_items(environment, graph, 8, 0)
    tried = [
        replace(item, filters={**item.filters, "teacher": {"attempts": 8, "successes": at}})
        for at, item in enumerate(items)
    ]
    return environment, graph, tried


def test_pass_at_k_has_a_line_a_solver_and_intervals_that_hold_the_mean(shop):
    model = {"model": "m", "items": [{"attempts": 4, "successes": 0}, {"attempts": 4, "successes": 2}]}
    table = figure.pass_table(shop[2], [model])
    assert list(table["solver"]) == ["search teacher"] * 4 + ["m"] * 3
    assert list(table["k"]) == [1, 2, 4, 8, 1, 2, 4]
    assert ((table["low"] <= table["pass_at_k"]) & (table["pass_at_k"] <= table["high"])).all()
    assert table["pass_at_k"].iloc[3] == pytest.approx(7 / 8)  # one of eight items is never solved
    assert table["pass_at_k"].iloc[4] == pytest.approx(0.25)
    assert figure.pass_table(shop[2], [model]).equals(table)


def test_the_corpus_stands_beside_the_profile_and_alone_if_there_is_no_record(shop):
    environment, graph, items = shop
    both = figure.complexity_table(RECORD, {"bookstore": environment}, {"bookstore": graph})
    assert list(both["source"]) == ["corpus", "corpus", "this profile"]
    assert both["data_edges"].min() > 0
    depths = figure.depth_table(RECORD, items)
    assert list(depths[depths["source"] == "corpus"]["depth"]) == [1, 2, 10]
    assert depths.groupby("source")["share"].sum().tolist() == pytest.approx([1.0, 1.0])
    assert set(figure.turn_table(None, items)["source"]) == {"this profile"}


def test_published_figures_have_a_column_of_their_own_and_what_was_not_run_says_so():
    card = load_sample_card()
    table = figure.beside_published(RECORD, card).set_index("figure")
    assert list(table.columns) == ["corpus", "sample", "published"]
    assert table.loc["items"].tolist() == ["4,000", str(card["statistics"]["items"]), "2,987"]
    assert table.loc["user turns an item", "published"] == "3.8 tasks"
    assert table.loc["largest share of one environment", "corpus"] == "1.2%"
    assert set(figure.beside_published(None, card)["corpus"]) == {"not run"}


def test_bars_are_told_as_held_or_not():
    table = figure.bars_table(RECORD)
    assert table["bar"].tolist() == ["at least 2987", "at least 3.5 and at most 4.1"]
    assert table["held"].tolist() == ["yes", "no"]
    assert figure.bars_table(None)["value"].tolist() == ["not run"]


def test_a_record_is_read_from_the_project_and_knows_its_code(tmp_path, monkeypatch):
    monkeypatch.setenv("TVLAB_HOME", str(tmp_path))
    assert figure.dataset_record() is None
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "gust_dataset.json").write_text(json.dumps(RECORD))
    record = figure.dataset_record()
    assert record == RECORD
    assert not figure.record_is_current(record)


def test_the_panels_are_drawn_with_the_published_mean_labelled(shop):
    from matplotlib.figure import Figure

    environment, graph, items = shop
    axes = Figure().subplots(2, 2).ravel()
    figure.plot_pass(axes[0], figure.pass_table(items, []))
    complexity = figure.complexity_table(RECORD, {"bookstore": environment}, {"bookstore": graph})
    figure.plot_gust_complexity(axes[1], complexity)
    figure.plot_counts(axes[2], figure.depth_table(RECORD, items), "depth", "calls")
    figure.plot_turns(axes[3], figure.turn_table(RECORD, items))
    labels = [text.get_text() for text in axes[3].get_legend().get_texts()]
    assert labels[0].startswith("published mean 3.8") or "published mean 3.8" in labels
    assert any(label.startswith("corpus: mean 3.75, 4,000 items") for label in labels)
    assert "8 items" in axes[0].get_legend().get_texts()[0].get_text()


def test_plans_are_counted_by_source_and_what_was_not_sampled_reads_not_run():
    counts = {"plans": 8, "rejected_by_coverage": 6, "rejected_by_outcome": 0, "items": 5, "items_rejected": 4}
    rows = [{"way": "other look-up", **counts}, {"way": "other changes", **dict.fromkeys(counts, 0)}]
    table = plan_table({"equivalent_plans": rows}, RECORD)
    assert table[table["source"] == "corpus"]["plans"].tolist() == ["not run"]
    assert table[table["source"] == "sample"]["items_rejected"].tolist() == [4, 0]
    both = plan_table({"equivalent_plans": rows}, {"equivalent_plans": rows})
    assert both["source"].tolist() == ["corpus"] * 2 + ["sample"] * 2


def test_kinds_of_turns_stand_beside_the_shares_asked_for():
    table = kind_table(load_sample_card()).set_index("kind")
    assert table["share"].sum() == pytest.approx(1.0)
    assert table.loc["irrelevant", "wanted"] == 0.05
    assert table.loc["plain", "wanted"] == "the rest"
    assert table.loc["granted", "turns"] == table.loc["missing_function", "turns"]
