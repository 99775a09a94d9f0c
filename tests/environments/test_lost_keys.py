"""What a text says of a read and the read does not do leaves it; what it promises of told rows is in them."""

import pytest
from plain_tools import built, tool

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def described(env, name):
    return next(t["description"] for t in env.tools if t["name"] == name)


def notes(*reads):
    return built(
        tool("create_note", "Create a note.", ("title",), title=TEXT, body=TEXT),
        tool("delete_note", "Delete a note.", ("note_id",), note_id=TEXT),
        *reads,
    )[1]


def test_a_key_whose_parameter_left_is_no_way_to_pick_a_record():
    env = notes(tool("get_note", "Retrieve a specific note by ID or title.", (), note_id=TEXT, title=TEXT))
    assert described(env, "get_note") == "Retrieve a specific note by ID."
    env = notes(tool("get_note", "Retrieve a specific note by its note ID.", ("note_id",), note_id=TEXT))
    assert described(env, "get_note") == "Retrieve a specific note by its note ID."


def test_an_order_and_a_scope_that_are_not_kept_leave_the_text():
    env = notes(
        tool(
            "list_notes", "List notes. The list contains single entries and series masters. Default sort is title asc."
        )
    )
    assert described(env, "list_notes") == "List notes."


def test_pages_of_an_area_are_the_pages_of_the_site():
    env = built(
        tool("create_wiki_area", "Create an area.", ("name",), name=TEXT),
        tool("list_wiki_areas", "List all areas."),
        tool(
            "create_wiki_area_page", "Create a page in an area.", ("wikiAreaId", "title"), wikiAreaId=TEXT, title=TEXT
        ),
        tool("list_wiki_area_pages", "List the pages of an area.", ("wikiAreaId",), wikiAreaId=TEXT),
        tool("get_wiki_page", "Get a page.", ("wikiPageId",), wikiPageId=TEXT),
        tool("delete_wiki_page", "Delete a page.", ("wikiPageId",), wikiPageId=TEXT),
    )[1]
    session = env.session()
    area = session.call("create_wiki_area", {"name": "North"}).value["wikiAreaId"]
    made = session.call("create_wiki_area_page", {"wikiAreaId": area, "title": "Roofs"}).value["wikiPageId"]
    assert session.call("get_wiki_page", {"wikiPageId": made}).ok
    told = session.call("list_wiki_area_pages", {"wikiAreaId": area}).value["wiki_pages"]
    assert [row["wikiPageId"] for row in told] == [made]
    assert session.call("delete_wiki_page", {"wikiPageId": made}).ok
    assert session.call("list_wiki_area_pages", {"wikiAreaId": area}).value["wiki_pages"] == []


@pytest.mark.parametrize(
    ("called", "text", "columns"),
    [
        ("get_funding_rates", "Get current funding rates of pairs.", {"symbol", "rate"}),
        ("get_cash_flow_statement", "Cash from operating, investing, and financing activities.",
         {"operating_cash_flow", "investing_cash_flow", "financing_cash_flow"}),
        ("get_company_overview", "Get company overview and key metrics.", {"market_cap", "pe_ratio"}),
        ("get_trending_coins", "Get the trending coins with search volume rankings.", {"search_rank", "search_volume"}),
        ("list_weather_stations", "List the observation data of weather stations.", {"temperature_c", "humidity"}),
    ],
)  # fmt: skip
def test_what_a_text_promises_of_told_rows_is_in_them(called, text, columns):
    needed = ("symbol",) if called in ("get_cash_flow_statement", "get_company_overview") else ()
    _, env = built(tool(called, text, needed, **({"symbol": TEXT} if needed else {})))
    entity = env.report["entities"][env.report["meanings"][called]["entity"]]
    assert columns <= set(next(iter(env.state[entity["table"]].values())))
