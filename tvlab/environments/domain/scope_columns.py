"""Columns that say where a record belongs: ``class_name`` in ``get_object(class_name, id)``.

A required plain parameter that reads, removals or lists of an entity share with another of its tools is part
of the record's address, not something that a call sets: a record is found only where the call says.  The
value is compared and never written by an update.  Credentials, languages, periods, reasons and texts are no
address.
"""

from __future__ import annotations

from collections import defaultdict

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.labels import LABELS
from tvlab.environments.domain.named_parts import is_about
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.language import vocabulary as words_of

_ADDRESSED = frozenset({"read", "delete", "list", "search", "count"})
_CREDENTIALS = frozenset("token secret password passphrase auth jwt cookie credential pat bearer".split())
_NO_ADDRESS = frozenset(
    "language lang locale format version year quarter month day period timeframe interval date reason comment "
    "confirm confirmation field fields property properties mode scope limit count metric metrics agent "
    "latitude longitude lat lon lng x y z radius selector value amount quantity index position".split()
)


def prepare(domain: Domain) -> None:
    """Give every entity the columns by which its tools say where a record belongs."""
    for entity in domain.entities.values():
        mine = [t for t in domain.tools if domain.own.get(t.name) is entity and t.name not in domain.settings]
        if entity.pair or not mine:
            continue
        users: dict[tuple[str, ...], list[tuple[ParsedTool, Parameter]]] = defaultdict(list)
        for tool in mine:
            if not is_about(tool, entity):
                continue
            key = domain.key_parameter(tool, entity)
            for p in tool.parameters:
                if p is not key and is_address(p) and domain.reference(p, entity) is None:
                    users[p.words].append((tool, p))
        for words, found in users.items():
            _add(entity, words, found)


def _add(entity: Entity, words: tuple[str, ...], found: list[tuple[ParsedTool, Parameter]]) -> None:
    tools = [tool for tool, _ in found]
    told = any(tool.kind in _ADDRESSED for tool in tools) and len(tools) > 1
    keyed = any(tool.kind in ("read", "delete", "update", "transition") and not tool.plural for tool in tools)
    types = {p.type for _, p in found}
    if not told or not keyed or len(types) > 1:
        return
    column = entity.field_of(words)
    if column is None:
        first = found[0][1]
        column = Field(first.name, field_types.column(first.schema), in_input=True)
        entity.fields[first.name] = column
    if column.reference or column.type not in types:
        return
    column.required = column.filtered = True
    entity.scope = (*entity.scope, column.name)


def is_address(p: Parameter) -> bool:
    """True for a required plain text, number or choice that may say where something is."""
    if not p.required or p.many or p.is_id or p.children or p.type not in ("string", "integer") or not p.words:
        return False
    if p.snake in words_of.PAGING or p.snake in words_of.QUERY_WORDS or field_types.is_option(p):
        return False
    if set(p.words) & (_CREDENTIALS | _NO_ADDRESS) or ("key" in p.words and set(p.words) & {"api", "private"}):
        return False
    body = p.snake in LABELS and p.snake not in ("name", "title", "email")
    return not body and not field_types.is_moment(p.name, p.schema) and field_types.range_of(p) is None


def scope_column(tool: ParsedTool, entity: Entity, p: Parameter) -> Field | None:
    """Return the column that a parameter compares to say where the record is, None if it is no address."""
    column = entity.field_of(p.words)
    if column is None or column.name not in entity.scope or not is_about(tool, entity):
        return None
    return column if p.required and column.type == p.type else None
