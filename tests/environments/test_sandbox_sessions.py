"""Sandboxed sessions: answers as from plain ones, whose state is whose, workers come and go, odd folders."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tvlab.environments.environment import Environment, Session, visible
from tvlab.environments.sandbox import doctor
from tvlab.environments.sandbox import kernel as sandbox_kernel
from tvlab.environments.sandbox import trials as sandbox_trials
from tvlab.environments.sandbox.layers import LAYERS, Limits
from tvlab.environments.sandbox.pool import SandboxError
from tvlab.environments.sandbox.process import Worker, WorkerError
from tvlab.environments.sandbox.sandbox import SandboxedEnvironment
from tvlab.environments.sandbox.trials import Layer, layers_here, missing, usable_layers
from tvlab.foundation.errors import UserError

BOOKSTORE = Path(__file__).parent.parent / "data" / "environments" / "bookstore"
ORDER = {"customer_id": "cus-001", "items": [{"sku": "BK-100", "quantity": 2}]}

LACKING = missing(layers_here())
needs_layers = pytest.mark.skipif(bool(LACKING), reason=f"this machine lacks {', '.join(LACKING)}")


@pytest.fixture(scope="module")
def sandboxed() -> Iterator[SandboxedEnvironment]:
    with SandboxedEnvironment.open(BOOKSTORE) as environment:
        yield environment


def environment_with(folder: Path, source: str, properties: dict[str, Any] | None = None) -> Path:
    """Write an environment with one tool, ``tool``."""
    folder.mkdir()
    schema = {"type": "object", "properties": properties or {}}
    tools = [{"name": "tool", "description": "", "inputSchema": schema}]
    state = {"rows": {"a": {"id": "a", "n": 0, "tags": []}}, "_clock": {"now": ""}, "_minted": {}}
    (folder / "tools.json").write_text(json.dumps({"server": "s", "tools": tools}))
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "report.json").write_text("{}")
    (folder / "tools.py").write_text(source)
    return folder


CALLS = [
    ("list_books", {}),
    ("create_order", ORDER),
    ("create_order", ORDER),
    ("create_order", {**ORDER, "customer_id": "nobody"}),
    ("create_order", {"customer_id": 5, "items": []}),
    ("get_order", {"order_id": "ord-739d0547"}),
    ("update_order", {"order_id": "ord-739d0547", "note": "ø 😀"}),
    ("cancel_order", {"order_id": "ord-739d0547"}),
    ("cancel_order", {"order_id": "ord-739d0547"}),
    ("add_comment", {"order_id": "ord-739d0547", "text": "a\x00b"}),
    ("list_orders", {"status": "cancelled"}),
    ("list_orders", {"surprise": 1}),
    ("no_such_tool", {}),
    ("get_order", ["not", "an", "object"]),
]


@needs_layers
def test_answers_errors_and_states_are_those_of_a_plain_session(sandboxed: SandboxedEnvironment) -> None:
    plain, session = Environment.load(BOOKSTORE).session(), sandboxed.session()
    for tool, arguments in CALLS:
        assert session.call(tool, arguments) == plain.call(tool, arguments), tool
        assert session.fingerprint() == plain.fingerprint()
    assert session.state == plain.state
    assert session.fingerprint() != sandboxed.session().fingerprint()


@needs_layers
def test_the_code_is_never_loaded_in_this_process(sandboxed: SandboxedEnvironment) -> None:
    with pytest.raises(RuntimeError, match="runs in the sandbox"):
        sandboxed.functions["list_books"](sandboxed.state)
    with pytest.raises(RuntimeError, match="validates arguments"):
        _ = sandboxed.validators
    assert "tvlab_environment" not in {getattr(f, "__module__", None) for f in sandboxed.functions.values()}
    assert isinstance(sandboxed.session(), Session)


@needs_layers
def test_snapshot_restore_and_reset(sandboxed: SandboxedEnvironment) -> None:
    session = sandboxed.session()
    start = session.fingerprint()
    session.call("create_order", ORDER)
    one_order, snapshot = session.fingerprint(), session.snapshot()
    session.call("create_order", ORDER)
    session.restore(snapshot)
    assert session.fingerprint() == one_order
    session.restore(json.loads(json.dumps(snapshot)))
    assert session.fingerprint() == one_order
    session.reset()
    assert session.fingerprint() == start
    session.state["orders"].clear()  # a copy: what a caller does to it never reaches the worker
    assert session.call("list_orders", {}).value["orders"]
    assert visible(sandboxed.session().state) == visible(sandboxed.state)


@needs_layers
def test_a_thousand_interleaved_sessions_leak_nothing(sandboxed: SandboxedEnvironment) -> None:
    sessions = [sandboxed.session() for _ in range(1000)]
    for at, session in enumerate(sessions):
        assert session.call("create_order", {**ORDER, "note": f"note {at}"}).ok
    for at, session in enumerate(sessions):
        orders = session.call("list_orders", {"customer_id": "cus-001", "limit": 100}).value["orders"]
        notes = [order.get("note", "") for order in orders]
        assert [note for note in notes if note.startswith("note ")] == [f"note {at}"]


IN_PLACE = """
from tvlab.environments.runtime import fail

