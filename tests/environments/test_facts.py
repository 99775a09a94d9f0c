"""Facts and other reads: what becomes a table, what it tells, what is refused."""

import pytest
from plain_tools import built, tool

from tvlab.environments.domain import answer_options, fact_fields
from tvlab.environments.domain.tool_parsing import parse_parameters

TEXT, NUMBER, WHOLE = {"type": "string"}, {"type": "number"}, {"type": "integer"}


def reason(server, name):
    return next(d.reason for d in server.drops if d.tool == name)


def test_a_composite_key_needs_both_its_parts():
    _, env = built(tool("get_weather", "Weather now.", ("latitude", "longitude"), latitude=NUMBER, longitude=NUMBER))
    rows = list(next(t for n, t in env.state.items() if not n.startswith("_")).values())
    assert len(rows) >= 5
    session = env.session()
    row = rows[0]
    told = session.call("get_weather", {"latitude": row["latitude"], "longitude": row["longitude"]})
    assert told.value == row
    assert "temperature_c" in row
    crossed = session.call("get_weather", {"latitude": row["latitude"], "longitude": rows[1]["longitude"]})
    assert crossed.error.startswith("not_found")


def test_dated_rows_are_cut_at_both_bounds_and_unknown_symbols_are_refused():
    _, env = built(
        tool("get_price_history", "Daily bars.", ("symbol",), symbol=TEXT, start_date=TEXT, end_date=TEXT),
        tool("get_quote", "A quote.", ("symbol",), symbol=TEXT),
    )
    session = env.session()
    whole = session.call("get_price_history", {"symbol": "AAPL"}).value
    rows = next(iter(whole.values()))
    days = sorted(row["date"] for row in rows)
    assert len(rows) == 4
    assert all(row["low"] <= row["close"] <= row["high"] for row in rows)
    some = session.call("get_price_history", {"symbol": "AAPL", "start_date": days[1], "end_date": days[2]}).value
    assert sorted(row["date"] for row in next(iter(some.values()))) == days[1:3]
    assert session.call("get_price_history", {"symbol": "NOPE"}).error.startswith("not_found")


def test_two_currencies_are_a_key_and_no_dates():
    _, env = built(
        tool("get_exchange_rate", "Rate between two currencies.", ("from", "to"), **{"from": TEXT, "to": TEXT})
    )
    row = next(iter(next(t for n, t in env.state.items() if not n.startswith("_")).values()))
    assert row["from_"] != row["to"]
    assert len(row["from_"]) == 3
    told = env.session().call("get_exchange_rate", {"from_": row["from_"], "to": row["to"]}).value
    assert told["rate"] == row["rate"]


def test_the_one_record_of_a_kind_is_told_without_arguments():
    _, env = built(tool("get_my_profile", "Get your profile.", access_token=TEXT))
    assert set(env.session().call("get_my_profile", {}).value) >= {"name", "email"}
    assert env.report["narrowed"][0]["parameter"] == "access_token"


def test_ranked_rows_stand_in_their_order_and_a_limit_cuts_them():
    _, env = built(tool("get_biggest_losers", "Stocks with the largest drops.", limit=WHOLE))
    told = env.session().call("get_biggest_losers", {}).value
    changes = [row["change_percent"] for row in next(iter(told.values()))]
    assert changes == sorted(changes)
    assert max(changes) < 0


def test_several_symbols_between_commas_give_the_rows_of_each():
    symbols = {"type": "string", "description": "Comma-separated list of symbols"}
    _, env = built(tool("get_stock_quotes", "Quotes, including price and volume.", ("symbols",), symbols=symbols))
    found = env.session().call("get_stock_quotes", {"symbols": "AAPL, MSFT"}).value
    assert {row["symbol"] for row in next(iter(found.values()))} == {"AAPL", "MSFT"}


@pytest.mark.parametrize(
    "refused",
    [
        tool("get_page_html", "HTML of the current page."),
        tool("get_random_joke", "A joke."),
        tool("get_bible_verse", "A verse.", ("reference",), reference=TEXT),
        tool("get_cpu_usage", "CPU load now."),
        tool("get_moving_average", "Calculate the average.", ("symbol", "window"), symbol=TEXT, window=WHOLE),
        tool("get_price", "Price.", ("symbol", "api_key"), symbol=TEXT, api_key=TEXT),
        tool("list_targets_by_upstream", "Targets."),
    ],
)
def test_prose_screens_machines_computations_and_unkeyed_reads_stay_out(refused):
    server, env = built(refused)
    assert env is None
    assert server.drops[0].stage == "meaning"


def test_a_seeded_balance_beside_a_transfer_would_be_wrong():
    server, _ = built(
        tool("create_transfer", "Send money.", ("amount",), amount=NUMBER),
        tool("get_balance", "Balance.", ("address",), address=TEXT),
    )
    assert reason(server, "get_balance")


def test_fields_come_from_lists_in_the_description_and_not_from_its_arguments():
    text = "Get a fund, including expense ratio, net assets and the colour of hope.\n\nArgs:\n  - price: ignored"
    assert list(fact_fields.described(text)) == ["expense_ratio", "net_assets"]


@pytest.mark.parametrize(
    ("name", "description", "steers"),
    [
        ("fetchAllPages", "", True),
        ("skipToken", "", True),
        ("comments_limit", "", True),
        ("opt_fields", "", True),
        ("access_token", "", True),
        ("vs_currency", "", True),
        ("which", "Fields to include in the answer", True),
        ("status", "Only tickets of this status", False),
        ("currency", "Invoices of this currency", False),
    ],
)
def test_what_steers_an_answer_is_told_from_filters(name, description, steers):
    schema = {"properties": {name: {"type": "string", "description": description}}}
    (p,) = parse_parameters(schema)
    assert answer_options.is_answer_option(p) is steers


def test_an_explicit_null_for_paging_is_no_internal_error():
    nullable = {"type": ["integer", "null"], "default": 1}
    _, env = built(
        tool("create_note", "", ("title",), title=TEXT), tool("list_notes", "", (), limit=nullable, page=nullable)
    )
    result = env.session().call("list_notes", {"limit": None, "page": None})
    assert result.ok, result.error


def test_a_search_seeks_its_texts_and_a_list_compares_them():
    make = tool("create_paper", "", ("title",), title=TEXT, field=TEXT)
    _, env = built(make, tool("search_papers", "", (), title=TEXT))
    title = next(iter(env.state["papers"].values()))["title"]
    found = env.session().call("search_papers", {"title": title[:4].upper()}).value["papers"]
    assert title in [row["title"] for row in found]


def test_of_two_lists_that_answer_alike_the_plain_one_is_kept():
    server, env = built(
        tool("create_plugin", "", ("name",), name=TEXT),
        tool("list_plugins", "All plugins."),
        tool("list_my_plugins", "Mine."),
    )
    assert [t["name"] for t in env.tools] == ["create_plugin", "list_plugins"]
    assert reason(server, "list_my_plugins") == "another list gives the same rows"


def test_newest_first_is_honoured_by_the_date_of_the_records():
    _, env = built(
        tool("create_post", "", ("title",), title=TEXT, published_date={"type": "string", "format": "date"}),
        tool("list_posts", "List the posts, newest first.", limit=WHOLE),
    )
    days = [row.get("published_date", "") for row in env.session().call("list_posts", {"limit": 50}).value["posts"]]
    assert days == sorted(days, reverse=True)
