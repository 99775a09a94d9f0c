"""The draft of one generated function: signature, names, and the lines that most rules share.

Everything from a schema enters the code as a literal (``literal``) or as a name that was checked to be an
identifier; nothing is pasted.  Names that the module itself needs, or that an environment may not use, are
read from ``others``.
"""

from __future__ import annotations

from typing import Any

from tvlab.environments.domain.answer_options import allows_null
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.environment import function_name
from tvlab.environments.language import descriptions
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings import nested_defaults, told_defaults
from tvlab.environments.meanings.meanings import REQUIRED_NOW, Meaning, Role
from tvlab.environments.writing.code_text import docstring, is_name, literal, wrapped

#: names that generated code uses itself or that ``environment.py`` forbids
RESERVED = frozenset(
    "state others find fail now mint contains one_page without_missing with_inner_defaults str int len list dict "
    "sorted any all next isinstance enumerate eval exec compile open input globals locals vars getattr setattr delattr "
    "breakpoint exit "
    "quit memoryview self".split()
)


class Draft:
    """Lines of one function, with the names it uses."""

    reserved = RESERVED

    def __init__(self, meaning: Meaning, domain: Domain, name: str | None = None) -> None:
        self.meaning = meaning
        self.domain = domain
        self.entity = meaning.entity
        self.name = name or function_name(meaning.tool.name)
        self.lines: list[str] = []
        self.parameters = list(dict.fromkeys(role.path[0] for role in meaning.roles))
        self.record = self._local(self.entity.name, "record")
        self.records = self._local(self.entity.table, "records")

    def _local(self, wanted: str, fallback: str) -> str:
        if is_name(wanted) and wanted not in self.parameters and wanted not in self.reserved:
            return wanted
        return fallback if fallback not in self.parameters else f"found_{fallback}"

    def own(self, name: str) -> str:
        """Return a local name that is no parameter."""
        return name if name not in self.parameters else f"{name}_"

    def add(self, text: str, depth: int = 0) -> None:
        """Add a line; ``depth`` counts blocks inside the function body."""
        self.lines.append("    " * (depth + 1) + text)

    # arguments

    def argument(self, name: str) -> str:
        """Return the expression of a top-level argument."""
        if is_name(name) and name not in self.reserved:
            return name
        return f"others[{literal(name)}]" if self._is_required(name) else f"others.get({literal(name)})"

    def value(self, role: Role) -> str:
        """Return the expression of a role's value: an argument, or a property of a wrapper or of an item."""
        if len(role.path) == 1:
            return self.argument(role.path[0])
        holder = self.own("item") if "[]" in role.path else self.argument(role.path[0])
        if "[]" not in role.path and not self._is_required(role.path[0]):
            holder = f"({holder} or {{}})"
        if len(role.path) == 4:
            holder = self.own("inner")
        part = literal(role.path[-1])
        return f"{holder}[{part}]" if role.required else f"{holder}.get({part})"

    def keys(self, role: Role) -> str:
        """Return the expression of the keys of a batch: the list itself, or one key out of each item."""
        if "[]" not in role.path:
            return self.value(role)
        item = self.own("item")
        return f"[{item}[{literal(role.path[-1])}] for {item} in {self.argument(role.path[0])}]"

    def open_items(self) -> None:
        """Add the line that takes the wrapper object out of an item of a batch."""
        role = next((r for r in self.meaning.roles if len(r.path) == 4), None)
        if role is None:
            return
        top = self.meaning.tool.parameter(role.path[0])
        name, item = role.path[2], self.own("item")
        needed = top is not None and name in top.item_schema.get("required", [])
        value = f"{item}[{literal(name)}]" if needed else f"{item}.get({literal(name)}) or {{}}"
        self.add(f"{self.own('inner')} = {value}", 1)

    def always(self, role: Role) -> bool:
        """True if the value is never missing: required, or with a default."""
        if len(role.path) > 1:
            return role.required
        if role.role in ("limit", "offset", "page", "filter", "query", "sort") and allows_null(role.parameter.schema):
            return False
        return self._is_required(role.path[0]) or self._default(role.path[0]) is not None

    def _is_required(self, name: str) -> bool:
        key = self.meaning.one("key")
        if key is not None and key.path[0] == name and self.meaning.operation in ("read", "update"):
            return True
        if (name, REQUIRED_NOW) in self.meaning.narrowed:
            return True
        return any(r.path[0] == name and self._top(r) for r in self.meaning.roles)

    def _top(self, role: Role) -> bool:
        top = self.meaning.tool.parameter(role.path[0])
        return bool(top and top.required)

    def _default(self, name: str) -> Any:
        """Declared default of an argument, if the operation applies it."""
        p = self.meaning.tool.parameter(name)
        known = applied_default(self.meaning, name, p.schema if p else {})
        role = next((r for r in self.meaning.roles if r.path == (name,)), None)
        if known is not None or role is None:
            return known
        return told_defaults.told_default(role, self.meaning, self.domain.entities.get(role.entity or ""))

    def head(self, public: bool = True) -> list[str]:
        """Return the ``def`` line and the lines that put other defaults in place."""
        parts, extra, hidden = [], [], False
        for name in sorted(self.parameters, key=lambda n: not self._is_required(n)):
            default = self._default(name)
            if not is_name(name) or name in self.reserved:
                hidden = True
                if default is not None and not self._is_required(name):
                    extra.append(f"    others = {{{literal(name)}: {literal(default)}, **others}}")
            elif self._is_required(name):
                parts.append(name)
            elif isinstance(default, (list, dict)):
                parts.append(f"{name}=None")
                extra.append(f"    {name} = {literal(default)} if {name} is None else {name}")
            else:
                parts.append(f"{name}={literal(default)}")
        arguments = ", ".join(parts)
        star = "*, " if parts else ""
        tail = ", **others" if hidden else ""
        return [f"def {self.name}(state{', ' if parts else ''}{star}{arguments}{tail}):", *extra]

    def text(self, title: str | None = None) -> str:
        """Return the source of the function."""
        first, *extra = self.head()
        doc = docstring(title or self.meaning.tool.description, f"{self.meaning.tool.verb} {self.entity.title}".strip())
        return "\n".join(map(wrapped, [first, f"    {doc}", *extra, *self.lines])) + "\n"

    # lines that many rules share

    def key_text(self, entity: Entity, value: str) -> str:
        """Return the expression of a table key: keys are text in every table."""
        return f"str({value})" if entity.key_type == "integer" else value

    def find(self, entity: Entity, value: str) -> str:
        """Return the call that finds a record or refuses."""
        return f"find(state, {literal(entity.table)}, {self.key_text(entity, value)}, {literal(entity.title)})"

    def unless_missing(self, role: Role, lines: list[str], depth: int = 0) -> None:
        """Add lines that run only if an optional value was given."""
        if self.always(role):
            for line in lines:
                self.add(line, depth)
        else:
            self.add(f"if {self.value(role)} is not None:", depth)
            for line in lines:
                self.add(line, depth + 1)

    def check_references(self, roles: list[Role]) -> None:
        """Refuse references to records that do not exist."""
        for role in roles:
            target = self.domain.entities[role.entity or ""]
            if "[]" in role.path:
                self._check_items(role, target)
            elif role.op == "in":
                one = self.own("one")
                loop = [f"for {one} in {self.value(role)}:", f"    {self.find(target, one)}"]
                self.unless_missing(role, loop)
            else:
                self.unless_missing(role, [self.find(target, self.value(role))])

    def _check_items(self, role: Role, target: Entity) -> None:
        top = self.argument(role.path[0])
        depth = 0
        if not self._is_required(role.path[0]) and self._default(role.path[0]) is None:
            top = f"{top} or []"
        self.add(f"for {self.own('item')} in {top}:", depth)
        self.unless_missing(role, [self.find(target, self.value(role))], depth=depth + 1)

    def find_own(self, role: Role) -> None:
        """Add the line that finds the record and those that check it belongs where the call says."""
        self.add(f"{self.record} = {self.find(self.entity, self.value(role))}")
        for place in self.places():
            if place.role == "reference":
                self.check_references([place])
            self.refuse_elsewhere(place)

    def places(self) -> list[Role]:
        """Return the roles that say where the record must be: parents and plain fields that are compared."""
        return [r for r in self.meaning.of("reference", "filter") if r.filters or r.role == "filter"]

    def refuse_elsewhere(self, place: Role, depth: int = 0) -> None:
        """Refuse a record that is not where the call says."""
        test = f"{self.record}.get({literal(place.field)}) != {self.value(place)}"
        test = test if self.always(place) else f"{self.value(place)} is not None and {test}"
        self.add(f"if {test}:", depth)
        words = " ".join(place.parameter.words)
        where = self.domain.entities[place.entity].title if place.entity else words
        self.add(f'fail("not_found", {literal(f"no such {self.entity.title} in this {where}")})', depth + 1)

    def find_matching(self) -> None:
        """Add the lines that find the record which agrees in all given fields."""
        roles = self.meaning.of("reference", "filter")
        self.check_references([r for r in roles if r.role == "reference"])
        row, rows = self.own("row"), f"state[{literal(self.entity.table)}].values()"
        for role in roles[:-1]:
            self.add(
                f"{self.records} = [{row} for {row} in {rows} if {row}.get({literal(role.field)}) == "
                f"{self.value(role)}]"
            )
            rows = self.records
        last = f"{row}.get({literal(roles[-1].field)}) == {self.value(roles[-1])}"
        self.add(f"{self.record} = next(({row} for {row} in {rows} if {last}), None)")
        self.add(f"if {self.record} is None:")
        self.add(f'fail("not_found", {literal(f"no such {self.entity.title}")})', 1)

    def confirm(self) -> None:
        """Add the lines that refuse a call that is not confirmed."""
        for role in self.meaning.of("confirm"):
            word, name = role.field, role.path[-1]
            self.add(f"if {self.value(role)} != {literal(word)}:" if word else f"if not {self.value(role)}:")
            must = f"{name} must be {word}" if word else "confirm must be true"
            code = "not_confirmed" if word else "invalid_arguments"
            self.add(f'fail("{code}", {literal(must)})', 1)

    def store(self, value: str | None = None) -> None:
        """Add the lines that put the record into its table, unless the call is only a preview."""
        for role in self.meaning.of("preview"):
            self.add(f"if {self.value(role)} or {self.value(role)} is None:")
            self.add(f"return {self.record}", 1)
        self.add(f"state[{literal(self.entity.table)}][{value}] = {self.record}")

    def content(self) -> str:
        """Return the expression of the fields that the arguments give."""
        parts, optional = [], False
        wraps = any(len(r.path) == 2 and r.path[0] == self.meaning.wrapper for r in self.meaning.roles)
        for role in self.meaning.of("payload", "reference"):
            if len(role.path) == 1 and role.field and not role.filters:
                parts.append(f"{literal(role.field)}: {self.merged(role)}")
                optional = optional or not self.always(role)
        if wraps:
            holder = self.argument(self.meaning.wrapper)
            parts.append(
                f"**{holder}" if self._is_required(self.meaning.wrapper) else f"**({holder} or {{}})"
            )
            parts += self._merged_parts(holder)
            optional = True
        text = "{" + ", ".join(parts) + "}"
        return f"without_missing({text})" if optional else text

    def _merged_parts(self, holder: str) -> list[str]:
        """Return the fields that objects inside the wrapper of an update change in part."""
        parts = []
        for role in self.meaning.of("payload") if self.meaning.operation == "update" else ():
            told = role.parameter.type == "object" and descriptions.keeps_parts(role.parameter.description)
            if len(role.path) == 2 and role.path[0] == self.meaning.wrapper and told and not self.domain.guessed_texts:
                field, name = literal(role.field), literal(role.path[1])
                given = holder if self._is_required(role.path[0]) else f"({holder} or {{}})"
                value = f"{given}.get({name})"
                new = f"{{**{self.record}.get({field}, {{}}), **{value}}}"
                parts.append(f"{field}: None if {value} is None else {new}")
        return parts

    def merged(self, role: Role) -> str:
        """Return the value of a role; an open object of an update is merged into the stored one."""
        value, p = self.value(role), role.parameter
        if told_defaults.is_now(role, self.meaning):
            dated = p.words[-1:] == ("date",) and p.schema.get("format") != "date-time"
            return f"{value} or now(state){'[:10]' if dated else ''}"
        is_open = p.type == "object" and not p.schema.get("properties") and p.words[-1] in words_of.WRAPPERS
        kept = p.type == "object" and (
            descriptions.keeps_others(self.meaning.tool.description)
            or (descriptions.keeps_parts(p.description) and not self.domain.guessed_texts)
        )
        if self.meaning.operation != "update" or role.role != "payload" or not (is_open or kept):
            return value
        new = f"{{**{self.record}.get({literal(role.field)}, {{}}), **{value}}}"
        return new if self.always(role) else f"None if {value} is None else {new}"

    def nested_defaults(self) -> None:
        """Add the lines that complete objects inside an argument by their declared defaults."""
        self._wrapper_defaults()
        for role in self.meaning.of("payload"):
            if len(role.path) != 1 or not is_name(role.path[0]) or role.path[0] in self.reserved:
                continue
            p, name = role.parameter, role.path[0]
            inner = p.item_schema if p.many else p.schema
            defaults = {
                key: part["default"]
                for key, part in (inner.get("properties") or {}).items()
                if isinstance(part, dict) and isinstance(part.get("default"), (str, int, float, bool))
            }
            if not defaults or schema_type(inner) != "object":
                continue
            shown, item = literal(defaults)[1:-1], self.own("item")
            new = f"[{{{shown}, **{item}}} for {item} in {name}]" if p.many else f"{{{shown}, **{name}}}"
            self.unless_missing(role, [f"{name} = {new}"])
        self._deeper_defaults()

    def _deeper_defaults(self) -> None:
        """Add the lines that complete the objects inside those objects."""
        deeper = {} if self.domain.guessed_texts else nested_defaults.of_arguments(self.meaning)
        for name, inner in deeper.items():
            if is_name(name) and name not in self.reserved:
                role = next((r for r in self.meaning.of("payload") if r.path == (name,)), None)
                given = self._is_required(name) or (role is not None and self.always(role))
                line = f"with_inner_defaults({name}, {literal(inner)})"
                self.add(f"{name} = {line}" if given else f"{name} = {name} and {line}")

    def _wrapper_defaults(self) -> None:
        """Add the line that completes the wrapper object of a create by the declared defaults of its fields."""
        name = self.meaning.wrapper
        inner = [r for r in self.meaning.of("payload") if len(r.path) == 2 and r.path[0] == name and not r.required]
        found = {r.path[1]: r.parameter.schema.get("default") for r in inner if r.path[1] == r.field}
        defaults = {key: value for key, value in found.items() if isinstance(value, (str, int, float, bool))}
        made = self.meaning.operation in ("create", "send") and is_name(name) and name not in self.reserved
        if made and defaults and self._is_required(name):
            self.add(f"{name} = {{{literal(defaults)[1:-1]}, **{name}}}")


def applied_default(meaning: Meaning, name: str, schema: dict[str, Any]) -> Any:
    """Return the default that the code applies: not for what a partial update sets, nor for a key."""
    default = schema.get("default")
    roles = [r for r in meaning.roles if r.path == (name,)]
    sets = meaning.operation in (
        "update",
        "transition",
        "upsert",
        "batch_update",
        "batch_transition",
        "multiplex",
    )
    if default is None or not roles or any(r.role in ("key", "reference", "action") for r in roles):
        return None
    if sets and any(r.role == "payload" for r in roles):
        return None if meaning.operation != "upsert" or meaning.tool.kind == "update" else default
    kind = schema_type(schema)
    fits: dict[str, tuple[type, ...]] = {
        "string": (str,),
        "integer": (int,),
        "number": (int, float),
        "boolean": (bool,),
        "array": (list,),
        "object": (dict,),
    }
    fitting = fits.get(kind, (object,))
    if not isinstance(default, fitting) or (kind == "integer" and isinstance(default, bool)):
        return None
    return default
