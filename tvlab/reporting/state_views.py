"""What changed in a state, drawn: one row a record, created green, deleted red, a changed field before and after."""

from __future__ import annotations

from collections.abc import Mapping

from tvlab.environments.environment import Environment, Snapshot
from tvlab.environments.state_difference import Change, difference
from tvlab.environments.tool_environment import nouns
from tvlab.foundation.words import singular
from tvlab.reporting.shown import CODE, Shown, escaped, shortened, table, tag, tint

_SHORT = 24
_TINTS = {"created": tint("#009E73", 0.15), "deleted": tint("#D55E00", 0.15)}


def draw_changes(environment: Environment, after: Snapshot, before: Snapshot | None = None) -> Shown:
    """Return what changed between two states of an environment.

    Args:
        environment: gives the nouns, and the state before if none is given.
        after: a session's state or snapshot.
        before: None means the initial state.
    """
    found = difference(environment.state if before is None else before, after)
    names = nouns(environment)
    rows = [_row(change, names) for change in found.changes]
    tints = {at: _TINTS.get(change.kind, "") for at, change in enumerate(found.changes)}
    page = table(("record", "field", "before", "after"), rows, tints) if rows else tag("i", "nothing changed")
    return Shown(page, found.words(names))


def _row(change: Change, names: Mapping[str, str]) -> list[str]:
    name = f"{names.get(change.table) or singular(change.table.lstrip('_'))} {change.key}"
    before = "" if change.kind in ("created", "set") else shortened(change.before)
    after = "" if change.kind in ("deleted", "unset") else shortened(change.after)
    cells = [_cell(text) for text in (change.field, before, after)]
    return [f"{escaped(name)} <i>({change.kind})</i>", *cells]


def _cell(text: str) -> str:
    """Return a value as code; a short one is never broken, so that a long one beside it leaves it room."""
    return tag("span", escaped(text), CODE + (";white-space:nowrap" if len(text) <= _SHORT else ""))
