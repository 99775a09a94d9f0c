"""Tool calls as a person types them at a prompt, completed while typing, and with errors that help.

Three spellings: ``cancel_order order_id=ord-001``, ``cancel_order {"order_id": "ord-001"}``, and any that
``ToolCall.parse`` reads.  A bare value takes the type of its parameter: ``quantity=2`` is a number where the
schema wants one and text where it wants text.  Text with spaces, lists and objects are JSON:
``name="Ada Byron" items=["a", "b"]``.

Not checked here: required and unknown parameters, ranges, formats.  The environment answers those as it
answers an agent.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tvlab.environments.tool_calls import MalformedCallError, ToolCall

_WORD = re.compile(r"\S+")
_KEY = re.compile(r"([^\s={}\"']+)=")


class TypingError(ValueError):
    """A line that is no call; the message says what is wrong and what to type instead."""


def read_call(line: str, tools: Sequence[Mapping[str, Any]]) -> ToolCall:
    """Read a typed call.

    Args:
        line: what was typed.
        tools: those offered, in the MCP ``tools/list`` shape.

    Raises:
        TypingError: an unknown tool, or words that are neither JSON nor ``key=value``.

    >>> tools = [{"name": "add", "inputSchema": {"properties": {"n": {"type": "integer"}, "note": {"type": "string"}}}}]
    >>> read_call('add n=2 note=3', tools)
    ToolCall(name='add', arguments={'n': 2, 'note': '3'})
    >>> read_call('ad n=2', tools)
    Traceback (most recent call last):
    tvlab.tasks.typed_calls.TypingError: there is no tool 'ad'; did you mean add?
    """
    line = line.strip()
    try:
        if line.startswith("{"):
            call = ToolCall.parse(line)
            _schema(call.name, tools)
            return call
        found = _WORD.match(line)
        name = found[0] if found else ""
        schema = _schema(name, tools)
        rest = line[len(name) :].strip()
        if rest.startswith("{"):
            return ToolCall.parse({"name": name, "arguments": rest})
        return ToolCall(name, _pairs(rest, schema.get("properties", {})))
    except MalformedCallError as error:
        raise TypingError(f'{error}; a call is NAME key=value or NAME {{"key": value}}') from None


def completions(line: str, tools: Sequence[Mapping[str, Any]], commands: Sequence[str] = ()) -> list[str]:
    """Return what the last word of a line may become: names of tools or commands, parameters, known values.

    >>> tools = [{"name": "pay", "inputSchema": {"properties": {"by": {"enum": ["card", "cash"]}, "sum": {}}}}]
    >>> completions("p", tools), completions("pay ", tools), completions("pay by=ca", tools)
    (['pay '], ['by=', 'sum='], ['by=card', 'by=cash'])
    """
    words = line.split(" ")
    word = words[-1]
    if len(words) == 1:
        return [f"{name} " for name in (*(tool["name"] for tool in tools), *commands) if name.startswith(word)]
    if words[0] in commands:
        return [tool["name"] for tool in tools if tool["name"].startswith(word)] if words[0] == "/tools" else []
    try:
        properties = _schema(words[0], tools).get("properties", {})
    except TypingError:
        return []
    name, equals, typed = word.partition("=")
    if not equals:
        given = {other.partition("=")[0] for other in words[1:-1]}
        return [f"{known}=" for known in properties if known.startswith(name) and known not in given]
    schema = properties.get(name, {})
    values = [*schema.get("enum", ()), *(["true", "false"] if schema.get("type") == "boolean" else [])]
    return [f"{name}={value}" for value in values if str(value).startswith(typed)]


def signature(tool: Mapping[str, Any]) -> str:
    """Return a tool as one line, optional parameters in brackets.

    >>> signature({"name": "add", "inputSchema": {"properties": {"n": {"type": "integer"}, "note": {"type": "string"}},
    ...            "required": ["n"]}})
    'add n=<integer> [note=<string>]'
    """
    schema = tool.get("inputSchema", {})
    required = set(schema.get("required", ()))
    parts = [f"{name}={_kind(part)}" for name, part in schema.get("properties", {}).items()]
    names = schema.get("properties", {})
    shown = [part if name in required else f"[{part}]" for name, part in zip(names, parts, strict=True)]
    return " ".join([tool["name"], *shown])


def typed(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as one would type it; ``read_call`` reads it back.

    >>> typed("add", {"n": 2, "note": "two words", "tags": ["a"]})
    'add n=2 note="two words" tags=["a"]'
    """
    return " ".join([tool, *(f"{name}={_value(value)}" for name, value in arguments.items())])


