"""The overview says what the stored tables hold, and "not run" where there is none."""

import shutil
from pathlib import Path

from matplotlib.figure import Figure

from tvlab.reporting.notebooks import find_notebooks
from tvlab.reporting.overview import STEPS, draw_pipeline, notebook_links, notebook_rows, pipeline_counts
from tvlab.reporting.plots_overview import plot_pipeline
from tvlab.reporting.tables import save_table

REPOSITORY = Path(__file__).resolve().parents[2]


def test_without_results_every_step_reads_not_run(project):
    counts = pipeline_counts("smoke")
    assert set(counts["amount"]) == {"not run"}
    assert draw_pipeline(counts).text.count("not run") == len(STEPS)


def test_a_saved_table_gives_its_step_a_count_a_date_and_a_link(project):
    rows = [{"server": "a", "tools": 5}, {"server": "b", "tools": 7}]
    save_table(rows, "tool_fates", profile="smoke", n={"servers": 2, "tools": 12}, caption="x")
    save_table([{"arm": "tara", "score": 0.4}, {"arm": "untrained", "score": 0.1}], "ablation_scores",
               profile="smoke", n={"seeds": 3}, caption="x")  # fmt: skip
    counts = pipeline_counts("smoke")
    by_step = counts.set_index("step")["amount"]
    assert by_step["tool lists"] == "2 servers, 12 tools"
    assert by_step["trained policies"] == "2 arms, 3 seeds"
    assert by_step["held-out turn reward"] == "TARA 0.40; untrained 0.10"
    assert (by_step == "not run").sum() == len(STEPS) - 3
    shown = draw_pipeline(counts)
    assert 'href="01_environment_construction.ipynb"' in shown.html
    assert shown.html.count("&rarr;") == len(STEPS) - 1
    assert shown.html.count(f" · {counts['date'].max()}") == 3  # of the steps that were run
    axis = plot_pipeline(Figure().subplots(), counts)
    assert "2 servers, 12 tools" in axis.texts[0].get_text()


def test_a_condition_that_was_left_out_does_not_hide_the_one_that_ran(project):
    rows = [{"arm": "tara", "score": 0.4, "condition": "call_budget"},
            {"arm": "", "score": float("nan"), "condition": "unlimited"}]  # fmt: skip
    save_table(rows, "ablation_scores", profile="smoke", n={"seeds": 1}, caption="x")
    assert pipeline_counts("smoke").set_index("step")["amount"]["held-out turn reward"] == "TARA 0.40"


def test_every_notebook_is_listed_with_its_question(project):
    shutil.copytree(REPOSITORY / "notebooks", project / "notebooks", dirs_exist_ok=True)
    notebooks = find_notebooks()
    rows = notebook_rows(notebooks, "smoke")
    assert list(rows["notebook"]) == [notebook.name for notebook in notebooks]
    assert rows["question"].str.endswith(("?", ".")).all()
    assert set(rows["latest_run"]) == {"not run"}
    assert notebook_links(rows).html.count("<a href=") == len(rows)
