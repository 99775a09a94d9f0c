"""Pulling tool lists: each kind of source gives a dump that loads, with provenance; nothing unsafe is read.

All fixtures are made here: packages as small scripts, collections as folders and archives, an HTTP server by
the official SDK on 127.0.0.1.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import textwrap
import time
import zipfile
from pathlib import Path

import pytest

from tvlab.environments.sources import repository_files
from tvlab.environments.sources.client_configurations import Unusable, package_of, read_client_configuration
from tvlab.environments.sources.corpus_dumps import open_dump
from tvlab.environments.sources.corpus_sources import Pulled, pull, pull_servers
from tvlab.environments.sources.http_servers import HttpServer, ask_http_server, bare_address
from tvlab.environments.sources.registry_layouts import licence_name
from tvlab.environments.sources.server_installs import LiveServer
from tvlab.environments.tool_lists import ToolList, load_tool_lists
from tvlab.foundation.errors import UserError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CHOOSE = "tvlab.environments.sources.corpus_sources.choose_servers"
OUTSIDE = 30  # seconds until something that should have happened has not
TOOL = {"name": "get_bed", "inputSchema": {"type": "object", "properties": {"bed_id": {"type": "string"}}}}

STDIO = textwrap.dedent('''
    import json, os, sys, time

    name, seconds = sys.argv[1], float(sys.argv[2])
    for line in sys.stdin:
        request = json.loads(line)
        if request["method"] == "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                      "serverInfo": {"name": name, "version": "1"}}
        elif request["method"] == "tools/list":
            time.sleep(seconds)
            seen = {key: os.environ.get(key) for key in ("TOKEN", "HOME", "SECRET_OF_OURS")}
            told = json.dumps([seen, os.getcwd(), sys.argv[3:]]) if sys.argv[3:] else ""
            tool = {"name": f"get_{name}", "description": told, "inputSchema": {"type": "object"}}
            result = {"tools": [tool]}
        else:
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
''')  # fmt: skip

HTTP = textwrap.dedent('''
    import asyncio, socket, sys
    import uvicorn
    from mcp.server import MCPServer

    server = MCPServer("allotments")

    @server.tool(description="Find a plot. Returns the plot.")
    def get_plot(plot_id: str, season: int = 3) -> dict:
        return {}

    @server.tool()
    def water(plot_id: str, litres: float) -> str:
        return ""

    app = server.streamable_http_app()

    async def guarded(scope, receive, send):
        wanted = sys.argv[1].encode()
        if scope["type"] == "http" and wanted not in (b"", dict(scope["headers"]).get(b"authorization")):
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        else:
            await app(scope, receive, send)

    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(guarded, log_level="critical")).run(sockets=[listener])
''')  # fmt: skip


def quietly(source, out, *arguments, **options) -> Pulled:
    return pull(source, out, *arguments, report=lambda line: None, **options)


def refusal(source, out, *arguments, **options) -> str:
    with pytest.raises(UserError) as error:
        quietly(source, out, *arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


# --- packages --------------------------------------------------------------------------------------------


@pytest.fixture
def script(tmp_path) -> Path:
    path = tmp_path / "stdio_server.py"
    path.write_text(STDIO)
    return path


@pytest.fixture
def package(script):
    def make(name: str, seconds: float = 0.0, version: str = "1.0") -> LiveServer:
        command = [sys.executable, str(script), name, str(seconds)]
        return LiveServer(name, "command", command, package=f"pypi:{name}", version=version, license="MIT")

    return make


def test_known_servers_come_with_version_and_licence_and_are_asked_once(package, tmp_path, monkeypatch):
    out = tmp_path / "corpus.jsonl"
    monkeypatch.setattr(CHOOSE, lambda names: [package("bed"), package("pot")])
    pulled = quietly("live", out)
    assert (pulled.added, pulled.kept, pulled.servers) == (["bed", "pot"], [], 2)
    assert [server.source["license"] for server in load_tool_lists(out)] == ["MIT", "MIT"]
    assert [server.source["commit"] for server in load_tool_lists(out)] == ["1.0", "1.0"]
    written = out.stat().st_mtime_ns
    started = time.monotonic()
    assert quietly("live", out).kept == ["bed", "pot"]
    assert time.monotonic() - started < 0.5, "a version that is in the dump was asked again"
    assert out.stat().st_mtime_ns == written


def test_another_version_of_a_package_or_other_tools_replace_the_first(package, tmp_path):
    out = tmp_path / "corpus.jsonl"
    pull_servers([package("bed")], out, report=lambda line: None)
    assert pull_servers([package("bed", version="2.0")], out, report=lambda line: None).replaced == ["bed"]
    assert [server.source["commit"] for server in load_tool_lists(out)] == ["2.0"]
    other = LiveServer("bed", "command", [*package("bed").command, "more"], package="pypi:bed")
    assert pull_servers([other], out, report=lambda line: None).replaced == ["bed"]
    (answer,) = load_tool_lists(out)
    assert "more" in answer.tools[0]["description"]


def test_a_pull_killed_at_any_moment_goes_on_where_it_was(script, tmp_path):
    """The dump is whole after each kill, and ends as it does without one."""
    code = textwrap.dedent(f"""
        import sys
        from pathlib import Path
        from tvlab.environments.sources.corpus_sources import pull_servers
        from tvlab.environments.sources.server_installs import LiveServer
        names = [f"server{{i}}" for i in range(6)]
        servers = [LiveServer(name, "command", [sys.executable, {str(script)!r}, name, "0.05"],
                              package=f"pypi:{{name}}", version="1") for name in names]
        pull_servers(servers, sys.argv[1], report=lambda line: print(line, flush=True))
    """)
    whole, out = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    subprocess.run(
        [sys.executable, "-c", code, str(whole)], check=True, timeout=OUTSIDE, stdout=subprocess.DEVNULL
    )
    for after in range(3):  # a line is printed before the server is written
        process = subprocess.Popen([sys.executable, "-c", code, str(out)], stdout=subprocess.PIPE, text=True)
        for _ in range(2):
            process.stdout.readline()
        time.sleep(0.02 * after)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert len(load_tool_lists(out)) >= after + 1
    subprocess.run(
        [sys.executable, "-c", code, str(out)], check=True, timeout=OUTSIDE, stdout=subprocess.DEVNULL
    )
    assert out.read_text() == whole.read_text()


def test_a_server_that_fails_costs_one_line_and_all_failing_is_an_error(package, tmp_path, monkeypatch):
    out = tmp_path / "corpus.jsonl"
    dead = LiveServer("dead", "command", [sys.executable, "-c", "pass"], package="pypi:dead")
    monkeypatch.setattr(CHOOSE, lambda names: [dead, package("bed")])
    pulled = quietly("live", out)
    assert pulled.added == ["bed"]
    assert len(pulled.failures) == 1
    assert "dead" in pulled.failures[0]
    monkeypatch.setattr(CHOOSE, lambda names: [dead])
    assert "source live gave no server; live server dead failed" in refusal("live", tmp_path / "other.jsonl")


def test_live_names_are_those_of_the_list(tmp_path):
    assert "live server 'nope' is unknown" in refusal("live", tmp_path / "corpus.jsonl", ["nope"])


# --- dumps -----------------------------------------------------------------------------------------------


def test_a_dump_that_was_there_is_extended_and_what_it_held_stays(package, tmp_path):
    out = tmp_path / "mine.jsonl"
    mine = {"server": "mine", "tools": [TOOL]}
    out.write_text(json.dumps(mine) + "\n" + json.dumps({"server": "also", "tools": [{"name": "x"}]}) + "\n")
    assert pull_servers([package("bed")], out, report=lambda line: None).servers == 3
    assert [server.server for server in load_tool_lists(out)] == ["mine", "also", "bed"]


def test_the_same_tools_from_two_places_are_kept_once(tmp_path):
    with open_dump(tmp_path / "corpus.jsonl") as dump:
        assert dump.add(ToolList("a", source={"repo": "x", "path": "1"}, tools=[TOOL])) == "added"
        assert dump.add(ToolList("b", source={"repo": "y", "path": "1"}, tools=[TOOL])) == "twin"
        assert dump.add(ToolList("a", source={"repo": "x", "path": "1"}, tools=[TOOL, TOOL])) == "replaced"
        assert len(dump) == 1


def test_two_pulls_into_one_folder_do_not_meet(tmp_path):
    with (
        open_dump(tmp_path / "corpus.jsonl"),
        pytest.raises(UserError, match="another process extends a dump"),
    ):
        open_dump(tmp_path / "other.jsonl").__enter__()


@pytest.mark.parametrize(
    ("name", "words"), [("corpus.json", "ends in .jsonl"), ("file/corpus.jsonl", "cannot be written")]
)
def test_a_dump_that_cannot_be_written_is_named(tmp_path, name, words):
    (tmp_path / "file").write_text("")
    assert words in refusal("live", tmp_path / name)


# --- collections -----------------------------------------------------------------------------------------

DOCKER_YAML = """
name: allotment
about: {title: Allotment, description: Plots and beds.}
meta: {category: gardening, tags: [garden]}
source: {project: https://example.com/allotment, commit: abc}
"""
DOCKER_TOOLS = [
    {"name": "add_bed", "description": "Dig a bed.", "arguments": [
        {"name": "plot", "type": "string", "desc": "Where."},
        {"name": "depths", "type": "array", "items": {"type": "integer"}, "desc": "", "optional": True},
        {"name": "soil", "type": "string", "desc": "Kind.", "required": False}]},
    {"name": "list_beds", "description": "List beds."},
]  # fmt: skip
TOUCAN = {
    "labels": {"primary_label": "Gardening"},
    "metadata": {
        "server_name": "Seed bank", "timestamp": 1751937975,
        "remote_server_response": {"is_success": True, "error": None, "tools": [
            {"name": "find_seed", "description": "Find.", "annotations": None,
             "input_schema": {"type": "object", "properties": {"q": {"$ref": "#/x"}}}}]},
        "server_info_crawled": {"author": "@me/Seed-Bank", "overview": "Seeds.", "license": "MIT",
                                "repository_url": "https://example.com/seeds"},
    },
}  # fmt: skip


def silent(value: dict) -> dict:
    answer = {"is_success": False, "error": "no", "tools": []}
    return {**value, "metadata": {**value["metadata"], "remote_server_response": answer}}


FILES = {
    "LICENSE": "MIT License\n\nPermission is hereby granted, free of charge, to any person",
    "README.md": "not read",
    "servers/allotment/server.yaml": DOCKER_YAML,
    "servers/allotment/tools.json": json.dumps(DOCKER_TOOLS),
    "servers/bare/tools.json": json.dumps([TOOL]),
    "servers/empty/tools.json": "[]",
    "servers/names/tools.json": json.dumps([{"name": "x", "description": "y"}]),
    "servers/broken/tools.json": "[{",
    "servers/broken/server.yaml": "a: [",
    "mcp_servers/0001.seeds_labeled.json": json.dumps(TOUCAN),
    "mcp_servers/0002.silent_labeled.json": json.dumps(silent(TOUCAN)),
    "mcp_servers/0003.odd_labeled.json": "7",
}


@pytest.fixture
def checkout(tmp_path) -> Path:
    root = tmp_path / "checkout"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    git = root / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "packed-refs").write_text(f"# pack-refs\n{COMMIT} refs/heads/main\n")
    (git / "config").write_text('[remote "origin"]\n\turl = git@example.com:grower/registry.git\n')
    return root


def archive_of(path: Path, extra: dict[str, str] | None = None, top: str = f"registry-{COMMIT}/") -> Path:
    """An archive as GitHub makes them: one folder on top, the commit in the comment."""
    files = {**{top + name: text for name, text in FILES.items()}, **(extra or {})}
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
            zipped.comment = COMMIT.encode()
            for name, text in files.items():
                zipped.writestr(name, text)
        return path
    with tarfile.open(path, f"w:{path.suffix[1:].replace('tgz', 'gz').replace('tar', '')}",
                      format=tarfile.PAX_FORMAT, pax_headers={"comment": COMMIT}) as tar:  # fmt: skip
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return path


@pytest.mark.parametrize("kind", ["folder", "a.zip", "a.tar", "a.tgz", "a.tar.xz"])
def test_a_collection_is_read_from_a_checkout_and_from_archives_alike(checkout, tmp_path, kind):
    source = checkout if kind == "folder" else archive_of(tmp_path / kind)
    out = tmp_path / "corpus.jsonl"
    before = {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()}
    pulled = quietly(source, out)
    assert sorted(pulled.added) == ["allotment", "bare", "me-seed-bank"]
    reasons = {line.partition(": ")[0]: line.partition(": ")[2] for line in pulled.failures}
    assert reasons["servers/empty/tools.json"] == "no tools are listed"
    assert reasons["servers/names/tools.json"] == "its tools are names without parameters"
    assert reasons["servers/broken/tools.json"].startswith("not JSON")
    assert reasons["mcp_servers/0002.silent_labeled.json"] == "the server gave no answer when it was asked"
    assert reasons["mcp_servers/0003.odd_labeled.json"] == "the server gave no answer when it was asked"
    servers = {server.server: server for server in load_tool_lists(out)}
    repo = "grower/registry" if kind == "folder" else "registry"
    assert servers["allotment"].source == {
        "repo": repo, "path": "servers/allotment/tools.json", "commit": COMMIT, "license": "MIT",
        "upstream": "https://example.com/allotment", "category": "gardening",
        "schema": "converted-from-arguments", "upstream_license": "unspecified"}  # fmt: skip
    assert servers["allotment"].title == "Allotment"
    assert servers["me-seed-bank"].source["captured"] == "2025-07-08"
    assert servers["me-seed-bank"].source["upstream_license"] == "MIT"
    assert servers["bare"].source["schema"] == "raw"
    assert quietly(source, out).kept == pulled.added
    assert {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()} == before
    assert {path.name for path in tmp_path.iterdir()} <= {"checkout", kind, "corpus.jsonl"}


def test_arguments_of_the_registry_become_a_schema(checkout, tmp_path):
    quietly(checkout, tmp_path / "corpus.jsonl")
    tools = next(s for s in load_tool_lists(tmp_path / "corpus.jsonl") if s.server == "allotment").tools
    assert tools == [
        {"name": "add_bed", "description": "Dig a bed.", "inputSchema": {
            "type": "object",
            "properties": {"plot": {"type": "string", "description": "Where."},
                           "depths": {"type": "array", "items": {"type": "integer"}},
                           "soil": {"type": "string", "description": "Kind."}},
            "required": ["plot"]}},
        {"name": "list_beds", "description": "List beds.",
         "inputSchema": {"type": "object", "properties": {}}},
    ]  # fmt: skip


def test_answers_of_hosted_servers_stay_as_they_were(checkout, tmp_path):
    quietly(checkout, tmp_path / "corpus.jsonl")
    (tool,) = next(s for s in load_tool_lists(tmp_path / "corpus.jsonl") if s.server == "me-seed-bank").tools
    assert tool == {"name": "find_seed", "description": "Find.",
                    "inputSchema": {"type": "object", "properties": {"q": {"$ref": "#/x"}}}}  # fmt: skip


@pytest.mark.parametrize(("value", "name"), [
    ("Apache-2.0", "Apache-2.0"), (" MIT ", "MIT"), ("GPL-3.0", "GPL-3.0"), (None, "unspecified"),
    (7, "unspecified"), ("https://host/mcp?key=40e7e9b0", "unspecified"), ("Not specified", "unspecified"),
    ("Smithery", "unspecified"),
])  # fmt: skip
def test_only_names_of_licences_count_as_licences(value, name):
    assert licence_name(value) == name


def test_a_folder_without_a_known_layout_is_named(tmp_path):
    (tmp_path / "folder").mkdir()
    assert "neither servers/*/tools.json nor mcp_servers/*.json" in refusal(
        tmp_path / "folder", tmp_path / "o.jsonl"
    )
    assert not (tmp_path / "o.jsonl").exists()


@pytest.mark.parametrize("name", ["a.zip", "a.tgz"])
@pytest.mark.parametrize(
    "path",
    ["../evil.json", "/etc/evil.json", "x/../../evil", "C:\\evil.json", "\\\\host\\evil", "x\\..\\..\\evil"],
)
def test_an_archive_that_leads_outside_is_refused(tmp_path, name, path):
    source = archive_of(tmp_path / name, {path: "[]"})
    assert "leads outside: refused" in refusal(source, tmp_path / "corpus.jsonl")
    assert sorted(found.name for found in tmp_path.iterdir()) == [name]


def test_links_in_an_archive_are_left_out(tmp_path):
    (tmp_path / "secret.json").write_text(json.dumps([{**TOOL, "description": "secret"}]))
    for path in (tmp_path / "a.tgz", tmp_path / "a.zip"):
        if path.suffix == ".zip":
            archive_of(path)
            with zipfile.ZipFile(path, "a") as zipped:
                info = zipfile.ZipInfo(f"registry-{COMMIT}/servers/link/tools.json")
                info.external_attr = 0o120777 << 16
                zipped.writestr(info, str(tmp_path / "secret.json"))
        else:
            with tarfile.open(path, "w:gz") as tar:
                for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
                    info = tarfile.TarInfo(f"servers/link{kind.decode()}/tools.json")
                    info.type, info.linkname = kind, str(tmp_path / "secret.json")
                    tar.addfile(info)
                info = tarfile.TarInfo("servers/good/tools.json")
                info.size = len(json.dumps([TOOL]))
                tar.addfile(info, io.BytesIO(json.dumps([TOOL]).encode()))
        said: list[str] = []
        out = path.with_suffix(".jsonl")
        pulled = pull(path, out, report=said.append)
        assert "secret" not in out.read_text()
        assert any("links or devices left out" in line for line in said)
        assert not any("link" in server for server in pulled.added)


def test_links_in_a_checkout_are_left_out(checkout, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "tools.json").write_text(json.dumps([{**TOOL, "description": "secret"}]))
    (checkout / "servers" / "link").symlink_to(secret)
    (checkout / "servers" / "file").mkdir()
    (checkout / "servers" / "file" / "tools.json").symlink_to(secret / "tools.json")
    assert sorted(quietly(checkout, tmp_path / "o.jsonl").added) == ["allotment", "bare", "me-seed-bank"]
    assert "secret" not in (tmp_path / "o.jsonl").read_text()


@pytest.mark.parametrize("name", ["a.zip", "a.tgz"])
def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch, name):
    source = archive_of(tmp_path / name)
    monkeypatch.setattr(repository_files, "MAX_TOTAL", 300)
    assert "unpacks to more than" in refusal(source, tmp_path / "corpus.jsonl")
    monkeypatch.undo()
    monkeypatch.setattr(repository_files, "MAX_MEMBERS", 5)
    assert "unpacks to more than" in refusal(source, tmp_path / "corpus.jsonl")


def test_a_file_that_is_larger_than_it_says_is_left_out(tmp_path, monkeypatch):
    """The size in the directory of a zip is the archive's word; reading stops by itself."""
    monkeypatch.setattr(repository_files, "MAX_FILE", 10_000)
    bomb = archive_of(tmp_path / "a.zip", {f"registry-{COMMIT}/servers/bomb/tools.json": " " * 50_000 + "[]"})
    pulled = quietly(bomb, tmp_path / "corpus.jsonl")
    assert "allotment" in pulled.added
    assert any(line.startswith("servers/bomb/tools.json: larger than") for line in pulled.failures)


@pytest.mark.parametrize("name", ["a.zip", "a.tgz", "a.tar.xz", "a.tar"])
def test_a_damaged_archive_is_named(tmp_path, name):
    content = archive_of(tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 3])
    assert "cannot be read" in refusal(tmp_path / name, tmp_path / "corpus.jsonl")
    (tmp_path / name).write_bytes(b"nothing of the kind")
    assert "cannot be read" in refusal(tmp_path / name, tmp_path / "corpus.jsonl")


