"""Clauses of a sentence that state a rule which no code keeps: ``; must be lower than amount``, ``(null to unset)``.

The sentence around them says what the tool or the parameter is and stays; so the clause alone leaves it, as a phrase
of a parameter that left the schema does (``gone_phrases.py``).
"""

from __future__ import annotations

import re

_END = r"(?=\s*(?:[.;,)]|$))"
_MORE = "(?:lower|less|greater|higher|smaller|larger|earlier|later)"
_CLAUSES = tuple(
    re.compile(said, re.IGNORECASE)
    for said in (
        (
            rf"[;,]\s*(?:and\s+)?(?:it\s+)?must\s+(?:not\s+)?be\s+(?:strictly\s+)?{_MORE}\s+than\s+(?:the\s+)?"
            rf"(?!zero\b|one\b|\d)[\w ]+?{_END}"
        ),
        r"\s+with\s+(?:an?\s+|at\s+least\s+(?:one|an?)\s+)?(?:upper|lower)-?case(?:\s+letters?)?\s*,[^.;]*?(?=[.;]|$)",
        rf"[;,]\s*must\s+not\s+be\s+a\s+commonly\s+used\s+\w+{_END}",
        r"\s*\((?:use\s+|pass\s+|set\s+(?:to\s+)?|send\s+)?null\s+(?:to\s+)?(?:unsets?|clears?|removes?)\b[^()]*\)",
        r"[;,]\s*(?:use\s+|pass\s+|set\s+to\s+|or\s+)*null\s+(?:to\s+)?(?:unsets?|clears?|removes?)\b[^.;,()]*",
        r"\s*\(or (?:the |an? )?(?:full |complete |whole )?(?:url|link|uri|permalink)s?(?: of [\w ]+)?\)",
        r",? or (?:the |an? )?full resource name [\"'`][^\"'`]*[\"'`]",
        r"\s*\(default:?\s+all\s+[a-z]+/[a-z]+[^()]*\)",
    )
)
_NEEDED = re.compile(r"\s*\((?:[\w ]{0,20}\s)?required\s+(?:if|when|for|unless)\s[^()]*\)", re.IGNORECASE)
_LINKED = re.compile(r",?\s+(?:and|with|including)\s+any\s+[\w/ -]+?\s+links?(?=\s*(?:[.,;)]|$))", re.IGNORECASE)
_STAMPED = re.compile(r"\b(?:time-?stamped|dated)\s+(?=[a-z])", re.IGNORECASE)
#: whole sentences that state such a rule
_RULES = re.compile(
    r"\bexactly (?:one|two|three|\d+) [A-Za-z]+ plus\b|\bbetween \d+ and the number of\b"
    r"|\b(?:sending|setting|passing|giving)\b[^.]{0,40}\bnull\b[^.]{0,20}\b(?:clears?|unsets?|removes?)\b"
    r"|\bimmediately (?:transitioned|moved|set) to an? \w+ (?:state|status)\b"
    r"|\b(?:email address|address|name|title|path|url) is (?:composed|built|derived|made) from\b",
    re.IGNORECASE,
)


def without_clauses(
    sentence: str, needed: bool = False, stamped: bool = True, linked: bool = True
) -> tuple[str, list[str]]:
    """Return a sentence without the clauses that state what no code keeps, and these.

    Args:
        sentence: of a tool's or a parameter's text.
        needed: whether code asks for the parameter where the text says that it is required.
        stamped: whether the records have a moment.
        linked: whether they have links.

    >>> without_clauses("Sale price; must be lower than amount.")
    ('Sale price.', ['; must be lower than amount'])
    >>> without_clauses("Team (null to unset)")[0], without_clauses("Must be greater than 0, and whole.")[0]
    ('Team', 'Must be greater than 0, and whole.')
    """
    found: list[str] = []

    def lost(match: re.Match[str]) -> str:
        found.append(match[0])
        return ""

    text = sentence
    for clause in _CLAUSES:
        text = clause.sub(lost, text)
    if not needed:
        text = _NEEDED.sub(lost, text)
    if not linked:
        text = _LINKED.sub(lost, text)
    if not stamped:
        text = _STAMPED.sub(lost, text)
    return (re.sub(r"\s+([.,;])", r"\1", text).strip(), found) if found else (sentence, [])


def states_unkept(sentence: str) -> bool:
    """True if a whole sentence states a rule that no code keeps.

    >>> states_unkept("Sending a property as null clears it."), states_unkept("Exactly one shift per day")
    (True, False)
    """
    return bool(_RULES.search(sentence))
