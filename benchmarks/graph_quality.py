"""Precision and recall of data edges against edges labelled by hand (`graph_labels/`): proposed, and executed.

    python benchmarks/graph_quality.py [mini.jsonl] [--held-out] [--misses]

The dump is found through TVLAB_CORPUS (a folder, default ../shared beside the project) unless it is given. An edge is
(server, producer, consumer, parameter) under the server's own tool names; `[]` in a parameter's path is left out, since
the two labellers differ there. Precision counts an edge as right if either labeller has it; recall is over the edges
that both have.

Two graphs are scored. The *proposed* one is read from the schemas as the server sent them (`schema_proposals.py`),
with every executed edge; it says what can feed what, whether or not an environment can express it. The *executed* one
holds the edges that an environment ran, each with evidence; items are drawn from it alone. `recall` is over labelled
edges whose two tools the build kept, for both, so that the two can be compared; `recall_all` over all labelled edges;
`primary` over those of the first where the answer is the thing itself, not one that names it.

Each labelled edge that was not executed has a reason (`executability.py`), counted in the last columns; `recall_able`
leaves out those that no environment could express: how much of what an environment can express its graph finds.

Servers were looked at while rules were made, or held out (only sums were seen, never an edge). `--held-out` prints a
row for each of those too; `--misses` prints the misses of those looked at.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from tvlab.environments.build import build_environments, environment_name
from tvlab.environments.environment import Environment
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.tasks.executability import (
    ANSWER,
    NOT_HELD,
    NOTHING_NEW,
    PARAMETER,
    TOOL,
    UNCHECKED,
    Executable,
    executable,
    plain_path,
)
from tvlab.tasks.schema_proposals import propose_from_schemas

HERE = Path(__file__).parent
HELD_OUT = frozenset({"barryyip0625-mcp-discord", "pagerduty-mcp-incidents", "shopify-mcp", "twilio-mcp"})
"""Four of the six that a seed drew; buildkite and freshdesk were held out until their edges were looked at."""
UNABLE = (PARAMETER, UNCHECKED, ANSWER)
Edge = tuple[str, str, str, str]


def slug(server: str) -> str:
    """A server's name as the build writes it."""
    return re.sub("-+", "-", server)


def labels(name: str) -> dict[Edge, bool]:
    """Edge -> secondary, as one labeller has them."""
    lines = map(json.loads, (HERE / "graph_labels" / name).read_text(encoding="utf-8").splitlines())
    return {
        (slug(e["server"]), e["producer"], e["consumer"], plain_path(e["parameter"])): e["secondary"] for e in lines
    }


def proposals(dump: str, servers: set[str]) -> set[Edge]:
    """The edges that the servers' schemas propose."""
    lists = [(slug(environment_name(one.server)), one) for one in load_tool_lists(dump)]
    return {
        (server, edge.producer, edge.consumer, plain_path(edge.parameter))
        for server, one in lists
        if server in servers
        for edge in propose_from_schemas(one)
    }


def look(folder: Path, servers: set[str]) -> dict[str, Executable]:
    """What the environments in a folder can express and ran, by server."""
    built: dict[str, list[Environment]] = {server: [] for server in servers}
    for path in sorted(p for p in folder.iterdir() if (p / "tools.py").is_file()):
        environment = Environment.load(path)
        if environment.report["server"] in servers:
            built[environment.report["server"]].append(environment)
    return {server: executable(environments) for server, environments in built.items()}


def scores(
    name: str, found: set[Edge], parts: dict[str, Executable], first: dict[Edge, bool], second: dict[Edge, bool]
) -> dict[str, Any]:
    """One row: the figures of one kind of graph on some servers.

    Args:
        name: of the row.
        found: the graph's edges.
        parts: the servers.
        first, second: edge -> secondary, as the labellers have them.
    """
    either, both = set(first) | set(second), {e for e in set(first) & set(second) if e[0] in parts}
    mine = {e for e in found if e[0] in parts}
    kept = {e for e in both if parts[e[0]].outcome(e[1:]) != TOOL}
    primary = {e for e in kept if not (first[e] and second[e])}
    return {
        "servers": name,
        "edges": len(mine),
        "precision": _share(mine & either, mine),
        "recall": _share(mine & kept, kept),
        "primary": _share(mine & primary, primary),
        "labelled": len(kept),
        "recall_all": _share(mine & both, both),
        "labelled_all": len(both),
    }


def reasons(name: str, parts: dict[str, Executable], truth: set[Edge]) -> dict[str, Any]:
    """One row: why labelled edges of some servers were not executed."""
    outcomes = [parts[e[0]].outcome(e[1:]) for e in truth if e[0] in parts]
    counts = {reason: outcomes.count(reason) for reason in (TOOL, *UNABLE, NOTHING_NEW, NOT_HELD)}
    able = len(outcomes) - sum(counts[reason] for reason in (TOOL, *UNABLE))
    missed = counts[NOTHING_NEW] + counts[NOT_HELD]
    return {"servers": name, **counts, "recall_able": 1 - missed / able if able else float("nan")}


def _share(part: set[Edge], whole: set[Edge]) -> float:
    return len(part) / len(whole) if whole else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description="precision and recall of executed data edges")
    corpus = Path(os.environ.get("TVLAB_CORPUS", HERE.parent.parent / "shared"))
    parser.add_argument("dump", nargs="?", default=str(corpus / "mcp" / "mini.jsonl"))
    parser.add_argument("--held-out", action="store_true", help="a row for each server that is held out")
    parser.add_argument("--misses", action="store_true", help="list misses and false edges of the half looked at")
    chosen = parser.parse_args()
    first, second = labels("first.jsonl"), labels("second.jsonl")
    servers = {edge[0] for edge in set(first) | set(second)}
    with tempfile.TemporaryDirectory() as folder:
        build_environments(load_tool_lists(chosen.dump), Path(folder), seed=0, workers=1)
        built = look(Path(folder), servers)
    executed = {(server, *edge) for server, one in built.items() for edge in one.executed}
    proposed = proposals(chosen.dump, servers) | executed
    single = sorted(servers if chosen.held_out else servers - HELD_OUT)
    groups = [(server, {server}) for server in single]
    groups += [("looked at", servers - HELD_OUT), ("held out", servers & HELD_OUT), ("all", servers)]
    parts = [(name, {server: built[server] for server in group}) for name, group in groups]
    for title, found in (("proposed", proposed), ("executed", executed)):
        rows = [scores(name, found, part, first, second) for name, part in parts]
        print(f"{title}\n{pd.DataFrame(rows).round(2).to_string(index=False)}\n")
    truth = set(first) & set(second)
    print(pd.DataFrame([reasons(name, part, truth) for name, part in parts]).round(2).to_string(index=False))
    if chosen.misses:
        _print_misses(proposed, built, set(first) | set(second), truth)


def _print_misses(
    proposed: set[Edge], built: dict[str, Executable], either: set[Edge], truth: set[Edge]
) -> None:
    for edge in sorted(e for e in proposed - either if e[0] not in HELD_OUT):
        print("false", *edge)
    for edge in sorted(e for e in truth if e[0] not in HELD_OUT):
        outcome = built[edge[0]].outcome(edge[1:])
        if edge not in proposed:
            print("not proposed from the schemas;", outcome, *edge)


if __name__ == "__main__":
    main()
