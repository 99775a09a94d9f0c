"""Seeded rows of the fact tables: every key has its rows, dates stand near the state's clock."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from tvlab.environments.domain import field_types, known_things
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.facts import fact_values, told_seeding, told_subjects, told_times
from tvlab.environments.runtime import State
from tvlab.environments.seeding import words as seed_words
from tvlab.environments.seeding.values import Values

if TYPE_CHECKING:
    from tvlab.environments.domain.domain import Domain

#: rows that a table of facts has at most
_MOST = 400
#: rows that each combination of keys has at least
_FEWEST = 2
_PLACES = frozenset("exchange chain network marketplace platform".split())
_YEARLY = frozenset("flow statement sheet annual yearly cashflow income".split())
#: days between two rows of what is not of every day
_APART = {"dividend": 91, "split": 600, "earning": 91}
_EVENTS = frozenset("trade transaction order filing news bid transfer".split())
_AHEAD = frozenset("forecast upcoming calendar next future".split())


def fact_rows(domain: Domain, entity: Entity, state: State, values: Values) -> dict[str, dict[str, Any]]:
    """Return the rows of a fact table under their keys.

    One row a combination of keys where the fact is one record; several rows a combination otherwise, dated
    or with labels of their own.
    """
    assert entity.fact is not None
    combinations: list[dict[str, Any]] = [{}]
    if not entity.fact.keys and entity.fact.single:
        each = 1
    else:
        combinations = _combinations(domain, entity, state, values)
        each = 1 if entity.fact.single else 4 if entity.fact.keys else 10
        each = each if entity.fact.single else entity.fact.each or each
        each = each if entity.fact.keys else min(each, known_things.number_of(entity.noun) or each)
        each = max(each, 0 if values.guessing else len(_all_of(entity)))
    rows: dict[str, dict[str, Any]] = {}
    if len(combinations) * each > _MOST:
        each = max(_FEWEST, _MOST // len(combinations))
    for combination in combinations[: _MOST // each]:
        for at in range(each):
            key = f"{entity.noun[-1][:3] if entity.noun[-1].isascii() else 'row'}-{values._hex(8)}"
            row = _row(entity, combination, at, len(rows), values)
            rows[key] = {entity.key: key, **row}
    return _ranked(entity, rows)


def _combinations(domain: Domain, entity: Entity, state: State, values: Values) -> list[dict[str, Any]]:
    """Combinations of keys: subjects side by side, enumerations and years across them."""
    assert entity.fact is not None
    columns = [entity.fields[name] for name in entity.fact.keys]
    subjects = [c for c in columns if not _is_aspect(c)]
    aspects = [c for c in columns if _is_aspect(c)]
    if not subjects:
        subjects, aspects = columns[:1], columns[1:]
    lists = {c.name: _choices(domain, c, entity, state, values) for c in columns}
    crossed = [c for c in subjects if _is_place(c, subjects, domain)]
    crossed = [c for c in crossed if all(lists[c.name] != lists[o.name] for o in subjects if o is not c)]
    if len(crossed) < len(subjects):
        subjects, aspects = [c for c in subjects if c not in crossed], [*aspects, *crossed]
    result = []
    for chosen in product(*(lists[c.name] for c in aspects)):
        for beside in _side_by_side(subjects, lists):
            one = beside | dict(zip((c.name for c in aspects), chosen, strict=True))
            if all(values_ for values_ in lists.values()):
                result.append(_in_agreement(domain, entity, one, state))
        if len(result) > _MOST:
            break
    return list({tuple(one.items()): one for one in result}.values())


def _side_by_side(subjects: list[Field], lists: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Values of the subjects beside one another; of two currencies, each with every other one."""
    paired = _paired(subjects)
    if len(subjects) == 2 and len(paired) == 1 and lists[subjects[0].name] == lists[subjects[1].name]:
        one, two = (c.name for c in subjects)
        return [{one: a, two: b} for a, b in product(lists[one], lists[two]) if a != b]
    count = min(max((len(lists[c.name]) for c in subjects), default=1), told_subjects.MOST)
    return [
        {c.name: lists[c.name][(at + place * (c.name in paired)) % len(lists[c.name])]
         for place, c in enumerate(subjects)}
        for at in range(count)
    ] if all(lists[c.name] for c in subjects) else []  # fmt: skip


def _paired(subjects: list[Field]) -> set[str]:
    """Subjects that must differ from the one before: two currencies, two addresses."""
    words = [set(field_types.name_words(c.name)) for c in subjects]
    return {c.name for c, w in zip(subjects, words, strict=True) if w & {"to", "target", "destination", "quote"}}


def _is_aspect(column: Field) -> bool:
    words = set(field_types.name_words(column.name))
    return bool(column.schema.get("enum")) or bool(
        words & {"year", "quarter", "month", "date", "season", "interval", "timeframe", "granularity"}
    )


def _is_place(column: Field, subjects: list[Field], domain: Domain) -> bool:
    """True for a place where the same things are dealt in as at others: every exchange has its price of a coin."""
    others = [domain.entities[c.reference] for c in subjects if c.reference and c is not column]
    inside = column.reference and any(e.reference_to(column.reference) is not None for e in others)
    return len(subjects) > 1 and field_types.name_words(column.name)[-1] in _PLACES and not inside


