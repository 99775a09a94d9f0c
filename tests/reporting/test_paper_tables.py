"""The paper's tables: published figures as they are, measured ones from saved tables alone, the rest "not run"."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from tvlab.foundation.errors import UserError
from tvlab.foundation.places import tables_folder
from tvlab.foundation.published import published
from tvlab.reporting.paper_table_files import as_latex, as_markdown, shown_table, without_what_is_the_same
from tvlab.reporting.paper_tables import TABLES, write_paper_tables
from tvlab.reporting.plots_paper import plot_measured
from tvlab.reporting.tables import save_table

COMMITTED = Path(__file__).resolve().parents[2] / "papermill_runs"
ABOUT = {"profile": "lab", "n": {"environments": 8, "seeds": 3}, "caption": "Scores."}


def scores(*arms: str) -> list[dict]:
    return [
        {"arm": arm, "score": 0.1 * at, "low": 0.1 * at - 0.05, "high": 0.1 * at + 0.05, "units": "8 x 3"}
        for at, arm in enumerate(arms, 1)
    ]


def test_with_nothing_measured_every_measured_cell_reads_not_run_with_its_reason(project):
    tables = write_paper_tables("lab")
    assert set(tables) == set(TABLES)
    for name in ("main", "baselines", "components", "scale"):
        assert tables[name]["measured"].isna().all()
        assert all(note.startswith("not run: ") for note in tables[name]["note"])
    text = (tables_folder("lab") / "paper_scale.md").read_text()
    assert text.count("| not run |") == 4
    assert "Not run: notebook 08 has not run in this profile." in text


def test_published_figures_stand_as_published(project):
    main = write_paper_tables("lab")["main"]
    text = (tables_folder("lab") / "paper_main.md").read_text()
    for row in published()["main"]:
        figures = f"{row['bfcl']:.2f} | {row['tau2']:.2f} | {row['acebench']:.2f}"
        assert f"| {row['model']} | {row['arm']} | {figures} |" in text
    assert len(main) == 9


def test_measured_scores_stand_beside_with_interval_n_and_profile(project):
    save_table(scores("untrained", "grpo", "tara", "rloo"), "ablation_scores", **ABOUT)
    components = write_paper_tables("lab")["components"]
    by_arm = components.set_index("lab arm")
    assert by_arm.loc["tara", "measured"] == pytest.approx(0.3)
    assert (by_arm.loc["tara", "n"], by_arm.loc["tara", "profile"]) == ("8 x 3", "lab")
    assert by_arm.loc["turn_local", "note"] == "not run: arm turn_local is not in ablation_scores"
    text = (tables_folder("lab") / "paper_components.md").read_text()
    assert "| tara | 37.50 | 32.37 | tara | 0.300 [0.250, 0.350] | 8 x 3 |" in text
    assert "|  | not published | not published | rloo | 0.400 [0.350, 0.450] |" in text


def test_each_condition_is_a_row_of_its_own(project):
    rows = [{**row, "condition": condition} for row in scores("tara") for condition in ("unlimited", "budget")]
    save_table(rows, "ablation_scores", **ABOUT)
    components = write_paper_tables("lab")["components"]
    assert components.loc[components["lab arm"] == "tara", "note"].tolist() == ["unlimited", "budget"]


def test_a_number_of_environments_that_only_one_side_has_keeps_its_row(project):
    rows = [{**row, "environments": count} for row, count in zip(scores("tara", "tara"), (100, 150), strict=True)]
    save_table(rows, "environment_scale", **ABOUT)
    scale = write_paper_tables("lab")["scale"].set_index("environments")
    assert scale.index.tolist() == [100, 150, 200, 300, 422]
    assert scale.loc[150, "published BFCL-v3 multi-turn"] == "not published"
    assert scale.loc[422, "note"] == "not run: this number of environments was not trained on"


def test_benchmark_scores_of_other_models_never_stand_in_the_papers_rows(project):
    row = {"benchmark": "bfcl", "model": "small-model", "score": 4.0, "low": 1.0, "high": 9.0}
    save_table([row], "benchmark_scores", **ABOUT)
    main = write_paper_tables("lab")["main"]
    assert main.iloc[:9]["measured"].isna().all()
    assert main.iloc[9][["model", "measured", "note"]].tolist() == ["small-model", 4.0, "BFCL-v3 multi-turn, in %"]
    assert main.iloc[9]["published BFCL-v3 multi-turn"] == "not published"


def test_a_benchmark_score_stands_in_percent_beside_rewards_between_0_and_1(project):
    row = {"benchmark": "bfcl", "model": "small-model", "score": 4.0, "low": 1.0, "high": 9.0}
    save_table([row], "benchmark_scores", **ABOUT)
    write_paper_tables("lab")
    assert "4.0% [1.0, 9.0]" in (tables_folder("lab") / "paper_main.md").read_text()


def test_sizes_of_the_corpus_come_from_both_of_its_records(project):
    yields = [{"what": "environments", "measured": "158", "published": "422"},
              {"what": "tools kept", "measured": "1,773", "published": "4,438"}]  # fmt: skip
    save_table(yields, "corpus_yield", **ABOUT)
    made = {"items": "3,505", "environments": "112", "user turns an item": "3.72"}
    save_table([{"figure": name, "corpus": value} for name, value in made.items()], "gust_published", **ABOUT)
    corpus = write_paper_tables("lab")["statistics"].set_index("what")["measured, corpus"]
    assert corpus[["environments", "tools", "items", "user turns an item"]].tolist() == [
        "158", "1,773", "3,505 of 112 environments", "3.72",
    ]  # fmt: skip
    assert corpus["tools an environment"] == "not run"


def test_a_measured_table_without_intervals_is_refused(project):
    save_table([{"arm": "tara", "score": 0.5}], "ablation_scores", **ABOUT)
    with pytest.raises(UserError, match="ablation_scores of profile lab lacks high, low"):
        write_paper_tables("lab")


def test_latex_escapes_and_has_as_many_cells_in_every_row(project):
    frame = pd.DataFrame([{"a_b": "50% & more", "c": "x~y"}, {"a_b": "#1", "c": "{z}"}])
    text = as_latex(frame, "A_caption", "tab:one")
    assert r"50\% \& more & x\textasciitilde{}y \\" in text
    assert r"\caption{A\_caption}" in text
    write_paper_tables("lab")
    for path in tables_folder("lab").glob("paper_*.tex"):
        assert faults_of_latex(path.read_text()) == [], path.name


def test_what_every_row_repeats_stands_once_below_the_table():
    rows = [{"arm": arm, "n": "20 runs", "profile": "lab", "note": ""} for arm in ("tara", "grpo")]
    shown, same = without_what_is_the_same(pd.DataFrame(rows))
    assert (list(shown), same) == (["arm"], " n: 20 runs.")
    rows[1]["n"] = "9 runs"
    shown, same = without_what_is_the_same(pd.DataFrame(rows))
    assert (list(shown), same) == (["arm", "n"], "")


def test_a_long_heading_takes_two_lines_in_latex():
    text = as_latex(pd.DataFrame([{"published tau2-bench": "1", "arm": "tara"}]), "One.", "tab:one")
    assert r"\shortstack[l]{published\\tau2-bench} & arm \\" in text
    assert faults_of_latex(text) == []


@pytest.mark.parametrize("profile", [name for name in ("lab", "full") if (COMMITTED / name / "tables").is_dir()])
def test_committed_latex_is_well_formed(profile):
    paths = sorted((COMMITTED / profile / "tables").glob("paper_*.tex"))
    assert len(paths) == len(TABLES)
    assert {path.name: faults_of_latex(path.read_text()) for path in paths} == {path.name: [] for path in paths}


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("c \\\\", "c & \\\\", "cells"),
        ("}", "", "braces"),
        ("\\end{table}", "", "environments"),
        ("0\\%", "0%", "a bare %"),
    ],
)
def test_faults_of_latex_are_seen(old, new, fault):
    text = as_latex(pd.DataFrame([{"a": "50%", "b": "c"}]), "One.", "tab:one")
    assert faults_of_latex(text) == []
    assert fault in faults_of_latex(text.replace(old, new, 1))


def faults_of_latex(text: str) -> list[str]:
    """Return what a compiler would stumble over: cells of rows, braces, environments, special characters."""
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    columns = len(re.search(r"\\begin\{tabular\}\{(l+)\}", text)[1])
    plain = re.sub(r"\\[{}&%$#_]", "", text)
    depth = np.cumsum([(char == "{") - (char == "}") for char in plain])
    open_: list[str] = []
    nested = all(
        open_.append(name) is None if kind == "begin" else open_ and open_.pop() == name
        for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text)
    )
    bare = re.search(r"[#$_~^]|%(?!\n)", re.sub(r"\\label\{[^}]*\}", "", plain))
    found = {
        "cells": any(len(re.findall(r"(?<!\\)&", row)) != columns - 1 for row in rows),
        "braces": depth.min() < 0 or depth[-1] != 0,
        "environments": not nested or bool(open_),
        f"a bare {bare[0] if bare else ''}": bare is not None,
    }
    return [fault for fault, there in found.items() if there]


def test_a_missing_number_that_is_not_measured_is_blank_in_the_shown_table():
    shown = shown_table(pd.DataFrame([{"what": "x", "measured": float("nan"), "low": 0.1, "high": 0.2, "n": None}]))
    assert shown.iloc[0].tolist()[:2] == ["x", "not run"]
    assert as_markdown(shown).startswith("| what | measured [95% interval] |")


def test_a_picture_of_two_conditions_shows_each_arm_once_without_a_limit_of_calls():
    rows = [("tara", 0.3, "call_budget"), ("tara", 0.4, "unlimited"), ("grpo", 0.2, "call_budget")]
    table = pd.DataFrame(
        [{"lab arm": arm, "measured": score, "low": score - 0.1, "high": score + 0.1, "note": note}
         for arm, score, note in rows]
    )  # fmt: skip
    axis = plot_measured(plt.figure().subplots(), table)
    points = [line.get_xdata()[0] for line in axis.lines if len(line.get_xdata()) == 1]
    assert points == [0.4, 0.2]
    plt.close("all")
