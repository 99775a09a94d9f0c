"""Descriptions with hard line ends inside their sentences, read as they are meant: ``Omitted\\nfields are cleared``."""

from __future__ import annotations

import re
from functools import lru_cache

_NAMED = r"[`*\"']*[A-Za-z_$][\w.$-]*[`*\"']*\s*(?:\([^)\n]*\)\s*)?"
_INSIDE = re.compile(
    rf"(?<![.:!?\n])[ \t]*\n[ \t]*(?=[a-z0-9`\"'(])(?!```)(?!{_NAMED}:)(?![\"'][^\n]*[,{{\[]$)",
)
_BRACKETS = re.compile(r"\s*\([^()]*\)")


@lru_cache(maxsize=4096)
def unwrapped(text: str) -> str:
    """Return a text with the line ends inside its sentences as spaces; arguments, items and blocks keep their lines.

    >>> unwrapped("Replace it. Omitted\\n    fields are cleared.\\n\\nArgs:\\n    key: the key\\n    name: its name")
    'Replace it. Omitted fields are cleared.\\n\\nArgs:\\n    key: the key\\n    name: its name'
    """
    return _INSIDE.sub(" ", text)


def without_brackets(text: str) -> str:
    """Return a text without what stands in round brackets, and the space before them.

    >>> without_brackets("List orders (paid ones) by date.")
    'List orders by date.'
    """
    return _BRACKETS.sub("", text)
