"""What the parameters of a list, search or count do: filters, bounds, searched texts, pages, orders.

An optional parameter without a role is narrowed away; a required one drops the tool.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import answer_options, field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.tool_parsing import Parameter, schema_type
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings import looked_at, query_texts, transitions
from tvlab.environments.meanings.meanings import REQUIRED_NOW, Meaning, Role, UnmodelledError
from tvlab.environments.meanings.steering import said_of
from tvlab.foundation.words import split_name

_SEEKS = frozenset(
    "search query find contains term keyword keywords q text filter by pattern phrase string searchterm "
    "searchquery".split()
)


def give_roles(meaning: Meaning, domain: Domain, skip: Parameter | None = None) -> None:
    """Give every parameter of a list its role, or narrow it away."""
    for p in meaning.tool.parameters:
        if p is skip:
            continue
        try:
            _give_role(meaning, domain, p)
        except UnmodelledError:
            if p.required:
                raise
            meaning.narrow(p, "types of one column differ")
    only = meaning.tool.parameters[0] if len(meaning.tool.parameters) == 1 else None
    if only is not None and only is not skip and only.type == "object" and not meaning.roles:
        raise UnmodelledError("required parameter without a rule", f"{only.name}: the only parameter, an object")
    _settle_paging(meaning)


def _give_role(meaning: Meaning, domain: Domain, p: Parameter) -> None:
    entity = meaning.entity
    if set(map(str, p.enum or ())) & answer_options.ALL:
        return meaning.narrow(p, "a value of it means all")
    paging = words_of.PAGING.get(p.snake) or ("limit" if answer_options.is_page_length(p) else None)
    if answer_options.is_credential(p):
        return meaning.narrow(p, "says who asks, not what for")
    target = domain.reference(p, entity)
    if target is not None:
        return _reference(meaning, p, target)
    if paging and meaning.operation != "count" and _fits_paging(paging, p) and not _between(p, meaning):
        return meaning.roles.append(Role(p.path, paging, p))
    if p.snake in words_of.QUERY_WORDS and p.type == "string" and not p.enum:
        return _query(meaning, p, domain)
    if answer_options.is_answer_option(p):
        return meaning.narrow(p, "steers the answer, not which records")
    compared = field_types.range_of(p)
    if compared is not None:
        column = transitions.compared_column(entity, compared[1], p)
        if column is None:
            return meaning.narrow(p, "no field to compare")
        return meaning.roles.append(Role(p.path, "filter", p, None, column.name, compared[0]))
    return _filter(meaning, p, domain)


def _reference(meaning: Meaning, p: Parameter, target: Entity) -> None:
    """Filter by the record that a parameter names; a dropped default makes it required."""
    entity = meaning.entity
    column: Field | None
    if target is entity:
        above = entity.field_of(p.words)
        column = above or Field(entity.key, {"type": entity.key_type})
        fits = above is not None or p.many or (not p.required and p.type in (entity.key_type, "any"))
        if not fits or (p.words[0] in words_of.REFERENCE_MODIFIERS and above is None):
            return meaning.narrow(p, "no such field in the records")
    else:
        column = entity.column_for(p.words, target.name, True) or entity.reference_to(target.name)
    if column is None or column.type == "array":
        return meaning.narrow(p, "no such field in the records")
    separated = answer_options.is_separated(p) and target.key_type == "string"
    op = "in" if p.many else "separated" if separated else "=="
    meaning.roles.append(Role(p.path, "reference", p, target.name, column.name, op, filters=True))
    if not p.required and p.schema.get("default") not in (None, "", [], target.special or None):
        meaning.narrowed.append((p.name, REQUIRED_NOW))
    return None


def _query(meaning: Meaning, p: Parameter, domain: Domain) -> None:
    """Search the texts of the records, or the one field that the parameter or the tool's name gives."""
    text = f"{p.description} {meaning.tool.description}".lower()
    if p.snake == "pattern" and ("regex" in text or "glob" in text or "regular expression" in text):
        return meaning.narrow(p, "no pattern language")
    rest = tuple(w for w in p.words if w not in _SEEKS)
    field = rest or (meaning.tool.target if meaning.tool.target != meaning.entity.noun else ())
    column = meaning.entity.field_of(field) if field else None
    if rest and column is None:
        return meaning.narrow(p, "no such field in the records")
    if column is None:
        column = query_texts.one_field(p, meaning.tool, meaning.entity)
    if column is not None and column.type == "string":
        return meaning.roles.append(Role(p.path, "filter", p, None, column.name, "contains"))
    told, gone = ((), "") if domain.guessed_texts else looked_at.told(p, meaning.tool, meaning.entity, domain)
    if gone:
        return meaning.narrow(p, "looks at what no record holds")
    told = told or query_texts.told_fields(p, meaning.tool, meaning.entity)
    if not told and not domain.guessed_texts:
        told = looked_at.apart_from_places(meaning.entity)
    return meaning.roles.append(Role(p.path, "query", p, also=told))


