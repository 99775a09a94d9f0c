"""Reads that answer two tables at once: the things, and the connections between them.

Only where the declared output says so: two arrays of records, the things' and those of a table whose records name
two of them.  A view answers all things, those that a text search finds, or those under given keys, each with
the connections of which both ends are among them.
"""

from __future__ import annotations

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, schema_type
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft

_READS = frozenset({"read", "list", "search"})
_OPENS = frozenset({"open", "view", "show"})


def view_meaning(tool: ParsedTool, domain: Domain) -> Meaning | None:
    """Mean a view of two tables, None if the tool declares none or takes what no view knows."""
    pair = _tables(tool, domain)
    if pair is None or not (tool.kind in _READS or tool.verb in _OPENS) or len(tool.parameters) > 1:
        return None
    things, links = pair
    meaning = Meaning(tool, "view", things, value=links)
    for p in tool.parameters:
        if p.snake in words_of.QUERY_WORDS and p.type == "string" and p.required and tool.kind == "search":
            meaning.roles.append(Role(p.path, "query", p))
        elif p.required and _keys(p, things):
            meaning.roles.append(Role(p.path, "key", p, things.name, things.key, "in"))
        else:
            return None
    return meaning if meaning.roles or tool.verb in ("read", "get", "show") else None


def _tables(tool: ParsedTool, domain: Domain) -> tuple[Entity, Entity] | None:
    """Return the things and the table of their connections that the declared output holds."""
    properties = tool.output.get("properties")
    if not isinstance(properties, dict) or len(properties) != 2:
        return None
    found: list[Entity] = []
    for name, schema in properties.items():
        entity = next((e for e in domain.entities.values() if e.table == name and not e.hidden), None)
        items = schema.get("items") if isinstance(schema, dict) else None
        inside = items.get("properties") if isinstance(items, dict) else None
        if entity is None or not isinstance(inside, dict) or not set(inside) <= {entity.key, *entity.fields}:
            return None
        found.append(entity)
    for things, links in (found, found[::-1]):
        if len(ends(things, links)) == 2:
            return things, links
    return None


def ends(things: Entity, links: Entity) -> list[Field]:
    """Return the columns of a connection that name its things."""
    return [f for f in links.fields.values() if f.reference == things.name and f.type != "array"]


def _keys(p: Parameter, things: Entity) -> bool:
    """True for a list of the things' keys: ``names``."""
    words, key = field_types.singular_words(p.words), field_types.name_words(things.key)
    plain = p.many and schema_type(p.item_schema) == things.key_type
    return plain and words in (key, (*things.noun, *key))


def searched(things: Entity) -> list[str]:
    """Return the fields with lists of texts, which a search reads beside the plain texts."""
    arrays = [f for f in things.fields.values() if f.type == "array" and not f.reference]
    return [f.name for f in arrays if schema_type(f.schema.get("items")) == "string"]


def write_view(draft: Draft) -> None:
    """Answer the things that are asked for, and the connections between them."""
    things, links = draft.entity, draft.meaning.value
    records, row, names = draft.records, draft.own("row"), draft.own("chosen")
    query, key = draft.meaning.one("query"), draft.meaning.one("key")
    if key is not None:
        one = draft.own("one")
        draft.add(f"{records} = [{draft.find(things, one)} for {one} in {draft.value(key)}]")
    else:
        draft.add(f"{records} = list(state[{literal(things.table)}].values())")
    if query is not None:
        draft.add(f"{records} = [")
        draft.add(f"    {row} for {row} in {records}")
        draft.add(f"    if contains({row}, {literal(tuple(things.text_fields))}, {draft.value(query)})")
        for name in searched(things):
            one = draft.own("one")
            inside = f'contains({{"text": {one}}}, ("text",), {draft.value(query)})'
            draft.add(f"    or any({inside} for {one} in {row}.get({literal(name)}, []))")
        draft.add("]")
    draft.add(f"{names} = [{row}[{literal(things.key)}] for {row} in {records}]")
    between = draft.own("between")
    draft.add(f"{between} = [")
    draft.add(f"    {row} for {row} in state[{literal(links.table)}].values()")
    for at, column in enumerate(ends(things, links)):
        draft.add(f"    {'and' if at else 'if'} {row}.get({literal(column.name)}) in {names}")
    draft.add("]")
    draft.add(f"return {{{literal(things.table)}: {records}, {literal(links.table)}: {between}}}")
