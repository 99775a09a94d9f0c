"""What one seeded record tells twice, at any depth: marked-up and plain text, previews, parts of a name, file kinds.

For servers that are not the package's own.  ``html_notes`` is the marked-up ``notes``, a preview the beginning of its
text, a MIME type that of the file's ending, ``given_name`` a part of ``display_name``, a count the length of its list
and a part of its total.
"""

from __future__ import annotations

import re
from typing import Any
from zlib import crc32

from tvlab.environments.domain import field_types
from tvlab.environments.seeding.tables import Row, Tables
from tvlab.environments.seeding.words import ADJECTIVES

Words = tuple[str, ...]

_TEXTS = (("text",), ("body",), ("content",), ("message",), ("notes",), ("plain",), ("description",))
_MARKED = frozenset(("html", "rich"))
_PREVIEW = 255
_MIMES = {
    "md": "text/markdown", "txt": "text/plain", "csv": "text/csv", "json": "application/json", "html": "text/html",
    "pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
    "svg": "image/svg+xml", "zip": "application/zip", "mp3": "audio/mpeg", "ogg": "audio/ogg", "mp4": "video/mp4",
    "xml": "application/xml", "py": "text/x-python", "log": "text/plain", "yaml": "application/yaml",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}  # fmt: skip
_ENDING = re.compile(r"\.([a-z0-9]{2,4})$", re.IGNORECASE)
_FILES = frozenset("name filename path file title".split())
#: names of the one file that a record is of
_FILE = frozenset((("name",), ("filename",), ("file", "name"), ("title",), ("path",), ("file", "path")))
_KINDS = frozenset(
    (("mime",), ("mime", "type"), ("content", "type"), ("media", "type"), ("mimetype",), ("file", "mime", "type"))
)
_ENDS = frozenset((("file", "type"), ("extension",), ("file", "extension"), ("file", "ext"), ("ext",)))
_FIRST = tuple("Alice Brian Clara Daniel Emma Felix Grace Henry Irene Jonas Karen Louis Maria Nathan Olivia".split())
_LAST = tuple("Adams Bauer Carter Diaz Evans Fischer Garcia Hughes Jensen Keller Lopez Moore Novak Ortiz".split())
_GIVEN = (("first", "name"), ("firstname",), ("given", "name"), ("givenname",), ("forename",))
_FAMILY = (("last", "name"), ("lastname",), ("family", "name"), ("familyname",), ("surname",))
_WHOLE = (("display", "name"), ("displayname",), ("full", "name"), ("fullname",), ("name",))
_AROUND = frozenset("Mr. Mrs. Ms. Miss Dr. MD DDS DVM PhD Jr. Sr. II III IV V".split())
_PARTS = frozenset(
    "unread active open closed completed done failed remaining available used free pending passed skipped read".split()
)


def agree(tables: Tables) -> None:
    """Let what the records tell twice be told alike; the records are changed."""
    for entity, table, kept in tables.changing():
        bodies = {n for n, f in entity.fields.items() if "<body>" in str(f.schema.get("description") or "")}
        for key, row in table.items():
            told_alike(row, key, kept, bodies)


def told_alike(value: Any, salt: str, kept: frozenset[str] = frozenset(), bodies: set[str] | frozenset[str]
               = frozenset()) -> None:  # fmt: skip
    """Let an object, and all objects in it, tell alike what they tell twice; the object is changed.

    Args:
        value: the object, a list of objects, or anything else.
        salt: what a person is drawn by where the object names none.
        kept: names whose values stay.
        bodies: names of marked-up texts that are whole bodies.
    """
    if isinstance(value, list):
        for at, part in enumerate(value):
            told_alike(part, f"{salt} {at}")
    if not isinstance(value, dict):
        return
    for part in value.values():
        told_alike(part, salt)
    words = {name: field_types.name_words(name) for name in value if name not in kept}
    _marked(value, words, bodies)
    _previewed(value, words)
    _filed(value, words)
    _person(value, words, salt, kept)
    _counted(value, words)
    _flattened(value, words)


def _flattened(value: Row, words: dict[str, Words]) -> None:
    """``filter_type`` beside ``filter`` is the type of the filter."""
    by_words = {w: n for n, w in words.items()}
    for name, own in words.items():
        for part, held in value[name].items() if isinstance(value[name], dict) else ():
            flat = by_words.get((*own, *field_types.name_words(part)))
            if flat and type(value[flat]) is type(held) and not isinstance(held, (dict, list)):
                value[flat] = held
            inner = field_types.name_words(part)
            for deep, told in list(held.items()) if isinstance(held, dict) else ():
                flat = by_words.get((*inner, *field_types.name_words(deep)))
                if flat and type(value[flat]) is type(told) and not isinstance(told, (dict, list)):
                    held[deep] = value[flat]


