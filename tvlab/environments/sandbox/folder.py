"""The files of an environment folder from a stranger, read without trust: plain files of the right shape.

No link is followed, no pipe or device is opened, size is limited, and what is wrong is one line with the
file's name.  ``tools.py`` comes as text; nothing here runs it.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvlab.environments.runtime import State
from tvlab.foundation.errors import UserError

_LARGEST = 16 * 2**20
_AGAIN = "build the environment again"


@dataclass(frozen=True)
class ForeignFolder:
    """What the files say.

    Attributes:
        tools: tools with at least a name and an input schema.
        state: the initial state.
        report: the report.
        code: what a worker loads: the folder's name for error lines, the source, and the tools.
    """

    tools: list[dict[str, Any]]
    state: State
    report: dict[str, Any]
    code: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> ForeignFolder:
        """Read the folder.

        Raises:
            UserError: a file is missing, is not a plain file, or does not hold what it should.
        """
        tools = _tools(folder / "tools.json")
        return cls(
            tools=tools,
            state=_state(folder / "state.json"),
            report=_object(folder / "report.json"),
            code={"folder": str(folder), "source": _text(folder / "tools.py"), "tools": tools},
        )


def _tools(path: Path) -> list[dict[str, Any]]:
    tools = _object(path).get("tools")
    if not isinstance(tools, list) or not all(_is_tool(tool) for tool in tools):
        raise UserError(f"{path}: no list of tools with names and schemas; {_AGAIN}")
    return tools


def _is_tool(tool: Any) -> bool:
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
        return False
    schema = tool.get("inputSchema")
    return isinstance(schema, dict) and isinstance(schema.get("properties", {}), dict)


def _state(path: Path) -> State:
    state = _object(path)
    if not all(isinstance(rows, dict) for rows in state.values()):
        raise UserError(f"{path}: every top-level value must be an object; {_AGAIN}")
    return state


def _object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not usable JSON ({type(error).__name__}); {_AGAIN}") from None
    if not isinstance(value, dict):
        raise UserError(f"{path}: expected a JSON object; {_AGAIN}")
    return value


def _text(path: Path) -> str:
    # O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UserError(f"{path}: not a plain file of an environment folder ({error.strerror})") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
        os.close(descriptor)
        raise UserError(f"{path}: not a plain file under {_LARGEST:,} bytes; {_AGAIN}")
    with open(descriptor, "rb") as file:
        data = file.read(_LARGEST)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8 text; {_AGAIN}") from None
