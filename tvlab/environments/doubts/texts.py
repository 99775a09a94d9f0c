"""Doubts from what name and description say: generated answers, sign-ins, other verbs, rules that are stated.

Each test returns what it found, "" if nothing.  Words are compared, never executed.
"""

from __future__ import annotations

import re

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.language import first_sentences
from tvlab.environments.language.descriptions import returned
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import Meaning
from tvlab.foundation.words import singular, split_name

_MAKING = frozenset("create add new insert register make book schedule log record submit post save store".split())
#: verbs whose answer is worked out from the input
_WORKS_OUT = frozenset(
    "generate sign analyze analyse render convert translate summarize summarise simulate predict calculate compute "
    "compose draft prepare optimize evaluate compare validate explain".split()
)
#: objects that are worked out for the caller, unless tools of the server make records of them
_WORKED_OUT = frozenset(
    "suggestion recommendation example advice guide guidance instruction tip analysis explanation insight "
    "best_practice practice boilerplate snippet comparison prediction tutorial idea help usage".split()
)
_SIGN_IN = frozenset("auth oauth login logout authentication signin authorization".split())
_OPENING_WORKS_OUT = re.compile(
    r"^\W*(?:(?:this|the) (?:tool|function|endpoint) (?:will |can )?)?(?:get instructions|generat|analy[sz]|calculat"
    r"|comput|render|convert|translat|summari[sz]|predict|simulat|suggest|recommend|signs? an? (?!\w+ up\b)"
    r"|evaluat|compar"
    r"|validat|explain|extract|prepar|pars|execut|runs?\b|transform|estimat|preview)",
    re.IGNORECASE,
)
_OPENING_SIGN_IN = re.compile(
    r"^\W*(?:manually )?(?:initiat|start|begin|complet|log|sign)\w* (?:in|out|the|a|an)?\s*(?:\w+ )?"
    r"(?:auth\w*|oauth\w*|login|sign-?in|logout)\b",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"\bHTTP (?:GET|POST|PUT|PATCH|DELETE|request)|\b(?:GET|POST|PUT|PATCH|DELETE) request to (?:a|an|any|the) url"
    r"|\bin (?:a|the) (?:current )?(?:web ?page|browser)\b|\bcurrent (?:page|tab|selection|viewport|screen)\b"
    r"|\bbrowser (?:tab|window|page|session)|\bscreenshot|\bviewport\b|\bweb ?page\b|\bstreams?\b the\b"
    r"|\bopens? (?:it |the \w+ )?in (?:the|your|a) (?:browser|editor|app\w*)",
    re.IGNORECASE,
)
#: what a first word of a description means; forms in -s too
_SAID: dict[str, str] = {
    **dict.fromkeys("get retrieve fetch show view read return list find search query look lookup browse describe "
                    "check display access discover count obtain provide".split(), "read"),
    **dict.fromkeys("create add insert register make submit post new schedule book upload".split(), "make"),
    **dict.fromkeys("update modify edit change set patch rename move replace adjust assign "
                    "configure".split(), "change"),
    **dict.fromkeys("delete remove destroy erase drop purge clear".split(), "delete"),
    **dict.fromkeys("import export download generate analyze analyse execute run stop restart install "
                    "validate calculate convert test sync wait merge clone copy duplicate reset undo redo "
                    "preview simulate trigger invoke apply toggle".split(), "other"),
}  # fmt: skip
_KIND_OF = {
    "read": "read", "list": "read", "search": "read", "count": "read", "fact": "read", "batch_read": "read",
    "create": "make", "batch_create": "make", "send": "make", "update": "change", "rename": "change",
    "batch_update": "change", "delete": "delete", "batch_delete": "delete",
}  # fmt: skip
#: said kinds that an operation may be described by, beside its own
_ALSO = {
    "make": {"change"}, "change": {"make"}, "delete": {"change"}, "read": set(),
}  # fmt: skip
#: verbs that are nouns just as well
_NOUN_VERBS = frozenset(
    "file archive export import report comment link order mail document schedule record record log plan store post "
    "place request draft build open start make compose book issue label tag review star flag pin write".split()
)
_RULES = re.compile(
    r"\bonly one \w+|\bat most one\b|\bone \w+ per \w+|\bensures? (?:that )?\w+ exist|\bor ensure\b"
    r"|\b(?:if|when) (?:it|one|they|the \w+) (?:does not|doesn'?t|do not|don'?t) (?:already |yet )?exist"
    r"|\balready exists?\b.{0,40}\b(?:return|instead|skip|ignored?|update)"
    r"|\balready exists?\b[^.]{0,60}\b(?:left|kept|remain|unchanged)"
    r"|\bor (?:find|get|return)s? (?:the |an )?existing|\bnot duplicated\b|\bcascad\w+|\bcan only be\b"
    r"|\b(?:decrement|deduct)s? (?:the )?\w+|\bchecks? (?:the )?stock\b"
    r"|\bonly works? (?:on|for|with|when|if)\b"
    r"|\bonly (?:uncompleted|unfinished|open|pending|draft|inactive|archived|empty|active|unpaid|completed)\b"
    r"|\bmust (?:first )?be (?:empty|deactivated|inactive|archived|closed|stopped|approved|unassigned|disabled)\b"
    r"|\brequires? (?:explicit |user |human )?(?:confirmation|approval)|\bconfirm=true|\bconfirm: true"
    r"|\w+ ?(?:→|->) ?\w+ ?(?:→|->) ?\w+"
    r"|\bbecomes? (?:a )?(?:regular|normal|standalone)|\bwithout deleting|\b(?:is|are) not deleted|\bdoes not delete"
    r"|\bis not (?:hidden|changed|modified|affected)\b|\btoggles?\b|\bfree/busy\b"
    r"|\bautomatically (?:creates?|generates?|assigns?|calculates?)",
    re.IGNORECASE,
)
_EMPTY_MEANS = re.compile(
    r"\bset \w+ to an empty\b"
    r"|\b(?:if|when) (?:\w+ )?(?:is )?(?:left )?empty\b|\bempty (?:list|array) (?:for|means|to|=)",
    re.IGNORECASE,
)
_DRY = frozenset("dry_run dryrun preview draft validate_only simulate test_mode test only_preview".split())
_SECRET = re.compile(
    r"^(?:access|api|auth|bearer|oauth|session|refresh|user|admin)?_?(?:token|secret|password|passwd|credential|"
    r"credentials|api_key|apikey|private_key|secret_key|authorization|cookie)$|^\w+_(?:access_token|api_key)$"
)


