"""Lists of values that a record holds, and the filters by one of them: ``tag`` beside the ``tags`` that are written."""

from __future__ import annotations

from collections.abc import Iterable

from tvlab.environments.domain import field_types
from tvlab.environments.domain.nouns import flat
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool

_WRITES = frozenset({"create", "send", "upsert", "update"})


def is_one_of_many(p: Parameter, mine: Iterable[ParsedTool]) -> bool:
    """True for one text where tools on the same thing write a list of them: it is no column of its own.

    Args:
        p: a parameter that may filter.
        mine: the tools on the thing.
    """
    return p.type == "string" and not p.many and any(
        q.many and q.words != p.words and field_types.singular_words(q.words) == p.words
        for tool in mine if tool.kind in _WRITES
        for q in flat(tool.parameters)
    )  # fmt: skip
