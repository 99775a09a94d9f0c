"""Doubts about what a write does beside storing what it is given: softly deleted, copied, told once, filled in.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.language import descriptions
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.steering import said_of
from tvlab.foundation.words import singular

_MADE = frozenset({"create", "send", "batch_create", "upsert"})
_CHANGED = frozenset({"update", "batch_update", "upsert"})
_SOFT = re.compile(
    r"\bsoft[- ]?delet\w*|\bmarked as deleted\b|\b(?:is|are) \w+ instead of (?:being )?deleted\b"
    r"|\b(?:transitioned|moved|changed) to an? \w+ state\b"
    r"|\bmoves? (?:it|them|the \w+)?\s*to (?:the )?(?:deleted items|recycl\w+ bin)|\brestorable\b",
    re.IGNORECASE,
)
_COPIED = re.compile(
    r"\bpre-?populated\b|\bfetch\w* the (?:named )?template\b|\bwith its [\w-]+ content\b"
    r"|\b(?:or|and) duplicate an existing\b|\bcreates? an? (?:exact )?(?:copy|duplicate) of\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\bcreated alongside\b|\bis created (?:together )?with (?:it|the)\b|\balso creates\b"
    r"|\b(?:is|are) created automatically\b|\bautomatically prefixed\b"
    r"|\boptions? without (?:one|an? \w+) are created\b",
    re.IGNORECASE,
)
_TOLD_ONCE = re.compile(
    r"\b(?:one-time|signing) (?:\w+ )?secret\b"
    r"|\b(?:secret|token|password|key) is (?:only )?(?:returned|shown) (?:only )?"
    r"(?:once|when)\b|\bonly returned (?:on|once|when)\b",
    re.IGNORECASE,
)
_INCLUDES = re.compile(
    r"\b(?:response|answer|result) (?:then |will |also )?(?:includes?|contains?|has|carries) (?P<what>[^.;(\n]{3,60})",
    re.IGNORECASE,
)
_WORKED_OUT = re.compile(
    r"\b(?:amounts?|totals?|balances?|prices?|quantit(?:y|ies)) (?:left out )?defaults? to (?:each|the|its|their)\b"
    r"|\bdefaults? to (?:each|the|its) (?:[\w']+ )?(?:open|remaining|outstanding|unpaid) (?:balance|amount)\b",
    re.IGNORECASE,
)
_EXCLUDE = re.compile(
    r"\bnot both\b|\bmutually exclusive\b|\bcan ?not be (?:combined|used together|specified together|used with)\b"
    r"|\bspecifying both will return\b|\bexactly one of\b|\bcan ?not be given together\b",
    re.IGNORECASE,
)
#: lists of parts that the real call adds to, or changes one by one
_MERGED = re.compile(r"\bmerges them\b|\b(?:are|is) ADDED\b|\bdoes NOT replace\b|\bare added \(not replaced\)")
_FIXED = re.compile(r"\bcan ?not (?:use \w+ to )?change\b|\bonly the [`\w]+ field (?:can|may) be\b", re.IGNORECASE)
_APPENDS = re.compile(r"\b(?:append|add)s? an? (?P<what>comment|note|message)\b", re.IGNORECASE)
_ROWS = re.compile(r"\[\s*\[|\beach (?:inner )?(?:array|list) is (?:one|a) row\b", re.IGNORECASE)
_LIMITS = re.compile(
    r"\bonly allowed (?:when|if|for|on)\b|\bonly [\w -]{3,40} (?:that|which) are (?:not )?\w+ can be \w+"
    r"|\b(?:may|must|can ?)not be in the past\b"
    r"|\bcan only be (?:\w+ )?(?:if|when|by)\b",
    re.IGNORECASE,
)
_GENERATED = frozenset("preview thumbnail screenshot".split())
_COPY_WORDS = frozenset("duplicate copy clone".split())


def softly_deleted(meaning: Meaning, domain: Domain) -> str:
    """A delete is told to keep the thing: in the bin, marked, archived instead."""
    match = _SOFT.search(_head(meaning)) if meaning.operation in ("delete", "batch_delete") else None
    return match[0].lower() if match else ""


def copied(meaning: Meaning, domain: Domain) -> str:
    """What is made takes its content from another thing, and here it takes its id alone."""
    if meaning.operation not in _MADE:
        return ""
    for role in meaning.of("payload", "reference"):
        words = set(role.parameter.words)
        if words & _COPY_WORDS and "from" in words:
            return role.dotted
    match = _COPIED.search(_head(meaning))
    return match[0].lower() if match else ""


def made_beside(meaning: Meaning, domain: Domain) -> str:
    """Something else is made, or a value is changed, by the same call."""
    match = _BESIDE.search(_head(meaning)) if meaning.writes and meaning.operation != "delete" else None
    return match[0].lower() if match else ""


def told_back(meaning: Meaning, domain: Domain) -> str:
    """What the call makes up is told to come back with the answer: a secret, records to publish."""
    if meaning.operation not in _MADE:
        return ""
    text = _head(meaning)
    held = {singular(w) for name in (meaning.entity.key, *meaning.entity.fields) for w in field_types.name_words(name)}
    match = _TOLD_ONCE.search(text)
    if match and "secret" not in held:
        return match[0].lower()
    for found in (*_INCLUDES.finditer(text), *_SAVED.finditer(text)):
        words = {singular(w) for w in re.findall(r"[a-z]+", found["what"].lower())} - _PLAIN
        if words and not words & held:
            return found[0].lower()
    returned = re.split(r"\n\s*Returns\s*:", meaning.tool.description)[1:]
    return next((name for part in returned for name in _OTHER_ID.findall(part) if _unmade(name, meaning)), "")


def _unmade(name: str, meaning: Meaning) -> bool:
    """True for an id in the list of what comes back that is neither the record's own nor given by the call."""
    words = field_types.name_words(name)
    own = name == meaning.entity.key or words[:-1] in ((), meaning.entity.noun, meaning.entity.noun[-1:])
    given = {r.path[-1] for r in meaning.roles}
    return not own and name not in given


