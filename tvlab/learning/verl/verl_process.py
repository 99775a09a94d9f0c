"""Where verl is installed, and running it as a process of its own.

verl pins packages that the rest of tvlab does not, so it may live in another environment: that of this Python if verl
is there, else that of the Python which TVLAB_VERL_PYTHON names, else ``.venv-verl/bin/python`` of the project. tvlab
itself is found there through PYTHONPATH.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tvlab
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import home

VARIABLE, DEFAULT = "TVLAB_VERL_PYTHON", ".venv-verl/bin/python"
GRACE = 60.0  # seconds that a trainer is given to end, its Ray with it
_PROBE = """
import importlib.metadata as m, importlib.util as u, json
def version(name):
    try: return m.version(name)
    except m.PackageNotFoundError: return ""
import torch
gpus = range(torch.cuda.device_count()) if torch.cuda.is_available() else ()
print(json.dumps({"verl": version("verl"), "torch": torch.__version__, "vllm": bool(u.find_spec("vllm")),
  "gpus": [torch.cuda.get_device_name(i) for i in gpus]}))
"""


@dataclass(frozen=True)
class VerlPlace:
    """A Python with verl: its path, versions, whether vLLM is there, and the GPUs that it sees."""

    python: Path
    verl: str
    torch: str
    vllm: bool
    gpus: tuple[str, ...]

    @property
    def accelerator(self) -> str:
        """What it runs on, in words."""
        return f"{len(self.gpus)} x {self.gpus[0]}" if self.gpus else f"CPU, {os.cpu_count()} cores, no GPU"


def verl_python(given: str | Path = "") -> Path | None:
    """The Python in which verl should be, or None if there is none; nothing is started.

    Args:
        given: a path that goes before all others; relative ones are the project's.
    """
    if not given and importlib.util.find_spec("verl") is not None:
        return Path(sys.executable)
    path = Path(given or os.environ.get(VARIABLE) or DEFAULT)
    path = path if path.is_absolute() else home() / path
    return path if path.is_file() else None


def find_verl(given: str | Path = "") -> VerlPlace:
    """Ask the Python of ``verl_python`` what it has.

    Raises:
        UserError: there is none, or verl is not in it.
    """
    python = verl_python(given)
    if python is None:
        raise UserError(
            f"verl is not installed here and {given or os.environ.get(VARIABLE) or DEFAULT} does not exist: "
            f"run `make verl`, or set {VARIABLE} to a Python that has it"
        )
    done = subprocess.run([str(python), "-c", _PROBE], capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        reason = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise UserError(
            f"{python} cannot import torch ({reason[:120]}): install the extra `verl` or `gpu` there"
        ) from None
    if not found["verl"]:
        raise UserError(f"{python} has no verl: run `make verl`, or install the extra `verl` or `gpu` there")
    return VerlPlace(python, found["verl"], found["torch"], found["vllm"], tuple(found["gpus"]))


def need_gpu(place: VerlPlace, wanted: int) -> None:
    """Refuse a launch that cannot begin.

    Raises:
        UserError: too few GPUs on this machine, or vLLM is missing.
    """
    if len(place.gpus) < wanted:
        raise UserError(
            f"this launch wants {wanted} GPU(s) on this machine and {place.python} sees {len(place.gpus)}: start "
            "it where they are, set -- trainer.n_gpus_per_node=N, or give --plan for the arithmetic alone"
        )
    if not place.vllm:
        raise UserError(f"{place.python} has no vLLM, which makes the rollouts: install the extra `gpu` there")


def process_variables(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a process that imports tvlab from where it is now."""
    root = str(Path(tvlab.__file__).resolve().parents[1])
    paths = [root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)), **(extra or {})}


@contextmanager
def child(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Start a process that does not outlive the block, even where the block ends by an exception, Ctrl-C or SIGTERM.

    SIGTERM ends Python before any ``finally``; in the block it raises SystemExit instead (in the main thread; elsewhere
    Python takes no signals). Nothing can be done about SIGKILL: see ``trainer_folder``.

    Args:
        command, options: of ``subprocess.Popen``, text.
    """
    ours = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _leave) if ours else None
    try:
        with subprocess.Popen(command, text=True, **options) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.terminate()
                    try:
                        process.wait(GRACE)
                    except subprocess.TimeoutExpired:
                        process.kill()
    finally:
        if ours:
            signal.signal(signal.SIGTERM, before)


def _leave(*_: object) -> None:
    sys.exit(128 + signal.SIGTERM)


def run_verl(
    command: Sequence[str],
    log: Path,
    extra: Mapping[str, str] | None = None,
    show: bool = True,
    held: Sequence[int] = (),
) -> None:
    """Run a command to its end; its output goes into a file, and to this terminal if ``show``.

    Args:
        command, log: what is started; the file.
        extra: variables of its environment.
        show: print its output here as well.
        held: file descriptors that it keeps, see ``trainer_folder``.

    Raises:
        UserError: it failed; the message holds its last line and the file.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    last = ""
    with log.open("a", encoding="utf-8") as out:
        out.write(f"$ {' '.join(command)}\n")
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "errors": "replace"}
        with child(command, **streams, env=process_variables(extra), pass_fds=held) as process:
            assert process.stdout is not None
            for line in process.stdout:
                out.write(line)
                out.flush()
                last = line.strip() or last
                if show:
                    print(line, end="", flush=True)
            code = process.wait()
    if code:
        raise UserError(
            f"verl ended with code {code} ({last[:200]}): see {log}; the same command goes on from the last checkpoint"
        )
