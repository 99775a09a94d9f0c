"""Texts of a kind that a format or a description states: a UUID, PEM, a slug, a digest, an e-mail's id, a login.

Asked first for servers that are not the package's own: what a description states outranks what a name suggests.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.seeding import said as seed_said
from tvlab.environments.seeding.kinds import BASE58, Source, slug
from tvlab.environments.seeding.words import ADJECTIVES, LONG, PEOPLE, TOPICS
from tvlab.foundation.words import singular

Words = tuple[str, ...]
Maker = Callable[[Source], str]

_TEXT64 = ("SGVsbG8gd29ybGQ=", "TWVldGluZyBub3Rlcw==", "UXVhcnRlcmx5IHJlcG9ydA==")
_LETTERS64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_OF_PEOPLE = frozenset("follower participant reviewer watcher attendee member assignee recipient subscriber".split())
_LOGINS = frozenset("owner user author requester assignee reviewer member creator name person handle login".split())
_CHOSEN = frozenset("type kind mode role status state category method class level scope strategy".split())
_SECRETS = frozenset("password passphrase pin".split())
_TOKENS = frozenset("id key token hash code number digest secret cnpj".split())
_ADDRESSES = frozenset("uri uris url urls route routes".split())


def base58(v: Source, length: int) -> str:
    """Return a text of the letters and digits that addresses of some chains are written in."""
    return "".join(str(v.choice(BASE58)) for _ in range(length))


def pem(v: Source, label: str) -> str:
    """Return a block in PEM format."""
    body = "\n".join("".join(str(v.choice(_LETTERS64)) for _ in range(48)) for _ in range(2))
    return f"-----BEGIN {label}-----\nMII{body}\n-----END {label}-----"


def strong_password(v: Source) -> str:
    """Return a password of large and small letters, digits and a mark."""
    return f"{v.choice(ADJECTIVES)}{str(v.choice(TOPICS)).capitalize()}{v.integer(100, 999)}!"


def _cut(text: str, said: str) -> str:
    """Keep within "3-15 characters"."""
    found = re.search(r"\b\d{1,2}\s?[-\u2013]\s?(\d{1,3}) char", said)
    return text[: int(found[1])].rstrip("-_") if found else text


_MAKERS: tuple[tuple[re.Pattern[str], Maker], ...] = tuple(
    (re.compile(form), maker) for form, maker in (
        (r"\b[Cc]ron(?:tab)? (?:expression|schedule|string|format|syntax)\b", seed_said.cron),
        (r"^(?:[\w-]+ ){0,3}UUIDs?\b(?! or\b)", lambda v: str(v._fake.uuid4())),
        (r"\bE\.164\b", lambda v: f"+1555{v.integer(0, 9_999_999):07d}"),
        (r"\bSHA-?256\b", lambda v: v._hex(64)), (r"\bMD5\b", lambda v: v._hex(32)),
        (r"\bSHA-?1\b|\b[Cc]ommit (?:SHA|hash)\b|^(?:The )?SHA\b", lambda v: v._hex(40)),
        (r"\bas major\.minor\b(?!\.\w)", lambda v: f"{v.integer(1, 9)}.{v.integer(0, 9)}"),
        (r"\bRFC ?(?:2822|5322)\b.*\b(?:format|form)\b|\b[Mm]essage[- ]ID\b.*\bRFC ?(?:2822|5322)\b|\bMessage-ID\b",
         lambda v: f"<{v._hex(16)}@mail.example.com>"),
        (r"\bOData query\b", lambda v: f"$select=id,{v.choice(('subject', 'name', 'createdDateTime'))}"),
        (r"\b[Ss]tate(?:/| or )province code\b|\b(?:two|2)-letter state\b", lambda v: str(v._fake.state_abbr())),
        (r"\bwithout (?:the )?\.git\b", slug), (r"^Hint (?:value )?used to order\b", lambda v: f"{v._hex(8)} !"),
        (r"^(?:(?:The|An?|First|Second|Third|Fourth|Fifth|\d(?:st|nd|rd|th)) )*[Ss]tatement\b", lambda v: v.sentence()),
        (r"\bbase-?58\b.*\b(?:signature|transaction)\b|\b(?:signature|transaction)\b.*\bbase-?58\b",
         lambda v: base58(v, 88)),
        (r"\bbase-?58\b|^(?:The )?[Pp]ub(?:lic )?key (?:of|for)\b|^(?:The )?Pubkey\b", lambda v: base58(v, 44)),
        (r"\bbase-?64\b(?!url)", lambda v: str(v.choice(_TEXT64))),
    )
)  # fmt: skip
_SLUG = re.compile(r"^(?:[\w'-]+ ){0,4}slug\b(?! or\b)")
_LOGIN = re.compile(
    r"^(?:The |A |An |Filter by )?(?:[\w'-]+ ){0,3}(?:user ?name|login(?: name)?)\b|\bmention name\b"
    r"|^(?:The )?(?:database|db|ssh|s?ftp|smtp|proxy|system) user\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"\balphanumeric\b|\bletters,? (?:and )?(?:digits|numbers)\b|\b(?:no|without) spaces\b", re.I)
_STRONG = re.compile(r"\bmixed[- ]case\b|\bupper-?case\b|\bspecial (?:character|symbol)", re.IGNORECASE)
_ROUTE = re.compile(r"^(?:The )?(?:multiple )?(?:route|HTTP|URL|request|endpoint) paths?\b")
_TITLED = re.compile(
    r"^(?:(?:The|A|An|New|Optional|Short) )*(?:\w+[ /])?(?:title|name)\b(?! of the (?:file|fold))", re.I
)
_CONSTANT = re.compile(r"^(?:Must|Should) be [\"'`]?(?P<one>\w+)[\"'`]?\.?$|\balways [\"'`]?(?P<two>\w+_\w+)\b")
_LONG_ID = re.compile(r"\b(?P<n>\d{2,3})[- ](?P<kind>character|char|hex(?:adecimal)?(?: digit)?|digit)")
_COUNTRY2 = re.compile(
    r"\b(?:2|two)[- ]letter\b|\b(?:e\.?g\.?|[Ee]xample|such as)[.:,]* ?[\"'`(]?[A-Z]{2}[\"'`]?(?![A-Za-z])"
)
_MAILED = re.compile(r"\be-?mail\b(?! notif)", re.IGNORECASE)
_CENTS = re.compile(r"\bin cents\b|\bsmallest (?:currency )?unit\b|\bminor units?\b", re.IGNORECASE)
_JSON_SHOWN = re.compile(r"(?:\be\.?g\.?[.:,]*|\b[Ee]xample:?|\bformat:?) ?[\"'`]?(?=\[\s?\{|\{\s?\")")
#: "such as like, heart, or star"
_SUCH_AS = re.compile(
    r"\b(?:such as|e\.?g\.?,?|[Tt]ypes?:) (?P<all>[a-z]\w*(?:(?:, (?:or )?| or )[a-z]\w*)+)(?=[.;:),]|$| [a-z]+[.)])"
)


def stated_text(name: str, schema: dict[str, Any], noun: Words, values: Source) -> str | None:
    """Return a text of the kind that the format or the description of a field states, None if they state none.

    Args:
        name: of the field.
        schema: its schema.
        noun: words of the entity.
        values: what draws.
    """
    if (formatted := _FORMATS.get(str(schema.get("format")))) is not None:
        return formatted(values)
    said = "" if "format" in schema else str(schema.get("description") or "")
    if not said:
        return None
    words = field_types.name_words(name)
    last = singular(words[-1]) if words else ""
    if last in _SECRETS:
        return strong_password(values) if _STRONG.search(said) else None
    if re.search(r"\bPEM\b", said):
        private = last == "key" or "private" in said.lower()
        return pem(values, "PRIVATE KEY" if private and "public" not in words else "CERTIFICATE")
    if _JSON_SHOWN.search(said) and not seed_said.says_json(said):
        return seed_said.json_text(said, values)
    for form, maker in _MAKERS:
        if form.search(said):
            return maker(values)
    return _by_words(words, last, said, noun, values)


def _by_words(words: Words, last: str, said: str, noun: Words, values: Source) -> str | None:
    """The kinds that a description states of fields of some names."""
    if _SLUG.search(said[:60]) and last not in ("name", "title"):
        return slug(values)
    if last in _LOGINS and _LOGIN.search(said):
        return str(values._fake.user_name())
    if last in _OF_PEOPLE | PEOPLE and _MAILED.search(said):
        return str(values._fake.email(domain="example.com"))
    if last in ("country", "nationality", "region") and _COUNTRY2.search(said):
        return str(values.choice(("DE", "FR", "JP", "BR", "CA", "IN", "KE", "ES")))
    if set(words[-1:]) & _ADDRESSES and _ROUTE.search(said):
        return f"/{slug(values)}"
    if last in _CHOSEN and (found := _CONSTANT.search(said)):
        return found["one"] or found["two"]
    if last in _CHOSEN and (listed := _SUCH_AS.search(said)):
        return str(values.choice(re.findall(r"[a-z]\w*", re.sub(r"\bor\b", "", listed["all"]))))
    if last in LONG and _TITLED.search(said):
        return values.label(noun)
    if _CENTS.search(said) and last not in LONG:
        return str(values.integer(500, 50_000))
    if last in _TOKENS and (found := _LONG_ID.search(said)):
        number, digits = int(found["n"]), found["kind"] == "digit"
        return "".join(str(values.integer(0, 9)) for _ in range(number)) if digits else values._hex(number)
    return plain_word(said, values) if last in ("name", "key", "user", "id", "title", "slug") else None


def is_any_text(said: str) -> bool:
    """True for a text that may hold JSON and need not: "string or JSON object"."""
    return bool(re.search(r"\b(?:strings?|text) or (?:a )?JSON\b", said))


def plain_word(said: str, values: Source) -> str | None:
    """Return a name without blanks where a description says which letters it may have, None if it says none.

    >>> from tvlab.environments.seeding.values import Values
    >>> from tvlab.foundation.seeds import generator
    >>> "-" in plain_word("using alphanumeric characters, dashes and underscores only", Values(generator(0, "x")))
    True
    """
    if not _PLAIN.search(said):
        return None
    dashes, lines = re.search(r"\bdash|\bhyphen", said), re.search(r"\bunderscore", said)
    return _cut(slug(values, "-" if dashes else "_" if lines else ""), said)


_FORMATS: dict[str, Maker] = {
    "uuid": lambda v: str(v._fake.uuid4()),
    "ipv4": lambda v: str(v._fake.ipv4_private()),
    "ipv6": lambda v: str(v._fake.ipv6()),
    "hostname": lambda v: f"{v.choice(TOPICS)}-{v.integer(1, 99)}.example.com",
    "email": lambda v: str(v._fake.email(domain="example.com")),
    "byte": lambda v: str(v.choice(_TEXT64)),
    **dict.fromkeys(("uri", "url", "iri"), lambda v: v._url()),
}
