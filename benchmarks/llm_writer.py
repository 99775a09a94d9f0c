"""Let a real model write a seeded draw of simple tools and say how many pass, at which attempt, at what cost.

    python benchmarks/llm_writer.py --base-url http://127.0.0.1:8080/v1 --model NAME --out DIR

The tools come from mcp/mini.jsonl in TVLAB_CORPUS (default ../shared): flat parameters, at most six, a verb and
an entity that could be checked.  The rules write the other tools of each server, and are run once more with
all tools to say what they would have made of the drawn ones.  DIR receives the environments and tools.json, a
row a tool; the judgements of those that passed stand in llm_writer.csv, by hand.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tvlab.environments.build import ServerBuild, build_server
from tvlab.environments.domain.tool_parsing import ParsedTool, parse_tools
from tvlab.environments.llm.budget import Budget
from tvlab.environments.llm.meanings import verb_evidence, why_not_asked
from tvlab.environments.llm.writer import LlmWriter
from tvlab.environments.prepared_servers import prepared_domain
from tvlab.environments.schemas.schemas import refactor_tools
from tvlab.environments.tool_lists import ToolList, load_tool_lists
from tvlab.foundation.answer_cache import AnswerCache
from tvlab.foundation.atomic_files import write_json
from tvlab.foundation.endpoint import Endpoint, EndpointConfig
from tvlab.foundation.seeds import generator

_MOST_PARAMETERS = 6
Rows = list[dict[str, Any]]


def simple_tools(tool_list: ToolList) -> list[ParsedTool]:
    """Return the tools of a server that a model can be asked for and that have few, flat parameters."""
    parsed = parse_tools(refactor_tools(tool_list.tools).tools)
    domain = prepared_domain(parsed)
    domain.used = set(domain.entities)
    return [
        tool
        for tool in parsed
        if not why_not_asked(tool, domain)
        and len(tool.parameters) <= _MOST_PARAMETERS
        and all(p.type not in ("object", "array", "any") for p in tool.parameters)
    ]


def draw(tool_lists: list[ToolList], count: int, seed: int) -> dict[str, dict[str, str]]:
    """Return server -> tool -> kind of verb for a seeded draw that takes each kind of verb in turn."""
    found = [(one.server, tool) for one in tool_lists for tool in simple_tools(one)]
    order = generator(seed, "llm writer").permutation(len(found))
    by_kind: dict[str, list[int]] = {}
    for at in order:
        by_kind.setdefault(verb_evidence(found[at][1]), []).append(int(at))
    turns = zip_longest(*(by_kind[kind] for kind in sorted(by_kind)))
    chosen = [at for turn in turns for at in turn if at is not None][:count]
    drawn: dict[str, dict[str, str]] = {}
    for at in sorted(chosen):
        server, tool = found[at]
        drawn.setdefault(server, {})[tool.name] = verb_evidence(tool)
    print(f"{len(found)} simple tools on {len(tool_lists)} servers; {len(chosen)} drawn from {len(drawn)}")
    return drawn


def by_rules(build: ServerBuild, tool: str) -> str:
    """Return what the rules made of a tool."""
    if any(tool in built.environment.tool_names for built in build.environments):
        return "kept"
    return next((f"dropped: {drop.reason}" for drop in build.drops if drop.tool == tool), "dropped")


def rows_of(tool_list: ToolList, kinds: dict[str, str], ask: Callable[..., LlmWriter], out: Path) -> Rows:
    """Let the model write the drawn tools of one server; return a row for each."""
    writer = ask(only=frozenset(kinds))
    build = build_server(tool_list, smallest=1, writer=writer)
    rules = build_server(tool_list, smallest=1)
    kept = {name for built in build.environments for name in built.environment.tool_names}
    for built in build.environments:
        built.write(out)
    rows = []
    for record in build.asked:
        row = {"server": tool_list.server, "kind": kinds[record["tool"]], "kept": record["tool"] in kept}
        rows.append({**row, "rules": by_rules(rules, record["tool"]), **record})
        print(json.dumps(rows[-1]), flush=True)
    return rows


def main() -> None:
    """Draw, ask, check, count."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, kind, default in (
        ("--base-url", str, None), ("--model", str, None), ("--out", Path, None), ("--tools", int, 40),
        ("--seed", int, 0), ("--concurrency", int, 8), ("--max-tokens", int, 700), ("--temperature", float, 0.2),
    ):  # fmt: skip
        parser.add_argument(name, type=kind, default=default, required=default is None)
    options = parser.parse_args()
    folder = Path(os.environ.get("TVLAB_CORPUS", Path(__file__).resolve().parents[2] / "shared"))
    tool_lists = load_tool_lists(str(folder / "mcp" / "mini.jsonl"))
    drawn = draw(tool_lists, options.tools, options.seed)
    config = EndpointConfig(
        options.base_url,
        options.model,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        timeout=1800.0,
    )
    cache = AnswerCache(options.out / "answers.sqlite")
    start = time.perf_counter()
    budget = Budget()
    ask = partial(LlmWriter, Endpoint(config, cache), budget, concurrency=options.concurrency)
    jobs = [one for one in tool_lists if one.server in drawn]
    with ThreadPoolExecutor(options.concurrency) as pool:
        parts = pool.map(lambda one: rows_of(one, drawn[one.server], ask, options.out), jobs)
        rows = [row for part in parts for row in part]
    report = {"model": options.model, **budget.report(), "seconds": round(time.perf_counter() - start, 1)}
    report["kept_by_attempt"] = dict(Counter(r["attempts"] for r in rows if r["kept"]))
    write_json(options.out / "tools.json", {"report": report, "tools": rows})
    print(json.dumps(report))


if __name__ == "__main__":
    main()
