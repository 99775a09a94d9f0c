"""Tool calls as text, for a model whose server reads none out of its output: ``<tool_call>`` in JSON.

The tools go into the system message, calls and results of the conversation become text, and an answer is
read back into ``tool_calls``.  This is the Hermes format that Qwen and others were trained on, in our words.

Read leniently in one way: without tags, each JSON object of the answer that has the ``name`` of an offered
tool and ``arguments`` (or ``parameters``) counts as a call, since small models forget the tags.  A tagged call
that is no JSON stays text, so that the agent's turn ends with it, and is reported as unreadable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)

_BARE = {"arguments", "parameters"}

_EXPLAINED = """\
You can use the tools below; each line is one tool in JSON, with its parameters as JSON Schema.
<tools>
{tools}
</tools>
To call a tool, write its name and arguments as JSON between tags, once for each call:
<tool_call>
{{"name": "{name}", "arguments": {{"PARAMETER": "VALUE"}}}}
</tool_call>
The result is in the message that follows. A message without a call ends your turn."""


def without_thinking(text: str) -> str:
    """Return a text without what stands in ``<think>``; one that is never closed runs to the end.

    Some servers leave out the opening tag, since the template writes it: all up to a lone ``</think>`` goes.

    >>> without_thinking("<think>hm</think> Yes."), without_thinking("hm</think>Yes."), without_thinking("No.")
    ('Yes.', 'Yes.', 'No.')
    """
    if "think>" not in text:
        return text
    rest = _THOUGHT.sub("", text)
    return rest.rpartition("</think>")[2].strip()


def as_text(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a conversation in which tools, calls and results are text.

    Args:
        messages: chat messages with ``tool_calls`` and ``tool`` roles.
        tools: in the protocol's shape, ``{"type": "function", "function": {...}}``.
    """
    lines = "\n".join(json.dumps(tool.get("function", tool), ensure_ascii=False) for tool in tools)
    name = tools[0].get("function", tools[0])["name"] if tools else "TOOL"
    told: list[dict[str, Any]] = [{"role": "system", "content": _EXPLAINED.format(tools=lines, name=name)}]
    for message in messages:
        role, content = message["role"], _text_of(message.get("content"))
        if role in ("system", "developer"):
            told[0]["content"] = f"{content}\n\n{told[0]['content']}" if content else told[0]["content"]
        elif role == "tool":
            response = f"<tool_response>\n{content}\n</tool_response>"
            if told[-1].get("results"):
                told[-1]["content"] += f"\n{response}"
            else:
                told.append({"role": "user", "content": response, "results": True})
        elif role == "assistant":
            calls = [_written(call["function"]) for call in message.get("tool_calls") or ()]
            told.append({"role": role, "content": "\n".join([*([content] if content else []), *calls])})
        else:
            told.append({"role": role, "content": content})
    return [{"role": message["role"], "content": message["content"]} for message in told]


def read_calls(text: str, names: Sequence[str] = ()) -> tuple[str, list[dict[str, Any]], int]:
    """Read an answer: (text beside the calls, calls in the protocol's shape, calls that are unreadable).

    Args:
        text: the answer, without thinking.
        names: the tools that are offered; only they may be called without tags.

    >>> read_calls('<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>')[1][0]["function"]
    {'name': 'f', 'arguments': '{"x": 1}'}
    >>> read_calls("<tool_call>f(1)</tool_call>")
    ('<tool_call>f(1)</tool_call>', [], 1)
    """
    bodies = _TAGGED.findall(text)
    if not bodies:
        values = _bare(text, names)
        return ("", [_call(at, value) for at, value in enumerate(values)], 0) if values else (text, [], 0)
    values = [value for body in bodies for value in [_named(body)] if value is not None]
    if not values:
        return text, [], len(bodies)
    rest = _TAGGED.sub("", text).strip()
    return rest, [_call(at, value) for at, value in enumerate(values)], len(bodies) - len(values)


def _named(body: str) -> dict[str, Any] | None:
    fenced = _FENCED.match(body)
    try:
        value = json.loads(fenced[1] if fenced else body)
    except (json.JSONDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("name"), str) else None


def _bare(text: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """The objects in a text without tags that call one of the tools by name."""
    found, at, decoder = [], text.find("{"), json.JSONDecoder()
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict) and value.get("name") in names and _BARE & value.keys():
                found.append(value)
        at = text.find("{", end)
    return found


def _call(at: int, value: Mapping[str, Any]) -> dict[str, Any]:
    arguments = value.get("arguments", value.get("parameters", {}))
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": f"call_{at}", "type": "function", "function": {"name": value["name"], "arguments": text}}


def _written(function: Mapping[str, Any]) -> str:
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except json.JSONDecodeError:
        arguments = function["arguments"]
    body = json.dumps({"name": function["name"], "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{body}\n</tool_call>"


def _text_of(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content if isinstance(part, Mapping))
    return content or ""
