"""Reads that tell facts: keyed records, dated or ranked rows, plain lists, the one record of a kind.

Takes what the ordinary rules left out for want of content or of a key, and keeps only what a seeded table can
show: every required parameter picks rows, bounds their dates or pages through them, and the columns are those
that the tool's output, description or noun names.  Prose, screens, live measurements of a machine,
computations, and views of records that other tools change stay left out.  Each kept tool, or several with the
same noun and keys, gets a table of its own (``Entity.fact``).
"""

from __future__ import annotations

import re

from tvlab.environments.domain import answer_options, fact_fields, field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, FactRows, Field
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, schema_type
from tvlab.environments.drops import Drop
from tvlab.environments.facts import fact_parameters, told_times
from tvlab.environments.language import fact_words, value_families
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings import example_values, filled_promises, read_contents
from tvlab.environments.meanings.meanings import Meaning, Role, UnmodelledError
from tvlab.environments.meanings.steering import said_of

RECOVERED = frozenset(
    {
        "nothing is known of the thing",
        "read of one thing without a key",
        "statistic or report",
        "a part read as its whole",
        "the same answer under another name",
        "no entity in the name",
        "rows under the key of something else",
    }
)
#: taken in only where the noun, the output or a list in the text names what comes back
NAMED_ONLY = frozenset({"a part of the thing that is not modelled", "required parameter without a rule"})
_READING = ("read", "list", "search", "count", "", "unknown")
_OF_MANY = re.compile(
    r"\b(?:each|every|all|historical|history|trends?|series|list of|previous \d+|past \d+"
    r"|\d+[- ]?(?:day|günlük|tage|jours|d[ií]as|天|日|hour|week|month))\b",
    re.IGNORECASE,
)
#: a key put together of others: "in format flow_name/deployment_name"
_IN_A_FORM = re.compile(r"\bin (?:the )?(?:form|format)\b", re.IGNORECASE)
_NO_HEADS = frozenset("item result thing entry record object list all more other one id".split())
#: so many columns tell what a thing holds
_TOLD = 2
_UNIQUE = frozenset("sku slug symbol ticker code number name title email username handle isbn".split())
_FILLERS = frozenset("available supported all list existing detail info information specific".split())


