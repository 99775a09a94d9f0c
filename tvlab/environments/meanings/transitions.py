"""States: which field a verb such as ``cancel`` changes and to what; what a range compares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tvlab.environments.domain import field_types, starting_states
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.named_parts import part_of
from tvlab.environments.domain.nouns import action_branches, flat
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.language import descriptions, stated_states, value_families
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.steering import said_of

_STATE_TYPES = (("state", "type"), ("status", "type"), ("current", "state"), ("current", "status"))
STATUS_NAMES = ("status", "state", "response", "stage", "phase", "power")
_FLAG_VERBS = frozenset(
    "pin unpin star unstar lock unlock mute unmute hide unhide block unblock ban unban flag unflag favorite "
    "unfavorite "
    "archive unarchive read unread trash untrash important spam unlist enable disable".split()
)
_FIRST = {
    "enable": "disabled",
    "resume": "paused",
    "start": "pending",
    "activate": "inactive",
    "publish": "draft",
    "revoke": "active",
    "pay": "unpaid",
    "deliver": "in_transit",
    "ship": "processing",
}


#: what runs once it is started
_MACHINES = frozenset(
    "machine server instance container vm session service cluster node pod browser device process bot".split()
)


def status_field(entity: Entity) -> Field | None:
    """Return the text field that holds the entity's state."""
    address = any(entity.field_of((word,)) is not None for word in ("city", "zip", "country", "street"))
    for name in STATUS_NAMES[:1] if address else STATUS_NAMES[:2]:
        found = entity.field_of((name,))
        if found is not None and found.type == "string":
            return found
    return next((f for f in entity.fields.values() if _is_state(f, entity)), None)


def _is_state(column: Field, entity: Entity) -> bool:
    """True for a text that holds the state under more words: ``state_type``, ``run_status`` of a run."""
    words = field_types.name_words(column.name)
    if column.type != "string" or column.reference or len(words) == 1:
        return False
    return words in _STATE_TYPES or (words[-1] in STATUS_NAMES[:2] and words[:-1] == entity.noun[-len(words) + 1 :])


def _name_beside(column: Field, entity: Entity) -> Field | None:
    """Return the column of the state's name beside its type: both would have to change as one."""
    words = field_types.name_words(column.name)
    return entity.field_of((*words[:-1], "name")) if words in _STATE_TYPES else None


def _as_written(value: str, values: Sequence[Any]) -> str:
    """Return a state in the letters that a field has its states in.

    >>> _as_written("cancelled", ["FAILED", "COMPLETED"]), _as_written("cancelled", ["open"])
    ('CANCELLED', 'cancelled')
    """
    texts = [str(v) for v in values]
    same = [v for v in texts if v.lower().replace("-", "_").replace(" ", "_") == value]
    if same:
        return same[0]
    return value.upper() if texts and all(v.isupper() for v in texts) else value


def _told_states(domain: Domain, entity: Entity, column: Field) -> list[str]:
    """The states that the texts of parameters give as examples of a column."""
    words = field_types.name_words(column.name)
    said = (
        said_of(p, tool) for tool in domain.tools if domain.own.get(tool.name) is entity
        for p in flat(tool.parameters) if p.words == words
    )  # fmt: skip
    return next((found for text in said if (found := value_families.told_examples(text))), [])


def switch_field(entity: Entity, verb: str, flag: str) -> Field | None:
    """Return the boolean that a verb of state turns on or off: ``completed``, ``is_read``, ``done``."""
    names = [flag, *(value for value in words_of.TRANSITIONS.get(verb, ((), "", True))[0] if flag == "completed")]
    for name in names:
        for words in (tuple(name.split("_")), ("is", *name.split("_"))):
            found = entity.field_of(words) if name else None
            if found is not None and found.type == "boolean":
                return found
    return None


def switched(tool: ParsedTool, entity: Entity) -> bool:
    """True if the records have a boolean for the verb of a tool."""
    verb = tool.state_word or tool.verb
    return switch_field(entity, verb, words_of.TRANSITIONS.get(verb, ((), "", True))[1]) is not None


