"""Bounds of a list over what lasts: a shift from Monday to Friday lies in a range that begins on Wednesday.

A range of time is told by two bounds, and both would compare the beginning of a record.  Where the record has an end
as well, the lower bound compares that one: what has begun before the range and ends in it is within it.  Bounds that
are told to look at the beginning ("events starting after") keep it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.steering import said_of

#: how a field says that it is the beginning, and what then says that it is the end
_ENDS = {
    "start": ("end",), "starts": ("ends",), "started": ("ended", "finished", "completed"), "begin": ("end",),
    "begins": ("ends",), "from": ("to", "until"), "starting": ("ending",),
}  # fmt: skip
_OF_THE_START = re.compile(
    r"\b(?:start|begin)(?:s|ning|ing|ed)?(?: times?| dates?)?(?: is| are| lies?)? "
    r"(?:on or |at or )?(?:after|before|from|since|between|within|later|earlier|in the range)\b"
    r"|\bby (?:the |their )?start\b",
    re.IGNORECASE,
)
_BOTH_ENDS = re.compile(r"\bstart and end (?P<what>date|time)s?\b", re.IGNORECASE)


def settle(meaning: Meaning, domain: Domain) -> None:
    """Let the lower of two bounds compare the end of what lasts."""
    if domain.guessed_texts or meaning.operation not in ("list", "search", "count"):
        return
    for low in [role for role in meaning.of("filter") if role.op in (">", ">=")]:
        high = next((r for r in meaning.of("filter") if r.op in ("<", "<=") and r.field == low.field), None)
        end = _end_of(meaning.entity, low.field or "")
        if high is None or end is None or _of_the_start(low, meaning) or _of_the_start(high, meaning):
            continue
        end.required = True
        meaning.roles[meaning.roles.index(low)] = replace(low, field=end.name, also=(low.field or "",))


def _end_of(entity: Entity, name: str) -> Field | None:
    """Return the field in which what begins in another one ends, None if there is none."""
    words, begins = field_types.name_words(name), entity.fields.get(name)
    for at, word in enumerate(words):
        for other in _ENDS.get(word, ()):
            end = entity.field_of((*words[:at], other, *words[at + 1 :]))
            if end is not None and begins is not None and end.type == begins.type == "string":
                return end
    return None


def _of_the_start(role: Role, meaning: Meaning) -> bool:
    """True if a bound is told, by its name or in words, to be one of the beginning."""
    named = field_types.range_of(role.parameter)
    said = f"{said_of(role.parameter, meaning.tool)}. {unwrapped(meaning.tool.description)[:300]}"
    return bool(named and set(named[1]) & set(_ENDS)) or bool(_OF_THE_START.search(said))


def begin(description: str, entity: Entity) -> None:
    """Give what has an end the beginning that a text promises beside it: "start and end dates"."""
    match = _BOTH_ENDS.search(description)
    if match is None:
        return
    word = match["what"].lower()
    end, known = entity.field_of(("end", word)), entity.field_of(("start", word))
    if end is None or known is not None or entity.field_of(("start",)) is not None:
        return
    name = end.name.replace("end", "start", 1).replace("End", "Start", 1)
    if name != end.name:
        first = Field(name, dict(end.schema), required=True)
        entity.fields = {name: first, **{n: f for n, f in entity.fields.items() if n != name}}
