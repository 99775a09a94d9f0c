"""Doubts about what a write changes: a state it says, a part it names, a change that is asked for and not made.

Each test returns what it found, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.named_parts import is_about
from tvlab.environments.language import first_sentences
from tvlab.environments.meanings import transitions
from tvlab.environments.meanings.meanings import Meaning
from tvlab.foundation.words import singular, split_name

_STATE = re.compile(
    r"^\W*(?:create|add|make|register)s? (?:a|an) (?:new )?"
    r"(published|active|inactive|enabled|disabled|draft|pending|paused|archived|scheduled|open|closed|completed)\b",
    re.IGNORECASE,
)
_UPDATES = re.compile(r"^\W*(?:update|replace|overwrite|change|set)s?\b", re.IGNORECASE)
_EITHER = re.compile(
    r"^\W*(?:creates? or|(?:creates?|sends?|adds?|posts?) [^.\n]{0,60}?,? or) "
    r"(?:update|replace|change|modif|overwrite|edit)\w*",
    re.IGNORECASE,
)
_PART = re.compile(
    r"^\W*(?:delete|remove|update|change|set|clear|modify|edit)s? the (\w+) of (?:a|an|the)\b", re.IGNORECASE
)
_INNER = frozenset("content value row column line text summary section history password setting image".split())
_PUTS = frozenset("upload put set save write store".split())
_WHOLE = frozenset("detail information info property attribute metadata content setting field value data".split())
_EVENTS = frozenset("transition action event operation command trigger".split())
_MOVES = frozenset("assign move transfer attach set put place add link connect reassign change".split())


def said_state(meaning: Meaning, domain: Domain) -> str:
    """A create is said to make a record of one state, and new records start in another."""
    said = _STATE.match(meaning.tool.description)
    column = transitions.status_field(meaning.entity)
    if meaning.operation != "create" or said is None or column is None:
        return ""
    if any(role.field == column.name for role in meaning.of("payload")):
        return ""
    return said[1].lower() if transitions.first_value(domain, meaning.entity) != said[1].lower() else ""


def part_made(meaning: Meaning, domain: Domain) -> str:
    """A part of a thing is set where there may be no thing: it would be made of the part alone."""
    if meaning.operation != "upsert" or is_about(meaning.tool, meaning.entity):
        return ""
    return " ".join(meaning.tool.noun)


def uploaded_over(meaning: Meaning, domain: Domain) -> str:
    """An upload or set without a key that is said to update what is there makes one more."""
    tool = meaning.tool
    if meaning.operation not in ("create", "send") or tool.verb not in _PUTS:
        return ""
    said = _UPDATES.match(tool.description)
    return said[0].strip().lower() if said else ""


def made_or_changed(meaning: Meaning, domain: Domain) -> str:
    """A call that makes a record or changes the one that is there does one of both alone."""
    said = _EITHER.match(meaning.tool.description)
    return said[0].strip().lower() if said and meaning.operation in ("create", "update", "send") else ""


def attached(meaning: Meaning, domain: Domain) -> str:
    """A branch that attaches a thing by its id makes a new one, without any content."""
    gone = any("made by the tool" in reason for _, reason in meaning.narrowed)
    bare = meaning.operation == "create" and not meaning.of("payload") and gone
    return meaning.tool.verb if bare and meaning.tool.verb in ("add", "attach", "link", "assign") else ""


def places_value(meaning: Meaning, domain: Domain) -> str:
    """A value is put at a path, or in place of a text, inside the record."""
    if meaning.operation not in ("update", "upsert", "batch_update"):
        return ""
    words = {r.parameter.snake for r in meaning.of("payload") if r.parameter.required}
    if words & {"path", "json_path", "key_path"} and "value" in words:
        return "path value"
    if words & {"query", "search", "find", "pattern", "old_text", "old_string", "old_value"} and words & _REPLACING:
        return " ".join(sorted(words & _REPLACING))
    return ""


_REPLACING = frozenset("replacement replace replace_with new_text new_string new_value".split())


def moved_beside(meaning: Meaning, domain: Domain) -> str:
    """A move stores where to beside where the thing is: ``target_project_key`` and ``project_key``."""
    if meaning.operation != "update" or meaning.tool.verb not in ("move", "transfer"):
        return ""
    for role in meaning.of("reference"):
        aimed = role.parameter.words[0] in ("target", "destination", "dest", "to")
        others = [f for f in meaning.entity.fields.values() if f.reference == role.entity and f.name != role.field]
        if aimed and others:
            return role.dotted
    return ""


def switched_for(meaning: Meaning, domain: Domain) -> str:
    """A state that holds for another thing given beside the key: a firewall is off for one machine alone."""
    if meaning.operation != "transition" or meaning.tool.verb not in _SWITCHES:
        return ""
    given = [r for r in meaning.of("reference") if r.parameter.required and not r.filters]
    return " ".join(role.dotted for role in given)


def adds_content(meaning: Meaning, domain: Domain) -> str:
    """Content is added to what a document holds: no record of its own."""
    made = meaning.operation == "create" and meaning.entity.noun[-1:] == ("content",)
    return meaning.entity.title if made and meaning.of("reference") else ""


_SWITCHES = frozenset("activate deactivate enable disable".split())


def shifts(meaning: Meaning, domain: Domain) -> str:
    """An insert that moves what is there."""
    said = re.search(r"\bshift\w*", meaning.tool.description, re.IGNORECASE)
    return said[0].lower() if said and meaning.operation == "create" and meaning.tool.verb == "insert" else ""


def told_part(meaning: Meaning, domain: Domain) -> str:
    """``Delete the summary of a ticket``: the part goes, or changes, not the thing."""
    said = _PART.match(meaning.tool.description)
    if said is None or meaning.operation not in ("delete", "update"):
        return ""
    part = singular(said[1].lower())
    if part in meaning.entity.noun or part in _WHOLE:
        return ""
    fields = {word for r in meaning.of("payload") for word in (*r.parameter.words, *(r.field or "").split("_"))}
    return "" if part in {singular(word.lower()) for word in fields} else part


def inner_part(meaning: Meaning, domain: Domain) -> str:
    """``delete_file_content``: what lies in the thing goes, not the thing."""
    if meaning.operation not in ("delete", "batch_delete"):
        return ""
    inner = _INNER & {singular(word) for word in split_name(meaning.tool.name)} - set(meaning.entity.noun)
    return " ".join(sorted(inner))


def spread(meaning: Meaning, domain: Domain) -> str:
    """The fields of an open object are spread over a record that keeps the object itself elsewhere."""
    if not meaning.wrapper or not meaning.open_fields:
        return ""
    return meaning.wrapper if meaning.wrapper in meaning.entity.fields else ""


def event_stored(meaning: Meaning, domain: Domain) -> str:
    """What happens to the record is stored beside the state that it should change."""
    if meaning.operation not in ("update", "batch_update"):
        return ""
    for role in meaning.of("payload"):
        if role.parameter.required and role.parameter.words[-1:] and role.parameter.words[-1] in _EVENTS:
            return role.dotted
    return ""


def resets_all(meaning: Meaning, domain: Domain) -> str:
    """Everything of the record goes back to its first value, and one field is written."""
    said = re.search(r"\ball (?:the )?\w+", meaning.tool.description[:120])
    return said[0] if meaning.operation == "transition" and meaning.tool.verb in ("reset", "clear") and said else ""


def no_change(meaning: Meaning, domain: Domain) -> str:
    """An update is given nothing but what the record belongs to: what it does is not said by its parameters."""
    if meaning.operation != "update" or meaning.of("payload"):
        return ""
    given = [role for role in meaning.of("reference") if not role.filters]
    if meaning.tool.verb in _MOVES and any(role.parameter.required for role in given):
        return ""
    return " ".join(role.dotted for role in given)


def other_object(meaning: Meaning, domain: Domain) -> str:
    """The description's object is what the name's area speaks of: ``notes_create_raw_html``, "Create a new note"."""
    if meaning.operation != "create":
        return ""
    text = re.sub(r"^\s*(?:[\[(【][^\])】]{0,40}[\])】]\s*)+", "", meaning.tool.description)
    noun = first_sentences.read(text).noun
    words = [singular(word) for word in split_name(meaning.tool.name)]
    known = set(noun) & {*meaning.entity.noun, *meaning.tool.noun}
    thing = re.escape(meaning.entity.noun[-1])
    place = re.search(rf"\b(?:to|in|into|on) (?:the |a |your )?{thing}\b", text, re.IGNORECASE)
    fields = {w for f in meaning.entity.fields for w in f.lower().split("_")}
    if noun and place and not known and not set(noun) & fields and meaning.tool.verb in ("add", "create", "new"):
        return " ".join(noun)
    return " ".join(noun) if noun and noun[-1] in words and not known else ""


def upload_session(meaning: Meaning, domain: Domain) -> str:
    """The address of a session to send bytes to is worked out by the server."""
    noun = meaning.entity.noun
    ends = noun[-1:] in (("session",), ("url",), ("link",)) and "upload" in noun
    return " ".join(noun) if meaning.operation == "create" and ends else ""
