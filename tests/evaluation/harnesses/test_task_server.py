"""A process for each request: outcomes, logs, failures, limits, deaths.  The script stands in for a harness."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tvlab.evaluation.harnesses.managed_environments import INSIDE
from tvlab.evaluation.harnesses.task_server import TaskError, TaskServer

SCRIPT = """
import os, sys, time
sys.path.insert(0, {inside!r})
import task_processes
COUNTER = [0]

def double(request):
    print("doubling", request["value"])
    COUNTER[0] += 1
    return {{"value": 2 * request["value"], "counter": COUNTER[0], "process": os.getpid(), "folder": os.getcwd()}}

def fail(request):
    raise ValueError("no such task")

def die(request):
    os._exit(3)

def sleep(request):
    with open("number.tmp", "w") as file:
        file.write(str(os.getpid()))
    os.replace("number.tmp", "number")
    time.sleep(60)

def fill(request):
    return {{"length": len(bytearray(2**36))}}

def write(request):
    with open("much", "wb") as file:
        file.write(bytes(2**29))

def chat(request):
    print('{{"id": 0, "code": 0}}')
    sys.stdout.flush()
    return {{"text": "\\ud800 \\u00e9"}}

print("noise of an import", file=sys.stderr)
names = (double, fail, die, sleep, fill, write, chat)
task_processes.serve({{name.__name__: name for name in names}}, "none")
"""


@pytest.fixture
def server(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(inside=str(INSIDE)))
    running = TaskServer([sys.executable, str(script)], {"PATH": os.environ["PATH"]})
    yield running
    running.close()


def test_each_request_has_a_process_of_its_own_and_what_it_prints_goes_to_its_log(server, tmp_path):
    first = server.ask("double", tmp_path / "a", 30.0, value=2)
    second = server.ask("double", tmp_path / "b", 30.0, value=3)
    assert (first["value"], second["value"]) == (4, 6)
    assert first["counter"] == second["counter"] == 1
    assert first["process"] != second["process"]
    assert first["folder"] == str(tmp_path / "a")
    assert (tmp_path / "b" / "log.txt").read_text() == "doubling 3\n"


def test_requests_of_many_threads_get_their_own_answers(server, tmp_path):
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda at: server.ask("double", tmp_path / str(at), 30.0, value=at), range(24)))
    assert [answer["value"] for answer in answers] == [2 * at for at in range(24)]


def test_what_a_harness_prints_is_not_taken_for_an_answer(server, tmp_path):
    assert server.ask("chat", tmp_path / "a", 30.0) == {"text": "\ud800 é"}


@pytest.mark.parametrize(
    ("do", "reason"),
    [("fail", "ValueError: no such task"), ("die", "failed: "), ("fill", "MemoryError"), ("write", "failed|killed")],
)
def test_a_request_that_fails_says_why_and_the_next_one_works(server, tmp_path, do, reason):
    with pytest.raises(TaskError, match=reason):
        server.ask(do, tmp_path / "a", 30.0)
    assert server.ask("double", tmp_path / "b", 30.0, value=1)["value"] == 2


def test_an_outcome_of_an_earlier_try_is_not_taken_for_this_one(server, tmp_path):
    server.ask("double", tmp_path / "a", 30.0, value=1)
    with pytest.raises(TaskError):
        server.ask("fail", tmp_path / "a", 30.0)
    assert not (tmp_path / "a" / "outcome.json").exists()


def test_a_request_whose_time_is_up_is_killed(server, tmp_path):
    with pytest.raises(TaskError, match="not done after 1 s"):
        server.ask("sleep", tmp_path / "a", 1.0)


def sleeper(server, folder):
    """A thread that waits for a sleeping child, and the child's number."""

    def wait():
        with pytest.raises(TaskError, match=r"ended|killed"):
            server.ask("sleep", folder, 30.0)

    waiting = threading.Thread(target=wait)
    waiting.start()
    while not (folder / "number").exists():
        time.sleep(0.02)
    return waiting, int((folder / "number").read_text())


def gone(number):
    """True once no such process runs."""
    for _ in range(100):
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(number)], capture_output=True, text=True, check=False)
        if state.stdout.strip()[:1] in ("", "Z"):
            return True
        time.sleep(0.1)
    return False


def test_a_killed_server_takes_its_children_along_fails_who_waits_and_starts_again(server, tmp_path):
    waiting, child = sleeper(server, tmp_path / "a")
    killed = server._process
    killed.kill()
    waiting.join()
    assert gone(child)
    assert server.ask("double", tmp_path / "b", 30.0, value=5)["value"] == 10
    assert server._process is not killed


def test_the_children_of_a_closed_server_end_with_it(server, tmp_path):
    waiting, child = sleeper(server, tmp_path / "a")
    number = server._process.pid
    server.close()
    waiting.join()
    assert gone(child)
    assert gone(number)
