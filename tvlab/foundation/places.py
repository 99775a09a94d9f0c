"""Where things lie: the project folder, and those of work files, executed notebooks, tables and figures.

The project folder is ``TVLAB_HOME`` if that is set, else the nearest folder at or above the working
directory that holds ``notebooks/`` beside a ``pyproject.toml``, else the working directory. So a notebook
finds the same files whether JupyterLab or papermill runs it.

One cell of a grid of notebooks has places of its own, so that cells do not overwrite each other or the standard
results: TVLAB_RESULTS (executed notebook, tables, figures) and TVLAB_WORKSPACE (work files). Stored runs are
shared by all.
"""

import os
from pathlib import Path


def home() -> Path:
    """Return the project folder."""
    if os.environ.get("TVLAB_HOME"):
        return Path(os.environ["TVLAB_HOME"]).resolve()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "pyproject.toml").is_file() and (folder / "notebooks").is_dir():
            return folder
    return here


def workspace(profile: str) -> Path:
    """Return the folder for the work files of a profile, such as ``environments/`` and ``gust/``."""
    own = os.environ.get("TVLAB_WORKSPACE")
    return Path(own) if own else home() / "workspace" / profile


def runs_folder() -> Path:
    """Return the folder of stored runs."""
    return home() / "workspace" / "runs"


def executed_folder(profile: str) -> Path:
    """Return the folder of executed notebooks of a profile."""
    own = os.environ.get("TVLAB_RESULTS")
    return Path(own) if own else standard_results(profile)


def standard_results(profile: str) -> Path:
    """Return the folder of a profile's results outside any grid."""
    return home() / "papermill_runs" / profile


def tables_folder(profile: str) -> Path:
    """Return the folder of the tables of a profile."""
    return executed_folder(profile) / "tables"


def figures_folder(profile: str) -> Path:
    """Return the folder of the figures of a profile."""
    own = os.environ.get("TVLAB_RESULTS")
    return Path(own) / "figures" if own else home() / "figures" / profile
