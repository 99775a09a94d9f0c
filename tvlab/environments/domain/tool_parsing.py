"""Parse a tool's name and parameters: verb, object, parent in a preposition, keys (RULES.md, advice 1).

Only the form of the names is read here; which entity a noun stands for is decided over all tools of a server
together (``domain.py``).  Text from a schema stays data: words are compared, never executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tvlab.environments.language import sentence_words
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.language.argument_lines import told_line
from tvlab.environments.language.name_verbs import read_name
from tvlab.environments.language.name_words import Prefix, areas, namespace, strip, without_suffixes, without_version
from tvlab.environments.language.told_values import told_values
from tvlab.foundation.words import plural, singular, split_name

Noun = tuple[str, ...]


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool, or one property of a wrapper object (then ``path`` has two parts)."""

    path: tuple[str, ...]
    schema: dict[str, Any]
    required: bool
    words: tuple[str, ...]
    children: tuple[Parameter, ...] = ()

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path[-1]

    @property
    def snake(self) -> str:
        """The words joined by underscores."""
        return "_".join(self.words)

    @cached_property
    def type(self) -> str:
        """JSON type without null; ``any`` if open or mixed."""
        return schema_type(self.schema)

    @property
    def enum(self) -> list[Any]:
        """The enumerated values without null."""
        return [value for value in self.schema.get("enum", []) if value is not None]

    @property
    def description(self) -> str:
        """The schema's description, empty if none."""
        text = self.schema.get("description")
        return text if isinstance(text, str) else ""

    @property
    def item_schema(self) -> dict[str, Any]:
        """Schema of an array's items, empty if none."""
        items = self.schema.get("items")
        return items if isinstance(items, dict) else {}

    @cached_property
    def is_id(self) -> bool:
        """Named as an id or a list of ids and typed as one."""
        if not self.words or "_".join(self.id_noun) in _PLAIN:
            return False
        soft = self.words[-1] in words_of.SOFT_ID_WORDS and len(self.words) > 1 and not self.many
        if self.words[-1] not in words_of.ID_WORDS and not soft:
            return False
        if self.type == "array":
            return schema_type(self.item_schema) in ("string", "integer", "any", "number")
        return self.type in ("string", "integer", "number", "any") and not self.enum

    @cached_property
    def many(self) -> bool:
        """True for an array."""
        return self.type == "array"

    @cached_property
    def id_noun(self) -> Noun:
        """Singular noun before the id word, without modifiers such as ``source_``; () if bare."""
        noun = [singular(word) for word in self.words[:-1]]
        while len(noun) > 1 and noun[0] in words_of.REFERENCE_MODIFIERS:
            noun.pop(0)
        return tuple(noun)


_PLAIN = words_of.PLAIN_ID_NOUNS
_ONE_IN_PLURAL = frozenset("settings preferences stats statistics analytics details".split())


@dataclass(frozen=True)
class ParsedTool:
    """What a tool's name and schema say by themselves."""

    name: str
    description: str
    schema: dict[str, Any]
    verb: str
    kind: str
    noun: Noun
    plural: bool
    batch: bool
    target: Noun
    state_word: str
    parameters: tuple[Parameter, ...]
    output: dict[str, Any]

    @property
    def table_words(self) -> Noun:
        """The noun in the plural."""
        return (*self.noun[:-1], plural(self.noun[-1])) if self.noun else ()

    def parameter(self, name: str) -> Parameter | None:
        """Return the top-level parameter of a name, None if there is none."""
        return next((p for p in self.parameters if p.name == name), None)


def schema_type(schema: Any) -> str:
    """Return the one JSON type besides null that a schema allows, else ``any``."""
    if not isinstance(schema, dict):
        return "any"
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = [k for k in kind if k != "null"]
        if set(kinds) == {"integer", "number"}:
            return "number"
        return kinds[0] if len(kinds) == 1 else "any"
    if isinstance(kind, str):
        return kind
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list):
            kinds = sorted({schema_type(part) for part in schema[word]} - {"null"})
            return kinds[0] if len(kinds) == 1 else "any"
    return "any"


def parse_tools(tools: list[dict[str, Any]]) -> list[ParsedTool]:
    """Parse the refactored tools of one server; words that most names share (a prefix) carry no meaning."""
    names = without_suffixes({tool["name"]: without_version(split_name(tool["name"])) for tool in tools})
    common = namespace(names.values())
    stripped = {name: strip(words, common) for name, words in names.items()}
    prefixes = areas(stripped.values())
    return [parse_tool(tool, stripped[tool["name"]], prefixes) for tool in tools]


def parse_tool(tool: dict[str, Any], words: list[str], prefixes: set[Prefix]) -> ParsedTool:
    """Parse one tool whose name has these words, on a server whose names share these prefixes."""
    schema = tool["inputSchema"]
    description = str(tool.get("description") or "")
    alone = bool(set(split_name(tool["name"])) & sentence_words.NEVER_TOLD)
    name = read_name(words, prefixes, description, alone)
    noun = tuple(singular(word) for word in name.noun)
    one = name.kind == "read" and noun[-1:] == ("detail",)
    many = _is_plural(list(name.noun)) and not one
    output = tool.get("outputSchema")
    parameters = tuple(p for p in _sole_wrapper(parse_parameters(schema, (), noun)) if not _is_filler(p))
    if name.kind in ("", "manage", "read"):
        parameters = with_actions(parameters, description)
    parameters = tuple(with_told_values(p, description) for p in parameters)
    return ParsedTool(
        name=tool["name"],
        description=description,
        schema=schema,
        verb=name.verb,
        kind="unknown" if _is_no_record(name.verb, parameters) else _kind(name.verb, name.kind, noun, many, parameters),
        noun=noun,
        plural=many if name.plural is None else name.plural,
        batch=name.batch,
        target=tuple(singular(w) for w in name.target),
        state_word=name.state_word,
        parameters=parameters,
        output=output if isinstance(output, dict) else {},
    )


