"""Variations: any number of differing toolsets derived from given ones, offline and by seed alone.

A variation keeps what its parent means and changes how it looks: fewer tools (whole entities), other verbs
and nouns, another naming style, fewer optional parameters, or the tools of two servers together.  Each change
is held against the rules' own reading of the tools (``tool_readings.py``) before it counts: every tool must
keep its kind of operation and its entity, else that change is given up.  ``source.variation`` says parents,
seed and changes, and names a seed for the build, so that the records differ too.  For scale experiments where
no corpus is present, and as augmentation: a variation is no further domain, and never to be counted as one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.language import synonyms
from tvlab.environments.language.name_words import verb_kind
from tvlab.environments.schemas.schemas import refactor_tools
from tvlab.environments.tool_lists import ToolList
from tvlab.environments.variations.renaming import (
    FIELD_STYLES,
    TOOL_STYLES,
    Renaming,
    quoted_values,
    spelt,
    style_of,
)
from tvlab.environments.variations.tool_readings import reading, same, subset
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError
from tvlab.foundation.seeds import generator
from tvlab.foundation.words import plural, singular, split_name

CHANGES = ("subset", "nouns", "verbs", "optional", "style")
SMALLEST, LARGEST = 8, 20
_FEWEST_OF_TWO = 4
_TRIES = 50


def vary(
    tool_list: ToolList, seed: int, other: ToolList | None = None, changes: Sequence[str] | None = None
) -> ToolList:
    """Return a variation of a server.

    Args:
        tool_list: the parent, with at least 8 tools; what needs repair is refactored first.
        seed: decides everything that is drawn; equal seeds give equal variations.
        other: a second parent whose tools come in as well.
        changes: some of ``CHANGES``, applied in their order there; None draws some.

    Returns:
        A toolset of 8 to 20 tools.

    Raises:
        UserError: an unknown change, a parent that is too small, whose tools do not go together, or two that
            share the name of an entity or tool.
    """
    if unknown := [change for change in changes or () if change not in CHANGES]:
        raise UserError(f"change {unknown[0]!r} is unknown: choose among {', '.join(CHANGES)}")
    parents = [_sound(parent) for parent in (tool_list, other) if parent is not None]
    if small := [parent for parent in parents if len(parent.tools) < SMALLEST]:
        raise UserError(f"server {small[0].server} has fewer than {SMALLEST} tools: it cannot be varied")
    names = [parent.server for parent in parents]
    rng = generator(seed, "variation", *names)
    drawn = [c for c in CHANGES if (c in changes if changes is not None else rng.random() < 0.7)]
    tools, done = _together(parents, drawn, rng)
    for change in drawn:
        if change == "subset" or (other and change == "style"):
            continue
        tools, said = _APPLIED[change](tools, tool_list.server, rng)
        done += [said] if said else []
    variation = {"parents": names, "seed": seed, "changes": done, "build_seed": int(rng.integers(2**31))}
    return ToolList(
        "-".join([*names, f"v{seed}"]),
        " and ".join(parent.title for parent in parents),
        " ".join(parent.description for parent in parents),
        {**_source(parents), "variation": variation},
        tools,
    )


def variations(
    tool_lists: Sequence[ToolList], count: int, seed: int = 0, merged: float = 0.2
) -> list[ToolList]:
    """Return variations that all differ from their parents and from one another.

    Args:
        tool_lists: the parents, taken in turn; one that cannot be varied gives none.
        count: how many.
        seed: of the first one; each further one has its own.
        merged: share that comes from two parents.

    Raises:
        UserError: the parents do not give that many.
    """
    tool_lists = [_sound(parent) for parent in tool_lists if len(parent.tools) >= SMALLEST]
    seen = {content_hash(tool_list.tools) for tool_list in tool_lists}
    if not tool_lists:
        raise UserError(f"no server with {SMALLEST} or more tools to vary: give --from embedded or a dump")
    found: list[ToolList] = []
    for at in range(count * 3 + _TRIES):
        if len(found) == count:
            break
        rng = generator(seed, "variations", at)
        parent = tool_lists[at % len(tool_lists)]
        other = _partner(parent, tool_lists, rng) if rng.random() < merged else None
        try:
            one = vary(parent, int(rng.integers(2**31)), other)
        except UserError:
            continue
        mark = content_hash(one.tools)
        if mark not in seen:
            seen.add(mark)
            found.append(replace(one, server=f"{'-'.join(one.source['variation']['parents'])}-v{len(found)}"))
    if len(found) < count:
        raise UserError(f"{len(tool_lists)} servers gave {len(found)} of {count} variations: ask for fewer")
    return found


def _sound(parent: ToolList) -> ToolList:
    """A server whose schemas say everything in place, so that names can be changed throughout."""
    text = json.dumps(parent.tools)
    refactored = refactor_tools(parent.tools)
    if refactored.drops or any(word in text for word in ('"$ref"', '"$defs"', '"definitions"')):
        return replace(parent, tools=refactored.tools)
    return parent


def _source(parents: Sequence[ToolList]) -> dict[str, Any]:
    """The parents' provenance: of two, the first one's facts where both say something, and both licences."""
    source = {key: value for parent in reversed(parents) for key, value in parent.source.items()}
    licences = dict.fromkeys(str(p.source["license"]) for p in parents if p.source.get("license"))
    return source | ({"license": " and ".join(licences)} if licences else {})


# --- which tools -----------------------------------------------------------------------------------------


def _together(
    parents: Sequence[ToolList], drawn: Sequence[str], rng: np.random.Generator
) -> tuple[list[Any], list[str]]:
    """The tools of one or two parents: a subset if that was drawn or there would be too many."""
    if len(parents) == 1:
        total = len(parents[0].tools)
        if "subset" not in drawn and total <= LARGEST:
            return list(parents[0].tools), []
        size = int(rng.integers(SMALLEST, min(total, LARGEST) + 1))
        tools = subset(parents[0].tools, size, LARGEST, rng)
        return tools, [f"subset: {len(tools)} of {total} tools"] if len(tools) < total else []
    if not _are_apart(parents[0], parents[1]):
        raise UserError(f"servers {parents[0].server} and {parents[1].server} share names: choose others")
    most = LARGEST // 2
    parts = [
        subset(parent.tools, int(rng.integers(_FEWEST_OF_TWO, most + 1)), most, rng) for parent in parents
    ]
    return _one_style(parts, rng)


# --- two servers -----------------------------------------------------------------------------------------


def _partner(parent: ToolList, tool_lists: Sequence[ToolList], rng: np.random.Generator) -> ToolList | None:
    fits = [other for other in tool_lists if other is not parent and _are_apart(parent, other)]
    return fits[int(rng.integers(len(fits)))] if fits else None


def _are_apart(one: ToolList, two: ToolList) -> bool:
    """True if no entity and no field that picks one would be taken for another's."""
    first, second = reading(one.tools), reading(two.tools)
    words = [{word for noun in one.nouns.names for word in noun} for one in (first, second)]
    names = [{tool.name for tool in one.parsed} for one in (first, second)]
    return not words[0] & words[1] and not names[0] & names[1]


