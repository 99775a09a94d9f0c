"""Tables: a CSV that is identical for identical results, a Markdown twin, and a side-file of provenance.

The CSV holds numbers only, with a fixed number of decimals; date and commit stand in ``NAME.json``. A missing
value is ``NaN`` in the CSV and reads "not run" in Markdown: give the reason in a column of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from tvlab.foundation.atomic_files import read_json, write_json, write_text
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import standard_results, tables_folder
from tvlab.reporting.provenance import provenance

Rows: TypeAlias = pd.DataFrame | Iterable[Mapping[str, Any]]


def save_table(
    rows: Rows,
    name: str,
    *,
    profile: str,
    n: Mapping[str, int],
    caption: str,
    sources: Sequence[str] = (),
    digits: int = 4,
    folder: Path | None = None,
) -> pd.DataFrame:
    """Write ``NAME.csv``, ``NAME.md`` and ``NAME.json``; return the table as it was written.

    Args:
        rows: a data frame, or one mapping a row.
        name: file name without ending.
        profile: the scale of the runs behind the numbers.
        n: how many of what, for example ``{"environments": 4, "seeds": 3}``.
        caption: one sentence.
        sources: names of what it was made from.
        digits: decimals of every floating-point column.
        folder: by default ``papermill_runs/<profile>/tables``.
    """
    frame = rows.reset_index(drop=True) if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
    if frame.columns.empty:
        raise ValueError(f"table {name} has no columns: give at least one row")
    folder = folder or tables_folder(profile)
    origin = provenance(name, caption, profile, n, sources)
    csv = frame.to_csv(index=False, float_format=f"%.{digits}f", na_rep="NaN", lineterminator="\n")
    write_text(folder / f"{name}.csv", csv)
    shape = {"rows": len(frame), "columns": [str(column) for column in frame], "digits": digits}
    write_json(folder / f"{name}.json", {**origin.as_json(), **shape})
    write_markdown(name, folder)
    return load_table(name, profile, folder)


def write_markdown(name: str, folder: Path) -> Path:
    """Write ``NAME.md`` in ``folder`` from the CSV and the side-file alone, so it can be made again at any time."""
    about = read_json(folder / f"{name}.json", "table side-file")
    frame = _read(folder / f"{name}.csv")
    counts = ", ".join(f"{count} {what}" for what, count in about["n"].items())
    foot = f"{about['caption']} (profile {about['profile']}; n: {counts})"
    return write_text(folder / f"{name}.md", f"{markdown(frame, about.get('digits', 4))}\n{foot}\n")


def load_table(name: str, profile: str, folder: Path | None = None) -> pd.DataFrame:
    """Return a saved table; a cell of a grid falls back on the standard results for what it did not write.

    Raises:
        UserError: it is not there.
    """
    folder = folder or _holder(name, profile)
    path = folder / f"{name}.csv"
    if not path.is_file():
        raise UserError(f"table {path} is not there: run `tvlab reproduce --profile {profile}` first")
    return _read(path)


def _holder(name: str, profile: str) -> Path:
    own = tables_folder(profile)
    return own if (own / f"{name}.csv").is_file() else standard_results(profile) / "tables"


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, keep_default_na=False, na_values=["NaN"], encoding="utf-8")


def table_provenance(name: str, profile: str, folder: Path | None = None) -> dict[str, Any]:
    """Return the side-file of a saved table: caption, profile, n, date, commit, sources."""
    return read_json((folder or _holder(name, profile)) / f"{name}.json", "table side-file")


def markdown(frame: pd.DataFrame, digits: int = 4) -> str:
    """Return ``frame`` as a Markdown table; missing values read "not run"."""
    head = "| " + " | ".join(map(str, frame.columns)) + " |\n"
    rule = "|" + "|".join(" ---: " if _numeric(frame[c]) else " --- " for c in frame.columns) + "|\n"
    return head + rule + "".join(_markdown_row(row, digits) for row in frame.itertuples(index=False))


def _numeric(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _markdown_row(row: Iterable[Any], digits: int) -> str:
    return "| " + " | ".join(_cell(value, digits) for value in row) + " |\n"


def _cell(value: Any, digits: int) -> str:
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "not run"
    text = f"{value:.{digits}f}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")
