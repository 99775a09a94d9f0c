"""The initial state: 5-30 plausible records an entity, every reference to a record that exists.

Parents are filled before children, and a child that names two of its ancestors names the pair that belongs
together (a build's organisation is that of its pipeline).  Two records of one entity never share a label.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tvlab.environments.domain import field_types, known_things
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.tool_parsing import parse_parameters, schema_type
from tvlab.environments.facts import fact_values, told_seeding, told_subjects
from tvlab.environments.facts.fact_seeding import fact_rows
from tvlab.environments.meanings import inner_references
from tvlab.environments.runtime import CLOCK, MINTED, State, filled, parts_at
from tvlab.environments.seeding import agreements as seed_agreements
from tvlab.environments.seeding import catalogues as seed_catalogues
from tvlab.environments.seeding import forms as seed_forms
from tvlab.environments.seeding import key_forms
from tvlab.environments.seeding import parents as seed_parents
from tvlab.environments.seeding import passes as seed_passes
from tvlab.environments.seeding import said as seed_said
from tvlab.environments.seeding import sorts as seed_sorts
from tvlab.environments.seeding import spread as seed_spread
from tvlab.environments.seeding import things as seed_things
from tvlab.environments.seeding.moments import NOW, time_text
from tvlab.environments.seeding.tables import Tables
from tvlab.environments.seeding.values import Values
from tvlab.foundation.seeds import generator

#: records that do for a closed list of keys
_ENOUGH = 5
CLOCK_START = time_text(NOW)


def seed_state(domain: Domain, names: list[str], seed: int, environment: str,
               before: State | None = None) -> State:  # fmt: skip
    """Return the initial state with records of the named entities.

    Args:
        domain: the domain dictionary.
        names: entities that tools use, with all they refer to.
        seed: the build's seed.
        environment: its name, so that two environments differ under one seed.
        before: a state to add to; tables that it has stay as they are.
    """
    values = Values(generator(seed, "state", environment), seed_agreements.server_words(domain), domain.guessed_texts)
    state: State = {CLOCK: {"now": CLOCK_START}, MINTED: {}, **(before or {})}
    used, names = names, [name for name in names if domain.entities[name].table not in state]
    texts = seed_said.texts_of(domain)
    for entity in filling_order(domain, names):
        state[entity.table] = {}
        if entity.fact is not None:
            state[entity.table] = fact_rows(domain, entity, state, values)
            continue
        number = values.integer(7, 12) if not entity.parents else values.integer(9, 14)
        if entity.told and not entity.parents:
            number = min(number, known_things.number_of(entity.noun) or number)
        if entity.told and not domain.guessed_texts:
            number = max(number, told_subjects.number_of(entity, domain, state))
            number = max(number, seed_parents.number_of(entity, domain, state))
            if entity.examples and entity.parents:
                entity.examples = seed_parents.counted_on(entity.examples, number, entity.noun)
        spread = seed_spread.column_of(domain, entity)
        number = seed_spread.number_of(domain, entity, spread, state, number)
        for index in range(1 if entity.single else number):
            if _used_up(domain, entity, state[entity.table]):
                break
            record = _record(domain, entity, state, values, index, texts, spread)
            key = str(record[entity.key])
            pairs = [[row.get(f) for f in entity.pair] for row in state[entity.table].values()] if entity.pair else []
            if key not in state[entity.table] and [record.get(f) for f in entity.pair] not in pairs:
                state[entity.table][key] = record
    _close_loops(domain, names, state, values)
    for name in names:
        seed_sorts.agree(domain.entities[name], state[domain.entities[name].table], domain.sorts.get(name, ()))
    seed_agreements.agree(domain, names, state)
    entities = filling_order(domain, used)
    promised = {e.name: texts.kept[e.name] | texts.listed[e.name] for e in entities}
    reads = seed_catalogues.reads_of(domain, entities)
    tables = Tables(entities, state, frozenset(names), texts.columns, promised, reads)
    seed_passes.agree(tables, domain.guessed_texts)
    return state


def _used_up(domain: Domain, entity: Entity, taken: dict[str, Any]) -> bool:
    """True if each key of a closed list is taken: another one would be of another kind."""
    if entity.told and entity.examples:
        return not _known_key(entity, taken)
    closed = entity.key_kind == "natural" and entity.key_type == "string" and not domain.guessed_texts
    return closed and len(taken) >= _ENOUGH and bool(_known_key(entity, {})) and not _known_key(entity, taken)


def filling_order(domain: Domain, names: list[str]) -> list[Entity]:
    """Order entities so that what a record refers to is there before it, as far as cycles allow."""
    order: list[Entity] = []
    waiting = [domain.entities[name] for name in names]
    while waiting:
        done = {entity.name for entity in order}
        absent = {entity.name for entity in waiting} - done
        plain = [e for e in waiting if not e.is_path or e.is_container] or waiting
        ready = [e for e in plain if not {f.reference for f in e.fields.values()} & absent - {e.name}]
        ready = ready or [e for e in waiting if not set(e.parents.values()) & absent - {e.name}] or waiting[:1]
        order.append(ready[0])
        waiting.remove(ready[0])
    return order


def _record(domain: Domain, entity: Entity, state: State, values: Values, index: int,
            texts: seed_said.Texts, spread: str) -> dict[str, Any]:  # fmt: skip
    record: dict[str, Any] = {entity.key: _key(domain, entity, values, state, texts.keys.get(entity.name, ""))}
    kept = texts.kept[entity.name]
    for column in _deepest_first(domain, entity):
        key = _pick(domain, entity, column, record, state, values, column.required or column.name in kept, index)
        if entity.told and column.name in (*entity.pair, *_own(domain, entity)) and column.type != "array":
            key = _in_order(domain, column, state, index) or key
        elif column.name == spread and index < len(state.get(domain.entities[column.reference or ""].table, ())):
            key = _in_order(domain, column, state, index)
        if key is not None:
            record[column.name] = key
    if (before := key_forms.leading(domain, entity)) and before in record:
        record[entity.key] = f"{record[before]}-{str(record[entity.key]).rpartition('-')[2]}"
    for column in entity.fields.values():
        if column.name in record or column.reference or field_types.name_words(column.name) == ("idempotency", "key"):
            continue
        if told := texts.columns.get((entity.name, column.name)):
            column = replace(column, schema={**column.schema, **told})
        if (stated := texts.defaults.get((entity.name, column.name))) is not None and not entity.told:
            record[column.name] = stated if values.chance(0.7) else not stated
            continue
        listed = column.schema.get("enum") or column.schema.get("values")
        always = column.name in kept or column.name in texts.listed[entity.name]
        if column.required or values.chance(0.85) or listed or always:
            guesses = values.guesses
            value = (
                told_seeding.told_value(entity, column, list(state[entity.table].values()), values, index)
                if entity.told and column.type != "object"
                else _value(domain, entity, column, state, values, index)
            )
            # no value reads better than words of another kind, where a record may do without
            needed = column.required or column.filtered or column.name in kept or column.name == entity.label
            if values.guessing or values.guesses == guesses or needed:
                record[column.name] = value
    if entity.told:
        record = told_seeding.agreed(record, entity.noun)
    order = [entity.key, *entity.fields]
    return {name: record[name] for name in order if name in record}


def _own(domain: Domain, entity: Entity) -> tuple[str, ...]:
    """The key of a told table that is that of another one: the quote of a symbol."""
    return () if domain.guessed_texts else (entity.key,)


def _in_order(domain: Domain, column: Field, state: State, index: int) -> Any:
    """Return the key of the next record that a reference picks, so that each has its fact; None if there is none."""
    target = domain.entities[column.reference or ""]
    rows = list(state.get(target.table, {}).values())
    return rows[index % len(rows)][target.key] if rows else None


def _deepest_first(domain: Domain, entity: Entity) -> list[Field]:
    columns = [f for f in entity.fields.values() if f.reference]
    return sorted(columns, key=lambda f: -_depth(domain, domain.entities[f.reference or ""]))


def _depth(domain: Domain, entity: Entity, seen: frozenset[str] = frozenset()) -> int:
    above = [domain.entities[n] for n in entity.parents.values() if n not in seen]
    return 1 + max((_depth(domain, e, seen | {entity.name}) for e in above), default=0)


def _pick(domain: Domain, entity: Entity, column: Field, record: dict[str, Any], state: State,
          values: Values, surely: bool, index: int) -> Any:  # fmt: skip
    """Choose the record that a reference names, in accordance with references chosen before."""
    target = domain.entities[column.reference or ""]
    table = state.get(target.table)
    if not table:
        return None
    in_turn = seed_parents.takes_turns(domain, entity, column)
    if not surely and not in_turn and not values.chance(0.75):
        return None
    for other in entity.fields.values():
        if other.reference and other.name in record and not isinstance(record[other.name], list):
            above = domain.entities[other.reference]
            inherited = above.reference_to(target.name)
            if inherited is not None and other is not column:
                owner = state[above.table].get(str(record[other.name]), {})
                if inherited.name in owner and inherited.type != "array":
                    return owner[inherited.name]
    keys = [row[target.key] for row in table.values()]
    if in_turn:
        return keys[index % len(keys)]
    if column.type == "array":
        return list(dict.fromkeys(values.choice(keys) for _ in range(values.integer(0, 3))))
    return values.choice(keys[:3] if values.chance(0.6) else keys)


def _key(domain: Domain, entity: Entity, values: Values, state: State, said: str) -> Any:
    taken = state[entity.table]
    if entity.special and entity.special not in taken:
        return entity.special
    formed = entity.form and (entity.key_kind == "minted" or entity.form[0] in "#~?")
    while True:
        stated = seed_forms.key_text(entity.key, said, entity.noun, values) if said and not formed else None
        if stated is not None and stated not in taken and entity.key_type == "string":
            return stated
        if entity.key_type == "integer":
            key: Any = values.integer(1000, 99999)
        elif formed:
            key = filled(entity.form, int(values._hex(64), 16))
        elif entity.key_kind == "natural":
            key = _known_key(entity, taken) or values.natural_key(entity.key, entity.noun)
            folders = [row for other in domain.entities.values() if other.is_container and other is not entity
                       for row in state.get(other.table, {})]  # fmt: skip
            if entity.is_path and folders:
                key = f"{values.choice(folders[:5])}/{key.rpartition('/')[2]}"
            key = key if key not in taken else _numbered(key, values.integer(2, 99), values.guessing)
        else:
            key = f"{prefix(entity)}-{values._hex(8)}" if prefix(entity) else values._hex(8)
        if str(key) not in taken:
            return key


def _numbered(text: str, number: int, blank: bool) -> str:
    """Return a key with a number behind it, before the ending of a file, with a blank where the key has some."""
    stem, dot, ending = text.rpartition(".") if "/" in text and not blank else (text, "", "")
    return f"{stem}{' ' if blank or ' ' in text else '-'}{number}{dot}{ending}"


def _known_key(entity: Entity, taken: dict[str, Any]) -> str:
    """Return the next real key of a thing keyed by a symbol, a country, a city; "" if none is known."""
    known = entity.examples or fact_values.subject_list(entity.key, entity.noun)
    return next((key for key in known if key not in taken), "")


def prefix(entity: Entity) -> str:
    """Return the short prefix of an entity's minted ids, or their form where texts state one."""
    if entity.form:
        return entity.form
    head = entity.noun[-1][:3]
    return head if head.isascii() and head.isalnum() else ""


