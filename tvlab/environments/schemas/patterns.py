"""Text that a regular expression of a schema accepts.

A small generator over Python's own parse tree: literals, classes, groups, repeats, alternatives, anchors.
Look-around and back-references are not followed; a text that does not match in the end is not returned.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import numpy as np

_ALPHABET = string.ascii_lowercase + string.digits
_PRINTABLE = string.ascii_letters + string.digits + " -_.,"
_LONGEST = 12


@lru_cache(maxsize=1024)
def _parsed(pattern: str) -> Any:
    try:
        return _parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


def sample(pattern: str, rng: np.random.Generator) -> str | None:
    """Return a text that ``pattern`` accepts, None if none was found.

    >>> sample("^[A-Z]{2}-[0-9]+$", np.random.default_rng(0)) is not None
    True
    """
    tree = _parsed(pattern)
    if tree is None:
        return None
    for _ in range(5):
        text = _sequence(tree, rng)
        if text is not None and re.search(pattern, text):
            return text
    return None


def accepts(pattern: str, text: str) -> bool:
    """True if the pattern matches somewhere in the text; an illegal pattern accepts all."""
    return _parsed(pattern) is None or re.search(pattern, text) is not None


def _sequence(tree: Any, rng: np.random.Generator) -> str | None:
    parts = [_part(op, value, rng) for op, value in tree]
    return None if None in parts else "".join(parts)  # type: ignore[arg-type]


def _part(op: Any, value: Any, rng: np.random.Generator) -> str | None:
    if op is ops.LITERAL:
        return chr(value)
    if op is ops.NOT_LITERAL:
        return _pick([c for c in _ALPHABET if ord(c) != value], rng)
    if op is ops.ANY:
        return _pick(list(_ALPHABET), rng)
    if op is ops.IN:
        return _class(value, rng)
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        low, high, inner = value
        most = min(int(high), max(int(low), 6), int(low) + _LONGEST)
        least = max(int(low), 1) if most else 0
        times = int(rng.integers(min(least, most), most + 1))
        parts = [_sequence(inner, rng) for _ in range(times)]
        return None if None in parts else "".join(parts)  # type: ignore[arg-type]
    if op is ops.BRANCH:
        return _sequence(value[1][int(rng.integers(len(value[1])))], rng)
    if op is ops.SUBPATTERN:
        return _sequence(value[-1], rng)
    return "" if op is ops.AT or op in (ops.ASSERT, ops.ASSERT_NOT) else None


def _class(items: Any, rng: np.random.Generator) -> str | None:
    allowed: list[str] = []
    negate = bool(items) and items[0][0] is ops.NEGATE
    for op, value in items[1:] if negate else items:
        if op is ops.LITERAL:
            allowed.append(chr(value))
        elif op is ops.RANGE:
            allowed += [chr(c) for c in range(value[0], min(value[1], value[0] + 200) + 1)]
        elif op is ops.CATEGORY:
            allowed += [c for c in _PRINTABLE if _in_category(value, c)]
    if negate:
        allowed = [c for c in _ALPHABET if c not in allowed]
    plain = [c for c in allowed if c in _ALPHABET or c.isalnum()]
    return _pick(plain or allowed, rng)


def _in_category(category: Any, character: str) -> bool:
    return {
        ops.CATEGORY_DIGIT: character.isdigit(),
        ops.CATEGORY_NOT_DIGIT: not character.isdigit(),
        ops.CATEGORY_SPACE: character.isspace(),
        ops.CATEGORY_NOT_SPACE: not character.isspace(),
        ops.CATEGORY_WORD: character.isalnum() or character == "_",
        ops.CATEGORY_NOT_WORD: not (character.isalnum() or character == "_"),
    }.get(category, False)


def _pick(characters: list[str], rng: np.random.Generator) -> str | None:
    return characters[int(rng.integers(len(characters)))] if characters else None
