"""Doubts about what kind of thing a tool is about: two kinds under one noun, one kind in two tables, either of two.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.nouns import flat
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.foundation.words import plural, singular, split_name

_LISTS = frozenset({"list", "search"})
_MADE = frozenset({"create", "send", "batch_create"})
_ONE = re.compile(
    r"^\W*(?:gets?|retrieves?|fetch(?:es)?|shows?|returns?) (?:the )?(?:full )?(?:details?|information|info|metadata)"
    r" (?:of|about|for|on) (?:a|an|the|one) (?:specific|single|given|particular) (?P<what>[\w ]{2,30})",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\bfiles? (?:and|or|and/or)(?: \w+)? (?:director(?:y|ies)|folders?)\b", re.IGNORECASE)
_OFFERED = re.compile(
    r"\b(?:plugin|app|extension|theme|template|package|public|\.org) (?:\w+ )?"
    r"(?:directory|marketplace|catalog|registry)\b"
    r"|\bavailable (?:to|for) install|\bnot yet installed\b",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"^\W*(?:lists?|gets?|retrieves?|returns?|shows?) (?:all |the |your |upcoming |recent )*(?P<what>[a-z]+s)"
    r"(?= (?:for|of|in|from|on)\b|[.,]|\s*$)",
    re.IGNORECASE,
)
#: so many fields of a create, of an update, tell what kind of thing it makes
_LEAST, _MOST = 3, 6
_SHARED = 0.25  # of the fewer fields; below that two writes make different things


def one_list(meaning: Meaning, domain: Domain) -> str:
    """The details of one thing are asked for by its id, and what lies in it is answered."""
    match = _ONE.match(unwrapped(meaning.tool.description)) if meaning.operation in _LISTS else None
    if match is None:
        return ""
    noun = tuple(singular(w) for w in match["what"].lower().split())
    for role in meaning.of("reference"):
        target = domain.entities.get(role.entity or "")
        if target is not None and target is not meaning.entity and role.required and noun[-1:] == target.noun[-1:]:
            return target.title
    return ""


def either_container(meaning: Meaning, domain: Domain) -> str:
    """An id is of one of several kinds, which another parameter says, and points at a kind that is made up."""
    return next((r.dotted for r in meaning.of("reference") if of_either(r, meaning, domain)), "")


def of_either(role: Role, meaning: Meaning, domain: Domain) -> str:
    """Return why a reference goes if it is optional: another parameter says what kind of thing it is of."""
    p, target = role.parameter, domain.entities.get(role.entity or "")
    if role.role != "reference" or target is None or len(role.path) > 1 or domain.kinds.get(target.noun, set()) & _TOLD:
        return ""
    kinds = [q for q in meaning.tool.parameters if q.enum and q.words[-1:] in (("type",), ("kind",))]
    return "of one of several kinds" if any(q.words[:-1] == p.words[:-1] for q in kinds) else ""


_TOLD = frozenset({"list", "search", "create", "upsert", "read"})


def files_alone(meaning: Meaning, domain: Domain) -> str:
    """Files and directories are told of, and files alone are answered."""
    if not meaning.entity.is_path or meaning.entity.is_container or meaning.operation not in _LISTS:
        return ""
    match = _BOTH.search(unwrapped(meaning.tool.description)[:300])
    return match[0].lower() if match else ""


def offered(meaning: Meaning, domain: Domain) -> str:
    """What could be installed is asked for, and what is there is answered."""
    match = _OFFERED.search(unwrapped(meaning.tool.description)[:400]) if meaning.operation in _LISTS else None
    if match is None:
        return ""
    mine = [t for t in domain.tools if domain.own.get(t.name) is meaning.entity and t is not meaning.tool]
    return match[0].lower() if mine else ""


def other_rows(meaning: Meaning, domain: Domain) -> str:
    """The description lists things of another name than the tool: a list of calendars, "List all events"."""
    if meaning.operation not in _LISTS or meaning.column or meaning.entity.fact is not None:
        return ""
    text = re.sub(r"^\s*(?:[\[(【][^\])】]{0,40}[\])】]\s*)+", "", meaning.tool.description)
    match = _MANY.match(text)
    if match is None:
        return ""
    word = singular(match["what"].lower())
    known = {*meaning.entity.noun, *meaning.tool.noun, *(singular(w) for w in split_name(meaning.tool.name))}
    known |= {singular(w) for f in (meaning.entity.key, *meaning.entity.fields) for w in field_types.name_words(f)}
    said = meaning.tool.noun and meaning.tool.plural
    return word if word not in known | _ROWS and not said else ""


_ROWS = frozenset("item record detail result object entry element resource information data content row".split())


def named_other(meaning: Meaning, domain: Domain) -> str:
    """The description finds things that other tools make under a longer name: memories, "Search for memory items"."""
    own = meaning.entity
    made = any(domain.own.get(t.name) is own and t.kind in ("create", "update", "delete") for t in domain.tools)
    if meaning.operation not in _LISTS or made:
        return ""
    text = unwrapped(meaning.tool.description)[:70].lower()
    for other in domain.entities.values():
        longer = not other.hidden and len(other.noun) > len(own.noun) and other.noun[: len(own.noun)] == own.noun
        if longer and re.search(rf"\b{re.escape(' '.join((*other.noun[:-1], plural(other.noun[-1]))))}\b", text):
            return other.title
    return ""


def one_column(meaning: Meaning, domain: Domain) -> str:
    """Two values that a call must give are kept in one column: the two ends of a link."""
    fields = [r.field for r in meaning.of("payload", "reference") if r.required and r.field and not r.filters]
    twice = [f for f in fields if fields.count(f) > 1]
    return twice[0] if twice and meaning.writes and not meaning.branches else ""


def two_things(meaning: Meaning, domain: Domain) -> str:
    """What this tool makes, or lists under what it belongs to, shares no fields with what the noun's others make."""
    entity = meaning.entity
    makers = [t for t in domain.tools if domain.own.get(t.name) is entity and t.kind in ("create", "send", "update")]
    held = {t.name: _fields(t, domain) for t in makers}
    held = {t.name: held[t.name] for t in makers if len(held[t.name]) >= (_MOST if t.kind == "update" else _LEAST)}
    apart = {name for name, fields in held.items() if _apart(fields, [f for n, f in held.items() if n != name])}
    if not apart or len(apart) == len(held) > 2:
        return ""
    if len(held) == 2:
        apart = {max((t for t in makers if t.name in held), key=lambda t: (t.noun != entity.noun, len(t.name))).name}
    if meaning.tool.name in apart and meaning.operation in _MADE:
        return meaning.tool.name
    if meaning.operation not in _LISTS:
        return ""
    place = {str(r.entity) for r in meaning.of("reference")}
    odd = {t.name: _places(t, entity, domain) for t in makers}
    theirs = set().union(*(odd[name] for name in apart)) - set().union(*(odd[n] for n in odd if n not in apart))
    return " ".join(sorted(place & theirs))


