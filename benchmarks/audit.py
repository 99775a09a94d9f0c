"""A blind audit by hand: how many of the kept tools are mis-modelled.

    python benchmarks/audit.py draw --build FOLDER --corpus FILE --seed 1 --count 200 --out cards.md
    python benchmarks/audit.py reveal --build FOLDER --corpus FILE --seed 1 --count 200 --out revealed.md
    python benchmarks/audit.py rate --csv benchmarks/audit.csv

``draw`` prints what the real server says of each drawn tool (name, description, the published and the original
schema) and nothing of what was generated. The judge first writes down for every card what the tool must do, then
reads ``reveal`` (the same draw: function, meaning, what was narrowed, two seed records, one sample call) and writes
a row of ``audit.csv``: round, seed, server, tool, operation ("stateful/list": the environment's kind and the
tool's operation), expected, verdict, original and values (right or wrong), kind (a short label, reused; empty if all
are right), reason. ``verdict`` is against the tool as it is published: its description may lack sentences that the
environment does not do (``true_texts.py``). ``original`` is against the real server's words, all of them; in
rounds 1 to 6 nothing was taken out and both are the same. ``values`` is of the seeded records alone; before round 7
it was no verdict of its own (empty), and round 6 counted them under ``verdict``. ``audit_brief.md`` is what judges
are given.
``rate`` turns the rows into rates with Wilson intervals.

A tool is mis-modelled if its effect or answer contradicts what name, description and schema say. A dropped optional
parameter is none; nor, for ``verdict``, is a sentence that left the text, as long as name and first sentence hold.
Not checked here: that the judge is fair; a second judge may draw the same cards.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from scipy.stats import binomtest

from tvlab.environments.checks.call_values import CallMaker
from tvlab.environments.environment import Environment, function_name
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.foundation.errors import UserError
from tvlab.foundation.seeds import generator

COLUMNS = (
    "round", "seed", "server", "tool", "operation", "expected", "verdict", "original", "values", "kind", "reason",
)  # fmt: skip
VERDICTS = ("right", "wrong")
_LONGEST = 1500  # characters of one value in a revealed card
_TRIALS = 8  # records that a sample call is tried on

Row = dict[str, str]
Corpus = dict[str, dict[str, dict[str, Any]]]  # server -> tool -> the raw tool


@dataclass(frozen=True)
class Drawn:
    """One drawn tool: the environment's folder, the published name, the server's own name of it, the server."""

    folder: Path
    tool: str
    original: str
    server: str


def kept_tools(build: Path) -> list[Drawn]:
    """Every kept tool of a built folder, in the order of folders and names.

    Raises:
        UserError: the folder holds no environments.
    """
    reports = sorted(build.glob("*/report.json"))
    if not reports:
        raise UserError(f"{build} holds no */report.json: no built environments; run `tvlab build` first")
    found = []
    for path in reports:
        report = json.loads(path.read_text(encoding="utf-8"))
        for tool, original in sorted(report["name_map"].items()):
            found.append(Drawn(path.parent, tool, original, _server(report, tool)))
    return found


def _server(report: dict[str, Any], tool: str) -> str:
    """The server that a tool came from; an environment of several has a map from tool to server."""
    servers = report.get("tool_servers") or {}
    return servers.get(tool) or report["server"]


def draw(tools: Sequence[Drawn], seed: int, count: int) -> list[Drawn]:
    """Draw ``count`` tools uniformly, without replacement; all of them if there are fewer."""
    order = generator(seed, "audit").permutation(len(tools))
    return [tools[at] for at in order[:count]]


def read_corpus(path: str) -> Corpus:
    """The raw tools of a dump by server and name."""
    return {
        tool_list.server: {tool.get("name", ""): tool for tool in tool_list.tools}
        for tool_list in load_tool_lists(path)
    }


def card(number: int, drawn: Drawn, corpus: Corpus) -> str:
    """What the server says of a tool; nothing of what was generated.

    Raises:
        UserError: the dump does not have that tool, so it is not the one that was built from.
    """
    raw = corpus.get(drawn.server, {}).get(drawn.original)
    if raw is None:
        raise UserError(f"the corpus has no tool {drawn.original!r} of {drawn.server!r}; give the dump of the build")
    published = json.loads((drawn.folder / "tools.json").read_text(encoding="utf-8"))["tools"]
    offered = next(tool for tool in published if tool["name"] == drawn.tool)
    raw_text, text = str(raw.get("description") or "(no description)"), offered.get("description") or "(no description)"
    same = raw_text.strip() == text.strip()
    return "\n".join(
        [
            f"## {number}. {drawn.server}: {drawn.original}",
            text,
            f"original description: {'the same' if same else raw_text}",
            f"published: {json.dumps(offered['inputSchema'], ensure_ascii=False)}",
            f"original: {json.dumps(raw.get('inputSchema'), ensure_ascii=False)}",
            "",
        ]
    )


def revealed(number: int, drawn: Drawn) -> str:
    """What was generated for a tool."""
    environment = _environment(drawn.folder)
    report, meaning = environment.report, environment.meaning(drawn.tool)
    table = report["entities"].get(meaning.get("entity"), {}).get("table", "")
    narrowed = [f"{n['parameter']}: {n['reason']}" for n in report["narrowed"] if n["tool"] == drawn.tool]
    shown = {key: value for key, value in meaning.items() if key not in ("output", "parameters")}
    roles = {
        path: " ".join(str(part) for part in (role.get("role"), role.get("entity"), role.get("field")) if part)
        for path, role in meaning["parameters"].items()
    }
    seeds = list(environment.state.get(table, {}).items())[:2]
    return "\n".join(
        [
            f"## {number}. {drawn.server}: {drawn.original} ({report['kind']}/{meaning['operation']})",
            f"meaning: {_short(shown)}",
            f"parameters: {_short(roles)}",
            f"narrowed: {_short(narrowed)}",
            f"code:\n{_function(drawn)}",
            f"seed: {_short(dict(seeds))}",
            _sample(environment, drawn.tool, meaning),
            "",
        ]
    )


@cache
def _environment(folder: Path) -> Environment:
    return Environment.load(folder)


def _function(drawn: Drawn) -> str:
    source = (drawn.folder / "tools.py").read_text(encoding="utf-8")
    name = function_name(drawn.tool)
    parts = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == name]
    return "\n".join(str(ast.get_source_segment(source, node)) for node in parts)


def _sample(environment: Environment, tool: str, meaning: dict[str, Any]) -> str:
    """One call: the first of a few records on which the tool succeeds, else the first refusal."""
    if meaning.get("entity") is None:
        return "call: a computation from its arguments alone"
    action = next(iter(meaning.get("branches", {})), None)
    maker, shown = CallMaker(environment), ""
    for at in range(_TRIALS):
        arguments = maker.arguments(tool, environment.state, at, optional=False, action=action)
        if arguments is None:
            return "call: no arguments could be made"
        result = environment.session().call(tool, arguments)
        text = f"call: {_short(arguments)}\nresult: {_short(result.observation)}"
        if result.ok:
            return text
        shown = shown or text
    return shown


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def read_rows(path: Path) -> list[Row]:
    """The judged tools.

    Raises:
        UserError: no such file, a column is missing, or a row has no verdict, or a wrong one no kind.
    """
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            reader = csv.DictReader(lines)
            rows = list(reader)
    except FileNotFoundError:
        raise UserError(f"no file {path}: give the table of judged tools") from None
    missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise UserError(f"{path}: column {missing[0]!r} is missing; it needs {', '.join(COLUMNS)}")
    for number, row in enumerate(rows, start=2):
        for column in ("verdict", "original", "values"):
            if row[column] not in VERDICTS and (row[column] or column != "values"):
                raise UserError(f"{path}:{number}: {column} {row[column]!r}; write one of {', '.join(VERDICTS)}")
        if "wrong" in (row["verdict"], row["original"], row["values"]) and not row["kind"]:
            raise UserError(f"{path}:{number}: a wrong tool needs a kind")
    return rows


def rate_line(label: str, rows: Sequence[Row], column: str = "verdict") -> str:
    """Wrong of all with the Wilson 95% interval, by one of the two verdicts.

    >>> rate_line("all", [{"verdict": "wrong"}] + [{"verdict": "right"}] * 9)
    'all                            1/10     10.0%  (1.8% to 40.4%)'
    """
    wrong = sum(row[column] == "wrong" for row in rows)
    interval = binomtest(wrong, len(rows)).proportion_ci(method="wilson")
    rate = f"{wrong / len(rows):.1%}"
    return f"{label:<28} {wrong:>3}/{len(rows):<4} {rate:>7}  ({interval.low:.1%} to {interval.high:.1%})"


def summary(rows: Sequence[Row]) -> str:
    """Per round: the rate, the rates by kind of environment and by operation, and the kinds of fault by count."""
    lines = []
    for name in sorted({row["round"] for row in rows}):
        chosen = [row for row in rows if row["round"] == name]
        lines.append(rate_line(f"round {name}", chosen))
        lines.append(rate_line("  against the original words", chosen, "original"))
        if all(row["values"] for row in chosen):
            lines.append(rate_line("  seeded values", chosen, "values"))
        for label in (_kind, _operation):
            lines += [f"  {rate_line(of, group)}" for of, group in _groups(chosen, label)]
        kinds = Counter(row["kind"] for row in chosen if row["kind"])
        lines += [f"  {count:>3}  {kind}" for kind, count in sorted(kinds.items(), key=lambda k: (-k[1], k[0]))]
    return "\n".join(lines)


def _kind(row: Row) -> str:
    return row["operation"].partition("/")[0]


def _operation(row: Row) -> str:
    return row["operation"]


def _groups(rows: Sequence[Row], label: Callable[[Row], str]) -> Iterable[tuple[str, list[Row]]]:
    for name in sorted({label(row) for row in rows}):
        yield name, [row for row in rows if label(row) == name]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    commands = top.add_subparsers(dest="command", required=True)
    for name, about in (("draw", "cards without generated code"), ("reveal", "what was generated, same draw")):
        command = commands.add_parser(name, help=about)
        command.add_argument("--build", type=Path, required=True, help="folder of `tvlab build`")
        command.add_argument("--corpus", required=True, help="the dump that it was built from")
        command.add_argument("--seed", type=int, default=1)
        command.add_argument("--count", type=int, default=200)
        command.add_argument("--out", type=Path, help="file; printed if left out")
    rate = commands.add_parser("rate", help="rates of the judged tools")
    rate.add_argument("--csv", type=Path, default=Path(__file__).parent / "audit.csv")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 2 on bad input."""
    given = parser().parse_args(arguments)
    try:
        if given.command == "rate":
            print(summary(read_rows(given.csv)))
            return 0
        if given.count < 1:
            raise UserError(f"--count {given.count}: draw at least one tool")
        corpus, chosen = read_corpus(given.corpus), draw(kept_tools(given.build), given.seed, given.count)
        cards = [
            card(n, d, corpus) if given.command == "draw" else revealed(n, d) for n, d in enumerate(chosen, start=1)
        ]
        if given.out:
            given.out.write_text("\n".join(cards), encoding="utf-8")
        else:
            print("\n".join(cards))
    except UserError as error:
        print(f"audit: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
