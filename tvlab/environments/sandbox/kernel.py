"""What the Linux kernel offers to lock a process up, through raw system calls: no package is needed.

Namespaces, an empty root folder, landlock and a seccomp filter.  Every function changes the calling process
for good and raises ``OSError`` if the kernel refuses; the order and the choice are ``sandbox/layers.py``'s.

The filter is an allow-list of the calls that a running Python needs to compute and to talk over one
descriptor.  Everything else kills the process, so code that swallows an error cannot hide what it tried.
Memory may not become executable, and there is no call left to open, start, signal or connect anything.

Not here: Windows and macOS, which have none of this; processors other than x86-64 and arm64.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 1, 2, 4, 8, 32
_MS_REC, _MS_PRIVATE = 0x4000, 0x40000
_MNT_DETACH = 2
_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 4, 22, 24, 38
_SECCOMP_MODE_FILTER = 2
_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446
_LANDLOCK_VERSION = 1
_PROT_EXEC = 4

# machine: (audit architecture, pivot_root, capset, {name: number}).  The first names are the hottest.
_MACHINES: dict[str, tuple[int, int, int, dict[str, int]]] = {
    "x86_64": (0xC000003E, 155, 126, {
        "read": 0, "write": 1, "mmap": 9, "mprotect": 10, "brk": 12, "munmap": 11, "mremap": 25,
        "madvise": 28, "futex": 202, "clock_gettime": 228, "gettimeofday": 96, "time": 201, "getrandom": 318,
        "sched_yield": 24,
        "rt_sigreturn": 15, "rt_sigprocmask": 14, "restart_syscall": 219, "exit": 60, "exit_group": 231,
    }),
    "aarch64": (0xC00000B7, 41, 91, {
        "read": 63, "write": 64, "mmap": 222, "mprotect": 226, "brk": 214, "munmap": 215, "mremap": 216,
        "madvise": 233, "futex": 98, "clock_gettime": 113, "gettimeofday": 169, "getrandom": 278,
        "sched_yield": 124, "rt_sigreturn": 139, "rt_sigprocmask": 135, "restart_syscall": 128, "exit": 93,
        "exit_group": 94,
    }),
}  # fmt: skip


def _machine() -> tuple[int, int, int, dict[str, int]]:
    if not sys.platform.startswith("linux"):
        raise OSError(f"{platform.system()} has no Linux kernel layers")
    try:
        return _MACHINES[platform.machine()]
    except KeyError:
        raise OSError(f"no system-call table for the processor {platform.machine()!r}") from None


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Leave the namespaces named by ``flags``; a normal user needs a user namespace among them."""
    uid, gid = os.getuid(), os.getgid()
    _checked(_libc().unshare(flags), "unshare")
    if flags & CLONE_NEWUSER:
        maps = {"setgroups": "deny", "uid_map": f"{uid} {uid} 1", "gid_map": f"{gid} {gid} 1"}
        for name, text in maps.items():
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)


def empty_root() -> None:
    """Make ``/`` an empty read-only folder.  Needs a mount namespace of one's own."""
    libc, pivot_root = _libc(), _machine()[1]
    _checked(libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None), "mount private")
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    # Any folder serves as the mount point: nobody outside this namespace sees it.
    _checked(libc.mount(b"none", b"/proc", b"tmpfs", flags, b"size=4k,nr_inodes=2,mode=555"), "mount tmpfs")
    os.chdir("/proc")
    _checked(libc.syscall(pivot_root, b".", b"."), "pivot_root")
    _checked(libc.umount2(b".", _MNT_DETACH), "umount")
    os.chdir("/")
    _checked(libc.mount(b"none", b"/", None, flags | _MS_REMOUNT | _MS_RDONLY, None), "mount read-only")


def no_new_privileges() -> None:
    """Let no later program start give privileges back; landlock and seccomp ask for it."""
    _checked(_libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def drop_capabilities() -> None:
    """Give up every capability and keep other processes of this user from tracing this one."""
    libc, capset = _libc(), _machine()[2]
    for capability in range(64):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # refused without CAP_SETPCAP: then there is none
    header = ctypes.create_string_buffer(struct.pack("<Ii", 0x20080522, 0))
    _checked(libc.syscall(capset, header, ctypes.create_string_buffer(24)), "capset")
    _checked(libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "dumpable")


def landlock_version() -> int:
    """Return the kernel's landlock version (1 and up); raise ``OSError`` where there is none."""
    _machine()
    return _checked(_libc().syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_VERSION), "landlock")


def landlock() -> None:
    """Refuse every path; from version 4 on TCP too, from version 6 on signals and abstract sockets."""
    version = landlock_version()
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    network = 3 if version >= 4 else 0
    scope = 3 if version >= 6 else 0
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = ctypes.create_string_buffer(struct.pack("<QQQ", files, network, scope)[:size], size)
    libc = _libc()
    handle = _checked(libc.syscall(_LANDLOCK_CREATE_RULESET, ruleset, size, 0), "landlock ruleset")
    _checked(libc.syscall(_LANDLOCK_RESTRICT_SELF, handle, 0), "landlock restrict")
    os.close(handle)


def seccomp(descriptor: int) -> None:
    """Allow computing, memory that is not executable, and ``descriptor`` read and written; else kill."""
    program = _filter(descriptor)
    code = ctypes.create_string_buffer(program)
    header = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(code)))
    _checked(_libc().prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0), "seccomp")


def _filter(descriptor: int) -> bytes:
    """Return the BPF program.  What it sees: number at 0, architecture at 4, arguments from 16 on."""
    load, equal, any_bit, give = 0x20, 0x15, 0x45, 0x06
    kill, allow = (give, 0, 0, 0x80000000), (give, 0, 0, 0x7FFF0000)
    architecture, _, _, numbers = _machine()
    steps = [(load, 0, 0, 4), (equal, 1, 0, architecture), kill, (load, 0, 0, 0)]
    for name, number in numbers.items():
        if name in ("read", "write"):
            steps += [(equal, 0, 4, number), (load, 0, 0, 16), (equal, 0, 1, descriptor), allow, kill]
        elif name in ("mmap", "mprotect"):
            steps += [(equal, 0, 4, number), (load, 0, 0, 32), (any_bit, 1, 0, _PROT_EXEC), allow, kill]
        else:
            steps += [(equal, 0, 1, number), allow]
    return b"".join(struct.pack("<HBBI", *step) for step in [*steps, kill])
