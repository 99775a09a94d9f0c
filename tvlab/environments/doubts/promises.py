"""Doubts about single things that a text promises word by word: bullets, brackets, "codes and names", one action only.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.meanings.steering import said_of
from tvlab.foundation.words import singular

_READS = frozenset({"list", "search", "read", "fact", "batch_read"})
_OPENS = re.compile(r"\b(?:shows|status) [^.\n]{0,40}\bincluding:\s*$", re.IGNORECASE)
_BULLET = re.compile(r"^\s*[-*•]\s+(?P<name>[A-Za-z][A-Za-z ]{1,30}): \w")
_BRACKETS = re.compile(r"\breturns (?:all )?[a-z]+ \((?P<what>[a-z ]+(?:, [a-z ]+)+)\)", re.IGNORECASE)
_TO_GET = re.compile(r"\bto get the (?:[a-z]+ )?(?P<one>[a-z]+) and (?P<two>names|ids)\b", re.IGNORECASE)
_UUID = re.compile(r"\bincluding (?:its )?UUID\b|\b(?:slug|name), UUID,")
_LINKED = re.compile(r"\b(?P<what>deep link|link) to the [a-z ]+(?: in \w+)? is returned\b", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:in|of|for) the (?:specified|given) (?P<what>\w+)\b", re.IGNORECASE)
_ONE_ACTION = re.compile(r"\((?P<action>[a-z_]+) only\)", re.IGNORECASE)


def word_by_word(meaning: Meaning, domain: Domain) -> str:
    """One of the things that an answer is told to hold, word by word, is in no column."""
    if meaning.operation not in _READS or meaning.column:
        return ""
    names = (meaning.entity.key, *meaning.entity.fields)
    held = {singular(w) for name in names for w in field_types.name_words(name)}
    text = meaning.tool.description
    told = _bullets(text)
    for match in _BRACKETS.finditer(unwrapped(text)):
        told += match["what"].split(",")
    asked = _TO_GET.search(unwrapped(text))
    told += [asked["one"]] if asked else []
    told += ["uuid"] if _UUID.search(text) else []
    return next((one.strip().lower() for one in told if not _words(one) & held), "")


def _words(phrase: str) -> set[str]:
    return {singular(word) for word in re.findall(r"[a-z]+", phrase.lower())}


def _bullets(text: str) -> list[str]:
    """The names of the bullets under a line that opens a list of what is shown."""
    found: list[str] = []
    opened = False
    for line in text.splitlines():
        bullet = _BULLET.match(line)
        if opened and bullet:
            found.append(bullet["name"])
        else:
            opened = bool(_OPENS.search(line))
    return found


def of_one_action(meaning: Meaning, domain: Domain) -> str:
    """A parameter is told to go with one action only and another takes it, or to go with one that takes it not."""
    for action, branch in meaning.branches.items():
        taken = {role.path[0] for role in branch.roles}
        for p in meaning.tool.parameters:
            if p.name not in taken and re.search(rf"\bon {action}, ", said_of(p, meaning.tool), re.IGNORECASE):
                return f"{p.name} ({action})"
        for role in branch.roles:
            match = _ONE_ACTION.search(said_of(role.parameter, meaning.tool))
            if match and match["action"].lower() != action.lower() and not role.parameter.required:
                return f"{role.dotted} ({action})"
    return ""


def keyed_within(meaning: Meaning, domain: Domain) -> str:
    """The id of what is made or changed holds within something that the call names and no one looks at."""
    if meaning.operation != "upsert":
        return ""
    nouns = {e.noun[-1] for e in domain.entities.values() if e.noun and e is not meaning.entity}
    for role in meaning.of("payload"):
        first = re.match(r"\W*([a-z]+) (?:user)?name\b", said_of(role.parameter, meaning.tool), re.IGNORECASE)
        if role.required and len(role.path) == 1 and first and first[1].lower() in nouns:
            return role.dotted
    return ""


def linked(meaning: Meaning, domain: Domain) -> str:
    """A link to what was made or changed is told to come back, and no column holds one."""
    names = (meaning.entity.key, *meaning.entity.fields)
    held = {word for name in names for word in field_types.name_words(name)}
    match = _LINKED.search(unwrapped(meaning.tool.description)) if meaning.writes else None
    return match["what"].lower() if match and not held & {"link", "url"} else ""


def in_no_place(meaning: Meaning, domain: Domain) -> str:
    """The records of one place are asked for, and the parameter that names the place was taken away."""
    match = _PLACE.search(unwrapped(meaning.tool.description)) if meaning.operation in _READS else None
    gone = {name.split(".")[-1].lower() for name, _ in meaning.narrowed}
    return match["what"].lower() if match and match["what"].lower() in gone else ""
