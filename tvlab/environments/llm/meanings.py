"""The meaning that a model declares for a tool, checked against evidence that the model did not write.

A declared meaning is taken only if it has the right form and if name, description and schema support it: the
operation must be one that the tool's verb can mean, the entity the one that the name is about, a key a parameter
that names the record, a stored value a parameter that names the column.  Without such evidence the tool is not
asked for at all.  What is taken becomes an ordinary ``Meaning``, so that everything after it (published
schemas, report, toolsets, checks) is the same as for the rules' tools.

Not modelled here: batches, links, multiplexed tools, facts and computation; for those nothing that a model
says could be held against anything.
"""

from __future__ import annotations

import keyword
from typing import Any

import jsonschema_rs

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, schema_type
from tvlab.environments.doubts import parameters as doubts_parameters
from tvlab.environments.doubts.doubts import doubt
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.llm.answers import AnswerError
from tvlab.environments.meanings.meanings import ID_FORM, Meaning, Role
from tvlab.environments.meanings.transitions import settle
from tvlab.foundation.words import singular, split_name

#: name of the check that no second attempt follows: guessing until a doubt falls silent is no repair
DOUBTED = "doubt"
OPERATIONS = ("read", "list", "search", "count", "create", "update", "transition", "delete")
ROLES = ("key", "reference", "payload", "filter", "query", "limit", "offset", "page", "confirm")
_COMPARISONS = ("==", "<", "<=", ">", ">=")
#: what each kind of verb can mean
_FITS: dict[str, frozenset[str]] = {
    "read": frozenset({"read", "list"}),
    "list": frozenset({"list", "search"}),
    "search": frozenset({"search", "list"}),
    "count": frozenset({"count"}),
    "create": frozenset({"create"}),
    "send": frozenset({"create"}),
    "update": frozenset({"update"}),
    "transition": frozenset({"transition"}),
    "delete": frozenset({"delete"}),
}
#: roles that an operation can have; each needs those in the second set
_ROLES_OF: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "read": (frozenset({"key", "reference"}), frozenset({"key"})),
    "list": (frozenset({"reference", "filter", "limit", "offset", "page"}), frozenset()),
    "search": (frozenset({"reference", "filter", "query", "limit", "offset", "page"}), frozenset({"query"})),
    "count": (frozenset({"reference", "filter"}), frozenset()),
    "create": (frozenset({"key", "payload", "reference"}), frozenset()),
    "update": (frozenset({"key", "reference", "payload"}), frozenset({"key", "payload"})),
    "transition": (frozenset({"key", "reference", "payload", "confirm"}), frozenset({"key"})),
    "delete": (frozenset({"key", "reference", "confirm"}), frozenset({"key"})),
}
_UNMODELLED_NOUNS = words_of.STATISTICS | words_of.LANGUAGES


def verb_evidence(tool: ParsedTool) -> str:
    """Return the kind of verb that the parsed name (read beside the description) shows, "" if none that counts."""
    return tool.kind if tool.kind in _FITS else ""


def why_not_asked(tool: ParsedTool, domain: Domain) -> str:
    """Return why no answer could be checked, "" if the tool can be asked for."""
    if not verb_evidence(tool):
        return "name and description show no verb that could be checked"
    entities = possible_entities(tool, domain)
    if not entities:
        return "no entity of the server is named"
    if {*tool.noun[-1:]} & _UNMODELLED_NOUNS:
        return "a statistic, a report or a text in some language"
    for p in tool.parameters:
        if not p.name.isidentifier() or keyword.iskeyword(p.name) or p.name == "state":
            return f"parameter {p.name!r} is no Python name"
        if p.required and p.children:
            return f"parameter {p.name!r} wraps the content"
    if _needs_key(tool) and not any(_may_be_key(p, e, domain) for p in tool.parameters for e in entities):
        return "no parameter picks the record"
    return ""


def _needs_key(tool: ParsedTool) -> bool:
    return tool.kind in ("update", "transition", "delete") or (tool.kind == "read" and not tool.plural)


def _may_be_key(p: Parameter, entity: Entity, domain: Domain) -> bool:
    """True if a parameter's name says that it picks one record of the entity."""
    same = p.name == entity.key or field_types.name_words(entity.key) == p.words
    bare = p.is_id and not p.id_noun
    return not p.many and (bare or same or domain.reference(p, entity) is entity)


def possible_entities(tool: ParsedTool, domain: Domain) -> list[Entity]:
    """Return the entities that the tool can be about: the one the rules found, else those it names."""
    if (own := domain.own.get(tool.name)) is not None:
        return [own]
    said = {singular(word) for word in split_name(tool.name)}
    return [e for e in domain.entities.values() if not e.hidden and e.noun and set(e.noun) <= said]