#: ``- workflowDraftId: the draft`` under "Returns:"
_OTHER_ID = re.compile(r"(?<=\n)[ \t]*[-*] (\w+_id|\w+Id): ")
_SAVED = re.compile(
    r"\breturns the (?:saved|created|new) \w+,? including (?:its )?(?:id and )?(?P<what>[^.;(\n]{3,60})", re.IGNORECASE
)
_PLAIN = frozenset("the a an its new id of and all created updated with full one".split())


def worked_out_default(meaning: Meaning, domain: Domain) -> str:
    """An amount that is left out is worked out from other records."""
    if not meaning.writes:
        return ""
    texts = [_head(meaning), *(said_of(r.parameter, meaning.tool) for r in meaning.of("payload") if not r.required)]
    return next((m[0].lower() for m in map(_WORKED_OUT.search, texts) if m), "")


def unset_default(meaning: Meaning, domain: Domain) -> str:
    """A setting without its values is set to their defaults, which a partial update would leave as they are."""
    if meaning.operation != "update":
        return ""
    given = meaning.of("payload")
    defaults = [r.parameter.schema.get("default") for r in given if not r.required]
    return given[0].dotted if given and len(defaults) == len(given) and all(defaults) else ""


def exclusive(meaning: Meaning, domain: Domain) -> str:
    """Two parameters exclude each other, and both are taken together here."""
    given = [r for r in meaning.roles if not r.required and r.role in ("payload", "reference", "filter")]
    if len(given) < 2:
        return ""
    match = _EXCLUDE.search(_head(meaning))
    return match[0].lower() if match else next((r.dotted for r in given if excluded(r, meaning)), "")


def excluded(role: Role, meaning: Meaning) -> str:
    """Return why an optional parameter goes: it is told not to stand beside one before it, "" if it may."""
    if role.required or role.role not in ("payload", "reference", "filter"):
        return ""
    before = meaning.roles[: meaning.roles.index(role)]
    pairs = [(role, other) for other in before] + [(other, role) for other in before]
    told = any(_excludes(said_of(one.parameter, meaning.tool), two.path[-1]) for one, two in pairs)
    return "excludes another parameter" if told else ""


def _excludes(said: str, name: str) -> bool:
    plain = unwrapped(said)
    return name in plain and bool(_EXCLUDE.search(plain) and re.search(rf"\b{re.escape(name)}\b", plain))


def fixed_fields(meaning: Meaning, domain: Domain) -> str:
    """Only some of the fields may be changed, and all of them are."""
    match = _FIXED.search(_head(meaning)) if meaning.operation in _CHANGED else None
    return match[0].lower() if match else ""


def merged_parts(meaning: Meaning, domain: Domain) -> str:
    """A list of parts is merged with the parts that are there, and replaces them here."""
    match = _MERGED.search(meaning.tool.description) if meaning.operation in _CHANGED else None
    return match[0].lower() if match and any(r.parameter.many for r in meaning.of("payload")) else ""


def appended(meaning: Meaning, domain: Domain) -> str:
    """A comment that is appended would overwrite the one before."""
    match = _APPENDS.search(_head(meaning)) if meaning.operation == "update" else None
    if match is None:
        return ""
    return next((r.dotted for r in meaning.of("payload") if r.parameter.words[-1:] == (match["what"].lower(),)), "")


