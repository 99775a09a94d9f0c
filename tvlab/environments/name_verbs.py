"""Where the verb stands in a name, and which words before it are only a prefix.

A name is read by itself first; a prefix that several tools share (an area: ``hosting_``, ``Contacts``) and
the first sentence of the description help where it holds no clear verb.  Sentence and name must agree: the
verb of the sentence stands in the name, or the name is a noun phrase whose head the sentence's object names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tvlab.environments import descriptions, first_sentences
from tvlab.environments import vocabulary as words_of
from tvlab.environments.first_sentences import Said
from tvlab.foundation.words import singular

Prefix = tuple[str, ...]
_READS = frozenset({"read", "list", "search"})
_WRITES = frozenset({"create", "update", "upsert", "send", "transition", "link", "delete", "unlink"})
_OPENING = frozenset({"open", "launch", "generate"})


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
        and words[1] in words_of.PREFIX_SUFFIXES
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


def read_name(words: list[str], prefixes: set[Prefix], description: str, alone: bool) -> NameReading:
    """Read a name by itself; if not ``alone``, behind its prefix and with the first sentence too."""
    said = first_sentences.read(description)
    plain = _reading(words)
    if first_sentences.requests_the_web(description):
        return replace(plain, verb="fetch_web", kind="unknown")
    if plain.verb in _OPENING and _makes(plain, said, description):
        plain = replace(plain, kind="create")
    if plain.kind not in ("", "unknown"):
        state = plain.kind == "transition" and descriptions.new_status(description)
        if not state and _contradicts(plain, words, said):
            told = None if alone else _told(words, said, description)
            return told or replace(plain, kind="unknown")
        return _listed(plain, said) if plain.noun else _with_object(plain, said)
    if plain.verb == "check":
        return _checked(plain, said)
    if plain.kind == "unknown" or alone:
        return plain
    found = _behind(words, prefixes, said) or _confirmed(words, prefixes, said)
    return found or _told(words, said, description) or plain


def _makes(plain: NameReading, said: Said, description: str) -> bool:
    """True if an open or generate makes a record: ``open_ticket``, "A new dispute has the status open"."""
    if said.kind == "create":
        return True
    return plain.verb == "open" and bool(
        {singular(w) for w in plain.noun[-1:]} & words_of.OPENED_NOUNS or descriptions.first_status(description)
    )


def _contradicts(plain: NameReading, words: list[str], said: Said) -> bool:
    """True if the first sentence does another thing than the verb of the name, which may be a noun.

    ``file_content`` ("Retrieve the content"), ``import_from_archive`` ("Imports ..."), ``create_chart_url``
    ("Generates ...").  Any verb that is not the first word, or that is a noun just as well, needs agreement.
    """
    if not said.verb or said.verb == plain.verb or plain.kind == "manage":
        return False
    if said.verb in words and said.verb in words_of.NOUN_VERBS | words_of.NOUN_TOO | set(words_of.TRANSITIONS):
        return False
    kind = first_sentences.said_kind(said.verb)
    if said.verb in words_of.CONTRARY:
        return True
    if said.kind in _READS:
        return plain.kind not in (*_READS, "count") and (said.verb != "return" or plain.kind == "create")
    weak = plain.verb != words[0] or plain.verb in words_of.NOUN_VERBS
    return weak and kind not in ("unknown", plain.kind) and not {kind, plain.kind} <= _WRITES


def _behind(words: list[str], prefixes: set[Prefix], said: Said) -> NameReading | None:
    """Read ``hosting_show_status`` as ``show_status`` and ``contacts_controller_block`` as ``block_contacts``."""
    for size in (2, 1):
        if tuple(words[:size]) not in prefixes or len(words) <= size or not verb_kind(words[size]):
            continue
        alone = NameReading(words[size], verb_kind(words[size]), [], [])
        reading = _reading(words[size:]) if len(words) > size + 1 else alone
        if reading.verb == "check":
            return _checked(reading, said)
        if not _agree(reading, said):
            continue
        if reading.noun:
            return reading
        noun = words[:size]
        if noun and reading.kind != "create" and not reading.target:
            return replace(reading, noun=noun)
    return None


def _agree(reading: NameReading, said: Said) -> bool:
    """True if the sentence says the same; a read also where it says nothing, a state where it has no verb."""
    if reading.verb == "verify":
        return False
    if reading.kind == said.kind or (reading.verb == said.verb and said.kind != "unknown"):
        return True
    if reading.kind in _READS:
        return said.kind in (*_READS, "")
    return reading.kind in ("unknown", "transition") and said.kind == "" and reading.verb not in words_of.NOUN_VERBS


def _confirmed(words: list[str], prefixes: set[Prefix], said: Said) -> NameReading | None:
    """A verb inside or at the end of the name with which the first sentence begins: ``payout_release``."""
    at = next((i for i, w in enumerate(words) if i and said.verb and w == said.verb), None)
    if at is None and said.kind in _READS and verb_kind(words[-1]) == said.kind and len(words) > 1:
        at = len(words) - 1 if words[-1] not in words_of.NOUN_VERBS else None
    if at is None or not said.kind:
        return None
    before, after = words[:at], words[at + 1 :]
    if not after and said.kind not in _READS and not {singular(w) for w in before} & set(said.noun):
        return None
    kind = said.kind
    if kind == "send" and not {singular(w) for w in words} & words_of.MESSAGE_NOUNS:
        kind = "unknown"
    if after and after[0] not in words_of.PREPOSITIONS:
        noun, target = split_object(after)
        return NameReading(words[at], kind, noun, target)
    noun, target = split_object([*before, *after])
    if target and tuple(before) in prefixes:
        return NameReading(words[at], kind, [], target)
    return NameReading(words[at], kind, noun, target)


def _told(words: list[str], said: Said, description: str) -> NameReading | None:
    """A noun phrase alone, of whose head the first sentence says what is done with it."""
    noun, target = split_object([w for w in words if w not in words_of.ARTICLES] or words)
    if not noun or said.kind not in words_of.TOLD_KINDS or said.several:
        return None
    if verb_kind(words[-1]) == "unknown" or words[0] in words_of.UNKNOWN_VERBS - words_of.NOUN_TOO:
        return None
    if said.kind not in _READS and said.verb not in words_of.TOLD_WRITES:
        return None
    if any(_is_other_verb(word, said) for word in words):
        return None
    whole = len(noun)
    while len(noun) > 1 and {noun[-1], singular(noun[-1])} & (words_of.HOLLOW_NOUNS | words_of.AGENT_NOUNS):
        noun.pop()
    head = singular(noun[-1])
    if not said.noun:
        foreign = said.verb in words_of.FOREIGN_OPENINGS and said.kind == "read"
        return NameReading(said.verb, said.kind, noun, target) if foreign else None
    named = len(noun) == whole and noun[-1] != head
    many = named or said.is_list or (said.plural and len(noun) < whole) or first_sentences.returns_list(description)
    if said.kind in _READS and first_sentences.returns_object(description):
        many = False
    if head == said.noun[-1]:
        noun = [w for w in noun if singular(w) in said.noun]
    elif head in said.noun and len(said.noun) <= 3:
        noun = list(said.noun)
    else:
        return None
    return NameReading(said.verb, said.kind, noun, target or list(said.target), plural=many)


def _is_other_verb(word: str, said: Said) -> bool:
    """True for a word of a name that is a verb, no noun, and says another thing than the sentence."""
    kind = verb_kind(word)
    noun_too = word in words_of.NOUN_VERBS or word in words_of.NOUN_TOO
    return bool(kind) and not noun_too and word != said.verb and not {kind, said.kind} <= _READS


def _checked(plain: NameReading, said: Said) -> NameReading:
    """``check_stock`` reads what a check tells; a check of rules that are not stated stays unknown."""
    noun = plain.noun
    if noun and singular(noun[-1]) in words_of.CHECKED_NOUNS and said.kind in ("", "read", "list", "unknown"):
        return NameReading("check", "read", noun, plain.target, batch=plain.batch)
    return plain


def _with_object(plain: NameReading, said: Said) -> NameReading:
    """Give a read or search without an object the one that the sentence names under the same kind."""
    reads = {said.kind, plain.kind} <= _READS and not plain.target
    if not (reads and said.noun and not said.several) or set(said.noun) & words_of.NO_OBJECTS:
        return plain
    return NameReading(
        plain.verb, plain.kind, list(said.noun), plain.target, plain.state_word, plain.batch, said.plural
    )


def _reading(words: list[str]) -> NameReading:
    verb, kind, rest, tail = _verb(words)
    batch = any(word in words_of.BATCH_WORDS for word in (*rest, *tail))
    noun, target = split_object([w for w in rest if w not in words_of.BATCH_WORDS])
    state_word = ""
    if verb == "mark":
        noun, target, state_word = _marked(noun, target)
        kind = "transition" if state_word else "unknown"
    return NameReading(verb, kind, noun, target, state_word, batch)


def _listed(plain: NameReading, said: Said) -> NameReading:
    """``get_subscription_list`` lists subscriptions if the sentence says that it returns several of them."""
    if plain.kind not in _READS or len(plain.noun) < 2 or plain.noun[-1] != "list" or said.kind not in _READS:
        return plain
    if said.plural and said.noun[-1:] == (singular(plain.noun[-2]),):
        return replace(plain, noun=plain.noun[:-1], plural=True)
    return plain


def _verb(words: list[str]) -> tuple[str, str, list[str], list[str]]:
    """Return (verb, kind, words of the object, the words left out)."""
    words = [w for w in words if w not in words_of.ARTICLES] or words
    if len(words) > 3 and words[1] == "or" and verb_kind(words[0]) and verb_kind(words[2]):
        return "upsert", "upsert", words[3:], []
    if len(words) > 3 and words[1] == "and" and verb_kind(words[0]) and verb_kind(words[2]):
        return words[0], "unknown", words[3:], []
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
