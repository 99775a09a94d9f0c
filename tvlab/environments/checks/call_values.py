"""Well-typed arguments for a tool in a given state: keys that exist, payload by schema, values to filter by.

Which table a key comes from is read from the report's meanings; a wrong table there shows as a call that
never succeeds.  What the call must then do is not decided here (``expectations.py``).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

from tvlab.environments.domain.alternative_schemas import map_values, one_shape
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.environment import Environment
from tvlab.environments.runtime import State
from tvlab.environments.seeding.limits import fit_length, shallow
from tvlab.environments.seeding.values import Values
from tvlab.environments.writing.agreeing_references import agreed
from tvlab.foundation.seeds import generator

Arguments = dict[str, Any]
UNKNOWN_TEXT, UNKNOWN_NUMBER = "no-such-id-0000", 2147480001


def least_of(part: Any) -> int:
    """Return the least whole number from 1 on that the schema of a limit allows."""
    low = part.get("minimum") if isinstance(part, dict) else None
    return max(1, math.ceil(low)) if isinstance(low, (int, float)) and not isinstance(low, bool) else 1


class CallMaker:
    """Makes arguments; makers for the same tool and seed give the same sequence."""

    def __init__(self, environment: Environment, tool: str = "", seed: int = 0) -> None:
        self._environment = environment
        self._entities = environment.report["entities"]
        self._labels = (seed, "calls", environment.name, tool)
        self._mode, self._filtered = "stay", ""
        self._shared: list[str] = []

    @cached_property
    def _values(self) -> Values:
        # many tools need none, and a generator costs as much as twenty calls
        return Values(generator(*self._labels))

    def roles(self, tool: str, action: str | None = None) -> dict[str, dict[str, Any]]:
        """Return the roles of a tool's parameters, of one action if it is multiplexed."""
        roles = self._environment.meaning(tool)["parameters"]
        if action is None:
            return roles
        return {path: role for path, role in roles.items() if action in role.get("actions", [])}

    def arguments(
        self, tool: str, state: State, at: int, optional: bool, action: str | None = None, mode: str = "stay"
    ) -> Arguments | None:
        """Return arguments, None if a key is needed from a table that is empty.

        Args:
            tool: the tool.
            state: keys are taken from it.
            at: which record to aim at (modulo the number of records).
            optional: give the optional parameters as well.
            action: value of the action parameter of a multiplexed tool.
            mode: ``stay`` gives references as the record has them, ``other`` any others, ``fresh`` a new key.
        """
        schema = self._environment.tool(tool)["inputSchema"]
        roles = self.roles(tool, action)
        needed = set(schema.get("required", []))
        arguments: Arguments = {}
        self._mode = mode
        self._filtered = self._entities.get(self._environment.meaning(tool)["entity"], {}).get("table", "")
        own = self._own_record(roles, state, at)
        self._shared = [r["field"] for r in roles.values() if r.get("role") == "reference" and mode == "stay"]
        for name, part in schema.get("properties", {}).items():
            role = roles.get(name, {})
            if action is not None and name not in needed and not self._in_action(name, roles):
                continue
            keyed = role.get("role") in ("key", "reference")
            shown = role.get("role") == "preview"
            wanted = optional or shown or name in needed or (action is not None and keyed)
            if action is not None and name == self._environment.meaning(tool)["action"]:
                arguments[name] = action
            elif wanted:
                value = self._value(name, part, role, roles, state, own, at)
                if value is not None:
                    arguments[name] = value
                elif name in needed:
                    return None
        agreed(arguments, self._environment.meaning(tool), self._entities, state)
        return arguments

    def _in_action(self, name: str, roles: dict[str, Any]) -> bool:
        return any(path == name or path.startswith((f"{name}.", f"{name}[")) for path in roles)

    def _own_record(self, roles: dict[str, Any], state: State, at: int) -> dict[str, Any] | None:
        role = next((r for r in roles.values() if r.get("role") == "key"), None)
        table = self._entities[role["entity"]]["table"] if role is not None else self._filtered
        rows = list(state.get(table, {}).values())
        return rows[at % len(rows)] if rows else None

    def _value(
        self,
        name: str,
        part: Any,
        role: dict[str, Any],
        roles: dict[str, Any],
        state: State,
        own: dict[str, Any] | None,
        at: int,
    ) -> Any:
        part = part if isinstance(part, dict) else {}
        kind = role.get("role")
        if kind == "key" and role.get("entity"):
            if self._mode == "fresh" and schema_type(part) == "string":
                return self._fresh(role, part, state)
            return self._key(role, state, own, at)
        if kind == "reference" and role.get("entity"):
            field = str(role.get("field"))
            if self._mode == "stay" and own is not None and isinstance(own.get(field), list) and own[field]:
                return own[field][:2] if role.get("many") else own[field][at % len(own[field])]
            if (
                self._mode == "stay"
                and own is not None
                and isinstance(own.get(field), (str, int))
                and not role.get("many")
            ):
                return own[field]
            return self._key(role, state, None, at)
        if kind == "filter" and role.get("op", "==") not in ("==", "in"):
            return self._bound(role, part, state, at)
        if (
            kind == "filter"
            and self._mode == "stay"
            and own is not None
            and own.get(role["field"]) is not None
            and (schema_type(part) != "array")
        ):
            return own[role["field"]]
        if kind == "filter" and (stored := self._stored(role, roles, part, state, at)) is not None:
            return stored
        if kind == "query":
            return self._text_of(roles, state, at)
        if kind == "preview":
            return False
        if kind == "confirm":
            return role.get("field") or True
        if kind in ("limit", "page", "offset"):
            return max(2, least_of(part)) if kind == "limit" else 1
        if kind == "cursor":
            return None
        return self.fill(name, part, roles, state, at, own, name)

    def _bound(self, role: dict[str, Any], part: dict[str, Any], state: State, at: int) -> Any:
        """Return a bound that lets most records pass."""
        kinds = (str,) if schema_type(part) == "string" else (int, float)
        values = sorted(
            row[role["field"]]
            for row in state.get(self._filtered, {}).values()
            if isinstance(row.get(role["field"]), kinds)
        )
        if not values:
            return None
        return (
            values[min(at // 3, len(values) - 1)]
            if role["op"][0] == ">"
            else values[-1 - min(at // 3, len(values) - 1)]
        )

    def _stored(
        self, role: dict[str, Any], roles: dict[str, Any], part: dict[str, Any], state: State, at: int
    ) -> Any:
        """Return a value that some record has in the filtered field."""
        values = [
            row[role["field"]]
            for table, rows in state.items()
            if table == self._filtered
            for row in rows.values()
            if isinstance(row.get(role["field"]), (str, int, float))
        ]
        if not values:
            return None
        value = values[at % len(values)]
        return [value] if schema_type(part) == "array" else value

    def _fresh(self, role: dict[str, Any], part: dict[str, Any], state: State) -> str:
        entity = self._entities[role["entity"]]
        taken = state.get(entity["table"], {})
        for _ in range(20):
            key = fit_length(self._values.natural_key(entity["key"], tuple(role["entity"].split("_"))), part)
            if key not in taken:
                return key
        return f"{key}-{len(taken)}"

    def _text_of(self, roles: dict[str, Any], state: State, at: int) -> str:
        """Return a word of some record, so that a search may find something."""
        words = [
            word
            for table, rows in state.items()
            if not table.startswith("_")
            for row in list(rows.values())[:3]
            for value in row.values()
            if isinstance(value, str)
            for word in value.split()
        ]
        return words[(7 * at) % len(words)] if words else "a"

    def _key(self, role: dict[str, Any], state: State, own: dict[str, Any] | None, at: int) -> Any:
        entity = self._entities[role["entity"]]
        rows = list(state.get(entity["table"], {}).values())
        if not rows:
            return None
        keys = [row[entity["key"]] for row in rows]
        if role.get("many"):
            shared = [f for f in self._shared if own is not None and f in own]
            keys = (
                [row[entity["key"]] for row in rows if all(row.get(f) == own[f] for f in shared)]
                if own
                else keys
            )
            return list(dict.fromkeys([keys[at % len(keys)], keys[(at + 1) % len(keys)]]))
        return own[entity["key"]] if own is not None else keys[at % len(keys)]

    def fill(
        self,
        name: str,
        part: dict[str, Any],
        roles: dict[str, Any],
        state: State,
        at: int,
        own: dict[str, Any] | None,
        path: str,
    ) -> Any:
        """Return a value of a schema; ids inside it are taken from the state."""
        role = roles.get(path, {})
        if role.get("role") == "key" and self._mode == "fresh" and schema_type(part) == "string":
            return self._fresh(role, part, state)
        if (
            role.get("role") in ("key", "reference")
            and role.get("entity")
            and path.count("[]") + path.count(".")
        ):
            return self._key(
                {**role, "many": schema_type(part) == "array"},
                state,
                own if role["role"] == "key" else None,
                at,
            )
        if role.get("role") in ("filter", "other_key") and "[]" in path and own is not None and role["field"] in own:
            return own[role["field"]]
        part = one_shape(part)
        kind = schema_type(part)
        if kind == "object" and (held := map_values(part)) is not None:
            return {"note": self.fill("note", held, roles, state, at, own, f"{path}.note")}
        if kind == "object" and part.get("properties") and isinstance(part["properties"], dict):
            return {
                key: self.fill(
                    key, inner if isinstance(inner, dict) else {}, roles, state, at, own, f"{path}.{key}"
                )
                for key, inner in self._given(part, roles, path).items()
            }
        if kind == "object" and part.get("additionalProperties") is not False:
            return {"note": self.plain("note", {"type": "string"}, at)}
        if kind == "array" and schema_type(part.get("items")) == "object":
            count = (
                max(1, min(2, int(part.get("maxItems", 2))))
                if isinstance(part.get("maxItems", 2), int)
                else 1
            )
            count = (
                max(count, min(3, int(part["minItems"]))) if isinstance(part.get("minItems"), int) else count
            )
            return [
                self.fill(
                    name,
                    part["items"],
                    roles,
                    state,
                    at + i,
                    self._nth(roles, state, at + i, own),
                    f"{path}[]",
                )
                for i in range(count)
            ]
        return self.plain(name, part, at)

    def _given(self, part: dict[str, Any], roles: dict[str, Any], path: str) -> dict[str, Any]:
        """The properties of a nested object that a call gives: near the surface all, below those that matter."""
        near = shallow(part, path.count("."))
        below = {n for n in part["properties"] if any(p.startswith(f"{path}.{n}") for p in roles)}
        below |= {name for rule in part.get("allOf", []) for name in rule.get("then", {}).get("required", [])}
        return {n: inner for n, inner in part["properties"].items() if n in near or n in below}

    def _nth(
        self, roles: dict[str, Any], state: State, at: int, own: dict[str, Any] | None
    ) -> dict[str, Any] | None:
        return self._own_record(roles, state, at) if own is not None else None

    def plain(self, name: str, part: dict[str, Any], at: int = 0) -> Any:
        """Return a value of a schema without ids, inside its bounds."""
        choices = [value for value in part.get("enum", []) if value is not None]
        if choices:
            return choices[at % len(choices)]
        if "const" in part:
            return part["const"]
        return self._values.value(name, part, ("record",), at)

    def unknown(self, part: Any) -> Any:
        """Return a well-typed id that nothing has."""
        kind = schema_type(part)
        if kind == "array":
            return [self.unknown(part.get("items", {}))]
        return UNKNOWN_NUMBER if kind in ("integer", "number") else UNKNOWN_TEXT
