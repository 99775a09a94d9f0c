"""One environment in process: a call, a reset, hashes and differences, and the memory of many states at once.

    python benchmarks/bench_environment.py [--environment FOLDER] [--states 10000] [--calls 5]

Without a folder it is the bookstore of the tests, filled up to a state of 22 kB. Each figure is the median of
many rounds in microseconds, beside a baseline that does the same work the plain way: ``copy.deepcopy`` of the
state for reset, snapshot and the roll-back of writing tools, and ``jsonschema`` for validation. Ours and
baseline take turns. Memory is the growth of the resident set while all states are held, each after some
random calls of its own.

Bars (DESIGN.md, 2 cores): a validated call 25 us, a reset of a 22 kB state 100 us, 10,000 states in 2 GB.
"""

from __future__ import annotations

import argparse
import copy
import gc
import json
import multiprocessing
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import psutil

from tvlab.environments.checks.random_calls import random_call
from tvlab.environments.environment import Environment
from tvlab.environments.runtime import ToolError
from tvlab.environments.state_difference import difference
from tvlab.environments.tool_calls import ToolCall
from tvlab.environments.tool_environment import ToolEnvironment
from tvlab.foundation.canonical import canonical_json
from tvlab.foundation.seeds import generator

BOOKSTORE = Path(__file__).parents[1] / "tests" / "data" / "environments" / "bookstore"


def filled_bookstore(kilobytes: float) -> Environment:
    """Return the bookstore with copies of its orders and customers until the state has that size."""
    bookstore = Environment.load(BOOKSTORE)
    state = copy.deepcopy(bookstore.state)
    orders, customers = list(state["orders"].values()), list(state["customers"].values())
    number = 100
    while len(canonical_json(state)) < kilobytes * 1000:
        order, customer = f"ord-{number}", f"cus-{number}"
        state["customers"][customer] = {**customers[number % len(customers)], "customer_id": customer}
        state["orders"][order] = copy.deepcopy(orders[number % len(orders)])
        state["orders"][order] |= {"order_id": order, "customer_id": customer}
        number += 1
    return replace(bookstore, state=state)


