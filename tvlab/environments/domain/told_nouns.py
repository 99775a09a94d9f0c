"""Columns that a noun or a text promises of a told table and that no list of the description names."""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import ParsedTool

Columns = dict[str, dict[str, Any]]

_TEXT: dict[str, Any] = {"type": "string"}
_PRICE: dict[str, Any] = {"type": "number", "minimum": 5, "maximum": 900}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 100, "maximum": 90_000}
_BIG: dict[str, Any] = {"type": "integer", "minimum": 1_000_000, "maximum": 900_000_000}
_SHARE_OF_MARKET: dict[str, Any] = {"type": "number", "minimum": 0.1, "maximum": 12}
_SHARE: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": 100}
_SECTOR = {
    "type": "string",
    "values": ["Technology", "Healthcare", "Energy", "Financials", "Utilities", "Industrials"],
}
_INSTRUMENT = re.compile(
    r"\b(?:ticker symbols?|stock symbols|(?:stock|ETF|crypto\w*|forex|ind(?:ex|exes|ices)|funds?)[^.]{0,40}\bquotes?"
    r"|quotes for[^.]{0,60}\b(?:stocks?|exchange-traded funds|mutual funds|indexes|pairs|cryptocurrencies"
    r"|digital assets)"
    r"|price quotes|delisted from)\b",
    re.IGNORECASE,
)
#: what a text speaks of -> columns of each row
_TEXTS: tuple[tuple[re.Pattern[str], Columns], ...] = (
    (re.compile(r"\bwith current prices?\b", re.IGNORECASE), {"price": _PRICE}),
    (re.compile(r"\binsider trad", re.IGNORECASE), {"insider_name": _TEXT, "shares": _COUNT}),
    (re.compile(r"\bboth spot and perp", re.IGNORECASE), {"spot_volume": _BIG, "perpetuals_volume": _BIG}),
    (re.compile(r"\bVWAP\b"), {"vwap": _PRICE}),
    (re.compile(r"\bcourses?\b[^.]*\bby user role\b", re.IGNORECASE),
     {"role": {"type": "string", "values": ["student", "teacher"]}}),
    (re.compile(r"^(?![^.]*\bcourse).*\bby user role\b", re.IGNORECASE),
     {"role": {"type": "string", "values": ["admin", "member"]}}),
    (re.compile(r"\bfees and revenue\b", re.IGNORECASE), {"revenue": _BIG}),
    (re.compile(r"\bcash\b[^.]*\boperat\w+[^.]*\binvest\w+[^.]*\bfinanc\w+", re.IGNORECASE),
     {"operating_cash_flow": _BIG, "investing_cash_flow": _BIG, "financing_cash_flow": _BIG}),
    (re.compile(r"\bmarket share\b", re.IGNORECASE), {"market_share_percent": _SHARE_OF_MARKET}),
    (re.compile(r"\badj(?:usted)?\.? close\b", re.IGNORECASE), {"adjusted_close": _PRICE}),
    (re.compile(r"\bkey metrics\b|\bmétricas\b", re.IGNORECASE),
     {"market_cap": _BIG, "pe_ratio": {"type": "number", "minimum": 6, "maximum": 60}}),
    (re.compile(r"\bsearch volume rank", re.IGNORECASE),
     {"search_rank": {"type": "integer", "minimum": 1, "maximum": 10}, "search_volume": _BIG}),
    (re.compile(r"\bobservation data\b|\bdados de observa", re.IGNORECASE),
     {"temperature_c": {"type": "number", "minimum": -10, "maximum": 38}, "humidity": _SHARE, "wind_kph": _SHARE}),
    (re.compile(r"\bprecipitation (?:probability|chance)\b", re.IGNORECASE), {"precipitation_probability": _SHARE}),
    (re.compile(r"合约市场|\bfutures market (?:data|info|details?)", re.IGNORECASE),
     {"open_interest": _BIG, "funding_rate": {"type": "number", "minimum": -0.05, "maximum": 0.05}}),
    (re.compile(r"\badmin/operational status\b", re.IGNORECASE),
     {"admin_status": {"type": "string", "values": ["up", "down"]},
      "operational_status": {"type": "string", "values": ["up", "down"]}}),
)  # fmt: skip
_SHARES = frozenset("stock share equity".split())
#: what has symbols and is none
_HOLDERS = frozenset("country exchange sector industry currency".split())
#: last words of a noun -> columns of each row
_NOUNS: dict[str, Columns] = {
    "constituent": {"symbol": _TEXT, "company_name": _TEXT, "sector": _SECTOR},
    "delisted company": {"symbol": _TEXT, "company_name": _TEXT,
                         "exchange": {"type": "string", "values": ["NASDAQ", "NYSE"]},
                         "delisted_date": {"type": "string", "format": "date"}},
    "aftermarket quote": {"bid_price": _PRICE, "ask_price": _PRICE},
    "etf list": {"symbol": _TEXT, "company_name": _TEXT},
    "market": {"symbol": _TEXT},
    "earning calendar": {"symbol": _TEXT},
    "employee count": {"period_of_report": {"type": "string", "format": "date"}},
    "exchange variant": {"exchange": {"type": "string", "values": ["NASDAQ", "NYSE", "LSE", "XETRA"]}},
    "funding rate": {"symbol": _TEXT, "rate": {"type": "number", "minimum": -0.05, "maximum": 0.05}},
    "insider trade": {"symbol": _TEXT, "transaction_type": {"type": "string", "values": ["purchase", "sale"]},
                      "transaction_date": {"type": "string", "format": "date"}},
    "leverage tier": {"symbol": _TEXT, "tier": {"type": "integer", "minimum": 1, "maximum": 5},
                      "max_leverage": {"type": "integer", "minimum": 2, "maximum": 125}},
    "common coin price": {"symbol": _TEXT}, "coin price": {"symbol": _TEXT},
    "author": {"affiliation": _TEXT, "citations": _COUNT},
    "top game": {"players": _COUNT},
    "sic": {"sic_code": _TEXT},
}  # fmt: skip


def columns_of(tool: ParsedTool, entity: Entity) -> Columns:
    """Return the columns that every row of a told table has by its noun, those that it has left out."""
    found: Columns = {}
    phrase = " ".join(tool.noun)
    text = " ".join((tool.description[:500], *(p.description for p in tool.parameters)))
    for words, columns in _NOUNS.items():
        if phrase == words or phrase.endswith(f" {words}"):
            found |= columns
    for form, columns in _TEXTS:
        if form.search(text):
            found |= columns
    if entity.noun[-1] in _SHARES and not any(name.endswith("symbol") for name in (*entity.fields, entity.key)):
        found.setdefault("symbol", _TEXT)
    many = tool.plural or tool.noun[-1:] == ("list",)
    keyed = entity.key.endswith("symbol") or any(name.endswith("symbol") for name in entity.fields)
    if many and not keyed and tool.noun[-1] not in _HOLDERS and _INSTRUMENT.search(tool.description):
        found = {"symbol": _TEXT, **found}
    if "name" in entity.fields:
        found.pop("insider_name", None)
    return {name: schema for name, schema in found.items() if name not in entity.fields and name != entity.key}
