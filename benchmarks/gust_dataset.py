"""Make the GUST dataset of a corpus's environments and hold it against the bars: a record, not the items.

    tvlab build --from ../shared/mcp/corpus.jsonl --out ENVIRONMENTS
    python benchmarks/gust_dataset.py ENVIRONMENTS                 # every folder below
    python benchmarks/gust_dataset.py ENVIRONMENTS --out DATASET --count 32 --workers 2 --decontaminate FOLDER

Timed is the whole way from environments to the written dataset: graphs with run edges, drawing, all checks, the
replay as a LangGraph graph.  Then every ``--again``-th environment is made again by another number of workers and
the files are compared, and every item is read back and checked anew: replay to reward 1 and to its outcome,
necessity of every golden call.  Not timed either: equivalent plans sampled of every item, and how complex the graph of
every environment is.  Environments with fewer than two changing tools but a data edge that holds are in the
dataset and counted apart.  Writes ``benchmarks/gust_dataset.json``, which notebook 04 shows.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import statistics
import tempfile
import time
from collections import Counter
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import tvlab
from tvlab.environments.opening import open_environment
from tvlab.foundation.atomic_files import write_json
from tvlab.foundation.runner import run_jobs
from tvlab.foundation.stored_runs import source_hash
from tvlab.reporting.graph_complexity import complexity_table
from tvlab.tasks.dataset import Settings, make_dataset, read_dataset
from tvlab.tasks.dataset_card import plan_rows
from tvlab.tasks.dataset_parts import plan_counts
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import read_items
from tvlab.tasks.necessity import unnecessary_calls
from tvlab.tasks.teachers import replay

HERE = Path(__file__).parent
BARS = {
    "items": (2987, None),
    "user_turns_per_item": (3.5, 4.1),
    "largest_share_of_one_environment": (None, 0.02),
    "environments": (150, None),
    "depth": (2.0, None),
    "replayed_share": (1.0, None),
    "necessary_share": (1.0, None),
    "seconds": (None, 600.0),
}
"""Least and most of each figure."""
PLANS = 2
"""Samples of equivalent plans an item and way."""


def main() -> None:
    """Parse the arguments, make, compare, check, and write and print the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environments", type=Path)
    parser.add_argument("--out", type=Path, help="folder of the dataset (default: a temporary one)")
    parser.add_argument("--count", type=int, default=32)
    parser.add_argument("--again", type=int, default=1, help="make every n-th environment again (default: all)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--decontaminate", type=Path, action="append", default=[])
    parser.add_argument("--record", type=Path, default=HERE / "gust_dataset.json")
    options = parser.parse_args()
    folders = sorted(path.parent for path in options.environments.glob("*/tools.json"))
    with tempfile.TemporaryDirectory() as scratch:
        out = options.out or Path(scratch) / "dataset"
        record = measure(
            folders, out, Path(scratch), options.count, options.workers, options.decontaminate, options.again
        )
    write_json(options.record, record)
    for name, value in record.items():
        print(f"{name}: {value}")


def measure(
    folders: list[Path],
    out: Path,
    scratch: Path,
    count: int,
    workers: int,
    benchmarks: list[Path],
    again: int,
) -> dict[str, Any]:
    """Make the dataset, parts of it again, and return the record."""
    settings, load = Settings(count=count, asking=True), os.getloadavg()[0]
    start, cpu = time.perf_counter(), _cpu_seconds()
    card = make_dataset(folders, out, settings, workers, progress=True, benchmarks=benchmarks, keep_matches=True)
    seconds, cpu = time.perf_counter() - start, _cpu_seconds() - cpu
    twice = _those_with_items(out, folders)[::again]
    other = 1 if workers > 1 else 2
    make_dataset(twice, scratch / "again", settings, other, progress=True)
    checked = run_jobs(partial(_checked, out), folders, workers, True, "checks")
    items = [item for part in read_dataset(out).values() for item in part]
    figures = dict(card["statistics"])
    record = {
        "recorded": date.today().isoformat(),
        "code": source_hash(*(Path(tvlab.__file__).parent / room for room in ("foundation", "environments", "tasks"))),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "workers": workers,
        "load_at_the_start": round(load, 1),
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "items_asked_an_environment": count,
        "environments_given": len(folders),
        **{name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()},
        "items_an_environment": _spread([row["items"] for row in card["environments"]]),
        "parts": {part: of["items"] for part, of in card["parts"].items()},
        "why_without_tasks": card["why_without_tasks"],
        "rejected_drafts": card["rejected_drafts"],
        "near_duplicates": len(card["near_duplicates"]),
        "decontamination": card["decontamination"],
        "equivalent_plans": plan_rows([one["plans"] for one in checked if "plans" in one]),
        "graph_complexity": [one["complexity"] for one in checked],
        "replayed_share": sum(one["replayed"] for one in checked) / len(items),
        "necessary_share": sum(one["necessary"] for one in checked) / len(items),
        "environments_with_items": [
            {name: row[name] for name in ("name", "tools", "data_edges", "items", "license", "few_changing_tools")}
            for row in card["environments"]
        ],
        "made_again": {"environments": len(twice), "workers": other},
        "the_same_made_again": all(_digest(out, one) == _digest(scratch / "again", one) for one in twice),
    }
    return {**record, "bars": [_held(name, *bounds, record[name]) for name, bounds in BARS.items()]}


def _checked(out: Path, folder: Path) -> dict[str, Any]:
    """Check the items of one environment anew, as they were written; sample plans, and measure its graph."""
    path = out / "parts" / f"{folder.name}.jsonl"
    items = read_items(path) if path.is_file() and path.stat().st_size else []
    environment = open_environment(folder)
    [row] = complexity_table({environment.name: build_graph(environment)}).to_dict("records")
    row = {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}
    complexity = {name: None if value != value else value for name, value in row.items()}  # NaN is no JSON
    if not items:
        return {"replayed": 0, "necessary": 0, "complexity": complexity}
    episodes = [replay(environment, item) for item in items]
    return {
        "replayed": sum(all(one.rewards) and one.outcome_met() for one in episodes),
        "necessary": sum(not unnecessary_calls(environment, item) for item in items),
        "plans": plan_counts(environment, items, PLANS),
        "complexity": complexity,
    }


def _held(name: str, least: float | None, most: float | None, value: float) -> dict[str, Any]:
    held = (least is None or value >= least) and (most is None or value <= most)
    return {"figure": name, "least": least, "most": most, "value": value, "held": held}


def _spread(counts: list[int]) -> dict[str, float]:
    few = Counter(count < 20 for count in counts)[True]
    return {"least": min(counts), "median": statistics.median(counts), "most": max(counts), "below_20": few}


def _those_with_items(out: Path, folders: list[Path]) -> list[Path]:
    return [folder for folder in folders if (out / "parts" / f"{folder.name}.jsonl").stat().st_size]


def _digest(out: Path, folder: Path) -> str:
    return hashlib.sha256((out / "parts" / f"{folder.name}.jsonl").read_bytes()).hexdigest()


def _cpu_seconds() -> float:
    """Seconds of processors that this process and its ended children used."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
