"""A verified environment on disk, and the session in which one rollout owns a state.

Frozen data (``Environment``) and mutable state (``Session``) are two things.  A session starts from the
environment's initial state and shares its records: tools replace records and never edit one, so a reset, a
snapshot and a rollback copy the tables only.  ``verification.py`` proves that property for every tool it lets
through.

What is not checked here: that a tool means what its name says (``verification.py``), and code from strangers.
The source check (``source_check.py``) stops accidents and plain attacks; it is no sandbox (``sandbox.py``).
"""

from __future__ import annotations

import ast
import json
import keyword
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import jsonschema_rs

from tvlab.environments.runtime import MINTED, State, ToolError
from tvlab.environments.sandbox.source_check import problems
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError

Snapshot = dict[str, dict[Any, Any]]


@dataclass(frozen=True, slots=True)
class CallResult:
    """What one call gave.  ``value`` shares structure with the state: read it, never edit it."""

    ok: bool
    value: Any
    error: str | None = None

    @property
    def observation(self) -> Any:
        """The JSON value an agent sees: the tool's value, or ``{"error": "code: message"}``."""
        return self.value if self.ok else {"error": self.error}


@dataclass(frozen=True)
class Environment:
    """Tools, initial state and code of one environment.

    Attributes:
        name: the environment's name, also its folder's.
        tools: refactored tools in the MCP ``tools/list`` shape.
        state: the initial state; never changed by a session.
        functions: one callable a tool, ``f(state, **arguments)``.
        report: provenance, entities, meanings, drops (``report.json``).
    """

    name: str
    tools: tuple[dict[str, Any], ...]
    state: State
    functions: dict[str, Callable[..., Any]]
    report: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None

    @classmethod
    def load(cls, folder: str | Path) -> Environment:
        """Read an environment folder.

        Raises:
            UserError: a file is missing, is no JSON, or ``tools.py`` holds code an environment may not hold.
        """
        folder = Path(folder)
        tools = _read(folder / "tools.json")["tools"]
        functions = load_functions(_text(folder / "tools.py"), str(folder / "tools.py"))
        missing = [tool["name"] for tool in tools if function_name(tool["name"]) not in functions]
        if missing:
            raise UserError(
                f"{folder / 'tools.py'} lacks the function of tool {missing[0]!r}; build it again"
            )
        return cls(
            name=folder.name,
            tools=tuple(tools),
            state=_read(folder / "state.json"),
            functions={tool["name"]: functions[function_name(tool["name"])] for tool in tools},
            report=_read(folder / "report.json"),
            path=folder,
        )

    @property
    def tool_names(self) -> list[str]:
        return [tool["name"] for tool in self.tools]

    @cached_property
    def _tool_by_name(self) -> dict[str, dict[str, Any]]:
        return {tool["name"]: tool for tool in self.tools}

    @cached_property
    def validators(self) -> dict[str, jsonschema_rs.Draft202012Validator]:
        """One compiled argument validator a tool."""
        return {
            tool["name"]: jsonschema_rs.Draft202012Validator(tool["inputSchema"], retriever=_refuse)
            for tool in self.tools
        }

    @cached_property
    def parameters(self) -> dict[str, frozenset[str]]:
        """The parameter names of every tool."""
        return {tool["name"]: frozenset(tool["inputSchema"].get("properties", {})) for tool in self.tools}

    @cached_property
    def writers(self) -> frozenset[str]:
        """Tools that may change the state: all that the report does not call read-only."""
        meanings = self.report.get("meanings", {})
        return frozenset(name for name in self.tool_names if meanings.get(name, {}).get("writes", True))

    @cached_property
    def state_hash(self) -> str:
        return content_hash(self.state)

    @cached_property
    def code_hash(self) -> str:
        """Hash of tools, state and meanings: what an experiment's results depend on."""
        return content_hash([self.tools, self.state, self.report.get("meanings", {})])

    def tool(self, name: str) -> dict[str, Any]:
        """Return the refactored tool called ``name`` (KeyError if there is none)."""
        return self._tool_by_name[name]

    def meaning(self, name: str) -> dict[str, Any]:
        """Return operation, entity, parameter roles and output of a tool, as the report states them."""
        return self.report["meanings"][name]

    def session(self) -> Session:
        """Start a rollout's own state from the initial one."""
        return Session(self)