def _marked(value: Row, words: dict[str, Words], bodies: set[str] | frozenset[str]) -> None:
    by_words = {w: n for n, w in words.items() if isinstance(value[n], str)}
    for name, own in words.items():
        if not _MARKED & set(own) or not isinstance(value[name], str) or "url" in own:
            continue
        rest = tuple(word for word in own if word not in _MARKED)
        forms = [rest, ("plain", *rest), (*rest, "plain"), *(_TEXTS if not rest or rest in _TEXTS else ())]
        source = next((by_words[form] for form in forms if form in by_words and by_words[form] != name), "")
        if source:
            mark = "body" if name in bodies else "p"
            value[name] = f"<{mark}>{value[source]}</{mark}>"


def _previewed(value: Row, words: dict[str, Words]) -> None:
    for name, own in words.items():
        if own[-1:] not in (("preview",), ("snippet",)) or not isinstance(value[name], str):
            continue
        forms = (own[:-1],) if own[:-1] else _TEXTS
        source = next((value[n] for n, w in words.items() if w in forms and n != name), None)
        if isinstance(source, dict):
            source = next((v for n, v in source.items() if n in ("content", "text") and isinstance(v, str)), None)
        if isinstance(source, str):
            value[name] = re.sub(r"<[^>]+>", "", source)[:_PREVIEW]


def _filed(value: Row, words: dict[str, Words]) -> None:
    """The kind of a file is that of its ending, and its name and path end alike."""
    texts = [n for n, w in words.items() if w[-1:] and w[-1] in _FILES and isinstance(value[n], str)]
    found = {n: m for n in texts if (m := _ENDING.search(value[n])) and m[1].lower() in _MIMES}
    plain = [n for n in found if words[n] in _FILE]
    ending = found[next(iter(plain or found))][1].lower() if found else ""
    for name in plain:
        value[name] = f"{value[name][: found[name].start()]}.{ending}"
    for name, own in words.items() if ending else ():
        held = value[name]
        if own in _KINDS and isinstance(held, str) and "/" in held:
            value[name] = _MIMES[ending]
        elif own in _ENDS and isinstance(held, str) and held.lstrip(".").lower() in _MIMES:
            value[name] = "." * held.startswith(".") + ending


def _person(value: Row, words: dict[str, Words], salt: str, kept: frozenset[str]) -> None:
    """Names of one person are parts of one name."""
    texts = {w: n for n, w in words.items() if isinstance(value[n], str)}
    given, family = (next((texts[f] for f in forms if f in texts), "") for forms in (_GIVEN, _FAMILY))
    whole = next((texts[f] for f in _WHOLE if f in texts), "")
    if not family and not (given and whole):
        return
    if not given and whole and field_types.name_words(whole) == ("name",):
        value[whole] = _tokens(value[whole], salt)[0]  # "name" beside a surname is a given name
        return
    first, last = _tokens(value[whole] if whole else f"{value.get(given, '')} {value[family]}", salt)
    if whole:
        value[whole] = f"{first} {last}"
    middle = _FIRST[(crc32(salt.encode()) // 7) % len(_FIRST)]
    told = {given: first, family: last, texts.get(("middle", "name"), ""): middle}
    told |= {texts.get(("initials",), ""): f"{first[0]}.{last[0]}.", texts.get(("file", "as"), ""): f"{last}, {first}"}
    value.update({name: text for name, text in told.items() if name and name not in kept})
    if (title := texts.get(("title",))) and re.search(r" \d+$", value[title]):
        value[title] = re.sub(r" \d+$", "", value[title])
    for name, own in words.items():
        for address in value[name] if "email" in own and isinstance(value[name], list) else ():
            if isinstance(address, dict) and isinstance(address.get("name"), str):
                address["name"] = f"{first} {last}"


def _tokens(whole: str, salt: str) -> tuple[str, str]:
    """Return first and last name of a person's name, drawn ones where it is no person's."""
    parts = [part for part in whole.split() if part not in _AROUND]
    if len(parts) == 2 and not set(parts) & set(ADJECTIVES) and all(p[:1].isupper() for p in parts):
        return parts[0], parts[1]
    at = crc32(salt.encode())
    return _FIRST[at % len(_FIRST)], _LAST[at // 31 % len(_LAST)]


def _counted(value: Row, words: dict[str, Words]) -> None:
    """A count is the length of the list that it counts, and a part is no more than its total."""
    numbers = {n: w for n, w in words.items() if isinstance(value[n], int) and not isinstance(value[n], bool)}
    for name, own in numbers.items():
        if own[-1:] != ("count",) or len(own) < 2:
            continue
        lists = [n for n, w in words.items() if isinstance(value[n], list)
                 and field_types.singular_words(w) == field_types.singular_words(own[:-1])]  # fmt: skip
        if lists:
            value[name] = len(value[lists[0]])
            continue
        rest = tuple(word for word in own if word not in _PARTS)
        totals = [n for n, w in numbers.items() if n != name and w in (rest, ("total", *rest))]
        if rest != own and totals and value[name] > value[totals[0]]:
            value[name] = value[totals[0]]
