"""Seeds of a field's own kind: the examples that parameters are told by, and the words for the ordinary thing.

``prepare`` hands what the texts of a server's parameters give to entities and columns: keys of the family of an
example ("e.g. BTC/USDT"), and a key such as ``primary`` that a text names for what is usually meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.nouns import flat
from tvlab.environments.domain.tool_parsing import Parameter
from tvlab.environments.language import value_families
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.steering import said_of

_SYMBOLS = frozenset("symbol ticker symbols tickers pair market".split())
_NO_EXAMPLES = frozenset(
    "query q search filter keyword text content body message name title description path url".split()
)
#: examples of so many values are a list to draw from
_LEAST = 2


def prepare(domain: Domain) -> None:
    """Give entities and columns the examples and special keys that the texts tell."""
    told: dict[str, dict[tuple[str, ...], None]] = {name: {} for name in domain.entities}
    for tool in domain.tools:
        own = domain.own.get(tool.name)
        for p in flat(tool.parameters):
            text = said_of(p, tool)
            target = domain.reference(p, own) if not p.many else None
            if target is not None and target.key_type == "string":
                told[target.name][_tell_keys(target, p, text)] = None
            elif own is not None:
                _tell_column(own, p, text)
    for entity in domain.entities.values():
        entity.examples = entity.examples or in_turn(told[entity.name])
    for entity in domain.entities.values():
        family = value_families.said_family(entity.noun)
        if family and set(field_types.name_words(entity.key)[-1:]) & _SYMBOLS and entity.key_kind == "natural":
            entity.examples = entity.examples or family


def _tell_keys(target: Entity, p: Parameter, text: str) -> tuple[str, ...]:
    """Note the special key that a parameter's text tells, and return the keys that it gives as examples."""
    special = value_families.special_key(text)
    if special and p.is_id:
        target.special = target.special or special
    return examples_of(p, text) if target.key_kind == "natural" else ()


def in_turn(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the keys of several lists, one of each in turn: a symbol stands for stocks and for currency pairs alike.

    >>> in_turn([("AAPL", "MSFT"), ("EURUSD",), ("AAPL", "KO")])
    ('AAPL', 'EURUSD', 'MSFT', 'KO')
    """
    return tuple(dict.fromkeys(key for row in zip_longest(*lists) for key in row if key is not None))


def _tell_column(own: Entity, p: Parameter, text: str) -> None:
    column = own.field_of(p.words)
    if column is None or column.type != "string" or {"enum", "values", "examples"} & set(column.schema):
        return
    found = examples_of(p, text)
    if found:
        column.schema = {**column.schema, "examples": list(found)}


def examples_of(p: Parameter, text: str) -> tuple[str, ...]:
    """Return keys of the kind that a parameter's text gives examples of, () if it tells none.

    One example counts if its family is known, or two that are told together.
    """
    told = p.type == "string" and not p.enum and not p.is_id and p.words and p.words[-1] not in words_of.CONTENT_WORDS
    if not told or set(p.words[-1:]) & _NO_EXAMPLES or field_types.is_moment(p.name, p.schema):
        return ()
    found = value_families.told_examples(text)
    family = value_families.family_of(found)
    if family:
        return tuple(dict.fromkeys((*found, *family)))
    return tuple(found) if len(found) >= _LEAST else ()
