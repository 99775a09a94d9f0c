"""Keys that may be given in another form: "ID or name of the table", "by id or e-mail".

Where records hold the other form, the code accepts any of them, exactly as they stand; ``open_keys`` writes the
line that turns it into the key.  Where they do not, the record gets the column, if it is a name, an e-mail, a user
name, a title, a number or a slug; other forms (fuzzy names, paths, invite codes) refuse the tool (``doubts/rules.py``).
"""

from __future__ import annotations

import re
from dataclasses import replace

from tvlab.environments.domain.alternative_schemas import one_text
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.language.wrapped_lines import without_brackets
from tvlab.environments.meanings.meanings import TAKES_ONE, Meaning, Role
from tvlab.environments.meanings.steering import said_of
from tvlab.environments.writing.code_text import literal
from tvlab.environments.writing.drafts import Draft

_FORMS = ("email", "username", "name", "number", "slug", "title", "key")
_SAID = {"e-mail": "email", "mail": "email", "user name": "username", "display name": "name", "full name": "name"}
_OTHER = r"(?:full name|display name|user ?name|name|number|e-?mail|slug|title|url|alias|login|handle|code|key|phone)"
_EITHER = re.compile(
    rf"\b(?:id|uuid|gid|key|identifier|jid)s?\b[`\"')]*,? (?:or|and/or) (?:the |its |a |an |exact "
    rf"|full )*(?P<one>{_OTHER})\b"
    rf"|\b(?P<two>name|number|email|slug|username|title)s?\b,? or (?:the |its |a |an )*(?:\w+ )?(?:id|uuid|gid)\b"
    r"|\b(?:id|uuid)s\b,? or (?:[a-z]+ )?(?P<five>names)\b"
    r"|(?P<many>\be-?mail\b[^\n]{0,60}\b(?:username|account id|accountid)\b)"
    r"|\bby \w+_?id or (?P<three>\w+_id)\b|\b\w+_id or (?P<four>\w+_id)\b",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"\bfuzzy\b|\bpartial|\bcase[- ]insensitive\b|\bbest match\b|\bfirst (?:match|keyword)", re.IGNORECASE
)
_WRITTEN = ("read", "update", "delete", "transition", "create", "send", "list", "search", "count", "upsert",
            "batch_delete", "batch_update", "batch_create")


def settle(meaning: Meaning, domain: Domain) -> None:
    """Give keys and required references the columns that they may be given by as well."""
    _take_one(meaning, domain)
    if meaning.operation not in _WRITTEN or meaning.branches:
        return
    roles = [r for r in meaning.roles if r.role == "key" or (r.role == "reference" and r.required)]
    for role in roles:
        if len(role.path) == 1 and role.op == "==" and not role.also:
            also = _columns(role, meaning, domain, len(meaning.of("key")) == 1 and role.role == "key")
            if also:
                meaning.roles[meaning.roles.index(role)] = replace(role, also=also)


def _take_one(meaning: Meaning, domain: Domain) -> None:
    """Say where one id is taken alone, though the real tool takes a list of them as well."""
    for role in meaning.roles if not domain.guessed_texts else ():
        plain = role.role in ("key", "reference", "filter") and role.op == "==" and len(role.path) == 1
        if plain and one_text(role.parameter.schema) is not None:
            meaning.narrowed.append((role.path[0], TAKES_ONE))


def _columns(role: Role, meaning: Meaning, domain: Domain, alone: bool) -> tuple[str, ...]:
    target = domain.entities.get(role.entity or "")
    single = one_text(role.parameter.schema)
    said = said_of(role.parameter, meaning.tool) or str((single or {}).get("description") or "")
    text = f"{said}\n{meaning.tool.description[:300] if alone else ''}"
    match = _EITHER.search(text) or _EITHER.search(without_brackets(text))
    kind = "string" if single is not None else role.parameter.type
    if target is None or match is None or target.is_path or kind != "string" or _LOOSE.search(text):
        return ()
    given = match["one"] or match["two"] or match["three"] or match["four"] or match["five"]
    given = "name" if match["five"] else given
    if (match["three"] or match["four"]) and meaning.tool.parameter(given) is not None:
        return ()
    words = ["email", "username"] if match["many"] else [given]
    found = [_column(_SAID.get(word.lower(), word.lower()), target) for word in words]
    return tuple(name for name in found if name) if all(found) else ()


def _column(word: str, target: Entity) -> str:
    """The column of the other form, made if it is a plain one; "" if there can be none."""
    known = target.field_of(tuple(word.split("_"))) or (target.fields.get(target.label) if word == "name" else None)
    if known is None and word == "number":
        known = next((f for n, f in target.fields.items() if n.lower().endswith("_number")), None)
    if known is not None:
        return known.name if known.type == "string" else ""
    if word not in _FORMS or target.hidden or word == target.key:
        return ""
    target.fields[word] = Field(word, {"type": "string"}, required=True)
    return word


def open_keys(draft: Draft) -> None:
    """Add the lines that turn another form of a key into the key."""
    _open_items(draft)
    for role in draft.meaning.roles:
        if not role.also or role.role in ("query", "filter") or len(role.path) != 1:
            continue
        if draft.argument(role.path[0]) != role.path[0]:
            continue
        target = draft.domain.entities[role.entity or ""]
        name, row = role.path[0], draft.own("row")
        forms = ", ".join(f"{row}.get({literal(column)})" for column in role.also)
        test = f"{name} == {forms}" if len(role.also) == 1 else f"{name} in [{forms}]"
        key = f"{row}[{literal(target.key)}]"
        line = (
            f"{name} = next(({key} for {row} in state[{literal(target.table)}].values() "
            f"if {test}), {name})"
        )
        draft.unless_missing(role, [line])


def _open_items(draft: Draft) -> None:
    """Give each item of a batch its key where it names its record by the other one."""
    key, other = draft.meaning.one("key"), draft.meaning.one("other_key")
    if key is None or other is None:
        return
    items, item, row = draft.argument(key.path[0]), draft.own("item"), draft.own("row")
    own, name = literal(key.path[-1]), literal(other.path[-1])
    named = f"{name} in {item} and {row}.get({literal(other.field)}) == {item}[{name}]"
    rows = f"state[{literal(draft.entity.table)}].values()"
    found = f"next(({row}[{literal(draft.entity.key)}] for {row} in {rows} if {named}), None)"
    draft.add(f"{items} = [{{**{item}, {own}: {item}.get({own}) or {found}}} for {item} in {items}]")
