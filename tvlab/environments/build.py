"""Build environments: tool list -> refactored schemas -> domain -> code -> verified environment folders.

Every tool of a server ends in an environment or in a list of drops with its stage and reason (``schema``,
``meaning``, ``code``, ``verification``, ``toolset``).  Same tool list and seed, same bytes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tvlab.environments import fact_tables, facts, links, read_contents, transitions
from tvlab.environments.deciding import decide
from tvlab.environments.domain import Domain
from tvlab.environments.environment import Environment, function_name, load_functions
from tvlab.environments.meanings import Meaning, relaxed
from tvlab.environments.opening import mark_as_written
from tvlab.environments.publishing import entity_report, meaning_report, published_tool
from tvlab.environments.schemas import Drop, Refactored, refactor_tools
from tvlab.environments.seeding import seed_state
from tvlab.environments.settings import find_settings
from tvlab.environments.tool_lists import ToolList
from tvlab.environments.tool_parsing import ParsedTool, parse_tools
from tvlab.environments.toolsets import SMALLEST, split_toolsets
from tvlab.environments.verification import Check, verify
from tvlab.environments.writing import write_module, write_tool
from tvlab.foundation.atomic_files import write_json, write_text
from tvlab.foundation.errors import UserError
from tvlab.foundation.runner import run_jobs

_ROUNDS = 4


@dataclass(frozen=True)
class BuiltEnvironment:
    """A verified environment and the texts of its folder."""

    environment: Environment
    source: str
    checks: tuple[Check, ...]

    @property
    def name(self) -> str:
        """The environment's name."""
        return self.environment.name

    def write(self, out: Path) -> Path:
        """Write the environment's folder below ``out`` and return it."""
        folder = out / self.name
        environment = self.environment
        write_json(
            folder / "tools.json", {"server": environment.report["server"], "tools": list(environment.tools)}
        )
        write_json(folder / "state.json", environment.state)
        write_text(folder / "tools.py", self.source)
        write_json(folder / "tests.json", [check.to_json() for check in self.checks])
        write_json(folder / "report.json", environment.report)
        if environment.report.get("writer") == "rules":
            mark_as_written(folder)
        return folder


@dataclass(frozen=True)
class ServerBuild:
    """What became of one server: its environments and every tool that is in none of them."""

    server: str
    tools: int
    environments: tuple[BuiltEnvironment, ...] = ()
    drops: tuple[Drop, ...] = ()

    @property
    def kept(self) -> int:
        """Number of tools in the environments."""
        return sum(len(built.environment.tools) for built in self.environments)

    def to_json(self) -> dict[str, Any]:
        """Return the server's row of build.json."""
        return {
            "server": self.server,
            "tools": self.tools,
            "kept": self.kept,
            "environments": [built.name for built in self.environments],
            "kinds": [built.environment.report["kind"] for built in self.environments],
            "drops": [_drop_json(drop) for drop in self.drops],
        }


@dataclass
class _Server:
    """Working data of one server."""

    tool_list: ToolList
    seed: int
    refactored: Refactored
    domain: Domain
    tools: dict[str, dict[str, Any]]
    drops: list[Drop] = field(default_factory=list)


def build_environment(tool_list: ToolList, seed: int = 0) -> list[BuiltEnvironment]:
    """Return the verified environments of one server; none if too few of its tools can be meant."""
    return list(build_server(tool_list, seed).environments)


def build_server(tool_list: ToolList, seed: int = 0, smallest: int = SMALLEST) -> ServerBuild:
    """Build one server and account for every tool.

    Args:
        tool_list: the server.
        seed: seeds state and ids.
        smallest: tools that an environment has at least.
    """
    refactored = refactor_tools(tool_list.tools)
    parsed = parse_tools(refactored.tools)
    domain = prepared_domain(parsed)
    server = _Server(
        tool_list, seed, refactored, domain, {t["name"]: t for t in refactored.tools}, list(refactored.drops)
    )
    decisions = fact_tables.recovered([decide(tool, domain) for tool in parsed], parsed, domain)
    meanings = _with_code(server, decisions)
    meanings = _verified(server, meanings, environment_name(tool_list.server))
    toolsets = split_toolsets(meanings, smallest)
    inside = {id(meaning) for group in toolsets for meaning in group}
    server.drops += [
        Drop(m.tool.name, "toolset", "too few tools that go together", "")
        for m in meanings
        if id(m) not in inside
    ]
    built = []
    for at, group in enumerate(toolsets):
        name = environment_name(tool_list.server) + (f"-{at + 1}" if len(toolsets) > 1 else "")
        one = _build_toolset(server, group, name, smallest)
        if one is not None:
            built.append(one)
    return ServerBuild(tool_list.server, len(tool_list.tools), tuple(built), tuple(server.drops))


