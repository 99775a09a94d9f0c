"""What a write leaves, where a new record starts, what a list of things to add and a token beside an id are."""

from plain_tools import built, tool
from test_reference_effects import NUMBER, TEXT, rows, session
from test_rules import ok, refused

from tvlab.environments.domain.entities import Field
from tvlab.environments.domain.starting_states import only_outcomes

LAMPS = (
    tool("create_lamp", "", ("name",), name=TEXT),
    tool("list_lamps"),
    tool("get_lamp", "", ("lamp_id",), lamp_id=TEXT),
)
SHADE = {"type": "object", "properties": {"cloth": TEXT, "width": NUMBER}}


def lamp_with(text, **more):
    """A server of lamps whose shade an update changes, in a wrapper, under this text."""
    body = {"type": "object", "properties": {"name": TEXT, "shade": {**SHADE, "description": text}, **more}}
    return session(*LAMPS, tool("update_lamp", "", ("lamp_id", "lamp"), lamp_id=TEXT, lamp=body))[1]


def shade_after(called):
    """The shade of a lamp after two updates, each of one part."""
    lamp = ok(called, "create_lamp", name="tall")["lamp_id"]
    ok(called, "update_lamp", lamp_id=lamp, lamp={"shade": {"cloth": "linen"}})
    ok(called, "update_lamp", lamp_id=lamp, lamp={"shade": {"width": 3}})
    return ok(called, "get_lamp", lamp_id=lamp)["shade"]


def test_an_object_of_which_only_the_changed_fields_are_given_keeps_the_others():
    assert shade_after(lamp_with("The shade (provide only fields to change)")) == {"cloth": "linen", "width": 3}
    assert shade_after(lamp_with("The shade. Fields left out are not changed.")) == {"cloth": "linen", "width": 3}


def test_an_object_of_which_nothing_is_said_is_replaced():
    assert shade_after(lamp_with("The new shade")) == {"width": 3}


def test_a_list_of_things_to_add_leaves_an_update_that_would_replace_the_list():
    update = {"name": TEXT, "watchers": {"type": "array", "items": TEXT, "description": "User IDs to add as watchers"}}
    server, environment = built(*LAMPS, tool("update_lamp", "", ("lamp_id",), lamp_id=TEXT, **update))
    assert "update_lamp" not in {drop.tool for drop in server.drops}
    assert "watchers" not in environment.tool("update_lamp")["inputSchema"]["properties"]


def test_the_token_of_what_an_update_changes_is_no_new_value():
    update = {"lampToken": TEXT, "name": TEXT}
    _, environment = built(*LAMPS, tool("update_lamp", "", ("lampId",), lampId=TEXT, **update))
    assert set(environment.tool("update_lamp")["inputSchema"]["properties"]) == {"lampId", "name"}


def states(*values):
    """A text with these values."""
    return {"type": "string", "enum": list(values)}


def test_a_new_record_is_in_the_state_that_a_list_knows_beside_those_an_update_sets():
    update = tool("update_lamp", "", ("lamp_id",), lamp_id=TEXT, status=states("acknowledged", "resolved"))
    listed = tool("list_lamps", "", (), status=states("triggered", "acknowledged", "resolved"))
    _, called = session(LAMPS[0], LAMPS[2], listed, update)
    made = ok(called, "create_lamp", name="tall")
    assert made["status"] == "triggered"
    assert made in rows(called, "list_lamps", status="triggered")


def test_a_new_record_bears_no_state_where_only_outcomes_are_listed():
    update = tool("update_lamp", "", ("lamp_id",), lamp_id=TEXT, status=states("acknowledged", "resolved"))
    _, called = session(*LAMPS, update)
    assert "status" not in ok(called, "create_lamp", name="tall")


def test_states_of_which_one_is_a_start_are_no_outcomes_alone():
    _, environment = built(*LAMPS, tool("update_lamp", "", ("lamp_id",), lamp_id=TEXT, status=states("lit", "closed")))
    assert environment.session().call("create_lamp", {"name": "tall"}).value["status"] == "lit"
    assert not only_outcomes(Field("status", states("lit", "closed")))


REMARK = {"type": "object", "properties": {"id": TEXT, "content": TEXT, "created_at": TEXT}}