def declaration_schema(tool: ParsedTool, domain: Domain) -> dict[str, Any]:
    """Return the JSON Schema of the meaning that a model may declare for a tool."""
    allowed = sorted(_FITS[verb_evidence(tool)], key=OPERATIONS.index)
    role = {
        "type": "object",
        "properties": {
            "role": {"enum": list(ROLES)},
            "entity": {"enum": [None, *domain.entities]},
            "field": {"type": ["string", "null"]},
            "op": {"enum": list(_COMPARISONS)},
        },
        "required": ["role"],
        "additionalProperties": False,
    }
    names = [p.name for p in tool.parameters]
    return {
        "type": "object",
        "properties": {
            "operation": {"enum": allowed},
            "entity": {"enum": [entity.name for entity in possible_entities(tool, domain)]},
            "parameters": {
                "type": "object",
                "properties": dict.fromkeys(names, role),
                "required": [p.name for p in tool.parameters if p.required],
                "additionalProperties": False,
            },
            "sets": {
                "type": ["object", "null"],
                "properties": {"field": {"type": "string"}, "value": {"type": ["string", "boolean", "number"]}},
                "required": ["field", "value"],
                "additionalProperties": False,
            },
        },
        "required": ["operation", "entity", "parameters"],
        "additionalProperties": False,
    }


def declared_meaning(declaration: dict[str, Any], tool: ParsedTool, domain: Domain) -> Meaning:
    """Return the meaning that a declaration states.

    Raises:
        AnswerError: its form is wrong, or name, description and schema do not support it.
    """
    validator = jsonschema_rs.Draft202012Validator(declaration_schema(tool, domain))
    for error in validator.iter_errors(declaration):
        where = ".".join(str(part) for part in error.instance_path)
        raise AnswerError("meaning", f"{where + ': ' if where else ''}{error.message}")
    entity = domain.entities[declaration["entity"]]
    meaning = Meaning(tool, declaration["operation"], entity)
    for p in tool.parameters:
        stated = declaration["parameters"].get(p.name)
        if stated is None:
            meaning.narrowed.append((p.name, "the written code does nothing with it"))
        else:
            meaning.roles.append(_role(p, stated, meaning, domain))
    _check_whole(meaning)
    _set_state(meaning, declaration.get("sets"))
    _check_doubts(meaning, domain)
    return meaning


def _check_doubts(meaning: Meaning, domain: Domain) -> None:
    """Hold the same doubts against the meaning as against one that the rules decided."""
    before = {role.dotted for role in meaning.roles}
    doubts_parameters.trim(meaning, domain)
    if lost := sorted(before - {role.dotted for role in meaning.roles}):
        raise AnswerError("meaning", f"{lost[0]}: it is not taken for what its role says; leave it out")
    refused = doubt(meaning, domain)
    if refused is not None:
        raise AnswerError(DOUBTED, f"{refused.reason}: {refused.detail}")


def _check_whole(meaning: Meaning) -> None:
    """The roles together must make the operation."""
    operation = meaning.operation
    _, needed = _ROLES_OF[operation]
    if lacking := [role for role in sorted(needed) if not meaning.of(role)]:
        raise AnswerError("meaning", f"{operation} needs a parameter with the role {lacking[0]}")
    if operation == "create" and not meaning.of("key", "payload"):
        raise AnswerError("meaning", "create needs a parameter with the role payload")
    if len(meaning.of("key")) > 1:
        raise AnswerError("meaning", "two parameters have the role key")
    if operation == "list" and meaning.tool.kind == "read" and not meaning.tool.plural:
        raise AnswerError("meaning", "the name speaks of one thing; list gives many")
    if operation == "read" and meaning.tool.kind in ("list", "search"):
        raise AnswerError("meaning", "the name speaks of many things; read gives one")
    fields = [role.field for role in meaning.of("payload", "reference") if role.field]
    if len(fields) != len(set(fields)):
        raise AnswerError("meaning", "two parameters fill the same field")


def _set_state(meaning: Meaning, sets: dict[str, Any] | None) -> None:
    """Take over the field that a transition sets."""
    if meaning.operation != "transition":
        return
    column = meaning.entity.fields.get(sets["field"]) if sets else None
    if sets is None or column is None:
        raise AnswerError("meaning", "a transition needs sets: a field of the entity and its new value")
    if (said := settle(meaning.tool, meaning.entity)) is not None and said != (column.name, sets["value"]):
        raise AnswerError("meaning", f"sets: the name says that {said[0]} becomes {said[1]!r}")
    if column.reference or not jsonschema_rs.is_valid(field_types.loosened(column.schema), sets["value"]):
        raise AnswerError("meaning", f"sets: {sets['value']!r} is no value of {column.name}")
    meaning.column, meaning.value = column.name, sets["value"]


