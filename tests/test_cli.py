"""The command line as a user sees it: help, exit codes, one line for bad input, nothing lost."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tvlab.foundation.errors import UserError

COMMANDS = ("build", "graph", "tasks", "train", "evaluate", "reproduce", "figures")
BOOKSTORE = Path(__file__).parent / "data" / "environments" / "bookstore"


def tvlab(*words: str, **settings) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "tvlab", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, **settings)


def complaint(done: subprocess.CompletedProcess, code: int = 2) -> str:
    """The one line on standard error; fails if there is more, or another exit code."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example_and_the_common_options(command):
    shown = tvlab(command, "--help")
    assert shown.returncode == 0
    assert f"Example: tvlab {command}" in " ".join(shown.stdout.split())
    assert "--profile" in shown.stdout
    assert command == "figures" or "--seed" in shown.stdout


def test_help_is_quick():
    best = 9.0
    for _ in range(3):
        start = time.perf_counter()
        assert tvlab("--help").returncode == 0
        best = min(best, time.perf_counter() - start)
    assert best < 0.5


def test_build_prints_servers_and_drops_and_writes_environments(project):
    done = tvlab("build", "--out", project / "made")
    assert done.returncode == 0, done.stderr
    assert "orders_and_inventory" in done.stdout
    assert "8 servers" in done.stdout
    made = [path.name for path in (project / "made").iterdir() if path.is_dir()]
    assert len(made) >= 7
    assert {path.name for path in (project / "made" / made[0]).iterdir()} == {
        "tools.json",
        "state.json",
        "tools.py",
        "tests.json",
        "report.json",
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "does not exist"), ('{"tools": [', "is not JSON"), ("", ""), ("[1, 2]", ""), ('{"a": 1}\n', "")],
)
def test_a_bad_file_gives_one_line_and_what_was_made_stays(project, content, message):
    kept = project / "made" / "old" / "tools.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    source = project / "dump.json"
    if content is not None:
        source.write_text(content)
    line = complaint(tvlab("build", "--from", source, "--out", project / "made"))
    assert str(source) in line
    assert message in line
    assert kept.read_text() == "{}"
    assert [path.name for path in (project / "made").iterdir()] == ["old"]


def test_an_unknown_profile_notebook_and_parameter_are_named(project):
    assert "'tiny' is unknown" in complaint(tvlab("build", "--profile", "tiny"))
    assert "no notebooks" in complaint(tvlab("reproduce"))
    home = Path(__file__).resolve().parents[1]
    line = complaint(tvlab("reproduce", "--only", "99", cwd=home, env={"TVLAB_HOME": str(home), "PATH": ""}))
    assert "notebook '99' is unknown: choose from 00_overview, 01_environment_construction" in line
    line = complaint(
        tvlab("reproduce", "--only", "06", "--param", "lamda=1", cwd=home, env={"TVLAB_HOME": str(home)})
    )
    assert "parameter 'lamda' is unknown in 06_component_ablation: choose from arms, conditions, equal_steps" in line


def test_graph_and_tasks_write_what_they_say(project):
    graph = tvlab("graph", BOOKSTORE, "--out", project / "graph.json")
    assert graph.returncode == 0, graph.stderr
    assert "carries tasks" in graph.stdout
    assert len(json.loads((project / "graph.json").read_text())["nodes"]) == 11
    made = tvlab("tasks", BOOKSTORE, "--count", "4", "--out", project / "items.jsonl")
    assert made.returncode == 0, made.stderr
    assert len((project / "items.jsonl").read_text().splitlines()) == 4


def test_tasks_says_what_a_model_needs(project):
    no_folder = complaint(tvlab("tasks", BOOKSTORE, "--rewrite", "--base-url", "http://x/v1", "--model", "m"))
    assert "--rewrite needs --dataset" in no_folder
    assert "give --base-url and --model" in complaint(tvlab("tasks", BOOKSTORE, "--dataset", project, "--try", "3"))
    no_benchmark = tvlab("tasks", BOOKSTORE, "--dataset", project, "--decontaminate", project)
    assert "holds no benchmark" in complaint(no_benchmark)


