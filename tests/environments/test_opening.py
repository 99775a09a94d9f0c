"""Opening folders: code written here runs in process, everybody else's in a sandbox."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tvlab.environments.build import build_environment
from tvlab.environments.opening import open_environment, written_here
from tvlab.environments.sandbox.sandbox import SandboxedEnvironment
from tvlab.environments.sandbox.trials import layers_here, missing
from tvlab.environments.tool_environment import ToolEnvironment
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.foundation.errors import UserError
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items

BOOKSTORE = Path(__file__).parent.parent / "data" / "environments" / "bookstore"
LACKING = missing(layers_here())
needs_layers = pytest.mark.skipif(bool(LACKING), reason=f"this machine lacks {', '.join(LACKING)}")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the rules writer wrote."""
    monkeypatch.setenv("TVLAB_HOME", str(tmp_path))
    return build_environment(load_tool_lists("embedded")[0])[0].write(tmp_path / "built")


def test_what_the_rules_wrote_here_runs_in_process(own: Path) -> None:
    assert written_here(own)
    assert not isinstance(open_environment(own), SandboxedEnvironment)


@needs_layers
@pytest.mark.parametrize("name", ["tools.py", "tools.json"])
def test_an_edited_folder_is_foreign(own: Path, name: str) -> None:
    (own / name).write_text((own / name).read_text() + "\n")
    assert not written_here(own)
    with open_environment(own) as environment:
        assert isinstance(environment, SandboxedEnvironment)


@needs_layers
def test_a_copy_in_another_project_is_foreign(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = Path(shutil.copytree(own, tmp_path / "elsewhere" / own.name))
    assert written_here(copy)
    monkeypatch.setenv("TVLAB_HOME", str(tmp_path / "elsewhere"))
    with open_environment(copy) as environment:
        assert isinstance(environment, SandboxedEnvironment)


@needs_layers
def test_tool_environments_sandbox_foreign_folders_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVLAB_HOME", str(tmp_path))
    assert isinstance(ToolEnvironment(BOOKSTORE).environment, SandboxedEnvironment)


@needs_layers
def test_items_of_a_sandboxed_environment_are_those_of_a_plain_one(own: Path) -> None:
    plain = open_environment(own, "off")
    with open_environment(own, "strict") as foreign:
        graphs = [build_graph(one) for one in (plain, foreign)]
        assert graphs[0].to_json() == graphs[1].to_json()
        items = [build_items(one, graph, 3, 0) for one, graph in zip((plain, foreign), graphs, strict=True)]
    assert [item.to_json() for item in items[0]] == [item.to_json() for item in items[1]]


def test_off_loads_in_process_and_other_words_are_refused() -> None:
    assert not isinstance(open_environment(BOOKSTORE, "off"), SandboxedEnvironment)
    with pytest.raises(UserError, match="choose one of auto, strict, weak, off"):
        open_environment(BOOKSTORE, "none")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        open_environment(tmp_path / "nowhere")
