"""Where the verb stands in a name, and which words before it are only a prefix.

A name is read by itself first; a prefix that several tools share (an area: ``hosting_``, ``Contacts``) and
the first sentence of the description help where it holds no clear verb.  Sentence and name must agree: the
verb of the sentence stands in the name, or the name is a noun phrase whose head the sentence's object names.
"""

from __future__ import annotations

from dataclasses import replace

from tvlab.environments.language import descriptions, first_sentences, sentence_words
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.language.bare_verbs import bare_reading
from tvlab.environments.language.first_sentences import Said
from tvlab.environments.language.name_words import NameReading, Prefix, plain_reading, split_object, verb_kind
from tvlab.foundation.words import singular

_READS = frozenset({"read", "list", "search"})
_WRITES = frozenset({"create", "update", "upsert", "send", "transition", "link", "delete", "unlink"})
_OPENING = frozenset({"open", "launch", "generate"})


def read_name(words: list[str], prefixes: set[Prefix], description: str, alone: bool) -> NameReading:
    """Read a name by itself; if not ``alone``, behind its prefix and with the first sentence too."""
    said = first_sentences.read(description)
    if not alone and (bare := bare_reading(words, said)) is not None:
        return bare
    plain = plain_reading(words)
    if plain.verb == "archive" and descriptions.means_deleting(description):
        plain = replace(plain, kind="delete")
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
        {singular(w) for w in plain.noun[-1:]} & sentence_words.OPENED_NOUNS
        or descriptions.first_status(description)
    )


def _contradicts(plain: NameReading, words: list[str], said: Said) -> bool:
    """True if the first sentence does another thing than the verb of the name, which may be a noun.

    ``file_content`` ("Retrieve the content"), ``import_from_archive`` ("Imports ..."), ``create_chart_url``
    ("Generates ...").  Any verb that is not the first word, or that is a noun just as well, needs agreement.
    """
    if not said.verb or said.verb == plain.verb or plain.kind == "manage":
        return False
    if said.verb in words and said.verb in sentence_words.NOUN_VERBS | words_of.NOUN_TOO | set(
        words_of.TRANSITIONS
    ):
        return False
    kind = first_sentences.said_kind(said.verb)
    if said.verb in sentence_words.CONTRARY:
        return True
    if said.kind in _READS:
        return plain.kind not in (*_READS, "count") and (said.verb != "return" or plain.kind == "create")
    weak = plain.verb != words[0] or plain.verb in sentence_words.NOUN_VERBS
    return weak and kind not in ("unknown", plain.kind) and not {kind, plain.kind} <= _WRITES


def _behind(words: list[str], prefixes: set[Prefix], said: Said) -> NameReading | None:
    """Read ``hosting_show_status`` as ``show_status`` and ``contacts_controller_block`` as ``block_contacts``."""
    for size in (2, 1):
        if tuple(words[:size]) not in prefixes or len(words) <= size or not verb_kind(words[size]):
            continue
        alone = NameReading(words[size], verb_kind(words[size]), [], [])
        reading = plain_reading(words[size:]) if len(words) > size + 1 else alone
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
    return (
        reading.kind in ("unknown", "transition")
        and said.kind == ""
        and reading.verb not in sentence_words.NOUN_VERBS
    )


def _confirmed(words: list[str], prefixes: set[Prefix], said: Said) -> NameReading | None:
    """A verb inside or at the end of the name with which the first sentence begins: ``payout_release``."""
    at = next((i for i, w in enumerate(words) if i and said.verb and w == said.verb), None)
    if at is None and said.kind in _READS and verb_kind(words[-1]) == said.kind and len(words) > 1:
        at = len(words) - 1 if words[-1] not in sentence_words.NOUN_VERBS else None
    if at is None or not said.kind:
        return None
    before, after = words[:at], words[at + 1 :]
    if not after and said.kind not in _READS and not {singular(w) for w in before} & set(said.noun):
        return None
    kind = said.kind
    if kind == "send" and not {singular(w) for w in words} & sentence_words.MESSAGE_NOUNS:
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
    if not noun or said.kind not in sentence_words.TOLD_KINDS or said.several:
        return None
    if verb_kind(words[-1]) == "unknown" or words[0] in words_of.UNKNOWN_VERBS - words_of.NOUN_TOO:
        return None
    if said.kind not in _READS and said.verb not in sentence_words.TOLD_WRITES:
        return None
    if any(_is_other_verb(word, said) for word in words):
        return None
    whole = len(noun)
    while len(noun) > 1 and {noun[-1], singular(noun[-1])} & (
        sentence_words.HOLLOW_NOUNS | sentence_words.AGENT_NOUNS
    ):
        noun.pop()
    head = singular(noun[-1])
    if not said.noun:
        foreign = said.verb in sentence_words.FOREIGN_OPENINGS and said.kind == "read"
        return NameReading(said.verb, said.kind, noun, target) if foreign else None
    named = len(noun) == whole and noun[-1] != head
    many = (
        named
        or said.is_list
        or (said.plural and len(noun) < whole)
        or first_sentences.returns_list(description)
    )
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
    noun_too = word in sentence_words.NOUN_VERBS or word in words_of.NOUN_TOO
    return bool(kind) and not noun_too and word != said.verb and not {kind, said.kind} <= _READS


def _checked(plain: NameReading, said: Said) -> NameReading:
    """``check_stock`` reads what a check tells; a check of rules that are not stated stays unknown."""
    noun = plain.noun
    if (
        noun
        and singular(noun[-1]) in sentence_words.CHECKED_NOUNS
        and said.kind in ("", "read", "list", "unknown")
    ):
        return NameReading("check", "read", noun, plain.target, batch=plain.batch)
    return plain


def _with_object(plain: NameReading, said: Said) -> NameReading:
    """Give a read or search without an object the one that the sentence names under the same kind."""
    reads = {said.kind, plain.kind} <= _READS and not plain.target
    if not (reads and said.noun and not said.several) or set(said.noun) & sentence_words.NO_OBJECTS:
        return plain
    return NameReading(
        plain.verb, plain.kind, list(said.noun), plain.target, plain.state_word, plain.batch, said.plural
    )


def _listed(plain: NameReading, said: Said) -> NameReading:
    """``get_subscription_list`` lists subscriptions if the sentence says that it returns several of them."""
    if plain.kind not in _READS or len(plain.noun) < 2 or plain.noun[-1] != "list" or said.kind not in _READS:
        return plain
    if said.plural and said.noun[-1:] == (singular(plain.noun[-2]),):
        return replace(plain, noun=plain.noun[:-1], plural=True)
    return plain
