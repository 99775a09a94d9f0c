"""What an environment says of itself: narrowed input schemas, output schemas, the report's meanings."""

from __future__ import annotations

from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.alternative_schemas import one_text
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.meanings.cleared_values import only_value, with_null, without_null
from tvlab.environments.meanings.meanings import ID_FORM, REQUIRED_NOW, TAKES_ONE, Meaning, Role, relaxed
from tvlab.environments.meanings.nested_defaults import without_variants
from tvlab.environments.meanings.stated_columns import stated_property, stated_report
from tvlab.environments.meanings.stated_values import needed_names
from tvlab.environments.writing.drafts import applied_default
from tvlab.environments.writing.rules_computations import computation_report
from tvlab.environments.writing.rules_computations import output_schema as computed_schema
from tvlab.environments.writing.rules_writes import first_fields

#: operations that set values of a record which is there
CHANGES = frozenset({"update", "upsert", "set", "transition", "batch_update"})
_ROLE_NAMES = {"new_key": "payload", "within": "reference", "credential": "reference", "inside": "reference"}


def published_tool(tool: dict[str, Any], meaning: Meaning) -> dict[str, Any]:
    """Return the tool as the environment offers it: narrowed input, true output."""
    result: dict[str, Any] = {key: tool[key] for key in ("name", "title", "description", "annotations") if key in tool}
    result["inputSchema"] = published_input(tool["inputSchema"], meaning)
    result["outputSchema"] = output_schema(meaning)
    return result


