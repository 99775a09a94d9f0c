"""Kinds of text that a description says: a phone number, an address of a chain, HTML, SQL, JSON, a cron expression.

``seed_values`` asks here before it looks at the name of a field (``said_text``), and before it takes words at random
(``quoted_text``).  The text of a parameter stands in its schema or in the docstring of a tool; ``said_columns`` gives
the latter by column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tvlab.environments import field_types, seed_kinds, told_values
from tvlab.environments.nouns import flat
from tvlab.environments.seed_kinds import Source
from tvlab.environments.seed_words import TOPICS
from tvlab.environments.steering import said_of

if TYPE_CHECKING:
    from tvlab.environments.domain import Domain

_CHAIN_SAID = re.compile(
    r"\baddress (?:to|from|of|for|that|which|on)\b[^.]*\b(?:ETH|SOL|BTC|tokens?|wallets?|NFTs?|contracts?|coins?|chain)\b"
    r"|\b(?:wallet|contract|recipient'?s?|token|ethereum|solana) address\b.*\b(?:ETH|0x|wallet|token|contract)\b",
)
_SOLANA = re.compile(r"\bSOL(?:ana)?\b")
_ENDS = frozenset("to from recipient sender receiver owner address wallet".split())
_LANGUAGE = re.compile(r"\blanguage code\b|\bISO 639|\b(?:2|two)-letter code\b[^.]*\blanguage", re.IGNORECASE)
_CURRENCY = re.compile(r"\bISO 4217\b|\bcurrency code\b", re.IGNORECASE)
_CLOSED = re.compile(r"\b(?:can|may|must|should) be(?: set to)?:", re.IGNORECASE)
_JSON = re.compile(r"\bJSON (?:string|array|object|list|value|text|dictionary)\b|\bas JSON\b")
_NONE = frozenset(("null", "none", "None", ""))
#: quoted words behind "e.g." or in a list of such; one without quotes counts where it is no plain word
_EXAMPLE = re.compile(r"(?:\be\.?\s?g\.?|\bfor example|\bexamples?|\bsuch as|\blike)[,:]*\s*(?P<what>[^.;)\n]*(?:\.\w[^.;)\n]*)*)", re.I)
_QUOTED = re.compile(r"""(?<!\w)["'`](?P<one>[^"'`\n]{1,60})["'`]""")
_PLAIN_TOO = re.compile(r"\bplain(?:[- ]text)?\b", re.IGNORECASE)

Maker = Callable[[Source], str]


def _phone(v: Source) -> str:
    return v._phone()


def _digits(v: Source) -> str:
    return f"1555{v.integer(0, 9_999_999):07d}"


def _cron(v: Source) -> str:
    return str(v.choice(("0 9 * * 1-5", "*/15 * * * *", "0 0 1 * *", "30 6 * * *", "0 18 * * 5")))


def _html(v: Source) -> str:
    return f"<p>{v.sentence()}</p>"


def _cidr(v: Source) -> str:
    return f"10.{v.integer(0, 254)}.{v.integer(0, 254)}.0/24"


def _sql(v: Source) -> str:
    return f"SELECT * FROM {v.choice(TOPICS)} WHERE id > {v.integer(1, 900)}"


def _yaml(v: Source) -> str:
    return f"steps:\n  - label: {v.choice(TOPICS)}\n    command: make {v.choice(('test', 'build', 'lint'))}"


def _etag(v: Source) -> str:
    return f'W/"{v._hex(16)}"'


_MAKERS: tuple[tuple[re.Pattern[str], Maker], ...] = tuple(
    (re.compile(form), maker) for form, maker in (
        (r"\bJID\b.*\bphone number|\bphone number\b.*\bJID\b", _digits),
        (r"\bphone number without\b|\bphone number\b.*\bno \+", _digits),
        (r"^(?:The |A |Your )?(?:[\w'-]+ ){0,3}[Pp]hone number\b", _phone),
        (r"\b[Cc]ron(?:tab)? (?:expression|schedule|string|format|syntax)\b", _cron),
        (r"\bCIDR\b", _cidr),
        (r"^(?:The |A |An )?(?:\w+ ){0,2}SQL (?:query|statement|text|code)", _sql),
        (r"\bYAML\b(?! file)", _yaml),
        (r"^(?:The )?E[Tt]ag\b", _etag),
        (r"^(?:The )?(?:\w+ ){0,2}[Hh]ex(?:adecimal)? colou?r\b", lambda v: f"#{v._hex(6)}"),
    )
)  # fmt: skip
_MARKED = re.compile(r"\bHTML\b(?!,? (?:files?|emails?|pages?|elements?|escap|url|links?))")
_BODIES = frozenset("content body text note notes html message description template comment".split())


def said_text(name: str, said: str, values: Source) -> str | None:
    """Return a text of the kind that a description says, None if it says none.

    Args:
        name: of the field.
        said: its description.
        values: what draws.
    """
    if not said:
        return None
    words = field_types.name_words(name)
    if _JSON.search(said):
        return json_text(said)
    for form, maker in _MAKERS:
        if form.search(said):
            return maker(values)
    if set(words) & _ENDS and _CHAIN_SAID.search(said):
        return seed_kinds.wallet_address(values, bool(_SOLANA.search(said)))
    if set(words[-1:]) & _BODIES and _MARKED.search(said) and not _PLAIN_TOO.search(said):
        return _html(values)
    if _LANGUAGE.search(said):
        return str(values.choice(("en", "de", "fr", "es")))
    if _CURRENCY.search(said):
        return str(values.choice(("EUR", "USD", "GBP")))
    closed = [value for value in told_values.told_values(_CLOSED.sub("one of:", said)) if value not in _NONE]
    return str(values.choice(closed)) if closed else None


def json_text(said: str) -> str:
    """Return the text of the first JSON value that a description gives as an example, else a plain one of its kind.

    >>> json_text('Visibility as JSON string (e.g. {"type": "group"})'), json_text("JSON array of names")
    ('{"type": "group"}', '["title", "category"]')
    """
    decoder = json.JSONDecoder()
    for at in (match.start() for match in re.finditer(r"[\[{]", said)):
        try:
            _, end = decoder.raw_decode(said[at:])
        except ValueError:
            continue
        return said[at : at + end]
    if re.search(r"\bJSON (?:array|list)\b|\b2D array\b", said):
        return '["title", "category"]'
    return '{"enabled": true}'


def quoted_text(said: str, values: Source) -> str | None:
    """Return one of the texts that a description quotes as examples, None if it quotes none.

    >>> from tvlab.environments.seed_values import Values
    >>> from tvlab.foundation.seeds import generator
    >>> quoted_text("Font family name (e.g., \\"Arial\\")", Values(generator(0, "x")))
    'Arial'
    """
    match = _EXAMPLE.search(said)
    found = _QUOTED.findall(match["what"]) if match else []
    return str(values.choice(found)) if found else None


def said_columns(domain: Domain) -> dict[tuple[str, str], str]:
    """Return what docstrings of tools say of columns whose schema has no description, by entity and column."""
    said: dict[tuple[str, str], str] = {}
    for tool in domain.tools:
        own = domain.own.get(tool.name)
        for p in flat(tool.parameters) if own is not None else ():
            column = own.field_of(p.words) if own is not None else None
            text = "" if column is None or column.schema.get("description") else said_of(p, tool)
            if own is not None and column is not None and text:
                said.setdefault((own.name, column.name), text)
    return said
