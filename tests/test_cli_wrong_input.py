"""What a stranger gets wrong at the command line: one line that says what to do, the right exit code, nothing lost."""

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from tvlab.cli import application, main
from tvlab.cli.paths import environment_folders, output_file
from tvlab.evaluation.folder_locks import locked
from tvlab.foundation.errors import UserError
from tvlab.tasks.gust import read_items

BOOKSTORE = Path(__file__).parent / "data" / "environments" / "bookstore"


@pytest.fixture
def run(project, capsys):
    """A function that runs a command in this process; returns (exit code, standard output, standard error)."""

    def ran(*words):
        with pytest.raises(SystemExit) as ended:
            main([*map(str, words)])
        told = capsys.readouterr()
        return ended.value.code, told.out, told.err

    return ran


@pytest.fixture
def complaint(run):
    """A function that runs a command that must fail and returns its one line."""

    def line(*words, code=2):
        ended, _, told = run(*words)
        assert ended == code
        assert told.count("\n") == 1
        assert told.startswith("tvlab: ")
        return told

    return line


@pytest.fixture
def build(project):
    """A folder as ``tvlab build`` leaves it, with two environments."""
    folder = project / "built"
    for name in ("first", "second"):
        shutil.copytree(BOOKSTORE, folder / name)
    (folder / "build.json").write_text("{}")
    return folder


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("build", "--count", "3"), ("No such option: --count", "`tvlab build --help`")),
        (("build", "--workers", "0"), ("--workers", "greater than or equal to 1", "`tvlab build --help`")),
        (("export", BOOKSTORE, "--to", "trl"), ("Missing option '--items'", "`tvlab export --help`")),
        (("corpus", "pull"), ("Missing argument", "`tvlab corpus pull --help`")),
        (("biuld",), ("biuld", "`tvlab --help`")),
        (("serve", BOOKSTORE, "--transport", "http", "--port", "99999"), ("--port", "65535")),
        (("play", BOOKSTORE, "--reward", "gold"), ("--reward gold: choose from coverage, outcome, both",)),
        (("evaluate", "--compare", "x", "x"), ("the two are one folder",)),
    ],
)
def test_options_that_cannot_be_read_give_one_line(complaint, words, parts):
    line = complaint(*words)
    assert all(part in line for part in parts)


def test_no_command_shows_the_help_and_ctrl_c_ends_with_130(run, monkeypatch):
    code, out, err = run()
    assert code == 2
    assert "Usage: tvlab" in out + err

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("tvlab.environments.tool_lists.load_tool_lists", interrupted)
    assert run("build") == (130, "", "Stopped: what is done is kept, and the same command goes on.\n")


@pytest.mark.parametrize(
    ("error", "code", "part"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "out/x"), 2, "out/x cannot be used (Permission denied)"),
        (OSError(errno.EROFS, "Read-only file system", "a", None, "b"), 2, "b cannot be used (Read-only file system)"),
        (FileNotFoundError(errno.ENOENT, "No such file", "gone/.x.json.77.tmp"), 2, " gone/x.json cannot be used"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "the disk is full"),
        (FileNotFoundError(errno.ENOENT, "No such file", "ours"), 1, "traceback in"),
        (OSError("of some library"), 1, "traceback in"),
    ],
)
def test_a_disk_that_takes_nothing_is_the_users_to_mend_and_a_missing_file_is_ours(
    complaint, monkeypatch, error, code, part
):
    def broken(*_, **__):
        raise error

    monkeypatch.setattr(application, "app", broken)
    assert part in complaint(code=code)


def test_places_that_cannot_be_written_are_named_before_any_work(complaint, project, monkeypatch):
    (project / "file").write_text("mine")
    (project / "folder").mkdir()
    monkeypatch.setattr("tvlab.tasks.graph.build_graph", lambda *_, **__: pytest.fail("work was begun"))
    monkeypatch.setattr("tvlab.environments.build.build_environments", lambda *_, **__: pytest.fail("work was begun"))
    monkeypatch.setattr("tvlab.evaluation.suite.load_suite", lambda *_, **__: pytest.fail("work was begun"))
    monkeypatch.setattr("tvlab.cli.train_model.train_model", lambda *_, **__: pytest.fail("work was begun"))
    assert "folder is a folder" in complaint("graph", BOOKSTORE, "--out", project / "folder")
    assert "folder is a folder" in complaint("tasks", BOOKSTORE, "--out", project / "folder")
    assert "is a file, not a folder" in complaint("graph", BOOKSTORE, "--out", project / "file" / "graph.json")
    assert "is a file, not a folder" in complaint("build", "--out", project / "file")
    assert "is a file, not a folder" in complaint("tasks", BOOKSTORE, "--dataset", project / "file" / "deeper" / "set")
    assert "is a file, not a folder" in complaint("export", BOOKSTORE, "--to", "trl", "--items", "x", "--out", "file")
    assert "folder is a folder" in complaint("train", "--profile", "smoke", "--out", project / "folder")
    assert "is a file, not a folder" in complaint("train", "--profile", "gpu", "--out", project / "file")
    assert (project / "file").read_text() == "mine"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert f"no right to write into {project}" in complaint("graph", BOOKSTORE, "--out", project / "new" / "graph.json")
    monkeypatch.undo()
    assert output_file(Path("here.json")) == Path("here.json")


