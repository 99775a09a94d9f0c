"""Columns that are arguments of calls alone: flags of a search, the list of a batch, the place of an edit.

The dictionary takes a column from each input that may be one.  Once it is decided what each tool does, it is known
which of them no kept tool stores or compares.  Such a column stays where it says something of the thing: a state that
a left-out list compares, a text that a left-out create takes.  It leaves where it says how a call runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tvlab.environments.domain import field_types, kept_fields, named_parts
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.nouns import flat
from tvlab.environments.domain.record_schemas import batch_parameter
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, parse_parameters
from tvlab.environments.domain.twin_columns import is_itself, is_twin
from tvlab.environments.drops import Drop
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings import steering
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.seeding.said import kept_columns, listed_columns
from tvlab.foundation.words import singular

Taken = tuple[ParsedTool, Parameter]

_MAKING = frozenset("create send upsert update transition manage".split())
#: why a kept tool does not take what is a field of the record all the same
_CONTENT = frozenset(
    (
        "read-only, set by the server alone",
        "adds, changes and removes parts",
        "a value of it means all",
        "what is made bears no kind",
        "types of one column differ",
    )
)
#: a filter under such a word is a state or a kind of the thing
_STATES = frozenset("status state type kind category priority severity stage role".split())
_ASKS = frozenset("search filter count query match context chunk case".split())
_SIZES = frozenset("size depth length limit count threshold index offset".split())
_ASKED = re.compile(
    r"\b[Tt]o (?:search|count|match|perform|query)\b(?! for)|\b[Cc]ontains?\b|\b[Dd]ate (?:filter|range)\b"
    r"|\b[Bb]y presence\b|\bID\b|^Which (?:\w+ )+to\b"
)
_PLACED = re.compile(
    r"\b(?:ind(?:ex|ices)|rows?|lines?|numbers?|name|message|positions?|revision)\b[^.]{0,40}\b(?:to|for) (?:be )?"
    r"(?:updat|edit|replac|remov|insert|delet|mov|optimistic|chang)|\boptimistic (?:locking|concurrency)"
    r"|\bin place\b|\binstead of sending\b|\bwhich occurrence\b|\bminor edit\b|\bhow to (?:appl|updat|interpret)"
    r"|\boverride \w+ validation|\b(?:only )?has an effect\b|^(?:the )?expected\b|\bhint\b|\bapply to (?:every|all)\b"
    r"|\bto (?:every|all) (?:its|the|of)\b|\bcomma-separated\b[^.]*\b(?:keys|paths)\b|\bE?Tag value\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Use:
    """How the kept tools of a server use the columns of one entity."""

    domain: Domain
    entity: Entity
    kept: frozenset[str]
    reasons: dict[tuple[str, str], str]
    used: frozenset[str]
    stored: frozenset[str]
    promised: frozenset[str]
    others: frozenset[str]
    settings: frozenset[str]
    parts: frozenset[str]

    def taken(self, column: Field) -> list[Taken]:
        """Return the tools that take a column, each with its parameter."""
        tools = [tool for tool in self.domain.tools if tool.name in column.tools]
        return [(tool, p) for tool in tools if (p := _parameter(tool, self.entity, column)) is not None]


def argument_columns(domain: Domain, decisions: Iterable[Meaning | Drop]) -> Iterator[tuple[Entity, Field]]:
    """Yield the columns that only say how a call runs or say again what another one says, each with its entity.

    Args:
        domain: the dictionary.
        decisions: what each tool means, or why it is left out.
    """
    meanings = [one for d in decisions if isinstance(d, Meaning) for one in (d, *d.branches.values())]
    reasons = {(m.tool.name, path.split(".")[-1]): reason for m in meanings for path, reason in m.narrowed}
    kept = frozenset(meaning.tool.name for meaning in meanings)
    parts = frozenset(
        d.tool if isinstance(d.tool, str) else d.tool.name
        for d in decisions if isinstance(d, Drop) and d.reason == "a part of the thing"
    )  # fmt: skip
    for entity in {id(m.entity): m.entity for m in meanings if not m.entity.told}.values():
        own = [m for m in meanings if entity in (m.entity, m.value)]
        stored = frozenset(role.field for meaning in own for role in meaning.roles if role.field)
        promised = frozenset(kept_columns(domain, entity) | listed_columns(domain, entity))
        others = frozenset(_of_another_sort(domain, entity, kept))
        use = _Use(
            domain,
            entity,
            kept,
            reasons,
            frozenset(used_columns(own, entity)),
            stored,
            promised,
            others,
            frozenset(_settings(domain, entity, kept)),
            parts,
        )
        for column in entity.fields.values():
            if _leaves(column, use):
                yield entity, column


def _of_another_sort(domain: Domain, entity: Entity, kept: frozenset[str]) -> Iterator[str]:
    """The left-out tools that make the thing at another place than kept ones do, or many of it at once."""
    mine = [tool for tool in domain.tools_on(entity) if tool.kind in ("create", "send")]
    places = {tool.name: _places(domain, entity, tool) for tool in mine}
    known = {place for tool in mine if tool.name in kept for place in places[tool.name]}
    if any(tool.name in kept for tool in mine):
        yield from (tool.name for tool in mine if tool.name not in kept and places[tool.name] - known)


def _settings(domain: Domain, entity: Entity, kept: frozenset[str]) -> set[str]:
    """The columns that only left-out tools read or set as a setting of the thing."""
    found = [(name, setting.column) for name, setting in domain.settings.items() if setting.parent is entity]
    return {column for _, column in found} - {column for name, column in found if name in kept}


def _places(domain: Domain, entity: Entity, tool: ParsedTool) -> set[str]:
    found = [domain.reference(p, entity) for p in flat(tool.parameters) if p.required and not p.many]
    return {target.name for target in found if target is not None and target is not entity}


def used_columns(meanings: Iterable[Meaning], entity: Entity) -> set[str]:
    """Return the columns that tools store, compare or answer, with those by which a record is known or placed."""
    names = {entity.label, *entity.pair, *entity.parents, *entity.scope}
    for meaning in meanings:
        names |= {meaning.column, meaning.newest, *meaning.open_fields}
        for role in meaning.roles:
            names |= {role.field or "", *role.also}
    return names


def _leaves(column: Field, use: _Use) -> bool:
    entity, taken = use.entity, use.taken(column)
    if not use.domain.guessed_texts and column.name in kept_fields.main_content(entity):
        return False  # what it is read for, whether or not a tool that is here writes it
    if column.tools and column.tools <= use.others and column.name not in use.stored:
        return True
    if column.reference:
        return column.name not in use.used and _is_idle_reference(column, taken, use)
    if taken and all(tool.name in use.parts for tool, _ in taken) and column.name not in use.stored:
        return True
    if column.name == entity.label and column.name not in use.stored:
        itself = is_itself(column, entity) or _is_batch(column, entity, taken, use.domain) or _is_action(taken)
        return itself and bool(taken) and not any(tool.name in use.kept for tool, _ in taken)
    words = field_types.singular_words(field_types.name_words(column.name))
    if not column.in_input and column.type == "integer" and words in (entity.noun, entity.noun[-1:]):
        return column.name not in use.used  # a list of the things that an answer gives, read as their number
    if column.in_output or column.name in use.used:
        return False
    if is_twin(column, entity, use.used) or (is_itself(column, entity) and not column.in_input):
        return True
    if column.name in use.settings and column.name not in use.promised:
        return True
    if not column.in_input or not taken:
        return False
    mine = {use.reasons.get((tool.name, p.name), "") for tool, p in taken if _stores(tool, column, use.kept)}
    if mine:
        return not mine & _CONTENT or (not column.written and _asks(column, taken))
    if _is_wrapper(column, entity) or all(_of_part(tool, entity, column) for tool, _ in taken):
        return True
    if column.name in use.promised:
        return False
    if column.written:
        batch = all(_takes_many(tool, use) for tool, _ in taken) or _is_batch(column, entity, taken, use.domain)
        return batch or all(_steered(tool, p) for tool, p in taken)
    return _asks(column, taken) or all(not use.domain.nouns.own[t.name] and t.kind == "read" for t, _ in taken)


def _stores(tool: ParsedTool, column: Field, kept: frozenset[str]) -> bool:
    """True for a kept tool that could store, or compare, a column that others write, or compare."""
    return tool.name in kept and (tool.kind in _MAKING) == column.written


def _parameter(tool: ParsedTool, entity: Entity, column: Field) -> Parameter | None:
    """Return the parameter of a tool that a column was taken from."""
    words = field_types.name_words(column.name)
    batch = batch_parameter(tool, entity)
    inside = flat(parse_parameters(batch.item_schema, (), entity.noun)) if batch else []
    for p in [*flat(tool.parameters), *inside]:
        if p.words and words in (p.words, named_parts.bare_words(p), named_parts.stored_words(tool, entity, p)):
            return p
    return None


def _is_idle_reference(column: Field, taken: list[Taken], use: _Use) -> bool:
    """True for a reference that no kept tool takes and that only an edit tells, or the thing named as well."""
    if not taken or column.in_output or any(tool.name in use.kept for tool, _ in taken):
        return False
    if all(tool.kind == "manage" or (tool.kind == "update" and tool.verb not in _WHOLE) for tool, _ in taken):
        return True
    target = use.domain.entities[column.reference or ""]
    back = any(f.reference == use.entity.name for f in target.fields.values())
    return not column.written and back and target is not use.entity


#: verbs of tools that take what a record holds, and no way of editing it
_WHOLE = frozenset("update edit modify patch replace put save move assign set".split())


def _asks(column: Field, taken: list[Taken]) -> bool:
    """True for an input of lists that asks and compares no field: a flag, a range, the length of a context."""
    words = field_types.name_words(column.name)
    said = [steering.said_of(p, tool) for tool, p in taken]
    if words[0] in _ASKS or column.type in ("boolean", "object", "array", "any"):
        return True
    if column.type in ("integer", "number") and set(words) & _SIZES:
        return True
    if any(steering.steers_read(p, text) for (_, p), text in zip(taken, said, strict=True)):
        return True
    return words[-1] not in _STATES and any(_ASKED.search(text) for text in said)


def _takes_many(tool: ParsedTool, use: _Use) -> bool:
    """True for a tool that takes a list of the things: what stands beside the list is of the call."""
    lists = [f for f in use.entity.fields.values() if tool.name in f.tools and f.type in ("array", "string")]
    return tool.plural and any(_is_batch(f, use.entity, use.taken(f), use.domain) for f in lists)


def _is_action(taken: list[Taken]) -> bool:
    """True for the choice of what a tool of several actions does."""
    return all(tool.kind == "manage" and p.snake in words_of.ACTION_NAMES for tool, p in taken)


def _steered(tool: ParsedTool, p: Parameter) -> bool:
    """True for an input of a left-out write that says how, where or in which order it writes."""
    said = steering.said_of(p, tool)
    flag = p.type == "boolean" and (p.words[0] in ("all", "sync") or p.words == (tool.verb,))
    edits = p.words[0] == "old" or p.words == ("if", "match") or _is_action([(tool, p)])
    told = tool.kind == "transition" or _PLACED.search(said) or (not p.required and steering.steers_write(p, said))
    return bool(flag or edits or told)


def _of_part(tool: ParsedTool, entity: Entity, column: Field) -> bool:
    """True for a value of a part that an update changes: ``text_bold`` of ``modify_document_text``."""
    part = named_parts.part_of(tool, entity)
    return tool.kind == "update" and bool(part) and field_types.name_words(column.name) != part


def _is_batch(column: Field, entity: Entity, taken: list[Taken], domain: Domain) -> bool:
    """True for several things in one column of one: ``documents`` of a document, ``emojis`` beside ``emoji``."""
    words = field_types.name_words(column.name)
    items = parse_parameters(column.schema.get("items") or {}) if column.type == "array" else ()
    if any(p.is_id and p.id_noun and domain.reference(p, entity) is entity for p in items):
        return True
    one = field_types.singular_words(words)
    if one == words and words[-1].endswith("is"):  # emojis, which is no basis
        one = (*words[:-1], words[-1][:-1])
    if one == words or column.type not in ("array", "string", "any"):
        return False
    single = entity.field_of(one) is not None or field_types.name_words(entity.key) == one
    single = single or one in (("name",), ("title",))
    keys = one[:-1] == entity.noun[-1:] and one[-1] in words_of.NATURAL_KEYS
    several = single and all(tool.batch or tool.plural for tool, _ in taken)
    return keys or several or one in (entity.noun, entity.noun[-1:])


def _is_wrapper(column: Field, entity: Entity) -> bool:
    """True for an object that is the thing, or the body of a request: ``router_update``, ``create_request``."""
    words = tuple(singular(word) for word in field_types.name_words(column.name))
    asked = words in (("request", "body"), ("body",)) and not column.schema.get("properties")
    named = asked or (len(words) > 1 and words[-1] in ("request", "update"))
    return is_itself(column, entity) or (column.type == "object" and named)
