"""Places of a tool's syntax tree at which mutation operators look, and the pieces that they put there."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

Replacement = ast.AST | list[ast.stmt]


@dataclass(frozen=True)
class Surroundings:
    """What an operator may know of the function and of the state it works on.

    Attributes:
        tables: table -> field -> an example value.
        own: the table that the function uses first, "" if none.
        parameters: names of the function's parameters, without the state.
        helper: True for a function that only other functions call.
    """

    tables: dict[str, dict[str, Any]]
    own: str
    parameters: tuple[str, ...]
    helper: bool = False
    used: frozenset[str] = field(default_factory=frozenset)

    def other_table(self, table: str) -> str | None:
        """Return the table after this one, None if there is no other."""
        names = [name for name in self.tables if not name.startswith("_")]
        at = names.index(table) if table in names else -1
        other = names[(at + 1) % len(names)] if names else table
        return None if other == table else other

    def other_field(self, name: str) -> str | None:
        """Return another field of a table that has this one."""
        holders = [self.tables.get(self.own, {}), *self.tables.values()]
        fields = next((list(f) for f in holders if name in f), [])
        at = fields.index(name) if name in fields else 0
        others = [*fields[at + 1 :], *fields[:at]]
        return others[0] if others else None

    def is_field(self, name: str) -> bool:
        """True if some table has a field of this name."""
        return any(name in fields for fields in self.tables.values())

    def untouched(self) -> tuple[str, Any] | None:
        """Return a field of the own table that the function does not name, with a changed value."""
        for name, value in self.tables.get(self.own, {}).items():
            if name not in self.used:
                return name, changed(value)
        return None


def changed(value: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 7
    if isinstance(value, str):
        return f"{value} changed"
    return [] if isinstance(value, list) and value else None


# what a place is


def store_of(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return (table, key) of a statement ``state[table][key] = value``."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return cell_of(node.targets[0])
    return None


def cell_of(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return (table, key) of an expression ``state[table][key]``."""
    if isinstance(node, ast.Subscript) and (table := table_of(node.value)) is not None:
        return table, node.slice
    return None


def table_of(node: ast.AST) -> ast.expr | None:
    """Return the table of an expression ``state[table]``."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "state":
        return node.slice
    return None


def called(node: ast.AST) -> str:
    """Return the name that a call calls, "" if the node is no call of a name."""
    if isinstance(node, ast.Call):
        function = node.func
        return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return ""


def statements(text: str, **parts: ast.AST) -> list[ast.stmt]:
    """Parse statements and put expressions in for the names in capitals."""
    tree = ast.parse(text)

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return parts.get(node.id, node)

    return Fill().visit(tree).body


def expression(text: str, **parts: ast.AST) -> ast.expr:
    """Parse an expression and put parts in for its names."""
    [statement] = statements(text, **parts)
    assert isinstance(statement, ast.Expr)
    return statement.value


def state_table(table: ast.expr) -> ast.expr:
    """Return ``state[table]``."""
    return ast.Subscript(ast.Name("state", ast.Load()), table, ast.Load())


def literal_of(value: Any) -> ast.expr:
    """Return a value as a literal."""
    return expression(repr(value))
