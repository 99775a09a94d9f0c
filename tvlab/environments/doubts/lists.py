"""Doubts about lists beside other lists: the same rows under another name, one noun in two areas.
"""

from __future__ import annotations

import re
from collections import defaultdict

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.doubts.contents import PLAIN
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.language.name_words import verb_kind
from tvlab.environments.meanings.meanings import Meaning
from tvlab.foundation.words import singular, split_name

_SELECTS = frozenset({"filter", "reference", "query", "within"})
#: words for what somebody has chosen among all there are
_MARKED = frozenset("featured starred favorite favourite pinned bookmarked blocked archived".split())
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


def kept_elsewhere(meaning: Meaning, domain: Domain) -> str:
    """Return the thing of which a list would hold records of its own: featured coins, plugin names, all games.

    Starred segments are segments, plugin names those of the plugins, and all trending games those of each platform:
    a table beside theirs would tell of other ones.
    """
    noun, needed = meaning.entity.noun, [p for p in meaning.tool.parameters if p.required]
    if meaning.operation not in ("list", "search") or needed or len(noun) < 2 or domain.guessed_texts:
        return ""
    rest = noun[:-1] if noun[-1] == "name" else noun[1:] if noun[0] in _MARKED else ()
    others = [e for e in domain.entities.values() if e is not meaning.entity]
    if rest and (same := next((e for e in others if e.noun == rest), None)) and _is_about(same, domain):
        return same.title
    parts = [e for e in others if len(e.noun) == len(noun) + 1 and e.noun[1:] == noun and e.noun[0] not in _MARKED]
    whole = {"all", "every"} & set(field_types.name_words(meaning.tool.name))
    return parts[0].title if whole and len(parts) > 1 and all(_is_about(e, domain) for e in parts) else ""


def _is_about(entity: Entity, domain: Domain) -> bool:
    """True if a tool is about the thing, or takes its key."""
    taken = any(domain.reference(p) is entity for tool in domain.tools for p in tool.parameters)
    return taken or entity.fact is not None or any(own is entity for own in domain.own.values())
