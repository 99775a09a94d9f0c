"""Records that items of a batch pick by all their fields: ``delete_relations(relations: [{from, to, type}])``."""

from __future__ import annotations

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.record_schemas import batch_parameter
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft
from tvlab.environments.writing.item_keys import item_parameters


def paired_items(tool: ParsedTool, domain: Domain, entity: Entity) -> tuple[Parameter, list[Parameter]] | None:
    """Return the array of a removal and the properties that pick its records, None if they pick none.

    Two properties at least, all required, each a plain column, and all of them given by the batch that makes them.
    """
    batch = batch_parameter(tool, entity)
    if batch is None or not batch.required or len(tool.parameters) != 1:
        return None
    inside = item_parameters(batch, entity)
    if len(inside) < 2 or any(not p.required or p.many or p.name not in entity.fields for p in inside):
        return None
    names = {p.name for p in inside}
    for other in domain.tools:
        made = batch_parameter(other, entity) if other.kind == "create" else None
        own = made is not None and domain.own.get(other.name) is entity
        if made is not None and own and {p.name for p in item_parameters(made, entity)} == names:
            return batch, inside
    return None


def paired_meaning(tool: ParsedTool, entity: Entity, batch: Parameter, inside: list[Parameter]) -> Meaning:
    """Mean a removal of the records that agree with an item in everything."""
    meaning = Meaning(tool, "batch_remove", entity, wrapper=batch.name)
    meaning.roles += [Role(p.path, "filter", p, None, p.name) for p in inside]
    return meaning


def write_paired_removal(draft: Draft) -> None:
    """Remove the records that agree with an item; an item that none agrees with refuses all."""
    entity, item, row, key = draft.entity, draft.own("item"), draft.own("row"), draft.own("key")
    table, keys = literal(entity.table), draft.own("keys")
    draft.add(f"for {item} in {draft.argument(draft.meaning.wrapper)}:")
    tests = [f"{row}.get({literal(r.field)}) == {draft.value(r)}" for r in draft.meaning.of("filter")]
    draft.add(f"{keys} = [", 1)
    draft.add(f"    {key} for {key}, {row} in state[{table}].items()", 1)
    for at, test in enumerate(tests):
        draft.add(f"    {'and' if at else 'if'} {test}", 1)
    draft.add("]", 1)
    draft.add(f"if not {keys}:", 1)
    draft.add(f'fail("not_found", {literal(f"no such {entity.title}")})', 2)
    draft.add(f"for {key} in {keys}:", 1)
    draft.add(f"del state[{table}][{key}]", 2)
    draft.add('return {"deleted": True}')
