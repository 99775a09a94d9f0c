"""Which thing each tool is about: nouns merged into entities over all tools of a server.

Merging needs evidence: the same key parameter, a longer phrase with the same head and no tools of its own
kind, or a promise in the description.  Without evidence two phrases stay two entities.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from tvlab.environments.domain.tool_parsing import Noun, Parameter, ParsedTool, with_verb
from tvlab.environments.language import descriptions
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.language.name_words import verb_kind
from tvlab.foundation.words import plural, split_name

#: kinds whose object is the thing itself (an update may name a field: `update_deal_stage`)
_NAMING = frozenset({"create", "list", "search", "delete", "count", "upsert", "manage"})
_WRITES = frozenset({"create", "delete", "update", "manage"})
_MADE_BY = {
    "book": "booking",
    "reserve": "reservation",
    "request": "request",
    "schedule": "schedule",
    "subscribe": "subscription",
    "rate": "rating",
    "review": "review",
    "comment": "comment",
    "reply": "reply",
    "order": "order",
    "enroll": "enrollment",
    "register": "registration",
    "send": "message",
    "post": "post",
    "publish": "post",
    "notify": "notification",
    "forward": "message",
    "broadcast": "message",
    "log": "log_entry",
    "upload": "upload",
}


def flat(parameters: Iterable[Parameter]) -> list[Parameter]:
    """Return the parameters with wrapper objects replaced by their properties."""
    return [leaf for p in parameters for leaf in (flat(p.children) if p.children else [p])]


def is_short_for(short: Noun, noun: Noun) -> bool:
    """True if a phrase is the other one cut short.

    >>> is_short_for(("app",), ("application",)), is_short_for(("team",), ("team", "leader"))
    (True, False)
    """
    if not short or len(short) > len(noun) or len(short[-1]) < 3:
        return False
    if len(short) == len(noun):
        return short[:-1] == noun[:-1] and noun[-1].startswith(short[-1])
    return noun[:-1] == short and noun[-1] in ("policy", "record", "entry", "object", "item", "definition")


def stripped(noun: Noun) -> Noun:
    """Drop generic last words: (order, details) is (order)."""
    while len(noun) > 1 and noun[-1] in words_of.GENERIC_NOUNS:
        noun = noun[:-1]
    return noun


def id_nouns(tool: ParsedTool) -> list[Noun]:
    """Nouns of the typed ids among a tool's parameters."""
    return [p.id_noun for p in flat(tool.parameters) if p.is_id and p.id_noun]


