"""Doubts about what a read answers: nothing but what was given, a part read as its parent, a mere field.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Field
from tvlab.environments.domain.promised_content import missing, promised
from tvlab.environments.domain.tool_parsing import Noun
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.meanings import Meaning

#: last words of a name that say no more than "what is known of it"
PLAIN = frozenset("detail info information data record object full by id list item entry result all page".split())
#: last words that name content which a record must have
_CONTENT: dict[str, tuple[str, ...]] = {
    "content": ("content", "text", "body", "markdown"),
    "status": ("status", "state"),
    "state": ("state", "status"),
    "metadata": (),
    "profile": (),
    "summary": ("summary",),
    "overview": ("overview",),
}
#: nouns that promise more than a name
_TELLING = frozenset(
    "quote price target release news history update metadata summary rating estimate transcript article balance "
    "ratio forecast statement metric index rate volume supply value score result weather schedule standing detail "
    "filing transaction trade dividend earning holding position calendar".split()
)
#: things that a name does not tell: what was said, paid, measured or done
_NAMELESS = frozenset(
    "order note message response transaction trade receivable payable balance cast post tweet comment log commit step "
    "article news paper review job run build filing attachment payout payment shipment hour rate dependency reply "
    "answer story email mail invoice bill quote alert incident change event activity result entry relationship link "
    "url measurement reading observation price cost score rank volume abstract submission trace error notification "
    "mention reaction vote bid offer fact joke lyric word line string symbol address location coordinate route "
    "history session visit purchase receipt refund expense deposit withdrawal transfer stake reward swap position "
    "holding stat fixture match zap inscription verse paper deployment version wallpaper content flight hotel "
    "query section thread passage paragraph excerpt bioassay dump archive trait rune nutrition move problem "
    "deadline date backup image campaign offering stock study experiment publication file "
    "decompiled posting neighbor effort search risk trial assignment sent received assembly nutrient recipe "
    "char byte instruction opcode photo video clip sound".split()
)
_LABELS = frozenset("name title status id".split())
_DETAILS = re.compile(r"\bdetailed\b|\bdetails?\b|\bfull\b|\bcomplete\b|\bcomprehensive\b", re.IGNORECASE)
#: columns beside the name that are details
_LEAST = 2
_COUNTED = {
    (word,)
    for word in "member members comment comments review reviews contributor contributors issue issues".split()
}
#: so few promises are kept one and all
_SHORT = 4
_STEERING = frozenset("fetch skiptoken token page pages apikey api limit short format".split())
_EACH = re.compile(r"\b(?:each|every one) with ([^.]+)", re.I)
_PROMISES = re.compile(
    r"\bincluding\b|\bsuch as\b|\bdetails? (?:like|about|on|of|for)\b|\bdetailed information\b|\bcomprehensive\b"
    r"|^\W*(?:get|retrieve|fetch|access)s? (?:the )?historical\b|\bkey details\b"
    r"|\bcomplete (?:detail|information)|\bfull details\b|\bwith (?:their|its) \w+|\bmetadata\b|\benriched\b"
    r"|\binformation (?:about|on|for)\b|\bdata (?:for|about|on|of)\b|\bextracts?\b",
    re.IGNORECASE,
)
_READS = frozenset({"read", "list", "search", "fact", "batch_read", "count"})


def part_of(meaning: Meaning, domain: Domain) -> str:
    """The noun after the verb is not the thing that is answered, and no field of it either."""
    tool, entity = meaning.tool, meaning.entity
    if meaning.operation not in ("read", "list", "search", "fact", "batch_read") or meaning.branches or meaning.column:
        return ""
    if tool.name in domain.settings or not tool.noun:
        return ""
    noun = tuple(tool.noun)
    while len(noun) > 1 and noun[-1] in PLAIN and domain.nouns.resolve(noun) != entity.noun:
        noun = noun[:-1]
    content: str = ""
    while len(noun) > 1 and noun[-1] in _CONTENT and noun != entity.noun:
        content = content or noun[-1]
        noun = noun[:-1]
    if content and not _holds(meaning, content):
        return f"no {content} of {entity.title}"
    return "" if _stands_for(noun, meaning, domain) else f"{' '.join(tool.noun)}: {entity.title}"


def _holds(meaning: Meaning, content: str) -> bool:
    names = _CONTENT[content]
    fields = [f for f in meaning.entity.fields.values() if not f.reference]
    if not names:
        return len([f for f in fields if f.name != "name" or f.in_input]) > 1
    return any(field_types.name_words(f.name)[-1:] in {(n,) for n in names} for f in fields)


def _stands_for(noun: Noun, meaning: Meaning, domain: Domain) -> bool:
    """True if a noun is the entity's, its head, or one that was merged into it on evidence."""
    entity = meaning.entity
    if noun == entity.noun or noun[-len(entity.noun) :] == entity.noun or entity.noun[-len(noun) :] == noun:
        return True
    if domain.nouns.resolve(noun) == entity.noun and noun[-1] == entity.noun[-1]:
        return True
    if entity.fact_table if hasattr(entity, "fact_table") else getattr(entity, "fact", None):
        return True
    key = field_types.name_words(entity.key)
    return noun == key[: len(noun)] or (entity.is_path and noun[-1] in ("file", "directory", "folder", "path"))


