"""Tables that tools only tell: put in order once it is known which tools are kept, and held against the texts again.

Told is a table of facts, and every table of a server none of whose kept tools writes.  Its columns and keys are of
their own kind (``told_columns.py``, ``told_keys.py``), symbols of one market have one table, and a tool whose text
is not met by what is there is dropped (``doubts/told.py``).
"""

from __future__ import annotations

from dataclasses import replace

from tvlab.environments.domain import field_types, known_things, told_nouns
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.doubts import told as doubts_told
from tvlab.environments.drops import Drop
from tvlab.environments.facts import fact_tables, told_columns, told_key_forms, told_keys, told_measures, told_subjects
from tvlab.environments.language import value_families
from tvlab.environments.meanings import filled_promises, read_contents
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.steering import said_of

_SYMBOLS = frozenset("symbol ticker".split())
#: names of the told tables -> the kept tools that are about them
Told = dict[str, list[Meaning]]


def groomed(decisions: list[Meaning | Drop], domain: Domain) -> list[Meaning | Drop]:
    """Return the decisions with the told tables in order, and a drop for every tool whose text they do not meet."""
    meanings = [d for d in decisions if isinstance(d, Meaning) and d.operation != "compute"]
    told = told_by(meanings)
    free = set(told) | set(domain.entities) - {m.entity.name for m in meanings}
    for name, users in told.items():
        _groom(domain.entities[name], users, domain, told, free)
    told_subjects.share(domain, told)
    return [_judged(d, domain, told) if isinstance(d, Meaning) else d for d in decisions]


def told_by(meanings: list[Meaning]) -> Told:
    """Return the names of the told tables, each with the kept tools that are about it."""
    writing = [m for m in meanings if m.writes or any(b.writes for b in m.branches.values())]
    written = {name for m in writing for one in (m, *m.branches.values()) for name in (one.entity.name, *_picked(one))}
    found: Told = {}
    for meaning in meanings:
        entity = meaning.entity
        fact = entity.fact is not None or (meaning.operation == "fact" and entity.name not in written)
        if (fact or not writing) and not entity.is_path:
            found.setdefault(entity.name, []).append(meaning)
    return {name: users for name, users in found.items() if not any(m.branches for m in users)}


def _picked(meaning: Meaning) -> list[str]:
    return [role.entity for role in meaning.roles if role.entity]


def _judged(meaning: Meaning, domain: Domain, told: Told) -> Meaning | Drop:
    if meaning.entity.name not in told:
        vague = doubts_told.vague_record(meaning) if meaning.operation == "fact" else ""
        return Drop(meaning.tool.name, "meaning", "nothing is known of the thing", vague) if vague else meaning
    reason, found = doubts_told.doubt(meaning, domain)
    return Drop(meaning.tool.name, "meaning", reason, found) if reason else meaning


def _groom(entity: Entity, users: list[Meaning], domain: Domain, told: Told, free: set[str]) -> None:
    entity.told = True
    if not domain.guessed_texts:
        told_subjects.name_once(entity, users)
    text = " ".join(_text(m) for m in users)
    spoken = " ".join(f"{' '.join(m.tool.noun)} {m.tool.description}" for m in users)
    used = {r.field for m in users for r in m.roles if r.field} | {m.newest for m in users} | set(entity.pair)
    used |= {name for name in (entity.fact.dated, *entity.fact.keys) if name} if entity.fact else set()
    said, context = _said(entity, users), " ".join(tool.description for tool in domain.tools)
    for meaning in users:
        _one_market(meaning, domain, told, context, free)
        for name, schema in told_nouns.columns_of(meaning.tool, entity).items():
            entity.fields.setdefault(name, Field(name, schema, required=True))
        for name, schema in filled_promises.promised_columns(meaning.tool, entity, domain).items():
            entity.fields.setdefault(name, Field(name, schema, required=True))
        measures = {} if domain.guessed_texts else told_measures.columns_of(meaning.tool, entity)
        for name, schema in measures.items():
            entity.fields.setdefault(name, Field(name, schema, required=True))
    _loosen(entity, used, told, domain)
    _typed_keys(entity, said.get(entity.key, ""), "" if domain.guessed_texts else f"{text} {context}")
    if label := _label(entity, users):
        entity.fields = {label: Field(label, {"type": "string"}, required=True), **entity.fields}
    told_columns.groom(entity, used, (text, spoken, context), said)
    for meaning in users:
        _newest_first(meaning)
        _narrow(meaning)
    for column in entity.fields.values():
        column.required = column.required or not column.reference
    bare = all(f.reference for f in entity.fields.values()) and entity.key_kind == "minted" and not entity.hidden
    if bare and all(m.operation in ("list", "search") for m in users):
        entity.fields["name"] = Field("name", {"type": "string"}, required=True)
        told_columns.groom(entity, {"name", *used}, (text, spoken, context), said)