class FactTables:
    """The fact tables of one server, beside what the ordinary rules have kept."""

    def __init__(self, domain: Domain, kept: list[Meaning]) -> None:
        self.domain = domain
        self._kept = kept
        self._used = {name for m in kept for name in _entities_of(m) if name in domain.entities}
        self._used |= {
            f.reference for name in self._used for f in domain.entities[name].fields.values() if f.reference
        }
        self._written = {m.entity.name for m in kept if m.writes} & set(domain.entities)
        self._tables: dict[tuple[object, ...], Entity] = {}

    def recover(self, tool: ParsedTool, drop: Drop) -> Meaning | Drop:
        """Return what a tool tells, or the drop as it was."""
        try:
            if drop.reason in NAMED_ONLY:
                return self._fact(tool, named=True)
            return self._by_other_key(tool) or self._fact(tool)
        except UnmodelledError as problem:
            detail = f"{problem.reason}: {problem.detail}"[:120]
            return Drop(tool.name, "meaning", drop.reason, f"{drop.detail} ({detail})" if drop.detail else detail)

    def _by_other_key(self, tool: ParsedTool) -> Meaning | None:
        """Read a modelled record by another column that is its own: an email, a name, a slug."""
        entity = self.domain.own.get(tool.name)
        needed = [p for p in tool.parameters if p.required]
        if entity is None or entity.name not in self._used or tool.plural or len(needed) != 1:
            return None
        column = entity.field_of(needed[0].words) or entity.field_of(tuple(needed[0].words[-1:]))
        own = column is not None and field_types.name_words(column.name)[-1] in _UNIQUE
        named = tool.target[-1:] == needed[0].words[-1:] and tool.noun == entity.noun
        if column is None or not own or not named or column.type != needed[0].type or column.reference:
            return None
        if _IN_A_FORM.search(said_of(needed[0], tool)):
            return None
        meaning = Meaning(tool, "fact", entity)
        meaning.roles.append(Role(needed[0].path, "filter", needed[0], None, column.name))
        _narrow(meaning, [p for p in tool.parameters if p is not needed[0]])
        return meaning

    def _fact(self, tool: ParsedTool, named: bool = False) -> Meaning:
        self._refuse(tool)
        rows = _tells_rows(tool)
        keys = [p for p in tool.parameters if p.required and self._is_key(p, tool)]
        columns = fact_fields.columns_of(tool)
        if named:  # "historical stock prices" says the thing again
            noun = set(tool.noun)
            columns = {n: s for n, s in columns.items() if n in noun or not set(field_types.name_words(n)) <= noun}
        told = tool.output.get("properties") or fact_fields.usual_columns(tool.noun)
        if named and (not told or len(columns) < _TOLD or not keys or tool.kind == "search" or _has_a_key(tool)):
            raise UnmodelledError("no named quantity", tool.name)
        if not columns and not self._may_be_bare(tool, keys, rows):
            raise UnmodelledError("no named quantity", tool.name)
        if not rows and _OF_MANY.search(tool.description[:240]):
            raise UnmodelledError("one record for what is told of many", tool.name)
        if not rows and any(self._is_key(p, tool) and not p.enum for p in tool.parameters if not p.required):
            raise UnmodelledError("a key that may be left out", tool.name)
        entity = self._table(tool, keys, columns, rows)
        undated = rows and not (entity.fact and entity.fact.dated)
        if named and undated and "name" in entity.fields and "name" not in columns:
            raise UnmodelledError("rows that nothing tells apart", tool.name)
        meaning = Meaning(tool, "list" if rows else "fact", entity)
        meaning.roles += [self._key_role(p, entity) for p in keys]
        for p in tool.parameters:
            if p not in keys:
                self._other(meaning, p, rows)
        _settle(meaning)
        last = any("most recent" in p.description for p in tool.parameters if fact_parameters.limits(p))
        if rows and (last or tells_newest(tool)) and entity.fact and entity.fact.dated:
            meaning.newest = entity.fact.dated
        return meaning

    def _may_be_bare(self, tool: ParsedTool, keys: list[Parameter], rows: bool) -> bool:
        """True if a name alone answers: a plain list of nameable things, or one of them by its id."""
        if read_contents.speaks_of_content(tool) or tool.noun[-1] in _NO_HEADS or not tool.noun[-1].isascii():
            return False
        if rows:
            return tool.plural and not any(field_types.is_moment(p.name, p.schema) for p in keys)
        return len(keys) == 1 and keys[0].is_id and keys[0].id_noun in ((), tool.noun, tool.noun[-1:])

    def _refuse(self, tool: ParsedTool) -> None:
        """Refuse what no table can hold, and what other tools of the server would change."""
        noun = set(tool.noun)
        if not tool.noun or tool.kind not in ("read", "list", "search") or tool.batch:
            raise UnmodelledError("no noun", tool.name)
        known = fact_fields.usual_columns(tool.noun)
        if any(p.type == "object" for p in tool.parameters):
            raise UnmodelledError("an object picks the records", tool.name)
        problem = read_contents.no_table(tool)
        if problem and not (known and problem == "prose, screen or machine"):
            raise UnmodelledError(problem, " ".join(tool.noun))
        if noun & words_of.STATISTICS and not known and len(fact_fields.columns_of(tool)) < 2:
            raise UnmodelledError("statistic or report", " ".join(tool.noun))
        if tool.target and not tool.parameters:
            raise UnmodelledError("a key in the name and none in the schema", " ".join(tool.target))
        written = {self.domain.entities[name].noun[-1] for name in self._written}
        if tool.noun[-1] in written or self._is_view(tool):
            raise UnmodelledError("a view of other records", " ".join(tool.noun))
        derived = {tool.noun[-1]} & fact_words.DERIVED or noun & (fact_words.VIEWS | words_of.STATISTICS)
        if self._written and derived:
            raise UnmodelledError("follows from what other tools write", " ".join(tool.noun))
        if any(t is not tool and t.noun == tool.noun and t.kind not in _READING for t in self.domain.tools):
            raise UnmodelledError("other tools change it", " ".join(tool.noun))

    def _is_view(self, tool: ParsedTool) -> bool:
        """True if the name says some of the records that another kept tool reads: the upcoming matches."""
        rest = tuple(w for w in tool.noun if w not in fact_words.VIEWS | fact_words.RANKED | fact_words.NEWEST)
        return rest != tool.noun and any(self.domain.entities[name].noun == rest for name in self._used)

    def _is_key(self, p: Parameter, tool: ParsedTool) -> bool:
        if fact_parameters.date_bound(p) and not (p.snake in ("from", "to") and fact_parameters.exchanges(tool)):
            return False
        return fact_parameters.picks(p, tool) and not answer_options.is_separated(p)

    def _key_role(self, p: Parameter, entity: Entity) -> Role:
        column = entity.fields[p.name]
        if column.reference:
            return Role(p.path, "reference", p, column.reference, p.name, filters=True)
        return Role(p.path, "filter", p, None, p.name)

    def _target(self, p: Parameter, entity: Entity) -> Entity | None:
        """Return the modelled or hidden entity that a key parameter picks a record of."""
        target = self.domain.reference(p, None)
        if target is None or target.fact is not None or p.enum:
            return None
        family = value_families.said_family(entity.noun)
        if family and not p.is_id and not set(family) & set(target.examples):
            return None
        if target.name in self._used or (target.hidden and p.is_id):
            kind = "integer" if p.type == "number" else p.type
            return target if kind in (target.key_type, "any") else None
        return None

    def _table(self, tool: ParsedTool, keys: list[Parameter], columns: fact_fields.Columns, rows: bool) -> Entity:
        """Return the table of a noun under these keys, new or shared with an earlier tool."""
        sign = (tool.noun, tuple(p.name for p in keys), rows)
        entity = self._tables.get(sign)
        if entity is None:
            entity = self._new_table(tool, keys, rows)
            self._tables[sign] = entity
        for name, schema in (columns or {"name": {"type": "string"}}).items():
            if name != entity.key:
                entity.fields.setdefault(name, Field(name, schema, required=True))
        for name, schema in filled_promises.promised_columns(tool, entity, self.domain).items():
            entity.fields.setdefault(name, Field(name, schema, required=True))
        _date_rows(tool, entity, rows)
        return entity

    def _new_table(self, tool: ParsedTool, keys: list[Parameter], rows: bool) -> Entity:
        noun = tuple(w for w in tool.noun if w not in _FILLERS) or tool.noun
        name = "_".join(noun)
        known = self.domain.entities.get(name)
        if known is not None and (known.fact or name in self._used or self._is_referred_to(name)):
            noun = (*noun, "record")
            while "_".join(noun) in self.domain.entities:
                noun = (*noun[:-1], "more", noun[-1])
        entity = Entity("_".join(noun), noun, f"{'_'.join(noun)}_id", "string", "minted")
        for p in keys:
            target = self._target(p, entity)
            schema = field_types.column(p.schema)
            if target is None and (told := example_values.examples_of(p, said_of(p, tool))):
                schema = {**schema, "examples": list(told)}
            if target is not None:
                schema = {"type": target.key_type}
                entity.parents[p.name] = target.name
            entity.fields[p.name] = Field(p.name, schema, target.name if target else None, True, True)
            entity.fields[p.name].direct = target is not None
        ranked = rows and bool({*tool.noun} & fact_words.RANKED)
        entity.fact = FactRows(tuple(p.name for p in keys), order="rank" if ranked else "", single=not rows)
        entity.pair = tuple(p.name for p in keys)
        self.domain.entities[entity.name] = entity
        return entity

    def _is_referred_to(self, name: str) -> bool:
        return any(f.reference == name for e in self.domain.entities.values() for f in e.fields.values())

    def _other(self, meaning: Meaning, p: Parameter, rows: bool) -> None:
        """Give a parameter that is no key its role among the rows, or narrow it away."""
        if not rows:
            return meaning.narrow(p, "does not change what the call does here")
        counts = fact_parameters.limits(p) or fact_parameters.days_ahead(p, meaning.tool)
        paging = "limit" if counts else words_of.PAGING.get(p.snake, "")
        if paging in ("limit", "offset", "page") and p.type in ("integer", "number"):
            return meaning.roles.append(Role(p.path, paging, p))
        named = meaning.entity.fields.get("_".join(field_types.singular_words(p.words)))
        if answer_options.is_separated(p) or (p.many and schema_type(p.item_schema) == "string"):
            column = named or self._listed_column(meaning, p)
            if column is not None and column.type == "string" and not column.reference:
                op = "in" if p.many else "separated"
                return meaning.roles.append(Role(p.path, "filter", p, None, column.name, op))
            return meaning.narrow(p, "no such field in the records")
        bound, dated = fact_parameters.date_bound(p), meaning.entity.fact.dated if meaning.entity.fact else ""
        if bound and dated:
            return meaning.roles.append(Role(p.path, "filter", p, None, dated, bound))
        query = p.snake in words_of.QUERY_WORDS and p.type == "string" and not p.enum and p.snake != "pattern"
        if query and meaning.entity.text_fields:
            meaning.operation = "search" if p.required else meaning.operation
            return meaning.roles.append(Role(p.path, "query", p))
        column = meaning.entity.field_of(p.words)
        plain = fact_parameters.picks(p, meaning.tool) and p.type == "string"
        if column is not None and plain and column.type == p.type and not column.reference:
            return meaning.roles.append(Role(p.path, "filter", p, None, column.name))
        return meaning.narrow(p, "no such field in the records")


    @staticmethod
    def _listed_column(meaning: Meaning, p: Parameter) -> Field | None:
        """Column that a required list of keys picks rows by: ``symbols`` gives each row a symbol."""
        words = field_types.singular_words(p.words)
        if not p.required or words[-1] not in fact_words.KEY_WORDS:
            return None
        name = "_".join(words)
        entity = meaning.entity
        entity.fields = {name: Field(name, {"type": "string"}, required=True), **entity.fields}
        if entity.fact is not None:
            entity.fact = FactRows((*entity.fact.keys, name), entity.fact.dated, entity.fact.order, True)
        return entity.fields[name]