def test_what_a_create_calls_by_the_noun_is_kept_under_the_name_that_its_answer_declares():
    add = tool(
        "add_remark_to_lamp",
        "Add a remark to a lamp.\n\nReturns:\n    The updated lamp with the new remark",
        ("lamp_id", "remark"),
        lamp_id=TEXT,
        remark=TEXT,
    )
    server, called = session(
        *LAMPS, {**add, "outputSchema": REMARK}, tool("list_lamp_remarks", "", ("lamp_id",), lamp_id=TEXT)
    )
    lamp = ok(called, "create_lamp", name="tall")["lamp_id"]
    made = ok(called, "add_remark_to_lamp", lamp_id=lamp, remark="bright")
    assert made["content"] == "bright"
    assert "remark" not in made
    assert rows(called, "list_lamp_remarks", lamp_id=lamp) == [made]
    published = server.environments[0].environment.tool("add_remark_to_lamp")["description"]
    assert published == "Add a remark to a lamp."


def test_null_that_would_take_a_value_away_is_neither_taken_nor_told():
    update = tool(
        "update_lamp",
        "Update a lamp. Sending a property as `null` clears it.",
        ("lamp_id",),
        lamp_id=TEXT,
        owner={"type": ["string", "null"], "description": "Who it belongs to (null to unset)"},
        colour={"type": ["string", "null"], "description": "Its colour"},
    )
    server, environment = built(*LAMPS, update)
    assert "update_lamp" not in {drop.tool for drop in server.drops}
    published = environment.tool("update_lamp")
    assert published["description"] == "Update a lamp."
    owner = published["inputSchema"]["properties"]["owner"]
    assert owner["type"] == "string"
    assert owner["description"] == "Who it belongs to"


ORDERS = (
    tool("create_order", "", ("goods",), goods=TEXT),
    tool("get_order", "", ("order_id",), order_id=TEXT),
    tool("list_orders"),
)


def test_a_call_for_things_in_one_state_refuses_those_in_another():
    _, called = session(
        *ORDERS,
        tool("update_order", "Modify an existing pending order.", ("order_id", "goods"), order_id=TEXT, goods=TEXT),
        tool("cancel_order", "Cancel a pending order.", ("order_id",), order_id=TEXT),
    )
    order = ok(called, "create_order", goods="rope")
    assert order["status"] == "pending"
    ok(called, "update_order", order_id=order["order_id"], goods="wire")
    ok(called, "cancel_order", order_id=order["order_id"])
    assert refused(called, "update_order", order_id=order["order_id"], goods="yarn") == "conflict"


def test_a_record_that_a_flag_of_it_closes_cannot_be_changed():
    flag = {"type": "boolean", "description": "Whether it is final and cannot be modified"}
    _, called = session(
        tool("create_order", "", ("goods",), goods=TEXT, sealed=flag),
        *ORDERS[1:],
        tool("update_order", "", ("order_id", "goods"), order_id=TEXT, goods=TEXT),
    )
    open_one, closed = (ok(called, "create_order", goods="rope", sealed=value)["order_id"] for value in (False, True))
    ok(called, "update_order", order_id=open_one, goods="wire")
    assert refused(called, "update_order", order_id=closed, goods="wire") == "conflict"


def test_what_is_set_at_first_alone_leaves_the_update():
    colour = {**TEXT, "description": "Its colour, can be set only when creating the lamp"}
    _, environment = built(*LAMPS, tool("update_lamp", "", ("lamp_id",), lamp_id=TEXT, name=TEXT, colour=colour))
    assert set(environment.tool("update_lamp")["inputSchema"]["properties"]) == {"lamp_id", "name"}


def test_what_the_caller_makes_is_his_own():
    listed = tool("list_lamps", "", (), createdByCurrentUser={"type": "boolean", "description": "Created by me"})
    _, called = session(LAMPS[0], LAMPS[2], listed)
    made = ok(called, "create_lamp", name="tall")
    assert made in rows(called, "list_lamps", createdByCurrentUser=True)


def test_a_delete_that_only_brings_a_thing_into_a_state_is_refused():
    gone = tool("delete_lamp", "Delete a lamp. It is transitioned to a deleting state.", ("lamp_id",), lamp_id=TEXT)
    server, _ = built(*LAMPS, gone)
    assert [(drop.tool, drop.reason) for drop in server.drops] == [("delete_lamp", "deleted and still there")]
