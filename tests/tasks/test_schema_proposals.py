"""Proposals from schemas, on a small server whose edges can be told by reading it."""

import pytest

from tvlab.environments.tool_lists import ToolList, embedded_tool_lists
from tvlab.tasks.schema_leaves import schema_leaves
from tvlab.tasks.schema_proposals import propose_from_schemas


def tool(called, description="", required=(), output=None, **parameters):
    typed = {
        name: {"type": "string", "description": about} if isinstance(about, str) else about
        for name, about in parameters.items()
    }
    schema = {"type": "object", "properties": typed, "required": list(required)}
    declared = {"outputSchema": output} if output else {}
    return {"name": called, "description": description, "inputSchema": schema, **declared}


LINES = {"type": "array", "items": {"type": "object", "properties": {"accountCode": {"type": "string"}}}}
RECORD = {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}
MEMBERS = {"type": "object", "properties": {"name": {"type": "string"}, "members": {"type": "array", "items": RECORD}}}
TEAMS = {"type": "object", "properties": {"teams": {"type": "array", "items": MEMBERS}}}
SHOP = [
    tool("list_accounts", "List the accounts."),
    tool("list_customers", "List customers. Returns each with its open invoices."),
    tool("create_customer", "Create a customer.", ["name"], name="", email=""),
    tool("get_customer", "Get one customer.", ["customer_id"], customer_id=""),
    tool("create_invoice", "Create an invoice.", ["customer_id"], customer_id="", lines=LINES,
         tax="from the list_tax_rates tool"),
    tool("list_invoices", "List invoices."),
    tool("get_invoice", "Get an invoice.", ["invoice_id"], invoice_id=""),
    tool("delete_invoice", "Delete an invoice.", ["invoice_id"], invoice_id=""),
    tool("list_tax_rates", "List tax rates."),
    tool("list_teams", "List teams.", output=TEAMS),
    tool("get_member", "Get a member.", ["member_id"], member_id=""),
    tool("get_team", "Get a team.", ["team_id"], team_id=""),
]  # fmt: skip


@pytest.fixture(scope="module")
def edges():
    return propose_from_schemas(ToolList("shop", tools=SHOP))


def producers(edges, consumer, parameter):
    return {e.producer: e.found for e in edges if (e.consumer, e.parameter) == (consumer, parameter)}


def test_lists_and_creates_supply_an_id(edges):
    assert producers(edges, "get_customer", "customer_id").items() >= {
        ("list_customers", "fields"), ("create_customer", "fields")}  # fmt: skip


def test_who_must_be_given_the_key_and_who_deletes_supply_nothing(edges):
    assert not {"get_invoice", "delete_invoice"} & producers(edges, "get_invoice", "invoice_id").keys()


def test_a_record_names_another_thing(edges):
    assert producers(edges, "get_customer", "customer_id")["list_invoices"] == "record"


def test_a_code_deep_inside_an_argument_comes_from_its_thing(edges):
    found = producers(edges, "create_invoice", "lines[].accountCode")
    assert found["list_accounts"] == "fields"
    assert "list_customers" not in found


def test_a_text_that_names_a_tool_is_a_source(edges):
    found = producers(edges, "create_invoice", "tax")
    assert found["list_tax_rates"] == "text"
    assert found["list_invoices"] == "record"  # which holds the tax it was made with


def test_a_description_says_what_else_is_inside(edges):
    assert producers(edges, "get_invoice", "invoice_id")["list_customers"] == "content"


def test_a_declared_output_shows_the_ids_inside_it(edges):
    assert producers(edges, "get_member", "member_id")["list_teams"] == "output"


def test_plain_content_asks_for_nothing(edges):
    assert not producers(edges, "create_customer", "name")


def test_nobody_feeds_himself(edges):
    assert all(e.producer != e.consumer for e in edges)


def test_a_role_without_tools_of_its_own_is_played_by_a_person():
    tools = [
        tool("list_contacts", "List contacts."),
        tool("get_contact", "Get a contact.", ["contact_id"], contact_id=""),
        tool("list_tickets", "List tickets."),
        tool("create_ticket", "Create a ticket.", ["requester_id"], requester_id="", subject=""),
    ]
    edges = propose_from_schemas(ToolList("desk", tools=tools))
    assert producers(edges, "create_ticket", "requester_id")["list_contacts"] == "fields"
    assert producers(edges, "get_contact", "contact_id")["list_tickets"] == "record"


def test_an_address_may_be_that_of_several_things():
    text = 'URIs: track or album (e.g. ["app:track:1"])'
    many = {"type": "array", "items": {"type": "string"}, "description": text}
    tools = [
        tool("list_tracks", "List tracks."),
        tool("list_albums", "List albums."),
        tool("list_devices", "List devices."),
        tool("save_items", "Save items.", ["uris"], uris=many),
    ]
    assert producers(propose_from_schemas(ToolList("music", tools=tools)), "save_items", "uris[]").keys() == {
        "list_tracks", "list_albums"}  # fmt: skip


def test_names_are_those_of_the_server():
    tools = [tool("List Things", "List things."), tool("Get Thing", "Get a thing.", ["thing-id"], **{"thing-id": ""})]
    [edge] = propose_from_schemas(ToolList("odd", tools=tools))
    assert (edge.producer, edge.consumer, edge.parameter) == ("List Things", "Get Thing", "thing-id")


def test_leaves_are_found_at_any_depth_and_a_bare_id_is_called_after_its_thing():
    inner = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    schema = {"properties": {"calendars": {"type": "array", "items": inner}, "body": inner}, "required": ["body"]}
    leaves = {leaf.path: leaf for leaf in schema_leaves(schema)}
    assert leaves["calendars[].id"].parameter.words == ("calendar", "id")
    assert leaves["body.id"].parameter.words == ("id",)
    assert leaves["body.id"].required
    assert not leaves["calendars[].id"].required


def test_a_schema_inside_itself_ends():
    node = {"type": "object", "properties": {}}
    node["properties"]["child"] = node
    assert list(schema_leaves(node)) == []


def test_the_same_server_gives_the_same_proposals():
    for one in embedded_tool_lists():
        assert propose_from_schemas(one) == propose_from_schemas(one)
