"""Phrases of a sentence that speak of what a tool does not take here: ``with an optional reason``, ``by number or ID``.

A sentence that names a parameter which left the schema leaves a text as a whole (``true_texts.py``).  The first one,
which says what the tool is, cannot; so the phrase leaves it, and what is left is a narrower tool that is true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tvlab.foundation.words import split_name, stem

Words = frozenset[str]

_ARTICLES = frozenset(
    stem(w)
    for w in "a an the its their his her optional specific given specified particular selected certain custom "
    "additional advanced various other by of for with one more and or any all both either".split()
)
#: words that say too little to tell one parameter from another
_GENERIC = frozenset(stem(w) for w in "id name key value type number title".split())
_BETWEEN = re.compile(r"\s*,\s*(?:(?:and/or|and|or)\s+)?|\s+(?:and/or|and|or)\s+", re.IGNORECASE)
_BRACKET = re.compile(r"\([^()]*\)")
_BARE = r"[^.;:(),]"
#: a list up to the end of its clause
_LIST = r"(?:[^.;:()]|\([^()]*\))+?"
_STOP = r"(?=\s*(?:[.;:)]|\s-\s|$))"
_FILTERING = re.compile(
    rf"(?P<head>,?\s+(?:with|and)\s+(?:(?:optional|advanced|additional)\s+)?(?:filters?|filtering)"
    rf"|,?\s+optionally\s+(?:filter(?:ed|ing)?|narrow(?:ed|ing)?))"
    rf"(?:(?P<by>\s+(?:by|on)\s+(?P<items>{_LIST}))(?P<more>\s+options)?{_STOP}"
    rf"|(?:\s+options)?(?=\s*(?:[.;:,)]|\s-\s|$|\s+and\b)))",
    re.IGNORECASE,
)
#: filters and a search in one: both leave, or neither does
_FILTER_AND_SEARCH = re.compile(
    r",?\s+with\s+(?:optional\s+)?(?:filters?|filtering)\s+and\s+(?:full-?text|free-?text|text)\s+(?:query|search)\b",
    re.IGNORECASE,
)
_FILTER_AND_SORT = re.compile(
    r"\b(?P<filter>filtering|filters?)(?P<between>\s*(?:,|and|&|/)+\s*)(?P<sort>sorting|ordering|sort|order)\b",
    re.IGNORECASE,
)
_WITH = re.compile(
    rf",?\s+(?P<lead>with|and)\s+(?:an?\s+)?(?P<kind>optional|specific|selected)\s+(?P<items>{_BARE}+?)(?=\s*(?:[.;:,)]|$))",
    re.IGNORECASE,
)
_OPTIONALLY = re.compile(
    rf",?\s+(?:and\s+|or\s+)?\boptionally\s+(?P<items>{_BARE}+?)(?=\s*(?:[.;:,)]|$))", re.IGNORECASE
)
_OPTIONS = re.compile(r",?\s+with\s+(?P<items>(?:[a-z-]+\s+){0,3}?)options(?=\s*(?:[.;:,)]|$))", re.IGNORECASE)
_BY = re.compile(rf"\bby\s+(?P<items>{_LIST}){_STOP}", re.IGNORECASE)
_CHOSEN = re.compile(
    rf"\s+(?:from|in|for|of)\s+(?:an?|the)\s+(?:specified|given|specific|particular|selected)\s+(?P<items>{_BARE}+?)"
    r"(?=\s*(?:[.;:,)]|$|\s(?:from|in|on|of|for|with|by|to)\s))",
    re.IGNORECASE,
)
_VERBS = re.compile(
    r"^(?P<before>\W*(?:(?:tip|note)\s*:\s*)?)(?P<verbs>(?:list|get|read|show|browse|search|find|filter|sort|query)"
    r"(?:\s*(?:,|/|and|&|\s)\s*(?:and\s+)?(?:list|get|read|show|browse|search|find|filter|sort|query)\b)+)(?=\s)",
    re.IGNORECASE,
)
_PLAIN_VERBS = frozenset({"list", "get", "read", "show", "browse"})
_PAGED = (
    (re.compile(r"\b(a)\s+(?:cursor-)?paginated\s+(?=[aeiou])", re.IGNORECASE), r"\1n "),
    (re.compile(r"\b(?:cursor-)?paginated\s+(?=\w)", re.IGNORECASE), ""),
    (re.compile(r"\s*\((?:results? (?:are|is) )?(?:cursor-)?paginated\)", re.IGNORECASE), ""),
    (re.compile(r",?\s+with\s+(?:[\w-]+\s+)?pagination(?:\s+support)?(?=\s*(?:[.;:,)]|$))", re.IGNORECASE), ""),
    (re.compile(r"\s+and\s+pagination\b", re.IGNORECASE), ""),
)
#: a sentence of nothing but paging
_MERE_PAGING = re.compile(
    r"^\W*(?:(?:the )?(?:results?|responses?|lists?)\s+(?:are|is)\s+|supports?\s+)?(?:cursor-?)?paginat(?:ed|ion)\W*$",
    re.IGNORECASE,
)
_USED = re.compile(
    r"\b(?:use|uses|using|set|pass|specify|provide|via)\s+(?:the\s+)?(?P<items>[\w$`'\", ]{1,60}?)\s+"
    r"(?:filters?|parameters?|options?|arguments?|flags?)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"['\"](?P<name>\w+)['\"]|[{,]\s*(?P<key>\w+):\s|\b[Uu]se `?(?P<used>[a-z]+_\w+|[a-z]+[A-Z]\w+)\b")
_UP_TO = re.compile(r",?\s+up\s+to\s+(?:the\s+)?`?(?P<items>\w+)`?(?=\s*(?:[.;:,)]|$))", re.IGNORECASE)
_GIVING = re.compile(
    r"\b(?P<head>(?:provide|give|pass|specify|use|set)\s+)(?P<items>[\w$`', ]+?)(?=\s+(?:to|for)\s|\s*[.;:)]|$)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\bthe\s+`?(?P<name>\w+)`?\s+(?:parameter|argument|flag|filter)\b", re.IGNORECASE)
#: for one or, without its name, for all
_ONE_OR_ALL = re.compile(
    r"\s+for\s+(?:one|an?|the)\s+[^,.;()]*(?:\([^()]*\)\s*)?\bor,?\s+with(?:out|\s+no)\s+(?:an?\s+|the\s+)?`?(?P<items>\w+)`?,?",
    re.IGNORECASE,
)
_AND_MORE = re.compile(
    rf"^(?P<head>\W*(?:update|change|edit|modify|set|create|add)s?\s+{_BARE}+?)\s+and\s+(?P<items>{_BARE}+?)(?=\s*[.;]|\s*$)",
    re.IGNORECASE,
)
_LED = re.compile(r"^\W*`(?P<name>\w+)` (?:is|must|may|can|should|defaults?)\b")
_BOTH = re.compile(r"^\W*(?:omit|leave out|skip) both\b", re.IGNORECASE)
_BESIDE = re.compile(
    r"\b(?:mutually exclusive with|(?:an )?alternative to|instead of|together with|combined with|used with"
    r"|in combination with)\s+(?:the\s+)?[`'\"]?(?P<name>\w+)",
    re.IGNORECASE,
)
_SEARCHES = re.compile(r"\b(?:kql|(?:use|used|syntax|queries) to (?:search|filter))\b", re.IGNORECASE)
_ORDERS = re.compile(
    r"\bdefault (?:sort|order|ordering|sort order) (?:is|:)|^\W*(?:sort(?:ed|s)?|order(?:ed|s)?) by\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Given:
    """What a tool takes here, and what left it.

    Attributes:
        parameters: words of the names of its parameters and of their inner ones.
        gone: the same of the parameters that left the schema.
        texts: stems of the words that are said of its parameters.
        optional: whether a parameter is left that a call may leave out.
        pages: whether it pages.
        filters: whether it compares a value that a call may leave out, or looks for a text.
        searches: whether it looks for a text.
        sorts: whether it sorts as the call says.
        reads: whether it reads; what a change makes may have pages and filters of its own.
    """

    parameters: frozenset[Words] = frozenset()
    gone: frozenset[Words] = frozenset()
    texts: Words = frozenset()
    optional: bool = False
    pages: bool = False
    filters: bool = False
    searches: bool = False
    sorts: bool = False
    reads: bool = True


def words_of(text: str) -> Words:
    """Return the stems of the words of a name or a phrase that tell it from another.

    >>> sorted(words_of("the optional projectId"))
    ['id', 'project']
    """
    return frozenset(stem(word) for word in split_name(text)) - _ARTICLES


def shortened(sentence: str, given: Given) -> tuple[str, list[str]]:
    """Return a sentence without the phrases that speak of what the tool does not take, and these.

    >>> given = Given(frozenset({words_of("id")}), frozenset({words_of("reason"), words_of("number")}))
    >>> shortened("Delete a channel by number or ID, with an optional reason.", given)
    ('Delete a channel by ID.', [', with an optional reason', 'number or '])
    """
    found: list[str] = []

    def without(pattern: re.Pattern[str], text: str, rewritten: object) -> str:
        def one(match: re.Match[str]) -> str:
            new = rewritten(match)  # type: ignore[operator]
            if new != match[0]:
                found.append(_lost(match[0], new))
            return str(new)

        return pattern.sub(one, text)

    text = sentence
    if not given.pages and given.reads:
        for pattern, instead in _PAGED:
            text = without(pattern, text, lambda match, i=instead: match.expand(i))
    if given.gone:
        text = without(_BRACKET, text, lambda match: "" if _speaks(match[0], given) else match[0])
        if not given.sorts and given.reads:
            text = without(_FILTER_AND_SORT, text, lambda match: match["filter"])
        if given.reads and not given.filters:
            text = without(_FILTER_AND_SEARCH, text, lambda match: "")
        if given.reads:
            text = without(_FILTERING, text, lambda match: _filtering(match, given))
        text = without(_WITH, text, lambda match: _with(match, given))
        text = without(_OPTIONALLY, text, lambda match: "" if _touches(match["items"], given) else match[0])
        text = without(_OPTIONS, text, lambda match: "" if _no_options(match["items"], given) else match[0])
        text = without(_BY, text, lambda match: _by(match, given))
        text = without(_ONE_OR_ALL, text, lambda match: "" if _named(match["items"], given) else match[0])
        text = without(_AND_MORE, text, lambda match: match["head"] if _is_gone(match["items"], given) else match[0])
        text = without(_UP_TO, text, lambda match: "" if _named(match["items"], given) else match[0])
        text = without(_GIVING, text, lambda match: _giving(match, given))
        text = without(_CHOSEN, text, lambda match: "" if _is_gone(match["items"], given) else match[0])
        if not given.filters and given.reads:
            text = without(_VERBS, text, _verbs)
    return (re.sub(r"\s+([.,;])", r"\1", text), found) if found else (sentence, found)


def speaks_of_gone(sentence: str, given: Given) -> bool:
    """True if a sentence beside the first speaks of paging, sorting or parameters that are not here.

    >>> given = Given(gone=frozenset({words_of("names")}))
    >>> speaks_of_gone("Mutually exclusive with names.", given), speaks_of_gone("Results are paginated.", given)
    (True, True)
    """
    if not given.reads:
        return bool(given.gone) and _names_gone(sentence, given)
    if not given.pages and _MERE_PAGING.match(sentence):
        return True
    if not given.sorts and _ORDERS.search(sentence):
        return True
    if not given.gone:
        return False
    if _BOTH.match(sentence):
        return True
    searched = any(words & {"search", "query", "q", "filter"} for words in given.gone) and not given.searches
    return bool(searched and _SEARCHES.search(sentence)) or _names_gone(sentence, given)


def _names_gone(sentence: str, given: Given) -> bool:
    """True if a sentence names a parameter that left, as one."""
    named = [next(filter(None, match.groups())) for match in _QUOTED.finditer(sentence)]
    named += [match["name"] for pattern in (_BESIDE, _NAMED, _LED) for match in pattern.finditer(sentence)]
    listed = [item for match in _USED.finditer(sentence) for item in _BETWEEN.split(match["items"])]
    return any(name != "id" and _named(name, given) for name in [*named, *listed])


def _named(name: str, given: Given) -> bool:
    """True for the very name of a parameter that left, and not of one that is here."""
    words = words_of(name)
    return words in given.gone and words not in given.parameters


def _speaks(text: str, given: Given) -> bool:
    """True if a bracket speaks of a parameter that left, by its name or as the other way."""
    names = [match[0] for match in re.finditer(r"\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+(?:[A-Z][a-z]+)+\b", text)]
    names += [match["name"] for match in _BESIDE.finditer(text)]
    return any(_named(name, given) for name in names)


def _is_gone(item: str, given: Given) -> bool:
    """True if an item is a parameter that left, and none that is here."""
    words = words_of(_BRACKET.sub("", item))
    if words in given.gone and words not in given.parameters:
        return True
    left = any(_alike(words, other) for other in given.gone)
    return bool(words) and left and not any(_alike(words, other) for other in given.parameters)


def _touches(phrase: str, given: Given) -> bool:
    """True if a phrase has a word of a parameter that left, and none of one that is here."""
    words = words_of(phrase) - _GENERIC
    return bool(words & frozenset().union(*given.gone)) and not words & frozenset().union(*given.parameters)


def _alike(item: Words, parameter: Words) -> bool:
    if item == parameter:
        return True
    if parameter <= item:
        return bool(parameter - _GENERIC)
    shared = item & parameter
    return item <= parameter or (bool(shared - _GENERIC) and len(shared) * 2 >= len(item))


def _is_given(item: str, given: Given) -> bool:
    words = words_of(item)
    known = given.texts.union(*given.parameters)
    dated = {stem("date"), stem("time"), stem("timestamp")} & words
    spans = {stem(w) for w in "since until from to start end before after".split()}
    return (
        not words
        or any(a == b or (len(a) > 5 and a[:5] == b[:5]) for a in words for b in known)
        or bool(dated and spans & known)
    )


def _filtering(match: re.Match[str], given: Given) -> str:
    """What is left of ``, optionally filtered by A and B``: nothing, or the criteria that are here."""
    if not match["by"]:
        return match[0] if given.filters else ""
    items, kept = _items(match["items"]), []
    for item in items:
        known = given.searches or _is_given(item, given)
        if known and not _is_gone(item, given):
            kept.append(item)
    if len(kept) == len(items):
        return match[0]
    by = re.match(r"\s+(?:by|on)\s+", match["by"])
    return f"{match['head']}{by[0] if by else ' by '}{_joined(kept, 'and')}{match['more'] or ''}" if kept else ""


def _with(match: re.Match[str], given: Given) -> str:
    """What is left of ``with optional A and B``."""
    items = _items(match["items"])
    kept = [item for item in items if not _is_gone(item, given)]
    if len(kept) == len(items):
        return match[0]
    return f" {match['lead']} {match['kind']} {_joined(kept, 'and')}" if kept else ""


#: what follows a conjunction that is no criterion, but another thing that the call does
_ACTS = re.compile(r"(?:limit|sort|order|include|exclude|return|get|show|set|choose)\b", re.IGNORECASE)


def _by(match: re.Match[str], given: Given) -> str:
    """What is left of ``by A, B or C``; all of it if none of them is a parameter that is here."""
    items = [item for item in _items(match["items"]) if re.search(r"\w", item)]
    kept = [item for item in items if not _is_gone(re.sub(r"^by\s+", "", item), given)]
    if len(kept) == len(items) or not kept or any(_ACTS.match(item) for item in kept):
        return match[0]
    word = re.search(r"\b(and/or|and|or)\b", match["items"], re.IGNORECASE)
    return f"by {_joined(kept, word[1] if word else 'or')}"


def _giving(match: re.Match[str], given: Given) -> str:
    """What is left of ``Provide A or B``, where both are names of parameters."""
    items = _items(match["items"])
    kept = [item for item in items if not _named(item, given)]
    if len(kept) == len(items) or not kept or not all(words_of(item) in given.parameters for item in kept):
        return match[0]
    return f"{match['head']}{_joined(kept, 'or')}"


def _no_options(item: str, given: Given) -> bool:
    """True if ``with A options`` says of what can be chosen here more than there is."""
    said = words_of(item) - {stem("filtering"), stem("sorting"), stem("filter"), stem("sort")}
    if words_of(item) != said and not said:
        return not given.filters
    return not given.optional and not any(stem("options") in words for words in given.parameters)


def _verbs(match: re.Match[str]) -> str:
    """The verbs at the head without those that look for or sort something, unless none would be left."""
    verbs = re.findall(r"[A-Za-z]+", match["verbs"])
    kept = [v for v in verbs if v.lower() in _PLAIN_VERBS]
    if not kept or all(v.lower() in _PLAIN_VERBS for v in verbs):
        return match[0]
    return match["before"] + kept[0]


def _items(text: str) -> list[str]:
    """Split a list at its commas and conjunctions, but not inside brackets."""
    hidden = _BRACKET.sub(lambda m: m[0].replace(",", "\0").replace(" ", "\1"), text)
    return [part.replace("\0", ",").replace("\1", " ").strip() for part in _BETWEEN.split(hidden) if part.strip()]


def _joined(items: list[str], word: str) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"


def _lost(old: str, new: str) -> str:
    """What of a text is not in the new one: its middle, where both begin or end alike."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[start : len(old) - end]
