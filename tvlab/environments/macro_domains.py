"""Eight macro-domains of tools, for a picture of what a set of environments covers.

The paper shows its tools over eight macro-domains and does not name them in its text; these eight are ours.
An environment belongs where most of its own words point: the words of its entities, tools and parameters
(never those of descriptions, where "server", "agent" and "web" stand everywhere), each word counted once.
Fewer than two such words: ``other``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tvlab.foundation.words import singular, split_name

OTHER = "other"
_LEAST = 2
_ENTITY_WEIGHT = 3

MACRO_DOMAINS: dict[str, frozenset[str]] = {
    "office and communication": frozenset(
        "email mail mailbox message thread draft inbox gmail outlook chat channel conversation calendar event attendee "
        "meeting reminder contact recipient cc bcc reply notification newsletter sms call conference document "
        "paragraph heading slide presentation workbook worksheet sheet cell note notebook page onenote comment "
        "reaction emoji mention".split()
    ),
    "work and projects": frozenset(
        "task subtask todo project board sprint epic story issue ticket milestone backlog assignee deadline due "
        "priority team member workspace planner checklist iteration objective goal okr timesheet "
        "worklog incident oncall "
        "escalation schedule shift requester agent workflow automation".split()
    ),
    "commerce and customers": frozenset(
        "order product customer cart sku variant inventory shop store catalog invoice bill vendor payment refund "
        "shipment shipping subscription coupon discount price quote deal lead company campaign crm pipeline "
        "segment ad adset audience seller buyer return checkout line sale purchase supplier".split()
    ),
    "finance and markets": frozenset(
        "stock symbol ticker share etf fund forex currency exchange crypto coin cryptocurrency token wallet chain pool "
        "dex portfolio dividend earning balance income statement cik filing market volume trade position option "
        "bank account transaction ledger budget loan nft block slot address supply treasury bond".split()
    ),
    "software and infrastructure": frozenset(
        "repository repo branch commit pull merge build deployment container pod cluster namespace node service "
        "database schema table query index bucket function package module dependency test log trace metric dashboard "
        "chart dataset api endpoint webhook route plugin certificate key host dns domain hosting vps server machine "
        "vm firewall proxy upstream queue job version environment secret config".split()
    ),
    "files, web and media": frozenset(
        "file folder directory path drive attachment image photo picture video audio song track album artist playlist "
        "podcast channel post feed article blog website link bookmark tag template theme icon font design canvas "
        "layer scene model render media upload download avatar".split()
    ),
    "knowledge, science and education": frozenset(
        "paper article author citation journal abstract doi arxiv course lesson quiz student teacher assignment grade "
        "school book chapter verse word definition dictionary language question answer flashcard deck gene protein "
        "compound molecule drug trial disease patient study species element taxonomy entity relation "
        "observation concept knowledge topic".split()
    ),
    "travel, places and daily life": frozenset(
        "weather forecast temperature city country location latitude longitude place map route "
        "station stop train flight "
        "airport airline hotel room booking reservation restaurant recipe ingredient meal food game player match "
        "league season score character quest device light sensor home workout exercise activity holiday timezone "
        "currency pet animal movie show episode property listing".split()
    ),
}


def macro_domain(report: Mapping[str, Any]) -> str:
    """Return the macro-domain of an environment, or ``other``.

    Args:
        report: the environment's ``report.json``; read are the names of entities, tools and parameters.

    >>> macro_domain({"entities": {"email": {}, "draft": {}}, "meanings": {}})
    'office and communication'
    """
    words = _words(report)
    found = {
        name: (sum(words[word] for word in known & words.keys()), len(known & words.keys()))
        for name, known in MACRO_DOMAINS.items()
    }
    best = max(found, key=lambda name: found[name])
    return best if found[best][1] >= _LEAST else OTHER


def coverage(reports: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one row a macro-domain: domain, environments, tools; the largest first, ``other`` last.

    Args:
        reports: the ``report.json`` of each environment.
    """
    environments: Counter[str] = Counter()
    tools: Counter[str] = Counter()
    for report in reports:
        name = macro_domain(report)
        environments[name] += 1
        tools[name] += len(report["meanings"])
    names = sorted(MACRO_DOMAINS, key=lambda name: (-tools[name], name))
    return [{"domain": name, "environments": environments[name], "tools": tools[name]} for name in [*names, OTHER]]


def _words(report: Mapping[str, Any]) -> dict[str, int]:
    """The words of an environment's names; those of entities weigh more."""
    words: dict[str, int] = {}
    names = [*report["meanings"], *(p.split(".")[-1] for m in report["meanings"].values() for p in m["parameters"])]
    for name in names:
        words.update(dict.fromkeys(map(singular, split_name(name.replace("[]", ""))), 1))
    for entity in report["entities"]:
        words.update(dict.fromkeys(map(singular, split_name(entity.replace(" ", "_"))), _ENTITY_WEIGHT))
    return words
