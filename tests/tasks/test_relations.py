"""A call that is told a record by what it names gets things that one record names together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tvlab.environments.environment import Environment
from tvlab.tasks.drawing import Drawer
from tvlab.tasks.graph import build_graph
from tvlab.tasks.relations import is_relation
from tvlab.tasks.tool_views import tool_views

TEXT = {"type": "string"}
PAIRS = [("b0", "t1"), ("b1", "t2"), ("b1", "t0")]


def remove_logo(state: Any, *, brand_id: str, theme_id: str) -> dict[str, Any]:
    found = [key for key, row in state["logos"].items() if (row["brand_id"], row["theme_id"]) == (brand_id, theme_id)]
    del state["logos"][found[0]]
    return {"deleted": True}


@pytest.fixture(scope="module")
def brands() -> Environment:
    """Three brands, three themes, and a logo for three of the nine pairs."""
    entities: dict[str, Any] = {
        name: {"table": f"{name}s", "key": f"{name}_id", "parents": [], "fields": {f"{name}_id": TEXT}}
        for name in ("brand", "theme", "logo")
    }
    named = {f"{name}_id": {**TEXT, "reference": name} for name in ("brand", "theme")}
    entities["logo"]["fields"] = {"logo_id": TEXT, **named}
    state = {
        "brands": {f"b{i}": {"brand_id": f"b{i}"} for i in range(3)},
        "themes": {f"t{i}": {"theme_id": f"t{i}"} for i in range(3)},
        "logos": {f"l{i}": {"logo_id": f"l{i}", "brand_id": b, "theme_id": t} for i, (b, t) in enumerate(PAIRS)},
    }
    needed = ["brand_id", "theme_id"]
    schema = {"type": "object", "properties": dict.fromkeys(needed, TEXT), "required": needed}
    roles = {f"{name}_id": {"role": "reference", "entity": name, "field": f"{name}_id"} for name in ("brand", "theme")}
    meaning = {
        "operation": "delete",
        "entity": "logo",
        "writes": True,
        "parameters": roles,
        "output": {"entity": "logo", "key_path": None, "fields": {}},
    }
    tools = ({"name": "remove_logo", "description": "", "inputSchema": schema},)
    report = {"entities": entities, "meanings": {"remove_logo": meaning}}
    return Environment("brands", tools, state, {"remove_logo": remove_logo}, report)


def test_its_things_are_named_by_one_record_and_no_record_goes_twice(brands: Environment) -> None:
    graph, seen = build_graph(brands, run=False), set()
    for seed in range(8):
        drawer = Drawer(brands, graph, np.random.default_rng(seed))
        while drawer.grow(elsewhere=True):
            pass
        pairs = [tuple(step.bound[name].key for name in ("brand_id", "theme_id")) for step in drawer.draft.steps]
        assert sorted(pairs) == sorted(PAIRS)
        session = brands.session()
        assert all(session.call("remove_logo", {"brand_id": b, "theme_id": t}).ok for b, t in pairs)
        seen.add(tuple(pairs))
    assert len(seen) > 1


def test_what_has_its_own_key_or_makes_something_is_no_relation(bookstore: Environment) -> None:
    assert not any(is_relation(bookstore, view) for view in tool_views(bookstore).values())
