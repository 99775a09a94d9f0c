"""Doubts from the form of tools beside one another: texts that hold lists, free positions, things that nothing makes.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.meanings import REQUIRED_NOW, Meaning
from tvlab.environments.meanings.steering import said_of
from tvlab.foundation.words import singular, split_name

_JSON = re.compile(r"\bJSON[- ](?:array|list|string|encoded)\b|\barray of\b|\bstringified\b", re.IGNORECASE)
_DOERS = frozenset(
    "writer reader searcher finder sender creator fetcher maker getter retriever lister remover editor uploader "
    "viewer".split()
)
_SEVERAL = re.compile(
    r"\bmulti[- ]day\b|\b\d+[- ](?:day|hour)s?\b|\bhour[- ]by[- ]hour\b|\bday/night\b|\bup to \d+ (?:days|hours)\b"
    r"|\bnext (?:\d+|few|several) (?:days|hours)\b|\bhistorical\b|\bbreakdowns? by\b|\bgünlük\b|\b\d+ dias\b"
    r"|\bmodule by module\b"
    r"|\ball (?:the )?\w+ (?:in|of) (?:a|the) (?:workbook|module)",
    re.IGNORECASE,
)
_MEASURES = frozenset("uv marine pollen alert wave air solar astronomy moon".split())
_OF_NEWS = frozenset("grade target rating dividend earning upgrade".split())
_BIGGEST = frozenset("largest biggest highest richest".split())
_UPDATES = frozenset("updates operations changes requests".split())
_ALL_OR_ONE = re.compile(r"\ball (?:the )?\w+s or (?:a|one) (?:specific|single|given)\b", re.IGNORECASE)
_MADE = ("create", "send", "upsert", "batch_create")
_STATES = frozenset("status state type kind stage priority".split())


def json_list(meaning: Meaning, domain: Domain) -> str:
    """A text holds a JSON list of things, and is taken for one of them."""
    for role in meaning.of("key", "reference", "payload"):
        p = role.parameter
        if p.type != "string" or not p.required or not _JSON.search(said_of(p, meaning.tool)):
            continue
        things = singular(p.words[-1]) in meaning.entity.noun and p.words[-1] != singular(p.words[-1])
        if role.role != "payload" or (things and meaning.operation in _MADE):
            return role.dotted
    return ""


def free_position(meaning: Meaning, domain: Domain) -> str:
    """A thing is put at the position of another one, which nothing checks: ``add_table(slide_index)``."""
    if meaning.operation not in _MADE:
        return ""
    for role in meaning.of("payload"):
        words = role.parameter.words
        named = len(words) == 2 and words[1] == "index" and role.parameter.required
        if named and any(e.noun[-1] == words[0] and e is not meaning.entity for e in domain.entities.values()):
            return role.dotted
    return ""


def never_made(meaning: Meaning, domain: Domain) -> str:
    """What is changed by its name is made, listed and read by no tool: any name would do in the real tool."""
    entity = meaning.entity
    if meaning.operation not in ("update", "transition") or entity.key_kind != "natural" or meaning.branches:
        return ""
    mine = [t for t in domain.tools if domain.own.get(t.name) is entity]
    known = any(t.kind in ("create", "list", "search", "upsert") for t in mine)
    known = known or (any(t.kind == "delete" for t in mine) and any(t.kind == "read" for t in mine))
    return "" if known or entity.parents or entity.name in _settled(domain) else entity.title


def _settled(domain: Domain) -> set[str]:
    return {s.parent.name for s in domain.settings.values()}


def doer(meaning: Meaning, domain: Domain) -> str:
    """The noun says who does it, not what is made: ``file_writer``."""
    last = meaning.entity.noun[-1:]
    return last[0] if last and last[0] in _DOERS and meaning.operation in (*_MADE, "list", "search") else ""


def many_told(meaning: Meaning, domain: Domain) -> str:
    """One record answers what is told to be several: the days of a forecast, a history, a breakdown."""
    if meaning.operation not in ("fact", "read") or meaning.column:
        return ""
    made = any(t.kind in ("create", "update") for t in domain.tools if domain.own.get(t.name) is meaning.entity)
    match = _SEVERAL.search(meaning.tool.description)
    fields = {f.type for f in meaning.entity.fields.values()}
    return match[0].lower() if match and not made and not fields & {"array", "object"} else ""


def other_measure(meaning: Meaning, domain: Domain) -> str:
    """A forecast of something else than the weather, or things ranked by a measure that they lack."""
    if meaning.operation not in ("fact", "read", "list"):
        return ""
    noun = set(meaning.tool.noun)
    if noun & {"forecast", "weather", "condition"} and noun & _MEASURES:
        return " ".join(sorted(noun & _MEASURES))
    held = {w for f in meaning.entity.fields for w in field_types.name_words(f)}
    lacking = noun & _OF_NEWS if noun & {"news"} and meaning.operation == "list" else set()
    if lacking and not lacking & held:
        return " ".join(sorted(lacking))
    columns = [f for f in meaning.entity.fields.values() if f.type in ("number", "integer")]
    ranked = noun & _BIGGEST and meaning.operation == "list" and not columns
    return " ".join(sorted(noun & _BIGGEST)) if ranked else ""


def updates_stored(meaning: Meaning, domain: Domain) -> str:
    """A list of changes to other things is stored in a record."""
    if meaning.operation != "update":
        return ""
    for role in meaning.of("payload"):
        if role.parameter.required and role.parameter.many and role.parameter.words[-1:] and (
            role.parameter.words[-1] in _UPDATES
        ):
            return role.dotted
    return ""


def all_or_one(meaning: Meaning, domain: Domain) -> str:
    """All records or one are asked for by the same tool, and one alone can be read."""
    made = any(reason == REQUIRED_NOW for _, reason in meaning.narrowed)
    match = _ALL_OR_ONE.search(meaning.tool.description) if meaning.operation == "read" and made else None
    return match[0].lower() if match else ""


def started(meaning: Meaning, domain: Domain) -> str:
    """What is started is there: tools of the same thing stop it."""
    if meaning.operation != "create" or meaning.tool.verb not in ("start", "resume"):
        return ""
    stops = [
        t.name for t in domain.tools
        if domain.own.get(t.name) is meaning.entity and t.verb in ("stop", "pause", "deactivate", "close")
    ]  # fmt: skip
    return stops[0] if stops else ""


def address_changed(meaning: Meaning, domain: Domain) -> str:
    """What other tools need to find the thing would be stored as a new value: the name of an account."""
    if meaning.operation not in ("update", "batch_update"):
        return ""
    needed = [r for r in meaning.of("payload") if r.parameter.required and r.parameter.type == "string"]
    needed = [r for r in needed if not r.parameter.enum and len(r.path) == 1 and not set(r.parameter.words) & _STATES]
    for role in needed:
        for tool in domain.tools:
            lists = tool.kind in ("list", "delete", "count", "search") and domain.own.get(tool.name) is meaning.entity
            same = tool.parameter(role.parameter.name)
            if lists and same is not None and same.required and same.snake not in words_of.QUERY_WORDS:
                return role.dotted
    return ""


def free_reference(meaning: Meaning, domain: Domain) -> str:
    """A file or a page that tools of the server make is given by its path, and nothing checks that it is there."""
    if not meaning.writes or meaning.branches:
        return ""
    for role in meaning.of("payload", "filter"):
        p = role.parameter
        if not p.required or p.type != "string" or len(role.path) > 1 or p.words[-1:] not in _PLACES:
            continue
        for entity in domain.entities.values():
            made = entity is not meaning.entity and entity.key == p.name and _makes(domain.tools, domain, entity.name)
            if made and not entity.hidden:
                return f"{role.dotted}: {entity.title}"
    return ""


_PLACES = (("path",), ("filename",), ("filepath",), ("file",), ("workbook",), ("uri",))


def _makes(tools: list[ParsedTool], domain: Domain, name: str) -> bool:
    return any(t.kind in ("create", "upsert") and domain.own.get(t.name) is domain.entities[name] for t in tools)


def list_of_lists(meaning: Meaning, domain: Domain) -> str:
    """``get_domain_list`` answers rows of their own beside the domains that other tools change."""
    noun = meaning.entity.noun
    if meaning.operation not in ("list", "search") or noun[-1:] != ("list",) or len(noun) < 2:
        return ""
    ids = any(p.id_noun == noun for t in domain.tools for p in t.parameters if p.is_id)
    made = any(t.kind in ("create", "update", "delete") and t.noun == noun for t in domain.tools)
    other = domain.entities.get("_".join(noun[:-1]))
    return other.title if other is not None and not ids and not made else ""


def associated(meaning: Meaning, domain: Domain) -> str:
    """What is told to come with each record is in no column: "the account info and associated stake"."""
    match = re.search(r"\band (?:the )?associated (?P<what>[a-z]+)", meaning.tool.description[:300], re.IGNORECASE)
    if match is None or meaning.operation not in ("list", "search", "read", "fact") or meaning.column:
        return ""
    word = singular(match["what"].lower())
    held = {singular(w) for f in (meaning.entity.key, *meaning.entity.fields) for w in field_types.name_words(f)}
    words = {singular(w) for w in split_name(meaning.tool.name)}
    return word if word not in held | words | {"metadata", "detail", "information", "data"} else ""
