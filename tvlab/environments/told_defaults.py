"""Defaults that a parameter's text tells and its schema does not: ``Defaults to 'primary'``, the current time.

Only for what a create stores; what a list leaves out or a partial update keeps is no matter of these.
"""

from __future__ import annotations

import re

from tvlab.environments.entities import Entity
from tvlab.environments.meanings import Meaning, Role
from tvlab.environments.steering import said_of
from tvlab.environments.wrapped_lines import unwrapped

_MADE = frozenset({"create", "send", "batch_create"})
_LITERAL = re.compile(r"\bdefaults? to [\"'`](?P<word>[\w /.-]{1,40})[\"'`](?! (?:when|on|for)\b)", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?:\bdefaults? to |\bdefault(?: is|:) |默认(?:值)?(?:为|是|[:\uff1a]) ?)"
    r"(?P<word>\d{1,6})(?![\w.%-]| ?(?:on|if|when))",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\bcurrent (?:time|date|timestamp) (?:will be|is) used\b"
    r"|\bdefaults? to (?:now|today(?:'s date)?|the current (?:time|date))\b|\bdefault: (?:now|today)\b",
    re.IGNORECASE,
)


def told_default(role: Role, meaning: Meaning, target: Entity | None) -> str | int | None:
    """Return the word or number that stands for an optional value which is left out, None if no text tells one.

    Args:
        role: of a payload, or a reference to ``target``.
        meaning: the tool's; only what it makes has such defaults.
        target: what a reference points at; only the word for its ordinary thing is a default.
    """
    p = role.parameter
    if meaning.operation not in _MADE or role.required or len(role.path) > 1 or p.enum:
        return None
    if p.type in ("integer", "number"):
        told = _NUMBER.search(unwrapped(said_of(p, meaning.tool))) if role.role == "payload" else None
        return int(told["word"]) if told else None
    if p.type != "string":
        return None
    match = _LITERAL.search(unwrapped(said_of(p, meaning.tool)))
    if role.role == "reference":
        word = p.schema.get("default") or (match["word"] if match else None)
        return word if target is not None and target.special == word else None
    plain = p.schema.get("default") is None and role.role == "payload"
    return match["word"] if match and plain else None


def is_now(role: Role, meaning: Meaning) -> bool:
    """True if an optional moment that is left out is the time of the call."""
    p = role.parameter
    plain = meaning.operation in _MADE and role.role == "payload" and not role.required and len(role.path) == 1
    return plain and p.type == "string" and bool(_NOW.search(unwrapped(said_of(p, meaning.tool))))
