"""Columns for what a description promises and no schema names: "including its jobs, timing and status".

A phrase becomes a column only if its last word is a known quantity (``fact_words.py``) or stands below: a text or
value of one kind, or things of which the record lists several by name.  Things that are entities of the server
themselves are not filled in: the list here and the records there would differ.  A tool of whose promises one is
not known gets none, and is refused by the doubts.
"""

from __future__ import annotations

from typing import Any

from tvlab.environments import fact_fields
from tvlab.environments.domain import Domain
from tvlab.environments.entities import Entity, Field
from tvlab.environments.promised_content import Phrase, missing, promised
from tvlab.environments.tool_parsing import ParsedTool
from tvlab.foundation.words import plural

_TEXT: dict[str, Any] = {"type": "string"}
_MOST = 8


def _one_of(values: str) -> dict[str, Any]:
    return {"type": "string", "values": values.split(", ")}


#: last word of a phrase -> values of its column
_VALUES: dict[str, dict[str, Any]] = {
    **dict.fromkeys(
        "context purpose constraint configuration queue command key path signature hash branch".split(), _TEXT
    ),
    **dict.fromkeys("status state".split(), _one_of("active, pending, completed")),
    "style": _one_of("info, success, warning, error"),
    "mime": _one_of("application/json, application/pdf, image/png, text/plain"),
    "method": _one_of("bank transfer, card, cash"),
    "permission": _one_of("read, write, admin"),
    "usage": {"type": "number", "minimum": 0, "maximum": 100},
    "decimal": {"type": "integer", "minimum": 6, "maximum": 18},
    "pid": {"type": "integer", "minimum": 100, "maximum": 32_000},
    "runtime": {"type": "integer", "minimum": 1, "maximum": 900},
    "timing": {"type": "string", "format": "date-time"},
}
#: things of which a record lists several by name
_SEVERAL = frozenset(
    "job step member role team rule task note comment deal tag plan column metric reviewer participant attendee chain "
    "trigger action dependency label language category skill ingredient actor variable argument channel device "
    "service subscription webhook environment feature amenity contributor keyword topic".split()
)


def fill_promises(domain: Domain) -> None:
    """Give the entity of each read the columns that its description promises, if all of them are known."""
    for tool in domain.tools:
        entity = domain.own.get(tool.name)
        if entity is None or entity.is_path or tool.kind not in ("read", "list", "search"):
            continue
        for name, schema in (_columns(tool, entity, domain) or {}).items():
            entity.fields.setdefault(name, Field(name, schema, required=True))


def _columns(tool: ParsedTool, entity: Entity, domain: Domain) -> dict[str, dict[str, Any]] | None:
    """The columns for what is promised and missing; None if one of the phrases is not known, or they are many."""
    gone = missing(promised(tool.description, (*tool.noun, *entity.noun)), (*entity.fields, entity.key))
    if not gone or len(gone) > _MOST:
        return None
    columns: dict[str, dict[str, Any]] = {}
    for phrase in gone:
        column = _column(phrase, tool, domain)
        if column is None:
            return None
        columns[column[0]] = column[1]
    return columns


def _column(phrase: Phrase, tool: ParsedTool, domain: Domain) -> tuple[str, dict[str, Any]] | None:
    last, name = phrase[-1], "_".join(phrase)
    if any(entity.noun[-1] == last for entity in domain.entities.values()):
        return None
    many = plural(last)
    if last in _SEVERAL and many in tool.description.lower():
        return "_".join((*phrase[:-1], many)), {"type": "array", "items": dict(_TEXT)}
    schema = _VALUES.get(last) or fact_fields.field_schema(name)
    return (name, dict(schema)) if schema else None
