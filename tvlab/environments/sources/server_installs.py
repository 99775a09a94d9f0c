"""Real MCP servers: which ones we know, and an environment of its own for each.

A server of PyPI gets a virtual environment, one of npm a folder (``npm install --ignore-scripts``); nothing
of it enters our own environment. Installing happens once: the last thing written is a marker with the facts
that the install was made from. A folder without its marker, as a killed process leaves it, is made anew; a
lock keeps two processes from making the same one (also an installer that outlived a killed process). Not
checked: what the packages do (they are the registries', pinned by version).
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from tvlab.foundation.atomic_files import read_json, write_json
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError

INSTALL_SECONDS = 600.0
_MARKER = "installed.json"


@dataclass(frozen=True)
class LiveServer:
    """Facts about one server.

    Attributes:
        name: its name here.
        ecosystem: ``pypi``, ``npm``, or ``command`` for one that needs no install.
        package, version, license: of the package.
        description: what it is for.
        requirements: what is installed, with versions.
        command: the command that starts it; ``WORKDIR`` in it stands for its scratch folder.
        env: its environment variables beside the least ones.
        setup: commands that run before it, in its scratch folder.
        folders: folders that it needs.
        folder: where it runs, if not in its scratch folder.
        tools: number of tools when recorded.
        megabytes: disk space of its environment when recorded.
    """

    name: str
    ecosystem: str
    command: list[str]
    package: str = ""
    version: str = ""
    license: str = ""
    description: str = ""
    requirements: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    setup: list[list[str]] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    folder: str = ""
    tools: int = 0
    megabytes: int = 0

    @property
    def source(self) -> dict[str, Any]:
        """Provenance, as tool lists and reports carry it."""
        given = self.ecosystem == "command"
        return {"repo": self.package if given else f"{self.ecosystem}:{self.package}",
                "path": f"tools/list over stdio{f' of {self.name}' if given else ''}",
                "commit": self.version,
                "license": self.license, "schema": "raw", "live": True}  # fmt: skip


class InstallError(Exception):
    """A server could not be installed; the message is one line."""


def known_servers() -> list[LiveServer]:
    """Return the servers that the package lists (``tvlab/data/live_servers.json``)."""
    path = resources.files("tvlab") / "data" / "live_servers.json"
    return [LiveServer(**facts) for facts in read_json(Path(str(path)), "list of live servers")["servers"]]


def choose_servers(names: list[str] | None) -> list[LiveServer]:
    """Return the servers called ``names``, all known ones for None.

    Raises:
        UserError: a name is unknown; the message lists those there are.
    """
    servers = {server.name: server for server in known_servers()}
    unknown = [name for name in names or [] if name not in servers]
    if unknown:
        raise UserError(f"live server {unknown[0]!r} is unknown: choose among {', '.join(servers)}")
    return [servers[name] for name in names] if names is not None else list(servers.values())


def cache_folder() -> Path:
    """Return where servers are installed: ``$TVLAB_CACHE``, or ``~/.cache/tvlab/servers``."""
    return Path(os.environ.get("TVLAB_CACHE") or Path.home() / ".cache" / "tvlab" / "servers")


def executables(server: LiveServer, cache: Path) -> Path:
    """Return the folder that holds the server's commands."""
    folder = _folder(server, cache)
    return folder / "node_modules" / ".bin" if server.ecosystem == "npm" else folder / "venv" / "bin"


def is_installed(server: LiveServer, cache: Path) -> bool:
    """Return whether the server's environment is there, whole."""
    return server.ecosystem == "command" or (_folder(server, cache) / _MARKER).exists()


def install(server: LiveServer, cache: Path, seconds: float = INSTALL_SECONDS) -> None:
    """Install the server if it is not installed.

    Raises:
        InstallError: a tool is missing, the index cannot be reached, or it took more than ``seconds``.
    """
    if is_installed(server, cache):
        return
    if server.ecosystem == "npm" and shutil.which("npm") is None:
        raise InstallError("needs Node.js (no npm found): install it, or leave this server out")
    folder = _folder(server, cache)
    cache.mkdir(parents=True, exist_ok=True)
    with _lock(folder.with_name(f"{folder.name}.lock")) as lock:
        if is_installed(server, cache):
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (_install_npm if server.ecosystem == "npm" else _install_pypi)(server, folder, seconds, lock)
        write_json(folder / _MARKER, _facts(server))


def _facts(server: LiveServer) -> dict[str, Any]:
    runtime = (
        f"python {sys.version_info.major}.{sys.version_info.minor}" if server.ecosystem == "pypi" else "node"
    )
    return {"package": server.package, "requirements": server.requirements, "runtime": runtime}


def _folder(server: LiveServer, cache: Path) -> Path:
    return cache / f"{server.name}-{content_hash(_facts(server), 8)}"


def _install_pypi(server: LiveServer, folder: Path, seconds: float, lock: int) -> None:
    venv = folder / "venv"
    own_pip = importlib.util.find_spec("pip") is not None
    _run([sys.executable, "-m", "venv", *(["--without-pip"] if own_pip else []), str(venv)],
         folder, seconds, lock)  # fmt: skip
    python = str(venv / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", python] if own_pip else [python, "-m", "pip"]
    _run([*pip, "install", "--quiet", "--no-input", "--disable-pip-version-check", *server.requirements],
         folder, seconds, lock)  # fmt: skip


def _install_npm(server: LiveServer, folder: Path, seconds: float, lock: int) -> None:
    (folder / "package.json").write_text(json.dumps({"name": "server", "private": True}))
    _run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", *server.requirements],
         folder, seconds, lock)  # fmt: skip


def _run(command: list[str], folder: Path, seconds: float, lock: int) -> None:
    """Run an installer in a process group of its own, which does not outlive it.

    Raises:
        InstallError: with the last line that it wrote.
    """
    log = folder / "install.log"
    with log.open("ab") as output:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=output,
                                   start_new_session=True, pass_fds=(lock,))  # fmt: skip
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise InstallError(f"took more than {seconds:.0f} s: try again (see {log})") from None
        finally:
            end_group(process.pid)
            process.wait()
    if code != 0:
        raise InstallError(f"{_last_error(log)}; is the package index reachable? (see {log})")


def end_group(process: int) -> None:
    """Kill the process group that ``process`` leads, if any of it is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _last_error(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("error", "npm err", "npm error"))] or lines
    return errors[-1][:200] if errors else "the installer failed without a word"


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[int]:
    """Yield the descriptor that holds the lock; a child that inherits it keeps the lock while it lives."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()
