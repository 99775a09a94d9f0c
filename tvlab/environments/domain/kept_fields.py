"""Fields that every record has, since a read is about them or records cannot come about without them."""

from __future__ import annotations

import re

from tvlab.environments.domain import content_reads, field_types, listed_names
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.labels import LABELS

#: things that are little but one text, and the last words of that text's column, the likeliest first
_LITTLE_BUT_TEXT = frozenset(
    "comment note message story reply review post draft email memo remark answer question "
    "tag label variable env secret snippet reminder todo annotation".split()
)
_CONTENT = "text content body message comment note html value name title data".split()


def main_content(entity: Entity) -> frozenset[str]:
    """Return the column that a record of an entity is about: the text of a comment, what a nameless thing holds.

    >>> from tvlab.environments.domain.entities import Field
    >>> body = Field("comment_body", {"type": "string"})
    >>> sorted(main_content(Entity("comment", ("comment",), "id", "string", "minted", {"comment_body": body})))
    ['comment_body']
    """
    free = [f for n, f in entity.fields.items() if not f.reference and n != entity.key]
    ends = {f.name: field_types.name_words(f.name)[-1] for f in free if f.type == "string"}
    held = sorted((n for n in ends if ends[n] in _CONTENT), key=lambda n: _CONTENT.index(ends[n]))
    if entity.noun[-1] in _LITTLE_BUT_TEXT:
        return frozenset(held[:1])
    return frozenset(held) if len(free) == 1 else frozenset()


def always_there(domain: Domain, entity: Entity) -> frozenset[str]:
    """Return the columns that every record has by the texts and inputs of its tools.

    Those that a read lists one by one, or is looked up by; the content that a read is named after; and what must be
    given where records come about by being set: ``set_rate(currency, value)``.
    """
    found: set[str] = set()
    mine = [tool for tool in domain.tools if domain.own.get(tool.name) is entity]
    for tool in mine:
        if tool.kind in ("read", "list", "search"):
            found |= listed_names.named(tool.description, entity.fields, entity.key)
            found |= {content_reads.content_column(tool, entity, domain)} - {""}
        if tool.kind == "search":
            said = tool.description.split(".")[0].lower()
            asked = [p for p in tool.parameters if re.search(rf"\bby (?:their |its )?{' '.join(p.words)}\b", said)]
            found |= {column.name for p in asked if (column := entity.field_of(p.words)) is not None}
    if not any(tool.kind in ("create", "send") for tool in mine):
        for tool in mine:
            given = [p for p in tool.parameters if p.required] if tool.kind in ("upsert", "update") else []
            if all(p.required for p in tool.parameters if not p.is_id):
                found |= {column.name for p in given if (column := entity.field_of(p.words)) is not None}
    return frozenset(found | _called(entity))


def _called(entity: Entity) -> set[str]:
    """The name of a thing, and what it is about: a list of them is read for these."""
    texts = [f.name for f in entity.fields.values() if f.type == "string" and not f.reference]
    found = {name for name in texts if name == entity.label and field_types.name_words(name)[-1] in LABELS[:8]}
    return found | main_content(entity) | set(texts if len(texts) == 1 else ())
