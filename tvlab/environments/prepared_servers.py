"""A server made ready for assembling: refactored tools, domain dictionary, and a meaning with code a tool.

Everything here is decided over all tools of the server together, so that a part of them (a toolset, the
left-over tools that join those of other servers) is always read in the light of the whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tvlab.environments.computations.computations import recognise
from tvlab.environments.domain import links, scope_columns
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.settings import find_settings
from tvlab.environments.domain.told_objects import with_told_parts
from tvlab.environments.domain.tool_parsing import ParsedTool, parse_tools
from tvlab.environments.doubts.doubts import settled
from tvlab.environments.drops import Drop
from tvlab.environments.environment import function_name, load_functions
from tvlab.environments.facts import fact_tables, facts, told_tables
from tvlab.environments.llm.build import ModelPart
from tvlab.environments.meanings import credentials, example_values, read_contents, stated_columns, transitions
from tvlab.environments.meanings.deciding import decide
from tvlab.environments.meanings.edit_columns import drop_edit_columns
from tvlab.environments.meanings.filled_promises import fill_promises
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.meanings.single_records import find_single_records
from tvlab.environments.schemas.schemas import Refactored, refactor_tools
from tvlab.environments.seeding import key_forms
from tvlab.environments.texts.published_texts import Surroundings, unmodelled, with_true_texts
from tvlab.environments.texts.publishing import published_tool
from tvlab.environments.texts.untrue_sentences import CONTRACT
from tvlab.environments.tool_lists import OWN, ToolList
from tvlab.environments.writing import member_changes
from tvlab.environments.writing.inner_lists import find_inner_lists
from tvlab.environments.writing.writing import write_tool
from tvlab.foundation.errors import UserError

#: sentences about what a call does or gives that may leave a tool's texts
MOST_LEFT = 2


@dataclass
class PreparedServer:
    """Working data of one server.

    Attributes:
        tool_list: the server as given.
        seed: of the build.
        refactored: its tools, refactored.
        domain: the dictionary over all of them.
        meanings: of the tools whose code can be written.
        drops: the tools left out so far.
        model: what a model has written for it.
        readings: what its tools mean without a sentence of theirs (``published_texts.py``).
    """

    tool_list: ToolList
    seed: int
    refactored: Refactored
    domain: Domain
    meanings: list[Meaning] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    model: ModelPart = field(default_factory=ModelPart)
    readings: dict[tuple[str, str], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tools: dict[str, dict[str, Any]] = {tool["name"]: tool for tool in self.refactored.tools}

    def surroundings(self, meanings: Iterable[Meaning]) -> Surroundings:
        """Return what is beside a tool in an environment of these."""
        about = (self.tool_list.server, self.tool_list.title)
        return Surroundings(self.domain, about, self.refactored.name_map, tuple(meanings), self.readings)

    def drop(self, meanings: list[Meaning], stage: str, reason: str) -> None:
        """Leave tools out."""
        self.drops += [Drop(meaning.tool.name, stage, reason) for meaning in meanings]


def prepare_server(
    tool_list: ToolList, seed: int = 0, only: Collection[str] | None = None, model: ModelPart | None = None
) -> PreparedServer:
    """Refactor, read and write the tools of one server.

    Args:
        tool_list: the server.
        seed: seeds state and ids.
        only: names of the tools whose code is wanted; the others count in the dictionary alone.
        model: writes some of the tools later; None: the rules alone.
    """
    refactored = refactor_tools(tool_list.tools)
    own = (tool_list.source or {}).get("origin") == OWN
    if not own:
        refactored = replace(refactored, tools=[with_told_parts(tool) for tool in refactored.tools])
    published = parse_tools(refactored.tools)
    parsed = credentials.without(published)
    domain = prepared_domain(parsed)
    # every column of the package's own descriptions is meant, so that their records are whole
    domain.guessed_texts = own
    if not domain.guessed_texts:
        key_forms.prepare(domain)
    server = PreparedServer(tool_list, seed, refactored, domain, drops=list(refactored.drops))
    server.model = model or server.model
    decisions = credentials.restored(decided(server.model.for_rules(parsed), domain), published, domain)
    drop_edit_columns(domain, decisions)
    chosen = [d for d in decisions if only is None or (d.tool if isinstance(d, Drop) else d.tool.name) in only]
    server.meanings = _told_truly(server, _with_code(server, chosen))
    return server


def _told_truly(server: PreparedServer, meanings: list[Meaning]) -> list[Meaning]:
    """Leave out the tools of whose texts too much would have to go for the rest to be true (``true_texts.py``).

    A sentence or two less is a narrower tool.  Where more had to go, readers judged nearly three of four tools to
    be another tool than the one described.
    """
    kept, beside = [], server.surroundings(meanings)
    for meaning in meanings:
        texts = with_true_texts(published_tool(server.tools[meaning.tool.name], meaning), meaning, beside)
        if unmodelled(texts) > MOST_LEFT:
            row = next(row for row in texts.left if row["reason"] in CONTRACT)
            server.drops.append(Drop(meaning.tool.name, "meaning", "most of its text is not modelled", row["sentence"]))
        else:
            kept.append(meaning)
    return kept


def decided(tools: list[ParsedTool], domain: Domain) -> list[Meaning | Drop]:
    """Return what each tool means, or why it is left out; each meaning is looked at once more (``doubts.py``)."""
    decisions = settled([decide(tool, domain) for tool in tools], domain)
    found = settled(fact_tables.recovered(decisions, tools, domain), domain)
    done = told_tables.groomed(settled(told_tables.groomed(found, domain), domain), domain)
    stated_columns.settle([one for one in done if isinstance(one, Meaning)])
    return done


def prepared_domain(tools: list[ParsedTool]) -> Domain:
    """Return the domain dictionary with settings, facts and states; pure computations are about nothing in it."""
    domain = Domain([tool for tool in tools if recognise(tool) is None])
    domain.settings = find_settings(domain)
    domain.inner_lists = find_inner_lists(domain)
    domain.single_records = find_single_records(domain)
    facts.prepare(domain)
    read_contents.fill(domain)
    fill_promises(domain)
    links.prepare(domain)
    member_changes.prepare(domain)
    scope_columns.prepare(domain)
    transitions.prepare(domain)
    example_values.prepare(domain)
    return domain


def _with_code(server: PreparedServer, decisions: list[Meaning | Drop]) -> list[Meaning]:
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


def _code_problem(server: PreparedServer, meaning: Meaning, names: set[str]) -> str:
    name = function_name(meaning.tool.name)
    if name in names or not name.isidentifier() or name.startswith("_remove"):
        return f"function name {name} is taken or illegal"
    try:
        source = write_tool(meaning, server.domain)
        load_functions(f"from tvlab.environments.runtime import find\n\n\n{source}", meaning.tool.name)
    except (UserError, ValueError, TypeError) as error:
        return str(error)[:200]
    return ""
