"""An environment on a card: what it holds, its tools and what each does, what was dropped on the way."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tvlab.environments.environment import Environment, visible
from tvlab.reporting.shown import BOX, CODE, Shown, chip, escaped, table, tag
from tvlab.tasks.typed_calls import signature

_COLOURS = {True: "#CC79A7", False: "#56B4E9"}


def environment_card(environment: Environment, graph: Any = None, tools: int = 20) -> Shown:
    """Return a card of an environment.

    Args:
        environment: what is shown.
        graph: its tool graph, if there is one, for the numbers of edges.
        tools: how many tools are listed.
    """
    records = {name: len(rows) for name, rows in visible(environment.state).items() if not name.startswith("_")}
    operations = Counter(_operation(environment, name) for name in environment.tool_names)
    writing = len(environment.writers)
    counts = [f"{len(environment.tools)} tools", f"{writing} change the state", f"{sum(records.values())} records"]
    if graph is not None:
        edges = {kind: sum(1 for _ in graph.edges(kind)) for kind in ("data", "order")}
        counts += [f"{count} {kind} edge{'' if count == 1 else 's'}" for kind, count in edges.items()]
    rows = [
        [
            chip(_operation(environment, tool["name"]), _COLOURS[tool["name"] in environment.writers]),
            tag("span", escaped(signature(tool)), CODE),
            escaped(_first_sentence(tool.get("description", ""))),
        ]
        for tool in environment.tools[:tools]
    ]
    more = len(environment.tools) - len(rows)
    held = ", ".join(f"{name} {count}" for name, count in records.items())
    html = (
        tag("b", escaped(environment.name))
        + tag("div", escaped(" · ".join(counts)))
        + tag("div", f"state: {escaped(held)}", "opacity:.8")
        + table(("does", "tool", "says"), rows)
        + (tag("i", f"and {more} more") if more else "")
    )
    listed = "\n".join(f"  {signature(tool)}" for tool in environment.tools[:tools])
    kinds = ", ".join(f"{count} {name}" for name, count in operations.most_common())
    text = f"{environment.name}: {', '.join(counts)}\nstate: {held}\noperations: {kinds}\n{listed}"
    return Shown(tag("div", html, BOX), text + (f"\n  and {more} more" if more else ""))


def _operation(environment: Environment, tool: str) -> str:
    return str(environment.report.get("meanings", {}).get(tool, {}).get("operation", "other"))


def _first_sentence(text: str) -> str:
    sentence = text.strip().split("\n")[0].split(". ")[0]
    return sentence if len(sentence) <= 120 else f"{sentence[:117]}..."