def _is_plural(words: list[str]) -> bool:
    """True for several things: ``orders``, ``users_info``; not for ``order_details``, ``mailbox_settings``."""
    while len(words) > 1 and (words[-1] in _ONE_IN_PLURAL or singular(words[-1]) in words_of.GENERIC_NOUNS):
        words = words[:-1]
    return bool(words) and words[-1] != singular(words[-1]) and words[-1] not in _ONE_IN_PLURAL


def _is_no_record(verb: str, parameters: tuple[Parameter, ...]) -> bool:
    """True for an insert at a place inside a content (a line, a cell) and for a query in a language."""
    if verb == "query":
        return any(p.required and p.snake in words_of.LANGUAGES for p in parameters)
    return verb == "insert" and any(sentence_words.PLACES & set(p.words) for p in parameters)


def _kind(verb: str, kind: str, noun: Noun, many: bool, parameters: tuple[Parameter, ...]) -> str:
    """``query_weather(city)`` reads the weather of one city: it is no search, whatever the verb."""
    needed = [p for p in parameters if p.required]
    one = len(parameters) == len(needed) == 1 and not needed[0].many and needed[0].type == "string"
    told = one and needed[0].snake not in words_of.QUERY_WORDS and not set(needed[0].words) & set(noun)
    return "read" if verb == "query" and kind == "search" and noun and not many and told else kind


def _is_filler(p: Parameter) -> bool:
    """True for what only fills the schema of a tool without parameters: ``random_string``, "Dummy parameter"."""
    said = re.match(r"\s*dummy\b", p.description, re.IGNORECASE)
    return p.type == "string" and p.snake in ("random_string", "dummy", "dummy_parameter") and bool(said)


def _sole_wrapper(parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Keep a wrapper object only if it alone carries the content; else objects are nested values."""
    wrappers = [p for p in parameters if p.children]
    others = [p for p in parameters if not p.children and not p.is_id and p.type not in ("boolean", "integer")]
    if len(wrappers) == 1 and len(others) <= 1:
        return parameters
    return tuple(replace(p, children=()) for p in parameters)


def is_wrapper(words: tuple[str, ...], schema: dict[str, Any], noun: Noun) -> bool:
    """True for an object that only carries the fields of the thing: ``body``, ``order_data``."""
    if schema_type(schema) != "object" or not words:
        return False
    singular_words = tuple(singular(word) for word in words)
    return words[-1] in words_of.WRAPPERS or singular_words == noun or singular_words == noun[-1:]


def parse_parameters(schema: dict[str, Any], path: tuple[str, ...] = (), noun: Noun = ()) -> tuple[Parameter, ...]:
    """Parse the properties of an object schema; one level of wrapper objects keeps its own children."""
    required = schema.get("required") or []
    properties = schema.get("properties") or {}
    result = []
    for name, part in properties.items():
        part = part if isinstance(part, dict) else {}
        words = tuple(split_name(name))
        children: tuple[Parameter, ...] = ()
        if not path and part.get("properties") and is_wrapper(words, part, noun):
            children = parse_parameters(part, (name,))
        result.append(Parameter((*path, name), part, name in required, words, children))
    return tuple(result)


def with_verb(tool: ParsedTool, verb: str, kind: str, parameters: Iterable[Parameter]) -> ParsedTool:
    """Return one branch of a multiplexed tool: the same object under another verb."""
    return replace(tool, verb=verb, kind=kind, parameters=tuple(parameters), output={})


def with_actions(parameters: tuple[Parameter, ...], description: str) -> tuple[Parameter, ...]:
    """Give an open parameter of actions the values that its own or the tool's description lists in quotes."""
    return tuple(
        replace(p, schema={**p.schema, "enum": values})
        if p.snake in words_of.ACTION_NAMES
        and p.type == "string"
        and not p.enum
        and len(values := _listed_actions(p, description)) >= 2
        else p
        for p in parameters
    )


def with_told_values(p: Parameter, description: str) -> Parameter:
    """Give an open text parameter the values that its own text, or its line in the description, lists."""
    taken = p.enum or p.children or p.is_id or p.snake in words_of.ACTION_NAMES or "JSON array" in p.description
    if p.type != "string" or taken or {"const", "format", "pattern"} & set(p.schema):
        return p
    values = told_values(p.description or told_line(p.name, description))
    if not values and "must be one of:" in description:
        inside = re.search(rf"\b{re.escape(p.name)}\b[^.:\n]{{0,40}}(must be one of:.*)$", description, re.MULTILINE)
        values = told_values(inside[1] if inside else "")
    named = p.name in values  # "either 'content' or 'content_file'" speaks of parameters
    return replace(p, schema={**p.schema, "enum": values, "told": True}) if values and not named else p


def _listed_actions(parameter: Parameter, description: str) -> list[str]:
    line = re.search(rf"^\s*{re.escape(parameter.name)}\b[^:\n]*:(.*)$", description, re.MULTILINE)
    text = parameter.description or (line[1] if line else "")
    if re.search(r"\be\.?g\.?\b|\bsuch as\b|\bfor example\b|\betc\b|\bcommon\b", text, re.IGNORECASE):
        return []
    return list(dict.fromkeys(re.findall(r"[\"'`]([a-z][a-z_]+)[\"'`]", text)))
