"""The one record of a kind: ``get_signature()`` and ``update_signature(text, enabled)`` of the account.

Only where both are there, nothing picks one of several, no other tool is about the thing, and the update gives it
plain values.  Its table holds a single record, which is always there.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from tvlab.environments.domain import answer_options, field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.language import descriptions
from tvlab.environments.meanings.meanings import Meaning, UnmodelledError
from tvlab.environments.meanings.payloads import payload_role
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft

_GETS = frozenset("get read show view retrieve".split())
_SETS = frozenset("update set patch edit change configure".split())
#: what is only there while something runs, or is chosen on a screen
_PASSING = frozenset("current selected clipboard selection cursor session progress context mode".split())


def find_single_records(domain: Domain) -> dict[str, Entity]:
    """Return the single records by tool, and mark their entities."""
    groups: dict[str, list[ParsedTool]] = defaultdict(list)
    for tool in domain.tools:
        entity = domain.own.get(tool.name)
        if entity is not None and tool.name not in domain.settings:
            groups[entity.name].append(tool)
    result: dict[str, Entity] = {}
    for name, tools in groups.items():
        entity = domain.entities[name]
        gets = [t for t in tools if t.verb in _GETS and _picks_nothing(t)]
        sets = [t for t in tools if t.verb in _SETS and _gives_plainly(t, domain, entity)]
        passing = set(entity.noun) & _PASSING or any(_PASSING & set(t.noun) for t in tools)
        same = len({t.noun for t in tools}) == 1
        if gets and sets and len(gets) + len(sets) == len(tools) and not entity.parents and same and not passing:
            entity.single = True
            for column in entity.fields.values():
                column.required = True
            for tool in tools:
                result[tool.name] = entity
    return result


def _picks_nothing(tool: ParsedTool) -> bool:
    return not tool.plural and not any(p.required for p in tool.parameters)


def _gives_plainly(tool: ParsedTool, domain: Domain, entity: Entity) -> bool:
    """True if an update gives values and names no record."""
    given = [p for p in tool.parameters if not field_types.is_option(p) and not answer_options.is_credential(p)]
    held = all((column := entity.field_of(p.words)) is not None and column.type == p.type for p in given)
    return bool(given) and held and not any(p.is_id or domain.reference(p, entity) for p in tool.parameters)


def single_meaning(tool: ParsedTool, domain: Domain) -> Meaning:
    """Mean a read or an update of the one record."""
    entity: Entity = domain.single_records[tool.name]
    if tool.verb in _GETS:
        meaning = Meaning(tool, "fact", entity)
        for p in tool.parameters:
            meaning.narrow(p, "does not change what the call does here")
        return meaning
    meaning = Meaning(tool, "set", entity)
    for p in tool.parameters:
        payload_role(meaning, domain, p)
    if not meaning.of("payload"):
        raise UnmodelledError("nothing to update", tool.name)
    return meaning


def write_set(draft: Draft) -> None:
    """Change the given fields of the one record and no others."""
    table, record = literal(draft.entity.table), draft.record
    meaning = draft.meaning
    draft.meaning = replace(meaning, operation="update")  # an open object is merged, as in an update
    content = draft.content()
    draft.meaning = meaning
    changed = content[1:-1] if content.startswith("{") else f"**{content}"
    draft.add(f"{record} = next(iter(state[{table}].values()))")
    if changed.startswith("**without") and descriptions.needs_a_change(meaning.tool.description):
        name = draft.own("changes")
        draft.add(f"{name} = {content}")
        draft.add(f"if not {name}:")
        draft.add('fail("invalid_arguments", "nothing to change was given")', 1)
        changed = f"**{name}"
    draft.add(f"{record} = {{**{record}, {changed}}}")
    draft.store(draft.key_text(draft.entity, f"{record}[{literal(draft.entity.key)}]"))
    draft.add(f"return {record}")
