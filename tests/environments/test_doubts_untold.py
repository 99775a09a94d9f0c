"""Doubts about what is said in passing: counts, contents, completed values, starts; filters by one of many values."""

import pytest
from test_rules import ok
from test_writes import built, reason, tool

SHEDS = (
    tool("create_shed", "Create a shed.", ("name",), name="string", colour="string", tags={
        "type": "array", "items": {"type": "string"}}),
    tool("get_shed", "Get a shed.", ("shed_id",), shed_id="string"),
)  # fmt: skip
LOFTS = (
    tool("create_loft", "Create a loft.", ("loft_id", "colour"), loft_id="string", colour="string"),
    tool("get_loft", "Get a loft.", ("loft_id",), loft_id="string"),
)
BRACES = tool("create_brace", "Create a brace.", ("name",), name="string")


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (tool("search_sheds", "Search sheds. Returns names and match counts.", ("query",), query="string"),
         "statistic or report"),
        (tool("search_sheds", "Search through shed files for specific terms.", ("query",), query="string"),
         "nothing to search"),
        (tool("list_sheds", "List the sheds and calculate roof load."), "generated or computed answer"),
        (tool("create_brace", "Create a brace.", ("name",), name={
            "type": "string", "description": "Its name. The ending is appended automatically."}),
         "stated rule is not honoured"),
        (tool("create_brace", "Create a brace. New braces set last_oiled to creation time.", ("name",), name="string"),
         "stated default is not kept"),
        (tool("delete_shed", "Delete a shed. If a spare shed of that name exists, it will become active.",
              ("shed_id",), shed_id="string"), "stated rule is not honoured"),
        (tool("list_sheds", "List the sheds for a specific garden.", garden={
            "type": "object", "description": "Where."}, limit="integer"), "what is asked for was taken away"),
    ],
)  # fmt: skip
def test_what_is_said_in_passing(last, expected):
    assert reason(*SHEDS, last) == expected


@pytest.mark.parametrize(
    "last",
    [
        tool("search_sheds", "Search sheds by name.", ("query",), query="string"),
        tool("list_sheds", "List the sheds and calculate their colours."),
        tool("create_brace", "Create a brace. Braces are set to dry.", ("name",), name="string"),
        tool("delete_shed", "Delete a shed, if it exists.", ("shed_id",), shed_id="string"),
    ],
)
def test_like_words_that_promise_nothing_pass(last):
    assert reason(*SHEDS, last) is None


def test_connections_name_what_they_connect():
    ends = {"end_one": "string", "end_two": "string"}
    free = tool("create_brace", "Create a brace between sheds.", ("end_one", "end_two"), **ends)
    assert reason(*SHEDS, free) == "reference left free"
    ends = {"shed_id": "string", "end_two": "string"}
    tied = tool("create_brace", "Create a brace between sheds.", ("shed_id", "end_two"), **ends)
    assert reason(*SHEDS, tied) is None


def test_what_goes_with_a_thing_knows_the_thing():
    gone = tool("delete_shed", "Delete a shed and all its associated data (braces).", ("shed_id",), shed_id="string")
    apart = {drop.tool: drop.reason for drop in built(*SHEDS, BRACES, gone).drops}
    assert apart.get("delete_shed") == "stated rule is not honoured"
    tied = tool("create_brace", "Create a brace.", ("shed_id", "name"), shed_id="string", name="string")
    assert "delete_shed" not in {d.tool for d in built(*SHEDS, tied, gone).drops if d.stage == "meaning"}


def test_a_tag_that_is_one_of_many_is_no_column_of_its_own():
    listed = tool("list_sheds", "List sheds.", tag="string", colour="string")
    environment = built(*SHEDS, listed).environments[0].environment
    assert set(environment.tool("list_sheds")["inputSchema"]["properties"]) == {"colour"}
    assert all("tag" not in row for row in environment.state["sheds"].values())


def test_a_kind_that_makers_are_named_after_and_none_stores_is_no_filter():
    makers = [
        tool(f"save_{kind}_loft", f"Save a {kind} loft.", ("loft_id", "colour"), loft_id="string", colour="string")
        for kind in ("summer", "winter")
    ]
    kinds = {"type": "string", "enum": ["summer", "winter"]}
    listed = tool("list_lofts", "List lofts.", season=kinds, colour="string")
    named = built(*makers, LOFTS[1], listed).environments[0].environment
    assert set(named.tool("list_lofts")["inputSchema"]["properties"]) == {"colour"}
    plain = built(*LOFTS, listed).environments[0].environment
    assert set(plain.tool("list_lofts")["inputSchema"]["properties"]) == {"season", "colour"}


def test_an_id_that_is_said_to_be_a_things_picks_one_of_these():
    said = {"type": "string", "description": "Origin ID of a shed. Both may be the same."}
    tie = tool("create_brace", "Create a brace.", ("origin_id", "name"), origin_id=said, name="string")
    session = built(*SHEDS, tie).environments[0].environment.session()
    shed = ok(session, "create_shed", name="tall")["shed_id"]
    assert ok(session, "create_brace", origin_id=shed, name="oak")["origin_id"] == shed
    assert session.call("create_brace", {"origin_id": "none", "name": "oak"}).error.startswith("not_found")


def test_a_variable_that_only_set_makes_is_made_by_setting_it():
    tools = (
        tool("set_variable", "Set a variable.", ("key", "value"), key="string", value="string"),
        tool("get_variable", "Get a variable.", ("key",), key="string"),
        tool("delete_variable", "Delete a variable.", ("key",), key="string"),
    )
    session = built(*tools).environments[0].environment.session()
    ok(session, "set_variable", key="PORCH", value="wide")
    assert ok(session, "get_variable", key="PORCH")["value"] == "wide"
    ok(session, "set_variable", key="PORCH", value="narrow")
    assert ok(session, "get_variable", key="PORCH")["value"] == "narrow"


def test_a_list_in_the_line_after_the_following_is_promised():
    text = "Get a shed. Includes the following information:\nroof pitch, door count, gutter length"
    assert reason(SHEDS[0], tool("get_shed", text, ("shed_id",), shed_id="string")) == "named content is missing"


def test_anothers_token_is_no_content():
    given = {"shed_access_token": "string", "name": "string"}
    made = tool("create_brace", "Create a brace.", ("shed_access_token", "name"), **given)
    assert reason(*SHEDS, made) == "credential as data"


def test_rates_name_both_currencies_and_candles_their_time():
    rates = tool("get_exchange_rates", "Get exchange rates.", base="string")
    assert reason(rates) == "named content is missing"
    both = tool("get_exchange_rates", "Get exchange rates.", base="string", target="string")
    assert reason(both) is None
    bar = {"type": "string", "default": "1m"}
    candles = tool("get_candlesticks", "Get candlesticks of a coin.", ("coin",), coin="string", bar=bar)
    assert reason(candles) == "named content is missing"


def test_many_are_not_read_by_a_place_where_others_use_the_id():
    paths = {"type": "array", "items": {"type": "string"}}
    barns = (
        tool("create_barn", "Create a barn.", ("barn_path",), barn_path="string", colour="string"),
        tool("get_barn", "Get a barn.", ("barn_id",), barn_id="string"),
    )
    batch = tool("read_barns", "Read multiple barns.", ("barn_paths",), barn_paths=paths)
    assert reason(*barns, batch) == "another key than the one taken"
    colours = tool("read_barns", "Read multiple barns.", ("colours",), colours=paths)
    assert reason(*barns, colours) is None
