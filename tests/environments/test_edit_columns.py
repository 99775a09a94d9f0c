"""Columns that only left-out tools speak of: arguments of an edit and bodies of requests are no content."""

from plain_tools import tool

from tvlab.environments.build import build_server
from tvlab.environments.tool_lists import ToolList

TEXT, WHOLE, OBJECT = {"type": "string"}, {"type": "integer"}, {"type": "object"}
ROWS = {"type": "array", "items": {"type": "object", "properties": {"word": TEXT}}}


NOTES = (
    tool("create_note", "Create a note.", ("title", "text"), title=TEXT, text=TEXT),
    tool("get_note", "Get a note.", ("note_id",), note_id=TEXT),
    tool("list_notes", "List notes."),
    tool("delete_note", "Delete a note.", ("note_id",), note_id=TEXT),
)


def columns(*more):
    server = build_server(ToolList("made-up", "", "", "", [*NOTES, *more]), smallest=1)
    env = server.environments[0].environment
    return set(env.report["entities"]["note"]["fields"]), set(env.functions)


def test_arguments_of_a_left_out_edit_are_no_columns():
    edit = tool(
        "insert_note", "Insert words into a note at a position.", ("note_id", "start_index"), note_id=TEXT,
        start_index=WHOLE, bold_words=TEXT,
    )  # fmt: skip
    fields, kept = columns(edit)
    assert "insert_note" not in kept
    assert not {"start_index", "bold_words"} & fields
    assert {"title", "text"} <= fields


def test_the_body_of_a_left_out_request_is_no_column_and_a_plain_value_is_one():
    once = "Create a note of one colour. Names are unique within a colour, a name that is already taken is rejected."
    make = tool("create_coloured_note", once, ("colour",), body=OBJECT, rows=ROWS, colour=TEXT)
    fields, kept = columns(make)
    assert "create_coloured_note" not in kept
    assert not {"body", "rows"} & fields
    assert "colour" in fields


def test_what_a_text_or_a_kept_tool_speaks_of_stays():
    update = tool("update_note", "Update a note.", ("note_id",), note_id=TEXT, pinned={"type": "boolean"})
    fields, kept = columns(update)
    assert "update_note" in kept
    assert "pinned" in fields
