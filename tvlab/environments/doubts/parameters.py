"""Doubts about single parameters: an optional one is taken away, a required one makes the meaning doubtful.

Each test returns what is wrong with a role, "" if nothing.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import answer_options
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.tool_parsing import Parameter
from tvlab.environments.doubts import defaults as doubts_defaults
from tvlab.environments.doubts import effects as doubts_effects
from tvlab.environments.doubts import kinds as doubts_kinds
from tvlab.environments.meanings import misread_filters, query_texts
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.steering import said_of, steers

_SECRET = re.compile(
    r"^(?:access|api|auth|bearer|oauth|session|refresh|user|admin)?_?(?:token|secret|password|passwd|credential|"
    r"credentials|api_key|apikey|private_key|secret_key|authorization|cookie)$"
)
_CONTAINS = re.compile(
    r"\b(?:contain(?:s|ing)?|partial(?:ly)?|substring|fuzzy|keywords?|wildcards?|regex|glob|like|starts? with|prefix"
    r"|search (?:for|by|in|term|text|string)|(?:to|matching|matches) (?:search|match|text))\b",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"\bpartial(?:ly)?\b|\bsubstring\b|\bcase[- ]insensitive|\bmatch(?:es|ing)? (?:a )?part", re.IGNORECASE
)
_SEPARATED = re.compile(
    r"\b(?:comma|semicolon|space|pipe|newline)[- ](?:separated|delimited)|\bseparated by (?:a )?(?:comma|semicolon)"
    r"|\bcsv\b",
    re.IGNORECASE,
)
_LOOSE = frozenset("name title description text abstract author comment keyword subject summary content topic".split())
_STEERS = frozenset("exact fuzzy match_mode match_type standard case_sensitive ignore_case exact_match".split())
_LANGUAGES = frozenset("jql cql kql soql sql graphql odata cypher jsonpath xpath regex expression".split())
_WHETHER = re.compile(r"(?:if true|whether) ?,? (?:to )?(?:use|include|return|show|fetch|get)\b", re.IGNORECASE)
_SHOWS = re.compile(
    r"^(?:the )?(?:fields?|properties|columns|attributes) to (?:include|return|show|expand)"
    r"|\bfields to (?:include|return)"
    r"|\bper page\b|\bpage size\b|\bnext page\b|\bpagination\b|\bin which (?:the )?(?:prices?|values?)"
    r"|\b(?:currency|unit)s? (?:for|of|in which) (?:the )?(?:price|value|output|result|display)",
    re.IGNORECASE,
)
_EDITS = frozenset("add remove join leave append prepend".split())
_INSTEAD = re.compile(r"\binstead of (?:the|your) default\b", re.IGNORECASE)
_AT_FIRST = re.compile(
    r"\b(?:can )?(?:only be set|be set only) (?:when|at|on|during|while) (?:the )?creat"
    r"|\bset only (?:at|on) creation\b",
    re.IGNORECASE,
)
#: a list of what is put beside what is there
_ADDED = re.compile(r"\b(?:ids?|users?|members?|names?|list|array|labels?|tags?|\w+s) to add\b", re.IGNORECASE)
_LOCK = re.compile(r"\boptimistic\b|\bconcurrency\b", re.IGNORECASE)
_READ_ONLY = re.compile(r"(?:^|[.;(]\s*)read-?only\b\s*(?:[.);]|$)|\bthis (?:field|property) is read-?only\b", re.I)
#: set when the thing is made, and not after
_ONCE = re.compile(r"\bunique (?:display )?name\b|\bafter [^.]{0,40}\bcreated?\b|\bonce (?:set|created)\b", re.I)
_HOW = re.compile(r"\bhow to\b|\bappend|\breplac", re.IGNORECASE)
_SIZES = frozenset("limit offset page".split())
_ENDS = {"start": "end", "end": "start", "from": "to", "to": "from", "min": "max", "max": "min", "since": "until",
         "until": "since", "before": "after", "after": "before", "lower": "upper", "upper": "lower"}  # fmt: skip
_KINDS = frozenset({"read", "list", "search", "fact", "count", "batch_read"})


def wrong_with(role: Role, meaning: Meaning) -> str:
    """Return what is wrong with what a parameter is taken for."""
    p = role.parameter
    said = said_of(p, meaning.tool)
    if meaning.writes and p.snake in ("access_token", "api_key", "apikey", "api_token") and role.role == "payload":
        return "a credential is no field"
    changes = meaning.operation in ("update", "upsert", "transition", "batch_update")
    if changes and role.role in ("payload", "reference") and {p.words[0], p.words[-1]} & _EDITS:
        return "adds to or takes from what is there"
    locator = role.role in ("payload", "reference") and p.type == "string" and len(role.path) == 1
    if meaning.writes and locator and _INSTEAD.search(said):
        return "says where, is no field"
    if changes and role.role == "payload" and _AT_FIRST.search(said):
        return "set when the thing is made, and not after"
    if meaning.operation == "update" and role.role == "payload" and _opens(role, meaning):
        return "says who may change it, is no field"
    if changes and role.role == "payload" and p.many and _ADDED.search(said):
        return "adds to or takes from what is there"
    if meaning.writes and role.role == "payload" and _LOCK.search(said):
        return "says which version is meant"
    if meaning.writes and role.role in ("payload", "reference") and _READ_ONLY.search(said) and not _ONCE.search(said):
        return "read-only, set by the server alone"
    if meaning.writes and role.role == "payload" and p.words[-1] == "mode" and _HOW.search(said):
        return "steers the call, is no field"
    if _SECRET.match(p.snake) and not meaning.writes and role.role != "confirm":
        return "a credential is no field"
    if meaning.operation not in _KINDS or role.role not in ("filter", "reference", "key"):
        return ""
    text = p.type == "string" and not p.enum and role.op == "=="
    if role.role == "reference" and role.entity == meaning.entity.name and p.is_id and not p.id_noun and not p.many:
        return "a bare id of another thing"
    if text and _SEPARATED.search(said):
        return "several values in one text"
    if text and role.role == "reference" and _PARTLY.search(said):
        return "a search, not an equal value"
    if role.role != "filter":
        return ""
    if {*p.words[-1:], *p.words, p.snake} & _STEERS or _SHOWS.search(said):
        return "steers the answer, is no field"
    if len(p.words) > 1 and p.words[-1] in _SIZES and p.type in ("integer", "number"):
        return "steers the answer, is no field"
    if role.op == "==" and _bounds(p, meaning):
        return "a bound, not an equal value"
    if p.words[:1] in (("filter",), ("exclude",), ("fetch",), ("skip",)) and len(p.words) > 1:
        return "says how to select, is no field"
    if text and set(p.words) & _LANGUAGES:
        return "a query language"
    if p.type == "boolean" and _WHETHER.match(said):
        return "steers the answer, is no field"
    if text and _searches(p, meaning):
        return "a search, not an equal value"
    return ""


def _opens(role: Role, meaning: Meaning) -> bool:
    """True for ``hook_token`` beside the ``hook_id`` of an update: it must be the one of the hook."""
    key, p = meaning.one("key"), role.parameter
    beside = key is not None and p.words[:-1] == key.parameter.words[:-1]
    return beside and p.words[-1:] == ("token",) and len(p.words) > 1


def _bounds(p: Parameter, meaning: Meaning) -> bool:
    """True for ``start_slot`` beside ``end_slot``: two ends of a range."""
    other = _ENDS.get(p.words[0], "")
    return len(p.words) > 1 and any(q.words == (other, *p.words[1:]) for q in meaning.tool.parameters)


def _searches(p: Parameter, meaning: Meaning) -> bool:
    """True if a text is looked for inside a field, by what it or its tool says."""
    tool = meaning.tool
    searching = tool.kind == "search" or tool.verb in ("search", "find", "query")
    if p.words[-1:] in answer_options.EXACT and not answer_options.PARTLY.search(said_of(p, tool)):
        return False
    by = tool.target[-1:] == p.words[-1:]
    return bool(_CONTAINS.search(said_of(p, tool))) or (searching and not by and p.words[-1] in _LOOSE)


def _twice(meaning: Meaning) -> list[Role]:
    """Optional parameters that would write a column which another one writes: a name beside an id."""
    seen: set[str] = set()
    result = []
    stored = [r for r in meaning.of("payload", "reference") if r.field and "[]" not in r.path]
    for role in sorted(stored, key=lambda r: not r.parameter.is_id):
        if role.field in seen and not role.required:
            result.append(role)
        seen.add(str(role.field))
    return result


def _unknown(role: Role, domain: Domain) -> str:
    """Say so if a reference names a thing of which no tool of the server knows."""
    target = domain.entities.get(role.entity or "") if role.role == "reference" else None
    return "points at what no tool knows" if target is not None and target.hidden else ""


def trim(meaning: Meaning, domain: Domain) -> None:
    """Take the optional parameters away that are taken for what they are not, or point at what nobody knows."""
    for one in (meaning, *meaning.branches.values()):
        if one.operation.endswith("members"):
            continue  # both lists are about one column
        for role in _twice(one) if one.writes and len(one.branches) == 0 else ():
            one.roles.remove(role)
            one.narrow(role.parameter, "another parameter gives the same")
        for role in list(one.roles):
            wrong = wrong_with(role, one) or steers(role, one) or _unknown(role, domain)
            wrong = wrong or query_texts.in_language(role, one) or doubts_effects.excluded(role, one)
            wrong = wrong or doubts_kinds.kept_apart(role, one, domain) or doubts_kinds.of_either(role, one, domain)
            wrong = wrong or doubts_defaults.makes_ignored(role, one) or misread_filters.misread(role, one, domain)
            if wrong and not role.required and len(role.path) <= 2 and "[]" not in role.path:
                one.roles.remove(role)
                one.narrow(role.parameter, wrong)
    if meaning.operation == "search" and not meaning.of("query"):
        meaning.operation = "list"