def test_numbers_that_json_cannot_hold_cost_their_server_only(checkout, tmp_path):
    (checkout / "servers" / "nan").mkdir()
    tool = '[{"name": "x", "inputSchema": {"properties": {"a": {"default": NaN}}}}]'
    (checkout / "servers" / "nan" / "tools.json").write_text(tool)
    pulled = quietly(checkout, tmp_path / "corpus.jsonl")
    assert any(line.startswith("server nan: not JSON") for line in pulled.failures)
    assert len(pulled.added) == 3


# --- mcp.json --------------------------------------------------------------------------------------------


@pytest.fixture
def configuration(tmp_path, script):
    def write(**servers) -> Path:
        path = tmp_path / "mcp.json"
        path.write_text(json.dumps({"mcpServers": servers}))
        return path

    return write


def test_the_servers_of_a_client_are_asked_as_the_client_would(configuration, script, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "hush-token")
    monkeypatch.setenv("SECRET_OF_OURS", "hush-ours")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "place").mkdir()
    path = configuration(
        beds={"command": sys.executable, "args": [script.name, "beds", "0", "--key", "hush-argument"],
              "env": {"TOKEN": "${MY_TOKEN}"}},
        pots={"command": "${PYTHON:-" + sys.executable + "}", "args": [str(script), "pots", "0", "tell"],
              "cwd": "place"},
        off={"command": "/nowhere", "disabled": True},
    )  # fmt: skip
    out = tmp_path / "corpus.jsonl"
    pulled = quietly(path, out)
    assert pulled.added == ["beds", "pots"]
    assert pulled.failures == ["server off is left out: it is disabled"]
    beds, pots = load_tool_lists(out)
    seen, folder, _ = json.loads(beds.tools[0]["description"])
    assert seen == {"TOKEN": "hush-token", "HOME": str(tmp_path), "SECRET_OF_OURS": None}
    assert folder == str(tmp_path)
    assert json.loads(pots.tools[0]["description"])[1] == str(tmp_path / "place")
    assert beds.source["repo"].startswith("program:python")
    assert beds.source["license"] == "unspecified"
    assert "hush" not in json.dumps([beds.source, pots.source])
    assert quietly(path, out, ["pots"]).kept == ["pots"]


