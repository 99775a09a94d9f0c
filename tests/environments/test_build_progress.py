"""A killed build goes on where it was and ends with the same files."""

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_up_servers import SERVERS, tool_list

from tvlab.environments import build
from tvlab.environments.build import build_environments
from tvlab.environments.build_progress import Progress, job_key
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.foundation.atomic_files import write_jsonl, write_text

SKY = "get_weather(city*); get_forecast(city*, day*)"
RAIN = "get_humidity(city*); get_temperature(city*); get_tide(city*, day*)"
TOYS = "create_toy(name*); get_toy(toy_id*); list_toys(limit:integer); update_toy(toy_id*, name); delete_toy(toy_id*)"


def lists():
    servers = {**SERVERS, "sky": SKY, "rain": RAIN, "toybox": TOYS}
    return [tool_list(name, servers[name]) for name in ("greenhouse", "sky", "toybox", "rain", "queuecraft")]


def digest(folder):
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("whole")
    build_environments(lists(), out, progress=False)
    return digest(out)


def stopped_after(monkeypatch, out, servers):
    """Build and stop before the server (or join) that comes after so many."""
    done, made = [], build.build_server

    def stops(tool_list, seed=0, **more):
        if len(done) == servers:
            raise KeyboardInterrupt
        done.append(tool_list.server)
        return made(tool_list, seed, **more)

    def joins(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "build_server", stops)
    if servers == len(lists()):
        monkeypatch.setattr(build, "join_servers", joins)
    with pytest.raises(KeyboardInterrupt):
        build_environments(lists(), out, progress=False)
    monkeypatch.undo()
    return done


@pytest.mark.parametrize("servers", [1, 3, 5])
def test_finished_servers_are_not_built_again_and_the_files_are_the_same(monkeypatch, tmp_path, whole, servers):
    done = stopped_after(monkeypatch, tmp_path, servers)
    write_text(tmp_path / "greenhouse" / ".state.json.77.tmp", "half of a fi")
    again, made = [], build.build_server
    monkeypatch.setattr(build, "build_server", lambda t, *a, **k: (again.append(t.server), made(t, *a, **k))[1])
    build_environments(lists(), tmp_path, progress=False)
    assert not set(again) & set(done)
    assert len(again) + len(done) == len(lists())
    assert digest(tmp_path) == whole


def test_a_folder_that_was_changed_or_lost_meanwhile_is_built_again(monkeypatch, tmp_path, whole):
    stopped_after(monkeypatch, tmp_path, 3)
    write_text(tmp_path / "greenhouse" / "state.json", "{}")
    (tmp_path / "toybox" / "tools.py").unlink()
    build_environments(lists(), tmp_path, progress=False)
    assert digest(tmp_path) == whole


def test_another_seed_or_tool_list_takes_nothing_over(monkeypatch, tmp_path):
    stopped_after(monkeypatch, tmp_path / "a", 3)
    build_environments(lists(), tmp_path / "a", seed=1, progress=False)
    build_environments(lists(), tmp_path / "b", seed=1, progress=False)
    assert digest(tmp_path / "a") == digest(tmp_path / "b")
    assert job_key([1], 0) != job_key([1], 1)
    assert job_key({"tools": [float("nan")]}, 0)


def test_a_row_that_is_cut_off_counts_for_nothing(tmp_path):
    progress = Progress(tmp_path)
    progress.save("k", {"kept": 1}, [])
    assert progress.row("k") == {"kept": 1}
    write_text(progress.folder / "k.json", '{"row": {')
    assert progress.row("k") is None


_CODE = """
import sys
from tvlab.environments.build import build_environments
from tvlab.environments.tool_lists import load_tool_lists
if __name__ == "__main__":
    build_environments(load_tool_lists(sys.argv[2]), sys.argv[1], workers=2, progress=False)
"""


@pytest.mark.slow
def test_killed_at_twenty_random_moments_a_build_ends_the_same(corpus, tmp_path, killed_twenty_times):
    """kill -9 on the whole process group; the moments are shares of what a whole run takes on this machine."""
    dump, script, out = tmp_path / "some.jsonl", tmp_path / "build_some.py", tmp_path / "killed"
    some = [*load_tool_lists(corpus / "mcp" / "mini.jsonl"), *lists()]
    write_jsonl(dump, [one.to_json() for one in some])
    script.write_text(_CODE)
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    begun = time.monotonic()
    command = [sys.executable, str(script), str(tmp_path / "whole"), str(dump)]
    subprocess.run(command, check=True, env=environment)
    whole_run, wanted = time.monotonic() - begun, digest(tmp_path / "whole")
    command[2] = str(out)

    def got_through():
        if not (out / "build.json").is_file():
            return False
        assert {n: h for n, h in digest(out).items() if not n.startswith(".build")} == wanted
        return True

    killed_twenty_times(command, environment, whole_run, out, got_through)
    subprocess.run(command, check=True, env=environment)
    assert digest(out) == wanted
