"""Defaults that a parameter's text tells and its schema does not: ``Defaults to 'primary'``, the current time.

For what a create stores and for how many records a list gives; what a list leaves out or a partial update keeps is
no matter of these.
"""

from __future__ import annotations

import re

from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import Parameter
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.steering import said_of

_MADE = frozenset({"create", "send", "batch_create"})
_LITERAL = re.compile(r"\bdefaults? to [\"'`](?P<word>[\w /.-]{1,40})[\"'`](?! (?:when|on|for)\b)", re.IGNORECASE)
_BARE = re.compile(
    r"\bdefault(?:s to|:| is) [\"'`]?(?P<word>[\w-]{2,30})[\"'`]?(?=\)|\.?\s*$|\. [A-Z]|, )", re.IGNORECASE
)
_BOOLEAN = re.compile(r"\bdefault(?:s to|:| is) [`'\"]?(?P<word>true|false)\b(?! when| if| for)", re.IGNORECASE)
_TEXTS = re.compile(r"\bdefault: \[(?P<words>'[^'\n]+'(?:, '[^'\n]+')*)\]", re.IGNORECASE)
#: words in the place of a default that are none
_NO_WORDS = frozenset(
    "none null empty unset not no all any auto now today the this same current filename name see optional true false"
    .split()
)
_NUMBER = re.compile(
    r"(?:\bdefaults? to |\bdefault(?: is|:) |默认(?:值)?(?:为|是|[:\uff1a]) ?)"
    r"(?P<word>\d{1,6})(?![\w.%-]| ?(?:on|if|when))",
    re.IGNORECASE,
)
_SIZE = re.compile(
    r"\b(?:default|padr[aã]o|por defecto)(?:s to|:| is|) ?[`'\"]?(?P<word>\d{1,6})(?!\.\d|[\w%-])"
    r"|默认(?:值)?(?:为|是|[:\uff1a]) ?(?P<other>\d{1,6})",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\bcurrent (?:time|date|timestamp) (?:will be|is) used\b"
    r"|\bdefaults? to (?:now|today(?:'s date)?|the current (?:time|date))\b|\bdefault: (?:now|today)\b",
    re.IGNORECASE,
)


def told_default(role: Role, meaning: Meaning, target: Entity | None) -> str | int | list[str] | None:
    """Return the word or number that stands for an optional value which is left out, None if no text tells one.

    Args:
        role: of a payload, or a reference to ``target``.
        meaning: the tool's; only what it makes has such defaults.
        target: what a reference points at; only the word for its ordinary thing is a default.
    """
    p = role.parameter
    if role.role == "limit" and meaning.operation in ("list", "search"):
        return told_size(role, meaning)
    ordinary = role.role == "reference" and target is not None and target.special == p.schema.get("default")
    if ordinary and meaning.operation in ("list", "search") and not role.required:
        return target.special if target is not None and target.special else None
    if meaning.operation not in _MADE or role.required or len(role.path) > 1:
        return None
    plain = p.schema.get("default") is None and role.role == "payload"
    if plain and (p.enum or p.type in ("boolean", "array")):
        return _told_choice(p, unwrapped(said_of(p, meaning.tool)))
    if p.enum:
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
    bare = None if match or not plain else _BARE.search(unwrapped(said_of(p, meaning.tool)))
    if bare and bare["word"].lower() not in _NO_WORDS and not bare["word"].isdigit():
        return bare["word"]
    return match["word"] if match and plain else None


def told_size(role: Role, meaning: Meaning) -> int | None:
    """Return how many records a list gives if its limit is left out, None if no text tells it."""
    p = role.parameter
    if p.type not in ("integer", "number") or role.required or len(role.path) > 1 or p.schema.get("default"):
        return None
    told = _SIZE.search(unwrapped(said_of(p, meaning.tool)))
    return int(told["word"] or told["other"]) or None if told else None


def _told_choice(p: Parameter, said: str) -> str | int | list[str] | None:
    """The default of a flag, of a list of words or of one of several words, as a text tells it."""
    if p.type == "boolean":
        told = _BOOLEAN.search(said)
        return told["word"].lower() == "true" if told else None
    if p.type == "array":
        told = _TEXTS.search(said)
        return re.findall(r"'([^']+)'", told["words"]) if told else None
    told = _BARE.search(said) or _LITERAL.search(said)
    return told["word"] if told and told["word"] in (p.enum or ()) else None


def is_now(role: Role, meaning: Meaning) -> bool:
    """True if an optional moment that is left out is the time of the call."""
    p = role.parameter
    plain = meaning.operation in _MADE and role.role == "payload" and not role.required and len(role.path) == 1
    return plain and p.type == "string" and bool(_NOW.search(unwrapped(said_of(p, meaning.tool))))