@pytest.mark.parametrize(("entry", "words"), [
    ({}, "neither command nor url"), ("x", "no object"), ({"command": 3}, "command is no text"),
    ({"command": "x", "args": "y"}, "args is no list"), ({"command": "x", "env": []}, "env is no object"),
    ({"command": "x", "cwd": "absent"}, "does not exist"),
    ({"command": "${NOT_SET_ANYWHERE}"}, "NOT_SET_ANYWHERE is not set"),
    ({"command": "x", "args": ["${input:key}"]}, "is not known here"),
    ({"url": "http://x/sse", "type": "sse"}, "transport 'sse' is not supported"),
    ({"url": "ftp://x"}, "no address"),
])  # fmt: skip
def test_an_entry_that_cannot_be_used_says_why(configuration, tmp_path, entry, words):
    path = configuration(odd=entry)
    (found,) = read_client_configuration(path)
    assert isinstance(found, Unusable)
    assert words in str(found)
    assert "\n" not in str(found)
    assert words in refusal(path, tmp_path / "corpus.jsonl")


def test_the_spelling_of_editors_and_urls_with_headers_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("KEY", "k")
    servers = {
        "far": {"type": "http", "url": "https://host/mcp", "headers": {"Authorization": "Bearer ${env:KEY}"}}
    }
    (tmp_path / "mcp.json").write_text(json.dumps({"servers": servers}))
    (server,) = read_client_configuration(tmp_path / "mcp.json")
    assert server == HttpServer("far", "https://host/mcp", {"Authorization": "Bearer k"})
    assert "Bearer" not in repr(server)