def prepared_domain(tools: list[ParsedTool]) -> Domain:
    """Return the domain dictionary with settings, facts and states."""
    domain = Domain(tools)
    domain.settings = find_settings(domain)
    facts.prepare(domain)
    read_contents.fill(domain)
    links.prepare(domain)
    transitions.prepare(domain)
    return domain


def environment_name(server: str) -> str:
    """Return a folder name for a server.

    >>> environment_name("@scope/My Server!")
    'scope-my-server'
    """
    name = re.sub(r"[^a-z0-9_]+", "-", server.lower()).strip("-_")
    return name[:80] or "server"


def _with_code(server: _Server, decisions: list[Meaning | Drop]) -> list[Meaning]:
    """Keep the meanings whose function can be written and loaded; no two share a function's name."""
    kept: list[Meaning] = []
    names: set[str] = set()
    server.domain.used = set(server.domain.entities)
    for decision in decisions:
        if isinstance(decision, Drop):
            server.drops.append(decision)
            continue
        problem = _code_problem(server, decision, names)
        if problem:
            server.drops.append(Drop(decision.tool.name, "code", "code cannot be written", problem))
        else:
            names.add(function_name(decision.tool.name))
            kept.append(decision)
    return kept


def _code_problem(server: _Server, meaning: Meaning, names: set[str]) -> str:
    name = function_name(meaning.tool.name)
    if name in names or not name.isidentifier() or name.startswith("_remove"):
        return f"function name {name} is taken or illegal"
    try:
        source = write_tool(meaning, server.domain)
        load_functions(f"from tvlab.environments.runtime import find\n\n\n{source}", meaning.tool.name)
    except (UserError, ValueError, TypeError) as error:
        return str(error)[:200]
    return ""


def _verified(server: _Server, meanings: list[Meaning], name: str) -> list[Meaning]:
    """Verify the server as one environment and drop what fails until the rest passes."""
    for _ in range(_ROUNDS):
        if not meanings:
            return []
        failed = _failures(_assemble(server, meanings, name)[2])
        if not failed:
            return meanings
        server.drops += [_verification_drop(check) for check in failed.values()]
        meanings = [m for m in meanings if m.tool.name not in failed]
    server.drops += [
        Drop(m.tool.name, "verification", "the rest of the server did not settle", "") for m in meanings
    ]
    return []


def _failures(checks: list[Check]) -> dict[str, Check]:
    """Return the first failed check of each tool."""
    failed: dict[str, Check] = {}
    for check in checks:
        if not check.passed:
            failed.setdefault(check.tool, check)
    return failed


def _verification_drop(check: Check) -> Drop:
    return Drop(check.tool, "verification", check.check, check.detail)


def _assemble(server: _Server, meanings: list[Meaning], name: str) -> tuple[Environment, str, list[Check]]:
    """Write, load and verify an environment of these tools."""
    domain = server.domain
    domain.used = _used_entities(domain, meanings)
    source = write_module(meanings, domain, name)
    names = [entity for entity in domain.entities if entity in domain.used]
    state = json.loads(json.dumps(seed_state(domain, names, server.seed, name)))
    functions = load_functions(source, f"{name}/tools.py")
    tools = [published_tool(server.tools[m.tool.name], m) for m in meanings]
    environment = Environment(
        name=name,
        tools=tuple(tools),
        state=state,
        functions={m.tool.name: functions[function_name(m.tool.name)] for m in meanings},
        report=_report(server, meanings, name),
    )
    return environment, source, verify(environment)


def _used_entities(domain: Domain, meanings: list[Meaning]) -> set[str]:
    """Entities of the tools, those their parameters pick, and all that their records refer to."""
    used: set[str] = set()
    waiting = []
    for meaning in meanings:
        for one in (meaning, *meaning.branches.values()):
            waiting += [one.entity.name, *(role.entity for role in one.roles if role.entity)]
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting += [f.reference for f in domain.entities[name].fields.values() if f.reference]
    return used


