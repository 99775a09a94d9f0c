"""Credentials that every call requires: shown, checked, stored in no record; and those that are none."""

import pytest

from tvlab.environments.build import build_server
from tvlab.environments.tool_lists import ToolList

TEXT = {"type": "string"}
TOKEN = {"type": "string", "description": "The CRM's access token"}


def tool(called, description, required=(), /, **properties):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": called, "description": description, "inputSchema": schema}


def built(*tools):
    return build_server(ToolList("kennel", "", "", "", list(tools)), smallest=1)


KENNEL = (
    tool("list_kennels", "List all kennels.", ("api_token",), api_token=TOKEN),
    tool("get_kennel", "Get a kennel.", ("api_token", "kennel_id"), api_token=TOKEN, kennel_id=TEXT),
    tool("create_kennel", "Create a kennel.", ("api_token", "name"), api_token=TOKEN, name=TEXT, colour=TEXT),
    tool("update_kennel", "Update a kennel.", ("api_token", "kennel_id"), api_token=TOKEN, kennel_id=TEXT, name=TEXT),
    tool("delete_kennel", "Delete a kennel.", ("api_token", "kennel_id"), api_token=TOKEN, kennel_id=TEXT),
)


@pytest.fixture(name="environment")
def _environment():
    return built(*KENNEL).environments[0].environment


def the_token(environment):
    (row,) = environment.state["api_token_credentials"].values()
    return row["api_token"]


def test_every_call_shows_the_credential_and_no_record_holds_it(environment):
    assert set(environment.tool_names) == {entry["name"] for entry in KENNEL}
    assert all("api_token" in entry["inputSchema"]["required"] for entry in environment.tools)
    token, session = the_token(environment), environment.session()
    made = session.call("create_kennel", {"api_token": token, "name": "Old Mill"})
    assert made.ok
    assert "api_token" not in made.value
    assert made.value in session.call("list_kennels", {"api_token": token}).value["kennels"]
    assert token not in str(made.value)


@pytest.mark.parametrize("name", ["list_kennels", "create_kennel", "delete_kennel"])
def test_another_credential_is_refused_and_changes_nothing(environment, name):
    session = environment.session()
    key = next(iter(environment.state["kennels"]))
    arguments = {"list_kennels": {}, "create_kennel": {"name": "Old Mill"}, "delete_kennel": {"kennel_id": key}}[name]
    before = str(session.state)
    assert not session.call(name, {"api_token": "another", **arguments}).ok
    assert str(session.state) == before
    assert session.call(name, {"api_token": the_token(environment), **arguments}).ok


def test_a_bare_token_of_which_nothing_is_said_may_be_a_coin():
    server = built(
        tool("list_pools", "List the pools of a coin.", ("token",), token=TEXT),
        tool("get_pool", "Get a pool.", ("token", "pool_id"), token=TEXT, pool_id=TEXT),
    )
    states = [one.environment.state for one in server.environments]
    assert not any("token_credentials" in state for state in states)


def test_a_key_whose_secret_goes_with_it_is_half_of_a_pair():
    pair = {"api_key": TEXT, "secret": TEXT}
    server = built(
        tool("list_orders", "List orders.", ("api_key", "secret"), **pair),
        tool("create_order", "Create an order.", ("api_key", "secret", "amount"), amount={"type": "number"}, **pair),
    )
    assert not any("api_key_credentials" in one.environment.state for one in server.environments)


def test_a_write_alone_does_not_make_a_credential():
    server = built(
        tool("create_webhook", "Create a webhook.", ("api_key", "url"), api_key=TEXT, url=TEXT),
        tool("create_hook", "Create a hook.", ("api_key", "url"), api_key=TEXT, url=TEXT),
    )
    assert not any("api_key_credentials" in one.environment.state for one in server.environments)


ACCOUNT = {"type": "string", "description": "The user's work email address. Required."}
SHARED = (
    tool("list_maps", "List all maps.", ("user_email",), user_email=ACCOUNT),
    tool("create_map", "Create a map.", ("user_email", "title"), user_email=ACCOUNT, title=TEXT),
    tool("get_map", "Get a map.", ("user_email", "map_id"), user_email=ACCOUNT, map_id=TEXT),
    tool("list_pins", "List pins of a map.", ("user_email", "map_id"), user_email=ACCOUNT, map_id=TEXT),
    tool("create_pin", "Create a pin.", ("user_email", "map_id"), user_email=TEXT, map_id=TEXT, note=TEXT),
    tool("create_route", "Create a route.", ("user_email", "name"), user_email=ACCOUNT, name=TEXT),
    tool("delete_route", "Delete a route.", ("user_email", "route_id"), user_email=ACCOUNT, route_id=TEXT),
)


def test_the_account_that_most_tools_ask_for_says_who_asks_and_filters_nothing():
    made = built(*SHARED).environments[0].environment
    (row,) = made.state["user_email_accounts"].values()
    session = made.session()
    listed = session.call("list_maps", {"user_email": row["user_email"]}).value["maps"]
    assert len(listed) == len(made.state["maps"])
    assert not any("user_email" in one for one in listed)
    assert not session.call("list_maps", {"user_email": "another@example.com"}).ok


def test_an_address_that_few_tools_ask_for_is_one_of_the_record():
    few = (
        tool("create_guest", "Create a guest.", ("user_email",), user_email=ACCOUNT, name=TEXT),
        tool("list_guests", "List guests."),
        tool("get_guest", "Get a guest.", ("guest_id",), guest_id=TEXT),
        tool("delete_guest", "Delete a guest.", ("guest_id",), guest_id=TEXT),
    )
    guests = built(*few).environments[0].environment.state["guests"]
    assert all("user_email" in row for row in guests.values())
