"""Every table and figure of a profile made again from its saved numbers (``tables/*.csv``); no experiment runs.

The CSV files and their side-files are the evidence and are only read. From them come the Markdown twins, the
paper's tables (``paper_tables``) and the figures.
"""

import json
from pathlib import Path
from typing import Any

from tvlab.foundation.atomic_files import write_bytes
from tvlab.foundation.places import standard_results
from tvlab.foundation.profiles import PROFILES
from tvlab.reporting.drawings import draw_all
from tvlab.reporting.paper_tables import TABLES, write_paper_tables
from tvlab.reporting.tables import write_markdown


def profiles_with_results() -> list[str]:
    """Return the profiles that have saved tables, in the order of their scale."""
    return [name for name in PROFILES if any((standard_results(name) / "tables").glob("*.csv"))]


def rebuild(profile: str) -> dict[str, str]:
    """Make Markdown tables, the paper's tables and figures of a profile again; return {name: what became of it}."""
    folder = standard_results(profile) / "tables"
    names = sorted(path.stem for path in folder.glob("*.csv"))
    for name in names:
        write_markdown(name, folder)
    outcomes = {name: f"papermill_runs/{profile}/tables/{name}.md" for name in names}
    if any(f"paper_{name}" in names for name in TABLES):
        _write_paper_tables(profile, folder)
        outcomes |= {f"paper_{name}": f"papermill_runs/{profile}/tables/paper_{name}.csv, .md, .tex" for name in TABLES}
    return outcomes | draw_all(profile)


def _write_paper_tables(profile: str, folder: Path) -> None:
    """Write the paper's tables; one that came out as it was keeps its side-file, with the date and commit of then."""
    before = {path: path.read_bytes() for path in folder.glob("paper_*") if path.suffix in (".csv", ".json")}
    write_paper_tables(profile)
    for path in before:
        numbers = path.with_suffix(".csv")
        same = path.suffix == ".json" and before.get(numbers) == numbers.read_bytes()
        if same and _undated(before[path]) == _undated(path.read_bytes()):
            write_bytes(path, before[path])


def _undated(about: bytes) -> dict[str, Any]:
    return {name: value for name, value in json.loads(about).items() if name not in ("date", "commit")}
