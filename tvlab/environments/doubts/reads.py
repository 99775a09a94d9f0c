"""Doubts about reads: one read as many, a key that was taken away, an order that no record holds, free texts.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.doubts.parameters import wrong_with
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.meanings import Meaning
from tvlab.foundation.words import singular, split_name

_READS = frozenset({"read", "list", "search", "fact", "batch_read", "count"})
_MANY = frozenset({"list", "search"})
_REPORTS = frozenset(
    "report profit loss statement analysis analytic statistic stat aged aging cashflow metric performance ranking "
    "leaderboard trend benchmark histogram heatmap correlation".split()
)
_ONE = frozenset("setting config configuration preference profile status state summary overview info".split())
#: words that pick by an order or a measure
_PICKED = frozenset(
    "next nearest closest best latest newest current last first random top similar related trending popular "
    "upcoming recent recommended suggested worst cheapest previous nearby hot".split()
)
_PICKED_TEXT = re.compile(
    r"\bnearest\b|\bclosest\b|\bmost (?:relevant|similar|popular)\b|\bsemantic(?:ally)?\b|\bsimilarity\b|\brelevance\b"
    r"|\branked\b|\brandom\b|\bbest match|\bnatural language\b|\bvector\b|\bembedding",
    re.IGNORECASE,
)
_ID_OF = re.compile(r"\W*(?:the )?(?:unique )?(?P<noun>[A-Za-z]+) (?:ID|id|identifier|Id|uuid|UUID)\b")
_NO_THINGS = frozenset("the unique object resource record internal numeric".split())
_MATCHES = re.compile(
    r"\bmultiple (?:potential )?matches|\bsimilar(?:ity)?\b|\bpartial(?:ly)?\b|\bbest match|\bfuzzy\b"
    r"|\bsearch(?:es)? (?:for|by)\b",
    re.IGNORECASE,
)
_FREE = frozenset(
    "prompt question task instruction instructions context requirement requirements input message expression html "
    "markdown sentence paragraph script sql goal problem idea thought topic framework".split()
)
_SEPARATED = re.compile(
    r"\b(?:comma|semicolon|space|pipe|newline)[- ](?:separated|delimited)|\bseparated by (?:a )?(?:comma|semicolon)"
    r"|\bcsv\b|\blist of (?:symbols|ids|tickers)\b",
    re.IGNORECASE,
)


def statistic(meaning: Meaning, domain: Domain) -> str:
    """A statistic or report follows from a history that is not modelled, unless tools make such records."""
    if meaning.operation not in _READS:
        return ""
    found = set(meaning.tool.noun) & _REPORTS
    made = any(domain.own.get(t.name) is meaning.entity and t.kind in ("create", "update", "delete")
               for t in domain.tools)  # fmt: skip
    inside = found <= set(meaning.entity.noun)
    return "" if (made and inside) or meaning.entity.pair else " ".join(sorted(found))


def one_as_list(meaning: Meaning, domain: Domain) -> str:
    """A list is the answer of a name that speaks of one thing."""
    tool = meaning.tool
    rows = getattr(meaning.entity, "fact", None) is not None
    if rows or meaning.operation not in _MANY or tool.kind in ("list", "search", "count"):
        return ""
    if tool.noun[-1:] and tool.noun[-1] in _ONE and not meaning.of("reference", "filter", "limit", "page"):
        return tool.noun[-1]
    if not _speaks_of_many(tool):
        return " ".join(tool.noun)
    return ""


def _speaks_of_many(tool: ParsedTool) -> bool:
    """True for a plural that is none of ``details``, ``settings``; for ``order_list``."""
    return (tool.plural and tool.noun[-1] not in {"detail", *_ONE}) or tool.noun[-1:] == ("list",)


def picked(meaning: Meaning, domain: Domain) -> str:
    """The answer is picked or ordered by a measure that no record holds."""
    if meaning.operation not in _READS:
        return ""
    words = [singular(w) for w in split_name(meaning.tool.name)]
    entity = meaning.entity
    ordered = getattr(getattr(entity, "fact", None), "order", "")
    found = [w for w in words if w in _PICKED and w not in entity.noun and w not in entity.fields]
    if meaning.operation in ("fact", "read"):
        found = [w for w in found if w not in ("current", "latest", "last")]
    if found and not ordered:
        return found[0]
    if meaning.operation not in _MANY:
        return ""
    match = _PICKED_TEXT.search(re.split(r"\n\s*(?:Args|Parameters|Returns)\b", meaning.tool.description)[0][:400])
    return match[0].lower() if match else ""


def lost_key(meaning: Meaning, domain: Domain) -> str:
    """A list whose tool could name the one record by an id that was taken away."""
    tool = meaning.tool
    gone = {path for path, _ in meaning.narrowed}
    if meaning.operation == "fact" and not meaning.of("filter", "reference", "key"):
        return next((p.name for p in tool.parameters if p.name in gone and _picks(p)), "")
    if meaning.operation not in _MANY or tool.kind in ("list", "search") or _speaks_of_many(tool):
        return ""
    return next(
        (p.name for p in tool.parameters
         if p.name in gone and p.is_id and not p.many and domain.reference(p, meaning.entity) is meaning.entity),
        "",
    )  # fmt: skip


def _picks(p: Parameter) -> bool:
    """True for what tells one thing from another: an id, a symbol, a name, a place."""
    return p.is_id or bool({*words_of.NATURAL_KEYS, "city", "location", "country", "coin"} & set(p.words[-1:]))


def lost_criterion(meaning: Meaning, domain: Domain) -> str:
    """What name and description speak of was taken away: "all balances of an address" without the address."""
    if meaning.operation not in _READS or meaning.branches:
        return ""
    gone = {path for path, reason in meaning.narrowed if "required" not in reason}
    inside = {singular(w) for w in split_name(meaning.tool.name)}
    for p in meaning.tool.parameters:
        if p.name in gone and not p.required and p.type in ("string", "integer") and _picks(p):
            word = p.words[-1] if len(p.words) == 1 else p.words[0]
            form = rf"\b(?:for|of|by|to|from) (?:a|an|the|one)\b[^.,]{{0,30}}\b{word}\b"
            spoken = re.search(form, meaning.tool.description[:160], re.IGNORECASE)
            if word in inside and spoken:
                return p.name
    return ""


def other_id(meaning: Meaning, domain: Domain) -> str:
    """A bare id is described as the id of another thing: ``id: Group ID`` of a picture."""
    key = meaning.one("key")
    if key is None or key.parameter.id_noun or not key.parameter.is_id:
        return ""
    match = _ID_OF.match(key.parameter.description)
    noun = singular(match["noun"].lower()) if match else ""
    known = noun in meaning.entity.noun or noun in _NO_THINGS
    named = any(noun == word for entity in domain.entities.values() for word in entity.noun)
    inside = {singular(w) for w in split_name(meaning.tool.name)}
    return f"{key.dotted}: {noun}" if noun and not known and (named or noun in inside) else ""


def like_words(meaning: Meaning, domain: Domain) -> str:
    """One record is read by what the description calls a search with several or partial matches."""
    if meaning.operation not in ("read", "fact") or meaning.branches:
        return ""
    key = meaning.one("key") or meaning.one("filter")
    if key is None or key.parameter.is_id:
        return ""
    match = _MATCHES.search(meaning.tool.description[:300])
    return match[0].lower() if match else ""


def series(meaning: Meaning, domain: Domain) -> str:
    """Several rows, or a history, are read as the one record under a key that is not theirs."""
    tool, entity = meaning.tool, meaning.entity
    if meaning.operation != "read" or entity.key_kind != "natural" or getattr(entity, "fact", None) is not None:
        return ""
    gone = {path.rstrip("_") for path, _ in meaning.narrowed}
    if gone & {"from", "to", "start_date", "end_date", "startDate", "endDate", "from_date", "to_date", "start", "end"}:
        return "rows by date"
    only_read = all(t.kind == "read" for t in domain.tools if domain.own.get(t.name) is entity)
    own = field_types.name_words(entity.key)[: len(entity.noun)] == entity.noun
    many = _speaks_of_many(tool) or bool(set(tool.noun) & {"history", "historical", "upcoming", "series"})
    return " ".join(tool.noun) if only_read and many and not own else ""


def parameter(meaning: Meaning, domain: Domain) -> str:
    """A required parameter is taken for what it is not."""
    for role in meaning.roles:
        wrong = wrong_with(role, meaning)
        if wrong:
            return f"{role.dotted}: {wrong}"
    return ""


def lost_wrapper(meaning: Meaning, domain: Domain) -> str:
    """A list whose criteria lay in a wrapper object that was taken away."""
    gone = {path for path, _ in meaning.narrowed}
    if meaning.operation not in _MANY:
        return ""
    return next(
        (p.name for p in meaning.tool.parameters
         if p.name in gone and p.type in ("object", "any") and p.snake in words_of.WRAPPERS and len(gone) == 1),
        "",
    )  # fmt: skip


def free_text(meaning: Meaning, domain: Domain) -> str:
    """A required free text is compared with a field: what was asked is no column."""
    if meaning.operation not in _READS:
        return ""
    for role in meaning.of("filter"):
        p = role.parameter
        if p.type == "string" and not p.enum and set(p.words) & _FREE and role.op == "==":
            return role.dotted
    return ""


def separated(meaning: Meaning, domain: Domain) -> str:
    """A text of several values is compared as one."""
    if meaning.operation not in _READS:
        return ""
    for role in meaning.roles:
        p = role.parameter
        words = singular(p.words[-1]) != p.words[-1] if p.words else False
        plain = role.role in ("filter", "reference", "key") and p.type == "string" and role.op == "==" and not p.enum
        if plain and (_SEPARATED.search(p.description) or (words and role.role != "filter")):
            return role.dotted
    return ""
