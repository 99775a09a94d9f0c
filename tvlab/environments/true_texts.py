"""Published texts say what the environment does, and nothing that it does not.

A real server's description speaks of more than an environment has: parameters that left the schema, tools that
were left out, fields that no record bears, rules of the real service.  An agent that reads them would be misled,
and nothing verifies them.  So a sentence that says such a thing leaves the published text, as an optional
parameter leaves the schema (RULES.md, advice 5), and is listed in the report.  The first sentence, which says what
the tool is, always stays; so does a sentence whose words the environment knows, one that states nothing, and one
that a rule has read: without it the tool would mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from tvlab.environments.cleared_values import clears
from tvlab.environments.gone_phrases import Given, shortened, speaks_of_gone
from tvlab.environments.listed_names import unborne
from tvlab.environments.plain_words import PLAIN_STEMS
from tvlab.environments.promised_content import missing, promised
from tvlab.environments.unkept_clauses import states_unkept, without_clauses
from tvlab.environments.wrapped_lines import unwrapped
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
#: a default of a value that is stored as it is given, where no schema declares it
_DEFAULT_OF = re.compile(r"^[Dd]efaults? to (?!null\b|none\b|empty\b)\w", re.IGNORECASE)
_MODALITY = re.compile(r"(?:required|optional|read-only|nullable)\.?", re.IGNORECASE)
_CODE = re.compile(r"^\s*[{}\[\]\"][^\n]*$")
#: a sentence with a label before it: ``[Read] List the orders``
_LABELLED = re.compile(r"^\s*\[[A-Za-z][\w /-]{1,40}\] +[A-Za-z]")
_FENCE = re.compile(r"^\s*```")
_SENTENCE_END = re.compile(r"(?<=[.!?;。])[ \t]+(?=[A-Z0-9\"'(`$*\[💡⚠])|(?<=[。！？])")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|incl|no|max|min)\.$", re.IGNORECASE)
_HEADING = re.compile(r"^\s*(?:#+\s*)?[*_]*(?P<head>[^\W\d][\w /()-]{0,40}?)[*_]*\s*[:：][*_]*\s*$")
_INPUTS = re.compile(r"^(?:args?|arguments|parameters?|params|inputs?|required|optional)\b", re.IGNORECASE)
_ENTRY = re.compile(r"^\s*(?:[-*•]\s+)?[`*\"']*(?P<name>[A-Za-z_$][\w.$-]*)[`*\"']*\s*(?:\([^)]*\)\s*)?[:–—-](?=\s|$)")
#: the number or dash of an item of which nothing is left
_MARK = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s*$")
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
_GUIDES = re.compile(
    r"^(?:[-*•\d.)]+\s+|[⚠️💡\s]*(?:tip|note|important|critical|warning)\s*[:—–-]+\s*)*(?:please\s+)?"
    r"(?:ask|use|never assume|call|do not|don't|only use|always|gather|inspect|verify|check|ensure|make sure|prefer"
    r"|consider|pair|start small|avoid|try|remember|first|before|after|when|if you|new clients|get the|see|refer)\b",
    re.IGNORECASE,
)
_GUIDING = re.compile(
    r"\b(?:when (?:not )?to use|use cases?|examples?|errors?|raises|prerequisites?|best practices|workflow|usage|tips?"
    r"|troubleshooting|user[_ ]inputs?|guidelines?|considerations)\b",
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


@dataclass
class TrueText:
    """A text as it is published, and the sentences that left it with the reason of each."""

    text: str
    left: list[tuple[str, str]] = field(default_factory=list)


def plain(name: str) -> str:
    """Return a name as its lower-case words joined by underscores.

    >>> plain("dueDate"), plain("due-date"), plain("from_")
    ('due_date', 'due_date', 'from')
    """
    return "_".join(split_name(name))


def true_text(text: str, known: Known, honoured: Callable[[str], bool] = lambda _: False) -> TrueText:
    """Take out of a text what the environment does not do; a text of which nothing leaves comes back as it was.

    Args:
        text: description of a tool or of a parameter.
        known: what it may speak of.
        honoured: whether the tool's meaning rests on a sentence, asked before a rule is taken away.

    >>> known = Known(frozenset({stem("book")}), frozenset({"isbn"}), gone=frozenset({"verbose"}))
    >>> true_text("Get a book. Set `verbose` for more. The isbn is its key.", known).text
    'Get a book. The isbn is its key.'
    """
    result = TrueText(text)
    lines: list[str] = []
    skipped, inputs, guiding, first = -1, False, False, True
    for line in _lines(text):
        if _CODE.match(line) and not (known.given and _LABELLED.match(line)):
            lines.append(line)
            continue
        if "\n" in line:
            if reason := _reason_of_example(line, known):
                result.left.append((line.strip(), reason))
            else:
                lines.append(line)
            continue
        indent = len(line) - len(line.lstrip())
        heading = _HEADING.match(line)
        if heading:
            inputs, guiding = bool(_INPUTS.match(heading["head"])), bool(_GUIDING.search(heading["head"]))
        if skipped >= 0 and line.strip() and indent > skipped:
            continue
        skipped = -1
        entry = _ENTRY.match(line) if inputs and not heading else None
        if entry and plain(entry["name"]) in known.gone | known.refused:
            result.left.append((line.strip(), GONE_PARAMETER))
            skipped = indent
            continue
        about = replace(known, own=entry["name"]) if entry and not known.own else known
        kept = list(_kept(line, about, honoured, result, first or bool(entry), guiding))
        first = first and not line.strip()
        if known.given and len(kept) == 1 and _MARK.match(kept[0]) and not _MARK.match(line):
            kept = []
        if kept or not line.strip():
            lines.append(" " * indent + " ".join(kept) if kept else "")
        elif guiding:
            skipped = indent  # what lies under a way of using it that left
    if result.left:
        result.text = _tidy(lines)
    return result


def kept_rules(text: str, known: Known) -> TrueText:
    """Take out of the text of a value that is stored as it is given the rules and the defaults that nothing keeps.

    >>> known = Known(frozenset(), frozenset(), given=Given(), default=False)
    >>> kept_rules("Sale price; must be lower than amount. Defaults to that of the store.", known).text
    'Sale price.'
    """
    result = TrueText(text)
    if known.given is None:
        return result
    lines: list[str] = []
    for line in text.split("\n"):
        kept = []
        for at, sentence in enumerate(sentences(line)):
            left, clauses = without_clauses(sentence, plain(known.own) in known.needs)
            result.left += [(clause.strip(), UNKEPT_CLAUSE) for clause in clauses]
            unkept = states_unkept(left) or bool(not known.default and _DEFAULT_OF.match(left))
            if unkept and (at or lines):
                result.left.append((left, UNKEPT_CLAUSE))
            elif left:
                kept.append(left)
        lines.append(" ".join(kept))
    if result.left:
        result.text = "\n".join(lines).strip()
    return result


def _lines(text: str) -> Iterator[str]:
    """The lines of a text as they are meant; a fenced example is one, with its line ends."""
    block: list[str] = []
    for line in unwrapped(text).split("\n"):
        if _FENCE.match(line) and not block:
            block = [line]
        elif block:
            block.append(line)
            if _FENCE.match(line):
                yield "\n".join(block)
                block = []
        else:
            yield line
    yield from block


def _reason_of_example(block: str, known: Known) -> str:
    names = {plain(found) for found in re.findall(r"[A-Za-z_][\w-]*", block)}
    return GONE_TOOL if names & known.absent else GONE_PARAMETER if names & known.gone else ""


def _kept(
    line: str, known: Known, honoured: Callable[[str], bool], result: TrueText, first: bool, guiding: bool
) -> Iterator[str]:
    """The sentences of a line that stay; the first of a text or of an argument's entry and a heading always do."""
    for told in sentences(line):
        sentence, phrases = shortened(told, known.given) if known.given else (told, [])
        result.left += [(phrase.strip(), GONE_PARAMETER) for phrase in phrases]
        if known.given:
            sentence, clauses = without_clauses(sentence, plain(known.own) in known.needs, known.stamped)
            result.left += [(clause.strip(), UNKEPT_CLAUSE) for clause in clauses]
            if not sentence:
                continue
        reason = "" if first or _HEADING.match(sentence) else reason_to_leave(sentence, known)
        if not reason and known.given and (not first or known.default is not None):
            reason = GONE_PARAMETER if speaks_of_gone(sentence, known.given) else ""
        first = first and bool(_MODALITY.fullmatch(sentence))
        if reason in (UNMODELLED_RULE, UNMODELLED_CONTENT) and honoured(sentence):
            reason = ""
        if reason in CONTRACT and (guiding or _GUIDES.match(sentence)):
            reason = GUIDANCE
        if reason:
            result.left.append((sentence, reason))
        else:
            yield sentence


