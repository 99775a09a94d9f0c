"""Other names for the tools and fields of a server, kept consistent in schemas and texts.

A ``Renaming`` maps words (synonyms of nouns), says how compound names are spelt, and maps whole tool names.
It is applied to tool names, to property names at every depth with their ``required`` lists, and to the texts,
where tool names, fields and nouns are mentioned.  Values (enumerations, defaults, patterns) are data and
stay, also where a text quotes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tvlab.environments.language.descriptions import first_status, new_status
from tvlab.foundation.words import plural, singular, split_name

TOOL_STYLES = ("snake", "camel", "kebab")
FIELD_STYLES = ("snake", "camel")
_TOKEN = r"[A-Za-z][A-Za-z0-9_]*"
_PRODUCERS = re.compile(
    r",? as returned by (?P<names>[\w-]+(?:\.[\w-]+)*(?:(?:, | or )[\w-]+(?:\.[\w-]+)*)*)"
)


@dataclass(frozen=True)
class Renaming:
    """What is called otherwise.

    Attributes:
        tools: tool name -> new name.
        nouns: singular noun -> another singular noun.
        fields: how fields are spelt from now on, "" as they are.
        values: words in texts that are values and stay.
    """

    tools: Mapping[str, str] = field(default_factory=dict)
    nouns: Mapping[str, str] = field(default_factory=dict)
    fields: str = ""
    values: frozenset[str] = frozenset()

    def tool(self, tool: Mapping[str, Any]) -> dict[str, Any]:
        """Return a tool under its new names."""
        renamed = {**tool, "name": self.tools.get(tool["name"], tool["name"])}
        for key in ("title", "description"):
            if isinstance(tool.get(key), str):
                renamed[key] = self.text(tool[key])
        for key in ("inputSchema", "outputSchema"):
            if key in tool:
                renamed[key] = self.schema(tool[key])
        return renamed

    def schema(self, schema: Any) -> Any:
        """Return a schema with its properties and texts under their new names."""
        if not isinstance(schema, dict):
            return schema
        renamed = dict(schema)
        if isinstance(schema.get("properties"), dict):
            renamed["properties"] = {self.field(k): self.schema(v) for k, v in schema["properties"].items()}
        if "required" in schema:
            renamed["required"] = [self.field(name) for name in schema["required"]]
        for key in ("items", "additionalProperties"):
            if key in schema:
                renamed[key] = self.schema(schema[key])
        for key in ("anyOf", "oneOf", "allOf"):
            if key in schema:
                renamed[key] = [self.schema(part) for part in schema[key]]
        for key in ("title", "description"):
            if isinstance(schema.get(key), str):
                renamed[key] = self.text(schema[key])
        return renamed

    def field(self, name: str) -> str:
        """Return the new name of a field."""
        words = [self.word(word) for word in split_name(name)]
        if not words:
            return name
        return spelt(words, self.fields or style_of(name))

    def word(self, word: str) -> str:
        """Return the new word for a lower-case one, in the same number."""
        if word in self.nouns:
            return self.nouns[word]
        base = singular(word)
        return plural(self.nouns[base]) if base in self.nouns and base != word else word

    def text(self, text: str) -> str:
        """Return a text in which tools, fields and nouns have their new names."""
        names = "|".join(re.escape(name) for name in sorted(self.tools, key=len, reverse=True))
        tools = rf"(?P<tool>(?<![\w.-])(?:{names})(?![\w-]))|" if names else ""
        article = rf"(?:(?P<article>\b[Aa]n?) )?(?P<token>{_TOKEN})"
        returns = re.search(r"\bReturns?\b", text)
        listed = returns.start() if returns else len(text)

        def new(match: re.Match[str]) -> str:
            groups = match.groupdict()
            if groups.get("tool"):
                return self.tools[groups["tool"]]
            token = self._token(groups["token"], match.start("token") > listed)
            if not groups["article"] or token == groups["token"]:
                return f"{groups['article']} {token}" if groups["article"] else token
            return f"{_article(groups['article'], token)} {token}"

        return re.sub(tools + article, new, text)

    def _token(self, token: str, listed: bool) -> str:
        """A word or field in a text; a single capital word is a field only among what is returned."""
        if token in self.values:
            return token
        words = split_name(token)
        compound = len(words) > 1 or "_" in token
        if compound or (listed and self.fields and style_of(token) == "pascal"):
            return self.field(token)
        new = self.word(token.lower())
        if new == token.lower():
            return token
        return new.capitalize() if token[0].isupper() else new


def spelt(words: Iterable[str], style: str) -> str:
    """Return words as one name.

    >>> [spelt(["get", "open", "order"], style) for style in ("snake", "camel", "kebab", "pascal", "dotted")]
    ['get_open_order', 'getOpenOrder', 'get-open-order', 'GetOpenOrder', 'get.openOrder']
    """
    words = list(words)
    head, rest = words[0], [word.capitalize() for word in words[1:]]
    return {
        "snake": "_".join(words),
        "kebab": "-".join(words),
        "camel": head + "".join(rest),
        "pascal": head.capitalize() + "".join(rest),
        "dotted": f"{head}.{words[1]}{''.join(rest[1:])}" if rest else head,
    }[style]


def style_of(name: str) -> str:
    """Return how a name is spelt; a single lower-case word is snake."""
    if "." in name:
        return "dotted"
    if "-" in name:
        return "kebab"
    if name[:1].isupper():
        return "pascal"
    return "camel" if name != name.lower() and "_" not in name else "snake"


def without_tools(text: str, gone: frozenset[str]) -> str:
    """Return a text that names none of the tools in ``gone``.

    They leave the list in "as returned by a, b or c"; another sentence that names one goes unless alone.

    >>> gone = frozenset({"add_bed", "get_bed"})
    >>> without_tools("The key, as returned by add_bed or list_beds. See get_bed.", gone)
    'The key, as returned by list_beds.'
    """

    def kept(match: re.Match[str]) -> str:
        names = [name for name in re.split(r", | or ", match["names"]) if name not in gone]
        if not names:
            return ""
        listed = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]
        return f"{', ' if match[0].startswith(',') else ' '}as returned by {listed}"

    sentences = re.split(r"(?<=[.;!?])\s+", _PRODUCERS.sub(kept, text))
    clean = [part for part in sentences if not gone & set(re.findall(r"[\w-]+(?:\.[\w-]+)*", part))]
    return " ".join(clean or sentences)


def quoted_values(tools: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the words of texts that are values: enumerated, a default, or a status."""
    found: set[str] = set()
    for tool in tools:
        text = str(tool.get("description") or "")
        found |= {value for value in (first_status(text), new_status(text)) if value}
        for key in ("inputSchema", "outputSchema"):
            found |= set(_values(tool.get(key)))
    return frozenset(found)


def _values(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from _values(part)
    elif isinstance(schema, dict):
        values = [*schema.get("enum", []), schema.get("default"), schema.get("const")]
        yield from (value for value in values if isinstance(value, str))
        for key, part in schema.items():
            if key not in ("enum", "default", "const", "required"):
                yield from _values(part)


def _article(article: str, word: str) -> str:
    right = "an" if word[:1].lower() in "aeiou" else "a"
    return right.capitalize() if article[0].isupper() else right
