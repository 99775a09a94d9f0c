"""From meanings to a verified environment: module, state, published tools, report, checks.

Tools that fail a check are dropped and the rest is assembled and verified again, until all that is left
passes together.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvlab.environments.checks.verification import Check, verify
from tvlab.environments.coherence import coherence
from tvlab.environments.domain.domain import Domain
from tvlab.environments.drops import Drop
from tvlab.environments.environment import Environment, function_name, load_functions
from tvlab.environments.llm.trials import LIMITS, TrialEnvironment, tried
from tvlab.environments.meanings.meanings import Meaning, relaxed
from tvlab.environments.opening import mark_as_written
from tvlab.environments.prepared_servers import PreparedServer
from tvlab.environments.seeding.seeding import seed_state
from tvlab.environments.texts.published_texts import PublishedTexts, with_true_texts
from tvlab.environments.texts.publishing import entity_report, meaning_report, published_tool
from tvlab.environments.writing.agreeing_references import agreement_report
from tvlab.environments.writing.writing import write_module
from tvlab.foundation.atomic_files import write_json, write_text

ROUNDS = 4


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

    @property
    def failed(self) -> dict[str, Check]:
        """The first failed check of each tool."""
        failed: dict[str, Check] = {}
        for check in self.checks:
            if not check.passed:
                failed.setdefault(check.tool, check)
        return failed

    def write(self, out: Path) -> Path:
        """Write the environment's folder below ``out`` and return it."""
        folder = out / self.name
        environment = self.environment
        write_json(folder / "tools.json", {"server": environment.report["server"], "tools": list(environment.tools)})
        write_json(folder / "state.json", environment.state)
        write_text(folder / "tools.py", self.source)
        write_json(folder / "tests.json", [check.to_json() for check in self.checks])
        write_json(folder / "report.json", environment.report)
        if environment.report.get("writer") == "rules":
            mark_as_written(folder)
        return folder

    def to_json(self) -> dict[str, Any]:
        """Return the environment's entry in build.json."""
        report = self.environment.report
        return {
            "environment": self.name,
            "kind": report["kind"],
            "tools": len(self.environment.tools),
            "tool_kinds": tool_kinds(report),
            "connected": report["coherence"]["connected"],
        }


def verified_rest(
    names: list[str],
    assembled: Callable[[list[str]], BuiltEnvironment],
    smallest: int,
    blamed: Callable[[BuiltEnvironment], dict[str, Check]] = lambda built: built.failed,
) -> tuple[BuiltEnvironment | None, list[Drop], list[str]]:
    """Assemble tools and drop what fails until the rest passes.

    Args:
        names: of the tools.
        assembled: makes the environment of some of them.
        smallest: tools that it needs at least.
        blamed: what goes, with the failed check; by default each tool that failed one.

    Returns:
        (environment or None, what failed a check, tools that are left without an environment).
    """
    drops: list[Drop] = []
    for _ in range(ROUNDS):
        built = assembled(names) if names else None
        if built is None or not built.failed:
            return built, drops, []
        failed = blamed(built)
        drops += [Drop(check.tool, "verification", check.check, check.detail) for check in failed.values()]
        names = [name for name in names if name not in failed]
        if len(names) < smallest:
            break
    return None, drops, names


def assemble(server: PreparedServer, meanings: list[Meaning], name: str) -> BuiltEnvironment:
    """Write, load and verify an environment of these tools of one server.

    Code that a model wrote is loaded and verified in sandbox workers only.
    """
    tools = [m.tool.name for m in meanings]
    if written := server.model.sources(tools):
        trial, source = sandboxed(server, meanings, name, written)
        return BuiltEnvironment(trial, source, tuple(tried(trial, written, tools)))
    source, parts = _parts(server, meanings, name, {})
    functions = load_functions(source, f"{name}/tools.py")
    parts["functions"] = {tool: functions[function_name(tool)] for tool in tools}
    environment = Environment(**parts)
    return BuiltEnvironment(environment, source, tuple(verify(environment)))


def sandboxed(
    server: PreparedServer, meanings: list[Meaning], name: str, written: dict[str, str]
) -> tuple[TrialEnvironment, str]:
    """Write an environment with model-written functions, and load it in a sandbox; return it with its source.

    Args:
        server: the server.
        meanings: of its tools.
        name: of the environment.
        written: tool -> source of the model's function.
    """
    source, parts = _parts(server, meanings, name, written)
    return TrialEnvironment.of_parts(source=source, sandbox=server.model.sandbox, limits=LIMITS, **parts), source


