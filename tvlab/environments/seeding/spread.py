"""Records spread over what they are listed by: categories of each session, notes of each incident.

A list that asks for a parent answers something for nearly every one: the first records go to one parent after the
other, and those that are left to the first few, so that some have several.
"""

from __future__ import annotations

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.runtime import State

#: records beside one for each parent, and as many as a table is made to hold
_MORE = 6
_MOST = 22


def column_of(domain: Domain, entity: Entity) -> str:
    """Return the reference that a list of an entity's records asks for, "" if none does or several are asked for."""
    if domain.guessed_texts or entity.fact is not None or entity.told or entity.single or entity.is_path:
        return ""
    for tool in domain.tools:
        if domain.own.get(tool.name) is not entity or tool.kind not in ("list", "search", "read") or not tool.plural:
            continue
        asked = [(p, domain.reference(p, entity)) for p in tool.parameters if p.required]
        above = [(p, target) for p, target in asked if target is not None and target is not entity]
        if len(above) == 1 and above[0][1] is not None:
            p, target = above[0]
            column = entity.column_for(p.words, target.name, True) or entity.reference_to(target.name)
            if column is not None and column.reference == target.name and column.type != "array":
                return column.name
    return ""


def number_of(domain: Domain, entity: Entity, name: str, state: State, number: int) -> int:
    """Return how many records there are to be, so that each parent can have one."""
    target = domain.entities[entity.fields[name].reference or ""] if name else None
    parents = len(state.get(target.table, {})) if target is not None else 0
    return max(number, min(parents + _MORE, _MOST)) if parents > 1 else number
