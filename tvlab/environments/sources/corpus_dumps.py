"""A corpus dump that grows: one server a line, extended server by server.

Each change replaces the file in one step, so a process that is killed leaves the dump of the moment before,
and pulling again goes on from there.  One process at a time extends the dumps of a folder.  A server is known
again by where it came from (``source.repo``, ``source.path``); the same tools from two places are kept once.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tvlab.environments.tool_lists import ToolList, load_tool_lists
from tvlab.foundation.atomic_files import write_jsonl
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError

Origin = tuple[str, str]


class CorpusDump:
    """The servers of a dump, in memory and on disk.

    Attributes:
        path: the file (JSON Lines).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._servers: dict[Origin, dict[str, Any]] = {}
        self._tools: dict[str, Origin] = {}
        for at, tool_list in enumerate(load_tool_lists(path) if _has_content(path) else []):
            self._put(
                origin_of(tool_list) if origin_of(tool_list) != ("", "") else ("", f"line {at}"), tool_list
            )

    def __len__(self) -> int:
        return len(self._servers)

    def version(self, origin: Origin) -> str | None:
        """Return the commit or package version of an origin's server, None if it is not here."""
        known = self._servers.get(origin)
        return None if known is None else version_of(ToolList(known["server"], source=known["source"]))

    def add(self, tool_list: ToolList) -> str:
        """Take a server in and return what that meant: ``added``, ``replaced``, ``kept`` or ``twin``.

        ``kept``: it is there with the same tools and version.  ``twin``: the same tools are there from
        elsewhere.
        ``write`` saves it.
        """
        origin, mark = origin_of(tool_list), _mark(tool_list.tools)
        known = self._servers.get(origin)
        same = known is not None and _mark(known["tools"]) == mark
        if same and self.version(origin) == version_of(tool_list):
            return "kept"
        if self._tools.get(mark, origin) != origin:
            return "twin"
        self._put(origin, tool_list)
        return "added" if known is None else "replaced"

    def write(self) -> None:
        """Replace the file by what is here now."""
        write_jsonl(self.path, self._servers.values())

    def _put(self, origin: Origin, tool_list: ToolList) -> None:
        self._servers[origin] = tool_list.to_json()
        self._tools[_mark(tool_list.tools)] = origin


@contextmanager
def open_dump(path: str | Path) -> Iterator[CorpusDump]:
    """Yield the dump at ``path``, new or to be extended, and keep other processes off its folder meanwhile.

    Raises:
        UserError: it is no JSONL file of tool lists, cannot be written, or another process extends it.
    """
    path = Path(path)
    if path.suffix not in (".jsonl", ".ndjson"):
        raise UserError(f"corpus dump {path} is no .jsonl file: give a path that ends in .jsonl")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise UserError(
            f"corpus dump {path} cannot be written ({error.strerror}): choose another path"
        ) from None
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"another process extends a dump in {path.parent}: wait for it to end") from None
        yield CorpusDump(path)
    finally:
        os.close(folder)


def origin_of(tool_list: ToolList) -> Origin:
    """Return where a server came from."""
    return str(tool_list.source.get("repo") or ""), str(tool_list.source.get("path") or "")


def version_of(tool_list: ToolList) -> str:
    """Return the commit or package version of a server, "" where none is recorded."""
    return str(tool_list.source.get("commit") or "")


def _mark(tools: list[Any]) -> str:
    return content_hash(tools)


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0
