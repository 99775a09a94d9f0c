"""Legal, unique names for tools and their parameters.

A tool name must fit ``[a-zA-Z0-9_-]{1,64}`` (the OpenAI and Anthropic tool formats) and give a function name
of its own; a parameter must be a Python identifier that a function ``f(state, *, ...)`` can take. Legal names
are kept as they are: others are changed as little as possible, and never at the cost of a legal one.
"""

import hashlib
import keyword
import re
import unicodedata
from collections.abc import Callable, Iterable

MAX_LENGTH = 64
_TAKEN_PARAMETERS = frozenset({"state", "self", "__debug__"})
_HASH_LENGTH = 8


def tool_name(original: str) -> str:
    """Return ``original`` as a legal tool name, itself if it is one.

    A name that is too long loses its leading namespaces (cut at ``/`` and ``.``) if that is enough, else its
    end, which a hash of the whole name replaces.  A name without ASCII letters and digits becomes
    ``tool_<hash>``.

    >>> tool_name("create-order"), tool_name("Weigh The Parcel"), tool_name("users.list")
    ('create-order', 'Weigh_The_Parcel', 'users_list')
    """
    name = _ascii_words(original)
    parts = re.split(r"[/.]", original)
    while len(name) > MAX_LENGTH and len(parts) > 1:
        parts = parts[1:]
        name = _ascii_words(".".join(parts)) or name
    if not name:
        return f"tool_{_digest(original)}"
    return name if len(name) <= MAX_LENGTH else _shortened(name, original)


def parameter_name(original: str) -> str:
    """Return ``original`` as an identifier, itself if it is one that a tool function can take.

    Letters of other scripts stay, as Python allows them.

    >>> parameter_name("If-Match"), parameter_name("ids[]"), parameter_name("from"), parameter_name("2nd")
    ('If_Match', 'ids', 'from_', 'p_2nd')
    """
    name = unicodedata.normalize("NFKC", original)
    if not name.isidentifier():
        name = re.sub(r"\W+", "_", name).strip("_") or f"p_{_digest(original)}"
    if not name.isidentifier():
        name = f"p_{name}"
    if not name.isidentifier():
        name = f"p_{_digest(original)}"
    if len(name) > MAX_LENGTH:
        name = _shortened(name, original)
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN_PARAMETERS else name


def unique_tool_names(originals: Iterable[str]) -> dict[str, str]:
    """Return {original: new name} for different originals; no two new names give the same function name."""
    return _unique(originals, tool_name, _function_key)


def unique_parameter_names(originals: Iterable[str]) -> dict[str, str]:
    """Return {original: new name} for different originals; the new names are different identifiers."""
    return _unique(originals, parameter_name, lambda name: name)


def _unique(
    originals: Iterable[str], rename: Callable[[str], str], key: Callable[[str], str]
) -> dict[str, str]:
    originals = list(originals)
    wanted = {original: rename(original) for original in originals}
    chosen: dict[str, str] = {}
    taken: set[str] = set()
    for original in sorted(originals, key=lambda name: wanted[name] != name):
        name, number = wanted[original], 2
        while key(name) in taken:
            ending = f"_{number}"
            name, number = wanted[original][: MAX_LENGTH - len(ending)].rstrip("_") + ending, number + 1
        taken.add(key(name))
        chosen[original] = name
    return {original: chosen[original] for original in originals}


def _function_key(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _ascii_words(text: str) -> str:
    """``text`` with accents folded and every other foreign character turned into an underscore."""
    if re.fullmatch(r"[a-zA-Z0-9_-]+", text):
        return text
    folded = unicodedata.normalize("NFKD", text)
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    name = re.sub(r"[^a-zA-Z0-9_-]+", "_", plain).strip("_-")
    return name if re.search(r"[a-zA-Z0-9]", name) else ""


def _shortened(name: str, original: str) -> str:
    return f"{name[: MAX_LENGTH - _HASH_LENGTH - 1].rstrip('_-')}_{_digest(original)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
