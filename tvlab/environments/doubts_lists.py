"""Doubts about lists beside other lists: the same rows under another name, one noun in two areas.
"""

from __future__ import annotations

import re
from collections import defaultdict

from tvlab.environments import vocabulary as words_of
from tvlab.environments.domain import Domain
from tvlab.environments.doubts_contents import PLAIN
from tvlab.environments.meanings import Meaning
from tvlab.environments.name_words import verb_kind
from tvlab.foundation.words import singular, split_name

_SELECTS = frozenset({"filter", "reference", "query", "within"})
_NO_QUALIFIERS = frozenset("get list all search find fetch retrieve show browse query by id the a of view read".split())


def twins(meanings: list[Meaning]) -> dict[str, str]:
    """Lists that give the same rows as a plainer one of the same table: tool name -> the plainer tool."""
    groups: dict[object, list[Meaning]] = defaultdict(list)
    for meaning in meanings:
        if meaning.operation in ("list", "search") and not meaning.branches:
            selects = sorted((r.role, r.field or "", r.op) for r in meaning.roles if r.role in _SELECTS)
            groups[meaning.entity.name, tuple(selects)].append(meaning)
    result: dict[str, str] = {}
    for group in groups.values():
        plain = min(group, key=lambda m: (len(split_name(m.tool.name)), len(m.tool.name), m.tool.name))
        for meaning in group:
            if meaning is not plain and _qualifiers(meaning) - _qualifiers(plain):
                result[meaning.tool.name] = plain.tool.name
    return result


def _qualifiers(meaning: Meaning) -> set[str]:
    """Words of the name beside the verb and the entity."""
    words = {singular(w) for w in split_name(meaning.tool.name)}
    return words - set(meaning.entity.noun) - _NO_QUALIFIERS - words_of.PREPOSITIONS - PLAIN


def other_area(meaning: Meaning, domain: Domain) -> str:
    """Tools of several areas of an interface list or make what has one noun: they are different things.

    ``shop_listOrders`` and ``mail_listOrders`` name two sorts of orders; the area with most tools keeps the noun.
    """
    tool, entity = meaning.tool, meaning.entity
    area = _area(tool.name)
    if not area or {singular(word) for word in area} & {*entity.noun, *words_of.BATCH_WORDS}:
        return ""
    areas: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for other in domain.tools:
        if domain.own.get(other.name) is entity:
            areas[_area(other.name)].append("list" if other.kind == "search" or other.plural else other.kind)
    doing = {name for name, kinds in areas.items() if {"list", "create"} & set(kinds)}
    named = any(set(p.words) & set(area) for p in tool.parameters if p.required)
    if area not in doing or len(doing) < 2 or named:
        return ""
    most = max(areas, key=lambda name: (len(areas[name]), name))
    return "" if area == most else " ".join(area)


def _area(name: str) -> tuple[str, ...]:
    """The words before the verb: ``mail_listOrders`` is of (mail,)."""
    match = re.match(r"^([A-Za-z][A-Za-z-]*)[_.]([a-z]+)", name)
    if match is None or verb_kind(match[1].lower()) or not verb_kind(match[2]):
        return ()
    return tuple(split_name(match[1]))
