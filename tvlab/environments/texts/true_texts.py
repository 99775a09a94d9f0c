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

from tvlab.environments.language.gone_phrases import shortened, speaks_of_gone
from tvlab.environments.language.unkept_clauses import states_unkept, without_clauses
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.texts.untrue_sentences import (
    ANSWER_FORM,
    CONTRACT,
    GONE_PARAMETER,
    GONE_TOOL,
    GUIDANCE,
    UNKEPT_CLAUSE,
    UNMODELLED_CONTENT,
    UNMODELLED_RULE,
    Known,
    plain,
    reason_to_leave,
    tells_shape,
)

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
_OUTPUTS = re.compile(r"^(?:returns?|responses?|outputs?|results?)\b", re.IGNORECASE)
_ENTRY = re.compile(r"^\s*(?:[-*•]\s+)?[`*\"']*(?P<name>[A-Za-z_$][\w.$-]*)[`*\"']*\s*(?:\([^)]*\)\s*)?[:–—-](?=\s|$)")
#: the number or dash of an item of which nothing is left
_MARK = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s*$")
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


@dataclass
class TrueText:
    """A text as it is published, and the sentences that left it with the reason of each."""

    text: str
    left: list[tuple[str, str]] = field(default_factory=list)


def true_text(text: str, known: Known, honoured: Callable[[str], bool] = lambda _: False) -> TrueText:
    """Take out of a text what the environment does not do; a text of which nothing leaves comes back as it was.

    Args:
        text: description of a tool or of a parameter.
        known: what it may speak of.
        honoured: whether the tool's meaning rests on a sentence, asked before a rule is taken away.

    >>> known = Known(frozenset({"book"}), frozenset({"isbn"}), gone=frozenset({"verbose"}))
    >>> true_text("Get a book. Set `verbose` for more. The isbn is its key.", known).text
    'Get a book. The isbn is its key.'
    """
    result = TrueText(text)
    lines: list[str] = []
    skipped, inputs, guiding, first, outputs = -1, False, False, True, False
    for line in _lines(text):
        if outputs and known.given and tells_shape(line, known):
            result.left.append((line.strip(), ANSWER_FORM))
            continue
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
            outputs = bool(_OUTPUTS.match(heading["head"]))
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

    >>> from tvlab.environments.language.gone_phrases import Given
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
            linked = any("link" in name.lower() for name in known.columns)
            sentence, clauses = without_clauses(sentence, plain(known.own) in known.needs, known.stamped, linked)
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
