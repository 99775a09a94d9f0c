"""Columns of a table that no tool changes: which belong to it, which say the same, which can be filled plausibly.

A column that only came from an input of a tool that is not kept says nothing of the thing; two columns of one
quantity would contradict each other; a text of no known kind would be two words at random.
"""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.facts import told_key_forms, told_keys
from tvlab.environments.seeding import words as seed_words
from tvlab.environments.seeding.values import PLAIN_TEXTS
from tvlab.foundation.words import singular

_SECRET = frozenset("secret password private key token api credential passphrase".split())
#: extra words that do not make another quantity of a column: ``trading_volume`` is the volume
_SAME = frozenset("total token current trading live real time stock publication latest close full daily".split())
_ALIKE = (
    ("title", "headline"), ("url", "link"), ("url", "publication_url"), ("url", "direct_link"),
    ("change_percent", "percentage_change"), ("change_percent", "percent_change"), ("change_percent", "h_change"),
    ("change", "price_change"),
    ("market_cap", "market_capitalization"), ("players", "players_count"), ("players", "player_count"),
    ("open", "open_price"), ("high", "daily_high"), ("high", "day_high"), ("low", "daily_low"), ("low", "day_low"),
    ("published_date", "date"), ("published_date", "publication_date"), ("quantity", "size"), ("quantity", "sizes"),
    ("time", "timestamp"), ("rate", "inflation_rate"), ("rate", "exchange_rate"),
    ("title", "name"), ("description", "summary"),
    ("close", "close_price"), ("volume", "trading_volume"), ("bid_price", "bid"), ("ask_price", "ask"),
    ("shares", "quantity"), ("author_name", "author"), ("company_name", "company"), ("company_name", "name"),
)  # fmt: skip
_WHOLE = frozenset(
    "counter error drop packet byte collision discard retry reboot crc mtu hop vlan port member height".split()
)
#: what is of something and has no name of its own
_NAMELESS = frozenset("market rate tier quote price trade bar variant transaction candle dividend".split())
_COUNTED = re.compile(r"\b(?:get|returns?|retrieves?) the (?:total )?number of\b|\bin base units\b", re.IGNORECASE)
_TEXTS = frozenset("snippet overview biography bio excerpt".split())
_SYMBOLS = frozenset("symbol ticker tradingsymbol".split())
_LABELS = frozenset("name title label headline subject".split())
_STATES = frozenset("status state severity priority level".split())


def groom(entity: Entity, used: set[str], texts: tuple[str, str, str], said: dict[str, str]) -> list[str]:
    """Put the columns of a told table in order and return the names of those that were taken away.

    Args:
        entity: the table; its columns are changed.
        used: names of columns that roles of kept tools compare.
        texts: of the tools that tell it with those of their parameters, without them, and of the whole server.
        said: what the texts of parameters say of columns, by name.
    """
    text, spoken, context = texts
    before = list(entity.fields)
    for name, column in list(entity.fields.items()):
        if name in used or column.reference:
            continue
        if _is_foreign(entity, column, spoken):
            del entity.fields[name]
    _without_twins(entity, used)
    _whole_numbers(entity, text)
    _with_kinds(entity, text, said, context)
    for name, column in list(entity.fields.items()):
        if name not in used and not column.reference and not is_plausible(entity, column):
            del entity.fields[name]
    if entity.label and entity.label not in entity.fields and entity.label != entity.key:
        entity.label = next((n for n in entity.fields if field_types.name_words(n)[-1] in _LABELS), "")
    return [name for name in before if name not in entity.fields]


def _is_foreign(entity: Entity, column: Field, text: str) -> bool:
    """True for a column that only an input of another tool named."""
    words = field_types.name_words(column.name)
    if not column.in_input:
        return _is_spurious(entity, column)
    if set(words) & _SECRET or column.type in ("boolean", "object", "array"):
        return True
    if len(words) == 1 and words[0] in _LABELS | {"description", "status"} and entity.key_kind == "minted":
        return False
    spoken = " ".join(field_types.name_words(text.replace(" ", "_")))
    return not all(word in spoken for word in words)


def _is_spurious(entity: Entity, column: Field) -> bool:
    """True for a described column that is the thing itself, or weather beside what is none."""
    words = field_types.name_words(column.name)
    named = words[-1] in seed_words.PEOPLE and "name" in entity.fields
    if words == entity.noun[-1:] and column.type == "string" and named:
        return True
    if words[-1] == "condition" and not {"weather", "forecast"} & set(entity.noun):
        return True
    itself = len(words) > 2 and words[-1] in entity.noun and column.type == "string"
    placed = singular(words[-1]) == "position" and bool(set(words[:-1]) & {"work", "player", "job"})
    return itself or placed


def _without_twins(entity: Entity, used: set[str]) -> None:
    """Keep one column of each quantity, the one that a tool compares if there is one."""
    for first, second in _ALIKE:
        if first not in entity.fields or second not in entity.fields:
            continue
        gone = second if second not in used else first
        kinds = {entity.fields[first].type, entity.fields[second].type}
        if gone not in used and (len(kinds) == 1 or kinds == {"integer", "number"}):
            del entity.fields[gone]
    itself = entity.key_kind == "natural" and field_types.name_words(entity.key) == entity.noun
    for name in ("name", "title", "symbol") if itself else ():
        if name not in used:
            entity.fields.pop(name, None)  # the key is what the thing is called
    told = [n for n, f in entity.fields.items() if f.type in ("integer", "number")]
    if entity.noun[-1] in _NAMELESS and ("symbol" in entity.fields or len(told) > 1) and "name" not in used:
        entity.fields.pop("name", None)  # what it is of is its symbol
    names = [n for n, f in entity.fields.items() if not f.reference and n != entity.key]
    for short in sorted(names, key=len):
        for long in names:
            if short in entity.fields and long in entity.fields and _is_twin(entity, short, long, used):
                gone = long if long not in used else short
                if gone not in used:
                    if gone == short:
                        entity.fields.pop(short)
                    else:
                        entity.fields.pop(long)


