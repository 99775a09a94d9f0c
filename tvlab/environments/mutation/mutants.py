"""Mutants of an environment: its code with one fault put in, to see whether verification can fail.

``mutants_of`` lists them all, in the order of the source, and ``Mutant.environment`` is the environment with that
fault.  Use it to judge a writer of your own: a fault that ``verify`` lets through is one that it could have made.

Not covered: faults at two places, faults that need new code.  Some mutants do the same as the original; whether
one does is not decided here (``benchmarks/mutation_kill.py`` compares them on many calls).
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import difflib
import json
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tvlab.environments.environment import Environment, function_name
from tvlab.environments.mutation.operators import OPERATORS
from tvlab.environments.mutation.places import Replacement, Surroundings, called, store_of, table_of

#: arguments that are no behaviour: the noun of a refusal, its message, what an id is made from
_SILENT = {"find": (0, 3), "fail": (0, 1), "mint": (0, 1, 2, 3), "now": (0,)}


@dataclass(frozen=True)
class Mutant:
    """One fault.

    Attributes:
        operator: name of the operator.
        breaks: the property that it breaks.
        function: the function that it stands in.
        tools: the tools that run that function.
    """

    operator: str
    breaks: str
    function: str
    line: int
    tools: tuple[str, ...]
    original: ast.FunctionDef
    changed: ast.FunctionDef

    def difference(self) -> str:
        """Return the lines that differ, ``-`` before and ``+`` after."""
        old, new = (ast.unparse(tree).splitlines() for tree in (self.original, self.changed))
        lines = difflib.unified_diff(old, new, n=0, lineterm="")
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))

    def environment(self, original: Environment) -> Environment:
        """Return the environment with this fault and a state of its own: a fault may edit records in place."""
        functions = with_function(original.functions, self.changed)
        state = json.loads(json.dumps(original.state))
        return dataclasses.replace(original, functions=functions, state=state)


def with_function(
    functions: dict[str, Callable[..., Any]], changed: ast.FunctionDef
) -> dict[str, Callable[..., Any]]:
    """Return an environment's functions in a module of their own in which one function is another."""
    module = ast.Module([changed], [])
    names = dict(next(iter(functions.values())).__globals__)
    for name, value in list(names.items()):
        if isinstance(value, types.FunctionType) and value.__module__ == names["__name__"]:
            names[name] = _rebound(value, names)
    exec(compile(module, "mutant", "exec"), names)
    return {tool: names[function_name(tool)] for tool in functions}


def _rebound(function: types.FunctionType, names: dict[str, Any]) -> types.FunctionType:
    result = types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__module__ = function.__module__
    return result


def mutants_of(environment: Environment, source: str) -> Iterator[Mutant]:
    """Yield every mutant of an environment's source.

    Args:
        environment: names tools, tables and fields.
        source: its ``tools.py``.
    """
    functions = {f.name: f for f in ast.parse(source).body if isinstance(f, ast.FunctionDef)}
    callers = _callers(functions)
    tools = {function_name(tool): tool for tool in environment.tool_names}
    tables = _fields(environment)
    for name, function in functions.items():
        running = tuple(tools[caller] for caller in sorted(callers[name]) if caller in tools)
        if running:
            about = _surroundings(function, tables, helper=name not in tools, functions=functions)
            for operator, breaks, line, changed in _changes(function, about):
                yield Mutant(operator, breaks, name, line, running, function, changed)


def _fields(environment: Environment) -> dict[str, dict[str, Any]]:
    """Return table -> field -> an example."""
    tables: dict[str, dict[str, Any]] = {}
    for table, rows in environment.state.items():
        if not table.startswith("_"):
            tables[table] = {name: value for row in rows.values() for name, value in row.items()}
    return tables


def _callers(functions: dict[str, ast.FunctionDef]) -> dict[str, set[str]]:
    """Return the functions that run each function, itself included."""
    calls = {name: {called(node) for node in ast.walk(f)} & functions.keys() for name, f in functions.items()}
    callers = {name: {name} for name in functions}
    for _ in functions:
        grown = {
            name: found | {c for c, inner in calls.items() if inner & found}
            for name, found in callers.items()
        }
        if grown == callers:
            break
        callers = grown
    return callers


def _surroundings(
    function: ast.FunctionDef,
    tables: dict[str, dict[str, Any]],
    helper: bool,
    functions: dict[str, ast.FunctionDef],
) -> Surroundings:
    used = {
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and type(node.value) is str
    }
    own = next((str(t) for t in _tables_of(function) if t in tables), "")
    parameters = [a.arg for a in [*function.args.args, *function.args.kwonlyargs] if a.arg != "state"]
    writes = any(
        store_of(node) or isinstance(node, ast.Delete) or called(node) in functions
        for node in ast.walk(function)
    )
    helper = helper and function.name.startswith("_remove")
    used |= {"<writes>"} if writes else set()
    return Surroundings(tables, own, tuple(parameters), helper, frozenset(used))


def _tables_of(function: ast.FunctionDef) -> Iterator[Any]:
    """Yield the tables that are written, then those that are listed, then those looked up."""
    nodes = list(ast.walk(function))
    cells = [store_of(node) for node in nodes]
    yield from (getattr(cell[0], "value", "") for cell in cells if cell is not None)
    for node in nodes:
        table = table_of(node)
        if table is not None:
            yield getattr(table, "value", "")
    for node in nodes:
        if called(node) == "find" and isinstance(node, ast.Call) and len(node.args) > 1:
            yield getattr(node.args[1], "value", "")


def _changes(
    function: ast.FunctionDef, about: Surroundings
) -> Iterator[tuple[str, str, int, ast.FunctionDef]]:
    """Put every replacement in, one at a time, and yield copies of the function."""
    seen = {ast.dump(function)}
    for parent, name, at, child in list(_places(function)):
        for operator, breaks in OPERATORS.items():
            for replacement in operator(child, about):
                changed = _put(function, parent, name, at, child, replacement)
                text = ast.dump(changed)
                if text not in seen:
                    seen.add(text)
                    yield operator.__name__, breaks, getattr(child, "lineno", function.lineno), changed


def _places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Yield (parent, field, index, child) for every place below a node where behaviour stands."""
    silent = _SILENT.get(called(node), ())
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "func", "ctx", "target"):
            continue
        children = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for at, child in children:
            if (
                not isinstance(child, ast.AST)
                or (name == "args" and at in silent)
                or _is_docstring(node, name, at)
            ):
                continue
            yield node, name, at, child
            yield from _places(child)


def _is_docstring(node: ast.AST, name: str, at: int | None) -> bool:
    return (
        isinstance(node, ast.FunctionDef)
        and name == "body"
        and at == 0
        and ast.get_docstring(node) is not None
    )


def _put(
    function: ast.FunctionDef,
    parent: ast.AST,
    name: str,
    at: int | None,
    child: ast.AST,
    replacement: Replacement,
) -> ast.FunctionDef:
    """Return a copy of the function with the replacement in the child's place."""
    if at is None:
        setattr(parent, name, replacement)
        result = copy.deepcopy(function)
        setattr(parent, name, child)
        return ast.fix_missing_locations(result)
    children = getattr(parent, name)
    put = replacement if isinstance(replacement, list) else [replacement]
    setattr(parent, name, [*children[:at], *put, *children[at + 1 :]])
    result = copy.deepcopy(function)
    setattr(parent, name, children)
    return ast.fix_missing_locations(result)
