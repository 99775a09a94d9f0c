"""One call in this process and in the sandbox, arguments validated; resets, switches, starts of workers.

    python benchmarks/bench_sandbox.py [--calls 3000] [--json OUT]

Medians in microseconds over the bookstore of the tests (a state of 2.6 kB) and the same grown to 22 kB.  A
sandboxed reset is measured as what it adds to the next call: that is when the worker receives the state.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tvlab.environments.environment import Environment, Session
from tvlab.environments.sandbox.layers import Limits
from tvlab.environments.sandbox.process import Worker
from tvlab.environments.sandbox.sandbox import SandboxedEnvironment
from tvlab.environments.sandbox.trials import usable_layers

BOOKSTORE = Path(__file__).parent.parent / "tests" / "data" / "environments" / "bookstore"
ORDER = {"customer_id": "cus-001", "items": [{"sku": "BK-100", "quantity": 2}]}
CALLS = {
    "read": ("get_order", {"order_id": "ord-001"}),
    "list": ("list_orders", {"customer_id": "cus-001", "limit": 5}),
    "update": ("update_order", {"order_id": "ord-001", "note": "leave at the door"}),
    "create": ("create_order", ORDER),
}


def median_us(action: Callable[[], Any], repeats: int) -> float:
    """Return the median time of one ``action`` in microseconds."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter_ns()
        action()
        times.append(time.perf_counter_ns() - began)
    return statistics.median(times) / 1e3


def grown(folder: Path, into: Path, size: int) -> Path:
    """Copy an environment, repeating its records until the state has ``size`` bytes of JSON."""
    into.mkdir()
    for path in folder.iterdir():
        (into / path.name).write_bytes(path.read_bytes())
    state = json.loads((folder / "state.json").read_text())
    seed = {table: dict(rows) for table, rows in state.items() if not table.startswith("_")}
    at = 0
    while len(json.dumps(state)) < size:
        at += 1
        for table, rows in seed.items():
            state[table] |= {f"{key}-{at}": row for key, row in rows.items()}
    (into / "state.json").write_text(json.dumps(state))
    return into


def measure(folder: Path, calls: int) -> list[dict[str, Any]]:
    """Return one row a kind of call: medians in this process and sandboxed, and their ratio."""
    plain = Environment.load(folder).session()
    rows = []
    with SandboxedEnvironment.open(folder) as environment:
        boxed, other = environment.session(), environment.session()
        for name, (tool, arguments) in CALLS.items():
            timed = [one_call(session, tool, arguments, calls) for session in (plain, boxed)]
            rows.append({"what": name, "in_process_us": timed[0], "sandboxed_us": timed[1]})
        resets = plain_reset(plain, calls), reset(boxed, calls)
        rows.append({"what": "reset", "in_process_us": resets[0], "sandboxed_us": resets[1]})
        rows.append({"what": "switch", "in_process_us": None, "sandboxed_us": switch(boxed, other, calls)})
    size = len(json.dumps(environment.state))
    return [{"state_bytes": size, **row} for row in rows]


def one_call(session: Session, tool: str, arguments: dict[str, Any], calls: int) -> float:
    """Return the median of one call; a fresh state for each kind keeps the state's size what it is."""
    session.restore(session.environment.state)
    assert session.call(tool, arguments).ok
    start = session.snapshot()
    times = []
    for at in range(calls):
        if at % 20 == 0:
            session.restore(start)
            session.call("get_order", {"order_id": "ord-001"})
        times.append(timed_call(session, tool, arguments))
    return statistics.median(times)


def timed_call(session: Session, tool: str, arguments: dict[str, Any]) -> float:
    began = time.perf_counter_ns()
    session.call(tool, arguments)
    return (time.perf_counter_ns() - began) / 1e3


def plain_reset(session: Session, calls: int) -> float:
    """Return the median of going back to the initial state in this process."""
    return median_us(lambda: session.restore(session.environment.state), calls)


def reset(session: Any, calls: int) -> float:
    """Return what a reset adds to the next call: the median of both, less that of the call."""
    tool, arguments = CALLS["read"]

    def both() -> None:
        session.reset()
        session.call(tool, arguments)

    def changed_then_both() -> float:
        session.call(*CALLS["update"])
        return median_us(both, 1)

    together = statistics.median(changed_then_both() for _ in range(calls))
    return together - one_call(session, tool, arguments, calls)


def switch(one: Any, other: Any, calls: int) -> float:
    """Return the median of a call whose worker held another episode's state."""
    tool, arguments = CALLS["read"]
    for session, note in ((one, "one"), (other, "other")):
        session.call("update_order", {"order_id": "ord-001", "note": note})
    return median_us(lambda: (one.call(tool, arguments), other.call(tool, arguments)), calls) / 2


def start_ms(repeats: int) -> float:
    """Return the median time until a worker is started, locked up and loaded, in milliseconds."""
    code = {"source": (BOOKSTORE / "tools.py").read_text(), "folder": "", "tools": []}

    def start() -> None:
        worker = Worker(usable_layers(), Limits())
        worker.start()
        worker.load(code)
        worker.kill()

    return median_us(start, repeats) / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        rows = measure(BOOKSTORE, options.calls)
        rows += measure(grown(BOOKSTORE, Path(folder) / "bookstore", 22_000), options.calls)
    print(f"{'state':>8} {'what':<8} {'in process':>12} {'sandboxed':>12} {'ratio':>7}")
    for row in rows:
        plain, boxed = row["in_process_us"], row["sandboxed_us"]
        ratio = f"{boxed / plain:7.1f}" if plain else f"{'':>7}"
        shown = f"{plain:9.1f} us" if plain else f"{'':>12}"
        print(f"{row['state_bytes']:>6} B {row['what']:<8} {shown} {boxed:9.1f} us {ratio}")
    started = start_ms(10)
    print(f"a worker started, locked up and loaded: {started:.0f} ms")
    if options.json:
        options.json.write_text(json.dumps({"rows": rows, "start_ms": started}, indent=1) + "\n")


if __name__ == "__main__":
    main()
