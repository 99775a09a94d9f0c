"""Entities and their columns: what a table of an environment holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.tool_parsing import Noun, schema_type
from tvlab.foundation.words import plural

_CALLED = (("name",), ("title",), ("kind",))
_NO_TEXTS = frozenset("password secret url uri href link".split())


@dataclass
class Field:
    """One column of a table.

    Attributes:
        schema: type, enumeration and format of the values.
        reference: name of the entity it refers to.
        required: every record has it.
        in_input: some tool takes it.
        filtered: some list compares it.
        written: some create or update takes it.
        in_output: some declared answer holds it.
        tools: names of those that take it.
        direct: a reference named after its entity alone (``order_id``, not ``source_order_id``).
    """

    name: str
    schema: dict[str, Any]
    reference: str | None = None
    required: bool = False
    in_input: bool = False
    direct: bool = False
    filtered: bool = False
    written: bool = False
    in_output: bool = False
    tools: set[str] = field(default_factory=set)

    @property
    def type(self) -> str:
        """JSON type of the values."""
        return schema_type(self.schema)


@dataclass(frozen=True)
class FactRows:
    """How the rows of a fact table are told apart (``fact_tables.py``).

    Attributes:
        keys: columns that the caller gives.
        dated: column of the rows' dates, "" if they have none.
        order: ``rank`` if the order of the rows is a ranking, else "".
        single: one row for each combination of keys.
        each: how many rows a combination of keys has, 0 for the usual number.
        minutes: between the dates of two rows, 0 for the usual time.
        ahead: the dates lie ahead of the clock.
    """

    keys: tuple[str, ...] = ()
    dated: str = ""
    order: str = ""
    single: bool = False
    each: int = 0
    minutes: int = 0
    ahead: bool = False


@dataclass
class Entity:
    """A thing with records in a table of its own.

    Attributes:
        name: its noun, joined: ``credit_note``.
        key: name of the key field; ``key_type`` string or integer, ``key_kind`` minted or natural.
        fields: the other columns.
        parents: column -> entity that a record belongs to.
        hidden: no tool is about it, it is only referred to.
        label: the field a person would name it by.
        pair: fields by which a tool picks one record without its key.
        fact: how its rows are told apart, if it is a table of facts.
        scope: plain fields that say where a record belongs; keyed calls compare them.
        apart: beginning of the table's name where another server has a table of that name.
        examples: keys of the kind that the texts give examples of.
        special: a key that the texts name for the ordinary thing: ``primary``.
        single: there is one record and no other.
        told: no tool changes it, so that its rows are made by the rules of facts (``told_tables.py``).
        form: of its minted ids where texts state one (``key_forms.py``).
    """

    name: str
    noun: Noun
    key: str
    key_type: str
    key_kind: str
    fields: dict[str, Field] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    hidden: bool = False
    label: str = ""
    pair: tuple[str, ...] = ()
    fact: FactRows | None = None
    scope: tuple[str, ...] = ()
    apart: str = ""
    examples: tuple[str, ...] = ()
    special: str = ""
    single: bool = False
    told: bool = False
    form: str = ""

    @property
    def is_path(self) -> bool:
        """Keyed by a path in a tree of files."""
        return self.key_kind == "natural" and field_types.name_words(self.key)[-1:] == ("path",)

    @property
    def is_container(self) -> bool:
        """True for a directory."""
        return self.is_path and self.noun[-1] in ("directory", "folder", "dir")

    @property
    def table(self) -> str:
        """Name of the table: the noun in the plural."""
        name = "_".join((*self.noun[:-1], plural(self.noun[-1])))
        return f"{self.apart}_{name}" if self.apart else name

    @property
    def title(self) -> str:
        """The noun in words, for messages."""
        return " ".join(self.noun)

    @property
    def text_fields(self) -> list[str]:
        """Fields that a text search reads: no addresses of pages, which hold nearly any text, and no secrets."""
        skip = {self.key}
        key = [self.key] if self.key_kind == "natural" and self.key_type == "string" else []
        return key + [
            f.name
            for f in self.fields.values()
            if f.type == "string"
            and not f.reference
            and f.name not in skip
            and "enum" not in f.schema
            and not field_types.is_moment(f.name, f.schema)
            and not {*field_types.name_words(f.name)[-1:]} & _NO_TEXTS
        ]

    def field_of(self, words: tuple[str, ...]) -> Field | None:
        """Return the field whose name has these words, whatever its spelling."""
        found = next((f for f in self.fields.values() if field_types.name_words(f.name) == words), None)
        return found or self._called_by_thing(words)

    def _called_by_thing(self, words: tuple[str, ...]) -> Field | None:
        """Return the name or kind that a name with the thing before it means: ``file_name`` and ``name``."""
        last = words[-1:]
        if last not in _CALLED or len(words) > 2 or (len(words) == 2 and words[0] not in self.noun):
            return None
        forms = (last, (self.noun[-1], *last)) if len(words) == 2 or len(words) == 1 else ()
        return next((f for f in self.fields.values() if field_types.name_words(f.name) in forms), None)

    def column_for(self, words: tuple[str, ...], target: str | None, direct: bool = False) -> Field | None:
        """Return the field a parameter means: the same words or, for a plain reference, the same target."""
        found = self.field_of(words)
        if found is None and target is not None and direct:
            return next((f for f in self.fields.values() if f.reference == target and f.direct), None)
        return found

    def reference_to(self, entity: str) -> Field | None:
        """Return the only field that refers to an entity, if there is exactly one."""
        found = [f for f in self.fields.values() if f.reference == entity]
        return found[0] if len(found) == 1 else None


#: what a pure computation is about: no thing, no table
NO_ENTITY = Entity("", ("nothing",), "", "string", "natural")
