"""Precision and recall of the executed data edges against edges labelled by hand (`graph_labels/`).

    python benchmarks/graph_quality.py [mini.jsonl] [--held-out] [--misses]

The dump is found through TVLAB_CORPUS (a folder, default ../shared beside the project) unless it is given. An edge is
(server, producer, consumer, parameter) under the server's own tool names; `[]` in a parameter's path is left out, since
the two labellers differ there. Precision counts an edge as right if either labeller has it; recall is over the edges
that both have and whose two tools the build kept, since a graph of an environment cannot hold others.

Each miss has a cause. The first three are the environment's: the parameter was dropped (`parameter gone`), it is kept
but no call checks it against what exists (`not a key`), or no answer of the producer holds that key (`not in the
answer`). What is left could have been an edge: `not proposed`, or `did not hold` when it was run. `recall_graph` is
recall without the environment's misses: how much of what an environment can express its graph finds.

Half of the servers (drawn by seed) are held out: rules were made looking at the other half only. `--held-out` prints
their rows too, else only their sum; `--misses` prints the misses of the half that was looked at.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from tvlab.environments.build import build_environments
from tvlab.environments.environment import Environment
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.tasks.graph import build_graph, carried_keys, propose
from tvlab.tasks.tool_views import tool_views

HERE = Path(__file__).parent
Edge = tuple[str, str, str, str]
BUILT = ("parameter gone", "not a key", "not in the answer")
GRAPH = ("not proposed", "did not hold")


def slug(server: str) -> str:
    """A server's name as the build writes it."""
    return re.sub("-+", "-", server)


def labels(name: str) -> dict[Edge, bool]:
    """Edge -> secondary, as one labeller has them."""
    lines = map(json.loads, (HERE / "graph_labels" / name).read_text(encoding="utf-8").splitlines())
    return {
        (slug(e["server"]), e["producer"], e["consumer"], plain(e["parameter"])): e["secondary"] for e in lines
    }


def plain(path: str) -> str:
    """A parameter's path without ``[]``."""
    return path.replace("[]", "")


@dataclass
class Found:
    """What graphs say of the labelled servers.

    Attributes:
        edges: executed data edges.
        proposed: proposals, run or not.
        kept: (server, tool) of every tool in an environment.
        keys: (server, consumer, parameter) of kept parameters -> the entity whose key it is, None if it is none.
        carried: (server, producer) -> entities whose keys its answer holds.
    """

    edges: set[Edge] = field(default_factory=set)
    proposed: set[Edge] = field(default_factory=set)
    kept: set[tuple[str, str]] = field(default_factory=set)
    keys: dict[tuple[str, str, str], str | None] = field(default_factory=dict)
    carried: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def cause(self, edge: Edge) -> str:
        """Why the graph has no such edge."""
        server, producer, consumer, parameter = edge
        if (server, consumer, parameter) not in self.keys:
            return "parameter gone"
        entity = self.keys[server, consumer, parameter]
        if entity is None:
            return "not a key"
        if entity not in self.carried.get((server, producer), ()):
            return "not in the answer"
        return "did not hold" if edge in self.proposed else "not proposed"


def look(folder: Path, servers: set[str]) -> Found:
    """Build the graphs of the servers' environments in a folder."""
    found = Found()
    for path in sorted(p for p in folder.iterdir() if (p / "tools.py").is_file()):
        environment = Environment.load(path)
        server, original = environment.report["server"], environment.report["name_map"]
        if server not in servers:
            continue
        found.kept |= {(server, original.get(name, name)) for name in environment.tool_names}
        for graph, into in ((build_graph(environment), found.edges), (propose(environment), found.proposed)):
            for producer, consumer, about in graph.edges("data"):
                names = original.get(producer, producer), original.get(consumer, consumer)
                into.add((server, *names, plain(about["parameter"])))
        for view in tool_views(environment).values():
            name = original.get(view.name, view.name)
            found.carried.setdefault((server, name), set()).update(e for _, e in carried_keys(environment, view))
            for leaf in view.leaves:
                found.keys[server, name, plain(leaf.path)] = leaf.entity if leaf.refers else None
    return found


def scores(name: str, part: set[str], found: Found, first: dict[Edge, bool], second: dict[Edge, bool]) -> dict:
    """One row: the figures of some servers."""
    either, both = set(first) | set(second), {e for e in set(first) & set(second) if e[0] in part}
    mine = {e for e in found.edges if e[0] in part}
    truth = {e for e in both if {(e[0], e[1]), (e[0], e[2])} <= found.kept}
    primary = {e for e in truth if not (first[e] and second[e])}
    causes = [found.cause(e) for e in truth - mine]
    able = len(truth) - sum(causes.count(cause) for cause in BUILT)
    return {
        "servers": name,
        "edges": len(mine),
        "precision": _share(len(mine & either), len(mine)),
        "labelled": len(both),
        "kept": len(truth),
        "recall": _share(len(mine & truth), len(truth)),
        "primary": _share(len(mine & primary), len(primary)),
        "recall_graph": _share(len(mine & truth), able),
        **{cause: causes.count(cause) for cause in (*BUILT, *GRAPH)},
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def halves(servers: list[str]) -> tuple[set[str], set[str]]:
    """The servers that rules were made on, and those held out."""
    seen = set(random.Random(0).sample(sorted(servers), len(servers) // 2))
    return seen, set(servers) - seen


def main() -> None:
    parser = argparse.ArgumentParser(description="precision and recall of executed data edges")
    corpus = Path(os.environ.get("TVLAB_CORPUS", HERE.parent.parent / "shared"))
    parser.add_argument("dump", nargs="?", default=str(corpus / "mcp" / "mini.jsonl"))
    parser.add_argument("--held-out", action="store_true", help="a row for each server that is held out")
    parser.add_argument("--misses", action="store_true", help="list misses and false edges of the half looked at")
    chosen = parser.parse_args()
    first, second = labels("first.jsonl"), labels("second.jsonl")
    servers = sorted({edge[0] for edge in set(first) | set(second)})
    seen, held_out = halves(servers)
    with tempfile.TemporaryDirectory() as folder:
        build_environments(load_tool_lists(chosen.dump), Path(folder), seed=0, workers=1)
        found = look(Path(folder), set(servers))
    single = [*sorted(seen), *(sorted(held_out) if chosen.held_out else ())]
    parts = [(server, {server}) for server in single]
    parts += [("looked at", seen), ("held out", held_out), ("all", seen | held_out)]
    rows = [scores(name, part, found, first, second) for name, part in parts]
    print(pd.DataFrame(rows).round(2).to_string(index=False))
    if chosen.misses:
        for edge in sorted(e for e in found.edges - set(first) - set(second) if e[0] in seen):
            print("false", *edge)
        for edge in sorted(e for e in (set(first) & set(second)) - found.edges if e[0] in seen):
            if {(edge[0], edge[1]), (edge[0], edge[2])} <= found.kept:
                print(found.cause(edge), *edge)


if __name__ == "__main__":
    main()
