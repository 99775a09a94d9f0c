"""The published texts of an environment's tools: what of the real descriptions is true there (``true_texts.py``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.field_types import is_moment
from tvlab.environments.domain.nouns import flat
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.drops import Drop
from tvlab.environments.language import descriptions, lost_keys, stated_paging
from tvlab.environments.language.gone_phrases import Given, words_of
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings import stated_conditions, stated_needs
from tvlab.environments.meanings.cleared_values import only_value
from tvlab.environments.meanings.deciding import decide
from tvlab.environments.meanings.meanings import REQUIRED_NOW, TAKES_ONE, Meaning
from tvlab.environments.meanings.stated_values import needed_names, not_past, stated_keywords, text_of
from tvlab.environments.texts.publishing import CHANGES
from tvlab.environments.texts.true_texts import TrueText, kept_rules, true_text
from tvlab.environments.texts.untrue_sentences import CONTRACT, Known, known_names, plain
from tvlab.environments.writing import stated_guards

JsonObject = dict[str, Any]
_SEVERAL = re.compile(r"\bone or (?:more|several) (?P<what>[a-z]+?)s\b", re.IGNORECASE)
#: parameters and what a wrapper holds are so deep at most
_DEEP = 1


@dataclass
class PublishedTexts:
    """A tool with true texts, and what left them: rows of tool, parameter ("" for the tool's own), sentence, reason."""

    tool: JsonObject
    left: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Surroundings:
    """What is beside a tool: the dictionary, the server's texts, the names of all its tools, and those kept.

    Attributes:
        domain: the server's dictionary; ``used`` are the entities of the environment.
        about: name and title of the server.
        name_map: new name -> the server's own, of all its tools.
        meanings: of the tools that are in the environment.
        readings: what tools mean without a sentence of theirs, and without any ("") as they are; kept with the server.
    """

    domain: Domain
    about: tuple[str, ...]
    name_map: dict[str, str]
    meanings: tuple[Meaning, ...]
    readings: dict[tuple[str, str], Any] = field(default_factory=dict)

    @cached_property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools in the environment, here and on the server."""
        own = [meaning.tool.name for meaning in self.meanings]
        return (*(self.name_map.get(name, name) for name in own), *own)

    @cached_property
    def named(self) -> tuple[frozenset[str], frozenset[str]]:
        """Stems of the words, and the plain names, of all that is in the environment whichever tool is read."""
        named: list[Any] = [*self.tools, *self.about]
        for entity in self.domain.entities.values():
            if entity.name in self.domain.used:
                named += [entity.name, entity.table, entity.key, *entity.fields]
                named += [value for column in entity.fields.values() for value in column.schema.get("enum", ())]
        return known_names(named)

    @cached_property
    def absent(self) -> frozenset[str]:
        """Plain names of tools that are not in the environment."""
        others = {plain(name) for pair in self.name_map.items() for name in pair}
        return frozenset(name for name in others if "_" in name) - {plain(name) for name in self.tools} - self.named[1]


def with_true_texts(tool: JsonObject, meaning: Meaning, beside: Surroundings) -> PublishedTexts:
    """Return a tool whose description and parameters' descriptions say only what the environment does.

    Args:
        tool: as published otherwise, with the narrowed input schema.
        meaning: of the tool.
        beside: what is beside it.
    """
    result = PublishedTexts(dict(tool))
    if meaning.operation == "compute":
        return result
    known = _known(tool, meaning, beside)

    def honoured(sentence: str) -> bool:
        return _shapes(sentence, meaning, beside)

    def kept(text: str, parameter: str, default: bool | None = None, deep: bool = False) -> str:
        own = parameter.rpartition(".")[2].removesuffix("[]")
        about = replace(known, default=default, own=own)
        told: TrueText = kept_rules(text, about) if deep else true_text(text, about, honoured)
        name = str(tool["name"])
        result.left += [
            {"tool": name, "parameter": parameter, "sentence": sentence, "reason": reason}
            for sentence, reason in told.left
        ]
        return told.text

    if isinstance(tool.get("description"), str):
        told = tool["description"]
        if not beside.domain.guessed_texts and meaning.of("key"):
            told = lost_keys.without_lost_ways(told, known.refused)
        if any(reason == TAKES_ONE for _, reason in meaning.narrowed):
            told = _SEVERAL.sub(r"one \g<what>", told)
        result.tool["description"] = kept(told, "")
    result.tool["inputSchema"] = _described(tool["inputSchema"], kept)
    return result


def _described(schema: Any, kept: Any, path: str = "") -> Any:
    """Return a schema with the true part of the descriptions of parameters and of what a wrapper holds.

    What lies deeper is stored as it is given: of its texts the rules alone leave that nothing keeps.
    """
    if not isinstance(schema, dict):
        return schema
    result = dict(schema)
    if path and isinstance(schema.get("description"), str):
        deep = path.count(".") > _DEEP
        result["description"] = kept(schema["description"], path, "default" in schema, deep)
        if schema["description"] and not result["description"]:
            del result["description"]
    if isinstance(schema.get("properties"), dict):
        result["properties"] = {
            name: _described(part, kept, f"{path}.{name}" if path else name)
            for name, part in schema["properties"].items()
        }
    if isinstance(schema.get("items"), dict):
        result["items"] = _described(schema["items"], kept, f"{path}[]")
    return result


def unmodelled(texts: PublishedTexts) -> int:
    """Return how many sentences left that say what the call does or gives, beside what it says of other things."""
    return sum(row["reason"] in CONTRACT for row in texts.left)


def _known(tool: JsonObject, meaning: Meaning, beside: Surroundings) -> Known:
    domain, schema = beside.domain, tool["inputSchema"]
    stated = [value for _, part in _parts_of(schema) for value in _stated_in(part)]
    given = [name for name, _ in _parts_of(schema) if name]
    values = [one.value for one in (meaning, *meaning.branches.values()) if isinstance(one.value, str)]
    own_words, own_names = known_names([*given, *stated, *values])
    words, names = beside.named
    gone = frozenset(plain(path.split(".")[-1]) for path, reason in meaning.narrowed if reason != REQUIRED_NOW)
    columns = (meaning.entity.key, *meaning.entity.fields)
    return Known(
        words=words | own_words,
        names=names | own_names,
        gone=gone - {plain(str(name)) for name in (*given, *stated, *columns)},
        refused=gone - {plain(name) for name in given},
        absent=beside.absent - own_names,
        columns=columns,
        key="" if domain.guessed_texts else meaning.entity.key,
        parameters=known_names(given)[0],
        noun=meaning.tool.noun,
        changes=meaning.operation in CHANGES and only_value(meaning) is None,
        others=_others_named(meaning, domain) if meaning.operation in ("create", "send") else frozenset(),
        given=None if domain.guessed_texts else _given(tool, meaning),
        needs=frozenset(map(plain, _needed(schema, meaning))),
        stamped=any(is_moment(f.name, f.schema) for f in meaning.entity.fields.values()),
    )


def _needed(schema: JsonObject, meaning: Meaning) -> Iterator[str]:
    """Names of the parameters and inner values that code or schema ask for where another value asks for them."""
    yield from (role.path[-1] for role, _, _ in stated_conditions.conditions(meaning))
    yield from (name for _, name, _, _ in stated_conditions.inner_conditions(meaning))
    yield from _asked_inside(schema)


def _asked_inside(schema: JsonObject) -> Iterator[str]:
    """Names that the rules inside objects ask for, and what those always need."""
    for part in (schema.get("properties") or {}).values():
        inner = part.get("items", part) if isinstance(part, dict) else {}
        if isinstance(inner, dict):
            yield from inner.get("required", [])
            yield from (name for rule in inner.get("allOf", []) for name in rule.get("then", {}).get("required", []))
            yield from _asked_inside(inner)


def _given(tool: JsonObject, meaning: Meaning) -> Given:
    """What a tool takes and what left it; tools of the package's own descriptions say it as it is."""
    schema = tool["inputSchema"]
    properties, required = schema.get("properties") or {}, schema.get("required") or []
    roles = [role for one in (meaning, *meaning.branches.values()) for role in one.roles]
    kinds = {role.role for role in roles}
    free = any(r.path[0] not in required and r.role in ("filter", "reference") for r in roles)
    told = (
        text_of(name, part, meaning.tool.description) for name, part in properties.items() if isinstance(part, dict)
    )
    parameters = frozenset(words_of(name) for name, _ in _parts_of(schema) if name)
    gone = (path.split(".")[-1] for path, reason in meaning.narrowed if reason != REQUIRED_NOW)
    return Given(
        parameters=parameters,
        gone=frozenset(map(words_of, gone)) - parameters - {frozenset()},
        texts=frozenset().union(*map(words_of, told)),
        optional=any(name not in required for name in properties),
        pages=bool(kinds & {"limit", "offset", "page", "cursor"}),
        filters=free or "query" in kinds or any(r.role == "filter" for r in roles),
        searches="query" in kinds,
        reads=not meaning.writes,
        sorts="sort" in kinds or bool(meaning.newest),
    )


def _others_named(meaning: Meaning, domain: Domain) -> frozenset[str]:
    """Nouns of the things that a call names, without that of the thing itself."""
    nouns = {domain.entities[r.entity].noun[-1] for r in meaning.of("reference") if r.entity}
    return frozenset(nouns - {*meaning.entity.noun})


def _parts_of(schema: Any) -> Iterator[tuple[str, JsonObject]]:
    """A schema, those of its properties and of its items, at any depth: (name of the property or "", schema)."""
    if not isinstance(schema, dict):
        return
    yield "", schema
    for name, part in (schema.get("properties") or {}).items():
        yield name, {}
        yield from _parts_of(part)
    yield from _parts_of(schema.get("items"))


def _stated_in(schema: JsonObject) -> list[Any]:
    """The values that a schema enumerates, and its default where that is a text."""
    default, values = schema.get("default"), schema.get("enum")
    return [*([default] if isinstance(default, str) else ()), *(values if isinstance(values, list) else ())]


def _shapes(sentence: str, meaning: Meaning, beside: Surroundings) -> bool:
    """True if the rules have read a sentence: without it the tool would be decided, or expected, otherwise."""
    shorter = _without(meaning.tool, sentence)
    if shorter == _without(meaning.tool, ""):
        return False
    return _reading(meaning.tool, sentence, beside) != _reading(meaning.tool, "", beside)


def _reading(tool: ParsedTool, sentence: str, beside: Surroundings) -> Any:
    """What the rules read in a tool without a sentence, worked out once for a server."""
    place = tool.name, sentence
    if place not in beside.readings:
        told = _without(tool, sentence)
        beside.readings[place] = _expected(told.description), _stated(told), _signature(decide(told, beside.domain))
    return beside.readings[place]


def _without(tool: ParsedTool, sentence: str) -> ParsedTool:
    """Return a tool in whose texts, with their line ends inside sentences as spaces, a sentence is missing."""

    def shorter(text: str) -> str:
        return unwrapped(text).replace(sentence, " ") if sentence else unwrapped(text)

    def told(p: Parameter) -> Parameter:
        schema = {**p.schema, "description": shorter(p.description)} if p.description else p.schema
        return replace(p, schema=schema, children=tuple(told(child) for child in p.children))

    return replace(tool, description=shorter(tool.description), parameters=tuple(told(p) for p in tool.parameters))


def _expected(text: str) -> tuple[Any, ...]:
    """What verification reads in a description."""
    return (
        descriptions.is_idempotent(text),
        descriptions.needs_a_change(text),
        descriptions.ensures(text),
        descriptions.means_deleting(text),
        descriptions.overwrites(text),
        descriptions.new_status(text),
        descriptions.new_flag(text),
        descriptions.first_status(text),
        descriptions.listed_fields(text),
        descriptions.keeps_others(text),
    )


def _stated(tool: ParsedTool) -> list[Any]:
    """What the rules that only texts state come to for each parameter: they are written into the code, and checked."""
    found: list[Any] = [stated_guards.told_even(tool.description), needed_names(tool.description)]
    for p in flat(tool.parameters):
        text = text_of(p.name, p.schema, tool.description if len(p.path) == 1 else "")
        found += [stated_keywords(p.name, p.schema, text), not_past(text), stated_needs.needed_when(text)]
        found += [stated_paging.zero_is_all(text), stated_paging.is_last_key(text), stated_guards.told_even(text)]
    return found


def _signature(decided: Meaning | Drop) -> Any:
    if isinstance(decided, Drop):
        return (decided.reason, decided.detail)
    roles = [(r.path, r.role, r.entity, r.field, r.op, r.also, r.filters) for r in decided.roles]
    branches = {value: _signature(branch) for value, branch in decided.branches.items()}
    return (
        decided.operation, decided.entity.name, roles, decided.narrowed, decided.column, repr(decided.value),
        decided.idempotent, decided.newest, branches,
    )  # fmt: skip
