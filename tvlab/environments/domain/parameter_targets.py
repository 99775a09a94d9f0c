"""What a parameter points at: the thing itself by its key, its parent, or something in another role."""

from __future__ import annotations

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.shared_keys import is_shared
from tvlab.environments.domain.tool_parsing import Parameter, schema_type
from tvlab.environments.language import vocabulary as words_of


def is_direct(parameter: Parameter, target: Entity) -> bool:
    """True for ``order_id`` or ``order``, False for ``source_order_id`` and ``assignee_id``."""
    words = parameter.words
    if parameter.is_id:
        return words[0] not in words_of.REFERENCE_MODIFIERS and words[0] not in words_of.PERSON_ROLES
    return words[: len(target.noun)] == target.noun or parameter.name == target.key


def is_parent(parameter: Parameter, target: Entity, entity: Entity) -> bool:
    """True for ``parent_task_id`` of a subtask: another tool calls the same column ``task_id``."""
    rest = parameter.words[1:]
    return parameter.words[0] == "parent" and target is not entity and rest[: len(target.noun)] == target.noun


def picks(words: tuple[str, ...], entity: Entity, own: Entity | None) -> bool:
    """True if a parameter with these words holds a natural key of the entity."""
    key = field_types.name_words(entity.key)
    if key[-1] in words_of.SOFT_ID_WORDS and words == entity.noun:
        return True
    if entity.key_kind != "natural" or (words[-1:] and words[-1] in words_of.CONTENT_WORDS):
        return False
    if words == key:
        generic = (
            len(key) == 1
            and key[0] in words_of.NATURAL_KEYS
            and key[0] not in ("sku", "isbn", "symbol", "ticker")
        )
        return own is entity or not (generic or is_shared(entity.key, entity.noun))
    named_as_noun = words == entity.noun and (key[-1] in words_of.NATURAL_KEYS or key == entity.noun)
    return words == (*entity.noun, *key) or named_as_noun


def held_type(parameter: Parameter) -> str:
    """Return the JSON type of what a parameter holds, of one element if it holds many; numbers are integers."""
    kind = schema_type(parameter.item_schema) if parameter.many else parameter.type
    return "integer" if kind == "number" else kind
