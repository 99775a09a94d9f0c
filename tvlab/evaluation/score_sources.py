"""Where the tasks of a scoring run come from: GUST items with their environments, and the external harnesses.

What a folder of scores was made of is kept beside the rows, so that a table can say it and failures can be
trained on without the original files:

    OUT/benches.json    version, number of tasks (all, and asked for) and the score of doing nothing, by benchmark
    OUT/items.jsonl     the GUST items
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tvlab.environments.environment import Environment
from tvlab.environments.opening import open_environment
from tvlab.evaluation.gust_scores import GustHarness
from tvlab.evaluation.score_rows import BENCHES, Harness, drawn_tasks, shared_out
from tvlab.evaluation.suite import load_environments
from tvlab.foundation.atomic_files import read_json, write_json
from tvlab.foundation.errors import UserError
from tvlab.tasks.gust import read_items, write_items
from tvlab.tasks.item import Item
from tvlab.tasks.sample import load_sample


def chosen_harnesses(
    names: Sequence[str],
    items: Path | None = None,
    split: str = "test",
    environments: Path | None = None,
    ace_data: Path | None = None,
    bfcl_version: str = "v3",
    profile: str = "lab",
    sandbox: str = "auto",
    workers: int = 1,
) -> list[Harness]:
    """Return the harnesses of these benchmarks, ready to run.

    Args:
        names: keys of ``BENCHES``.
        items, split, environments: of GUST, see ``gust_harness``.
        ace_data, bfcl_version: see ``harnesses.harnesses``.
        profile, sandbox, workers: of the environments.

    Raises:
        UserError: a name is unknown, or a benchmark cannot run here.
    """
    unknown = [name for name in names if name not in BENCHES]
    if unknown or not names:
        raise UserError(f"--bench {','.join(unknown) or 'is empty'}: choose from {', '.join(BENCHES)}")
    from tvlab.evaluation.harnesses import harnesses

    makers = harnesses(ace_data, bfcl_version)
    chosen: list[Harness] = []
    for name in dict.fromkeys(names):
        if name == "gust":
            chosen.append(gust_harness(items, split, environments, profile, sandbox, workers))
        else:
            chosen.append(makers[name]())
    for harness in chosen:
        if reason := harness.missing():
            raise UserError(reason)
    return chosen


def gust_harness(
    items: Path | None,
    split: str = "test",
    environments: Path | None = None,
    profile: str = "lab",
    sandbox: str = "auto",
    workers: int = 1,
) -> GustHarness:
    """Return GUST on a file of items, on a part of a dataset, or on the sample that comes with the package.

    Args:
        items: a file, or the folder of a dataset; None means the sample.
        split: which part of a dataset.
        environments: folder with one folder an environment; by default those of the profile, which are built
            from the embedded descriptions if they are not there.
        profile, sandbox, workers: of the environments.
    """
    if items is None:
        return GustHarness(load_sample(), _environments(load_sample(), environments, profile, sandbox, workers))
    path = items / f"{split}.jsonl" if items.is_dir() else items
    read = read_items(path)
    return GustHarness(read, _environments(read, environments, profile, sandbox, workers), path.name)


def keep_origin(
    folder: Path, harnesses: Sequence[Harness], limit: int | Mapping[str, int | None] | None = None
) -> None:
    """Write beside the rows what they are of; earlier benchmarks stay.

    Args:
        folder: of the scores.
        harnesses: what is scored.
        limit: tasks a benchmark, or tasks by benchmark; so many of GUST's items are kept.

    Raises:
        UserError: the folder holds scores of another version or of other items.
    """
    path = folder / "benches.json"
    known: dict[str, Any] = read_json(path) if path.is_file() else {}
    for harness in harnesses:
        version, before = harness.version(), known.get(harness.name, {}).get("version")
        if before not in (None, version):
            raise UserError(f"{folder} holds scores of {before}, not of {version}: give another --out")
        tasks = {category: len(harness.tasks(category)) for category in BENCHES[harness.name]}
        floors = {"all": harness.floor()} if isinstance(harness, GustHarness) else known_floors(harness.name)
        wanted = limit.get(harness.name) if isinstance(limit, Mapping) else limit
        shares = zip(shared_out(wanted, len(tasks)), tasks.values(), strict=True)
        asked = sum(count if share is None else min(share, count) for share, count in shares)
        asked = max(asked, known.get(harness.name, {}).get("asked", 0))
        known[harness.name] = {"version": version, "tasks": tasks, "asked": asked, "floors": floors}
        if isinstance(harness, GustHarness):
            played = sorted(drawn_tasks(harness.items, asked))
            write_items(folder / "items.jsonl", [harness.items[name] for name in played])
    write_json(path, {name: known[name] for name in BENCHES if name in known})


def played_items(
    folder: Path, environments: Path | None, profile: str, sandbox: str, workers: int
) -> tuple[dict[str, Item], dict[str, Environment]]:
    """Return the GUST items of a folder of scores by id, and their environments by name."""
    items = read_items(folder / "items.jsonl")
    return {item.id: item for item in items}, _environments(items, environments, profile, sandbox, workers)


def _environments(
    items: Sequence[Item], folder: Path | None, profile: str, sandbox: str, workers: int
) -> dict[str, Environment]:
    if folder is None:
        return load_environments(profile, 0, "embedded", workers)
    names = sorted({item.environment for item in items})
    return {name: open_environment(folder / name, sandbox) for name in names}


def known_floors(bench: str) -> dict[str, float]:
    """Return the score of doing nothing by category, as the external checkers count it; none for GUST.

    For ACEBench over both languages.
    """
    from tvlab.evaluation.harnesses.ground_truth_counts import EXPECTED, FLOORS

    floors = {}
    for category in BENCHES[bench] if bench in FLOORS else ():
        rows = [row for (name, own), row in EXPECTED.items() if name == bench and own.endswith(category)]
        floors[category] = sum(row[FLOORS[bench]] for row in rows) / sum(row["tasks"] for row in rows)
    return floors
