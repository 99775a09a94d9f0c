"""Code of the tools that change one record: create, update, delete, rename, change a state, link.

A record is never edited in place: the code builds a new one and puts it into its table.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

from tvlab.environments.domain import field_types, starting_states
from tvlab.environments.domain.belonging import goes_with
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.language import descriptions
from tvlab.environments.meanings import cleared_values, transitions
from tvlab.environments.meanings.meanings import Role
from tvlab.environments.seeding import key_forms
from tvlab.environments.seeding.seeding import prefix
from tvlab.environments.writing import stated_guards
from tvlab.environments.writing.agreeing_references import refuse_disagreeing
from tvlab.environments.writing.carried_places import carried_parts
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft

#: flags that say of a record that the caller has made it
_MADE_BY_CALLER = (("created", "by", "current", "user"), ("created", "by", "me"), ("is", "mine"))
_ON_AT_FIRST = ("enabled", "active", "listed", "is_active", "is_enabled")


def first_fields(domain: Domain, entity: Entity, given: set[str]) -> dict[str, Any]:
    """Return the state that a new record starts with, beside what its maker gives."""
    first: dict[str, Any] = {}
    for column in entity.fields.values():
        if column.name in given:
            continue
        if column.name in [c.name for c in [transitions.status_field(entity)] if c is not None]:
            if starting_states.only_outcomes(column) and not domain.guessed_texts:
                continue
            first[column.name] = transitions.first_value(domain, entity)
        elif column.schema.get("values"):
            first[column.name] = column.schema["values"][0]
        elif column.reference and column.type == "array":
            first[column.name] = []
        elif column.type == "boolean" and not column.written:
            words = field_types.name_words(column.name)
            mine = words in _MADE_BY_CALLER and not domain.guessed_texts
            first[column.name] = "_".join(words) in _ON_AT_FIRST or mine
    return first


def stamps(entity: Entity, given: set[str]) -> list[Field]:
    """Return the fields that hold the time of creation."""
    return [
        f
        for f in entity.fields.values()
        if f.name not in given
        and f.type == "string"
        and field_types.name_words(f.name)[0] in ("created", "sent")
        and field_types.is_moment(f.name, f.schema)
    ]


def new_record(draft: Draft, key: str, content: str, given: set[str]) -> str:
    """Return the expression of a new record."""
    first = first_fields(draft.domain, draft.entity, given)
    parts = [f"{literal(draft.entity.key)}: {key}"]
    parts += [f"{literal(name)}: {literal(value)}" for name, value in first.items()]
    parts += [f"{literal(f.name)}: now(state)" for f in stamps(draft.entity, given)]
    parts += carried_parts(draft)
    inner = content[1:-1] if content.startswith("{") else f"**{content}"
    return "{" + ", ".join([*parts, inner] if inner else parts) + "}"


def always_given(draft: Draft) -> set[str]:
    """Fields that every call of a create fills."""
    return {r.field for r in draft.meaning.of("payload", "reference") if r.field and draft.always(r)}


def mint_call(draft: Draft, content: str) -> str:
    """Return the call that mints an id for the content."""
    entity = draft.entity
    before = key_forms.leading(draft.domain, entity)
    if before and content.isidentifier() and before in always_given(draft):
        start = f"{content}[{literal(before)}] + {literal(key_forms.below(entity))}"
        return f"mint(state, {literal(draft.meaning.tool.name)}, {content}, {start})"
    extra = (
        ", integer=True" if entity.key_type == "integer" else f", {literal(prefix(entity))}" if prefix(entity) else ""
    )
    return f"mint(state, {literal(draft.meaning.tool.name)}, {content}{extra})"


def write_create(draft: Draft) -> None:
    """Make a record; references exist, a natural key is free."""
    draft.confirm()
    _return_first(draft)
    draft.check_references(draft.meaning.of("reference"))
    refuse_disagreeing(draft)
    draft.nested_defaults()
    given, content = always_given(draft), draft.content()
    key = draft.meaning.one("key")
    if key is not None:
        value = draft.key_text(draft.entity, draft.value(key))
        draft.add(f"if {value} in state[{literal(draft.entity.table)}]:")
        draft.add(f'fail("conflict", {literal(f"this {draft.entity.title} exists already")})', 1)
        draft.add(f"{draft.record} = {new_record(draft, draft.value(key), content, given)}")
        draft.store(value)
    else:
        name, made = draft.own("content"), draft.own("key")
        draft.add(f"{name} = {content}")
        _refuse_pair(draft)
        draft.add(f"{made} = {mint_call(draft, name)}")
        draft.add(f"{draft.record} = {new_record(draft, made, name, given)}")
        draft.store(draft.key_text(draft.entity, made))
    draft.add(f"return {draft.record}")


def _refuse_pair(draft: Draft) -> None:
    """Two records must not agree in the fields by which another tool picks one (a reaction, a membership)."""
    fields = draft.entity.pair
    if not fields or not set(fields) <= {r.field for r in draft.meaning.of("payload", "reference")}:
        return
    content = draft.own("content")
    test = " and ".join(f"row.get({literal(f)}) == {content}.get({literal(f)})" for f in fields)
    draft.add(f"if any({test} for row in state[{literal(draft.entity.table)}].values()):")
    draft.add(f'fail("conflict", {literal(f"this {draft.entity.title} exists already")})', 1)


def repeated_key(draft: Draft) -> Role | None:
    """Return the role of a required idempotency key: an equal one gives the first result again."""
    return next((r for r in draft.meaning.of("payload") if r.parameter.words == ("idempotency", "key")), None)


def _return_first(draft: Draft) -> None:
    role = repeated_key(draft)
    if role is not None:
        draft.add(f"for {draft.record} in state[{literal(draft.entity.table)}].values():")
        draft.add(f"if {draft.record}.get({literal(role.field)}) == {draft.value(role)}:", 1)
        draft.add(f"return {draft.record}", 2)


def write_upsert(draft: Draft) -> None:
    """Make a record or change the one that is there."""
    key = draft.meaning.one("key")
    assert key is not None
    draft.check_references(draft.meaning.of("reference"))
    refuse_disagreeing(draft)
    draft.nested_defaults()
    content, made = draft.own("content"), draft.own("key")
    draft.add(f"{content} = {draft.content()}")
    value, table = draft.value(key), literal(draft.entity.table)
    if draft.always(key):
        text = draft.key_text(draft.entity, value)
        blank = new_record(draft, value, "{}", set())
        draft.add(f"{draft.record} = {{**state[{table}].get({text}, {blank}), **{content}}}")
        draft.store(text)
    else:
        draft.add(f"if {value} is None:")
        draft.add(f"{made} = {mint_call(draft, content)}", 1)
        draft.add(f"{draft.record} = {new_record(draft, made, content, set())}", 1)
        draft.add("else:")
        draft.add(f"{made} = {value}", 1)
        draft.add(f"{draft.record} = {{**{draft.find(draft.entity, made)}, **{content}}}", 1)
        draft.store(draft.key_text(draft.entity, made))
    draft.add(f"return {draft.record}")


def write_update(draft: Draft) -> None:
    """Change the given fields of a record and no others."""
    key = draft.meaning.one("key")
    assert key is not None
    draft.confirm()
    draft.find_own(key)
    if (role := repeated_key(draft)) is not None:
        draft.add(f"if {draft.record}.get({literal(role.field)}) == {draft.value(role)}:")
        draft.add(f"return {draft.record}", 1)
    stated_guards.refuse_other_states(draft)
    draft.check_references([r for r in draft.meaning.of("reference") if not r.filters])
    refuse_disagreeing(draft)
    draft.nested_defaults()
    content = draft.content()
    changed = content[1:-1] if content.startswith("{") else f"**{content}"
    if changed.startswith("**without") and descriptions.needs_a_change(draft.meaning.tool.description):
        name = draft.own("changes")
        draft.add(f"{name} = {content}")
        draft.add(f"if not {name}:")
        draft.add('fail("invalid_arguments", "nothing to change was given")', 1)
        changed = f"**{name}"
    old = draft.record
    if (cleared := cleared_values.only_value(draft.meaning)) is not None:
        old, name, value = draft.own("kept"), literal(cleared.field), draft.value(cleared)
        draft.add(f"{old} = {{name: value for name, value in {draft.record}.items() if name != {name}}}")
        changed = f"**without_missing({{{name}: {value} or None}})"
    draft.add(f"{draft.record} = {{**{old}, {changed}}}")
    draft.store(draft.key_text(draft.entity, draft.value(key)))
    draft.add(f"return {draft.record}")


def write_transition(draft: Draft) -> None:
    """Bring a record into a state; a record that is in it already is a conflict, unless said otherwise."""
    meaning, record = draft.meaning, draft.record
    key = meaning.one("key")
    assert key is not None
    draft.confirm()
    draft.find_own(key)
    if (role := repeated_key(draft)) is not None:
        draft.add(f"if {draft.record}.get({literal(role.field)}) == {draft.value(role)}:")
        draft.add(f"return {draft.record}", 1)
    draft.check_references([r for r in meaning.of("reference") if not r.filters])
    _refuse_repeat(draft, record)
    stated_guards.refuse_other_states(draft)
    change = f"{literal(meaning.column)}: {literal(meaning.value)}"
    content = draft.content()
    more = "" if content == "{}" else f", **{content}" if not content.startswith("{") else f", {content[1:-1]}"
    draft.add(f"{record} = {{**{record}{more}, {change}}}")
    draft.store(draft.key_text(draft.entity, draft.value(key)))
    draft.add(f"return {record}")


def _refuse_repeat(draft: Draft, record: str, depth: int = 0) -> None:
    meaning = draft.meaning
    if meaning.idempotent:
        return
    cell = f"{record}.get({literal(meaning.column)})"
    off = meaning.value is False
    test = f"not {cell}" if off else cell if meaning.value is True else f"{cell} == {literal(meaning.value)}"
    state = f"not {meaning.column}" if off else meaning.column if meaning.value is True else str(meaning.value)
    draft.add(f"if {test}:", depth)
    draft.add(f'fail("conflict", {literal(f"this {draft.entity.title} is already {state}")})', depth + 1)


def write_batch_transition(draft: Draft) -> None:
    """Bring several records into a state; one refusal refuses all."""
    meaning, record = draft.meaning, draft.record
    key = meaning.one("key")
    assert key is not None
    one = draft.own("one")
    draft.add(f"{draft.records} = []")
    draft.check_references(draft.meaning.of("reference"))
    draft.add(f"for {one} in {draft.keys(key)}:")
    draft.add(f"{record} = {draft.find(draft.entity, one)}", 1)
    for place in draft.places():
        draft.refuse_elsewhere(place, 1)
    _refuse_repeat(draft, record, 1)
    draft.add(f"{record} = {{**{record}, {literal(meaning.column)}: {literal(meaning.value)}}}", 1)
    draft.add(f"state[{literal(draft.entity.table)}][{draft.key_text(draft.entity, one)}] = {record}", 1)
    draft.add(f"{draft.records}.append({record})", 1)
    draft.add(f"return {{{literal(draft.entity.table)}: {draft.records}}}")


def write_delete(draft: Draft) -> None:
    """Remove a record with what belongs to it."""
    key = draft.meaning.one("key")
    draft.confirm()
    if key is None:
        draft.find_matching()
        value = f"{draft.record}[{literal(draft.entity.key)}]"
    else:
        value = draft.value(key)
        if draft.meaning.idempotent:
            draft.check_references(draft.meaning.of("reference"))
            draft.add(f"if {draft.key_text(draft.entity, value)} not in state[{literal(draft.entity.table)}]:")
            draft.add(f'return {{"deleted": True, {literal(draft.entity.key)}: {value}}}', 1)
        locked = not draft.meaning.idempotent and stated_guards.locking(draft.entity, "delete", draft.domain)
        if draft.places() or locked:
            draft.find_own(key)
            stated_guards.refuse_other_states(draft)
        else:
            draft.add(draft.find(draft.entity, value))
    draft.add(removal(draft.domain, draft.entity, draft.key_text(draft.entity, value)))
    draft.add(f'return {{"deleted": True, {literal(draft.entity.key)}: {value}}}')


def write_batch_delete(draft: Draft) -> None:
    """Remove several records; one unknown key refuses all."""
    key = draft.meaning.one("key")
    assert key is not None
    draft.check_references(draft.meaning.of("reference"))
    keys, one = draft.own("keys"), draft.own("one")
    draft.add(f"{keys} = {draft.keys(key)}")
    draft.add(f"for {one} in {keys}:")
    if draft.places():
        draft.add(f"{draft.record} = {draft.find(draft.entity, one)}", 1)
        for place in draft.places():
            draft.refuse_elsewhere(place, 1)
    else:
        draft.add(draft.find(draft.entity, one), 1)
    draft.add(removal(draft.domain, draft.entity, draft.key_text(draft.entity, one)), 1)
    draft.add(f'return {{"deleted": {keys}}}')


def removal(domain: Domain, entity: Entity, key: str) -> str:
    """Return the statement that removes a record and what belongs to it."""
    if dependents(domain, entity) or contained(domain, entity):
        return f"_remove_{helper_name(entity)}(state, {key})"
    return f"del state[{literal(entity.table)}][{key}]"


def helper_name(entity: Entity) -> str:
    """Return an entity's name as part of an identifier."""
    return (
        entity.name if entity.name.isascii() and f"x{entity.name}".isidentifier() else f"x{crc32(entity.name.encode())}"
    )


