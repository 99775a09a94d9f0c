"""Code of the tools that give a record another natural key: a file at another path, a directory with all below it."""

from __future__ import annotations

import re

from tvlab.environments.writing import rules_writes
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft

_DIRECTORIES = re.compile(r"\bfiles? (?:and|or) (?:director|folder)", re.IGNORECASE)


def write_rename(draft: Draft) -> None:
    """Give a record another natural key and let references follow."""
    old, new = draft.meaning.one("key"), draft.meaning.one("new_key")
    assert old is not None
    assert new is not None
    table, entity = literal(draft.entity.table), draft.entity
    if entity.is_path and not entity.is_container and _DIRECTORIES.search(draft.meaning.tool.description):
        _move_directory(draft, draft.value(old), draft.value(new))
    draft.add(f"{draft.record} = {draft.find(entity, draft.value(old))}")
    draft.add(f"if {draft.value(new)} in state[{table}]:")
    draft.add(f'fail("conflict", {literal(f"this {entity.title} exists already")})', 1)
    draft.add(f"del state[{table}][{draft.value(old)}]")
    draft.add(f"{draft.record} = {{**{draft.record}, {literal(entity.key)}: {draft.value(new)}}}")
    draft.store(draft.value(new))
    for other, column in rules_writes.dependents(draft.domain, entity):
        name, own = literal(column.name), literal(other.table)
        if column.type != "array":
            draft.add(f"for key, row in list(state[{own}].items()):")
            draft.add(f"if row.get({name}) == {draft.value(old)}:", 1)
            draft.add(f"state[{own}][key] = {{**row, {name}: {draft.value(new)}}}", 2)
    draft.add(f"return {draft.record}")


def _move_directory(draft: Draft, old: str, new: str) -> None:
    """Move a directory: what lies below its path lies below the new one then; references follow."""
    entity, path, row, inner = draft.entity, draft.own("path"), draft.own("row"), draft.own("below")
    top, moved, end = draft.own("top"), draft.own("moved"), draft.own("end")
    places = [e for e in draft.domain.entities.values() if e.is_container and e.name in draft.domain.used]
    tables = [entity, *places]
    draft.add(f'{top}, {end} = {old}.rstrip("/"), {new}.rstrip("/")')
    draft.add(f'{inner} = [{path} for {path} in state[{literal(entity.table)}] if {path}.startswith({top} + "/")]')
    known = " or ".join([inner, *(f"{old} in state[{literal(e.table)}]" for e in places)])
    draft.add(f"if ({known}) and {old} not in state[{literal(entity.table)}]:")
    there = f'any({path} == {end} or {path}.startswith({end} + "/") for {path} in state[%s])'
    taken = " or ".join(there % literal(e.table) for e in tables)
    draft.add(f'if {end}.startswith({top} + "/"):', 1)
    draft.add('fail("invalid_arguments", "a directory cannot be moved into itself")', 2)
    draft.add(f"if {taken}:", 1)
    draft.add('fail("conflict", "the destination exists already")', 2)
    for table in tables:
        cells = f"state[{literal(table.table)}]"
        draft.add(f'for {path} in [p for p in {cells} if p == {top} or p.startswith({top} + "/")]:', 1)
        draft.add(f"{row}, {moved} = {cells}[{path}], {end} + {path}[len({top}):]", 2)
        draft.add(f"del {cells}[{path}]", 2)
        draft.add(f"{cells}[{moved}] = {{**{row}, {literal(table.key)}: {moved}}}", 2)
    for other, column in [pair for e in tables for pair in rules_writes.dependents(draft.domain, e)]:
        if column.type != "array":
            cells, cell = f"state[{literal(other.table)}]", literal(column.name)
            draft.add(f"for {path}, {row} in list({cells}.items()):", 1)
            draft.add(f'if (str({row}.get({cell}, "")) + "/").startswith({top} + "/"):', 2)
            draft.add(f"{cells}[{path}] = {{**{row}, {cell}: {end} + {row}[{cell}][len({top}):]}}", 3)
    draft.add(f"return {{{literal(entity.key)}: {new}}}", 1)
