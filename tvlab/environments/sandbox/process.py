"""The parent's handle of one sandbox worker: start it, ask it, and end it when it misbehaves.

A worker's words are data and never more: JSON is parsed with a size limit, state bytes are passed on unread.
A reply counts only if it carries the random number of the request; anything else said, or said twice, ends
the worker.

Named errors: ``timeout``, ``memory``, ``output_too_large``, ``forbidden``, ``worker_died``.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

from tvlab.environments.sandbox.layers import BUBBLEWRAP, Limits
from tvlab.environments.sandbox.worker import HEADER, OUT_OF_MEMORY
from tvlab.foundation.errors import UserError

FAULTS = ("timeout", "memory", "output_too_large", "forbidden", "worker_died")
_START_SECONDS = 60.0
_LARGEST_ERROR = 16_384
_PACKAGE_ROOT = Path(__file__).resolve().parents[3]
_FLAGS = ("-S", "-s", "-P", "-B", "-W", "ignore")
# The parent's own module path, without `site`: a quarter of the start.
_MAIN = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from tvlab.environments.sandbox.worker import main; main(int(sys.argv[1]))"
)
_NO_START = "the sandbox worker did not start"
_SILENCE = "no reply within the time limit"
_started = count()
_current_processor: Any = getattr(ctypes.CDLL(None), "sched_getcpu", None)


class WorkerError(Exception):
    """A named error of the sandbox: the worker that gave it must not be used again."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class RefusalError(Exception):
    """What a healthy worker answers instead of a value: the tool's own error."""


