"""What a build has done so far, so that a killed one goes on where it was.

Each finished server (and each join) leaves its row in ``.build/`` under the hash of all that decides it: the
tool list, the seed, the code of the package.  The row says which files the folders have and their hashes; it
counts only if they are there unchanged.  Every file is replaced in one step, so a kill leaves at most a
temporary neighbour; these and the rows go when the build ends, and a build that was killed leaves the same
files as one that ran through.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from tvlab.foundation.atomic_files import read_json, write_json
from tvlab.foundation.errors import UserError
from tvlab.foundation.stored_runs import source_hash


class Progress:
    """The rows of a build in ``out/.build/``.

    >>> Progress("nowhere").row("no such key") is None
    True
    """

    def __init__(self, out: str | Path) -> None:
        self.out = Path(out)
        self.folder = self.out / ".build"

    def row(self, key: str) -> dict[str, Any] | None:
        """Return the row of a finished job, None if there is none or a file of it is missing or changed."""
        path = self.folder / f"{key}.json"
        if not path.is_file():
            return None
        try:
            saved = read_json(path, "row of a build")
        except UserError:
            return None
        return saved["row"] if all(_hash(self.out / n) == h for n, h in saved["files"].items()) else None

    def save(self, key: str, row: Mapping[str, Any], folders: list[Path]) -> None:
        """Keep the row of a job whose folders are written."""
        files = {
            path.relative_to(self.out).as_posix(): _hash(path)
            for folder in folders
            for path in sorted(folder.iterdir())
            if not _is_temporary(path)
        }
        write_json(self.folder / f"{key}.json", {"row": row, "files": files}, indent=None)

    def finish(self, folders: list[Path]) -> None:
        """Remove what only an unfinished build needs."""
        for folder in (self.out, *folders):
            for path in folder.glob(".*.tmp"):
                path.unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def job_key(*parts: Any) -> str:
    """Return the hash of what decides a job's outcome, the package's code included."""
    text = json.dumps([_code(), *parts], default=repr)  # no canonical JSON: a stranger's schema may hold NaN
    return sha256(text.encode()).hexdigest()[:16]


@cache
def _code() -> str:
    package = Path(__file__).resolve().parents[1]
    return source_hash(package / "environments", package / "foundation")


def _is_temporary(path: Path) -> bool:
    return path.name.startswith(".") and path.name.endswith(".tmp")


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
