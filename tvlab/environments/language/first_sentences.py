"""What the first sentence of a description says: the verb, its object, the noun after the preposition.

"Retrieves core protocol information for a single trial" is a read of (core, protocol) for a trial.  The
sentence is evidence for names that hold no verb of their own; a sentence that does two things, that begins
with no known verb, or whose object is only pronouns says nothing.  Words are compared, never executed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from tvlab.environments.language import sentence_words
from tvlab.environments.language import vocabulary as words_of
from tvlab.foundation.words import singular

_END = re.compile(
    r"[.!?](?:\s|\\n|$)|\n\s*\n|\n\s*[-*#@:]|\n\s*(?:Args|Parameters|Returns|Input|Example)|[;:—–⚠]| - "
)
_TOKEN = re.compile(r"[^\W_][^\W_'’/-]*(?:['’/-][^\W_]+)*|[(),]")
_RETURNS_LIST = re.compile(
    r"\breturns?:?\s+(?:an?\s+|the\s+)?(?:\w+\s+)?(?:list|array)\s+of\b|(?:返回|回傳)\S{0,12}列表",
    re.IGNORECASE,
)
_RETURNS_OBJECT = re.compile(
    r"\breturns?:?\s+(?:an?\s+|the\s+)?(?:JSON\s+)?(?:object|dict|dictionary|mapping|map)\b", re.IGNORECASE
)
_WEB_REQUEST = re.compile(
    r"\b(?:make|send|perform|execute)s? an? (?:\w+ )?(?:HTTP|GraphQL|REST|API)\b[\w /]*\brequests?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Said:
    """What a first sentence says; empty parts where it says nothing."""

    verb: str = ""
    kind: str = ""
    noun: tuple[str, ...] = ()
    plural: bool = False
    target: tuple[str, ...] = ()
    several: bool = False
    is_list: bool = False


@lru_cache(maxsize=8192)
def read(description: str) -> Said:
    """Return what the first sentence of a description says.

    >>> read("Retrieves the reviews of a hotel.")
    Said(verb='retrieve', kind='read', noun=('review',), plural=True, target=('hotel',), several=False, is_list=False)
    >>> read("Get detailed information about a specific planet").noun
    ('planet',)
    >>> read("Returns a list of all tracks in an album").plural
    True
    >>> read("Fetch the orders and save them to a file").kind
    'unknown'
    """
    tokens = _opening(description)
    if not tokens:
        return Said(*_foreign(description))
    verb, rest = _verb(tokens)
    if not verb:
        return Said(*_foreign(description))
    kind = said_kind(verb)
    if rest[:1] in (["and"], ["or"], [","]):
        second = lemma(rest[1]) if len(rest) > 1 else ""
        if said_kind(second):
            if {kind, said_kind(second)} == {"create", "update"} and rest[0] == "or":
                verb, kind = "upsert", "upsert"
            elif not {kind, said_kind(second)} <= {"read", "list", "search"}:
                kind = "unknown"
            rest = rest[2:]
    if any(a in ("and", "then") and lemma(b) in sentence_words.SECOND_ACTS for a, b in pairwise(rest)):
        kind = "unknown"
    return _object(verb, kind, rest)


def returns_list(description: str) -> bool:
    """True if the description promises a list ("Returns a list of ...")."""
    return bool(_RETURNS_LIST.search(description))


def requests_the_web(description: str) -> bool:
    """True if the first sentence says that the call is a web request of the caller's making."""
    return bool(_WEB_REQUEST.search(re.split(_END, description.strip(), maxsplit=1)[0]))


def returns_object(description: str) -> bool:
    """True if the description promises one object ("Returns an object with ...", "Returns: Dictionary")."""
    match = _RETURNS_OBJECT.search(description)
    return match is not None and not re.search(
        r"\b(?:list|array)\b", description[match.end() : match.end() + 120]
    )


