"""Keyed facts: a named quantity of a place, a symbol, a day ... as a seeded table (RULES.md, advice 7).

A fact needs a key that the caller gives and a quantity that its name or its declared output names.  What
would have to be invented as prose (news, law, documents) is no fact here.
"""

from __future__ import annotations

from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.record_schemas import declared_record
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.facts import told_times

_NUMBER = {"type": "number"}
_CONDITIONS = ["sunny", "cloudy", "rain", "snow", "fog", "windy"]
_WEATHER = {
    "temperature_c": {"type": "number", "minimum": -10, "maximum": 38},
    "condition": {"type": "string", "enum": _CONDITIONS},
    "humidity": {"type": "integer", "minimum": 20, "maximum": 100},
    "wind_kph": {"type": "integer", "minimum": 0, "maximum": 80},
}
_PRICE = {
    "price": {"type": "number", "minimum": 5, "maximum": 900},
    "currency": {"type": "string", "enum": ["USD", "EUR"]},
}

#: last word of the noun -> the quantities of the fact
QUANTITIES: dict[str, dict[str, Any]] = {
    "weather": _WEATHER,
    "forecast": _WEATHER,
    "temperature": {"temperature_c": _WEATHER["temperature_c"]},
    "humidity": {"humidity": _WEATHER["humidity"]},
    "price": _PRICE,
    "quote": _PRICE,
    "fee": _PRICE,
    "cost": _PRICE,
    "fare": _PRICE,
    "rate": {"rate": {"type": "number", "minimum": 0.2, "maximum": 5}},
    "tide": {
        "high_tide": {"type": "string", "format": "time"},
        "low_tide": {"type": "string", "format": "time"},
        "height_m": {"type": "number", "minimum": 0.5, "maximum": 7},
    },
    "population": {"population": {"type": "integer", "minimum": 2000, "maximum": 900000}},
    "elevation": {"elevation_m": {"type": "integer", "minimum": 0, "maximum": 4000}},
    "aqi": {"aqi": {"type": "integer", "minimum": 5, "maximum": 250}},
    "quality": {"index": {"type": "integer", "minimum": 5, "maximum": 250}},
    "balance": {"balance": {"type": "number", "minimum": 0, "maximum": 5000}},
    "score": {"score": {"type": "integer", "minimum": 1, "maximum": 100}},
    "rating": {"rating": {"type": "number", "minimum": 1, "maximum": 5}},
    "rank": {"rank": {"type": "integer", "minimum": 1, "maximum": 500}},
    "supply": {"supply": {"type": "integer", "minimum": 1000, "maximum": 900000}},
    "volume": {"volume": {"type": "integer", "minimum": 1000, "maximum": 900000}},
    "capacity": {"capacity": {"type": "integer", "minimum": 10, "maximum": 900}},
    "availability": {"available": {"type": "integer", "minimum": 0, "maximum": 40}},
    "inventory": {"quantity": {"type": "integer", "minimum": 0, "maximum": 200}},
    "stock": {"quantity": {"type": "integer", "minimum": 0, "maximum": 200}},
    "sunrise": {"sunrise": {"type": "string", "format": "time"}},
    "sunset": {"sunset": {"type": "string", "format": "time"}},
}


def fact_parameters(tool: ParsedTool, domain: Domain, entity: Entity) -> list[Parameter]:
    """Return the parameters that pick the fact a tool tells, [] if it tells none."""
    if tool.kind != "read" or tool.plural or not entity or not _quantities(tool, entity):
        return []
    if entity.noun[-1] == "forecast" and not told_times.of_one_day(tool):  # of several times: ``fact_tables.py``
        return []
    keys = [p for p in tool.parameters if p.required]
    for p in keys:
        plain = p.type in ("string", "integer") and not p.many and not p.children
        if not plain or not (domain.reference(p, entity) or field_types.is_plain_filter(p)):
            return []
    return keys


def _quantities(tool: ParsedTool, entity: Entity) -> dict[str, Any]:
    declared = {
        name: schema
        for name, schema in declared_record(tool.output, entity).items()
        if field_types.schema_type(schema) in ("number", "integer", "string", "boolean")
    }
    return QUANTITIES.get(entity.noun[-1], {}) or (declared if len(declared) > 1 else {})


def prepare(domain: Domain) -> None:
    """Give the entities of facts their columns and the fields that pick one record."""
    for tool in domain.tools:
        entity = domain.own.get(tool.name)
        if entity is None or domain.key_parameter(tool, entity) is not None:
            continue
        mine = [t for t in domain.tools if domain.own.get(t.name) is entity]
        keys = fact_parameters(tool, domain, entity) if all(t.kind == "read" for t in mine) else []
        if not keys or entity.pair:
            continue
        for p in keys:
            target = domain.reference(p, entity)
            column = entity.column_for(p.words, target.name if target else None, True)
            if column is None:
                column = Field(
                    p.name, field_types.column(p.schema), target.name if target else None, in_input=True
                )
                entity.fields[p.name] = column
            column.required = True
            column.filtered = column.filtered or target is None
            entity.pair = (*entity.pair, column.name)
        entity.fields.pop("name", None) if "name" not in entity.pair else None
        for name, schema in _quantities(tool, entity).items():
            entity.fields.setdefault(name, Field(name, schema, required=True))
