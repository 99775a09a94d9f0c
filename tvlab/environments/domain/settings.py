"""Settings: a value that is got, updated and reset by its parent's key alone is a field of the parent.

``get-stopwords(indexUid)``, ``update-stopwords(indexUid, value)`` and ``reset-stopwords(indexUid)`` read and
write one field of an index.  A phrase with a tool of its own kind (a list, a create, a key) is an entity and
no setting.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.nouns import stripped
from tvlab.environments.domain.tool_parsing import Noun, Parameter, ParsedTool

_WORDS = {
    "get": "get",
    "read": "get",
    "show": "get",
    "update": "set",
    "set": "set",
    "put": "set",
    "change": "set",
    "edit": "set",
    "reset": "reset",
    "clear": "reset",
    "delete": "reset",
    "remove": "reset",
}


@dataclass(frozen=True)
class Setting:
    """One tool on a setting: what it does, whose field, the parameters for the key and the value."""

    action: str
    parent: Entity
    column: str
    key: Parameter
    value: Parameter | None


def find_settings(domain: Domain) -> dict[str, Setting]:
    """Return the settings by tool and give the parents their fields."""
    groups: dict[Noun, list[ParsedTool]] = defaultdict(list)
    for tool in domain.tools:
        word = _WORDS.get(tool.verb)
        if word and tool.noun:
            groups[stripped(tool.noun)].append(tool)
    result: dict[str, Setting] = {}
    for noun, tools in groups.items():
        found = [_setting(tool, domain, noun) for tool in tools]
        actions = {setting.action for setting in found if setting is not None}
        if None in found or not {"get", "set"} <= actions or _has_other_tools(domain, noun, tools):
            continue
        settings = [setting for setting in found if setting is not None]
        if len({setting.parent.name for setting in settings}) != 1:
            continue
        value = next(s.value for s in settings if s.action == "set" and s.value is not None)
        column = "_".join(tools[0].noun if not tools[0].plural else tools[0].table_words)
        parent = settings[0].parent
        parent.fields.setdefault(
            column, Field(column, field_types.column(value.schema), required=True, in_input=True)
        )
        for tool, setting in zip(tools, settings, strict=True):
            result[tool.name] = Setting(setting.action, parent, column, setting.key, setting.value)
            domain.own[tool.name] = parent
    return result


def _setting(tool: ParsedTool, domain: Domain, noun: Noun) -> Setting | None:
    picks = [
        (p, t)
        for p in tool.parameters
        if p.required and (t := domain.reference(p)) and t.noun != noun and not p.many
    ]
    others = [p for p in tool.parameters if p.required and domain.reference(p) is None]
    if len(picks) != 1 or len(others) != (1 if _WORDS[tool.verb] == "set" else 0):
        return None
    return Setting(_WORDS[tool.verb], picks[0][1], "", picks[0][0], others[0] if others else None)


def _has_other_tools(domain: Domain, noun: Noun, tools: list[ParsedTool]) -> bool:
    names = {tool.name for tool in tools}
    return any(stripped(t.noun) == noun and t.name not in names for t in domain.tools)