def sentences(line: str) -> list[str]:
    """Split a line into its sentences.

    >>> sentences("List them, e.g. All. Then stop.")
    ['List them, e.g. All.', 'Then stop.']
    """
    parts: list[str] = []
    for part in _SENTENCE_END.split(line.strip()):
        if parts and _ABBREVIATED.search(parts[-1]):
            parts[-1] += f" {part}"
        elif part.strip():
            parts.append(part.strip())
    return parts


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
    if not unknown_words(sentence, known):
        return ""
    if _CONTENT.search(sentence):
        phrases = promised(sentence, known.noun)
        if not phrases or missing(phrases, known.columns):
            return UNMODELLED_CONTENT
        return ""
    return UNMODELLED_RULE if _RULE.search(sentence) else ""


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


def _tidy(lines: Iterable[str]) -> str:
    """Join lines again, without the headings that nothing follows and without runs of empty lines."""
    kept: list[str] = []
    for line in reversed(list(lines)):
        below = next((one for one in reversed(kept) if one.strip()), "")
        empty = not below or _HEADING.match(below) or _indent(below) < _indent(line)
        if _HEADING.match(line) and empty:
            continue
        if line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    return "\n".join(reversed(kept)).strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def known_names(parts: Iterable[Any]) -> tuple[frozenset[str], frozenset[str]]:
    """Return stems of the words, and the plain names, of everything named in these texts."""
    texts = [str(part) for part in parts if part is not None]
    names = frozenset(plain(text) for text in texts)
    return frozenset(stem(word) for name in names for word in name.split("_") if word), names
