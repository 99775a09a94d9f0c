"""A joined environment: left-over tools of several small servers, side by side in one state.

Each server is read and written by its own dictionary, as if it stood alone.  Tables of one name become one
table only on evidence (same key, key type, way of picking a record, no contradicting column, and no tool that
removes its records); else the later one's name begins with its server's.  So does the name of a tool that an
earlier server has.  The whole is verified again as one environment; what each name promises is read among its
own server's tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tvlab.environments.assembling import (
    BuiltEnvironment,
    kind_of,
    left_texts,
    published_tools,
    report_of_part,
    used_entities,
    verified_rest,
    with_coherence,
)
from tvlab.environments.checks.verification import verify
from tvlab.environments.domain.entities import Entity
from tvlab.environments.drops import Drop
from tvlab.environments.environment import Environment, function_name, load_functions
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.prepared_servers import PreparedServer, prepare_server
from tvlab.environments.runtime import State
from tvlab.environments.seeding.seeding import seed_state
from tvlab.environments.texts.published_texts import PublishedTexts
from tvlab.environments.tool_lists import ToolList
from tvlab.environments.toolsets import SMALLEST
from tvlab.environments.writing.writing import write_module
from tvlab.foundation.words import split_name

_MODULE = re.compile(r"^import .+$", re.MULTILINE)
_IMPORT = re.compile(r"^from tvlab\.environments\.runtime import (.*)$", re.MULTILINE)
_HELPER = re.compile(r"^def (_remove_\w+)\(", re.MULTILINE)
_LONGEST_NAME = 64


@dataclass(frozen=True)
class JoinedBuild:
    """What became of one join.

    Attributes:
        built: the environment, None if too few tools passed.
        kept: (server's number, tool) of each kept tool, in its server's own names.
        drops: (server's number, drop) of each tool that is not kept.
    """

    built: BuiltEnvironment | None
    kept: tuple[tuple[int, str], ...] = ()
    drops: tuple[tuple[int, Drop], ...] = ()


@dataclass
class _Part:
    """One server's share: its meanings under the names that they have here."""

    server: PreparedServer
    meanings: list[Meaning]
    own_names: dict[str, str] = field(default_factory=dict)
    entity_names: dict[str, str] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """The server's name as the beginning of an identifier."""
        words = [w for w in split_name(self.server.tool_list.server) if w not in ("mcp", "server")]
        return "_".join(words)[:24].strip("_") or "other"

    @property
    def removed(self) -> set[str]:
        """Entities whose records a tool removes."""
        ones = [one for m in self.meanings for one in (m, *m.branches.values())]
        return {one.entity.name for one in ones if one.operation in ("delete", "batch_delete", "unlink")}

    def entities(self) -> list[Entity]:
        """The entities that the tools here need."""
        domain = self.server.domain
        domain.used = used_entities(domain, self.meanings)
        return [entity for entity in domain.entities.values() if entity.name in domain.used]


def join_servers(
    name: str, subdomain: str, servers: Sequence[tuple[ToolList, Sequence[str]]], seed: int = 0
) -> JoinedBuild:
    """Build one environment from some tools of several servers.

    Args:
        name: of the environment.
        subdomain: what the servers have in common.
        servers: each with the names of its tools, refactored.
        seed: seeds state and ids.
    """
    wanted = {(at, tool) for at, (_, tools) in enumerate(servers) for tool in tools}
    whole = _parts(servers, seed)
    own = {new: (at, tool) for at, part in enumerate(whole) for new, tool in part.own_names.items()}

    def assembled(names: list[str]) -> BuiltEnvironment:
        parts = whole if len(names) == len(own) else _parts(servers, seed, set(names))
        return _assemble(name, subdomain, parts, seed)

    built, failed, rest = verified_rest(list(own), assembled, SMALLEST)
    if built is not None and len(built.environment.report["joined"]) < 2:
        rest = built.environment.tool_names
        built = None
    kept = [own[tool] for tool in built.environment.tool_names] if built is not None else []
    drops = [(own[drop.tool][0], replace(drop, tool=own[drop.tool][1])) for drop in failed]
    drops += [(own[tool][0], Drop(own[tool][1], "toolset", "too few tools that go together")) for tool in rest]
    lost = wanted - set(kept) - {(at, drop.tool) for at, drop in drops}
    drops += [(at, Drop(tool, "toolset", "too few tools that go together")) for at, tool in sorted(lost)]
    return JoinedBuild(built, tuple(kept), tuple(drops))


def _parts(servers: Sequence[tuple[ToolList, Sequence[str]]], seed: int, wanted: set[str] | None = None) -> list[_Part]:
    """Read the servers; each tool gets the name that it has here, whichever of them are wanted."""
    parts = []
    taken: set[str] = set()
    for tool_list, names in servers:
        server = prepare_server(tool_list, seed, frozenset(names))
        part = _Part(server, [])
        for meaning in server.meanings:
            new = _free_name(meaning.tool.name, part.prefix, taken)
            taken.add(function_name(new))
            part.own_names[new] = meaning.tool.name
            if wanted is None or new in wanted:
                part.meanings.append(replace(meaning, tool=replace(meaning.tool, name=new)))
        parts.append(part)
    return [part for part in parts if part.meanings or wanted is None]


def _free_name(name: str, prefix: str, taken: set[str]) -> str:
    if function_name(name) not in taken:
        return name
    new, number = f"{prefix}_{name}"[:_LONGEST_NAME], 2
    while function_name(new) in taken:
        new, number = f"{prefix}_{number}_{name}"[:_LONGEST_NAME], number + 1
    return new


def _assemble(name: str, subdomain: str, parts: list[_Part], seed: int) -> BuiltEnvironment:
    _settle_tables(parts)
    sources = [write_module(part.meanings, part.server.domain, name) for part in parts]
    source = _one_module(name, sources)
    functions = load_functions(source, f"{name}/tools.py")
    meanings = [meaning for part in parts for meaning in part.meanings]
    published = [published_tools(part.server, part.meanings, part.own_names) for part in parts]
    environment = Environment(
        name=name,
        tools=tuple(one.tool for tools in published for one in tools),
        state=json.loads(json.dumps(_seeded(name, parts, seed))),
        functions={m.tool.name: functions[function_name(m.tool.name)] for m in meanings},
        report=with_coherence(_report(name, subdomain, parts, published, seed)),
    )
    return BuiltEnvironment(environment, source, tuple(verify(environment)))


# --- tables -------------------------------------------------------------------------------------------------


def _settle_tables(parts: list[_Part]) -> None:
    """Let tables of one name be one where that is sure, else keep them apart."""
    first: dict[str, tuple[Entity, _Part]] = {}
    names: set[str] = set()
    for part in parts:
        for entity in part.entities():
            known = first.get(entity.table)
            if known is not None and _is_same(known[0], entity, known[1].removed | part.removed):
                _share_fields(known[0], entity)
            elif known is not None:
                _set_apart(entity, part.prefix, first)
                known = None
            same = known is not None and known[0].name == entity.name
            part.entity_names[entity.name] = _entity_name(entity, names) if not same else entity.name
            names.add(part.entity_names[entity.name])
            first.setdefault(entity.table, (entity, part))


def _set_apart(entity: Entity, prefix: str, taken: Container[str]) -> None:
    entity.apart, number = prefix, 2
    while entity.table in taken:
        entity.apart, number = f"{prefix}_{number}", number + 1


def _entity_name(entity: Entity, names: set[str]) -> str:
    return entity.name if entity.name not in names and not entity.apart else f"{entity.apart}_{entity.name}"


def _is_same(one: Entity, two: Entity, removed: set[str]) -> bool:
    """True if two servers mean the same table: same noun and key, and no column of two types."""
    if one.name in removed or (one.name, one.key, one.key_type, one.key_kind, one.pair) != (
        two.name, two.key, two.key_type, two.key_kind, two.pair
    ):  # fmt: skip
        return False
    common = one.fields.keys() & two.fields.keys()
    agree = all(
        (one.fields[n].type, one.fields[n].reference) == (two.fields[n].type, two.fields[n].reference)
        and one.fields[n].schema.get("enum") == two.fields[n].schema.get("enum")
        for n in common
    )
    return agree and not any(f.reference for n, f in two.fields.items() if n not in common)


def _share_fields(one: Entity, two: Entity) -> None:
    """Give both the columns of the other that refer to nothing: the records have them all."""
    for here, there in ((one, two), (two, one)):
        for name, column in there.fields.items():
            if name not in here.fields and not column.reference:
                here.fields[name] = replace(column)


def _seeded(name: str, parts: list[_Part], seed: int) -> State:
    state: State = {}
    for at, part in enumerate(parts):
        names = [entity.name for entity in part.entities()]
        state = seed_state(part.server.domain, names, seed, f"{name}/{at}", state)
    return state


# --- texts --------------------------------------------------------------------------------------------------


def _with_own_helpers(body: str, before: str) -> str:
    """Rename the helpers of a module that an earlier one has under the same name."""
    for name in _HELPER.findall(body):
        number, new = 2, name
        while f"def {new}(" in before:
            new, number = f"{name}_{number}", number + 1
        body = re.sub(rf"\b{name}\(", f"{new}(", body)
    return body


def _one_module(name: str, sources: Iterable[str]) -> str:
    """Return one module with the imports and functions of several."""
    imported: list[str] = []
    modules: set[str] = set()
    bodies: list[str] = []
    for source in sources:
        modules |= set(_MODULE.findall(source))
        source = _MODULE.sub("", source)
        found = _IMPORT.search(source)
        imported += found.group(1).split(", ") if found else []
        start = found.end() if found else source.index('"""\n', 3) + 4
        bodies.append(_with_own_helpers(source[start:].strip("\n"), "\n".join(bodies)))
    used = sorted(set(imported))
    lines = sorted(modules) + ([f"from tvlab.environments.runtime import {', '.join(used)}"] if used else [])
    imports = "\n".join([*lines, "\n\n"]) if lines else "\n"
    title = re.sub(r"[^A-Za-z0-9_ -]", "", name)
    text = "\n\n\n".join(bodies)
    return f'"""Tools of the environment {title}."""\n\n{imports}{text}\n'


def _report(
    name: str, subdomain: str, parts: list[_Part], published: list[list[PublishedTexts]], seed: int
) -> dict[str, Any]:
    sources = [_source(part) for part in parts]
    licences = list(dict.fromkeys(one["license"] for one in sources))
    reports = [
        _renamed(report_of_part(part.server, part.meanings, tools), part)
        for part, tools in zip(parts, published, strict=True)
    ]
    report: dict[str, Any] = {
        "name": name,
        "server": name,
        "subdomain": subdomain,
        "source": {"license": " and ".join(licences), "licenses": licences},
        "kind": kind_of([meaning for part in parts for meaning in part.meanings]),
        "seed": seed,
        "writer": "rules",
        "joined": sources,
        "tool_servers": {tool: one["server"] for one in sources for tool in one["tools"]},
        "drops": [],
        "narrowed": [row for one in reports for row in one["narrowed"]],
        **left_texts(row for one in reports for row in one.get("narrowed_texts", ())),
    }
    for key in ("name_map", "parameter_maps", "entities", "meanings"):
        report[key] = {}
        for one in reports:
            for entry, value in one[key].items():
                if key != "entities" or entry not in report[key] or report[key][entry]["hidden"]:
                    report[key][entry] = value
    return report


def _source(part: _Part) -> dict[str, Any]:
    source = part.server.tool_list.source
    return {
        "server": part.server.tool_list.server,
        "kind": kind_of(part.meanings),
        "license": str(source.get("upstream_license") or source.get("license") or "not stated"),
        "source": source,
        "tools": {m.tool.name: part.own_names[m.tool.name] for m in part.meanings},
    }


def _renamed(report: dict[str, Any], part: _Part) -> dict[str, Any]:
    """The report of a part with the names that entities and tools have here."""
    own, entity_names = part.own_names, part.entity_names
    maps, server = part.server.refactored.parameter_maps, part.server.refactored
    tools = [meaning.tool.name for meaning in part.meanings]
    entities = {entity_names[name]: _with_names(about, entity_names) for name, about in report["entities"].items()}
    return {
        **report,
        "name_map": {tool: server.name_map[own[tool]] for tool in tools},
        "parameter_maps": {tool: maps[own[tool]] for tool in tools},
        "entities": entities,
        "meanings": {tool: _with_names(one, entity_names) for tool, one in report["meanings"].items()},
    }


def _with_names(value: Any, names: dict[str, str]) -> Any:
    """Replace entity names where a report refers to one."""
    if isinstance(value, list):
        return [_with_names(part, names) for part in value]
    if not isinstance(value, dict):
        return value
    result: dict[str, Any] = {}
    for key, part in value.items():
        if key in ("entity", "reference") and isinstance(part, str):
            result[key] = names.get(part, part)
        elif key == "parents":
            result[key] = [names.get(one, one) for one in part]
        else:
            result[key] = _with_names(part, names)
    return result
