"""Parameters that would be compared with a field of their own name and mean something else.

An order, a pattern, a range of cells, a directory, an id or a name of another thing: no record holds such values, and
a field of that name came from the parameter alone.  An optional one is taken away, a required one speaks against
the tool.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.steering import CELLS, said_of, says_cells, says_order

_READS = frozenset({"list", "search", "count", "read", "fact"})
_PATTERNS = frozenset("pattern regex regexp glob wildcard mask".split())
_FOLDERS = frozenset("directory dir folder".split())
_ID_OR_NAME = re.compile(r"\bIDs? or (?:the |a |an |its )?(?:\w+ )?names?\b|\bnames? or (?:\w+ )?IDs?\b", re.IGNORECASE)


def misread(role: Role, meaning: Meaning, domain: Domain) -> str:
    """Return what a filter means in place of an equal value of a field, "" if it means that."""
    p, entity = role.parameter, meaning.entity
    if role.role != "filter" or meaning.operation not in _READS or domain.guessed_texts or not p.words:
        return ""
    column = entity.fields.get(role.field or "")
    own = column is not None and not column.written and field_types.name_words(column.name) == p.words
    said = said_of(p, meaning.tool)
    if says_order(p):
        return "says in what order, is no field"
    if own and len(p.words) > 1 and p.words[-1] in _PATTERNS:
        return "a pattern, not a value"
    if says_cells(p, said):
        return CELLS
    if own and p.words[-1] in _FOLDERS and entity.is_path and role.op == "==":
        return "a directory, not a value"
    named = [f for f in entity.fields.values() if f.reference and field_types.name_words(f.name)[:-1] == p.words]
    if named and not role.entity and _ID_OR_NAME.search(said):
        return "an id or a name of another thing"
    return ""


def required_misread(meaning: Meaning, domain: Domain) -> str:
    """A filter that must be given, or has a default, is no value of a field."""
    for role in meaning.of("filter"):
        if found := misread(role, meaning, domain):
            return f"{role.dotted}: {found}"
    return ""


def lost_place(meaning: Meaning, domain: Domain) -> str:
    """What lies in a directory, or in a range of cells, is asked for, and all there is would be answered."""
    gone = dict(meaning.narrowed)
    inside = re.search(r"\b(?:in|of|from|within|under) (?:a|the|an?y?) (?:\w+ )?(?:directory|folder)\b",
                       meaning.tool.description[:200], re.IGNORECASE)  # fmt: skip
    lost = [p for p in meaning.tool.parameters if p.words[-1:] and p.words[-1] in _FOLDERS and p.name in gone]
    if inside and lost and meaning.operation in ("list", "search"):
        return lost[0].name
    ranged = re.search(r"\branges?\b", meaning.tool.description.split(".")[0], re.IGNORECASE)
    cells = next((path for path, why in meaning.narrowed if why == CELLS), "")
    return cells if ranged and not meaning.writes else ""
