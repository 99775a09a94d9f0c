"""Tables that tools only tell: keys and columns of their own kind, one of each quantity, texts that are met."""

import pytest
from plain_tools import built, tool

from tvlab.environments.facts import told_keys, told_times
from tvlab.environments.facts.told_seeding import agreed

TEXT, NUMBER, WHOLE = {"type": "string"}, {"type": "number"}, {"type": "integer"}


def said(text, kind="string"):
    return {"type": kind, "description": text}


def reason(server, name):
    return next(d.reason for d in server.drops if d.tool == name)


def rows_of(env, name, /, **arguments):
    value = env.session().call(name, arguments).value
    return next(iter(value.values())) if isinstance(value, dict) else value


def test_symbols_of_several_markets_do_not_mix():
    _, env = built(
        tool("get_quote", "A quote of a share: price and volume.", ("symbol",), symbol=said("Stock symbol")),
        tool("get_forex_quote", "A quote of a pair.", ("symbol",), symbol=said("Forex pair symbol (e.g., EURUSD)")),
        tool("get_index_quote", "A quote of an index.", ("symbol",), symbol=said("Index symbol (e.g., ^GSPC)")),
        tool("get_income_statement", "Income.", ("symbol",), symbol=said("Stock symbol"), limit=WHOLE),
    )
    session = env.session()
    assert session.call("get_quote", {"symbol": "AAPL"}).ok
    assert session.call("get_forex_quote", {"symbol": "EURUSD"}).ok
    assert session.call("get_index_quote", {"symbol": "^GSPC"}).ok
    assert session.call("get_income_statement", {"symbol": "AAPL"}).ok
    for name, other in (("get_quote", "EURUSD"), ("get_forex_quote", "AAPL"), ("get_income_statement", "^GSPC")):
        assert not session.call(name, {"symbol": other}).ok


def test_cities_are_of_the_named_country_and_the_told_list_agrees_with_them():
    _, env = built(
        tool("get_weather_by_city", "Current weather of a Portuguese city.", ("city",), city=TEXT),
        tool("list_supported_cities", "The supported cities of Portugal."),
    )
    names = {row["name"] for row in rows_of(env, "list_supported_cities")}
    assert "Lisboa" in names
    assert all(env.session().call("get_weather_by_city", {"city": name}).ok for name in ("Lisboa", "Porto"))


def test_examples_of_the_schema_are_keys():
    _, env = built(
        tool("get_coin_detail", "Details: name, price.", ("coin_id",), coin_id=said("Id (e.g. bitcoin, ethereum)"))
    )
    assert env.session().call("get_coin_detail", {"coin_id": "ethereum"}).ok


def test_one_quantity_has_one_column():
    _, env = built(
        tool("get_eth_balance", "Get the ETH balance of a wallet.", ("address",), address=said("Wallet address"))
    )
    row = next(iter(next(t for n, t in env.state.items() if not n.startswith("_")).values()))
    assert sum(isinstance(value, float) for value in row.values()) == 1
    assert row["address"].startswith("0x")
    assert len(row["address"]) == 42


def test_counters_are_numbers_and_columns_of_other_tools_inputs_are_none():
    _, env = built(
        tool("show_interface_detail", "Statistics.\n\n    Returns counters, errors, drops and speed\n    of it.",
             ("interface",), interface=said("Name (e.g. 'Gi0/0', 'Gi0/1')")),
        tool("show_interfaces", "List all interfaces with status and speed."),
        tool("run_on_interface", "Run a script.", ("interface", "script"), interface=TEXT, script=TEXT, secret=TEXT),
    )  # fmt: skip
    row = env.session().call("show_interface_detail", {"interface": "Gi0/0"}).value
    assert {type(row[name]) for name in ("counters", "errors", "drops")} == {int}
    assert not {"secret", "script"} & set(row)


def test_a_forecast_is_told_of_several_days_ahead_and_days_cut_it():
    days = {"type": "number", "description": "Days of the forecast", "default": 3}
    _, env = built(tool("get_weather_forecast", "Forecast of a city.", ("city",), city=TEXT, days=days))
    city = env.session()
    told = rows_of(env, "get_weather_forecast", city="Berlin", days=2)
    assert len(told) == 2
    assert len(rows_of(env, "get_weather_forecast", city="Berlin")) == 3
    assert [row["date"] for row in told] == ["2026-03-03", "2026-03-04"]
    assert city is not None


