"""Every notebook, found by glob: its form, and that it runs in profile smoke with all its assertions."""

import ast
import re
import shutil
from pathlib import Path

import nbformat
import pytest

from tvlab.reporting.notebook_runs import reproduce
from tvlab.reporting.notebooks import find_notebooks
from tvlab.reporting.run_records import DONE, FAILED

REPOSITORY = Path(__file__).resolve().parents[1]
PATHS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))
FORBIDDEN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.While, ast.Try)
every_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def code_cells(path: Path) -> list:
    return [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]


def test_the_notebooks_of_this_version_are_there():
    numbers = [path.name.split("_")[0] for path in PATHS]
    assert numbers[:12] == [f"{number:02d}" for number in range(12)]
    assert len(set(numbers)) == len(numbers)


@every_notebook
def test_it_is_committed_without_outputs(path):
    for cell in code_cells(path):
        assert cell.outputs == []
        assert cell.execution_count is None


@every_notebook
def test_it_defines_nothing_and_loops_on_no_condition(path):
    for cell in code_cells(path):
        found = [
            type(node).__name__ for node in ast.walk(ast.parse(cell.source)) if isinstance(node, FORBIDDEN)
        ]
        assert found == [], cell.source


@every_notebook
def test_it_opens_with_the_question_what_it_reads_and_writes_and_its_minutes(path):
    notebook = nbformat.read(path, 4)
    first = notebook.cells[0]
    assert first.cell_type == "markdown"
    for word in ("**Question.**", "**Reads**", "**Writes**", "**Takes**"):
        assert word in first.source
    assert set(notebook.metadata["tvlab"]["minutes"]) >= {"smoke", "lab", "full"}


@every_notebook
def test_its_parameters_are_annotated_literals_with_help(path):
    tagged = [cell for cell in code_cells(path) if "parameters" in cell.metadata.get("tags", [])]
    assert tagged == code_cells(path)[:1]
    for statement in ast.parse(tagged[0].source).body:
        assert isinstance(statement, ast.AnnAssign), "annotate each parameter: name: type = value  # help"
        ast.literal_eval(statement.value)
    assert all(re.search(r"  # \S", line) for line in tagged[0].source.splitlines())
    names = {statement.target.id for statement in ast.parse(tagged[0].source).body}
    assert {"profile", "seed"} <= names


@every_notebook
def test_its_second_code_cell_and_no_other_imports(path):
    importing = [
        at
        for at, cell in enumerate(code_cells(path))
        if any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(ast.parse(cell.source)))
    ]
    assert importing == [1]


@every_notebook
def test_its_last_cell_asserts_on_what_was_recorded(path):
    last = ast.parse(code_cells(path)[-1].source).body
    assert sum(isinstance(statement, ast.Assert) for statement in last) >= 3


class _Silent:
    def begin(self, name, at, of, seconds_left): ...

    def cell(self, name, number, of): ...

    def end(self, record): ...


@pytest.fixture(scope="module")
def smoke_project(tmp_path_factory):
    """A project folder of its own, shared by the notebooks, with the real notebooks in it."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(REPOSITORY / "notebooks", folder / "notebooks")
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    return folder


@pytest.mark.notebook
@every_notebook
def test_it_runs_in_profile_smoke(path, smoke_project, monkeypatch):
    monkeypatch.setenv("TVLAB_HOME", str(smoke_project))
    assert path.stem in {notebook.name for notebook in find_notebooks()}
    record = reproduce("smoke", _Silent(), only=[path.stem])[0]
    assert (record.status, record.cell, record.error) == (DONE, "", "")
    assert any(output.endswith(".csv") for output in record.outputs)
    assert any(output.endswith(".png") for output in record.outputs)


@pytest.mark.notebook
def test_the_same_seed_gives_the_same_tables(smoke_project, tmp_path, monkeypatch):
    """Everything is made anew in another folder, stored runs included."""
    shutil.copytree(REPOSITORY / "notebooks", tmp_path / "notebooks")
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    few = ["01", "02", "03", "04"]
    tables = []
    for folder in (smoke_project, tmp_path):
        monkeypatch.setenv("TVLAB_HOME", str(folder))
        assert all(record.status == DONE for record in reproduce("smoke", _Silent(), only=few))
        found = sorted((folder / "papermill_runs" / "smoke" / "tables").glob("*.csv"))
        tables.append({path.name: path.read_bytes() for path in found})
    assert len(tables[1]) >= 15
    assert {name: tables[0][name] for name in tables[1]} == tables[1]


@pytest.mark.slow
@pytest.mark.notebook
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("03", {"name": "mail", "width": "7", "samples": "20"}),
        ("05", {"lam": "0", "gamma": "1", "rollouts": "4"}),
        ("05", {"lam": "2", "gamma": "0", "rollouts": "3", "turns": "2"}),
        (
            "06",
            {"arms": "tara,grpo", "lam": "0", "gamma": "1", "seeds": "1", "equal_steps": "False",
             "conditions": "call_budget"},
        ),
        ("07", {"conditions": "call_budget", "seeds": "1"}),
        ("11", {"arms": "tara", "seeds": "1"}),
        ("14", {"arms": "tara,turn_local", "rollouts": "4"}),
    ],
)
def test_it_runs_with_other_values_that_one_would_try(name, values, smoke_project, monkeypatch):
    monkeypatch.setenv("TVLAB_HOME", str(smoke_project))
    record = reproduce("smoke", _Silent(), only=[name], parameters=values)[0]
    assert (record.status, record.cell, record.error) == (DONE, "", "")


@pytest.mark.notebook
def test_a_value_out_of_range_fails_in_one_line_that_says_what_to_do(smoke_project, monkeypatch):
    monkeypatch.setenv("TVLAB_HOME", str(smoke_project))
    record = reproduce("smoke", _Silent(), only=["05"], parameters={"rollouts": "2"})[0]
    assert record.status == FAILED
    assert record.error == "UserError: rollouts = 2 is too small: notebook 05 takes rollouts from 3 on"
