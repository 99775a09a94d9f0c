"""One notebook run: by papermill in a kernel of its own, within limits, its outcome as a record.

A job is plain data and ``run_notebook`` a plain function, so a runner can send it to this process, to another or
to another machine that sees the same project folder. A failed notebook is kept as ``NAME.failed.ipynb``; an older
good result stays in place.
"""

import datetime
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tvlab.foundation.atomic_files import read_json, write_json
from tvlab.foundation.places import executed_folder, figures_folder, home, tables_folder, workspace
from tvlab.foundation.stored_runs import file_hash
from tvlab.reporting.limits import Limits, Watch
from tvlab.reporting.notebooks import Notebook
from tvlab.reporting.provenance import current_commit
from tvlab.reporting.run_records import DONE, FAILED, RUNNING, RunRecord, code_hash, versions, written_files


@dataclass(frozen=True)
class NotebookJob:
    """One notebook with its parameters.

    Attributes:
        name: of the record: the notebook's, with a grid's label behind a slash.
        notebook: the notebook.
        values: of its parameters.
        key: hash of all that decides the result.
        profile: the scale.
        limits: on memory and time.
        results: folder of results, and ``work`` of work files, of a cell of a grid; None for the standard ones.
    """

    name: str
    notebook: Notebook
    values: Mapping[str, Any]
    key: str
    profile: str
    limits: Limits
    results: Path | None = None
    work: Path | None = None

    @property
    def folder(self) -> Path:
        """Where the executed notebook goes."""
        return self.results or executed_folder(self.profile)

    @property
    def outputs(self) -> tuple[Path, Path]:
        """The folders of tables and figures."""
        if self.results is not None:
            return self.results / "tables", self.results / "figures"
        return tables_folder(self.profile), figures_folder(self.profile)

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables that tell the kernel its places."""
        if self.results is None or self.work is None:
            return {}
        return {"TVLAB_RESULTS": str(self.results), "TVLAB_WORKSPACE": str(self.work)}

    def begun(self) -> RunRecord:
        """Return the record of the job as it begins."""
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        return RunRecord(
            self.name,
            RUNNING,
            self.key,
            dict(self.values),
            date=today,
            commit=current_commit() or "",
            code=code_hash(),
            versions=versions(),
        )


def run_notebook(job: NotebookJob, on_cell: Callable[[int, int], None] | None = None) -> RunRecord:
    """Run a notebook and return its record, status ``done`` or ``failed``.

    Args:
        job: what to run.
        on_cell: called with (number of the cell, number of cells) as each code cell begins.
    """
    start, begun = time.monotonic(), job.begun()
    if job.work is not None and not job.work.exists() and workspace(job.profile).is_dir():
        shutil.copytree(workspace(job.profile), job.work)  # what fits the parameters is not made again
    before = written_files(*job.outputs)
    running = job.folder / f".{job.notebook.name}.running.ipynb"
    watch = Watch(job.limits)
    with watch.on():
        cell, error = _execute(job, running, watch, on_cell)
    after = written_files(*job.outputs)
    failed = job.folder / f"{job.notebook.name}.failed.ipynb"
    if running.exists():
        _put_in_place(running, job.notebook, failed if error else job.folder / f"{job.notebook.name}.ipynb")
    if not error:
        failed.unlink(missing_ok=True)
    outputs = tuple(path for path in after if after[path] != before.get(path))
    written = [home() / path for path in outputs if not path.endswith((".png", ".pdf"))]
    made = [] if error else [job.folder / f"{job.notebook.name}.ipynb", *written]
    return replace(
        begun,
        status=FAILED if error else DONE,
        seconds=round(time.monotonic() - start, 2),
        mib=round(watch.most),
        outputs=outputs,
        hashes={path.relative_to(home()).as_posix(): file_hash(path) for path in made},
        cell=cell,
        error=error,
    )


def _execute(
    job: NotebookJob, output: Path, watch: Watch, on_cell: Callable[[int, int], None] | None
) -> tuple[str, str]:
    """Run papermill; return the failed cell's first line and the error in one line, both empty if none."""
    from papermill.exceptions import PapermillExecutionError

    from tvlab.reporting.kernel import register_engine

    register_engine()
    output.parent.mkdir(parents=True, exist_ok=True)
    begun = [0]

    def announce(number: int, of: int) -> None:
        begun[0] = number
        if on_cell is not None:
            on_cell(number, of)

    try:
        _papermill(job, output, announce)
    except PapermillExecutionError as error:
        if watch.broken:
            return _first_line(error.source), watch.broken
        return _failed_line(error), _first_line(f"{error.ename}: {error.evalue}")
    except Exception as error:
        return _cell_line(output, begun[0]), watch.broken or _first_line(f"{type(error).__name__}: {error}")
    if not _finished(output):
        # nbclient takes Ctrl-C by ending the kernel, and may then return as if all cells had run
        raise KeyboardInterrupt
    return "", ""


def _papermill(job: NotebookJob, output: Path, on_cell: Callable[[int, int], None]) -> None:
    import papermill

    from tvlab.reporting.kernel import ENGINE

    papermill.execute_notebook(
        str(job.notebook.path),
        str(output),
        parameters=dict(job.values),
        engine_name=ENGINE,
        kernel_name="python3",
        language="python",
        progress_bar=False,
        cwd=str(home()),
        on_cell=on_cell,
        variables=job.variables,
    )


def _finished(executed: Path) -> bool:
    """True if papermill wrote of every cell that it was completed."""
    cells = read_json(executed, "executed notebook")["cells"]
    return all(cell["metadata"].get("papermill", {}).get("status", "completed") == "completed" for cell in cells)


def _put_in_place(running: Path, notebook: Notebook, target: Path) -> None:
    """Move an executed notebook to where it belongs, with paths as seen from the project folder."""
    content = read_json(running, "executed notebook")
    about = content["metadata"].get("papermill", {})
    about["input_path"] = Path(os.path.relpath(notebook.path, home())).as_posix()
    about["output_path"] = Path(os.path.relpath(target, home())).as_posix()
    write_json(target, json.loads(json.dumps(content).replace(json.dumps(f"{home()}/")[1:-1], "")))
    running.unlink()


def _cell_line(running: Path, number: int) -> str:
    """Return the first line of the code cell that ran last, by its number from 1."""
    if number < 1 or not running.is_file():
        return "(no cell: the kernel did not start)"
    cells = [cell for cell in read_json(running, "running notebook")["cells"] if cell["cell_type"] == "code"]
    return _first_line("".join(cells[number - 1]["source"]))


def _failed_line(error: Any) -> str:
    """Return the line that raised, which IPython marks with an arrow; else the cell's first line."""
    marked = re.search(r"-+>\s*\d+\s+(\S.*)", _plain("\n".join(error.traceback)))
    return marked[1].strip()[:200] if marked else _first_line(error.source)


def _first_line(text: str) -> str:
    return (_plain(text).replace(f"{home()}/", "").strip() or "no message").splitlines()[0][:200]


def _plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)