def _value(domain: Domain, entity: Entity, column: Field, state: State, values: Values, index: int) -> Any:
    if (
        column.name == entity.label
        and column.type == "string"
        and not column.schema.get("enum")
        and not column.filtered
    ):
        taken = {row.get(column.name) for row in state[entity.table].values()}
        for _ in range(5):
            label = values.value(column.name, column.schema, entity.noun, index)
            if label not in taken:
                return label
        # a number makes a name its own; behind a value of a closed kind it would make it another kind
        return f"{label} {index + 1}" if values.guessing or seed_things.is_free(label) else label
    if _is_status(entity, column):
        return values.choice((not values.guessing and seed_things.states(entity.noun)) or _STATES)
    known = [row[column.name] for row in state[entity.table].values() if column.name in row]
    open_text = column.filtered and not column.schema.get("enum") and not column.schema.get("values")
    if open_text and known and column.type in ("string", "integer", "number") and values.chance(0.6):
        return values.choice(known)
    value = values.value(column.name, column.schema, entity.noun, index)
    value = _with_references(domain, column.schema, value, state, values)
    for path, _, target in () if domain.guessed_texts else inner_references.places(domain, column.name, column.schema):
        for holder in parts_at(value, *path[:-1]):
            if path[-1] in holder and state.get(target.table):
                holder[path[-1]] = values.choice([row[target.key] for row in state[target.table].values()])
    return value


