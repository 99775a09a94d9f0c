"""Read what a model answered: a declared meaning (JSON) and one function (Python), or what is wrong with them.

The answer is foreign text.  Nothing of it runs here: the function is parsed, passed through the source check,
and written anew from its syntax tree, with the parameters that the declared meaning gives it.  It then runs in
sandbox workers only (``llm/trials.py``).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from tvlab.environments.sandbox.source_check import problems

LARGEST = 32_000
_FENCE = re.compile(r"```[ \t]*(\w*)[^\n]*\n(.*?)(?:\n```|\Z)", re.DOTALL)
_OWN_IMPORT = "tvlab.environments.runtime"


class AnswerError(Exception):
    """An answer that cannot be used; the text says why, for the model and for the report."""

    def __init__(self, check: str, detail: str) -> None:
        super().__init__(f"{check}: {detail}")
        self.check, self.detail = check, detail[:300]


@dataclass(frozen=True)
class RawAnswer:
    """The two parts of an answer, not yet checked against the tool."""

    declaration: dict[str, Any]
    code: str


def split_answer(text: str) -> RawAnswer:
    """Return the declared meaning and the code of an answer.

    >>> split_answer('```json\\n{"operation": "list"}\\n```\\n```python\\ndef f(state):\\n    return 1\\n```').code
    'def f(state):\\n    return 1'

    Raises:
        AnswerError: a part is missing, or the meaning is no JSON object.
    """
    if len(text) > LARGEST:
        raise AnswerError("answer", f"the answer has {len(text):,} characters, {LARGEST:,} are allowed")
    blocks = [(language.lower(), body) for language, body in _FENCE.findall(text)]
    declared = next((b for lang, b in blocks if lang == "json" or (not lang and b.lstrip()[:1] == "{")), None)
    code = next((b for lang, b in blocks if lang in ("python", "py") or (not lang and "def " in b)), None)
    if declared is None or code is None:
        missing = "a ```json block with the meaning" if declared is None else "a ```python block with the function"
        raise AnswerError("answer", f"the answer lacks {missing}")
    try:
        declaration = json.loads(declared)
    except (ValueError, RecursionError) as error:
        raise AnswerError("answer", f"the meaning is not JSON ({error})") from None
    if not isinstance(declaration, dict):
        raise AnswerError("answer", "the meaning must be a JSON object")
    return RawAnswer(declaration, code)


def rewritten(code: str, name: str, parameters: Mapping[str, Any], without: Collection[str] = ()) -> str:
    """Return the one function of an answer, written anew from its syntax tree.

    Args:
        code: the model's Python.
        name: the function's name.
        parameters: parameter -> its default; ``...`` (Ellipsis) for a required one.
        without: optional parameters of the tool that the meaning leaves out; a function that has one all the
            same is never given it, and gets ``None`` for it.

    Raises:
        AnswerError: more or less than one plain function, other parameters, or something an environment may
            not use.
    """
    tree = _parsed(code)
    function = _without_annotations(_only_function(tree, name))
    for line, reason in problems(ast.Module([function], [])):
        raise AnswerError("source_check", f"line {line}: {reason} may not be used; use the helpers only")
    nested = [n for n in ast.walk(function) if isinstance(n, ast.Import | ast.ImportFrom)]
    if nested:
        raise AnswerError("source_check", "import nothing: the helpers are there already")
    _set_parameters(function, parameters, without)
    try:
        return ast.unparse(ast.fix_missing_locations(function)) + "\n"
    except (RecursionError, ValueError) as error:  # nested too deeply, or a number of thousands of digits
        raise AnswerError("code", f"cannot be written out ({type(error).__name__})") from None


def _without_annotations(function: ast.FunctionDef) -> ast.FunctionDef:
    """Take away what would be run when the function is defined and says nothing here."""
    for node in ast.walk(function):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    return function


def _parsed(code: str) -> ast.Module:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        where = f"line {line}: " if line else ""
        raise AnswerError("code", f"{where}not valid Python ({getattr(error, 'msg', error)})") from None


def _only_function(tree: ast.Module, name: str) -> ast.FunctionDef:
    """Return the function; imports of the helpers and a docstring beside it are passed over."""
    found = None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name and found is None:
            found = node
        elif not _passed_over(node):
            what = getattr(node, "name", type(node).__name__.lower())
            raise AnswerError("code", f"write one function {name} and nothing else at module level; found {what}")
    if found is None:
        raise AnswerError("code", f"there is no function {name}")
    if found.decorator_list:
        raise AnswerError("code", "decorators are not allowed")
    return found


def _passed_over(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module in (_OWN_IMPORT, "__future__", "typing", "helpers", "runtime")
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _set_parameters(function: ast.FunctionDef, parameters: Mapping[str, Any], without: Collection[str]) -> None:
    """Compare the parameters and give optional ones the default that the schema declares, else None."""
    given = function.args
    names = [a.arg for a in [*given.posonlyargs, *given.args, *given.kwonlyargs]]
    if given.vararg or given.kwarg:
        raise AnswerError("code", "name every parameter; *args and **kwargs are not allowed")
    if names[:1] != ["state"]:
        raise AnswerError("code", "the first parameter must be state")
    missing = [name for name in parameters if name not in names[1:]]
    absent = [name for name in names[1:] if name in without]
    surplus = [name for name in names[1:] if name not in parameters and name not in absent]
    if missing or surplus:
        detail = "; ".join(
            text
            for text, found in (
                (f"lacks {', '.join(missing)}", missing),
                (f"has {', '.join(surplus)}, to which the meaning gives no role", surplus),
            )
            if found
        )
        raise AnswerError("code", f"the function {detail}")
    at = 1 if ast.get_docstring(function) is not None else 0
    function.body[at:at] = [ast.parse(f"{name} = None").body[0] for name in absent]
    defaults: list[ast.expr | None] = [
        None if value is ... else ast.parse(repr(value), mode="eval").body for value in parameters.values()
    ]
    function.args = ast.arguments(
        posonlyargs=[],
        args=[ast.arg("state")],
        vararg=None,
        kwonlyargs=[ast.arg(name) for name in parameters],
        kw_defaults=defaults,
        kwarg=None,
        defaults=[],
    )
