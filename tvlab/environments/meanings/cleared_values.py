"""Null that takes a value away: an update here cannot tell a null from what was left out, so none is published.

``deadline``: "Due date (null to unset)" of an update is a date that may be set; the words about null leave its text.
Where an update can change one value alone and a call may leave that out, to leave it out is to take it away:
``assign_issue(issue_key, assignee)`` with "null to unassign".
"""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.meanings.meanings import Meaning, Role

_VERBS = r"(?:unset|unassign|clear|remove|reset|delete|erase)s?"
_PHRASE = re.compile(
    r"\s*[(\[]?(?:,?\s*or\s+)?(?:(?:pass|set|send|use|give)\s+(?:it\s+|this\s+)?(?:to\s+|as\s+)?)?[`'\"]*null[`'\"]*"
    rf"(?:/\w+)?(?:\s+value)?\s+(?:to\s+|will\s+)?{_VERBS}\b(?:\s+(?:it|(?:the|a|an)\s+\w+))?[)\]]?\.?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(rf"\bnull\b[^.;]{{0,30}}\b{_VERBS}\b", re.IGNORECASE)


def clears(sentence: str) -> bool:
    """True if a sentence says that null takes a value away.

    >>> clears("Sending a property as `null` clears it."), clears("Null if it has no owner.")
    (True, False)
    """
    return bool(_SENTENCE.search(sentence))


def only_value(meaning: Meaning) -> Role | None:
    """Return the role of the one value that an update changes where null, as good as left out, takes the value away."""
    roles = [role for role in meaning.of("payload", "reference") if role.field and not role.filters]
    if meaning.operation != "update" or len(roles) != 1 or meaning.branches:
        return None
    schema = roles[0].parameter.schema
    plain = len(roles[0].path) == 1 and not roles[0].required and schema.get("default") is None
    told = plain and clears(schema.get("description") or "") and schema_type(schema) in ("string", "integer", "number")
    return roles[0] if told else None


def with_null(part: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that null takes away.

    >>> with_null({"type": "string"})
    {'type': ['string', 'null'], 'default': None}
    """
    kinds = part.get("type")
    kinds = [*kinds] if isinstance(kinds, list) else [kinds]
    return {**part, "type": [*kinds, *([] if "null" in kinds else ["null"])], "default": None}


def without_null(part: Any) -> Any:
    """Return the schema of what an update takes without a null that would take the value away.

    >>> without_null({"type": ["string", "null"], "description": "Team (null to unset)"})
    {'type': 'string', 'description': 'Team'}
    """
    if not isinstance(part, dict):
        return part
    result = dict(part)
    text = part.get("description")
    if isinstance(text, str) and _PHRASE.search(text):
        result["description"] = _PHRASE.sub("", text).strip()
        kinds = [kind for kind in part["type"] if kind != "null"] if isinstance(part.get("type"), list) else []
        if kinds:
            result["type"] = kinds[0] if len(kinds) == 1 else kinds
        if isinstance(part.get("enum"), list):
            result["enum"] = [value for value in part["enum"] if value is not None]
        if "default" in part and part["default"] is None:
            del result["default"]
    if isinstance(part.get("properties"), dict):
        result["properties"] = {name: without_null(inner) for name, inner in part["properties"].items()}
    return result
