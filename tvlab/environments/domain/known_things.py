"""Things that everybody knows: what a record of a payment, a planet or a deployment holds where no text says it.

``get_payment(payment_id)``, "Get details of a payment", promises the details of a payment and names none.  For the
things of ``known_things_lists.py`` the usual ones are told, so that the answer is more than a name; a thing that
stands nowhere there, or that means something else in another field of work, stays without.  Only a thing that no
tool changes is filled from here: what a tool writes, its inputs tell.
"""

from __future__ import annotations

from typing import Any

from tvlab.environments.domain import known_things_lists as lists
from tvlab.environments.language import fact_words
from tvlab.foundation.words import singular

Columns = dict[str, dict[str, Any]]

#: words that say of a noun that it is told of, not what it is
_FILLERS = frozenset("detail info information metadata basic full specific complete all available record".split())
_FORMATS = {"@date": "date", "@moment": "date-time", "@time": "time"}


def columns(noun: tuple[str, ...]) -> Columns:
    """Return what a record of a known thing holds, {} for a thing that is not known.

    The noun must be the thing itself, or end with a thing of two words and more.

    >>> list(columns(("payment", "detail")))
    ['amount', 'currency', 'status', 'created_at']
    >>> columns(("payment", "form"))
    {}
    """
    words = [word for word in noun if word not in _FILLERS] or list(noun)
    for at in range(max(1, len(words) - 1)):
        if found := THINGS.get(" ".join(words[at:])):
            return {name: dict(schema) for name, schema in found.items()}
    return {}


def number_of(noun: tuple[str, ...]) -> int:
    """Return how many of a known thing there are names of, 0 if it has names of its own.

    >>> number_of(("link", "type")), number_of(("payment",))
    (4, 0)
    """
    known = columns(noun)
    return next((len(known[name]["values"]) for name in ("name", "title") if "values" in known.get(name, {})), 0)


def phrase(noun: tuple[str, ...]) -> Columns:
    """Return what a thing holds whose whole name of two words and more is known, {} if it is not."""
    found = THINGS.get(" ".join(noun), {}) if len(noun) > 1 else {}
    return {name: dict(schema) for name, schema in found.items()}


def agreed(row: dict[str, Any], noun: tuple[str, ...]) -> dict[str, Any]:
    """Return a row in which what goes with its name is that of its name: the capital of a country.

    >>> agreed({"name": "Benzene", "molecular_formula": "CH4N2O"}, ("compound",))
    {'name': 'Benzene', 'molecular_formula': 'C6H6'}
    """
    listed = {n: s["values"] for n, s in columns(noun).items() if s.get("values")}
    leader = next((n for n in ("name", "title", "symbol") if n in listed), "")
    if row.get(leader) not in listed.get(leader, ()):
        return row
    at = listed[leader].index(row[leader])
    follow = {n: v[at] for n, v in listed.items() if n in row and len(v) == len(listed[leader])}
    return {**row, **follow}


def _things(text: str) -> dict[str, Columns]:
    result: dict[str, Columns] = {}
    for line in text.strip().replace("\n    ", " ").splitlines():
        names, _, parts = line.partition(": ")
        record = dict(_column(part) for part in parts.split(", "))
        result |= dict.fromkeys((" ".join(map(singular, name.split())) for name in names.split(", ")), record)
    return result


def _column(text: str) -> tuple[str, dict[str, Any]]:
    """Read one column.

    >>> _column("crew 1..300"), _column("active ?")
    (('crew', {'type': 'integer', 'minimum': 1, 'maximum': 300}), ('active', {'type': 'boolean'}))
    """
    name, _, rest = text.partition(" ")
    if rest.startswith("= "):
        values: list[Any] = rest[2:].split(" | ")
        return name, {"type": "string", "values": values}
    if rest in _FORMATS:
        return name, {"type": "string", "format": _FORMATS[rest]}
    if rest == "?":
        return name, {"type": "boolean"}
    if rest:
        low, _, high = rest.partition("..")
        plain = "." not in low + high
        make = int if plain else float
        return name, {"type": "integer" if plain else "number", "minimum": make(low), "maximum": make(high)}
    words = name.split("_")
    known = fact_words.FIELD_WORDS.get(words[-1]) or fact_words.FIELD_WORDS.get(singular(words[-1]))
    return name, dict(known or {"type": "string"})


THINGS: dict[str, Columns] = {
    name: record
    for text in (
        lists.TRADE, lists.PLACES, lists.NATURE, lists.MEDIA, lists.SOFTWARE, lists.COINS, lists.MARKETS
    )
    for name, record in _things(text).items()
}