class Nouns:
    """The entities' nouns, and which of them each tool is about.

    Attributes:
        names: every entity's noun, in the order of first mention.
        own: tool name -> noun of its own entity, () if none was found.
    """

    def __init__(self, tools: list[ParsedTool]) -> None:
        self._phrases = {tool.name: self._phrase(tool) for tool in tools}
        self._phrases = {tool.name: self._without_list(tool, tools) for tool in tools}
        self._ids = Counter(noun for tool in tools for noun in dict.fromkeys(id_nouns(tool)))
        self._named = self._named_phrases(tools)
        self._alias: dict[Noun, Noun] = self._same_plural()
        self._merge_short_ids(tools)
        self._merge_heads(tools)
        self._merge_keys(tools)
        self.names = list(dict.fromkeys(self._canonical(n) for n in [*self._named, *self._ids]))
        self.own = {tool.name: self._own(tool) for tool in tools}

    def resolve(self, noun: Noun, own: Noun = ()) -> Noun:
        """Return the entity that a reference's noun stands for, () if none."""
        if not noun:
            return own
        if own and (own == noun or own[-len(noun) :] == noun) and noun not in self._named:
            return own
        if noun in self._alias or noun in self.names:
            return self._of_area(noun, own) or self._canonical(noun)
        longer = [name for name in self.names if name[-len(noun) :] == noun]
        if len(longer) == 1:
            return longer[0]
        shorter = [name for name in self.names if noun[-len(name) :] == name]
        if shorter:
            return max(shorter, key=len)
        if noun[-1] in words_of.PERSON_ROLES or noun[0] in words_of.PERSON_ROLES:
            return next(((p,) for p in words_of.PERSON_ENTITIES if (p,) in self.names), ())
        return ()

    def _of_area(self, noun: Noun, own: Noun) -> Noun:
        """(recipe, folder) for the ``folder`` of a recipe step where ``folder`` alone stands for template folders."""
        found, size = self._canonical(noun), len(noun)
        if noun in self.names or not own or found[-size:] != noun or set(found[:-size]) & set(own):
            return ()
        near = [name for name in self.names if name != own and name[-size:] == noun and name[:-size][:1] == own[:1]]
        return min(near, key=lambda name: (len(name), name)) if near else ()

    def _without_list(self, tool: ParsedTool, tools: list[ParsedTool]) -> Noun:
        """(domain) for ``get_domain_list`` where other tools are about domains and none makes such lists."""
        noun = self._phrases[tool.name]
        if noun[-1:] != ("list",) or len(noun) < 2 or tool.kind not in ("read", "list"):
            return noun
        lists = any(noun in id_nouns(t) or (self._phrases[t.name] == noun and t.kind in _WRITES) for t in tools)
        return noun[:-1] if not lists and any(self._phrases[t.name] == noun[:-1] for t in tools) else noun

    def _canonical(self, noun: Noun) -> Noun:
        seen = set()
        while noun in self._alias and noun not in seen:
            seen.add(noun)
            noun = self._alias[noun]
        return noun

    def means(self, phrase: Noun, noun: Noun) -> bool:
        """True if a phrase is the entity of a noun: the same words, a longer or a shorter name of it."""
        shorter = phrase[:-1] if len(phrase) > 1 and phrase[-1] == "list" else phrase
        return any(
            self._canonical(p) == noun or p[-len(noun) :] == noun or noun[-len(p) :] == p
            for p in (phrase, shorter)
        )

    @staticmethod
    def _phrase(tool: ParsedTool) -> Noun:
        """The object in the name; for a create that consumes that object, what it makes instead."""
        noun = stripped(tool.noun)
        if tool.kind not in ("create", "send"):
            return noun
        promised = descriptions.returned(tool.description).noun
        consumed = any(p.required and _names(p, noun) for p in flat(tool.parameters))
        declared = _declared_noun(tool)
        if noun and not consumed and tool.kind == "create":
            return noun
        if tool.kind == "send" and consumed and not any(_is_payload(p) for p in flat(tool.parameters)):
            return noun
        if declared or promised:
            return declared or promised
        made = _MADE_BY.get(tool.verb)
        if consumed or not noun:
            return (*made.split("_"),) if made else noun
        return noun

    def _named_phrases(self, tools: list[ParsedTool]) -> list[Noun]:
        named: dict[Noun, None] = {}
        for tool in tools:
            phrase = self._phrases[tool.name]
            if not phrase:
                continue
            ids = id_nouns(tool)
            keyed_by_itself = any(phrase[-len(noun) :] == noun for noun in ids)
            if (
                tool.kind in _NAMING
                or (tool.kind == "send" and not keyed_by_itself)
                or (tool.kind in ("read", "send") and (tool.plural or keyed_by_itself or not ids))
                or (tool.kind == "transition" and (keyed_by_itself or not ids))
            ):
                named.setdefault(phrase)
        return list(named)

    def _same_plural(self) -> dict[Noun, Noun]:
        """(basis) is (base) where an id says so: both are "bases" in the plural; (configuration) is (config)."""
        same = {
            phrase: noun
            for phrase in self._named
            for noun in self._ids
            if phrase != noun and phrase[:-1] == noun[:-1] and plural(phrase[-1]) == plural(noun[-1])
        }
        for noun in self._ids:
            short = [phrase for phrase in self._named if abbreviates(phrase, noun)]
            if noun not in self._named and len(short) == 1:
                same.setdefault(noun, short[0])
        return same

    def _merge_heads(self, tools: list[ParsedTool]) -> None:
        """(customer, order) is (order) if order has tools of its own, the phrase no id, and evidence says so."""
        for phrase in sorted(self._named, key=len, reverse=True):
            mine = [tool for tool in tools if self._phrases[tool.name] == phrase]
            for size in range(len(phrase) - 1, 0, -1):
                head = phrase[-size:]
                if head in self._named and phrase not in self._ids and same_thing(phrase[:-size], head, mine):
                    self._alias.setdefault(phrase, head)
                    break
            if phrase not in self._alias and phrase not in self._ids and (whole := self._without_place(phrase, mine)):
                self._alias[phrase] = whole
        endings: dict[Noun, list[Noun]] = defaultdict(list)
        for phrase in self._named:
            for size in range(1, len(phrase)):
                endings[phrase[-size:]].append(phrase)
        for head, phrases in endings.items():
            if (
                head in self._ids
                and head not in self._named
                and len(phrases) == 1
                and phrases[0] not in self._ids
            ):
                self._alias.setdefault(head, phrases[0])

    def _without_place(self, phrase: Noun, mine: list[ParsedTool]) -> Noun:
        """(site, page) for (site, area, page) whose tools take the area: pages of an area are pages; () for no such."""
        for at in range(1, len(phrase) - 1):
            whole, place = phrase[:at] + phrase[at + 1 :], [phrase[at]]
            inside = [_takes(tool, place) for tool in mine]
            keyed = [any(noun == phrase[-len(noun) :] for noun in id_nouns(tool)) for tool in mine]
            if whole in self._named and any(inside) and all(a or b for a, b in zip(inside, keyed, strict=True)):
                return whole
        return ()

    def _merge_short_ids(self, tools: list[ParsedTool]) -> None:
        """``app_id`` picks an application, ``storyPublicId`` a story, where two tools of theirs take it alone."""
        for noun in list(self._ids):
            if noun in self._named or noun in self._alias:
                continue
            bare = noun[:-1] if noun[-1] in ("public", "internal", "unique") else noun
            fits = {
                self._canonical(self._phrases[tool.name])
                for tool in tools
                if self._phrases[tool.name] in self._named
                and tool.kind in ("read", "update", "delete", "transition")
                and dict.fromkeys(id_nouns(tool)) == {noun: None}
                and is_short_for(bare, self._phrases[tool.name])
            }
            if len(fits) == 1 and fits != {noun}:
                self._alias[noun] = fits.pop()
                self._ids[self._alias[noun]] += self._ids[noun]
            elif bare != noun and bare in self._named:
                self._alias[noun] = self._canonical(bare)

    def _merge_keys(self, tools: list[ParsedTool]) -> None:
        """An id whose noun has no tools names the object of the tools that are keyed by it alone."""
        votes: dict[Noun, Counter[Noun]] = defaultdict(Counter)
        for tool in tools:
            ids = [n for n in dict.fromkeys(id_nouns(tool)) if n not in self._named]
            phrase = self._phrases[tool.name]
            keyed_alone = len(dict.fromkeys(id_nouns(tool))) == 1 and ids and not tool.plural
            new = phrase in self._named and phrase not in self._ids
            if tool.kind in ("read", "update", "delete") and keyed_alone and new:
                votes[ids[0]][phrase] += 1
        for noun, phrases in votes.items():
            best, count = phrases.most_common(1)[0]
            prefix = best[: len(noun)] == noun
            if noun not in self._alias and not prefix and (count > 1 or len(phrases) == 1):
                self._alias[noun] = self._canonical(best) if self._canonical(best) != noun else best

    def _own(self, tool: ParsedTool) -> Noun:
        phrase = self._phrases[tool.name]
        ids = [self.resolve(n) for n in dict.fromkeys(id_nouns(tool))]
        whole = self._canonical(phrase)
        acts = tool.kind in ("update", "transition")
        if phrase and whole in self.names and (not acts or not ids or whole in ids or whole in self._named):
            return whole
        parts = [p for size in range(len(phrase), 0, -1) for p in (phrase[-size:], phrase[:size])]
        found = [self._canonical(p) for p in parts if self._canonical(p) in self.names]
        if acts:
            found = [noun for noun in found if noun in ids] + found
        if found:
            return found[0]
        if tool.target and self._canonical(tool.target) in self.names:
            return self._canonical(tool.target)
        return next((noun for noun in ids if noun), ())


