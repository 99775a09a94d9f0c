"""What a model wrote as a message: its calls in the Hermes form, what is no call, and the words around them.

    <tool_call>
    {"name": "get_order", "arguments": {"order_id": "ord-001"}}
    </tool_call>

A block that is not closed, is no JSON or has no name is kept as malformed, in its place among the calls, so that the
agent reads an error and does not wonder where its call went. Reasoning in front of "</think>" holds no calls.
Other forms are read by verl's own parsers (`agent_loop`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tvlab.environments.tool_calls import MalformedCallError, ToolCall

OPEN, CLOSE, THOUGHT = "<tool_call>", "</tool_call>", "</think>"
_BLOCK = re.compile(rf"{OPEN}(.*?)(?:({CLOSE})|(?={OPEN})|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Malformed:
    """Something meant as a call that is none, and why."""

    reason: str


@dataclass(frozen=True)
class Written:
    """One message of the model.

    Attributes:
        content: its words, with the reasoning and with malformed calls as they were written.
        calls: calls and malformed ones, in order; none means that the message ends the turn.
    """

    content: str
    calls: tuple[ToolCall | Malformed, ...] = ()


def read_hermes(text: str) -> Written:
    """Read a message.

    >>> read_hermes('Looking. <tool_call>{"name": "list_books"}</tool_call>')
    Written(content='Looking.', calls=(ToolCall(name='list_books', arguments={}),))
    >>> read_hermes('<tool_call>{"name": "list_books"').calls
    (Malformed(reason='<tool_call> is not closed by </tool_call>'),)
    """
    thought, end, said = text.rpartition(THOUGHT)
    calls: list[ToolCall | Malformed] = []
    kept: list[str] = []
    at = 0
    for block in _BLOCK.finditer(said):
        call = _read(block[1], closed=block[2] is not None)
        calls.append(call)
        kept.append(said[at : block.start() if isinstance(call, ToolCall) else block.end()])
        at = block.end()
    kept.append(said[at:])
    return Written((thought + end + "".join(kept)).strip(), tuple(calls))


def _read(block: str, closed: bool) -> ToolCall | Malformed:
    if not closed:
        return Malformed(f"{OPEN} is not closed by {CLOSE}")
    try:
        return ToolCall.parse(block.strip())
    except MalformedCallError as error:
        return Malformed(str(error))
