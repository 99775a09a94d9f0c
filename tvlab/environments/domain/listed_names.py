"""Names of fields that a text lists one by one: "Returns id, size and contentType", "Each row has index and values".

Each of a list of which most are fields of the record is meant as one: it is in every record, and a list with a name
that no field bears is not true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tvlab.environments.domain import field_types
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.foundation.words import singular

Words = tuple[str, ...]

_NAME = r"[`'\"*]*[A-Za-z]\w*[`'\"*]*(?: \([^()]*\))?"
_LIST = rf"(?P<what>{_NAME}(?:(?:,? (?:and|or) |, ?){_NAME})+)"
_FORMS = tuple(
    re.compile(form + _LIST, re.IGNORECASE)
    for form in (
        r"\breturns?:? (?:[a-z ]{0,40}?\b(?:including|with) )?",
        r"\beach [a-z ]{2,30}? (?:has|includes|contains):? ",
        r"\b(?:lists?|shows?) [a-z ]{3,60}?: ",
        r"\b(?:content|details?|information|info|fields|metadata|properties) \(",
        r"\bset of fields \(",
    )
)
_PARTS = re.compile(r",| and | or ")
_BORNE_BY = {"sender": ("from", "sender", "author"), "recipient": ("to", "recipient"), "author": ("author", "creator")}
#: fewer names are no list
_FEWEST = 2
_LONGEST = 1500


def lists(text: str) -> list[list[Words]]:
    """Return the lists of single names in a text, each name as its words.

    >>> lists("Lists attachments on a message: id, name, contentType.")
    [[('id',), ('name',), ('content', 'type')]]
    >>> lists("Retrieves the full content (subject, sender) of a message.")
    [[('subject',), ('sender',)]]
    >>> lists("Returns the newest orders of a customer and all that is in them.")
    []
    """
    found = []
    for form in _FORMS:
        for match in form.finditer(unwrapped(text[:_LONGEST])):
            plain = re.sub(r"\([^()]*\)|[`'\"*]", "", match["what"])
            parts = [part.strip() for part in _PARTS.split(plain) if part.strip(" .")]
            if len(parts) >= _FEWEST and all(len(part.split()) == 1 for part in parts):
                found.append([field_types.name_words(part) for part in parts])
    return found


def named(text: str, columns: Iterable[str], key: str) -> set[str]:
    """Return the columns of a record that the lists of a text name."""
    return {column for one in _of_record(text, list(columns), key) for _, borne in one for column in borne}


def unborne(text: str, columns: Iterable[str], key: str) -> list[str]:
    """Return the names in lists of a record's fields that are none of its fields."""
    return [" ".join(words) for one in _of_record(text, list(columns), key) for words, borne in one if not borne]


def _of_record(text: str, columns: list[str], key: str) -> list[list[tuple[Words, list[str]]]]:
    """The lists of which more than half are fields, each name with the fields that bear it."""
    result = []
    for names in lists(text):
        borne = [(words, _bearing(words, columns, key)) for words in names]
        if sum(bool(found) for _, found in borne) * 2 > len(borne):
            result.append(borne)
    return result


def _bearing(words: Words, columns: list[str], key: str) -> list[str]:
    if words in (("id",), field_types.name_words(key)):
        return [key]
    plain = tuple(singular(word) for word in words)
    forms = {column: tuple(singular(word) for word in field_types.name_words(column)) for column in columns}
    exact = [column for column, form in forms.items() if form == plain]
    others = _BORNE_BY.get(plain[-1], ())
    return exact or [column for column, form in forms.items() if form[0] in others]
