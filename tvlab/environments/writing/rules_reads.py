"""Code of the tools that only read: one record, lists with filters and paging, search, counts."""

from __future__ import annotations

import re

from tvlab.environments.domain import answer_options
from tvlab.environments.language import stated_paging
from tvlab.environments.meanings import told_defaults
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.steering import said_of
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft

DEFAULT_PAGE = 10


def write_read(draft: Draft) -> None:
    """Return the record under the key, or the one field of it that the tool is about."""
    key = draft.meaning.one("key")
    assert key is not None
    if draft.meaning.column:
        draft.find_own(key)
        names = dict.fromkeys((draft.entity.key, *(p.field or "" for p in draft.places()), draft.meaning.column))
        parts = ", ".join(f"{literal(name)}: {draft.record}.get({literal(name)})" for name in names)
        draft.add(f"return {{{parts}}}")
        return
    if not draft.places():
        draft.add(f"return {draft.find(draft.entity, draft.value(key))}")
        return
    draft.find_own(key)
    draft.add(f"return {draft.record}")


def write_fact(draft: Draft) -> None:
    """Return the record that agrees in all given fields, the only one if none is given."""
    if not draft.meaning.roles:
        draft.add(f"return next(iter(state[{literal(draft.entity.table)}].values()))")
        return
    draft.find_matching()
    draft.add(f"return {draft.record}")


def write_batch_read(draft: Draft) -> None:
    """Return the records under the keys; one unknown key refuses the call."""
    key = draft.meaning.one("key")
    assert key is not None
    draft.check_references(list(draft.meaning.of("reference")))
    one = draft.own("one")
    draft.add(f"{draft.records} = [{draft.find(draft.entity, one)} for {one} in {draft.keys(key)}]")
    for role in draft.meaning.of("reference", "filter"):
        draft.add(f"if any(row.get({literal(role.field)}) != {draft.value(role)} for row in {draft.records}):")
        draft.add(f'fail("not_found", {literal(f"no such {draft.entity.title} there")})', 1)
    draft.add(f"return {{{literal(draft.entity.table)}: {draft.records}}}")


def write_list(draft: Draft) -> None:
    """Return the records that pass the filters, sorted and cut as the arguments say."""
    meaning = draft.meaning
    draft.add(f"{draft.records} = list(state[{literal(draft.entity.table)}].values())")
    for role in meaning.roles:
        if role.role in ("filter", "reference", "query", "within"):
            _select(draft, role)
            _refuse_nothing(draft, role)
    if meaning.operation == "count":
        draft.add(f'return {{"count": len({draft.records})}}')
        return
    _sort(draft)
    _newest_first(draft)
    _cut(draft)


def _refuse_nothing(draft: Draft, role: Role) -> None:
    """Refuse a fact of which there are no rows, after the last of its keys."""
    fact = draft.entity.fact
    keys = [r for r in draft.meaning.roles if fact is not None and r.field in fact.keys]
    if all(r.role == "reference" for r in keys):  # that they are known has been looked at: there are none of it
        return
    if fact is None or not role.required or role.field != (fact.keys or ("",))[-1]:
        return
    draft.add(f"if not {draft.records}:")
    draft.add(f'fail("not_found", {literal(f"no such {draft.entity.title}")})', 1)


def _newest_first(draft: Draft) -> None:
    if draft.meaning.newest:
        row, date = draft.own("row"), literal(draft.meaning.newest)
        order = f'key=lambda {row}: {row}.get({date}) or "", reverse=True'
        draft.add(f"{draft.records} = sorted({draft.records}, {order})")


def _select(draft: Draft, role: Role) -> None:
    records, row = draft.records, draft.own("row")
    value = draft.value(role)
    lines = []
    if role.role == "within":
        lines.append(draft.find(draft.domain.entities[role.entity or ""], value))
    if role.role == "reference":
        target = draft.domain.entities[role.entity or ""]
        one = draft.own("one")
        given = value if role.op == "in" else _separated(draft, value)
        many = [f"for {one} in {given}:", f"    {draft.find(target, one)}"]
        lines += many if role.op in ("in", "separated") else [draft.find(target, value)]
    lines.append(f"{records} = [{row} for {row} in {records} if {_condition(draft, role, row, value)}]")
    if role.op == "in" and not draft.always(role):
        draft.add(f"if {value}:")
        for line in lines:
            draft.add(line, 1)
    else:
        draft.unless_missing(role, lines)


def _separated(draft: Draft, value: str) -> str:
    part = draft.own("part")
    return f'[{part}.strip() for {part} in {value}.split(",")]'


def _condition(draft: Draft, role: Role, row: str, value: str) -> str:
    if role.role == "query":
        return f"contains({row}, {literal(role.also or tuple(draft.entity.text_fields))}, {value})"
    cell = f"{row}.get({literal(role.field)})"
    if role.op == "contains":
        return f"contains({row}, {literal((role.field,))}, {value})"
    if role.op == "separated":
        return f"{cell} in {_separated(draft, value)}"
    if role.role == "within":
        inside = f'{row}[{literal(role.field)}].startswith({value}.rstrip("/") + "/")'
        deep = draft.meaning.operation == "search"
        return inside if deep else f'{row}[{literal(role.field)}].rpartition("/")[0] == {value}.rstrip("/")'
    if role.op in ("==", "in"):
        return f"{cell} {role.op} {value}"
    if role.also:  # what has no end lies where it begins
        cell = f"({cell} or {row}.get({literal(role.also[0])}))"
    given = f"{cell} is not None and "
    if role.parameter.type == "string":
        if _finer(draft, role):
            return f"{given}{cell}[: len({value})] {role.op} {value}[: len({cell})]"
        return f"{given}{cell}[: len({value})] {role.op} {value}"
    return f"{given}{cell} {role.op} {value}"