def tool(state, *, failing=False):
    row = state["rows"]["a"]
    row["n"] += 1
    row["tags"].append("x")
    if failing:
        fail("conflict", "changed its mind")
    return row
"""


@needs_layers
def test_code_that_edits_records_in_place_is_rolled_back_and_leaves_snapshots_alone(tmp_path: Path) -> None:
    folder = environment_with(tmp_path / "env", IN_PLACE, {"failing": {"type": "boolean"}})
    with SandboxedEnvironment.open(folder) as environment:
        session, other = environment.session(), environment.session()
        snapshot = session.snapshot()
        assert session.call("tool", {}).value == {"id": "a", "n": 1, "tags": ["x"]}
        assert session.call("tool", {"failing": True}).error == "conflict: changed its mind"
        assert session.state["rows"]["a"] == {"id": "a", "n": 1, "tags": ["x"]}
        assert other.call("tool", {}).value["n"] == 1
        session.restore(snapshot)
        assert session.call("tool", {}).value["n"] == 1


@needs_layers
def test_number_keys_stay_numbers(tmp_path: Path) -> None:
    source = "def tool(state):\n    state['rows'][7] = {'id': 7}\n    return list(map(str, state['rows']))\n"
    with SandboxedEnvironment.open(environment_with(tmp_path / "env", source)) as environment:
        session = environment.session()
        assert session.call("tool", {}).value == ["a", "7"]
        assert session.state["rows"][7] == {"id": 7}


@needs_layers
def test_a_worker_ended_from_outside_costs_nothing(sandboxed: SandboxedEnvironment) -> None:
    session = sandboxed.session()
    session.call("create_order", ORDER)
    before, replaced = session.fingerprint(), sandboxed.pool.replaced
    for pid in sandboxed.pool.pids:
        os.kill(pid, signal.SIGKILL)
    assert session.call("list_orders", {}).ok
    assert session.fingerprint() == before
    assert sandboxed.pool.replaced == replaced + 1


@needs_layers
def test_a_call_that_takes_too_long_ends_within_its_limit(tmp_path: Path) -> None:
    source = "def tool(state):\n    while True:\n        pass\n"
    limits = Limits(seconds=0.3)
    with SandboxedEnvironment.open(environment_with(tmp_path / "env", source), limits=limits) as environment:
        began = time.monotonic()
        assert environment.session().call("tool", {}).error == "timeout: no reply within the time limit"
        assert 0.29 < time.monotonic() - began < 1.3


@needs_layers
def test_a_worker_is_replaced_before_its_processor_time_is_used_up(tmp_path: Path) -> None:
    source = "def tool(state):\n    return sum(range(3_000_000))\n"
    limits = Limits(cpu_seconds=1)
    with SandboxedEnvironment.open(environment_with(tmp_path / "env", source), limits=limits) as environment:
        session = environment.session()
        began = os.times()
        while os.times().children_user - began.children_user < 1.5:  # counts workers that have ended
            assert session.call("tool", {}).ok
        assert environment.pool.replaced >= 1
        assert not environment.pool.faults


@needs_layers
def test_workers_serve_threads_side_by_side() -> None:
    with SandboxedEnvironment.open(BOOKSTORE, workers=2) as environment:
        assert len(environment.pool.pids) == 2
        wrong: list[Any] = []

        def work(name: int) -> None:
            session = environment.session()
            for at in range(50):
                session.call("create_order", {**ORDER, "note": f"{name}/{at}"})
            notes = [order.get("note") for order in session.state["orders"].values()]
            if [note for note in notes if "/" in (note or "")] != [f"{name}/{at}" for at in range(50)]:
                wrong.append(notes)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


@needs_layers
def test_workers_end_with_the_environment_and_with_sessions_of_their_own() -> None:
    environment = SandboxedEnvironment.open(BOOKSTORE, worker_per_session=True)
    session = environment.session()
    assert session.call("list_books", {}).ok
    pids = session._pool.pids + environment.pool.pids
    assert len(pids) == 2
    del session
    environment.close()
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []
    with pytest.raises(RuntimeError, match="closed"):
        environment.pool.ask('{"op":"tables"}', b"", object())


@needs_layers
def test_honest_code_may_use_what_an_environment_may_import(tmp_path: Path) -> None:
    source = '''
from __future__ import annotations
import base64, hashlib, math, re
from datetime import datetime, timedelta

def tool(state):
    print("looking", state)
    day = datetime.strptime("2026-03-02", "%Y-%m-%d") + timedelta(days=1)
    return {
        "base85": base64.b85encode(b"abc").decode(), "sha3": hashlib.sha3_256(b"a").hexdigest()[:8],
        "new": hashlib.new("md5", b"a").hexdigest()[:8], "day": day.strftime("%A"),
        "year": datetime.now().year > 2000, "local": day.astimezone().isoformat(),
        "latin": "é".encode("latin-1").hex(), "idna": "bücher".encode("idna").decode(),
        "found": re.findall(r"\\w+", "a b"), "hypot": math.hypot(3, 4), "name": "\\N{BULLET}",
        "text": f"{1234.5:,.2f}",
    }
'''  # fmt: skip
    with SandboxedEnvironment.open(environment_with(tmp_path / "env", source)) as environment:
        result = environment.session().call("tool", {})
    assert result.ok, result.error
    assert result.value == {
        "base85": "VPaz", "sha3": "80084bf2", "new": "0cc175b9", "day": "Tuesday", "year": True,
        "local": "2026-03-03T00:00:00+00:00", "latin": "e9", "idna": "xn--bcher-kva",
        "found": ["a", "b"], "hypot": 5.0, "name": "•", "text": "1,234.50",
    }  # fmt: skip


ONE_TOOL = '{"tools": [{"name": "tool", "inputSchema": %s}]}'
HONEST = "def tool(state):\n    return state['rows']\n"


@needs_layers
@pytest.mark.parametrize(
    ("file", "spoil"),
    [
        ("tools.py", lambda path: path.unlink()),
        ("tools.py", lambda path: (path.unlink(), path.symlink_to("/etc/passwd"))),
        ("tools.py", lambda path: (path.unlink(), os.mkfifo(path))),
        ("tools.py", lambda path: (path.unlink(), path.mkdir())),
        ("tools.py", lambda path: path.write_bytes(b"\xff\xfe")),
        ("tools.py", lambda path: path.write_text("def tool(state):\n  return (\n")),
        ("tools.py", lambda path: path.write_text("x = 1\n")),
        ("tools.py", lambda path: path.write_text("1 / 0\n")),
        ("tools.json", lambda path: path.write_text("[" * 100_000)),
        ("tools.json", lambda path: path.write_text("[]")),
        ("tools.json", lambda path: path.write_text('{"tools": [{"name": 5}]}')),
        ("tools.json", lambda path: path.write_text(ONE_TOOL % '{"properties": []}')),
        ("tools.json", lambda path: path.write_text(ONE_TOOL % '{"pattern": "("}')),
        ("state.json", lambda path: path.write_text('{"rows": []}')),
        ("state.json", lambda path: (path.unlink(), path.symlink_to("/dev/zero"))),
        ("report.json", lambda path: path.write_text("nonsense")),
    ],
)  # fmt: skip
def test_a_folder_that_is_no_environment_is_refused_by_file(file: str, spoil: Any, tmp_path: Path) -> None:
    folder = environment_with(tmp_path / "env", HONEST)
    spoil(folder / file)
    with pytest.raises(UserError, match=file.replace(".", r"\.")) as caught:
        SandboxedEnvironment.open(folder)
    assert "\n" not in str(caught.value)


@needs_layers
def test_a_schema_cannot_make_this_process_fetch_anything(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        for target in (f"http://127.0.0.1:{listener.getsockname()[1]}/a", "file:///etc/passwd", "json-schema:///a"):
            folder = environment_with(tmp_path / target.split(":")[0], HONEST)
            tools = {"tools": [{"name": "tool", "inputSchema": {"$ref": target}}]}
            (folder / "tools.json").write_text(json.dumps(tools))
            with pytest.raises(UserError, match=r"schema of tool 'tool'"):
                SandboxedEnvironment.open(folder)
        with pytest.raises(BlockingIOError):
            listener.accept()


PLACES = ["tool", "description", "parameter", "default", "table", "record", "folder", "report"]
NAMES = [
    "__import__('os').system('touch CANARY')",
    "tool\n__import__('os').system('touch CANARY')",
    '"""); open("CANARY", "w") #',
    "{open('CANARY', 'w')}",
    "$(touch CANARY)",
    "; touch CANARY",
    "../../CANARY",
    "__class__",
    "\x00\x1b]0;owned\x07",
]


