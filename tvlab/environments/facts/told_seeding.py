"""Values of told tables: labels in the order of what is known, quantities of one row that agree."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from tvlab.environments.domain import field_types, known_things
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.facts import fact_values, told_key_forms, told_keys
from tvlab.environments.seeding import things as seed_things
from tvlab.environments.seeding import usual as seed_usual
from tvlab.environments.seeding.values import Values

Row = dict[str, Any]

_TEXTS = frozenset("snippet overview biography bio excerpt".split())
#: characters of a date
_DAY = 10
#: what is counted, whatever the type of its parameter
_COUNTED = frozenset("year season round lap month quarter".split())
#: words of what only one thing is called
_OWN_NUMBERS = frozenset("arxiv doi isbn issn pmid".split())
_NEWS = frozenset("news article headline".split())
_STATES = ("active", "pending", "completed")
#: share of the price -> columns that lie there
_BESIDE = {
    0.998: ("bid", "bid_price", "best_bid"), 1.002: ("ask", "ask_price", "best_ask"),
    1.03: ("high", "day_high", "daily_high", "high_price"), 0.97: ("low", "day_low", "daily_low", "low_price"),
    0.99: ("open", "open_price", "previous_close"),
}  # fmt: skip


#: usual prices of what is far from the price of a share
_USUAL = {
    "BTCUSD": 64_000, "ETHUSD": 3200, "SOLUSD": 140, "ADAUSD": 0.45, "XRPUSD": 0.52, "DOTUSD": 6.5, "LTCUSD": 82,
    "TRXUSD": 0.12, "BTC": 64_000, "ETH": 3200, "SOL": 140, "ADA": 0.45, "XRP": 0.52, "DOT": 6.5, "LTC": 82,
    "TRX": 0.12, "BTCUSDT": 64_000, "ETHUSDT": 3200, "SOLUSDT": 140, "BNBUSDT": 580, "XRPUSDT": 0.52,
    "BTC/USDT": 64_000, "ETH/USDT": 3200, "SOL/USDT": 140, "EURUSD": 1.08, "GBPUSD": 1.27,
    "USDC": 1, "DAI": 1, "LINK": 14, "UNI": 7, "AAVE": 90, "WBTC": 64_000, "ARB": 1.1,
    "USDJPY": 149, "USDCHF": 0.88, "AUDUSD": 0.65, "USDCAD": 1.36, "EURGBP": 0.85, "EURSEK": 11.3, "^GSPC": 5100,
    "^DJI": 38_900, "^IXIC": 16_100, "^RUT": 2060, "^FTSE": 7700, "^N225": 39_500, "^GDAXI": 17_700, "^HSI": 16_500,
}  # fmt: skip
_COINS = {
    "bitcoin": "BTC", "btc": "BTC", "ethereum": "ETH", "solana": "SOL", "cardano": "ADA", "polkadot": "DOT",
    "litecoin": "LTC", "tron": "TRX", "eth": "ETH", "sol": "SOL", "ada": "ADA", "dot": "DOT", "ltc": "LTC",
    "trx": "TRX", "xrp": "XRP",
}  # fmt: skip
#: things whose plain name is that of a person who deals in what the symbol stands for
_OF_PERSONS = frozenset("insider officer director executive senator shareholder".split())
_BAR = frozenset({"open", "high", "low", "close"})


#: what the name of a symbol is called by
_OF_SYMBOL = frozenset("company etf fund token coin asset contract details".split())


def _by_id(row: Row) -> Row:
    """Let name and symbol be those of the coin or chain that an id spells out: ``dogecoin`` is no XRP."""
    ids = (v for c, v in row.items() if field_types.is_id_name(c) and isinstance(v, str))
    name, symbol = next((told_keys.SPELT[one] for one in ids if one in told_keys.SPELT), ("", ""))
    told = {"name": name, "symbol": symbol} if name else {}
    return {**row, **{c: v for c, v in told.items() if isinstance(row.get(c), str)}}


def _of_pair(row: Row) -> tuple[Row, str]:
    """Let a price be in the currency that a pair is quoted in; the coin that is priced comes with the row."""
    base, quote = next(
        (p for v in row.values() if isinstance(v, str) and (p := told_key_forms.pair_of(v))[0]), ("", "")
    )
    if quote and isinstance(row.get("currency"), str):
        row = {**row, "currency": quote}
    return row, base


def _called(row: Row) -> str:
    told = [str(row.get(column) or "").lower() for column in ("coin_id", "coin", "asset", "id", "name")]
    return next((word for word in told if word in _COINS), "")


def _near(value: float, usual: float) -> float:
    """Return a number within three percent of the usual one, as far up as the cents of the value."""
    return round(usual * (0.97 + 0.06 * (round(value * 100) % 100) / 100), 4 if usual < 20 else 2)


def _as_bar(row: Row) -> Row:
    """Let the high of a bar be its highest, the low its lowest, and a price beside it the close."""
    ends = (row["open"], row["close"])
    digits = 4 if max(ends) < 20 else 2
    bar = {**row, "high": round(max(ends) * 1.01, digits), "low": round(min(ends) * 0.99, digits)}
    for column, value in (("price", row["close"]), ("vwap", round((bar["high"] + bar["low"]) / 2, digits))):
        if column in row:
            bar[column] = value
    return bar


def _dividend(row: Row) -> Row:
    """Let a dividend be declared before its record date and paid after it."""
    day = str(row.get("record_date", ""))
    if len(day) != _DAY or "payment_date" not in row:
        return row
    at = date.fromisoformat(day)
    row = {**row, "payment_date": str(at + timedelta(days=21))}
    return {**row, "declaration_date": str(at - timedelta(days=24))} if "declaration_date" in row else row


def _float(row: Row) -> Row:
    """Let the shares that are traded be part of those outstanding, and the free float their share in percent."""
    traded, outstanding = row.get("float_shares"), row.get("outstanding_shares")
    if not isinstance(traded, (int, float)) or not isinstance(outstanding, (int, float)) or not outstanding:
        return row
    low, high = sorted((traded, outstanding))
    row = {**row, "float_shares": low, "outstanding_shares": high}
    return {**row, "free_float": round(100 * low / high, 2)} if "free_float" in row else row


def told_value(entity: Entity, column: Field, rows: list[Row], values: Values, index: int) -> Any:
    """Return the value of a column of a record that no tool changes."""
    examples = column.schema.get("examples") or ()
    words = field_types.name_words(column.name)
    if examples and column.type == "string":
        unique = column.name == entity.label or words[-1] in ("symbol", "ticker")
        return examples[index % len(examples)] if unique or column.filtered else values.choice(examples)
    if column.type == "string" and words[-1] in _TEXTS:
        return values.sentence()
    if column.type == "string" and words[-1] == "status" and not {"enum", "values"} & set(column.schema):
        known_states = () if values.guessing else seed_usual.status_of(words) or seed_things.states(entity.noun)
        return values.choice(known_states or _STATES)
    known = [row[column.name] for row in rows if column.name in row]
    open_text = column.filtered and column.name != entity.label and not {"enum", "values"} & set(column.schema)
    open_text = open_text and (values.guessing or not _OWN_NUMBERS & set(words))
    if open_text and known and column.type in ("string", "integer", "number") and values.chance(0.5):
        return values.choice(known)
    if _NEWS & set(entity.noun) and column.schema.get("format") == "date":
        return fact_values.day(-values.integer(0, 4))
    value = fact_values.field_value(column.name, column.schema, entity.noun, index, values)
    if column.type == "number" and words[-1] in _COUNTED and isinstance(value, float):
        return round(value)
    named = "values" in column.schema
    if column.name == entity.label and value in known and isinstance(value, str) and not named:
        return f"{value} {index + 1}" if values.guessing or seed_things.is_free(value) else value
    return value


def agreed(row: Row, noun: tuple[str, ...] = ()) -> Row:
    """Return a row whose prices lie around one another and whose name is that of its symbol.

    >>> agreed({"symbol": "KO", "company_name": "Lee Ltd", "price": 100.0, "high": 3.0})
    {'symbol': 'KO', 'company_name': 'The Coca-Cola Company', 'price': 100.0, 'high': 103.0}
    """
    result = known_things.agreed(dict(row), noun)
    name = told_keys.NAMES.get(str(row.get("symbol") or row.get("cik") or ""))
    known = {n for n, schema in known_things.columns(noun).items() if schema.get("values")}
    for column in row if name else ():
        words = field_types.name_words(column)
        of_symbol = words[-1:] == ("name",) and set(words[:-1]) <= _OF_SYMBOL and column not in known
        of_symbol &= (len(words) > 1 or not set(noun) & _OF_PERSONS) and row[column] not in told_keys.PEOPLE
        if isinstance(row[column], str) and of_symbol:
            result[column] = name
    result = _by_id(result)
    if "cik" in row and row.get("symbol") in told_keys.CIKS:
        result["cik"] = told_keys.CIKS[str(row["symbol"])]
    result, paired = _of_pair(result)
    thing = str(row.get("symbol") or paired or next((_COINS[w] for w in (*noun, _called(row)) if w in _COINS), ""))
    for column in (*_BAR, "price") if thing in _USUAL else ():
        if isinstance(result.get(column), (int, float)):
            result[column] = _near(result[column], _USUAL[thing])
    result = _float(_dividend(result))
    if {"volume", "spot_volume", "perpetuals_volume"} <= set(result):
        result["volume"] = result["spot_volume"] + result["perpetuals_volume"]
    if set(result) >= _BAR:
        return _as_bar(result)
    price = result.get("price")
    if isinstance(price, (int, float)):
        for share, columns in _BESIDE.items():
            for column in columns:
                if isinstance(row.get(column), (int, float)):
                    result[column] = round(price * share, 4 if price < 20 else 2)
        percent = result.get("change_percent", 1.5)
        for column in ("price_change", "change") if isinstance(percent, (int, float)) else ():
            if isinstance(row.get(column), (int, float)):
                result[column] = round(price * percent / 100, 4 if price < 20 else 2)
    return result
