"""Parse a tool's name and parameters: verb, object, parent in a preposition, keys (RULES.md, advice 1).

Only the form of the names is read here; which entity a noun stands for is decided over all tools of a server
together (``domain.py``).  Text from a schema stays data: words are compared, never executed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from tvlab.environments import vocabulary as words_of
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

    @property
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

    @property
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

    @property
    def many(self) -> bool:
        """True for an array."""
        return self.type == "array"

    @property
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
    names = {tool["name"]: _without_version(split_name(tool["name"])) for tool in tools}
    common = _namespace(names.values())
    return [parse_tool(tool, _strip(names[tool["name"]], common)) for tool in tools]


def _without_version(words: list[str]) -> list[str]:
    """Drop a version at the end: ``listOrdersV1``."""
    return words[:-1] if len(words) > 1 and re.fullmatch(r"v\d+", words[-1]) else words


def parse_tool(tool: dict[str, Any], words: list[str]) -> ParsedTool:
    """Parse one tool whose name has these words."""
    schema = tool["inputSchema"]
    verb, kind, rest, tail = _verb(words)
    batch = any(word in words_of.BATCH_WORDS for word in (*rest, *tail))
    rest = [w for w in rest if w not in words_of.BATCH_WORDS]
    noun_words, target = _object(rest)
    state_word = ""
    if verb == "mark":
        noun_words, target, state_word = _marked(noun_words, target)
        kind = "transition" if state_word else "unknown"
    noun = tuple(singular(word) for word in noun_words)
    many = _is_plural(noun_words)
    output = tool.get("outputSchema")
    parameters = _sole_wrapper(parse_parameters(schema, (), noun))
    return ParsedTool(
        name=tool["name"],
        description=str(tool.get("description") or ""),
        schema=schema,
        verb=verb,
        kind=kind,
        noun=noun,
        plural=many,
        batch=batch,
        target=tuple(singular(w) for w in target),
        state_word=state_word,
        parameters=parameters,
        output=output if isinstance(output, dict) else {},
    )


def _is_plural(words: list[str]) -> bool:
    """True for several things: ``orders``, ``users_info``; not for ``order_details``, ``mailbox_settings``."""
    while len(words) > 1 and (words[-1] in _ONE_IN_PLURAL or singular(words[-1]) in words_of.GENERIC_NOUNS):
        words = words[:-1]
    return bool(words) and words[-1] != singular(words[-1]) and words[-1] not in _ONE_IN_PLURAL


def _sole_wrapper(parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Keep a wrapper object only if it alone carries the content; else objects are nested values."""
    wrappers = [p for p in parameters if p.children]
    others = [
        p for p in parameters if not p.children and not p.is_id and p.type not in ("boolean", "integer")
    ]
    if len(wrappers) == 1 and len(others) <= 1:
        return parameters
    return tuple(replace(p, children=()) for p in parameters)


def is_wrapper(words: tuple[str, ...], schema: dict[str, Any], noun: Noun) -> bool:
    """True for an object that only carries the fields of the thing: ``body``, ``order_data``."""
    if schema_type(schema) != "object" or not words:
        return False
    singular_words = tuple(singular(word) for word in words)
    return words[-1] in words_of.WRAPPERS or singular_words == noun or singular_words == noun[-1:]


def parse_parameters(
    schema: dict[str, Any], path: tuple[str, ...] = (), noun: Noun = ()
) -> tuple[Parameter, ...]:
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


def verb_kind(word: str) -> str:
    """Return the kind of operation a verb means: ``create`` ... ``transition``, ``unknown`` or ``""``."""
    if word in words_of.VERBS:
        return words_of.VERBS[word]
    if word in words_of.TRANSITIONS:
        return "transition"
    return "unknown" if word in words_of.UNKNOWN_VERBS else ""


def _namespace(names: Iterable[list[str]]) -> set[str]:
    """First words that at least 60% of four or more tool names share and that are no verbs."""
    names = [name for name in names if len(name) > 1]
    if len(names) < 4:
        return set()
    common: set[str] = set()
    while True:
        firsts = Counter(_strip(name, common)[0] for name in names)
        word, number = firsts.most_common(1)[0]
        if number < 0.6 * len(names) or verb_kind(word) or word in common:
            return common
        bare = [
            name
            for name in names
            if name[0] == word and all(verb_kind(w) for w in _strip(name, {*common, word}))
        ]
        if len(bare) > len(names) / 3:
            return common
        common.add(word)


def _strip(words: list[str], common: set[str]) -> list[str]:
    while len(words) > 1 and words[0] in common:
        words = words[1:]
    return words


def _verb(words: list[str]) -> tuple[str, str, list[str], list[str]]:
    """Return (verb, kind, words of the object, the words left out)."""
    words = [w for w in words if w not in words_of.ARTICLES] or words
    if len(words) > 3 and words[1] == "or" and verb_kind(words[0]) and verb_kind(words[2]):
        return "upsert", "upsert", words[3:], []
    pair = "_".join(words[:2])
    if pair in words_of.TRANSITIONS and len(words) > 1:
        return pair, "transition", words[2:], []
    if words[0] in words_of.BATCH_WORDS and len(words) > 2:
        verb, kind, rest, tail = _verb(words[1:])
        return verb, kind, rest, [words[0], *tail]
    first = verb_kind(words[0]) or ("unknown" if words[0] == "mark" else "")
    later = [i for i, w in enumerate(words) if i and w in words_of.FIRM_VERBS]
    if first and (words[0] in words_of.FIRM_VERBS or (len(words) > 1 and not _noun_first(words, later))):
        return words[0], first, words[1:], []
    if later:
        at = later[-1] if later[-1] == len(words) - 1 else later[0]
        before, after = words[:at], words[at + 1 :]
        if (after and after[0] in words_of.PREPOSITIONS) or not after:
            return words[at], verb_kind(words[at]), [*before, *after], []
        return words[at], verb_kind(words[at]), after, before
    return words[0] if first else "", first, words[1:] if first else words, []


def _noun_first(words: list[str], later: list[int]) -> bool:
    """True for ``order_cancel`` and ``log_list_by_day``: a firm verb follows what may be a noun."""
    if not later:
        return False
    at = later[-1]
    return at == len(words) - 1 or words[at + 1] in words_of.PREPOSITIONS


def _object(words: list[str]) -> tuple[list[str], list[str]]:
    """Split the words after the verb into the object and the noun of the first preposition that matters."""
    for at, word in enumerate(words):
        if word in words_of.PREPOSITIONS and at:
            after = words[at + 1 :]
            stop = next((i for i, w in enumerate(after) if w in words_of.PREPOSITIONS), len(after))
            return words[:at], [w for w in after[:stop] if w not in words_of.ID_WORDS]
        if word in words_of.PREPOSITIONS:
            return [], [w for w in words[1:] if w not in words_of.PREPOSITIONS]
    return words, []


def _marked(noun: list[str], target: list[str]) -> tuple[list[str], list[str], str]:
    """Read ``mark_order_as_paid`` and ``mark_sold``: the object and the state word."""
    if target and target[-1] in words_of.TRANSITIONS:
        return noun, [], target[-1]
    if noun and noun[-1] in words_of.TRANSITIONS:
        return noun[:-1], [], noun[-1]
    return noun, target, ""
