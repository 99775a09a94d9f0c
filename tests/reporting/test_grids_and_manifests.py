"""Grids, limits, manifests and the index: small notebooks made here are run for real."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from urllib.parse import unquote

import psutil
import pytest
from test_notebook_runs import TABLE, Quiet, write

from tvlab.foundation.errors import UserError
from tvlab.reporting.grid import cells_of, parse_grid
from tvlab.reporting.limits import Limits
from tvlab.reporting.manifest import check_manifest, manifest_path, read_manifest
from tvlab.reporting.notebook_runs import reproduce
from tvlab.reporting.notebooks import find_notebooks
from tvlab.reporting.run_index import runs_of, write_index
from tvlab.reporting.run_records import DONE, FAILED

DRAWING = TABLE + """
from tvlab.foundation.places import workspace
from tvlab.reporting.tables import load_table
workspace(profile).mkdir(parents=True, exist_ok=True)
(workspace(profile) / f"made-{seed}").write_text(str(lam))
print(len(list(workspace(profile).iterdir())))"""


def tables_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.csv"))}


def test_a_grid_is_parsed_and_its_cells_are_named():
    assert parse_grid(["lam=0,0.25", "seed=0"]) == {"lam": ["0", "0.25"], "seed": ["0"]}


@pytest.mark.parametrize("words", [["lam"], ["lam="], ["2x=1"], ["a=1,1"], ["a=1", "a=2"]])
def test_a_grid_word_that_is_none_is_refused(words):
    with pytest.raises(UserError, match="--grid"):
        parse_grid(words)


def test_cells_have_typed_values_and_labels_that_are_file_names(project):
    write(project, "01_a", "1", parameters='lam: float = 0.5\nname: str = "x"')
    cells = cells_of(find_notebooks(), {"lam": ["0", "0.25"], "name": ["a/b", "c"]})
    assert [cell.values for cell in cells][:2] == [{"lam": 0.0, "name": "a/b"}, {"lam": 0.0, "name": "c"}]
    assert cells[1].name == "01_a/lam=0.0,name=c"
    assert len({cell.label for cell in cells}) == 4
    assert not any("/" in cell.label for cell in cells)


def test_each_cell_of_a_grid_has_results_and_work_files_of_its_own(project):
    write(project, "01_a", DRAWING)
    reproduce("smoke", Quiet(), only=["01"])
    standard = (project / "papermill_runs" / "smoke" / "tables" / "made.csv").read_bytes()
    records = reproduce("smoke", Quiet(), only=["01"], grid={"lam": ["0", "0.25"], "seed": ["0", "1"]}, parallel=2)
    assert [record.status for record in records] == [DONE] * 4
    assert (project / "papermill_runs" / "smoke" / "tables" / "made.csv").read_bytes() == standard
    grid = project / "papermill_runs" / "smoke" / "grids" / "01_a"
    assert tables_of(grid) == {
        f"lam={lam},seed={seed}/tables/made.csv": f"lam\n{lam:.4f}\n" for lam in (0.0, 0.25) for seed in (0, 1)
    }
    assert (grid / "lam=0.25,seed=1" / "01_a.ipynb").is_file()
    assert (project / "workspace" / "smoke" / "made-0").read_text() == "0.5"
    assert not (project / "workspace" / "smoke" / "made-1").exists()
    again = reproduce("smoke", Quiet(), only=["01"], grid={"lam": ["0.25", "0.5"], "seed": ["1"]}, parallel=2)
    assert [(record.name, record.reused) for record in again] == [
        ("01_a/lam=0.25,seed=1", True),
        ("01_a/lam=0.5,seed=1", False),
    ]
    assert set(read_manifest("smoke")) == {
        "01_a",
        *(f"01_a/lam={lam},seed={seed}" for lam in (0.0, 0.25) for seed in (0, 1)),
        "01_a/lam=0.5,seed=1",
    }
    assert check_manifest("smoke") == []


def test_a_failed_cell_is_reported_and_the_others_go_on(project):
    write(project, "01_a", "assert lam < 0.2, 'too much'\n" + TABLE)
    records = reproduce("smoke", Quiet(), only=["01"], grid={"lam": ["0.3", "0", "0.1"]}, parallel=2)
    assert {record.name[5:]: record.status for record in records} == {
        "lam=0.0": DONE,
        "lam=0.1": DONE,
        "lam=0.3": FAILED,
    }
    failed = next(record for record in records if record.status == FAILED)
    assert (failed.cell, failed.error) == ("assert lam < 0.2, 'too much'", "AssertionError: too much")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"grid": {"lam": ["1"]}}, "--grid without --only"),
        ({"grid": {"what": ["1"]}, "only": ["01"]}, "'what' is unknown in 01_a"),
        ({"grid": {"lam": ["1"]}, "only": ["01"], "parameters": {"lam": "1"}}, "lam is given by --param and by --grid"),
    ],
)
def test_a_grid_is_checked_before_anything_runs(project, words, message):
    write(project, "01_a", "1")
    with pytest.raises(UserError, match=message):
        reproduce("smoke", Quiet(), **words)
    assert not (project / "papermill_runs").exists()


_GREEDY = """import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "x = bytearray(400 * 2**20); import time; time.sleep(120)"])
open("child.pid", "w").write(str(child.pid))
time.sleep(120)"""


def test_a_notebook_past_its_memory_is_ended_with_its_processes_and_the_rest_goes_on(project):
    write(project, "01_greedy", _GREEDY)
    write(project, "02_fine", "1")
    start = time.monotonic()
    greedy, fine = reproduce("smoke", Quiet(), only=["01", "02"], limits=Limits(gib=0.3, minutes=5))
    assert time.monotonic() - start < 60
    assert (greedy.status, fine.status) == (FAILED, DONE)
    assert greedy.error.startswith("memory limit: held 0.")
    assert greedy.error.endswith("GiB of 0.3 GiB (--memory-limit)")
    assert greedy.cell == "import subprocess, sys, time"
    child, patience = int((project / "child.pid").read_text()), time.monotonic() + 20
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < patience
        time.sleep(0.05)  # a process that was killed is gone a moment later


def test_a_notebook_past_its_time_is_ended_and_says_so(project):
    write(project, "01_slow", "import time\ntime.sleep(120)")
    record = reproduce("smoke", Quiet(), only=["01"], limits=Limits(gib=4, minutes=0.1))[0]
    assert (record.status, record.error) == (FAILED, "time limit: ran past 0.1 minutes (--time-limit)")


def test_the_manifest_has_hashes_of_what_was_written_and_knows_when_they_change(project):
    write(project, "01_a", TABLE)
    reproduce("smoke", Quiet(), only=["01"])
    entry = read_manifest("smoke")["01_a"]
    table = project / "papermill_runs" / "smoke" / "tables" / "made.csv"
    assert entry["files"][table.relative_to(project).as_posix()] == hashlib.sha256(table.read_bytes()).hexdigest()
    assert entry["parameters"] == {"profile": "smoke", "seed": 0}
    assert {"commit", "code", "versions", "seconds", "date", "key"} <= set(entry)
    assert check_manifest("smoke") == []
    table.write_text("lam\n0.9\n")
    assert check_manifest("smoke") == ["papermill_runs/smoke/tables/made.csv: changed since 01_a wrote it"]
    assert not reproduce("smoke", Quiet(), only=["01"])[0].reused
    assert check_manifest("smoke") == []


def test_a_failed_run_leaves_the_manifest_without_its_notebook(project):
    write(project, "01_a", TABLE)
    write(project, "02_b", "1")
    reproduce("smoke", Quiet(), only=["01", "02"])
    write(project, "01_a", TABLE + "\nraise ValueError")
    reproduce("smoke", Quiet(), only=["01"])
    assert set(read_manifest("smoke")) == {"02_b"}


_SCRIPT = """
import sys
from tvlab.reporting.notebook_runs import reproduce
from tvlab.reporting.run_display import RunDisplay, console_for
if __name__ == "__main__":
    reproduce("smoke", RunDisplay(console_for(sys.stdout)), only=["01", "02"])
