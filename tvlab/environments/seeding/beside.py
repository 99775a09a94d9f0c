"""What columns of one seeded record, or rows of one table, must not say against one another: one date told thrice.

For servers that are not the package's own, after all other passes over the records.  Each rule changes a column that is
there or leaves out one that contradicts the rest; keys and references stay, but for ids that only one thing can have.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from hashlib import sha256
from typing import Any
from zlib import crc32

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.facts import told_keys
from tvlab.environments.language import value_families
from tvlab.environments.runtime import State
from tvlab.environments.seeding.objects import name_of
from tvlab.environments.seeding.tables import Tables

Row = dict[str, Any]
Words = tuple[str, ...]

_STAMP = re.compile(r"^\d{4}-\d\d-\d\d(?:T|$)")
_DATED = (("date",), ("datetime",), ("date", "time"), ("string",), ("at",), ("on",), ("day",))
_ALL_DAY = frozenset((("all", "day"), ("is", "all", "day"), ("allday",), ("is", "allday")))
_CHOICES = frozenset(
    "enumeration enum select multiselect multi_select dropdown radio checkbox choice single_choice multi_choice "
    "multiple_choice list picklist".split()
)
#: kinds of a field's value -> kinds of its control
_CONTROLS = {
    "string": ("text", "textarea"), "text": ("text",), "number": ("number",), "date": ("date",), "datetime": ("date",),
    "enumeration": ("select", "radio", "checkbox"), "bool": ("booleancheckbox", "checkbox"),
    "boolean": ("booleancheckbox", "checkbox"),
}  # fmt: skip
_ENGINES = frozenset((("engine",), ("backend",), ("dialect",), ("driver",), ("database", "type")))
_SITE = frozenset("this own website site".split())
#: ids that stand for one work
_OF_ONE = frozenset((("arxiv", "id"), ("pmid",), ("pubmed", "id"), ("doi",), ("isbn",)))
_CONTRACTS = frozenset((("contract", "address"), ("mint", "address"), ("token", "address")))
_SHARES = frozenset(value_families.family_of(["AAPL"]))
_COMPANIES = frozenset(told_keys.NAMES[one] for one in _SHARES if one in told_keys.NAMES)
_NO_SHARES = frozenset("country sector industry exchange currency".split())
_URL_SAID = re.compile(r"\bUR[LI]s?\b|\blink to\b|\bweb\b", re.IGNORECASE)
#: type of a value -> what holds it
_TYPED: dict[str, Callable[[int], str]] = {
    **dict.fromkeys(("color", "colour"), lambda n: f"#{n % 0xFFFFFF:06x}"),
    **dict.fromkeys(("image", "url", "link"), lambda n: f"https://media.example.com/picture-{n % 900 + 100}.png"),
    "icon": lambda n: ("star", "home", "flag", "folder", "heart")[n % 5],
    "shape": lambda n: ("circle", "square", "triangle", "hexagon")[n % 4],
    "emoji": lambda n: ("👍", "🎉", "🚀", "👀")[n % 4],
    **dict.fromkeys(("number", "integer", "number_integer", "int"), lambda n: str(n % 90 + 1)),
    **dict.fromkeys(("number_decimal", "float", "decimal"), lambda n: f"{n % 9000 / 100:.2f}"),
    **dict.fromkeys(("boolean", "bool"), lambda n: ("true", "false")[n % 2]),
    "date": lambda n: str(date(2026, 1, 1) + timedelta(days=n % 60)), "email": lambda n: f"team{n % 90}@example.com",
    "json": lambda n: f'{{"size": {n % 90}}}',
}  # fmt: skip


def agree(tables: Tables) -> None:
    """Let what columns say of one another be true; the records are changed."""
    known, state = tables.known, tables.state
    for entity, table, kept in tables.changing():
        free = set(entity.fields) - kept
        for key, row in table.items():
            _typed(row, crc32(key.encode()))
            _undone(row)
            _in_country(entity, row)
            if entity.fact is None:
                for rule in (_one_moment, _all_day, _chosen, _twins, _engine, _same_kind):
                    rule(entity, row, free)
                _linked(entity, row, free, known, state)
        if not entity.single:
            _of_one_thing(entity, table)
            _one_primary(entity, table)
            _parents(entity, table, free)


def _may_go(entity: Entity, name: str) -> bool:
    return not entity.fields[name].required and not entity.fields[name].filtered and name != entity.label


def _one_moment(entity: Entity, row: Row, free: set[str]) -> None:
    """``due_date``, ``due_datetime`` and ``due_string`` are one moment."""
    bases: dict[Words, list[str]] = {}
    for name in row.keys() & free:
        words = field_types.name_words(name)
        end = next((e for e in _DATED if words[-len(e) :] == e and len(words) > len(e)), None)
        if end and isinstance(row[name], str) and _STAMP.match(row[name]):
            bases.setdefault(words[: -len(end)], []).append(name)
    for names in bases.values():
        lead = max(sorted(names), key=lambda n: (entity.fields[n].filtered, len(row[n])))
        for name in names:
            full = row[lead] if len(row[lead]) > 10 else row[lead] + row[name][10:]
            row[name] = full[: len(row[name])]


def _all_day(entity: Entity, row: Row, free: set[str]) -> None:
    """What lasts all day begins and ends at midnight; a single instance does not recur."""
    words = {n: field_types.name_words(n) for n in row}
    if any(w in _ALL_DAY and row[n] is True for n, w in words.items()):
        days = [n for n, w in words.items() if w[0] in ("start", "end") and n in free]
        for name in days:
            row[name] = _at_midnight(row[name], words[name][0] == "end")
    kind = next((row[n] for n, w in words.items() if w == ("type",) and isinstance(row[n], str)), "")
    again = next((n for n, w in words.items() if w == ("recurrence",)), "")
    if kind.lower().startswith("single") and again and _may_go(entity, again):
        del row[again]


def _at_midnight(value: Any, later: bool) -> Any:
    if isinstance(value, dict):
        return {n: _at_midnight(v, later) for n, v in value.items()}
    if not isinstance(value, str) or not _STAMP.match(value) or len(value) < 16 or value[11:16] == "00:00":
        return value
    day = date.fromisoformat(value[:10]) + timedelta(days=1 if later else 0)
    return f"{day}T00:00:00{'Z' if value.endswith('Z') else ''}"


def _chosen(entity: Entity, row: Row, free: set[str]) -> None:
    """Only a field of choices has options, and the control of a field is one of its kind."""
    words = {n: field_types.name_words(n) for n in row if n in entity.fields}
    kinds = {n: [str(v) for v in entity.fields[n].schema.get("enum", ())] for n, w in words.items()
             if w[-1] == "type" and len(w) < 3 and isinstance(row[n], str)}  # fmt: skip
    listed = {n: {v.lower() for v in kinds[n]} & _CHOICES for n in kinds}
    plain = next((n for n in kinds if words[n] == ("type",)), "")
    control = next((n for n in kinds if words[n] == ("field", "type")), "")
    if plain and control and control in free and row[plain].lower() in _CONTROLS:
        fit = [v for v in _CONTROLS[row[plain].lower()] if v in kinds[control]]
        row[control] = fit[0] if fit and row[control] not in fit else row[control]
    for name in [n for n, w in words.items() if w in (("options",), ("choices",)) and isinstance(row[n], list)]:
        telling = [n for n in kinds if listed[n]]
        if telling and not any(row[n].lower() in _CHOICES for n in telling) and _may_go(entity, name):
            del row[name]


def _twins(entity: Entity, row: Row, free: set[str]) -> None:
    """``sizes`` beside ``file_size`` is that size; the domain of this site is its domain; a flag tells of its list."""
    words = {n: field_types.name_words(n) for n in row}
    for name in row.keys() & free:
        own, value = words[name], row[name]
        if len(own) == 1 and _is_number(value) and field_types.singular_words(own) != own:
            one = field_types.singular_words(own)
            beside = [n for n, w in words.items() if w[-1:] == one and len(w) == 2 and _is_number(row[n])]
            row[name] = row[beside[0]] if len(beside) == 1 else value
        elif own[1:] == ("domain",) and own[0] in _SITE and isinstance(row.get("domain"), str):
            row[name] = row["domain"]
        elif isinstance(value, bool) and own[0] == "has" and len(own) > 1:
            lists = [n for n, f in entity.fields.items() if f.type == "array" and field_types.name_words(n) == own[1:]]
            row[name] = bool(row.get(lists[0])) if lists else value


def _engine(entity: Entity, row: Row, free: set[str]) -> None:
    """The scheme of a connection is the engine of its database."""
    engine = next((v for n, v in row.items() if field_types.name_words(n) in _ENGINES and isinstance(v, str)), "")
    for name in row.keys() & free if re.fullmatch(r"[a-z]+", engine) else ():
        if isinstance(row[name], str) and row[name].startswith("postgresql://"):
            port = {"mysql": "3306", "mariadb": "3306"}.get(engine, "5432")
            row[name] = f"{engine}{row[name][len('postgresql') :]}".replace(":5432/", f":{port}/")


def _same_kind(entity: Entity, row: Row, free: set[str]) -> None:
    """A thing is of the kind that the object in it is of, and an object without a schema names it as it is named."""
    for name, value in row.items():
        column = entity.fields.get(name)
        if column is None or column.reference or not isinstance(value, dict):
            continue
        kind = value.get("type")
        for other in row.keys() & free if isinstance(kind, str) else ():
            options = entity.fields[other].schema.get("enum", ())
            alone = "enum" not in (column.schema.get("properties") or {}).get("type", {})
            if alone and kind in options and row[other] in options and other != "type":
                row[other] = kind
        for part in value.keys() & row.keys() if not column.schema.get("properties") else ():
            if isinstance(value[part], str) and isinstance(row[part], str):
                value[part] = row[part]


def _linked(entity: Entity, row: Row, free: set[str], known: dict[str, Entity], state: State) -> None:
    """The link to a thing that is kept here is its key, where no text speaks of an address."""
    for name in sorted(row.keys() & free):
        words = field_types.name_words(name)
        said = str(entity.fields[name].schema.get("description") or "")
        if words[-1] != "link" or len(words) < 2 or _URL_SAID.search(said) or "format" in entity.fields[name].schema:
            continue
        target = known.get("_".join(field_types.singular_words(words[:-1])))
        below = words[0] in ("sub", "child", "parent") or words[0].startswith("sub")
        if target is not None and target is not entity and isinstance(row[name], str):
            keys = [r[target.key] for r in state[target.table].values() if isinstance(r[target.key], str)]
            row[name] = keys[crc32(f"{row[entity.key]} {name}".encode()) % len(keys)] if keys else row[name]
        elif below and not entity.fields[name].filtered and name != entity.label:
            del row[name]


def _in_country(entity: Entity, row: Row) -> None:
    """The companies that are known by their symbols lie in one country; a country itself has no symbol."""
    symbol, country = row.get("symbol"), row.get("country")
    if set(entity.noun[-1:]) & _NO_SHARES and symbol in _SHARES and not entity.fields["symbol"].filtered:
        del row["symbol"]
    elif isinstance(country, str) and (symbol in _SHARES or row.get("company_name") in _COMPANIES):
        row["country"] = "US" if re.fullmatch(r"[A-Z]{2}", country) else "United States"


def _typed(value: Any, salt: int) -> None:
    """A value beside its type is of that type, at any depth."""
    for at, part in enumerate(value if isinstance(value, list) else ()):
        _typed(part, salt + 7 * at)
    if not isinstance(value, dict):
        return
    for part in value.values():
        _typed(part, salt)
    kind, held = value.get("type"), value.get("value")
    if isinstance(kind, str) and isinstance(held, str) and kind.lower() in _TYPED:
        value["value"] = _TYPED[kind.lower()](salt)


def _undone(value: Any) -> None:
    """A flag that is not set holds no moments, at any depth: ``{"flagStatus": "notFlagged"}``."""
    for part in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
        _undone(part)
    if not isinstance(value, dict) or not any(
        isinstance(v, str) and re.match(r"not_?[Ff]lagged$", v) for v in value.values()
    ):
        return
    for name in [n for n in value if field_types.name_words(n)[0] in ("completed", "due", "start")]:
        del value[name]


def _of_one_thing(entity: Entity, table: dict[str, Row]) -> None:
    """An id that stands for one work stands in one record, whose year it tells; a contract has its own address."""
    for name, column in entity.fields.items():
        words = field_types.name_words(name)
        if column.type == "array" or name == entity.key:
            continue
        contract = words[-2:] in _CONTRACTS and not column.reference and set(entity.noun[-1:]) & {"token", "coin"}
        work = words in _OF_ONE or words[-2:] in _OF_ONE
        seen: set[Any] = set()
        for key, row in table.items() if contract or work else ():
            if work and row.get(name) in seen and not column.required:
                row.pop(name, None)
            elif contract and row.get(name) in seen and str(row[name]).startswith("0x"):
                row[name] = f"0x{sha256(f'{name} {key}'.encode()).hexdigest()[: len(row[name]) - 2]}"
            seen.add(row.get(name))
            if words[-2:] == ("arxiv", "id") and isinstance(row.get("year"), int) and str(row.get(name))[:2].isdigit():
                row["year"] = 2000 + int(str(row[name])[:2])


def _one_primary(entity: Entity, table: dict[str, Row]) -> None:
    """At most one record of a table is the primary one."""
    for name, column in entity.fields.items():
        if column.type == "boolean" and field_types.name_words(name) in (("primary",), ("is", "primary")):
            for row in [r for r in table.values() if r.get(name) is True][1:]:
                row[name] = False


def _parents(entity: Entity, table: dict[str, Row], free: set[str]) -> None:
    """The name of what is above a record of its own kind is that of an earlier one."""
    called = name_of(entity)
    forms = (("parent", *entity.noun, "name"), ("parent", *entity.noun[-1:], "name"), ("parent", "name"))
    columns = [n for n in free if field_types.name_words(n) in forms and entity.fields[n].type == "string"]
    for name in columns if called else ():
        earlier: list[str] = []
        for key, row in table.items():
            if name in row and earlier:
                row[name] = earlier[crc32(key.encode()) % len(earlier)]
            elif name in row and not entity.fields[name].required:
                del row[name]
            earlier += [row[called]] if isinstance(row.get(called), str) else []


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