@pytest.mark.parametrize(("command", "found"), [
    (["npx", "-y", "@scope/server@1.2", "--token", "t"], ("npm", "@scope/server", "1.2")),
    (["npx", "--package", "thing", "run-it"], ("npm", "thing", "")),
    (["uvx", "--python", "3.12", "server-x"], ("pypi", "server-x", "")),
    (["uvx", "--from", "git+https://me:secret@host/x", "serve"], ("program", "uvx", "")),
    (["pipx", "run", "--spec", "server[http]==2", "serve"], ("pypi", "server", "2")),
    (["/usr/bin/docker", "run", "-e", "TOKEN=t", "image"], ("program", "docker", "")),
    (["npx"], ("program", "npx", "")),
])  # fmt: skip
def test_a_command_names_its_package_and_nothing_secret(command, found):
    assert package_of(command) == found


@pytest.mark.parametrize(("text", "words"), [
    ("{", "not JSON"), ("{}", "has no servers"), ('{"mcpServers": {}}', "has no servers"),
    ('{"tools": []}', "is a tool list already"), ("[]", "is a tool list already"), ("7", "has no servers"),
])  # fmt: skip
def test_a_file_that_is_no_configuration_is_named(tmp_path, text, words):
    (tmp_path / "mcp.json").write_text(text)
    assert words in refusal(tmp_path / "mcp.json", tmp_path / "corpus.jsonl")


