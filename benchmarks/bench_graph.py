"""Speed of tool graphs: proposals, unlocking, breaking cycles; ratios to baselines of the same run.

    python benchmarks/bench_graph.py [FOLDER ...] [--repeats 5]

FOLDERs hold built environments; without any, the embedded descriptions are built. Bars (two cores): the graph of one
environment in 5 ms and of 5,000 tools in 20 s, both without running edges; 50,000 unlocking samples/s at 12 nodes and
linear time to 100,000 nodes; feedback arcs in milliseconds. Times are CPU times; `times_...` above 1 means that tvlab
is faster than that baseline.

Baselines: `networkx.topological_sort` on the same edges, with its graph built beforehand, or from them as ours is;
unlocking written plainly after the paper (blocked nodes found anew from the edges before each stage); rustworkx's sort,
where it is installed (no part of tvlab uses it); the least feedback arc set, where a graph is small enough for it.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import math
import platform
import random
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from tvlab.environments.build import build_environments
from tvlab.environments.environment import Environment
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.tasks.cycles import feedback_arcs
from tvlab.tasks.graph import build_graph
from tvlab.tasks.unlocking import dynamic_unlocking

Edges = list[tuple[int, int]]


def seconds(call: Callable[[], Any], repeats: int, of: Callable[[list[float]], float] = statistics.median) -> float:
    """The median CPU time of a call, or the least: other work on the machine counts less.

    What was made before is kept from the garbage collector, which runs for what the call makes.
    """
    times = []
    gc.collect()
    gc.freeze()
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return of(times)


def built(folders: Sequence[str]) -> list[Environment]:
    """The environments in folders, or the embedded ones."""
    with tempfile.TemporaryDirectory() as made:
        if not folders:
            build_environments(load_tool_lists("embedded"), Path(made), seed=0, workers=1)
        places = [Path(folder) for folder in folders or (made,)]
        paths = sorted(p for place in places for p in (place, *place.iterdir()) if (p / "tools.py").is_file())
        return [Environment.load(path) for path in paths]


def fresh(environment: Environment) -> Environment:
    """The same environment as another object: nothing is remembered of it."""
    return Environment(
        environment.name, environment.tools, environment.state, environment.functions, environment.report
    )


def one_environment(environments: Sequence[Environment], repeats: int) -> dict[str, Any]:
    """Time of the graph of one environment, proposals not run."""
    times = [
        seconds(lambda one=one: build_graph(fresh(one), run=False), repeats) * 1e3  # type: ignore[misc]
        for one in environments
    ]
    tools = statistics.median(len(one.tools) for one in environments)
    return {
        "environments": len(times),
        "tools_median": tools,
        "ms_median": round(statistics.median(times), 2),
        "ms_90th": round(float(np.quantile(times, 0.9)), 2),
        "ms_most": round(max(times), 2),
    }


def synthetic(tools: int) -> Environment:
    """An environment of ``tools`` tools, ten to a kind of thing, each kind with two parents."""
    kinds = tools // 10
    entities, meanings, shown = {}, {}, []
    for kind in range(kinds):
        name, parents = f"thing{kind}", sorted({f"thing{(kind * 7 + 1) % kinds}", f"thing{kind // 2}"})
        fields = {f"{other}_id": {"type": "string", "reference": other} for other in [*parents, name]}
        entities[name] = {"table": f"{name}s", "key": f"{name}_id", "parents": parents, "fields": fields}
        for verb in ("list", "search", "get", "create", "update", "complete", "approve", "reopen", "delete", "cancel"):
            shown.append(_tool(verb, name, parents))
            meanings[shown[-1]["name"]] = _meaning(verb, name, parents, fields)
    report = {"entities": entities, "meanings": meanings, "server": "synthetic", "name_map": {}}
    return Environment("synthetic", tuple(shown), {}, {}, report)


def _tool(verb: str, name: str, parents: list[str]) -> dict[str, Any]:
    takes = parents if verb in ("list", "create") else [] if verb == "search" else [name]
    properties = {f"{other}_id": {"type": "string", "description": f"from list_{other}"} for other in takes}
    return {
        "name": f"{verb}_{name}",
        "description": f"{verb} a {name}",
        "inputSchema": {"type": "object", "properties": properties, "required": list(properties)},
    }


def _meaning(verb: str, name: str, parents: list[str], fields: dict[str, Any]) -> dict[str, Any]:
    operation = {"get": "read"}.get(verb, "transition" if verb not in _PLAIN else verb)
    own = {f"{name}_id": {"role": "key", "entity": name, "field": f"{name}_id"}}
    others = {f"{other}_id": {"role": "reference", "entity": other, "field": f"{other}_id"} for other in parents}
    listed = verb in ("list", "search")
    return {
        "operation": operation,
        "entity": name,
        "verb": verb,
        "writes": not listed and verb != "get",
        "parameters": others if verb in ("list", "create") else {} if verb == "search" else own,
        "output": {
            "shape": "list" if listed else "record",
            "entity": name,
            "key_path": f"{name}s[].{name}_id" if listed else f"{name}_id",
            "fields": fields,
        },
    }


_PLAIN = ("list", "search", "get", "create", "update", "delete")


def random_dag(nodes: int, degree: float, seed: int) -> Edges:
    """A DAG of ``degree`` edges a node, none twice."""
    rng = random.Random(seed)
    edges = {tuple(sorted(rng.sample(range(nodes), 2))) for _ in range(int(nodes * degree))}
    return sorted(edges)  # type: ignore[arg-type]


def plain_unlocking(nodes: Sequence[int], edges: Edges, n: int, rng: random.Random) -> list[list[int]]:
    """Unlocking as the paper's words say it, nothing kept between stages."""
    left, stages = list(nodes), []
    while left:
        blocked = {after for before, after in edges if before in left}
        queue = [node for node in left if node not in blocked]
        stage = rng.sample(queue, min(n, len(queue)))
        left = [node for node in left if node not in stage]
        stages.append(stage)
    return stages


