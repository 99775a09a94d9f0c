"""Forms that a description states: ``1-6``, ``0 (private), 1 (public)``, ``e.g. act_123``, ``user/repo``.

Asked for servers that are not the package's own, whose descriptions say more than the names of their fields.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from tvlab.environments.domain import field_types
from tvlab.environments.seeding import stated as seed_stated
from tvlab.environments.seeding.kinds import Source
from tvlab.environments.seeding.words import ADJECTIVES, TOPICS

Words = tuple[str, ...]

_SAMPLE = re.compile(
    r"(?:\be\.?\s?g\.?|\bfor example|\bexamples?|\bsuch as|\blike)[,:]*\s*(?P<what>[^;)\n]*)", re.IGNORECASE
)
#: "format: act_XXXXXXXXX"
_SHOWN = re.compile(r"\bformat:? [\"'`]?(?P<one>[A-Za-z]{1,12}[_-](?:[xX]{3,}|\d{2,}))(?!\w)", re.IGNORECASE)
_COLOUR = re.compile(r"\bhex\b|\bcolou?r|#[0-9A-Fa-f]{3,8}\b", re.IGNORECASE)
_TOKEN = re.compile(r"(?<![\w./:=@-])[A-Za-z0-9/][\w./:+-]*\w(?![\w=<{*@])")
#: a text of letters and marks or numbers, as codes are: ``act_123``, ``cs.LG``, ``nginx:latest``
_CODED = re.compile(r"^(?=.*[A-Za-z])(?=.*[\d._:/-])(?!\w+://)[\w./:+-]{3,60}$")
_PAIR = re.compile(
    r"(?<![\w/])(?:user(?:name)?|owner|org(?:ani[sz]ation)?|group|team|namespace|login)/"
    r"(?:repo(?:sitory)?|project|slug|name|book|image|model)(?![\w/])"
)
_PAIRED = frozenset("namespace repo repository project slug id model image path name".split())
_IMAGE = re.compile(r"\b(?:container|docker)\b[^.]*\bimage\b|\bimage\b[^.]*\b(?:container|docker)\b", re.IGNORECASE)
_IMAGES = ("nginx:1.25", "redis:7.2", "postgres:16", "python:3.12-slim", "node:20-alpine", "busybox:1.36")
_DEPLOYED = frozenset("deployment container pod docker kubernetes kubectl statefulset daemonset".split())
_LIST = re.compile(r"\b[A-Z][A-Z0-9_]+(?: \([^)]*\))?(?:(?:,| or|, or| \||/) ?[A-Z][A-Z0-9_]+(?: \([^)]*\))?)+")
_CODE = re.compile(r"(?<![\w(])[A-Z][A-Z0-9_]+(?!\w)")
_CHOSEN = frozenset("product exchange variety validity segment market order_type type side action role class".split())
_NO_CODES = frozenset("URL URI JSON ISO UUID HTML CSV XML API UTC HTTP HTTPS SQL YYYY ID IDS MM DD RFC OR AND".split())
#: fields that hold one of a list of codes
_CLOSED = frozenset("category tag event keyword scope code topic type permission uri".split())
_MEDIA = frozenset("media mime content file".split())
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_HOST = re.compile(r"[a-z][a-z-]*\.(?P<domain>example\.(?:com|org|net))")
_NAMES = frozenset("name title label description summary content body text message note comment".split())


def form_text(name: str, said: str, noun: Words, values: Source) -> str | None:
    """Return a text of the form that a description states, None if it states none.

    Args:
        name: of the field.
        said: its description.
        noun: words of the entity.
        values: what draws.
    """
    words = field_types.name_words(name)
    last = words[-1] if words else ""
    if words[-2:] == ("local", "part"):
        return str(values._fake.user_name())
    things = {*words, *noun, *(values.about or ())}
    if last == "image" and (_IMAGE.search(said) or things & _DEPLOYED):
        return str(values.choice(_IMAGES))
    if last in _PAIRED and _PAIR.search(said):
        return f"{values._fake.user_name()}/{values.choice(ADJECTIVES).lower()}-{values.choice(TOPICS)}"
    if last in _NAMES:
        return None
    chosen = {last, "_".join(words[-2:])} & _CHOSEN and not set(words) & _MEDIA
    listed = _LIST.search(said) if chosen else None
    codes = list(dict.fromkeys(_CODE.findall(listed[0]))) if listed else []
    if len(codes) > 1 and not set(codes) & _NO_CODES:
        return str(values.choice(codes))
    return sampled(said, values, name)


def sampled(said: str, values: Source, name: str = "") -> str | None:
    """Return a text of the form of a code that a description gives as an example, None if it gives none.

    Numbers are drawn anew, and so is the leaf of a path.  A code without numbers stands for itself, where the
    description gives several or the field holds one of a closed list.
    """
    found = _codes(said)
    if not found:
        return None
    example = str(values.choice([one for one in found if _is_code(one)]))
    folder, slash, leaf = example.rpartition("/")
    if example.startswith("/") and slash:
        kind = re.match(r"[A-Z]{1,3}_", leaf)
        ending = re.search(r"\.\w{1,5}$", leaf)
        named = f"{values.choice(ADJECTIVES)}{str(values.choice(TOPICS)).capitalize()}"
        return f"{folder}/{kind[0] if kind else ''}{named}{ending[0] if ending else ''}"
    if _DAY.match(example):
        day = datetime(2026, 3, 2) - timedelta(days=values.integer(1, 90))
        return f"{day:%Y-%m-%d}{example[10:]}"
    if host := _HOST.fullmatch(example):
        return f"{values.choice(TOPICS)}-{values.integer(1, 99)}.{host['domain']}"
    if re.fullmatch(r"0x[0-9A-Fa-f]+", example):
        return "0x" + values._hex(len(example) - 2).upper()
    drawn = re.sub(r"\d+", lambda m: _digits(m[0], values), re.sub(r"[xX]{3,}", lambda _: values._hex(8), example))
    closed = set(field_types.singular_words(field_types.name_words(name))[-1:]) & _CLOSED
    return drawn if re.search(r"\d", drawn) or closed or len({*found}) > 1 else None


def _codes(said: str) -> list[str]:
    """The words that a description gives as examples where the first is a code, else []."""
    match = _SAMPLE.search(said)
    found = _TOKEN.findall(match["what"]) if match else []
    return found if found and _is_code(found[0]) and not _COLOUR.search(said) else []


def example_of(said: str) -> str:
    """Return the first code that a description gives as an example or a form, "" if it gives none.

    >>> example_of("Ticket key (e.g. PROJ-123)"), example_of("Account (format: act_XXXXXXXXX)"), example_of("e.g. tea")
    ('PROJ-123', 'act_XXXXXXXXX', '')
    """
    shown = _SHOWN.search(said)
    return shown["one"] if shown else next(iter(_codes(said)), "")


def _is_code(text: str) -> bool:
    return bool(_CODED.match(text)) and not _PLAIN_WORDS.match(text)


def key_text(name: str, said: str, noun: Words, values: Source) -> str | None:
    """Return a key of the form that a description of it states, None if it states none that holds many keys.

    >>> from tvlab.environments.seeding.values import Values
    >>> from tvlab.foundation.seeds import generator
    >>> str(key_text("ticket", "Ticket key (e.g. PROJ-123)", ("ticket",), Values(generator(0, "x"))))[:5]
    'PROJ-'
    """
    if (plain := seed_stated.plain_word(said, values)) is not None:
        return plain
    if field_types.name_words(name)[-1:] in (("url",), ("email",), ("name",)) or "://" in said:
        return None
    if re.search(r"\bnumeric (?:string|ID|identifier)s?\b", said):
        return str(values.integer(10_000, 999_999))
    found = form_text(name, said, noun, values)
    return found if found and (re.search(r"\d\d", found) or "/" in found) else None


#: words joined by marks are no code: ``read-only``, ``and/or``
_PLAIN_WORDS = re.compile(r"^[a-z]+(?:-[a-z]+)+$|^[a-z]+/[a-z]+$|^\w+\.$", re.IGNORECASE)


def _digits(old: str, values: Source) -> str:
    low = 10 ** (len(old) - 1)
    return str(values.integer(low, 10 * low - 1)) if len(old) > 1 else str(values.integer(1, 9))
