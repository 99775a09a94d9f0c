"""What a profile's results are: ``papermill_runs/<profile>/manifest.json``, committed beside them.

It names each notebook (and cell of a grid) that is done: parameters, key, commit, hash of the code, versions, and
the hashes of the executed notebook and its tables. Figures are drawn from the tables and can be drawn again, so
they are listed without hashes. A run takes the entries of what it is about to make out of the manifest and
writes them as its last act, so a run that was killed leaves a manifest that does not claim what it had begun.
Nothing is signed: the manifest shows what changed by accident, not by intent.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tvlab.foundation.atomic_files import read_json, write_json
from tvlab.foundation.places import home, standard_results
from tvlab.foundation.stored_runs import file_hash
from tvlab.reporting.run_records import DONE, RunRecord, versions


def manifest_path(profile: str) -> Path:
    """Return where the manifest of a profile lies."""
    return standard_results(profile) / "manifest.json"


def read_manifest(profile: str) -> dict[str, dict[str, Any]]:
    """Return {name of notebook or cell: its entry}; empty if there is no manifest."""
    path = manifest_path(profile)
    return read_json(path, "manifest")["runs"] if path.is_file() else {}


def begin_manifest(profile: str, todo: Iterable[str]) -> None:
    """Take out the entries of the runs that are about to begin; without any left the manifest goes."""
    entries, todo = read_manifest(profile), set(todo)
    if todo & set(entries):
        _write(profile, {name: entry for name, entry in entries.items() if name not in todo})


def finish_manifest(profile: str, records: Sequence[RunRecord]) -> None:
    """Write the entries of the records that are done; later records of one name replace earlier ones.

    A stored record whose entry stands already (a clone brings its manifest along) leaves it as it is, unless it
    was run just now.
    """
    entries = read_manifest(profile)
    found = {record.name: record for record in records}
    for name, record in found.items():
        if record.status == DONE and (name not in entries or record.key == entries[name]["key"]):
            entries[name] = _entry(record)
    if entries:
        _write(profile, entries)


def check_manifest(profile: str) -> list[str]:
    """Return what contradicts the manifest, one line a file: missing, or changed since the run."""
    problems = []
    for name, entry in read_manifest(profile).items():
        for file, digest in entry["files"].items():
            path = home() / file
            if not path.is_file():
                problems.append(f"{file}: missing (written by {name})")
            elif file_hash(path) != digest:
                problems.append(f"{file}: changed since {name} wrote it")
    return problems


def _entry(record: RunRecord) -> dict[str, Any]:
    return {
        "parameters": dict(record.parameters),
        "key": record.key,
        "seconds": record.seconds,
        "mib": record.mib,
        "date": record.date,
        "commit": record.commit,
        "code": record.code,
        "versions": record.versions or versions(),
        "files": dict(record.hashes),
        "figures": [output for output in record.outputs if output.endswith((".png", ".pdf"))],
    }


def _write(profile: str, entries: dict[str, dict[str, Any]]) -> None:
    path = manifest_path(profile)
    if entries:
        write_json(path, {"profile": profile, "runs": dict(sorted(entries.items()))})
    else:
        path.unlink(missing_ok=True)