def rows_as_one(meaning: Meaning, domain: Domain) -> str:
    """Rows are added, and one record would hold them all."""
    if meaning.operation != "create" or not meaning.tool.plural:
        return ""
    match = _ROWS.search(meaning.tool.description)
    return match[0] if match else ""


def limited(meaning: Meaning, domain: Domain) -> str:
    """The text says when the call is refused, and nothing here refuses it."""
    match = _LIMITS.search(_head(meaning)) if meaning.writes else None
    return match[0].lower() if match else ""


def set_by_making(meaning: Meaning, domain: Domain) -> str:
    """An update is described as making the thing: where there is none it would be refused."""
    said = re.match(r"\W*creates? (?!or\b)", meaning.tool.description, re.IGNORECASE)
    return said[0].strip().lower() if said and meaning.operation == "update" else ""


def decided_by_flag(meaning: Meaning, domain: Domain) -> str:
    """A flag says whether the state is reached at all: ``approve: false``."""
    if meaning.operation != "transition":
        return ""
    for role in meaning.of("payload"):
        p = role.parameter
        if p.type == "boolean" and p.words[:1] in ((meaning.tool.verb,), (f"{meaning.tool.verb}d",)):
            return role.dotted
    return ""


def generated_thing(meaning: Meaning, domain: Domain) -> str:
    """What is made is worked out by the server: a preview."""
    last = meaning.entity.noun[-1]
    return meaning.entity.title if last in _GENERATED and meaning.operation in _MADE else ""


def _head(meaning: Meaning) -> str:
    """The description before its parameters and examples, its sentences in one line each."""
    text = re.split(r"\n\s*(?:Args|Arguments|Parameters|Examples?|EXAMPLES?)\b\s*:", meaning.tool.description)[0]
    returns = re.search(r"\n\s*Returns\s*:\s*(?P<what>[^\n]*(?:\n[ \t]+[^\n:]+)*)", meaning.tool.description)
    return unwrapped(text)[:1500] + (f"\n{unwrapped(returns['what'])}" if returns else "")


def repeated_removal(meaning: Meaning, domain: Domain) -> str:
    """Removing what is not there is told to succeed, and here the record is sought by its fields."""
    silent = descriptions.is_idempotent(meaning.tool.description) or _SILENT.search(unwrapped(meaning.tool.description))
    return "idempotent" if meaning.operation == "delete" and silent and not meaning.of("key") else ""


_SILENT = re.compile(r"\bdoes not exist succeeds\b|\bidempotent\b", re.IGNORECASE)


def unique_value(meaning: Meaning, domain: Domain) -> str:
    """A value is told to be unique, and two records may have it."""
    if not meaning.writes:
        return ""
    texts = [r for r in meaning.of("payload") if r.parameter.type == "string"]
    return next((r.dotted for r in texts if _UNIQUE.search(said_of(r.parameter, meaning.tool))), "")


_UNIQUE = re.compile(r"\bmust be (?:globally )?unique\b", re.IGNORECASE)


def named_thing(meaning: Meaning, domain: Domain) -> str:
    """A thing that is there is given by its name or put to use, and any text passes."""
    if meaning.operation not in _MADE:
        return ""
    onto = _ONTO.search(_head(meaning))
    seen = {e.noun[-1]: e.name for e in domain.entities.values() if not e.hidden and e is not meaning.entity}
    if onto and onto["what"] in seen and not [r for r in meaning.of("reference") if r.required]:
        return onto[0].lower()
    for role in meaning.of("payload"):
        said = unwrapped(said_of(role.parameter, meaning.tool))
        if role.required and (_IN_ANY_FORM.search(said) or _THERE.search(said)):
            return role.dotted
        match = _NAME_OF.search(said_of(role.parameter, meaning.tool)) if role.required else None
        if match and any(e.noun[-1] == match["what"].lower() and not e.hidden for e in domain.entities.values()):
            return f"{role.dotted}: {match['what']}"
    return ""


#: a key that may be given in several forms, of which none is looked up
_IN_ANY_FORM = re.compile(r"\bname,? (?:\w+,? )?or ID\b|\bname/number\b|\bID or name\b")
_THERE = re.compile(r"\bmust match \w+ that exists?\b", re.IGNORECASE)
_ONTO = re.compile(r"\bto an existing (?P<what>[a-z]+)\b")
_NAME_OF = re.compile(r"\bname of (?:the|an) (?:original|existing) (?P<what>\w+)", re.IGNORECASE)