def _one_style(parts: Sequence[list[Any]], rng: np.random.Generator) -> tuple[list[Any], list[str]]:
    """The tools of both parts in one naming style, as if one server offered them."""
    style, fields = TOOL_STYLES[int(rng.integers(3))], FIELD_STYLES[int(rng.integers(2))]
    tools: list[Any] = []
    for part in parts:
        names = {tool["name"]: spelt(words, style) for tool, words in zip(part, _words(part), strict=True)}
        renaming = Renaming(names, {}, fields, quoted_values(part))
        tools += [renaming.tool(tool) for tool in part]
    return tools, [
        f"merged: {' + '.join(str(len(part)) for part in parts)} tools",
        f"style: {style}, fields {fields}",
    ]


# --- names -----------------------------------------------------------------------------------------------


def _words(tools: Sequence[Any]) -> list[list[str]]:
    """The words of each tool's name without a prefix that all share."""
    words = [split_name(tool["name"]) for tool in tools]
    while all(len(w) > 2 for w in words) and len({w[0] for w in words}) == 1 and not verb_kind(words[0][0]):
        words = [w[1:] for w in words]
    return words


def _accepted(tools: list[Any], renaming: Renaming) -> list[Any] | None:
    """The renamed tools if the rules read them as before, else None."""
    renamed = [renaming.tool(tool) for tool in tools]
    if len({tool["name"] for tool in renamed}) < len(tools):
        return None
    before, after = reading(tools), reading(renamed)
    for at in range(len(tools)):
        kind, noun = before.of(at)
        if after.of(at) != (kind, tuple(renaming.word(word) for word in noun)):
            return None
        if len(after.parsed[at].parameters) != len(before.parsed[at].parameters):
            return None
    return renamed


def _other_nouns(tools: list[Any], server: str, rng: np.random.Generator) -> tuple[list[Any], str]:
    """Some entities under another noun that occurs nowhere yet."""
    present = _all_words(tools)
    values = quoted_values(tools)
    nouns = dict.fromkeys(noun[0] for noun in reading(tools).nouns.names if len(noun) == 1)
    used = {word for tool in tools for word in split_name(tool["name"]) if verb_kind(word)}
    changed: dict[str, str] = {}
    for noun in nouns:
        free = [n for n in synonyms.NOUNS.get(noun, ()) if not {n, plural(n)} & present]
        if free and noun not in used and noun not in values and rng.random() < 0.7:
            changed[noun] = free[int(rng.integers(len(free)))]
            present |= {changed[noun], plural(changed[noun])}
    if (renamed := _renouned(tools, changed, values)) is None:  # then those that can be, one by one
        for noun, other in list(changed.items()):
            one = _renouned(tools, {noun: other}, values)
            tools = one if one is not None else tools
            if one is None:
                del changed[noun]
    else:
        tools = renamed
    return tools, f"nouns: {', '.join(f'{a} -> {b}' for a, b in changed.items())}" if changed else ""


