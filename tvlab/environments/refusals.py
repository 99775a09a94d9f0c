"""What a tool is about that the record of its entity does not answer: a selection, or a part.

Both look like a plain list or read of the entity; the rule that selects, or the part, is not modelled.
"""

from __future__ import annotations

from tvlab.environments import field_types
from tvlab.environments import vocabulary as words_of
from tvlab.environments.domain import Domain
from tvlab.environments.entities import Entity
from tvlab.environments.meanings import UnmodelledError
from tvlab.environments.nouns import flat, stripped
from tvlab.environments.tool_parsing import ParsedTool
from tvlab.foundation.words import plural, singular


def refuse_selection(tool: ParsedTool, entity: Entity) -> None:
    """Refuse ``list_overdue_tasks`` as a list of all tasks: the rule that picks them is not stated."""
    picked = set(tool.noun) & words_of.SELECTORS - set(entity.noun)
    if picked and tool.kind in ("read", "list", "search", "count", "delete"):
        raise UnmodelledError("selection by a rule that is not stated", " ".join(sorted(picked)))


def refuse_part(tool: ParsedTool, domain: Domain, entity: Entity) -> None:
    """Refuse a part that is no field: ``get_parent(item_id)``, ``disable_auto_renewal(order_id)``."""
    noun = stripped(tool.noun)
    if not noun or tool.plural or tool.kind not in ("read", "transition", "update") or tool.state_word:
        return
    if tool.kind == "update" and any(
        set(noun) & {singular(w) for w in p.words} for p in flat(tool.parameters)
    ):
        return
    same = {noun[-1], plural(noun[-1])} & {*entity.noun, plural(entity.noun[-1])}
    told = any(noun[-1] in field_types.name_words(f.name) for f in entity.fields.values())
    if not same and domain.nouns.resolve(noun) != entity.noun and not (tool.kind == "read" and told):
        raise UnmodelledError("a part of the thing that is not modelled", " ".join(noun))
