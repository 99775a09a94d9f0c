"""What the answer of a read is told to hold: the things that its description lists.

``promised`` returns the phrases, each as its words; ``missing`` those that no column of the answer bears.  Only
lists that speak of the answer count: "including its jobs and timing", "returns vendor, date and memo", the
bullets under "Returns", "and the rules associated with it".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tvlab.environments.domain import field_types
from tvlab.environments.language import told_contents
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.foundation.words import singular

Phrase = tuple[str, ...]

_LISTS = re.compile(
    r"\b(?:(?P<surely>including|along with|together with|with (?:its|their))|includes?|contains?|containing|such as"
    r"|with (?:full|all)|returns?:?|shows?|provides?|each [a-z]+ has|details (?:on|about|like)"
    r"|information (?:on|about|like)|metadata (?:on|about|like)|in full:|"
    r"(?:full )?(?:view|details?|metadata|configuration|settings?)[^.:\n]{0,40}?(?::| [—–-]))"
    r"\s+(?P<what>[^.;\n]{3,300})",
    re.IGNORECASE,
)
_THEIRS = re.compile(r"(?:,| with| and) (?:their|its) (?P<what>[a-z][^.;:()\n]{2,120})", re.IGNORECASE)
_IN_BRACKETS = re.compile(
    r"\b(?:summar(?:y|ies)|details?|info|information|metadata|fields|data|properties|attributes|records?)"
    r" \((?P<what>[^()]+,[^()]+)\)",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\band (?:its |their |the |all )?(?P<what>[a-z][a-z -]{2,30}?)(?:,)? (?:associated|related|connected|attached)\b"
    r"|\bwith summar(?:y|ies) of (?:its |their |the )?(?P<sum>[a-z]+)",
    re.IGNORECASE,
)
_FIRST_LIST = re.compile(r"^[A-Z][^.:,\n]{3,60}:\s+(?P<what>[^.\n]+(?:,[^.\n]+){2,})")
_OPENS = re.compile(
    r"\b(?:including|includes?|contains?|containing|such as|returns?|provides?|with)\b[^.\n]{0,60}:\s*$",
    re.IGNORECASE,
)
_HEADLESS = re.compile(
    r"^\s*(?:returns?|response|output)(?: (?:parameters?|fields?|values?|format))?\s*$", re.IGNORECASE
)
_SECTION = re.compile(r"^\s*[#*]*\s*(?P<head>[A-Za-z][A-Za-z ]{0,24}?)\s*[*]*\s*[:：]\s*(?P<rest>.*)$")
_BULLET = re.compile(
    r"^\s*[-*•]\s+[`\"'*]*(?P<name>[A-Za-z][A-Za-z0-9_ ,/]{0,60}?)[`\"'*]*\s*(?:\([^)]*\))?\s*(?:[:–-]|$)"
)
_OUTPUTS = ("return", "output", "response", "result", "what you get")
_PARTS = re.compile(r",|/|&|\band/or\b|\band\b|\bor\b|\bplus\b|\bas well as\b|\balong with\b", re.IGNORECASE)
_CUT = re.compile(
    r"\b(?:of|for|from|by|in|on|to|between|at|across|per|using|that|which|over|about|within|when|if|is|are|was"
    r"|were|via|through|since|until|after|before|available|where|associated|related|grouped|matching|with|than|as|assigned|attached|configured"
    r"|based|needed|so)\b.*$",
    re.IGNORECASE,
)
_IDLE = frozenset(
    "a an the its their his her all any each every other more most key current latest detailed real essential "
    "important comprehensive full various basic general specific relevant associated related corresponding optional "
    "complete additional list array object json string dict dictionary number count total this these those also "
    "last recent open one single new own both".split()
)
#: words of a list that name no content: the thing itself, ways to ask, forms of an answer
_NOTHING = frozenset(
    "detail details information info data metadata result results record records item items entry entries field fields "
    "property properties attribute attributes response output error errors message success none null true false "
    "example examples filter filters filtering pagination paging support everything anything content "
    "use it them value values more page pages query search api endpoint request user id ids identifier gid uuid name "
    "names title resource resources thing things type format tool tools object objects json string list you we user's "
    "sorting ordering searching selection here warning note only yes no keyword phrase word substring term text up "
    "even best maximum str markdown odata "
    "built etc snapshot lookup update logic default outline representation summary collection table row".split()
)
#: content that a word before it tells apart from "the content" of anything
_PLAIN_CONTENT = {("html", "content"), ("markdown", "content"), ("type",), ("db", "identifier"),
                  ("database", "identifier"), ("external", "identifier")}  # fmt: skip
#: two adjectives of one thing: "admin/operational status"
_EITHER = re.compile(r"\b(?P<one>[a-z]+)/(?P<two>[a-z]+) (?P<what>status|state)\b", re.IGNORECASE)
#: a column under one of these words bears the promise as well
_ALIKE = (
    frozenset("date time day timing timestamp when created updated modified moment at schedule start end due".split()),
    frozenset("url link uri href website page".split()),
    frozenset("text body content description note summary abstract caption snippet excerpt".split()),
    frozenset("headline title subject".split()),
    frozenset("price cost amount value total fee rate".split()),
    frozenset("status state stage condition phase".split()),
    frozenset("type kind category class sort".split()),
    frozenset("author owner creator user member sender assignee person by agent contact customer".split()),
    frozenset("label tag keyword topic".split()),
    frozenset("size length volume quantity count number".split()),
    frozenset("image picture photo thumbnail avatar cover".split()),
    frozenset("email mail address".split()),
    frozenset("place location address city country venue".split()),
    frozenset("permission access role privilege".split()),
    frozenset("line item row".split()),
    frozenset("ref reference number doc code".split()),
    frozenset("setting config configuration option".split()),
    frozenset("version revision".split()),
    frozenset("score rating rank percentile".split()),
    frozenset("duration elapsed time".split()),
    frozenset("enable enabled active".split()),
    frozenset("mileage odometer distance km".split()),
)
#: words that look like a verb's form and are things
_THINGS = frozenset(
    "timing holding earning rating listing setting meeting pricing string ranking standing building embedding heading "
    "billing mapping warning finding speed feed seed embed need".split()
)
#: "column information": what is told of several parts
_TOLD_OF = frozenset("information info details".split())
_PARTS_OF = frozenset("column step member reviewer participant attendee environment device action".split())
_LEADING = re.compile(r"^.*\b(?:including|includes?|such as|like|containing)\b:?", re.IGNORECASE)
_LONGEST = 1500


def promised(description: str, noun: Phrase) -> list[Phrase]:
    """Return what a description says the answer holds, the thing itself left out.

    >>> promised("Get a build including its jobs, timing, and logs", ("build",))
    [('job',), ('timing',), ('log',)]
    """
    found: dict[Phrase, None] = {}
    for text in (*_texts(unwrapped(description)[:_LONGEST]), *told_contents.stretches(description)):
        plain = _EITHER.sub(r"\g<one> \g<what>, \g<two> \g<what>", re.sub(r"\([^()]*\)", " ", text))
        for part in _PARTS.split(plain):
            phrase = _phrase(part)
            if not phrase and part.strip(" .").lower().split(" ")[-1:] == ["messages"]:
                phrase = ("message", "text")
            itself = phrase[-1:] and (phrase[-1] in noun or "".join(phrase) in noun)
            if phrase and (phrase[-1] not in _NOTHING or phrase in _PLAIN_CONTENT) and not itself:
                found[phrase] = None
    return list(found)


def missing(phrases: Iterable[Phrase], columns: Iterable[str]) -> list[Phrase]:
    """Return the phrases whose last word, or one that means about the same, no column bears."""
    known = {singular(word) for column in columns for word in field_types.name_words(column)}
    return [phrase for phrase in phrases if not _borne(phrase[-1], known)]


def bearing(phrases: Iterable[Phrase], columns: Iterable[str]) -> set[str]:
    """Return the columns that bear a phrase: those with its last word, else those with one that means about the same.

    >>> sorted(bearing([("sql", "text"), ("database",)], ["sql", "database_id", "label"]))
    ['database_id', 'sql']
    """
    words = {column: {singular(word) for word in field_types.name_words(column)} for column in columns}
    found: set[str] = set()
    for phrase in phrases:
        exact = {c for c, w in words.items() if phrase[-1] in w} or {c for c, w in words.items() if set(phrase) & w}
        found |= exact or {c for c, w in words.items() if _borne(phrase[-1], w)}
    return found


def _borne(word: str, known: set[str]) -> bool:
    return word in known or any(word in group and known & group for group in _ALIKE)


def _texts(description: str) -> list[str]:
    """The stretches of a description that list what comes back."""
    result: list[str] = []
    outputs, inputs, listing, opened = False, False, False, False
    for number, line in enumerate(description.splitlines()):
        bullet, head = _BULLET.match(line), _SECTION.match(line)
        if opened and not bullet and line.count(",") > 1:  # "include the following:" and the list in the next line
            result.append(line)
        opened = bool(re.search(r"\bincludes? the following\b[^.:]*:\s*$", line, re.IGNORECASE))
        if _OPENS.search(line) or _HEADLESS.match(line):
            listing = True
            continue
        listing = listing and (bool(bullet) or not line.strip())
        if number == 0 and (first := _FIRST_LIST.match(line)):
            result.append(first["what"])
        elif head and not bullet:
            word = head["head"].strip().lower()
            outputs = word.startswith(_OUTPUTS)
            inputs = not outputs and number > 0
            if outputs:
                result += [head["rest"].split(". ")[0]] if "," in head["rest"] else []
                continue
        if bullet:
            result += [bullet["name"]] if outputs or listing else []
        elif not inputs:
            result += [m["what"] for m in _LISTS.finditer(line) if m["surely"] or "," in m["what"]]
            result += [m["what"] for form in (_THEIRS, _IN_BRACKETS) for m in form.finditer(line)]
            result += [m["what"] or m["sum"] for m in _BESIDE.finditer(line)]
    return result


def _phrase(part: str) -> Phrase:
    """Return the words of one listed thing in the singular, () if it is no plain noun phrase."""
    text = re.sub(r"\b(?:an? |the )?[A-Za-z]+[’']s ", " ", part)
    text = re.sub(r"\([^)]*\)|[`\"'*%]", " ", text)
    text = _CUT.sub("", _LEADING.sub("", text))
    text = re.sub(r"\bMIME types?\b", "mime", text, flags=re.IGNORECASE)
    words = [p for word in re.findall(r"[A-Za-z][A-Za-z_]*", text) for p in field_types.name_words(word)]
    if words[1:] and words[-1] in _TOLD_OF and singular(words[-2]) in _PARTS_OF:
        words.pop()
    if words in (["default"], ["default", "value"]):
        return ()
    while words and (words[0] in _IDLE or (len(words) > 1 and words[0].endswith("ed"))):
        words.pop(0)
    ends = ("ing", "ed") if len(words) > 1 else ("ed",)
    doing = any(word.endswith(ends) and singular(word) not in _THINGS for word in words)
    return tuple(singular(word) for word in words) if 1 <= len(words) <= 3 and not doing else ()
