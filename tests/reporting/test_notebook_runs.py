"""Small notebooks made here are run for real, by papermill with real kernels."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest

from tvlab.foundation.errors import UserError
from tvlab.reporting.notebook_runs import reproduce
from tvlab.reporting.notebooks import (
    check_parameters,
    find_notebooks,
    parse_parameters,
    select_notebooks,
)
from tvlab.reporting.run_display import RunDisplay, console_for, print_summary
from tvlab.reporting.run_records import DONE, FAILED, NOT_RUN, RunRecord, RunRecords

PARAMETERS = 'profile: str = "smoke"  # scale\nseed: int = 0  # run seed\nlam: float = 0.5  # weight'
TABLE = """from tvlab.reporting.tables import save_table
save_table([{"lam": lam}], "made", profile=profile, n={"rows": 1}, caption="A table.")"""


class Quiet:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.cells: list[str] = []

    def begin(self, name, at, of, seconds_left):
        self.cells.append(f"{name} {at}/{of}")

    def cell(self, name, number, of):
        self.cells.append(f"{name} cell {number}/{of}")

    def end(self, record):
        self.cells.append(f"{record.name} {record.status}")


def write(
    project: Path, name: str, *cells: str, parameters: str = PARAMETERS, needs: tuple[str, ...] = ()
) -> None:
    notebook = nbformat.v4.new_notebook()
    for at, source in enumerate([parameters, *cells]):
        cell = nbformat.v4.new_code_cell(source, id=f"cell{at}")
        if at == 0:
            cell.metadata["tags"] = ["parameters"]
        notebook.cells.append(cell)
    notebook.metadata["tvlab"] = {"minutes": {"smoke": 0.1}, "needs": list(needs)}
    nbformat.write(notebook, project / "notebooks" / f"{name}.ipynb")


def kernels() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children(recursive=True)
        if any("ipykernel" in word for word in child.cmdline())
    ]


def test_a_failed_notebook_is_reported_with_its_cell_and_the_rest_goes_on(project):
    write(project, "01_good", TABLE)
    write(project, "02_bad", "x = 1\nx / 0\ny = 2", "print('never')")
    write(project, "03_needy", "1", needs=("02_bad",))
    write(project, "04_dies", "import os\nos._exit(3)")
    write(project, "05_fine", "assert seed == 7 and profile == 'smoke'")
    records = {record.name: record for record in reproduce("smoke", Quiet(), seed=7)}
    assert [records[name].status for name in ("01_good", "02_bad", "03_needy", "04_dies", "05_fine")] == [
        DONE,
        FAILED,
        NOT_RUN,
        FAILED,
        DONE,
    ]
    assert records["02_bad"].cell == "x / 0"
    assert records["02_bad"].error == "ZeroDivisionError: division by zero"
    assert records["03_needy"].reason == "needs 02_bad, which did not succeed"
    assert "Kernel died" in records["04_dies"].error
    tables = "papermill_runs/smoke/tables"
    assert records["01_good"].outputs == (f"{tables}/made.csv", f"{tables}/made.md")
    folder = project / "papermill_runs" / "smoke"
    assert {path.name for path in folder.glob("*.ipynb")} == {
        "01_good.ipynb",
        "02_bad.failed.ipynb",
        "04_dies.failed.ipynb",
        "05_fine.ipynb",
    }
    assert kernels() == []


def test_what_is_done_is_not_run_again_unless_something_changed(project):
    write(project, "01_good", TABLE)
    assert not reproduce("smoke", Quiet(), only=["01"])[0].reused
    assert reproduce("smoke", Quiet(), only=["01"])[0].reused
    assert not reproduce("smoke", Quiet(), only=["01"], parameters={"lam": "0.3"})[0].reused
    assert not reproduce("smoke", Quiet(), only=["01"], parameters={"lam": "0.3"}, fresh=True)[0].reused
    (project / "papermill_runs" / "smoke" / "tables" / "made.csv").unlink()
    assert not reproduce("smoke", Quiet(), only=["01"], parameters={"lam": "0.3"})[0].reused
    write(project, "01_good", TABLE + "\n1 + 1")
    assert not reproduce("smoke", Quiet(), only=["01"], parameters={"lam": "0.3"})[0].reused


def test_a_failure_leaves_the_last_good_notebook_in_place(project):
    write(project, "01_good", "print('first')")
    reproduce("smoke", Quiet(), only=["01"])
    good = (project / "papermill_runs" / "smoke" / "01_good.ipynb").read_bytes()
    write(project, "01_good", "raise RuntimeError('now it fails')")
    assert reproduce("smoke", Quiet(), only=["01"])[0].status == FAILED
    assert (project / "papermill_runs" / "smoke" / "01_good.ipynb").read_bytes() == good


def test_the_kernel_is_this_python_and_each_cell_is_announced(project):
    write(project, "01_who", "import sys; print(sys.executable)")
    display = Quiet()
    reproduce("smoke", display, only=["01_who"])
    output = nbformat.read(project / "papermill_runs" / "smoke" / "01_who.ipynb", 4).cells[-1].outputs[0].text
    assert output.strip() == sys.executable
    assert display.cells == ["01_who 1/1", *(f"01_who cell {n}/3" for n in (1, 2, 3)), "01_who done"]


@pytest.mark.parametrize(
    ("only", "parameters", "message"),
    [
        (["09"], {}, "notebook '09' is unknown: choose from 01_good, 02_other"),
        ([], {"lamda": "1"}, "'lamda' is unknown in the selected notebooks: choose from lam, profile, seed"),
        (["01"], {"lam": "much"}, "lam=much of 01_good is not of type float: give a value such as 0.5"),
        (["01"], {"seed": "0.5"}, "seed=0.5 of 01_good is not of type int: give a value such as 0"),
    ],
)
def test_names_and_values_are_checked_before_anything_runs(project, only, parameters, message):
    write(project, "01_good", TABLE)
    write(project, "02_other", "1")
    with pytest.raises(UserError) as caught:
        reproduce("smoke", Quiet(), only=only, parameters=parameters)
    assert message in str(caught.value)
    assert not (project / "papermill_runs").exists()


def test_a_parameter_goes_to_the_notebooks_that_have_it_with_its_type(project):
    write(project, "01_all", "1", parameters='n: int = 3  # count\nwide: bool = False\nname = "x"')
    write(project, "02_none", "1", parameters="other: float = 1.0")
    given = check_parameters(find_notebooks(), {"n": "4", "wide": "true", "name": "5"})
    assert given == {"01_all": {"n": 4, "wide": True, "name": "5"}, "02_none": {}}


@pytest.mark.parametrize("words", [["lam"], ["=3"], ["2x=1"], ["a=1", "a=2"]])
def test_a_parameter_word_that_is_none_is_refused(words):
    with pytest.raises(UserError, match="--param"):
        parse_parameters(words)


def test_a_value_may_hold_an_equals_sign():
    assert parse_parameters(["name=a=b"]) == {"name": "a=b"}


def test_notebooks_are_chosen_by_number_or_name_in_their_own_order(project):
    for name in ("01_a", "02_b", "10_c"):
        write(project, name, "1")
    chosen = select_notebooks(find_notebooks(), ["10", "01_a.ipynb"])
    assert [notebook.name for notebook in chosen] == ["01_a", "10_c"]


def test_a_file_that_is_no_notebook_or_lacks_its_parameters_is_named(project):
    (project / "notebooks" / "01_torn.ipynb").write_text('{"cells": [')
    with pytest.raises(UserError, match=r"01_torn.ipynb cannot be read"):
        find_notebooks()
    nbformat.write(nbformat.v4.new_notebook(), project / "notebooks" / "01_torn.ipynb")
    with pytest.raises(UserError, match="no cell tagged 'parameters'"):
        find_notebooks()


def test_a_profile_that_needs_gpus_is_refused_with_the_ones_that_do_not(project):
    write(project, "01_good", "1")
    with pytest.raises(UserError, match=r"profile gpu needs GPUs.*smoke, lab, full"):
        reproduce("gpu", Quiet())


def test_the_summary_names_files_failures_and_reasons(project, capsys):
    write(project, "01_good", TABLE)
    write(project, "02_bad", "raise KeyError('k')")
    console = console_for(sys.stdout)
    print_summary(reproduce("smoke", RunDisplay(console)), "smoke", console)
    shown = capsys.readouterr().out
    assert " left" in shown or "longer than expected" in shown
    for part in (
        "[1/2] 01_good: cell 3/3",
        "Tables in papermill_runs/smoke/tables/ (1): made",
        "KeyError: 'k'",
        "1 done, 1 failed, 0 not run.",
    ):
        assert part in shown


_SCRIPT = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job begins with it ignored
from tvlab.reporting.notebook_runs import reproduce
from tvlab.reporting.run_display import RunDisplay, console_for
reproduce("smoke", RunDisplay(console_for(sys.stdout)))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_leaves_no_kernel_and_no_result_and_the_next_one_goes_on(project, how):
    write(project, "01_quick", TABLE)
    write(project, "02_long", "import time\ntime.sleep(120)")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", _SCRIPT], **quiet) as running:
        records = project / "papermill_runs" / "smoke" / "runs.json"
        _wait_until(lambda: records.exists() and '"02_long"' in records.read_text() and kernels())
        time.sleep(1.0)
        started = kernels()
        running.send_signal(how)
    _, alive = psutil.wait_procs(started, timeout=20)
    assert alive == []
    assert json.loads(records.read_text())["notebooks"]["02_long"]["status"] == "running"
    write(project, "02_long", "1")
    first, second = reproduce("smoke", Quiet(), only=["01", "02"])
    assert (first.reused, second.reused, second.status) == (True, False, DONE)


def _wait_until(condition) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "the run did not get there"
        time.sleep(0.1)


def test_programs_that_run_other_notebooks_of_a_profile_keep_their_records(project):
    first, second = RunRecords("smoke"), RunRecords("smoke")
    first.put(RunRecord("01_one", DONE, key="a"))
    second.put(RunRecord("02_two", DONE, key="b"))
    first.put(RunRecord("01_one", FAILED, key="c"))
    kept = RunRecords("smoke").all()
    assert [(record.name, record.status, record.key) for record in kept] == [
        ("01_one", FAILED, "c"),
        ("02_two", DONE, "b"),
    ]
    assert first.known("02_two").key == "b"
