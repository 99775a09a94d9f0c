"""An id points at the things that a server lists, also where it calls them by another word."""

from __future__ import annotations

from test_doubts import tool
from test_doubts_rules import meant

from tvlab.environments.drops import Drop


def _target(decision, parameter):
    assert not isinstance(decision, Drop)
    return next(r.entity for r in decision.of("reference") if r.dotted == parameter)


def test_an_id_of_what_is_only_read_is_that_of_what_is_listed():
    tools = [
        tool("get_shop_accounts", "List the shop accounts."),
        tool("get_account_info", "Get an account.", account_id="string"),
    ]
    found = meant(*tools, tool("create_campaign", "Create a campaign.", account_id="string", name="string"))
    assert _target(found["create_campaign"], "account_id") == "shop_account"


def test_the_saved_things_are_not_all_things():
    tools = [
        tool("get_saved_shows", "List the saved shows."),
        tool("get_show", "Get a show.", show_id="string"),
    ]
    found = meant(*tools, tool("create_rating", "Rate a show.", show_id="string", stars="integer"))
    assert _target(found["create_rating"], "show_id") == "show"


def test_another_word_before_the_noun_is_the_one_of_the_tools():
    tools = [
        tool("list_clay_sheets", "List the sheets.", kiln_id="string"),
        tool("list_paper_sheets", "List the sheets.", kiln_id="string"),
    ]
    one = tool("create_clay_table", "Create a table.", oven_sheet_id="string", name="string")
    assert _target(meant(*tools, one)["create_clay_table"], "oven_sheet_id") == "clay_sheet"
