"""What the code of a generated environment may use: errors, minted ids, the clock and small list helpers.

A tool is a plain function ``def tool(state, *, ...)``.  The state is a dictionary whose top-level values are
all dictionaries: ``{table: {key: record}}`` beside ``_clock`` and ``_minted``.  Tools *replace* records and
never edit one in place; this is what makes a snapshot or a reset a copy of the tables alone (see
``environment.py``).

Nothing here checks argument types: ``Session.call`` has validated the arguments before a tool runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, NoReturn

State = dict[str, dict[Any, Any]]

CLOCK = "_clock"
MINTED = "_minted"


class ToolError(Exception):
    """A tool's refusal that the agent reads, e.g. ``not_found: no order 'ord-9'``."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def fail(code: str, message: str) -> NoReturn:
    """Refuse the call; the session rolls the state back."""
    raise ToolError(code, message)


def find(state: State, table: str, key: Any, noun: str) -> dict[str, Any]:
    """Return the record under ``key`` or refuse the call with ``not_found``."""
    record = state[table].get(key)
    if record is None:
        raise ToolError("not_found", f"no {noun} {key!r}")
    return record


def now(state: State) -> str:
    """Return the environment's time, ISO 8601.  It stands still unless a tool moves it."""
    return state[CLOCK]["now"]


def mint(state: State, tool: str, content: Any, prefix: str = "", integer: bool = False) -> Any:
    """Return a new id: a hash of (tool, content, occurrence number among equal creates).

    Independent calls get the same ids in any order, and two equal creates get different ones.

    Args:
        state: the environment's state; the occurrence count is kept in it.
        tool: the creating tool.
        content: the JSON arguments of the create.
        prefix: put before the hash, e.g. ``"ord"`` gives ``"ord-1f0c9a2e"``; or a form (``filled``).
        integer: return a positive 31-bit integer instead of a string.
    """
    text = json.dumps([tool, content], sort_keys=True, separators=(",", ":"))
    base = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    minted = state[MINTED]
    occurrence = minted.get(base, 0)
    minted[base] = occurrence + 1
    digest = base if occurrence == 0 else hashlib.blake2b(f"{base}:{occurrence}".encode()).hexdigest()
    if integer:
        return int(digest[:8], 16) % (2**31 - 1) + 1
    if set(prefix) & set("#~?"):
        return filled(prefix, int(hashlib.blake2b(digest.encode()).hexdigest(), 16))
    return f"{prefix}-{digest[:8]}" if prefix else digest[:8]


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def filled(form: str, number: int) -> str:
    """Return a form with its marks filled by a large number: ``#`` digits, ``~`` hexadecimal ones, ``?`` of base 58.

    >>> filled("act_###", 4711), filled("~~", 255)
    ('act_532', 'ff')
    """
    result = ""
    for at, mark in enumerate(form):
        if mark == "#":
            first = at == 0 or form[at - 1] != "#"
            result += str(1 + number % 9 if first else number % 10)
            number //= 9 if first else 10
        elif mark == "~":
            result += f"{number % 16:x}"
            number //= 16
        elif mark == "?":
            result += _BASE58[number % 58]
            number //= 58
        else:
            result += mark
    return result


def contains(record: dict[str, Any], fields: Iterable[str], query: str) -> bool:
    """Tell whether a text field of the record holds ``query``, ignoring case."""
    needle = query.casefold()
    return any(isinstance(record.get(name), str) and needle in record[name].casefold() for name in fields)


def page(records: list[Any], limit: int | None, offset: int = 0) -> list[Any]:
    """Return ``limit`` records from ``offset`` on; ``None`` means all."""
    return records[offset:] if limit is None else records[offset : offset + max(0, limit)]


def without_missing(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that the caller gave (not ``None``): what a partial update changes."""
    return {name: value for name, value in fields.items() if value is not None}