def lemma(word: str) -> str:
    """Return the verb of a form in -s: ``retrieves`` is ``retrieve``; ``""`` for a word that is no verb."""
    forms = [word, word[:-1], word[:-2], word[:-3] + "y"] if word.endswith("s") else [word]
    return next((form for form in forms if said_kind(form) or form in sentence_words.COMPUTING_VERBS), "")


def said_kind(verb: str) -> str:
    """Return the kind of operation that a verb means at the head of a sentence."""
    if verb in sentence_words.SENTENCE_VERBS:
        return sentence_words.SENTENCE_VERBS[verb]
    return words_of.VERBS.get(verb) or (
        "transition" if verb in words_of.TRANSITIONS else "unknown" if verb in words_of.UNKNOWN_VERBS else ""
    )


def _opening(description: str) -> list[str]:
    text = re.sub(r"^(?:\s|[#*>•-]|[^\x00-\x7f\w]|[\[(【][^\])】]*[\])】])*", "", description)
    if not text[:1].isalnum():
        return []
    text = re.split(_END, re.sub(r"\([^()]*\)", " ", text), maxsplit=1)[0]
    text = re.sub(r"\b(?:one|1) or (?:more|multiple|several)\b", "multiple", text, flags=re.IGNORECASE)
    tokens = [t.lower() for t in _TOKEN.findall(text)]
    while tokens and (
        tokens[0] in sentence_words.OPENERS or (tokens[0] == "use" and tokens[1:2] == ["this"])
    ):
        tokens.pop(0)
    return tokens


def _verb(tokens: list[str]) -> tuple[str, list[str]]:
    if tokens[:2] in (["look", "up"], ["looks", "up"]):
        return "lookup", tokens[2:]
    return lemma(tokens[0]), tokens[1:]


def _object(verb: str, kind: str, rest: list[str]) -> Said:
    """Read the object; "details of", "a list of", "information about" lead on to the thing itself."""
    is_list, counts = False, False
    for _hop in range(3):
        words, rest, stop = _phrase(rest)
        heads = [singular(w) for w in words]
        is_list = is_list or "list" in heads[-1:] or words[:1] == ["all"]
        counts = counts or heads[-1:] == ["number"]
        kept = [w for w in words if w != "all"]
        plural = bool(kept) and kept[-1] != singular(kept[-1])
        while kept and singular(kept[-1]) in sentence_words.HOLLOW_NOUNS:
            kept.pop()
        if kept or stop not in ("of", "about", "for", "on", "from", "regarding"):
            break
    if counts and kind == "read":
        kind = "count"
    target = _phrase(rest)[0] if stop in words_of.PREPOSITIONS else []
    return Said(
        verb,
        kind,
        tuple(singular(part) for w in kept for part in re.split("[-/]", w)),
        bool(kept) and (plural or is_list),
        tuple(singular(w) for w in target),
        stop in ("and", "or") or (stop == "," and bool({"and", "or"} & set(rest[:6]))),
        is_list,
    )


def _phrase(tokens: list[str]) -> tuple[list[str], list[str], str]:
    """Return the words of a noun phrase, the tokens after the word that ends it, and that word."""
    words: list[str] = []
    for at, token in enumerate(tokens):
        if words in ([], ["all"]) and token in sentence_words.HOLLOW_ADJECTIVES:
            continue
        participle = (
            words not in ([], ["all"]) and len(token) > 4 and token.endswith("ed") and "-" not in token
        )
        if participle or token in words_of.PREPOSITIONS or token in sentence_words.PHRASE_ENDS:
            return words, tokens[at + 1 :], token
        if token == "all" or token not in sentence_words.HOLLOW_ADJECTIVES:
            words.append(re.sub(r"['’]s?$", "", token))
    return words, [], ""


def _foreign(description: str) -> tuple[str, str]:
    """Return verb and kind of a sentence that begins with a known verb of another script."""
    text = description.strip()
    return next(
        ((verb, kind) for verb, kind in sentence_words.FOREIGN_OPENINGS.items() if text.startswith(verb)),
        ("", ""),
    )
