"""Tools and tasks of the benchmarks, read from the data files of their packages.

Nothing of a package is imported or run: JSON files are read, and tau2-bench's tools, which exist as Python
methods alone, are read off the syntax tree.  A place is a folder that holds a benchmark: a virtual
environment, a folder that packages were installed to, a clone, or the data folder itself.

* BFCL: ``bfcl_eval/data``: multi-turn tools (``multi_turn_func_doc``), the tools and questions of every file.
* tau2-bench: ``tau2/data/tau2/domains`` with tasks, ``tau2/domains`` with ``tools.py`` and ``user_tools.py``.
* ACEBench: ``data_en`` and ``data_zh`` with the agent tasks (other files there are read alike).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvlab.foundation.errors import UserError
from tvlab.tasks.paths import leaves

_TYPES = {
    "dict": "object", "float": "number", "int": "integer", "str": "string", "bool": "boolean", "list": "array",
    "tuple": "array", "Dict": "object", "List": "array",
}  # fmt: skip


@dataclass(frozen=True)
class BenchmarkTool:
    """One tool: its name and the JSON types of its parameters ("" where none is told)."""

    benchmark: str
    name: str
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class BenchmarkTask:
    """One task: its id and the words of its user."""

    benchmark: str
    id: str
    words: str


@dataclass(frozen=True)
class BenchmarkData:
    """What was read of one benchmark, and where."""

    name: str
    place: str
    tools: tuple[BenchmarkTool, ...]
    tasks: tuple[BenchmarkTask, ...]


def read_benchmarks(places: Sequence[str | Path]) -> list[BenchmarkData]:
    """Return the benchmarks that stand in some places.

    Raises:
        UserError: a place holds none of the three.
    """
    found = []
    for place in map(Path, places):
        here = [data for root in _roots(place) for data in _read(root) if data.tools or data.tasks]
        if not here:
            raise UserError(
                f"{place} holds no benchmark: name a folder with bfcl_eval, tau2 or ACEBench's data_en "
                "(a virtual environment, or where pip --target put the package)"
            )
        found += here
    return list({(data.name, data.tools, data.tasks): data for data in found}.values())


def _roots(place: Path) -> list[Path]:
    """The folder itself, the packages of a virtual environment, and what lies one level below."""
    packages = [*place.glob("lib/python*/site-packages"), *place.glob("*/lib/python*/site-packages")]
    below = [child for child in sorted(place.glob("*")) if child.is_dir()] if place.is_dir() else []
    return [place, *sorted(packages), *below]


def _read(root: Path) -> Iterator[BenchmarkData]:
    bfcl = next((path for path in (root / "bfcl_eval" / "data", root) if (path / "multi_turn_func_doc").is_dir()), None)
    if bfcl is not None:
        yield _bfcl(bfcl)
    if (root / "tau2" / "domains").is_dir():
        yield _tau2(root / "tau2")
    if any((root / name).is_dir() for name in ("data_en", "data_zh")):
        yield _acebench(root)


def _bfcl(folder: Path) -> BenchmarkData:
    documents = sorted(folder.glob("multi_turn_func_doc/*.json"))
    tools = [_tool("BFCL", value) for path in documents for value in _lines(path)]
    tasks = []
    for path in sorted(folder.glob("BFCL_v*.json")):
        for value in _lines(path):
            functions = value.get("function") or []
            tools += [_tool("BFCL", tool) for tool in (functions if isinstance(functions, list) else [functions])]
            said = [m for turn in value.get("question") or [] for m in turn if m.get("role") == "user"]
            tasks.append(BenchmarkTask("BFCL", str(value["id"]), "\n".join(str(m["content"]) for m in said)))
    return BenchmarkData("BFCL", str(folder), _once(tools), tuple(tasks))


def _tau2(folder: Path) -> BenchmarkData:
    tools = [
        tool
        for path in sorted([*folder.glob("domains/*/tools.py"), *folder.glob("domains/*/user_tools.py")])
        for tool in _python_tools(path)
    ]
    tasks = []
    for path in sorted(folder.glob("data/tau2/domains/*/tasks*.json")):
        for value in json.loads(path.read_text(encoding="utf-8")):
            said = value.get("user_scenario", {}).get("instructions", "")
            words = "\n".join(part for _, part in leaves(said) if isinstance(part, str))
            tasks.append(BenchmarkTask("tau2-bench", f"{path.parent.name}/{value['id']}", words))
    return BenchmarkData("tau2-bench", str(folder), _once(tools), tuple(dict.fromkeys(tasks)))


def _acebench(folder: Path) -> BenchmarkData:
    tools, tasks = [], []
    for path in sorted([*folder.glob("data_en/*.json"), *folder.glob("data_zh/*.json")]):
        for value in _lines(path):
            tools += [_tool("ACEBench", tool) for tool in value.get("function") or [] if isinstance(tool, dict)]
            words = value.get("question")
            tasks.append(BenchmarkTask("ACEBench", f"{path.parent.name}/{value.get('id')}", str(words or "")))
    return BenchmarkData("ACEBench", str(folder), _once(tools), tuple(tasks))


def _lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file: a JSON array, or JSON lines."""
    text = path.read_text(encoding="utf-8").strip()
    if text.startswith("["):
        return [value for value in json.loads(text) if isinstance(value, dict)]
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _tool(benchmark: str, value: Mapping[str, Any]) -> BenchmarkTool:
    schema = value.get("parameters") or value.get("arguments") or {}
    properties = schema.get("properties") or {}
    return BenchmarkTool(benchmark, str(value["name"]), parameter_types(properties))


def parameter_types(properties: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return (name, JSON type) of every parameter, sorted; "" where the schema does not tell one type."""
    found = []
    for name, schema in properties.items():
        kind = schema.get("type") if isinstance(schema, Mapping) else None
        kind = next((one for one in kind if one != "null"), "") if isinstance(kind, list) else kind
        found.append((str(name), _TYPES.get(str(kind or ""), str(kind or ""))))
    return tuple(sorted(found))


def _python_tools(path: Path) -> Iterator[BenchmarkTool]:
    """The methods of a file that are marked as tools."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and any("is_tool" in ast.unparse(mark) for mark in node.decorator_list):
            arguments = [one for one in [*node.args.args, *node.args.kwonlyargs] if one.arg != "self"]
            yield BenchmarkTool("tau2-bench", node.name, tuple(sorted((one.arg, _hinted(one)) for one in arguments)))


def _hinted(argument: ast.arg) -> str:
    hint = ast.unparse(argument.annotation) if argument.annotation is not None else ""
    inner = hint.removeprefix("Optional[").removesuffix("]") if hint.startswith("Optional[") else hint
    inner = inner.partition("[")[0].partition(" |")[0].strip()
    return _TYPES.get(inner, "string" if inner == "Literal" else "")


def _once(tools: Sequence[BenchmarkTool]) -> tuple[BenchmarkTool, ...]:
    return tuple(dict.fromkeys(tools))
