"""The notebooks of the project: finding them, and the parameters that each one takes.

A notebook's metadata may hold ``tvlab``: ``{"minutes": {profile: minutes}, "needs": [names]}``. ``needs``
names notebooks whose failure makes this one pointless; most notebooks make what they need and name none.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvlab.foundation.errors import UserError
from tvlab.foundation.places import home


@dataclass(frozen=True)
class Notebook:
    """One notebook file.

    Attributes:
        name: file name without ending, such as ``06_component_ablation``.
        path: the file.
        parameters: {name: (type as annotated or "None", default as source text, help comment)}.
        minutes: expected minutes for each profile.
        needs: names of notebooks that must have succeeded.
    """

    name: str
    path: Path
    parameters: Mapping[str, tuple[str, str, str]]
    minutes: Mapping[str, float]
    needs: tuple[str, ...]


def find_notebooks(folder: Path | None = None) -> list[Notebook]:
    """Return all notebooks in ``folder`` (by default the project's), in the order of their names.

    Raises:
        UserError: there is no notebook, or one has no cell tagged ``parameters``.
    """
    folder = folder or home() / "notebooks"
    paths = sorted(path for path in folder.glob("*.ipynb") if not path.name.startswith("."))
    if not paths:
        raise UserError(f"no notebooks in {folder}: run in the project folder, or set TVLAB_HOME to it")
    return [read_notebook(path) for path in paths]


def read_notebook(path: Path) -> Notebook:
    """Return the notebook at ``path`` with the parameters that its ``parameters`` cell declares.

    Raises:
        UserError: not a notebook, or without a cell tagged ``parameters``.
    """
    from papermill.iorw import load_notebook_node
    from papermill.translators import PythonTranslator
    from papermill.utils import find_first_tagged_cell_index

    try:
        content = load_notebook_node(str(path))
    except Exception as error:
        reason = str(error).splitlines()[0][:100]
        raise UserError(f"notebook {path} cannot be read ({reason}): mend or restore it") from None
    at = find_first_tagged_cell_index(content, "parameters")
    if at < 0:
        raise UserError(f"notebook {path} has no cell tagged 'parameters': tag its parameters cell")
    found = PythonTranslator.inspect(content.cells[at])
    parameters = {p.name: (p.inferred_type_name, p.default, p.help) for p in found}
    extra = content.metadata.get("tvlab", {})
    needs = tuple(extra.get("needs", ()))
    return Notebook(path.stem, path, parameters, dict(extra.get("minutes", {})), needs)


def select_notebooks(notebooks: Sequence[Notebook], only: Sequence[str]) -> list[Notebook]:
    """Return the notebooks that ``only`` names, in their own order; all of them if it is empty.

    Args:
        notebooks: those there are.
        only: full names or their leading numbers, such as ``["06", "05_tara_variance_theory"]``.

    Raises:
        UserError: a name fits none; the message lists those there are.
    """
    for word in only:
        if not any(_fits(notebook, word) for notebook in notebooks):
            known = ", ".join(notebook.name for notebook in notebooks)
            raise UserError(f"notebook {word!r} is unknown: choose from {known}")
    return [n for n in notebooks if not only or any(_fits(n, word) for word in only)]


def _fits(notebook: Notebook, word: str) -> bool:
    return word.removesuffix(".ipynb") in (notebook.name, notebook.name.split("_")[0])


def parse_parameters(words: Sequence[str]) -> dict[str, str]:
    """Return {name: text} of ``NAME=VALUE`` words.

    Raises:
        UserError: a word is not of that form, or a name comes twice.
    """
    values: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.isidentifier():
            raise UserError(f"--param {word!r} is not NAME=VALUE: write it as in --param lam=0.3")
        if name in values:
            raise UserError(f"--param {name} is given twice: give it once")
        values[name] = text
    return values


def check_parameters(notebooks: Sequence[Notebook], texts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return {notebook name: its values} for parameters given as text.

    A notebook gets those that its ``parameters`` cell declares, converted to the declared type.

    Raises:
        UserError: no selected notebook declares a name, or a value does not fit the declared type.
    """
    known = sorted({name for notebook in notebooks for name in notebook.parameters})
    for name in texts:
        if name not in known:
            where = notebooks[0].name if len(notebooks) == 1 else "the selected notebooks"
            raise UserError(f"parameter {name!r} is unknown in {where}: choose from {', '.join(known)}")
    return {
        n.name: {name: _convert(n, name, text) for name, text in texts.items() if name in n.parameters}
        for n in notebooks
    }


def _convert(notebook: Notebook, name: str, text: str) -> Any:
    kind, default, _ = notebook.parameters[name]
    kind = kind if kind != "None" else _kind_of_literal(default)
    try:
        return _CONVERTERS.get(kind, str)(text)
    except ValueError:
        raise UserError(
            f"parameter {name}={text} of {notebook.name} is not of type {kind}: "
            f"give a value such as {default}"
        ) from None


def _kind_of_literal(source: str) -> str:
    if re.fullmatch(r"True|False", source):
        return "bool"
    if re.fullmatch(r"-?\d+", source):
        return "int"
    return "float" if re.fullmatch(r"-?\d*\.?\d+(e-?\d+)?", source) else "str"


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


_CONVERTERS: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "bool": _boolean, "str": str}
