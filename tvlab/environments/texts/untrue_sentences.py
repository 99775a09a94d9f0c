"""Sentences that are not true of an environment, each with the reason.

A sentence may speak of what left the schema, of a tool that is not here, of the real service, or state a rule or a
content that nothing models.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from tvlab.environments.domain.listed_names import unborne
from tvlab.environments.domain.promised_content import missing, promised
from tvlab.environments.language.gone_phrases import Given
from tvlab.environments.language.plain_words import PLAIN_STEMS
from tvlab.environments.language.unkept_clauses import states_unkept
from tvlab.environments.meanings.cleared_values import clears
from tvlab.foundation.words import split_name, stem

GONE_PARAMETER = "speaks of a parameter that left the schema"
GONE_TOOL = "speaks of a tool that is not here"
UNKNOWN_NAME = "names something that is not here"
REAL_SERVICE = "says how the real service works"
GUIDANCE = "tells the caller how to work with the real service"
UNMODELLED_CONTENT = "promises content that no record bears"
UNMODELLED_RULE = "states a rule that is not modelled"
ANSWER_FORM = "tells how the real service writes its answer"
UNKEPT_CLAUSE = "a clause states a rule that is not modelled"
#: reasons of sentences that say what the call itself does or gives
CONTRACT = (UNMODELLED_RULE, UNMODELLED_CONTENT, UNKNOWN_NAME)

_DEFAULT = re.compile(r"\b[Dd]efaults? (?:to|is|value|are)\b|\b[Dd]efault[:=]")
_QUOTED = re.compile(r"`([^`\n]{1,80})`|\*\*([A-Za-z_]\w*)\*\*|\$([a-z][A-Za-z]+)|\b([A-Za-z_]\w*)=")
_IDENTIFIER = re.compile(
    r"(?<![\w/.@#-])(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]{2,}[a-z0-9]*(?:[A-Z][a-z0-9]+)+)(?![\w/@-])"
)
_TOOL_NAME = re.compile(r"[A-Za-z][\w-]*[_-][\w-]*[A-Za-z0-9]|[a-z]+[A-Z]\w+")
_SERVICE = re.compile(
    r"/api/|\bhttps?://|\bHTTP\b|\b(?:GET|POST|PUT|PATCH|DELETE) /|\b[45]\d\d\b(?= |\))|\bendpoint\b[^.]*/"
    r"|\bdeprecated\b|\b(?:within|inside|under|outside) (?:the )?allowed (?:director\w+|folders?|paths?|places?)\b"
    r"|\b(?:OAuth|permission|scope|privilege|licen[cs]e|plan|credit|quota|rate limit"
    r"|admin(?:istrator)?)s?\b[^.]*\b(?:required?|needed|limit)"
    r"|\brequires?\b[^.]*\b(?:permission|scope|privilege|licen[cs]e|role|subscription|credential|api key|token)s?\b",
    re.IGNORECASE,
)
_CONTENT = re.compile(
    r"\b(?:returns?|includes?|including|contains?|containing|such as|along with|comes? with)\b|^返回", re.IGNORECASE
)
_RULE = re.compile(
    r"\b(?:must|only|cannot|can't|can not|may not|requires?|required|at least|at most|defaults?|if|unless|automatically"
    r"|also|will|except|never|always|ignored?|ignores|overwrit\w+|overrid\w+|otherwise|instead|until"
    r"|does not|do not|don't|doesn't|not|up to|no more than|fails?|errors?|refused|rejected|either|limited)\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"^\W*(?:returns? )?(?:the |an? )?(?:updated|changed|modified|full|whole|entire|resulting) (?P<noun>[A-Za-z]+)\b",
    re.IGNORECASE,
)
#: an answer that is a text of a form, or a map, where a record or a list is answered
_ANSWERED = re.compile(
    r"\bin (?:the|this) (?:following )?(?:format|form):? *[`'\"][^`'\"\n]*\{\w+\}"
    r"|\b(?:dict(?:ionary)?|map(?:ping)?|object) (?:of|from) (?:\w+ ){0,2}(?:ids?|names?|keys?)"
    r"(?: mapp(?:ing|ed))? to\b",
    re.IGNORECASE,
)
#: a list of things of a type that the real service names so
_TYPED = re.compile(r"\b(?:[Ll]ist|[Aa]rray) of (?P<type>[A-Z][a-z]+(?:[A-Z][a-z]+)+) (?:object|model|instance)s?\b")
_LOOKED_UP = re.compile(r"^\W*(?:this|it) can be used to (?:look up|find|get|retrieve|fetch)\b", re.IGNORECASE)
#: a part of each record alone
_ALONE = re.compile(
    r"\b(?:each|every) \w+ (?:contains|has|includes|holds) (?:only|just)\b|\bentries (?:contain|have|hold) only\b", re.I
)
_INCLUDES = re.compile(r"^\W*(?:(?:this|it) )?(?:also )?includes? ", re.IGNORECASE)
_SHAPE_NAME = re.compile(r"\"(\w+)\"\s*:")
#: a number of other things in each record
_COUNTED = re.compile(
    r"\b(?:each|every) \w+ (?:carries|has|holds|includes|contains|comes with|shows) (?:the|a) (?:number|count) of\b",
    re.IGNORECASE,
)
_COUNTS = frozenset({"count", "number", "total", "num"})
#: which of all records a list holds, or in what order: rules that "honoured" is asked about
_SCOPE = re.compile(
    r"^(?:the|this) list (?:only )?(?:contains|includes) (?:only )?(?!all\b|the\b|an? )[a-z ]+ and [a-z ]+\.?$"
    r"|\bonly returns \w+[A-Z]\w+|\bdefault (?:sort|order)(?:ing)? (?:is|by)\b",
    re.IGNORECASE,
)
_CRITERIA = re.compile(
    r"\b(?:filter(?:s|ed|ing|able)?\b(?: [\w-]+){0,3}? (?:by|on)"
    r"|(?:can|may|allows? (?:you )?to|lets? you|used to) (?:update|modify|change|edit|set))\s+"
    r"(?P<what>[^.;()\n]{3,160})",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r",|/|\band\b|\bor\b", re.IGNORECASE)


@dataclass(frozen=True)
class Known:
    """What one tool's text may speak of.

    Attributes:
        words: stems of the words of the environment's things, fields, parameters, values and tools.
        names: names of the same, each as its lower-case words joined by underscores.
        refused: parameters of the tool that left its schema, in the same form.
        gone: those of them that the answer does not hold either.
        absent: names of the server's tools that are not in the environment, in the same form.
        columns: names of the fields of the tool's answer.
        key: the name of the record's key where lists of its fields are held against them.
        noun: the thing that the tool is about.
        parameters: stems of the words of the tool's parameters.
        others: nouns of other things that a call names, and that are not what it answers.
        changes: the tool sets values of records that are there.
        default: of a parameter's text, whether the parameter has a default here; None for the text of a tool.
        given: what the tool takes and what left it, for phrases; None: whole sentences alone leave.
        needs: plain names of the optional parameters that code asks for where another value asks for them.
        own: the parameter that a text is about, "" for the text of a tool.
        stamped: whether the records have a moment.
    """

    words: frozenset[str]
    names: frozenset[str]
    gone: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    columns: tuple[str, ...] = ()
    key: str = ""
    noun: tuple[str, ...] = ()
    parameters: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    changes: bool = False
    default: bool | None = None
    given: Given | None = None
    needs: frozenset[str] = frozenset()
    own: str = ""
    stamped: bool = True


@lru_cache(maxsize=65536)
def plain(name: str) -> str:
    """Return a name as its lower-case words joined by underscores.

    >>> plain("dueDate"), plain("due-date"), plain("from_")
    ('due_date', 'due_date', 'from')
    """
    return "_".join(split_name(name))


def reason_to_leave(sentence: str, known: Known) -> str:
    """Return why a sentence is not true here, "" if nothing speaks against it."""
    named = [plain(next(filter(None, found.groups()))) for found in _QUOTED.finditer(sentence)]
    bare = [plain(found[0]) for found in _IDENTIFIER.finditer(sentence)]
    if known.gone.intersection([*named, *bare]):
        return GONE_PARAMETER
    if known.absent.intersection(plain(found[0]) for found in _TOOL_NAME.finditer(sentence)):
        return GONE_TOOL
    if known.default is not None and _DEFAULT.search(sentence):
        return "" if known.default else UNMODELLED_RULE
    if known.given and _ANSWERED.search(sentence):
        return ANSWER_FORM
    if known.given and (typed := _TYPED.search(sentence)) and not set(split_name(typed["type"])) <= set(known.noun):
        return ANSWER_FORM
    if known.given and _LOOKED_UP.search(sentence):
        return GUIDANCE
    if known.given and _ALONE.search(sentence):
        return UNMODELLED_CONTENT
    if known.given and states_unkept(sentence):
        return UNMODELLED_RULE
    if (
        known.given
        and _COUNTED.search(sentence)
        and not _COUNTS & {w for c in known.columns for w in split_name(c)[-1:]}
    ):
        return UNMODELLED_CONTENT
    if _SERVICE.search(sentence):
        return REAL_SERVICE
    if known.changes and clears(sentence):
        return UNMODELLED_RULE
    if (told := _WHOLE.match(sentence)) and told["noun"].lower() in known.others:
        return UNMODELLED_CONTENT
    if any(_is_unknown(name, known) for name in [*(n for n in named if "_" in n), *bare]):
        return UNKNOWN_NAME
    if (told := _CRITERIA.search(sentence)) and not _all_given(told["what"], known):
        return UNMODELLED_RULE
    if known.key and unborne(sentence, known.columns, known.key):
        return UNMODELLED_CONTENT
    if known.key and _SCOPE.search(sentence):
        return UNMODELLED_RULE
    if known.given and _INCLUDES.match(sentence):
        included = promised(_INCLUDES.sub("Get it including ", sentence), known.noun)
        if included and len(missing(included, known.columns)) == len(included):
            return UNMODELLED_CONTENT
    if not unknown_words(sentence, known):
        return ""
    if _CONTENT.search(sentence):
        phrases = promised(sentence, known.noun)
        if not phrases or missing(phrases, known.columns):
            return UNMODELLED_CONTENT
        return ""
    return UNMODELLED_RULE if _RULE.search(sentence) else ""


def tells_shape(line: str, known: Known) -> bool:
    """True for a line of JSON that shows an answer with names that nothing here bears: ``{"ok": true}``."""
    shown = line.lstrip().startswith('{"')
    return shown and any(plain(name) not in known.names for name in _SHAPE_NAME.findall(line))


def _all_given(what: str, known: Known) -> bool:
    """True if each listed criterion, or field to change, is a parameter of the tool."""
    phrases = [{stem(word) for word in split_name(part)} for part in _BETWEEN.split(what)]
    return all(phrase & known.parameters or not phrase - PLAIN_STEMS for phrase in phrases)


def _is_unknown(name: str, known: Known) -> bool:
    words = [word for word in name.split("_") if word.isalpha()]
    return bool(name) and name not in known.names and any(stem(word) not in known.words for word in words)


def unknown_words(sentence: str, known: Known) -> list[str]:
    """Return the words of a sentence that neither the environment nor plain English about tools has."""
    words = [word for word in split_name(sentence) if word.isascii() and word.isalpha() and len(word) > 1]
    joined = {word for pair in pairwise(words) if stem("".join(pair)) in known.words for word in pair}
    return [
        word
        for word in dict.fromkeys(words)
        if stem(word) not in known.words and stem(word) not in PLAIN_STEMS and word not in joined
    ]


def known_names(parts: Iterable[Any]) -> tuple[frozenset[str], frozenset[str]]:
    """Return stems of the words, and the plain names, of everything named in these texts."""
    texts = [str(part) for part in parts if part is not None]
    names = frozenset(plain(text) for text in texts)
    return frozenset(stem(word) for name in names for word in name.split("_") if word), names