def unlocking(samples: int, repeats: int) -> dict[str, Any]:
    """Samples a second at 12 nodes, beside the baselines."""
    nodes, edges = range(12), random_dag(12, 1.5, seed=0)
    rng, other, graph = np.random.default_rng(0), random.Random(0), nx.DiGraph(edges)
    graph.add_nodes_from(nodes)
    calls: dict[str, Callable[[], Any]] = {
        "tvlab": lambda: dynamic_unlocking(nodes, edges, 3, rng),
        "plain": lambda: plain_unlocking(nodes, edges, 3, other),
        "sorted": lambda: list(nx.topological_sort(graph)),
        "built": lambda: list(nx.topological_sort(nx.DiGraph(edges))),
    }
    if importlib.util.find_spec("rustworkx"):
        calls["rustworkx"] = lambda: rustworkx_sort(12, edges)
    rates = {}
    for name, call in calls.items():
        rates[name] = samples / seconds(lambda call=call: deque((call() for _ in range(samples)), maxlen=0), repeats)  # type: ignore[misc]
    return {
        "edges": len(edges),
        "samples_per_s": round(rates["tvlab"]),
        "times_plain_python": round(rates["tvlab"] / rates["plain"], 1),
        "times_networkx_sort": round(rates["tvlab"] / rates["sorted"], 1),
        "times_networkx_graph_and_sort": round(rates["tvlab"] / rates["built"], 1),
        "times_rustworkx_graph_and_sort": (
            round(rates["tvlab"] / rates["rustworkx"], 2) if "rustworkx" in rates else "not run: not installed"
        ),
    }


def rustworkx_sort(nodes: int, edges: Edges) -> list[int]:
    """Build a graph and sort it: what unlocking would have rustworkx do, which has no unlocking of its own."""
    import rustworkx

    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from_no_data(edges)
    return list(rustworkx.topological_sort(graph))


def near_dag(nodes: int, degree: float, seed: int) -> Edges:
    """A DAG of ``degree`` edges a node at most, each to one of the next 50 nodes."""
    rng = random.Random(seed)
    starts = (rng.randrange(nodes - 1) for _ in range(int(nodes * degree)))
    return sorted({(a, min(nodes - 1, a + 1 + rng.randrange(50))) for a in starts})


def growth(repeats: int) -> dict[str, Any]:
    """How time and work grow to 100,000 nodes: exponents of powers fitted to all sizes, and us a node or edge.

    Work is counted in lines of the sampler that run; it does not know of memory. Large graphs miss the caches: edges
    between any two nodes do so at every step, edges to near nodes seldom. networkx's linear sort of a graph built
    before shows on the same edges what memory costs another program.
    """
    sizes = (1_000, 3_000, 10_000, 30_000, 100_000)
    result: dict[str, Any] = {"work_exponent": work_exponent(sizes[2:])}
    for name, made in (("far_edges", random_dag), ("near_edges", near_dag)):
        rows = [grown(made(nodes, 2.0, seed=nodes), nodes, repeats) for nodes in sizes]
        amounts, times, sorts = (np.array(column) for column in zip(*rows, strict=True))
        exponent, squared = power(amounts, times)
        result[name] = {
            "v_plus_e": amounts.astype(int).tolist(),
            "us_per_v_plus_e": (times / amounts * 1e6).round(2).tolist(),
            "exponent": round(exponent, 2),
            "r_squared": round(squared, 4),
            "exponent_networkx": round(power(amounts, sorts)[0], 2),
            "times_networkx_sort": (sorts / times).round(1).tolist(),
        }
    return result


def grown(edges: Edges, nodes: int, repeats: int) -> tuple[int, float, float]:
    """V + E, seconds of unlocking and of networkx's sort; the edges lie in memory as they are read."""
    edges = [(before, after) for before, after in np.array(edges).tolist()]
    graph = nx.DiGraph(edges)
    rng = np.random.default_rng(0)
    unlocked = seconds(lambda: dynamic_unlocking(range(nodes), edges, 8, rng), repeats, min)
    return nodes + len(edges), unlocked, seconds(lambda: list(nx.topological_sort(graph)), repeats, min)


