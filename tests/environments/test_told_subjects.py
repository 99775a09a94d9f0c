"""What told tables are about: keys of one kind are the same in all of them, and each has its rows."""

from plain_tools import built, tool

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def said(text, kind="string"):
    return {"type": kind, "description": text}


def rows(env, noun):
    table = next(t for n, t in env.state.items() if n.startswith(noun))
    return list(table.values())


def test_each_symbol_that_has_a_price_has_a_history_and_an_overview():
    _, env = built(
        tool("get_stock_price", "Get the price of a share.", ("symbol",), symbol=said("Stock symbol")),
        tool("get_quote", "A quote: price, volume and change.", ("symbol",), symbol=said("Ticker (e.g. AAPL, GOOGL)")),
        tool("get_historical_prices", "Historical prices.", ("symbol",), symbol=said("Stock symbol"), limit=WHOLE),
    )
    known = {row["symbol"] for row in rows(env, "stock_price")}
    assert {"AAPL", "GOOGL", "NKE"} <= known
    session = env.session()
    for name in ("get_stock_price", "get_quote", "get_historical_prices"):
        assert all(session.call(name, {"symbol": symbol}).ok for symbol in known), name


def test_a_forecast_is_told_for_every_place_that_has_weather():
    _, env = built(
        tool("get_weather_by_city", "Current weather of a city.", ("city",), city=TEXT),
        tool("get_daily_forecast", "Forecast of 7 days for a city.", ("city",), city=TEXT),
        tool("get_hourly_forecast", "Hourly forecast of 24 hours for a city.", ("city",), city=TEXT),
    )
    cities = {row["city"] for row in rows(env, "weather")}
    assert len(cities) > 6
    for name in ("get_daily_forecast", "get_hourly_forecast"):
        assert all(env.session().call(name, {"city": city}).ok for city in cities), name


def test_each_parent_has_its_rows():
    _, env = built(
        tool("list_shops", "List all shops.", ()),
        tool("get_shop", "Details of a shop: name and city.", ("shop_id",), shop_id=TEXT),
        tool("create_shop", "Create a shop.", ("name",), name=TEXT),
        tool("list_supported_currencies", "The currencies supported by a shop.", ("shop_id",), shop_id=TEXT),
    )
    told = [env.session().call("list_supported_currencies", {"shop_id": row["shop_id"]}) for row in rows(env, "shops")]
    assert told
    assert all(outcome.ok for outcome in told)
    assert not env.session().call("list_supported_currencies", {"shop_id": "sho-none"}).ok


def test_each_symbol_has_its_bars_at_every_interval_that_the_text_lists():
    intervals = ("1m", "15m", "1h", "4h", "1d", "1w")
    _, env = built(
        tool("get_candles", "Candles: open, high, low, close and volume.", ("symbol", "interval"),
             symbol=said("Trading pair, e.g. BTCUSDT"), interval=said(f"Interval, e.g. {', '.join(intervals)}")),
        tool("get_price", "Current price.", ("symbol",), symbol=said("Trading pair, e.g. BTCUSDT")),
    )  # fmt: skip
    for symbol in {row["symbol"] for row in rows(env, "price")}:
        for interval in intervals:
            assert env.session().call("get_candles", {"symbol": symbol, "interval": interval}).ok, (symbol, interval)


def test_an_interval_from_a_closed_list_of_codes_is_known():
    _, env = built(
        tool("get_historical_data", "Candles: open, high, low, close.", ("symbol", "interval"),
             symbol=said("Stock symbol"), interval=said("Time interval (minute, 5minute, 60minute, day)")),
        tool("get_price", "Current price.", ("symbol",), symbol=said("Stock symbol")),
    )  # fmt: skip
    assert env.session().call("get_historical_data", {"symbol": "AAPL", "interval": "day"}).ok
    assert not env.session().call("get_historical_data", {"symbol": "AAPL", "interval": "1d"}).ok


def test_every_exchange_has_its_price_of_a_coin():
    _, env = built(
        tool("list_exchanges", "List all exchanges."),
        tool("get_trades", "Get recent trades: price and volume.", ("exchange", "symbol"),
             exchange=said("Exchange id (e.g., binance, kraken)"), symbol=said("Trading pair (e.g., BTC/USDT)")),
    )  # fmt: skip
    for exchange in ("binance", "kraken"):
        for symbol in ("BTC/USDT", "ETH/USDT"):
            assert env.session().call("get_trades", {"exchange": exchange, "symbol": symbol}).ok


def test_exchanges_are_those_that_a_text_of_the_server_lists():
    _, env = built(
        tool("place_order", "Place an order.", ("exchange", "quantity"),
             exchange=said("Exchange (NSE, BSE, MCX)"), quantity=WHOLE),
        tool("list_orders", "List all orders."),
        tool("cancel_order", "Cancel an order.", ("order_id",), order_id=TEXT),
        tool("get_instruments", "List of all instruments: name.", ("exchange",), exchange=said("Exchange")),
    )  # fmt: skip
    assert {row["exchange"] for row in rows(env, "instrument")} == {"NSE", "BSE", "MCX"}


def test_each_currency_has_its_rate_to_every_other_one():
    _, env = built(
        tool("get_exchange_rate", "Exchange rate.", ("from", "to"), **{
            "from": said("Currency code"), "to": said("Currency code")}),
    )  # fmt: skip
    for one, two in (("USD", "SEK"), ("SEK", "USD"), ("EUR", "USD")):
        assert env.session().call("get_exchange_rate", {"from_": one, "to": two}).ok, (one, two)


def test_marked_things_their_names_and_all_of_them_are_kept_in_no_table_of_their_own():
    server, env = built(
        tool("get_coin", "Details of a coin: name, price.", ("coin_id",), coin_id=said("Id (e.g. bitcoin, ethereum)")),
        tool("get_featured_coins", "Get a list of featured coins."),
        tool("list_coin_names", "List the names of all coins."),
        tool("get_web_popular_games", "Popular games on the web: title and rank."),
        tool("get_mobile_popular_games", "Popular games on phones: title and rank."),
        tool("get_all_popular_games", "Popular games on all platforms: title and rank."),
    )
    reasons = {drop.tool: drop.reason for drop in server.drops}
    assert reasons["get_featured_coins"] == "one thing kept in two tables"
    assert "list_coin_names" in reasons
    assert reasons["get_all_popular_games"] == "one thing kept in two tables"
    assert {"get_coin", "get_mobile_popular_games"} <= {t["name"] for t in env.tools}
