"""Closed lists of values that a parameter's text gives in place of an ``enum``: ``Must be one of: red, green``.

Only a list that says it is whole counts; examples ("e.g.", "such as") and open lists do not.
"""

from __future__ import annotations

import re

_OPEN = re.compile(
    r"\be\.?g\.?\b|\bsuch as\b|\bfor example\b|\bexample:|\betc\b|\bcommon\b|\blike\b|\.\.\.|…|\bany other\b"
    r"|\bexamples?\b|例如|등|\bgood\b|\bused by\b|\bactions?\b|YYYY|\bthrough\b|\bprecedence\b|\bgiven\b|\[",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"\b(?:(?:must|can|may|should) be )?(?:either|one of|any of)(?: the following)?(?: values)?\s*:?\s+"
    r"|\b(?:valid|allowed|possible|supported|accepted|available) (?:values?|options?|types?|modes?)"
    r"(?: (?:are|include))?\s*:?\s+"
    r"|\b(?:options|values)(?: are)?:\s+",
    re.IGNORECASE,
)
_QUOTED = r"[\"'`]{1,2}(\w[\w-]*)[\"'`]{1,2}(?:\s*\([^()]*\))?"
_RUN = re.compile(rf"{_QUOTED}(?:\s*(?:,|\||/|,?\s*\bor\b|,?\s*\band\b)\s*{_QUOTED})+")
#: a sentence about parameters of which one must be given lists no values
_GIVEN = re.compile(
    r"[^.\n]*\b(?:must|should|has to) be (?:provided|given|specified)\b[^.\n]*|[^.\n]*\bbut not both\b[^.\n]*"
)
_MOST = 40


def told_values(text: str) -> list[str]:
    """Return the values of a closed list in a text, [] if there is none.

    >>> told_values("Task status (\\"needsAction\\" or \\"completed\\")")
    ['needsAction', 'completed']
    >>> told_values("Must be one of: low, medium or high. Default: low")
    ['low', 'medium', 'high']
    >>> told_values("Status of the task, e.g. \\"open\\" or \\"done\\"")
    []
    >>> told_values("Either id or name must be given"), told_values("Either 'id' or 'name' must be provided")
    ([], [])
    """
    text = _GIVEN.sub("", text)
    for lead in _LEAD.finditer(text):
        values = _listed(text[lead.end() :])
        if values:
            return values
    run = None if _OPEN.search(text) else _RUN.search(text)
    return _distinct(re.findall(_QUOTED, run[0])) if run else []


def _listed(text: str) -> list[str]:
    """The single words of a list up to the end of its sentence, [] if a part of it is no single word."""
    bare = re.sub(r"\([^()]*\)", "", text)
    sentence = re.split(r"\.(?:\s|$)|\n|;|\b[Dd]efault", bare, maxsplit=1)[0]
    parts = [part.strip(" \"'`*") for part in re.split(r",\s*(?:or|and)\s+|,|\||\s/\s|\s+or\s+|\s+and\s+", sentence)]
    parts = [part for part in parts if part]
    if _OPEN.search(sentence):
        return []
    return _distinct(parts) if all(re.fullmatch(r"\w[\w-]{0,30}", part) for part in parts) else []


def _distinct(values: list[str]) -> list[str]:
    found = list(dict.fromkeys(values))
    return found if 2 <= len(found) <= _MOST else []