def test_names_of_a_configuration_are_checked(configuration, tmp_path):
    path = configuration(beds={"command": "x"})
    assert "server 'nope' is not in" in refusal(path, tmp_path / "corpus.jsonl", ["nope"])


# --- a running server ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address():
    """Start HTTP servers, each with the authorization that it wants ("" for none), and end them."""
    processes = []

    def start(authorization: str = "") -> str:
        process = subprocess.Popen(
            [sys.executable, "-c", HTTP, authorization], stdout=subprocess.PIPE, text=True
        )
        processes.append(process)
        return process.stdout.readline().strip()

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_running_server_is_asked_and_what_is_secret_is_not_kept(address, tmp_path):
    url = address("Bearer hush")
    out = tmp_path / "corpus.jsonl"
    pulled = quietly(f"{url}?api_key=hush", out, headers={"Authorization": "Bearer hush"})
    assert pulled.added == ["allotments"]
    (server,) = load_tool_lists(out)
    assert [tool["name"] for tool in server.tools] == ["get_plot", "water"]
    assert server.tools[0]["inputSchema"]["properties"]["season"]["default"] == 3
    assert server.source["path"] == url
    assert server.source["repo"] == "http"
    assert server.source["license"] == "unspecified"
    assert "hush" not in out.read_text()
    assert quietly(url, out, headers={"Authorization": "Bearer hush"}).kept == ["allotments"]
    message = refusal(f"{url}?api_key=hush", tmp_path / "refused.jsonl")
    assert "gave no server" in message
    assert "hush" not in message


