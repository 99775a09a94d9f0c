"""Which sandbox layers this machine has, found by trying each in a throw-away process.

A layer counts as there only if the process put it on *and saw its effect* (a read refused, a connection
refused, a fork refused); nothing is assumed from versions or names.  Strict sandboxing needs ``user``,
``limits``, ``syscalls`` and one of ``landlock`` and ``root``; ``network`` is put on where it can be.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tvlab.environments.sandbox import kernel as kernel
from tvlab.environments.sandbox.layers import BUBBLEWRAP, LAYERS, Limits, put_on
from tvlab.foundation.errors import UserError

_REQUIRED = (("user",), ("limits",), ("syscalls",), ("landlock", "root"))
_PACKAGE_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Layer:
    """One row of the report: a layer, whether this machine has it, and how that was seen."""

    layer: str
    available: bool
    detail: str


def missing(rows: Collection[Layer]) -> list[str]:
    """Return what strict sandboxing lacks, e.g. ``["syscalls", "landlock or root"]``; empty if nothing."""
    there = {row.layer for row in rows if row.available}
    return [" or ".join(choice) for choice in _REQUIRED if not there & set(choice)]


def usable_layers(sandbox: str = "strict") -> tuple[str, ...]:
    """Return the layers to put on here.

    Raises:
        UserError: ``sandbox`` is "strict" and a needed layer is missing, or it is neither word.
    """
    if sandbox not in ("strict", "weak"):
        raise UserError(f"sandbox {sandbox!r}: choose strict or weak")
    rows = layers_here()
    lacking = missing(rows)
    if lacking and sandbox == "strict":
        raise UserError(
            f"this machine cannot sandbox foreign code: no {', no '.join(lacking)} (see `tvlab doctor`); "
            "--sandbox weak goes on without"
        )
    usable = [row.layer for row in rows if row.available]
    if "network" in usable or os.geteuid() == 0:
        usable = [layer for layer in usable if layer != "bubblewrap"]
    return tuple(usable)


@lru_cache(maxsize=1)
def layers_here() -> tuple[Layer, ...]:
    """Try every layer in a throw-away process and return one row each; about 0.1 s, once."""
    code = f"import sys; sys.path.append({str(_PACKAGE_ROOT)!r}); from {__name__} import probe; probe()"
    command = [sys.executable, "-s", "-P", "-B", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={}, check=False)
    try:
        return tuple(Layer(**row) for row in json.loads(done.stdout))
    except (ValueError, TypeError):
        why = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1][:200]
        return tuple(Layer(name, False, f"the trial process failed: {why}") for name in LAYERS)


def probe() -> None:
    """Print the rows as JSON; run in a process of its own by ``layers_here``."""
    rows = [{"layer": name, **_trial(name, check)} for name, check in _CHECKS.items()]
    print(json.dumps(rows))


def _trial(name: str, check: Callable[[], str]) -> dict[str, Any]:
    """Put ``name`` on in a forked child and let ``check`` see its effect."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = "+" + check()
        except (OSError, RuntimeError) as error:
            text = f"-{error}"
        except BaseException as error:  # whatever goes wrong: this layer cannot be relied on
            text = f"-{type(error).__name__}: {error}"
        os.write(writer, text.encode()[:500])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        text = file.read().decode(errors="replace")
    status = os.waitpid(child, 0)[1]
    if not text:
        text = f"-the trial process ended with wait status {status}"
    return {"available": text[0] == "+", "detail": text[1:]}


def _expect_refusal(action: Callable[[], Any], what: str) -> None:
    try:
        action()
    except (OSError, MemoryError):
        return
    raise RuntimeError(f"put on, but {what} was still possible")


def _check_user() -> str:
    was = os.geteuid()
    put_on(["user"], Limits(), 0)
    if 0 in os.getresuid() + os.getresgid():
        raise RuntimeError("still root")
    _expect_refusal(lambda: os.setuid(0), "becoming root again")
    return f"already user {was}, not root" if was else f"root drops to a user without rights: {os.getuid()}"


def _check_limits() -> str:
    put_on(["limits", "user"], Limits(), 0)
    _expect_refusal(lambda: bytearray(2 * Limits().memory), "taking too much memory")
    _expect_refusal(_fork_and_end, "starting a process")
    return "memory and processes are refused beyond their limits"


def _fork_and_end() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _check_syscalls() -> str:
    child = os.fork()
    if child == 0:
        put_on(["syscalls"], Limits(), 0)
        socket.socket()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSYS):
        raise RuntimeError(f"a forbidden system call did not end the process (wait status {status})")
    return "seccomp allow-list; a forbidden call kills the process"


def _check_landlock() -> str:
    put_on(["landlock"], Limits(), 0)
    _expect_refusal(lambda: os.listdir("/"), "listing /")
    _expect_refusal(lambda: os.open("/proc/self/status", os.O_RDONLY), "opening a file")
    return f"landlock version {kernel.landlock_version()}"


def _check_root() -> str:
    put_on(["root"], Limits(), 0)
    if os.listdir("/") or os.path.exists("/proc/self"):
        raise RuntimeError("put on, but / still holds files")
    _expect_refusal(lambda: os.mkdir("/a"), "making a folder in /")
    return "mount namespace; / is an empty read-only folder"


def _check_network() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        put_on(["network"], Limits(), 0)
        _expect_refusal(lambda: socket.create_connection(listener.getsockname(), timeout=1), "connecting")
    return "network namespace without a way out"


def _check_bubblewrap() -> str:
    program = shutil.which(BUBBLEWRAP[0], path=os.defpath)
    if program is None:
        raise RuntimeError("not installed; only of use where the system refuses namespaces")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), timeout=1)"
        command = [program, *BUBBLEWRAP[1:], sys.executable, "-I", "-S", "-c"]
        if subprocess.run([*command, "1"], capture_output=True, check=False).returncode != 0:
            raise RuntimeError("installed, but it does not work here")
        if subprocess.run([*command, code], capture_output=True, check=False).returncode == 0:
            raise RuntimeError("put on, but connecting was still possible")
    return "bwrap; used where the system refuses namespaces"


_CHECKS: dict[str, Callable[[], str]] = {
    "user": _check_user,
    "limits": _check_limits,
    "syscalls": _check_syscalls,
    "landlock": _check_landlock,
    "root": _check_root,
    "network": _check_network,
    "bubblewrap": _check_bubblewrap,
}
