"""Tables that no tool changes, as one body of knowledge: a thing once in a list, one fact one value.

For servers that are not the package's own.  What a list tells of a thing without a date it tells once; the price of a
share is the same in every table that tells it, and the last close of its bars; what is called upcoming lies ahead of
the clock.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.facts import told_keys
from tvlab.environments.runtime import CLOCK, State
from tvlab.environments.seeding.limits import is_number
from tvlab.environments.seeding.moments import begins_with_day, day_of, moved
from tvlab.environments.seeding.tables import Row, Table, Tables

if TYPE_CHECKING:
    from tvlab.environments.domain.domain import Domain

#: last words of the columns that tell two things of a list apart, the surest first
_CALLED = tuple(
    "symbol ticker pair locale name title slug code exchange market language currency country city chain "
    "network".split()
)
_KINDS = frozenset(("type", "category"))
#: quantities of which a thing has one at a time
_ONE = frozenset(
    "price market_cap tvl volume change_percent circulating_supply total_supply max_supply pe_ratio eps dividend_yield "
    "population beta float_shares outstanding_shares".split()
)
#: lists of what happens: two of one thing are two
_EVENTS = frozenset("trade transaction order filing news event activity log review comment result bid transfer".split())
_SAME = {
    "current_price": "price", "last_price": "price", "latest_price": "price", "market_price": "price",
    "market_capitalization": "market_cap", "current_tvl": "tvl", "total_value_locked": "tvl", "price_usd": "price",
    "market_cap_usd": "market_cap", "current_market_cap": "market_cap",
}  # fmt: skip
_BAR = ("open", "high", "low", "close")
#: what is worth as many times more as the price beside it
_WITH_PRICE = frozenset(
    "open high low close bid ask vwap previous_close day_high day_low high_price low_price open_price bid_price "
    "ask_price adj_close price_change change".split()
)
_CHANGE = frozenset((("price", "change"), ("change",), ("absolute", "change"), ("net", "change")))
_PERCENT = frozenset((("change", "percent"), ("percentage", "change"), ("percent", "change"), ("change", "percentage"),
                      ("changes", "percentage"), ("price", "change", "percentage"), ("change", "pct")))  # fmt: skip
_AHEAD = re.compile(r"\b(?:upcoming|future|scheduled)\b", re.IGNORECASE)
_BEHIND = re.compile(r"\b(?:past|historical|recent|previous|history)\b", re.IGNORECASE)
#: what has happened once it is told
_DONE = frozenset("activity effort lap submission trade transaction".split())


def once(tables: Tables) -> None:
    """Let each thing of a list without dates stand in it once; references go to the one that stays."""
    for entity, table, _ in tables.changing():
        if not _is_unchanged(entity):
            continue
        _strangers(entity, tables)
        if entity.key_kind == "natural":
            continue
        columns = _identity(entity)
        if not columns:
            continue
        first: dict[tuple[str, ...], Any] = {}
        gone: dict[Any, Any] = {}
        for key, row in list(table.items()):
            mark = tuple(str(row.get(c)) for c in columns)
            if row.get(columns[0]) is not None and mark in first:
                gone[row[entity.key]] = first[mark]
                tables.remove(entity, key)
            first.setdefault(mark, row[entity.key])
        if gone:
            _redirect(entity, gone, tables)


def _is_unchanged(entity: Entity) -> bool:
    return entity.told or entity.fact is not None


def _strangers(entity: Entity, tables: Tables) -> None:
    """Leave out records that hold the number of another company than their symbol says."""
    names = entity.fields.keys() | {entity.key}
    symbol = next((n for n in names if field_types.name_words(n)[-1:] == ("symbol",)), "")
    number = next((n for n in names if field_types.name_words(n)[-1:] == ("cik",)), "")
    for key, row in list(tables.state[entity.table].items()) if symbol and number else ():
        if told_keys.CIKS.get(str(row.get(symbol)), "") != row.get(number) and row.get(symbol) in told_keys.NAMES:
            tables.remove(entity, key)


def _identity(entity: Entity) -> list[str]:
    """Return the columns of which no two records of an undated list may have the same values, [] if it has none."""
    keys = list(entity.fact.keys) if entity.fact is not None else []
    plain = [f for n, f in entity.fields.items() if n not in keys and n != entity.key and not f.reference]
    dated = entity.fact.dated if entity.fact is not None else ""
    moments = [f for f in plain if f.name == dated or field_types.is_moment(f.name, f.schema)]
    if moments or _EVENTS & set(entity.noun[-1:]):
        return []
    texts = {f.name: field_types.name_words(f.name)[-1] for f in plain if f.type == "string"}
    called = next((n for word in _CALLED for n, last in texts.items() if last == word or last == f"trading{word}"), "")
    if not called and len(plain) == 1 and texts:
        called = next((n for n, last in texts.items() if last in _KINDS), "")
    references = [n for n, f in entity.fields.items() if f.reference and f.type != "array" and n != "id"]
    return [called, *keys, *references] if called else []


def _redirect(target: Entity, gone: dict[Any, Any], tables: Tables) -> None:
    for entity, table, _ in tables.changing():
        columns = [f for f in entity.fields.values() if f.reference == target.name]
        for row in table.values() if columns else ():
            for column in columns:
                held = row.get(column.name)
                if isinstance(held, list):
                    row[column.name] = list(dict.fromkeys(gone.get(one, one) for one in held))
                elif held in gone:
                    row[column.name] = gone[held]


def agree(tables: Tables) -> None:
    """Let the tables that no tool changes tell one fact alike; the records are changed."""
    state, told = tables.state, [entity for entity, _, _ in tables.changing() if _is_unchanged(entity)]
    _read_both_ways(told, tables)
    _latest(told, state)
    for entity in told:
        name = next((n for n in entity.fields if field_types.name_words(n) == ("name",)), "")
        if name and entity.key_kind == "natural" and field_types.name_words(entity.key)[-1:] == ("name",):
            for row in state[entity.table].values():
                row[name] = row[entity.key]
    known: dict[tuple[str, str], float] = {}
    days: dict[str, Row] = {}
    for entity in sorted(told, key=lambda e: _dated(e)):
        _told_once(entity, state[entity.table], known, days)
    for entity in told:
        _by_the_clock(entity, state, tables.reads.get(entity.name, ()))
        for row in state[entity.table].values():
            _added_up(row)


def _read_both_ways(told: list[Entity], tables: Tables) -> None:
    """Owners by gem and gems by owner are one relation."""
    state = tables.state
    by_noun = {entity.noun: entity for entity in told}
    done: set[tuple[str, ...]] = set()
    for noun, one in by_noun.items():
        two = by_noun.get(noun[::-1]) if len(noun) == 2 and noun[0] != noun[1] else None
        if two is None or noun in done or (two.fact is None and one.fact is not None):
            continue
        done |= {noun, noun[::-1]}
        first, later = (_about(one, word) for word in noun)
        back, there = (_about(two, word) for word in noun)
        there, back = there or _about(two, "name", {back}), back or _about(two, "name", {there})
        later, first = later or _about(one, "name", {first}), first or _about(one, "name", {later})
        if not all((first, later, there, back)) or len({first, later}) < 2 or len({there, back}) < 2:
            continue
        fewer = len(state[one.table]) < len(state[two.table])  # the longer table tells both
        if fewer:
            one, two, first, later, back, there = two, one, back, there, first, later
        pairs = [(row[first], row[later]) for row in state[one.table].values() if first in row and later in row]
        rows = list(state[two.table].items())
        for at, (key, row) in enumerate(rows):
            if at < len(pairs):
                row[back], row[there] = pairs[at]
            else:
                tables.remove(two, key)
        for at in range(len(rows), len(pairs)):
            start = rows[0][0].rpartition("-")[0] or two.noun[-1][:3]
            key = f"{start}-{sha256(repr(pairs[at]).encode()).hexdigest()[:8]}"
            row = {**rows[at % len(rows)][1], two.key: key}
            row[back], row[there] = pairs[at]
            state[two.table][key] = row


def _about(entity: Entity, word: str, but: Collection[str] = ()) -> str:
    """Return the column, other than the key, that names a thing of this word; "" if none does."""
    forms = ((word,), (word, "name"), (word, "id"), (*entity.noun[:-1], word))
    names = [n for n, f in entity.fields.items() if n not in but and n != entity.key and f.type == "string"]
    return next((n for n in names if field_types.name_words(n) in forms), "")


def _latest(told: list[Entity], state: State) -> None:
    """The version of a thing is the latest one of the list of its versions."""
    greatest: dict[str, str] = {}
    several = [e for e in told if e.fact is not None and len(e.fact.keys) == 1 and not e.fact.single]
    lists = [e for e in several if "version" in e.fields]
    for entity in lists:
        for row in state[entity.table].values():
            thing, version = str(row.get(entity.fact.keys[0] if entity.fact else "")), str(row.get("version") or "")
            greatest[thing] = max(greatest.get(thing, ""), version, key=_number)
    for entity in told:
        subject = _subject(entity)
        versions = [n for n in entity.fields if field_types.name_words(n) in (("version",), ("latest", "version"))]
        for row in state[entity.table].values() if subject and entity not in lists else ():
            for name in versions:
                if name in row and name != subject and str(row.get(subject)) in greatest:
                    row[name] = greatest[str(row[subject])]


def _number(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def _dated(entity: Entity) -> bool:
    return any(field_types.is_moment(n, f.schema) for n, f in entity.fields.items())


def _subject(entity: Entity) -> str:
    """Return the column that names the one thing that a row tells of, "" if it tells of several."""
    if entity.fact is not None and (entity.fact.keys or entity.fact.single):
        return entity.fact.keys[0] if len(entity.fact.keys) == 1 else ""
    if entity.key_kind == "natural":
        return entity.key
    identity = _identity(entity)
    return identity[0] if len(identity) == 1 and field_types.name_words(identity[0])[-1] in _CALLED[:7] else ""


def _told_once(entity: Entity, table: Table, known: dict[tuple[str, str], float], days: dict[str, Row]) -> None:
    subject = _subject(entity)
    if not subject:
        return
    if set(_BAR) <= set(entity.fields):
        _scaled_bars(subject, table, known, days)
    elif not _dated(entity):
        for row in table.values():
            for name, value in list(row.items()):
                if isinstance(value, bool) or not isinstance(value, (int, float)) or name == subject:
                    continue
                words = field_types.name_words(name)
                rest = words[len(entity.noun) :] if words[: len(entity.noun)] == entity.noun else words
                field = "_".join(rest or words)
                field = _SAME.get(field, field)
                if field in _ONE:
                    row[name] = _like(known.setdefault((str(row.get(subject)).lower(), field), value), value)
                    if field == "price" and value:
                        _scaled(row, row[name] / value, {name})


def _like(value: float, other: float) -> float:
    return round(value) if isinstance(other, int) else value


def _scaled(row: Row, share: float, kept: set[str]) -> None:
    for name, value in row.items() if share != 1 else ():
        if is_number(value) and name not in kept and "_".join(field_types.name_words(name)) in _WITH_PRICE:
            row[name] = round(value * share, 4 if abs(value * share) < 20 else 2)


def _scaled_bars(subject: str, table: Table, known: dict[tuple[str, str], float], days: dict[str, Row]) -> None:
    """The latest close of a thing is its price, and its bar of a day is the same in every table."""
    latest: dict[str, float] = {}
    _steady(subject, table)
    for row in table.values():
        latest.setdefault(str(row.get(subject)).lower(), row.get("close", 0))
    for row in table.values():
        thing = str(row.get(subject)).lower()
        price = known.setdefault((thing, "price"), latest[thing])
        if latest[thing]:
            _scaled(row, price / latest[thing], {"price_change", "change"})
        if isinstance(row.get("price"), (int, float)) and "close" in row:
            row["price"] = row["close"]
        day = next((str(v) for n, v in row.items() if field_types.name_words(n)[-1:] == ("date",)), "")
        if begins_with_day(day) and len(day) == len("2026-01-01"):
            bar = days.setdefault(f"{thing} {day}", row)
            row.update({n: bar[n] for n in (*_BAR, "volume") if n in row and n in bar})
            if "vwap" in row:
                row["vwap"] = round((row["high"] + row["low"]) / 2, 4 if row["close"] < 20 else 2)
            if "price" in row:
                row["price"] = row["close"]


def _steady(subject: str, table: Table) -> None:
    """From one bar to the next a price changes by a few percent."""
    later: dict[str, float] = {}
    for row in table.values():
        thing, close = str(row.get(subject)).lower(), row.get("close")
        if not isinstance(close, (int, float)) or not close:
            continue
        if thing in later:
            _scaled(row, later[thing] * (0.97 + (round(close * 100) % 61) / 1000) / close, {"price_change", "change"})
        later[thing] = row["close"]


def _added_up(row: Row) -> None:
    """A change and its percentage are those from open to close, else the change is the percentage of the price."""
    words = {n: field_types.name_words(n) for n, v in row.items() if isinstance(v, (int, float))}
    if {"free_float", "float_shares", "outstanding_shares"} <= set(words) and row["outstanding_shares"]:
        row["free_float"] = round(100 * row["float_shares"] / row["outstanding_shares"], 2)
    change = [n for n, w in words.items() if w in _CHANGE]
    percent = [n for n, w in words.items() if w in _PERCENT]
    if {"open", "close"} <= set(words) and row["open"]:
        by = row["close"] - row["open"]
        row.update(dict.fromkeys(change, round(by, 4 if row["close"] < 20 else 2)))
        row.update(dict.fromkeys(percent, round(100 * by / row["open"], 2)))
    elif change and percent and "price" in words:
        row.update(dict.fromkeys(change, round(row["price"] * row[percent[0]] / 100, 4 if row["price"] < 20 else 2)))


def reads_of(domain: Domain, entities: Iterable[Entity]) -> dict[str, list[str]]:
    """Return by entity, of those that no tool changes, the descriptions of the tools that read it."""
    reads = [tool for tool in domain.tools if tool.kind in ("read", "list", "search")]
    return {
        entity.name: [t.description for t in reads if domain.own.get(t.name) is entity or t.noun == entity.noun]
        for entity in entities if _is_unchanged(entity)
    }  # fmt: skip


def _by_the_clock(entity: Entity, state: State, texts: Sequence[str]) -> None:
    """What is called upcoming lies ahead, or on both sides where past is said too; what lies ahead is not known."""
    table = state[entity.table]
    dates = [n for n, f in entity.fields.items() if field_types.is_moment(n, f.schema)]
    today = day_of(str(state[CLOCK]["now"]))
    first = texts[0][:200] if len(texts) == 1 else ""
    if dates and _AHEAD.search(first):
        last = [max(day_of(row[n]) for n in dates if begins_with_day(row.get(n))) for row in table.values()
                if any(begins_with_day(row.get(n)) for n in dates)]  # fmt: skip
        behind, ahead = any(d < today for d in last), any(d > today for d in last)
        both = bool(_BEHIND.search(first))
        by = timedelta(0)
        if last and not both and behind:
            by = today - min(last) + timedelta(days=3)
        elif last and both and not (behind and ahead):
            by = today - sorted(last)[len(last) // 2]
        _all_moved(table, dates, by)
    elif dates and _DONE & set(entity.noun):
        ends = [day_of(row[n]) for row in table.values() for n in dates if begins_with_day(row.get(n))]
        back = max(ends, default=today) - today + timedelta(days=1)
        _all_moved(table, dates, -back if back > timedelta(days=1) else timedelta(0))
    for row in table.values():
        days = [day_of(row[n]) for n in dates if begins_with_day(row.get(n))]
        actual = [n for n in row if field_types.name_words(n)[:1] == ("actual",) and not entity.fields[n].required]
        for name in actual if days and min(days) > today else ():
            del row[name]


def _all_moved(table: Table, dates: list[str], by: timedelta) -> None:
    for row in table.values() if by else ():
        for name in dates:
            if begins_with_day(row.get(name)):
                row[name] = moved(row[name], by)
