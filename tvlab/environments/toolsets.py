"""Split a server's tools into toolsets of 5 to 20 along its parent graph (RULES.md, advice 8).

A server with at most 20 tools is one toolset; what does not go with the rest stays as distractors.  A bigger
one is split: the tools of one entity stay together, and groups grow until they hold about ten tools, the
smallest group first, each joining the neighbour that it is most strongly tied to: a parent before another
reference, a reference before a shared key, a shared key before a shared word.  A group that stays below five
tools is tied to nothing with room: it becomes distractors of a toolset of the same server, which are at most a
third of its tools, or is left over (``joining.py``).  Such groups are never lumped together.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tvlab.environments.meanings.meanings import Meaning

SMALLEST, LARGEST = 5, 20
#: groups of this size stop looking for others
_ENOUGH = 9
#: a toolset takes one distractor for this many tools of its own
_DISTRACTORS = 2
#: how strong a tie is
_PARENT, _REFERENCE, _SAME_TARGET, _SAME_WORD = 8.0, 4.0, 2.0, 1.0
#: words that unrelated things share
_SAYS_NOTHING = frozenset({"item", "data", "info", "list", "detail", "type", "status", "result", "config"})


class _Group:
    """Tools that stay together, and what ties them to others."""

    def __init__(self, meanings: list[Meaning]) -> None:
        self.meanings = meanings
        self.own = {m.entity.name for m in meanings}
        self.parents = {parent for m in meanings for parent in m.entity.parents.values()}
        self.picked = {
            role.entity for m in meanings for one in (m, *m.branches.values()) for role in one.roles if role.entity
        } | {f.reference for m in meanings for f in m.entity.fields.values() if f.reference}
        self.words = {word for m in meanings for word in m.entity.noun} - _SAYS_NOTHING

    def __len__(self) -> int:
        return len(self.meanings)

    def tie(self, other: _Group) -> float:
        """How strongly two groups go together, 0 if not at all; a bigger partner ties less."""
        parent = len(self.parents & other.own) + len(other.parents & self.own)
        reference = len(self.picked & other.own) + len(other.picked & self.own)
        same = len((self.picked | self.parents) & (other.picked | other.parents))
        words = len(self.words & other.words)
        strength = _PARENT * parent + _REFERENCE * reference + _SAME_TARGET * same + _SAME_WORD * words
        return strength / (len(self) + len(other))


def split_toolsets(
    meanings: list[Meaning], smallest: int = SMALLEST, largest: int = LARGEST
) -> list[list[Meaning]]:
    """Return the toolsets of one server, each in the order of the tools.

    Tools that fit into none are in no toolset.
    """
    if len(meanings) <= largest:
        return [meanings] if len(meanings) >= smallest else []
    groups = _one_an_entity(meanings, largest)
    while (pair := _next_pair(groups, largest, max(smallest, _ENOUGH))) is not None:
        one, other = pair
        groups = [group for group in groups if group is not one and group is not other]
        groups.append(_Group(one.meanings + other.meanings))
    order = {id(meaning): at for at, meaning in enumerate(meanings)}
    sets = _with_distractors(groups, smallest, largest)
    sets = [sorted(group, key=lambda m: order[id(m)]) for group in sets]
    return sorted(sets, key=lambda group: order[id(group[0])])


def _with_distractors(groups: list[_Group], smallest: int, largest: int) -> list[list[Meaning]]:
    """Give each group that is too small to the toolset with the most room for distractors, if it has room."""
    whole = [list(group.meanings) for group in groups if len(group) >= smallest]
    room = [min(len(group) // _DISTRACTORS, largest - len(group)) for group in whole]
    for group in sorted((g for g in groups if len(g) < smallest), key=len, reverse=True):
        at = max(range(len(whole)), key=lambda n: (room[n], -n), default=None)
        if at is not None and room[at] >= len(group):
            whole[at] += group.meanings
            room[at] -= len(group)
    return whole


def _one_an_entity(meanings: list[Meaning], largest: int) -> list[_Group]:
    """One group an entity; an entity with too many tools is cut into equal parts."""
    by_entity: dict[str, list[Meaning]] = defaultdict(list)
    for meaning in meanings:
        by_entity[meaning.entity.name].append(meaning)
    groups = []
    for group in by_entity.values():
        parts = -(-len(group) // largest)
        cuts = [round(at * len(group) / parts) for at in range(parts + 1)]
        groups += [_Group(group[a:b]) for a, b in pairwise(cuts)]
    return groups


def _next_pair(groups: list[_Group], largest: int, enough: int) -> tuple[_Group, _Group] | None:
    """The smallest group that may still grow, with the neighbour that it is most strongly tied to."""
    for one in sorted(groups, key=len):
        if len(one) >= enough:
            return None
        ties = [
            (one.tie(other), -at)
            for at, other in enumerate(groups)
            if other is not one and len(one) + len(other) <= largest
        ]
        best = max(ties, default=(0.0, 0))
        if best[0] > 0:
            return one, groups[-best[1]]
    return None
