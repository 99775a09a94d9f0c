"""Fields that a record has only where another one holds a stated word: "options: for enumeration properties".

For servers that are not the package's own.  The description of a field says for which words of a sibling it stands
("Required when type is 'user'", "not supported for quick-link", "Only for ..."), or instead of which other field; a
seeded record that says otherwise goes without it.  What a schema requires stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.seeding.limits import is_number
from tvlab.environments.seeding.tables import Row, Tables, found_by

_NOT = re.compile(r"\bnot (?:(?:supported|valid|used|applicable|available|allowed) )?(?:for|to|with|when|if)\b[^.;:]*",
                  re.IGNORECASE)  # fmt: skip
_ONLY = re.compile(
    r"\b(?:only|required|used|valid|applicable|applies|needed|supported|options?)\b[^.;:]{0,40}?"
    r"\b(?:for|when|if|with|by)\b[^.;:]*", re.IGNORECASE
)  # fmt: skip
_THINGS = r"(?:algorithm|mode|propert(?:y|ies)|type|task|channel|rule|record|item|field)s?"
_INSTEAD = re.compile(r"\binstead of [`'\"]?(\w+)", re.IGNORECASE)
_FLAG = re.compile(
    r"\b(?:only|required|used|valid)\b[^.;:]{0,30}?\b(?:when|if) [`'\"]?(\w+)[`'\"]? is (?:set to )?"
    r"[`'\"]?(true|false)\b",
    re.IGNORECASE,
)
_LOWER = re.compile(r"\bmust be (?:lower|less|smaller) than (?:the )?[`'\"]?(\w+)", re.IGNORECASE)
_SENT = re.compile(r"\bfor [`'\"](?P<word>[\w-]+)[`'\"],? (?:send|use|provide|set|pass|give)\b(?P<parts>[^.]*)", re.I)
_PART = re.compile(r"[`'\"](\w+)[`'\"]")
#: options that two lists have in common where one tells of the other
_SHARED = 2
#: type of a value -> kinds of fields that hold it
_FIELDS = {
    "string": ("text", "textarea"), "enumeration": ("select", "dropdown", "radio"), "enum": ("select", "dropdown"),
    "datetime": ("datetime", "date"), "boolean": ("checkbox", "toggle"),
}  # fmt: skip
#: first words that tell of no kind of record
_COMMON = frozenset("date time number text string default custom is has user name value start end max min".split())
#: last words of fields whose words tell kinds of records apart
_KINDS = frozenset("type kind mode source category operator algorithm method strategy format action provider".split())


def agree(tables: Tables) -> None:
    """Leave fields out of the records that have none by what their descriptions say; the records are changed."""
    for entity, table, _ in tables.changing():
        schemas = {n: {**tables.said.get((entity.name, n), {}), **f.schema} for n, f in entity.fields.items()}
        kept = found_by(entity) | {n for n, f in entity.fields.items() if f.required}
        spare = {n for n, f in entity.fields.items() if not (f.reference or f.filtered or n in kept)}
        words = {n: _words(s) for n, s in schemas.items()}
        for row in table.values():
            conditioned(row, schemas, kept)
            _kinds_agree(row, words, spare)


def conditioned(row: Row, schemas: Mapping[str, Any], required: Iterable[str] = ()) -> None:
    """Leave out of an object, and of all objects in it, what it has none of by the descriptions; it is changed.

    Args:
        row: the object.
        schemas: property -> schema.
        required: names of what stays.
    """
    told = {n: s for n, s in schemas.items() if isinstance(s, dict) and n in row}
    words = {n: _words(s) for n, s in schemas.items() if isinstance(s, dict)}
    for name, schema in told.items():
        text = str(schema.get("description") or "")
        if text and name not in set(required) and name in row and not _stands(name, text, row, words):
            del row[name]
        elif text and isinstance(row.get(name), dict):
            _sent(row[name], text, row)
    for name, schema in told.items():
        said = str(schema.get("description") or "")
        bound = _LOWER.search(said) if "than" in said.lower() else None
        other = next((n for n in row if bound and field_types.name_words(n) == field_types.name_words(bound[1])), "")
        if other and is_number(row.get(name)) and is_number(row[other]) and row[name] >= row[other]:
            row[name], row[other] = row[other], row[name]
            row[other] += row[name] == row[other]
        for part in row[name] if isinstance(row.get(name), list) else [row.get(name)]:
            inner = schema.get("items") if isinstance(row.get(name), list) else schema
            if isinstance(part, dict) and isinstance(inner, dict):
                conditioned(part, inner.get("properties") or {}, inner.get("required") or ())


def _words(schema: Row) -> tuple[str, ...]:
    inner = [schema, *(s for s in schema.get("anyOf", ()) if isinstance(s, dict))]
    return tuple(v for s in inner for v in s.get("enum", s.get("values", ())) if isinstance(v, str))


def _stands(name: str, text: str, row: Row, words: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a record has a field, by what its description says of the words of other fields."""
    other = _INSTEAD.search(text)
    if other is not None and other[1] in row and other[1] != name:
        return False
    flag = _FLAG.search(text)
    if flag is not None and isinstance(row.get(flag[1]), bool) and row[flag[1]] != (flag[2].lower() == "true"):
        return False
    for sibling, options in words.items():
        held = row.get(sibling)
        if sibling == name or not isinstance(held, str) or len(options) < 2 or held not in options:
            continue
        kind = field_types.name_words(sibling)[-1:] and field_types.name_words(sibling)[-1] in _KINDS
        only, never = _stated(text, options, "" if kind else sibling)
        if held in never or (only and held not in only):
            return False
    return True


