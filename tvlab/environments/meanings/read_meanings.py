"""Meanings of the tools that only read: one record, lists, searches, counts, facts."""

from __future__ import annotations

import re

from tvlab.environments.domain import answer_options, content_reads, field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.nouns import stripped
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.doubts import answers as doubts_answers
from tvlab.environments.facts import facts
from tvlab.environments.language import fact_words
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings import list_parameters, overlaps, read_contents
from tvlab.environments.meanings.meanings import (
    REQUIRED_NOW,
    Meaning,
    Role,
    UnmodelledError,
    keyed,
    narrow_rest,
    own_many,
)
from tvlab.environments.writing.item_keys import picked_items

_NEWEST_FIRST = re.compile(r"\b(?:newest|latest|most recent) (?:ones? )?first\b", re.IGNORECASE)
_BY_ID = re.compile(r"by[-_]?(?:id|uuid|key)s?$", re.IGNORECASE)
_REPORTS = frozenset("profit loss aged aging".split())
#: words that pick one of many by an order or a place that no record holds
_CHOSEN = frozenset("next previous best nearest closest random last".split())


def read_meaning(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning:
    """Mean a read: by key, by keys, a fact, or a list under another verb."""
    many = own_many(tool, domain, entity)
    if many is not None and many.required:
        meaning = Meaning(
            tool, "batch_read", entity, [Role(many.path, "key", many, entity.name, entity.key, "in")]
        )
        narrow_rest(meaning, domain, {many.name})
        return meaning
    key = domain.key_parameter(tool, entity)
    if key is None and (picked := picked_items(tool, domain, entity, "batch_read")):
        return picked
    if key is not None and (key.required or (not tool.plural and len(_keys(tool, domain, entity)) == 1)):
        column = _column_read(tool, entity) or content_reads.content_column(tool, entity, domain)
        if not column:
            _refuse_part(tool, domain, entity)
        _refuse_bare(tool, entity)
        _refuse_rows(tool, domain, entity, key)
        if answer_options.is_separated(key):
            raise UnmodelledError("several keys in one text", key.name)
        meaning = Meaning(tool, "read", entity, column=column)
        keyed(meaning, domain, key)
        if not key.required:
            meaning.narrowed.append((key.name, REQUIRED_NOW))
        return meaning
    if tool.plural or tool.noun[-1:] == ("list",):
        return list_meaning(tool, domain, entity)
    if entity.pair and (keys := facts.fact_parameters(tool, domain, entity)):
        return _fact(tool, domain, entity, keys)
    raise UnmodelledError("read of one thing without a key", tool.name)


def _refuse_bare(tool: ParsedTool, entity: Entity) -> None:
    """Refuse an answer without content, and a bare name for what no table can hold."""
    problem = read_contents.content_problem(tool, entity)
    bare = {f.name for f in read_contents.told(entity, ())} <= {"name", "title"}
    made = any(f.in_input for f in entity.fields.values() if not f.reference and not f.filtered)
    if bare and not made and not problem:
        problem = read_contents.no_table(tool)
    if not made and tool.target and not tool.parameters and not set(tool.target) <= set(entity.noun):
        problem = "a key in the name and none in the schema"
    if not made and set(tool.noun) & fact_words.RANKED:
        problem = "a ranking that is not modelled"
    if problem and not entity.is_path:
        raise UnmodelledError("nothing is known of the thing", f"{entity.name}: {problem}")


def _refuse_rows(tool: ParsedTool, domain: Domain, entity: Entity, key: Parameter) -> None:
    """Several rows under the key of something else (prices of a symbol, laps of an activity) are no one record."""
    mine = [t for t in domain.tools if domain.own.get(t.name) is entity]
    written = any(t.kind not in ("read", "list", "search", "count") for t in mine)
    foreign = entity.key_kind == "natural" or (key.is_id and not key.id_noun)
    rows = tool.plural or bool(set(tool.noun) & fact_words.SERIES) or tool.noun[-1:] == ("news",)
    paged = any(words_of.PAGING.get(p.snake) == "limit" for p in tool.parameters)
    if foreign and not written and (rows or (paged and entity.key_kind == "natural")):
        raise UnmodelledError("rows under the key of something else", tool.name)


def _refuse_statistics(tool: ParsedTool, domain: Domain, entity: Entity) -> None:
    """A statistic or report is no record, unless some tool makes records of that name."""
    made = any(
        domain.own.get(t.name) is entity and t.kind in ("create", "update", "delete") for t in domain.tools
    )
    reports = words_of.STATISTICS | _REPORTS
    if set(tool.noun) & reports and not (made and set(entity.noun) & reports):
        raise UnmodelledError("statistic or report", " ".join(tool.noun))


def _fact(tool: ParsedTool, domain: Domain, entity: Entity, keys: list[Parameter]) -> Meaning:
    """Tell the one record that agrees in all required parameters."""
    meaning = Meaning(tool, "fact", entity)
    for p in tool.parameters:
        target = domain.reference(p, entity)
        column = entity.column_for(p.words, target.name if target else None, True)
        if p not in keys or column is None or column.name not in entity.pair:
            meaning.narrow(p, "does not change what the call does here")
        elif target is not None:
            meaning.roles.append(Role(p.path, "reference", p, target.name, column.name, filters=True))
        else:
            meaning.roles.append(Role(p.path, "filter", p, None, column.name))
    return meaning


def _keys(tool: ParsedTool, domain: Domain, entity: Entity) -> list[Parameter]:
    return [p for p in tool.parameters if p.is_id and domain.reference(p, entity) is entity]


def list_meaning(tool: ParsedTool, domain: Domain, entity: Entity) -> Meaning:
    """Mean a list, search or count with its filters and paging."""
    operation = {"search": "search", "count": "count"}.get(tool.kind, "list")
    _refuse_statistics(tool, domain, entity)
    meaning = Meaning(tool, operation, entity)
    inside = _path_parameter(tool, domain, entity)
    if _BY_ID.search(tool.name) and not own_many(tool, domain, entity):
        raise UnmodelledError("read of one thing without a key", tool.name)
    if operation != "count":
        _refuse_part(tool, domain, entity)
        _refuse_bare(tool, entity)
    if inside is not None:
        meaning.entity = next(
            (e for e in domain.entities.values() if e.is_path and not e.is_container), entity
        )
        holder = next((e for e in domain.entities.values() if e.is_container), None)
        if holder is None:
            raise UnmodelledError("listing of a directory without directories", tool.name)
        meaning.roles.append(Role(inside.path, "within", inside, holder.name, meaning.entity.key))
    list_parameters.give_roles(meaning, domain, inside)
    if meaning.operation == "search" and not meaning.of("query"):
        meaning.operation = "list"
    elif meaning.operation == "list" and any(r.required for r in meaning.of("query")):
        meaning.operation = "search"
    _refuse_textless(meaning)
    overlaps.settle(meaning, domain)
    _order(meaning)
    return meaning


def _refuse_textless(meaning: Meaning) -> None:
    """Refuse a search of records without a name or a text; a list loses its optional query."""
    asked = meaning.of("query")
    if not asked or doubts_answers.has_texts(meaning.entity):
        return
    if meaning.operation == "search" or any(role.required for role in asked):
        raise UnmodelledError("nothing to search", meaning.entity.name)
    for role in asked:
        meaning.roles.remove(role)
        meaning.narrow(role.parameter, "no text to search")


def _order(meaning: Meaning) -> None:
    """Put the newest records first where the tool says so, by the date that they have."""
    tool, entity = meaning.tool, meaning.entity
    told = _NEWEST_FIRST.search(tool.description)
    if meaning.operation == "count" or not (told or set(tool.noun) & fact_words.NEWEST):
        return
    dates = [
        f.name for f in entity.fields.values() if field_types.is_moment(f.name, f.schema) and f.type == "string"
    ]  # fmt: skip
    made = [n for n in dates if field_types.name_words(n)[0] in ("created", "published", "date", "posted", "sent")]
    if made or dates:
        meaning.newest = (made or dates)[0]
        return
    if not told:
        raise UnmodelledError("an order that is not modelled", tool.name)
    for role in meaning.of("limit", "page", "offset", "cursor"):
        meaning.roles.remove(role)
        meaning.narrow(role.parameter, "an order that is not modelled")


def _column_read(tool: ParsedTool, entity: Entity) -> str:
    """The field that ``get_mill_title(mill_id)`` reads, "" if it reads no given field of the entity."""
    noun = stripped(tool.noun)
    part = noun[len(entity.noun) :] if noun[: len(entity.noun)] == entity.noun else noun
    found = entity.fields.get("_".join(part)) or entity.fields.get("_".join(noun))
    return found.name if part and found is not None and found.in_input and not found.reference else ""


def _refuse_part(tool: ParsedTool, domain: Domain, entity: Entity) -> None:
    """A setting or a part is not its parent: what the name speaks of must be the entity itself."""
    noun = stripped(tool.noun)
    if not noun or domain.nouns.means(noun, entity.noun):
        if set(tool.noun) & _CHOSEN:
            raise UnmodelledError("one of many by a choice that is not modelled", " ".join(tool.noun))
        return
    raise UnmodelledError("a part read as its whole", f"{' '.join(noun)} of {entity.name}")


def _path_parameter(tool: ParsedTool, domain: Domain, entity: Entity) -> Parameter | None:
    """The directory that a listing or search of files is about."""
    if not entity.is_path:
        return None
    return next(
        (
            p
            for p in tool.parameters
            if p.required and p.type == "string" and p.words[-1:] in (("path",), ("directory",), ("folder",))
        ),
        None,
    )