def _choices(domain: Domain, column: Field, entity: Entity, state: State, values: Values) -> list[Any]:
    if column.reference:
        target = domain.entities[column.reference]
        return [row[target.key] for row in state.get(target.table, {}).values()]
    noun = ("currency",) if field_types.name_words(column.name) in (("from",), ("to",)) else entity.noun
    name = "currency" if noun == ("currency",) else column.name
    return fact_values.key_values(
        name, column.schema, noun, values, max(told_subjects.MOST, len(column.schema.get("enum", ())))
    )


def _in_agreement(domain: Domain, entity: Entity, one: dict[str, Any], state: State) -> dict[str, Any]:
    """Let the parents of a chosen record be its own: a build's pipeline is the one named beside it."""
    for name in one:
        column = entity.fields[name]
        if not column.reference:
            continue
        target = domain.entities[column.reference]
        row = state.get(target.table, {}).get(str(one[name]), {})
        for other in one:
            above = entity.fields[other].reference
            inherited = target.reference_to(above) if above and other != name else None
            if inherited is not None and inherited.name in row and inherited.type != "array":
                one = {**one, other: row[inherited.name]}
    return one


def _row(entity: Entity, combination: dict[str, Any], at: int, index: int, values: Values) -> dict[str, Any]:
    assert entity.fact is not None
    row: dict[str, Any] = {}
    noun = tuple(w for w in entity.noun if w not in ("record", "more"))
    noun = noun if noun and noun[-1] in seed_words.PEOPLE else entity.noun
    for column in entity.fields.values():
        if column.name in combination:
            row[column.name] = combination[column.name]
        elif column.name == "symbol" and not values.guessing and (listed := _all_of(entity)):
            row[column.name] = listed[index % len(listed)]
        elif column.name == entity.fact.dated:
            row[column.name] = _moment(entity, column, at, combination)
        else:
            row[column.name] = fact_values.field_value(column.name, column.schema, noun, index, values)
    row = _with_range(_with_place(row, index))
    return told_seeding.agreed(row, entity.noun) if entity.told else row


def _all_of(entity: Entity) -> tuple[str, ...]:
    """The symbols of which an undated list without a key tells each once, () for any other table."""
    column = entity.fields.get("symbol")
    plain = entity.fact is not None and not entity.fact.keys and not entity.fact.dated and not entity.fact.single
    moments = any(field_types.is_moment(name, f.schema) for name, f in entity.fields.items())
    if column is None or not plain or moments or not entity.told or _EVENTS & {*entity.noun[-1:]}:
        return ()
    return tuple(column.schema.get("examples") or ())


def _moment(entity: Entity, column: Field, at: int, combination: dict[str, Any]) -> str:
    assert entity.fact is not None
    words = set(entity.noun)
    minutes = next((n for v in combination.values() if (n := told_times.minutes_of(str(v)))), entity.fact.minutes)
    if minutes and column.schema.get("format") == "date-time":
        return told_times.moment(at + 1 if entity.fact.ahead else -at, minutes)
    if column.schema.get("format") == "date-time":
        return f"{fact_values.day(-1 - at // 4)}T{18 - at % 4 * 2:02d}:30:00Z"
    if words & _YEARLY:
        return f"{2025 - at}-12-31"
    if entity.fact.each and not entity.fact.ahead:
        return fact_values.day(-(at % entity.fact.each))
    step = next((days for word, days in _APART.items() if word in words and entity.fact.keys), 1)
    return fact_values.day((at + 1) * step if words & _AHEAD else -1 - at * step)


def _with_place(row: dict[str, Any], index: int) -> dict[str, Any]:
    """Let a city and the coordinates beside it belong together."""
    if not {"city", "latitude", "longitude"} <= set(row):
        return row
    cities, north, east = (fact_values.subject_list(n) for n in ("city", "latitude", "longitude"))
    at = cities.index(row["city"]) if row["city"] in cities else index % len(cities)
    return {**row, "city": cities[at], "latitude": float(north[at]), "longitude": float(east[at])}


def _with_range(row: dict[str, Any]) -> dict[str, Any]:
    """Let the high of a price bar be its highest and the low its lowest."""
    if {"open", "high", "low", "close"} <= set(row):
        start = row["open"]
        end = round(start * (0.97 + (row["close"] % 60) / 1000), 2)
        row = {
            **row,
            "close": end,
            "high": round(max(start, end) * 1.01, 2),
            "low": round(min(start, end) * 0.99, 2),
        }
    return row


def _ranked(entity: Entity, rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Put ranked rows in the order that their noun promises."""
    assert entity.fact is not None
    if entity.fact.order != "rank":
        return rows
    words = set(entity.noun)
    if "search_rank" in entity.fields:
        return {key: {**row, "search_rank": at} for at, (key, row) in enumerate(rows.items(), 1)}
    measure = next((n for n in ("change_percent", "volume", "views", "stars", "downloads") if n in entity.fields), "")
    if not measure:
        return rows
    down = "loser" not in words
    return dict(sorted(rows.items(), key=lambda item: item[1][measure], reverse=down))
