"""What each tool means: its operation and the role of every parameter (RULES.md, advice 3-7).

Narrow, don't fake: an optional parameter without a role leaves the schema and is listed; a required one drops
the tool with a reason.  The code is written from the meanings and ``report.json`` states them; verification
derives its own expectations.  ``deciding.py`` makes them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.scope_columns import scope_column
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool

WRITES = frozenset(
    {
        "create",
        "update",
        "delete",
        "transition",
        "link",
        "unlink",
        "send",
        "upsert",
        "rename",
        "batch_create",
        "batch_update",
        "batch_delete",
        "batch_transition",
        "batch_append",
        "batch_take",
        "batch_remove",
        "set",
        "members",
        "batch_members",
    }
)


#: constraints on the form of an id, which ids made here do not follow
ID_FORM = frozenset({"pattern", "format", "minLength", "maxLength"})


TAKES_ONE = "one at a time: a list of them is not taken"
REQUIRED_NOW = "made required: nothing else picks the record"


class UnmodelledError(Exception):
    """A tool that the rules cannot mean."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True)
class Role:
    """What one parameter does.

    Attributes:
        path: where the value stands in the arguments: ``("body", "vendorId")``, ``("items", "[]", "sku")``.
        role: key, reference, payload, filter, query, limit, offset, page, cursor, sort, direction, confirm.
        entity: name of the entity a key or reference picks.
        field: name of the column it fills or compares.
        op: comparison of a filter: ``==``, ``in``, ``<``, ``<=``, ``>``, ``>=``, ``contains`` (a text), or
        ``separated`` (one of several values between commas).
        also: columns of the entity by which a key or reference may be given as well; those that a query reads,
        if the text names them.
    """

    path: tuple[str, ...]
    role: str
    parameter: Parameter
    entity: str | None = None
    field: str | None = None
    op: str = "=="
    filters: bool = False
    also: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        """True if the parameter is required."""
        return self.parameter.required

    @property
    def dotted(self) -> str:
        """The path as one text: ``items[].sku``."""
        return ".".join(self.path).replace(".[]", "[]")


@dataclass
class Meaning:
    """One tool's operation on an entity, and its parameters' roles.

    ``newest`` is the date by which a list puts the newest records first, "" for the order of the table.
    A pure computation is about no entity (``NO_ENTITY``) and keeps what it computes in ``computation``.
    """

    tool: ParsedTool
    operation: str
    entity: Entity
    roles: list[Role] = field(default_factory=list)
    narrowed: list[tuple[str, str]] = field(default_factory=list)
    column: str = ""
    value: Any = None
    idempotent: bool = False
    branches: dict[str, Meaning] = field(default_factory=dict)
    wrapper: str = ""
    newest: str = ""
    open_fields: dict[str, Any] = field(default_factory=dict)
    computation: Any = None

    @property
    def writes(self) -> bool:
        """True if a call may change the state."""
        if self.branches:
            return any(branch.writes for branch in self.branches.values())
        return self.operation in WRITES

    def of(self, *roles: str) -> list[Role]:
        """Return the roles of these kinds, in the order of the parameters."""
        return [role for role in self.roles if role.role in roles]

    def one(self, role: str) -> Role | None:
        """Return the first role of a kind, None if there is none."""
        return next((r for r in self.roles if r.role == role), None)

    def narrow(self, parameter: Parameter, reason: str) -> None:
        """Take an optional parameter away; a required one makes the tool unmodelled."""
        if parameter.required:
            raise UnmodelledError(
                "required parameter without a rule", f"{'.'.join(parameter.path)}: {reason}"
            )
        self.narrowed.append((".".join(parameter.path), reason))


def own_many(tool: ParsedTool, domain: Domain, entity: Entity) -> Parameter | None:
    """The list of own keys in ``ids`` or ``message_ids``."""
    return next((p for p in tool.parameters if p.many and domain.reference(p, entity) is entity), None)


def narrow_rest(meaning: Meaning, domain: Domain, done: set[str]) -> None:
    """Give the other parameters of a keyed call their role: a checked parent, a confirmation, or none."""
    for p in meaning.tool.parameters:
        if p.name not in done:
            side_role(meaning, domain, p)


def side_role(meaning: Meaning, domain: Domain, p: Parameter) -> None:
    """Give a parameter beside the key its role: a checked parent, a confirmation, or none."""
    target = domain.reference(p, meaning.entity)
    column = meaning.entity.column_for(p.words, target.name, True) if target else None
    if target is not None and _is_part(meaning, domain, p, target):
        meaning.narrow(p, "picks a part of the record")
    elif target is not None and not p.many and column is not None and target is not meaning.entity:
        meaning.roles.append(Role(p.path, "reference", p, target.name, column.name, filters=True))
    elif p.words == ("confirm",) and p.type == "boolean" and p.required:
        meaning.roles.append(Role(p.path, "confirm", p))
    elif (word := confirmed_by(p)) is not None:
        meaning.roles.append(Role(p.path, "confirm", p, None, word))
    elif (where := scope_column(meaning.tool, meaning.entity, p)) is not None:
        meaning.roles.append(Role(p.path, "filter", p, None, where.name))
    else:
        meaning.narrow(p, "does not change what the call does here")


def _is_part(meaning: Meaning, domain: Domain, p: Parameter, target: Entity) -> bool:
    """True if an optional id beside the key of a read picks one of the record's parts: a tab of a document."""
    inside = any(f.reference == meaning.entity.name for f in target.fields.values())
    read = meaning.operation == "read" and not p.required and not domain.guessed_texts
    return read and target is not meaning.entity and inside


def confirmed_by(p: Parameter) -> str | None:
    """Return the word that a required confirmation must be ("Must be 'DELETE'"), None if there is none."""
    told = re.search(r"must be [\"'`](\w+)[\"'`]", p.description, re.IGNORECASE)
    return told[1] if told and p.required and p.type == "string" and p.words[0] in ("confirm", "confirmation") else None


def keyed(meaning: Meaning, domain: Domain, key: Parameter) -> None:
    """Give the key its role and the other parameters theirs."""
    check_type(key, meaning.entity.key_type, "key")
    meaning.roles.append(Role(key.path, "key", key, meaning.entity.name, meaning.entity.key))
    narrow_rest(meaning, domain, {key.name})


def relaxed(meaning: Meaning) -> list[str]:
    """Keys and references whose declared form (a pattern, a length) does not fit the ids made here."""
    names = [
        role.path[0]
        for m in (meaning, *meaning.branches.values())
        for role in m.of("key", "reference")
        if len(role.path) == 1 and set(role.parameter.schema) & ID_FORM
    ]
    return list(dict.fromkeys(names))


def check_type(p: Parameter, wanted: str, what: str) -> None:
    """Refuse a parameter whose type is not that of its column."""
    kind = "integer" if p.type == "number" else p.type
    either = [part.get("type") for part in p.schema.get("anyOf", ()) if isinstance(part, dict)]
    if "array" in either and kind != "array":
        raise UnmodelledError("one value or several", p.name)
    if kind not in (wanted, "any"):
        raise UnmodelledError("types of one column differ", f"{p.name} is {p.type}, the {what} is {wanted}")
