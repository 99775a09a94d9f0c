"""A key under a word of its own: the one text that every tool on a thing requires.

``create_alias(alias_email)``, ``get_alias(alias_email)`` and ``delete_alias(alias_email)`` pick an alias by its
address, though nothing in the name says id or name.  That is certain where all tools that pick or make one such
thing require exactly one text in common and two kinds of them, a writing one among them, take it.
"""

from __future__ import annotations

from tvlab.environments.domain import answer_options, field_types
from tvlab.environments.domain.nouns import flat
from tvlab.environments.domain.tool_parsing import Noun, Parameter, ParsedTool
from tvlab.environments.language import vocabulary as words_of

_PICKS = frozenset({"read", "update", "delete", "transition", "upsert"})
_MAKES = frozenset({"create", "upsert"})
#: words of a text that says how, when or what, not which
_NO_KEYS = frozenset(
    "query reason message text content comment body type kind mode status state value date time from to format "
    "language locale description prompt token secret password session user account workspace project".split()
)


def shared_key(noun: Noun, mine: list[ParsedTool], tools: list[ParsedTool]) -> tuple[str, str] | None:
    """Return name and type of the text that all tools on one thing require, None if there is no such one.

    Args:
        noun: the thing.
        mine: the tools about it.
        tools: all tools of the server; a text that most of them require says where, not which.
    """
    keyed = [t for t in mine if t.kind in _PICKS | _MAKES and not t.plural]
    kinds = {t.kind for t in keyed}
    if len(keyed) < 2 or not kinds & _PICKS or not kinds - {"read"} or len(kinds) < 2:
        return None
    common = set.intersection(*({p.name for p in _texts(t)} for t in keyed))
    found = {p.name: p for t in keyed for p in _texts(t) if p.name in common}
    inside = [n for n in found if not _is_place(n, noun, mine, tools)]
    if len(inside) != 1 or len(found) != 1 or _others(keyed, inside[0]):
        return None
    return inside[0], "string"


def is_shared(key: str, noun: Noun) -> bool:
    """True for a key under one word of its own, which under other things means something else."""
    words = field_types.name_words(key)
    own = words == noun[-1:] or words[0] in words_of.NATURAL_KEYS
    return len(words) == 1 and not own and not field_types.is_id_name(key)


def _texts(tool: ParsedTool) -> list[Parameter]:
    """Required texts that may name one thing."""
    return [
        p
        for p in flat(tool.parameters)
        if p.required
        and p.type == "string"
        and not p.many
        and not p.enum
        and len(p.path) == 1
        and not p.is_id
        and not _NO_KEYS & set(p.words[-1:])
        and p.words[-1] not in words_of.CONTENT_WORDS | words_of.QUERY_WORDS
        and p.snake not in words_of.NATURAL_KEYS
        and not field_types.is_moment(p.name, p.schema)
        and not field_types.is_option(p)
        and not answer_options.is_credential(p)
    ]


def _others(keyed: list[ParsedTool], key: str) -> bool:
    """True if tools that pick one also require an id, an index or a name beside it: the key has two parts."""
    return any(
        p.required and p.name != key and not p.enum and (p.is_id or p.type in ("string", "integer"))
        for tool in keyed
        if tool.kind in ("read", "delete", "transition")
        for p in tool.parameters
    )


def _is_place(name: str, noun: Noun, mine: list[ParsedTool], tools: list[ParsedTool]) -> bool:
    """True if more tools on other things require the text than tools on this one."""
    words = set(field_types.name_words(name))
    elsewhere = [t for t in tools if t not in mine and any(p.name == name and p.required for p in t.parameters)]
    return len(elsewhere) > (len(mine) if words & set(noun) else 0)
