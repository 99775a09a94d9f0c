"""Doubts from rules that a text states and a plain operation does not keep: other keys, fallbacks, limits.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain.domain import Domain
from tvlab.environments.language import value_families
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.language.wrapped_lines import unwrapped, without_brackets
from tvlab.environments.meanings.meanings import REQUIRED_NOW, Meaning, Role
from tvlab.environments.meanings.stated_conditions import conditions
from tvlab.environments.meanings.steering import said_of
from tvlab.foundation.words import singular, split_name

_READS = frozenset({"read", "list", "search", "fact", "batch_read", "count"})
_OTHER = r"(?:name|number|e-?mail|slug|username|title|url|alias|login|handle|code|key|invite code|phone)"
_EITHER_KEY = re.compile(
    rf"\b(?:id|uuid|gid|key|identifier|jid)s?\b[`\"')]*,? (?:or|and/or) (?:the |its |a |an |full |display "
    rf"|exact )*{_OTHER}\b"
    rf"|\b(?:name|number|email|slug|username|title|alias)s?\b,? or (?:the |its |a |an )*(?:\w+ )?(?:id|uuid|gid|key)\b"
    rf"|\b\w*id\b ?/ ?[\w ]{{0,20}}(?:/ ?)?(?:exact )?{_OTHER}\b|\be-?mail\b[^\n]{{0,60}}\b(?:username"
    rf"|account id|accountid)\b"
    r"|\b[a-z_]+_id\b(?: \([^)\n]*\))? or [a-z_]+_id\b|\bor unique values\b"
    r"|\bby \w*id\b[^.\n]{0,30}, [^.\n]{0,40}\bor (?:by )?(?:its |the )?name\b"
    r"|\bboth \w+ ids? and \w+ names?\b|\bby (?:its |the )?ids?,? or by\b|\bor by its \w+"
    r"|\b(?:alias|asset ?id)\b[^.\n]{0,60}\b(?:or|/) ?(?:exact )?name\b"
    r"|\b(?:name|number|code), (?:\w+, )?or (?:the )?id\b",
    re.IGNORECASE,
)
_LOOKED_UP = re.compile(r"\blook ?up ids?\b|\bnames? \((?:will|ids? (?:are|is))|\b(?:are|is) resolved\b", re.IGNORECASE)
_FALLBACK = re.compile(
    r"\bif (?:it is |it's )?(?:not|none|null|omitted|no|empty|unset)\b|\bdefaults? (?:to|is|:)|\bcurrent\b|\bactive\b"
    r"|\bomit\b|\buses? the\b|\bwhen omitted\b",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:default|built-in|primary"
    r"|inherited) (?:\([^)]*\) )?(?:['\"]?\w+['\"]? ){0,3}(?:\([^)]*\) )?(?:can ?not|can't|may not) be \w+"
    r"|\bfails? (?:if|while|when|unless)\b|\b(?:is|are) (?:rejected|refused)\b|\bexactly one\b"
    r"|\bonly (?:[`\w.]+ )?(?:is|are) writable\b|\bonly [`\w]+ (?:and [`\w]+ )?can be (?:changed|updated|edited)"
    r"|\b(?:can ?not|can't) be (?:edited|deleted|renamed)\b(?! through the)"
    r"|\bvalidates? debits\b|\bat least two\b|\bmust be (?:unique|balanced|active|approved)\b|\bnames? (?:are"
    r"|is|must be) unique\b"
    r"|\b(?:must|has to|have to) already exist\b|\bmust exist\b|\brequires at least one of\b"
    r"|\b(?:either|one of) [`\w]+ or [`\w]+ (?:is|are|must be) required\b|\brequires [`\w]+ and either\b"
    r"|\bor ensure\b|\ba maximum of \d+ \w+ (?:can|may) exist\b|\bcan only \w+ (?:once|one)\b|\bsupports? a single\b"
    r"|\balready exists?\b[^.\n]{0,80}\b(?:new version|existing|returned|overwrit|replac)"
    r"|\bat (?:the )?specific (?:row|line|position|cell)|\bits ID changes\b|\bis recreated\b"
    r"|\bexisting \w+ (?:link )?is returned\b|\bhas already been (?:deactivated|archived|closed)"
    r"|\bmust be in the future\b|\bis sent to\b.{0,40}\bto confirm\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\bfull (?:update|replace|replacement)\b|\breplaces? all\b|\bnot a partial\b|\bfully (?:update|replace)"
    r"|\bomitted (?:optional )?(?:fields|values|properties) (?:are|will be) (?:cleared|reset|removed)"
    r"|\bdefault to `*null`* if omitted\b",
    re.IGNORECASE,
)
_ANSWERED = re.compile(
    r"\breturns?:?\s+(?:the |an? )?(?:\w+['’]s )?(?:response|reply|answer|completion)\b(?! (?:object|data"
    r"|from the (?:api|server)))"
    r"|\b(?:agent|assistant|model|bot)['’]s (?:response|reply|answer)\b",
    re.IGNORECASE,
)
_ANY_WORD = re.compile(
    r"\bany of the (?:search )?(?:words?|terms?|keywords?)\b|\bOR logic\b|\bcontaining ANY\b"
    r"|\ball of the (?:words|terms)\b"
    r"|\bsmart matching\b|\bfuzzy\b|\btypo[- ]toleran|\bsemantic",
)
_ONE = re.compile(
    r"^\W*(?:gets?|retrieves?|fetch(?:es)?|shows?) (?:the )?(?:full )?(?:details?|information|info"
    r"|metadata) (?:of|about|for|on) "
    r"(?:a|an|the|one) (?:specific|single|given|particular)\b",
    re.IGNORECASE,
)
_STATES = frozenset(
    "deactivated archived deprovisioned inactive completed closed expired trashed unassigned unused pending cancelled "
    "suspended draft duplicate duplicated outdated stale".split()
)
_COUNTS = re.compile(r"\bcounts? of \w+ (?:that|which|who)\b", re.IGNORECASE)
_NEEDED = r"\brequires? (?:an? |the )?[`'\"]?{name}\b|\b{name}[`'\"]? (?:is|are) required\b"


def other_key(meaning: Meaning, domain: Domain) -> str:
    """The real tool also takes a name, a number, an e-mail in place of the key."""
    head = _before_arguments(meaning.tool.description)
    keys = [r for r in meaning.of("key", "reference") if r.role == "key" or r.required]
    for role in keys:
        if role.also:
            continue
        said = said_of(role.parameter, meaning.tool)
        match = _EITHER_KEY.search(said) or _EITHER_KEY.search(without_brackets(said))
        if match and not _is_both(role, meaning):
            return f"{role.dotted}: {match[0].lower()}"
    plain = without_brackets(unwrapped(head))[:400]
    match = _EITHER_KEY.search(head[:400]) or _EITHER_KEY.search(plain)
    match = match if keys and not any(r.also for r in keys) else None
    if match and len(meaning.of("key")) == 1 and not _of_its_own(meaning, match[0]):
        return match[0].lower()
    found = _LOOKED_UP.search(head) if meaning.operation in ("create", "update", "send") else None
    return found[0].lower() if found else ""


def _of_its_own(meaning: Meaning, said: str) -> bool:
    """True if the other key has an optional parameter of its own, which was taken away, and the id is required."""
    named = {word.strip("'`\"").lower() for word in said.split()}
    reasons = dict(meaning.narrowed)
    key = meaning.of("key")[0]
    others = [p for p in meaning.tool.parameters if p.name != key.dotted and not p.required and p.name in reasons]
    return reasons.get(key.dotted) == REQUIRED_NOW and any(p.snake in named for p in others)


def _is_both(role: Role, meaning: Meaning) -> bool:
    """True if the other key is a column that stands beside the id in the words alone: composite keys."""
    return role.parameter.snake in ("key", "name")


def fallback(meaning: Meaning, domain: Domain) -> str:
    """A key that may be left out, for the current or the default thing, is required here."""
    made = [name for name, reason in meaning.narrowed if reason == REQUIRED_NOW]
    for name in made:
        p = meaning.tool.parameter(name)
        if p is None:
            continue
        text = said_of(p, meaning.tool)
        target = domain.reference(p, meaning.entity)
        if target is not None and target.special and target.special == value_families.special_key(text):
            continue
        match = _FALLBACK.search(text)
        said = match[0].lower() if match else ""
        if said or p.schema.get("default") not in (None, "", []):
            return f"{name}: {said or p.schema.get('default')}"
    return ""


def stated(meaning: Meaning, domain: Domain) -> str:
    """A rule is stated that a plain write does not keep."""
    if not meaning.writes:
        return ""
    match = _STATED.search(unwrapped(meaning.tool.description))
    return match[0].lower() if match else ""


def replaces_whole(meaning: Meaning, domain: Domain) -> str:
    """An update is told to replace the whole record: what is left out goes."""
    if meaning.operation != "update":
        return ""
    match = _WHOLE.search(unwrapped(meaning.tool.description))
    optional = [r for r in meaning.of("payload", "reference") if not r.required]
    return match[0].lower() if match and optional else ""


def must_match(meaning: Meaning, domain: Domain) -> str:
    """A required value of an update says which record is meant and would be stored."""
    if meaning.operation != "update":
        return ""
    for role in meaning.of("payload"):
        said = said_of(role.parameter, meaning.tool)
        if role.required and re.search(r"\bmust match\b|\bcan ?not be changed\b|\bcan't be changed\b", said, re.I):
            return role.dotted
    names = {r.field for r in meaning.of("payload") if r.required}
    mine = [t for t in domain.tools if domain.own.get(t.name) is meaning.entity]
    others = [t for t in mine if t.kind in ("list", "read", "delete")]
    for tool in others:
        for p in tool.parameters:
            key = p.required and p.type == "string" and p.name in names and len(names) > 1
            if key and not p.enum and p.words[-1:] == ("name",) and p.words[0] not in meaning.entity.noun[-1:]:
                return p.name
    return ""


def answered(meaning: Meaning, domain: Domain) -> str:
    """What is sent is answered by somebody, and the answer is told to come back."""
    match = _ANSWERED.search(meaning.tool.description) if meaning.operation in ("send", "create") else None
    made = match and set(split_name(match[0])) & {*meaning.entity.noun}
    return match[0].lower() if match and not made else ""


def word_search(meaning: Meaning, domain: Domain) -> str:
    """A search by any of its words, or by likeness; here the whole text must be found."""
    if meaning.operation not in ("list", "search"):
        return ""
    for role in meaning.of("query"):
        said = said_of(role.parameter, meaning.tool)
        match = _ANY_WORD.search(f"{_before_arguments(meaning.tool.description)} {said}")
        if match:
            return match[0].lower()
    return ""


def one_told(meaning: Meaning, domain: Domain) -> str:
    """The details of one thing are asked for and several records are answered."""
    match = _ONE.match(meaning.tool.description)
    rows = meaning.operation in ("list", "search") and meaning.entity.fact is None
    return match[0].lower() if match and rows and not meaning.tool.plural else ""


def of_state(meaning: Meaning, domain: Domain) -> str:
    """A write to things of one state alone: ``delete_deactivated_user`` refuses an active one."""
    if meaning.operation not in ("delete", "update", "transition", "batch_delete", "batch_update") or meaning.branches:
        return ""
    found = [w for w in split_name(meaning.tool.name) if w in _STATES and w != meaning.tool.verb]
    return found[0] if found and not set(found) & set(meaning.entity.noun) else ""


def many_beside(meaning: Meaning, domain: Domain) -> str:
    """A change of state is given a list beside the key: what is in the list changes, not the record."""
    if meaning.operation != "transition":
        return ""
    return next((r.dotted for r in meaning.of("payload") if r.required and r.parameter.many), "")


def needed_place(meaning: Meaning, domain: Domain) -> str:
    """What the text calls required was taken away."""
    if not meaning.writes:
        return ""
    for name, reason in meaning.narrowed:
        plain = name.rpartition(".")[2]
        wanted = re.search(_NEEDED.format(name=re.escape(plain)), meaning.tool.description, re.IGNORECASE)
        if wanted and reason != REQUIRED_NOW and plain not in ("id", "confirm"):
            return name
    return ""


def moved_in(meaning: Meaning, domain: Domain) -> str:
    """A move into a list leaves the thing in the list where it was."""
    said = re.match(r"\W*moves?\b", meaning.tool.description, re.IGNORECASE)
    return said[0].strip().lower() if said and meaning.operation == "link" else ""


def holder_key(meaning: Meaning, domain: Domain) -> str:
    """The key is told to be that of what holds the thing: "Full database name" of a connection."""
    key, noun = meaning.one("key"), meaning.entity.noun
    if key is None or meaning.entity.key_kind != "natural" or len(noun) < 2:
        return ""
    text = said_of(key.parameter, meaning.tool)
    said = re.match(r"\W*(?:the |full |exact )*(\w+) (?:name|path)\b", text, re.IGNORECASE)
    word = singular(said[1].lower()) if said else ""
    return f"{key.dotted}: {word}" if word in noun[:-1] and word != noun[-1] else ""


_BY_CHOICE = re.compile(r"\brequired (?:for|when|if)\b|\bnot supported for\b", re.IGNORECASE)


def needed_by_choice(meaning: Meaning, domain: Domain) -> str:
    """A value is required by what another one chooses, and may be left out here."""
    if meaning.operation not in ("create", "send", "update"):
        return ""
    chosen = any(r.parameter.enum and r.required for r in meaning.of("payload"))
    kept = {role.dotted for role, _, _ in conditions(meaning)}
    for role in meaning.of("payload"):
        said = said_of(role.parameter, meaning.tool)
        told = _BY_CHOICE.search(said)
        if chosen and told and not role.required and role.dotted not in kept:
            return role.dotted
    return ""


def counted(meaning: Meaning, domain: Domain) -> str:
    """Several counts by what happened are told, which no record holds."""
    match = _COUNTS.search(meaning.tool.description) if meaning.operation in _READS else None
    return match[0].lower() if match else ""


def added_to(meaning: Meaning, domain: Domain) -> str:
    """Something that is there is added to another thing: ``add_issues_to_sprint`` makes no issue."""
    tool = meaning.tool
    if meaning.operation not in ("create", "batch_create") or tool.verb not in ("add", "assign", "attach", "apply"):
        return ""
    makers = [
        t for t in domain.tools
        if t is not tool and domain.own.get(t.name) is meaning.entity and t.kind == "create"
        and t.verb in ("create", "new", "make") and t.noun[-1:] == meaning.entity.noun[-1:]
    ]  # fmt: skip
    onto = {"to", "object"} & set(split_name(tool.name)) or re.match(
        r"\W*(?:add|assign|attach|apply)s? (?:an? |the |existing |multiple |one or more )*[\w-]+s? (?:to"
        r"|into)\b", tool.description, re.I
    )
    return makers[0].name if makers and onto else ""


def part_or_view(meaning: Meaning, domain: Domain) -> str:
    """A read whose name says more than the thing: the service orchestration of a service, a router's rules."""
    tool, entity = meaning.tool, meaning.entity
    if meaning.operation != "read" or meaning.column or tool.name in domain.settings or entity.fact is not None:
        return ""
    extra = [w for w in tool.noun if w not in entity.noun and w not in words_of.FILLERS | words_of.GENERIC_NOUNS]
    other = domain.entities.get("_".join(extra)) if len(extra) > 1 else None
    if other is not None and not other.hidden and other.name not in entity.parents.values():
        return " ".join(extra)
    words = [singular(w) for w in split_name(tool.name)]
    after = words[len(words) - words[::-1].index(entity.noun[-1]) :] if entity.noun[-1] in words else []
    rest = [w for w in after if w not in words_of.FILLERS | words_of.GENERIC_NOUNS | words_of.PREPOSITIONS]
    known = {name.lower().split("_")[-1] for name in (entity.key, *entity.fields)}
    part = rest and rest[0] in _PARTS and not set(rest) & known
    return " ".join(rest) if part else ""


_PARTS = frozenset("router rule setting configuration config permission member history log content version".split())


def _before_arguments(text: str) -> str:
    return re.split(r"\n\s*(?:Args|Arguments|Parameters|Example|Examples|Returns|Raises)\b", text)[0]