def _finer(draft: Draft, role: Role) -> bool:
    """True if a point in time may be given where the column holds days: the day itself is inside."""
    column = draft.entity.fields.get(role.field or "")
    p = role.parameter
    told = p.schema.get("format") == "date-time" or _TIMES.search(said_of(p, draft.meaning.tool))
    return bool(told) and column is not None and column.schema.get("format") != "date-time"


_TIMES = re.compile(r"\bRFC ?3339\b|\bdate-?time\b|\btimestamp\b|T00:00|T\d\d:\d\d|\bTHH:MM", re.IGNORECASE)


def _sort(draft: Draft) -> None:
    sort, direction = draft.meaning.one("sort"), draft.meaning.one("direction")
    if sort is None:
        return
    value, row = draft.value(sort), draft.own("row")
    reverse = ""
    if direction is not None:
        down = tuple(v for v in direction.parameter.enum if str(v).lower().startswith("desc"))
        reverse = f", reverse={draft.value(direction)} in {literal(down)}"
    order = f"key=lambda {row}: ({row}.get({value}) is None, {row}.get({value}))"
    draft.unless_missing(sort, [f"{draft.records} = sorted({draft.records}, {order}{reverse})"])


def _cut(draft: Draft) -> None:
    meaning, records = draft.meaning, draft.records
    limit, offset = meaning.one("limit"), meaning.one("offset")
    number, cursor = meaning.one("page"), meaning.one("cursor")
    size = _integer(draft, limit) if limit is not None else None
    table = literal(draft.entity.table)
    if number is not None:
        size = _page_size(draft, limit, size)
        base = 0 if answer_options.counts_from_zero(number.parameter.schema) else 1
        first = _page_number(draft, number, base)
        draft.add(f"return {{{table}: one_page({records}, {size}, {first} * {size})}}")
    elif cursor is not None:
        _cut_by_cursor(draft, cursor, _page_size(draft, limit, size))
    elif offset is not None:
        size = _or_all(limit, size, meaning)
        start = _integer(draft, offset)
        start = start if draft.always(offset) else f"{start} or 0"
        draft.add(f"return {{{table}: one_page({records}, {size}, {start})}}")
    elif limit is not None:
        draft.add(f"return {{{table}: one_page({records}, {_or_all(limit, size, meaning)})}}")
    else:
        draft.add(f"return {{{table}: {records}}}")


def _or_all(limit: Role | None, size: str | None, meaning: Meaning) -> str | None:
    """The length of a page, or none where 0 is told, or a usual -1 says, that it is all that is left."""
    told = limit is not None and stated_paging.zero_is_all(said_of(limit.parameter, meaning.tool))
    usual = limit.parameter.schema.get("default") if limit is not None else None
    if isinstance(usual, int) and usual < 0:
        return f"None if {size} is None or {size} < 0 else {size}"
    return f"{size} or None" if told else size


def _integer(draft: Draft, role: Role) -> str:
    value = draft.value(role)
    if role.parameter.type != "number":
        return value
    return f"int({value})" if draft.always(role) else f"({value} and int({value}))"


def _page_size(draft: Draft, limit: Role | None, size: str | None) -> str:
    if limit is None or size is None:
        return str(DEFAULT_PAGE)
    if draft.always(limit):
        return size
    name = draft.own("size")
    usual = told_defaults.told_size(limit, draft.meaning) or DEFAULT_PAGE
    draft.add(f"{name} = {usual} if {draft.value(limit)} is None else {size}")
    return name


def _page_number(draft: Draft, number: Role, base: int) -> str:
    value = _integer(draft, number)
    if not draft.always(number):
        value = f"({value} or {base})" if base else f"({value} or 0)"
    return f"max(0, {value} - {base})" if base else value


def _cut_by_cursor(draft: Draft, cursor: Role, size: str) -> None:
    records, value = draft.records, draft.value(cursor)
    start, found = draft.own("start"), draft.own("found")
    if stated_paging.is_last_key(said_of(cursor.parameter, draft.meaning.tool)):
        return _cut_after_key(draft, cursor, size)
    draft.add(f"{start} = 0")
    draft.unless_missing(
        cursor,
        [
            f"if not {value}.isdigit():",
            '    fail("invalid_arguments", "unknown cursor")',
            f"{start} = int({value})",
        ],
    )
    draft.add(f"{found} = {{{literal(draft.entity.table)}: one_page({records}, {size}, {start})}}")
    draft.add(f"if {start} + {size} < len({records}):")
    draft.add(f'{found}["next_cursor"] = str({start} + {size})', 1)
    draft.add(f"return {found}")
    return None


def _cut_after_key(draft: Draft, cursor: Role, size: str) -> None:
    """Cut a page after the record whose key is given: the last one of the page before."""
    records, value, table = draft.records, draft.value(cursor), literal(draft.entity.table)
    start, found, keys, row = (draft.own(name) for name in ("start", "found", "keys", "row"))
    draft.add(f"{keys} = [str({row}[{literal(draft.entity.key)}]) for {row} in {records}]")
    draft.add(f"{start} = 0")
    lines = [
        f"if {value} not in {keys}:",
        '    fail("not_found", "unknown cursor")',
        f"{start} = {keys}.index({value}) + 1",
    ]
    draft.unless_missing(cursor, lines)
    draft.add(f"{found} = {{{table}: one_page({records}, {size}, {start})}}")
    draft.add(f"if 0 < {size} < len({records}) - {start}:")
    draft.add(f'{found}["next_cursor"] = {keys}[{start} + {size} - 1]', 1)
    draft.add(f"return {found}")
