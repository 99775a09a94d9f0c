"""Reads that would answer alike under different names: the plainest is kept.

Two lists of one table without a filter of their own, or two reads by one key, cannot both be what their names
say if one name has a word more (delisted companies, enabled plugins).  Words that say where the thing belongs
(a parent whose key the tool takes) or nothing (all, available) make no difference.
"""

from __future__ import annotations

from collections import defaultdict

from tvlab.environments.drops import Drop
from tvlab.environments.meanings import Meaning
from tvlab.environments.nouns import stripped

_FILLERS = frozenset("all available existing supported specific single list my full current".split())


def without_twins(decisions: list[Meaning | Drop]) -> list[Meaning | Drop]:
    """Return the decisions, with a drop for each read that a plainer one answers for."""
    groups: dict[tuple[object, ...], list[Meaning]] = defaultdict(list)
    for one in decisions:
        if isinstance(one, Meaning) and one.operation in ("list", "read") and not one.branches and not one.column:
            groups[_sign(one)].append(one)
    dropped: dict[str, str] = {}
    for group in groups.values():
        plain = min(group, key=lambda m: (len(_qualifiers(m)), len(m.tool.name)))
        for meaning in group:
            if meaning is not plain and _qualifiers(meaning) and _qualifiers(meaning) != _qualifiers(plain):
                dropped[meaning.tool.name] = plain.tool.name
    return [
        Drop(d.tool.name, "meaning", "the same answer under another name", dropped[d.tool.name])
        if isinstance(d, Meaning) and d.tool.name in dropped
        else d
        for d in decisions
    ]


def _sign(meaning: Meaning) -> tuple[object, ...]:
    """What the answer depends on, pages left out."""
    picks = sorted((r.role, r.field or "", r.op) for r in meaning.of("key", "filter", "reference", "query", "within"))
    return (meaning.operation, meaning.entity.name, meaning.newest, *picks)


def _qualifiers(meaning: Meaning) -> frozenset[str]:
    """Words of the object that neither the entity, nor a parent, nor a filler explains."""
    explained = set(meaning.entity.noun) | _FILLERS
    for p in meaning.tool.parameters:
        explained |= set(p.id_noun) | set(p.words)
    return frozenset(w for w in stripped(meaning.tool.noun) if w not in explained)
