"""What texts about companies speak of by a concept, and which figures of a told table show it.

"Access data related to a company's profitability, capital efficiency, and liquidity" names no column.  Each concept
has a figure that shows it; a table that holds none of its figures gets the first one.  "Company information and
regulatory filings" names a thing of which a record lists some.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.foundation.words import singular

Columns = dict[str, dict[str, Any]]

_LONGEST = 600
#: tables of such nouns hold figures of companies
_FIGURES = frozenset("metric ratio growth statement sheet financial fundamental ttm score".split())


def _number(low: float, high: float) -> dict[str, Any]:
    return {"type": "number", "minimum": low, "maximum": high}


_BIG: dict[str, Any] = {"type": "integer", "minimum": 1_000_000, "maximum": 900_000_000}
_GROWTH = _number(-9, 9)
#: a concept -> the words of columns that show it, and the column of a table that has none
_CONCEPTS: dict[str, tuple[frozenset[str], str, dict[str, Any]]] = {
    concept: (frozenset(words.split()), name, schema)
    for concept, words, name, schema in (
        ("profitability", "profit margin income return earning profitability", "net_profit_margin", _number(1, 40)),
        ("liquidity", "liquidity current_ratio quick_ratio working_capital", "current_ratio", _number(0.5, 4)),
        ("efficiency", "turnover efficiency return_on_capital return_on_asset return_on_invested_capital",
         "return_on_capital", _number(2, 40)),
        ("solvency", "debt solvency leverage interest_coverage", "debt_to_equity", _number(0.1, 3)),
        ("leverage", "debt leverage", "debt_to_equity", _number(0.1, 3)),
        ("valuation", "pe price valuation enterprise_value", "pe_ratio", _number(6, 40)),
    )
}  # fmt: skip
#: what a growth is told of -> the words of columns that show it, and the column of a table that has none
_GROWN: dict[str, tuple[frozenset[str], str]] = {
    "revenue": (frozenset(("revenue", "sale")), "revenue_growth"),
    "profit": (frozenset(("profit", "income", "earning")), "net_income_growth"),
    "expense": (frozenset(("expense", "cost")), "operating_expenses_growth"),
    "asset": (frozenset(("asset",)), "total_assets_growth"),
    "liability": (frozenset(("liability",)), "total_liabilities_growth"),
    "equity": (frozenset(("equity",)), "total_equity_growth"),
}
#: "revenue, profits, and expenses": of two and more things
_LIST = re.compile(r"(?:[\w'’-]+ ){0,2}[\w'’-]+(?:, (?:and |or )?(?:[\w'’-]+ ){0,2}[\w'’-]+)+|\w+ and (?:\w+ )?\w+")
_BESIDE = re.compile(r"\b(?:information|details?|profiles?|data) and (?:[a-z]+ )?(?P<what>[a-z]+s)\b", re.IGNORECASE)
#: things of which a record lists some
_LISTED: dict[str, dict[str, Any]] = {
    "filings": {
        "type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["form_type", "filing_date", "url"], "properties": {
                "form_type": {"type": "string", "enum": ["10-K", "10-Q", "8-K"]},
                "filing_date": {"type": "string", "format": "date"},
                "url": {"type": "string", "format": "uri"},
            },
        },
    },
    "officers": {"type": "array", "minItems": 1, "items": {"type": "string"}},
}  # fmt: skip


def columns_of(tool: ParsedTool, entity: Entity) -> Columns:
    """Return the figures and things that a text promises of a told table and that none of its columns shows."""
    text = tool.description[:_LONGEST]
    nouns = {*tool.noun, *entity.noun}
    words = {"_".join(field_types.name_words(name)) for name in (*entity.fields, entity.key)}
    found: Columns = {}
    if nouns & _FIGURES:
        said = {singular(word.lower()) for part in _LIST.findall(text) for word in re.findall(r"[A-Za-z]+", part)}
        growth = "growth" in nouns
        for concept in _GROWN if growth else _CONCEPTS:
            shown, name, schema = (*_GROWN[concept], _GROWTH) if growth else _CONCEPTS[concept]
            if concept in said and not any(_shows(column, shown) for column in (*words, *found)):
                found[name] = dict(schema)
    for match in _BESIDE.finditer(text.split(". ")[0]):
        what = match["what"].lower()
        if what in _LISTED and not any(what[:-1] in column for column in words) and what[:-1] not in nouns:
            found[what] = dict(_LISTED[what])
    return found


def shown(names: Iterable[str]) -> set[str]:
    """Return the concepts that columns of these names show.

    >>> sorted(shown(["current_ratio", "grossProfit"]))
    ['liquidity', 'profitability']
    """
    plain = ["_".join(field_types.name_words(name)) for name in names]
    return {concept for concept, (words, _, _) in _CONCEPTS.items() if any(_shows(name, words) for name in plain)}


def _shows(column: str, shown: frozenset[str]) -> bool:
    plain = "_".join(singular(word) for word in column.split("_"))
    return any(plain == word or word in plain.split("_") or ("_" in word and word in plain) for word in shown)