def _typed_keys(entity: Entity, said: str, context: str = "") -> None:
    """Let the keys that a text gives as examples be keys, ``bitcoin`` of an id of coins, and those of its form."""
    if context and entity.key_kind == "minted" and entity.key_type == "string":
        formed = told_key_forms.hashed(said)
        if told_key_forms.is_address(said):
            ledger = "solana" if "mint" in f"{said} {entity.key}".lower() else "blockchain"
            formed = formed or told_keys.addresses(("address",), f"{said} {context} {ledger}")
        if formed:
            entity.key_kind, entity.examples, entity.told = "natural", formed, True
            return
    told = told_keys.told_examples(said) if entity.key_kind == "minted" and entity.key_type == "string" else []
    chains = {"network", "chain", "blockchain"} & set(entity.noun)
    family = told_keys.CHAINS if chains and set(told) & set(told_keys.CHAINS) else value_families.family_of(told)
    if family or len(told) > 1:
        entity.key_kind, entity.examples = "natural", tuple(dict.fromkeys((*told, *family)))
        entity.told = True
    elif told:
        entity.special = entity.special or told[0]


def _label(entity: Entity, users: list[Meaning]) -> str:
    """Return ``name`` if rows that a list tells bear no word for what they are of, "" if they do or are of a date."""
    listed = any(m.operation in ("list", "search") and m.tool.plural for m in users)
    if known_things.columns(entity.noun):
        return ""
    if not listed or entity.key_kind == "natural" or entity.hidden or (entity.fact and entity.fact.dated):
        return ""
    if any(field_types.name_words(n)[-1] in read_contents.LABELS for n, f in entity.fields.items() if not f.reference):
        return ""
    moments = any(f.schema.get("format") in ("date", "date-time") for f in entity.fields.values())
    given = entity.fact is not None and bool(entity.fact.keys)
    own = {field_types.name_words(n)[-1] for n in entity.fields} & {entity.noun[-1]}
    return "" if moments or given or own or "name" in entity.fields else "name"


def _loosen(entity: Entity, used: set[str], told: Told, domain: Domain) -> None:
    """A symbol beside the key is plain: the table of all symbols is told by no tool."""
    for column in entity.fields.values():
        target = domain.entities.get(column.reference or "")
        if target is None or target.name in told or column.name in used or target.key_kind != "natural":
            continue
        if field_types.name_words(target.key)[-1] in _SYMBOLS:
            column.reference = None
            entity.parents.pop(column.name, None)


def _narrow(meaning: Meaning) -> None:
    """Take away optional filters whose values are of no known kind: nobody could give one that finds anything."""
    for role in list(meaning.roles):
        column = meaning.entity.fields.get(role.field or "")
        if role.role != "filter" or role.parameter.required or column is None or column.type != "string":
            continue
        compared = column.reference is None and role.op in ("==", "in", "separated", "contains")
        if compared and not told_columns.is_plausible(meaning.entity, column):
            meaning.roles.remove(role)
            meaning.narrow(role.parameter, "values of an unknown kind")


