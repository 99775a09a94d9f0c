"""Build every server of a corpus of tool lists and say what became of it.

    python benchmarks/corpus_build.py                      # ../shared/mcp/corpus.jsonl, or TVLAB_CORPUS
    python benchmarks/corpus_build.py --corpus mine.jsonl --out FOLDER --workers 4

Timed is the whole way from raw tool lists to verified folders; graphs, which say what carries tasks, come
after. Writes ``benchmarks/corpus_build.json``, which notebook 01 shows.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from collections import Counter
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import tvlab
from tvlab.environments.build import build_environments, totals
from tvlab.environments.build_totals import environment_names
from tvlab.environments.environment import Environment
from tvlab.environments.macro_domains import coverage
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.foundation.atomic_files import read_json, write_json
from tvlab.foundation.runner import run_jobs
from tvlab.foundation.stored_runs import source_hash
from tvlab.tasks.graph import build_graph, carries_tasks

HERE = Path(__file__).parent
TOP_REASONS = 15


def main() -> None:
    """Parse the arguments, build, and write and print the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("TVLAB_CORPUS", "../shared")) / "mcp" / "corpus.jsonl"
    parser.add_argument("--corpus", type=Path, default=default)
    parser.add_argument("--out", type=Path, help="folder of the environments (default: a temporary one)")
    parser.add_argument("--record", type=Path, default=HERE / "corpus_build.json")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        record = build(options.corpus, options.out or Path(scratch), options.workers)
    write_json(options.record, record)
    for name, value in record.items():
        print(f"{name}: {value}")


def build(corpus: Path, out: Path, workers: int) -> dict[str, Any]:
    """Build the corpus into a folder and return the record."""
    start = time.perf_counter()
    rows = build_environments(load_tool_lists(str(corpus)), out, 0, workers, progress=True)
    seconds = time.perf_counter() - start
    names = environment_names(rows)
    carrying = run_jobs(partial(_carries, out), names, workers, True, "graphs")
    reports = [read_json(out / name / "report.json") for name in names]
    sizes = [len(report["meanings"]) for report in reports]
    sums = totals(rows)
    return {
        "recorded": date.today().isoformat(),
        "code": source_hash(*(Path(tvlab.__file__).parent / room for room in ("foundation", "environments"))),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "workers": workers,
        "seconds": round(seconds, 1),
        "servers": sums["servers"],
        "tools": sums["tools"],
        "kept": sums["kept"],
        "environments": len(names),
        "carrying_tasks": sum(carrying),
        "environments_by_kind": dict(Counter(report["kind"] for report in reports)),
        "tools_by_kind": dict(sum((_kinds(report) for report in reports), Counter())),
        "mean_tools": round(sum(sizes) / max(len(sizes), 1), 1),
        "largest": max(sizes, default=0),
        "dropped_by_stage": _by_stage(sums["drops"]),
        "top_reasons": sums["drops"][:TOP_REASONS],
        "macro_domains": coverage(reports),
        "top_20_servers_share": _concentration(rows, 20),
        "narrowed_parameters": sum(len(report["narrowed"]) for report in reports),
        "narrowed_sentences": sum(len(report.get("narrowed_texts", ())) for report in reports),
        "tools_with_narrowed_texts": sum(
            len({row["tool"] for row in report.get("narrowed_texts", ())}) for report in reports
        ),
    }


def _carries(out: Path, name: str) -> bool:
    environment = Environment.load(out / name)
    return carries_tasks(environment, build_graph(environment))


def _kinds(report: dict[str, Any]) -> Counter[str]:
    """Tools by kind: of a stateful environment, looked up in a fact table, or computed."""
    kinds = {"fact": "fact table", "compute": "computation"}
    return Counter(kinds.get(meaning["operation"], "stateful" if report["kind"] == "stateful" else "fact table")
                   for meaning in report["meanings"].values())  # fmt: skip


def _by_stage(drops: list[dict[str, Any]]) -> dict[str, int]:
    stages: Counter[str] = Counter()
    for drop in drops:
        stages[drop["stage"]] += drop["tools"]
    return dict(stages)


def _concentration(rows: list[dict[str, Any]], top: int) -> float:
    kept = sorted((row["kept"] for row in rows), reverse=True)
    return round(sum(kept[:top]) / max(sum(kept), 1), 3)


if __name__ == "__main__":
    main()