def generated(meaning: Meaning, domain: Domain) -> str:
    """The answer is worked out from the input: generated, signed, analysed, suggested."""
    tool = meaning.tool
    said = first_word(tool.description)
    if tool.verb in _WORKS_OUT and said not in _MAKING:
        return tool.verb
    found = set(_words(tool)) & _WORKED_OUT
    if found and not _made(meaning, domain):
        return " ".join(sorted(found))
    match = _OPENING_WORKS_OUT.match(_without_label(tool.description))
    return match[0].strip().lower() if match and meaning.operation != "multiplex" else ""


def signs_in(meaning: Meaning, domain: Domain) -> str:
    """The call signs somebody in or starts a session."""
    tool = meaning.tool
    found = set(_words(tool)) & _SIGN_IN
    if tool.noun[-1:] in (("sign",), ("log",)) and "in" in split_name(tool.name):
        return f"{tool.noun[-1]} in"
    if found and tool.kind not in ("list", "read") and not _made(meaning, domain, strict=True):
        return " ".join(sorted(found))
    if tool.verb in ("start", "open", "initiate") and tool.noun[-1:] in (("search",), ("query",), ("session",)):
        return f"{tool.verb} {tool.noun[-1]}"
    match = _OPENING_SIGN_IN.match(tool.description)
    return match[0].lower() if match else ""


def acts_outside(meaning: Meaning, domain: Domain) -> str:
    """The description speaks of a web request, a browser or a screen."""
    tool = meaning.tool
    noun = tool.noun[-1:] and tool.noun[-1]
    if noun in ("url", "webpage", "website", "html", "link") and tool.verb in ("fetch", "get", "read", "load", "open"):
        key = meaning.one("key")
        if key is not None and key.parameter.words[-1:] in (("url",), ("uri",), ("link",)):
            return f"{tool.verb} {noun}"
    match = _OUTSIDE.search(_first_part(tool.description, 400))
    return match[0].lower() if match else ""


def speaks_of_else(meaning: Meaning, domain: Domain) -> str:
    """The description's first verb is of another kind than the operation."""
    said = first_word(meaning.tool.description)
    kind = _KIND_OF.get(meaning.operation)
    told = _SAID.get(said)
    if kind is None or told is None or told == kind or told in _ALSO[kind] or said == meaning.tool.verb:
        return ""
    return f"{said}: {meaning.operation}"