def work_exponent(sizes: Sequence[int]) -> float:
    """The exponent of the lines that run."""
    counts, amounts = [], []
    for nodes in sizes:
        edges = random_dag(nodes, 2.0, seed=nodes)
        counts.append(lines_run(lambda: dynamic_unlocking(range(nodes), edges, 8, np.random.default_rng(0))))  # noqa: B023
        amounts.append(nodes + len(edges))
    return round(power(np.array(amounts), np.array(counts))[0], 3)


def lines_run(call: Callable[[], Any]) -> int:
    """How many lines of the sampler a call runs."""
    count = 0

    def each(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return each

    def entered(frame: Any, event: str, argument: Any) -> Any:
        return each if "unlocking" in frame.f_code.co_filename else None

    sys.settrace(entered)
    try:
        call()
    finally:
        sys.settrace(None)
    return count


def power(amounts: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Exponent and R2 of a power of the amounts fitted to the values."""
    slope, offset = np.polyfit(np.log(amounts), np.log(values), 1)
    off = np.log(values) - (slope * np.log(amounts) + offset)
    return float(slope), 1 - float(np.var(off) / np.var(np.log(values)))


def dense_digraph(nodes: int, p: float, seed: int) -> dict[tuple[int, int], float]:
    """A random digraph with loops, weights 1 to 4."""
    rng = random.Random(seed)
    return {(a, b): float(rng.randint(1, 4)) for a in range(nodes) for b in range(nodes) if rng.random() < p}


def least_feedback(nodes: int, weights: dict[tuple[int, int], float]) -> float:
    """The least weight of a feedback arc set, by dynamic programming over sets of nodes that stand first.

    A node put behind such a set cuts its arcs back into the set.
    """
    back = [[weights.get((a, b), 0.0) if a != b else 0.0 for b in range(nodes)] for a in range(nodes)]
    best = np.full(1 << nodes, math.inf)
    best[0] = 0.0
    sums = [_subset_sums(back[a], nodes) for a in range(nodes)]
    for size in range(1, nodes + 1):
        sets = _of_size(nodes, size)
        for last in range(nodes):
            with_last = sets[(sets >> last) & 1 == 1]
            rest = with_last ^ (1 << last)
            best[with_last] = np.minimum(best[with_last], best[rest] + sums[last][rest])
    loops = sum(weight for (a, b), weight in weights.items() if a == b)
    return float(best[-1]) + loops


def _subset_sums(values: Sequence[float], nodes: int) -> np.ndarray:
    sums = np.zeros(1)
    for node in range(nodes):
        sums = np.concatenate([sums, sums + values[node]])
    return sums


def _of_size(nodes: int, size: int) -> np.ndarray:
    return np.flatnonzero(np.bitwise_count(np.arange(1 << nodes, dtype=np.uint32)) == size)


def cycles(repeats: int) -> dict[str, Any]:
    """Feedback arcs of self-loops alone and of dense digraphs: time, and weight beside the least possible."""
    loops = {(node, node): 1.0 for node in range(20)}
    dense = [dense_digraph(20, 0.35, seed) for seed in range(20)]
    times = [seconds(lambda w=w: feedback_arcs(range(20), w), repeats) * 1e3 for w in dense]  # type: ignore[misc]
    small = [dense_digraph(14, 0.35, seed) for seed in range(10)]
    over = [sum(w[arc] for arc in feedback_arcs(range(14), w)) / least_feedback(14, w) for w in small]
    left = 0
    for weights in dense:
        graph = nx.DiGraph(list(weights))
        graph.remove_edges_from(feedback_arcs(range(20), weights))
        left += not nx.is_directed_acyclic_graph(graph)
    return {
        "self_loops_ms": round(seconds(lambda: feedback_arcs(range(20), loops), repeats) * 1e3, 3),
        "dense_20_nodes_ms": round(statistics.median(times), 3),
        "cycles_left": left,
        "weight_over_least_14_nodes": round(statistics.mean(over), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="speed of tool graphs")
    parser.add_argument("folders", nargs="*", help="built environments, or folders of them")
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    start = time.process_time()
    large = synthetic(5_000)
    graph = build_graph(large, run=False).graph
    result = {
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "one_environment": one_environment(built(chosen.folders), chosen.repeats),
        "5000_tools": {
            "data_and_order_edges": graph.number_of_edges(),
            "s": round(seconds(lambda: build_graph(fresh(large), run=False), 1), 2),
        },
        "unlocking_12_nodes": unlocking(20_000, chosen.repeats),
        "unlocking_growth": growth(chosen.repeats),
        "feedback_arcs": cycles(chosen.repeats),
    }
    result["took_s"] = round(time.process_time() - start, 1)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
