"""The state that a thing must be in for a change: ``Modify an existing pending order``, ``Cancel a running task``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.foundation.words import split_name

_STATES = "pending|open|active|draft|queued|scheduled|running|paused|unpaid|inactive|suspended|published|unpublished"
_TOLD = re.compile(
    r"^\W*(?P<verb>[a-z]+)s? (?:an? |the |any )?(?:existing |currently |specific |given )*"
    rf"(?P<state>{_STATES}) (?:(?P<between>\w+) )?(?P<noun>\w+)\b",
    re.IGNORECASE,
)
#: verbs whose object gets the state, or is no single thing in it
_MAKING = frozenset("create add open make new insert start set get list show find search mark put record".split())


_LOCKED = re.compile(
    r"\b(?:can ?not|can't|may not|must not) be (?:modified|changed|updated|edited)(?P<deleted>,? (?:or|and) deleted)?",
    re.IGNORECASE,
)
_LOCKS = frozenset({"only", "locked", "immutable", "frozen", "protected", "system"})
#: what is told there is told of the record, not of the flag
_OF_RECORD = re.compile(
    r"^\W*whether (?:it|(?:the|this|an?) (?!flag|field|value)\w+) is [^.;]*\band (?:so |then |thus )?(?:can|may|must)",
    re.IGNORECASE,
)


def locked_by(text: str, name: str, operation: str) -> bool:
    """True if a flag of a record says that the record cannot be changed, or deleted.

    >>> locked_by("Read-only: the rule cannot be modified or deleted.", "isReadOnly", "delete")
    True
    >>> locked_by("Whether it is read-only and cannot be modified.", "isReadOnly", "delete")
    False
    >>> locked_by("Whether it is final and cannot be modified.", "sealed", "update")
    True
    >>> locked_by("Whether the channel is private. Cannot be changed later.", "private", "update")
    False
    """
    said = unwrapped(text)
    found = _LOCKED.search(said) if set(split_name(name)) & _LOCKS or _OF_RECORD.match(said) else None
    return found is not None and (operation in ("update", "rename") or bool(found["deleted"]))


def told_state(description: str, noun: Sequence[str]) -> str:
    """Return the state that the first sentence says the changed thing is in, "" if it says none.

    >>> told_state("Modify an existing pending order", ("order",)), told_state("Create a draft order", ("order",))
    ('pending', '')
    """
    found = _TOLD.match(unwrapped(description))
    if found is None or found["verb"].lower() in _MAKING or found["state"].lower() in noun:
        return ""
    return found["state"].lower() if noun and found["noun"].lower() == noun[-1] else ""
