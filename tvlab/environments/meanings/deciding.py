"""Decide what each tool means, or why it is left out."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.nouns import action_parameter, action_verb
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, with_verb
from tvlab.environments.drops import Drop
from tvlab.environments.language.name_words import verb_kind
from tvlab.environments.meanings import drop_reasons
from tvlab.environments.meanings.meanings import Meaning, Role, UnmodelledError
from tvlab.environments.meanings.read_meanings import list_meaning, read_meaning
from tvlab.environments.meanings.refusals import refuse
from tvlab.environments.meanings.single_records import single_meaning
from tvlab.environments.meanings.write_guards import refuse_faked_writes
from tvlab.environments.meanings.write_meanings import (
    create_meaning,
    delete_meaning,
    link_meaning,
    transition_meaning,
    update_meaning,
    upsert_meaning,
)
from tvlab.environments.writing.inner_lists import inner_list_meaning
from tvlab.environments.writing.rules_computations import computation_meaning
from tvlab.environments.writing.table_views import view_meaning
from tvlab.foundation.words import singular, split_name


def decide(tool: ParsedTool, domain: Domain) -> Meaning | Drop:
    """Return what a tool means, or why it is left out."""
    try:
        return _decide(tool, domain)
    except UnmodelledError as problem:
        return Drop(tool.name, "meaning", problem.reason, problem.detail)


def _decide(tool: ParsedTool, domain: Domain) -> Meaning:
    computed = computation_meaning(tool)
    if computed is not None:
        return computed
    if tool.name in domain.settings:
        return _setting(tool, domain)
    if tool.name in domain.inner_lists:
        return inner_list_meaning(tool, domain)
    if tool.name in domain.single_records:
        return single_meaning(tool, domain)
    if (view := view_meaning(tool, domain)) is not None:
        return view
    if action := action_parameter(tool):
        return _multiplexed(tool, domain, action)
    if tool.kind in ("", "unknown", "manage"):
        raise UnmodelledError(drop_reasons.unclear(tool), tool.verb or tool.name)
    if tool.kind == "compute":
        raise UnmodelledError("computation of uncertain meaning", tool.name)
    entity = domain.own.get(tool.name)
    if entity is None:
        raise UnmodelledError("no entity in the name", tool.name)
    refuse(tool, domain, entity)
    if tool.kind not in ("read", "list", "search", "count"):
        refuse_faked_writes(tool, entity)
    maker = {
        "read": read_meaning,
        "list": list_meaning,
        "search": list_meaning,
        "count": list_meaning,
        "create": create_meaning,
        "send": create_meaning,
        "upsert": upsert_meaning,
        "update": update_meaning,
        "delete": delete_meaning,
        "transition": transition_meaning,
        "link": link_meaning,
        "unlink": delete_meaning,
    }[tool.kind]
    return maker(tool, domain, entity)


def _setting(tool: ParsedTool, domain: Domain) -> Meaning:
    """Read, set or reset a field of the parent."""
    setting = domain.settings[tool.name]
    operation = {"get": "read", "set": "update", "reset": "transition"}[setting.action]
    meaning = Meaning(tool, operation, setting.parent, idempotent=True)
    meaning.roles.append(Role(setting.key.path, "key", setting.key, setting.parent.name, setting.parent.key))
    if setting.value is not None:
        meaning.roles.append(Role(setting.value.path, "payload", setting.value, None, setting.column))
    for p in tool.parameters:
        if p is not setting.key and p is not setting.value:
            meaning.narrow(p, "does not change what the call does here")
    if operation == "read":
        meaning.column = setting.column
    if operation == "transition":
        if re.search(r"\bdefaults?\b", tool.description, re.IGNORECASE):
            raise UnmodelledError("stated default is not kept", "what the setting is by default is not stated")
        kind = setting.parent.fields[setting.column].type
        said = str(setting.parent.fields[setting.column].schema.get("description"))
        told = re.search(r"\bJSON (object|array)\b", said)
        empty = {"object": "{}", "array": "[]"}[told[1]] if told and not domain.guessed_texts else ""
        meaning.column = setting.column
        meaning.value = {"string": empty, "boolean": False, "array": [], "object": {}}.get(kind, 0)
    return meaning


def _multiplexed(tool: ParsedTool, domain: Domain, action: Parameter) -> Meaning:
    entity = domain.own.get(tool.name)
    if entity is None:
        raise UnmodelledError("no entity in the name", tool.name)
    meaning = Meaning(tool, "multiplex", entity, [Role(action.path, "action", action)])
    for value in action.enum:
        branch = _branch(tool, domain, entity, action, value)
        if isinstance(branch, Meaning):
            meaning.branches[value] = branch
        else:
            meaning.narrowed.append((f"{action.name}={value}", branch))
    if len(meaning.branches) < 2:
        raise UnmodelledError("fewer than two actions with a rule", tool.name)
    used = {role.path[0] for branch in meaning.branches.values() for role in branch.roles}
    for p in tool.parameters:
        if p is not action and p.name not in used:
            meaning.narrow(p, "no action uses it")
    return meaning


def _serves(p: Parameter, action: Parameter, value: Any) -> bool:
    """False if the parameter's description names other actions as its own and not this one ("for move")."""
    named = {
        v
        for v in map(str, action.enum)
        if re.search(rf"[\"'`]{re.escape(v)}[\"'`]|\b(?:for|by|on|in|with|and|or|,)\s+{re.escape(v)}\b", p.description)
    }
    return not named or str(value) in named


def _branch(tool: ParsedTool, domain: Domain, entity: Entity, action: Parameter, value: Any) -> Meaning | str:
    verb = action_verb(value)
    kind = verb_kind(verb)
    others = {singular(word) for word in split_name(str(value))[1:]} - set(entity.noun)
    if others or verb in ("move", "transfer"):
        return "an action on a part of the thing"
    keyed = kind in ("read", "update", "delete", "transition")
    parameters = []
    for p in tool.parameters:
        if p is not action and _serves(p, action, value):
            own = domain.reference(p, entity) is entity and p.is_id
            makes = kind == "create" and not own
            known = entity.field_of(p.words)
            needed = (own and keyed) or (makes and known is not None and known.reference is not None)
            parameters.append(replace(p, required=p.required or needed))
    if kind in ("", "unknown", "manage", "compute"):
        return "unclear verb"
    plain = with_verb(tool, verb, kind, parameters)
    if kind == "list":
        plain = replace(plain, plural=True)
    maker = {
        "read": read_meaning,
        "list": list_meaning,
        "search": list_meaning,
        "count": list_meaning,
        "create": create_meaning,
        "send": create_meaning,
        "update": update_meaning,
        "delete": delete_meaning,
        "transition": transition_meaning,
    }.get(kind)
    if maker is None:
        return "no rule for the action"
    try:
        return maker(plain, domain, entity)
    except UnmodelledError as problem:
        return problem.reason
