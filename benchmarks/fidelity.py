"""Run the same calls on real servers and on the environments built from their schemas.

    python benchmarks/fidelity.py            # needs the network once, to install the servers

Writes ``benchmarks/fidelity.csv`` (one row a call).  Rates are over the calls where the question arises.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from tvlab.environments.build import build_environment
from tvlab.environments.sources.fidelity import Script, Side, accepted, compare, simulated, words_of
from tvlab.environments.sources.live import live_tool_lists
from tvlab.environments.sources.live_calls import with_live_server
from tvlab.environments.sources.server_installs import choose_servers
from tvlab.reporting.plots_scale import agreement_rates

HERE = Path(__file__).parent
COLUMNS = ["server", "step", "tool", "kept", "live_ok", "simulated_ok", "success", "shape", "fields", "effect"]


def main() -> None:
    """Parse the arguments, run every script, write the table and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scripts", type=Path, default=HERE / "fidelity_scripts")
    parser.add_argument("--out", type=Path, default=HERE / "fidelity.csv")
    parser.add_argument("--only", default="", help="one server")
    parser.add_argument("--show", action="store_true", help="print the answers that differ")
    options = parser.parse_args()
    scripts = [Script.read(path) for path in sorted(options.scripts.glob("*.jsonl"))]
    rows = [row for script in scripts if options.only in script.server for row in rows_of(script, options.show)]
    table = pd.DataFrame(rows, columns=COLUMNS)
    if not options.only:
        table.to_csv(options.out, index=False, float_format="%.3f")
    print(agreement_rates(table).to_string(index=False, float_format="%.2f"))


def rows_of(script: Script, show: bool = False) -> list[dict[str, Any]]:
    """Run one script on both sides and return a row a step."""
    tool_list = live_tool_lists([script.server]).tool_lists[0]
    here = simulated([built.environment for built in build_environment(tool_list)], script)
    rows: list[dict[str, Any]] = []

    async def run(call: Any, work: Path) -> None:
        async def live_call(tool: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
            answer = await call(tool, arguments)
            return answer.ok, answer.value

        there = Side(live_call, script.root.replace("WORKDIR", str(work)))
        written: set[str] = set()
        for number, step in enumerate(script.steps, 1):
            answers = [await side.run(step) for side in (there, here)]
            if not step.reads and accepted(*answers[0]):
                written |= words_of(step.arguments)
            row = compare(step, answers[0], answers[1], written)
            rows.append({"server": script.server, "step": number, "tool": step.tool, **row})
            if show and row["kept"] and False in (row["success"], row["shape"], row["effect"]):
                print(number, step.tool, step.arguments, {k: row[k] for k in ("success", "shape", "effect")})
                for name, answer in zip(("real", "here"), answers, strict=True):
                    print("   ", name, str(answer)[:240])

    with_live_server(choose_servers([script.server])[0], run)
    return rows


if __name__ == "__main__":
    main()
