"""What a text states of the paging of a list: a limit of 0 for all that is left, a cursor that is the last key."""

from __future__ import annotations

import re

_ALL = re.compile(
    r"(?<![\d.-])0 (?:means|=|is|for|returns?|to (?:get|return|list|fetch)) (?:the |an? )?"
    r"(?:remainder|all|everything|every|rest|no limit|unlimited)\b|\b(?:no limit|unlimited|all) if (?:set to )?0\b",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\blast (?:\w+ ){0,2}(?:id|uuid|key)\b[^.\n]{0,30}\b(?:previous|prior|last|preceding) "
    r"(?:page|response|call|result)"
    r"|\bid of the last (?:\w+ ){0,2}(?:\w+ )?(?:of|in|on|from) the (?:previous|prior|last|preceding)\b",
    re.IGNORECASE,
)


def zero_is_all(text: str) -> bool:
    """True if a limit of 0 stands for all that is left.

    >>> zero_is_all("How many to list (100 is a good default, 0 means remainder)"), zero_is_all("At least 0")
    (True, False)
    """
    return bool(_ALL.search(text))


def is_last_key(text: str) -> bool:
    """True if a cursor is the key of the last record of the page before.

    >>> is_last_key("Cursor (last artist ID from previous page) to fetch the next page."), is_last_key("Page token")
    (True, False)
    """
    return bool(_LAST.search(text))
