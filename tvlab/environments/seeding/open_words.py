"""Kinds of text that the last word of a name says where no other list knows it: a goal, a genre, a memory limit.

Asked last, so that a filler of two words is left for names that say nothing.
"""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.seeding.kinds import Maker, Source
from tvlab.environments.seeding.words import ADJECTIVES, TOPICS
from tvlab.foundation.words import singular


def _one_of(*options: str) -> Maker:
    return lambda v: str(v.choice(options))


def _label(v: Source) -> str:
    return f"{v.choice(ADJECTIVES)} {str(v.choice(TOPICS)).capitalize()}"


def _initials(v: Source) -> str:
    return "".join(f"{v.choice('ABCDEFGHJKLMNPRST')}." for _ in range(2))


def _filed(v: Source) -> str:
    return f"{v._fake.last_name()}, {v._fake.first_name()}"


_SENTENCE: Maker = lambda v: v.sentence()  # noqa: E731
_WORD: Maker = lambda v: str(v.choice(TOPICS))  # noqa: E731
_NAME: Maker = lambda v: str(v._fake.name())  # noqa: E731
_HEX: Maker = lambda v: v._hex(8)  # noqa: E731
_BY_LAST: dict[str, Maker] = {
    **dict.fromkeys(
        "remark goal prompt topic explanation bio question alternative context spot observation result evidence plan "
        "markdown narrative objective outcome rule blurb concern hypothesis conclusion snippet".split(), _SENTENCE),
    **dict.fromkeys("value preset extension".split(), _WORD),
    **dict.fromkeys("new old query search".split(), _WORD),
    **dict.fromkeys("heading album option".split(), _label),
    **dict.fromkeys("composer child sibling spouse".split(), _NAME),
    **dict.fromkeys("mentioned previous revision".split(), _HEX),
    "class": lambda v: str(v.choice(TOPICS)).capitalize(), "schema": _one_of("public", "sales", "staging", "finance"),
    "source": _one_of("web", "email", "import", "api"), "role": _one_of("admin", "member", "viewer"),
    "action": _one_of("create", "update", "remove"), "icon": _one_of("star", "folder", "flag", "home"),
    "model": lambda v: f"{v.choice('ABCDEFGHKLMNPRSTX')}{v.integer(100, 900)}",
    "font": _one_of("Arial", "Calibri", "Georgia", "Verdana"),
    "metric": _one_of("count", "revenue", "sessions", "share"),
    "genre": _one_of("Jazz", "Rock", "Classical", "Folk"), "region": lambda v: str(v._fake.state()),
    "province": lambda v: str(v._fake.state()), "lat": lambda v: f"{v.integer(-60_000, 60_000) / 1000:.3f}",
    "long": lambda v: f"{v.integer(-170_000, 170_000) / 1000:.3f}", "initial": _initials, "file_as": _filed,
    "copyright": lambda v: f"© 2025 {v._fake.company()}", "generation": _one_of("Jr.", "Sr.", "II", "III"),
    "container": _one_of("nginx", "redis", "worker", "api"), "tokenization": _one_of("word", "field", "lowercase"),
    "vectorizer": _one_of("text2vec-openai", "text2vec-cohere", "none"), "hint": lambda v: f"{v._hex(8)} !",
    "home_page": lambda v: v._url(), "about_me": _SENTENCE, "conversation_index": lambda v: f"AdQ{v._hex(12)}==",
    "line1": lambda v: str(v._fake.street_address()), "line2": lambda v: f"Suite {v.integer(100, 900)}",
    **dict.fromkeys(("line3", "line4", "line5"), lambda v: f"Building {v.choice('ABCDEF')}"),
    "memory_limit": _one_of("256Mi", "512Mi", "1Gi"), "memory_request": _one_of("64Mi", "128Mi", "256Mi"),
    "cpu_limit": _one_of("500m", "1", "2"), "cpu_request": _one_of("50m", "100m", "250m"),
    "slippage": lambda v: str(v.integer(1, 15)), "fee": lambda v: f"0.{v.integer(1, 99):04d}",
    "account": _one_of("Business Checking", "Accounts Payable", "Company Credit Card", "Savings"),
    "disposition": _one_of("connected", "no answer", "left voicemail", "busy"),
    "service": _one_of("exchange", "sharepoint", "teams", "billing"), "by": _NAME,
    "scheme": _one_of("blue", "green", "grayscale"), "files": lambda v: f"src/{v.choice(TOPICS)}.py",
}  # fmt: skip
#: words so wide that they mean a kind only behind another word: the remark of a pupil may be anything
_BARE = frozenset("remark heading role result source model account line1 query genre".split())
#: last word of an object without properties -> what records hold in it
_OPEN: dict[str, tuple[dict[str, Any], ...]] = {
    **dict.fromkeys(("field", "property", "column", "attribute"), (
        {"Name": "Quarterly review", "Status": "Open"}, {"Name": "Site survey", "Status": "Done"},
        {"Name": "Supplier contract", "Status": "Waiting"})),
    "header": ({"Accept": "application/json"}, {"Content-Type": "application/json"}),
    **dict.fromkeys(("tag", "label"), ({"env": "production"}, {"env": "staging"}, {"team": "platform"})),
    **dict.fromkeys(("metadata", "parameter", "variable", "detail", "context"), (
        {"source": "import"}, {"source": "web", "attempt": 2}, {"region": "north"})),
}  # fmt: skip
_DEFINED = frozenset(("field", "property", "column", "attribute"))
_DEFINITIONS = (
    {"name": "Owner", "type": "text"}, {"name": "Due date", "type": "date"}, {"name": "Amount", "type": "number"},
)  # fmt: skip
_WORKS = frozenset("command script task job cron scheduler prefect workflow pipeline flow backup".split())


