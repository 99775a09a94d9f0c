"""Writes that only look like a plain create or update, and are refused.

A call that edits by position, carries a list of operations, chooses between adding and replacing by a switch,
needs an entity tag, brings back a stored state of something else or acts on a part of the record would be
faked by setting fields.  Each refusal names what the rules do not model.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.named_parts import part_of
from tvlab.environments.domain.nouns import stripped
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, schema_type
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.meanings import UnmodelledError
from tvlab.foundation.words import split_name

_POSITIONAL = (
    frozenset(
        "start_index end_index start_line end_line start_row end_row start_offset end_offset start_column "
        "from_line to_line line_number start_position end_position".split()
    ),
    frozenset(
        "old_text new_text old_string new_string old_str new_str find_text replace_text search_text "
        "replacement replacements find replace edits edit diff patch patches hunk old_content regex".split()
    ),
)
_OPERATIONS = frozenset("requests operations actions commands ops steps instructions mutations changes".split())
_CHOICES = frozenset("action operation op command mode method".split())
_SWITCHES = frozenset("overwrite append merge replace upsert prepend increment".split())
_CHANGING = frozenset("add remove replace append insert delete set update prepend merge clear".split())
_STORED_STATES = frozenset("snapshot backup version revision checkpoint dump point".split())
_READING = re.compile(
    r"^\W*(?:\[\w+\]\s*)?(get|gets|retrieve|retrieves|list|lists|fetch|fetches|search|searches|check|checks|"
    r"calculate|calculates|validate|validates|analyze|analyzes|test|tests|returns|show|shows|query|queries|"
    r"resolve|resolves|preview|previews|estimate|estimates|simulate|simulates)\b",
    re.IGNORECASE,
)


def refuse_faked_writes(tool: ParsedTool, entity: Entity) -> None:
    """Raise UnmodelledError for a write that is more than setting, adding or removing a record.

    Raises:
        UnmodelledError: with the reason.
    """
    match = _READING.match(tool.description)
    if match and match[1].lower().rstrip("s") not in (tool.verb, tool.verb.rstrip("s")):
        raise UnmodelledError("name and description say different things", match[1].lower())
    for p in tool.parameters:
        if p.required and p.words in (("if", "match"), ("etag",), ("e", "tag")):
            raise UnmodelledError("needs an entity tag", p.name)
    if tool.verb in ("restore", "revert", "rollback") and entity.noun[-1] in _STORED_STATES:
        raise UnmodelledError("brings back a stored state", entity.name)
    if tool.kind in ("update", "upsert", "transition"):
        _refuse_edits(tool)
        _refuse_parts(tool, entity)
    _refuse_dry_runs(tool)
    _refuse_opaque(tool)
    if tool.kind == "delete":
        _refuse_longer_key(tool, entity)
    if tool.kind in ("create", "send"):
        _refuse_many_as_one(tool, entity)
    if tool.kind == "send" and tool.noun and tool.noun[-1] in words_of.LANGUAGES - {"prompt", "query"}:
        raise UnmodelledError("runs code", tool.name)


def _refuse_dry_runs(tool: ParsedTool) -> None:
    """A call that changes nothing unless a switch says so: by its default it is only a preview."""
    for p in tool.parameters:
        if field_types.is_preview(p) and tool.kind not in ("create", "update", "upsert"):
            raise UnmodelledError("a preview unless told otherwise", p.name)
        execute = p.words in (("confirm",), ("execute",), ("apply",), ("confirmed",)) and not p.required
        if p.type == "boolean" and execute and re.search(r"false \(default\)|show a preview", p.description, re.I):
            raise UnmodelledError("a preview unless told otherwise", p.name)


def _refuse_opaque(tool: ParsedTool) -> None:
    """An update or send whose whole content is an object of which nothing is known."""
    others = [p for p in tool.parameters if not p.is_id and p.words not in (("body",), ("payload",))]
    for p in tool.parameters:
        opaque = p.type in ("object", "any") and not p.schema.get("properties") and not p.schema.get("enum")
        whole = p.words in (("body",), ("payload",)) and p.required and len(others) < 2
        if opaque and whole and tool.kind in ("update", "send", "transition", "delete"):
            raise UnmodelledError("content of which nothing is known", p.name)


def _refuse_longer_key(tool: ParsedTool, entity: Entity) -> None:
    """``delete_parked_domain(domain, parked_domain)`` is about the parked domain, not about the domain."""
    for p in tool.parameters:
        longer = len(p.words) > len(entity.noun) and p.words[-len(entity.noun) :] == entity.noun
        if p.required and longer and p.words == tool.noun[-len(p.words) :]:
            raise UnmodelledError("a part of the thing", p.name)


def _refuse_many_as_one(tool: ParsedTool, entity: Entity) -> None:
    """A plural create whose content is one list makes as many records as the list is long."""
    lists = [p for p in tool.parameters if p.required and p.many]
    plain = [p for p in tool.parameters if p.required and not p.many and not p.is_id and not p.children]
    several = tool.plural or tool.batch or re.search(r"one or more|multiple|several", tool.description[:120], re.I)
    objects = bool(lists) and bool(lists[0].item_schema.get("properties"))
    if len(lists) == 1 and several and not plain and not objects and entity.key_kind == "minted":
        raise UnmodelledError("many made as one", lists[0].name)
    texts = [p for p in plain if p.type == "string" and p.words[-1] in ("paths", "urls", "files", "names", "ids")]
    if tool.plural and texts:
        raise UnmodelledError("many made as one", texts[0].name)
    if any(schema_type(p.item_schema) == "array" for p in lists) and tool.plural:
        raise UnmodelledError("many made as one", lists[0].name)
    if re.search(r"\bor[ _]?find\b", f"{tool.name} {tool.description[:80]}", re.I) or "OrFind" in tool.name:
        raise UnmodelledError("finds or makes", tool.name)


def _refuse_edits(tool: ParsedTool) -> None:
    """An update by position, by find and replace, by operations, or by a switch that adds or replaces."""
    names = {p.snake for p in tool.parameters}
    if names & _POSITIONAL[0] or len(names & _POSITIONAL[1]) > 1 or names & {"edits", "diff", "patch"}:
        raise UnmodelledError("edits a part of a text", ", ".join(sorted(names & (_POSITIONAL[0] | _POSITIONAL[1]))))
    for p in tool.parameters:
        if p.snake in _OPERATIONS and p.many and p.required:
            raise UnmodelledError("a list of operations", p.name)
        chosen = p.snake in _CHOICES and (p.enum or p.required) and p.words != tool.noun
        if chosen or _chooses(p):
            raise UnmodelledError("an operation chosen by a parameter", p.name)
        if p.words and p.words[0] in _SWITCHES and p.type == "boolean":
            raise UnmodelledError("adds or replaces, by a switch", p.name)


def _chooses(p: Parameter) -> bool:
    """True for an enumeration of verbs that add, take away and replace."""
    firsts = [split_name(str(value))[:1] for value in p.enum]
    return len({first[0] for first in firsts if first} & _CHANGING) > 1


def _refuse_parts(tool: ParsedTool, entity: Entity) -> None:
    """``update_column_description(table_id, column_name, description)`` is about a column of the table."""
    part = part_of(tool, entity)
    for p in tool.parameters:
        named = p.words[-1:] and (p.words[-1] in words_of.NATURAL_KEYS or p.words[-1] in ("index", "id"))
        values = [q for q in tool.parameters if q.required and q is not p and not q.is_id and q.words != entity.noun]
        inner = len(p.words) > 1 and p.words[:-1] != entity.noun and set(p.words[:-1]) <= set(part)
        if part and p.required and named and values and inner and p.words != part[-len(p.words) :]:
            raise UnmodelledError("a part of the thing", p.name)
    olds = [p for p in tool.parameters if p.required and p.words[:1] in (("old",), ("current",), ("from",))]
    if tool.kind == "update" and part and olds and not set(part) & set(entity.noun):
        raise UnmodelledError("a part of the thing", olds[0].name)
    switched = words_of.TRANSITIONS.get(tool.verb, ((), "", True))[1] in words_of.SWITCHES
    foreign = not set(stripped(tool.noun)) & set(entity.noun) and not switched
    if tool.kind == "transition" and part and foreign:
        raise UnmodelledError("a part of the thing", " ".join(part))

