"""Texts of things that everybody writes in one way: a connection string, a branch, an environment variable, a person.

For servers that are not the package's own, after what descriptions state as forms (``seed_stated``) and before the
lists by the last word of a name.  None means that nothing is known.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import field_types
from tvlab.environments.seeding.kinds import Source
from tvlab.environments.seeding.words import TASK_NOUNS, TOPICS
from tvlab.foundation.words import singular

Words = tuple[str, ...]

_PERSON_SAID = re.compile(
    r"\b(?:person|owner|insider|author|employee|customer|patient|assistant|manager|spouse|sender|holder)'s"
    r" (?:full |display )?name\b|\bname of (?:a|the)(?: [\w']+){0,2} (?:person|owner|insider|employee|assistant|"
    r"manager|spouse|holder|patient)\b(?! (?:or|that)\b)|\bname\b[^.]{0,20}\bin the [\"'`]?From:?[\"'`]? header",
    re.IGNORECASE,
)
_PERSON_OR = re.compile(r"\b(?:or|and) (?:entity|organi[sz]ation|company|business)\b", re.IGNORECASE)
_LOCAL = re.compile(r"^(?:The )?local part\b", re.IGNORECASE)
_PATH_SAID = re.compile(r"\bbase URL\b", re.IGNORECASE)
_PAIRS = re.compile(r"\bform of [\"'`]*key=value\b|\bkey=value pairs?\b", re.IGNORECASE)
_PAIR_SHOWN = re.compile(r"(?<![\w=?&/])(?:\w+=[#\w.-]+;){1,8}(?:\w+=[#\w.-]+)?")
_VARIABLE = re.compile(r"\benvironment variable name\b|\bname of (?:the|an) environment variable\b", re.IGNORECASE)
_LANGUAGE_SAID = re.compile(r"\bprogramming language\b", re.IGNORECASE)
_DATABASES = frozenset("sqlalchemy database db jdbc".split())
_FOLDERS = frozenset("repo repository project workspace directory folder root working base vault".split())
_SPANS = frozenset("billing recurring renewal retention grace trial notice subscription".split())
_BOUGHT = frozenset("purchase purchased bought ordered".split())
_CODE = frozenset("repository repo gist snippet codebase".split())
_COUNTED = frozenset("build issue pull run ticket case job revision incident".split())
_MOBILE = frozenset("mobile android ios app apk simulator emulator adb appium".split())
_PACKAGES = frozenset("npm pip pypi cargo gem nuget crate registry composer maven".split())
#: things that are one person
_ONESELF = frozenset("self me myself whoami viewer".split())
_STATES: dict[str, tuple[str, ...]] = {
    "privacy": ("public", "private"), "visibility": ("public", "private"),
    "submission": ("submitted", "graded", "late"), "payment": ("paid", "unpaid", "refunded"),
    "delivery": ("in transit", "delivered", "delayed"), "default": ("default", "custom"),
}  # fmt: skip
_SYSTEMS = ("Ubuntu 22.04", "Windows 11", "macOS 14", "Debian 12", "Fedora 40")
_COLOURS = ("red", "blue", "green", "yellow", "orange", "purple", "teal", "pink", "grey", "brown", "lime", "navy")


def says_person(said: str) -> bool:
    """True if a description says that a text is the name of a person.

    >>> says_person("Reporting person's name to search for"), says_person("Name of the folder")
    (True, False)
    """
    return bool(_PERSON_SAID.search(said)) and not _PERSON_OR.search(said)


def usual_text(name: str, said: str, noun: Words, values: Source) -> str | None:
    """Return a text of a thing that is written in one way, None if name, thing and description name none.

    Args:
        name: of the field.
        said: its description.
        noun: words of the thing that it is of.
        values: what draws.
    """
    words = field_types.name_words(name)
    if not words:
        return None
    if words[-1] == "name" and says_person(said):
        return str(values._fake.name())
    if _LOCAL.search(said):
        return str(values._fake.user_name())
    if _PAIRS.search(said) and "JSON" not in said:
        return _paired(said, values)
    if words[-1] == "resource" and _PATH_SAID.search(said):
        return f"/{values.choice(('me', 'users'))}/{values.choice(('messages', 'events', 'contacts'))}"
    things = {singular(word) for word in (*words[:-1], *noun)}
    about = things | (values.about or frozenset())
    for rule in (_of_programs, _of_files, _of_people):
        if (found := rule(words, said, noun, about, values)) is not None:
            return found
    return None


def status_of(words: Words) -> tuple[str, ...]:
    """Return the states that the word before "status" says, () if it says none.

    >>> status_of(("privacy", "status")), status_of(("task", "status"))
    (('public', 'private'), ())
    """
    return _STATES.get(words[-2], ()) if words[-1:] == ("status",) and len(words) > 1 else ()


def label_of(noun: Words, values: Source) -> str | None:
    """Return a name of a thing that is written in one way, None for others."""
    head = singular(noun[-1]) if noun else ""
    if head in ("color", "colour"):
        return str(values.choice(_COLOURS))
    if head == "branch":
        return _branch(values)
    if head == "database":
        return _snake(values)
    return str(values._fake.name()) if head in _ONESELF else None


def _snake(values: Source) -> str:
    return f"{values.choice(TOPICS)}_{values.choice(('db', 'data', 'live', 'test', 'main', 'archive'))}"


def _branch(values: Source) -> str:
    return f"{values.choice(('feature', 'fix', 'release'))}-{values.choice(TOPICS)}"


def _paired(said: str, values: Source) -> str:
    """The pairs that a description shows, else made ones."""
    shown = [found[0] for found in _PAIR_SHOWN.finditer(said)]
    return str(values.choice(shown)) if shown else f"color={values.choice(_COLOURS)};width={values.integer(1, 9)}"


def _of_programs(words: Words, said: str, noun: Words, about: set[str] | frozenset[str], values: Source) -> str | None:
    last, things = words[-1], {*words, *map(singular, noun)}
    if last == "os" or words[-2:] == ("operating", "system"):
        return str(values.choice(_SYSTEMS))
    if last == "dsn" or (last in ("uri", "url", "string") and set(words[:-1]) & _DATABASES):
        return f"postgresql://{values._fake.user_name()}@{values.choice(TOPICS)}-db.example.com:5432/{_snake(values)}"
    if words[-2:] == ("connection", "string"):
        return f"postgresql://{values._fake.user_name()}@{values.choice(TOPICS)}-db.example.com:5432/{_snake(values)}"
    if _VARIABLE.search(said) or (last in ("name", "key") and len(words) == 1 and noun[-1:] in (("env",), ("envs",))):
        return f"{str(values.choice(TOPICS)).upper()}_{values.choice(('URL', 'TOKEN', 'MODE', 'LIMIT', 'HOST'))}"
    if words[-1] == "number" and words[-2:-1] and words[-2] in _COUNTED:
        return str(values.integer(100, 9999))
    if words[-2:] == ("package", "name") and about & _MOBILE and not about & _PACKAGES:
        return f"com.example.{values.choice(TOPICS)}"
    if last == "branch" or words[-2:] == ("branch", "name"):
        return _branch(values) if noun[-1:] == ("branch",) and words[-2:-1] in ((), ("branch",)) else None
    if words[-2:] == ("database", "name") or (words == ("name",) and noun[-1:] == ("database",)):
        return _snake(values)
    if last == "language" and (_LANGUAGE_SAID.search(said) or (len(words) == 1 and things & _CODE)):
        return str(values.choice(("Python", "TypeScript", "Go", "Rust", "Java")))
    return None


def _of_files(words: Words, said: str, noun: Words, about: set[str] | frozenset[str], values: Source) -> str | None:
    if words[-1] == "path" and words[-2:-1] and words[-2] in _FOLDERS and not re.search(r"\bfile\b", said):
        return f"/home/dev/{values.choice(TOPICS)}-{values.choice(('app', 'site', 'api', 'docs', 'tools'))}"
    return None


def _of_people(words: Words, said: str, noun: Words, about: set[str] | frozenset[str], values: Source) -> str | None:
    if words[-1] == "period" and set(words) & _SPANS:
        return str(values.choice(("P1M", "P3M", "P12M")))
    if words[-1] in ("from", "at") and words[0] in _BOUGHT and len(words) == 2:
        return str(values._fake.company())
    if words[-2:] == ("assistant", "name"):
        return str(values._fake.name())
    if words == ("label",) and {singular(word) for word in noun[-1:]} & TASK_NOUNS:
        return str(values.choice(TOPICS))
    if status := status_of(words):
        return str(values.choice(status))
    return str(values._fake.name()) if words == ("name",) and set(noun[-1:]) & _ONESELF else None
