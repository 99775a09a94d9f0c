"""Keys of told tables whose form a text says: the address of a coin, a hash with a number behind it, a traded pair.

An example that is long and of hexadecimal digits stands for others of its form; a key that is called an address is
one of the ledger that the texts speak of; ``BTC-USDT`` stands for the other pairs, with its mark between.
"""

from __future__ import annotations

import re
from hashlib import sha256

Keys = tuple[str, ...]

_NUMBER = 8
_HASHED = re.compile(r"(?<![\w-])(?P<start>0x)?(?P<hash>[0-9a-f]{32,64})(?P<end>[a-z]\d+)?(?![\w-])")
_ADDRESS = re.compile(r"\b(?:coin|token|contract|mint|wallet|account|owner|pool|nft) address\b", re.IGNORECASE)
_PAIR = re.compile(r"^(?P<base>[A-Z]{2,5})(?P<mark>[-/_])(?P<quote>[A-Z]{3,4})$")
_BASES = ("BTC", "ETH", "SOL", "ADA", "XRP", "DOT", "LTC", "TRX")


def hashed(said: str) -> Keys:
    """Return keys of the form of a hash that a text gives as an example, () if it gives none.

    >>> [len(key) for key in hashed("The note (e.g. 0b61b0172d95e266c18aea0c624db987i0)")][:2]
    [34, 34]
    """
    found = _HASHED.search(said)
    if found is None:
        return ()
    length, end = len(found["hash"]), found["end"] or ""
    made = [sha256(f"{said} {at}".encode()).hexdigest()[:length] for at in range(1, _NUMBER)]
    return (found[0], *(f"{found['start'] or ''}{one}{end}" for one in made))


def is_address(said: str) -> bool:
    """True if a text calls a key an address on a ledger."""
    return bool(_ADDRESS.search(said))


def pairs(examples: list[str]) -> Keys:
    """Return traded pairs in the form of the given ones, () if one of them is none.

    >>> pairs(["BTC-USDT"])[:2]
    ('BTC-USDT', 'ETH-USDT')
    """
    found = [_PAIR.match(one) for one in examples]
    first = found[0] if found else None
    if first is None or not all(found) or first["base"] not in _BASES:
        return ()
    made = (f"{base}{first['mark']}{first['quote']}" for base in _BASES)
    return tuple(dict.fromkeys((*examples, *made)))


def pair_of(value: str) -> tuple[str, str]:
    """Return base and quote of a traded pair, two "" for any other text."""
    found = _PAIR.match(value)
    return (found["base"], found["quote"]) if found and found["base"] in _BASES else ("", "")
