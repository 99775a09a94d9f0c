"""A query in a language of its own goes; one of a single field looks at no other."""

from __future__ import annotations

import pytest
from test_doubts import tool
from test_doubts_rules import meant, said

from tvlab.environments.drops import Drop

NOTES = [
    tool("create_note", "Create a note.", title="string", body="string", author="string"),
    tool("get_note", "Get a note.", note_id="string"),
]


@pytest.mark.parametrize("text", ["KQL search query", "Supports the same query format as the web search box"])
def test_an_optional_query_in_a_language_goes(text):
    found = meant(*NOTES, tool("list_notes", "List notes.", query=(said(text),), author=("string",)))["list_notes"]
    assert not isinstance(found, Drop)
    assert ("query", "a query language") in found.narrowed
    assert [r.dotted for r in found.roles] == ["author"]


@pytest.mark.parametrize(
    ("description", "text", "field"),
    [
        ("Search notes.", "Text to search for in note titles.", "title"),
        ("Search notes.", "Optional search term to filter notes by\n    content", "body"),
        ("Searches for notes by name.", "The text", "title"),
    ],
)
def test_a_query_of_one_field_is_compared_with_it_alone(description, text, field):
    found = meant(*NOTES, tool("search_notes", description, query=said(text)))["search_notes"]
    assert not isinstance(found, Drop)
    assert [(r.role, r.field, r.op) for r in found.roles] == [("filter", field, "contains")]


@pytest.mark.parametrize(
    "description", ["Search notes by title or author.", "Search notes.", "Search notes by title, body"]
)
def test_a_query_of_several_fields_or_none_told_reads_all(description):
    found = meant(*NOTES, tool("search_notes", description, query=said("What to look for")))["search_notes"]
    assert not isinstance(found, Drop)
    assert [r.role for r in found.roles] == ["query"]
