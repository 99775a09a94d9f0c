"""What the told tables of one server are about: keys of one kind are the same keys in all of them.

A city that has weather has a forecast, and a symbol with a price has a history: a caller may ask for any of them.
Values that a text of the server lists for a word (``exchange``: NSE, BSE) are those of that word everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from tvlab.environments.domain import field_types, known_things
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, FactRows, Field
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.runtime import State
from tvlab.foundation.words import singular

Keys = tuple[str, ...]

#: so many keys of one kind
MOST = 16
#: words whose values are those of the server, and not of what stands beside them
_OF_SERVER = frozenset("exchange interval timeframe granularity network chain platform marketplace region".split())


@dataclass
class _Slot:
    """Where the keys of a told table come from."""

    words: tuple[str, ...]
    keys: Keys
    put: Callable[[Keys], None]


def share(domain: Domain, told: Iterable[str]) -> None:
    """Let the told tables of a server that are looked up by keys of one kind know the same ones."""
    for name in told:
        entity = domain.entities[name]
        if entity.pair and entity.fact is None and entity.key_kind == "minted" and not domain.guessed_texts:
            entity.fact = FactRows(entity.pair, single=True)
    slots = [slot for name in told for slot in _slots(domain.entities[name])]
    slots += [slot for entity in domain.entities.values() if entity.hidden and entity.name not in told
              for slot in _own_key(entity)]  # fmt: skip
    for slot in slots:
        slot.keys = _listed(slot, domain) or slot.keys
    waiting = slots
    while waiting:
        group = _alike(waiting[0], waiting)
        longest = sorted(group, key=lambda slot: -len(slot.keys))
        keys = tuple(dict.fromkeys(key for slot in longest for key in slot.keys))
        most = max(MOST, len(longest[0].keys))
        for slot in group:
            slot.put(keys[:most])
        waiting = [slot for slot in waiting if slot not in group]


def name_once(entity: Entity, users: list[Meaning]) -> None:
    """Let ``compound_name`` be the ``name`` of a compound: two names of one record would contradict each other.

    The ``owner_name`` of the kites of an owner is another one than the ``name`` of each kite.
    """
    several = any(meaning.tool.plural for meaning in users)
    for name in list(entity.fields):
        words = field_types.name_words(name)
        nouns = entity.noun[-1:] if several else entity.noun
        itself = len(words) == 2 and words[1] == "name" and words[0] in nouns
        if not itself or "name" not in entity.fields or entity.fields[name].type != "string" or entity.key == name:
            continue
        plain, long = entity.fields["name"], entity.fields.pop(name)
        plain.filtered, plain.in_input = plain.filtered or long.filtered, plain.in_input or long.in_input
        plain.schema = known_things.columns(entity.noun).get("name") or plain.schema
        entity.pair = tuple("name" if one == name else one for one in entity.pair)
        if entity.fact is not None:
            keys = tuple("name" if one == name else one for one in entity.fact.keys)
            entity.fact = replace(entity.fact, keys=keys)
        for meaning in users:
            meaning.roles = [replace(r, field="name") if r.field == name else r for r in meaning.roles]


def number_of(entity: Entity, domain: Domain, state: State) -> int:
    """Return how many records a told table needs so that each of its subjects has one, 0 if it has no such list."""
    column = entity.fields.get(entity.key)
    target = domain.entities.get(column.reference or "") if column is not None else None
    if target is not None:
        return len(state.get(target.table, {}))
    return len(entity.examples) if entity.key_kind == "natural" else 0


def _slots(entity: Entity) -> list[_Slot]:
    named = entity.fact.keys if entity.fact is not None else entity.pair
    columns = [entity.fields[name] for name in named if name in entity.fields]
    plain = [c for c in columns if c.type == "string" and not c.reference and c.schema.get("examples")]
    return [*_own_key(entity), *(_of_column(column) for column in plain)]


def _own_key(entity: Entity) -> list[_Slot]:
    if entity.key_kind != "natural" or entity.key_type != "string" or not entity.examples:
        return []

    def put(keys: Keys) -> None:
        entity.examples = keys

    return [_Slot(field_types.name_words(entity.key), entity.examples, put)]


def _of_column(column: Field) -> _Slot:
    def put(keys: Keys) -> None:
        column.schema = {**column.schema, "examples": list(keys)}

    return _Slot(field_types.name_words(column.name), tuple(column.schema["examples"]), put)


def _alike(first: _Slot, slots: list[_Slot]) -> list[_Slot]:
    """The slots that share half of the keys of the shorter one with the first, or with one that does."""
    group = [first]
    grown = True
    while grown:
        more = [s for s in slots if s not in group and any(_overlap(s.keys, one.keys) for one in group)]
        group, grown = group + more, bool(more)
    return group


def _overlap(one: Keys, two: Keys) -> bool:
    return 2 * len(set(one) & set(two)) >= min(len(one), len(two))


def _listed(slot: _Slot, domain: Domain) -> Keys:
    """The values that the texts of the server list for a word, the longest list there is; () if there is none."""
    if singular(slot.words[-1]) not in _OF_SERVER:
        return ()
    columns = [f for e in domain.entities.values() if not e.told for f in e.fields.values()]
    named = [f for f in columns if field_types.name_words(f.name) == slot.words and f.type == "string"]
    lists = [tuple(f.schema.get("examples") or f.schema.get("enum") or f.schema.get("values") or ()) for f in named]
    return max((one for one in lists if len(one) > 1 and all(isinstance(v, str) for v in one)), key=len, default=())