def dependents(domain: Domain, entity: Entity) -> list[tuple[Entity, Field]]:
    """Return the columns, in tables that are in use, that refer to an entity."""
    return [
        (other, f)
        for other in domain.entities.values()
        if other.name in domain.used
        for f in other.fields.values()
        if f.reference == entity.name
    ]


def contained(domain: Domain, entity: Entity) -> list[Entity]:
    """Return the entities whose paths lie below those of a directory."""
    if not entity.is_container:
        return []
    return [e for e in domain.entities.values() if e.is_path and e.name in domain.used]


def _remove_below(domain: Domain, entity: Entity) -> list[str]:
    lines = []
    for inner in contained(domain, entity):
        table = literal(inner.table)
        lines.append(f'    for path in [p for p in state[{table}] if p.startswith(key.rstrip("/") + "/")]:')
        below = f"del state[{table}][path]" if inner is entity else removal(domain, inner, "path")
        lines.append(f"        {below}")
    return lines


def write_removal(domain: Domain, entity: Entity) -> str:
    """Return the helper that removes a record, its children, and other records' references to it."""
    title = entity.title if entity.title.isascii() else "record"
    lines = [
        f"def _remove_{helper_name(entity)}(state, key):",
        f'    """Remove one {title} with what belongs to it."""',
        f"    del state[{literal(entity.table)}][key]",
        *_remove_below(domain, entity),
    ]
    for other, column in dependents(domain, entity):
        table, name = literal(other.table), literal(column.name)
        cell = f"str(row.get({name}))" if entity.key_type == "integer" else f"row.get({name})"
        lines.append(f"    for other, row in list(state[{table}].items()):")
        if column.type == "array":
            test = "str(one)" if entity.key_type == "integer" else "one"
            kept = f"[one for one in row.get({name}, []) if {test} != key]"
            lines += [
                f"        if len(row.get({name}, [])) != len({kept}):",
                f"            state[{table}][other] = {{**row, {name}: {kept}}}",
            ]
        elif other is not entity and goes_with(domain, other, column):
            lines += [
                f"        if other in state[{table}] and {cell} == key:",
                f"            {removal(domain, other, 'other')}",
            ]
        else:
            rest = f"{{name: value for name, value in row.items() if name != {name}}}"
            lines += [f"        if {cell} == key:", f"            state[{table}][other] = {rest}"]
    return "\n".join(lines) + "\n"


