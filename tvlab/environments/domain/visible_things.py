"""What an id points at: a thing that tools are about, before a hidden one that would have to be made up.

``journal_id`` beside tools of ephemeral journals is one of those, ``pr_id`` a pull request, ``task_owner_ids`` are
users.  A hidden entity stays where nothing of the server fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set

from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import Noun, Parameter
from tvlab.environments.language import vocabulary as words_of

#: words that name people by what they do
_PEOPLE = words_of.PERSON_ROLES | frozenset(
    "follower subscriber watcher commenter submitter mentor driver rep representative teammate collaborator "
    "user member person agent".split()
)
_NO_PERSON = frozenset({"contact", "customer", "account", "agent"})


def visible(hidden: Entity, entities: Iterable[Entity], tool_words: frozenset[str] = frozenset()) -> Entity:
    """Return the visible entity that a hidden one means, the hidden one if none fits.

    Args:
        hidden: what an id's noun has been resolved to.
        entities: all of the server.
        tool_words: words of the tool's name; they choose among several of one head.
    """
    seen = [e for e in entities if not e.hidden and e.fact is None and e.key_type == hidden.key_type]
    ends = [e for e in seen if e.noun[-1] == hidden.noun[-1] and len(e.noun) > len(hidden.noun)]
    fits = [e for e in ends if e.noun[-len(hidden.noun) :] == hidden.noun] or _initials(hidden.noun, seen)
    if len(fits) > 1 and tool_words:
        fits = [e for e in fits if set(e.noun[: -len(hidden.noun)]) <= tool_words]
    if len(fits) == 1:
        return fits[0]
    alike = [
        e for e in seen
        if e.noun[-1] == hidden.noun[-1] and len(e.noun) == len(hidden.noun) > 1 and set(e.noun[:-1]) & tool_words
    ]  # fmt: skip
    if len(alike) == 1 and not fits:
        return alike[0]
    plain = [e for e in seen if e.noun == hidden.noun[-1:]]
    if len(plain) == 1 and hidden.noun[0] in _PLAIN_BEFORE:
        return plain[0]
    return _person(hidden, seen) or hidden


def of_area(entity: Entity, own: Entity | None, entities: Iterable[Entity]) -> Entity:
    """Return the thing of the own area that an id without its area means: a course of Gradescope's assignments."""
    if own is None or len(own.noun) < 2:
        return entity
    size, area = len(entity.noun), set(own.noun)
    longer = [
        e for e in entities
        if e is not own and not e.hidden and len(e.noun) > size and e.noun[-size:] == entity.noun
        and set(e.noun[:-size]) <= area and e.key_type == entity.key_type
    ]  # fmt: skip
    return longer[0] if len(longer) == 1 and not set(entity.noun) <= area else entity


def listed(entity: Entity, entities: Iterable[Entity], kinds: Mapping[Noun, Set[str]]) -> Entity:
    """Return the thing whose ids a server tells, for one that is only read: ``account_id`` beside ``get_ad_accounts``.

    Args:
        entity: what an id's noun has been resolved to; no tool makes or lists it.
        entities: all of the server.
        kinds: what the tools of each noun do.
    """
    if kinds.get(entity.noun, set()) & {"list", "search", "create", "upsert", "send"} or len(entity.noun) != 1:
        return entity
    longer = [
        e for e in entities
        if not e.hidden and e.fact is None and len(e.noun) == 2 and e.noun[-1:] == entity.noun
        and e.key_type == entity.key_type and "list" in kinds.get(e.noun, set())
        and not kinds.get(e.noun, set()) - {"list", "search"} and not _SOME.search(e.noun[0])
    ]  # fmt: skip
    return longer[0] if len(longer) == 1 and kinds.get(entity.noun) else entity


#: words that say which of the things are meant, not what they are
_SOME = re.compile(r"ed$|^(?:my|own|top|new|recent|active|available|all)$")
#: files that hold other things
_HOLDERS = frozenset("workbook document presentation spreadsheet notebook".split())


def holder(parameter: Parameter, own: Entity | None, entities: Iterable[Entity]) -> Entity | None:
    """Return the only kind of file of a server, in which other things lie: the workbook of a sheet's ``path``."""
    if own is None or own.is_path or parameter.words[-1:] != ("path",) or parameter.type != "string":
        return None
    files = [e for e in entities if e.is_path and not e.hidden and e.key == parameter.name and e.noun[-1] in _HOLDERS]
    return files[0] if len(files) == 1 else None


def _initials(noun: Noun, seen: list[Entity]) -> list[Entity]:
    """``pr`` of pull requests."""
    if len(noun) != 1 or not 2 <= len(noun[0]) <= 4:
        return []
    return [e for e in seen if len(e.noun) == len(noun[0]) and "".join(w[0] for w in e.noun) == noun[0]]


def _person(hidden: Entity, seen: list[Entity]) -> Entity | None:
    if hidden.noun[-1] not in _PEOPLE and hidden.noun[0] not in _PEOPLE:
        return None
    people = [name for name in words_of.PERSON_ENTITIES if name not in _NO_PERSON or name == hidden.noun[-1]]
    for name in people:
        found = [e for e in seen if e.noun[-1] == name]
        if len(found) == 1:
            return found[0]
    return None


#: words before a noun that say which one of its things is meant, not another kind
_PLAIN_BEFORE = frozenset(
    "inward outward duplicate forward overridden overriding first last reply parent child main other another".split()
)
