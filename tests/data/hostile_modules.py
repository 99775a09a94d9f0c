"""Modules that attack: one technique each, for tests/environments/test_sandbox.py.

Every module holds two honest tools, ``peek`` and ``note`` (see ``source``), and ``attack``, whose body stands here; ``top``
is code at module level.  The arguments name what the test watches: ``canary``, a folder that everybody may write to,
with a file ``secret``; ``port``, where a listener waits on 127.0.0.1 (TCP and UDP) and at ``canary/socket``; ``parent``, the
process id of the test, which counts the signals that reach it.

``ends`` names the errors that may follow, in this call or in the next ones of its worker ("" means that none has to: the
attempt comes to nothing inside the worker).  ``needs`` names modules that the worker imports before it is locked up, so
that with the source check off the *layers* have to stop the code.  ``passes`` marks code that the source check lets through.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

HONEST = '''
def peek(state):
    return {"notes": list(state["notes"].values())}


def note(state, *, text):
    state["notes"][text] = {"text": text}
    return {"text": text}
'''


@dataclass(frozen=True)
class Hostile:
    technique: str
    name: str
    body: str = "return 1"
    top: str = ""
    ends: str = "forbidden"
    needs: str = ""
    passes: bool = False
    takeover: bool = False

    @property
    def source(self) -> str:
        body = textwrap.indent(textwrap.dedent(self.body).strip(), "    ")
        top = textwrap.dedent(self.top).strip()
        return f"{top}\n{HONEST}\n\ndef attack(state, *, canary, port, parent):\n{body}\n"


# Finds the descriptor and the request's number in the worker's own frames, as code that knows us would.
FIND = '''
import sys, os, struct, json
frame, found = sys._getframe(), {}
while frame:
    found.update(frame.f_locals)
    frame = frame.f_back
fd, n, me = found["descriptor"], found.get("nonce", 0), found.get("code")
def say(text, state=b""):
    data = struct.pack("<II", len(text), len(state)) + text.encode() + state
    while data:
        data = data[os.write(fd, data):]
'''

WALKS = [
    Hostile("attribute walk", "subclasses to os.system", '''
        for c in ().__class__.__base__.__subclasses__():
            if c.__name__ == "_wrap_close":
                return c.__init__.__globals__["system"](f"touch {canary}/x")
    '''),
    Hostile("attribute walk", "subclasses to a file reader", '''
        loader = [c for c in object.__subclasses__() if c.__name__ == "FileLoader"]
        import importlib.machinery as m
        return m.SourceFileLoader("a", canary + "/secret").get_data(canary + "/secret").decode()
    ''', needs="importlib.machinery"),
    Hostile("attribute walk", "globals of a sibling", '''
        peek.__globals__["__builtins__"]["open"](canary + "/x", "w").write("x")
    '''),
    Hostile("attribute walk", "submodules of an allowed module", '''
        return re.enum.sys.modules["os"].system("touch " + canary + "/x")
    ''', top="import re"),
    Hostile("attribute walk", "modules the runtime imports", '''
        return json.codecs.open(canary + "/secret").read()
    ''', top="from tvlab.environments.runtime import json"),
    Hostile("attribute walk", "builtins of a module by from-import", '''
        return b["open"](canary + "/secret").read()
    ''', top="from math import floor\nfrom tvlab.environments.runtime import __builtins__ as b"),
    Hostile("attribute walk", "class pattern reads a dunder", '''
        match peek:
            case object(__globals__=g):
                return g["__builtins__"]["open"](canary + "/secret").read()
    '''),
    Hostile("attribute walk", "generator frame", '''
        g = (g.gi_frame.f_back.f_back.f_builtins for _ in [1])
        frame = (lambda: (yield))()
        frame.send(None)
        builtins = frame.gi_frame.f_builtins
        return builtins["open"](canary + "/secret").read()
    '''),
    Hostile("attribute walk", "coroutine frame", '''
        async def c(): pass
        c = c()
        try:
            return c.cr_frame.f_builtins["open"](canary + "/x", "w").write("x")
        finally:
            c.close()
    '''),
    Hostile("attribute walk", "traceback frame", '''
        try:
            1 / 0
        except ZeroDivisionError as e:
            return e.__traceback__.tb_frame.f_builtins["open"](canary + "/secret").read()
    '''),
    Hostile("attribute walk", "decorator calls exec", top='''
        @exec
        @(lambda f: "open('/etc/passwd').read()")
        class A: pass
    '''),
    Hostile("attribute walk", "subscript operator is os.system", '''
        import os
        class X: pass
        X.__class_getitem__ = os.system
        return X["touch " + canary + "/x"]
    '''),
    Hostile("attribute walk", "getattr by another name", '''
        import operator
        return operator.attrgetter("__globals__")(peek)["__builtins__"]["open"](canary + "/secret").read()
    ''', needs="operator"),
    Hostile("attribute walk", "eval of text", '''
        return eval("__import__('os').listdir('/')")
    '''),
    Hostile("attribute walk", "compile and exec", '''
        exec(compile("import os; os.mkdir(p + '/x')", "a", "exec"), {"p": canary})
    '''),
    Hostile("attribute walk", "format text prints the environment", '''
        return "{0.codecs.sys.modules[os].environ}".format(json)
    ''', top="from tvlab.environments.runtime import json", ends=""),
    Hostile("attribute walk", "format text prints globals", '''
        return "{0.__globals__}".format(peek)
    ''', ends="", passes=True),
    Hostile("attribute walk", "code object with made-up bytecode", '''
        f = lambda: 0
        f.__code__ = f.__code__.replace(co_code=b"d\\xff" * 400 + b"S\\x00", co_consts=(), co_stacksize=1)
        return f()
    ''', ends="worker_died memory forbidden"),
    Hostile("attribute walk", "heap walk lifts the limits", '''
        import gc
        for o in gc.get_objects():
            if type(o).__name__ == "Code":
                object.__setattr__(o.limits, "output", 10**12)
        return "a" * 5_000_000
    ''', needs="gc", ends="output_too_large forbidden"),
    Hostile("attribute walk", "frame walk lifts the limits", FIND + '''
object.__setattr__(me.limits, "output", 10**12)
return "a" * 5_000_000
''', ends="output_too_large"),
]

PROCESSES = [
    Hostile("processes", "fork", "import os\nos.fork()\nopen(canary + '/x', 'w')"),
    Hostile("processes", "fork bomb", '''
        import os
        while True:
            try:
                os.fork()
            except OSError:
                pass
    ''', ends="forbidden timeout"),
    Hostile("processes", "os.system", "import os\nreturn os.system('touch ' + canary + '/x')"),
    Hostile("processes", "os.popen", "import os\nreturn os.popen('cat ' + canary + '/secret').read()", needs="subprocess"),
    Hostile("processes", "subprocess", "import subprocess\nreturn subprocess.check_output(['id'], text=True)", needs="subprocess"),
    Hostile("processes", "posix_spawn", "import os\nos.posix_spawn('/bin/touch', ['touch', canary + '/x'], {})"),
    Hostile("processes", "exec", "import os\nos.execv('/bin/touch', ['touch', canary + '/x'])"),
    Hostile("processes", "pty.fork", "import pty\npty.fork()", needs="pty"),
    Hostile("processes", "multiprocessing", '''
        import multiprocessing, os
        p = multiprocessing.get_context("fork").Process(target=os.mkdir, args=(canary + "/x",))
        p.start()
        p.join()
    ''', needs="multiprocessing multiprocessing.context multiprocessing.popen_fork"),
    Hostile("processes", "vfork through ctypes", "import ctypes\nctypes.CDLL(None).vfork()", needs="ctypes"),
    Hostile("processes", "clone by number", "import ctypes\nreturn ctypes.CDLL(None).syscall(56, 17, 0, 0, 0, 0)", needs="ctypes"),
    Hostile("processes", "memfd and exec", '''
        import os
        fd = os.memfd_create("a")
        os.write(fd, b"#!/bin/sh\\ntouch " + canary.encode() + b"/x\\n")
        os.execve(fd, ["a"], {})
    '''),
    Hostile("threads", "thread left over writes later", '''
        import threading, time
        def late():
            time.sleep(0.05)
            open(canary + "/x", "w").write("x")
        threading.Thread(target=late, daemon=True).start()
    ''', needs="threading", ends="forbidden"),
    Hostile("threads", "_thread without threading", "import _thread\n_thread.start_new_thread(print, ())", needs="_thread"),
    Hostile("threads", "thread pool", '''
        from concurrent.futures import ThreadPoolExecutor
        return list(ThreadPoolExecutor(4).map(abs, range(9)))
    ''', needs="concurrent.futures concurrent.futures.thread"),
    Hostile("threads", "thread bomb", '''
        import _thread
        while True:
            try:
                _thread.start_new_thread(lambda: [0 for _ in iter(int, 1)], ())
            except RuntimeError:
                pass
    ''', needs="_thread", ends="forbidden timeout"),
    Hostile("left over", "timer signal", '''
        import signal
        signal.signal(signal.SIGALRM, lambda *_: open(canary + "/x", "w"))
        signal.setitimer(signal.ITIMER_REAL, 0.02)
    ''', needs="signal"),
    Hostile("left over", "atexit", '''
        import atexit, sys
        atexit.register(lambda: open(canary + "/x", "w"))
        sys.exit()
    ''', needs="atexit"),
    Hostile("left over", "profile function", '''
        import sys
        sys.setprofile(lambda *_: open(canary + "/x", "w"))
    '''),
    Hostile("left over", "finalizer in the state", '''
        class Late:
            def __del__(self): open(canary + "/x", "w")
        state["notes"]["late"] = {"a": Late()}
    '''),
    Hostile("left over", "audit hook", '''
        import sys
        def hook(*_):
            while True: pass
        sys.addaudithook(hook)
        open
    ''', ends="timeout forbidden"),
]

MEMORY = [
    Hostile("memory", "ten gigabytes at once", "return len(bytes(10**10))", ends="memory", passes=True),
    Hostile("memory", "doubling list", "a = [0]\nwhile True:\n    a = a + a", ends="memory timeout", passes=True),
    Hostile("memory", "doubling text", "a = 'a'\nwhile True:\n    a += a", ends="memory timeout", passes=True),
    Hostile("memory", "many small objects", '''
        a = []
        while True:
            a.append({"k": a[-1:]})
    ''', ends="memory timeout worker_died", passes=True),
    Hostile("memory", "map of ever more keys", '''
        a = {}
        while True:
            a[len(a)] = str(len(a)) * 100
    ''', ends="memory timeout worker_died", passes=True),
    Hostile("memory", "anonymous map", "import mmap\na = [mmap.mmap(-1, 2**26) for _ in range(64)]", needs="mmap",
            ends="memory forbidden"),
    Hostile("memory", "malloc through ctypes", '''
        import ctypes
        libc = ctypes.CDLL(None)
        libc.malloc.restype = ctypes.c_void_p
        while True:
            p = libc.malloc(2**24)
            ctypes.memset(p, 1, 2**24)
    ''', needs="ctypes", ends="worker_died memory timeout"),
    Hostile("memory", "swallows MemoryError and goes on", '''
        keep = []
        while True:
            try:
                keep.append(bytes(2**20))
            except MemoryError:
                pass
    ''', ends="timeout memory worker_died", passes=True),
    Hostile("memory", "huge power", "return len(str(10 ** (10 ** 9)))", ends="timeout memory", passes=True),
    Hostile("memory", "shared memory", '''
        from multiprocessing import shared_memory
        shared_memory.SharedMemory(create=True, size=2**20, name="tvlab_canary")
    ''', needs="multiprocessing multiprocessing.shared_memory"),
    Hostile("memory", "state that grows", "state['notes']['a'] = {'text': 'a' * 9_000_000}", ends="output_too_large", passes=True),
    Hostile("memory", "state deeper than any record", '''
        a = {}
        for _ in range(100_000):
            a = {"a": a}
        state["notes"]["a"] = a
    ''', ends="", passes=True),
    Hostile("recursion", "plain", "def f(n):\n    return f(n + 1)\nreturn f(0)", ends="memory", passes=True),
    Hostile("recursion", "without a limit", '''
        import sys
        sys.setrecursionlimit(10**9)
        def f(n): return f(n + 1)
        return f(0)
    ''', ends="memory worker_died timeout"),
    Hostile("recursion", "inside C code", '''
        import sys
        sys.setrecursionlimit(10**9)
        a = []
        for _ in range(10**6):
            a = [a]
        return repr(a)
    ''', ends="memory worker_died timeout"),
    Hostile("recursion", "source nested too deep to parse", top="x = " + "(" * 5000 + ")" * 5000, ends="source"),
    Hostile("recursion", "source that makes the parser work", top="x = " + "-" * 20000 + "1", ends="memory worker_died forbidden"),
]

LOOPS = [
    Hostile("endless loop", "while True", "while True:\n    pass", ends="timeout", passes=True),
    Hostile("endless loop", "at import", top="while True:\n    pass", ends="timeout", passes=True),
    Hostile("endless loop", "catches everything", '''
        while True:
            try:
                while True: pass
            except BaseException:
                pass
    ''', ends="timeout", passes=True),
    Hostile("endless loop", "inside C code", "return sum(range(10**14))", ends="timeout", passes=True),
    Hostile("endless loop", "regular expression", "return bool(re.match('(a+)+$', 'a' * 60 + 'b'))", top="import re",
            ends="timeout", passes=True),
    Hostile("endless loop", "sleep", "import time\ntime.sleep(1e6)", needs="time", ends="forbidden timeout"),
    Hostile("endless loop", "lock", "import _thread\nl = _thread.allocate_lock()\nl.acquire()\nl.acquire()", needs="_thread",
            ends="forbidden timeout"),
    Hostile("endless loop", "value that never ends", '''
        class D(dict):
            def items(self):
                while True: yield ("a", 1)
        return D(a=1)
    ''', ends="timeout memory"),
    Hostile("endless loop", "error that never speaks", '''
        class E(Exception):
            def __str__(self):
                while True: pass
        raise E
    ''', ends="timeout"),
    Hostile("endless loop", "key that never compares", '''
        class K(str):
            def __hash__(self): return 1
            def __eq__(self, other):
                while True: pass
        return {K("a"): 1, K("b"): 2}
    ''', ends="timeout"),
    Hostile("endless loop", "reads its own socket", FIND + "while True:\n    os.read(fd, 1)", ends="timeout"),
]

OUTPUT = [
    Hostile("output", "five megabytes", "return 'a' * 5_000_000", ends="output_too_large", passes=True),
    Hostile("output", "a million lists", "return [[] for _ in range(10**6)]", ends="output_too_large timeout memory", passes=True),
    Hostile("output", "nested too deep", "a = []\nfor _ in range(10**5):\n    a = [a]\nreturn a", ends="memory worker_died", passes=True),
    Hostile("output", "contains itself", "a = []\na.append(a)\nreturn a", ends="memory", passes=True),
    Hostile("output", "not a number", "return {'a': float('nan')}", ends="", passes=True),
    Hostile("output", "bytes and sets", "return {'a': {1, 2}, 'b': b'x'}", ends="", passes=True),
    Hostile("output", "thousands of digits", "return 10 ** 5000", ends="", passes=True),
    Hostile("output", "error of ten megabytes", "raise ValueError('a' * 10**7)", ends="", passes=True),
    Hostile("output", "unbounded output without end", "import sys\nwhile True:\n    sys.stdout.write('a' * 10**6)", ends="timeout"),
]

FILES = [
    Hostile("files", "read", "return open(canary + '/secret').read()"),
    Hostile("files", "write", "open(canary + '/x', 'w').write('x')"),
    Hostile("files", "write at import", top="open('/tmp/tvlab_canary_at_import', 'w')"),
    Hostile("files", "swallowed error", "try:\n    open(canary + '/x', 'w')\nexcept OSError:\n    pass\nreturn 1"),
    Hostile("files", "list the root", "import os\nreturn os.listdir('/')"),
    Hostile("files", "symbolic link", "import os\nos.symlink('/etc/passwd', canary + '/x')"),
    Hostile("files", "hard link", "import os\nos.link(canary + '/secret', canary + '/x')"),
    Hostile("files", "remove", "import os\nos.unlink(canary + '/secret')"),
    Hostile("files", "remove a tree", "import shutil\nshutil.rmtree(canary)", needs="shutil"),
    Hostile("files", "rename", "import os\nos.rename(canary + '/secret', canary + '/x')"),
    Hostile("files", "truncate", "import os\nos.truncate(canary + '/secret', 0)"),
    Hostile("files", "mode", "import os\nos.chmod(canary + '/secret', 0o777)"),
    Hostile("files", "pipe file", "import os\nos.mkfifo(canary + '/x')"),
    Hostile("files", "database", "import sqlite3\nsqlite3.connect(canary + '/x').execute('create table t (a)')", needs="sqlite3",
            ends="forbidden"),
    Hostile("files", "temporary file", "import tempfile\nreturn tempfile.mkstemp(dir=canary)[1]", needs="tempfile"),
    Hostile("files", "pathlib", "import pathlib\npathlib.Path(canary, 'x').write_text('x')", needs="pathlib"),
    Hostile("files", "import of a file", '''
        import sys, importlib.machinery as m
        sys.meta_path[:] = [m.PathFinder]
        sys.path.insert(0, canary)
        import planted
    ''', needs="importlib.machinery"),
    Hostile("files", "traceback opens source", "import linecache\nreturn linecache.getlines('/etc/passwd')", needs="linecache tokenize"),
    Hostile("files", "open through ctypes", "import ctypes\nreturn ctypes.CDLL(None).open(canary.encode() + b'/x', 66, 511)", needs="ctypes"),
    Hostile("files", "open through io_uring", "import ctypes\nreturn ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(120))",
            needs="ctypes"),
    Hostile("files", "change the root", "import os\nos.chroot('.')\nos.listdir('/')"),
    Hostile("files", "mount", "import ctypes\nreturn ctypes.CDLL(None).mount(b'none', b'/tmp', b'tmpfs', 0, None)\nopen('/x')", needs="ctypes",
            ends="forbidden"),
    Hostile("proc", "own environment", "return open('/proc/self/environ').read()"),
    Hostile("proc", "the parent's environment", "return open(f'/proc/{parent}/environ').read()"),
    Hostile("proc", "the parent's memory", "return open(f'/proc/{parent}/mem', 'r+b').read(1)"),
    Hostile("proc", "own memory", "open('/proc/self/mem', 'r+b').write(b'x')"),
    Hostile("proc", "descriptors of the parent", "import os\nreturn os.listdir(f'/proc/{parent}/fd')"),
    Hostile("proc", "the root of another process", "return open(f'/proc/{parent}/root' '/etc/passwd').read()"),
    Hostile("proc", "setting of the kernel", "open('/proc/sys/kernel/core_pattern', 'w').write('|/bin/sh')"),
]

NETWORK = [
    Hostile("network", "TCP", "import socket\nsocket.create_connection(('127.0.0.1', port), 1).send(b'x')", needs="socket"),
    Hostile("network", "UDP", "import socket\nsocket.socket(2, 2).sendto(b'x', ('127.0.0.1', port))", needs="socket"),
    Hostile("network", "unix socket", "import socket\nsocket.socket(1).connect(canary + '/socket')", needs="socket"),
    Hostile("network", "abstract unix socket", "import socket\nsocket.socket(1).connect(chr(0) + f'tvlab-{port}')", needs="socket"),
    Hostile("network", "listen", "import socket\nsocket.create_server(('127.0.0.1', 0))", needs="socket"),
    Hostile("network", "raw packets", "import socket\nsocket.socket(17, 3)", needs="socket"),
    Hostile("network", "HTTP", "import urllib.request\nurllib.request.urlopen(f'http://127.0.0.1:{port}/', timeout=1)", needs="urllib.request"),
    Hostile("network", "name lookup", "import socket\nreturn socket.gethostbyname('example.com')", needs="socket"),
    Hostile("network", "asyncio", '''
        import asyncio
        asyncio.run(asyncio.open_connection("127.0.0.1", port))
    ''', needs="asyncio"),
    Hostile("network", "connect through ctypes", '''
        import ctypes
        libc = ctypes.CDLL(None)
        fd = libc.socket(2, 1, 0)
        libc.connect(fd, b"\\x02\\x00" + port.to_bytes(2, "big") + b"\\x7f\\x00\\x00\\x01" + bytes(8), 16)
        if fd < 0:
            raise PermissionError
    ''', needs="ctypes"),
    Hostile("network", "sends a descriptor to the parent", FIND + '''
import socket
s = socket.socket(fileno=fd)
s.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, (0).to_bytes(4, "little"))])
''', needs="socket"),
]

SIGNALS = [
    Hostile("signals", "to the parent", "import os\nos.kill(parent, 10)"),
    Hostile("signals", "kill the parent", "import os\nos.kill(parent, 15)"),
    Hostile("signals", "to the parent's group", "import os\nos.killpg(os.getpgid(parent), 10)"),
    Hostile("signals", "to the forerunner", "import os\nos.kill(os.getppid(), 10)"),
    Hostile("signals", "by process descriptor", "import os, signal\nsignal.pidfd_send_signal(os.pidfd_open(parent), 10)", needs="signal"),
    Hostile("signals", "through ctypes", "import ctypes\nif ctypes.CDLL(None).kill(parent, 10):\n    raise PermissionError", needs="ctypes"),
    Hostile("signals", "trace the parent", "import ctypes\nif ctypes.CDLL(None).ptrace(16, parent, 0, 0) < 0:\n    raise PermissionError", needs="ctypes"),
    Hostile("signals", "read the parent's memory", '''
        import ctypes
        a = ctypes.create_string_buffer(64)
        if ctypes.CDLL(None).process_vm_readv(parent, a, 1, a, 1, 0) < 0:
            raise PermissionError
    ''', needs="ctypes"),
    Hostile("signals", "slow the parent down", "import os\nos.setpriority(os.PRIO_PROCESS, parent, 19)"),
    Hostile("signals", "limit the parent", "import resource\nresource.prlimit(parent, resource.RLIMIT_NOFILE, (0, 0))", needs="resource"),
    Hostile("privileges", "become root", "import os\nos.setuid(0)\nopen('/etc/shadow')"),
    Hostile("privileges", "raise its limits", "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))", needs="resource",
            ends="forbidden"),
    Hostile("privileges", "new user namespace", "import ctypes\nif ctypes.CDLL(None).unshare(0x10000000) < 0:\n    raise PermissionError\nopen('/x')", needs="ctypes"),
    Hostile("privileges", "executable memory", '''
        import ctypes
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        p = libc.mmap(None, 4096, 7, 0x22, -1, 0)
        raise PermissionError
    ''', needs="ctypes"),
    Hostile("privileges", "executable memory afterwards", '''
        import ctypes
        libc = ctypes.CDLL(None)
        a = ctypes.create_string_buffer(8192)
        libc.mprotect(ctypes.c_void_p(ctypes.addressof(a) & ~4095), 4096, 7)
        raise PermissionError
    ''', needs="ctypes"),
    Hostile("crash", "null pointer", "import ctypes\nctypes.string_at(0)", needs="ctypes", ends="worker_died"),
    Hostile("crash", "abort", "import os\nos.abort()", ends="worker_died forbidden"),
    Hostile("crash", "_exit", "import os\nos._exit(0)", ends="worker_died"),
    Hostile("crash", "exit with our status", "import os\nos._exit(12)", ends="memory"),
    Hostile("crash", "sys.exit", "import sys\nsys.exit()"),
    Hostile("crash", "exit by name", "raise SystemExit", passes=True),
    Hostile("crash", "interrupt", "raise KeyboardInterrupt", passes=True),
    Hostile("crash", "end of a generator", "raise GeneratorExit", passes=True),
    Hostile("crash", "sys.exit at import", top="import sys\nsys.exit()"),
]

REPLIES = [
    Hostile("forged replies", "print", "print('{\"n\":0,\"v\":1}')\nreturn 1", ends="", passes=True),
    Hostile("forged replies", "standard output", "import os\nos.write(1, b'x' * 100)"),
    Hostile("forged replies", "standard error", "import os\nos.write(2, b'x' * 100)"),
    Hostile("forged replies", "a reply of its own, then silence", FIND + '''
say(json.dumps({"n": n, "v": "forged"}))
while True: pass
''', ends="timeout"),
    Hostile("forged replies", "a reply of its own, then the end", FIND + '''
say(json.dumps({"n": n, "v": "forged"}))
os._exit(0)
''', ends="worker_died"),
    Hostile("forged replies", "two replies", FIND + '''
say(json.dumps({"n": n, "v": "forged"}))
return "second"
'''),
    Hostile("forged replies", "replies for the next calls", FIND + '''
say(json.dumps({"n": n, "v": 1}))
for k in range(1, 9):
    say(json.dumps({"n": n + k, "v": "forged"}))
while True: pass
'''),
    Hostile("forged replies", "wrong number", FIND + "say(json.dumps({'n': n + 1, 'v': 'forged'}))\nwhile True: pass"),
    Hostile("forged replies", "no number", FIND + "say('[]')\nwhile True: pass"),
    Hostile("forged replies", "not JSON", FIND + "say('__import__(\"os\").system(\"id\")')\nwhile True: pass"),
    Hostile("forged replies", "bytes that are no text", FIND + "os.write(fd, struct.pack('<II', 2, 0) + b'\\xff\\xfe')\nwhile True: pass"),
    Hostile("forged replies", "infinity", FIND + "say('{\"n\":%d,\"v\":Infinity}' % n)\nwhile True: pass"),
    Hostile("forged replies", "nested too deep", FIND + "say('{\"n\":%d,\"v\":%s}' % (n, '[' * 200000 + ']' * 200000))\nwhile True: pass"),
    Hostile("forged replies", "a million digits", FIND + "say('{\"n\":%d,\"v\":%s}' % (n, '1' * 900000))\nwhile True: pass"),
    Hostile("forged replies", "claims four gigabytes", FIND + "os.write(fd, struct.pack('<II', 2**32 - 1, 0))\nwhile True: pass", ends="output_too_large"),
    Hostile("forged replies", "claims a state of four gigabytes", FIND + "os.write(fd, struct.pack('<II', 9, 2**32 - 1))\nwhile True: pass", ends="output_too_large"),
    Hostile("forged replies", "one byte at a time", FIND + '''
data = struct.pack("<II", 10**6, 0) + b" " * 10**6
for byte in data:
    os.write(fd, bytes([byte]))
    for _ in range(10**5): pass
''', ends="timeout"),
    Hostile("forged replies", "half a header", FIND + "os.write(fd, b'abc')\nwhile True: pass", ends="timeout"),
    Hostile("forged replies", "an error of no known name", FIND + "say(json.dumps({'n': n, 'e': ['pwned', 'x']}))\nwhile True: pass"),
    Hostile("forged replies", "floods the line", FIND + "while True:\n    os.write(fd, b'{' * 65536)", ends="forbidden output_too_large"),
    Hostile("forged replies", "closes the line", FIND + "os.close(fd)\nwhile True: pass", ends="forbidden"),
    Hostile("forged replies", "state that is no state", FIND + '''
say(json.dumps({"n": n, "v": "forged"}), b"\\xff" * 1000)
while True: pass
''', ends="timeout"),
    Hostile("forged replies", "state that is code", FIND + '''
import marshal
code = compile("open('/tmp/tvlab_canary_state', 'w')", "a", "exec")
say(json.dumps({"n": n, "v": "forged"}), marshal.dumps({"notes": {"a": code}}))
while True: pass
''', needs="marshal", ends="timeout"),
    Hostile("pickle", "as a value", '''
        import pickle, os
        class P:
            def __reduce__(self): return os.system, ("touch " + canary + "/x",)
        return pickle.dumps(P()).decode("latin-1")
    ''', needs="pickle", ends=""),
    Hostile("pickle", "as a reply", FIND + '''
import pickle
class P:
    def __reduce__(self): return os.system, ("touch " + canary + "/x",)
data = pickle.dumps(P())
os.write(fd, struct.pack("<II", len(data), 0) + data)
while True: pass
''', needs="pickle"),
    Hostile("pickle", "loaded inside", '''
        import pickle
        pickle.loads(b"cos\\nsystem\\n(S'touch " + canary.encode() + b"/x'\\ntR.")
    ''', needs="pickle"),
    Hostile("pickle", "in the state", '''
        import os
        class P:
            def __reduce__(self): return os.system, ("touch " + canary + "/x",)
        state["notes"]["a"] = P()
    ''', ends=""),
]

PATCHES = [
    Hostile("monkeypatching", "a builtin", "import builtins\nbuiltins.len = lambda x: 0", needs="builtins"),
    Hostile("monkeypatching", "a builtin at a distance", "b['list'] = tuple\nreturn 1", top="from math import floor\nfrom tvlab.environments.runtime import __builtins__ as b"),
    Hostile("monkeypatching", "the runtime", "runtime.mint = lambda *a, **k: 'x'", top="import tvlab.environments.runtime as runtime",
            passes=True),
    Hostile("monkeypatching", "an allowed module", "math.floor = lambda x: 0", top="import math", passes=True),
    Hostile("monkeypatching", "the encoder", "import json\njson.dumps = lambda *a, **k: 'x'"),
    Hostile("monkeypatching", "a sibling tool", "global peek\npeek = lambda state: {'notes': ['owned']}"),
    Hostile("monkeypatching", "a sibling's code", "peek.__code__ = (lambda state: {'notes': ['owned']}).__code__"),
    Hostile("monkeypatching", "the runtime's code", "mint.__code__ = note.__code__", top="from tvlab.environments.runtime import mint"),
    Hostile("monkeypatching", "memory between calls", "SEEN.append(canary)\nreturn len(SEEN)", top="SEEN = []", passes=True),
    Hostile("monkeypatching", "memory in a default", "return remember(canary)", top="def remember(x, seen=[]):\n    seen.append(x)\n    return len(seen)",
            passes=True),
    Hostile("monkeypatching", "the worker's writer", FIND + '''
import tvlab.environments.sandbox.worker as w
w._write = lambda *a: say(json.dumps({"n": 1, "v": "owned"}))
'''),
    Hostile("monkeypatching", "the worker's encoder", '''
        import sys
        sys.modules["tvlab.environments.sandbox.code"].encode = lambda v: "0}{"
    '''),
    Hostile("monkeypatching", "a sibling tool, then a refusal", """
        global peek
        peek = lambda state: {"notes": ["owned"]}
        fail("conflict", "nothing to see here")
    """, top="from tvlab.environments.runtime import fail"),
    Hostile("monkeypatching", "an error that lies about its kind", '''
        class T(type):
            def __instancecheck__(cls, other): raise SystemExit
        class E(Exception, metaclass=T): pass
        raise E
    ''', ends=""),
    Hostile("monkeypatching", "a refusal named like a fault", "fail('timeout', 'not really')", top="from tvlab.environments.runtime import fail",
            ends="", passes=True),
]

# Code that takes its worker over without a fault: it may answer wrongly to whoever shares the worker, and that is all.
TAKEOVERS = [
    Hostile("takeover", "of the check", FIND + "type(me)._changed = lambda self: 1 / 0", ends="", takeover=True),
    Hostile("takeover", "of every later answer", FIND + """
type(me).call = lambda self, tool, arguments: ('"owned"', b"")
""", ends="", takeover=True),
    Hostile("takeover", "of every later state", FIND + """
import marshal
type(me).call = lambda self, tool, arguments: ('{"notes":[]}', marshal.dumps({"notes": {}}))
""", needs="marshal", ends="", takeover=True),
    Hostile("takeover", "of the main loop", FIND + """
say(json.dumps({"n": n, "v": 1}))
while True:
    head = os.read(fd, 65536)
    size = struct.unpack_from("<II", head)[0]
    say(json.dumps({"n": json.loads(head[8:8 + size])["n"], "v": "owned"}))
""", ends="", takeover=True),
]

HOSTILE: list[Hostile] = [
    *WALKS, *PROCESSES, *MEMORY, *LOOPS, *OUTPUT, *FILES, *NETWORK, *SIGNALS, *REPLIES, *PATCHES,
    *TAKEOVERS,
]  # fmt: skip
