"""Plausible keys and values of seeded facts: real symbols, countries, cities with their coordinates.

What stands in no list here is made as for any other record (``seeding/values.py``).
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.language import fact_words, value_families
from tvlab.environments.seeding import stated as seed_stated
from tvlab.environments.seeding import things as seed_things
from tvlab.environments.seeding.moments import NOW, day_text
from tvlab.environments.seeding.values import Values
from tvlab.environments.seeding.words import ADJECTIVES, TOPICS
from tvlab.foundation.words import singular

_LISTS: dict[str, tuple[str, ...]] = {
    "symbol": ("AAPL", "MSFT", "NVDA", "AMZN", "TSLA", "JPM", "KO", "NKE"),
    "coin": ("bitcoin", "ethereum", "solana", "cardano", "dogecoin", "polkadot", "litecoin", "tron"),
    "pair": ("BTC/USDT", "ETH/USDT", "SOL/USDT", "ADA/USDT", "XRP/USDT", "DOT/USDT", "LTC/USDT", "TRX/USDT"),
    "currency": ("USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "SEK"),
    "country": ("Germany", "France", "Japan", "Brazil", "Canada", "India", "Kenya", "Spain"),
    "country_code": ("DE", "FR", "JP", "BR", "CA", "IN", "KE", "ES"),
    "city": ("Berlin", "Paris", "Tokyo", "Madrid", "London", "New York", "Nairobi", "Sydney"),
    "latitude": ("52.52", "48.8566", "35.6895", "40.4168", "51.5074", "40.7128", "-1.2921", "-33.8688"),
    "longitude": ("13.405", "2.3522", "139.6917", "-3.7038", "-0.1278", "-74.006", "36.8219", "151.2093"),
    "airport": ("BER", "LHR", "CDG", "JFK", "MAD", "VIE", "NRT", "SYD"),
    "chain": ("ethereum", "polygon", "arbitrum", "optimism", "base", "avalanche", "bsc", "fantom"),
    "protocol": ("aave", "lido", "uniswap", "curve", "maker", "compound", "balancer", "yearn"),
    "exchange": ("NASDAQ", "NYSE", "LSE", "XETRA", "TSX", "HKEX", "ASX", "SIX"),
    "sector": ("Technology", "Healthcare", "Energy", "Financials", "Utilities", "Industrials", "Materials",
               "Real Estate"),
    "industry": ("Software", "Banks", "Semiconductors", "Biotechnology", "Airlines", "Retail", "Insurance",
                 "Chemicals"),
    "package": ("requests", "numpy", "pandas", "flask", "django", "pytest", "scipy", "pillow"),
    "crate": ("serde", "tokio", "rand", "clap", "anyhow", "regex", "hyper", "axum"),
    "language": ("English", "German", "French", "Spanish", "Japanese", "Portuguese", "Italian", "Korean"),
    "genre": ("Action", "Comedy", "Drama", "Fantasy", "Horror", "Romance", "Thriller", "Mystery"),
    "team": ("Arsenal", "Barcelona", "Bayern", "Celtic", "Juventus", "Lyon", "Porto", "Ajax"),
    "league": ("Premier League", "La Liga", "Bundesliga", "Serie A", "Ligue 1", "Eredivisie", "MLS",
               "Championship"),
    "device": ("core-1", "core-2", "edge-1", "edge-2", "access-1", "access-2", "dist-1", "dist-2"),
    "hostname": ("web-01", "web-02", "db-01", "db-02", "app-01", "app-02", "cache-01", "mail-01"),
    "interval": ("1d", "1h", "1wk", "15m", "5m", "1m", "4h", "30m"),
    "quarter": ("Q1", "Q2", "Q3", "Q4"),
    "continent": ("Europe", "Asia", "Africa", "North America", "South America", "Oceania"),
    "brand": ("Toyota", "Ford", "Honda", "Volvo", "Fiat", "Renault", "Mazda", "Skoda"),
    "breed": ("beagle", "boxer", "poodle", "pug", "collie", "husky", "dalmatian", "terrier"),
    "chain_id": ("1", "10", "137", "8453", "42161", "43114", "56", "100"),
    "timezone": ("Europe/Berlin", "America/New_York", "Asia/Tokyo", "UTC", "Australia/Sydney",
                 "Africa/Nairobi", "Europe/Madrid", "Asia/Kolkata"),
}  # fmt: skip
_SAME = {
    "ticker": "symbol", "cusip": "symbol", "location": "city", "place": "city", "town": "city",
    "lat": "latitude", "lon": "longitude", "lng": "longitude", "nation": "country", "crypto": "coin",
    "base": "currency", "network": "chain", "library": "package", "timeframe": "interval", "host": "hostname",
    "market": "exchange", "tz": "timezone",
}  # fmt: skip
_HEADLINES = (
    "{company} opens a second {topic} centre",
    "{city} plans a new {topic} hall",
    "{company} names {person} as its head of {topic}",
    "What the {topic} figures of {city} show",
    "{person} on the future of {topic}",
    "{company} and {city} agree on {topic}",
)


def subject_list(name: str, noun: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return known keys for a parameter or field, () if no list has any."""
    words = field_types.name_words(name)
    if words in (("name",), ("code",), ("id",)) and noun:
        words = (*noun, *words)
    if words[-2:] == ("country", "code") or (words[-1:] == ("code",) and "country" in words):
        return _LISTS["country_code"]
    joined = "_".join(words)
    last = words[-1] if words else ""
    if last in ("name", "code", "symbol", "id", "slug") and len(words) > 1 and joined not in _LISTS:
        last = words[-2] if words[-2] in _LISTS or words[-2] in _SAME else last
    for word in (joined, last, singular(last)):
        found = _LISTS.get(_SAME.get(word, word))
        if found:
            return found
    return ()


