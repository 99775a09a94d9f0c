"""A golden call as text for people: ``pay(order=<order_id of turn 1, call 2>)``; turns and calls count from 1."""

from __future__ import annotations

import json
from typing import Any

from tvlab.tasks.item import GoldenCall
from tvlab.tasks.paths import is_reference


def call_text(call: GoldenCall) -> str:
    """Return a golden call as one line.

    >>> call_text(GoldenCall("pay", {"order": {"$ref": [0, 1, "order_id"]}, "sum": 2}, writes=True))
    'pay(order=<order_id of turn 1, call 2>, sum=2)'
    """
    inside = ", ".join(f"{name}={value_text(value)}" for name, value in call.arguments.items())
    return f"{call.tool}({inside})"


def value_text(value: Any) -> str:
    """Return an argument as text, references in words."""
    if is_reference(value):
        turn, call, path = value["$ref"]
        return f"<{path} of turn {turn + 1}, call {call + 1}>"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {value_text(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
