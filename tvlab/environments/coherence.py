"""Coherence: the share of an environment's tools that have to do with another of its tools.

Two tools are connected if they are about the same entity, if one takes the key of (or a reference to) the
other's entity, if their entities refer to one another, or if both are picked by the same key of the same type
(two facts of one city).  Read from the report alone.
"""

from __future__ import annotations

from typing import Any

#: names of keys that unrelated things share
_SAYS_NOTHING = frozenset({"id", "name", "title", "key", "label", "number", "index", "type"})


def coherence(report: dict[str, Any]) -> dict[str, Any]:
    """Return ``{"connected": tools connected to another one, "tools": all, "share": of connected ones}``.

    >>> coherence({"meanings": {}, "entities": {}})
    {'connected': 0, 'tools': 0, 'share': None}
    """
    marks = {tool: _marks(meaning, report["entities"]) for tool, meaning in report["meanings"].items()}
    connected = [tool for tool, mine in marks.items() if any(mine & marks[other] for other in marks if other != tool)]
    share = round(len(connected) / len(marks), 3) if marks else None
    return {"connected": len(connected), "tools": len(marks), "share": share}


def _marks(meaning: dict[str, Any], entities: dict[str, Any]) -> set[tuple[str, ...]]:
    """What connects a tool: its entity, the entities above, those it picks, and the keys that it takes."""
    own = str(meaning.get("entity") or "")
    about = entities.get(own, {})
    marks: set[tuple[str, ...]] = {("entity", own)} if own else set()
    marks |= {("entity", parent) for parent in about.get("parents", ())}
    for field in about.get("fields", {}).values():
        if field.get("reference"):
            marks.add(("entity", field["reference"]))
    for role in meaning.get("parameters", {}).values():
        if role.get("entity"):
            marks.add(("entity", role["entity"]))
        picked = entities.get(role.get("entity"), {})
        if role.get("role") == "key" and picked.get("key_kind") == "natural" and picked["key"] not in _SAYS_NOTHING:
            marks.add(("key", picked["key"], str(picked["fields"][picked["key"]].get("type"))))
        elif meaning.get("operation") == "fact" and role.get("field"):
            marks.add(("key", role["field"], str(about.get("fields", {}).get(role["field"], {}).get("type"))))
    return marks
