"""Open an environment folder: code that was written here runs in this process, a stranger's in a sandbox.

The rules writer leaves a mark for every folder that it writes, named by the hash of code and schemas, in the
project's own ``workspace/written/``.  A folder without such a mark (downloaded, edited, written by a model,
or built elsewhere) is foreign: nothing in the folder itself can claim otherwise.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from tvlab.environments.environment import Environment
from tvlab.environments.sandbox.sandbox import SandboxedEnvironment
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import home

SANDBOXES = ("auto", "strict", "weak", "off")


def open_environment(folder: str | Path, sandbox: str = "auto") -> Environment:
    """Return the environment of a folder, in a sandbox unless its code was written here.

    Args:
        folder: an environment folder from anywhere.
        sandbox: ``auto``: in process if the rules writer of this project wrote it, else ``strict``.
            ``strict``: in locked worker processes.  ``weak``: the same without the layers that this machine
            lacks.  ``off``: in process after a check of the source, which is no sandbox: for code you trust.

    Raises:
        UserError: no such choice, no environment, or a layer of the sandbox is missing.
    """
    if sandbox not in SANDBOXES:
        raise UserError(f"sandbox {sandbox!r}: choose one of {', '.join(SANDBOXES)}")
    folder = Path(folder)
    if not (folder / "tools.json").is_file():
        raise UserError(f"no file {folder / 'tools.json'}: not an environment folder; run `tvlab build` first")
    if sandbox == "off" or (sandbox == "auto" and written_here(folder)):
        return Environment.load(folder)
    return SandboxedEnvironment.open(folder, sandbox="strict" if sandbox == "auto" else sandbox)


def mark_as_written(folder: Path) -> None:
    """Remember that the rules writer wrote this folder's code and schemas."""
    marks = _marks()
    marks.mkdir(parents=True, exist_ok=True)
    (marks / _hash(folder)).touch()


def written_here(folder: Path) -> bool:
    """True if the rules writer of this project wrote exactly this code and these schemas."""
    try:
        return (_marks() / _hash(folder)).is_file()
    except OSError:
        return False


def _marks() -> Path:
    return home() / "workspace" / "written"


def _hash(folder: Path) -> str:
    digest = sha256()
    for name in ("tools.py", "tools.json"):
        data = (folder / name).read_bytes()
        digest.update(f"{name} {len(data)}\n".encode() + data)
    return digest.hexdigest()
