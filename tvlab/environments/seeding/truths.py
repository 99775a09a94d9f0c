"""What the columns of one seeded record say of one another: flags, moments in order, years, names, places in a count.

For servers that are not the package's own.  Each rule changes values of columns that are there, or leaves out one that
contradicts the rest; columns that a list compares keep their kinds, keys and references stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from zlib import crc32

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.seeding.limits import is_number
from tvlab.environments.seeding.states import state_of
from tvlab.environments.seeding.tables import Row, Tables
from tvlab.environments.seeding.words import ORGANISATIONS, PEOPLE

Words = tuple[str, ...]

_HAVING = frozenset(("has", "have"))
_IS = frozenset(("is", "was"))
_DONE = frozenset("completed complete done closed finished resolved".split())
#: flag -> states in which it is true
_FLAGS: dict[str, frozenset[str]] = {
    **dict.fromkeys(_DONE, _DONE), "archived": frozenset(("archived",)), "open": frozenset(("open", "opened")),
    **dict.fromkeys(("cancelled", "canceled"), frozenset(("cancelled", "canceled"))),
    **dict.fromkeys(("published",), frozenset(("published", "live"))), "draft": frozenset(("draft",)),
    "paused": frozenset(("paused",)), "read": frozenset(("read",)), "running": frozenset(("running",)),
    **dict.fromkeys(("active", "enabled"), frozenset("active enabled on running live open".split())),
    **dict.fromkeys(("disabled", "inactive"), frozenset("disabled inactive off paused".split())),
}  # fmt: skip
_OFF = frozenset("disabled inactive off paused archived stopped suspended".split())
#: moments of one record in the order in which they come
_STAGES: tuple[tuple[frozenset[str], ...], ...] = (
    (frozenset("created create creation opened submitted added joined".split()),
     frozenset("updated update modified modification edited changed accessed viewed".split()),
     frozenset("completed closed finished resolved archived deleted".split())),
    (frozenset("start started begin from since arrival".split()),
     frozenset("end ended finish until stop departure".split())),
)  # fmt: skip
_STAMP = re.compile(r"^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z?)?$")
_CALLED = (("name",), ("title",), ("label",), ("display", "name"), ("displayname",), ("full", "name"))
_PLACES = frozenset("index position occurrence".split())
_COUNTED = frozenset("count counts total matches match size length".split())
_PERSONS = frozenset("author owner creator user assignee reporter sender member organizer uploader".split())
_TOLD = frozenset("name email username title avatar".split())
_UPPER = frozenset(("parent", "ancestor"))


def agree(tables: Tables) -> None:
    """Let the columns of each record agree, but for tables that no tool changes; the records are changed."""
    for entity, table, _ in tables.changing():
        if entity.told or entity.fact is not None:
            continue
        free = {n for n, f in entity.fields.items() if not f.reference and n not in entity.pair}
        for row in table.values():
            for rule in (_named_once, _in_time, _dated, _flagged, _counted):
                rule(entity, row, free)
        _by_person(entity, table)
        _within_container(entity, table)


def _words(names: set[str], row: Row, fits: Callable[[Any], bool]) -> dict[str, Words]:
    return {n: field_types.name_words(n) for n in row if n in names and fits(row[n])}


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _dispensable(entity: Entity, name: str) -> bool:
    column = entity.fields[name]
    return not column.required and not column.filtered and name != entity.label


def _named_once(entity: Entity, row: Row, free: set[str]) -> None:
    """Two columns that both name the record say the same; a title beside the name of a person is a salutation."""
    people = set(entity.noun[-1:]) & (PEOPLE | ORGANISATIONS)
    found: list[str] = []
    for name, words in _words(free, row, _is_text).items():
        rest = next((words[len(n) :] for n in (entity.noun, entity.noun[-1:]) if words[: len(n)] == n), words)
        plain = not {"enum", "values", "examples", "pattern", "format"} & set(entity.fields[name].schema)
        if rest in _CALLED and plain and not (people and rest == ("title",)):
            found.append(name)
    first = entity.label if entity.label in found else next(iter(found), "")
    told = row.get(first, "")
    for name in found:
        slug = re.fullmatch(r"[a-z0-9]+(?:[-_][a-z0-9]+)+", told)
        row[name] = told if name == first or not slug else re.sub(r"[-_]", " ", told).capitalize()


def _in_time(entity: Entity, row: Row, free: set[str]) -> None:
    """What is created is updated later and completed last; a start is before the end."""
    stamps = _words(free, row, lambda v: isinstance(v, str) and bool(_STAMP.match(v)))
    for stages in _STAGES:
        before = ""
        for stage in stages:
            here = [n for n, words in stamps.items() if stage & set(words)]
            for name in here:
                row[name] = _not_before(row[name], before)
            before = max([before, *(row[name] for name in here)])
    made = max([row[n] for n, words in stamps.items() if _STAGES[0][0] & set(words)] or [""])
    for name, words in stamps.items():
        if {"due", "deadline", "expires", "expiry", "expiration"} & set(words):
            row[name] = _not_before(row[name], made)


def _not_before(stamp: str, other: str) -> str:
    """Return a moment in its own form, or the other one in that form where it is later."""
    shared = min(len(stamp), len(other))
    if not shared or stamp[:shared] >= other[:shared]:
        return stamp
    return other[: len(stamp)] if len(stamp) <= len(other) else other + stamp[len(other) :]


def _dated(entity: Entity, row: Row, free: set[str]) -> None:
    """Year and month beside the one date of a record are those of the date."""
    stamps = _words(free, row, lambda v: isinstance(v, str) and bool(_STAMP.match(v)))
    dates = [n for n, words in stamps.items() if {"date", "day", "released", "published", "release"} & set(words)]
    ends = {*_STAGES[1][0], *_STAGES[1][1], "due"}
    dates = [n for n in dates if not ends & set(stamps[n])]
    if len(dates) != 1:
        return
    for name, words in _words(free, row, is_number).items():
        part = {"year": row[dates[0]][:4], "month": row[dates[0]][5:7]}.get(words[-1] if len(words) == 1 else "")
        if part:
            row[name] = int(part)


def _flagged(entity: Entity, row: Row, free: set[str]) -> None:
    """``has_x`` is true where x is there, ``is_completed`` where the state says so; what is not done has no end."""
    for name, words in _words(free, row, _is_flag).items():
        if words[0] in _HAVING and len(words) > 1:
            told = _held(words[1:], row, name, entity)
            row[name] = row[name] if told is None else told
    state = state_of({n: value for n, value in row.items() if n in free}, entity.noun)
    for name, words in _words(free, row, _is_flag).items():
        states = _FLAGS.get(words[-1]) if len(words) == 1 or (len(words) == 2 and words[0] in _IS) else None
        if states is not None and state:
            row[name] = state in states if words[-1] not in ("active", "enabled") else state not in _OFF
        if words[-1] in _DONE and not row[name]:
            for other, inner in _words(free, row, _is_text).items():
                dated = set(inner) & _DONE and field_types.is_moment(other, {"type": "string"})
                if dated and _dispensable(entity, other):
                    del row[other]


def _held(words: Words, row: Row, itself: str, entity: Entity) -> bool | None:
    """Whether a record holds what some words name, None if no column of its entity is called so."""
    one = field_types.singular_words(words)
    names = [n for n in entity.fields if n != itself and field_types.singular_words(field_types.name_words(n)) in (
        one, (*one, "id"), (*one, "url"), (*one, "count"))]  # fmt: skip
    return any(bool(row.get(name)) for name in names) if names else None


def _counted(entity: Entity, row: Row, free: set[str]) -> None:
    """A place among counted things is below their number: index 3 of 5 matches."""
    numbers = _words(free, row, is_number)
    for name, words in numbers.items():
        if words[-1:] and words[-1] in _PLACES and len(words) > 1:
            things = set(field_types.singular_words(words[:-1]))
            counts = [n for n, w in numbers.items() if n != name and set(w[-1:]) & _COUNTED
                      and things & set(field_types.singular_words(w))]  # fmt: skip
            if counts:
                row[name] = int(row[name]) % max(int(row[counts[0]]), 1)


def _by_person(entity: Entity, table: dict[str, Row]) -> None:
    """Name and address beside the id of a person are one for each id."""
    for column in entity.fields.values():
        words = field_types.name_words(column.name)
        if words[-1:] != ("id",) or not set(words[:-1]) & _PERSONS or column.type == "array":
            continue
        for other in entity.fields.values():
            rest = field_types.name_words(other.name)
            told = rest == words[:-1] or (rest[:-1] == words[:-1] and rest[-1] in _TOLD)
            if other.reference or not told or other.type != "string":
                continue
            first: dict[str, Any] = {}
            for row in table.values():
                if column.name in row and other.name in row:
                    row[other.name] = first.setdefault(str(row[column.name]), row[other.name])


def _within_container(entity: Entity, table: dict[str, Row]) -> None:
    """What is above a record lies in the same container: the parent of a comment is under the same issue."""
    above = [n for n, f in entity.fields.items() if f.type != "array" and (
        f.reference == entity.name or (not f.reference and _UPPER & set(field_types.name_words(n))))]  # fmt: skip
    holds = [n for n, f in entity.fields.items()
             if f.reference and f.reference != entity.name and n in entity.parents and f.type != "array"]  # fmt: skip
    earlier: list[Row] = []
    for key, row in table.items():
        for name in above:
            other = table.get(str(row.get(name)))
            if other is None or (other is not row and all(other.get(n) == row.get(n) for n in holds)):
                continue
            fit = [one for one in earlier if all(one.get(n) == row.get(n) for n in holds)]
            if fit:
                row[name] = fit[crc32(f"{key} {name}".encode()) % len(fit)][entity.key]
            elif not entity.fields[name].required:
                del row[name]
        earlier.append(row)
