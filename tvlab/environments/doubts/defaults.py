"""Doubts about what a text states of values left out and of values beside each other, and nothing here keeps.

Records that a list leaves out by default, worked-out defaults, parameters that make others ignored, values that one
action needs, places that a shorter way of making leaves out.  Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.query_texts import missing_field
from tvlab.environments.meanings.steering import said_of
from tvlab.environments.meanings.told_defaults import told_default
from tvlab.foundation.words import singular

_LISTS = frozenset({"list", "search", "count"})
_MADE = frozenset({"create", "send", "batch_create"})
_SHOWN = frozenset("include show with return is only".split())
#: what a flag shows, and the words of the columns that mark such records
_MARKS = {
    "hidden": {"hidden"}, "archived": {"archived"}, "deleted": {"deleted", "trashed"}, "trashed": {"trashed"},
    "trash": {"trashed", "trash", "deleted"}, "spam": {"spam", "trashed"}, "inactive": {"inactive", "active"},
    "disabled": {"disabled", "enabled"}, "closed": {"closed"}, "suspended": {"suspended"}, "resolved": {"resolved"},
}  # fmt: skip
_STATE_SAID = re.compile(r"\bincluding (?:those|the ones|\w+) (?:that are )?in the \w+ state\b", re.IGNORECASE)
_ONLY_TRUE = re.compile(r"\breturn only\b|\bonly (?:return|show|list)\b", re.IGNORECASE)
_IGNORES = re.compile(
    r"\bignores? (?:[^.;]|\.(?=\w)){2,120}\b(?:if|when) (?:it is )?(?:provided|given|set|specified|present)\b"
    r"|\b(?:if|when) (?:provided|given|set|specified),? [^.;]{0,60}\bignores?\b",
    re.IGNORECASE,
)
_WORKED_OUT = re.compile(
    r"\bdefaults? to (?:the )?(?:global|account|organi[sz]ation|workspace|current|caller|authenticated)\b"
    r"|\bdefaults? to (?:now|the current|current time)\b|\bdefault(?:s to|:) (?:the )?file ?name\b"
    r"|\bauto-?generated (?:from|if)\b"
    r"|\bdefaults? to ['\"][^'\"\n]*<\w+[^'\"\n]*['\"]|\bif not (?:provided|given), creates one\b",
    re.IGNORECASE,
)
_FILLED = re.compile(r"\bdefault is (?:\w+: [^,\n]+, ){3,}", re.IGNORECASE)
_NOW = re.compile(r"\bdefaults? to (?:the )?(?:current time|now)\b", re.IGNORECASE)
_NEWEST = re.compile(r"\b(?:newest|latest|most recent) (?:ones? )?first\b|\breverse chronological\b", re.IGNORECASE)
_RECENT = re.compile(
    r"^\W*(?:\[\w+\]\s*)?(?:read|get|list|fetch|retrieve|show)s? (?:the )?(?:most )?recent\b", re.IGNORECASE
)
_HISTORY = re.compile(r"\bhistory\b|\brecent (?!first)|\blatest (?!first)", re.IGNORECASE)
_MOMENTS = frozenset("created since until date time updated before after".split())
_LAST_ROWS = re.compile(r"\bnumber of (?:the )?most recent\b", re.IGNORECASE)
_ONE_NEEDED = re.compile(
    r"\beither ['`\"]?\w+['`\"]? or ['`\"]?\w+['`\"]? (?:must be|is required|has to be)\b",
    re.IGNORECASE,
)
_LOWERED = re.compile(r"\bstored (?:as |in )?(?:lower|upper)-?\s?case\b", re.IGNORECASE)
_OFFERED = re.compile(r"\bmust be one of the (?:\w+ returned by|available)\b", re.IGNORECASE)
_OTHERS_TOLD = re.compile(
    r"\b(?:when|if) (?:omitted|not (?:given|provided|set)),? (?:only )?(?!all\b|every|any\b)\w+ \w+ "
    r"(?:are|is) returned\b",
    re.IGNORECASE,
)
_CASCADE = re.compile(
    r"\balso (?:removes?|deletes?) (?:all )?(?:the |its )?(?:associated |related )?(?P<what>\w+)\b", re.IGNORECASE
)
_WRITTEN = re.compile(r"\b(?:figures|totals|results|values) [^.]{0,80}\bwritten (?:in)?to\b", re.IGNORECASE)
_UNIQUE = re.compile(
    r"^\W*an? unique (?:[\w-]+ )?(?:name|title|label)\b|\bcan ?not be re-?created\b", re.IGNORECASE
)
_BRACKETED = r"\b{name} \(unique\)"
_RESOLVED = re.compile(r"\bname or (?:\w+ )?(?:identifier|slug|symbol|ticker|handle)s?\b", re.IGNORECASE)
_OR_NAME = re.compile(r"\bids? of (?:the|an?) \w+ or (?:its |the )?name\b", re.IGNORECASE)
_OTHERS_REJECTED = re.compile(
    r"\bany (?:other )?(?:key|field|property)\b[^.]{0,40}\b(?:is|are) rejected\b", re.IGNORECASE
)
_TOKEN = re.compile(r"^(?:\w+_)?token$")


def makes_ignored(role: Role, meaning: Meaning) -> str:
    """Return why an optional parameter goes: with it others are to be ignored, "" if nothing says so."""
    told = not role.required and _IGNORES.search(unwrapped(said_of(role.parameter, meaning.tool)))
    return "makes others ignored" if told else ""


def left_out(meaning: Meaning, domain: Domain) -> str:
    """Records that a plain call leaves out are marked by a column, and the flag that shows them was taken away."""
    if meaning.operation not in _LISTS:
        return ""
    gone = {path for path, _ in meaning.narrowed}
    columns = {w for name in meaning.entity.fields if name not in gone for w in field_types.name_words(name)}
    for p in meaning.tool.parameters:
        if p.name not in gone or p.type != "boolean":
            continue
        said = unwrapped(said_of(p, meaning.tool))
        default = p.schema.get("default")
        if default is True and _ONLY_TRUE.search(said):
            return p.name
        shows = p.words[:1] and p.words[0] in _SHOWN and (default is False or p.words[0] not in ("is", "only"))
        found = [w for w in p.words[1:] if _MARKS.get(w, set()) & columns] if default is not True and shows else []
        if found or _STATE_SAID.search(said):
            return p.name
    return ""


def worked_out(meaning: Meaning, domain: Domain) -> str:
    """A value left out is told to be worked out from what is no record, and stays away here."""
    if meaning.operation not in _MADE:
        return ""
    for role in meaning.of("payload"):
        said = unwrapped(said_of(role.parameter, meaning.tool))
        match = (_WORKED_OUT.search(said) or _FILLED.search(said)) if not role.required else None
        numeric_now = role.parameter.type in ("integer", "number") and _NOW.search(said)
        if match and (numeric_now or not _NOW.search(said)) and told_default(role, meaning, None) is None:
            return f"{role.dotted}: {match[0].lower()[:60]}"
    return ""


def from_now(meaning: Meaning, domain: Domain) -> str:
    """A bound of a list that is left out is the time of the call."""
    if meaning.operation not in _LISTS:
        return ""
    bounds = [r for r in meaning.of("filter") if not r.required and r.op[0] in "<>"]
    return next((r.dotted for r in bounds if _NOW.search(unwrapped(said_of(r.parameter, meaning.tool)))), "")


def needed_by_action(meaning: Meaning, domain: Domain) -> str:
    """A value is required for one action, and that action takes place without it."""
    for action, branch in meaning.branches.items():
        form = _NEEDED.format(action=re.escape(action))
        for role in branch.of("payload"):
            if not role.required and re.search(form, unwrapped(said_of(role.parameter, meaning.tool)), re.IGNORECASE):
                return f"{role.dotted} ({action})"
    return ""


#: ``Required for "create"``, ``required for create and update``
_NEEDED = (
    r"\brequired (?:for|by) (?:the )?(?:[\"'`]?\w+[\"'`]?(?:, (?:and |or )?| and | or )){{0,4}}[\"'`]?{action}\b"
)


def told_states(meaning: Meaning, domain: Domain) -> str:
    """The text names the two states that there are, which the schema does not, and what is made is in another."""
    if meaning.operation not in ("create", "multiplex"):
        return ""
    loose = [p for p in meaning.tool.parameters if p.words[-1] in ("status", "state") and not p.enum]
    matches = (_TWO_STATES.search(unwrapped(said_of(p, meaning.tool))) for p in loose)
    return next((m[0] for m in matches if m), "")


def default_needed(meaning: Meaning, domain: Domain) -> str:
    """One of several actions refuses a call without a value that has a default."""
    for branch in meaning.branches.values():
        for role in branch.of("key", "reference"):
            if role.required and isinstance(role.parameter.schema.get("default"), str):
                return role.dotted
    return ""


_TWO_STATES = re.compile(r"\([\"'`]\w+[\"'`] or [\"'`]\w+[\"'`]\)")


def unordered(meaning: Meaning, domain: Domain) -> str:
    """The newest come first, and no date of the records tells which these are."""
    if meaning.operation not in ("list", "search") or meaning.newest or meaning.of("sort"):
        return ""
    text = unwrapped(meaning.tool.description)
    limits = meaning.of("limit", "page", "cursor", "offset")
    told_times = _HISTORY.search(text[:400]) or any(set(p.words) & _MOMENTS for p in meaning.tool.parameters)
    match = (_NEWEST.search(text[:400]) if told_times else None) or (_RECENT.search(text) if limits else None)
    match = match or next((m for r in limits if (m := _LAST_ROWS.search(said_of(r.parameter, meaning.tool)))), None)
    if match:
        return match[0].strip().lower()
    turned = [
        p.name for p in meaning.tool.parameters
        if "desc" in (p.enum or ()) and p.name in {path for path, _ in meaning.narrowed}
        and (p.schema.get("default") == "desc" or re.search(r"\bdefault:? [\"'`]?desc", said_of(p, meaning.tool)))
    ]  # fmt: skip
    sorts = {path for path, reason in meaning.narrowed if reason == "sorts by what is no field"}
    turned += [p.name for p in meaning.tool.parameters if p.name in sorts and isinstance(p.schema.get("default"), str)]
    return turned[0] if turned and limits else ""


def active_alone(meaning: Meaning, domain: Domain) -> str:
    """The active ones are listed, and records have a state; or one alone is told, and there are several."""
    match = None
    if meaning.operation == "list" and not meaning.entity.single:
        match = _SINGLE.search(unwrapped(meaning.tool.description)) or _ACTIVE.match(meaning.tool.description)
    kept = match and match[0].lower().endswith("active") and not any(
        set(field_types.name_words(name)) & {"status", "state", "active", "enabled"} for name in meaning.entity.fields
    )
    return match[0].strip().lower() if match and not kept else ""


_ACTIVE = re.compile(r"\W*(?:lists?|gets?|shows?|retrieves?) (?:all |the |an? \w+'s )*active\b(?! and)", re.IGNORECASE)
_SINGLE = re.compile(r"\balways returns? a single[- ]element\b", re.IGNORECASE)


def by_other_field(meaning: Meaning, domain: Domain) -> str:
    """A query is told to look at one field, which no record has."""
    if meaning.operation not in ("list", "search"):
        return ""
    return next((w for r in meaning.of("query") if (w := missing_field(r.parameter, meaning.tool, meaning.entity))), "")


def figures_written(meaning: Meaning, domain: Domain) -> str:
    """What is made holds figures worked out of other data."""
    match = _WRITTEN.search(unwrapped(meaning.tool.description)) if meaning.operation in _MADE else None
    return match[0].lower() if match else ""


def unique_name(meaning: Meaning, domain: Domain) -> str:
    """A name is told to be unique, and two records may have it."""
    if meaning.operation not in _MADE:
        return ""
    text = unwrapped(meaning.tool.description)
    rejected = re.search(r"\bcan ?not be re-?created\b", text, re.IGNORECASE)
    for role in meaning.of("payload"):
        name = role.path[-1]
        told = re.search(_BRACKETED.format(name=re.escape(name)), text)
        if role.field != meaning.entity.key and (told or _UNIQUE.search(said_of(role.parameter, meaning.tool))):
            return role.dotted
    return rejected[0].lower() if rejected else ""


def known_by_more(meaning: Meaning, domain: Domain) -> str:
    """A thing may be given by another word than the one that its records hold."""
    for role in meaning.of("key", "reference"):
        said = unwrapped(said_of(role.parameter, meaning.tool))
        match = None if role.also else _RESOLVED.search(said) or _OR_NAME.search(said)
        if match and role.required:
            return f"{role.dotted}: {match[0].lower()}"
    return ""


def nowhere(meaning: Meaning, domain: Domain) -> str:
    """Made in a place that the text names and other tools ask for, by a call that does not give it."""
    entity, given = meaning.entity, {r.field for r in meaning.roles}
    if meaning.operation not in ("create", "send") or entity.hidden:
        return ""
    first = unwrapped(meaning.tool.description).split(". ")[0].lower()
    for column, parent in entity.parents.items():
        noun = domain.entities[parent].noun[-1:] if parent in domain.entities else ()
        if not noun or column in given:
            continue
        asked = re.search(rf"\b(?:to|in|into|on) (?:an? |the )?(?:\w+ )?{noun[0]}\b", first)
        if asked and noun[0] not in words_of.PERSON_ENTITIES and not _through(meaning, parent):
            return f"{column}: {noun[0]}"
    return ""


def _through(meaning: Meaning, parent: str) -> bool:
    return any(r.entity == parent for r in meaning.roles)


def unchecked_token(meaning: Meaning, domain: Domain) -> str:
    """A token stands beside the id of what it opens, and any token passes."""
    opened = [r for r in meaning.of("reference", "key") if r.required]
    held = {r.parameter.words[:-1] for r in opened if len(r.parameter.words) > 1}
    tokens = [r for r in meaning.of("payload") if r.required and _TOKEN.match(r.parameter.snake)]
    return next((r.dotted for r in tokens if r.parameter.words[:-1] in held), "")


def never_found(meaning: Meaning, domain: Domain) -> str:
    """Records are asked for by the number or address of a person, and those that are made hold it elsewhere."""
    if meaning.operation not in ("list", "search"):
        return ""
    written = {f.name for f in meaning.entity.fields.values() if f.written}
    others = {name for name in written if set(field_types.name_words(name)) & _COUNTERPARTS}
    for role in meaning.of("filter"):
        asked = role.required and role.field and role.field not in written and role.op == "=="
        if asked and set(role.parameter.words) & _ADDRESSES and others:
            return f"{role.dotted}: {min(others)}"
    return ""


_ADDRESSES = frozenset("phone number email address recipient contact jid handle".split())
_COUNTERPARTS = frozenset("to recipient receiver".split())


def one_needed(meaning: Meaning, domain: Domain) -> str:
    """One of several values is needed, and a call with none of them passes."""
    given = meaning.of("payload")
    if not meaning.writes or not given or any(r.required for r in given if meaning.operation == "update"):
        return ""
    texts = [unwrapped(meaning.tool.description), *(unwrapped(said_of(r.parameter, meaning.tool)) for r in given)]
    match = next((m for m in map(_ONE_NEEDED.search, texts) if m), None)
    return match[0].lower() if match else ""


def other_form(meaning: Meaning, domain: Domain) -> str:
    """A value is stored in another form than given, or must be one of those that another call tells."""
    for role in meaning.of("payload") if meaning.writes else ():
        said = unwrapped(said_of(role.parameter, meaning.tool))
        match = _LOWERED.search(said) or (None if role.parameter.enum else _OFFERED.search(said))
        if match:
            return f"{role.dotted}: {match[0].lower()}"
    return ""


def others_told(meaning: Meaning, domain: Domain) -> str:
    """A list without its optional place is that of something else: the global ones."""
    if meaning.operation not in _LISTS:
        return ""
    given = [r for r in meaning.of("reference", "filter") if not r.required]
    matches = (_OTHERS_TOLD.search(unwrapped(said_of(r.parameter, meaning.tool))) for r in given)
    return next((m[0].lower() for m in matches if m), "")


def cascade(meaning: Meaning, domain: Domain) -> str:
    """A delete is told to remove records of another table too, which do not know what they belong to."""
    match = _CASCADE.search(unwrapped(meaning.tool.description)) if meaning.operation == "delete" else None
    noun = singular(match["what"].lower()) if match else ""
    others = [e for e in domain.entities.values() if not e.hidden and e.noun[-1:] == (noun,)]
    return noun if any(meaning.entity.name not in e.parents.values() for e in others) else ""


def other_keys(meaning: Meaning, domain: Domain) -> str:
    """Keys that are not listed are told to be refused, and pass."""
    if not meaning.writes:
        return ""
    for role in meaning.of("payload"):
        open_object = role.parameter.type == "object" and role.parameter.schema.get("additionalProperties") is not False
        if open_object and _OTHERS_REJECTED.search(unwrapped(said_of(role.parameter, meaning.tool))):
            return role.dotted
    return ""
