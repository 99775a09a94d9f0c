"""Calls that a model wrote as text, where its server read none out of it.

Small models forget the tags that their server looks for, and write the JSON alone.  Read leniently in one
way: an answer that is nothing but JSON (tagged or fenced or not), one object or several, each with ``name``
of an offered tool and ``arguments``, counts as these calls.  Anything else stays text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

_MARKS = re.compile(r"</?tool_call>|^```(?:json)?\s*$|^```\s*$", re.MULTILINE)


def with_calls(message: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return an assistant's message with the calls that stand in its text, as ``tool_calls``.

    Args:
        message: in the protocol's shape; one that has calls comes back as it is.
        names: the tools that are offered.

    >>> said = {"role": "assistant", "content": '{"name": "get_bed", "arguments": {"bed_id": "b1"}}'}
    >>> with_calls(said, ["get_bed"])["tool_calls"][0]["function"]
    {'name': 'get_bed', 'arguments': '{"bed_id": "b1"}'}
    """
    text = message.get("content")
    if message.get("tool_calls") or not isinstance(text, str):
        return dict(message)
    values = _objects(_MARKS.sub("", text).strip())
    if not values or not all(_is_call(value, names) for value in values):
        return dict(message)
    calls = [
        {
            "id": f"call_{at}",
            "type": "function",
            "function": {"name": value["name"], "arguments": json.dumps(value["arguments"], ensure_ascii=False)},
        }
        for at, value in enumerate(values)
    ]
    return {**message, "content": "", "tool_calls": calls}


def _objects(text: str) -> list[Any]:
    """The JSON values that a text consists of, [] if anything else stands in it."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            return []
        found += value if isinstance(value, list) else [value]
        at = end + len(text[end:]) - len(text[end:].lstrip(" \n\r\t,"))
    return found


def _is_call(value: Any, names: Collection[str]) -> bool:
    return isinstance(value, dict) and value.get("name") in names and isinstance(value.get("arguments"), dict)