def _value(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[^\s\"'{}\[\]=]+", value) and not _is_json(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _is_json(word: str) -> bool:
    try:
        json.loads(word)
    except ValueError:
        return False
    return True


def _schema(name: str, tools: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    names = [tool["name"] for tool in tools]
    if name in names:
        return tools[names.index(name)].get("inputSchema", {})
    holding = [known for known in names if name and name in known]
    close = [*holding, *(known for known in difflib.get_close_matches(name, names) if known not in holding)][:3]
    hint = f"did you mean {' or '.join(close)}?" if close else "/tools lists those there are"
    raise TypingError(f"there is no tool {name!r}; {hint}")


def _pairs(text: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    at = 0
    while at < len(text):
        key = _KEY.match(text, at)
        if key is None:
            word = _WORD.match(text, at)
            raise TypingError(
                f"{word[0] if word else text[at:]!r} is not key=value; put text with spaces in double quotes"
            )
        if key[1] in arguments:
            raise TypingError(f"{key[1]!r} is given twice; give a list as {key[1]}=[...]")
        arguments[key[1]], at = _read_value(text, key.end(), properties.get(key[1], {}), key[1])
        while at < len(text) and text[at].isspace():
            at += 1
    return arguments


def _read_value(text: str, at: int, schema: Any, name: str) -> tuple[Any, int]:
    """Return the value that starts at ``at``, and where it ends."""
    if text[at : at + 1] in ('"', "{", "["):
        try:
            value, end = json.JSONDecoder().raw_decode(text, at)
        except ValueError:
            raise TypingError(f"{name}={text[at : at + 30]} is not finished JSON; close the quote or bracket") from None
        return value, end
    if text[at : at + 1] == "'":
        end = text.find("'", at + 1)
        if end < 0:
            raise TypingError(f"{name}={text[at : at + 30]} lacks its closing quote")
        return text[at + 1 : end], end + 1
    word = _WORD.match(text, at)
    if word is None:
        raise TypingError(f'{name}= has no value; empty text is {name}=""')
    return _converted(word[0], schema), word.end()


def _converted(word: str, schema: Any) -> Any:
    """Give a bare word the type that its parameter has; a word that does not fit stays text."""
    kinds = _kinds(schema)
    if kinds and kinds <= {"string"}:
        return word
    try:
        value = json.loads(word)
    except ValueError:
        return word
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if kinds and "string" in kinds and not (number and kinds & {"integer", "number"}) and not isinstance(value, bool):
        return word
    return value


def _kinds(schema: Any) -> set[str]:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if kind is None and isinstance(schema, Mapping) and schema.get("enum"):
        return {"string"} if all(isinstance(value, str) for value in schema["enum"]) else set()
    return {kind} if isinstance(kind, str) else set(kind or ())


def _kind(schema: Any) -> str:
    if isinstance(schema, Mapping) and schema.get("enum") and len(schema["enum"]) <= 6:
        return "|".join(map(str, schema["enum"]))
    if isinstance(schema, Mapping) and schema.get("properties"):
        return "{" + ", ".join(schema["properties"]) + "}"
    if isinstance(schema, Mapping) and isinstance(schema.get("items"), Mapping):
        return f"[{_kind(schema['items'])}, ...]"
    return f"<{'|'.join(sorted(_kinds(schema))) or 'any'}>"
