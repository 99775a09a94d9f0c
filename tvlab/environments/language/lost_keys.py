"""Ways to pick a record whose parameter left the schema leave the list of ways: "by ID or title" is "by ID"."""

from __future__ import annotations

import re
from collections.abc import Collection

from tvlab.foundation.words import split_name

_WAYS = re.compile(
    r"\bby (?P<what>(?:(?:the|its|their|an?) )?[A-Za-z][\w]*(?: (?:id|name|number|slug|code|key))?"
    r"(?:(?:, (?:or |and )?| or | and )(?:optional(?:ly)? )?(?:(?:the|its|their|an?) )?[A-Za-z][\w]*"
    r"(?: (?:id|name|number|slug|code|key))?)+)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(?P<between>, (?:or |and )?| or | and )", re.IGNORECASE)
_IDLE = frozenset("the its their a an optional optionally".split())
_FIRST = 300


def without_lost_ways(text: str, gone: Collection[str]) -> str:
    """Take the ways that are gone out of the lists of ways in the first lines of a text.

    Args:
        text: description of a tool.
        gone: names of parameters that left its schema, as lower-case words joined by underscores.

    >>> without_lost_ways("Get a memory by ID or title.", {"title"})
    'Get a memory by ID.'
    >>> without_lost_ways("Lookup by refund_id, payment_id or order_id", {"payment_id", "order_id"})
    'Lookup by refund_id'
    >>> without_lost_ways("Get a context by ID and optional project ID", {"project_id"})
    'Get a context by ID'
    >>> without_lost_ways("List them by title", {"title"})
    'List them by title'
    """
    if not gone:
        return text
    return _WAYS.sub(lambda match: _shorter(match, gone), text[:_FIRST]) + text[_FIRST:]


def _shorter(match: re.Match[str], gone: Collection[str]) -> str:
    parts = _PARTS.split(match["what"])
    ways, between = parts[::2], parts[1::2]
    kept = [at for at, way in enumerate(ways) if _plain(way) not in gone]
    if not kept or len(kept) == len(ways):
        return match[0]
    text = ways[kept[0]]
    for at in kept[1:]:
        last = at == kept[-1] and between[-1].strip(", ") != ""
        text += (between[-1] if last else between[at - 1]) + ways[at]
    return f"by {text}"


def _plain(way: str) -> str:
    return "_".join(word for word in split_name(way.replace(" ", "_")) if word not in _IDLE)
