"""Macro-domains: an environment's own names decide, not its descriptions; few words decide nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tvlab.environments.build import build_environment
from tvlab.environments.macro_domains import MACRO_DOMAINS, OTHER, coverage, macro_domain
from tvlab.environments.tool_lists import load_tool_lists


def report(entities: list[str], tools: dict[str, list[str]]) -> dict[str, Any]:
    meanings = {name: {"parameters": {p: {} for p in parameters}} for name, parameters in tools.items()}
    return {"entities": {entity: {} for entity in entities}, "meanings": meanings}


@pytest.mark.parametrize(
    ("entities", "tools", "domain"),
    [
        (["flight", "hotel"], {"book_room": ["city"]}, "travel, places and daily life"),
        (["invoice", "customer"], {"createInvoice": ["customerId", "lines[].sku"]}, "commerce and customers"),
        (["thing"], {"get_thing": ["thing_id"]}, OTHER),
        (["pod"], {"get_pod": ["name"]}, OTHER),
        (["pod", "deployment"], {"scale": ["replicas"]}, "software and infrastructure"),
    ],
)
def test_names_decide(entities: list[str], tools: dict[str, list[str]], domain: str) -> None:
    assert macro_domain(report(entities, tools)) == domain


def test_there_are_eight_and_every_tool_is_counted_once() -> None:
    assert len(MACRO_DOMAINS) == 8
    reports = [built.environment.report for one in load_tool_lists("embedded") for built in build_environment(one)]
    rows = coverage(reports)
    assert sum(row["tools"] for row in rows) == sum(len(r["meanings"]) for r in reports)
    assert [row["domain"] for row in rows][-1] == OTHER
    assert len([row for row in rows if row["tools"]]) >= 3
