"""The sandbox's inner side: a process that locks itself up, then runs one environment's code for its parent.

Everything is imported first, then the layers close, then the code is read; from there on this process can
compute and talk over one socket.  It holds one state at a time.  A message is ``[JSON length][bytes
length][JSON][bytes]``; the bytes are a state in ``marshal`` form, which only workers ever read.

Nothing that this process says is worth anything once the code has taken it over.  What holds then is outside:
the layers, and the parent, which believes a reply only about the call it answers and hands each call its own
episode's state.

Imports at the top are those a worker needs before it is locked up; nothing can be imported later.
"""

from __future__ import annotations

import base64
import codecs
import datetime
import gc
import hashlib
import importlib
import io
import json
import os
import struct
import sys
import time
from typing import Any, NoReturn

import jsonschema_rs

from tvlab.environments import runtime
from tvlab.environments.sandbox.code import Code, FaultError, ProblemError, encode
from tvlab.environments.sandbox.layers import Limits, put_on
from tvlab.foundation.errors import UserError

HEADER = struct.Struct("<II")
OUT_OF_MEMORY = 12
"""Exit status of a worker that could not even say so."""

_CODECS = "ascii latin-1 cp1252 utf-8 utf-8-sig utf-16 utf-32 idna punycode unicode_escape raw_unicode_escape"
_LATE_IMPORTS = "_strptime unicodedata collections functools itertools"


def main(descriptor: int) -> NoReturn:
    """Lock this process up as the first message says, then answer messages until the parent goes."""
    settings, _ = _read(descriptor)
    try:
        limits = Limits(**settings["limits"])
        _warm_up(settings["modules"])
        put_on(settings["layers"], limits, descriptor, settings["user"])
    except Exception as error:  # whatever it is: without its layers this process runs nothing
        _write(descriptor, encode({"refused": f"{type(error).__name__}: {error}"}).encode())
        os._exit(1)
    _write(descriptor, b'{"ready":true}')
    try:
        _serve(descriptor, Code(limits, settings["static_filter"]))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except BaseException:
        os._exit(1)


def _serve(descriptor: int, code: Code) -> NoReturn:
    while True:
        request, state = _read(descriptor)
        nonce = request["n"]
        if state:
            code.good, code.live = state, None
        out = b""
        try:
            if request["op"] == "call":
                value, out = code.call(request["tool"], request["arguments"])
            elif request["op"] == "load":
                code.load(request["folder"], request["source"], request["tools"])
                value = "null"
            else:
                value = encode(code.tables())
            reply = f'{{"n":{nonce},"v":{value}}}'
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: code may raise what it likes
            reply = encode({"n": nonce, "e": _named(error)})
        _write(descriptor, reply.encode(), out)


def _named(error: BaseException) -> list[str]:
    """Return [kind, text]: kind "tool" for what an agent should read, else the name of a fault."""
    text = _text_of(error)
    name = type(error).__name__[:100]
    if isinstance(error, FaultError):
        return [error.code, text]
    if isinstance(error, runtime.ToolError | UserError | ProblemError):
        return ["tool", text]
    if isinstance(error, MemoryError | RecursionError):
        return ["memory", name if isinstance(error, MemoryError) else "recursion too deep"]
    if isinstance(error, ImportError | OSError):
        return ["forbidden", text]
    if not isinstance(error, Exception):
        return ["forbidden", f"the code raised {name}"]
    return ["tool", f"internal: {name}: {text}"]


def _text_of(error: BaseException) -> str:
    try:
        return str(error)[:1000]
    except BaseException:
        return "(an error without words)"


class _NoImports:
    """Stands in for the import system once the process is locked up."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> NoReturn:
        raise ImportError(f"import of {name!r} in a sandbox")


class _Silent(io.TextIOBase):
    """Takes what code prints and writes it nowhere."""

    def write(self, text: str) -> int:
        return len(text)


def _warm_up(modules: list[str]) -> None:
    """Do now what would need a file later."""
    for name in (*_LATE_IMPORTS.split(), *modules):
        importlib.import_module(name)
    for name in _CODECS.split():
        codecs.lookup(name)
    for name in sorted(hashlib.algorithms_guaranteed):
        hashlib.new(name)
    base64.b85decode(base64.b85encode(b"a"))
    base64.a85encode(b"a")
    pattern = {"pattern": r"^(?=(b+)+$)b*c\1", "format": "uuid"}
    jsonschema_rs.Draft202012Validator({"allOf": [pattern, {"pattern": "^a+$"}]}).is_valid("a")
    time.tzset()
    datetime.datetime.strptime("2026-01-01", "%Y-%m-%d").astimezone()
    for name in ("stdout", "stderr", "__stdout__", "__stderr__"):
        setattr(sys, name, _Silent())
    sys.meta_path[:] = [_NoImports()]
    gc.collect()
    gc.freeze()


def _read(descriptor: int) -> tuple[Any, bytes]:
    """Return the next message; end the process if the parent is gone."""
    data = _at_least(descriptor, b"", HEADER.size)
    size, extra = HEADER.unpack_from(data)
    data = _at_least(descriptor, data, HEADER.size + size + extra)
    middle = HEADER.size + size
    return json.loads(data[HEADER.size : middle]), data[middle:]


def _at_least(descriptor: int, data: bytes, size: int) -> bytes:
    parts, have = [data], len(data)
    while have < size:
        part = os.read(descriptor, 1 << 15)
        if not part:
            os._exit(0)
        parts.append(part)
        have += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _write(descriptor: int, text: bytes, state: bytes = b"") -> None:
    data = memoryview(HEADER.pack(len(text), len(state)) + text + state)
    while data:
        data = data[os.write(descriptor, data) :]
