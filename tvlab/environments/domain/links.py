"""Links: two things joined by a list of keys in the owner's record, or by a record of their own.

``add_label_to_issue(issue_id, label_id)`` keeps ``label_ids`` with the issue.  ``add_reaction(message_id,
emoji)`` with ``remove_reaction`` of the same two makes a record that its two fields pick (a pair).
"""

from __future__ import annotations

from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.nouns import flat
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool

End = tuple[Parameter, Entity]


def prepare(domain: Domain) -> None:
    """Give owners their lists of keys and entities their pairs, as the tools need them."""
    for tool in domain.tools:
        entity = domain.own.get(tool.name)
        if entity is None:
            continue
        find = pair_fields if tool.kind in ("delete", "unlink") else _joined
        if pair := find(tool, domain, entity):
            entity.pair = pair
        elif tool.kind in ("link", "unlink", "create", "delete") and _is_link(tool, domain, entity):
            ends = link_ends(tool, domain, entity)
            if ends is not None:
                (_, owner), (_, member) = ends
                name = link_column(owner, member)
                keys = {"type": "array", "items": {"type": member.key_type}}
                owner.fields.setdefault(name, Field(name, keys, member.name))


def _joined(tool: ParsedTool, domain: Domain, entity: Entity) -> tuple[str, ...]:
    """Return the fields of a record that is nothing but the two things it joins: a watcher of an issue.

    Adding it again must not make a second one.
    """
    if tool.kind != "create" or entity.pair or entity.noun[-1] not in _JOINING or domain.links(tool, entity):
        return ()
    if not all(p.required for p in tool.parameters):
        return ()
    ends = [(p, domain.reference(p, entity)) for p in tool.parameters]
    if len(ends) < 2 or any(p.many or target is None or target is entity for p, target in ends):
        return ()
    columns = [entity.column_for(p.words, target.name if target else None, True) for p, target in ends]
    return tuple(column.name for column in columns if column is not None) if all(columns) else ()


#: what someone is to something, once
_JOINING = frozenset(
    "watcher follower member subscriber collaborator assignee participant attendee membership star vote like reaction "
    "friend favorite".split()
)


def _is_link(tool: ParsedTool, domain: Domain, entity: Entity) -> bool:
    """True unless a create makes a record of its own or a delete removes one from where it belongs."""
    if tool.kind == "create":
        return domain.links(tool, entity)
    ends = link_ends(tool, domain, entity)
    if tool.kind != "delete" or ends is None:
        return ends is not None
    if undoes_link(tool, domain, entity):
        return True
    own = any(target is entity for _, target in ends)
    return own and not any(target.name in entity.parents.values() for _, target in ends)


def undoes_link(tool: ParsedTool, domain: Domain, entity: Entity) -> bool:
    """True for ``remove_tag_from_task`` beside ``add_tag_to_task``, which puts a tag that exists to a task."""
    return bool(tool.target) and any(
        t.kind in ("create", "link")
        and t.target == tool.target
        and t.noun == tool.noun
        and domain.own.get(t.name) is not None
        and (t.kind == "link" or domain.links(t, domain.own[t.name]))
        and link_ends(t, domain, domain.own[t.name]) is not None
        for t in domain.tools
    )


def link_ends(tool: ParsedTool, domain: Domain, entity: Entity) -> tuple[End, End] | None:
    """Return (owner, member) of a link: two required references to different entities."""
    picks = [(p, t) for p in tool.parameters if p.required and (t := domain.reference(p, entity)) is not None]
    if len(picks) != 2 or picks[0][1] is picks[1][1]:
        return None
    member = next((pick for pick in picks if pick[1] is entity), picks[1])
    named = [pick for pick in picks if pick[1].noun == tool.target]
    if named:
        member = next(pick for pick in picks if pick is not named[0])
    owner = next(pick for pick in picks if pick is not member)
    return owner, member


def link_column(owner: Entity, member: Entity) -> str:
    """Return the name of the owner's list of member keys, spelt as the owner's other fields."""
    camel = any(name != name.lower() and "_" not in name for name in (owner.key, *owner.fields))
    head, *rest = member.noun
    return head + "".join(w.capitalize() for w in rest) + "Ids" if camel else "_".join(member.noun) + "_ids"


def pair_fields(tool: ParsedTool, domain: Domain, entity: Entity) -> tuple[str, ...]:
    """Return the fields by which a removal without the key picks its record, () if it picks none."""
    if domain.key_parameter(tool, entity) is not None:
        return ()
    made = [
        t
        for t in domain.tools
        if domain.own.get(t.name) is entity
        and t.kind in ("create", "send", "link")
        and not domain.links(t, entity)
    ]
    fields = []
    for p in tool.parameters:
        if not p.required:
            continue
        target = domain.reference(p, entity)
        column = entity.column_for(p.words, target.name if target else None, True)
        if column is None or p.many or column.type in ("array", "object", "any"):
            return ()
        fields.append(column.name)
    inputs = {q.name for t in made for q in flat(t.parameters)}
    return tuple(fields) if made and set(fields) <= inputs and len(fields) > 1 else ()
