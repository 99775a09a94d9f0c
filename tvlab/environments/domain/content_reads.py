"""Reads of what a thing holds, not of its record: ``get_page_content``, ``get_doc_as_markdown``, its details."""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types, listed_names
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import ParsedTool

_CONTENTS = ("content", "contents", "body", "text", "markdown", "html")
_FORMS = frozenset((("markdown",), ("text",), ("html",), ("plain", "text")))
_OBJECT = re.compile(r"\b(?:an?|the) (?P<name>[a-z]+(?:[A-Z][a-z]+)+) object\b")


def content_column(tool: ParsedTool, entity: Entity, domain: Domain) -> str:
    """Return the field that holds all that a read answers, "" if it answers the record.

    A first sentence that lists other fields ("the full content (subject, sender, body)") speaks of the record.
    """
    if tool.kind != "read" or tool.plural or domain.guessed_texts or entity.is_path:
        return ""
    first = tool.description.strip().split("\n")[0]
    if listed_names.lists(first):
        return ""
    if tool.noun[-1:] == ("detail",):
        return _object(tool, entity, first)
    named = tool.noun[-1:] and tool.noun[-1] in _CONTENTS and tool.noun[:-1][-len(entity.noun) :] == entity.noun
    if not named and not (
        tool.target in _FORMS and f"as_{'_'.join(tool.target)}" in "_".join(field_types.name_words(tool.name))
    ):
        return ""
    wanted = (tool.noun[-1], *_CONTENTS) if named else (*tool.target, *_CONTENTS)
    texts = [name for name, f in entity.fields.items() if f.type == "string" and not f.reference]
    return next((name for word in wanted for name in texts if field_types.name_words(name) == (word,)), "")


def _object(tool: ParsedTool, entity: Entity, first: str) -> str:
    """``details`` of "the properties of a taskDetails object" where a task holds such an object."""
    column = entity.fields.get("details")
    match = _OBJECT.search(first)
    whole = match is not None and field_types.name_words(match["name"]) in ((*entity.noun, "details"), entity.noun)
    held = column is not None and column.type == "object" and match is not None
    return "details" if held and whole and match is not None and match["name"].endswith("Details") else ""
