"""Names of one word that say what is done and not to what: ``remember`` ("Store a new memory."), ``forget``.

The first sentence must name the thing and do what such a word means; alone, neither says enough.
"""

from __future__ import annotations

from tvlab.environments.language.first_sentences import Said
from tvlab.environments.language.name_words import NameReading

_MEANS = {
    **dict.fromkeys(("remember", "memorize", "jot", "note"), frozenset({"create"})),
    **dict.fromkeys(("forget", "discard"), frozenset({"delete"})),
    "recall": frozenset({"search", "read"}),
}


def bare_reading(words: list[str], said: Said) -> NameReading | None:
    """Return what such a name does and to what, None if it is no such name or its text says otherwise."""
    if len(words) != 1 or said.several or not said.noun or said.kind not in _MEANS.get(words[0], ()):
        return None
    return NameReading(said.verb, said.kind, list(said.noun), list(said.target), plural=said.plural)