def _role(p: Parameter, stated: dict[str, Any], meaning: Meaning, domain: Domain) -> Role:
    role = stated["role"]
    allowed, _ = _ROLES_OF[meaning.operation]
    if role not in allowed:
        raise AnswerError("meaning", f"{p.name}: {meaning.operation} has no role {role}; it has {sorted(allowed)}")
    if role == "key":
        return _key(p, meaning, domain)
    if role == "reference":
        return _reference(p, stated, meaning, domain)
    if role in ("payload", "filter"):
        return _valued(p, stated, meaning, domain)
    if role == "confirm":
        fits = p.type == "boolean" and p.words == ("confirm",)
    elif role == "query":
        fits = p.type == "string" and p.snake in words_of.QUERY_WORDS
    else:
        fits = words_of.PAGING.get(p.snake) == role and p.type in ("integer", "number", "any")
    if not fits:
        raise AnswerError("meaning", f"{p.name}: neither its name nor its type says {role}")
    return Role(p.path, role, p)


def _key(p: Parameter, meaning: Meaning, domain: Domain) -> Role:
    entity = meaning.entity
    if not _may_be_key(p, entity, domain):
        raise AnswerError("meaning", f"{p.name}: does not name one {entity.title}; its key is {entity.key}")
    if meaning.operation == "create" and entity.key_kind != "natural":
        raise AnswerError("meaning", f"{p.name}: the key of a new {entity.title} is made by mint, not given")
    _same_type(p, entity.key_type)
    return Role(p.path, "key", p, entity.name, entity.key)


def _reference(p: Parameter, stated: dict[str, Any], meaning: Meaning, domain: Domain) -> Role:
    target = domain.reference(p, meaning.entity)
    if target is meaning.entity and _may_be_key(p, target, domain):
        raise AnswerError("meaning", f"{p.name}: it picks the {target.title} itself; its role is key")
    if target is None or p.many or stated.get("entity") not in (None, target.name):
        raise AnswerError("meaning", f"{p.name}: does not name one record of {stated.get('entity')}")
    direct = p.words[: len(target.noun)] == target.noun or p.name == target.key
    column = meaning.entity.column_for(p.words, target.name, direct)
    if column is None or column.reference != target.name:
        raise AnswerError("meaning", f"{p.name}: a {meaning.entity.title} has no field for a {target.title}")
    _same_type(p, target.key_type)
    filters = meaning.operation not in ("create", "update")
    return Role(p.path, "reference", p, target.name, column.name, filters=filters)


def _valued(p: Parameter, stated: dict[str, Any], meaning: Meaning, domain: Domain) -> Role:
    """A stored or compared value: its column must exist, be named by the parameter, and have its type."""
    role, entity = stated["role"], meaning.entity
    if _may_be_key(p, entity, domain) and not entity.field_of(p.words):
        raise AnswerError("meaning", f"{p.name}: it is the key of the {entity.title}; its role is key")
    column = entity.fields.get(stated.get("field") or p.name) or entity.field_of(p.words)
    if column is None:
        raise AnswerError("meaning", f"{p.name}: a {entity.title} has no field {stated.get('field') or p.name}")
    if column.reference or domain.reference(p, entity) is not None:
        raise AnswerError("meaning", f"{p.name}: refers to a record; its role is reference or key")
    own = field_types.name_words(column.name)
    if not (set(own) & set(p.words) or " ".join(own) in p.description.casefold().replace("_", " ")):
        raise AnswerError("meaning", f"{p.name}: nothing says that it is the field {column.name}")
    op = stated.get("op", "==") if role == "filter" else "=="
    if role == "filter":
        ranged = field_types.range_of(p)
        wanted = ranged[0] if ranged else "=="
        if op != wanted or not (ranged or field_types.is_plain_filter(p)):
            raise AnswerError("meaning", f"{p.name}: its name does not say {column.name} {op} value")
    if schema_type(p.schema) != schema_type(column.schema) and "any" not in (p.type, column.type):
        raise AnswerError("meaning", f"{p.name} is {p.type}, the field {column.name} is {column.type}")
    return Role(p.path, role, p, None, column.name, op)


def _same_type(p: Parameter, wanted: str) -> None:
    kind = "integer" if p.type == "number" else p.type
    if kind not in (wanted, "any") or (p.enum and set(p.schema) & ID_FORM):
        raise AnswerError("meaning", f"{p.name} is {p.type}, the key is {wanted}")
