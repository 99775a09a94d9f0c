"""Descriptions with hard line ends inside their sentences, read as they are meant: ``Omitted\\nfields are cleared``."""

from __future__ import annotations

import re

_INSIDE = re.compile(r"(?<![.:!?\n])[ \t]*\n[ \t]*(?=[a-z0-9`\"'(])")


def unwrapped(text: str) -> str:
    """Return a text with the line ends inside its sentences as spaces; a new sentence, item or block stays.

    >>> unwrapped("Replace it. Omitted\\n    fields are cleared.\\n\\nArgs:\\n    id: the key")
    'Replace it. Omitted fields are cleared.\\n\\nArgs:\\n    id: the key'
    """
    return _INSIDE.sub(" ", text)
