"""Real MCP servers over stdio: well-behaved ones are read whole, others cost one line and no time or process.

The misbehaving servers are small scripts; packages to install are made here, so only the tests marked
``live`` need a package index.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from tvlab.environments.sources.live import LiveAnswers, ask_servers, live_tool_lists
from tvlab.environments.sources.server_installs import (
    InstallError,
    LiveServer,
    cache_folder,
    choose_servers,
    executables,
    install,
    is_installed,
    known_servers,
)
from tvlab.foundation.errors import UserError

FAKE = textwrap.dedent('''
    import json, os, signal, subprocess, sys, time

    mode = sys.argv[1]

    def send(message):
        print(json.dumps(message), flush=True)

    def tool(name):
        return {"name": name, "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/x"}},
                                              "vendor": 1}}

    def page(cursor):
        if mode == "pages":
            at = int(cursor or 0)
            return {"tools": [tool(f"tool_{at}")], **({"nextCursor": str(at + 1)} if at < 2 else {})}
        if mode == "endless":
            return {"tools": [tool("again")], "nextCursor": "same"}
        if mode == "none":
            return {"tools": []}
        if mode == "malformed":
            return {"tools": "many"}
        if mode == "environment":
            return {"tools": [{**tool("look"), "description": json.dumps([sorted(os.environ), os.getcwd()])}]}
        return {"tools": [tool("first"), tool("second")]}

    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        children = [subprocess.Popen(["sleep", "600"]), subprocess.Popen(["sleep", "600"],
                                                                         start_new_session=True)]
        open(sys.argv[2], "w").write(" ".join(str(pid) for pid in [os.getpid(), *(c.pid for c in children)]))
    if mode == "dies":
        sys.exit("the database is missing")
    if mode == "babbles":
        print("Welcome!", flush=True)
        print("listening on nothing", flush=True)
        time.sleep(600)
    if mode == "floods":
        while True:
            print("x" * 1000)
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if mode == "silent":
            continue
        if mode == "noisy":
            print("DEBUG got", method, flush=True)
        if method == "initialize":
            send({"jsonrpc": "2.0", "id": request["id"], "result": {
                "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "fake", "version": "1"}}})
        elif method == "tools/list" and mode == "refuses":
            send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32000, "message": "not today"}})
        elif method == "tools/list" and mode == "dies late":
            sys.exit(3)
        elif method == "tools/list" and mode != "silent later":
            send({"jsonrpc": "2.0", "id": request["id"],
                  "result": page((request.get("params") or {}).get("cursor"))})
    if mode == "stubborn":
        time.sleep(600)
''')  # fmt: skip


@pytest.fixture
def fake(tmp_path):
    script = tmp_path / "fake_server.py"
    script.write_text(FAKE)

    def make(mode: str, *arguments: str, **facts) -> LiveServer:
        return LiveServer(mode, "command", [sys.executable, str(script), mode, *arguments], **facts)

    return make


def ask(*servers: LiveServer, seconds: float = 20) -> LiveAnswers:
    return ask_servers(list(servers), "/nonexistent", seconds, report=lambda line: None)


def failure(server: LiveServer, seconds: float = 20):
    answers = ask(server, seconds=seconds)
    assert not answers.tool_lists
    (failed,) = answers.failures
    assert "\n" not in str(failed)
    assert server.name in str(failed)
    return failed


def is_alive(process: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat")
        return not (state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] == "Z")
    return False


def test_tools_come_as_the_server_wrote_them(fake):
    server = fake("good", package="fake", version="1.2", license="MIT", description="A fake.")
    (answer,) = ask(server).tool_lists
    assert answer.server == "good"
    assert answer.description == "A fake."
    assert [tool["name"] for tool in answer.tools] == ["first", "second"]
    assert answer.tools[0]["inputSchema"] == {
        "type": "object", "properties": {"a": {"$ref": "#/x"}}, "vendor": 1}  # fmt: skip
    assert answer.source["license"] == "MIT"
    assert answer.source["commit"] == "1.2"
    assert answer.source["protocolVersion"] == "2025-06-18"


def test_all_pages_are_read(fake):
    (answer,) = ask(fake("pages")).tool_lists
    assert [tool["name"] for tool in answer.tools] == ["tool_0", "tool_1", "tool_2"]


def test_lines_between_the_messages_are_skipped_and_not_shown(fake, capfd):
    (answer,) = ask(fake("noisy")).tool_lists
    assert len(answer.tools) == 2
    assert capfd.readouterr() == ("", "")


def test_a_server_sees_a_scratch_folder_and_no_secrets(fake, monkeypatch):
    monkeypatch.setenv("MY_SECRET_TOKEN", "hush")
    (answer,) = ask(fake("environment", env={"PLACE": "WORKDIR/x"})).tool_lists
    names, folder = json.loads(answer.tools[0]["description"])
    assert "MY_SECRET_TOKEN" not in names
    assert {"PLACE", "HOME", "PATH"} <= set(names)
    assert folder == "/work"
    assert not list(Path("/tmp").glob("tvlab-server-*/*/x"))


@pytest.mark.parametrize(("mode", "stage", "words"), [
    ("dies", "start", "the database is missing"),
    ("dies late", "list", "it ended or refused"),
    ("refuses", "list", "not today"),
    ("malformed", "list", "no MCP"),
    ("none", "list", "no tools"),
    ("endless", "list", "pages never end"),
])  # fmt: skip
def test_a_server_that_misbehaves_gives_one_line(fake, mode, stage, words):
    failed = failure(fake(mode))
    assert failed.stage == stage
    assert words in failed.reason


@pytest.mark.parametrize(("mode", "words"), [
    ("silent", "no answer to tools/list within 1 s"),
    ("silent later", "no answer to tools/list within 1 s"),
    ("babbles", "2 lines on its stdout were no MCP messages"),
    ("floods", "no answer to tools/list within 1 s"),
])  # fmt: skip
def test_a_server_that_never_answers_costs_its_time_limit(fake, mode, words):
    start = time.monotonic()
    assert words in failure(fake(mode), seconds=1).reason
    assert time.monotonic() - start < 10


def test_a_command_that_is_not_there_gives_one_line():
    failed = failure(LiveServer("gone", "command", ["/nowhere/server"]))
    assert failed.stage == "start"
    assert "/nowhere/server" in failed.reason


def test_no_process_of_a_server_stays_alive(fake, tmp_path):
    pids = tmp_path / "pids"
    assert len(ask(fake("stubborn", str(pids))).tool_lists) == 1
    numbers = [int(word) for word in pids.read_text().split()]
    assert len(numbers) == 3
    # One that left the process group is only found where there is /proc.
    reachable = numbers if Path("/proc/self/environ").exists() else numbers[:2]
    try:
        deadline = time.monotonic() + 5
        while any(map(is_alive, reachable)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(map(is_alive, reachable))
    finally:
        for number in filter(is_alive, numbers):
            os.kill(number, signal.SIGKILL)


def test_one_failing_server_does_not_lose_the_others(fake):
    said: list[str] = []
    servers = [fake("dies"), fake("good"), fake("silent"), fake("pages")]
    answers = ask_servers(servers, "/nonexistent", 3, report=said.append)
    assert [answer.server for answer in answers.tool_lists] == ["good", "pages"]
    assert [failed.server for failed in answers.failures] == ["dies", "silent"]
    assert len(said) == 4
    assert "live server pages: 3 tools" in said
    assert str(answers.failures[1]) in said


def test_servers_can_be_asked_from_inside_an_event_loop(fake):
    async def notebook() -> LiveAnswers:
        return ask(fake("good"))

    assert len(asyncio.run(notebook()).tool_lists) == 1


def test_a_setup_command_runs_before_the_server_and_its_failure_is_told(fake):
    (answer,) = ask(
        fake("good", setup=[["mkdir", "made"], ["ls", "made"]], folders=["WORKDIR/dir"])
    ).tool_lists
    assert len(answer.tools) == 2
    assert "ls nothing ended with" in failure(fake("good", setup=[["ls", "nothing"]])).reason


# --- installing ------------------------------------------------------------------------------------------


@pytest.fixture
def packaged(tmp_path) -> LiveServer:
    """A server in a wheel of its own, installable without an index."""
    wheel = tmp_path / "fake_mcp-1.0-py3-none-any.whl"
    info = "fake_mcp-1.0.dist-info"
    code = FAKE.replace("mode = sys.argv[1]", 'mode = "good"').replace("\n", "\n    ")
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("fake_mcp.py", f"def main():\n    {code}\n")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: fake-mcp\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/entry_points.txt", "[console_scripts]\nfake-mcp = fake_mcp:main\n")
        archive.writestr(f"{info}/RECORD", f"fake_mcp.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n"
                                           f"{info}/entry_points.txt,,\n{info}/RECORD,,\n")  # fmt: skip
    return LiveServer("packaged", "pypi", ["fake-mcp"], package="fake-mcp", requirements=[str(wheel)])


def test_a_package_is_installed_once_into_an_environment_of_its_own(packaged, tmp_path):
    cache = tmp_path / "cache"
    assert not is_installed(packaged, cache)
    (answer,) = ask_servers([packaged], cache, 30, report=lambda line: None).tool_lists
    assert [tool["name"] for tool in answer.tools] == ["first", "second"]
    command = executables(packaged, cache) / "fake-mcp"
    made = command.stat().st_mtime_ns
    install(packaged, cache)
    assert command.stat().st_mtime_ns == made
    assert is_installed(packaged, cache)


def test_an_install_that_was_killed_is_made_anew(packaged, tmp_path):
    cache = tmp_path / "cache"
    code = (
        "from tvlab.environments.sources.server_installs import *\nfrom pathlib import Path\nimport sys\n"
        "packaged = LiveServer('packaged', 'pypi', ['fake-mcp'], 'fake-mcp', requirements=[sys.argv[1]])\n"
        "install(packaged, Path(sys.argv[2]))"
    )
    for seconds in (0.3, 1.5):
        process = subprocess.Popen([sys.executable, "-c", code, packaged.requirements[0], str(cache)])
        time.sleep(seconds)
        process.kill()
        process.wait()
    install(packaged, cache)
    assert (executables(packaged, cache) / "fake-mcp").exists()
    (answer,) = ask_servers([packaged], cache, 30, report=lambda line: None).tool_lists
    assert len(answer.tools) == 2


def test_a_package_that_cannot_be_installed_gives_one_line(tmp_path):
    server = LiveServer("absent", "pypi", ["x"], requirements=[str(tmp_path / "absent-1.0-py3-none-any.whl")])
    answers = ask_servers([server], tmp_path / "cache", 5, report=lambda line: None)
    (failed,) = answers.failures
    assert failed.stage == "install"
    assert "\n" not in str(failed)
    assert "package index" in failed.reason
    assert not is_installed(server, tmp_path / "cache")


def test_an_install_has_a_time_limit(packaged, tmp_path):
    with pytest.raises(InstallError, match="took more than"):
        install(packaged, tmp_path / "cache", seconds=0.01)


def test_a_server_of_npm_needs_node(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InstallError, match=r"needs Node\.js"):
        install(LiveServer("memory", "npm", ["x"], requirements=["x"]), tmp_path / "cache")


def test_the_cache_folder_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("TVLAB_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("TVLAB_CACHE")
    assert cache_folder() == Path.home() / ".cache" / "tvlab" / "servers"


def test_the_list_of_servers_holds_enough_free_ones():
    servers = known_servers()
    python = [server for server in servers if server.ecosystem == "pypi"]
    assert len(python) >= 10
    assert {server.license for server in servers} <= {"MIT", "Apache-2.0", "ISC", "BSD-3-Clause"}
    for server in servers:
        separator = "==" if server.ecosystem == "pypi" else "@"
        assert server.requirements[0] == f"{server.package}{separator}{server.version}"
    assert len({server.name for server in servers}) == len(servers)


def test_an_unknown_server_is_named():
    with pytest.raises(UserError, match=r"live server 'nope' is unknown: choose among .*mcp-server-git"):
        choose_servers(["nope"])


def test_if_no_server_answers_it_is_the_users_to_mend(monkeypatch, fake):
    monkeypatch.setattr("tvlab.environments.sources.live.choose_servers", lambda names: [fake("dies")])
    with pytest.raises(UserError, match="none of 1 live servers answered; live server dies failed at start"):
        live_tool_lists(report=lambda line: None)


# --- the real ones ---------------------------------------------------------------------------------------

REAL = ("cadence-todo", "finamatik-ops-mcp", "mcp-personal-assistant")


@pytest.fixture(scope="module")
def package_index() -> None:
    server = choose_servers([REAL[0]])[0]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--quiet",
               "--ignore-installed",
               *server.requirements[:1]]  # fmt: skip
    probe = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if probe.returncode != 0:
        pytest.skip(f"the package index cannot be reached: {probe.stderr.strip().splitlines()[-1:]}")


@pytest.mark.live
@pytest.mark.usefixtures("package_index")
@pytest.mark.parametrize("name", REAL)
def test_a_real_server_lists_its_recorded_number_of_tools(name):
    answers = live_tool_lists([name], report=lambda line: None)
    assert not answers.failures
    (answer,) = answers.tool_lists
    assert len(answer.tools) == choose_servers([name])[0].tools
    assert all(tool["inputSchema"]["type"] == "object" for tool in answer.tools)


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.usefixtures("package_index")
def test_all_known_servers_answer_and_a_second_time_at_once():
    answers = live_tool_lists(report=lambda line: None)
    assert [failed for failed in answers.failures if "Node.js" not in failed.reason] == []
    counts = {server.name: server.tools for server in known_servers()}
    assert {answer.server: len(answer.tools) for answer in answers.tool_lists}.items() <= counts.items()
    assert len(answers.tool_lists) >= 8
    start = time.monotonic()
    again = live_tool_lists(report=lambda line: None)
    assert again.tool_lists == answers.tool_lists
    assert time.monotonic() - start < 60


def test_a_program_that_is_not_there_is_named_with_what_to_do():
    answers = ask_servers([LiveServer("typo", "command", ["no-such-program", "x"])], "/nonexistent", 5)
    assert answers.tool_lists == []
    message = str(answers.failures[0])
    assert "there is no program 'no-such-program' on PATH: install it, or give its full path" in message
