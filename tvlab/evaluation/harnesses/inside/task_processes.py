"""A process for each task: read requests, fork, limit, answer.

Runs inside a harness's own environment and imports the standard library only.  The server imports the harness
once and then forks a child for each request, so that nothing of one task (module globals, caches, model output
that is evaluated) reaches another, and a task costs a fork instead of an import.

Requests are lines of JSON on standard input: ``{"id", "do", "folder", "seconds", ...}``.  A child calls the
handler named by ``do`` with the request and writes what it returns to ``folder/outcome.json`` in one step;
what it prints goes to ``folder/log.txt``.  The server then prints ``{"id", "code"}``.  Code 0 is a written
outcome, 124 a child that was killed because its time was up.  The server ends with its standard input, and a
child with its server.

The limits hold back accidents (a loop, a huge number), not an attacker.
"""

import contextlib
import gc
import json
import os
import resource
import selectors
import signal
import sys
import threading
import time
import traceback

MEMORY = 8 * 2**30  # address space; imports of one harness alone map 2 GiB
FILE_SIZE = 256 * 2**20
PROCESSOR_SECONDS = 600
TIME_UP = 124
LATENESS = 0.02  # seconds between two looks for ended children


def serve(handlers, version):
    """Answer requests until standard input ends.

    Args:
        handlers: {name: function of a request that returns JSON}; called in a child of its own.
        version: of the harness; printed in the first line.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a harness prints must not stand between the answers
    print(json.dumps({"ready": True, "version": version}), file=answers)
    gc.freeze()  # else each child looks through all objects of the harness again and again
    running, unread, ended = {}, b"", False
    with selectors.DefaultSelector() as selector:
        selector.register(0, selectors.EVENT_READ)
        while running or not ended:
            if not ended and selector.select(LATENESS if running else None):
                block = os.read(0, 2**16)
                ended = not block
                *lines, unread = (unread + block).split(b"\n")
                for line in filter(None, lines):
                    request = json.loads(line)
                    running[_fork(handlers, request)] = (request, time.monotonic() + request["seconds"])
            elif ended:
                for child in running:
                    _kill(child)
                time.sleep(LATENESS)
            _collect(running, answers)


def _collect(running, answers):
    """Answer for the children that ended; kill those whose time is up."""
    for child, (request, until) in list(running.items()):
        done, status = os.waitpid(child, os.WNOHANG)
        late = time.monotonic() > until
        if done:
            del running[child]
            code = os.waitstatus_to_exitcode(status)
            late = late and code == -signal.SIGKILL
            with contextlib.suppress(BrokenPipeError):
                print(json.dumps({"id": request["id"], "code": TIME_UP if late else code}), file=answers)
        elif late:
            _kill(child)


def _kill(child):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)


def _fork(handlers, request):
    """Return the number of a child that works on the request."""
    server = os.getpid()
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.setpgid(0, 0)
        _move_in(request["folder"])
        _limit()
        threading.Thread(target=_end_with, args=(server,), daemon=True).start()
        _write(handlers[request["do"]](request))
        code = 0
    except BaseException:
        with contextlib.suppress(Exception):
            sys.stdout.flush()  # the fault is to be the log's last line
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _move_in(folder):
    """Work in the job's folder, print to its log, read nothing."""
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    with contextlib.suppress(FileNotFoundError):
        os.unlink("outcome.json")
    log = os.open("log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)


def _limit():
    for name, most in (
        ("RLIMIT_AS", MEMORY),
        ("RLIMIT_FSIZE", FILE_SIZE),
        ("RLIMIT_CPU", PROCESSOR_SECONDS),
        ("RLIMIT_CORE", 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some
            resource.setrlimit(getattr(resource, name), (most, most))


def _end_with(server):
    while os.getppid() == server:
        time.sleep(1)
    os._exit(1)


def _write(outcome):
    with open(".outcome.tmp", "w", encoding="utf-8", errors="surrogatepass") as file:
        json.dump(outcome, file, ensure_ascii=False, default=str)
    os.replace(".outcome.tmp", "outcome.json")
