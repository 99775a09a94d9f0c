"""Texts of generated code: literals, docstrings and lines of bearable length."""

from __future__ import annotations

import keyword
import math
import re
from typing import Any

_SCALARS = (str, int, float, bool)


def literal(value: Any) -> str:
    """Return Python source of a JSON value.

    >>> literal("plain"), literal('a"b'), literal([1, None])
    ('"plain"', '\\'a"b\\'', '[1, None]')
    """
    if isinstance(value, str):
        return f'"{value}"' if value.isprintable() and '"' not in value and "\\" not in value else repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no JSON number")
    if value is None or isinstance(value, _SCALARS):
        return repr(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def docstring(description: str, fallback: str) -> str:
    """Return a one-line docstring literal made of the first sentence of a description."""
    text = " ".join("".join(c if c.isprintable() else " " for c in description).split())
    fallback = fallback[:1].upper() + fallback[1:]
    sentence = re.split(r"(?<=[.!?]) ", text)[0][:90].strip()
    plain = sentence.replace("\\", "/").replace('"', "'") or fallback
    return f'"""{plain if plain.endswith((".", "!", "?")) else plain + "."}"""'


def wrapped(line: str, width: int = 110) -> str:
    """Break a long line of code at the commas of its outermost bracket that holds any.

    >>> print(wrapped("f(state, alpha, beta)", 18))
    f(
        state, alpha,
        beta,
    )
    """
    if len(line) <= width:
        return line
    span = _bracket(line)
    if span is None:
        return line
    start, end, commas = span
    indent = line[: len(line) - len(line.lstrip())]
    rows, row = [], ""
    for a, b in zip([start, *commas], [*commas, end], strict=True):
        part = line[a + 1 : b].strip() + ","
        if row and len(indent) + 4 + len(row) + 1 + len(part) > width:
            rows.append(row)
            row = part
        else:
            row = f"{row} {part}".strip()
    rows = [wrapped(f"{indent}    {text}", width) for text in [*rows, row]]
    return "\n".join([line[: start + 1], *rows, indent + line[end:]])


def _bracket(line: str) -> tuple[int, int, list[int]] | None:
    """Return (start, end, commas) of the outermost bracket with two or more parts, the longest if several."""
    stack: list[tuple[int, list[int]]] = []
    found: list[tuple[int, int, int, list[int]]] = []
    quote, at = "", 0
    while at < len(line):
        c = line[at]
        if quote:
            at += c == "\\"
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "([{":
            stack.append((at, []))
        elif c in ")]}" and stack:
            start, commas = stack.pop()
            if commas and " for " not in line[start:at]:
                found.append((len(stack), start, at, commas))
        elif c == "," and stack:
            stack[-1][1].append(at)
        at += 1
    if not found:
        return None
    _, start, end, commas = min(found, key=lambda f: (f[0], f[1] - f[2]))
    return start, end, commas


def is_name(text: str) -> bool:
    """True if a text may stand in the code as a name of its own."""
    return (
        text.isascii() and text.isidentifier() and not keyword.iskeyword(text) and not text.startswith("__")
    )
