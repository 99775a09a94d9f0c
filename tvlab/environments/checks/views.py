"""Checks of views: the things that are asked for as they are stored, with the connections between them alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.checks.records import given_keys


def check_view(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Compare both tables of every answer with a recount over the stored records."""
    tables = list(case.tool["outputSchema"]["properties"])
    things, links = case.table_name, next(t for t in tables if t != case.table_name)
    entity = case.environment.report["entities"][case.meaning["entity"]]
    joins = [
        (e["table"], name)
        for e in case.environment.report["entities"].values()
        for name, f in e["fields"].items()
        if e["table"] == links and f.get("reference") == case.meaning["entity"]
    ]
    for outcome in [*successes, *_searches(case)]:
        rows = outcome.value[things]
        asked = given_keys(case, outcome.arguments)
        query = next((v for v in outcome.arguments.values() if isinstance(v, str)), None)
        stored = list(outcome.before[things].values())
        wanted = [outcome.before[things][str(key)] for key in asked] if asked else stored
        wanted = [row for row in wanted if query is None or _holds(row, query)]
        yield case.check("right_record", rows == wanted, "not the records that were asked for")
        names = {row[entity["key"]] for row in rows}
        between = [r for r in outcome.before[links].values() if all(r.get(n) in names for _, n in joins)]
        yield case.check("connected", outcome.value[links] == between, "not the connections between them")


def _searches(case: Case) -> Iterator[Outcome]:
    """Search for a word of every text of a few records, in lists of texts as well, and for one that none holds."""
    for name in [n for n, r in case.roles.items() if r["role"] == "query"]:
        for row in case.rows[:3]:
            for text in _texts(row):
                yield case.run({name: text.split(" ")[0].upper()})
        yield case.run({name: "no such word anywhere"})


def _texts(row: dict[str, Any]) -> list[str]:
    values = [v for value in row.values() for v in (value if isinstance(value, list) else [value])]
    return [v for v in values if isinstance(v, str) and v]


def _holds(row: dict[str, Any], query: str) -> bool:
    return any(query.casefold() in text.casefold() for text in _texts(row))