@needs_layers
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", PLACES)
def test_names_and_descriptions_never_become_code(name: str, place: str, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    name = name.replace("CANARY", str(canary))
    if place == "folder":
        name = name.replace("/", "_").replace("\x00", "")
    folder = environment_with(tmp_path / (name if place == "folder" else "env"), HONEST)
    tool = {"name": "tool", "description": "", "inputSchema": {"type": "object", "properties": {}}}
    state: dict[str, Any] = {"rows": {"a": {}}}
    match place:
        case "tool":
            tool["name"] = name
        case "description":
            tool["description"] = name
        case "parameter":
            tool["inputSchema"]["properties"] = {name: {"type": "string"}}
        case "default":
            tool["inputSchema"]["properties"] = {"a": {"type": "string", "default": name, "enum": [name]}}
        case "table":
            state[name] = {name: {name: name}}
        case "record":
            state["rows"] = {name: {name: name}}
        case "report":
            report = {"name": name, "meanings": {"tool": {name: name}}}
            (folder / "report.json").write_text(json.dumps(report))
    (folder / "tools.json").write_text(json.dumps({"tools": [tool]}))
    (folder / "state.json").write_text(json.dumps(state))
    if place == "tool":
        with pytest.raises(UserError, match="lacks the function"):
            SandboxedEnvironment.open(folder)
    else:
        with SandboxedEnvironment.open(folder) as environment:
            session = environment.session()
            session.call(name, {name: name})
            session.call("tool", {name: name})
            assert session.call("tool", {}).value == state["rows"]
            assert session.state == state
    assert not canary.exists()
    assert {entry.name for entry in tmp_path.iterdir()} == {folder.name}


PATTERNS = [r"^\d+$", r"(?i)^é+$", r"(a|b)*?\1$", r"\bfoo"]
FORMATS = ["date-time", "email", "idn-hostname", "ipv6", "uri", "uuid", "regex"]
SCHEMAS: dict[str, Any] = {
    **{f"pattern{at}": {"pattern": pattern} for at, pattern in enumerate(PATTERNS)},
    **{name: {"format": name} for name in FORMATS},
    "multiple": {"multipleOf": 0.01},
    "unique": {"uniqueItems": True},
    "dynamic": {"$defs": {"x": {"$dynamicAnchor": "a", "type": "null"}}, "$dynamicRef": "#a"},
    "unevaluated": {"unevaluatedProperties": False},
    "choice": {"enum": [1, {"b": 2}]},
}


@needs_layers
def test_locked_up_validation_agrees_with_validation_here(tmp_path: Path) -> None:
    folder = environment_with(tmp_path / "env", "def tool(state, **given):\n    return 1\n", SCHEMAS)
    plain = Environment.load(folder).session()
    with SandboxedEnvironment.open(folder) as environment:
        session = environment.session()
        for name in SCHEMAS:
            for value in ("x", "é" * 9, "7", 3.3, [{"a": 1}, {"a": 1}], {"a": 1}, None):
                assert session.call("tool", {name: value}) == plain.call("tool", {name: value}), (name, value)
        assert not environment.pool.faults


def doubling(levels: int) -> dict[str, Any]:
    """Return a schema of some lines that takes 2**levels steps to refuse a value."""
    steps: dict[str, Any] = {str(at): {"anyOf": [{"$ref": f"#/$defs/{at + 1}"}] * 2} for at in range(levels)}
    return {"$defs": {**steps, str(levels): False}, "properties": {"a": {"$ref": "#/$defs/0"}}}


@needs_layers
def test_a_schema_that_takes_for_ever_is_a_timeout(tmp_path: Path) -> None:
    folder = environment_with(tmp_path / "env", HONEST)
    (folder / "tools.json").write_text(ONE_TOOL % json.dumps(doubling(60)))
    with SandboxedEnvironment.open(folder, limits=Limits(seconds=0.3)) as environment:
        session = environment.session()
        assert session.call("tool", {"a": 1}).error == "timeout: no reply within the time limit"
        assert session.call("tool", {}).ok


@needs_layers
def test_what_code_says_while_it_is_loaded_is_one_plain_line(tmp_path: Path) -> None:
    source = "raise ValueError('two\\nlines\\x1b]0;title\\x07' + 'a' * 9999)"
    folder = environment_with(tmp_path / "env", source)
    with pytest.raises(UserError, match=r"two lines\?\]0;title\?a") as caught:
        SandboxedEnvironment.open(folder)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) <= 500


