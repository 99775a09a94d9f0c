"""Families of keys that stand for one another: stock tickers, coins, currency pairs, indexes, exchanges, intervals.

A parameter's text gives examples ("e.g. BTC/USDT"), or a tool's name says the kind (forex, crypto, index).  Seeded
keys are of that family, so that an ordinary call of the real tool finds something here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tvlab.foundation.words import singular

_FAMILIES: dict[str, tuple[str, ...]] = {
    "stock": ("AAPL", "MSFT", "NVDA", "AMZN", "TSLA", "JPM", "KO", "NKE", "GOOGL"),
    "pair": ("BTC/USDT", "ETH/USDT", "SOL/USDT", "ADA/USDT", "XRP/USDT", "DOT/USDT", "LTC/USDT", "TRX/USDT"),
    "market": ("BTCUSDT", "ETHUSDT", "SOLUSDT", "ADAUSDT", "XRPUSDT", "DOTUSDT", "LTCUSDT", "TRXUSDT"),
    "crypto": ("BTCUSD", "ETHUSD", "SOLUSD", "ADAUSD", "XRPUSD", "DOTUSD", "LTCUSD", "TRXUSD"),
    "dashed": ("BTC-USD", "ETH-USD", "SOL-USD", "ADA-USD", "XRP-USD", "DOT-USD", "LTC-USD"),
    "coin": ("BTC", "ETH", "SOL", "ADA", "XRP", "DOT", "LTC", "TRX"),
    "coin_id": ("bitcoin", "ethereum", "solana", "cardano", "dogecoin", "polkadot", "litecoin", "tron"),
    "forex": ("EURUSD", "GBPUSD", "USDJPY", "USDCHF", "AUDUSD", "USDCAD", "EURGBP", "EURSEK"),
    "index": ("^GSPC", "^DJI", "^IXIC", "^RUT", "^FTSE", "^N225", "^GDAXI", "^HSI"),
    "crypto_exchange": ("binance", "coinbase", "kraken", "kucoin", "bybit", "okx", "bitfinex", "gateio"),
    "stock_exchange": ("NASDAQ", "NYSE", "LSE", "XETRA", "TSX", "HKEX", "ASX", "SIX"),
    "spoken_interval": ("day", "60minute", "30minute", "15minute", "5minute", "minute"),
    "interval": ("1d", "1h", "4h", "15m", "5m", "1m", "1w"),
    "long_interval": ("1day", "1hour", "4hour", "30min", "15min", "5min", "1min"),
    "us_state": ("CA", "NY", "TX", "FL", "WA", "IL", "CO", "MA"),
    "chain": ("ethereum", "polygon", "arbitrum", "optimism", "base", "avalanche", "bsc", "fantom"),
}
#: words of a tool's noun that say the family of a symbol
_SAID = {
    "forex": "forex", "crypto": "crypto", "cryptocurrency": "crypto", "index": "index", "indexe": "index",
    "stablecoin": "coin",
}  # fmt: skip
_EXAMPLES = re.compile(
    r"(?:\be\.?\s?g\.?,?:?|\bfor example:?|\bfor instance:?|\bsuch as|\bexamples?:|\blike"
    r"|例如[：:]?)\s*(?P<what>[^.;)\n]+"
    r"(?:\.\w+[^.;)\n]*)*)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\((?P<what>[\w^./-]+(?:,\s*[\w^./-]+)+(?:,?\s*(?:etc\.?|\.\.\.))?)\)")
_TOKEN = re.compile(r"[A-Za-z0-9^@#][\w./:^=+@&-]{0,30}")
_SPECIAL = re.compile(
    r"(?:\buse|\bor|\bpass|\bcan be|\bspecify|\bset to|\(|^|,|\bdefaults? to|\bdefault:?)\s*"
    r"[\"'`]{1,3}(?P<word>primary|@?me|default|self|root|inbox|@default)[\"'`]{1,3}",
    re.IGNORECASE,
)
_MOST = 9


def family_of(examples: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of the family that the first known example belongs to, () if none is known.

    >>> family_of(["BTC/USDT"])[:2]
    ('BTC/USDT', 'ETH/USDT')
    """
    for example in examples:
        for keys in _FAMILIES.values():
            if example in keys:
                return keys
    return ()


def name_of(keys: tuple[str, ...]) -> str:
    """Return the name of the family of some keys, "" if it is none."""
    return next((name for name, known in _FAMILIES.items() if keys and keys[0] in known), "")


def said_family(words: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of the family that the words of a noun say for a symbol: ``get_forex_quote``."""
    found = [_SAID[word] for word in map(singular, words) if word in _SAID]
    return _FAMILIES[found[0]] if found else ()


def told_examples(text: str) -> list[str]:
    """Return the single words that a text gives as examples.

    >>> told_examples("Trading pair symbol (e.g., BTC/USDT)"), told_examples("Name of a dog, e.g. 'Rex' or 'Bello'")
    (['BTC/USDT'], ['Rex', 'Bello'])
    >>> told_examples("The text, for example a long letter")
    []
    """
    match = _EXAMPLES.search(text) or _LISTED.search(text)
    if match is None:
        return []
    parts = [re.sub(r"\([^)]*$", "", part) for part in re.split(r",|\bor\b|\band\b|\betc\b|\.\.\.|、", match["what"])]
    parts = [part.strip(" \t\"'`*") for part in parts]
    parts = [part for part in parts if part]
    if not parts or not all(_TOKEN.fullmatch(part) for part in parts[:3]):
        return []
    return [part for part in dict.fromkeys(parts) if _TOKEN.fullmatch(part)][:_MOST]


def special_key(text: str) -> str:
    """Return the word that a text gives for the ordinary thing: ``primary`` of calendars, ``me`` of users.

    >>> special_key("ID of the calendar (use 'primary' for the main calendar)")
    'primary'
    """
    match = _SPECIAL.search(text)
    return match["word"] if match else ""
