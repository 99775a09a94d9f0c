"""A grid of one notebook: every combination of the values of some parameters, each a cell with a folder of its own.

A cell's folder is ``papermill_runs/<profile>/grids/<notebook>/<cell>/``: the executed notebook, ``tables/`` and
``figures/``, so that neither another cell nor the standard results are overwritten. Its work files start as a copy
of the profile's; stored runs are shared, so nothing is trained twice.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import home, standard_results
from tvlab.reporting.notebooks import Notebook, check_parameters

_LONGEST = 100


@dataclass(frozen=True)
class Cell:
    """One combination of values of a notebook's parameters.

    Attributes:
        notebook: the notebook.
        values: {parameter: value} of the grid alone.
    """

    notebook: Notebook
    values: Mapping[str, Any]

    @property
    def label(self) -> str:
        """The values in words, also the folder's name: ``lam=0.25,seed=1``."""
        text = ",".join(f"{name}={value}" for name, value in self.values.items())
        safe = re.sub(r"[^A-Za-z0-9=,._+-]+", "-", text)
        return safe if safe == text and len(safe) <= _LONGEST else f"{safe[:80]}-{content_hash(text)[:8]}"

    @property
    def name(self) -> str:
        """Notebook and label: ``07_lambda_gamma_sweep/lam=0.25,seed=1``."""
        return f"{self.notebook.name}/{self.label}"

    def results(self, profile: str) -> Path:
        """Return the cell's folder of results."""
        return grids_folder(profile) / self.notebook.name / self.label

    def work(self, profile: str) -> Path:
        """Return the cell's folder of work files."""
        return home() / "workspace" / "grids" / profile / self.notebook.name / self.label


def grids_folder(profile: str) -> Path:
    """Return the folder of a profile's grids."""
    return standard_results(profile) / "grids"


def parse_grid(words: Sequence[str]) -> dict[str, list[str]]:
    """Return {name: values as text} of ``NAME=VALUE,VALUE`` words.

    >>> parse_grid(["lam=0,0.25", "seed=0,1"])
    {'lam': ['0', '0.25'], 'seed': ['0', '1']}

    Raises:
        UserError: a word is not of that form, or a name or value comes twice.
    """
    grid: dict[str, list[str]] = {}
    for word in words:
        name, equals, text = word.partition("=")
        values = [value.strip() for value in text.split(",") if value.strip()]
        if not equals or not name.isidentifier() or not values:
            raise UserError(f"--grid {word!r} is not NAME=VALUE,VALUE: write it as in --grid lam=0,0.25,0.5")
        if name in grid or len(set(values)) < len(values):
            raise UserError(f"--grid {word!r} repeats a name or value: give each once")
        grid[name] = values
    return grid


def cells_of(notebooks: Sequence[Notebook], grid: Mapping[str, Sequence[str]]) -> list[Cell]:
    """Return the cells of each notebook, the last parameter of the grid changing fastest.

    Raises:
        UserError: a notebook lacks a parameter of the grid, or a value does not fit its type.
    """
    cells = []
    for notebook in notebooks:
        for values in itertools.product(*grid.values()):
            texts = dict(zip(grid, values, strict=True))
            cells.append(Cell(notebook, check_parameters([notebook], texts)[notebook.name]))
    return cells
