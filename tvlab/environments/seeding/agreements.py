"""What the seeded records of one server must agree on: two columns of one address, directories and their files."""

from __future__ import annotations

import hashlib

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.runtime import State
from tvlab.environments.seeding import kinds as seed_kinds
from tvlab.foundation.words import singular, split_name

_ALLOWED = frozenset("allowed permitted accessible".split())
_FOLDERS = frozenset(("directory", "folder"))


def server_words(domain: Domain) -> frozenset[str]:
    """Return the words of the names of a server's tools."""
    return frozenset(singular(word) for tool in domain.tools for word in split_name(tool.name))


def agree(domain: Domain, names: list[str], state: State) -> None:
    """Let the records of the named entities agree with one another; the state is changed."""
    for name in names:
        entity = domain.entities[name]
        if entity.told:
            _once_a_symbol(domain, entity, state)
        if entity.told and entity.fact is not None:
            continue
        _one_address(entity, state)
        if _ALLOWED & set(entity.noun) and singular(entity.noun[-1]) in _FOLDERS:
            _hold_files(domain, entity, state)


def _once_a_symbol(domain: Domain, entity: Entity, state: State) -> None:
    """Quantities of a company without a date are told once: two rows of them would contradict each other."""
    symbol = next((n for n in ("symbol", "ticker") if n in entity.fields and n != entity.key), "")
    others = [f for n, f in entity.fields.items() if n != symbol]
    if not symbol or entity.fact is not None or any(f.type not in ("number", "integer") for f in others):
        return
    if any(f.reference == entity.name for other in domain.entities.values() for f in other.fields.values()):
        return
    seen: set[object] = set()
    for key, row in list(state[entity.table].items()):
        if row.get(symbol) in seen:
            del state[entity.table][key]
        seen.add(row.get(symbol))


def _one_address(entity: Entity, state: State) -> None:
    """The address of a function under two names is one."""
    key = field_types.name_words(entity.key)
    if key[-1:] != ("address",) or entity.key == "address" or "address" not in entity.fields:
        return
    if not seed_kinds.is_memory(entity.key, entity.noun):
        return
    for row in state[entity.table].values():
        row["address"] = row[entity.key]


def _hold_files(domain: Domain, entity: Entity, state: State) -> None:
    """Directories that a server may use are those in which its files lie."""
    folders = list(dict.fromkeys(
        f"/{key.strip('/').split('/')[0]}"
        for other in domain.entities.values() if other.is_path and other is not entity
        for key in state.get(other.table, {}) if key.strip("/")
    ))  # fmt: skip
    column = next((n for n, f in entity.fields.items() if field_types.name_words(n)[-1:] == ("path",)), "")
    if not folders or not column or column == entity.key or entity.key_type != "string":
        return
    rows = list(state[entity.table].values())
    state[entity.table].clear()
    for at, folder in enumerate(folders):
        token = hashlib.sha256(folder.encode()).hexdigest()[:8]
        row = rows[at] if at < len(rows) else {entity.key: f"dir-{token}"}
        named = {entity.label: folder.strip("/")} if entity.label and entity.label in entity.fields else {}
        state[entity.table][str(row[entity.key])] = {**row, **named, column: folder}
