"""Required credentials: a token that every call must show, that picks no record and is stored in none.

So does the account in whose name most tools of a server are called, "the user's e-mail address": it says who asks,
and what others have shared is seen under any of them.  The environment is signed in to one.

An optional credential leaves the schema: the environment is signed in.  A required one stays: it is taken out
before the other rules read the tool and comes back as a check in front of the call, against a hidden table that
holds the one credential of the account.  A call with another one is refused and changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from tvlab.environments.domain import answer_options
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.drops import Drop
from tvlab.environments.meanings.meanings import Meaning, Role

ROLE = "credential"
_READS = frozenset("read list search count".split())
#: what one account has one of and every call can show; a password or a secret is half of a pair
_SHOWN = frozenset("key token jwt authorization auth apikey accesstoken authtoken apitoken".split())
_GRANTS = frozenset("refresh client device push".split())
_SPEAKS = re.compile(
    r"\b(?:auth\w*|access|api|bearer|oauth2?|login|session|credentials?|jwt)\b|(?:认证|授权|访问令牌|인증)",
    re.IGNORECASE,
)
#: words of an e-mail address that is the caller's
_CALLER = frozenset("user account my caller owner".split())
_OF_THE_USER = re.compile(r"\b(?:the |your )?(?:authenticated |signed-in |current )?user[’']s\b|\byour\b", re.I)
#: things of so many kinds are asked for in the caller's name
_KINDS = 3
#: things that are credentials themselves, which such a tool makes or checks
_THEMSELVES = frozenset("token key credential session login auth secret password".split())


def shown(tool: ParsedTool) -> list[Parameter]:
    """Return the credentials that a tool requires, [] for a tool about credentials."""
    if set(tool.noun[-1:]) & _THEMSELVES or (tool.kind in ("", "unknown") and tool.verb in _THEMSELVES):
        return []
    return [p for p in tool.parameters if p.required and _is_shown(p)]


def _is_shown(p: Parameter) -> bool:
    plain = p.type == "string" and not p.enum and len(p.path) == 1
    named = bool(set(p.words[-1:]) & _SHOWN) and not set(p.words) & _GRANTS
    if not plain or not named or not answer_options.is_credential(p):
        return False
    return p.words != ("token",) or bool(_SPEAKS.search(p.description))  # else perhaps a coin


def common(tools: list[ParsedTool]) -> frozenset[str]:
    """Return the names of credentials that several tools of a server require, one that only reads among them."""
    taken = Counter(p.name for tool in tools for p in shown(tool))
    read = {p.name for tool in tools if tool.kind in _READS for p in shown(tool)}
    return frozenset(name for name, number in taken.items() if number > 1 and name in read) | accounts(tools)


def accounts(tools: list[ParsedTool]) -> frozenset[str]:
    """Return the names of what most tools require to know in whose name they are called.

    A required e-mail address that more than half of a server's tools take, about things of several kinds, and of
    which a text says that it is the user's.
    """
    found: dict[str, list[ParsedTool]] = {}
    for tool in tools:
        for p in tool.parameters:
            if p.required and p.type == "string" and _is_account(p):
                found.setdefault(p.name, []).append(tool)
    return frozenset(
        name for name, takers in found.items()
        if len(takers) * 2 > len(tools) and len({tool.noun for tool in takers}) >= _KINDS
        and any(_OF_THE_USER.search(p.description) for tool in takers for p in tool.parameters if p.name == name)
    )  # fmt: skip


def _is_account(p: Parameter) -> bool:
    return "email" in p.words and bool(set(p.words) & _CALLER)


def without(tools: list[ParsedTool]) -> list[ParsedTool]:
    """Return the tools without the credentials that they require: what is left says what they are about."""
    names = common(tools)
    return [_without(tool, names) for tool in tools] if names else tools


def _without(tool: ParsedTool, names: frozenset[str]) -> ParsedTool:
    gone = _taken(tool, names)
    return replace(tool, parameters=tuple(p for p in tool.parameters if p not in gone)) if gone else tool


def _taken(tool: ParsedTool, names: frozenset[str]) -> list[Parameter]:
    """Credentials that are taken out of a tool: none where another one goes with them (a key and its secret)."""
    gone = [p for p in tool.parameters if p.required and p.name in names and (p in shown(tool) or _is_account(p))]
    rest = [p for p in tool.parameters if p.required and p not in gone and answer_options.is_credential(p)]
    return [] if rest else gone


def restored(decisions: list[Meaning | Drop], tools: list[ParsedTool], domain: Domain) -> list[Meaning | Drop]:
    """Return the decisions with the credentials back in front of the calls.

    Args:
        decisions: over the tools without credentials.
        tools: as they are published.
        domain: gets a hidden table for each credential.
    """
    names, by_name = common(tools), {tool.name: tool for tool in tools}
    for decision in decisions:
        tool = by_name.get(decision.tool.name) if isinstance(decision, Meaning) else None
        if tool is None or isinstance(decision, Drop):
            continue
        gone = _taken(tool, names)
        if not gone or decision.operation == "compute":
            continue
        decision.tool = tool
        checks = [Role(p.path, ROLE, p, _table(p, domain).name, p.name) for p in gone]
        decision.roles += checks
        for branch in decision.branches.values():
            branch.tool = replace(branch.tool, parameters=(*branch.tool.parameters, *gone))
            branch.roles += checks
    return decisions


def _table(p: Parameter, domain: Domain) -> Entity:
    """Return the hidden table of a credential: the one of the account."""
    name = f"{p.snake}_account" if _is_account(p) else f"{p.snake}_credential"
    if name not in domain.entities:
        example = "-".join((p.words[-1], *("7f3c", "91d8", "4be2", "a06d")))
        example = "robin.ellis@example.com" if _is_account(p) else example
        domain.entities[name] = Entity(
            name, tuple(name.split("_")), p.name, "string", "natural", hidden=True, single=True, examples=(example,)
        )
    return domain.entities[name]