def _newest_first(meaning: Meaning) -> None:
    """Put the newest rows first where a list of dated rows promises the latest ones."""
    if (
        meaning.operation != "list"
        or meaning.newest
        or meaning.of("sort")
        or not fact_tables.tells_newest(meaning.tool)
    ):
        return
    dates = [f.name for f in meaning.entity.fields.values() if f.schema.get("format") in ("date", "date-time")]
    meaning.newest = next((name for name in dates if name.startswith(("publish", "date", "timestamp"))), "")


def _text(meaning: Meaning) -> str:
    """Name, description and the texts of all parameters of a tool."""
    tool = meaning.tool
    return " ".join([" ".join(tool.noun), tool.description, *(p.description for p in tool.parameters)])


def _said(entity: Entity, users: list[Meaning]) -> dict[str, str]:
    """What the texts of parameters say of the columns that they are compared with."""
    said: dict[str, str] = {}
    for meaning in users:
        for role in meaning.roles:
            name = role.field or role.parameter.name
            said[name] = f"{said.get(name, '')} {said_of(role.parameter, meaning.tool)}".strip()
    return said


def _one_market(meaning: Meaning, domain: Domain, told: Told, context: str, free: set[str]) -> None:
    """Let the symbols that a tool takes be those of its own market, where one untold table holds several."""
    entity, tool = meaning.entity, meaning.tool
    for at, role in enumerate(meaning.roles):
        target = domain.entities.get(role.entity or "")
        key = role.role == "key" and target is entity and entity.key in entity.fields
        if key:
            target = domain.entities.get(entity.fields[entity.key].reference or "")
        if target is not None and role.role == "reference" and target.name in free:
            _typed_keys(target, said_of(role.parameter, tool))
        if target is None or target.key_kind != "natural":
            continue
        if role.role not in ("reference", "key") or (role.field or entity.key) not in entity.fields:
            continue
        said = said_of(role.parameter, tool)
        text = _text(meaning)
        symbols = field_types.name_words(target.key)[-1] in _SYMBOLS
        if target.name in told and not (symbols and target is not entity and _differ(target, told, said, text)):
            continue
        if not symbols:
            target.examples = told_keys.keys_of(target.key, target.noun, text, said, context) or target.examples
            continue
        if key:
            del entity.fields[entity.key]
            entity.parents.pop(entity.key, None)
            continue
        if not role.required:
            meaning.roles[at] = replace(role, role="filter", entity=None, filters=False, also=())
            entity.fields[role.field or ""].reference = None
            entity.parents.pop(role.field or "", None)
            continue
        market = _market_table(told_keys.symbols(said, text), target, domain)
        meaning.roles[at] = replace(role, entity=market.name)
        _point(entity, role, market)


def _differ(target: Entity, told: Told, said: str, text: str) -> bool:
    """True if a told table has the symbols of another market than the one that a tool speaks of."""
    own = " ".join(_text(m) for m in told[target.name])
    there = told_keys.symbols(_said(target, told[target.name]).get(target.key, ""), own)
    return there[0] not in told_keys.symbols(said, text)


def _market_table(keys: tuple[str, ...], target: Entity, domain: Domain) -> Entity:
    """Return the hidden table of the symbols of one market."""
    noun = (told_keys.market_of(keys), "symbol")
    name = "_".join(noun)
    known = domain.entities.get(name)
    if known is not None and known.hidden:
        return known
    market = Entity(name, noun, target.key, target.key_type, "natural", hidden=True, examples=keys, told=True)
    return domain.entities.setdefault(name, market)


def _point(entity: Entity, role: Role, market: Entity) -> None:
    column = entity.fields[role.field or ""]
    column.reference = market.name
    if column.name in entity.parents:
        entity.parents[column.name] = market.name