class PlainSession:
    """The baseline: the same functions, ``jsonschema`` for arguments, a deep copy for reset and roll-back."""

    def __init__(self, environment: Environment, validators: dict[str, Any]) -> None:
        self.environment = environment
        self.validators = validators
        self.state = copy.deepcopy(environment.state)

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Validate, copy the state for a tool that writes, run it, and put the copy back if it refuses."""
        self.validators[tool].validate(arguments)
        before = copy.deepcopy(self.state) if tool in self.environment.writers else None
        try:
            return self.environment.functions[tool](self.state, **arguments)
        except ToolError:
            self.state = before or self.state
            raise


Prepare = Callable[[], Callable[[], Any]]  # makes what is timed, outside of the time


def medians(prepared: dict[str, Prepare], rounds: int = 40, batch: int = 10) -> dict[str, float]:
    """Return the median microseconds of each call; the calls take turns, so that drift hits all."""
    times: dict[str, list[float]] = {name: [] for name in prepared}
    for _ in range(rounds):
        for name, prepare in prepared.items():
            calls = [prepare() for _ in range(batch)]
            start = time.perf_counter()
            for call in calls:
                call()
            times[name].append((time.perf_counter() - start) / batch * 1e6)
    return {name: round(statistics.median(values), 2) for name, values in times.items()}


def call_times(environment: Environment, calls: list[ToolCall]) -> list[dict[str, Any]]:
    """Return one row a tool: ours, ours behind ToolEnvironment, the baseline, and validation alone."""
    plain = {t["name"]: jsonschema.Draft202012Validator(t["inputSchema"]) for t in environment.tools}
    return [_call_times(environment, call.name, call.arguments, plain) for call in calls]


def _call_times(environment: Environment, tool: str, arguments: dict[str, Any], plain: dict[str, Any]) -> Any:
    call = ToolCall(tool, arguments)
    fast, slow = environment.validators[tool], plain[tool]
    row = medians(
        {
            "ours_us": lambda: partial(environment.session().call, tool, arguments),
            "walled_us": lambda: partial(ToolEnvironment(environment).step, call),
            "baseline_us": lambda: partial(PlainSession(environment, plain).call, tool, arguments),
            "jsonschema_rs_us": lambda: partial(fast.is_valid, arguments),
            "jsonschema_us": lambda: partial(slow.is_valid, arguments),
        }
    )
    return {"tool": tool, **row, "ratio": round(row["baseline_us"] / row["ours_us"], 1)}


def state_times(environment: Environment) -> dict[str, dict[str, float]]:
    """Return times of reset, snapshot, hash and difference, beside the plain way."""
    session, chance = environment.session(), generator(0, "bench")
    for _ in range(10):
        call = random_call(environment, chance, session.state)
        session.call(call.name, call.arguments)
    snapshot = session.snapshot()
    plain = copy.deepcopy(session.state)
    pairs = {
        "reset": (environment.session, lambda: copy.deepcopy(environment.state)),
        "snapshot_and_restore": (
            lambda: session.restore(session.snapshot()),
            lambda: copy.deepcopy(copy.deepcopy(session.state)),
        ),
        "difference": (
            lambda: difference(environment.state, snapshot),
            lambda: canonical_json(environment.state) != canonical_json(plain),
        ),
    }
    times = {}
    for name, (ours, baseline) in pairs.items():
        row = medians({"ours_us": partial(_same, ours), "baseline_us": partial(_same, baseline)})
        times[name] = {**row, "ratio": round(row["baseline_us"] / row["ours_us"], 1)}
    times["state_hash"] = medians({"ours_us": lambda: session.fingerprint})
    times["random_call"] = medians(
        {"ours_us": lambda: partial(random_call, environment, chance, session.state)}
    )
    return times


def _same(call: Callable[[], Any]) -> Callable[[], Any]:
    return call


def memory(source: str, states: int, calls: int, kind: str) -> dict[str, Any]:
    """Hold many states at once, each after random calls of its own, and return what that takes.

    Args:
        source: environment folder, or kilobytes of the filled bookstore.
        states: how many.
        calls: random calls made in each.
        kind: ``ours`` or ``baseline`` (deep copies).
    """
    environment = load(source)
    chance, process = generator(0, "memory"), psutil.Process()
    for call in one_call_each(environment):  # what is compiled at a first call is no part of a state
        environment.session().call(call.name, call.arguments)
    gc.collect()
    before, start = process.memory_info().rss, time.perf_counter()
    held = []
    for _ in range(states):
        session = environment.session()
        if kind == "baseline":
            session.state = copy.deepcopy(environment.state)
        for _ in range(calls):
            call = random_call(environment, chance, session.state)
            session.call(call.name, call.arguments)
        held.append(session)
    seconds = time.perf_counter() - start
    grown = process.memory_info().rss - before
    return {
        "kind": kind,
        "states": len(held),
        "calls_each": calls,
        "different_of_500": len({session.fingerprint() for session in held[:500]}),
        "gigabytes": round(grown / 1e9, 3),
        "kilobytes_a_state": round(grown / 1e3 / states, 1),
        "seconds": round(seconds, 2),
    }


def load(source: str) -> Environment:
    """Return the environment of a folder, or the bookstore of so many kilobytes."""
    return Environment.load(source) if Path(source).is_dir() else filled_bookstore(float(source))


def of_tools(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return the medians over tools."""
    names = [name for name in rows[0] if name != "tool"] if rows else []
    return {name: round(statistics.median(row[name] for row in rows), 2) for name in names}


def one_call_each(environment: Environment) -> list[ToolCall]:
    """Return one random call of every tool that succeeds from the initial state."""
    chance, found = generator(0, "calls"), {}
    for _ in range(200 * len(environment.tools)):
        call = random_call(environment, chance)
        if call.name not in found and environment.session().call(call.name, call.arguments).ok:
            found[call.name] = call
    return list(found.values())


def main() -> None:
    """Run the benchmark and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--environment", default="22", help="environment folder, or kilobytes of the bookstore"
    )
    parser.add_argument("--states", type=int, default=10_000)
    parser.add_argument("--baseline-states", type=int, default=1_000, help="deep copies to hold")
    parser.add_argument("--calls", type=int, default=5, help="random calls made in each state")
    options = parser.parse_args()
    environment = load(options.environment)
    calls = call_times(environment, one_call_each(environment))
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        source = options.environment
        held = pool.apply(memory, (source, options.states, options.calls, "ours"))
        plain = pool.apply(memory, (source, options.baseline_states, options.calls, "baseline"))
    times = state_times(environment)
    report = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "environment": environment.name,
        "state_kilobytes": round(len(canonical_json(environment.state)) / 1000, 1),
        "calls": calls,
        "median_of_tools": {
            "reading": of_tools([row for row in calls if row["tool"] not in environment.writers]),
            "writing": of_tools([row for row in calls if row["tool"] in environment.writers]),
        },
        "state": times,
        "memory": [held, plain],
        "bars": {
            "call_us": [statistics.median(row["ours_us"] for row in calls), 25],
            "reset_us": [times["reset"]["ours_us"], 100],
            "gigabytes": [held["gigabytes"], 2],
        },
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