def test_the_rows_of_an_interval_lie_that_far_apart():
    bars = tool("get_minute_data", "Bars of 1 minute of a stock.", ("symbol",), symbol=TEXT, limit=WHOLE)
    _, env = built(bars)
    times = [row["timestamp"] for row in rows_of(env, "get_minute_data", symbol="AAPL")]
    assert times[:3] == ["2026-03-02T09:00:00Z", "2026-03-02T08:59:00Z", "2026-03-02T08:58:00Z"]


KIND = {"type": "string", "enum": ["daily", "weekly"], "description": "Kind, daily by default"}


@pytest.mark.parametrize(
    ("description", "properties", "required", "expected"),
    [
        ("DEPRECATED: ask the other tool. Quotes of gadgets: price, volume.", {}, (), "replaced by another tool"),
        ("Quotes of gadgets of an address: price, volume.", {"address": TEXT}, (), "a key that may be left out"),
        ("Quotes of gadgets: price, volume.", {"dataType": KIND}, (), "stated default is not kept"),
        ("Quotes of gadgets: title, price.", {"query": {"type": "string", "default": "sports"}}, (),
         "stated default is not kept"),
        ("Quotes of gadgets: price, volume.", {"pool": TEXT}, ("pool",), "keys of an unknown kind"),
        ("Quotes including price, volume and sparkline.", {}, (), "named content is missing"),
        ("Quotes of gadgets (price, volume, colour)", {}, (), "named content is missing"),
        ("Quotes and transaction information: price, volume.", {}, (), "named content is missing"),
    ],
)
def test_what_no_told_table_can_meet_is_dropped_by_name(description, properties, required, expected):
    server, _ = built(tool("get_gadget_quotes", description, required, **properties))
    assert reason(server, "get_gadget_quotes") == expected


def test_packages_are_of_the_named_registry_and_versions_are_of_them():
    _, env = built(
        tool("search_cargo_packages", "Search the Cargo registry.", ("query",), query=TEXT),
        tool("list_cargo_package_versions", "List versions of a Cargo package.", ("name",), name=TEXT, limit=WHOLE),
    )
    found = rows_of(env, "search_cargo_packages", query="serde")
    assert [row["name"] for row in found] == ["serde"]
    assert all(row["version"] for row in rows_of(env, "list_cargo_package_versions", name="serde"))


def test_names_stand_for_their_symbols_and_prices_lie_around_one_another():
    row = agreed({"symbol": "KO", "company_name": "Lee Ltd", "price": 100.0, "high": 3.0, "low": 500.0, "bid": 9.0})
    assert row["company_name"] == "The Coca-Cola Company"
    assert row["low"] < row["bid"] < row["price"] < row["high"]
    bar = agreed({"symbol": "EURUSD", "open": 400.0, "high": 1.0, "low": 900.0, "close": 30.5})
    assert bar["low"] < bar["close"] < bar["high"] < 2


def test_kinds_of_keys_follow_from_words_and_texts():
    assert told_keys.keys_of("mint", ("token", "supply"), "", "Public key of the mint")[0][:2] != "0x"
    assert told_keys.keys_of("address", ("shop",), "Where a shop is.") == ()
    assert told_keys.keys_of("name", ("available", "year"), "")[0] == "2025"
    assert told_keys.symbols("", "Quotes of exchange-traded funds")[0] == "SPY"
    assert told_keys.told_examples("Location as coordinates. Example: '40.7128,-74.0060'") == []
    assert told_times.minutes_of("4h") == 240


def test_examples_of_a_reference_are_keys_of_what_it_picks():
    network = said("Network ID (e.g., ethereum, solana)")
    _, env = built(
        tool("list_tokens", "List tokens of a network: name, price.", ("network",), network=network),
        tool("describe_network", "Describe a network in prose.", ("network",), network=network),
    )
    assert all(env.session().call("list_tokens", {"network": name}).ok for name in ("ethereum", "solana"))


