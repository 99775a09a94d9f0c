"""Facts of one server: what is known has an answer, what a text promises a column, and one fact one value."""

from itertools import pairwise

from plain_tools import built, tool

from tvlab.environments.seeding.parents import counted_on

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def said(text, kind="string"):
    return {"type": kind, "description": text}


def table(env, word):
    return next(list(rows.values()) for name, rows in env.state.items() if word in name)


def test_each_known_key_has_an_answer():
    _, env = built(
        tool("list_museums", "List museums."),
        tool("get_museum", "A museum.", ("museum_id",), museum_id=TEXT),
        tool("list_museum_paintings", "Paintings of a museum.", ("museum_id",), museum_id=TEXT),
        tool("search_exchange_variants", "The exchanges where a stock is listed.", ("symbol",), symbol=said("Stock")),
        tool("get_quote", "A quote of a share: price and volume.", ("symbol",), symbol=said("Stock symbol")),
    )
    museums = {row["museum_id"] for row in table(env, "museums")}
    assert museums == {row["museum_id"] for row in table(env, "painting")}
    assert {row["symbol"] for row in table(env, "variant")} >= {"AAPL", "TSLA", "V", "WMT"}


def test_names_of_programs_are_counted_on_where_there_are_more_places_for_them():
    assert counted_on(("eth0", "eth1"), 5) == ("eth0", "eth1", "eth2", "eth3", "eth4")
    assert counted_on(("alice", "bob"), 5, ("person",)) == ("alice", "bob")


def test_concepts_and_things_that_a_text_speaks_of_are_columns():
    _, env = built(
        tool("get_key_metrics_ttm", "Data related to a company's profitability, capital efficiency, and liquidity.",
             ("symbol",), symbol=said("Stock symbol")),
        tool("get_income_statement_growth", "Growth figures. Analyze how revenue, profits, and expenses have evolved.",
             ("symbol",), symbol=said("Stock symbol"), limit=WHOLE),
        tool("search_companies", "Find company information and regulatory filings using a stock symbol.", ("symbol",),
             symbol=said("Stock symbol")),
    )  # fmt: skip
    assert all({"current_ratio", "return_on_capital"} <= set(row) for row in table(env, "metric"))
    assert all({"revenue_growth", "operating_expenses_growth"} <= set(row) for row in table(env, "growth"))
    assert all(row["filings"] and row["filings"][0]["filing_date"] for row in table(env, "compan"))


def test_people_are_called_like_people_beside_the_symbol_of_a_company():
    _, env = built(
        tool("search_insider_trades", "Search for insider trades by reporting name.", ("name",),
             name=said("Reporting person's name")),
    )  # fmt: skip
    assert not any("Inc." in row["name"] or "Corporation" in row["name"] for row in table(env, "insider"))


def test_statements_add_up_and_growth_is_that_of_the_statements():
    symbol = {"symbol": said("Stock symbol"), "limit": WHOLE}
    _, env = built(
        tool("get_balance_sheet", "Balance sheets: total assets, liabilities and equity.", ("symbol",), **symbol),
        tool("get_income_statement", "Income statements of a company.", ("symbol",), **symbol),
        tool("get_income_statement_growth", "Growth of revenue and income of a company.", ("symbol",), **symbol),
    )
    for row in table(env, "balance"):
        assert row["total_equity"] == row["total_assets"] - row["total_liabilities"] > 0
    incomes = [row for row in table(env, "income_statements") if row["symbol"] == "AAPL"]
    growths = [row for row in table(env, "growth") if row["symbol"] == "AAPL"]
    assert all(0 < row["net_income"] < row["revenue"] for row in incomes)
    by = 100 * (incomes[0]["revenue"] / incomes[1]["revenue"] - 1)
    assert growths[0]["revenue_growth"] == round(by, 2)


def test_a_bar_of_a_day_is_the_same_in_every_table():
    symbol = {"symbol": said("Stock symbol"), "limit": WHOLE}
    _, env = built(
        tool("get_light_chart", "Daily prices of a stock.", ("symbol",), **symbol),
        tool("get_full_chart", "Daily prices of a stock in full.", ("symbol",), **symbol),
    )
    light, full = ({(r["symbol"], r["date"]): r["close"] for r in table(env, word)} for word in ("light", "full"))
    assert light == full
    closes = [close for (symbol, _), close in light.items() if symbol == "KO"]
    assert all(abs(later / earlier - 1) < 0.05 for later, earlier in pairwise(closes))


def test_a_list_of_all_shares_tells_each_once():
    paging = {"page": said("Page number (default: 0)", "number"), "limit": said("Limit on number of results", "number")}
    _, env = built(
        tool("getAllShareFloat", "Access shares float data for all companies: float and outstanding shares.", **paging),
        tool("getShareFloat", "The total number of traded shares of a company.", ("symbol",), symbol=said("Stock")),
    )
    rows = {row["symbol"]: row["outstanding_shares"] for row in table(env, "share_float_records")}
    assert len(rows) == len(table(env, "share_float_records")) >= 12
    assert all(rows[row["symbol"]] == row["outstanding_shares"] for row in table(env, "share_floats"))


def test_keys_are_of_the_form_that_their_text_says():
    key = {"id": said(f"The inscription id (e.g. {'ab12' * 16}i0)")}
    _, env = built(tool("get_inscription", "Get details of an inscription.", ("id",), **key))
    assert all(len(row["id"]) == 66 and row["id"].endswith("i0") for row in table(env, "inscription"))
    key = {"mintId": said("The mint id of the coin (coin address)")}
    _, env = built(
        tool("get_coins", "Get a list of coins"),
        tool("get_coin_info", "Get information about a coin", ("mintId",), **key),
    )
    assert all("-" not in row["mintId"] and len(row["mintId"]) > 30 for row in table(env, "coin"))


def test_a_traded_pair_stands_for_others_and_is_priced_in_its_quote():
    key = {"instrument": said("Instrument ID (e.g. BTC-USDT)")}
    _, env = built(tool("get_price", "Get latest price for an instrument", ("instrument",), **key))
    prices = {row["instrument"]: row for row in table(env, "price")}
    assert len(prices) > 1
    assert prices["BTC-USDT"]["currency"] == "USDT"
    assert prices["BTC-USDT"]["price"] > 10_000


def test_what_has_happened_lies_behind_the_clock_and_companies_in_their_country():
    _, env = built(
        tool("list_recent_activities", "The most recent activities of the athlete."),
        tool("get_company_profile", "The profile of a company.", ("symbol",), symbol=said("Stock symbol")),
    )
    assert all(row["start_date"] < "2026-03-02T09" for row in table(env, "activit"))
    assert {row["country"] for row in table(env, "profile")} == {"United States"}
