"""Which records go with the one that they belong to, and which can be without it and only lose the reference.

A story that is made without an iteration stays when its iteration goes, and so does a user whom a schedule lists;
a comment that can be made on an issue alone goes with the issue.
"""

from __future__ import annotations

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.nouns import action_branches, flat
from tvlab.environments.domain.record_schemas import batch_parameter
from tvlab.environments.domain.told_references import joined_ends
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, parse_parameters
from tvlab.environments.language import vocabulary as words_of

#: people who are kept in someone's book
_OF_SOMEONE = frozenset({"contact", "customer", "account", "member"})
_MAKES = ("create", "send", "upsert")


def goes_with(domain: Domain, entity: Entity, column: Field) -> bool:
    """True if a record of an entity is removed with the one that this column names as its parent."""
    if column.name not in entity.parents or _made_without(domain, entity, column):
        return False
    if domain.guessed_texts or column.name in joined_ends(entity):
        return True
    makers = [t for t in domain.tools_on(entity) if _makes(t) and not domain.links(t, entity)]
    if makers:
        return any(_gives(domain, entity, column, tool, surely=True) for tool in makers)
    alone = any(
        t.kind in ("list", "search") and not _gives(domain, entity, column, t, surely=False)
        for t in domain.tools_on(entity)
    )
    return not alone and entity.noun[-1] not in {*words_of.PERSON_ENTITIES} - _OF_SOMEONE


def _makes(tool: ParsedTool) -> bool:
    return tool.kind in _MAKES or any(branch.kind in _MAKES for branch in action_branches(tool))


def _gives(domain: Domain, entity: Entity, column: Field, tool: ParsedTool, surely: bool) -> bool:
    """True if a tool takes the reference, if wanted one that its calls cannot do without."""
    batch = batch_parameter(tool, entity)
    inside = flat(parse_parameters(batch.item_schema, (), entity.noun)) if batch else []
    chosen = tool.kind not in (*_MAKES, "list", "search")  # what an action needs, its schema does not say
    return any(
        (p.required or chosen or not surely) and _column(domain, entity, p) is column
        for p in [*flat(tool.parameters), *inside]
    )


def _column(domain: Domain, entity: Entity, p: Parameter) -> Field | None:
    target = domain.reference(p, entity)
    return entity.column_for(p.words, target.name, True) if target is not None else None


def _made_without(domain: Domain, entity: Entity, column: Field) -> bool:
    """True if one tool makes a record without this parent and under another: a message needs no webhook."""
    for tool in (t for t in domain.tools_on(entity) if t.kind in ("create", "send")):
        given = [_column(domain, entity, p) for p in tool.parameters if p.required]
        named = {one.name for one in given if one is not None} & set(entity.parents)
        if named and column.name not in named and not any(column.name == p.name for p in tool.parameters):
            return True
    return False
