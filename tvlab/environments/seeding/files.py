"""Endings of seeded file names by what the file is: a presentation, a song, a private key, a page of documentation.

Asked for servers that are not the package's own.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.seeding import forms as seed_forms
from tvlab.environments.seeding.kinds import Source
from tvlab.environments.seeding.words import ADJECTIVES, TOPICS
from tvlab.foundation.words import singular

Words = tuple[str, ...]

#: words -> endings of such files
_KINDS: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = tuple(
    (frozenset(words.split()), tuple(endings.split()))
    for words, endings in (
        ("presentation powerpoint pptx slide deck", "pptx"),
        ("workbook excel spreadsheet xlsx worksheet", "xlsx"),
        ("audio sound voice song track podcast speech mp3", "mp3 wav ogg"),
        ("image picture photo avatar thumbnail logo icon screenshot png jpeg jpg", "png jpg"),
        ("video movie clip mp4", "mp4 mov"),
        ("archive zip backup tarball", "zip tar.gz"),
        ("pdf", "pdf"), ("docx word", "docx"), ("notebook jupyter ipynb", "ipynb"),
        ("csv", "csv"), ("yaml yml manifest", "yaml"), ("json", "json"), ("log", "log"), ("shell bash", "sh"),
        ("certificate cert pem", "pem"), ("python", "py"), ("javascript node nodejs js", "js"), ("typescript", "ts"),
        ("html webpage", "html"), ("sqlite", "db"), ("font", "ttf"), ("shapefile layer", "shp geojson"),
        ("markdown doc documentation docs frontmatter", "md"),
    )
)  # fmt: skip
#: files of a server that works on one kind of document
_DOCUMENTS = frozenset(
    "presentation powerpoint workbook excel spreadsheet doc notebook jupyter frontmatter pdf".split()
)
_NAMED = re.compile(r"(?<![\w/])\.(?P<ending>[a-z][a-z0-9]{1,4})\b")
_KNOWN = frozenset(ending for _, endings in _KINDS for ending in endings) | {"svg", "txt", "xml", "docx", "gif"}
_BARE = re.compile(r"\b(?:without (?:the |an? )?(?:\.?\w+ )?|no )(?:file )?extension\b", re.IGNORECASE)
#: "e.g. 'main-menu'"
_SLUG = re.compile(r"[\"'`][a-z]+(?P<mark>[-_])[a-z]+(?:[-_][a-z]+)*[\"'`]")
_FOLDERS = frozenset("directory dir folder".split())
#: paths of addresses, not of files
_ROUTES = frozenset("url uri http api route endpoint request".split())
_ENTRY = re.compile(r"\bentry[ -]?point\b|\bentry file\b", re.IGNORECASE)


def endings(name: str, said: str, noun: Words, about: frozenset[str] | None) -> tuple[str, ...]:
    """Return the endings that files of a field can have, () if nothing says of what kind they are.

    >>> endings("image_path", "", ("slide",), None), endings("path", "", ("excel", "workbook"), None)
    (('png', 'jpg'), ('xlsx',))
    """
    words = {singular(word) for word in field_types.name_words(name)}
    if {"private", "key"} <= words or {"ssh", "key"} <= words:
        return ("pem",)
    if found := _of(words):
        return found
    told = tuple(dict.fromkeys(m["ending"] for m in _NAMED.finditer(said) if m["ending"] in _KNOWN))
    found = _of({singular(word) for word in re.findall(r"[a-z]+", said.lower())})
    if told or found:
        return told or found
    if _ENTRY.search(said) or "entry" in words:
        return ("js",)
    kept = _of(set(about or ()) & _DOCUMENTS)
    return _of({singular(word) for word in noun}) or (kept if len(kept) == 1 else ())


def _of(words: set[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for known, found in _KINDS if known & words for one in found))


def file_text(name: str, said: str, noun: Words, values: Source) -> str | None:
    """Return a path or the name of a file for a field that holds one, None for another field.

    Args:
        name: of the field.
        said: its description.
        noun: words of the entity.
        values: what draws.
    """
    words = tuple(word for word in field_types.name_words(name) if word not in ("str", "string"))
    last = singular(words[-1]) if words else ""
    if last not in ("path", "file", "filename") and words[-2:] != ("file", "name"):
        return None
    last = "path" if last == "file" and re.search(r"\bpaths?\b", said) else last
    things = {singular(word) for word in words}
    slug = f"{values.choice(ADJECTIVES).lower()}-{values.choice(TOPICS)}"
    if (formed := seed_forms.sampled(said, values, name)) is not None:
        return formed
    shown = _SLUG.search(said)
    if last == "path" and things & _ROUTES:
        return slug.replace("-", shown["mark"]) if shown else f"/{slug}"
    if last == "path" and (things & _FOLDERS or (words == ("path",) and noun and singular(noun[-1]) in _FOLDERS)):
        return f"/{values.choice(TOPICS)}"
    if _BARE.search(said):
        return slug
    found = endings(name, said, noun, values.about)
    ending = values.choice(found or ("md", "txt", "csv", "json"))
    return f"/{values.choice(TOPICS)}/{slug}.{ending}" if last == "path" else f"{slug}.{ending}"
