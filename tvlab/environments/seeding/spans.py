"""Moments and bounds of seeded records in order, at any depth: a start before its end, a trade before its disclosure.

For servers that are not the package's own.  Two values that contradict each other change places.  What is planned,
runs or is done has dates that say so by the clock; what answers another record is written after it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from zlib import crc32

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.runtime import CLOCK
from tvlab.environments.seeding.limits import is_number
from tvlab.environments.seeding.moments import day_of, moment_of, moved
from tvlab.environments.seeding.states import state_of
from tvlab.environments.seeding.tables import Row, Tables, found_by

Words = tuple[str, ...]

_CREATED = "created create creation opened submitted added"
#: words of what comes first -> words of what comes later
_ORDER: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(first.split()), frozenset(later.split())) for first, later in (
        ("start starts started begin begins beginning from since", "end ends ended finish finishes until stop"),
        ("start starts started begin", "due deadline"), ("start starts started begin", "release released"),
        ("transaction trade traded", "disclosure disclosed filing filed reported"),
        ("period", "filing filed accepted"), ("hire hired joined", "leave left termination terminated"),
        (_CREATED, "updated update modified modification edited changed"),
        (_CREATED, "completed closed finished resolved archived expires expiry expiration expire"),
        ("issued issue invoice", "due"), ("checkin", "checkout"), ("shipped", "delivered delivery"),
        ("declaration declared", "record"), ("record", "payment paid"), ("valid", "expires expiry"),
    )
)  # fmt: skip
_BOUNDS: tuple[tuple[str, str], ...] = (
    ("min", "max"), ("minimum", "maximum"), ("start", "end"), ("from", "to"), ("lower", "upper"), ("low", "high"),
    ("first", "last"), ("lowest", "highest"),
)  # fmt: skip
_TRIPS = frozenset("flight trip leg segment train bus ride journey connection".split())
_TRIP = (frozenset("departure departs departed depart".split()), frozenset("arrival arrives arrived arrive".split()))
_DONE = frozenset("done completed complete finished closed ended past expired".split())
_RUNNING = frozenset("started active running ongoing current".split()) | {"in progress", "in_progress", "live"}
_PLANNED = frozenset("unstarted planned upcoming scheduled future".split()) | {"to do", "not started"}


def agree(tables: Tables) -> None:
    """Let moments and bounds of the records be in order; the records are changed."""
    now = str(tables.state[CLOCK]["now"])
    for entity, table, _ in tables.changing():
        kept = found_by(entity) | {*entity.scope, *([entity.fact.dated] if entity.fact is not None else [])}
        for key, row in table.items():
            _born(row, key)
            in_order(row, entity.noun, kept)
            if entity.fact is None:
                _by_the_clock(entity, row, now)
        _after_parents(entity, table)


def in_order(value: Any, noun: Words = (), kept: frozenset[str] = frozenset()) -> None:
    """Put the moments and bounds of an object, and of all objects in it, in order; the object is changed.

    Args:
        value: the object, a list of objects, or anything else.
        noun: words of the thing.
        kept: names whose values stay.
    """
    if isinstance(value, list):
        for part in value:
            in_order(part, noun)
        return
    if not isinstance(value, dict):
        return
    for part in value.values():
        in_order(part, noun)
    stamps = {n: field_types.name_words(n) for n, v in value.items() if moment_of(v)}
    for first, later in (*_ORDER, *((_TRIP,) if _TRIPS & set(noun) else ())):
        for one in [n for n, words in stamps.items() if first & set(words)]:
            for two in [n for n, words in stamps.items() if later & set(words) and not first & set(words)]:
                if one != two and _comparable(stamps[one], stamps[two], first, later):
                    _ordered(value, one, two, kept)
    _bounded(value, kept)


def _born(value: Any, salt: str) -> None:
    """Who has a birthday was born decades ago."""
    for part in value if isinstance(value, list) else ():
        _born(part, salt)
    for name, held in value.items() if isinstance(value, dict) else ():
        words = set(field_types.name_words(name))
        if isinstance(held, (dict, list)):
            _born(held, salt)
        elif ("birthday" in words or {"birth", "date"} <= words) and moment_of(held) and held[5:10] != "02-29":
            value[name] = f"{1950 + crc32(salt.encode()) % 50}{held[4:]}"


def _comparable(one: Words, two: Words, first: frozenset[str], later: frozenset[str]) -> bool:
    """True unless both names speak of different things: ``sale_start`` and ``rental_end``."""
    plain = {"date", "time", "at", "on", "day", "timestamp", "datetime", "of", "actual"}
    left, right = set(one) - first - plain, set(two) - later - plain
    return left == right or not left or not right


def _ordered(value: Row, one: str, two: str, kept: frozenset[str]) -> None:
    before, after = moment_of(value[one]), moment_of(value[two])
    shared = min(len(before), len(after), 19)
    if before[:shared] <= after[:shared]:
        return
    if len(before) == len(after) and not {one, two} & kept and type(value[one]) is type(value[two]):
        value[one], value[two] = value[two], value[one]
    elif two not in kept:
        _put(value, two, moved(after, day_of(before) - day_of(after) + timedelta(days=1)))
    elif one not in kept:
        _put(value, one, moved(before, day_of(after) - day_of(before) - timedelta(days=1)))


def _put(value: Row, name: str, stamp: str) -> None:
    if isinstance(value[name], dict):
        inner = next(n for n, v in value[name].items() if moment_of(v))
        value[name] = {**value[name], inner: stamp}
    else:
        value[name] = stamp


def _bounded(value: Row, kept: frozenset[str]) -> None:
    """Let the least of two numbers that are called alike be the lower one."""
    numbers = {n: field_types.name_words(n) for n, v in value.items()
               if is_number(v) and n not in kept}  # fmt: skip
    for low, high in _BOUNDS:
        for one, words in numbers.items():
            if words.count(low) != 1:
                continue
            at = words.index(low)
            other = next((n for n, w in numbers.items() if w == (*words[:at], high, *words[at + 1 :])), "")
            if other and value[one] > value[other]:
                value[one], value[other] = value[other], value[one]


def _by_the_clock(entity: Entity, row: Row, now: str) -> None:
    """What is done lies behind the clock, what is planned ahead of it, what runs around it."""
    words = {n: field_types.name_words(n) for n in row}
    told = state_of(row, entity.noun)
    first, later = _ORDER[0]
    starts = [n for n, w in words.items() if first & set(w) and len(w) <= 2 and moment_of(row[n])]
    ends = [n for n, w in words.items() if later & set(w) and len(w) <= 2 and moment_of(row[n])]
    if len(starts) != 1 or len(ends) != 1 or not told:
        return
    start, end, today = day_of(moment_of(row[starts[0]])), day_of(moment_of(row[ends[0]])), day_of(now)
    shift = timedelta(0)
    if told in _DONE and end >= today:
        shift = today - end - timedelta(days=1 + start.day % 9)
    elif told in _PLANNED and start <= today:
        shift = today - start + timedelta(days=1 + start.day % 9)
    elif told in _RUNNING and not start <= today <= end:
        shift = today - start - (end - start) // 2
    if shift:
        for name in (*starts, *ends):
            _put(row, name, moved(moment_of(row[name]), shift))


def _after_parents(entity: Entity, table: dict[str, Row]) -> None:
    """What answers another record of its table is written after it."""
    above = [f.name for f in entity.fields.values() if f.type != "array" and (
        f.reference == entity.name or (not f.reference and "parent" in field_types.name_words(f.name)))]  # fmt: skip
    made = [n for n in entity.fields if set(_CREATED.split()) & set(field_types.name_words(n))]
    later = {w for first, words in _ORDER if "created" in first for w in words}
    stages = {*made, *(n for n, f in entity.fields.items() if later & set(field_types.name_words(n))
                       and not f.reference and field_types.is_moment(n, f.schema))}  # fmt: skip
    for _ in range(3 if above and made else 0):
        for row in table.values():
            for name in above:
                other = table.get(str(row.get(name)), {})
                for moment in made:
                    one, two = moment_of(other.get(moment)), moment_of(row.get(moment))
                    if one and two and len(one) == len(two) and two < one:
                        by = day_of(one) - day_of(two) + timedelta(days=1)
                        row.update({n: moved(row[n], by) for n in stages & set(row) if moment_of(row[n])})