def published_input(schema: dict[str, Any], meaning: Meaning) -> dict[str, Any]:
    """Return the input schema without what was narrowed away."""
    gone = {path for path, reason in meaning.narrowed if reason != REQUIRED_NOW}
    branches = [meaning, *meaning.branches.values()]
    used = {role.path[0] for m in branches for role in m.roles} | {m.wrapper for m in branches}
    properties = {}
    for name, part in schema.get("properties", {}).items():
        if name in used:
            part = without_variants(part) if meaning.operation in ("create", "send") else part
            properties[name] = stated_property(name, _published_property(name, part, meaning, gone), meaning)
    if any(one.operation in CHANGES for one in branches):
        cleared = only_value(meaning)
        properties = {
            name: with_null(part) if cleared is not None and name == cleared.path[0] else without_null(part)
            for name, part in properties.items()
        }
    required = [name for name in schema.get("required", []) if name in properties]
    key = meaning.one("key")
    if meaning.operation in ("read", "update") and key is not None and key.path[0] not in required:
        required.append(key.path[0])
    now = [path for path, reason in meaning.narrowed if reason == REQUIRED_NOW and path in properties]
    required += [name for name in now if name not in required]
    if meaning.operation in ("create", "send", "upsert"):
        required += [n for n in needed_names(meaning.tool.description) if n in properties and n not in required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _published_property(name: str, part: Any, meaning: Meaning, gone: set[str]) -> Any:
    if not isinstance(part, dict):
        return part
    part = dict((one_text(part) if (name, TAKES_ONE) in meaning.narrowed else None) or part)
    if name in relaxed(meaning):
        part = {key: value for key, value in part.items() if key not in ID_FORM}
    if meaning.branches and name == meaning.roles[0].path[0]:
        part["enum"] = list(meaning.branches)
        return part
    if "default" in part and applied_default(meaning, name, part) is None and not _is_ordinary(name, meaning):
        del part["default"]
    if name == meaning.wrapper and meaning.open_fields:
        properties = {n: {k: v for k, v in s.items() if k != "values"} for n, s in meaning.open_fields.items()}
        return {**part, "type": "object", "properties": properties, "additionalProperties": False}
    for holder in ("items", None):
        inner = part.get("items") if holder else part
        if name == meaning.wrapper and isinstance(inner, dict) and isinstance(inner.get("properties"), dict):
            lost = {path.split(".")[-1] for path in gone if path.startswith(f"{name}.")}
            kept = {n: s for n, s in inner["properties"].items() if n not in lost}
            now = {p.split(".")[-1] for p, r in meaning.narrowed if r == REQUIRED_NOW and p.startswith(f"{name}.")}
            needed = [n for n in inner.get("required", []) if n in kept]
            kept = {n: _closed(s) if holder and _taken_apart(name, n, meaning) else s for n, s in kept.items()}
            narrow = {**inner, "properties": kept, "required": [*needed, *(n for n in kept if n in now - {*needed})]}
            return {**part, "items": narrow} if holder else narrow
    return part


def _taken_apart(name: str, inner: str, meaning: Meaning) -> bool:
    """True for an object inside an array of items whose values are stored one by one: no other is kept."""
    paths = [role.path for role in meaning.of("payload", "reference") if role.path[0] == name]
    return any(len(path) > 2 and path[-2] == inner for path in paths)


def _closed(schema: Any) -> Any:
    """The schema of an object without values that are not declared."""
    return {**schema, "additionalProperties": False} if isinstance(schema, dict) and "properties" in schema else schema


def _is_ordinary(name: str, meaning: Meaning) -> bool:
    """True for the default of a list's reference that was not made required: the ordinary thing (``root``)."""
    listed = meaning.operation in ("list", "search") and (name, REQUIRED_NOW) not in meaning.narrowed
    roles = [role for role in meaning.of("reference") if role.path == (name,) and not role.required]
    return listed and any(role.parameter.schema.get("default") not in (None, "", []) for role in roles)


def record_schema(entity: Entity) -> dict[str, Any]:
    """Return the schema of a record as tools return it."""
    properties = {entity.key: {"type": entity.key_type}}
    for column in entity.fields.values():
        properties[column.name] = field_types.loosened(column.schema)
    return {"type": "object", "properties": properties, "required": [entity.key]}


def output_schema(meaning: Meaning) -> dict[str, Any]:
    """Return the schema of what a tool really returns."""
    entity, operation = meaning.entity, meaning.operation
    if operation == "compute":
        return computed_schema(meaning.computation)
    if meaning.branches:
        return {"type": "object"}
    if operation == "count":
        return {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    if operation == "delete":
        deleted = {"deleted": {"type": "boolean"}, entity.key: {"type": entity.key_type}}
        return {"type": "object", "properties": deleted, "required": ["deleted", entity.key]}
    if operation == "batch_delete":
        keys = {"type": "array", "items": {"type": entity.key_type}}
        return {"type": "object", "properties": {"deleted": keys}, "required": ["deleted"]}
    if operation == "batch_remove":
        return {"type": "object", "properties": {"deleted": {"type": "boolean"}}, "required": ["deleted"]}
    record = record_schema(entity)
    if operation == "view":
        both = {e.table: {"type": "array", "items": record_schema(e)} for e in (entity, meaning.value)}
        return {"type": "object", "properties": both, "required": list(both)}
    if operation in ("list", "search") or operation.startswith("batch_"):
        properties: dict[str, Any] = {entity.table: {"type": "array", "items": record}}
        if meaning.of("cursor"):
            properties["next_cursor"] = {"type": "string"}
        return {"type": "object", "properties": properties, "required": [entity.table]}
    if operation == "read" and meaning.column:
        return _one_field(record, meaning)
    return record


def _one_field(record: dict[str, Any], meaning: Meaning) -> dict[str, Any]:
    """Return the schema of a read of one field: the key, where the record is, and the field, null if there is none."""
    key, known = meaning.entity.key, record["properties"]
    places = [r.field for r in meaning.of("reference", "filter") if r.field in known and r.field != key]
    parts = {n: _nullable(known[n]) for n in dict.fromkeys((*places, meaning.column))}
    return {**record, "properties": {key: known[key], **parts}}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    part = dict(schema)
    if isinstance(part.get("type"), str):
        part["type"] = [part["type"], "null"]
        if "enum" in part:
            part["enum"] = [*part["enum"], None]
    return part


def meaning_report(meaning: Meaning, whole: bool = True) -> dict[str, Any]:
    """Return the report's entry of one tool, or of one action of it (``whole`` is False)."""
    if meaning.operation == "compute":
        return computation_report(meaning)
    result: dict[str, Any] = {
        "operation": meaning.operation,
        "entity": meaning.entity.name,
        "writes": meaning.writes,
        "verb": meaning.tool.verb,
        "parameters": {r.dotted: _role_report(r) for r in meaning.roles},
        "output": _output_report(meaning),
    }
    if meaning.column and not meaning.writes:
        result["tells"] = meaning.column
    elif meaning.column:
        result["sets"] = {"field": meaning.column, "value": meaning.value}
    if whole and (stated := stated_report(published_input(meaning.tool.schema, meaning), meaning)):
        result["stated"] = stated
    if meaning.branches:
        action = meaning.roles[0].path[0]
        result["action"] = action
        result["branches"] = {
            str(value): meaning_report(branch, whole=False) for value, branch in meaning.branches.items()
        }
        for value, branch in meaning.branches.items():
            for role in branch.roles:
                entry = result["parameters"].setdefault(role.dotted, {**_role_report(role), "actions": []})
                entry.setdefault("actions", []).append(value)
    return result


def _role_report(role: Role) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "role": _ROLE_NAMES.get(role.role, role.role),
        "entity": role.entity,
        "field": role.field,
    }
    if role.role == "credential":
        entry["shown"] = True
    if role.op != "==":
        entry["op"] = role.op
    if role.also:
        entry["also"] = list(role.also)
    if role.parameter.many and role.role in ("key", "reference"):
        entry["many"] = True
    return entry


def _output_report(meaning: Meaning) -> dict[str, Any]:
    entity, operation = meaning.entity, meaning.operation
    fields = {name: _plain(schema) for name, schema in record_schema(entity)["properties"].items()}
    if operation == "read" and meaning.column:
        fields = {name: fields[name] for name in (entity.key, meaning.column)}
    gone = operation in ("batch_delete", "batch_remove")
    if operation in ("list", "search", "view") or (operation.startswith("batch_") and not gone):
        return {
            "shape": "list",
            "entity": entity.name,
            "key_path": f"{entity.table}[].{entity.key}",
            "fields": fields,
        }
    if operation == "count":
        return {
            "shape": "value",
            "entity": entity.name,
            "key_path": None,
            "fields": {"count": {"type": "integer"}},
        }
    if operation == "delete":
        kept = {"deleted": {"type": "boolean"}, entity.key: {"type": entity.key_type}}
        return {"shape": "status", "entity": entity.name, "key_path": entity.key, "fields": kept}
    if gone or operation == "multiplex":
        return {"shape": "status", "entity": entity.name, "key_path": None, "fields": {}}
    shape = "fact" if operation == "fact" else "record"
    return {"shape": shape, "entity": entity.name, "key_path": entity.key, "fields": fields}


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in ("description", "default")}


def entity_report(entity: Entity, domain: Domain) -> dict[str, Any]:
    """Return the report's entry of one entity."""
    fields: dict[str, Any] = {entity.key: {"type": entity.key_type}}
    first = first_fields(domain, entity, set())
    for column in entity.fields.values():
        fields[column.name] = _field_report(column, first)
    return {
        "table": entity.table,
        "key": entity.key,
        "key_kind": entity.key_kind,
        "parents": list(dict.fromkeys(entity.parents.values())),
        "fields": fields,
        "label": entity.label,
        "hidden": entity.hidden,
        **({"fact": True} if entity.fact is not None else {}),
    }


def _field_report(column: Field, first: dict[str, Any]) -> dict[str, Any]:
    entry = dict(_plain(column.schema).items())
    if column.reference:
        entry["reference"] = column.reference
    if column.name in first and first[column.name] not in ([],):
        entry["initial"] = first[column.name]
    if field_types.is_moment(column.name, column.schema):
        entry["moment"] = True
    return entry
