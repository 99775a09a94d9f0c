"""Items against the tools and tasks of benchmarks: what matches is listed and can be taken out.

Three kinds of match:

* name: a tool of an item's environment is called like one of a benchmark (``getUser`` is ``get_user``);
* schema: name and parameters, names and types, are the same too, and there is a parameter;
* words: a turn of an item and a task share ``NGRAM`` words in a row.

By default schema matches of a golden call and words take an item out.  Names alone are listed and kept: a
``create_ticket`` is nobody's property.  Not compared: descriptions, values of records, and pictures of tasks in
other words; what a benchmark keeps to itself cannot be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tvlab.foundation.words import split_name
from tvlab.tasks.benchmark_data import BenchmarkData, BenchmarkTool, parameter_types
from tvlab.tasks.item import Item

NGRAM = 8
"""Words in a row; turns have about 20.  The usual 13 would hardly ever fit into one."""
_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


@dataclass(frozen=True)
class ToolMatch:
    """A tool of an environment that a benchmark has too; kind is name or schema."""

    environment: str
    tool: str
    benchmark: str
    benchmark_tool: str
    kind: str


@dataclass(frozen=True)
class WordMatch:
    """Words in a row that a turn of an item shares with a task."""

    item: str
    turn: int
    benchmark: str
    task: str
    words: str


@dataclass(frozen=True)
class Contamination:
    """What was found.

    Attributes:
        tools: matches of tools.
        words: matches of words, the first of every turn and task.
        items: ids of the items that go: a golden call of a schema match, or words.
    """

    tools: tuple[ToolMatch, ...]
    words: tuple[WordMatch, ...]
    items: tuple[str, ...]

    def to_json(self, benchmarks: Sequence[BenchmarkData], removed: bool) -> dict[str, Any]:
        """Return the report: what was compared, counts, matches."""
        return {
            "benchmarks": [
                {"name": data.name, "place": data.place, "tools": len(data.tools), "tasks": len(data.tasks)}
                for data in benchmarks
            ],
            "ngram": NGRAM,
            "counts": self.counts(benchmarks),
            "items": list(self.items),
            "removed": removed,
            "tools": [asdict(match) for match in self.tools],
            "words": [asdict(match) for match in self.words],
        }

    def counts(self, benchmarks: Sequence[BenchmarkData]) -> list[dict[str, Any]]:
        """Return one row a benchmark: tools by kind of match, items with shared words."""
        names = list(dict.fromkeys(data.name for data in benchmarks))
        rows = []
        for name in names:
            tools = [match for match in self.tools if match.benchmark == name]
            rows.append(
                {
                    "benchmark": name,
                    "tools_of_the_same_name": len({(m.environment, m.tool) for m in tools}),
                    "tools_of_the_same_schema": len(
                        {(m.environment, m.tool) for m in tools if m.kind == "schema"}
                    ),
                    "items_with_shared_words": len({m.item for m in self.words if m.benchmark == name}),
                }
            )
        return rows


def contamination(
    items: Iterable[Item],
    tools: Mapping[str, Sequence[Mapping[str, Any]]],
    benchmarks: Sequence[BenchmarkData],
) -> Contamination:
    """Compare items and the tools of their environments with benchmarks.

    Args:
        items: in any order.
        tools: by environment, in the shape of a tool list.
        benchmarks: what to compare with.
    """
    items = list(items)
    matches = tool_matches(tools, benchmarks)
    words = word_matches(items, benchmarks)
    same = {(match.environment, match.tool) for match in matches if match.kind == "schema"}
    gone = {match.item for match in words} | {
        item.id for item in items for _, call in item.golden() if (item.environment, call.tool) in same
    }
    return Contamination(tuple(matches), tuple(words), tuple(sorted(gone)))


def tool_matches(
    tools: Mapping[str, Sequence[Mapping[str, Any]]], benchmarks: Sequence[BenchmarkData]
) -> list[ToolMatch]:
    """Return the matches of tools, a tool and a benchmark's tool at most once."""
    known: dict[str, list[BenchmarkTool]] = {}
    for theirs in (theirs for data in benchmarks for theirs in data.tools):
        known.setdefault(_plain(theirs.name), []).append(theirs)
    found = []
    for environment, listed in sorted(tools.items()):
        for tool in listed:
            own = parameter_types(tool.get("inputSchema", {}).get("properties") or {})
            for other in known.get(_plain(str(tool["name"])), ()):
                kind = "schema" if own and _same(own, other.parameters) else "name"
                found.append(ToolMatch(environment, str(tool["name"]), other.benchmark, other.name, kind))
    return list(dict.fromkeys(found))


def word_matches(items: Iterable[Item], benchmarks: Sequence[BenchmarkData]) -> list[WordMatch]:
    """Return the first shared n-gram of every turn and task."""
    known: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for data in benchmarks:
        for task in data.tasks:
            for gram in dict.fromkeys(_grams(task.words)):
                known.setdefault(gram, []).append((task.benchmark, task.id))
    found = []
    for item in items:
        for t, turn in enumerate(item.turns):
            seen = set()
            for gram in _grams(f"{turn.context}\n{turn.words}"):
                for match in known.get(gram, ()):
                    if match not in seen:
                        seen.add(match)
                        found.append(WordMatch(item.id, t, *match, " ".join(gram)))
    return found


def _grams(text: str) -> list[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return [tuple(words[at : at + NGRAM]) for at in range(len(words) - NGRAM + 1)]


def _plain(name: str) -> str:
    """A tool's name without its spelling; a dotted one by its last part: GorillaFileSystem.mkdir is mkdir."""
    return "_".join(split_name(name.rpartition(".")[2]))


def _same(own: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> bool:
    """Whether parameters are the same by name, and by type wherever both tell one."""
    mine, theirs = ({"_".join(split_name(name)): kind for name, kind in part} for part in (own, other))
    return mine.keys() == theirs.keys() and all(
        kind == theirs[name] or not kind or not theirs[name] for name, kind in mine.items()
    )
