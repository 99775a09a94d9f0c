"""The one key of each entity: a typed id, else a bare id, else a natural key, else a made one."""

from __future__ import annotations

from collections import Counter

from tvlab.environments.domain import field_types
from tvlab.environments.domain.nouns import Nouns, flat
from tvlab.environments.domain.shared_keys import shared_key
from tvlab.environments.domain.told_references import plural_key
from tvlab.environments.domain.tool_parsing import Noun, Parameter, ParsedTool
from tvlab.environments.language import descriptions
from tvlab.environments.language import vocabulary as words_of

_SEVERAL = frozenset("ids uids uuids guids gids identifiers".split())


class EntityKeys:
    """Chooses keys over all tools of a server."""

    def __init__(self, tools: list[ParsedTool], nouns: Nouns) -> None:
        self.tools = tools
        self.nouns = nouns
        self.camel = is_camel(tools)

    def key(self, noun: Noun, mine: list[ParsedTool]) -> tuple[str, str]:
        """Choose the key: an id its own tools take, an id others take, a promised id, a natural key."""
        votes: Counter[tuple[str, str]] = Counter()
        firm: Counter[tuple[str, str]] = Counter()
        keyed = [
            t
            for t in mine
            if t.kind
            in (
                "read",
                "update",
                "delete",
                "transition",
                "count",
                "link",
                "unlink",
                "send",
                "manage",
                "upsert",
            )
        ]
        for tool in keyed:
            for p in tool.parameters:
                several = p.many or p.words[-1] in _SEVERAL
                if p.is_id and not several and self.nouns.resolve(p.id_noun, noun) == noun:
                    votes[p.name, key_type(p)] += 3 if p.id_noun else 2
                    firm[p.name, key_type(p)] += p.type != "any"
        if votes:
            name = votes.most_common(1)[0][0][0]
            return max((k for k in votes if k[0] == name), key=lambda k: (firm[k], votes[k]))
        promised = Counter(name for tool in mine for name in promised_keys(tool, noun))
        if promised:
            name = promised.most_common(1)[0][0]
            return name, self._type_elsewhere(noun)
        if noun[-1] in ("directory", "folder", "dir"):
            keyed = mine
        natural = self._natural_key(noun, keyed) or self._natural_key(noun, self.tools, named=True)
        natural = natural or plural_key(noun, mine) or self._noun_as_key(noun, mine)
        if natural:
            return natural
        for tool in self.tools:
            for p in flat(tool.parameters):
                if (
                    p.is_id
                    and not p.many
                    and p.id_noun == noun
                    and p.words[0] not in words_of.REFERENCE_MODIFIERS
                ):
                    votes[p.name, key_type(p)] += 1
        if votes:
            return votes.most_common(1)[0][0]
        if shared := shared_key(noun, mine, self.tools):
            return shared
        made = (*noun, "id")
        name = made[0] + "".join(word.capitalize() for word in made[1:]) if self.camel else "_".join(made)
        return name, "string"

    def _natural_key(
        self, noun: Noun, tools: list[ParsedTool], named: bool = False
    ) -> tuple[str, str] | None:
        votes: Counter[tuple[str, str]] = Counter()
        for tool in tools:
            for p in tool.parameters:
                kind = p.type
                text = p.words[-1:] and p.words[-1] in words_of.CONTENT_WORDS
                if text or words_of.LANGUAGES & {*p.words, *noun[-1:]} or _is_owner(p, noun, tool):
                    continue
                if (
                    p.is_id
                    or p.many
                    or p.enum
                    or kind not in ("string", "integer")
                    or not (p.required or named)
                ):
                    continue
                typed = len(p.words) > len(noun) and p.words[: len(noun)] == noun
                if typed and "_".join(p.words[len(noun) :]) in words_of.NATURAL_KEYS:
                    votes[p.name, kind] += 3
                elif not named and p.words == noun:
                    beside = tool.kind in ("delete", "unlink") and any(
                        q.is_id and q.required for q in tool.parameters
                    )
                    votes[p.name, kind] += 0 if beside else 2
                elif (
                    not named
                    and p.snake in words_of.NATURAL_KEYS
                    and (p.snake not in words_of.PERSONAL_KEYS or noun[-1] in words_of.PERSON_ENTITIES)
                    and (
                        tool.kind in ("read", "delete", "update")
                        or noun[-1] in ("directory", "folder", "dir")
                    )
                ):
                    votes[p.name, kind] += 1
        found = [item for item in votes if votes[item] > 0]
        places = {p.name: at for tool in tools for at, p in enumerate(tool.parameters)}
        return max(found, key=lambda item: (votes[item], places[item[0]], item)) if found else None

    def _noun_as_key(self, noun: Noun, mine: list[ParsedTool]) -> tuple[str, str] | None:
        """(station) if others require `station` and the entity is listed or searched."""
        if not any(t.kind in ("list", "search") for t in mine):
            return None
        for tool in self.tools:
            for p in tool.parameters:
                if p.required and p.words == noun and p.type == "string" and not p.enum and tool not in mine:
                    return p.name, "string"
        return None

    def _type_elsewhere(self, noun: Noun) -> str:
        found = Counter(
            key_type(p)
            for tool in self.tools
            for p in flat(tool.parameters)
            if p.is_id and not p.many and self.nouns.resolve(p.id_noun) == noun
        )
        return found.most_common(1)[0][0] if found else "string"


def _is_owner(p: Parameter, noun: Noun, tool: ParsedTool) -> bool:
    """True for the `username` beside another required parameter: whose thing it is, not which one."""
    personal = p.snake in ("username", "email", "handle", "phone") and noun[-1] not in words_of.PERSON_ENTITIES
    return personal and sum(q.required for q in tool.parameters) > 1


def promised_keys(tool: ParsedTool, noun: Noun) -> list[str]:
    """Ids of the noun that a create, read or list promises to return."""
    promised = descriptions.returned(tool.description)
    names = list(promised.fields)
    properties = tool.output.get("properties")
    if isinstance(properties, dict):
        names += list(properties)
        for schema in properties.values():
            items = schema.get("items") if isinstance(schema, dict) else None
            if isinstance(items, dict) and isinstance(items.get("properties"), dict):
                names += list(items["properties"])
    result = []
    for name in dict.fromkeys(names):
        words = field_types.name_words(name)
        if (words and words[-1] in words_of.ID_WORDS and words[:-1] in ((), noun)) or (
            words[:-1] == noun
            and (words[-1] in words_of.NATURAL_KEYS and tool.kind in ("list", "read", "search"))
        ):
            result.append(name)
    return result


def key_type(parameter: Parameter) -> str:
    """Return ``integer`` or ``string`` for an id parameter."""
    return "integer" if parameter.type in ("integer", "number") else "string"


def is_camel(tools: list[ParsedTool]) -> bool:
    """True if most parameters are spelt in camelCase."""
    names = [p.name for tool in tools for p in tool.parameters]
    camel = sum(name != name.lower() and "_" not in name for name in names)
    return camel > sum("_" in name for name in names)
