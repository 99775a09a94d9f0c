"""The domain dictionary of one server: entities, keys, fields, parents, references (RULES.md, advice 1-6).

Built over all tools together.  One key per entity; parents come from the references that its tools require,
without cycles; a typed id that no tool of the server serves becomes a hidden entity with seeded records, so
that the reference can be checked.  What a tool then does with a parameter is decided in ``meanings.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from tvlab.environments.domain import answer_options, field_types, visible_things
from tvlab.environments.domain.array_columns import is_one_of_many
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.entity_keys import EntityKeys
from tvlab.environments.domain.labels import LABELS, complete
from tvlab.environments.domain.named_parts import bare_words, stored_words
from tvlab.environments.domain.nouns import Nouns, action_parameter, flat
from tvlab.environments.domain.parameter_targets import held_type, is_direct, is_parent, picks
from tvlab.environments.domain.record_schemas import batch_parameter, declared_record
from tvlab.environments.domain.told_references import (
    called_id,
    joined_ends,
    plural_picks,
    told_end,
    told_owner,
    told_thing,
)
from tvlab.environments.domain.tool_parsing import Noun, Parameter, ParsedTool, parse_parameters, schema_type
from tvlab.environments.domain.twin_columns import same_text
from tvlab.environments.language import descriptions
from tvlab.environments.language import vocabulary as words_of
from tvlab.foundation.words import singular


class Domain:
    """All entities of one server."""

    def __init__(self, tools: list[ParsedTool]) -> None:
        self.tools = tools
        self.nouns = Nouns(tools)
        self._keys = EntityKeys(tools, self.nouns)
        self.kinds: dict[Noun, set[str]] = {}
        for tool in tools:
            self.kinds.setdefault(self.nouns.own[tool.name], set()).add("list" if tool.plural else tool.kind)
        self.entities: dict[str, Entity] = {}
        self.own: dict[str, Entity] = {}
        self.used: set[str] = set()
        self.settings: dict[str, Any] = {}
        self.inner_lists: dict[str, Any] = {}
        self.single_records: dict[str, Entity] = {}
        self.sorts: dict[str, Any] = {}
        self.guessed_texts = False  # whether records hold a text where nothing says its kind
        for noun in self.nouns.names:
            mine = [tool for tool in tools if self.nouns.own[tool.name] == noun]
            self.entities["_".join(noun)] = self._entity(noun, mine)
        self.scopes = {name: self._scope(name) for name in _scope_names(tools)}
        for tool in tools:
            noun = self.nouns.own[tool.name] or self._noun_by_key(tool)
            if noun:
                self.own[tool.name] = self.entities["_".join(noun)]
        for tool in tools:
            if tool.name in self.own:
                self._add_fields(tool, self.own[tool.name])
        for tool in tools:
            if tool.name in self.own:
                self._add_outputs(tool, self.own[tool.name])
        self._set_parents()
        for entity in self.entities.values():
            complete(entity)

    def _scope(self, name: str) -> Entity:
        """Return the hidden entity that a required text in most tools names: an account, a workspace."""
        words = field_types.name_words(name)
        entity = Entity("_".join(words), tuple(words), name, "string", "natural", hidden=True)
        return self.entities.setdefault(entity.name, entity)

    def reference(self, parameter: Parameter, own: Entity | None = None) -> Entity | None:
        """Return the entity that a parameter picks a record of, None if it is plain data."""
        noun = own.noun if own else ()
        if parameter.name in self.scopes and parameter.type == "string":
            return self.scopes[parameter.name]
        if parameter.is_id:
            if parameter.id_noun == ("parent",) and own:
                return self._told_parent(parameter, own)
            found = self._nearest(self._plainly(self._named(self.nouns.resolve(parameter.id_noun, noun))), own)
            found = told_thing(parameter, found, self.entities.values())
            shown = found is None or self.kinds.get(found.noun, set()) & {"create", "upsert", "list", "search"}
            return found if shown or found is None else told_owner(parameter, found, self.entities.values()) or found
        if called := called_id(parameter, own, self.entities.values()):
            return called
        kind = schema_type(parameter.item_schema) if parameter.many else parameter.type
        if kind not in ("string", "integer") or parameter.enum:
            return None
        for entity in self.entities.values():
            place = entity.noun[-1] in ("range", "cell") and entity is not own  # of a sheet: no record
            if not place and (picks(parameter.words, entity, own) or plural_picks(parameter, entity, own)):
                return entity
        if told := told_end(parameter, own, self.entities.values()):
            return told
        return visible_things.holder(parameter, own, self.entities.values()) if parameter.required else None

    def _nearest(self, entity: Entity | None, own: Entity | None) -> Entity | None:
        """Return the thing of the same area as the own one, or a visible one in place of a hidden one."""
        if entity is None or own is entity:
            return entity
        if not entity.hidden:
            told = visible_things.listed(entity, self.entities.values(), self.kinds)
            return visible_things.of_area(told, own, self.entities.values())
        return visible_things.visible(entity, self.entities.values(), frozenset(own.noun if own else ()))

    def _plainly(self, entity: Entity | None) -> Entity | None:
        """Return the thing that an id speaks of with words of its use: ``reply_to_comment_id``, ``after_block_id``."""
        if entity is None or not entity.hidden or entity.noun[0] not in _USES:
            return entity
        rest = entity.noun[1:]
        while rest and rest[0] in _USES:
            rest = rest[1:]
        found = self.entities.get("_".join(rest))
        return found if found is not None and not found.hidden else entity

    def _told_parent(self, parameter: Parameter, own: Entity) -> Entity | None:
        """Return what a bare parent id is said to be the id of, the thing itself if that is not said."""
        said = re.search(r"\bparent (\w+)", parameter.description, re.IGNORECASE)
        noun = singular(said[1].lower()) if said else ""
        if not noun or noun in ("id", "key", "of", "uuid", "gid", "identifier") or noun in own.noun:
            return own
        return next((e for e in self.entities.values() if e.noun[-1] == noun and not e.hidden), None)

    def key_parameter(self, tool: ParsedTool, entity: Entity) -> Parameter | None:
        """Return the parameter by which a tool picks one record of its own entity."""
        leaves = [p for p in tool.parameters if not p.many and not p.children]
        exact = [p for p in leaves if p.name == entity.key and self.reference(p, entity) is entity]
        typed = [
            p
            for p in leaves
            if p.is_id
            and p.id_noun
            and self.reference(p, entity) is entity
            and p.words[0] not in words_of.REFERENCE_MODIFIERS | _USES
        ]
        bare = [p for p in leaves if p.is_id and not p.id_noun]
        natural = [p for p in leaves if not p.is_id and picks(p.words, entity, entity)]
        found = exact or typed or bare or natural
        required = [p for p in found if p.required]
        return next(iter(required or found), None)

    def given_key(self, tool: ParsedTool, entity: Entity) -> Parameter | None:
        """Return the required name by which a create gives the record its natural key under another word.

        ``create_agent(name)`` beside ``run_agent(agent_name)``, ``create_sheet(new_name)`` beside ``sheet``.
        """
        if entity.key_kind != "natural" or tool.kind not in ("create", "upsert"):
            return None
        if any(p.name == entity.key for p in flat(tool.parameters)):
            return None
        key = field_types.name_words(entity.key)
        if key == entity.noun[-len(key) :] or key[-1] == "name":
            wanted = {("name",), ("new", "name"), (*entity.noun, "name"), (*entity.noun[-1:], "name")}
        else:
            wanted = {key[-1:], ("new", *key[-1:])}
        found = [p for p in tool.parameters if p.required and p.type == entity.key_type and p.words in wanted]
        return found[0] if len(found) == 1 else None

    def _named(self, noun: Noun) -> Entity | None:
        return self.entities.get("_".join(noun)) if noun else None

    def _entity(self, noun: Noun, mine: list[ParsedTool]) -> Entity:
        key, kind = self._keys.key(noun, mine)
        made = [t for t in mine if t.kind in ("create", "upsert") and t.verb not in words_of.TRANSITIONS]
        given = made and all(any(p.required and p.name == key for p in flat(t.parameters)) for t in made)
        natural = given or not field_types.is_id_name(key)
        return Entity("_".join(noun), noun, key, kind, "natural" if natural else "minted", hidden=not mine)

    def _noun_by_key(self, tool: ParsedTool) -> Noun:
        """Own entity of a tool whose name holds no known noun: the one whose natural key it requires."""
        for p in tool.parameters:
            entity = self.reference(p) if p.required else None
            if entity is not None and not entity.hidden:
                return entity.noun
        return ()

    def _add_fields(self, tool: ParsedTool, entity: Entity) -> None:
        making = tool.kind in ("create", "send", "upsert")
        if (making and self.links(tool, entity)) or tool.kind in ("link", "unlink", "delete"):
            return
        key = self.given_key(tool, entity) if making else self.key_parameter(tool, entity)
        if tool.verb in ("move", "rename") and entity.key_kind == "natural" and key is None:
            return
        batch, action = batch_parameter(tool, entity), action_parameter(tool)
        inside = flat(parse_parameters(batch.item_schema, (), entity.noun)) if batch else []
        for p in [*flat(tool.parameters), *inside]:
            if p is batch or p is key or p is action or (batch and self.reference(p, entity) is entity and p.is_id):
                continue
            if p.name == entity.key or (p.snake in words_of.PAGING and tool.kind in ("list", "search")):
                continue
            if len(p.path) > 1 and p.words == ("id",) and field_types.is_id_name(entity.key):
                continue  # the thing's own id inside its body
            target = self.reference(p, entity)
            if p.words == ("id",) and target is entity:
                continue  # the thing's own id beside the key
            if tool.kind in ("create", "send", "upsert", "update", "transition", "manage"):
                if not field_types.is_option(p) and not (target is entity and p.many):
                    words = self._words(tool, entity, p, target)
                    self._put(entity, p, target, tool.kind in ("create", "send") and p.required, words)
                    column = entity.column_for(words, target.name if target else None, True)
                    if column is not None:
                        column.written = True
                        column.tools.add(tool.name)
            elif self._lists(tool, key) and field_types.is_plain_filter(p):
                one = p if target is None or not p.many else None
                if one is not None and not is_one_of_many(p, self.tools_on(entity)) and target is not entity:
                    self._put(entity, one, target, required=p.required)
                    column = entity.column_for(p.words, target.name if target else None, True)
                    if column is not None:
                        column.filtered = True
                        column.tools.add(tool.name)

    def tools_on(self, entity: Entity) -> list[ParsedTool]:
        """Return the tools about a thing."""
        return [tool for tool in self.tools if self.own.get(tool.name) is entity]

    @staticmethod
    def _lists(tool: ParsedTool, key: Parameter | None) -> bool:
        return tool.kind in ("list", "search", "count") or (tool.kind == "read" and key is None)

    @staticmethod
    def _words(tool: ParsedTool, entity: Entity, p: Parameter, target: Entity | None) -> tuple[str, ...]:
        return stored_words(tool, entity, p) if target is None else bare_words(p)

    def _put(
        self,
        entity: Entity,
        p: Parameter,
        target: Entity | None,
        required: bool,
        words: tuple[str, ...] | None = None,
    ) -> None:
        words = words or bare_words(p)
        if target is not None and held_type(p) not in (target.key_type, "any"):
            return
        name = target.name if target else None
        direct = target is not None and (is_direct(p, target) or is_parent(p, target, entity))
        known = entity.column_for(words, name, direct)
        if known is not None:
            known.required = known.required or required
            known.in_input = True
            known.reference = known.reference or name
            if p.enum and not p.many:
                before = known.schema.get("enum", [])
                told = {"told": True} if p.schema.get("told") or known.schema.get("told") else {}
                known.schema = {**known.schema, "enum": [*before, *(v for v in p.enum if v not in before)], **told}
            return
        plain = p.name if words == p.words else "_".join(words)
        schema = field_types.column(p.schema)
        if target is not None and not p.many:
            schema = {**schema, "type": target.key_type}
        entity.fields[plain] = Field(plain, schema, name, required, True, direct)

    def _add_outputs(self, tool: ParsedTool, entity: Entity) -> None:
        for name, schema in declared_record(tool.output, entity).items():
            self._add_output(entity, name, field_types.column(schema))
        if tool.kind not in ("delete", "count"):
            promised = descriptions.returned(tool.description)
            if not promised.noun or promised.noun == entity.noun or promised.noun[-1:] == entity.noun[-1:]:
                for name in promised.fields:
                    self._add_output(entity, name, field_types.guess(name))

    def _add_output(self, entity: Entity, name: str, schema: dict[str, Any]) -> None:
        words = field_types.name_words(name)
        if words == ("id",) and field_types.is_id_name(entity.key):
            return
        if name == entity.key or not name.isidentifier() or words in (("deleted",), ("success",), ("message",)):
            return
        known = entity.field_of(words) or same_text(entity, words, schema)
        if known is not None:
            known.in_output = True
        if known is None:
            target = self.reference(Parameter((name,), schema, False, words), entity)
            if target is not None and target is not entity and schema_type(schema) in ("string", "integer", "any"):
                schema = {**{k: v for k, v in schema.items() if k != "enum"}, "type": target.key_type}
            elif target is not None:
                target = None
            entity.fields[name] = Field(name, schema, target.name if target else None)
        elif "enum" in schema and "enum" not in known.schema and known.type == schema_type(schema):
            known.schema = {**known.schema, "enum": schema["enum"]}

    def _set_parents(self) -> None:
        """Parents are the references that tools require; an edge that closes a cycle is dropped."""
        for tool in self.tools:
            entity = self.own.get(tool.name)
            if entity is None or not self._places(tool, entity):
                continue
            batch = batch_parameter(tool, entity) if tool.kind == "create" else None
            inside = flat(parse_parameters(batch.item_schema, (), entity.noun)) if batch and batch.required else []
            for p in [*tool.parameters, *inside]:
                target = self.reference(p, entity) if p.required and not p.many else None
                if target is None or target is entity or self._is_above(entity, target):
                    continue
                direct = is_direct(p, target) or is_parent(p, target, entity)
                column = entity.column_for(p.words, target.name, direct)
                if held_type(p) not in (target.key_type, "any"):
                    continue
                if column is None:
                    column = Field(p.name, field_types.column(p.schema), target.name, True, True, direct)
                    entity.fields[p.name] = column
                if column.reference == target.name:
                    column.required = True
                    entity.parents[column.name] = target.name
        for entity in self.entities.values():
            for name in joined_ends(entity):
                entity.parents.setdefault(name, entity.fields[name].reference or "")

    def _places(self, tool: ParsedTool, entity: Entity) -> bool:
        """True if the references that a tool requires say where a record of the entity belongs."""
        if tool.kind in ("list", "search"):
            return True
        made = [
            t
            for t in self.tools
            if self.own.get(t.name) is entity and t.kind in ("create", "send", "upsert") and not self.links(t, entity)
        ]
        if tool.kind in ("create", "send", "upsert"):
            return tool in made
        return tool.kind in ("read", "delete", "count") and (not made or tool.kind == "read")

    def links(self, tool: ParsedTool, entity: Entity) -> bool:
        """True if a create takes the minted key of its object: it links an existing thing to another one."""
        if entity.key_kind == "natural" and not any(p.many for p in tool.parameters if self.reference(p) is entity):
            return False
        return any(
            p.required
            and self.reference(p, entity) is entity
            and p.words[0] not in words_of.REFERENCE_MODIFIERS | _USES
            for p in tool.parameters
        )

    def _is_above(self, entity: Entity, below: Entity) -> bool:
        """True if ``entity`` is an ancestor of ``below``."""
        above = [self.entities[name] for name in below.parents.values()]
        return any(parent is entity or self._is_above(entity, parent) for parent in above)


_USES = frozenset("reply to in duplicate copy from after before".split())
_NO_SCOPES = frozenset("path type name range cell row column position address".split())


def _scope_names(tools: list[ParsedTool]) -> list[str]:
    """Required plain texts that at least 60% of four or more tools share."""
    counts: Counter[str] = Counter()
    for tool in tools:
        for p in tool.parameters:
            plain = (
                p.type == "string"
                and not p.enum
                and not p.is_id
                and not (field_types.is_moment(p.name, p.schema) or answer_options.is_credential(p))
            )
            known = p.snake in words_of.NATURAL_KEYS or p.snake in words_of.QUERY_WORDS or p.snake in LABELS
            if p.required and plain and not known and p.words and p.words[-1] not in _NO_SCOPES:
                counts[p.name] += 1
    return [name for name, n in counts.items() if n >= 4 and n >= 0.6 * len(tools)]
