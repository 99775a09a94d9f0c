"""Servers of an ``mcp.json``: what MCP clients read to know which servers to start or to reach.

``mcpServers`` (or ``servers``) maps names to a command with ``args``, ``env`` and ``cwd``, or to a ``url``
with ``headers``.  ``${NAME}``, ``${env:NAME}`` and ``${NAME:-default}`` stand for environment variables.
Provenance names the package or program, never arguments, environment values or headers: those may be secrets.
Asking such servers starts the commands of the file as the user's own client would.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from tvlab.environments.sources.http_servers import HttpServer
from tvlab.environments.sources.server_installs import LiveServer
from tvlab.foundation.atomic_files import read_json
from tvlab.foundation.errors import UserError

#: what the official client hands to a server by default, beside PATH
_INHERITED = ("HOME", "LOGNAME", "SHELL", "TERM", "USER")
_VARIABLE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
_PACKAGE = re.compile(r"(?P<name>(?:@[\w.-]+/)?[\w.-]+)(?:\[[\w,.-]*\])?(?:(?:@|==)(?P<version>[\w.+-]+))?")
#: program -> (package index, options that name the package, other options that take a value)
_RUNNERS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "npx": ("npm", ("-p", "--package"), ("-c", "--call")),
    "bunx": ("npm", ("-p", "--package"), ()),
    "uvx": ("pypi", ("--from",), ("--with", "--python", "-p", "--index-url", "--default-index", "--index")),
    "pipx": ("pypi", ("--spec",), ("--python", "--index-url")),
}


@dataclass(frozen=True)
class Unusable:
    """An entry of the configuration that cannot be asked, and why."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"server {self.name} is left out: {self.reason}"


def read_client_configuration(path: str | Path) -> list[LiveServer | HttpServer | Unusable]:
    """Return the servers of a client configuration, in its order.

    Raises:
        UserError: it is no JSON, or has no servers.
    """
    value = read_json(path, "client configuration")
    servers = value.get("mcpServers", value.get("servers")) if isinstance(value, dict) else None
    if not isinstance(servers, dict) or not servers:
        raise UserError(
            f'client configuration {path} has no servers: give {{"mcpServers": {{"name": {{"command": '
            '...}}}} or a "url" each'
        )
    return [_server(name, entry, Path(path).resolve().parent) for name, entry in servers.items()]


def _server(name: str, entry: Any, base: Path) -> LiveServer | HttpServer | Unusable:
    name = " ".join(name.split())[:80] or "server"
    if not isinstance(entry, dict):
        return Unusable(name, "its entry is no object")
    if entry.get("disabled") is True or entry.get("enabled") is False:
        return Unusable(name, "it is disabled")
    try:
        return _http(name, entry) if "url" in entry else _command(name, entry, base)
    except (_EntryError, UserError) as error:
        return Unusable(name, str(error))


class _EntryError(Exception):
    pass


def _http(name: str, entry: dict[str, Any]) -> HttpServer:
    kind = entry.get("type", entry.get("transport", "http"))
    if kind not in ("http", "streamable-http", "streamableHttp", "streamable_http"):
        raise _EntryError(f"the transport {kind!r} is not supported (only streamable HTTP is)")
    return HttpServer(name, _filled(_text(entry["url"], "url")), _texts(entry.get("headers"), "headers"))


def _command(name: str, entry: dict[str, Any], base: Path) -> LiveServer:
    if "command" not in entry:
        raise _EntryError("it has neither command nor url")
    arguments = entry.get("args", [])
    if not isinstance(arguments, list):
        raise _EntryError("args is no list")
    command = [_filled(_text(word, "command")) for word in [entry["command"], *arguments]]
    folder = base / _filled(_text(entry.get("cwd", "."), "cwd"))
    if not folder.is_dir():
        raise _EntryError(f"its folder {folder} does not exist")
    inherited = {key: os.environ[key] for key in _INHERITED if key in os.environ}
    index, package, version = package_of(command)
    return LiveServer(
        name,
        "command",
        command,
        package=f"{index}:{package}",
        version=version,
        license="unspecified",
        env=inherited | _texts(entry.get("env"), "env"),
        folder=str(folder),
    )


def package_of(command: list[str]) -> tuple[str, str, str]:
    """Return (index, package, version) that a command runs, else ("program", its name, "").

    >>> package_of(["npx", "-y", "@scope/server@1.2", "--token", "secret"])
    ('npm', '@scope/server', '1.2')
    >>> package_of(["uvx", "--from", "some-server==2.0", "serve"])
    ('pypi', 'some-server', '2.0')
    >>> package_of(["/opt/bin/server", "--token", "secret"])
    ('program', 'server', '')
    """
    program = PurePath(command[0]).name
    index, naming, valued = _RUNNERS.get(program, ("program", (), ()))
    words = iter(command[1:] if index != "program" else ())
    for word in words:
        if word in valued:
            next(words, None)
        elif word in naming or (not word.startswith("-") and (program, word) != ("pipx", "run")):
            match = _PACKAGE.fullmatch(next(words, "") if word in naming else word)
            return (index, match["name"], match["version"] or "") if match else ("program", program, "")
    return "program", program, ""


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise _EntryError(f"{what} is no text")
    return value


def _texts(value: Any, what: str) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _EntryError(f"{what} is no object")
    return {key: _filled(str(part)) for key, part in value.items()}


def _filled(text: str) -> str:
    """``text`` with its variables' values.

    Raises:
        _EntryError: a variable is not set, or is none of the environment.
    """

    def value(match: re.Match[str]) -> str:
        found = os.environ.get(match["name"], match["default"])
        if found is None:
            raise _EntryError(f"the environment variable {match['name']} is not set")
        return found

    filled = _VARIABLE.sub(value, text)
    if left := re.search(r"\$\{[^}]*\}", _VARIABLE.sub("", text)):
        raise _EntryError(f"{left[0]} is not known here")
    return filled
