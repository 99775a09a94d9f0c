"""Whether the name of a tool speaks of the entity itself or of a part of it: ``enable_auto_renewal``.

What an update of a part sets is stored under the part's name: ``set_fill_color(node_id, r)`` sets
``fill_color_r`` of the node and ``set_root_password(vm_id, password)`` its ``root_password``.
"""

from __future__ import annotations

from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.nouns import stripped
from tvlab.environments.domain.record_schemas import declared_record
from tvlab.environments.domain.tool_parsing import Noun, Parameter, ParsedTool, schema_type
from tvlab.foundation.words import singular, stem

_LOOSE = frozenset(
    "setting property option configuration config attribute field value metadata detail preference info parameter "
    "core main general basic".split()
)


def is_about(tool: ParsedTool, entity: Entity) -> bool:
    """True if the name of a tool speaks of the entity itself and not of a part of it."""
    noun = stripped(tool.noun)
    return not noun or noun[-1] == entity.noun[-1] or noun == entity.noun[: len(noun)]


def part_of(tool: ParsedTool, entity: Entity) -> Noun:
    """Return the words of the object that name a part of the entity: ``(auto, renewal)``, () if none."""
    noun = stripped(tool.noun)
    if is_about(tool, entity) or not noun:
        return ()
    for size in range(len(entity.noun), 0, -1):
        for head in (entity.noun[-size:], entity.noun[:size]):
            if noun[: len(head)] == head:
                return noun[len(head) :]
    return noun


def bare_words(p: Parameter) -> tuple[str, ...]:
    """Return a parameter's words without the ``new`` or ``attribute`` before them."""
    return p.words[1:] if p.words[0] in ("new", "updated", "attribute") and len(p.words) > 1 else p.words


def _declared_body(tool: ParsedTool, entity: Entity) -> tuple[str, ...]:
    """Return the one text that the answer of a create declares for what its parameter calls by the thing's noun.

    ``add_remark(remark)`` that answers a remark with ``content``: what other tools show is the content.
    """
    declared = declared_record(tool.output, entity)
    bodies = [name for name in declared if name in _BODIES and schema_type(declared[name]) == "string"]
    return (bodies[0],) if len(bodies) == 1 and entity.noun[-1] not in declared else ()


_BODIES = frozenset("content text body message".split())


def stored_words(tool: ParsedTool, entity: Entity, p: Parameter) -> tuple[str, ...]:
    """Return the words of the column that a parameter of a write sets."""
    words = bare_words(p)
    if tool.kind in ("create", "send") and words == entity.noun[-1:] and p.type == "string" and len(p.path) == 1:
        return _declared_body(tool, entity) or words
    if tool.kind != "update" or p.children or len(p.path) > 1:
        return words
    part = tuple(word for word in part_of(tool, entity) if word not in _LOOSE)
    own = {stem(singular(word)) for word in words} | {stem(word) for word in words}
    if not part or (words[-1:] == part and len(part) == 1):
        return words
    if own <= {stem(word) for word in part} and words[-1] == part[-1]:
        return part
    return words if own & {stem(word) for word in part} else (*part, *words)
