"""Kill rate of the verification: faults put into the code of 20 environments, and the checks that catch them.

    python benchmarks/mutation_kill.py [--environments 20] [--per-tool 40] [--seed 0] [--survivors FILE]

The environments are the eight embedded ones and, if the corpus is there (TVLAB_CORPUS, default ../shared beside the
project), one of each of twelve servers drawn by seed; without it they are all embedded.  A mutant
(``environments/mutation/mutants.py``) is killed if a check of the tools that run the changed function fails, or else
one of another tool of the environment: a build refuses a tool either way.  A survivor is *alike* if it answers some
hundreds of calls, made in eight states and each repeated, like the original; the rate without those is given beside
the rate over all mutants, which takes every survivor for a failure.

Written: ``mutation_kill.csv`` (rates per broken property, per operator, and what each check killed first, alone or
at all) and, with ``--survivors``, every survivor with the lines that differ, to be judged by hand.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvlab.environments.build import BuiltEnvironment, build_environment
from tvlab.environments.mutation.mutant_trials import Behaviour, Verdict, failed_checks, judge
from tvlab.environments.mutation.mutants import Mutant, mutants_of
from tvlab.environments.tool_lists import ToolList, load_tool_lists
from tvlab.foundation.progress import progress
from tvlab.foundation.seeds import generator

HERE = Path(__file__).parent
COLUMNS = ["table", "name", "mutants", "killed", "rate", "alike", "rate_without_alike", "first", "only"]


@dataclass(frozen=True)
class Trial:
    """One mutant and what became of it."""

    environment: str
    mutant: Mutant
    verdict: Verdict
    alike: bool

    @property
    def checks(self) -> tuple[str, ...]:
        """The checks that failed."""
        return self.verdict.checks or self.verdict.neighbours


def environments(count: int, seed: int) -> Iterator[BuiltEnvironment]:
    """Yield the embedded environments, then one of each drawn server."""
    embedded = [built for tools in load_tool_lists("embedded") for built in build_environment(tools)][:8]
    yield from embedded[:count]
    draw, left = generator(seed, "mutation"), count - len(embedded)
    servers = corpus()
    for at in draw.permutation(len(servers)):
        if left <= 0:
            return
        found = build_environment(servers[int(at)])
        if found:
            left -= 1
            yield found[int(draw.integers(len(found)))]


def corpus() -> list[ToolList]:
    """Return the servers of the corpus, none if it is not there."""
    folder = Path(os.environ.get("TVLAB_CORPUS", HERE.parents[1] / "shared"))
    path = next((p for p in (folder / "mcp" / "corpus.jsonl", folder / "corpus.jsonl") if p.exists()), None)
    return load_tool_lists(str(path)) if path is not None else []


def drawn(mutants: list[Mutant], per_tool: int, seed: int) -> list[Mutant]:
    """Return at most so many mutants of each function, operators in turn, in the order of the source."""
    groups: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, mutant in enumerate(mutants):
        groups[mutant.function][mutant.operator].append(at)
    chosen: list[int] = []
    for function, operators in groups.items():
        draw = generator(seed, "mutants", function)
        shuffled = [[at[int(i)] for i in draw.permutation(len(at))] for at in operators.values()]
        rounds = [row[i] for i in range(max(map(len, shuffled))) for row in shuffled if i < len(row)]
        chosen += rounds[:per_tool]
    return [mutants[at] for at in sorted(chosen)]


def trials_of(built: BuiltEnvironment, per_tool: int, seed: int) -> Iterator[Trial]:
    """Judge the mutants of one environment."""
    original = built.environment
    assert not failed_checks(original, set(original.tool_names)), f"{built.name} fails unchanged"
    behaviour = Behaviour.of(original, seed)
    for mutant in drawn(list(mutants_of(original, built.source)), per_tool, seed):
        verdict = judge(original, mutant)
        yield Trial(built.name, mutant, verdict, not verdict.killed and behaviour.alike(mutant))


def rates(trials: list[Trial]) -> list[dict[str, Any]]:
    """Return the rows of the table: all, by environment, property and operator, then by check."""
    rows = [_rate("all", "all", trials)]
    keys = {
        "environment": lambda t: t.environment,
        "property": lambda t: t.mutant.breaks,
        "operator": lambda t: t.mutant.operator,
    }
    for table, key in keys.items():
        groups: dict[str, list[Trial]] = defaultdict(list)
        for trial in trials:
            groups[key(trial)].append(trial)
        rows += [_rate(table, name, group) for name, group in sorted(groups.items())]
    any_, first, only = Counter[str](), Counter[str](), Counter[str]()
    for trial in trials:
        any_.update(trial.checks)
        first.update(trial.checks[:1])
        only.update(trial.checks if len(trial.checks) == 1 else ())
    for name, killed in any_.most_common():
        rows.append({"table": "check", "name": name, "killed": killed, "first": first[name], "only": only[name]})
    return rows


def _rate(table: str, name: str, trials: list[Trial]) -> dict[str, Any]:
    killed, alike = sum(t.verdict.killed for t in trials), sum(t.alike for t in trials)
    other = len(trials) - alike
    return {
        "table": table, "name": name, "mutants": len(trials), "killed": killed, "rate": round(killed / len(trials), 4),
        "alike": alike, "rate_without_alike": round(killed / other, 4) if other else "",
    }  # fmt: skip


def survivors(trials: list[Trial]) -> list[dict[str, Any]]:
    """Return what is needed to judge each survivor by hand."""
    return [
        {
            "environment": t.environment, "tools": " ".join(t.mutant.tools), "function": t.mutant.function,
            "operator": t.mutant.operator, "property": t.mutant.breaks, "alike": t.alike,
            "difference": t.mutant.difference(),
        }
        for t in trials if not t.verdict.killed
    ]  # fmt: skip


def write(path: Path, rows: list[dict[str, Any]], columns: list[str]) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    """Judge, print the rates, write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--environments", type=int, default=20)
    parser.add_argument("--per-tool", type=int, default=40, help="mutants of a function at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=HERE / "mutation_kill.csv")
    parser.add_argument("--survivors", type=Path, help="CSV of all survivors")
    options = parser.parse_args()
    start, trials = time.process_time(), []
    built = list(environments(options.environments, options.seed))
    with progress(len(built), "environments") as advance:
        for done, one in enumerate(built, start=1):
            trials += trials_of(one, options.per_tool, options.seed)
            advance(done)
    rows = rates(trials)
    write(options.out, rows, COLUMNS)
    if options.survivors:
        found = survivors(trials)
        write(options.survivors, found, list(found[0]) if found else ["environment"])
    total = rows[0]
    print(f"{len(built)} environments, {total['mutants']} mutants, {time.process_time() - start:.0f} CPU s")
    print(f"killed {total['rate']:.1%}; without the {total['alike']} alike {total['rate_without_alike']:.1%}")
    for row in rows[1:]:
        if row["table"] in ("environment", "property"):
            print(f"  {row['name']:40s} {row['killed']:5d} of {row['mutants']:5d}  {row['rate']:7.1%}, "
                  f"{row['alike']} alike")  # fmt: skip


if __name__ == "__main__":
    main()