def abbreviates(one: Noun, other: Noun) -> bool:
    """True if two nouns differ only by words cut short: (config, row) and (configuration, row).

    >>> abbreviates(("config", "row"), ("configuration", "row")), abbreviates(("task",), ("tasklist",))
    (True, False)
    """
    return (
        len(one) == len(other)
        and one != other
        and all(
            a == b or tuple(sorted((a, b), key=len)) in words_of.ABBREVIATIONS for a, b in zip(one, other, strict=True)
        )
    )


def same_thing(extra: Noun, head: Noun, tools: list[ParsedTool]) -> bool:
    """True if a longer phrase is its head: the other words are fillers or the parent, or its tools take the head's key.

    Tools that only make such things make a sort of the head: ``create_text_channel`` makes a channel.
    """
    fillers = words_of.FILLERS | set(head)
    rest = [word for word in extra if word not in fillers and verb_kind(word) in ("", "transition")]
    if not rest or all(tool.kind in ("create", "send") for tool in tools):
        return True
    if any(noun == head for tool in tools for noun in id_nouns(tool)):
        return True
    if head[-1] in ("file", "directory", "folder") and all(_by_path(tool) for tool in tools):
        return True
    return all(_takes(tool, rest) for tool in tools)


def _by_path(tool: ParsedTool) -> bool:
    """True if a tool requires a path: a text file is found as any file is."""
    return any(p.required and p.words[-1:] == ("path",) for p in tool.parameters)