@needs_layers
def test_arguments_that_are_no_json_are_invalid(sandboxed: SandboxedEnvironment) -> None:
    session = sandboxed.session()
    circular: dict[str, Any] = {}
    circular["a"] = circular
    for arguments in ({"query": {1}}, circular, {("a",): 1}):
        assert session.call("search_customers", arguments).error.startswith("invalid_arguments: ")
    assert session.call("list_books", {}).ok


@needs_layers
def test_a_hard_pattern_does_not_hold_this_process_up(tmp_path: Path) -> None:
    hard = {"a": "^(a+)+$", "b": r"^(?=(b+)+$)b*c\1"}
    parameters = {name: {"type": "string", "pattern": pattern} for name, pattern in hard.items()}
    with SandboxedEnvironment.open(environment_with(tmp_path / "env", HONEST, parameters)) as environment:
        session = environment.session()
        began = time.monotonic()
        assert session.call("tool", {"a": "a" * 5000 + "!"}).error.startswith("invalid_arguments")
        assert not session.call("tool", {"b": "b" * 40 + "!"}).ok
        assert time.monotonic() - began < 2


def rows(*missing_layers: str) -> tuple[Layer, ...]:
    return tuple(Layer(name, name not in missing_layers, "made up") for name in LAYERS)


@pytest.mark.parametrize(
    ("lost", "lacking"),
    [
        ((), []),
        (("network", "bubblewrap"), []),
        (("landlock",), []),
        (("root",), []),
        (("landlock", "root"), ["landlock or root"]),
        (("syscalls",), ["syscalls"]),
        (LAYERS, ["user", "limits", "syscalls", "landlock or root"]),
    ],
)
def test_strict_needs_user_limits_filter_and_a_lock_on_files(lost: tuple[str, ...], lacking: Any) -> None:
    assert missing(rows(*lost)) == lacking


