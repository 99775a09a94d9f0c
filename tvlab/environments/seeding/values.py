"""Plausible values for seeded fields, chosen by the field's schema and name.

Names, addresses and companies come from Faker with a seed of its own instance; titles and sentences from
short word lists, since filler Latin reads like no record.  Same seed, same values.
"""

from __future__ import annotations

import math
import re
import threading
from datetime import timedelta
from typing import Any

import numpy as np
from faker import Faker

from tvlab.environments.domain import field_types
from tvlab.environments.domain.alternative_schemas import map_values, one_shape
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.schemas import patterns
from tvlab.environments.seeding import files as seed_files
from tvlab.environments.seeding import forms as seed_forms
from tvlab.environments.seeding import kinds as seed_kinds
from tvlab.environments.seeding import numbers as seed_numbers
from tvlab.environments.seeding import open_words as seed_open_words
from tvlab.environments.seeding import said as seed_said
from tvlab.environments.seeding import stated as seed_stated
from tvlab.environments.seeding import things as seed_things
from tvlab.environments.seeding import usual as seed_usual
from tvlab.environments.seeding.last_words import BY_WORD
from tvlab.environments.seeding.limits import DEEP, bounds, fit_length, shallow
from tvlab.environments.seeding.moments import NOW, day_text, time_text
from tvlab.environments.seeding.words import (
    ACTIONS,
    ADJECTIVES,
    DAYS,
    FUTURE,
    LONG,
    ORGANISATIONS,
    PEOPLE,
    PLACE_NOUNS,
    PRODUCT_NOUNS,
    PRODUCTS,
    ROOMS,
    SENTENCES,
    TASK_NOUNS,
    TOPICS,
)

#: a pattern that takes dates
_DATED = re.compile(r"(?:\\d|\[0-9\])\{4\}-(?:\\d|\[0-9\])\{2\}-(?:\\d|\[0-9\])\{2\}")
#: numbers that count or place are whole
_WHOLE = frozenset(
    "count index order position size number quantity total level priority percent page rank "
    "column columns row rows replicas revision port".split()
)


#: heads of nouns that say that a record is one
_RECORDS = frozenset("record detail entry".split())
_BIRTHS = (("birthday",), ("birthdate",), ("dob",), ("birth", "date"), ("of", "birth"))

_OF_THREAD = threading.local()


def _faker() -> Faker:
    """Return the thread's own generator: each ``Values`` seeds it anew."""
    if not hasattr(_OF_THREAD, "faker"):
        _OF_THREAD.faker = Faker("en_US")
    return _OF_THREAD.faker


