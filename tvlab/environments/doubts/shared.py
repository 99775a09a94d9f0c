"""Doubts about a verb as the thing, a choice of a default, and batches that go on after a failure."""

from __future__ import annotations

import re

from tvlab.environments.domain.domain import Domain
from tvlab.environments.language.name_words import verb_kind
from tvlab.environments.meanings.meanings import Meaning
from tvlab.foundation.words import split_name


def leading_verb(meaning: Meaning, domain: Domain) -> str:
    """``verify_alias(alias)`` makes no verify: the word before the thing's own name is what is done to it."""
    words, noun = split_name(meaning.tool.name), meaning.entity.noun
    alone = not any(t.name != meaning.tool.name and domain.own.get(t.name) is meaning.entity for t in domain.tools)
    if meaning.operation not in ("create", "send") or len(words) < 2 or len(noun) != 1 or not alone:
        return ""
    return noun[0] if words[0] == noun[0] and verb_kind(noun[0]) == "transition" else ""


def default_chosen(meaning: Meaning, domain: Domain) -> str:
    """``set_default_card(card_id, wallet_id)`` marks one of several: storing the wallet again is not that."""
    if meaning.operation != "update" or "default" not in split_name(meaning.tool.name):
        return ""
    said = any("default" in r.parameter.words for r in meaning.roles)
    plain = [r for r in meaning.of("payload") if r.field]
    return "" if said or plain else "default"


_PARTIAL = re.compile(
    r"\b(?:fail\w*|errors?|missing|invalid|not found)\b[^.]{0,60}\b(?:won'?t|will not|do(?:es)? not|don'?t)\s+"
    r"(?:stop|abort|affect|prevent|fail)|\bpartial (?:success|results?|failures?)\b"
    r"|\bper[- ]item (?:errors?|results?)\b|\b(?:skips?|ignor(?:es?|ing)) (?:missing|invalid|unknown|not found)\b"
    r"|\berrors? (?:are )?reported (?:for|per) each\b",
    re.IGNORECASE,
)


def partial(meaning: Meaning, domain: Domain) -> str:
    """A batch that goes on after a failure: "Failed reads for individual files won't stop the entire operation"."""
    found = _PARTIAL.search(meaning.tool.description) if meaning.operation in _ALL_OR_NOTHING else None
    return found[0].lower() if found else ""


_ALL_OR_NOTHING = frozenset(
    "batch_read batch_update batch_delete batch_create batch_transition batch_append batch_take batch_remove "
    "batch_members view".split()
)
