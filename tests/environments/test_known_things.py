"""Known things: told by what they usually hold where no text says it, and only where no tool changes them."""

import pytest
from plain_tools import built, tool

from tvlab.environments.domain import known_things
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.facts.told_columns import is_plausible

TEXT, WHOLE, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}


def rows_of(env, name, /, **arguments):
    value = env.session().call(name, arguments).value
    return next(iter(value.values()))


def test_details_of_a_known_thing_are_more_than_a_name():
    _, env = built(tool("get_chargeback", "Get the details of a chargeback.", ("chargeback_id",), chargeback_id=TEXT))
    key = next(iter(env.state["chargebacks"]))
    found = env.session().call("get_chargeback", {"chargeback_id": key}).value
    assert set(found) == {"chargeback_id", "amount", "currency", "reason", "status", "opened_at"}


def test_what_is_known_of_nothing_stays_out():
    server, env = built(tool("get_wuzzle", "Get the details of a wuzzle.", ("wuzzle_id",), wuzzle_id=TEXT))
    assert env is None
    assert server.drops[0].reason == "nothing is known of the thing"


def test_what_goes_with_a_name_is_that_of_its_name():
    _, env = built(tool("list_minerals", "List all minerals."), tool("list_countries", "List all countries."))
    for table in ("minerals", "countries"):
        for row in env.state[table].values():
            first, second = (c for c in row if "values" in known_things.columns((singular(table),)).get(c, {}))
            listed = known_things.columns((singular(table),))
            assert listed[first]["values"].index(row[first]) == listed[second]["values"].index(row[second])
    names = [row["name"] for row in env.state["minerals"].values()]
    assert len(set(names)) == len(names) <= 10


def singular(table):
    return {"minerals": "mineral", "countries": "country"}[table]


def test_a_thing_that_a_tool_writes_is_told_by_its_inputs_alone():
    _, env = built(
        tool("create_shipment", "Create a shipment.", ("weight",), weight=NUMBER),
        tool("get_shipment", "Get a shipment.", ("shipment_id",), shipment_id=TEXT),
        tool("list_shipments", "List shipments."),
    )
    assert env is not None
    assert not {"carrier", "shipped_at"} & set(next(iter(env.state["shipments"].values())))


def test_a_list_of_few_names_has_each_once():
    _, env = built(tool("get_link_types", "Get all link types."))
    names = [row["name"] for row in rows_of(env, "get_link_types")]
    assert sorted(names) == ["Blocks", "Clones", "Duplicate", "Relates"]


def test_years_are_whole_whatever_the_type_of_their_parameter():
    _, env = built(tool("get_lap_times", "", ("year",), year=NUMBER))
    years = {row["year"] for row in env.state["lap_times"].values()}
    assert years
    assert all(year == int(year) for year in years)


@pytest.mark.parametrize("thing", sorted(known_things.THINGS))
def test_each_line_gives_columns_of_a_known_kind(thing):
    for name, schema in known_things.THINGS[thing].items():
        assert name.isidentifier()
        entity = Entity("thing", tuple(thing.split()), "thing_id", "string", "minted")
        assert is_plausible(entity, Field(name, schema)) or name == "symbol", name
        assert all(value.strip() == value != "" for value in schema.get("values", ()))


def test_rows_of_the_key_of_something_else_are_taken_in_where_the_noun_names_what_they_hold():
    _, env = built(
        tool("get_current_price", "Get the price of a share.", ("symbol",), symbol=TEXT),
        tool("get_price_history", "Get the price history of a share.", ("symbol",), symbol=TEXT),
        tool("get_reactions", "Get the reactions to a share.", ("symbol",), symbol=TEXT),
    )
    rows = rows_of(env, "get_price_history", symbol="AAPL")
    assert rows
    assert all({"date", "open", "close"} <= set(row) for row in rows)
    assert "get_reactions" not in env.tool_names


def test_a_port_and_a_user_beside_a_password_are_no_filters():
    reach = {"hostname": TEXT, "username": TEXT, "port": WHOLE, "password": TEXT}
    server, _ = built(tool("list_docker_volumes", "List the volumes.", ("hostname", "username"), **reach))
    assert server.drops[0].reason == "parameter taken for what it is not"


def test_rows_inside_a_thing_that_no_argument_names_are_refused():
    server, _ = built(tool("list_token_holders", "List the holders of a token.", (), slug=TEXT))
    assert [d.reason for d in server.drops] == ["children without their parent"]