def empty(meaning: Meaning, domain: Domain) -> str:
    """The answer would hold nothing but the key, references and what the caller gave."""
    if meaning.operation not in ("read", "list", "search", "fact", "batch_read") or meaning.column:
        return ""
    tool, entity = meaning.tool, meaning.entity
    given = {role.field for role in meaning.of("filter", "key") if role.op == "=="}
    given |= {p.name for p in tool.parameters} if not _made_by_others(meaning, domain) else set()
    given -= _each_with(tool.description)
    told = [f for f in entity.fields.values() if not f.reference and f.name not in given and not _steers(f)]
    looked_up = tool.verb in ("find", "lookup", "search") and entity.key_kind == "minted" and bool(given)
    if not told and not looked_up and not (entity.key_kind == "natural" and meaning.operation in ("list", "search")):
        return entity.title
    words = set(tool.noun)
    criteria = bool(words & _TELLING) and not _made_by_others(meaning, domain)
    if any(_tells(f) and not (criteria and f.filtered) for f in told):
        return ""
    if words & _TELLING and not _made_by_others(meaning, domain):
        return f"only a name of {entity.title}"
    match = _PROMISES.search(tool.description[:500])
    return f"only a name of {entity.title}, {match[0].lower()}" if match else ""


def _each_with(description: str) -> set[str]:
    """The words of what the description says that each record holds: "each with id, room and volume"."""
    match = _EACH.search(description)
    return set(re.findall(r"[a-z_]+", match[1].lower())) if match else set()


def unkept(meaning: Meaning, domain: Domain) -> str:
    """Most of what the description says the answer holds is in no column: "a build including its jobs"."""
    if meaning.operation not in ("read", "list", "search", "fact", "batch_read") or meaning.column:
        return ""
    entity = meaning.entity
    told = promised(meaning.tool.description, (*meaning.tool.noun, *entity.noun))
    counted = {name for name, f in entity.fields.items() if _is_count(f)}
    gone = missing(told, (*(name for name in entity.fields if name not in counted), entity.key))
    most = len(gone) * 2 >= len(told) or len([phrase for phrase in told if phrase != ("type",)]) <= _SHORT
    return ", ".join(" ".join(phrase) for phrase in gone[:4]) if gone and most else ""


def _is_count(f: Field) -> bool:
    """True for a number under a word that names things: the members are no number of them."""
    return f.type == "integer" and not f.in_input and field_types.name_words(f.name)[-1:] in _COUNTED


def mere_name(meaning: Meaning, domain: Domain) -> str:
    """A name is all that is known of a thing that is no name: a post, an order, a rate, opening hours."""
    entity = meaning.entity
    if meaning.operation not in _READS - {"count"} or meaning.column or entity.is_path:
        return ""
    said_to = _each_with(meaning.tool.description)
    told = [f for f in entity.fields.values() if not f.reference and not _steers(f)]
    told = [f for f in told if f.written or not f.in_input or f.name in said_to]
    told = [f for f in told if f.in_input or f.type != "boolean"]
    labelled = any(field_types.name_words(f)[-1:] in (("name",), ("title",)) for f in entity.fields)
    if not told and not labelled and entity.key_kind == "minted" and not entity.hidden:
        return f"nothing but criteria of {entity.title}"
    words = {*meaning.tool.noun[-1:], *entity.noun[-1:]}
    spoken = (words | ({*entity.noun} & {"sent", "received"})) & _NAMELESS
    outer = {*meaning.tool.noun[:-1], *entity.noun[:-1]}
    said = [
        f for f in told
        if not {*field_types.name_words(f.name)[-1:]} & _LABELS and not _asked(f, meaning)
        and not set(field_types.name_words(f.name)) <= outer
    ]  # fmt: skip
    known = bool(said if not spoken else [f for f in said if f.name not in ("date", "timestamp")])
    if spoken and not known and not _made_by_others(meaning, domain):
        return f"only a name of {entity.title}"
    if meaning.operation == "read" and len(said) < _LEAST and _DETAILS.search(meaning.tool.description[:200]):
        return f"no details of {entity.title}"
    alone = meaning.operation in ("read", "fact") and not known and not _made_by_others(meaning, domain)
    return f"only a name of one {entity.title}" if alone else ""


def _asked(f: Field, meaning: Meaning) -> bool:
    """True for a column that the caller gives."""
    return any(role.field == f.name and role.op == "==" for role in meaning.of("filter", "key", "reference"))


def _steers(f: Field) -> bool:
    """True for a column that only comes from a parameter of paging or of a caller."""
    words = set(field_types.name_words(f.name))
    return f.filtered and bool(words & _STEERING)


def _tells(f: Field) -> bool:
    return f.in_input or f.name not in ("name", "title", "status")


def _made_by_others(meaning: Meaning, domain: Domain) -> bool:
    return any(domain.own.get(t.name) is meaning.entity and t.kind in ("create", "update") for t in domain.tools)


def mere_field(meaning: Meaning, domain: Domain) -> str:
    """The thing is a field of other things: ``search_name`` finds no names but what bears them."""
    entity = meaning.entity
    alone = len(entity.noun) == 1 and entity.noun[0] in {*words_of.NATURAL_KEYS, "cusip", "isin", "cik", "id", "date"}
    made = any(domain.own.get(t.name) is entity and t.kind in ("create", "delete") for t in domain.tools)
    alone = alone or entity.noun[-1] in {"basic", "advanced", "simple", "quick", "full", "combined", "general"}
    return entity.title if alone and not made and meaning.operation in _READS else ""