def other_thing(meaning: Meaning, domain: Domain) -> str:
    """The description's object is another thing of the server: ``create_raw_html``, "Create a new note ..."."""
    if meaning.operation != "create" or meaning.tool.name in domain.settings:
        return ""
    noun = first_sentences.read(_without_label(meaning.tool.description)).noun
    other = domain.entities.get("_".join(noun))
    if other is None or other.hidden or other is meaning.entity or set(noun) & set(meaning.entity.noun):
        return ""
    if returned(meaning.tool.description).noun[-1:] == meaning.entity.noun[-1:]:
        return ""
    references = {role.entity for role in meaning.roles}
    same = noun[-1] in {singular(w) for w in split_name(meaning.tool.name)}
    return f"{' '.join(noun)}: {meaning.entity.title}" if other.name not in references and not same else ""


def verb_is_noun(meaning: Meaning, domain: Domain) -> str:
    """A verb that is a noun too stands later in the name and the description does not begin with it."""
    tool = meaning.tool
    words = split_name(tool.name)
    if meaning.writes and words[0].endswith("ly") and len(words[0]) > 5:
        return words[0]
    if tool.verb not in _NOUN_VERBS or tool.verb not in words or not meaning.writes:
        return ""
    at = words.index(tool.verb)
    said = first_word(tool.description)
    return tool.verb if at and said and said != tool.verb and _SAID.get(said) not in ("make", "change") else ""


def stated_rule(meaning: Meaning, domain: Domain) -> str:
    """The description states a rule that a plain write does not keep; for a list, what an empty value means."""
    text = unwrapped(meaning.tool.description)
    if meaning.writes and meaning.operation != "multiplex":
        match = _RULES.search(_first_part(text, 700))
        return match[0].lower() if match else ""
    match = _EMPTY_MEANS.search(text)
    return match[0].lower() if match and meaning.operation in ("list", "search", "batch_read") else ""


def dry_by_default(meaning: Meaning, domain: Domain) -> str:
    """A flag with a default says that the plain call changes nothing; or the flag would be stored."""
    if not meaning.writes or meaning.one("preview"):
        return ""
    for p in meaning.tool.parameters:
        text = f"{p.description} {meaning.tool.description}".lower()
        default = p.schema.get("default")
        idle = default is True or bool(re.search(r"default\w*:?\s*\(?true", p.description.lower()))
        if p.snake in _DRY and p.type in ("boolean", "any") and idle:
            return p.name
        said = p.description.lower()
        if p.snake.startswith("confirm") and re.search(r"required true|must be (?:set to )?true", said):
            return p.name
        gated = re.search(r"off by default|when .{0,60}(?:gate|enabled|mode)", p.description.lower())
        if p.snake.startswith("confirm") and p.type == "boolean" and not p.required and not gated:
            return p.name
        if p.snake in ("draft", "dry_run") and "preview" in text and idle:
            return p.name
    return ""


def credential(meaning: Meaning, domain: Domain) -> str:
    """A caller's credential is compared or stored."""
    for role in meaning.roles:
        secret = _SECRET.match(role.parameter.snake)
        if secret and (not meaning.writes or role.parameter.snake.endswith(("access_token", "api_key"))):
            return role.dotted
    return ""


def first_word(description: str) -> str:
    """Return the first verb of a description without its -s, "" if it begins with none that is known.

    >>> first_word("Retrieves content of a file")
    'retrieve'
    >>> first_word("**Tool** to list items"), first_word("Weather of a city")
    ('list', '')
    """
    words = re.findall(r"[A-Za-z_]+", _without_label(description)[:80].lower())
    while words and words[0] in _OPENERS:
        words.pop(0)
    if not words:
        return ""
    first = words[0]
    forms = (first, first[:-1], first[:-2], f"{first[:-3]}y") if first.endswith("s") else (first,)
    return next((form for form in forms if form in _SAID), "")


_OPENERS = frozenset("this tool function endpoint method will can to use quickly simply allows you".split())


def _without_label(text: str) -> str:
    """The description without a label before it: ``[Read] List the orders``."""
    return re.sub(r"^\s*(?:[\[(【][^\])】]{0,40}[\])】]\s*)+", "", text)


def _first_part(text: str, length: int) -> str:
    """The description before its parameters and examples."""
    return re.split(r"\n\s*(?:Args|Arguments|Parameters|Example|Examples|Returns|Raises)\b", text)[0][:length]


def _words(tool: ParsedTool) -> list[str]:
    return [singular(word) for word in tool.noun[-2:]]


def _made(meaning: Meaning, domain: Domain, strict: bool = False) -> bool:
    """True if tools of the server make or change records of the thing."""
    return any(
        domain.own.get(t.name) is meaning.entity
        and t.kind in ("create", "update", "delete")
        and (not strict or t.name != meaning.tool.name)
        for t in domain.tools
    )
