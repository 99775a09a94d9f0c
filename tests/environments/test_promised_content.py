"""Reads must hold what their descriptions list, and answer the records that are asked for."""

from __future__ import annotations

from typing import Any

import pytest

from tvlab.environments.domain.promised_content import missing, promised
from tvlab.environments.domain.tool_parsing import parse_tools
from tvlab.environments.drops import Drop
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.prepared_servers import decided, prepared_domain
from tvlab.environments.schemas.schemas import refactor_tools

TEXT = {"type": "string"}


def tool(name: str, description: str, required: tuple[str, ...] = (), /, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema}


KILN = [
    tool("create_kiln", "Create a kiln.", ("name",), name=TEXT, colour=TEXT),
    tool("get_kiln", "Get a kiln by id.", ("kiln_id",), kiln_id=TEXT),
    tool("list_kilns", "List the kilns.", (), colour=TEXT),
    tool("delete_kiln", "Delete a kiln.", ("kiln_id",), kiln_id=TEXT),
]


def meant(*tools: dict[str, Any]) -> dict[str, Meaning | Drop]:
    """What the tools mean beside the kilns, by name."""
    parsed = parse_tools(refactor_tools([*KILN, *tools]).tools)
    decisions = decided(parsed, prepared_domain(parsed))
    return {d.tool if isinstance(d, Drop) else d.tool.name: d for d in decisions}


@pytest.mark.parametrize(
    ("description", "phrases"),
    [
        ("Get a kiln including its firings, shelves and last owner", [("firing",), ("shelf",), ("owner",)]),
        ("Get a kiln and the rules associated with it.", [("rule",)]),
        ("List kilns.\n\nReturns:\n- colour: the colour\n- lining: of what it is", [("colour",), ("lining",)]),
        ("Full view of one kiln: shelves, bricks, open orders.", [("shelf",), ("brick",), ("order",)]),
        ("Get a kiln. Supports paging, sorting and filters.", []),
        ("Get a kiln.\n\nArgs:\n- verbose: including bricks", []),
    ],
)
def test_what_a_description_promises(description: str, phrases: list[tuple[str, ...]]):
    assert promised(description, ("kiln",)) == phrases


def test_a_promise_is_kept_by_a_column_of_that_word_or_of_one_like_it():
    columns = ["kiln_id", "createdAt", "web_url", "shelf_count"]
    assert missing([("creation", "date"), ("link",), ("brick",)], columns) == [("brick",)]


DROPPED = [
    tool("get_kiln_view", "Get a kiln including its firings and bricks.", ("kiln_id",), kiln_id=TEXT),
    tool("list_firing_logs", "List the logs.", ("kiln_id",), kiln_id=TEXT),
    tool("get_shelf", "Get detailed information about a shelf.", ("shelf_id",), shelf_id=TEXT),
    tool("search_kilns", "Search kilns, e.g. 'colour:red AND size:2'.", ("query",), query=TEXT),
    tool("get_kiln_children", "Get the children of a kiln.", ("kiln_id",), kiln_id=TEXT),
    tool("show_kiln", "Show a kiln (found:false if there is none).", ("kiln_id",), kiln_id=TEXT),
    tool("list_broken_kilns", "List broken kilns. By default only those of this year.", (), colour=TEXT),
    tool("list_pdf_files", "List the pdf files."),
    tool("list_kiln_makers", "List the makers, split into living and dead ones."),
    tool("list_kiln_kinds", "Lists all kilns within a kind.", ("kind",), kind=TEXT),
    tool("list_kilns_by_heat", "List kilns, sorted by heat.", (), colour=TEXT),
    tool("list_owner_kilns", "List kilns.", ("owner",), owner={**TEXT, "description": "First or last name"}),
    tool("get_kiln_news", "Get the latest news."),
]


@pytest.mark.parametrize("doubted", DROPPED, ids=[case["name"] for case in DROPPED])
def test_a_read_that_does_not_answer_what_it_says_is_left_out(doubted: dict[str, Any]):
    found = meant(doubted)
    assert isinstance(found[doubted["name"]], Drop)
    assert all(isinstance(found[plain["name"]], Meaning) for plain in KILN)


def test_a_value_that_means_all_is_no_filter():
    state = {"type": "string", "enum": ["hot", "cold", "all"], "default": "all"}
    meaning = meant(tool("list_kilns_by_state", "List the kilns.", (), state=state, colour=TEXT))["list_kilns_by_state"]
    assert isinstance(meaning, Drop) or "state" not in {role.dotted for role in meaning.roles}
    shown = {**state, "default": "hot"}
    dropped = meant(tool("list_warm_kilns", "List the kilns.", (), state=shown, colour=TEXT))["list_warm_kilns"]
    assert isinstance(dropped, Drop)


def test_after_beside_before_is_no_cursor():
    listed = tool("list_kilns_by_day", "List the kilns built after a day.", (), after=TEXT, before=TEXT, colour=TEXT)
    meaning = meant(listed)["list_kilns_by_day"]
    roles = [] if isinstance(meaning, Drop) else [role.role for role in meaning.roles]
    assert "cursor" not in roles


def test_rows_for_all_stocks_say_of_which_stock_each_is():
    listed = tool("get_dividend_dates", "Dividends for all stocks, including payment dates and dividend yields.")
    meaning = meant(listed)["get_dividend_dates"]
    assert isinstance(meaning, Meaning)
    assert "symbol" in meaning.entity.fields


def test_a_list_without_texts_loses_its_search_and_a_search_is_left_out():
    weighed = [
        tool("create_firing", "Create a firing.", ("degrees",), degrees={"type": "integer"}),
        tool("list_firings", "List the firings.", (), query=TEXT),
        tool("search_firings", "Search firings.", ("query",), query=TEXT),
    ]
    found = meant(*weighed)
    assert isinstance(found["search_firings"], Drop)
    assert isinstance(found["list_firings"], Drop) or not found["list_firings"].of("query")
