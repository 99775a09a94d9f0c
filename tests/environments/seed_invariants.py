"""What must hold for the seeded records of any environment, and which values break it.

Written from the meaning of the rules, not from the code that keeps them: types by hand, kinds by regular
expressions over what descriptions say, agreement by looking the other record up.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.field_types import is_id_name, name_words, singular_words
from tvlab.environments.seeding.words import ADJECTIVES, TOPICS

TYPES = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict,
}  # fmt: skip
#: what a description says -> what the text must look like
SAID = (
    (r"\bJID\b", r"^\+?[\d -]+$|@(?:s\.whatsapp\.net|g\.us|c\.us)$"),
    (r"^(?:The )?(?:\w+ ){0,2}phone number", r"^\+?[\d() -]{7,}$"),
    (r"\baddress (?:to|from)\b.*\b(?:ETH|SOL|token|wallet)", r"^0x[0-9a-f]{40}$|^[1-9A-HJ-NP-Za-km-z]{32,}$"),
    (r"\bcron\b", r"^(?:@\w+|(?:\S+ ){4,5}\S+)$"),
    (r"\bCIDR\b", r"\d|any"),
    (r"\bHTML\b(?! (?:file|email|page))", r"<\w+"),
    (r"^(?:An? |The )?SQL (?:query|statement)", r"(?i)^\s*(?:select|create|with|insert)\b"),
    (r"\bJSON (?:string|array|object|value)\b", r"^[\[{\"\d]|^true|^false"),
    (r"^(?:The )?(?:\w+ ){0,3}URL\b", r"^\w+://|^/"),
    (r"\bYYYY-MM-DD\b", r"^\d{4}-\d\d-\d\d"),
    (r"\bISO 8601\b", r"\d{4}-?\d\d|^P|\d"),
)  # fmt: skip
FILLER = re.compile(rf"^(?:{'|'.join(ADJECTIVES)}) (?:{'|'.join(TOPICS)})$".lower())
TELLING = frozenset("name title number code symbol".split())


def violations(entities: list[Entity], state: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (rule, table.column, what is wrong), once for each row."""
    known = {entity.name: entity for entity in entities if state.get(entity.table)}
    for entity in known.values():
        rows = list(state[entity.table].values())
        for row in rows:
            for name, value in row.items():
                schema = entity.fields[name].schema if name in entity.fields else {"type": entity.key_type}
                free = name not in entity.fields or not entity.fields[name].reference
                for path, one, part in leaves(name, value, schema):
                    place = f"{entity.table}.{path}"
                    if not of_type(one, part):
                        yield "type", place, repr(one)
                    elif free and isinstance(one, str):
                        yield from ((rule, place, one) for rule in wrong_kind(one, part))
                yield from ((r, f"{entity.table}.{p}", w) for r, p, w in nested(entity, row, name, value, known, state))
        yield from (("same key", f"{entity.table}.{c}", w) for c, w in differing(entity, rows))


def leaves(path: str, value: Any, schema: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield (path, value, schema) for all values at and in a value."""
    schema = schema if isinstance(schema, dict) else {}
    yield path, value, schema
    if isinstance(value, list):
        for one in value:
            yield from leaves(f"{path}[]", one, schema.get("items"))
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from leaves(f"{path}.{name}", one, (schema.get("properties") or {}).get(name))


def of_type(value: Any, schema: dict[str, Any]) -> bool:
    """True if a value has the type that its schema declares."""
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if not all(kind in TYPES for kind in kinds):
        return True
    flag = isinstance(value, bool)
    return any(isinstance(value, TYPES[kind]) and flag == (kind == "boolean") for kind in kinds)


def wrong_kind(value: str, schema: dict[str, Any]) -> Iterator[str]:
    """Yield the kinds that a description says and a text is not of."""
    said = str(schema.get("description") or "")
    if "enum" in schema:
        return
    for form, looks in SAID:
        if re.search(form, said) and not re.search(looks, value):
            yield "kind"
            return
    if said and FILLER.match(value):
        yield "filler under a description"
    elif FILLER.match(value):
        yield "filler"


def nested(entity, row, name, value, known, state):
    """Yield objects that name another record than the reference beside them, or none that exists."""
    for one in value if isinstance(value, list) else [value]:
        target = known.get("_".join(singular_words(name_words(name))))
        if not isinstance(one, dict) or target is None or "id" not in one or target.key_kind != "minted":
            continue
        flat = [f.name for f in entity.fields.values() if f.reference == target.name and f.type != "array"]
        if target is entity:
            if one["id"] != row[entity.key]:
                yield "nested", name, f"{one['id']} is not {row[entity.key]}"
        elif str(one["id"]) not in state[target.table]:
            yield "nested", name, f"no {target.name} {one['id']}"
        elif flat and flat[0] in row and len(flat) == 1 and row[flat[0]] != one["id"]:
            yield "nested", name, f"{one['id']} is not {row[flat[0]]}"


def differing(entity: Entity, rows: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield columns that tell two values of one referenced record."""
    for reference in entity.fields.values():
        base = name_words(reference.name)[:-1] if is_id_name(reference.name) else name_words(reference.name)
        if not reference.reference or reference.type == "array" or not base:
            continue
        for column in entity.fields.values():
            words = name_words(column.name)
            if column.reference or words[: len(base)] != base or words[-1] not in TELLING or column.name in entity.pair:
                continue
            told: dict[str, str] = {}
            for row in rows:
                if column.name in row and reference.name in row:
                    one = json.dumps(row[column.name])
                    if told.setdefault(str(row[reference.name]), one) != one:
                        yield column.name, f"{row[reference.name]}: {one}"


def counted(found: Iterator[tuple[str, str, str]]) -> dict[str, int]:
    """Rows and values that break each rule."""
    return dict(Counter(rule for rule, _, _ in found))