def open_object(name: str, index: int, defined: bool = False) -> dict[str, Any]:
    """Return what a record holds in an object whose properties no schema tells, {} if its name says nothing.

    Args:
        name: of the object.
        index: the record's position.
        defined: one field, and not several, is what defines it: its name and type.
    """
    plain = field_types.name_words(name)
    words = field_types.singular_words(plain)
    held = _OPEN.get(words[-1] if words else "", ({},))
    if defined and words == plain and words[-1:] and words[-1] in _DEFINED:
        held = _DEFINITIONS
    return dict(held[index % len(held)])


_PART = re.compile(
    r"(?:^|[\s,-])[-*]\s?`{0,2}(?P<name>[A-Za-z]\w*)`{0,2} \((?P<kind>str|string|int|integer|bool|boolean)\b"
)
_INCLUDING = re.compile(r"\b(?:including|containing|such as|with) (?P<all>[a-zA-Z]\w*(?:, (?:and )?[a-zA-Z]\w*)+)")
_PLAIN = frozenset("name label title description email login firstName lastName first_name last_name".split())
_KINDS = {"str": "string", "int": "integer", "bool": "boolean"}


def described(said: str) -> dict[str, Any]:
    """Return the properties of an object that a description lists, {} if it lists none of a plain kind.

    >>> described("The rule: - name (str, required): Rule name - priority (int): Order")
    {'name': {'type': 'string'}, 'priority': {'type': 'integer', 'minimum': 1, 'maximum': 9}}
    >>> described("The configuration including name, label, settings, etc.")
    {'name': {'type': 'string'}, 'label': {'type': 'string'}}
    """
    listed = {m["name"]: _KINDS.get(m["kind"], m["kind"]) for m in _PART.finditer(said)}
    if not listed and (found := _INCLUDING.search(said)):
        listed = {n: "string" for n in re.findall(r"\w+", found["all"]) if n in _PLAIN}
    low = {"minimum": 1, "maximum": 9}
    return {n: {"type": kind, **(low if kind == "integer" else {})} for n, kind in listed.items()}


def open_guess(name: str, noun: tuple[str, ...], values: Source) -> str | None:
    """Return a text for a field of a record by its last words, None if they say nothing."""
    words = field_types.name_words(name)
    if not words or (words[0] in _BARE and len(words) == 1):
        return None
    if words[-1] == "schedule" and {singular(w) for w in (*noun, *(values.about or ()))} & _WORKS:
        return str(values.choice(("0 9 * * 1-5", "*/15 * * * *", "0 0 1 * *", "30 6 * * *", "0 18 * * 5")))
    keys = ("_".join(words[-2:]), words[-1], singular(words[-1]))
    maker = next((_BY_LAST[key] for key in keys if key in _BY_LAST), None)
    return maker(values) if maker else None