def test_missing_layers_are_refused_unless_told_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_trials, "layers_here", lambda: rows("syscalls", "landlock", "bubblewrap"))
    with pytest.raises(UserError, match=r"no syscalls.*tvlab doctor.*--sandbox weak"):
        usable_layers()
    assert usable_layers("weak") == ("user", "limits", "root", "network")
    with pytest.raises(UserError, match="strict or weak"):
        usable_layers("none")


@needs_layers
def test_weak_runs_with_the_layers_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_trials, "layers_here", lambda: rows("syscalls", *LAYERS[4:]))
    with pytest.raises(UserError, match="no syscalls"):
        SandboxedEnvironment.open(BOOKSTORE)
    with SandboxedEnvironment.open(BOOKSTORE, sandbox="weak") as environment:
        assert environment.session().call("list_books", {}).ok
        status = Path(f"/proc/{environment.pool.pids[0]}/status").read_text()
    assert "Seccomp:\t0" in status
    assert "CapEff:\t0000000000000000" in status


@needs_layers
@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes its user")
def test_a_worker_that_cannot_lock_itself_up_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(usable_layers(), Limits())
    monkeypatch.setitem(worker._settings, "user", -5)  # no user has this number
    with pytest.raises(UserError, match=r"did not start.*tvlab doctor"):
        worker.start()
    with pytest.raises(WorkerError):
        worker.load({"folder": "", "source": "", "tools": []})
    worker.kill()