def test_an_mcp_json_may_name_running_servers(address, configuration, tmp_path):
    path = configuration(plots={"url": address()}, gone={"url": "http://127.0.0.1:9/mcp"})
    pulled = quietly(path, tmp_path / "corpus.jsonl")
    assert pulled.added == ["plots"]
    assert "gone failed at start" in pulled.failures[0]


def test_a_server_that_is_none_costs_one_line_and_its_time_limit(tmp_path):
    async def answer_nothing(reader, writer):
        try:
            await asyncio.sleep(OUTSIDE)
        finally:
            writer.close()

    async def play() -> None:
        listener = await asyncio.start_server(answer_nothing, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        failed = await asyncio.to_thread(
            ask_http_server, HttpServer("mute", f"http://127.0.0.1:{port}/mcp"), 1
        )
        assert "no answer to tools/list within 1 s" in str(failed)
        listener.close()

    started = time.monotonic()
    asyncio.run(play())
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    "url",
    ["http://", "https://host:port/mcp", "http://host/a b", "http://[::1/mcp"],
    ids=["no host", "port", "space", "bracket"],
)
def test_an_address_that_is_none_is_named(tmp_path, url):
    assert "no address of a server" in refusal(url, tmp_path / "corpus.jsonl")


def test_a_repository_is_not_taken_for_a_server(tmp_path):
    message = refusal("https://github.com/docker/mcp-registry", tmp_path / "corpus.jsonl")
    assert "clone it or download its archive" in message


def test_addresses_lose_what_may_be_secret():
    assert bare_address("https://me:hush@host:81/mcp?key=hush#hush") == "https://host:81/mcp"


@pytest.mark.parametrize(
    ("name", "words"), [("absent", "does not exist: give live, a folder"), ("a.txt", "of no known kind")]
)
def test_a_source_of_no_known_kind_is_named(tmp_path, name, words):
    (tmp_path / "a.txt").write_text("")
    assert words in refusal(tmp_path / name, tmp_path / "corpus.jsonl")
