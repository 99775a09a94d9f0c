"""Stretches of a description that list what an answer holds, read over the ends of its lines.

Descriptions are wrapped: "each with\\ntimestamp, level and message".  Sentences are put together first, then the
lists after "including", "each with", "along with", "containing", "Get access to" and after "Returns: User:" are
taken.  Sections on parameters, usage and examples say nothing of the answer.
"""

from __future__ import annotations

import re

from tvlab.environments.language.wrapped_lines import unwrapped, without_brackets

_ELSEWHERE = re.compile(
    r"\n\s*[#*]*\s*(?:args?|arguments|parameters?|params|inputs?|examples?|example usage|when to use|usage|notes?"
    r"|raises|requires|prerequisites|important|warning)\b[ *]*[:：].*",
    re.IGNORECASE | re.DOTALL,
)
_OUTPUT = re.compile(
    r"\n\s*[#*]*\s*(?:returns?|output"
    r"|response)[ *]*[:：]\s*\n?\s*(?P<text>(?:[A-Za-z]\w*:\s+)?[^\n]+(?:\n[ \t]+[^\n:]+)*)",
    re.IGNORECASE,
)
_SURELY = re.compile(
    r"\b(?:including|objects? with|each with|every one with|along with|together with|consisting of|containing"
    r"|enriched with"
    r"|with (?:its|their|the counts of|details (?:on|of|about)))\s+(?P<what>[^.;:\n(]{3,300})",
    re.IGNORECASE,
)
_ACCESS = re.compile(
    r"(?:^|[.\n]\s*)(?:get|gain|access|obtain|retrieve|view|provides?|offers?)s? (?:access to |key \w+ such as )?"
    r"(?P<what>(?:(?! for )[^.;:\n(]){3,40}(?:,(?:(?! for )[^.;:\n(]){3,60}){2,})",
    re.IGNORECASE,
)
_NAMED = re.compile(r"^(?:[A-Za-z]\w*):\s+(?P<what>[^.\n]+,[^.\n]+)")
_VERBS = re.compile(
    r"^\s*(?:and |or )?(?:to |then |be |is |are |can |will |use|help|allow|ensur|mak|track|monitor|stay|find)"
)
_LONGEST = 1500


def stretches(description: str) -> list[str]:
    """Return the lists of content that the sentences of a description give.

    >>> stretches("Returns the log entries, oldest first, each with\\ntimestamp, level and message. More.")
    ['timestamp, level and message text']
    >>> stretches("Get data.\\n\\n    Returns:\\n        User: User name, role, and teams")
    ['User name, role, and teams']
    """
    text = description[:_LONGEST]
    result = []
    output = _OUTPUT.search(text)
    if output and (named := _NAMED.match(output["text"].strip())):
        result.append(named["what"])
    plain = unwrapped(_ELSEWHERE.sub("", text))
    plain = without_brackets(plain)
    for form in (_SURELY, _ACCESS):
        found = [m["what"].strip() for m in form.finditer(plain) if not _VERBS.match(m["what"])]
        result += [re.sub(r"\bmessage$", "message text", one) for one in found]
    return result
