"""Two columns of a record for one thing: ``message`` and ``content``, ``team`` beside ``team_id``, the thing in itself.

Tools of one server name one thing in several ways.  Where kept tools use one of the columns and none the other, the
other one leaves: its values would contradict the first.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.tool_parsing import parse_parameters, schema_type
from tvlab.foundation.words import singular

#: words of one row name the same text of a record
_ALIKE: tuple[frozenset[str], ...] = (
    frozenset(("message", "content", "text", "body", "message_text", "message_content", "comment_text")),
    frozenset(("note", "notes")),
    frozenset(("symbol", "ticker")),
    frozenset(("due", "due_date", "deadline", "due_on")),
    frozenset(("url", "link", "web_url", "deep_link", "permalink")),
)
_CALLED = frozenset((("name",), ("title",), ("display", "name")))
_CARRIERS = frozenset("field data model payload body input".split())
_PLAIN = frozenset({"enum", "values", "examples", "pattern"})


def is_itself(column: Field, entity: Entity) -> bool:
    """True for an object that is the thing: ``service`` of a service, ``folder_fields`` of a folder."""
    words = tuple(singular(word) for word in field_types.name_words(column.name))
    rest = words[:-1] if len(words) > 1 and words[-1] in _CARRIERS else words
    return column.type in ("object", "any") and rest in {entity.noun[at:] for at in range(len(entity.noun))}


def is_twin(column: Field, entity: Entity, used: Collection[str]) -> bool:
    """True if a column says again what one that tools use, or another one told of the thing, says.

    Args:
        column: of the entity, used by no tool.
        entity: the thing.
        used: names of its columns that tools use.
    """
    words = field_types.name_words(column.name)
    if words == ("id",) or (words[-1:] == ("id",) and words in _forms_of_key(entity)):
        return not column.in_output
    if not column.in_input and words in _CALLED and entity.label in used and entity.label != column.name:
        return field_types.name_words(entity.label) in _CALLED
    for other in entity.fields.values():
        if other is column:
            continue
        inner = field_types.name_words(other.name)
        known = other.name in used or other.in_output
        if column.in_input and known and other.reference and _names(words, inner):
            return True
        if known and other.type == column.type == "string" and _same_text(column, other, words, inner):
            return True
        if other.type == "object" and words[: len(inner)] == inner and words != inner:
            parts = {p.words for p in parse_parameters(other.schema)}
            if words[len(inner) :] in parts:
                return True
        if not column.in_input and len(words) > 1 and other.in_input and _described(words, other):
            return True
    return False


def same_text(entity: Entity, words: tuple[str, ...], schema: dict[str, Any]) -> Field | None:
    """Return the text that a create takes under the thing's own name where an answer calls it its content.

    Args:
        entity: the thing.
        words: of the column that an answer tells.
        schema: of that column.
    """
    if words not in (("content",), ("text",), ("body",)) or schema_type(schema) not in ("string", "any"):
        return None
    itself = entity.field_of(entity.noun[-1:])
    fits = itself is not None and itself.required and itself.written and itself.type == "string"
    return itself if fits else None


def _forms_of_key(entity: Entity) -> set[tuple[str, ...]]:
    key = field_types.name_words(entity.key)
    return {key, (*entity.noun, *key), (*entity.noun[-1:], *key)} if key == ("id",) else {key}


def _names(words: tuple[str, ...], reference: tuple[str, ...]) -> bool:
    """True for ``team`` beside ``teamId``, ``owner`` beside ``owner_ids``."""
    rest = reference[len(words) :]
    return reference[: len(words)] == words and rest in (("id",), ("ids",), ("public", "id"), ("uuid",), ("gid",))


def _same_text(column: Field, other: Field, words: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    if _PLAIN & {*column.schema, *other.schema}:
        return False
    return any({"_".join(words), "_".join(inner)} <= row for row in _ALIKE)


def _described(words: tuple[str, ...], other: Field) -> bool:
    """True if the text of another column begins with the words of this one: "Deep link to the page"."""
    said = str(other.schema.get("description") or "").lower()
    return other.type == "string" and said.startswith(" ".join(words))