def test_servers_must_be_asked_before_a_build(complaint, project):
    configuration = project / "mcp.json"
    configuration.write_text(json.dumps({"mcpServers": {"mine": {"command": "true"}}}))
    line = complaint("build", "--from", configuration)
    assert f"`tvlab corpus pull {configuration} --out mine.jsonl`" in line
    assert "corpus pull http://127.0.0.1:9/mcp " in complaint("build", "--from", "http://127.0.0.1:9/mcp")
    assert list(project.glob("workspace/*/environments")) == []


def test_a_server_that_does_not_answer_is_told_once(complaint, project):
    line = complaint("corpus", "pull", "http://127.0.0.1:9/mcp", "--out", project / "dump.jsonl")
    assert line.count("check the address") == 1


def test_failed_servers_of_a_pull_that_goes_on_are_told_each(run, project, monkeypatch):
    def pull(source, out, only, report):
        report("live server a failed at start: gone")
        report("live server b: 3 tools")
        report("live server c failed at start: gone")
        return "1 servers added"

    monkeypatch.setattr("tvlab.environments.sources.corpus_sources.pull", pull)
    code, out, err = run("corpus", "pull", "x", "--out", project / "dump.jsonl")
    assert (code, out) == (0, "1 servers added\n")
    assert [line.split()[2].rstrip(":") for line in err.splitlines()] == ["a", "b", "c"]


def test_the_folder_of_a_build_stands_for_its_environments(run, complaint, build, project):
    assert environment_folders([BOOKSTORE, build]) == [BOOKSTORE, build / "first", build / "second"]
    code, _, _ = run("tasks", build, "--count", "1", "--out", project / "items.jsonl", "--sandbox", "off")
    assert code == 0
    assert {item.environment for item in read_items(project / "items.jsonl")} == {"first", "second"}
    for command in ("graph", "play", "serve"):
        assert "holds 2 environments: give one of them, such as" in complaint(command, build)
    (project / "none").mkdir()
    (project / "none" / "build.json").write_text("{}")
    assert "has no environment: its build.json says why" in complaint("tasks", project / "none")


def test_what_to_stress_must_be_failures(complaint, project):
    path = project / "failures.jsonl"
    path.write_text('{"kind": "gave_up"}\n{"id": "an item"}\n')
    assert f"{path} line 2 is no failure" in complaint("tasks", BOOKSTORE, "--like", path)
    path.write_text("")
    assert "holds no failures" in complaint("tasks", BOOKSTORE, "--like", path)


def test_a_build_that_keeps_nothing_says_so_and_where_the_reasons_are(run, project):
    (project / "tools.json").write_text(json.dumps({"server": "odd", "tools": [{"name": "frobnicate"}]}))
    code, out, _ = run("build", "--from", project / "tools.json", "--out", project / "made")
    assert code == 0
    assert "No environment: " in out
    assert f"Why tools were dropped: {project / 'made' / 'build.json'}" in out
    assert json.loads((project / "made" / "build.json").read_text())["servers"][0]["drops"][0]["reason"]


def test_two_programs_do_not_write_into_one_folder(complaint, project):
    with locked(project / "made"):
        assert f"another program builds in {project / 'made'}" in complaint("build", "--out", project / "made")
        line = complaint("tasks", BOOKSTORE, "--dataset", project / "made", "--count", "1")
        assert "another program makes a dataset in" in line
    assert list((project / "made").iterdir()) == []


def test_a_lock_is_free_again_when_its_holder_ends_or_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), locked(tmp_path / "new"):
        raise ZeroDivisionError
    with locked(tmp_path / "new", wait=False), pytest.raises(UserError), locked(tmp_path / "new", wait=False):
        pass
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"file cannot be used \(File exists\)"), locked(tmp_path / "file"):
        pass