@lru_cache(maxsize=4096)
def _stated(text: str, options: tuple[str, ...], named: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words for which a description says that its field stands, and those for which it does not.

    >>> _stated("Required for custom channels; not supported for link.", ("custom", "link", "shop"), "")
    (frozenset({'custom'}), frozenset({'link'}))
    """
    never: set[str] = set()
    for clause in _NOT.findall(text):
        never |= _among(clause, options) if named in clause else set()
    rest = _NOT.sub("", text)
    only: set[str] = set()
    for clause in _ONLY.findall(rest):
        only |= _among(clause, options) if named in clause else set()
    for option in options if not named else ():
        word = re.escape(option)
        forms = (
            rf"\bfor (?:the )?[`'\"]?{word}[`'\"]? {_THINGS}\b", rf"^\W*for [`'\"]?{word}[`'\"]?\W*$",
            rf"^[`'\"]?{word}[`'\"]?(?:, instead of \w+)?:", rf"\b{word} (?:\w+ )?only\b",
        )  # fmt: skip
        only |= {option} if any(re.search(form, rest, re.IGNORECASE) for form in forms) else set()
    return frozenset(only - never), frozenset(never)


def _among(clause: str, options: tuple[str, ...]) -> set[str]:
    return {v for v in options if re.search(rf"(?<![\w-]){re.escape(v)}(?![\w-])", clause, re.IGNORECASE)}


def _kinds_agree(row: Row, words: Mapping[str, tuple[str, ...]], spare: set[str]) -> None:
    """The kind of a field goes with its type, and what is called after a kind is there for that kind alone.

    ``fieldType`` is ``number`` where ``type`` is, and ``image_url`` stands where ``type`` is ``image``.
    """
    kinds = {n: o for n, o in words.items() if len(o) > 1 and field_types.name_words(n)[-1:] == ("type",)}
    plain = next((n for n in kinds if field_types.name_words(n) == ("type",)), "")
    for name, options in kinds.items():
        told = str(row.get(plain, ""))
        if name == plain or name not in row or len(set(options) & set(kinds.get(plain, ()))) < _SHARED:
            continue
        stems = (told, *_FIELDS.get(told, ()))
        fits = [o for stem in stems if stem for o in options if o == stem] or [o for o in options if o.startswith(told)]
        row[name] = row[name] if row[name] in fits or not fits or not told else fits[0]
    for name, options in kinds.items():
        if field_types.name_words(name) not in (("type",), ("field", "type")):
            continue
        held = field_types.name_words(str(row.get(name, "")))[:1]
        firsts = {field_types.name_words(o)[:1] for o in options} - {held, ()}
        for other in [n for n in row if n in spare and n not in kinds] if held else ():
            own = field_types.name_words(other)
            if len(own) > 1 and own[:1] in firsts and own[0] not in _COMMON:
                del row[other]


def _sent(value: Row, text: str, row: Row) -> None:
    """Keep of an object the parts that its description lists for the word of the record."""
    parts = {m["word"]: set(_PART.findall(m["parts"])) for m in _SENT.finditer(text)}
    held = next((v for v in row.values() if isinstance(v, str) and v in parts), "")
    others = set().union(*parts.values()) - parts[held] if held and len(parts) > 1 else set()
    for name in others & set(value):
        del value[name]
