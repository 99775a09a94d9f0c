"""Lists of members changed at both ends: ``modify_parcel(parcel_id, add_tag_ids, remove_tag_ids)``.

The record has a list of the members' keys.  A call puts in what is not there yet and takes out what is; both lists
name things that the server's tools are about.
"""

from __future__ import annotations

from dataclasses import replace

from tvlab.environments.domain import links
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, schema_type
from tvlab.environments.meanings.meanings import Meaning, Role, UnmodelledError, check_type, own_many, side_role
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft
from tvlab.foundation.words import singular

_IN, _OUT = "add", "remove"


def member_lists(tool: ParsedTool, domain: Domain, entity: Entity) -> tuple[Entity, Parameter, Parameter] | None:
    """Return the members' entity and the lists of those to put in and to take out, None if there are none."""
    found: dict[str, tuple[Parameter, Entity]] = {}
    for p in tool.parameters:
        way, target = _way(p), _target(p, domain)
        if way and target is not None and target is not entity:
            found[way] = (p, target)
    if len(found) != 2 or found[_IN][1] is not found[_OUT][1]:
        return None
    return found[_IN][1], found[_IN][0], found[_OUT][0]


def _way(p: Parameter) -> str:
    """``add`` or ``remove`` for a list of ids of which the name says one of them, else ""."""
    ways = [word for word in (_IN, _OUT) if word in p.words]
    ids = p.many and schema_type(p.item_schema) == "string" and singular(p.words[-1]) in ("id", "add", "remove")
    return ways[0] if len(ways) == 1 and ids else ""


def _target(p: Parameter, domain: Domain) -> Entity | None:
    words = [singular(word) for word in p.words if word not in (_IN, _OUT, "to")]
    if words[-1:] != ["id"] or len(words) < 2:
        return None
    noun = domain.nouns.resolve(tuple(words[:-1]))
    target = domain.entities.get("_".join(noun))
    return target if target is not None and not target.hidden and target.key_type == "string" else None


def prepare(domain: Domain) -> None:
    """Give the owners their lists."""
    for tool in domain.tools:
        entity = domain.own.get(tool.name)
        found = member_lists(tool, domain, entity) if entity is not None and tool.kind == "update" else None
        if entity is None or found is None:
            continue
        name, keys = links.link_column(entity, found[0]), {"type": "array", "items": {"type": "string"}}
        for p in found[1:]:
            field = entity.fields.get(p.name)
            if field is not None and field.type == "array":
                del entity.fields[p.name]
        entity.fields[name] = Field(name, keys, found[0].name)


def member_meaning(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning | None:
    """Mean a change of the list of one record or of several, None if the tool is no such change."""
    found = member_lists(tool, domain, entity)
    if found is None:
        return None
    target, given, taken = found
    column = links.link_column(entity, target)
    many, key = own_many(tool, domain, entity), domain.key_parameter(tool, entity)
    own = many if key is None else key
    if own is None or not own.required or column not in entity.fields:
        raise UnmodelledError("state change with unknown key", tool.name)
    meaning = Meaning(tool, "batch_members" if own.many else "members", entity, column=column)
    check_type(replace(own, schema=own.item_schema) if own.many else own, entity.key_type, "key")
    meaning.roles.append(Role(own.path, "key", own, entity.name, entity.key, "in" if own.many else "=="))
    for p in (given, taken):
        meaning.roles.append(Role(p.path, "reference", p, target.name, column, "in"))
    for p in tool.parameters:
        if p not in (own, given, taken):
            side_role(meaning, domain, p)
    return meaning


def write_members(draft: Draft) -> None:
    """Change the lists of members of the records."""
    meaning, entity, column = draft.meaning, draft.entity, literal(draft.meaning.column)
    key = meaning.one("key")
    assert key is not None
    given, taken = [r for r in meaning.of("reference") if not r.filters and r.op == "in"]
    draft.check_references(meaning.of("reference"))
    one, held, each = draft.own("one"), draft.own("held"), draft.own("each")
    several = meaning.operation == "batch_members"
    depth = 1 if several else 0
    if several:
        draft.add(f"{draft.records} = []")
        draft.add(f"for {each} in {draft.value(key)}:")
    own = each if several else draft.value(key)
    draft.add(f"{draft.record} = {draft.find(entity, own)}", depth)
    for place in draft.places():
        draft.refuse_elsewhere(place, depth)
    draft.add(f"{held} = {draft.record}.get({column}, [])", depth)
    put = draft.value(given) if draft.always(given) else f"{draft.value(given)} or []"
    out = draft.value(taken) if draft.always(taken) else f"({draft.value(taken)} or [])"
    draft.add(f"{held} = [*{held}, *({one} for {one} in dict.fromkeys({put}) if {one} not in {held})]", depth)
    draft.add(f"{held} = [{one} for {one} in {held} if {one} not in {out}]", depth)
    draft.add(f"{draft.record} = {{**{draft.record}, {column}: {held}}}", depth)
    draft.add(f"state[{literal(entity.table)}][{draft.key_text(entity, own)}] = {draft.record}", depth)
    if several:
        draft.add(f"{draft.records}.append({draft.record})", depth)
        draft.add(f"return {{{literal(entity.table)}: {draft.records}}}")
    else:
        draft.add(f"return {draft.record}")