def recovered(decisions: list[Meaning | Drop], tools: list[ParsedTool], domain: Domain) -> list[Meaning | Drop]:
    """Return the decisions with the facts among the dropped reads."""
    tables = FactTables(domain, [d for d in decisions if isinstance(d, Meaning)])
    by_name = {tool.name: tool for tool in tools}
    return [
        tables.recover(by_name[d.tool], d) if isinstance(d, Drop) and d.reason in RECOVERED | NAMED_ONLY else d
        for d in decisions
    ]


def _has_a_key(tool: ParsedTool) -> bool:
    """True if a tool picks by what no caller knows: an id that no table of facts holds."""
    return any(p.required and (p.is_id or p.many) for p in tool.parameters)


def _entities_of(meaning: Meaning) -> set[str]:
    return {
        name
        for m in (meaning, *meaning.branches.values())
        for name in (m.entity.name, *(r.entity for r in m.roles if r.entity))
    }


def _tells_rows(tool: ParsedTool) -> bool:
    """True if a tool tells several rows: a plural, a history, a list with dates or pages."""
    words = set(tool.noun)
    needed = [p for p in tool.parameters if p.required]
    if tool.kind == "search" and not tool.plural and len(needed) == 1 and needed[0].words == tool.noun:
        return False  # a company by its number
    ranged = any(fact_parameters.date_bound(p) for p in tool.parameters)
    ranged = ranged and not fact_parameters.exchanges(tool)
    limited = any(fact_parameters.limits(p) for p in tool.parameters)
    return (
        tool.plural or tool.kind == "search" or ranged or limited or bool(words & fact_words.SERIES)
        or tool.noun[-1:] == ("list",) or tool.kind == "list"
        or (tool.noun[-1:] == ("forecast",) and not told_times.of_one_day(tool))
        or (tool.noun[-1] == "data" and bool(words & {"daily", "hourly", "weekly"}))
    )  # fmt: skip