def settle(tool: ParsedTool, entity: Entity) -> tuple[str, Any] | None:
    """Return (field, value) that a verb of state sets, None if unknown."""
    flag = descriptions.new_flag(tool.description)
    if flag is not None:
        known = entity.field_of(field_types.name_words(flag[0]))
        return (known.name if known else flag[0]), flag[1]
    verb = tool.state_word or tool.verb
    values, flag_field, on = words_of.TRANSITIONS.get(verb, ((), "", True))
    if tool.kind == "send" or tool.verb == "send":
        values = ("sent", "delivered", "queued")
    if verb in ("start", "restart") and entity.noun[-1] in _MACHINES:
        values = ("running", *values)
    part = part_of(tool, entity) if tool.kind == "transition" else ()
    if part and flag_field:
        name = "_".join((*part, flag_field))
        known = entity.field_of(tuple(name.split("_")))
        return (known.name if known else name), on
    switch = switch_field(entity, verb, flag_field)
    status = status_field(entity)
    if switch is not None and (status is None or not status.in_input):
        return switch.name, on
    said = descriptions.new_status(tool.description)
    if status is not None:
        allowed = status.schema.get("enum")
        wanted = ([said] if said else []) + list(values)
        for value in wanted:
            if allowed is None:
                return status.name, _as_written(value, status.schema.get("values", ()))
            if value in allowed:
                return status.name, value
            same = [v for v in allowed if str(v).lower().replace("-", "_") == value]
            if same:
                return status.name, same[0]
    if flag_field:
        known = entity.field_of(tuple(flag_field.split("_"))) or entity.field_of(("is", *flag_field.split("_")))
        return (known.name if known else flag_field), on
    return None


def prepare(domain: Domain) -> None:
    """Add the state fields that the verbs of each entity need, and give the open ones their values."""
    for entity in domain.entities.values():
        if (status := status_field(entity)) is not None:
            starting_states.complete(status, domain.tools_on(entity))
    tools = [(tool, domain.own[tool.name]) for tool in domain.tools if tool.name in domain.own]
    tools = [(branch, entity) for tool, entity in tools for branch in (tool, *action_branches(tool))]
    for tool, entity in tools:
        of_part = bool(part_of(tool, entity)) or switched(tool, entity)
        if tool.kind == "transition" and status_field(entity) is None and not (_is_flag(tool) or of_part):
            entity.fields["status"] = Field("status", {"type": "string"})
    for entity in {id(e): e for _, e in tools}.values() if not domain.guessed_texts else ():
        _widen_states(domain, entity)
    for entity in {id(e): e for tool, e in tools if tool.kind == "transition"}.values():
        _tell_states(domain, entity)
    for tool, entity in tools:
        change = settle(tool, entity) if tool.kind in ("transition", "send") else None
        if change is None or (tool.kind == "send" and not _sends_existing(tool, domain, entity)):
            continue
        name, value = change
        column = entity.fields.get(name)
        if column is None:
            kind = "boolean" if isinstance(value, bool) else "string"
            entity.fields[name] = Field(name, {"type": kind})
        elif isinstance(value, str) and "enum" not in column.schema:
            before = stated_states.told_state(tool.description, entity.noun) or _FIRST.get(tool.verb)
            values = column.schema.get("values", [before or first_value(domain, entity)])
            # a new list: word lists share theirs between servers
            column.schema = {**column.schema, "values": [*values, *({value} - {*values})]}


def _tell_states(domain: Domain, entity: Entity) -> None:
    """Give a state under more words the states that texts tell; its name beside it is not modelled."""
    column = status_field(entity)
    if column is None or not _is_state(column, entity):
        return
    told = _told_states(domain, entity, column)
    if told and not {"enum", "values"} & set(column.schema):
        column.schema = {**column.schema, "values": told}
    beside = _name_beside(column, entity)
    if beside is not None:
        del entity.fields[beside.name]


def _widen_states(domain: Domain, entity: Entity) -> None:
    """Give a state whose values are those of a change alone the ones that answers tell, the first one among them."""
    column = status_field(entity)
    known = column.schema.get("enum") if column is not None else None
    if column is None or not known or _STARTING & {_bare(value) for value in known}:
        return
    known = [value for value in known if value is not None]
    for tool in domain.tools:
        if domain.own.get(tool.name) is entity:
            for told in _told_enums(tool.output, column.name):
                if set(known) < set(told) and _STARTING & {_bare(value) for value in told}:
                    column.schema = {**column.schema, "enum": list(told)}
                    return


