"""One worked example an operation, on a made-up house of lamps, in the form that an answer must have."""

from __future__ import annotations

import json
from typing import Any

_LAMP = {
    "table": "lamps",
    "key": "lamp_id",
    "key_type": "string",
    "fields": {"label": "string", "room_id": "string, key of room", "watts": "integer", "status": "string: on | off"},
    "id_prefix": "lam",
}
_ENTITIES = {"lamp": _LAMP, "room": {"table": "rooms", "key": "room_id"}}
_KEY = {"role": "key", "entity": "lamp"}
_ROOM = {"role": "reference", "entity": "room", "field": "room_id"}

#: kind of verb -> (tool, description, parameters, meaning without entity, function)
_EXAMPLES: dict[str, tuple[str, str, dict[str, Any], dict[str, Any], str]] = {
    "read": (
        "get_lamp",
        "Get one lamp.",
        {"lamp_id": {"type": "string", "required": True}},
        {"operation": "read", "parameters": {"lamp_id": _KEY}},
        'def get_lamp(state, *, lamp_id):\n    return find(state, "lamps", lamp_id, "lamp")',
    ),
    "list": (
        "list_lamps",
        "List the lamps of a room.",
        {
            "room_id": {"type": "string", "required": True},
            "status": {"type": "string", "required": False, "enum": ["on", "off"]},
            "limit": {"type": "integer", "required": False},
        },
        {
            "operation": "list",
            "parameters": {
                "room_id": _ROOM,
                "status": {"role": "filter", "field": "status"},
                "limit": {"role": "limit"},
            },
        },
        (
            "def list_lamps(state, *, room_id, status=None, limit=None):\n"
            '    find(state, "rooms", room_id, "room")\n'
            '    lamps = [row for row in state["lamps"].values() if row.get("room_id") == room_id]\n'
            "    if status is not None:\n"
            '        lamps = [row for row in lamps if row.get("status") == status]\n'
            '    return {"lamps": one_page(lamps, limit, 0)}'
        ),
    ),
    "search": (
        "search_lamps",
        "Find lamps by text.",
        {"query": {"type": "string", "required": True}, "limit": {"type": "integer", "required": False}},
        {"operation": "search", "parameters": {"query": {"role": "query"}, "limit": {"role": "limit"}}},
        (
            "def search_lamps(state, *, query, limit=None):\n"
            '    lamps = [row for row in state["lamps"].values() if contains(row, ("label",), query)]\n'
            '    return {"lamps": one_page(lamps, limit, 0)}'
        ),
    ),
    "count": (
        "count_lamps",
        "Count lamps.",
        {"status": {"type": "string", "required": False}},
        {"operation": "count", "parameters": {"status": {"role": "filter", "field": "status"}}},
        (
            "def count_lamps(state, *, status=None):\n"
            '    lamps = [row for row in state["lamps"].values() if status is None or row.get("status") == status]\n'
            '    return {"count": len(lamps)}'
        ),
    ),
    "create": (
        "create_lamp",
        "Add a lamp to a room.",
        {
            "label": {"type": "string", "required": True},
            "room_id": {"type": "string", "required": True},
            "watts": {"type": "integer", "required": False},
        },
        {
            "operation": "create",
            "parameters": {
                "label": {"role": "payload", "field": "label"},
                "room_id": _ROOM,
                "watts": {"role": "payload", "field": "watts"},
            },
        },
        (
            "def create_lamp(state, *, label, room_id, watts=None):\n"
            '    find(state, "rooms", room_id, "room")\n'
            '    content = without_missing({"label": label, "room_id": room_id, "watts": watts})\n'
            '    lamp_id = mint(state, "create_lamp", content, "lam")\n'
            '    lamp = {"lamp_id": lamp_id, "status": "off", **content}\n'
            '    state["lamps"][lamp_id] = lamp\n'
            "    return lamp"
        ),
    ),
    "update": (
        "update_lamp",
        "Change a lamp.",
        {
            "lamp_id": {"type": "string", "required": True},
            "label": {"type": "string", "required": False},
            "watts": {"type": "integer", "required": False},
        },
        {
            "operation": "update",
            "parameters": {
                "lamp_id": _KEY,
                "label": {"role": "payload", "field": "label"},
                "watts": {"role": "payload", "field": "watts"},
            },
        },
        (
            "def update_lamp(state, *, lamp_id, label=None, watts=None):\n"
            '    lamp = find(state, "lamps", lamp_id, "lamp")\n'
            '    lamp = {**lamp, **without_missing({"label": label, "watts": watts})}\n'
            '    state["lamps"][lamp_id] = lamp\n'
            "    return lamp"
        ),
    ),
    "transition": (
        "switch_off_lamp",
        "Switch a lamp off.",
        {"lamp_id": {"type": "string", "required": True}},
        {
            "operation": "transition",
            "parameters": {"lamp_id": _KEY},
            "sets": {"field": "status", "value": "off"},
        },
        (
            "def switch_off_lamp(state, *, lamp_id):\n"
            '    lamp = find(state, "lamps", lamp_id, "lamp")\n'
            '    if lamp.get("status") == "off":\n'
            '        fail("conflict", "this lamp is already off")\n'
            '    lamp = {**lamp, "status": "off"}\n'
            '    state["lamps"][lamp_id] = lamp\n'
            "    return lamp"
        ),
    ),
    "delete": (
        "delete_lamp",
        "Delete a lamp.",
        {"lamp_id": {"type": "string", "required": True}},
        {"operation": "delete", "parameters": {"lamp_id": _KEY}},
        (
            "def delete_lamp(state, *, lamp_id):\n"
            '    find(state, "lamps", lamp_id, "lamp")\n'
            '    del state["lamps"][lamp_id]\n'
            '    return {"deleted": True, "lamp_id": lamp_id}'
        ),
    ),
}
_KINDS = {"send": "create"}


def example(kind: str) -> str:
    """Return the example for a kind of verb: a tool as data, and the answer to it."""
    name, description, parameters, meaning, code = _EXAMPLES[_KINDS.get(kind, kind)]
    tool = {"name": name, "description": description, "parameters": parameters}
    data = {"tool": tool, "function": name, "operations": [meaning["operation"]], "entities": _ENTITIES}
    declared = {"operation": meaning["operation"], "entity": "lamp", **meaning}
    asked = f"```json\n{json.dumps(data)}\n```"
    return f"{asked}\nThe answer to it:\n```json\n{json.dumps(declared)}\n```\n```python\n{code}\n```"
