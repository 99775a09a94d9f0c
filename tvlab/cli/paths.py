"""Paths that commands are given: places to write to, looked at before any work is done, and folders of environments."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from tvlab.foundation.errors import UserError


def output_file(path: Path | None) -> Path | None:
    """Return the path if a file can be written there (for options: a callback).

    Raises:
        UserError: it is a folder, lies under a file, or the rights to write it are missing.
    """
    if path is not None:
        if path.is_dir():
            raise UserError(f"{path} is a folder: give the path of a file in it")
        _must_be_writable(path.absolute().parent, path)
    return path


def output_folder(path: Path | None) -> Path | None:
    """Return the path if a folder can be made or written there; errors as in ``output_file``."""
    if path is not None:
        _must_be_writable(path.absolute(), path)
    return path


def _must_be_writable(folder: Path, named: Path) -> None:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir():
        raise UserError(f"{named} cannot be written: {there} is a file, not a folder; give another path")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UserError(f"{named} cannot be written: no right to write into {there}; give another path")


def environment_folders(paths: Sequence[Path]) -> list[Path]:
    """Return folders of environments, those of a build in place of its folder.

    Raises:
        UserError: a build has no environment.
    """
    found = []
    for path in paths:
        if (path / "tools.json").exists() or not (path / "build.json").is_file():
            found.append(path)
            continue
        inside = sorted(one.parent for one in path.glob("*/tools.json"))
        if not inside:
            raise UserError(f"the build in {path} has no environment: its build.json says why every tool was dropped")
        found += inside
    return found


def one_environment(path: Path) -> Path:
    """Return the folder of an environment (for arguments: a callback).

    Raises:
        UserError: it is the folder of a build of several environments; the message names some.
    """
    inside = environment_folders([path])
    if len(inside) > 1:
        names = ", ".join(str(one) for one in inside[:3])
        raise UserError(f"{path} holds {len(inside)} environments: give one of them, such as {names}")
    return inside[0]


def must_be_tool_lists(source: str) -> None:
    """Tell what has to be pulled first from what can be built.

    Raises:
        UserError: the source is the address of a server, or a client's configuration.
    """
    first = f"ask the servers first with `tvlab corpus pull {source} --out mine.jsonl`, then build --from mine.jsonl"
    if source.startswith(("http://", "https://")):
        raise UserError(f"{source} is an address, not a file of tool lists: {first}")
    path = Path(source)
    if path.suffix == ".json" and path.is_file():
        try:
            value = json.loads(path.read_bytes())
        except (ValueError, OSError, RecursionError):
            return  # whoever reads it says what is wrong
        if isinstance(value, dict) and "tools" not in value and isinstance(value.get("mcpServers"), dict):
            raise UserError(f"{source} names servers but holds no tool lists: {first}")