def _told_enums(schema: Any, name: str) -> Iterator[list[Any]]:
    """The values of properties of a name anywhere in a schema."""
    if isinstance(schema, list):
        for part in schema:
            yield from _told_enums(part, name)
    elif isinstance(schema, dict):
        part = (schema.get("properties") or {}).get(name) if isinstance(schema.get("properties"), dict) else None
        if isinstance(part, dict) and isinstance(part.get("enum"), list):
            yield part["enum"]
        for inner in schema.values():
            yield from _told_enums(inner, name)


def _bare(value: Any) -> str:
    return str(value).lower().replace("-", "").replace("_", "").replace(" ", "")


def _sends_existing(tool: ParsedTool, domain: Domain, entity: Entity) -> bool:
    key = domain.key_parameter(tool, entity)
    return key is not None and key.required


def _is_flag(tool: ParsedTool) -> bool:
    return descriptions.new_flag(tool.description) is not None or (tool.state_word or tool.verb) in _FLAG_VERBS


def first_value(domain: Domain, entity: Entity) -> str:
    """Return the status of a new record: as described, else the first of the enumeration, else ``open``."""
    status = status_field(entity)
    allowed = status.schema.get("enum") if status is not None else None
    for tool in domain.tools:
        if domain.own.get(tool.name) is entity and tool.kind in ("create", "send", "upsert"):
            said = descriptions.first_status(tool.description)
            if said and (not allowed or said in allowed):
                return said
    if not allowed and not domain.guessed_texts and (told := _told_first(domain, entity)):
        return told
    if allowed:
        plain = {_bare(value): value for value in allowed}
        return str(next((plain[word] for word in _STARTS if word in plain), allowed[0]))
    shouted = [str(v) for v in (status.schema.get("values") or ())] if status is not None else []
    if shouted and all(value.isupper() for value in shouted):
        first = (value for word in _STARTS for value in shouted if value.lower().replace("_", "") == word)
        return next(first, "PENDING")
    changes = [t for t in domain.tools_on(entity) if t.kind == "transition"]
    mine = {t.verb for t in changes}
    found = (stated_states.told_state(t.description, entity.noun) for t in changes)
    return next(filter(None, found), next((value for verbs, value in _BEFORE if mine & verbs), "open"))


def _told_first(domain: Domain, entity: Entity) -> str:
    """The one state in which all changes of a thing are told to find it, "" if they tell none or several."""
    kinds = ("transition", "update")
    mine = (t for t in domain.tools if domain.own.get(t.name) is entity and t.kind in kinds)
    found = {state for t in mine if (state := stated_states.told_state(t.description, entity.noun))}
    return found.pop() if len(found) == 1 else ""


#: states in which new things are, the earliest first
_STARTS = tuple("new triggered todo notstarted unstarted backlog needsaction pending draft open active enabled".split())
_STARTING = frozenset(_STARTS)
#: what a thing is before a verb of state is used on it
_BEFORE = (
    (frozenset("deactivate suspend unsuspend activate reactivate".split()), "active"),
    (frozenset("publish unpublish".split()), "draft"),
)


def compared_column(entity: Entity, words: tuple[str, ...], p: Parameter) -> Field | None:
    """Return the field that a range filter compares: the named one, else the first moment of the record."""
    numeric = p.type in ("integer", "number")
    fields = [f for f in entity.fields.values() if not f.reference and "enum" not in f.schema]
    fits = [
        f for f in fields if (f.type in ("integer", "number") if numeric else field_types.is_moment(f.name, f.schema))
    ]
    if words == ("on",) and len(fits) > 1:  # ``start_on`` is a day of its own, and which one is compared is not said
        return None
    generic = {"date", "time", "datetime", "at", "timestamp"}
    for f in fits:
        if field_types.name_words(f.name) == words:
            return f
    for f in fits:
        name = field_types.name_words(f.name)
        if words and set(words) - generic and set(words) - generic <= set(name):
            return f
    if numeric or (words and set(words) - generic):
        return None
    return fits[0] if fits else None
