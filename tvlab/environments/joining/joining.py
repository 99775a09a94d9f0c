"""Which small servers' tools are joined: only inside a sub-domain, and only what goes together.

The plan is made from the rows of the per-server stage alone, in the order of the servers, so it does not
depend on the number of workers.  A server's left-over tools of one sub-domain stay together.  Two servers of
which one writes what the other's tools are about never share an environment: one request would have two right
answers; nor do two that compute the same.  Servers that belong to a benchmark join none but one another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.joining.subdomains import family_of, name_words_of, subdomains_of, words_of
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.tool_lists import ToolList
from tvlab.environments.toolsets import LARGEST, SMALLEST

#: tools that a joined environment has about
_AIMED = 10
#: an environment of fewer tools looks for company in the family of its sub-domain
_FEW = 8


@dataclass(frozen=True)
class LeftOver:
    """A verified tool that found no toolset in its own server.

    Attributes:
        tool: its refactored name.
        subdomain: where it may be joined, empty if nowhere.
        entity: what it is about.
        writes: it may change the state.
        computes: what a pure tool computes.
    """

    tool: str
    subdomain: str
    entity: str
    writes: bool
    computes: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Part:
    """The tools that one server brings into a joined environment."""

    at: int
    tools: tuple[LeftOver, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names."""
        return tuple(tool.tool for tool in self.tools)

    @property
    def entities(self) -> set[str]:
        """What the tools are about."""
        return {tool.entity for tool in self.tools if tool.entity}

    @property
    def written(self) -> set[str]:
        """What the tools write."""
        return {tool.entity for tool in self.tools if tool.writes}

    @property
    def computed(self) -> set[str]:
        """What the pure tools compute."""
        return {tool.computes for tool in self.tools if tool.computes}

    def goes_with(self, others: Iterable[Part]) -> bool:
        """True if none writes what another server's tools are about, nor computes what another computes."""
        return not any(
            self.written & other.entities or other.written & self.entities or self.computed & other.computed
            for other in others
        )


@dataclass(frozen=True)
class Join:
    """One environment to be joined: its name, sub-domain and parts."""

    name: str
    subdomain: str
    parts: tuple[Part, ...]


def left_over(meanings: list[Meaning], tools: Sequence[ParsedTool]) -> tuple[LeftOver, ...]:
    """Return what can be joined of tools that are in no toolset of their server.

    What few tools a server leaves stay together, in the sub-domain that most of them are of, if they change what
    others of them may read.

    Args:
        meanings: of these tools.
        tools: all tools of the server; their names too say what it is about.
    """
    pure = frozenset(m.tool.name for m in meanings if m.operation == "compute")
    tools = [*tools, *(m.tool for m in meanings if m.tool.name in pure)]
    names, words = {t.name: name_words_of(t, t.name in pure) for t in tools}, {t.name: words_of(t) for t in tools}
    found = subdomains_of(names, words, pure)
    one = Counter(found[m.tool.name] for m in meanings if m.tool.name in found and m.tool.name not in pure)
    most = max(one, key=lambda name: (one[name], name), default="")
    if len(meanings) >= SMALLEST or not any(m.writes for m in meanings):
        most = ""
    return tuple(
        LeftOver(
            tool := m.tool.name,
            most if found.get(tool) and most and tool not in pure else found.get(tool, ""),
            _about(m), m.writes, _computes(m),
        )
        for m in meanings
    )  # fmt: skip


def _computes(meaning: Meaning) -> str:
    found = meaning.computation
    return str(found.computation.name) if found is not None else ""


def _about(meaning: Meaning) -> str:
    entity = getattr(meaning, "entity", None)
    return entity.name if entity is not None and meaning.operation != "compute" else ""


def plan_joins(
    rows: list[Mapping[str, Any]], tool_lists: list[ToolList], taken: Iterable[str] = (),
    smallest: int = SMALLEST, largest: int = LARGEST,
) -> list[Join]:  # fmt: skip
    """Return the environments to join, from the left-over tools of all servers.

    Args:
        rows: one a server, with ``left_over`` as ``LeftOver.to_json`` gives it.
        tool_lists: the servers, in the same order.
        taken: names that other environments have.
        smallest: tools that an environment has at least.
        largest: tools that it has at most.
    """
    groups: dict[tuple[str, bool], list[Part]] = defaultdict(list)
    for at, (row, tool_list) in enumerate(zip(rows, tool_lists, strict=True)):
        by_domain: dict[str, list[LeftOver]] = defaultdict(list)
        for one in row["left_over"]:
            if one["subdomain"]:
                by_domain[one["subdomain"]].append(LeftOver(**one))
        for subdomain, tools in by_domain.items():
            groups[subdomain, bool(tool_list.source.get("benchmark"))].append(Part(at, tuple(tools[:largest])))
    used, joins = set(taken), []
    for subdomain, benchmark, group in sorted(_planned(groups, smallest, largest), key=lambda one: one[:2]):
        stem = f"joined-{subdomain}" + ("-benchmark" if benchmark else "")
        name = _free_name(stem, used)
        joins.append(Join(name, subdomain, tuple(sorted(group, key=lambda part: part.at))))
    return joins


