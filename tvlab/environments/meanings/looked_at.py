"""What a search is told to look at: "by name, CID, or other identifiers", "searches summary, location, attendees".

The fields that a text names are looked at and no others, be they numbers, keys or lists; where it goes on with
"etc.", the other texts as well.  A search that names no field looks at what a record says and not at where it lies:
"notes containing the text" are not those of a folder of that name.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.steering import said_of
from tvlab.foundation.words import singular

_NAME = r"[a-z][a-z_-]*(?: [a-z_-]+){0,2}"
_LIST = rf"(?P<what>{_NAME}(?:, ?{_NAME})*(?:,? (?:and|or) |, ?){_NAME})(?=[.,;()]|\s*$| to | \(| fields\b)"
_FORMS = tuple(
    re.compile(form + _LIST, re.IGNORECASE)
    for form in (
        r"\bsearch\w*\b[^.;()]{0,40}? in (?:the )?",
        r"\b(?:search|find|look\w*)\b[^.;()]{0,40}? by (?:their |its )?",
        r"\((?:searche[sd] )",
        r"\bsearche[sd] (?:in |across |over )?",
        r"\bsearch(?:es)? across (?:the )?",
        r"\bmatch(?:es|ed|ing)? (?:against |on )(?:the )?",
        r"\bquery \(",
    )
)
_PARTS = re.compile(r",| and | or ", re.IGNORECASE)
_OPEN = re.compile(r"\bother\b|\betc\b|\bmore\b", re.IGNORECASE)
_SAME = {
    "title": ("title", "name", "subject"), "name": ("name", "title"), "body": ("body", "content", "text"),
    "content": ("content", "body", "text"), "description": ("description", "note", "summary"),
    "text": ("text", "content", "body"), "summary": ("summary", "title"), "user": ("user", "username"),
}  # fmt: skip
_IDLE = frozenset("the a an their its of each free all any full field fields".split())
#: words of fields that say where a record lies, or how it is shown
_PLACES = frozenset("folder directory notebook account list calendar timezone zone color colour corpora prefix".split())
#: words of fields that each thing has a value of
_CALLED = frozenset("name title label subject summary headline".split())
_FEWEST = 2
#: last words of plain texts that a record of anybody may hold
_PLAIN = frozenset("name title email address phone number code city country company note".split())
#: letters that two words of one stem share
_STEM = 4


def told(p: Parameter, tool: ParsedTool, entity: Entity, domain: Domain) -> tuple[tuple[str, ...], str]:
    """Return the fields that a search is told to look at, and a name of one that no record has.

    Returns:
        () and "" where the text names no fields; () and the name where one is missing and the list is closed.
    """
    names, opened = _named(p, tool)
    if len(names) < _FEWEST:
        return (), ""
    makes = any(t.kind in ("create", "send") and domain.own.get(t.name) is entity for t in domain.tools)
    found = {name: _field(name, entity, makes) for name in names}
    gone = [name for name, column in found.items() if not column]
    if gone and not opened:
        return (), gone[0]
    columns = tuple(dict.fromkeys(column for column in found.values() if column))
    if opened:
        texts = apart_from_places(entity) or tuple(entity.text_fields)
        more = set(columns) - set(entity.text_fields) or len(texts) < len(entity.text_fields)
        return (tuple(dict.fromkeys((*columns, *texts))) if more else ()), ""
    return (columns if set(columns) != set(entity.text_fields) else ()), ""


def _made_up(column: str, entity: Entity) -> bool:
    """True for what a thing is called where no tool writes or declares it: whatever was made has none.

    A phone number may be missing in a record, a title may not.
    """
    known = entity.fields.get(column)
    untold = known is not None and not known.in_input and not known.in_output
    return untold and bool(_CALLED & set(field_types.name_words(column)))


def apart_from_places(entity: Entity) -> tuple[str, ...]:
    """Return the texts of a record without those that say where it lies, () if that makes no difference."""
    places = _PLACES - set(entity.noun)
    kept = [name for name in entity.text_fields if not places & set(field_types.name_words(name))]
    return tuple(kept) if kept and len(kept) < len(entity.text_fields) else ()


def _named(p: Parameter, tool: ParsedTool) -> tuple[list[str], bool]:
    for text in (unwrapped(said_of(p, tool)), unwrapped(tool.description).strip().split("\n")[0].split(". ")[0]):
        for form in _FORMS:
            match = form.search(text)
            if match is None:
                continue
            parts = [" ".join(w for w in _words(part) if w not in _IDLE) for part in _PARTS.split(match["what"])]
            named = [part for part in parts if part and not _OPEN.search(part)]
            if named:
                return named, bool(_OPEN.search(text[match.start() : match.end() + 8]))
    return [], False


def _words(part: str) -> list[str]:
    """The words of a listed name, those of ``LastName`` apart."""
    return [word.lower() for name in part.split() for word in (field_types.name_words(name) or (name,))]


def unheld(p: Parameter, tool: ParsedTool, entity: Entity, domain: Domain) -> list[str]:
    """Return names for the plain texts that a search is told to look at beside others and that no record has.

    A search of a closed list is one of people or companies' numbers, mails and places here; what else is named lies
    in fields that nobody knows.
    """
    names, opened = _named(p, tool)
    if len(names) < _FEWEST or opened:
        return []
    makes = any(t.kind in ("create", "send") and domain.own.get(t.name) is entity for t in domain.tools)
    gone = [name.split() for name in names if not _field(name, entity, makes)]
    plain = all(words[-1] in _PLAIN for words in gone)
    return ["_".join(words) for words in gone] if plain and len(gone) * 2 <= len(names) else []


def _field(name: str, entity: Entity, makes: bool) -> str:
    """Return the field that a text calls by a name, "" if no record has it; what tools make has what they write."""
    words = tuple(singular(word) for word in re.findall(r"[a-z]+", name))
    words = tuple(word for word in words if word not in entity.noun) or words
    names = [name for name in (entity.key, *entity.fields) if not (makes and _made_up(name, entity))]
    forms = {column: tuple(singular(word) for word in field_types.name_words(column)) for column in names}
    if exact := next((column for column, form in forms.items() if form == words), ""):
        return exact
    if len(words) > 1:  # a phone number is the phone, a creation date ``created``
        stem = words[0][: max(_STEM, len(words[0]) - 3)]
        return next((column for column, form in forms.items() if form[0].startswith(stem)), "")
    for word in _SAME.get(words[-1], (words[-1],)):
        ending = [column for column, form in forms.items() if form[-1] == word]
        if ending:
            return min(ending, key=len)
    return ""
