"""Environments and items in the forms of other trainers: a folder that their code imports.

The folder holds ``environments/`` (as they are), ``items.jsonl``, and the one file that the framework loads; its
first lines say how.  The file imports tvlab for episodes and rewards, so that no rule of the game exists twice.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from tvlab.environments.environment import Environment
from tvlab.foundation.atomic_files import write_jsonl, write_text
from tvlab.foundation.errors import UserError
from tvlab.tasks.gust import write_items
from tvlab.tasks.item import Item
from tvlab.tasks.response_rows import response_row

#: form -> (template in the package, name of the file that is written)
FILES = {
    "trl": ("trl.py.in", "tvlab_environments.py"),
    "verifiers": ("verifiers.py.in", "tvlab_taskset.py"),
    "openenv": ("openenv.py.in", "app.py"),
}
FORMS = (*FILES, "nemo-gym")


def export(form: str, environments: Mapping[str, Environment], items: Sequence[Item], out: str | Path) -> Path:
    """Write environments and items in a form; return the file that the framework is given.

    Args:
        form: one of ``FORMS``.
        environments: by name, each loaded from a folder.
        items: those of these environments are taken.
        out: folder; what it held under the same names is replaced.

    Raises:
        UserError: no such form, or no item of these environments.
    """
    if form not in FORMS:
        raise UserError(f"form {form!r} is unknown: choose from {', '.join(FORMS)}")
    chosen = [item for item in items if item.environment in environments]
    if not chosen:
        raise UserError(f"no item of {', '.join(environments)}: make some with `tvlab tasks`")
    folder = Path(out)
    for name in sorted({item.environment for item in chosen}):
        source, target = environments[name].path, folder / "environments" / name
        if source is None:
            raise UserError(f"environment {name} has no folder: save it first")
        if source.resolve() != target.resolve():
            shutil.copytree(source, target, dirs_exist_ok=True)
    write_items(folder / "items.jsonl", chosen)
    if form == "nemo-gym":
        rows = (response_row(environments[item.environment], item) for item in chosen)
        return write_jsonl(folder / "dataset.jsonl", rows)
    template, name = FILES[form]
    text = resources.files("tvlab").joinpath("data", "exports", template).read_text(encoding="utf-8")
    return write_text(folder / name, text)
