"""How the rules read a toolset, and subsets of it that keep entities whole and every tool's meaning.

A reading is the kind of operation and the entity of each tool, found from names and schemas alone
(``tool_parsing.py``, ``nouns.py``); two toolsets that read alike are taken to mean alike.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tvlab.environments.domain.nouns import Nouns, id_nouns
from tvlab.environments.domain.tool_parsing import Noun, ParsedTool, parse_tools
from tvlab.environments.schemas.schemas import refactor_tools
from tvlab.environments.variations.renaming import without_tools
from tvlab.foundation.errors import UserError

_TRIES = 50
_FEWEST = 8


@dataclass(frozen=True)
class Reading:
    """How the rules read a toolset: kind of operation and entity of each tool, in order."""

    parsed: list[ParsedTool]
    nouns: Nouns

    def of(self, at: int) -> tuple[str, Noun]:
        """Return kind and entity of the tool at a place."""
        return self.parsed[at].kind, self.nouns.own[self.parsed[at].name]


def reading(tools: Sequence[Any]) -> Reading:
    """Return how the rules read raw tools that need no repair.

    Raises:
        UserError: a tool cannot be refactored.
    """
    return _reading_of(json.dumps(tools))


@lru_cache(maxsize=512)
def _reading_of(text: str) -> Reading:
    """The reading of tools given as JSON: the same ones are read again and again."""
    refactored = refactor_tools(json.loads(text))
    if refactored.drops:
        drop = refactored.drops[0]
        raise UserError(f"tool {drop.tool} cannot be varied ({drop.reason}): leave it out")
    parsed = parse_tools(refactored.tools)
    return Reading(parsed, Nouns(parsed))


def subset(tools: Sequence[Any], size: int, most: int, rng: np.random.Generator) -> list[Any]:
    """Return ``size`` to ``most`` tools of whole entities; texts no longer name the rest.

    Entities come in one after another, those that refer to or are referred to by what is there first.  A
    choice under which the rules would read a tool otherwise is drawn anew.
    """
    whole = reading(tools)
    groups: dict[Noun, list[int]] = {}
    for at in range(len(tools)):
        groups.setdefault(whole.of(at)[1], []).append(at)
    touched = {noun: _touched(whole, members) for noun, members in groups.items()}
    for _ in range(_TRIES):
        chosen = _connected(
            [list(groups)[i] for i in rng.permutation(len(groups))], groups, touched, size, most
        )
        kept = sorted(at for noun in chosen for at in groups[noun])
        gone = frozenset(tool["name"] for at, tool in enumerate(tools) if at not in kept)
        found = [_without(tools[at], gone) for at in kept]
        if len(found) >= min(size, _FEWEST) and same(whole, kept, reading(found)):
            return found
    raise UserError(f"no {size} tools of {len(tools)} go together: give a server with more related tools")


def _connected(
    order: list[Noun], groups: dict[Noun, list[int]], touched: dict[Noun, set[Noun]], size: int, most: int
) -> list[Noun]:
    """Entities in this order of preference until there are ``size`` tools, related ones first."""
    chosen: list[Noun] = []
    while order and sum(len(groups[noun]) for noun in chosen) < size:
        near = [n for n in order if any(n in touched[c] or c in touched[n] for c in chosen)] or order
        fits = [n for n in near if sum(len(groups[c]) for c in (*chosen, n)) <= most]
        if not fits:
            break
        chosen.append(fits[0])
        order.remove(fits[0])
    return chosen


def same(before: Reading, kept: Sequence[int], after: Reading) -> bool:
    """Return whether the tools at these places of one toolset read as those of another do."""
    return [before.of(at) for at in kept] == [after.of(at) for at in range(len(kept))]


def _touched(whole: Reading, members: list[int]) -> set[Noun]:
    own = whole.of(members[0])[1]
    return {whole.nouns.resolve(noun, own) for at in members for noun in id_nouns(whole.parsed[at])} - {own}


def _without(value: Any, gone: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {
            key: without_tools(part, gone)
            if key == "description" and isinstance(part, str)
            else _without(part, gone)
            for key, part in value.items()
        }
    return [_without(part, gone) for part in value] if isinstance(value, list) else value
