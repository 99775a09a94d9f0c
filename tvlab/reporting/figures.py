"""Figures: PNG and PDF without dates, so that equal drawings are equal bytes, and an index of them.

Every figure is drawn from saved tables only (``DRAWINGS`` in ``drawings.py``), so all can be drawn again
without running anything.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tvlab.foundation.atomic_files import read_json, write_json
from tvlab.foundation.places import figures_folder
from tvlab.reporting.provenance import provenance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NO_DATES: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}


def save_figure(
    figure: "Figure",
    name: str,
    *,
    profile: str,
    n: Mapping[str, int],
    caption: str,
    sources: Sequence[str] = (),
    folder: Path | None = None,
) -> Path:
    """Write ``NAME.png`` and ``NAME.pdf`` and the figure's row in ``index.json``; return the PNG's path.

    Args:
        figure: the drawing.
        name: file name without ending.
        profile: the scale of the runs behind it.
        n: how many of what, for example ``{"environments": 4, "seeds": 3}``.
        caption: one sentence; profile and n are added to it in the index.
        sources: names of the tables that it was drawn from.
        folder: by default ``figures/<profile>``.
    """
    folder = folder or figures_folder(profile)
    folder.mkdir(parents=True, exist_ok=True)
    row = {
        **provenance(name, caption, profile, n, sources).as_json(),
        "files": [f"{name}.png", f"{name}.pdf"],
    }
    changed = [_replaced(figure, folder / f"{name}.{ending}", metadata) for ending, metadata in _NO_DATES.items()]
    index = figure_index(profile, folder)
    if any(changed) or not _same_but_made_later(index.get(name), row):
        index[name] = row
        write_json(folder / "index.json", dict(sorted(index.items())))
    return folder / f"{name}.png"


def _replaced(figure: "Figure", path: Path, metadata: Mapping[str, Any]) -> bool:
    """Write a file of the figure; return True if its bytes are new."""
    temporary = path.with_name(f".{path.name}.tmp")
    figure.savefig(temporary, format=path.suffix[1:], metadata=dict(metadata))
    new = not path.is_file() or path.read_bytes() != temporary.read_bytes()
    temporary.replace(path)
    return new


def _same_but_made_later(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> bool:
    """True if only date and commit differ: the figure was drawn again and nothing came out differently."""
    return old is not None and all(old.get(name) == new[name] for name in new if name not in ("date", "commit"))


def figure_index(profile: str, folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return {name: row} of all figures saved for ``profile``; empty if there are none."""
    path = (folder or figures_folder(profile)) / "index.json"
    return read_json(path, "figure index") if path.is_file() else {}
