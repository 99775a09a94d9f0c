"""Fields that every record has, since a read is about them or records cannot come about without them."""

from __future__ import annotations

import re

from tvlab.environments import content_reads, field_types, listed_names
from tvlab.environments.domain import Domain
from tvlab.environments.entities import Entity

#: things that are little but one text
_TEXTS = frozenset(
    "comment note message reply review memo tag label variable env secret snippet post reminder todo annotation".split()
)
_CONTENT = frozenset("content text body message value comment note name title data".split())


def main_content(entity: Entity) -> frozenset[str]:
    """Return the column that a record of an entity is about: the text of a comment, what a nameless thing holds.

    >>> from tvlab.environments.entities import Field
    >>> body = Field("comment_body", {"type": "string"})
    >>> sorted(main_content(Entity("comment", ("comment",), "id", "string", "minted", {"comment_body": body})))
    ['comment_body']
    """
    texts = {n: field_types.name_words(n) for n, f in entity.fields.items() if f.type == "string" and not f.reference}
    held = [n for n, words in texts.items() if words[-1] in _CONTENT and n != entity.key]
    if set(entity.noun[-1:]) & _TEXTS:
        return frozenset(held[:1])
    alone = [n for n, f in entity.fields.items() if not f.reference and n != entity.key]
    return frozenset(alone) if len(alone) == 1 and alone == held else frozenset()


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
    return frozenset(found)