def _filter(meaning: Meaning, p: Parameter, domain: Domain) -> None:
    column = meaning.entity.field_of(p.words)
    if column is not None and not column.written and _names_makers(p, meaning, domain):
        return meaning.narrow(p, "what is made bears no kind")
    if column is not None and column.type == "string" and _told_separated(p, meaning, domain) and not column.reference:
        return meaning.roles.append(Role(p.path, "filter", p, None, column.name, "separated"))
    if field_types.is_plain_filter(p) and column is not None and not column.reference:
        if column.type not in (p.type, "any"):
            raise UnmodelledError("types of one column differ", f"{p.name} is {p.type} and {column.type}")
        op = "=="
        if answer_options.is_sought(p, meaning.tool.verb, meaning.tool.target) and _is_text(column):
            op = "contains"
        return meaning.roles.append(Role(p.path, "filter", p, None, column.name, op))
    words = field_types.singular_words(p.words)
    column = meaning.entity.field_of(words) or (column if answer_options.is_separated(p) else None)
    if column is None and p.required and answer_options.is_separated(p):
        raise UnmodelledError("rows under the key of something else", p.name)
    if column is not None and not column.reference and p.words:
        if p.many and schema_type(p.item_schema) in ("string", "integer"):
            if column.type == schema_type(p.item_schema):
                return meaning.roles.append(Role(p.path, "filter", p, None, column.name, "in"))
        elif answer_options.is_separated(p) and column.type == "string":
            return meaning.roles.append(Role(p.path, "filter", p, None, column.name, "separated"))
    return meaning.narrow(p, "no such field in the records")


def _told_separated(p: Parameter, meaning: Meaning, domain: Domain) -> bool:
    """True for a text of several values of which only the tool's own description says that commas are between them."""
    told = answer_options.says_separated(said_of(p, meaning.tool))
    return told and p.type == "string" and not p.enum and not domain.guessed_texts


def _names_makers(p: Parameter, meaning: Meaning, domain: Domain) -> bool:
    """True for kinds that tools make and none stores: ``save_project_context`` and ``save_session_context``."""
    made = [t for t in domain.tools_on(meaning.entity) if t.kind in ("create", "upsert")]
    kinds = [v for v in map(str, p.enum or ()) if any(v.lower() in split_name(t.name.lower()) for t in made)]
    return len(kinds) > 1


def _is_text(column: Field) -> bool:
    exact = field_types.is_id_name(column.name) or "enum" in column.schema or "values" in column.schema
    return column.type == "string" and not exact and not field_types.is_moment(column.name, column.schema)


def _fits_paging(paging: str, p: Parameter) -> bool:
    if paging in ("limit", "offset", "page"):
        return p.type in ("integer", "number")
    if paging == "cursor":
        dated = p.snake in ("after", "before") and answer_options.names_date(p)
        return p.type == "string" and not p.enum and not dated
    return p.type in ("string", "boolean")


def _between(p: Parameter, meaning: Meaning) -> bool:
    """True for ``after`` beside ``before``: two moments, unless one is said to be a cursor."""
    both = {"after", "before"} <= {other.snake for other in meaning.tool.parameters}
    return p.snake in ("after", "before") and both and not re.search(r"cursor|token|page", p.description, re.IGNORECASE)


def _settle_paging(meaning: Meaning) -> None:
    """Keep one way of paging, and sorting only by fields that exist."""
    kinds = [role.role for role in meaning.of("offset", "page", "cursor")]
    for role in list(meaning.roles):
        if role.role in ("offset", "page", "cursor") and role.role != kinds[0]:
            meaning.roles.remove(role)
            meaning.narrow(role.parameter, "a second way of paging")
    for role in meaning.of("limit")[1:]:
        meaning.roles.remove(role)
        meaning.narrow(role.parameter, "a second limit")
    sort = meaning.one("sort")
    names = {meaning.entity.key, *meaning.entity.fields}
    if sort is not None and not (sort.parameter.enum and set(sort.parameter.enum) <= names):
        meaning.roles.remove(sort)
        meaning.narrow(sort.parameter, "sorts by what is no field")
        sort = None
    for role in meaning.of("direction"):
        values = {str(v).lower() for v in role.parameter.enum}
        if sort is None or not values <= {"asc", "desc", "ascending", "descending"} or not values:
            meaning.roles.remove(role)
            meaning.narrow(role.parameter, "no order to turn round")