def _fields(tool: ParsedTool, domain: Domain) -> set[str]:
    names = {p.snake for p in flat(tool.parameters) if not p.is_id and not p.children and p.words}
    return {n for n in names if n not in _ROWS and domain.scopes.get(n) is None}


def _apart(fields: set[str], others: list[set[str]]) -> bool:
    return bool(others) and all(len(fields & other) < _SHARED * min(len(fields), len(other)) for other in others)


def _places(tool: ParsedTool, entity: Entity, domain: Domain) -> set[str]:
    found = [domain.reference(p, entity) for p in tool.parameters if p.required and not p.many]
    return {e.name for e in found if e is not None and e is not entity and e.name not in domain.scopes}


def made_of_nothing(meaning: Meaning, domain: Domain) -> str:
    """A relation is made whose ends were taken away: an assignment of nothing to nobody."""
    gone = [path for path, why in meaning.narrowed if why == "points at what no tool knows" and "." not in path]
    if meaning.operation not in _MADE or not gone or meaning.of("reference", "key"):
        return ""
    return gone[0] if not any(p.required for p in meaning.tool.parameters) else ""


def child_of_rows(meaning: Meaning, domain: Domain) -> str:
    """Rows are found by what is kept apart from them: the external links of stories have a table of their own."""
    if meaning.operation not in _LISTS:
        return ""
    return next((role.dotted for role in meaning.of("filter") if kept_apart(role, meaning, domain)), "")


def kept_apart(role: Role, meaning: Meaning, domain: Domain) -> str:
    """Return why a filter goes if it is optional: what it looks for has a table of its own; "" if it has none."""
    column = meaning.entity.fields.get(role.field or "") if role.role == "filter" else None
    child = domain.entities.get("_".join(singular(w) for w in role.parameter.words))
    if column is None or column.written or child is None or child.hidden or child is meaning.entity:
        return ""
    below = meaning.entity.name in child.parents.values() and role.parameter.type == "string"
    return "is kept in a table of its own" if below and meaning.operation in _LISTS else ""


def named_within(meaning: Meaning, domain: Domain) -> str:
    """A name is unique within its parent alone: two workbooks have a sheet of the same name each."""
    key, entity = meaning.one("key"), meaning.entity
    if meaning.operation != "create" or key is None or entity.is_path:
        return ""
    places = [r for r in meaning.of("reference") if r.required and r.field in entity.parents]
    keyed = [
        t for t in domain.tools
        if t is not meaning.tool and domain.own.get(t.name) is entity and domain.key_parameter(t, entity) is not None
    ]  # fmt: skip
    both = keyed and all(any(p.required and domain.reference(p, entity) in _targets(places, domain)
                             for p in t.parameters) for t in keyed)  # fmt: skip
    return places[0].dotted if places and both else ""


def _targets(roles: list[Role], domain: Domain) -> list[Entity]:
    return [domain.entities[role.entity] for role in roles if role.entity]
