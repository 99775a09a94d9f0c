"""The layers around code from strangers, and putting them on.  ``sandbox/trials.py`` finds which there are.

    user        not root: drops to a user of its own, since root ignores process limits
    limits      processor time, memory, file size, open files, processes
    syscalls    seccomp: an allow-list without open, exec, fork, kill or socket
    landlock    no path can be opened
    root        mount namespace whose / is an empty folder
    network     network namespace without interfaces
    bubblewrap  the same by the program bwrap, for a normal user whom the system refuses namespaces

The filter alone already leaves no way to a socket, so ``network`` is a second lock.  macOS lacks the kernel
layers.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Collection
from dataclasses import dataclass

from tvlab.environments.sandbox import kernel as kernel

LAYERS = ("user", "limits", "syscalls", "landlock", "root", "network", "bubblewrap")
BUBBLEWRAP = tuple("bwrap --unshare-all --die-with-parent --ro-bind / / --dev /dev --proc /proc".split())
_NOBODY = 65534


@dataclass(frozen=True)
class Limits:
    """What one worker process may use.

    Attributes:
        seconds: wall-clock time of one call.
        load_seconds: wall-clock time for reading an environment's code.
        cpu_seconds: processor time of a worker's whole life; a worker is replaced well before it is used up.
        memory: bytes of address space.
        output: bytes of one call's JSON value.
        state: bytes of one episode's state.
    """

    seconds: float = 2.0
    load_seconds: float = 10.0
    cpu_seconds: int = 60
    memory: int = 256 * 2**20
    output: int = 2**20
    state: int = 8 * 2**20


def put_on(layers: Collection[str], limits: Limits, descriptor: int, user: int = _NOBODY) -> None:
    """Lock the calling process up for good.

    Args:
        layers: which of ``LAYERS``; bubblewrap is around the process already or not at all.
        limits: see ``Limits``.
        descriptor: the only file descriptor that may still be read and written.
        user: number of the user to become if this process is root.

    Raises:
        OSError: the system refuses a layer.
    """
    flags = kernel.CLONE_NEWNET * ("network" in layers) | kernel.CLONE_NEWNS * ("root" in layers)
    if flags:
        flags |= kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
        kernel.unshare(flags if os.geteuid() == 0 else flags | kernel.CLONE_NEWUSER)
    if "root" in layers:
        kernel.empty_root()
    if {"landlock", "syscalls"} & set(layers):
        kernel.no_new_privileges()
    if "landlock" in layers:
        kernel.landlock()
    if "limits" in layers:
        set_limits(limits)
    if "user" in layers:
        become(user)
    if {"user", "root", "network"} & set(layers) and sys.platform.startswith("linux"):
        kernel.drop_capabilities()
    if "syscalls" in layers:
        kernel.seccomp(descriptor)


def become(user: int) -> None:
    """Become ``user`` if this process is root; a container that maps few users gets ``nobody``."""
    if os.geteuid() != 0:
        return
    os.setgroups([])
    for candidate in (user, _NOBODY):
        try:
            os.setgid(candidate)
            os.setuid(candidate)
        except OSError:
            if candidate == _NOBODY:
                raise
        else:
            return


def set_limits(limits: Limits) -> None:
    """Set the process limits, soft and hard alike."""
    values = {"CPU": limits.cpu_seconds, "AS": limits.memory, "FSIZE": 0, "NOFILE": 16, "NPROC": 1, "CORE": 0,
              "MEMLOCK": 0, "MSGQUEUE": 0, "SIGPENDING": 16}  # fmt: skip
    for name, value in values.items():
        number = getattr(resource, f"RLIMIT_{name}", None)
        if number is None:
            continue
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))
