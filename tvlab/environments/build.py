"""Build environments: tool list -> refactored schemas -> domain -> code -> verified environment folders.

Every tool of a server ends in an environment or in a list of drops with its stage and reason (``drops.py``).
First every server by itself, then the left-over tools of small servers are joined inside sub-domains
(``joining.py``).  Same tool lists and seed, same bytes, whatever the number of workers.  A killed build goes on
where it was (``build_progress.py``).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tvlab.environments.assembling import BuiltEnvironment, assemble, verified_rest
from tvlab.environments.build_progress import Progress, job_key
from tvlab.environments.build_totals import environment_rows, totals
from tvlab.environments.drops import Drop
from tvlab.environments.joining.joined_environments import join_servers
from tvlab.environments.joining.joining import Join, LeftOver, left_over, plan_joins
from tvlab.environments.llm.build import ModelPart, with_writer
from tvlab.environments.llm.desk import write_with_model
from tvlab.environments.llm.writer import LlmWriter
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.prepared_servers import PreparedServer, prepare_server
from tvlab.environments.tool_lists import ToolList
from tvlab.environments.toolsets import SMALLEST, split_toolsets
from tvlab.foundation.atomic_files import write_json
from tvlab.foundation.runner import run_jobs

__all__ = ["ServerBuild", "build_environment", "build_environments", "build_server", "environment_name", "totals"]


@dataclass(frozen=True)
class ServerBuild:
    """What became of one server: its environments and every tool that is in none of them.

    Attributes:
        server: its name.
        tools: how many tools it has.
        environments: verified.
        drops: the tools in none.
        left_over: those of them that passed everything and only lack others that go with them.
        asked: what became of the tools that a model could be asked for.
    """

    server: str
    tools: int
    environments: tuple[BuiltEnvironment, ...] = ()
    drops: tuple[Drop, ...] = ()
    left_over: tuple[LeftOver, ...] = ()
    asked: tuple[dict[str, Any], ...] = ()

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
            "built": [built.to_json() for built in self.environments],
            "joined": [],
            "drops": [drop.to_json() for drop in self.drops],
            **({"asked": list(self.asked)} if self.asked else {}),
        }


def build_environment(tool_list: ToolList, seed: int = 0) -> list[BuiltEnvironment]:
    """Return the verified environments of one server; none if too few of its tools can be meant."""
    return list(build_server(tool_list, seed).environments)


def build_server(
    tool_list: ToolList, seed: int = 0, smallest: int = SMALLEST, writer: LlmWriter | None = None
) -> ServerBuild:
    """Build one server and account for every tool.

    Args:
        tool_list: the server.
        seed: seeds state and ids.
        smallest: tools that an environment has at least.
        writer: asks a model for tools; None: the rules alone.
    """
    server = prepare_server(tool_list, seed, model=ModelPart(writer))
    name = environment_name(tool_list.server)
    whole, meanings = _verified(server, name)
    if writer is not None:
        write_with_model(server, meanings, name)
    if server.model.written:
        whole, meanings = _verified(server, name)
    built = _toolsets(server, whole, meanings, name, smallest)
    inside = {tool for one in built for tool in one.environment.tool_names}
    gone = {drop.tool for drop in server.drops}
    rest = [m for m in meanings if m.tool.name not in inside | gone]
    server.drop(rest, "toolset", "too few tools that go together")
    for one in built:
        one.environment.report["drops"] = [drop.to_json() for drop in server.drops]
    rest = [m for m in rest if m.tool.name not in server.model.written]
    return ServerBuild(
        tool_list.server,
        len(tool_list.tools),
        tuple(built),
        tuple(server.drops),
        left_over(rest, server.domain.tools),
        server.model.asked,
    )


def _toolsets(
    server: PreparedServer, whole: BuiltEnvironment | None, meanings: list[Meaning], name: str, smallest: int
) -> list[BuiltEnvironment]:
    """Return the environments of a server's verified tools; a server that fits is taken as it was verified."""
    toolsets = split_toolsets(meanings, smallest)
    if whole is not None and len(toolsets) == 1 and len(toolsets[0]) == len(meanings):
        return [whole]
    by_name = {m.tool.name: m for m in meanings}
    built = []
    for at, group in enumerate(toolsets):
        numbered = f"{name}-{at + 1}" if len(toolsets) > 1 else name

        def assembled(names: list[str], numbered: str = numbered) -> BuiltEnvironment:
            return assemble(server, [by_name[tool] for tool in names], numbered)

        blamed = partial(server.model.blamed, group)
        one, drops, _ = verified_rest([m.tool.name for m in group], assembled, smallest, blamed)
        server.drops += drops
        built += [one] if one is not None else []
    return built