def _is_twin(entity: Entity, short: str, long: str, used: set[str]) -> bool:
    one, two = field_types.name_words(short), field_types.name_words(long)
    if short == long or len(one) >= len(two) or two[-len(one) :] != one:
        return False
    if entity.fields[short].type != entity.fields[long].type:
        return False
    if one == ("name",) and (long in used or short in used):
        return False
    extra = set(two[: -len(one)])
    about = set(entity.noun) | set(field_types.name_words(entity.key)[:-1])
    return extra <= _SAME | about and not (one == ("name",) and extra - about)


def _whole_numbers(entity: Entity, text: str) -> None:
    """Counters are numbers, and a block's height is a whole one."""
    for column in entity.fields.values():
        words = field_types.name_words(column.name)
        last = singular(words[-1])
        if "enum" in column.schema or column.reference:
            continue
        if column.type == "number" and words[-1] in ("balance", "count") and _COUNTED.search(text[:300]):
            column.schema = {"type": "integer", "minimum": 0, "maximum": 60}
        elif "split" in entity.noun and last == "ratio":
            column.schema = {"type": "string", "values": ["2:1", "3:1", "4:1", "10:1", "3:2"]}
        elif (last == "earning" or words[-1] == "eps") and column.type == "number":
            column.schema = {"type": "number", "minimum": 0.2, "maximum": 9}
        elif last == "yield" and column.type == "number":
            column.schema = {"type": "number", "minimum": 0.1, "maximum": 6}
        elif words[-2:] == ("block", "height"):
            column.schema = {"type": "integer", "minimum": 250_000_000, "maximum": 330_000_000}
        elif last in _WHOLE and column.type in ("string", "integer") and not column.in_input:
            column.schema = {"type": "integer", "minimum": 1500 if last == "mtu" else 0, "maximum": 9000}
        elif last in ("utilization", "utilisation") and column.type == "string":
            column.schema = {"type": "number", "minimum": 0, "maximum": 100}
        elif last in ("speed", "bandwidth") and column.type == "string" and "interface" in entity.noun:
            column.schema = {"type": "integer", "enum": [100, 1000, 10_000, 25_000]}


def _with_kinds(entity: Entity, text: str, said: dict[str, str], context: str = "") -> None:
    """Give the key and each text column values of its kind."""
    if entity.key_kind == "natural" and entity.key_type == "string":
        found = told_keys.keys_of(entity.key, entity.noun, text, said.get(entity.key, ""), context)
        entity.examples = found if field_types.name_words(entity.key)[-1] in _SYMBOLS else entity.examples or found
    for column in entity.fields.values():
        told = {"enum", "values", "format", "pattern"} & set(column.schema)
        if column.type != "string" or told or column.reference:
            continue
        found = told_keys.keys_of(column.name, entity.noun, text, said.get(column.name, ""), context)
        if found:
            column.schema = {**column.schema, "examples": list(found)}
    quotes = [
        quote for f in entity.fields.values() for one in f.schema.get("examples") or ()
        if (quote := told_key_forms.pair_of(str(one))[1])
    ]  # fmt: skip
    if quotes and "currency" in entity.fields and not entity.fields["currency"].in_input:
        entity.fields["currency"].schema = {"type": "string", "values": list(dict.fromkeys(quotes))}


def is_plausible(entity: Entity, column: Field) -> bool:
    """True if the values of a column are of its kind and not two words at random."""
    schema: dict[str, Any] = column.schema
    if {"enum", "values", "examples", "format", "pattern", "const"} & set(schema):
        return True
    if column.type == "array":
        inner = schema.get("items") if isinstance(schema.get("items"), dict) else {}
        one = "_".join(field_types.singular_words(field_types.name_words(column.name)))
        return is_plausible(entity, Field(one, inner or {"type": "string"})) or one in _SEVERAL
    if column.type != "string":
        return True
    return text_kind(column.name, schema, entity.noun)


#: things of which records name several by a plain label
_SEVERAL = frozenset("role team member label tag keyword topic category skill ingredient actor feature".split())


def text_kind(name: str, schema: dict[str, Any], noun: tuple[str, ...]) -> bool:
    """True if the texts of a field of this name are of a known kind."""
    words = field_types.name_words(name)
    last = singular(words[-1])
    known = {last, words[-1], "_".join(words)} & (PLAIN_TEXTS - {"code", "category", "keyword", "tag", "version"})
    people = last in seed_words.PEOPLE | seed_words.ORGANISATIONS | {"holder", "insider"}
    if words[-1] == "version" or words == ("country", "code") or words == noun:
        return True
    if field_types.is_moment(name, schema) or field_types.is_id_name(name) or people or known:
        return True
    return last in _LABELS | _TEXTS | _STATES | {"hash", "address", "isbn"} or words[-1] in seed_words.LONG