def _takes(tool: ParsedTool, words: list[str]) -> bool:
    """True if a tool requires a parameter that is named by one of the words, so that they are its parent."""
    named = [p for p in flat(tool.parameters) if p.required and (p.is_id or p.words[-1] in words_of.NATURAL_KEYS)]
    exact = [p for p in flat(tool.parameters) if p.required and p.words and p.words[-1] in words]
    return any(set(words) & set(p.words) for p in named) or bool(exact)


def _declared_noun(tool: ParsedTool) -> Noun:
    """Noun of the first id in a declared output that is no parameter."""
    taken = {p.name for p in flat(tool.parameters)}
    properties = tool.output.get("properties")
    if not isinstance(properties, dict):
        return ()
    for name, schema in properties.items():
        field = Parameter((name,), schema if isinstance(schema, dict) else {}, False, tuple(split_name(name)))
        if name not in taken and field.is_id and field.id_noun:
            return field.id_noun
    return ()


def _names(parameter: Parameter, noun: Noun) -> bool:
    """True if the parameter picks an existing thing of this noun: `flight_id`, `flight_number`, `flight`."""
    if parameter.is_id:
        return bool(noun) and parameter.id_noun[-1:] == noun[-1:]
    words = parameter.words
    return words == noun or (words[:-1] == noun and words[-1] in words_of.NATURAL_KEYS)


def _is_payload(parameter: Parameter) -> bool:
    return not parameter.is_id and parameter.words[:1] not in [(w,) for w in words_of.OPTION_WORDS]


def action_parameter(tool: ParsedTool) -> Parameter | None:
    """Return the enumeration that chooses the operation of a multiplexed tool."""
    for p in tool.parameters:
        if (
            p.snake in words_of.ACTION_NAMES
            and p.type == "string"
            and p.enum
        ):
            verbs = [v for v in p.enum if verb_kind(action_verb(v)) not in ("", "unknown")]
            if len(verbs) >= 2 and p.required:
                return p
    return None


def action_verb(value: Any) -> str:
    """Return the verb of an action value: ``add_item`` means add."""
    return str(value).lower().replace("-", "_").split("_")[0]


def action_branches(tool: ParsedTool) -> list[ParsedTool]:
    """Return a multiplexed tool once an action, each under the action's verb; [] for any other tool."""
    action = action_parameter(tool)
    if action is None:
        return []
    verbs = [action_verb(value) for value in action.enum]
    others = [p for p in tool.parameters if p is not action]
    return [with_verb(tool, verb, verb_kind(verb), others) for verb in verbs]
