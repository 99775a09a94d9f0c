"""A name by itself: its verb, object and preposition, and which words are only a prefix of several names.

Only the form of the names is read; what descriptions add is in ``name_verbs.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tvlab.environments.language import sentence_words
from tvlab.environments.language import vocabulary as words_of

Prefix = tuple[str, ...]


@dataclass(frozen=True)
class NameReading:
    """Verb, kind of operation, words of the object and of the noun after the preposition."""

    verb: str
    kind: str
    noun: list[str]
    target: list[str]
    state_word: str = ""
    batch: bool = False
    plural: bool | None = None


def verb_kind(word: str) -> str:
    """Return the kind of operation a verb means: ``create`` ... ``transition``, ``unknown`` or ``""``."""
    if word in words_of.VERBS:
        return words_of.VERBS[word]
    if word in words_of.TRANSITIONS:
        return "transition"
    return "unknown" if word in words_of.UNKNOWN_VERBS else ""


def without_version(words: list[str]) -> list[str]:
    """Drop a version at the end: ``listOrdersV1``."""
    if len(words) > 1 and re.fullmatch(r"v\d+", words[-1]):
        return words[:-1]
    ending = re.fullmatch(r"([a-z]{2,4})v1", words[-1]) if len(words) > 1 else None
    return [*words[:-1], ending[1]] if ending else words


def without_suffixes(names: dict[str, list[str]]) -> dict[str, list[str]]:
    """Drop the second word of ``sessions_controller_list``; ``api`` and the like where three names share it."""
    pairs = Counter(tuple(words[:2]) for words in names.values() if len(words) > 2)
    return {
        name: [words[0], *words[2:]]
        if len(words) > 2
        and words[1] in sentence_words.PREFIX_SUFFIXES
        and (words[1] == "controller" or pairs[tuple(words[:2])] >= 3)
        else words
        for name, words in names.items()
    }


def namespace(names: Iterable[list[str]]) -> set[str]:
    """First words that at least 60% of four or more tool names share and that are no verbs."""
    names = [name for name in names if len(name) > 1]
    if len(names) < 4:
        return set()
    common: set[str] = set()
    while True:
        firsts = Counter(strip(name, common)[0] for name in names)
        word, number = firsts.most_common(1)[0]
        if number < 0.6 * len(names) or verb_kind(word) or word in common:
            return common
        bare = [
            name
            for name in names
            if name[0] == word and all(verb_kind(w) for w in strip(name, {*common, word}))
        ]
        if len(bare) > len(names) / 3:
            return common
        common.add(word)


def strip(words: list[str], common: set[str]) -> list[str]:
    """Drop the namespace's words at the front, never the last word."""
    while len(words) > 1 and words[0] in common:
        words = words[1:]
    return words


def areas(names: Iterable[list[str]]) -> set[Prefix]:
    """Prefixes of one or two words, no verbs, that three or more names share and mostly a verb follows."""
    after: dict[Prefix, list[str]] = {}
    for name in names:
        for size in (1, 2):
            if len(name) > size and not any(verb_kind(word) for word in name[:size]):
                after.setdefault(tuple(name[:size]), []).append(name[size])
    return {
        prefix
        for prefix, words in after.items()
        if len(words) >= 3
        and sum(bool(verb_kind(w)) for w in words) >= 0.6 * len(words)
        and len({w for w in words if verb_kind(w)}) >= 2
    }


def plain_reading(words: list[str]) -> NameReading:
    """Read a name without its description."""
    verb, kind, rest, tail = _verb(words)
    batch = any(word in words_of.BATCH_WORDS for word in (*rest, *tail))
    noun, target = split_object([w for w in rest if w not in words_of.BATCH_WORDS])
    state_word = ""
    if verb == "mark":
        noun, target, state_word = _marked(noun, target)
        kind = "transition" if state_word else "unknown"
    return NameReading(verb, kind, noun, target, state_word, batch)


def _verb(words: list[str]) -> tuple[str, str, list[str], list[str]]:
    """Return (verb, kind, words of the object, the words left out)."""
    words = [w for w in words if w not in words_of.ARTICLES] or words
    if len(words) > 3 and words[1] == "or" and verb_kind(words[0]) and verb_kind(words[2]):
        return "upsert", "upsert", words[3:], []
    if len(words) > 3 and words[1] == "and" and verb_kind(words[0]) and verb_kind(words[2]):
        return words[0], "unknown", words[3:], []
    if len(words) > 2 and words[0] == "confirm" and words[1] in ("delete", "remove", "cancel", "archive"):
        return _verb(words[1:])
    pair = "_".join(words[:2])
    if pair in words_of.TRANSITIONS and len(words) > 1:
        return pair, "transition", words[2:], []
    if words[0] in words_of.BATCH_WORDS and len(words) > 2:
        verb, kind, rest, tail = _verb(words[1:])
        return verb, kind, rest, [words[0], *tail]
    first = verb_kind(words[0]) or ("unknown" if words[0] == "mark" else "")
    later = [
        i
        for i, w in enumerate(words)
        if i and w in words_of.FIRM_VERBS and words[i - 1] not in words_of.PREPOSITIONS
    ]
    firm = words[0] in words_of.FIRM_VERBS or first == "manage"
    if first and (firm or (len(words) > 1 and not _noun_first(words, later))):
        return words[0], first, words[1:], []
    if later:
        at = later[0]
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


def split_object(words: list[str]) -> tuple[list[str], list[str]]:
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