def key_values(name: str, schema: dict[str, Any], noun: tuple[str, ...], values: Values,
               count: int = 6) -> list[Any]:  # fmt: skip
    """Return distinct keys that a person would type."""
    choices = [v for v in schema.get("enum", []) if v is not None]
    if choices:
        return choices[:count]
    if (listed := schema.get("examples") or schema.get("values")) and schema_type(schema) == "string":
        return list(listed)[:count]
    kind, words = schema_type(schema), field_types.name_words(name)
    symbol = words[-1:] in (("symbol",), ("ticker",))
    known = (value_families.said_family(noun) if symbol else ()) or subject_list(name, noun)
    if kind in ("integer", "number"):
        return _numbers(words, known, kind, values, count)
    if known and words[-1:] != ("id",):
        return list(known[:count])
    if field_types.is_moment(name, schema):
        return [day(-at - 1) for at in range(count)]
    result: list[Any] = []
    while len(result) < count:
        stated = None if values.guessing else seed_stated.stated_text(name, schema, noun, values)
        one = _one_key(words, name, noun, values) if stated is None else stated
        result.append(one if one not in result else f"{one} {len(result) + 1}")
    return result


def _numbers(words: tuple[str, ...], known: tuple[str, ...], kind: str, values: Values,
             count: int) -> list[Any]:  # fmt: skip
    try:
        return [float(v) if kind == "number" else int(v) for v in known[:count]] or _made(words, values, count)
    except ValueError:
        return _made(words, values, count)


def _made(words: tuple[str, ...], values: Values, count: int) -> list[Any]:
    if "year" in words or "season" in words:
        return [2025 - at for at in range(count)]
    if "quarter" in words:
        return [1, 2, 3, 4][:count]
    if "month" in words:
        return [at + 1 for at in range(count)]
    return sorted({values.integer(100, 9999) for _ in range(count * 3)})[:count]


def _one_key(words: tuple[str, ...], name: str, noun: tuple[str, ...], values: Values) -> str:
    last = words[-1] if words else ""
    if "address" in words or last in ("wallet", "hash", "pubkey", "txhash"):
        return "0x" + values._hex(40 if last != "hash" else 64)
    if last == "year" or last == "season":
        return str(values.integer(2015, 2025))
    if last == "doi":
        return f"10.{values.integer(1000, 9999)}/{values._hex(6)}"
    if last in ("cik", "identifier", "zip", "postcode", "cep"):
        return f"{values.integer(10000, 99999)}"
    if last == "domain":
        return f"{values.choice(TOPICS)}.example.com"
    if last == "token" and len(words) > 1:
        return str(values.integer(100_000, 999_999))
    if last == "id" or last in ("uid", "uuid"):
        return values._hex(8)
    return values.natural_key(name, words[:-1] or noun or ("record",))


def day(offset: int) -> str:
    """Return the date so many days from the state's clock."""
    return day_text(NOW + timedelta(days=offset))


def field_value(name: str, schema: dict[str, Any], noun: tuple[str, ...], index: int, values: Values) -> Any:
    """Return the value of a column that no parameter picks."""
    kind, words = schema_type(schema), field_types.name_words(name)
    if schema.get("enum") or schema.get("values") or (schema.get("examples") and kind == "string"):
        return values.value(name, schema, noun, index)
    if kind in ("integer", "number"):
        return _number(name, schema, kind, values)
    if kind != "string" or field_types.is_moment(name, schema):
        return values.value(name, schema, noun, index)
    symbol = words[-1:] in (("symbol",), ("ticker",))
    known = (value_families.said_family(noun) if symbol else ()) or subject_list(name, noun)
    if words[-1] == "snippet":
        return values.sentence()
    if known and words[-1] not in ("id",):
        return known[index % len(known)] if words[-1] == "name" else values.choice(known)
    if words[-1] in ("title", "headline") and set(noun) & {"news", "article", "headline", "release", "paper", "video"}:
        return headline(values) if values.guessing or "paper" not in noun else seed_things.research_title(values)
    if words[-1] in ("hash", "address") and (noun[-1:] != ("profile",)):
        return "0x" + values._hex(40) if words[-1] == "address" else values._hex(16)
    if words[-1] in ("source", "publisher"):
        return f"{values.choice(ADJECTIVES)} {values.choice(('Herald', 'Post', 'Times', 'Tribune'))}"
    if words == ("name",) and noun[-1:] in (("profile",), ("user",), ("author",), ("driver",), ("player",)):
        return values._fake.name()
    if words[-1] == "name" and set(words) & {"holder", "insider", "author", "driver", "player", "person"}:
        return values._fake.name()
    return values.value(name, schema, noun, index)


def _number(name: str, schema: dict[str, Any], kind: str, values: Values) -> int | float:
    known: dict[str, Any] = fact_words.FIELD_WORDS.get((field_types.name_words(name) or ("",))[-1], {})
    low = float(schema.get("minimum", 0) or known.get("minimum") or 1)
    high = float(schema.get("maximum") or known.get("maximum") or max(low + 1, 90))
    if kind == "integer":
        return values.integer(int(low), int(max(low, high)))
    return round(low + (high - low) * values.integer(0, 9999) / 9999, 2)


def headline(values: Values) -> str:
    """Return a title of an article."""
    return str(
        values.choice(_HEADLINES).format(
            company=values._fake.company(),
            city=values._fake.city(),
            person=values._fake.name(),
            topic=values.choice(TOPICS),
        )
    )
