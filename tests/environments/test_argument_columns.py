"""Columns that are arguments of calls alone, or say again what another column says, are in no record."""

import pytest
from plain_tools import built, tool

TEXT, WHOLE, FLAG, NUMBER = ({"type": kind} for kind in ("string", "integer", "boolean", "number"))
OPEN = {"type": "object"}


def said(description, kind="string", **more):
    return {"type": kind, "description": description, **more}


#: orchards with pickings, all of whose tools are kept
ORCHARDS = (
    tool("create_orchard", "Create an orchard.", ("name",), name=TEXT, region=TEXT),
    tool("get_orchard", "Get an orchard.", ("orchard_id",), orchard_id=TEXT),
    tool("delete_orchard", "Delete an orchard.", ("orchard_id",), orchard_id=TEXT),
    tool("create_picking", "Create a picking in an orchard.", ("orchard_id", "message"), orchard_id=TEXT, message=TEXT),
    tool("get_picking", "Get a picking.", ("picking_id",), picking_id=TEXT),
    tool("list_pickings", "List the pickings of an orchard.", ("orchard_id",), orchard_id=TEXT),
    tool("delete_picking", "Delete a picking.", ("picking_id",), picking_id=TEXT),
)
#: leaves the tool out that says it
ONCE = "Names are unique within a colour, a name that is already taken is rejected."


def columns(entity, *more, kept=(), left=()):
    _, environment = built(*ORCHARDS, *more)
    assert set(kept) <= set(environment.functions)
    assert not set(left) & set(environment.functions)
    report = environment.report["entities"][entity]
    rows = environment.state[report["table"]].values()
    held = {name for row in rows for name in row}
    assert held <= {report["key"], *report["fields"]}
    return held


def test_what_a_kept_list_or_update_was_narrowed_by_is_no_field():
    total = said("Set to true to include a count in the response.", "boolean")
    listing = tool("list_orchards", "List orchards.", total=total, sort_ascending=FLAG)
    update = tool(
        "update_orchard", "Update an orchard.", ("orchard_id",), orchard_id=TEXT, region=TEXT,
        reason=said("Reason for the audit log"), price=NUMBER,
    )  # fmt: skip
    held = columns("orchard", listing, update, kept=("list_orchards", "update_orchard"))
    assert not {"total", "reason", "sort_ascending"} & held
    assert {"name", "region", "price"} <= held


def test_flags_and_ranges_of_a_left_out_search_are_no_fields_and_a_state_is_one():
    search = tool(
        "search_orchards", "Search the orchards by meaning, best match first.", ("embedding",),
        embedding={"type": "array", "items": NUMBER}, is_overdue=FLAG, has_trees=FLAG, status=TEXT,
        created=said('Date filter: "YYYY-MM-DD" or a range'), context_length=WHOLE,
    )  # fmt: skip
    held = columns("orchard", search, left=("search_orchards",))
    assert not {"is_overdue", "has_trees", "created", "context_length"} & held
    assert "status" in held


def test_the_thing_in_itself_is_taken_apart():
    inside = {"type": "object", "properties": {"name": TEXT, "slope": WHOLE, "id": TEXT}}
    model = {"type": "object", "properties": {"orchard": inside}, "required": ["orchard"]}
    make = tool("replace_orchard", "Replace an orchard.", ("orchard_id", "model"), orchard_id=TEXT, model=model)
    held = columns("orchard", make, left=("replace_orchard",))
    assert "orchard" not in held
    assert {"name", "slope"} <= held


@pytest.mark.parametrize("name", ["harvest_request", "request_body", "orchard_fields"])
def test_the_body_of_a_left_out_request_is_no_field(name):
    body = {"colour": TEXT, name: OPEN}
    make = tool("plant_orchard", f"Make an orchard of one colour. {ONCE}", ("colour", name), **body)
    assert name not in columns("orchard", make, left=("plant_orchard",))


def test_the_list_of_a_batch_and_what_stands_beside_it_are_no_fields():
    batch = tool(
        "add_orchards", f"Add orchards. {ONCE}", ("orchards",), orchards=said("JSON array of orchards"),
        consistency=said("Consistency level of the request"),
    )  # fmt: skip
    held = columns("orchard", batch, left=("add_orchards",))
    assert not {"orchards", "consistency"} & held


def test_the_names_of_several_are_no_field_of_one():
    listed = {"type": "array", "items": TEXT}
    batch = tool("add_or_find_orchards", f"Add orchards. {ONCE}", ("names",), names=listed)
    assert "names" not in columns("orchard", batch, left=("add_or_find_orchards",))


