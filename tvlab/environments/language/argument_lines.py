"""The line that a description gives to one argument: ``due (optional): the date`` under "Args:" or in a list.

No pattern is made of a name: there are as many names as arguments, and each pattern would have to be compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_MARKS = " \t-*`"
_SAID = re.compile(r"`?[ \t]*(?:\([^)]*\))?[ \t]*:[ \t]*(?P<text>.+)$", re.MULTILINE)
_MARKED = re.compile(r"\s*[-*`]*")
_TOLD = re.compile(r"\b[^:\n]*:(?P<text>.*)$", re.MULTILINE)
_BEFORE = re.compile(r"(?:^|[.;]\s+)(?:the )?[`'\"]?\Z")
_LED = re.compile(r"[`'\"]? (?:is|must|may|can|has to)\b[^.;\n]*")


@lru_cache(maxsize=16384)
def argument_line(name: str, description: str) -> str:
    """Return what the line of an argument says of it, "" if it has none.

    >>> argument_line("due", "Make a task.\\n\\nArgs:\\n  - due (optional): the date")
    'the date'
    """
    said = (_SAID.match(description, end) for start, end in _places(name, description)
            if not description[_line(description, start) : start].strip(_MARKS))  # fmt: skip
    return next((found["text"] for found in said if found), "")


def told_line(name: str, description: str) -> str:
    """Return what follows the colon in the first line that begins with a name, whatever stands between; "" if none.

    >>> told_line("mode", "Args:\\n  mode - one of: 'a', 'b'")
    " 'a', 'b'"
    """
    told = (_TOLD.match(description, end) for start, end in _places(name, description)
            if _MARKED.fullmatch(description, _line(description, start), start))  # fmt: skip
    return next((found["text"] for found in told if found), "")


def led_sentence(name: str, text: str) -> str:
    """Return the first sentence that begins with a name and says what its value is, must or may be; "" if none does.

    >>> led_sentence("due", "Make a task. The due is YYYY-MM-DD. due must be ahead. It is open.")
    'due must be ahead'
    """
    for start, end in _places(name, text):
        found = _LED.match(text, end)
        if found and _BEFORE.search(text[:start]):
            return f"{name}{found[0]}"
    return ""


def _places(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a name begins and ends in a text."""
    start = text.find(name)
    while start >= 0:
        yield start, start + len(name)
        start = text.find(name, start + 1)


def _line(text: str, at: int) -> int:
    """Where the line of a place begins."""
    return text.rfind("\n", 0, at) + 1