ORPHANS = """
import sys, time
from tvlab.environments.sandbox.sandbox import SandboxedEnvironment
environment = SandboxedEnvironment.open(sys.argv[1], workers=2)
print(*environment.pool.pids, flush=True)
time.sleep(60)
"""


@needs_layers
def test_workers_end_when_their_parent_is_killed() -> None:
    command = [sys.executable, "-c", ORPHANS, str(BOOKSTORE)]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as parent:
        pids = parent.stdout.readline().split()
        parent.kill()
    assert len(pids) == 2
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []


def test_other_systems_have_no_kernel_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    kernel = sandbox_kernel
    for layer in (kernel.landlock_version, kernel.empty_root, lambda: kernel.seccomp(0)):
        with pytest.raises(OSError, match="no Linux kernel layers"):
            layer()


def test_an_unknown_processor_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(OSError, match="riscv64"):
        sandbox_kernel.seccomp(0)


def test_the_filter_for_arm_is_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    program = sandbox_kernel._filter(3)
    assert len(program) % 8 == 0
    assert program.endswith(bytes.fromhex("0600000000000080"))


def test_the_doctor_has_a_row_for_each_layer_and_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [row.layer for row in doctor.doctor()] == [*LAYERS, "sandbox"]
    monkeypatch.setattr(doctor, "layers_here", lambda: rows("syscalls"))
    report = doctor.doctor()
    assert not report[-1].available
    assert "syscalls" in report[-1].detail
    assert doctor.doctor_text(report).splitlines()[2] == "no   syscalls    made up"


@needs_layers
def test_a_sandbox_is_not_used_by_a_forked_copy(
    sandboxed: SandboxedEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = sandboxed.session()
    monkeypatch.setattr(os, "getpid", lambda: 1)
    with pytest.raises(RuntimeError, match=r"os\.fork"):
        session.call("list_books", {})
    monkeypatch.undo()
    assert session.call("list_books", {}).ok


@needs_layers
def test_a_state_that_is_no_state_is_a_named_error(tmp_path: Path) -> None:
    source = "def tool(state):\n    state['rows'] = 5\n    return 1\n"
    with SandboxedEnvironment.open(environment_with(tmp_path / "env", source)) as environment:
        session = environment.session()
        assert session.call("tool", {}).ok
        with pytest.raises(SandboxError, match="no JSON"):
            session.fingerprint()

