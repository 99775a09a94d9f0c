"""Edges that the schemas of a server propose, whether or not an environment can express them.

An environment keeps the tools and parameters that it can honour, and its graph the edges that held when run.
Here the whole server is read as it was sent (refactored, nothing narrowed): every tool, every parameter at any
depth, the descriptions and declared outputs.  A proposal says that one tool's answer holds the key that another
tool's parameter asks for.  Nothing is run, and no item is drawn from proposals: ``executability.py`` says of each
whether an environment ran it, and if not, why it could not.

A key comes from a list, search, read or create of its thing; from a declared output that holds it; from a reader
whose description says that the thing is inside ("with its open tasks"); from a record that names it; from a
tool that a text names.  It does not come from a tool that must be given that key, nor from a deletion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import ParsedTool, parse_tools
from tvlab.environments.prepared_servers import prepared_domain
from tvlab.environments.schemas.schemas import refactor_tools
from tvlab.environments.tool_lists import ToolList
from tvlab.tasks.paths import EACH
from tvlab.tasks.schema_keys import MAKING, READING, Key, SchemaKeys, without_places
from tvlab.tasks.schema_leaves import schema_leaves

_ARGUMENTS = re.compile(r"^\s*(?:args|arguments|parameters|returns|examples?)\b.*", re.I | re.M | re.S)
_TELLS = re.compile(r"\s*(?:returns?|shows?|includes?|including|each|with|contains?)\b", re.IGNORECASE)


@dataclass(frozen=True)
class SchemaEdge:
    """One proposal, under the names that the server gave.

    Attributes:
        producer, consumer: tools.
        parameter: path of the consumer's parameter, ``lineItems[].accountCode``.
        key: what goes over.
        found: fields (the producer is about that thing), output (its declared output holds the key), content (its
            description says that the thing is inside), record (its records name it) or text (a text names the tool).
    """

    producer: str
    consumer: str
    parameter: str
    key: Key
    found: str


def propose_from_schemas(tool_list: ToolList) -> list[SchemaEdge]:
    """Return the proposals of a server, consumers in the order of its tools.

    >>> from tvlab.environments.tool_lists import embedded_tool_lists
    >>> orders = next(one for one in embedded_tool_lists() if one.server == "orders_and_inventory")
    >>> edges = propose_from_schemas(orders)
    >>> {edge.producer for edge in edges if (edge.consumer, edge.parameter) == ("approve_return", "return_id")}
    {'create_return'}
    """
    refactored = refactor_tools(tool_list.tools)
    answers = _Answers(parse_tools(refactored.tools))
    shown: dict[Key, dict[str, str]] = {}
    for tool in answers.tools:
        for key, found in answers.shown(tool).items():
            shown.setdefault(key, {})[tool.name] = found
    edges = []
    for tool in answers.tools:
        given_names = refactored.parameter_maps.get(tool.name, {})
        for leaf, keys in answers.keys.asked[tool.name]:
            suppliers: dict[str, tuple[Key, str]] = {}
            for key in keys:
                for producer, found in shown.get(key, {}).items():
                    suppliers.setdefault(producer, (key, found))
            suppliers.pop(tool.name, None)
            for producer, (key, found) in suppliers.items():
                before, after = (refactored.name_map.get(name, name) for name in (producer, tool.name))
                edges.append(SchemaEdge(before, after, original_path(leaf.path, given_names), key, found))
    return edges


def original_path(path: str, names: dict[str, str]) -> str:
    """Return a path whose first part has the name that the server gave.

    >>> original_path("line_items[].sku", {"line_items": "line-items"})
    'line-items[].sku'
    """
    top, dot, rest = path.partition(".")
    bare = top.removesuffix(EACH)
    return names.get(bare, bare) + top[len(bare) :] + dot + rest


class _Answers:
    """What the answers of a server's tools show."""

    def __init__(self, tools: list[ParsedTool]) -> None:
        self.tools = tools
        self.domain = prepared_domain(tools)
        self.keys = SchemaKeys(tools, self.domain)
        self._carried = self._carried_keys()
        self._scopes = self._scope_keys()

    def shown(self, tool: ParsedTool) -> dict[Key, str]:
        """Return the keys in an answer that the caller did not have to give, each with how that is known."""
        own, given = self.domain.own.get(tool.name), self.keys.given(tool)
        found = {key: "text" for key, tools in self.keys.told.items() if tool.name in tools}
        if own is not None:
            mine, given = self._own(tool, own, given)
            found.update(dict.fromkeys(mine, "fields"))
        others = [("output", self._declared(tool, own))]
        if tool.kind in READING:
            others.append(("content", self._inside(tool, own)))
        if own is not None:
            others.append(("record", self._named(tool, own)))
        for how, keys in others:
            for key in keys:
                found.setdefault(key, how)
        return {key: how for key, how in found.items() if key not in given}

    def _own(self, tool: ParsedTool, own: Entity, given: set[Key]) -> tuple[list[Key], set[Key]]:
        """Return the keys of what a tool is about, and what it was given that is not the same thing."""
        shown, key = [], Key("id", own.name)
        if own.noun[-1] == "child" and tool.kind in READING | {"update"}:  # the children of a block are blocks
            shown.append(Key("id", "_".join(own.noun[:-1])))
            given = given - set(shown)
        if own in self.keys.people and tool.kind in READING | MAKING | {"update"}:
            shown.append(Key("email", own.name))
        if tool.kind in READING | MAKING:
            if tool.kind in MAKING and tool.parameter(own.key) is None:  # a page is made under another page
                given = given - {key}
            shown += [Key("code", own.name)] + ([key] if key not in given else [])
        return shown, given

    def _declared(self, tool: ParsedTool, own: Entity | None) -> Iterator[Key]:
        for leaf in schema_leaves(tool.output) if tool.kind not in ("delete", "unlink") else ():
            entity = self.domain.reference(leaf.parameter, own) if leaf.parameter.is_id else None
            if entity is not None:
                yield Key("id", self.keys.person(entity).name)

    def _inside(self, tool: ParsedTool, own: Entity | None) -> Iterator[Key]:
        """Yield the things that the description of a reader, or the choices it offers, say its answer holds."""
        sentences = re.split(r"(?<=[.!?])\s+|\n+", _ARGUMENTS.sub("", tool.description).strip())
        told = [sentences[0], *(text for text in sentences[1:] if _TELLS.match(text))]
        options = [leaf.parameter for leaf in self.keys.leaves[tool.name] if leaf.parameter.enum]
        texts = [without_places(" . ".join(told)), *(p.description for p in options)]
        if tool.kind in ("list", "search"):
            texts += [str(value).replace("_", " ") for p in options for value in p.enum]
        for name in self.keys.mentioned(" . ".join(texts)):
            if own is None or name != own.name:
                yield Key("id", name)

    def _named(self, tool: ParsedTool, own: Entity) -> Iterator[Key]:
        """Yield what the tool's records name; an update answers with the ids alone."""
        if tool.kind in READING | {"update", "transition"}:
            for key in sorted(self._carried[own.name] - self._scopes.get(own.name, set()), key=str):
                if key.kind == "id" or tool.kind in READING:
                    yield key

    def _carried_keys(self) -> dict[str, set[Key]]:
        """Return what the records of each entity name: its reference fields, and codes that its makers are given."""
        found = {}
        for name, entity in self.domain.entities.items():
            named = (self.domain.entities[f.reference] for f in entity.fields.values() if f.reference)
            found[name] = {Key("id", self.keys.person(other).name) for other in named}
        for tool in self.tools:
            own = self.domain.own.get(tool.name)
            if own is None or tool.kind not in MAKING:
                continue
            for leaf, keys in self.keys.asked[tool.name]:
                if EACH not in leaf.path and not self.keys.is_shared(leaf.parameter.name):
                    found[own.name] |= {key for key in keys if key.kind in ("code", "told")}
        return found

    def _scope_keys(self) -> dict[str, set[Key]]:
        """Return what whoever gets an entity's key had to give before, where no tool makes the entity."""
        found: dict[str, set[Key]] = {}
        for tool in self.tools:
            own = self.domain.own.get(tool.name)
            given = self.keys.given(tool)
            if own is None or Key("id", own.name) in given or tool.kind not in READING | MAKING:
                continue
            given = given if tool.kind in READING else set()
            found[own.name] = found.get(own.name, given) & given
        return found
