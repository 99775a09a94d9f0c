"""What a tool is about that the record of its entity does not answer: a selection, or a part.

Both look like a plain list or read of the entity; the rule that selects, or the part, is not modelled.
"""

from __future__ import annotations

from tvlab.environments.domain import field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.nouns import flat, stripped
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.language import first_sentences
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.meanings.meanings import UnmodelledError, own_many
from tvlab.foundation.words import plural, singular, split_name


def refuse(tool: ParsedTool, domain: Domain, entity: Entity) -> None:
    """Raise UnmodelledError if the record of the entity does not answer what the tool is about."""
    refuse_selection(tool, entity)
    refuse_part(tool, domain, entity)
    refuse_orphans(tool, domain, entity)


def refuse_selection(tool: ParsedTool, entity: Entity) -> None:
    """Refuse ``list_overdue_tasks`` as a list of all tasks: the rule that picks them is not stated."""
    picked = set(tool.noun) & words_of.SELECTORS - set(entity.noun)
    if split_name(tool.name)[-1:] == ["me"]:
        picked = {"me"}
    if picked and tool.kind in ("read", "list", "search", "count", "delete"):
        raise UnmodelledError("selection by a rule that is not stated", " ".join(sorted(picked)))


def refuse_part(tool: ParsedTool, domain: Domain, entity: Entity) -> None:
    """Refuse a part that is no field: ``get_parent(item_id)``, ``disable_auto_renewal(order_id)``."""
    noun = stripped(tool.noun)
    if tool.plural and tool.kind == "read" and noun == tool.noun:
        _refuse_many(tool, domain, entity)
    if not noun or tool.plural or tool.kind not in ("read", "transition", "update") or tool.state_word:
        return
    if tool.kind == "update" and tool.verb in ("set", "update", "change"):
        return  # what it sets stands under the part's name (named_parts.py)
    if tool.kind == "update" and any(
        set(noun) & {singular(w) for w in p.words} for p in flat(tool.parameters)
    ):
        return
    if tool.kind == "transition" and words_of.TRANSITIONS.get(tool.verb, ((), "", True))[1] in words_of.SWITCHES:
        return  # so does a switch of a part: auto_renewal_enabled
    same = {noun[-1], plural(noun[-1])} & {*entity.noun, plural(entity.noun[-1])}
    told = any(noun[-1] in field_types.name_words(f.name) for f in entity.fields.values())
    if not same and domain.nouns.resolve(noun) != entity.noun and not (tool.kind == "read" and told):
        raise UnmodelledError("a part of the thing that is not modelled", " ".join(noun))


def _refuse_many(tool: ParsedTool, domain: Domain, entity: Entity) -> None:
    """Refuse several things read by the key of one: ``get_tokens(owner_address)``, ``get_settings(user_id)``."""
    key = domain.key_parameter(tool, entity)
    if _noun_before_verb(tool):
        return
    if key is None and tool.noun[-1:] in (("setting",), ("preference",)):
        raise UnmodelledError("read of one thing without a key", " ".join(tool.noun))
    if key is not None and key.required and own_many(tool, domain, entity) is None:
        raise UnmodelledError("a part of the thing that is not modelled", " ".join(tool.noun))


def _noun_before_verb(tool: ParsedTool) -> bool:
    """True for ``notes_get(note_id)``: the plural names the area, not what the call gives."""
    words = split_name(tool.name)
    nouns = {tool.noun[-1], plural(tool.noun[-1])} if tool.noun else set()
    places = [at for at, word in enumerate(words) if word in nouns]
    return tool.verb in words and bool(places) and places[-1] < words.index(tool.verb)


def refuse_orphans(tool: ParsedTool, domain: Domain, entity: Entity) -> None:
    """Refuse a list of children of one parent ("all comments on a file") that takes no parent."""
    if tool.kind not in ("read", "list", "search") or not (tool.plural or tool.kind != "read"):
        return
    target = first_sentences.read(tool.description).target
    parent = "_".join(domain.nouns.resolve(target)) if target else ""
    held = any(f.reference == parent and f.required for f in entity.fields.values())
    given = any(
        target[-1:] == p.words[:1] or ((r := domain.reference(p, entity)) and r.name == parent)
        for p in tool.parameters
    )
    if parent and parent != entity.name and held and not given:
        raise UnmodelledError("children without their parent", parent)
