"""A static check of an environment's ``tools.py``: what it may import, name and reach.

It stops accidents and the known ways around a name filter (modules inside modules, frames, class patterns),
and names the line.  It is no sandbox: code from strangers runs in `sandbox.py`, where this check is the first
of many layers.
"""

from __future__ import annotations

import ast
import importlib
import re
import types
from collections.abc import Iterator

#: modules of this package that an environment may import: of these, only what they define themselves
OWN_MODULES = frozenset(
    f"tvlab.environments.{name}"
    for name in (
        "runtime computing computing_dates computing_lists computing_measures computing_texts computing_units"
    ).split()
)
ALLOWED_MODULES = OWN_MODULES | {"math", "re", "datetime", "hashlib", "base64"}
_FORBIDDEN_NAMES = frozenset(
    "eval exec compile open input globals locals vars getattr setattr delattr breakpoint exit quit"
    " memoryview help license credits copyright".split()
)
# attributes that lead from a generator, a coroutine or a traceback to frames and from there to everything
_FRAME_ATTRIBUTE = re.compile(r"^(gi|cr|ag|f|tb|co)_")
_FORBIDDEN_STATEMENTS = {
    ast.ClassDef: "a class",
    ast.AsyncFunctionDef: "an async function",
    ast.MatchClass: "a class pattern",
    ast.Yield: "a generator",
    ast.YieldFrom: "a generator",
    ast.Global: "a global statement",
}


def problems(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield (line, what the source may not use) for a parsed ``tools.py``.

    >>> list(problems(ast.parse("import os")))
    [(1, "import of 'os'")]
    >>> list(problems(ast.parse("import re\\ndef f(state): return re.enum")))
    [(2, "attribute 'enum' of module 're'")]
    >>> list(problems(ast.parse("def f(state, *, input): return input")))
    []
    """
    nodes = list(ast.walk(tree))
    modules = {
        alias.asname or alias.name: alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
    }
    bases = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}
    shadowed = _parameter_uses(nodes)
    for node in nodes:
        if reason := _reason(node, modules, bases, shadowed):
            yield getattr(node, "lineno", 0), reason


def _parameter_uses(nodes: list[ast.AST]) -> set[int]:
    """Uses of a function's own parameters: there `input` is an argument and not the builtin."""
    uses: set[int] = set()
    for function in nodes:
        if isinstance(function, ast.FunctionDef):
            arguments = function.args
            names = {a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
            uses |= {id(n) for n in ast.walk(function) if isinstance(n, ast.Name) and n.id in names}
    return uses


def _reason(node: ast.AST, modules: dict[str, str], bases: set[int], shadowed: set[int]) -> str | None:
    if (what := _FORBIDDEN_STATEMENTS.get(type(node))) is not None:
        return what
    if isinstance(node, ast.Import):
        return next((f"import of {a.name!r}" for a in node.names if a.name not in ALLOWED_MODULES), None)
    if isinstance(node, ast.ImportFrom):
        return _import_reason(node)
    if isinstance(node, ast.Attribute):
        return _attribute_reason(node, modules, shadowed)
    if isinstance(node, ast.Name) and id(node) not in shadowed:
        if node.id in _FORBIDDEN_NAMES or node.id.startswith("__"):
            return f"name {node.id!r}"
        if node.id in modules and id(node) not in bases:
            return f"module {node.id!r} as a value"
    return None


def _import_reason(node: ast.ImportFrom) -> str | None:
    if node.module == "__future__":
        return None
    if node.level or node.module not in ALLOWED_MODULES:
        return f"import from {node.module!r}"
    bad = next((a.name for a in node.names if not _is_open(node.module, a.name)), None)
    return None if bad is None else f"import of {bad!r} from {node.module!r}"


def _attribute_reason(node: ast.Attribute, modules: dict[str, str], shadowed: set[int]) -> str | None:
    if node.attr.startswith("_") or _FRAME_ATTRIBUTE.match(node.attr):
        return f"attribute {node.attr!r}"
    base = node.value
    if isinstance(base, ast.Name) and base.id in modules and id(base) not in shadowed:
        module = modules[base.id]
        if module in ALLOWED_MODULES and not _is_open(module, node.attr):
            return f"attribute {node.attr!r} of module {module!r}"
    return None


def _is_open(module: str, name: str) -> bool:
    """A public thing that the module itself defines: no module that it happens to import."""
    if name.startswith("_"):
        return False
    value = getattr(importlib.import_module(module), name, None)
    if value is None or isinstance(value, types.ModuleType):
        return False
    home = getattr(value, "__module__", None)
    return module not in OWN_MODULES or home in (None, module)