def _renouned(tools: list[Any], nouns: dict[str, str], values: frozenset[str]) -> list[Any] | None:
    names = {tool["name"]: _with_nouns(tool["name"], nouns) for tool in tools}
    return _accepted(tools, Renaming(names, nouns, "", values))


def _with_nouns(name: str, nouns: dict[str, str]) -> str:
    return Renaming(nouns=nouns).field(name)


def _all_words(value: Any) -> set[str]:
    if isinstance(value, str):
        return set(split_name(value))
    if isinstance(value, dict):
        return {word for key, part in value.items() for word in (*split_name(key), *_all_words(part))}
    return {word for part in value for word in _all_words(part)} if isinstance(value, list) else set()


def _other_verbs(tools: list[Any], server: str, rng: np.random.Generator) -> tuple[list[Any], str]:
    """Each of a few common verbs by another one throughout, as a server of one author has it."""
    changed: list[str] = []
    for row in synonyms.VERBS:
        old = next((verb for verb in row if any(verb in split_name(t["name"]) for t in tools)), None)
        if old is None or rng.random() < 0.3:
            continue
        new = [verb for verb in row if verb != old][int(rng.integers(len(row) - 1))]
        names = {tool["name"]: _with_verb(tool["name"], old, new) for tool in tools}
        renamed = _accepted(tools, Renaming(names, {}, "", quoted_values(tools)))
        if renamed is not None:
            tools = renamed
            changed.append(f"{old} -> {new}")
    return tools, f"verbs: {', '.join(changed)}" if changed else ""


def _with_verb(name: str, old: str, new: str) -> str:
    return spelt([new if word == old else word for word in split_name(name)], style_of(name))


def _other_style(tools: list[Any], server: str, rng: np.random.Generator) -> tuple[list[Any], str]:
    """Tool names in another spelling, order and prefix, fields in another spelling."""
    style, fields = TOOL_STYLES[int(rng.integers(3))], FIELD_STYLES[int(rng.integers(2))]
    order = ("as it is", "noun first", "verb first")[int(rng.integers(3))]
    prefix = [word for word in split_name(server)[:1] if not verb_kind(word)] if rng.random() < 0.3 else []
    for turned, before in ((order, prefix), (order, []), ("as it is", [])):
        parsed = reading(tools).parsed
        names = {
            tool["name"]: spelt([*before, *_turned(words, one, turned)], style)
            for tool, words, one in zip(tools, _words(tools), parsed, strict=True)
        }
        renamed = _accepted(tools, Renaming(names, {}, fields, quoted_values(tools)))
        if renamed is not None:
            said = f"style: {style}, {turned}, fields {fields}" + (f", prefix {before[0]}" if before else "")
            return renamed, said
    return tools, ""


def _turned(words: list[str], tool: ParsedTool, order: str) -> list[str]:
    """The words of a name with the verb first or last; a name of another build stays."""
    rest = words[1:] if words[0] == tool.verb else words[:-1] if words[-1] == tool.verb else []
    if order == "as it is" or not rest or len(rest) != len(tool.noun):
        return words
    if order == "noun first":
        return [*rest[:-1], singular(rest[-1]), tool.verb]
    many = tool.kind in ("list", "search") or rest[-1] != singular(rest[-1])
    return [tool.verb, *rest[:-1], plural(singular(rest[-1])) if many else rest[-1]]


# --- parameters ------------------------------------------------------------------------------------------


def _fewer_parameters(tools: list[Any], server: str, rng: np.random.Generator) -> tuple[list[Any], str]:
    """Some optional parameters less; of what an update can set, at most half."""
    kinds = [tool.kind for tool in reading(tools).parsed]
    result, taken = [], 0
    for tool, kind in zip(tools, kinds, strict=True):
        schema = tool["inputSchema"]
        optional = [n for n in schema.get("properties", {}) if n not in schema.get("required", [])]
        gone = [name for name in optional if rng.random() < 0.4]
        if kind == "update":
            gone = gone[: len(optional) // 2]
        taken += len(gone)
        properties = {n: part for n, part in schema.get("properties", {}).items() if n not in gone}
        result.append({**tool, "inputSchema": {**schema, "properties": properties}} if gone else tool)
    if not same(reading(tools), list(range(len(tools))), reading(result)):
        return tools, ""
    return result, f"optional: {taken} parameters less" if taken else ""


_APPLIED = {
    "nouns": _other_nouns,
    "verbs": _other_verbs,
    "optional": _fewer_parameters,
    "style": _other_style,
}
