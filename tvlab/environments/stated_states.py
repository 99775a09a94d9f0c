"""The state that a thing must be in for a change: ``Modify an existing pending order``, ``Cancel a running task``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tvlab.environments.wrapped_lines import unwrapped

_STATES = "pending|open|active|draft|queued|scheduled|running|paused|unpaid|inactive|suspended|published|unpublished"
_TOLD = re.compile(
    r"^\W*(?P<verb>[a-z]+)s? (?:an? |the |any )?(?:existing |currently |specific |given )*"
    rf"(?P<state>{_STATES}) (?:(?P<between>\w+) )?(?P<noun>\w+)\b",
    re.IGNORECASE,
)
#: verbs whose object gets the state, or is no single thing in it
_MAKING = frozenset("create add open make new insert start set get list show find search mark put record".split())


def told_state(description: str, noun: Sequence[str]) -> str:
    """Return the state that the first sentence says the changed thing is in, "" if it says none.

    >>> told_state("Modify an existing pending order", ("order",)), told_state("Create a draft order", ("order",))
    ('pending', '')
    """
    found = _TOLD.match(unwrapped(description))
    if found is None or found["verb"].lower() in _MAKING or found["state"].lower() in noun:
        return ""
    return found["state"].lower() if noun and found["noun"].lower() == noun[-1] else ""