def test_things_that_an_answer_lists_are_no_number_in_one_of_them():
    page = {"page_id": TEXT}
    _, environment = built(
        tool("create_page", "Create a page.", ("title",), title=TEXT),
        tool("add_comment", "Add a comment to a page.", ("page_id", "text"), **page, text=TEXT),
        tool("list_comments", "List the comments on a page with likes and comments.", ("page_id",), **page),
    )
    held = {name for row in environment.state["comments"].values() for name in row}
    assert "comments" not in held
    assert "likes" in held


def test_arguments_of_edits_of_a_part_are_no_fields():
    paint = tool(
        "update_orchard_fence_paint", f"Update the paint of a fence. {ONCE}", ("orchard_id",), orchard_id=TEXT,
        start_index=WHOLE, glossy=FLAG,
    )  # fmt: skip
    place = tool(
        "update_orchard", f"Update an orchard. {ONCE}", ("orchard_id",), orchard_id=TEXT,
        tree=said("Index of the tree to update", "integer"), height=WHOLE,
    )  # fmt: skip
    held = columns("orchard", paint, place, left=("update_orchard_fence_paint", "update_orchard"))
    assert not {name for name in held if "index" in name or "glossy" in name or name == "tree"}
    assert "height" in held


def test_a_left_out_tool_that_makes_another_sort_of_the_thing_adds_no_field():
    send = tool(
        "send_drone_picking", f"Send a picking by drone. {ONCE}", ("drone_id", "content"), drone_id=TEXT, content=TEXT,
        nickname=TEXT,
    )  # fmt: skip
    held = columns("picking", send, left=("send_drone_picking",))
    assert held == {"picking_id", "orchard_id", "message"}


def test_two_words_for_one_text_are_one_field():
    texts = {"picking_id": TEXT, "content": TEXT, "weight": WHOLE}
    edit = tool("update_picking", f"Update a picking. {ONCE}", ("picking_id",), **texts)
    held = columns("picking", edit, left=("update_picking",))
    assert "content" not in held
    assert {"message", "weight"} <= held


def test_a_thing_beside_its_id_is_no_second_field():
    edit = tool("update_picking", f"Update a picking. {ONCE}", ("picking_id",), picking_id=TEXT,
                orchard=said("Orchard ID or mention name"))  # fmt: skip
    assert "orchard" not in columns("picking", edit, left=("update_picking",))


def test_the_id_of_a_create_is_no_second_id_of_the_record():
    make = tool("import_orchard", "Create an orchard.", ("name",), id=TEXT, name=TEXT)
    copy = tool("create_orchard_from_plan", "Create an orchard from a plan.", ("plan_path",), plan_path=TEXT, id=TEXT)
    held = columns("orchard", make, copy)
    assert "id" not in held


def test_a_parameter_named_as_a_thing_and_said_to_be_its_id_picks_it():
    key = {"fieldPublicId": NUMBER}
    _, environment = built(
        tool("create_field", "Create a field.", ("name",), name=TEXT),
        tool("get_field", "Get a field.", ("fieldPublicId",), **key),
        tool("delete_field", "Delete a field.", ("fieldPublicId",), **key),
        tool("create_tree", "Plant a tree.", ("name",), name=TEXT, field={**NUMBER, "description": "Field ID"}),
        tool("list_field_trees", "List the trees of a field.", ("fieldPublicId",), **key),
    )
    assert environment.report["meanings"]["create_tree"]["parameters"]["field"]["entity"] == "field"
    held = {name for row in environment.state["trees"].values() for name in row}
    assert len({name for name in held if "field" in name}) == 1


def test_the_body_of_a_request_that_is_stored_as_a_part_leaves_the_tool_out():
    part = tool("set_orchard_fence", "Set the fence of an orchard.", ("orchard_id", "body"), orchard_id=TEXT, body=OPEN)
    server, _ = built(*ORCHARDS, part)
    assert "set_orchard_fence" in {drop.tool for drop in server.drops}


def test_a_record_with_free_fields_gets_no_made_up_name():
    _, environment = built(
        tool("create_entry", "Create an entry.", ("fields",), fields=OPEN),
        tool("get_entry", "Get an entry.", ("entry_id",), entry_id=TEXT),
        tool("list_entries", "List entries."),
    )
    assert {name for row in environment.state["entries"].values() for name in row} == {"entry_id", "fields"}
