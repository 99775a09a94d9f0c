"""One tool under test: running it on copies of the state, and what a call changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jsonschema_rs

from tvlab.environments.checks.call_values import Arguments, CallMaker
from tvlab.environments.domain.expectations import Expectation, is_limit
from tvlab.environments.environment import Environment, copy_tables, visible
from tvlab.environments.runtime import State


@dataclass(frozen=True)
class Check:
    """One check of one tool."""

    tool: str
    check: str
    passed: bool
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the check as it stands in tests.json."""
        return {"tool": self.tool, "check": self.check, "passed": self.passed, "detail": self.detail}


@dataclass(frozen=True)
class Change:
    """Difference of two states: rows added, removed, changed, as (table, row) or (table, old, new)."""

    added: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    removed: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    changed: list[tuple[str, dict[str, Any], dict[str, Any]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    @property
    def kind(self) -> str:
        """``adds``, ``removes`` or ``changes``; a row under another key is a change."""
        if self.added and self.removed:
            return "changes"
        return "adds" if self.added else "removes" if self.removed else "changes"


@dataclass(frozen=True)
class Outcome:
    """One call: arguments, result, and the states around it."""

    arguments: Arguments
    ok: bool
    value: Any
    error: str
    before: State
    after: State
    declared_operation: str = ""

    @cached_property
    def change(self) -> Change:
        """What the call changed."""
        return difference(self.before, self.after)

    @property
    def invalid(self) -> bool:
        """True if the arguments were refused before the tool ran."""
        return self.error.startswith("invalid_arguments")


def difference(before: State, after: State) -> Change:
    """Return what changed between two states, bookkeeping left out."""
    change = Change()
    for table, rows in visible(after).items():
        old = before.get(table, {})
        if rows == old:
            continue
        for key, row in rows.items():
            if key not in old:
                change.added.append((table, row))
            elif old[key] is not row and old[key] != row:
                change.changed.append((table, old[key], row))
        change.removed.extend((table, row) for key, row in old.items() if key not in rows)
    return change


#: how many records a crowded table has more, and the longest default limit for which it has as many
_CROWD, _MOST = 25, 130


def crowd(
    state: State, table: str, key: str, size: int = _CROWD, alike: Sequence[dict[str, Any]] = ()
) -> State:
    """Return a state in which a table holds ``size`` records more: copies, of some records, under new keys."""
    rows = list(alike or state[table].values())
    grown = dict(state[table])
    for at in range(size if rows else 0):
        row = rows[at % len(rows)]
        own = row[key]
        new = 1_900_000_000 + at if isinstance(own, int) else f"{own}-{at:02d}"
        grown[str(new)] = {**row, key: new}
    return {**copy_tables(state), table: grown}


class Readers:
    """Tools by which an agent can see a record."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.initial: State = json.loads(json.dumps(environment.state))
        self._get: dict[str, list[tuple[str, str]]] = {}
        self._lists: dict[str, list[str]] = {}
        for name, meaning in environment.report["meanings"].items():
            entity = environment.report["entities"].get(meaning["entity"], {})
            keys = [path for path, role in meaning["parameters"].items() if role["role"] == "key"]
            if meaning["operation"] == "read" and len(keys) == 1 and "tells" not in meaning:
                self._get.setdefault(entity["table"], []).append((name, keys[0]))
            elif meaning["operation"] == "list":
                self._lists.setdefault(entity["table"], []).append(name)

    @cached_property
    def _keys(self) -> dict[str, str]:
        return {e["table"]: e["key"] for e in self._environment.report["entities"].values()}

    def key(self, table: str) -> str:
        """Return the key field of a table."""
        return self._keys[table]

    def misplaced(self, before: State, after: State) -> str:
        """Return what is wrong with the place of a new or changed record, "" if nothing is."""
        for table, rows in visible(after).items():
            old = before.get(table, {})
            if table.startswith("_") or rows == old:
                continue
            for key, row in rows.items():
                if old.get(key) is not row and str(row.get(self.key(table))) != str(key):
                    return f"a record of {table} lies under {key!r}, which is not its {self.key(table)}"
        return ""

    def read(self, state: State, table: str, row: dict[str, Any]) -> Iterator[tuple[str, bool, Any]]:
        """Read a record back with every tool that can; yields (tool, succeeded, value)."""
        session = self._environment.session()
        for tool, parameter in self._get.get(table, []):
            session.restore(state)
            arguments = {parameter: row[self.key(table)]}
            for name, role in self._environment.meaning(tool)["parameters"].items():
                if role["role"] in ("reference", "filter") and role["field"] in row:
                    arguments[name] = row[role["field"]]
                elif name != parameter and role["role"] in ("reference", "filter"):
                    break
            else:
                result = session.call(tool, arguments)
                yield tool, result.ok, result.value

    def listed(self, state: State, table: str, row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
        """Look for a record in every list that should hold it; yields (tool, found)."""
        session = self._environment.session()
        for tool in self._lists.get(table, []):
            session.restore(state)
            arguments = self._list_arguments(tool, row)
            if arguments is None:
                continue
            result = session.call(tool, arguments)
            if result.ok:
                yield tool, row in result.value.get(table, [])

    def _list_arguments(self, tool: str, row: dict[str, Any]) -> Arguments | None:
        schema = self._environment.tool(tool)["inputSchema"]
        arguments: Arguments = {}
        for name, role in self._environment.meaning(tool)["parameters"].items():
            part = schema["properties"].get(name, {})
            if role["role"] == "limit":
                arguments[name] = (
                    int(part.get("maximum", 1000)) if isinstance(part.get("maximum", 1000), int) else 1000
                )
            elif role["role"] in ("page", "offset", "cursor") or (
                role["role"] == "filter" and role.get("op", "==") != "=="
            ):
                return None
            elif name in schema.get("required", []) or "default" in part:
                if role.get("field") not in row or role.get("op", "==") != "==":
                    return None
                arguments[name] = row[role["field"]]
        return arguments


class Case:
    """One tool, or one action of it, under test."""

    def __init__(
        self,
        environment: Environment,
        tool: dict[str, Any],
        action: str | None,
        expectation: Expectation,
        maker: CallMaker,
        readers: Readers,
    ) -> None:
        self.environment = environment
        self.tool = tool
        self.action = action
        self.expectation = expectation
        self.maker = maker
        self.readers = readers
        self.session = environment.session()
        self.last_error = ""
        self.alike: list[dict[str, Any]] = []
        self._problems: dict[str, str] = {}

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.tool["name"]

    @cached_property
    def properties(self) -> dict[str, Any]:
        """Properties of the input schema, those of this action if the tool has several."""
        properties = self.tool["inputSchema"].get("properties", {})
        if self.action is None:
            return properties
        tops = {path.split(".")[0].split("[")[0] for path in self.roles}
        return {name: part for name, part in properties.items() if name in tops}

    @cached_property
    def roles(self) -> dict[str, dict[str, Any]]:
        """Roles of the parameters, of this action if the tool has several."""
        return self.maker.roles(self.name, self.action)

    @cached_property
    def meaning(self) -> dict[str, Any]:
        """The report's meaning of the tool or action."""
        meaning = self.environment.meaning(self.name)
        return meaning if self.action is None else meaning["branches"][self.action]

    @property
    def table_name(self) -> str:
        """The table that the tool works on."""
        return str(self.environment.report["entities"][self.meaning["entity"]]["table"])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The records of that table, as they are at first."""
        return list(self.environment.state[self.table_name].values())

    @cached_property
    def crowded(self) -> State:
        """The initial state with so many copies of records that limits and pages show (of those in ``alike``)."""
        key = self.readers.key(self.table_name)
        defaults = [self.properties[name].get("default") for name in self.limits]
        longest = max([0, *(d for d in defaults if isinstance(d, int) and d < _MOST)])
        return crowd(self.environment.state, self.table_name, key, max(_CROWD, longest + 1), self.alike)

    @property
    def limits(self) -> dict[str, int]:
        """Parameters that bound the length of a list, with the largest bound that they take."""
        return {
            name: int(top) if isinstance(top := part.get("maximum", 1000), (int, float)) else 1000
            for name, part in self.properties.items()
            if is_limit(name) or self.roles.get(name, {}).get("role") == "limit"
        }

    @property
    def declared_writes(self) -> bool:
        """True if the report calls the tool a writer."""
        return bool(self.meaning["writes"])

    def check(self, name: str, passed: bool, detail: str = "") -> Check:
        """Return a check of this tool, named after the action if there is one."""
        label = name if self.action is None else f"{name} ({self.action})"
        return Check(self.name, label, bool(passed), "" if passed else detail)

    def make(
        self, at: int, optional: bool, state: State | None = None, mode: str = "stay"
    ) -> Arguments | None:
        """Return arguments that aim at record number ``at`` of a state."""
        return self.maker.arguments(
            self.name, state or self.environment.state, at, optional, self.action, mode
        )

    def run(self, arguments: Arguments, state: State | None = None) -> Outcome:
        """Call the tool on a copy of a state (the initial one by default) and watch for faults."""
        before = state or self.environment.state
        self.session.state = copy_tables(before)
        result = self.session.call(self.name, arguments)
        after = self.session.state
        if not result.ok:
            self.last_error = result.error or ""
            if after != before:
                self._problems["rollback"] = f"a failing call changed the state: {result.error}"
            if self.last_error.startswith("internal"):
                self._problems["no_internal_error"] = self.last_error
        return Outcome(
            arguments, result.ok, result.value, result.error or "", before, after, self.meaning["operation"]
        )

    def misplaced(self, outcome: Outcome) -> str:
        """Return what is wrong with the place of a record that the call made or changed, "" if nothing is."""
        return self.readers.misplaced(outcome.before, outcome.after)

    def standing(self) -> Iterator[Check]:
        """Report the faults that any call has shown; the initial records must be as they were."""
        if self.environment.state != self.readers.initial:
            self._problems["no_edit_in_place"] = "a record was edited in place"
            self.environment.state.clear()
            self.environment.state.update(json.loads(json.dumps(self.readers.initial)))
        for name in ("rollback", "no_internal_error", "no_edit_in_place"):
            yield self.check(name, name not in self._problems, self._problems.get(name, ""))

    @cached_property
    def _output_validator(self) -> Any:
        return jsonschema_rs.Draft202012Validator(self.tool.get("outputSchema", {}))

    def misfit(self, value: Any) -> str:
        """Return how a value breaks the output schema, "" if it fits."""
        if self._output_validator.is_valid(value):
            return ""
        error = next(iter(self._output_validator.iter_errors(value)))
        return f"{'.'.join(map(str, error.instance_path))}: {error.message}"[:200]