class Session:
    """One rollout's state and the only way to change it: ``call``."""

    __slots__ = ("environment", "state")

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.state: State = copy_tables(environment.state)

    def call(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        """Validate the arguments, run the tool, and roll back if it fails.

        Never raises: an unknown tool, invalid arguments and a fault inside the tool are results with ``ok`` False.
        """
        environment = self.environment
        function = environment.functions.get(tool)
        if function is None:
            return CallResult(False, None, f"unknown_tool: there is no tool {tool!r}")
        problem = self._problem_with(tool, arguments)
        if problem is not None:
            return CallResult(False, None, problem)
        before = copy_tables(self.state) if tool in environment.writers else None
        try:
            return CallResult(True, function(self.state, **arguments))
        except ToolError as error:
            message = str(error)
        except Exception as error:  # a fault of generated code must not end a rollout
            message = f"internal: {type(error).__name__}: {error}"
        if before is not None:
            self.state = before
        return CallResult(False, None, message)

    def _problem_with(self, tool: str, arguments: Any) -> str | None:
        if not isinstance(arguments, dict):
            return "invalid_arguments: arguments must be an object"
        validator = self.environment.validators[tool]
        try:
            error = None if validator.is_valid(arguments) else next(iter(validator.iter_errors(arguments)))
        except (
            ValueError
        ) as fault:  # no JSON: a key that is no string, a set, nesting beyond the validator's limit
            return f"invalid_arguments: arguments must be JSON ({fault})"
        if error is not None:
            where = ".".join(str(part) for part in error.instance_path)
            return f"invalid_arguments: {where + ': ' if where else ''}{error.message}"
        unknown = arguments.keys() - self.environment.parameters[tool]
        if unknown:
            return f"invalid_arguments: {tool} has no parameter {sorted(unknown)[0]!r}"
        return None

    def snapshot(self) -> Snapshot:
        """Return a copy to ``restore`` later: the tables are copied, the records shared."""
        return copy_tables(self.state)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot, which stays usable."""
        self.state = copy_tables(snapshot)

    def fingerprint(self) -> str:
        """Hash of everything a reader can see: all tables but the count of minted ids."""
        return content_hash(visible(self.state))


def copy_tables(state: State) -> State:
    """Copy the tables and share the records."""
    return {table: dict(rows) for table, rows in state.items()}


def visible(state: State) -> State:
    """Return the state without bookkeeping: two states are the same to an agent if these are equal."""
    return {table: rows for table, rows in state.items() if table != MINTED}


def function_name(tool: str) -> str:
    """Return the name of the function that implements a tool.

    >>> function_name("create-order"), function_name("import"), function_name("2fa_reset")
    ('create_order', 'import_', '_2fa_reset')
    """
    name = tool.replace("-", "_")
    if name[:1].isdigit():
        name = f"_{name}"
    return f"{name}_" if keyword.iskeyword(name) else name


def load_functions(source: str, filename: str) -> dict[str, Callable[..., Any]]:
    """Compile an environment's ``tools.py`` and return its public functions.

    Raises:
        UserError: the source does not parse, or imports or names something an environment may not use.
    """
    try:
        tree = ast.parse(source, filename)
    except SyntaxError as error:
        raise UserError(
            f"{filename}:{error.lineno}: not valid Python ({error.msg}); build it again"
        ) from error
    for line, reason in problems(tree):
        raise UserError(f"{filename}:{line}: {reason}; an environment may not use it")
    namespace: dict[str, Any] = {"__name__": "tvlab_environment"}
    exec(compile(tree, filename, "exec"), namespace)
    return {name: f for name, f in namespace.items() if getattr(f, "__module__", None) == "tvlab_environment"}


def _refuse(uri: str) -> NoReturn:
    """Fetch nothing: a schema that refers to a file or to the network is an error."""
    raise ValueError(f"{uri} lies outside the schema")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"no file {path}: not an environment folder; run `tvlab build` first") from None


def _read(path: Path) -> Any:
    try:
        return json.loads(_text(path))
    except json.JSONDecodeError as error:
        raise UserError(
            f"{path}:{error.lineno}: not valid JSON ({error.msg}); build the environment again"
        ) from None
