"""What is known of each notebook's latest run: ``papermill_runs/<profile>/runs.json``.

A record says ``done`` only after the executed notebook is in place, so a killed run is never taken for a
result. A done record holds as long as its key (notebook, parameters, code, versions) and its files do.
"""

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tvlab
from tvlab.evaluation.folder_locks import locked
from tvlab.foundation.atomic_files import read_json, write_json
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import home, standard_results
from tvlab.foundation.stored_runs import file_hash, source_hash
from tvlab.reporting.notebooks import Notebook

_DECISIVE = ("numpy", "torch", "networkx", "matplotlib", "pandas")
DONE, FAILED, NOT_RUN, RUNNING = "done", "failed", "not run", "running"


@dataclass(frozen=True)
class RunRecord:
    """The latest run of one notebook.

    Attributes:
        name: the notebook.
        status: done, failed, not run or running (a record left at "running" belongs to a killed run).
        key: hash of all that decides the result.
        parameters: values given to its ``parameters`` cell.
        seconds: how long it ran.
        mib: most memory that its kernel and the kernel's processes held, in MiB.
        date: day on which it ran (UTC).
        commit: of the code, see ``provenance.current_commit``; "" if not known.
        code: hash of the package.
        versions: those that decide numbers, see ``versions``.
        hashes: {path: SHA-256} of the executed notebook and the tables that it wrote.
        outputs: tables and figures that it wrote, relative to the project folder.
        cell: of a failed run, the first line of the failed cell.
        error: of a failed run, the error in one line.
        reason: why it was not run.
        reused: True if the stored result was taken; not stored.
    """

    name: str
    status: str
    key: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    outputs: tuple[str, ...] = ()
    cell: str = ""
    error: str = ""
    reason: str = ""
    reused: bool = False
    mib: float = 0.0
    date: str = ""
    commit: str = ""
    code: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)


def failed_notebook(profile: str, name: str) -> Path:
    """Return where a failed notebook, or cell of a grid (``NOTEBOOK/LABEL``), is kept."""
    notebook, in_grid, label = name.partition("/")
    folder = standard_results(profile) / "grids" / notebook / label if in_grid else standard_results(profile)
    return folder / f"{notebook}.failed.ipynb"


def run_key(notebook: Notebook, parameters: Mapping[str, Any]) -> str:
    """Return a hash of the notebook, its parameters, the code, and the versions that decide numbers.

    The parameter ``workers`` is left out: no result depends on the number of processes.
    """
    decisive = {name: value for name, value in parameters.items() if name != "workers"}
    return content_hash([source_hash(notebook.path), decisive, code_hash(), versions()])


def code_hash() -> str:
    """Return a hash of the package's files."""
    return source_hash(Path(tvlab.__file__).parent)


def versions() -> dict[str, str]:
    """Return the versions that decide numbers and drawings, Python's included."""
    python = ".".join(map(str, sys.version_info[:2]))
    return {"python": python, **{name: version(name) for name in _DECISIVE}}


class RunRecords:
    """The records of one profile; each change is on disk when ``put`` returns.

    Programs that run other notebooks of the profile meanwhile keep their records: ``put`` changes its own one alone.
    """

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self.path = standard_results(profile) / "runs.json"
        self._records = self._read()

    def _read(self) -> dict[str, RunRecord]:
        if not self.path.is_file():
            return {}
        try:
            rows = read_json(self.path)["notebooks"]
            return {name: _record(row) for name, row in rows.items()}
        except (UserError, TypeError, KeyError, AttributeError):
            return {}  # an unreadable or foreign record costs a rerun, no result

    def get(self, name: str) -> RunRecord | None:
        """Return the latest record of a notebook."""
        return self._records.get(name)

    def known(self, name: str) -> RunRecord:
        """Return the latest record of a notebook that has one."""
        return self._records[name]

    def all(self) -> list[RunRecord]:
        """Return the latest record of every notebook and every cell of a grid, by name."""
        return [self._records[name] for name in sorted(self._records)]

    def put(self, record: RunRecord) -> None:
        """Store the record."""
        with locked(self.path.parent, doing="keeps a record in"):
            self._records = {**self._records, **self._read(), record.name: record}
            self._write()

    def _write(self) -> None:
        rows = {name: asdict(self._records[name]) for name in sorted(self._records)}
        for row in rows.values():
            del row["reused"]
        write_json(self.path, {"profile": self.profile, "notebooks": rows})

    def reusable(self, name: str, key: str, folder: Path) -> bool:
        """True if the notebook is done under this key, it lies in ``folder``, and what it wrote is still there.

        Tables count as there only with the bytes that the notebook gave them; figures may be drawn again.
        """
        record = self._records.get(name)
        if record is None or record.status != DONE or record.key != key:
            return False
        files = [home() / output for output in record.outputs]
        tables = {home() / path: digest for path, digest in record.hashes.items() if path.endswith(".csv")}
        return all(file.is_file() for file in [folder / f"{name.split('/')[0]}.ipynb", *files]) and all(
            file_hash(file) == digest for file, digest in tables.items()
        )


def _record(row: Mapping[str, Any]) -> RunRecord:
    return RunRecord(**{**row, "outputs": tuple(row["outputs"])})


def written_files(*folders: Path) -> dict[str, int]:
    """Return {path relative to the project folder: time of writing} of the tables and figures in ``folders``."""
    files = [
        file
        for folder in folders
        if folder.is_dir()
        for file in folder.iterdir()
        if file.suffix in (".csv", ".md", ".tex", ".png", ".pdf") and not file.name.startswith(".")
    ]
    return {file.relative_to(home()).as_posix(): file.stat().st_mtime_ns for file in sorted(files)}