def write_link(draft: Draft) -> None:
    """Put members into, or take them out of, the owner's list of keys."""
    meaning = draft.meaning
    key, member = meaning.one("key"), meaning.one("reference")
    assert key is not None
    assert member is not None
    column = literal(meaning.column)
    draft.add(f"{draft.record} = {draft.find(draft.entity, draft.value(key))}")
    draft.check_references([member])
    draft.add(f"{draft.own('found')} = {draft.record}.get({column}, [])")
    found, one = draft.own("found"), draft.own("one")
    many = member.op == "in"
    given = draft.value(member) if many else f"[{draft.value(member)}]"
    title = draft.domain.entities[member.entity or ""].title
    if meaning.operation == "link":
        draft.add(f"if any({one} in {found} for {one} in {given}):")
        draft.add(f'fail("conflict", {literal(f"this {title} is there already")})', 1)
        new = f"[*{found}, *{given}]" if many else f"[*{found}, {draft.value(member)}]"
    else:
        draft.add(f"if any({one} not in {found} for {one} in {given}):")
        draft.add(f'fail("not_found", {literal(f"this {title} is not there")})', 1)
        new = f"[{one} for {one} in {found} if {one} not in {given}]"
    draft.add(f"{draft.record} = {{**{draft.record}, {column}: {new}}}")
    draft.store(draft.key_text(draft.entity, draft.value(key)))
    draft.add(f"return {draft.record}")