class Worker:
    """One worker process.

    Args:
        layers: the layers it must put on.
        limits: what it may use.
        static_filter: whether it checks source before running it.
        modules: further modules it imports before it is locked up.
        close_by: keep it on the caller's processor; for a worker that never works beside another.

    Attributes:
        state: the marshalled state that the worker holds; the same object as the session's, or other bytes.
        served: who asked so far, as the pool notes it.
        busy: seconds spent in calls, at least the processor time that calls used.
    """

    def __init__(self, layers: Collection[str], limits: Limits, static_filter: bool = True,
                 modules: Sequence[str] = (), close_by: bool = False) -> None:  # fmt: skip
        self.limits = limits
        self.state = b""
        self.served: object = None
        self.busy = 0.0
        self._close_by = close_by and hasattr(os, "sched_setaffinity") and _current_processor is not None
        self._processor = -1
        self._ready = False
        self._largest = limits.output + 256, limits.state
        around = BUBBLEWRAP if "bubblewrap" in layers else ()
        self._socket, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = _start(theirs.fileno(), around)
            except OSError as error:
                self._socket.close()
                raise UserError(f"{_NO_START} ({error}); see `tvlab doctor`") from None
        self._wrapped = bool(around)
        # A number of its own for each worker: one cannot signal another, and each is counted alone.
        user = (1 << 30) + ((os.getpid() & 0x3FFFFF) << 8) + next(_started) % 256
        self._settings = {
            "layers": sorted(layers),
            "limits": asdict(limits),
            "user": user,
            "static_filter": static_filter,
            "modules": list(modules),
        }

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        """Wait until the worker is locked up.  ``__init__`` does not, so that starts overlap with work.

        Raises:
            UserError: a layer could not be put on, or the process ended.
        """
        if self._ready:
            return
        self._limit_waiting(_START_SECONDS)
        try:
            self._send(json.dumps(self._settings).encode(), b"", time.monotonic() + _START_SECONDS)
            answer = json.loads(self._receive(time.monotonic() + _START_SECONDS)[0])
        except WorkerError as error:
            raise UserError(f"{_NO_START} ({error}); see `tvlab doctor`") from None
        if "refused" in answer:
            raise UserError(f"{_NO_START} ({answer['refused']}); see `tvlab doctor`")
        self._ready = True

    def load(self, code: dict[str, Any]) -> None:
        """Let the worker check and run an environment's source; raises as ``ask`` does."""
        self._limit_waiting(self.limits.load_seconds)
        self.ask(json.dumps({"op": "load", **code}), seconds=self.limits.load_seconds)
        self._limit_waiting(self.limits.seconds)
        self.busy = 0.0

    def ask(self, request: str, state: bytes = b"", seconds: float | None = None) -> tuple[Any, bytes]:
        """Send a request and return (value, new state or b"").

        Args:
            request: a JSON object: operation and arguments.
            state: the state to work on if it is not the one that the worker holds.
            seconds: wall-clock limit; None means the limit of a call.

        Raises:
            RefusalError: the tool's own error; the worker is well.
            WorkerError: anything else; end the worker.
        """
        if self._close_by:
            self._come_close()
        nonce = int.from_bytes(os.urandom(7))
        began = time.monotonic()
        deadline = began + (seconds or self.limits.seconds)
        self._send(f'{{"n":{nonce},{request[1:]}'.encode(), state, deadline)
        text, changed = self._receive(deadline)
        self.busy += time.monotonic() - began
        return _value(text, nonce), changed

    def kill(self) -> None:
        """End the process, whatever it is doing, and wait for its end."""
        self._process.kill()
        self._process.wait()
        self._socket.close()

    def _come_close(self) -> None:
        """Move the worker to the caller's processor: they never run at once, and another costs 40 us."""
        processor = _current_processor()
        if processor != self._processor:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(self.pid, [processor])
            self._processor = processor

    def _limit_waiting(self, seconds: float) -> None:
        """Let the kernel end a wait on the socket: a third of the cost of polling before each read."""
        value = struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6) or 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, value)

    def _send(self, text: bytes, state: bytes, deadline: float) -> None:
        data = memoryview(HEADER.pack(len(text), len(state)) + text + state)
        try:
            while data:
                data = data[self._socket.send(data) :]
                if data and time.monotonic() > deadline:
                    raise BlockingIOError
        except BlockingIOError:
            raise WorkerError("timeout", _SILENCE) from None
        except OSError:
            self._explain_death()

    def _receive(self, deadline: float) -> tuple[bytes, bytes]:
        data = self._some(None)
        while len(data) < HEADER.size:
            data += self._some(deadline)
        size, extra = HEADER.unpack_from(data)
        if size > max(self._largest[0], _LARGEST_ERROR) or extra > self._largest[1]:
            raise WorkerError("output_too_large", f"a reply of {size + extra:,} bytes")
        whole = HEADER.size + size + extra
        if len(data) < whole:
            parts, have = [data], len(data)
            while have < whole:
                parts.append(self._some(deadline))
                have += len(parts[-1])
            data = b"".join(parts)
        if len(data) > whole:
            raise WorkerError("forbidden", "the worker said more than its reply")
        middle = HEADER.size + size
        return data[HEADER.size : middle], data[middle:]

    def _some(self, deadline: float | None) -> bytes:
        """Return what the socket has.  The kernel limits the first wait of a reply, ``deadline`` the rest."""
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._socket], [], [], left)[0]:
                raise WorkerError("timeout", _SILENCE)
        try:
            data = self._socket.recv(1 << 15)
        except BlockingIOError:
            raise WorkerError("timeout", _SILENCE) from None
        except OSError:
            data = b""
        if not data:
            self._explain_death()
        return data

    def _explain_death(self) -> NoReturn:
        try:
            status = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            raise WorkerError("forbidden", "the worker closed its line") from None
        if status == OUT_OF_MEMORY:
            raise WorkerError("memory", "the worker ran out of memory")
        if self._wrapped and status > 128:
            status = 128 - status  # how bwrap reports that its child was ended by a signal
        if status >= 0:
            raise WorkerError("worker_died", f"the worker ended with status {status}")
        name = signal.Signals(-status).name
        code = {"SIGSYS": "forbidden", "SIGXFSZ": "forbidden", "SIGXCPU": "timeout"}.get(name, "worker_died")
        what = "a forbidden system call" if name == "SIGSYS" else name
        raise WorkerError(code, f"the worker was ended by {what}")


def _start(descriptor: int, around: Sequence[str]) -> subprocess.Popen:
    """Start a worker that inherits ``descriptor`` and nothing else: no environment, terminal or output."""
    path = [os.path.abspath(entry) for entry in (*sys.path, str(_PACKAGE_ROOT))]
    return subprocess.Popen(
        [*around, sys.executable, *_FLAGS, "-c", _MAIN, str(descriptor), *path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[descriptor],
        env={"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8", "PATH": os.defpath},
        cwd="/",
        start_new_session=True,
    )


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode


def _value(text: bytes, nonce: int) -> Any:
    try:
        reply = _decode(text.decode())
    except (ValueError, RecursionError) as error:
        raise WorkerError("forbidden", f"the worker's reply is not JSON ({type(error).__name__})") from None
    if not isinstance(reply, dict) or reply.get("n") != nonce or len(reply) != 2:
        raise WorkerError("forbidden", "the worker's reply answers no request")
    if "v" in reply:
        return reply["v"]
    match reply.get("e"):
        case ["tool", str(message)]:
            raise RefusalError(message)
        case [str(code), str(message)] if code in FAULTS:
            raise WorkerError(code, message)
    raise WorkerError("forbidden", "the worker's reply has no value")
