"""Write the function of a pure computation: the operation's expression over the tool's own arguments."""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments import (
    computing,
    computing_dates,
    computing_lists,
    computing_measures,
    computing_texts,
    computing_units,
)
from tvlab.environments.computations.computations import Recognised, recognise
from tvlab.environments.domain.entities import NO_ENTITY
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import RESERVED, Draft

#: modules that hold the helpers, in the order of their import
MODULES = (
    computing,
    computing_dates,
    computing_lists,
    computing_measures,
    computing_texts,
    computing_units,
)


def computation_meaning(tool: ParsedTool) -> Meaning | None:
    """Return the meaning of a tool that is certainly a pure computation, else None."""
    found = recognise(tool)
    if found is None:
        return None
    meaning = Meaning(tool, "compute", NO_ENTITY, computation=found)
    meaning.roles = [Role(p.path, "input", p, None, role) for role, p in found.parts.items()]
    for p in found.narrowed:
        meaning.narrow(p, "has no part in the computation here")
    return meaning


def helpers_of(module: Any) -> list[str]:
    """Return the public functions that a module defines itself."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]


def short(module: Any) -> str:
    """Return the name by which written code knows a module of helpers."""
    return str(module.__name__).rpartition(".")[2]


def qualified(code: str) -> str:
    """Return an expression with every helper under its module: tools may have the names of helpers.

    >>> qualified("power({a}, whole({b}))")
    'computing.power({a}, computing.whole({b}))'
    """
    modules = {name: short(module) for module in MODULES for name in helpers_of(module)}
    return re.sub(
        r"(?<![\w.\"'])([a-z_0-9]+)\(", lambda m: f"{modules[m[1]]}.{m[0]}" if m[1] in modules else m[0], code
    )


class ComputationDraft(Draft):
    """A draft in which no argument hides a module of helpers."""

    reserved = RESERVED | {"math", *(short(module) for module in MODULES)}

    def text(self, title: str | None = None) -> str:
        """Return the source of the function; without a description it is named after the operation."""
        said = title or self.meaning.tool.description
        return super().text(said or self.meaning.computation.computation.name.replace("_", " ").capitalize())


def write_computation(draft: Draft) -> None:
    """Add the line that returns the answer."""
    found: Recognised = draft.meaning.computation
    values: dict[str, str] = {}
    for wanted in found.computation.inputs:
        p = found.parts.get(wanted.role)
        otherwise = wanted.otherwise.format(**values) if wanted.otherwise else ""
        if p is None:
            values[wanted.role] = otherwise
            continue
        name = values[wanted.role] = draft.argument(p.name)
        if not draft.always(next(r for r in draft.meaning.roles if r.parameter is p)):
            local = draft.own(f"given_{wanted.role}")
            draft.add(f"{local} = {otherwise} if {name} is None else {name}")
            values[wanted.role] = local
    answer = qualified(found.computation.code).format(**values)
    echoed = "".join(f"{literal(out)}: {draft.argument(name)}, " for out, name in found.echoes.items())
    draft.add(f"return {{{echoed}{literal(found.result)}: {answer}}}")


def imports(text: str) -> list[str]:
    """Return the import lines that the text of a module needs for its computations."""
    lines = ["import math"] if re.search(r"(?<![\w.\"'])math\.\w", text) else []
    for module in MODULES:
        if re.search(rf"(?<![\w\"'.]){short(module)}\.\w", text):
            lines.append(f"import {module.__name__} as {short(module)}")
    return lines


def output_schema(found: Recognised) -> dict[str, Any]:
    """Return the schema of the answer."""
    properties = {name: dict(found.parts[role].schema) for role, name in _echoes(found)}
    properties = {name: {"type": part.get("type", "string")} for name, part in properties.items()}
    properties[found.result] = dict(found.computation.value)
    return {"type": "object", "properties": properties, "required": list(properties)}


def _echoes(found: Recognised) -> list[tuple[str, str]]:
    by_name = {p.name: role for role, p in found.parts.items()}
    return [(by_name[name], out) for out, name in found.echoes.items()]


def computation_report(meaning: Meaning) -> dict[str, Any]:
    """Return the report's entry of a pure tool."""
    found: Recognised = meaning.computation
    fields = output_schema(found)["properties"]
    return {
        "operation": "compute",
        "computation": found.computation.name,
        "entity": None,
        "writes": False,
        "verb": meaning.tool.verb or "compute",
        "parameters": {p.name: {"role": "input", "entity": None, "field": role} for role, p in found.parts.items()},
        "output": {"shape": "value", "entity": None, "key_path": None, "fields": fields, "answer": found.result},
    }