def test_tasks_makes_a_dataset_with_its_card(project):
    made = tvlab("tasks", BOOKSTORE, "--count", "4", "--dataset", project / "data")
    assert made.returncode == 0, made.stderr
    card = json.loads((project / "data" / "card.json").read_text())
    assert card["statistics"]["items"] == 4
    lines = [(project / "data" / f"{part}.jsonl").read_text().splitlines() for part in ("train", "validation", "test")]
    assert sum(map(len, lines)) == 4


def test_tasks_takes_shares_a_band_plans_and_parquet(project):
    options = ("--share", "irrelevant=0.4", "--attempts", "2", "--keep-most", "2", "--plans", "1", "--parquet")
    made = tvlab("tasks", BOOKSTORE, "--count", "5", "--dataset", project / "rich", *options)
    assert made.returncode == 0, made.stderr
    card = json.loads((project / "rich" / "card.json").read_text())
    assert card["settings"]["shares"] == {"irrelevant": 0.4}
    assert card["statistics"]["turn_kinds"]["irrelevant"] > 0
    assert sum(card["difficulty"]["solved"].values()) == card["statistics"]["items"]
    assert {row["way"] for row in card["equivalent_plans"]} == {"reordered", "other look-up", "other changes"}
    assert (project / "rich" / "verl" / "train.parquet").is_file()
    unknown = complaint(tvlab("tasks", BOOKSTORE, "--share", "plane=0.1", "--out", project / "x.jsonl"))
    assert "unknown turn kind 'plane'" in unknown
    untried = complaint(tvlab("tasks", BOOKSTORE, "--keep-least", "1", "--dataset", project / "y"))
    assert "give --attempts" in untried


def test_doctor_tries_the_sandbox_and_pull_and_serve_name_what_is_missing(project):
    tried = tvlab("doctor")
    assert tried.returncode == 0, tried.stderr
    assert tried.stdout.splitlines()[-1].split()[1] == "sandbox"
    assert "nowhere.json" in complaint(tvlab("corpus", "pull", project / "nowhere.json", "--out", project / "d.jsonl"))
    assert str(project) in complaint(tvlab("serve", project))


def test_a_folder_that_is_no_environment_is_named(project):
    assert str(project) in complaint(tvlab("graph", project))
    assert str(project) in complaint(tvlab("tasks", project))


def test_a_missing_policy_and_an_unknown_arm_are_named(project):
    assert "does not exist: make one with `tvlab train`" in complaint(tvlab("evaluate", project / "none.npz"))
    (project / "torn.npz").write_bytes(b"PK")
    assert "is no lab policy" in complaint(tvlab("evaluate", project / "torn.npz"))


def test_figures_says_which_tables_are_missing(project):
    done = tvlab("figures", "--profile", "smoke")
    assert done.returncode == 0
    assert "component_ablation: not drawn: no table ablation_scores" in done.stdout


def test_a_fault_of_ours_gives_one_line_and_a_file_with_the_traceback(project, monkeypatch, capsys):
    from tvlab.cli import application as cli

    def broken(*_, **__):
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(SystemExit) as ended:
        cli.main([])
    assert ended.value.code == 1
    line = capsys.readouterr().err.strip()
    assert line.startswith("tvlab: ZeroDivisionError: inside; traceback in ")
    assert "ZeroDivisionError: inside" in Path(line.split("traceback in ")[1]).read_text()


def test_debug_shows_the_traceback_of_a_user_error(project, monkeypatch):
    from tvlab import cli

    monkeypatch.setenv("TVLAB_DEBUG", "1")
    with pytest.raises(UserError):
        cli.main(["build", "--profile", "tiny"])


@pytest.mark.slow
def test_train_and_evaluate_work_hand_in_hand(project):
    trained = tvlab("train", "--arm", "grpo", "--profile", "smoke", "--out", project / "p.npz")
    assert trained.returncode == 0, trained.stderr
    assert "held out: calendar" in trained.stdout
    shown = tvlab("evaluate", project / "p.npz", "--profile", "smoke")
    assert shown.returncode == 0, shown.stderr
    assert "turn_reward" in shown.stdout