def tells_newest(tool: ParsedTool) -> bool:
    """True if a tool promises the newest rows first."""
    told = re.search(r"\b(?:latest|newest|most recent|recent)\b", tool.description[:120], re.IGNORECASE)
    return bool(told or set(tool.noun) & fact_words.NEWEST) and not set(tool.noun) & fact_words.RANKED


def _date_rows(tool: ParsedTool, entity: Entity, rows: bool) -> None:
    """Give rows that are told by date their date, and refuse rows that nothing tells apart."""
    if not rows or entity.fact is None or entity.fact.dated:
        return
    moments = [
        f.name for f in entity.fields.values()
        if f.schema.get("format") in ("date", "date-time") and f.name not in entity.fact.keys
    ]  # fmt: skip
    limits = [p for p in tool.parameters if fact_parameters.limits(p)]
    newest = tells_newest(tool) or any("most recent" in p.description for p in limits)
    ranged = any(fact_parameters.date_bound(p) for p in tool.parameters)
    ranged = ranged or bool(set(tool.noun) & (fact_words.SERIES | {"daily", "hourly", "weekly", "forecast"}))
    times = told_times.of_tool(tool)
    ranged = ranged or times.minutes > 0
    dated = ""
    steps = any(p.required and p.words[-1:] == ("interval",) for p in tool.parameters)
    if moments:
        dated = moments[0]
    elif ranged or newest:
        small = set(tool.noun) & {"minute", "hour", "hourly", "intraday", "trade"}
        fine = steps or 0 < times.minutes < told_times.DAY or small
        dated = "timestamp" if fine else "date"
        form = "date-time" if dated == "timestamp" else "date"
        first = {dated: Field(dated, {"type": "string", "format": form}, required=True)}
        entity.fields = {**{k: entity.fields[k] for k in entity.fact.keys}, **first, **entity.fields}
    entity.fact = FactRows(
        entity.fact.keys, dated, entity.fact.order, False, times.each, times.minutes, "forecast" in tool.noun
    )
    labels = [f for f in entity.fields if f not in entity.fact.keys and f.split("_")[-1] in read_contents.LABELS]
    if not labels and not entity.fact.keys and (label := read_contents.label_of_each(tool)):
        entity.fields = {label: Field(label, {"type": "string"}, required=True), **entity.fields}
        return
    if not dated and not labels:
        entity.fields["name"] = Field("name", {"type": "string"}, required=True)


def _narrow(meaning: Meaning, parameters: list[Parameter]) -> None:
    for p in parameters:
        meaning.narrow(p, "does not change what the call does here")


def _settle(meaning: Meaning) -> None:
    """Keep one way of paging."""
    for kinds in (("limit",), ("offset", "page")):
        for role in meaning.of(*kinds)[1:]:
            meaning.roles.remove(role)
            meaning.narrow(role.parameter, "a second way of paging")
    if any(schema_type(r.parameter.schema) == "any" for r in meaning.roles):
        raise UnmodelledError("a parameter of any type", meaning.tool.name)
