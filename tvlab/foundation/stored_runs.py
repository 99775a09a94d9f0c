"""Results kept under the hash of the configuration that made them.

A run's folder is ``<root>/<hash>/``: ``config.json``, result files, and last ``done.json``, which lists the
files and their hashes. A run without a whole ``done.json`` is not there, so a killed process never leaves a
half run behind as a result. The configuration must name everything that decides the result, the code
included: put ``source_hash(...)`` of the modules in it.
"""

import fcntl
import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvlab.foundation.atomic_files import read_json, read_jsonl, write_bytes, write_json, write_jsonl
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.places import runs_folder


@dataclass(frozen=True)
class StoredRun:
    """One run's folder and configuration."""

    folder: Path
    config: Mapping[str, Any]

    @property
    def done(self) -> bool:
        """True if every file that the run lists is there with the hash that it had when written."""
        marker = self.folder / "done.json"
        if not marker.is_file():
            return False
        files = read_json(marker, "run marker")["files"]
        return all(
            (self.folder / name).is_file() and file_hash(self.folder / name) == digest
            for name, digest in files.items()
        )

    def save(self, results: Mapping[str, Any]) -> None:
        """Write each result and then the marker.

        A list of dictionaries becomes NAME.jsonl, bytes NAME.bin, anything else NAME.json. A marker of an
        earlier save stays until the new one replaces it: its hashes say whether it still holds, so a process
        that reads the same results meanwhile is not disturbed.
        """
        write_json(self.folder / "config.json", self.config)
        paths = [_write_result(self.folder, name, value) for name, value in results.items()]
        write_json(self.folder / "done.json", {"files": {path.name: file_hash(path) for path in paths}})

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Hold the run's lock: another process that claims it waits, and can then look whether it is done.

        The lock goes with the process, also after kill -9.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def load(self) -> dict[str, Any]:
        """Return the results as ``save`` got them."""
        files = read_json(self.folder / "done.json", "run marker")["files"]
        return {Path(name).stem: _read_result(self.folder / name) for name in files}


def stored_run(config: Mapping[str, Any], root: str | Path | None = None) -> StoredRun:
    """Return the run that belongs to ``config`` (JSON) under ``root``, by default ``workspace/runs``.

    Nothing is read or written.
    """
    return StoredRun(Path(root or runs_folder()) / content_hash(config), config)


def run_once(
    config: Mapping[str, Any],
    compute: Callable[[], Mapping[str, Any]],
    root: str | Path | None = None,
    fresh: bool = False,
) -> dict[str, Any]:
    """Return the results of ``config``: from disk if a done run is there, else from ``compute()``.

    Args:
        config: JSON that decides the result.
        compute: called without arguments; returns {name: result}, see ``StoredRun.save``. Two processes that
            want the same run compute it once.
        fresh: compute even if a done run is there.
    """
    run = stored_run(config, root)
    if fresh or not run.done:
        with run.claimed():
            if fresh or not run.done:
                run.save(compute())
    return run.load()


def source_hash(*paths: str | Path, n: int = 16) -> str:
    """Return a hash of the given files and of all files below the given folders (compiled Python aside)."""
    digest = hashlib.sha256()
    for path in map(Path, paths):
        files = sorted(filter(_is_source, path.rglob("*"))) if path.is_dir() else [path]
        for file in files:
            name = file.relative_to(path).as_posix() if path.is_dir() else file.name
            digest.update(f"{name}\0{file_hash(file)}\n".encode())
    return digest.hexdigest()[:n]


def _is_source(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"


def _write_result(folder: Path, name: str, value: Any) -> Path:
    if isinstance(value, bytes):
        return write_bytes(folder / f"{name}.bin", value)
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return write_jsonl(folder / f"{name}.jsonl", value)
    return write_json(folder / f"{name}.json", value)


def _read_result(path: Path) -> Any:
    if path.suffix == ".bin":
        return path.read_bytes()
    return read_jsonl(path, "result") if path.suffix == ".jsonl" else read_json(path, "result")


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
