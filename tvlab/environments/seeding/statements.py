"""Figures of companies that follow from one another, and growth that is that of the figures.

For tables that no tool changes.  What is earned is part of what is sold, equity what assets leave beside liabilities,
the free cash flow what investments leave; from one year to the next they change little; and where another table tells
how much, it tells that change.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.runtime import State
from tvlab.environments.seeding.tables import Tables

Row = dict[str, Any]

#: a figure -> the figure that it is part of, and the least and the greatest part
_PARTS = {
    "gross_profit": ("revenue", 0.35, 0.6), "operating_income": ("revenue", 0.12, 0.3),
    "net_income": ("revenue", 0.06, 0.11), "total_liabilities": ("total_assets", 0.3, 0.7),
    "capital_expenditure": ("operating_cash_flow", 0.1, 0.4),
    "investing_cash_flow": ("operating_cash_flow", -0.6, -0.4),
    "financing_cash_flow": ("operating_cash_flow", -0.35, -0.1),
}  # fmt: skip
#: a figure -> the two of which it is the difference
_LEFT = {
    "expenses": ("revenue", "operating_income"), "operating_expenses": ("revenue", "operating_income"),
    "total_equity": ("total_assets", "total_liabilities"),
    "free_cash_flow": ("operating_cash_flow", "capital_expenditure"),
}  # fmt: skip
#: percent by which a figure changes in a year, least and greatest
_LEAST, _GREATEST = -3.0, 12.0


def agree(tables: Tables) -> None:
    """Let the figures of a statement go together, and those of a table of their growth; the records are changed."""
    told = {e.noun: e for e, _, _ in tables.changing() if e.told or e.fact is not None}
    for noun, entity in told.items():
        names = _figures(entity)
        if not set(_PARTS) & set(names) and not set(_LEFT) & set(names):
            continue
        growths = told.get((*noun, "growth"))
        for rows in _series(entity, tables.state).values():
            _first(rows[0], names)
            for at in range(1, len(rows)):
                _before(rows[at], rows[at - 1], names)
            for row in rows:
                _left(row, names)
        if growths is not None:
            _grown(entity, growths, names, tables.state)


def _figures(entity: Entity) -> dict[str, str]:
    """Plain names of the numbers of a table -> their columns."""
    return {
        "_".join(field_types.name_words(n)): n
        for n, f in entity.fields.items() if f.type in ("integer", "number") and not f.reference
    }  # fmt: skip


def _series(entity: Entity, state: State) -> dict[tuple[str, ...], list[Row]]:
    """The rows of a table under each of its keys, the newest first."""
    found: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    keys = entity.fact.keys if entity.fact is not None else (entity.key,)
    dated = entity.fact.dated if entity.fact is not None else ""
    for row in state[entity.table].values():
        found[tuple(str(row.get(key)) for key in keys)].append(row)
    return {key: sorted(rows, key=lambda r: str(r.get(dated, "")), reverse=True) for key, rows in found.items()}


def _share(value: float, low: float, high: float) -> float:
    """Return a number between two others that follows from a value."""
    return low + (high - low) * (round(abs(value) * 100) % 997) / 997


def _whole(value: float, like: Any) -> float:
    return round(value) if isinstance(like, int) else round(value, 2)


def _first(row: Row, names: dict[str, str]) -> None:
    for part, (whole, low, high) in _PARTS.items():
        if part in names and whole in names:
            value = row[names[part]]
            row[names[part]] = _whole(row[names[whole]] * _share(value, low, high), value)


def _before(row: Row, later: Row, names: dict[str, str]) -> None:
    for name in names.values():
        percent = _share(row[name], _LEAST, _GREATEST)
        row[name] = _whole(later[name] / (1 + percent / 100), row[name])


def _left(row: Row, names: dict[str, str]) -> None:
    for left, (whole, part) in _LEFT.items():
        if left in names and whole in names and part in names:
            row[names[left]] = row[names[whole]] - row[names[part]]


def _grown(entity: Entity, growths: Entity, names: dict[str, str], state: State) -> None:
    levels, told = _series(entity, state), _series(growths, state)
    for key, rows in told.items():
        series = levels.get(key, [])
        for at, row in enumerate(rows):
            for plain, name in _figures(growths).items():
                column = names.get(plain.removesuffix("_growth"), "")
                if column and at + 1 < len(series) and series[at + 1][column]:
                    before = series[at + 1][column]
                    row[name] = round(100 * (series[at][column] - before) / before, 2)
