"""Null that takes a value away: an update here cannot tell a null from what was left out, so none is published.

``deadline``: "Due date (null to unset)" of an update is a date that may be set; the words about null leave its text.
"""

from __future__ import annotations

import re
from typing import Any

_VERBS = r"(?:unset|clear|remove|reset|delete|erase)s?"
_PHRASE = re.compile(
    r"\s*[(\[]?(?:,?\s*or\s+)?(?:(?:pass|set|send|use|give)\s+(?:it\s+|this\s+)?(?:to\s+|as\s+)?)?[`'\"]*null[`'\"]*"
    rf"(?:/\w+)?(?:\s+value)?\s+(?:to\s+|will\s+)?{_VERBS}\b(?:\s+(?:it|(?:the|a|an)\s+\w+))?[)\]]?\.?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(rf"\bnull\b[^.;]{{0,20}}\b{_VERBS}\b", re.IGNORECASE)


def clears(sentence: str) -> bool:
    """True if a sentence says that null takes a value away.

    >>> clears("Sending a property as `null` clears it."), clears("Null if it has no owner.")
    (True, False)
    """
    return bool(_SENTENCE.search(sentence))


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
