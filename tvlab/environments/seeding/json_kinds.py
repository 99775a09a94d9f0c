"""What a JSON text holds by the name of its field, where no description gives an example of it."""

from __future__ import annotations

from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.seeding.kinds import Source
from tvlab.environments.seeding.words import TOPICS

_FIELDS = ("title", "price", "category", "author", "status", "created_at")
#: one of a list -> what the list holds
_LISTED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("attribute", "field", "column", "property"), _FIELDS),
    "word": ("the", "and", "with", "for", "of"),
    "rule": ("words", "typo", "proximity", "sort", "exactness"),
    "language": ("en", "de", "fr"),
    "scope": ("read", "write", "admin"),
    **dict.fromkeys(("tag", "label", "keyword", "topic", "category", "term"), tuple(TOPICS)),
}
#: what is no list though it is named in the plural
_MAPS = frozenset("synonym value variable header parameter mapping translation".split())


def named_value(name: str, values: Source) -> Any:
    """Return a JSON value of the kind that a name says, None if it says none.

    >>> from tvlab.environments.seeding.values import Values
    >>> from tvlab.foundation.seeds import generator
    >>> drawn = Values(generator(0, "x"))
    >>> [type(named_value(name, drawn)).__name__ for name in ("stop_words", "distinct_attribute", "pagination")]
    ['list', 'str', 'NoneType']
    """
    words = field_types.name_words(name)
    one = field_types.singular_words(words)[-1:]
    if not one or one[0] not in _MAPS | set(_LISTED):
        return None
    if one[0] in _MAPS:
        listed = one[0] == "synonym"
        keys = TOPICS if listed else _FIELDS
        drawn = {str(values.choice(keys)): str(values.choice(TOPICS)) for _ in range(2)}
        return {key: [value] for key, value in drawn.items()} if listed else drawn
    if one == words[-1:]:
        return str(values.choice(_LISTED[one[0]]))
    return list(dict.fromkeys(str(values.choice(_LISTED[one[0]])) for _ in range(values.integer(2, 4))))
