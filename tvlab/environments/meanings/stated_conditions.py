"""Values that another value asks for: "required if source is 'git'"."""

from __future__ import annotations

from collections.abc import Collection

from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.stated_needs import needed_when
from tvlab.environments.meanings.stated_values import text_of


def role_text(role: Role, meaning: Meaning) -> str:
    """Return what texts say of the value of a role."""
    p = role.parameter
    return unwrapped(text_of(p.name, p.schema, meaning.tool.description if len(role.path) == 1 else ""))


def conditions(meaning: Meaning) -> list[tuple[Role, Role, list[object]]]:
    """Return the optional values that another value asks for: (value, the one that asks, its values that ask)."""
    result: list[tuple[Role, Role, list[object]]] = []
    plain = {r.path[0]: r for r in meaning.of("payload") if len(r.path) == 1}
    asked = {r.path[0]: r for r in meaning.of("reference") if len(r.path) == 1 and not r.filters and r.op == "=="}
    for role in [*plain.values(), *asked.values()]:
        told = needed_when(role_text(role, meaning)) if not role.required else None
        chooser = plain.get(asking(told[0], role.path[0], plain)) if told else None
        if told is None or chooser is None or chooser is role:
            continue
        known: list[object] = list(told[1])
        if chooser.parameter.type == "boolean":
            known = [word.lower() == "true" for word in told[1] if word.lower() in ("true", "false")]
        if chooser.parameter.type in ("string", "boolean") and known and _allowed(chooser, known):
            result.append((role, chooser, known))
    return result


def inner_conditions(meaning: Meaning) -> list[tuple[Role, str, Role, list[object]]]:
    """Return the values inside an object that a value beside the object asks for.

    Each with the role of the object, its own name, the role of the value that asks, and the values that ask.
    """
    result: list[tuple[Role, str, Role, list[object]]] = []
    plain = {r.path[0]: r for r in meaning.of("payload") if len(r.path) == 1}
    for holder in plain.values():
        schema = holder.parameter.schema
        for name, part in (schema.get("properties") or {}).items():
            text = part.get("description") if isinstance(part, dict) else None
            told = needed_when(unwrapped(text)) if isinstance(text, str) else None
            if told is None or told[0] in schema["properties"] or name in schema.get("required", []):
                continue
            beside = [other for other in plain if other != holder.path[0]]
            chooser = plain.get(asking(told[0], holder.path[0], beside)) or plain.get(f"{told[0]}_type")
            known: list[object] = list(told[1])
            if chooser is not None and chooser.parameter.type == "string" and _allowed(chooser, known):
                result.append((holder, name, chooser, known))
    return result


def asking(told: str, name: str, names: Collection[str]) -> str:
    """Return the parameter that a text means by a name: that one, or the only one of the same beginning that ends so.

    >>> asking("type", "member_user", ["name", "member_type", "member_user"]), asking("type", "name", ["name"])
    ('member_type', '')
    """
    if told in names:
        return told
    alike = [other for other in names if other.endswith(f"_{told}") and other.split("_")[0] == name.split("_")[0]]
    return alike[0] if len(alike) == 1 else ""


def _allowed(chooser: Role, values: list[object]) -> bool:
    return not chooser.parameter.enum or set(map(str, values)) <= set(map(str, chooser.parameter.enum))