class Values:
    """Seeded values for the records of one environment."""

    def __init__(self, rng: np.random.Generator, about: frozenset[str] | None = None, guessing: bool = True) -> None:
        self._rng = rng
        self.about = about  # words of the server, None if they are not known
        self.guessing = guessing  # whether an optional property may hold a text of which nothing says the kind
        self.guesses = 0  # such texts so far
        self._fake = _faker()
        self._fake.seed_instance(int(rng.integers(2**31)))

    def choice(self, values: Any) -> Any:
        """Return one of the values."""
        return values[int(self._rng.integers(len(values)))]

    def integer(self, low: int, high: int) -> int:
        """Return an integer in [low, high]."""
        return int(self._rng.integers(low, high + 1))

    def chance(self, p: float) -> bool:
        """Return True with probability ``p``."""
        return bool(self._rng.random() < p)

    def value(self, name: str, schema: dict[str, Any], noun: tuple[str, ...], index: int = 0, depth: int = 0) -> Any:
        """Return a value for a field of a record of the noun.

        Args:
            name: the field's name.
            schema: its schema; ``values`` lists the values of an open state field.
            noun: words of the entity.
            index: the record's position, so that enumerations are covered.
            depth: how many objects the field lies in; deep ones hold few of their optional properties.
        """
        schema = one_shape(schema)
        if not self.guessing and schema_type(schema) in ("integer", "number"):
            schema = seed_numbers.number_schema(name, schema)
        choices = [v for v in schema.get("enum", schema.get("values", [])) if v is not None]
        if choices:
            shift = self.integer(0, 1)
            return choices[index if index < len(choices) else (index + shift) % len(choices)]
        if "const" in schema:
            return schema["const"]
        kind = schema_type(schema)
        if schema.get("examples") and kind == "string":
            return self.choice(schema["examples"])
        if kind == "boolean":
            return self.chance(0.5)
        if kind in ("integer", "number"):
            return self._number(name, schema, kind)
        if kind == "array":
            return self._array(name, schema, noun, index, depth)
        if kind == "object" and (held := map_values(schema)) is not None and depth < DEEP:
            return {self.choice(TOPICS): self.value(name, held, noun, index, depth + 1)}
        if (
            kind == "object"
            and not schema.get("properties")
            and (open_ := seed_open_words.open_object(name, index, not self.guessing))
        ):
            return open_
        if kind == "object" and not self.guessing and not schema.get("properties"):
            schema = {**schema, "properties": seed_open_words.described(str(schema.get("description") or ""))}
        if kind == "object":
            return self._object(name, schema, noun, index, depth)
        return fit_length(self.text(name, schema, noun), schema)

    def _object(
        self, name: str, schema: dict[str, Any], noun: tuple[str, ...], index: int, depth: int
    ) -> dict[str, Any]:
        result = {}
        needed, properties = schema.get("required", []), shallow(schema, depth)
        before, doubtful = self.guesses, 0
        for key, part in properties.items():
            guesses = self.guesses
            inner = part if isinstance(part, dict) else {}
            below = seed_kinds.nested_noun(name, key, noun)
            if not self.guessing and below == noun:
                below = seed_things.inner_noun(name, key, set(properties), noun)
            value = self.value(seed_kinds.nested_name(name, key), inner, below, index, depth + 1)
            if self.guessing or self.guesses == guesses or key in needed:
                result[key] = value
                doubtful |= self.guesses > guesses
        if not self.guessing:
            self.guesses = before + max(doubtful, not result and bool(properties))
        return result

    def _array(self, name: str, schema: dict[str, Any], noun: tuple[str, ...], index: int, depth: int) -> list[Any]:
        schema = schema if self.guessing else seed_numbers.list_schema(name, schema)
        inner = schema.get("items")
        items: dict[str, Any] = inner if isinstance(inner, dict) else {}
        if schema.get("description") and not {"description", "properties"} & set(items):
            items = {**items, "description": schema["description"]}
        if not self.guessing and schema_type(items) in ("any", "number"):
            vector = seed_numbers.number_items(str(schema.get("description") or ""))
            schema, items = {**vector, **schema}, {**items, **vector.get("items", {})}
        least = schema.get("minItems")
        low = min(least, 5) if isinstance(least, int) else 1
        one = field_types.singular_words(field_types.name_words(name))
        if one[-1:] in (("vector",), ("embedding",)) and "type" not in items:
            items = {**items, "type": "number", "minimum": -1, "maximum": 1}
        word = "_".join(one) or name
        most = schema.get("maxItems")
        high = min(low + 2, most) if isinstance(most, int) and most >= low else low + 2
        values = [self.value(word, items, noun, index + i, depth) for i in range(self.integer(low, high))]
        if values and all(isinstance(v, list) for v in values):
            shortest = min(map(len, values))  # the rows of a table are of one length
            values = [v[:shortest] for v in values]
        plain = not any(isinstance(v, (dict, list)) for v in values)
        return list(dict.fromkeys(values)) if plain and len(set(values)) >= low else values

    def _number(self, name: str, schema: dict[str, Any], kind: str) -> int | float:
        low, high = bounds(set(field_types.name_words(name)), schema)
        if kind == "integer":
            first = math.ceil(low)
            return self.integer(first, max(first, math.floor(high)))
        value = low + (high - low) * float(self._rng.random())
        if field_types.is_id_name(name) or seed_said.says_number(str(schema.get("description") or "")):
            return round(value)
        return round(value) if set(field_types.name_words(name)[-1:]) & _WHOLE and high - low > 1 else round(value, 2)

    def text(self, name: str, schema: dict[str, Any], noun: tuple[str, ...]) -> str:
        """Return a text value: a moment, an address, a name, a sentence ... by the field's name."""
        words = field_types.name_words(name)
        if isinstance(schema.get("pattern"), str):
            plain = self.text(name, {k: v for k, v in schema.items() if k != "pattern"}, noun)
            # a pattern of a search takes more than dates ("today", "..2026-01-01"), a record holds one
            for fit in (plain, plain[:10], self._day()) if _DATED.search(schema["pattern"]) else (plain,):
                if patterns.accepts(schema["pattern"], fit):
                    return fit
            return patterns.sample(schema["pattern"], self._rng) or plain
        said = str(schema.get("description") or "") if "format" not in schema else ""
        if seed_said.says_json(said) and (self.guessing or not seed_stated.is_any_text(said)):
            return seed_said.json_text(said, self, "" if self.guessing else name)
        if not self.guessing and (known := self._known_text(name, schema, noun, said)) is not None:
            return known
        born = not self.guessing and words[-1:] in _BIRTHS
        if born or (field_types.is_moment(name, schema) and not seed_said.says_language(said)):
            return self.moment(name, schema)
        if not self.guessing and (form := seed_forms.form_text(name, said, noun, self)) is not None:
            return form
        if (told := seed_said.said_text(name, said, self)) is not None:
            return told
        if (known := seed_kinds.first_guess(name, schema, noun, self)) is not None:
            return known
        last, joined = words[-1] if words else "", "_".join(words)
        maker = BY_WORD.get(joined) or BY_WORD.get(last)
        if maker is not None:
            return str(maker(self))
        if last in LONG:
            return self.sentence()
        if last in ("name", "title", "subject", "label", "headline", "nickname", "display"):
            owner = tuple(words[:-1]) if words[:-1] and words[-2] not in ("full", "display", "new", "nick") else noun
            return self.label(owner or noun)
        if last in PEOPLE or last in ("assignee", "requester", "holder", "traveller", "reporter"):
            return self._fake.name()
        if last in ORGANISATIONS:
            return self._fake.company()
        if schema.get("format") == "email":
            return self._fake.email(domain="example.com")
        if schema.get("format") in ("uri", "url"):
            return self._url()
        guess = seed_kinds.last_guess(name, schema, noun, self)
        guess = seed_said.quoted_text(said, self) if guess is None else guess
        guess = seed_open_words.open_guess(name, noun, self) if guess is None else guess
        if guess is not None:
            return guess
        self.guesses += 1
        return f"{self.choice(ADJECTIVES).lower()} {self.choice(TOPICS)}"

    def _known_text(self, name: str, schema: dict[str, Any], noun: tuple[str, ...], said: str) -> str | None:
        """Return a text of the kind that a description states or that name and thing say, None if none do."""
        stated = seed_stated.stated_text(name, schema, noun, self)
        stated = seed_usual.usual_text(name, said, noun, self) if stated is None else stated
        filed = seed_files.file_text(name, said, noun, self) if stated is None else stated
        return seed_things.named_text(name, said, noun, self) if filed is None else filed

    def label(self, noun: tuple[str, ...]) -> str:
        """Return a short name for a thing of this noun."""
        head = noun[-1] if noun else ""
        if not self.guessing and head in _RECORDS and len(noun) > 1:
            noun, head = noun[:-1], noun[-2]  # the name of an author's record is that of the author
        if not self.guessing and (known := seed_usual.label_of(noun, self)) is not None:
            return known
        if not self.guessing and (known := seed_things.label_of(noun, self)) is not None:
            return known
        if head in PEOPLE or head == "by":
            return self._fake.name()
        if head in ORGANISATIONS:
            return self._fake.company()
        if head in ("file", "attachment", "document", "upload", "artifact"):
            return self._file_name()
        if head in PRODUCT_NOUNS:
            return f"{self.choice(ADJECTIVES)} {self.choice(PRODUCTS)}"
        if head in PLACE_NOUNS:
            return f"{self.choice(ADJECTIVES)} {self.choice(ROOMS)}"
        if head in TASK_NOUNS:
            return f"{self.choice(ACTIONS)} the {self.choice(ADJECTIVES).lower()} {self.choice(TOPICS)}"
        if head == "city":
            return self._fake.city()
        kind = head.capitalize() if self.chance(0.6) and head.isascii() else self.choice(TOPICS).capitalize()
        return f"{self.choice(ADJECTIVES)} {kind}"

    def sentence(self) -> str:
        """Return one or two sentences."""
        first = self.choice(SENTENCES).format(topic=self._topic(), day=self.choice(DAYS))
        if self.chance(0.4):
            return first
        return f"{first} {self.choice(SENTENCES).format(topic=self._topic(), day=self.choice(DAYS))}"

    def _topic(self) -> str:
        return f"{self.choice(ADJECTIVES).lower()} {self.choice(TOPICS)}"

    def moment(self, name: str, schema: dict[str, Any]) -> str:
        """Return a date or time near the environment's clock; due and start dates lie ahead of it."""
        words = field_types.name_words(name)
        if not self.guessing and (words[-1:] in _BIRTHS or words[-2:] in _BIRTHS):
            born = NOW - timedelta(days=self.integer(7000, 25_000))
            whole = schema.get("format") == "date-time" or "ISO 8601" in str(schema.get("description"))
            return born.strftime("%Y-%m-%dT00:00:00Z" if whole else "%Y-%m-%d")
        ahead = bool(set(words) & FUTURE)
        days = self.integer(1, 40) if ahead else -self.integer(1, 90)
        if "end" in words or "return" in words:
            days += 41
        at = NOW + timedelta(days=days, hours=self.integer(-1, 9), minutes=15 * self.integer(0, 3))
        text = str(schema.get("description", ""))
        if "epoch" in text.lower():
            return str(int(at.timestamp()) * (1000 if re.search(r"\bms\b|milli", text) else 1))
        if (
            schema.get("format") == "time"
            or ("HH:MM" in text and "YYYY" not in text.upper())
            or "time of day" in text.lower()
        ):
            return at.strftime("%H:%M")
        plain = words[-1] in ("on", "day", "due", "deadline", "expiry")
        dated = ("date" in words and "time" not in words) or plain
        if schema.get("format") == "date" or (dated and schema.get("format") != "date-time"):
            return day_text(at)
        return time_text(at)

    def _day(self) -> str:
        return day_text(NOW - timedelta(days=self.integer(1, 90)))

    def natural_key(self, name: str, noun: tuple[str, ...]) -> str:
        """Return a key a person would type: a SKU, a path, a code, a name."""
        words = field_types.name_words(name)
        last = words[-1] if words else ""
        if not self.guessing and (known := self._known_text(name, {}, noun, "")) is not None:
            return known
        if (known := seed_kinds.key_guess(name, noun, self)) is not None:
            return known
        if last in ("path", "file"):
            folder = self.choice(TOPICS)
            return f"/{folder}" if noun[-1] in ("directory", "folder") else f"/{folder}/{self._file_name()}"
        if last in ("sku", "isbn"):
            return f"{self.choice(TOPICS)[:3].upper()}-{self.integer(1000, 9999)}"
        if last in ("symbol", "ticker"):
            return "".join(self.choice("ABCDEFGHIKLMNOPRSTUW") for _ in range(4))
        if last in ("code", "key", "number", "no", "ref"):
            return f"{(noun[-1] if noun[-1].isascii() else 'x')[:2].upper()}{self.integer(100, 9999)}"
        if last in ("email", "mail"):
            return self._fake.email(domain="example.com")
        if last in ("url", "uri", "link"):
            return self._url()
        if last in ("slug", "handle", "username"):
            return f"{self.choice(ADJECTIVES).lower()}-{self.choice(TOPICS)}"
        if last in ("city", "location", "place", "town"):
            return self._fake.city()
        if last in ("phone", "mobile"):
            return self._phone()
        return self.label(noun)

    def _file_name(self) -> str:
        ending = self.choice(("md", "txt", "csv", "json"))
        return f"{self.choice(ADJECTIVES).lower()}-{self.choice(TOPICS)}.{ending}"

    def _url(self) -> str:
        page = f"{self.choice(ADJECTIVES).lower()}-{self.integer(10, 999)}"
        return f"https://{self.choice(TOPICS)}.example.com/{page}"

    def _phone(self) -> str:
        return f"+1-555-{self.integer(0, 999):03d}-{self.integer(0, 9999):04d}"

    def _hex(self, digits: int) -> str:
        return "".join(f"{self.integer(0, 15):x}" for _ in range(digits))


#: names of fields whose texts are of a kind of their own
PLAIN_TEXTS = frozenset(BY_WORD)