def _planned(
    groups: Mapping[tuple[str, bool], list[Part]], smallest: int, largest: int
) -> list[tuple[str, bool, list[Part]]]:
    """Return (sub-domain, of benchmarks, parts) of each environment.

    What a sub-domain leaves, and its environments of few tools, are packed again with those of its family.
    """
    planned: list[tuple[str, bool, list[Part]]] = []
    few: dict[tuple[str, bool], list[tuple[str, list[Part]]]] = defaultdict(list)
    rest: dict[tuple[str, bool], list[Part]] = defaultdict(list)
    for (subdomain, benchmark), parts in sorted(groups.items()):
        family = family_of(subdomain), benchmark
        packed = _packed(parts, smallest, largest)
        small = [group for group in packed if family[0] and _size(group) < _FEW]
        planned += [(subdomain, benchmark, group) for group in packed if group not in small]
        if family[0]:
            few[family] += [(subdomain, group) for group in small]
            placed = [part for group in packed if group not in small for part in group]
            rest[family] += [part for part in parts if part not in placed]
    for family, parts in sorted(rest.items()):
        wide = _packed(_of_one_server(parts, largest), smallest, largest)
        at = {(part.at, name) for group in wide for part in group for name in part.names}
        if all((part.at, name) in at for _, group in few[family] for part in group for name in part.names):
            planned += [(_common(group, family[0]), family[1], group) for group in wide]
        else:
            planned += [(subdomain, family[1], group) for subdomain, group in few[family]]
    return planned


def _of_one_server(parts: list[Part], largest: int) -> list[Part]:
    """Make one part of a server's parts."""
    tools: dict[int, list[LeftOver]] = defaultdict(list)
    for part in parts:
        tools[part.at] += part.tools
    return [Part(at, tuple(mine[:largest])) for at, mine in sorted(tools.items())]


def _common(group: Iterable[Part], family: str) -> str:
    """The sub-domain that all the tools are of, else their family."""
    found = {tool.subdomain for part in group for tool in part.tools}
    return found.pop() if len(found) == 1 else family


def _free_name(stem: str, used: set[str]) -> str:
    number = 1
    while f"{stem}-{number}" in used:
        number += 1
    used.add(f"{stem}-{number}")
    return f"{stem}-{number}"


def _size(group: Iterable[Part]) -> int:
    return sum(len(part.tools) for part in group)


def _packed(parts: list[Part], smallest: int, largest: int) -> list[list[Part]]:
    """Pack the parts of one sub-domain into environments of about equal size, alike tools apart."""
    total = _size(parts)
    groups: list[list[Part]] = [[] for _ in range(max(1, round(total / _AIMED)))]
    for part in sorted(parts, key=lambda part: (-len(part.tools), part.at)):
        _place(part, groups, largest)
    full = [group for group in groups if _is_whole(group, smallest)]
    rest = [part for group in groups if group not in full for part in group]
    for part in sorted(rest, key=lambda part: (-len(part.tools), part.at)):
        _place(part, full, largest)
    return full


def _is_whole(group: list[Part], smallest: int) -> bool:
    return len(group) > 1 and _size(group) >= smallest


def _place(part: Part, groups: list[list[Part]], largest: int) -> None:
    """Put a part into the group that has room and the fewest tools of the same names; nowhere if none fits."""
    fits = [
        (_alike(part, group), _size(group), at)
        for at, group in enumerate(groups)
        if _size(group) + len(part.tools) <= largest and part.goes_with(group)
    ]
    if fits:
        groups[min(fits)[2]].append(part)


def _alike(part: Part, group: Iterable[Part]) -> int:
    names = {name.lower().replace("-", "_") for other in group for name in other.names}
    return sum(name.lower().replace("-", "_") in names for name in part.names)
