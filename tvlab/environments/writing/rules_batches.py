"""Code of the tools that work on many records, and of those that choose their operation by a parameter.

A batch is all or nothing: the session rolls back when any of its records is refused.
"""

from __future__ import annotations

from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.writing.code_text import docstring, is_name, literal, wrapped
from tvlab.environments.writing.drafts import RESERVED, Draft
from tvlab.environments.writing.rules_writes import mint_call, new_record


def _items(draft: Draft) -> list[Role]:
    return [r for r in draft.meaning.roles if "[]" in r.path]


def _check_item(draft: Draft, role: Role) -> None:
    target = draft.domain.entities[role.entity or ""]
    draft.unless_missing(role, [draft.find(target, draft.value(role))], depth=1)


def write_batch_create(draft: Draft) -> None:
    """Make one record an item."""
    meaning, entity = draft.meaning, draft.entity
    item, content, made = draft.own("item"), draft.own("content"), draft.own("key")
    outer = [r for r in meaning.of("reference", "payload") if "[]" not in r.path]
    draft.check_references([r for r in outer if r.role == "reference"])
    draft.add(f"{draft.records} = []")
    draft.add(f"for {item} in {draft.argument(meaning.wrapper)}:")
    draft.open_items()
    inner = _items(draft)
    for role in inner:
        if role.role == "reference":
            _check_item(draft, role)
    shared = [f"{literal(r.field)}: {draft.value(r)}" for r in outer]
    defaults = [
        f"{literal(r.field)}: {literal(r.parameter.schema['default'])}"
        for r in inner
        if isinstance(r.parameter.schema.get("default"), (str, int, float, bool))
    ]
    if any(len(r.path) == 4 for r in inner):
        cells = [f"{literal(r.field)}: {draft.value(r)}" for r in inner if r.role != "key"]
        own = {r.field for r in inner if r.role != "key"}
        twice = any(r.field in own for r in outer)  # an item may say otherwise than the call that holds it
        parts = [[*shared], [*cells]] if twice else [[*shared, *cells]]
        given_cells = [f"**without_missing({{{', '.join(part)}}})" for part in parts]
        draft.add(f"{content} = {{{', '.join([*defaults, *given_cells])}}}", 1)
    else:
        draft.add(f"{content} = without_missing({{{', '.join([*shared, *defaults, f'**{item}'])}}})", 1)
    given = {r.field for r in [*outer, *inner] if r.field and r.required}
    key = meaning.one("key")
    if key is not None:
        text = draft.key_text(entity, draft.value(key))
        draft.add(f"if {text} in state[{literal(entity.table)}]:", 1)
        draft.add(f'fail("conflict", {literal(f"this {entity.title} exists already")})', 2)
        draft.add(f"{draft.record} = {new_record(draft, draft.value(key), content, given)}", 1)
    else:
        draft.add(f"{made} = {mint_call(draft, content)}", 1)
        draft.add(f"{draft.record} = {new_record(draft, made, content, given)}", 1)
        text = draft.key_text(entity, made)
    draft.add(f"state[{literal(entity.table)}][{text}] = {draft.record}", 1)
    draft.add(f"{draft.records}.append({draft.record})", 1)
    draft.add(f"return {{{literal(entity.table)}: {draft.records}}}")


def write_batch_update(draft: Draft) -> None:
    """Change several records: each item its own way, or all keys alike."""
    meaning, entity = draft.meaning, draft.entity
    key = meaning.one("key")
    assert key is not None
    nested = "[]" in key.path
    outer = [r for r in meaning.of("reference") if "[]" not in r.path]
    draft.check_references(outer)
    each = draft.own("item" if nested else "one")
    draft.add(f"{draft.records} = []")
    draft.add(f"for {each} in {draft.argument(key.path[0])}:")
    draft.open_items()
    one = draft.value(key) if nested else each
    draft.add(f"{draft.record} = {draft.find(entity, one)}", 1)
    for place in draft.places():
        draft.refuse_elsewhere(place, 1)
    content = _item_changes(draft) if nested else draft.content()
    changed = content[1:-1] if content.startswith("{") else f"**{content}"
    draft.add(f"{draft.record} = {{**{draft.record}, {changed}}}", 1)
    draft.add(f"state[{literal(entity.table)}][{draft.key_text(entity, one)}] = {draft.record}", 1)
    draft.add(f"{draft.records}.append({draft.record})", 1)
    draft.add(f"return {{{literal(entity.table)}: {draft.records}}}")


def _item_changes(draft: Draft) -> str:
    """Add the checks of one item and return the expression of what it changes."""
    for role in _items(draft):
        if role.role == "reference":
            _check_item(draft, role)
    cells = [
        f"{literal(r.field)}: {_merged(draft, r)}" for r in _items(draft) if r.role in ("payload", "reference")
    ]
    return f"without_missing({{{', '.join(cells)}}})"


def _merged(draft: Draft, role: Role) -> str:
    """The value of a role of one item; an open object is merged into the stored one."""
    value, p = draft.value(role), role.parameter
    is_open = p.type == "object" and not p.schema.get("properties") and role.role == "payload"
    if not is_open or not p.required or p.words[-1] not in words_of.WRAPPERS:
        return value
    return f"{{**{draft.record}.get({literal(role.field)}, {{}}), **{value}}}"


def branch_name(tool: str, value: str, taken: set[str]) -> str:
    """Return the name of the function of one action."""
    word = "".join(c if c.isascii() and c.isalnum() else "_" for c in value.lower())
    name = f"_{tool}_{word}"
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def dispatcher(draft: Draft, names: dict[str, str]) -> str:
    """Return the function that hands a multiplexed call to its action's function.

    Args:
        draft: the draft of the whole tool.
        names: action value -> name of its function.
    """
    meaning: Meaning = draft.meaning
    action = meaning.roles[0].path[0]
    others = [
        p.name
        for p in meaning.tool.parameters
        if p.name != action and any(r.path[0] == p.name for b in meaning.branches.values() for r in b.roles)
    ]
    plain = [name for name in others if is_name(name) and name not in RESERVED]
    tail = "" if len(plain) == len(others) and is_name(action) and action not in RESERVED else ", **others"
    chosen = action if is_name(action) and action not in RESERVED else f"others[{literal(action)}]"
    head = ([action] if chosen == action else []) + [f"{name}=None" for name in plain]
    star = f", *, {', '.join(head)}" if head else ""
    lines = [
        f"def {draft.name}(state{star}{tail}):",
        f"    {docstring(meaning.tool.description, 'Do one of several things.')}",
    ]
    for value, branch in meaning.branches.items():
        lines.append(f"    if {chosen} == {literal(value)}:")
        inner = Draft(branch, draft.domain)
        for name in inner.parameters:
            if inner._is_required(name):
                lines.append(f"        if {_given(name)} is None:")
                lines.append(f'            fail("invalid_arguments", {literal(f"{value} needs {name}")})')
        cells = ", ".join(f"{literal(name)}: {_given(name)}" for name in inner.parameters)
        given = f", **without_missing({{{cells}}})" if cells else ""
        lines.append(f"        return {names[value]}(state{given})")
    lines.append('    fail("invalid_arguments", "no such action")')
    return "\n".join(wrapped(line) for line in lines) + "\n"


def _given(name: str) -> str:
    return name if is_name(name) and name not in RESERVED else f"others.get({literal(name)})"