#: what a state is that is no part of an address
_STATES = ("open", "in_progress", "closed")
_PLACE = frozenset("city zip country street address postcode county town".split())


def _is_status(entity: Entity, column: Field) -> bool:
    """True for a text under the word state of a record that has no address."""
    words = field_types.name_words(column.name)
    told = {"enum", "values", "examples", "pattern"} & set(column.schema)
    if column.type != "string" or words[-1:] != ("state",) or told or words == ("client", "state"):
        return False
    return not any(_PLACE & set(field_types.name_words(name)) for name in entity.fields)


def _with_references(domain: Domain, schema: dict[str, Any], value: Any, state: State, values: Values) -> Any:
    """Let ids inside a nested object or an array of objects name records that exist."""
    if isinstance(value, list):
        items = schema.get("items")
        return [_with_references(domain, items, part, state, values) for part in value] if items else value
    if not isinstance(value, dict):
        return value
    for p in parse_parameters(schema):
        target = domain.reference(p)
        if target is not None and p.name in value and schema_type(p.schema) != "array" and state.get(target.table):
            value[p.name] = values.choice([row[target.key] for row in state[target.table].values()])
    return value


def _close_loops(domain: Domain, names: list[str], state: State, values: Values) -> None:
    """Fill references that pointed to a table not yet there, and those of an entity to itself."""
    for name in names:
        entity = domain.entities[name]
        for column in entity.fields.values():
            target = domain.entities.get(column.reference or "")
            if target is None or column.type == "array" or target.table not in state:
                continue
            keys = [row[target.key] for row in state[target.table].values()]
            for at, (key, row) in enumerate(state[entity.table].items()):
                if column.name not in row and keys and (column.required or values.chance(0.5)):
                    allowed = keys[:at] if target is entity else keys
                    if allowed:
                        filled = {**row, column.name: values.choice(allowed)}
                        state[entity.table][key] = told_seeding.agreed(filled, entity.noun) if entity.told else filled
