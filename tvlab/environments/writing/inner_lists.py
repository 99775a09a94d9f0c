"""Texts on a record: ``add_remarks(remarks: [{trail_name, contents: [...]}])`` changes a list inside trails.

A thing is such a list, and none of its own, where another thing has an array of texts under its plural, every
tool about it adds or removes some of them by the other's key, and none gets, lists or updates it by itself.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, schema_type
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft
from tvlab.environments.writing.item_keys import item_parameters

_ADDS, _TAKES = frozenset({"add", "append", "create"}), frozenset({"remove", "delete"})


@dataclass(frozen=True)
class InnerList:
    """One tool on a list of texts: whose field it is, the key and the texts of an item, and the way it changes."""

    owner: Entity
    column: str
    batch: Parameter
    key: Parameter
    texts: Parameter
    adds: bool


def find_inner_lists(domain: Domain) -> dict[str, InnerList]:
    """Return the inner lists by tool; their tools are about the owner from now on."""
    groups: dict[str, list[ParsedTool]] = defaultdict(list)
    for tool in domain.tools:
        entity = domain.own.get(tool.name)
        if entity is not None:
            groups[entity.name].append(tool)
    result: dict[str, InnerList] = {}
    for name, tools in groups.items():
        found = [_inner_list(tool, domain, domain.entities[name]) for tool in tools]
        lists = [one for one in found if one is not None]
        if len(lists) == len(found) and len({(one.owner.name, one.column) for one in lists}) == 1:
            for tool, one in zip(tools, lists, strict=True):
                result[tool.name] = one
                domain.own[tool.name] = one.owner
    return result


def _inner_list(tool: ParsedTool, domain: Domain, thing: Entity) -> InnerList | None:
    arrays = [p for p in tool.parameters if p.many and p.required and schema_type(p.item_schema) == "object"]
    if tool.verb not in _ADDS | _TAKES or len(arrays) != 1 or len(tool.parameters) != 1:
        return None
    inside = item_parameters(arrays[0], thing)
    keys = [p for p in inside if p.required and not p.many and _owner(p, domain, thing)]
    texts = [p for p in inside if p.required and p.many and schema_type(p.item_schema) == "string"]
    if len(inside) != 2 or len(keys) != 1 or len(texts) != 1:
        return None
    owner = _owner(keys[0], domain, thing)
    assert owner is not None
    column = next((f for f in owner.fields.values() if f.name == thing.table), None)
    if column is None or column.type != "array" or schema_type(column.schema.get("items")) != "string":
        return None
    return InnerList(owner, column.name, arrays[0], keys[0], texts[0], tool.verb in _ADDS)


def _owner(p: Parameter, domain: Domain, thing: Entity) -> Entity | None:
    found = domain.reference(p, thing)
    return found if found is not None and found is not thing and not found.hidden else None


def inner_list_meaning(tool: ParsedTool, domain: Domain) -> Meaning:
    """Mean a change of the texts on several records."""
    one: InnerList = domain.inner_lists[tool.name]
    meaning = Meaning(tool, "batch_append" if one.adds else "batch_take", one.owner, wrapper=one.batch.name)
    meaning.column = one.column
    meaning.roles.append(Role(one.key.path, "key", one.key, one.owner.name, one.owner.key))
    role = "payload" if one.adds else "filter"  # what is taken out is there before
    meaning.roles.append(Role(one.texts.path, role, one.texts, None, one.column))
    return meaning


def write_inner_list(draft: Draft) -> None:
    """Put texts that are not there yet into the lists of records, or take texts out of them."""
    meaning, entity, column = draft.meaning, draft.entity, literal(draft.meaning.column)
    key = meaning.one("key")
    assert key is not None
    item, one, held, kept = draft.own("item"), draft.own("one"), draft.own("held"), draft.own("kept")
    given = draft.value(meaning.of("payload", "filter")[0])
    draft.add(f"{draft.records} = []")
    draft.add(f"for {item} in {draft.argument(meaning.wrapper)}:")
    draft.add(f"{draft.record} = {draft.find(entity, draft.value(key))}", 1)
    draft.add(f"{held} = {draft.record}.get({column}, [])", 1)
    if meaning.operation == "batch_append":
        draft.add(f"{kept} = [{one} for {one} in dict.fromkeys({given}) if {one} not in {held}]", 1)
        new = f"[*{held}, *{kept}]"
    else:
        draft.add(f"{kept} = [{one} for {one} in {held} if {one} not in {given}]", 1)
        new = kept
    draft.add(f"{draft.record} = {{**{draft.record}, {column}: {new}}}", 1)
    draft.add(f"state[{literal(entity.table)}][{draft.key_text(entity, draft.value(key))}] = {draft.record}", 1)
    draft.add(f"{draft.records}.append({draft.record})", 1)
    draft.add(f"return {{{literal(entity.table)}: {draft.records}}}")
