"""What a description says in set phrases: the thing returned, its fields, the first and the new status.

Patterns only, each read as evidence beside the schema: a phrase that does not match says nothing.  Nothing
from a description becomes code; words that name fields must have the form of an identifier.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.foundation.words import singular, split_name

_WORD = r"[A-Za-z][A-Za-z0-9_]*"
_RETURNS = re.compile(r"\b[Rr]eturns?:?\s+(?P<what>[^.\n]{3,400})")
_NOUN = re.compile(
    rf"^(?:the|a|an|all|its|every)\s+(?:(?:new|stored|changed|updated|created|resulting|full)\s+)*"
    rf"(?P<noun>{_WORD}(?:[ -]{_WORD})?)\s*(?:$|[:;,.(]|(?:with|in full|of|whose|that|which|under)\b)"
)
_BECOMES = re.compile(
    rf"\b(?:status|state)\b[^.;]{{0,40}}?\b(?:becomes|is set to|changes? to|to)\s+[`'\"]?(?P<value>{_WORD})"
)
_FLAG_BECOMES = re.compile(rf"\b(?P<field>{_WORD})\s+becomes\s+(?P<value>true|false)\b")
_FIRST = re.compile(
    rf"\b[Nn]ew [\w -]{{1,40}}? (?:has the status|has status|starts as|starts in|is)\s+"
    rf"[`'\"]?(?P<value>{_WORD})"
    rf"|\b(?:which|that) is (?P<value2>{_WORD}) at first"
    rf"|\bwhose status is (?P<value3>{_WORD})"
)
_IDEMPOTENT = re.compile(r"\bidempotent\b(?! by)", re.IGNORECASE)
_LISTED = re.compile(r"^\s*[-*]\s+`?([a-z][a-z0-9_]{1,40})`?\s*(?:\([^)]*\))?\s*[:–]", re.MULTILINE)
_NO_EFFECT = re.compile(
    r"\balready\b[^.]{0,80}\b(?:without any effect|has no effect|no-op|nothing (?:happens|changes)|succeeds)\b",
    re.IGNORECASE,
)
_AT_LEAST_ONE = re.compile(
    r"\bat least one (?:of |other |optional |update )*(?:\w+ )?"
    r"(?:field|parameter|argument|property|value|\w+, )?[^.]{0,60}"
    r"\b(?:must|required|needs?|should) ?(?:to )?(?:be )?(?:given|provided|specified|set|supplied)?",
    re.IGNORECASE,
)
_ARCHIVE_IS_DELETE = re.compile(r"\barchives?\s*\((?:soft[- ])?deletes?\)|\barchives?/deletes?\b", re.IGNORECASE)
_OVERWRITES = re.compile(
    r"overwrit|create(?:s|d)? or (?:update|overwrite|replace)|replaces? (?:it|the) if", re.IGNORECASE
)
_ENSURES = re.compile(
    r"\b(?:or|and) ensures?\b|\bif (?:it|they|one) (?:doesn['’]t|does not|do not|don['’]t) (?:already |yet )?exist"
    r"|\b(?:find|get) or create|\bcreate or (?:find|get)|\bunless it (?:already )?exists",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Returned:
    """What the sentence after "Returns" names."""

    noun: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


def returned(description: str) -> Returned:
    """Read the thing and the fields that a description promises.

    >>> returned("Book it. Returns the booking: booking_id, trip_id and status.")
    Returned(noun=('booking',), fields=('booking_id', 'trip_id', 'status'))
    >>> returned("Returns calendars, each with calendarId and title.")
    Returned(noun=('calendar',), fields=('calendarId', 'title'))
    """
    match = _RETURNS.search(description)
    if not match:
        return Returned()
    what = match["what"].strip()
    listed = re.match(rf"(?P<noun>{_WORD}(?: {_WORD})?), each with (?P<fields>.+)$", what)
    if listed:
        return Returned(_singular_words(listed["noun"]), _field_names(listed["fields"]))
    noun = _NOUN.match(what)
    _head, colon, rest = what.partition(":")
    if noun and colon:
        return Returned(_singular_words(noun["noun"]), _field_names(rest))
    if noun:
        return Returned(_singular_words(noun["noun"]), _with_its(what))
    return Returned((), _field_names(what))


def _with_its(what: str) -> tuple[str, ...]:
    match = re.search(rf"\bwith (?:its|the|a)(?: new)? (?P<name>{_WORD})$", what)
    return (
        (match["name"],) if match and ("_" in match["name"] or match["name"] != match["name"].lower()) else ()
    )


def _singular_words(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in split_name(text))


def _field_names(text: str) -> tuple[str, ...]:
    """Names in a list such as ``id, name and the folderId``; () if any part is no single identifier."""
    parts = [re.sub(r"^(?:the|its|a|an|new)\s+", "", p.strip()) for p in re.split(r",|\band\b", text)]
    parts = [part.strip(" `'\"") for part in parts if part.strip()]
    if len(parts) < 2 or not all(re.fullmatch(_WORD, part) for part in parts):
        return ()
    return tuple(dict.fromkeys(parts))


def listed_fields(description: str) -> tuple[str, ...]:
    """Return the names of the fields that a description lists for an open object, one a line.

    >>> listed_fields("Save a query. data: dictionary with\\n  - db_id: Database ID\\n  - sql: SQL text")
    ('db_id', 'sql')
    """
    return tuple(dict.fromkeys(_LISTED.findall(description)))


def new_status(description: str) -> str | None:
    """Return the status a description says the call leads to ("its status becomes shipped")."""
    match = _BECOMES.search(description)
    return match["value"] if match else None


def new_flag(description: str) -> tuple[str, bool] | None:
    """Return (field, value) of "locked becomes true"."""
    match = _FLAG_BECOMES.search(description)
    return (match["field"], match["value"] == "true") if match else None


def first_status(description: str) -> str | None:
    """Return the status a description gives to a new thing ("a new order has the status pending")."""
    match = _FIRST.search(description)
    return next((value for value in match.groups() if value), None) if match else None


def is_idempotent(description: str) -> bool:
    """True if the description says that a second equal call is no error."""
    return bool(_IDEMPOTENT.search(description) or _NO_EFFECT.search(description))


def needs_a_change(description: str) -> bool:
    """True if an update without anything to change is said to be an error."""
    return bool(_AT_LEAST_ONE.search(description))


def means_deleting(description: str) -> bool:
    """True if the description says that an archive is a removal: "Archive (delete) tasks"."""
    return bool(_ARCHIVE_IS_DELETE.search(description))


def overwrites(description: str) -> bool:
    """True if a create may meet an existing thing and then replaces it."""
    return bool(_OVERWRITES.search(description))


def ensures(description: str) -> bool:
    """True if a create makes the thing only where it is not there yet, and is no error where it is."""
    return bool(_ENSURES.search(description))


_OTHERS_KEPT = re.compile(
    r"\bother (?:fields|properties|values|settings|attributes)(?: (?:not given|not provided|not specified))?,? "
    r"(?:will |should )?(?:remain|stay|are left|are kept|be left|be kept)\b"
    r"|\b(?:fields|properties) (?:not (?:given|provided|specified|included)|left out|omitted) (?:will )?"
    r"(?:remain|stay|are left|are kept) (?:unchanged|untouched)\b"
    r"|\bonly include the (?:fields|properties) (?:that )?you want to (?:update|change)\b",
    re.IGNORECASE,
)


_PARTS_KEPT = re.compile(
    r"\b(?:fields|properties|keys|values|settings) (?:that are )?(?:left out|omitted|not given|not provided) "
    r"(?:are|will be|stay|remain) (?:not changed|unchanged|left alone|kept)\b"
    r"|\b(?:provide|give|send|include|specify|pass) only (?:the )?(?:fields|properties|keys|values|settings) "
    r"(?:that |you |want )*(?:to )?(?:change|changed|update|updated)\b",
    re.IGNORECASE,
)


def keeps_parts(text: str) -> bool:
    """True if the text of an object says that an update leaves the parts which it does not give as they are.

    >>> keeps_parts("Updated delivery method (provide only fields to change)"), keeps_parts("The new address")
    (True, False)
    """
    return bool(_PARTS_KEPT.search(unwrapped(text)) or keeps_others(text))


def keeps_others(text: str) -> bool:
    """True if an update is told to leave what it does not give as it is.

    >>> keeps_others("Only include the fields you want to update - other fields will remain unchanged.")
    True
    """
    return bool(_OTHERS_KEPT.search(unwrapped(text)))
