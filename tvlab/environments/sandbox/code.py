"""Inside a sandbox worker: one environment's code, the state it works on, and a check that no more changed.

A call is good if its arguments fit, the tool returns JSON within the limits, the state can be marshalled
within its limit, and the code left its own module, the builtins and the modules it may import as they were:
what one episode does must not reach the next.  The check is for accidents and plain attacks; code that walks
the heap gets around it.  Else the next call starts from the last good state again.
"""

from __future__ import annotations

import base64
import builtins
import datetime
import hashlib
import json
import marshal
import math
import re
import types
from collections.abc import Callable
from typing import Any, NoReturn

import jsonschema_rs

from tvlab.environments import (
    computing,
    computing_dates,
    computing_lists,
    computing_measures,
    computing_texts,
    computing_units,
    runtime,
)
from tvlab.environments.environment import Environment, Session, function_name, load_functions
from tvlab.environments.sandbox.layers import Limits
from tvlab.foundation.errors import UserError

_OWN = (
    computing,
    computing_dates,
    computing_lists,
    computing_measures,
    computing_texts,
    computing_units,
    runtime,
)
_OPEN_TO_CODE = (base64, datetime, hashlib, json, math, re, *_OWN)
_CONTAINERS = (dict, list, set, bytearray)

encode = json.JSONEncoder(allow_nan=False, check_circular=False, separators=(",", ":")).encode
"""Strict JSON as every reply has it."""


class ProblemError(Exception):
    """Arguments that do not fit; the tool has not been run."""


class FaultError(Exception):
    """A named error after which this worker is replaced."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Code:
    """The environment's functions and the one state they work on.

    Attributes:
        good: the last accepted state, marshalled.
        live: the same state as Python objects; None when it must be read from ``good`` again.
    """

    def __init__(self, limits: Limits, static_filter: bool) -> None:
        self.limits = limits
        self.static_filter = static_filter
        self.functions: dict[str, Any] = {}
        self.good = b""
        self.live: Any = None
        self._pristine: list[tuple[Any, Any]] = []
        self._problem: Callable[[str, Any], str | None] = lambda tool, arguments: None

    def load(self, folder: str, source: str, tools: list[dict[str, Any]]) -> None:
        """Compile the schemas, check the source, run it, and keep the function of each tool.

        Args:
            folder: where the files came from, for error lines.
            source: the text of ``tools.py``.
            tools: names and input schemas.
        """
        checked = Environment(name=folder, tools=tuple(tools), state={}, functions={})
        checked.__dict__["validators"] = {tool["name"]: _validator(tool, folder) for tool in tools}
        self._problem = Session(checked)._problem_with
        filename = f"{folder}/tools.py"
        if self.static_filter:
            load_functions(source, filename)
        try:
            code = compile(source, filename, "exec")
        except SyntaxError as error:
            where = f"{filename}:{error.lineno}"
            raise UserError(f"{where}: not valid Python ({error.msg}); build it again") from None
        module: dict[str, Any] = {"__name__": "tvlab_environment"}
        exec(code, module)
        for tool in checked.tool_names:
            function = module.get(function_name(tool))
            if not callable(function):
                raise UserError(f"{filename} lacks the function of tool {tool!r}; build it again")
            self.functions[tool] = function
        self._remember(module)

    def _remember(self, module: dict[str, Any]) -> None:
        """Note what ``_changed`` compares: names, code, and containers at module level or in defaults."""
        spaces = [module, vars(builtins), *(vars(m) for m in _OPEN_TO_CODE)]
        self._pristine = [(space, dict(space)) for space in spaces]
        values = [*module.values(), *(value for own in _OWN for value in vars(own).values())]
        self._functions = [value for value in values if isinstance(value, types.FunctionType)]
        self._codes = [function.__code__ for function in self._functions]
        defaults = [value for function in self._functions for value in _defaults(function)]
        held = [value for value in (*module.values(), *defaults) if isinstance(value, _CONTAINERS)]
        self._held = [value for value in held if value is not vars(builtins)]
        self._held_bytes, self._held_text = _bytes_of(self._held), repr(self._held)

    def _refuse_changes(self) -> None:
        if changed := self._changed():
            raise FaultError("forbidden", f"the code changed {changed}; only the state may change")

    def _changed(self) -> str | None:
        for space, before in self._pristine:
            if space != before:
                return str(space.get("__name__"))
        if [f.__code__ for f in self._functions] != self._codes:
            return "a function"
        if self._held and self._held_changed():
            return "a value outside the state"
        return None

    def _held_changed(self) -> bool:
        """Compare bytes, five times faster than text; equal values may have other bytes, so text decides."""
        data = _bytes_of(self._held)
        if data == self._held_bytes and data:
            return False
        self._held_bytes = data
        return repr(self._held) != self._held_text

    def call(self, tool: str, arguments: dict[str, Any]) -> tuple[str, bytes]:
        """Validate the arguments and run the tool; return the value as JSON and the state if it changed."""
        problem = self._problem(tool, arguments)
        if problem is not None:
            raise ProblemError(problem)
        if self.live is None:
            self.live = marshal.loads(self.good)
        live = self.live
        self.live = None  # until the call is known to be good
        try:
            text = encode(self.functions[tool](live, **arguments))
        except Exception:
            self._refuse_changes()
            raise
        if len(text) > self.limits.output:
            raise FaultError("output_too_large", f"{len(text):,} bytes, the limit is {self.limits.output:,}")
        state = marshal.dumps(live)
        if len(state) > self.limits.state:
            what = f"a state of {len(state):,} bytes, the limit is {self.limits.state:,}"
            raise FaultError("output_too_large", what)
        self._refuse_changes()
        self.live = live
        if state == self.good:
            return text, b""
        self.good = state
        return text, state

    def tables(self) -> list[Any]:
        """Return the state as ``[[table, [[key, record], ...]], ...]``: objects turn number keys to text."""
        state = marshal.loads(self.good)
        return [[table, [[key, row] for key, row in rows.items()]] for table, rows in state.items()]


def _bytes_of(values: list[Any]) -> bytes:
    try:
        return marshal.dumps(values)
    except ValueError:  # holds something that marshal does not know
        return b""


def _defaults(function: types.FunctionType) -> list[Any]:
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]


def _validator(tool: dict[str, Any], folder: str) -> jsonschema_rs.Draft202012Validator:
    try:
        return jsonschema_rs.Draft202012Validator(tool["inputSchema"], retriever=_retrieve_nothing)
    except (ValueError, jsonschema_rs.ValidationError) as error:
        where = f"{folder}/tools.json: the schema of tool {tool['name'][:80]!r}"
        raise UserError(f"{where} is not usable ({error}); refactor the tools again") from None


def _retrieve_nothing(uri: str) -> NoReturn:
    raise ValueError(f"a schema may not refer to {uri!r}")
