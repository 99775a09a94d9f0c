"""Forms of minted ids that descriptions state: digits, ``gid://shop/Product/123``, ``act_XXXXXXXXX``, a UUID.

An entity's form is a text in which ``#`` stands for a digit, ``~`` for a hexadecimal one, ``?`` for a sign of base 58
(``runtime.filled``).  The ids of the seeded records and those of new ones have it, so that both fit what the tools say.
"""

from __future__ import annotations

import re

from tvlab.environments import field_types, seed_forms, seed_said
from tvlab.environments.domain import Domain

#: digits of an id that has no length of its own; fewer would soon be taken
_LEAST = 6
_UUID = "~~~~~~~~-~~~~-4~~~-a~~~-~~~~~~~~~~~~"
#: ids that everybody writes in one form
_KNOWN = {
    ("arxiv", "id"): "2#0#.#####", ("pubmed", "id"): "########", ("pmid",): "########", ("doi",): "10.####/~~~~~~~~",
    ("isbn",): "978##########", ("bundle", "id"): "com.example.app####",
}  # fmt: skip
_GLOBAL = re.compile(r"\bgid://[\w-]+/[A-Z]\w*/(?=[\w{<])")
_GID = re.compile(r"^(?:The )?[Gg]lobally unique identifier\b|^(?:[\w'-]+ ){0,3}GID\b(?! (?:or|format)\b)")
_MAIL_ID = re.compile(r"\b[Mm]essage[- ]ID\b.*\bRFC ?(?:2822|5322)\b|\bMessage-ID\b")
_PUBLIC_KEY = re.compile(r"^(?:The )?[Pp]ub(?:lic )?key (?:of|for)\b|^(?:The )?Pubkey\b")
_NUMERIC = re.compile(r"\bnumeric (?:string|ID|identifier|value)s?\b|\bnumeric\b[^.]{0,20}\bprefix\b", re.IGNORECASE)
_UUID_SAID = re.compile(r"^(?:[\w'-]+ ){0,4}UUIDs?\b(?! or\b)")


def prepare(domain: Domain) -> None:
    """Give the entities with minted ids the forms that the texts of their ids state."""
    said = seed_said.said_keys(domain)
    for entity in domain.entities.values():
        if entity.key_type == "string":
            words = field_types.name_words(entity.key)[-2:]
            entity.form = form_of(said.get(entity.name, "")) or _KNOWN.get(words) or _KNOWN.get(words[-1:], "")


def form_of(said: str) -> str:
    """Return the form of the ids that a description states, "" if it states none.

    >>> form_of("Shop product GID, e.g. gid://shop/Product/123"), form_of("Account (format: act_XXXXXXXXX)")
    ('gid://shop/Product/######', 'act_######')
    >>> form_of("The id, a numeric string"), form_of("The name of a ticket")
    ('######', '')
    """
    if found := _GLOBAL.search(said):
        return found[0] + "#" * _LEAST
    if _MAIL_ID.search(said):
        return f"<{'~' * 16}@mail.example.com>"
    if _PUBLIC_KEY.search(said):
        return "?" * 44
    if _GID.search(said):
        return "#" * 16
    if _NUMERIC.search(said):
        return "#" * _LEAST
    if _UUID_SAID.search(said):
        return _UUID
    example = seed_forms.example_of(said)
    if not example or "/" in example or not re.search(r"\d\d|[xX]{3,}", example):
        return ""
    *before, last = re.split(r"(\d+|[xX]{3,})", example)
    marked = [re.sub(r"\d|[xX](?=[xX])|(?<=[xX])[xX]", "#", part) if at % 2 else part for at, part in enumerate(before)]
    length = max(len(before[-1]) if before[-1][0].isdigit() else 0, _LEAST)
    return "".join([*marked[:-1], "#" * length, last])
