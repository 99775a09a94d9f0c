"""Forms of minted ids that descriptions state: digits, ``gid://shop/Product/123``, ``act_XXXXXXXXX``, a UUID.

An entity's form is a text in which ``#`` stands for a digit, ``~`` for a hexadecimal one, ``?`` for a sign of base 58
(``runtime.filled``).  The ids of the seeded records and those of new ones have it, so that both fit what the tools say.
The key of an issue begins with the key of its project, where both are codes (``leading``).
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.seeding import agreements as seed_agreements
from tvlab.environments.seeding import forms as seed_forms
from tvlab.environments.seeding import said as seed_said

#: digits of an id that has no length of its own; fewer would soon be taken
_LEAST = 6
_UUID = "~~~~~~~~-~~~~-4~~~-a~~~-~~~~~~~~~~~~"
#: ids that everybody writes in one form
_KNOWN = {
    ("arxiv", "id"): "1#07.#####", ("pubmed", "id"): "########", ("pmid",): "########", ("doi",): "10.####/~~~~~~~~",
    ("isbn",): "978##########", ("bundle", "id"): "com.example.app####",
}  # fmt: skip
_GLOBAL = re.compile(r"\bgid://[\w-]+/[A-Z]\w*/(?=[\w{<])")
_GID = re.compile(r"^(?:The )?[Gg]lobally unique identifier\b|^(?:[\w'-]+ ){0,3}GID\b(?! (?:or|format)\b)")
_MAIL_ID = re.compile(r"\b[Mm]essage[- ]ID\b.*\bRFC ?(?:2822|5322)\b|\bMessage-ID\b")
_PUBLIC_KEY = re.compile(r"^(?:The )?[Pp]ub(?:lic )?key (?:of|for)\b|^(?:The )?Pubkey\b")
_NUMERIC = re.compile(r"\bnumeric (?:string|ID|identifier|value)s?\b|\bnumeric\b[^.]{0,20}\bprefix\b", re.IGNORECASE)
_UUID_SAID = re.compile(r"^(?:[\w'-]+ ){0,4}UUIDs?\b(?! or\b)", re.IGNORECASE)
#: names of keys that say their form
_UUIDS = frozenset("uuid guid".split())
_ADDRESS = re.compile(
    r"\b(?:coin|token|mint|wallet|contract|blockchain) address\b|\baddress of (?:a|the) (?:coin|token)\b", re.I
)
_BASE58 = frozenset("solana mint spl lamport lamports pump".split())
#: a digest with its number: "b61b01...35i0"
_DIGEST = re.compile(r"(?<![0-9A-Za-z])(?P<start>0x)?(?P<hex>[0-9a-f]{24,64})(?P<end>i\d)?(?![0-9A-Za-z])")
#: a code of capitals as an example: 'PROJ', or described as one
_CODE = re.compile(r"(?:\be\.?\s?g\.?,?|\bexamples?:?|\blike|\bsuch as) ?[\"'`](?P<one>[A-Z]{2,6})[\"'`]")
_CODES = re.compile(r"^[A-Z]{2,6}#+$")
_NUMBERED = re.compile(r"^[A-Z][A-Z0-9]*-(?P<digits>#+)$")


def prepare(domain: Domain) -> None:
    """Give the entities with minted ids the forms that the texts of their ids state."""
    said = seed_said.said_keys(domain)
    about = seed_agreements.server_words(domain) or frozenset()
    for entity in domain.entities.values():
        if entity.key_type == "string":
            words = field_types.name_words(entity.key)
            stated = form_of(said.get(entity.name, ""), words, about)
            entity.form = stated or _KNOWN.get(words[-2:]) or _KNOWN.get(words[-1:]) or _by_name(entity, words, about)


def _by_name(entity: Entity, words: tuple[str, ...], about: frozenset[str]) -> str:
    """The form that the name of a minted key or of its thing says, "" if neither does."""
    if entity.key_kind != "minted" or entity.told:
        return ""
    if _UUIDS & set(words):
        return _UUID
    return "?" * 88 if entity.noun[-1:] == ("signature",) and about & _BASE58 else ""


def leading(domain: Domain, entity: Entity) -> str:
    """Return the reference whose key every key of an entity begins with, "" if there is none.

    Args:
        domain: the domain dictionary.
        entity: an issue, say, of the form ``DT-######``; its project's keys are codes of capitals and digits.
    """
    if domain.guessed_texts or not _NUMBERED.match(entity.form):
        return ""
    above = (f for f in entity.fields.values() if f.reference and f.type != "array" and f.name in entity.parents)
    return next((f.name for f in above if _CODES.match(domain.entities[f.reference or ""].form)), "")


def below(entity: Entity) -> str:
    """Return the form of a key behind the key of what it belongs to: ``-######`` of ``DT-######``."""
    return entity.form[entity.form.index("-") :]


def form_of(said: str, words: tuple[str, ...] = (), about: frozenset[str] = frozenset()) -> str:
    """Return the form of the ids that a description states, "" if it states none.

    >>> form_of("Shop product GID, e.g. gid://shop/Product/123"), form_of("Account (format: act_XXXXXXXXX)")
    ('gid://shop/Product/######', 'act_######')
    >>> form_of("The id, a numeric string"), form_of("The name of a ticket")
    ('######', '')
    >>> form_of("Project key (e.g., 'PROJ')", ("project", "key")), form_of("The id of the coin (coin address)")[:4]
    ('PROJ##', '0x~~')
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
    if _ADDRESS.search(said):
        return "?" * 44 if _BASE58 & {*about, *words, *re.findall(r"[a-z]+", said.lower())} else f"0x{'~' * 40}"
    if (digest := _DIGEST.search(said)) and re.search(r"\d", digest["hex"]) and re.search("[a-f]", digest["hex"]):
        return f"{digest['start'] or ''}{'~' * len(digest['hex'])}{digest['end'] or ''}"
    if words[-1:] == ("key",) and (code := _CODE.search(said)):
        return f"{code['one']}##"
    example = seed_forms.example_of(said)
    if not example or "/" in example or not re.search(r"\d\d|[xX]{3,}", example):
        return ""
    *before, last = re.split(r"(\d+|[xX]{3,})", example)
    marked = [re.sub(r"\d|[xX](?=[xX])|(?<=[xX])[xX]", "#", part) if at % 2 else part for at, part in enumerate(before)]
    length = max(len(before[-1]) if before[-1][0].isdigit() else 0, _LEAST)
    return "".join([*marked[:-1], "#" * length, last])