def _build_toolset(
    server: _Server, meanings: list[Meaning], name: str, smallest: int
) -> BuiltEnvironment | None:
    for _ in range(_ROUNDS):
        environment, source, checks = _assemble(server, meanings, name)
        failed = _failures(checks)
        if not failed:
            return BuiltEnvironment(environment, source, tuple(checks))
        server.drops += [_verification_drop(check) for check in failed.values()]
        meanings = [m for m in meanings if m.tool.name not in failed]
        if len(meanings) < smallest:
            break
    server.drops += [Drop(m.tool.name, "toolset", "too few tools that go together", "") for m in meanings]
    return None


def _report(server: _Server, meanings: list[Meaning], name: str) -> dict[str, Any]:
    domain, kept = server.domain, {m.tool.name for m in meanings}
    return {
        "name": name,
        "server": server.tool_list.server,
        "source": server.tool_list.source,
        "kind": _kind(meanings),
        "seed": server.seed,
        "writer": "rules",
        "drops": [_drop_json(drop) for drop in server.drops],
        "narrowed": [
            {"tool": m.tool.name, "parameter": p, "reason": r} for m in meanings for p, r in _narrowed(m)
        ],
        "name_map": {new: old for new, old in server.refactored.name_map.items() if new in kept},
        "parameter_maps": {
            new: maps for new, maps in server.refactored.parameter_maps.items() if new in kept
        },
        "entities": {
            e.name: entity_report(e, domain) for e in domain.entities.values() if e.name in domain.used
        },
        "meanings": {m.tool.name: meaning_report(m) for m in meanings},
    }


def _narrowed(meaning: Meaning) -> Iterable[tuple[str, str]]:
    yield from meaning.narrowed
    for name in relaxed(meaning):
        yield name, "the declared form of the id is not kept: ids are made here"
    for value, branch in meaning.branches.items():
        yield from ((f"{path} ({value})", reason) for path, reason in branch.narrowed)


def _kind(meanings: list[Meaning]) -> str:
    if any(meaning.writes for meaning in meanings):
        return "stateful"
    return "facts" if meanings else "none"


def _drop_json(drop: Drop) -> dict[str, Any]:
    return {"tool": drop.tool, "stage": drop.stage, "reason": drop.reason, "detail": drop.detail}


def build_environments(
    tool_lists: list[ToolList], out: str | Path, seed: int = 0, workers: int = 1, progress: bool = True
) -> list[dict[str, Any]]:
    """Build every server and write one folder an environment.

    Args:
        tool_lists: the servers.
        out: folder for the environments; ``build.json`` in it accounts for every server and tool.
        seed: seeds states and ids.
        workers: number of processes.
        progress: show progress on standard error.

    Returns:
        One row a server: ``server``, ``tools``, ``kept``, ``environments``, ``kinds``, ``drops``.
    """
    out = Path(out)
    names = unique_names([environment_name(tool_list.server) for tool_list in tool_lists])
    jobs = list(zip(tool_lists, names, strict=True))
    rows = run_jobs(partial(_build_and_write, out=str(out), seed=seed), jobs, workers, progress, "servers")
    write_json(out / "build.json", {"seed": seed, "servers": rows, "totals": totals(rows)})
    return rows


def unique_names(names: list[str]) -> list[str]:
    """Return the names with a number behind those that were taken before."""
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name}--{seen[name]}")
    return result


def _build_and_write(job: tuple[ToolList, str], out: str, seed: int) -> dict[str, Any]:
    tool_list, name = job
    build = build_server(
        ToolList(name, tool_list.title, tool_list.description, tool_list.source, tool_list.tools), seed
    )
    for built in build.environments:
        built.write(Path(out))
    return {**build.to_json(), "server": tool_list.server}


def totals(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Sum up a build: servers, environments by kind, tools kept, drops by stage and reason."""
    reasons = Counter((drop["stage"], drop["reason"]) for row in rows for drop in row["drops"])
    return {
        "servers": len(rows),
        "environments": sum(len(row["environments"]) for row in rows),
        "kinds": dict(Counter(kind for row in rows for kind in row["kinds"])),
        "tools": sum(row["tools"] for row in rows),
        "kept": sum(row["kept"] for row in rows),
        "drops": [{"stage": s, "reason": r, "tools": n} for (s, r), n in reasons.most_common()],
    }
