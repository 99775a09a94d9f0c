"""Meanings of the tools that change records: create, update, delete, rename, change a state, link."""

from __future__ import annotations

import re
from dataclasses import replace

from tvlab.environments.domain import field_types, links
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.record_schemas import batch_parameter
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.language import descriptions
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings import transitions
from tvlab.environments.meanings.meanings import (
    REQUIRED_NOW,
    Meaning,
    Role,
    UnmodelledError,
    check_type,
    keyed,
    narrow_rest,
    own_many,
)
from tvlab.environments.meanings.payloads import batch_create, batch_items, payload_role, update_many
from tvlab.environments.writing.item_keys import picked_items
from tvlab.environments.writing.item_pairs import paired_items, paired_meaning
from tvlab.environments.writing.member_changes import member_meaning


def create_meaning(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning:
    """Mean a create: one record, a batch, a link, or a change of state under a verb of making."""
    if batch := batch_parameter(tool, entity):
        return batch_create(tool, domain, entity, batch)
    own = domain.given_key(tool, entity) or domain.key_parameter(tool, entity)
    if own is not None and own.required and entity.key_kind == "minted":
        others = [p for p in tool.parameters if p is not own]
        if tool.kind == "send" or tool.verb in words_of.TRANSITIONS or not others:
            return transition_meaning(tool, domain, entity)
        return link_meaning(tool, domain, entity)
    if own_many(tool, domain, entity) is not None:
        return link_meaning(tool, domain, entity)
    meaning = Meaning(tool, "send" if tool.kind == "send" else "create", entity)
    replaces = descriptions.overwrites(tool.description) or tool.verb in ("write", "save", "put", "store")
    if replaces and own is not None and entity.key_kind == "natural":
        meaning.operation = "upsert"
    for p in tool.parameters:
        if p is own:
            if entity.key_kind == "natural" and p.required:
                check_type(p, entity.key_type, "key")
                meaning.roles.append(Role(p.path, "key", p, entity.name, entity.key))
            else:
                meaning.narrow(p, "the id is made by the tool")
        else:
            payload_role(meaning, domain, p)
    if entity.key_kind == "natural" and not meaning.of("key") and not key_is_made(domain, entity):
        raise UnmodelledError("create without the key", f"{entity.key} of {entity.name}")
    if not meaning.of("payload", "reference", "key"):
        raise UnmodelledError("create without content", tool.name)
    if descriptions.ensures(tool.description) and meaning.operation == "create":
        if entity.key_kind != "natural" or meaning.of("payload"):
            raise UnmodelledError("makes it only where it is not there", tool.name)
        meaning.operation = "upsert"
    return meaning


def key_is_made(domain: Domain, entity: Entity) -> bool:
    """True if no create takes the natural key and a number or a promise says that the tools make it."""
    words = field_types.name_words(entity.key)
    mine = [t for t in domain.tools if domain.own.get(t.name) is entity]
    if words[-1:] == ("number",) and entity.key_type == "integer":
        return True
    names = "|".join({re.escape(entity.key), " ".join(words), words[-1]})
    told = re.compile(rf"\breturns?\b[^.]{{0,40}}\b(?:{names})\b", re.IGNORECASE)
    return any(t.kind == "create" and told.search(t.description) for t in mine)


def upsert_meaning(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning:
    """Mean a tool that makes a record or changes the one that is there."""
    key = domain.key_parameter(tool, entity)
    if key is None:
        raise UnmodelledError("state change with unknown key", tool.name)
    meaning = Meaning(tool, "upsert", entity)
    check_type(key, entity.key_type, "key")
    meaning.roles.append(Role(key.path, "key", key, entity.name, entity.key))
    for p in tool.parameters:
        if p is not key:
            payload_role(meaning, domain, p)
    if not meaning.of("payload"):
        raise UnmodelledError("nothing to update", tool.name)
    return meaning


def update_meaning(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning:
    """Mean a partial update, a rename, or an update of many."""
    if (members := member_meaning(tool, domain, entity)) is not None:
        return members
    key = domain.key_parameter(tool, entity)
    if tool.verb in ("move", "rename") and entity.key_kind == "natural" and not (
        key is not None and _gives_name(tool, entity)
    ):
        return _rename(tool, domain, entity)
    if key is None:
        return update_many(tool, domain, entity)
    makes = re.search(r"\bcreat|\bupsert", tool.description, re.IGNORECASE)
    if tool.verb in ("set", "put", "save") and (makes if not key.required else _sets_value(tool, domain, entity)):
        return upsert_meaning(tool, domain, entity)
    meaning = Meaning(tool, "update", entity)
    if not key.required:
        meaning.narrowed.append((key.name, REQUIRED_NOW))
    check_type(key, entity.key_type, "key")
    meaning.roles.append(Role(key.path, "key", key, entity.name, entity.key))
    for p in tool.parameters:
        if p is key:
            continue
        target = domain.reference(p, entity)
        column = entity.column_for(p.words, target.name, True) if target else None
        stays = column is not None and column.name in entity.parents and p.required and not p.many
        if (
            target is not None
            and column is not None
            and stays
            and target is not entity
            and _has_settable(tool, domain, entity, {key.name, p.name})
        ):
            meaning.roles.append(Role(p.path, "reference", p, target.name, column.name, filters=True))
        else:
            payload_role(meaning, domain, p)
    changed = [r for r in meaning.of("payload", "reference") if not r.filters and r.field]
    if not changed:
        raise UnmodelledError("nothing to update", tool.name)
    return meaning


def _has_settable(tool: ParsedTool, domain: Domain, entity: Entity, without: set[str]) -> bool:
    return any(
        p.name not in without and not field_types.is_option(p) and (domain.reference(p, entity) is None)
        for p in tool.parameters
    )


def _sets_value(tool: ParsedTool, domain: Domain, entity: Entity) -> bool:
    """True for ``set_variable(key, value)`` beside ``delete_variable(key)`` where no other tool makes one."""
    mine = [t for t in domain.tools if domain.own.get(t.name) is entity]
    made = any(t.kind in ("create", "upsert", "send") for t in mine)
    gone = any(t.kind == "delete" and domain.key_parameter(t, entity) is not None for t in mine)
    value = any(p.required and p.words == ("value",) for p in tool.parameters)
    return entity.key_kind == "natural" and value and gone and not made


def _gives_name(tool: ParsedTool, entity: Entity) -> bool:
    """True for ``rename_function(function_address, new_name)``: the key stays, the name changes."""
    key = field_types.name_words(entity.key)
    return key[-1:] not in (("name",), ("title",), ("path",)) and any(
        p.words == ("new", "name") for p in tool.parameters
    ) and key != entity.noun  # fmt: skip


def _rename(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning:
    """Give a record another natural key: ``move_file(source, destination)``."""
    required = [p for p in tool.parameters if p.required and p.type == entity.key_type and not p.enum]
    olds = [
        p
        for p in required
        if p.words[0] in ("source", "src", "from", "old", "current") or p.name == entity.key
    ]
    news = [p for p in required if p.words[0] in ("destination", "dest", "dst", "to", "new", "target")]
    if len(olds) != 1 or len(news) != 1:
        raise UnmodelledError("state change with unknown key", tool.name)
    meaning = Meaning(
        tool,
        "rename",
        entity,
        [
            Role(olds[0].path, "key", olds[0], entity.name, entity.key),
            Role(news[0].path, "new_key", news[0], None, entity.key),
        ],
    )
    for p in tool.parameters:
        if p not in (olds[0], news[0]):
            meaning.narrow(p, "does not change what the call does here")
    return meaning


def delete_meaning(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning:
    """Mean a removal: by key, by keys, by matching fields, or of a link."""
    many = own_many(tool, domain, entity)
    key = domain.key_parameter(tool, entity)
    if many is not None and many.required:
        operation = "batch_delete"
        meaning = Meaning(
            tool, operation, entity, [Role(many.path, "key", many, entity.name, entity.key, "in")]
        )
        narrow_rest(meaning, domain, {many.name})
        return meaning
    if key is None and (paired := paired_items(tool, domain, entity)):
        return paired_meaning(tool, entity, *paired)
    if key is None and (batch := batch_parameter(tool, entity)):
        return batch_items(tool, domain, entity, batch, "batch_delete")
    others = [
        t for p in tool.parameters if p.required and (t := domain.reference(p, entity)) and t is not entity
    ]
    if key is not None and key.required:
        loose = [t for t in others if t.name not in entity.parents.values()]
        if loose or tool.kind == "unlink" or (others and links.undoes_link(tool, domain, entity)):
            return link_meaning(tool, domain, entity)
        meaning = Meaning(tool, "delete", entity, idempotent=descriptions.is_idempotent(tool.description))
        keyed(meaning, domain, key)
        return meaning
    if links.pair_fields(tool, domain, entity):
        return _delete_matching(tool, domain, entity)
    return link_meaning(tool, domain, entity)


def _delete_matching(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning:
    """Remove the record that agrees in all required parameters: a reaction, a membership."""
    meaning = Meaning(tool, "delete", entity)
    for p in tool.parameters:
        target = domain.reference(p, entity)
        column = entity.column_for(p.words, target.name if target else None, True)
        if not p.required or column is None:
            meaning.narrow(p, "does not change what the call does here")
        elif target is not None:
            meaning.roles.append(Role(p.path, "reference", p, target.name, column.name, filters=True))
        else:
            meaning.roles.append(Role(p.path, "filter", p, None, column.name))
    return meaning


def transition_meaning(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning:
    """Mean a change of state."""
    change = transitions.settle(tool, entity)
    if change is None:
        raise UnmodelledError("no state for the verb", tool.verb)
    many = own_many(tool, domain, entity)
    key = domain.key_parameter(tool, entity)
    if key is None or not key.required:
        picked = picked_items(tool, domain, entity, "batch_transition") if many is None and key is None else None
        if picked is None and (many is None or not many.required):
            raise UnmodelledError("state change with unknown key", tool.name)
        if picked is not None:
            meaning = picked
        elif many is not None:
            meaning = Meaning(
                tool, "batch_transition", entity, [Role(many.path, "key", many, entity.name, entity.key, "in")]
            )
            narrow_rest(meaning, domain, {many.name})
    else:
        meaning = Meaning(tool, "transition", entity)
        check_type(key, entity.key_type, "key")
        meaning.roles.append(Role(key.path, "key", key, entity.name, entity.key))
        for p in tool.parameters:
            if p is key:
                continue
            target = domain.reference(p, entity)
            column = entity.column_for(p.words, target.name, True) if target else None
            if target is not None and column is not None and column.name in entity.parents:
                meaning.roles.append(Role(p.path, "reference", p, target.name, column.name, filters=True))
            else:
                payload_role(meaning, domain, p)
    meaning.column, meaning.value = change
    if any(role.field == meaning.column for role in meaning.of("payload")):
        raise UnmodelledError("the new state is given twice", meaning.column)
    meaning.idempotent = descriptions.is_idempotent(tool.description)
    return meaning


def link_meaning(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning:
    """Put a member into, or take it out of, a list of keys in the owner's record."""
    ends = links.link_ends(tool, domain, entity)
    if ends is None:
        raise UnmodelledError("link with one end", tool.name)
    owner, member = ends
    if owner[0].many:
        raise UnmodelledError("link with many owners", tool.name)
    if owner[1].name in member[1].parents.values():
        raise UnmodelledError("members are told by a field of theirs", tool.name)
    column = links.link_column(owner[1], member[1])
    if column not in owner[1].fields:
        raise UnmodelledError("link of what is no list", tool.name)
    takes_out = tool.kind in ("delete", "unlink")
    meaning = Meaning(tool, "unlink" if takes_out else "link", owner[1], column=column)
    for p, target, role in ((*owner, "key"), (*member, "reference")):
        one = replace(p, schema=p.item_schema) if p.many else p
        check_type(one, target.key_type, "key")
        field_name = owner[1].key if role == "key" else column
        meaning.roles.append(Role(p.path, role, p, target.name, field_name, "in" if p.many else "=="))
    done = {owner[0].name, member[0].name}
    for p in tool.parameters:
        if p.name not in done:
            meaning.narrow(p, "no rule for it beside a link")
    return meaning
