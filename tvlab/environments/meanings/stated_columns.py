"""Stated rules of values in the published parameters and in the columns behind them (``stated_values.py``).

A rule holds for what a call gives and for the records that are there at first: both get the keywords.  A filter is
bound only where the column that it compares is bound alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tvlab.environments.domain.entities import Field
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.language.stated_numbers import item_bounds
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.stated_values import (
    DATE,
    KEYWORDS,
    MOMENT,
    item_keywords,
    needed_names,
    stated_keywords,
    text_of,
    with_stated,
)

_BOUNDED = frozenset({"payload", "filter", "limit", "offset", "page"})
_FORMS = ("enum", "pattern", "format", "values", "examples", "const")


def stated_property(name: str, part: Any, meaning: Meaning) -> Any:
    """Return a published parameter with the rules that texts state of it and of what lies inside it.

    Args:
        name: of the parameter.
        part: its schema, narrowed.
        meaning: of the tool.
    """
    whole = [meaning, *meaning.branches.values()]
    if not isinstance(part, dict) or meaning.operation == "compute":
        return part
    roles = [role for one in whole for role in one.roles if role.path[0] == name]
    own = [role for role in roles if len(role.path) == 1]
    inner = {role.path[-1] for role in roles if len(role.path) > 1 and role.role not in ("payload", "filter")}
    listed = schema_type(part) == "array"
    text = text_of(name, part, meaning.tool.description) if own or listed else ""
    if any(role.role not in _BOUNDED for role in own):
        return {**part, **item_bounds(part, unwrapped(text))} if listed else part
    limit = any(role.role == "limit" for role in own)
    stated = with_stated(name, part, text, limit, inner)
    if name == meaning.wrapper and meaning.operation in ("create", "send") and stated.get("properties"):
        needed = [n for n in needed_names(meaning.tool.description) if n in stated["properties"]]
        required = list(dict.fromkeys([*stated.get("required", []), *needed]))
        stated = {**stated, "required": required} if needed else stated
    filters = [(one, role) for one in whole for role in one.of("filter") if role.path == (name,)]
    if any(not _agrees(one, role, stated, part) for one, role in filters):
        return part
    return stated


def _agrees(meaning: Meaning, role: Role, stated: dict[str, Any], part: dict[str, Any]) -> bool:
    """True if the compared column holds nothing that the stated rule of a filter would refuse."""
    column = meaning.entity.fields.get(role.field or "")
    found = {word: value for word, value in stated.items() if word not in part and word != "properties"}
    if column is None or not found:
        return column is not None
    if "enum" in found:
        return set(map(str, column.schema.get("enum", ["no such value"]))) <= set(map(str, found["enum"]))
    return all(column.schema.get(word) == value or _is_dated(column, word, value) for word, value in found.items())


def _is_dated(column: Field, word: str, value: Any) -> bool:
    """True if a column of days or moments holds what a pattern of days, or of both, asks for."""
    kinds = {DATE: ("date",), MOMENT: ("date", "date-time")}
    return word == "pattern" and column.schema.get("format") in kinds.get(value, ())


def settle(meanings: Iterable[Meaning]) -> None:
    """Let the columns of records obey the rules that texts state of the parameters which fill or compare them."""
    found = [(one, role) for m in meanings for one in (m, *m.branches.values()) for role in one.roles]
    for wanted in ("payload", "filter"):
        for meaning, role in found:
            column = meaning.entity.fields.get(role.field or "")
            if role.role == wanted and column is not None and not column.reference and meaning.operation != "compute":
                _bind(column, role, meaning, wanted)


def _bind(column: Field, role: Role, meaning: Meaning, wanted: str) -> None:
    p = role.parameter
    description = meaning.tool.description if len(role.path) == 1 else ""
    keywords = stated_keywords(p.name, p.schema, text_of(p.name, p.schema, description))
    formed = any(word in column.schema for word in _FORMS)
    same = column.type == p.type and not (formed and {"enum", "pattern"} & set(keywords))
    if wanted == "filter" and (formed or column.schema.get("description")):
        same = False
    if same and keywords:
        told = {"told": True} if "enum" in keywords else {}
        column.schema = {**keywords, **column.schema, **told}
    if wanted == "payload" and (items := item_keywords(column.schema, text_of(p.name, p.schema, description))):
        column.schema = {**column.schema, "items": {**column.schema["items"], **items}}
    if wanted == "payload" and isinstance(column.schema.get("properties") or column.schema.get("items"), dict):
        column.schema = with_stated(column.name, column.schema, "")


def stated_report(published: dict[str, Any], meaning: Meaning) -> dict[str, list[str]]:
    """Return the keywords that texts have added to the published parameters, by the paths of these.

    Args:
        published: the input schema as published.
        meaning: of the tool, which knows the schema as it was.
    """
    found: dict[str, list[str]] = {}
    for name, part in published["properties"].items() if meaning.operation != "compute" else ():
        _compare(name, meaning.tool.schema["properties"].get(name), part, found)
    return found


def _compare(dotted: str, before: Any, after: Any, found: dict[str, list[str]]) -> None:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return
    added = [word for word in after if word in KEYWORDS and word not in before]
    if added:
        found[dotted] = added
    for key, part in (after.get("properties") or {}).items():
        _compare(f"{dotted}.{key}", (before.get("properties") or {}).get(key), part, found)
    if isinstance(after.get("items"), dict):
        _compare(f"{dotted}[]", before.get("items"), after["items"], found)