def _verified(server: PreparedServer, name: str) -> tuple[BuiltEnvironment | None, list[Meaning]]:
    """Verify the server as one environment and drop what fails until the rest passes."""
    by_name = {m.tool.name: m for m in server.meanings}

    def assembled(names: list[str]) -> BuiltEnvironment:
        return assemble(server, [by_name[tool] for tool in names], name)

    blamed = partial(server.model.blamed, server.meanings)
    built, drops, rest = verified_rest(list(by_name), assembled, 1, blamed)
    server.drops += drops
    server.drop([by_name[tool] for tool in rest], "verification", "the rest of the server did not settle")
    return built, [by_name[tool] for tool in built.environment.tool_names] if built is not None else []


def environment_name(server: str) -> str:
    """Return a folder name for a server.

    >>> environment_name("@scope/My Server!")
    'scope-my-server'
    """
    name = re.sub(r"[^a-z0-9_]+", "-", server.lower()).strip("-_")
    return name[:80] or "server"


def build_environments(
    tool_lists: list[ToolList],
    out: str | Path,
    seed: int = 0,
    workers: int = 1,
    progress: bool = True,
    writer: LlmWriter | None = None,
) -> list[dict[str, Any]]:
    """Build every server, join what is left of small ones, and write one folder an environment.

    Args:
        tool_lists: the servers.
        out: folder for the environments; ``build.json`` in it accounts for every server and tool.
        seed: seeds states and ids.
        workers: number of processes.
        progress: show progress on standard error.
        writer: asks a model for tools; None: the rules alone.  With one, servers are built in threads of this
            process, since most of the time is spent waiting, and ``llm.json`` says what was asked and spent.

    Returns:
        One row a server: ``server``, ``tools``, ``kept``, ``environments`` of its own with their ``kinds``,
        ``joined`` (its tools in environments shared with others), ``drops``, and with a writer ``asked``.
    """
    out = Path(out)
    names = unique_names([environment_name(tool_list.server) for tool_list in tool_lists])
    named = [replace(tool_list, server=name) for tool_list, name in zip(tool_lists, names, strict=True)]
    build = partial(_build_and_write, out=str(out), seed=seed, writer=writer)
    if writer is None:
        rows = run_jobs(build, named, workers, progress, "servers")
    else:
        rows = with_writer(build, named, writer, out, progress)
    joins = plan_joins(rows, named, [name for row in rows for name in row["environments"]])
    jobs = [(join, [named[part.at] for part in join.parts]) for join in joins]
    joined = run_jobs(partial(_join_and_write, out=str(out), seed=seed), jobs, workers, progress, "joins")
    for row, tool_list in zip(rows, tool_lists, strict=True):
        row["server"] = tool_list.server
        del row["left_over"]
    for join, outcome in zip(joins, joined, strict=True):
        _enter(join, outcome, rows)
    write_json(out / "build.json", {"seed": seed, "servers": rows, "totals": totals(rows)})
    Progress(out).finish([out / one["environment"] for one in environment_rows(rows)])
    return rows


def unique_names(names: list[str]) -> list[str]:
    """Return the names with a number behind those that were taken before."""
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name}--{seen[name]}")
    return result


def _build_and_write(
    tool_list: ToolList, out: str, seed: int, writer: LlmWriter | None = None
) -> dict[str, Any]:
    progress, key = Progress(out), job_key(tool_list.to_json(), seed)
    # with a model the answers are what is kept: a larger budget may get further with the same server
    done = progress.row(key) if writer is None else None
    if done is not None:
        return done
    build = build_server(tool_list, seed, writer=writer)
    folders = [built.write(Path(out)) for built in build.environments]
    row = {**build.to_json(), "left_over": [one.to_json() for one in build.left_over]}
    if writer is None:
        progress.save(key, row, folders)
    return row


def _join_and_write(job: tuple[Join, list[ToolList]], out: str, seed: int) -> dict[str, Any]:
    join, tool_lists = job
    progress, key = Progress(out), job_key(asdict(join), [one.to_json() for one in tool_lists], seed)
    done = progress.row(key)
    if done is not None:
        return done
    servers = [(tool_list, part.names) for tool_list, part in zip(tool_lists, join.parts, strict=True)]
    result = join_servers(join.name, join.subdomain, servers, seed)
    row = {
        "built": result.built.to_json() if result.built is not None else None,
        "kept": [list(one) for one in result.kept],
        "drops": [[at, drop.to_json()] for at, drop in result.drops],
    }
    progress.save(key, row, [result.built.write(Path(out))] if result.built is not None else [])
    return row


def _enter(join: Join, outcome: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Enter a joined environment into the rows of its servers."""
    for at, part in enumerate(join.parts):
        row = rows[part.at]
        mine = [tool for where, tool in outcome["kept"] if where == at]
        lost = [drop for where, drop in outcome["drops"] if where == at]
        over = {*mine, *(drop["tool"] for drop in lost)}
        row["drops"] = [d for d in row["drops"] if d["stage"] != "toolset" or d["tool"] not in over] + lost
        row["kept"] += len(mine)
        if mine:
            row["joined"].append({**outcome["built"], "own_tools": mine})
