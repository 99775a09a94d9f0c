"""A query in a language of its own goes; one of a single field looks at no other."""

from __future__ import annotations

import pytest
from test_doubts import tool
from test_doubts_rules import meant, said

from tvlab.environments.build import build_server
from tvlab.environments.drops import Drop
from tvlab.environments.tool_lists import ToolList

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
    ("text", "fields"),
    [
        ("Search over note title and body.", ("title", "body")),
        ("Text to search within note fields (title, body).", ("title", "body")),
        ("What to look for, by title, body or other fields", ()),
        ("What to look for", ()),
        ("Search over title and shade", ()),
    ],
)
def test_a_query_of_several_fields_reads_those_and_one_of_none_told_all(text, fields):
    found = meant(*NOTES, tool("search_notes", "Search notes.", query=said(text)))["search_notes"]
    assert not isinstance(found, Drop)
    assert [(r.role, r.also) for r in found.roles] == [("query", fields)]


def test_fields_that_a_query_does_not_read_do_not_find_a_record():
    search = tool("search_notes", "Search.", query=said("Over title and body."))
    server = build_server(ToolList("notes", tools=[*NOTES, search]), smallest=1)
    environment = server.environments[0].environment
    row = next(iter(environment.state["notes"].values()))
    session = environment.session()
    assert row in session.call("search_notes", {"query": row["title"]}).value["notes"]
    held = {text for one in environment.state["notes"].values() for text in (one["title"], one["body"])}
    assert not any(row["author"] in text for text in held)
    assert session.call("search_notes", {"query": row["author"]}).value["notes"] == []
