"""The sandbox against the modules of tests/data/hostile_modules.py, with effects watched from outside.

Every module runs with the source check off, so that the process layers have to stop it, and meets the source
check on its own.  Slow runs put both together, and repeat all with layers left out; none may hang on another.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import secrets
import signal
import socket
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tvlab.environments.environment import visible
from tvlab.environments.sandbox.layers import LAYERS, Limits
from tvlab.environments.sandbox.pool import SandboxError
from tvlab.environments.sandbox.process import RefusalError, Worker, WorkerError
from tvlab.environments.sandbox.sandbox import SandboxedEnvironment
from tvlab.environments.sandbox.trials import layers_here, missing, usable_layers
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError

DATA = Path(__file__).parent.parent / "data"
FAULTS = {"timeout", "memory", "output_too_large", "forbidden", "worker_died"}
LIMITS = Limits(seconds=0.3, load_seconds=0.6)
FIRST_WORKER_USER = 1 << 30

LACKING = missing(layers_here())
pytestmark = pytest.mark.skipif(bool(LACKING), reason=f"this machine lacks {', '.join(LACKING)}")


def _hostile_modules() -> Any:
    spec = importlib.util.spec_from_file_location("hostile_modules", DATA / "hostile_modules.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


hostile_modules = _hostile_modules()
HOSTILE = hostile_modules.HOSTILE
IDS = [f"{one.technique}: {one.name}" for one in HOSTILE]


def _tool(name: str, properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": sorted(properties)}
    return {"name": name, "description": name, "inputSchema": schema}


TOOLS = [
    _tool("peek", {}),
    _tool("note", {"text": {"type": "string"}}),
    _tool("attack", {"canary": {}, "port": {}, "parent": {}}),
]
STATE = {"notes": {"first": {"text": "first"}}, "_clock": {"now": "2026-03-02T09:00:00Z"}, "_minted": {}}
HONEST_STATE = {**STATE, "notes": {"first": {"text": "first"}, "b": {"text": "b"}}}


def write_environment(folder: Path, source: str, tools: Any = TOOLS, state: Any = STATE) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tools.py").write_text(source, encoding="utf-8")
    (folder / "tools.json").write_text(json.dumps({"server": "hostile", "tools": tools}), encoding="utf-8")
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
    (folder / "report.json").write_text(json.dumps({"name": folder.name, "meanings": {}}), encoding="utf-8")
    return folder


class Watch:
    """What an attack could touch outside the sandbox: files, sockets, signals, processes, secrets."""

    def __init__(self, folder: Path) -> None:
        self.token = secrets.token_hex(16)
        self.canary = folder / "canary"
        self.canary.mkdir()
        (self.canary / "secret").write_text(self.token)
        (self.canary / "planted.py").write_text(f"open({str(self.canary / 'x')!r}, 'w')")
        self.sockets = self._listen()
        self.port = self.sockets[0].getsockname()[1]
        for path in (folder, self.canary, *self.canary.iterdir()):  # the attacker may do all it can reach
            path.chmod(0o777)
        for path in folder.parents:
            if path.stat().st_uid == os.getuid() and not path.stat().st_mode & stat.S_IXOTH:
                path.chmod(path.stat().st_mode | stat.S_IXOTH)
        self.files = self._files()
        self.signals: list[int] = []
        numbers = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGHUP)
        self._handlers = {n: signal.signal(n, lambda number, _: self.signals.append(number)) for n in numbers}
        self._priority = os.getpriority(os.PRIO_PROCESS, 0)

    def _listen(self) -> list[socket.socket]:
        tcp, udp = socket.create_server(("127.0.0.1", 0)), socket.socket(type=socket.SOCK_DGRAM)
        near, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        near.bind(str(self.canary / "socket"))
        abstract.bind(f"\0tvlab-{port}")
        near.listen()
        abstract.listen()
        for one in (tcp, udp, near, abstract):
            one.setblocking(False)
        return [tcp, udp, near, abstract]

    def _files(self) -> dict[str, Any]:
        entries = self.canary.iterdir()
        return {p.name: (p.lstat().st_mode, p.read_text() if p.is_file() else "") for p in entries}

    def effects(self, workers: list[int]) -> list[str]:
        """Return what happened outside that should not have."""
        found = [f"file {name}" for name in self._files().items() ^ self.files.items()]
        found += [f"file {path}" for path in Path("/tmp").glob("tvlab_canary*")]
        found += [f"file {path}" for path in Path("/dev/shm").glob("tvlab_canary*")]
        found += [f"signal {number}" for number in self.signals]
        found += [f"process {pid}" for pid in processes_of_workers() if pid not in workers]
        found += ["priority"] if os.getpriority(os.PRIO_PROCESS, 0) != self._priority else []
        for one in self.sockets:
            try:
                one.recv(10) if one.type == socket.SOCK_DGRAM else one.accept()[0].close()
            except BlockingIOError:
                continue
            found.append(f"connection to {one}")
        return found

    @property
    def arguments(self) -> dict[str, Any]:
        return {"canary": str(self.canary), "port": self.port, "parent": os.getpid()}

    def close(self) -> None:
        for one in self.sockets:
            one.close()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)


def processes_of_workers() -> list[int]:
    """Return processes that run as one of the users that this process gave its workers."""
    first = FIRST_WORKER_USER + ((os.getpid() & 0x3FFFFF) << 8)
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and first <= folder.stat().st_uid < first + 256:
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watch]:
    watch = Watch(tmp_path_factory.mktemp("watch"))
    os.environ["TVLAB_CANARY"] = watch.token
    yield watch
    del os.environ["TVLAB_CANARY"]
    watch.close()


@pytest.mark.parametrize(
    ("name", "layers", "effect"),
    [
        ("write", ("user",), "file"),
        ("rename", ("user",), "file"),
        ("TCP", ("user", "limits"), "connection"),
        ("abstract unix socket", ("user", "limits"), "connection"),
        ("to the parent", ("limits",), "signal"),
        ("thread left over writes later", ("user",), "file"),
    ],
)
def test_the_watch_sees_what_happens_without_the_layers(
    name: str, layers: tuple[str, ...], effect: str, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    one = next(one for one in HOSTILE if one.name == name)
    watch = Watch(tmp_path_factory.mktemp("control"))
    try:
        _, effects = assault(one, tmp_path / "env", watch, static_filter=False, layers=layers)
    finally:
        watch.close()
    assert any(line.startswith(effect) for line in effects)


def leaks(value: Any, watch: Watch) -> bool:
    text = json.dumps(value)
    return watch.token in text or "root:x:" in text


def assault(one: Any, folder: Path, watch: Watch, **settings: Any) -> tuple[set[str], list[str]]:
    """Run one hostile module beside an honest episode; return (named errors, effects outside).

    A module that takes its worker over is given one of its own: that is what the sandbox offers against it.
    """
    write_environment(folder, one.source)
    settings |= {"limits": LIMITS, "modules": one.needs.split(), "worker_per_session": one.takeover}
    try:
        environment = SandboxedEnvironment.open(folder, **settings)
    except SandboxError as error:
        return {error.code}, watch.effects([])
    except UserError as error:
        named = {"source"} if str(error).startswith(f"{folder}/tools.py") else {str(error)}
        return named, watch.effects([])
    with environment:
        attacker, honest = environment.session(), environment.session()
        honest.restore(HONEST_STATE)
        pool = attacker._pool
        assert attacker.call("note", {"text": "a"}).ok
        before = attacker.fingerprint()
        replaced = pool.replaced
        started = time.monotonic()
        result = attacker.call("attack", watch.arguments)
        assert time.monotonic() - started < LIMITS.seconds + 10, "no answer within the limit"
        if one.technique in ("threads", "left over"):
            time.sleep(0.1)
        assert honest.call("peek", {}).value == {"notes": [{"text": "first"}, {"text": "b"}]}
        assert honest.fingerprint() == content_hash(visible(HONEST_STATE)), "the other episode changed"
        if result.ok:
            assert not leaks(result.value, watch), result.value
            attacker.call("peek", {})
        else:
            assert attacker.fingerprint() == before, "the failed call was not rolled back"
        faults = set(pool.faults)
        assert faults <= FAULTS
        assert not faults or pool.replaced > replaced
        effects = watch.effects(pool.pids + environment.pool.pids + honest._pool.pids)
        attacker.close()
        honest.close()
    return faults, effects


def expected(one: Any, named: set[str]) -> bool:
    return bool(named) == bool(one.ends) and named <= set(one.ends.split())


@pytest.mark.parametrize("one", HOSTILE, ids=IDS)
def test_the_layers_stop_hostile_code_that_nobody_checked(one: Any, tmp_path: Path, watch: Watch) -> None:
    named, effects = assault(one, tmp_path / "env", watch, static_filter=False)
    assert effects == []
    assert expected(one, named), named


def test_the_source_check_names_the_line_of_what_it_refuses(tmp_path: Path) -> None:
    worker = Worker(usable_layers(), LIMITS)
    worker.start()
    accepted = []
    for one in HOSTILE:
        if one.passes:
            continue
        try:
            worker.load({"folder": "env", "source": one.source, "tools": []})
            accepted.append(one.name)
        except RefusalError as error:
            if not re.match(r"env/tools\.py:[1-9]\d*: ", str(error)):
                accepted.append(f"{one.name}: {error}")
        except WorkerError:  # source that breaks the parser ends the worker before any of it runs
            worker.kill()
            worker = Worker(usable_layers(), LIMITS)
            worker.start()
    worker.kill()
    assert accepted == []


@pytest.mark.slow
@pytest.mark.parametrize("one", HOSTILE, ids=IDS)
def test_source_check_and_layers_together(one: Any, tmp_path: Path, watch: Watch) -> None:
    named, effects = assault(one, tmp_path / "env", watch)
    assert effects == []
    assert expected(one, named) if one.passes else named and named <= {"source", *one.ends.split()}, named


@pytest.mark.slow
@pytest.mark.parametrize(
    "left_out", ["user", "syscalls", "syscalls landlock", "syscalls root", "landlock root network"]
)
def test_no_layer_hangs_on_another(left_out: str, tmp_path: Path, watch: Watch) -> None:
    """Without any one layer the others must still stop every effect; the errors may have other names.

    One gap is known: landlock governs files but not connecting to a socket by its path, so that without the system
    call list *and* without the empty root a socket in a folder open to everybody is reached. Strict mode needs the
    list, so it refuses there.
    """
    layers = [layer for layer in LAYERS if layer not in left_out.split()]
    for at, one in enumerate(HOSTILE):
        if (left_out, one.name) == ("syscalls root", "unix socket"):
            continue
        _, effects = assault(one, tmp_path / f"env{at}", watch, static_filter=False, layers=layers)
        assert effects == [], one