def test_an_optional_symbol_stays_a_filter_of_the_rows():
    symbol = said("Trading pair symbol (optional, e.g., BTC/USDT)")
    exchange = said("Exchange ID (e.g., binance, bybit)")
    _, env = built(
        tool("get_leverage_tiers", "Leverage tiers of pairs.", ("exchange",), exchange=exchange, symbol=symbol),
        tool("get_ticker", "Get current ticker information.", ("exchange", "symbol"), exchange=exchange, symbol=symbol),
        tool("get_ohlcv", "Get OHLCV data.", ("exchange", "symbol"), exchange=exchange, symbol=symbol, limit=WHOLE),
        tool("list_exchanges", "List all exchanges."),
    )
    row = next(iter(env.state["leverage_tiers"].values()))
    told = rows_of(env, "get_leverage_tiers", exchange=row["exchange"], symbol=row["symbol"])
    assert {one["symbol"] for one in told} == {row["symbol"]}
    assert "name" not in row


def test_hours_cut_an_hourly_forecast_and_its_default_applies():
    hours = {"type": "number", "description": "Hours to forecast", "default": 6}
    _, env = built(tool("get_hourly_forecast", "Forecast for 48 hours.", ("city",), city=TEXT, hours=hours))
    assert len(rows_of(env, "get_hourly_forecast", city="Berlin")) == 6
    assert len(rows_of(env, "get_hourly_forecast", city="Berlin", hours=30)) == 30


def test_a_number_of_things_is_whole():
    _, env = built(tool("get_nft_balance", "Get the number of NFTs of a wallet.", ("wallet",), wallet=TEXT))
    row = next(iter(next(t for n, t in env.state.items() if not n.startswith("_")).values()))
    assert isinstance(row["balance"], int)


def test_a_market_told_by_another_parameter_gives_the_symbols():
    exchange, symbol = said("Exchange (NSE, BSE, etc.)"), said("Trading symbol")
    _, env = built(
        tool("get_quote", "Get quotes.", ("exchange", "tradingsymbol"), exchange=exchange, tradingsymbol=symbol)
    )
    row = next(iter(next(t for n, t in env.state.items() if not n.startswith("_")).values()))
    assert row["tradingsymbol"] == "RELIANCE"
    assert row["exchange"] in ("NSE", "BSE")


@pytest.mark.parametrize("description", ["Quotes: price, volume. Grouped by colour.", "Fees with historical data: fee"])
def test_a_grouping_and_a_history_need_their_columns(description):
    server, _ = built(tool("get_gadget_quotes", description))
    assert reason(server, "get_gadget_quotes") == "named content is missing"


def test_symbols_are_of_the_family_of_the_first_example_that_is_known():
    assert told_keys.symbols("Symbol of a coin, e.g. BTC, ETH", "tokens")[:2] == ("BTC", "ETH")
    assert told_keys.symbols("Symbol of a token, e.g. UNI", "")[0] == "ETH"


def test_the_most_recent_records_have_dates_and_a_network_is_one_of_the_chains():
    recent = {"type": "integer", "default": 10, "description": "Number of most recent records to return"}
    network = said("Network ID (e.g., ethereum, solana)")
    _, env = built(
        tool("get_cash_flow", "Cash flow of a company.", ("symbol",), symbol=TEXT, recent_n=recent),
        tool("list_tokens", "List tokens of a network: name, price.", ("network",), network=network),
        tool("get_token_pools", "Pools of a token.", ("network", "token"), network=network, token=TEXT),
    )
    chains = set(told_keys.CHAINS)
    dates = [row["date"] for row in rows_of(env, "get_cash_flow", symbol="AAPL")]
    assert dates == sorted(dates, reverse=True)
    assert {row["network"] for row in next(t for n, t in env.state.items() if "token" in n).values()} <= chains


def test_an_option_of_which_only_a_parameter_speaks_is_no_column():
    network = said("Network name (e.g., 'mainnet', 'sepolia'). Defaults to mainnet.")
    _, env = built(
        tool("get_eth_balance", "Get the ETH balance of a wallet.", ("wallet",), wallet=TEXT, network=network),
        tool("get_nft_balance", "Get the NFT balance of a wallet.", ("wallet",), wallet=TEXT, network=network),
    )
    assert not any("network" in row for table in env.state.values() for row in table.values() if isinstance(row, dict))
