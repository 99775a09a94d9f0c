"""The files that a module's behaviour can depend on inside the package: what it imports, and what that imports.

Read off the source (imports inside functions too), so nothing is run. A stored result whose key holds the hash of
these files stays valid when any other module changes. Not seen: modules named by strings at run time.
"""

import ast
import importlib.util
from pathlib import Path

from tvlab.foundation.stored_runs import source_hash


def import_closure(module: str) -> dict[str, Path]:
    """Return {name: file} of a module and of all modules of its package that it imports, at any depth.

    Args:
        module: a dotted name, such as ``tvlab.learning.lab_trainer``.

    >>> sorted(import_closure("tvlab.foundation.seeds"))
    ['tvlab', 'tvlab.foundation', 'tvlab.foundation.seeds']
    """
    package = module.partition(".")[0]
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _file_of(name) if name not in found else None
        if path is None:
            continue
        found[name] = path
        waiting += [".".join(name.split(".")[:at]) for at in range(1, name.count(".") + 1)]
        waiting += [other for other in _imported(path) if other.partition(".")[0] == package]
    return found


def closure_hash(module: str) -> str:
    """Return one hash of the files of ``import_closure``."""
    return source_hash(*(path for _, path in sorted(import_closure(module).items())))


def _imported(path: Path) -> list[str]:
    """Dotted names that a file's import statements may mean; a name imported from a package may be a module."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def _file_of(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec is not None and spec.origin else None
