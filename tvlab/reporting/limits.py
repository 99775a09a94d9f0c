"""Limits of memory and time on a running notebook: past one, its kernel and all that it started are ended.

Memory is what the kernel and its processes hold in RAM together (resident size; pages that they share are counted
once a process), looked at twice a second, so a sudden allocation of all that the machine has is not caught in
time. Time is that of the wall clock.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

_SECONDS_BETWEEN_LOOKS = 0.5
_MIB = 2**20


@dataclass(frozen=True)
class Limits:
    """What one notebook may take.

    Attributes:
        gib: memory in GiB of the kernel and its processes together.
        minutes: of the wall clock.
    """

    gib: float
    minutes: float


LIMITS = {"smoke": Limits(4.0, 15.0), "lab": Limits(6.0, 45.0), "full": Limits(12.0, 600.0)}


class Watch:
    """Looks after one notebook's kernel.

    Attributes:
        broken: the limit that was passed, in words; "" if none was.
        most: most memory seen, in MiB.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits, self.broken, self.most = limits, "", 0.0
        self._started = time.monotonic()
        self._over = threading.Event()

    def look(self) -> bool:
        """Look once; end the kernel and return True if it is past a limit."""
        tree = _kernels()
        held = sum(map(_resident, tree))
        self.most = max(self.most, held / _MIB)
        if held > self.limits.gib * 2**30:
            self.broken = f"memory limit: held {held / 2**30:.2f} GiB of {self.limits.gib:g} GiB (--memory-limit)"
        elif time.monotonic() - self._started > 60 * self.limits.minutes:
            self.broken = f"time limit: ran past {self.limits.minutes:g} minutes (--time-limit)"
        if self.broken:
            end(tree)
        return bool(self.broken)

    @contextmanager
    def on(self) -> Iterator["Watch"]:
        """Look twice a second until the block ends."""
        thread = threading.Thread(target=self._keep_looking, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._over.set()
            thread.join()

    def _keep_looking(self) -> None:
        while not self._over.wait(_SECONDS_BETWEEN_LOOKS):
            if self.look():
                return


def _kernels() -> list:
    """Return the kernel that this process started and the kernel's processes."""
    import psutil

    kernels = [child for child in psutil.Process().children() if _is_kernel(child)]
    return [one for kernel in kernels for one in (kernel, *_children(kernel))]


def end(processes: list) -> None:
    """Kill processes by themselves, those that are gone already aside."""
    import psutil

    for one in processes:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue


def _is_kernel(process: Any) -> bool:
    import psutil

    try:
        return any("ipykernel_launcher" in word for word in process.cmdline())
    except psutil.Error:
        return False


def _children(process: Any) -> list:
    import psutil

    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def _resident(process: Any) -> int:
    import psutil

    try:
        return process.memory_info().rss
    except psutil.Error:
        return 0