def _parts(
    server: PreparedServer, meanings: list[Meaning], name: str, written: dict[str, str]
) -> tuple[str, dict[str, Any]]:
    """Return an environment's source, and its name, tools, state and report."""
    domain = server.domain
    domain.used = used_entities(domain, meanings)
    source = write_module(meanings, domain, name, written)
    names = [entity for entity in domain.entities if entity in domain.used]
    published = published_tools(server, meanings)
    return source, {
        "name": name,
        "tools": tuple(one.tool for one in published),
        "state": json.loads(json.dumps(seed_state(domain, names, server.seed, name))),
        "report": with_coherence({**_head(server, meanings, name), **report_of_part(server, meanings, published)}),
    }


def published_tools(
    server: PreparedServer, meanings: list[Meaning], names: dict[str, str] | None = None
) -> list[PublishedTexts]:
    """Return the tools as an environment offers them: narrowed input, true output, true texts.

    Args:
        server: the server.
        meanings: of its tools that are in the environment.
        names: name in the environment -> name on the server, where they differ.
    """
    beside = server.surroundings(meanings)
    result = []
    for meaning in meanings:
        own = server.tools[(names or {}).get(meaning.tool.name, meaning.tool.name)]
        tool = published_tool({**own, "name": meaning.tool.name}, meaning)
        result.append(with_true_texts(tool, meaning, beside))
    return result


def used_entities(domain: Domain, meanings: list[Meaning]) -> set[str]:
    """Entities of the tools, those their parameters pick, and all that their records refer to."""
    used: set[str] = set()
    waiting = []
    for meaning in meanings:
        for one in (meaning, *meaning.branches.values()):
            waiting += [name for name in (one.entity.name, *(role.entity for role in one.roles)) if name]
            waiting += [one.value.name] if one.operation == "view" else []
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting += [f.reference for f in domain.entities[name].fields.values() if f.reference]
    return used


def _head(server: PreparedServer, meanings: list[Meaning], name: str) -> dict[str, Any]:
    return {
        "name": name,
        "server": server.tool_list.server,
        "source": server.tool_list.source,
        "kind": kind_of(meanings),
        "seed": server.seed,
        **server.model.report([m.tool.name for m in meanings]),
        "drops": [drop.to_json() for drop in server.drops],
    }


def report_of_part(
    server: PreparedServer, meanings: list[Meaning], published: list[PublishedTexts]
) -> dict[str, Any]:
    """What a report says of some tools of one server: narrowed, name maps, entities, meanings."""
    domain, kept = server.domain, {m.tool.name for m in meanings}
    return {
        "narrowed": [{"tool": m.tool.name, "parameter": p, "reason": r} for m in meanings for p, r in _narrowed(m)],
        "name_map": {new: old for new, old in server.refactored.name_map.items() if new in kept},
        "parameter_maps": {new: maps for new, maps in server.refactored.parameter_maps.items() if new in kept},
        "entities": {e.name: entity_report(e, domain) for e in domain.entities.values() if e.name in domain.used},
        "meanings": {m.tool.name: {**meaning_report(m), **agreement_report(m, domain)} for m in meanings},
        **left_texts(row for one in published for row in one.left),
    }


def left_texts(rows: Iterable[dict[str, str]]) -> dict[str, Any]:
    """Return a report's entry of the sentences that left the published texts, nothing if there are none."""
    listed = list(rows)
    return {"narrowed_texts": listed} if listed else {}


def with_coherence(report: dict[str, Any]) -> dict[str, Any]:
    """Return the report with its coherence."""
    return {**report, "coherence": coherence(report)}


def _narrowed(meaning: Meaning) -> Iterable[tuple[str, str]]:
    yield from meaning.narrowed
    for name in relaxed(meaning):
        yield name, "the declared form of the id is not kept: ids are made here"
    for value, branch in meaning.branches.items():
        yield from ((f"{path} ({value})", reason) for path, reason in branch.narrowed)


def tool_kinds(report: dict[str, Any]) -> dict[str, int]:
    """Tools by kind: ``pure`` computations, ``facts`` of tables that nothing changes, the rest ``stateful``."""
    rest = "stateful" if report["kind"] == "stateful" else "facts"
    kinds = {"compute": "pure", "fact": "facts"}
    return dict(Counter(kinds.get(meaning["operation"], rest) for meaning in report["meanings"].values()))


def kind_of(meanings: list[Meaning]) -> str:
    """``stateful`` if any tool writes, ``pure`` if all compute, else ``facts``."""
    if any(meaning.writes for meaning in meanings):
        return "stateful"
    if any(meaning.operation != "compute" for meaning in meanings):
        return "facts"
    return "pure" if meanings else "none"