"""


def test_a_half_finished_run_leaves_no_manifest_that_claims_otherwise(project):
    write(project, "01_a", TABLE)
    reproduce("smoke", Quiet(), only=["01"])
    assert set(read_manifest("smoke")) == {"01_a"}
    write(project, "01_a", "2 + 2\n" + TABLE)
    write(project, "02_b", "import time\ntime.sleep(120)")
    with subprocess.Popen([sys.executable, "-c", _SCRIPT], stdout=subprocess.DEVNULL) as running:
        records = project / "papermill_runs" / "smoke" / "runs.json"
        _wait_until(lambda: '"02_b"' in records.read_text())
        running.kill()
    assert not manifest_path("smoke").exists()
    write(project, "02_b", "1")
    first, second = reproduce("smoke", Quiet(), only=["01", "02"])
    assert (first.reused, second.reused) == (True, False)
    assert set(read_manifest("smoke")) == {"01_a", "02_b"}
    assert check_manifest("smoke") == []


_GRID_SCRIPT = _SCRIPT.replace('only=["01", "02"]', 'only=["01"], grid={"lam": ["0", "0.1", "0.2", "0.3"]}, parallel=2')


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_grid_that_is_killed_leaves_no_worker_and_no_kernel(project, how):
    write(project, "01_a", "import time\ntime.sleep(100)")
    script = project / "grid.py"
    script.write_text(_GRID_SCRIPT)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, str(script)], **quiet) as running:
        tree = []

        def kernels_run() -> bool:
            tree[:] = psutil.Process(running.pid).children(recursive=True)
            return sum("ipykernel" in " ".join(child.cmdline()) for child in tree) >= 2

        _wait_until(kernels_run)
        time.sleep(1.0)
        running.send_signal(how)
    _, alive = psutil.wait_procs(tree, timeout=30)
    assert alive == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_grid_killed_at_random_moments_ends_with_the_same_bytes(project, killed_twenty_times):
    write(project, "01_a", "import time\ntime.sleep(0.5)\n" + TABLE)
    script = project / "grid.py"
    script.write_text(_GRID_SCRIPT)
    command, folder = [sys.executable, str(script)], project / "papermill_runs"
    environment = {**os.environ, "TVLAB_HOME": str(project)}
    start = time.monotonic()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    whole, expected = time.monotonic() - start, tables_of(folder)
    assert len(expected) == 4
    killed_twenty_times(command, environment, whole, folder, lambda: len(read_manifest("smoke")) == 4)
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    assert tables_of(folder) == expected
    assert len(read_manifest("smoke")) == 4
    assert check_manifest("smoke") == []
    assert not list(folder.rglob("*.running.ipynb"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning:ray")
def test_a_grid_runs_on_two_ray_nodes_with_the_same_tables(project, two_ray_nodes, monkeypatch):
    write(project, "01_a", DRAWING)
    grid = {"lam": ["0", "0.25", "0.5"]}
    assert all(record.status == DONE for record in reproduce("smoke", Quiet(), only=["01"], grid=grid))
    here = tables_of(project / "papermill_runs")
    monkeypatch.setenv("TVLAB_RAY", two_ray_nodes)
    records = reproduce("smoke", Quiet(), only=["01"], grid=grid, fresh=True)
    assert [(record.status, record.error) for record in records] == [(DONE, "")] * 3
    assert tables_of(project / "papermill_runs") == here


class _Addresses(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name in ("href", "src")]


def test_the_index_shows_every_run_and_its_links_lead_to_files(project):
    figure = (
        "from tvlab.reporting.figures import save_figure\nfrom matplotlib.figure import Figure\n"
        "save_figure(Figure(), 'shown', profile=profile, n={'rows': 1}, caption='<A figure>')"
    )
    write(project, "01_a", TABLE, figure)
    write(project, "02_bad", "raise KeyError('<gone>')")
    reproduce("smoke", Quiet())
    reproduce("smoke", Quiet(), only=["01"], grid={"lam": ["0.25"]})
    page = project / "papermill_runs" / "index.html"
    text = page.read_text()
    for part in ("01_a", "seed = 0", "&lt;gone&gt;", "01_a/lam=0.25", "shown"):
        assert part in text
    assert "<script" not in text
    parser = _Addresses()
    parser.feed(text)
    local = [address for address in parser.found if not address.startswith("#")]
    assert len(local) >= 6
    assert all((page.parent / unquote(address)).is_file() for address in local)
    statuses = {run.name: run.status for run in runs_of("smoke")}
    assert (statuses["01_a"], statuses["02_bad"], statuses["01_a/lam=0.25"]) == (DONE, FAILED, DONE)


def test_an_index_of_nothing_says_what_to_do(project):
    assert "tvlab reproduce" in write_index().read_text()


def test_an_index_says_that_a_run_was_stopped(project):
    records = project / "papermill_runs" / "smoke" / "runs.json"
    records.parent.mkdir(parents=True)
    row = {"name": "01_a", "status": "running", "outputs": []}
    records.write_text(json.dumps({"profile": "smoke", "notebooks": {"01_a": row}}))
    assert "was stopped before its end" in write_index().read_text()


def _wait_until(condition) -> None:
    deadline = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < deadline, "the run did not get there"
        time.sleep(0.1)
