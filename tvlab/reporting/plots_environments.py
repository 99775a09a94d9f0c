"""What became of every tool of every server: in an environment, or dropped at a stage."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from tvlab.environments.drops import STAGES
from tvlab.environments.environment import Environment
from tvlab.foundation.atomic_files import read_json
from tvlab.reporting.palette import GREY, KEPT, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = dict(zip(STAGES, (SERIES[5], SERIES[1], SERIES[4], SERIES[3], GREY), strict=True))


def tool_fates(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row a server: server, tools, kept, then the tools dropped at each stage.

    Args:
        rows: what ``build_environments`` returns and writes to ``build.json``.
    """
    table = []
    for row in rows:
        dropped = Counter(drop["stage"] for drop in row["drops"])
        unknown = sorted(set(dropped) - set(STAGES))
        if unknown:
            raise ValueError(
                f"{row['server']}: stage {unknown[0]!r} is unknown: expected one of {', '.join(STAGES)}"
            )
        stages = {stage: dropped[stage] for stage in STAGES}
        table.append({"server": row["server"], "tools": row["tools"], "kept": row["kept"], **stages})
    return pd.DataFrame(table)


def drop_table(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row a dropped tool: server, tool, stage, reason, detail."""
    columns = ["server", "tool", "stage", "reason", "detail"]
    return pd.DataFrame(
        [
            {"server": row["server"], **{name: str(drop[name]) for name in columns[1:]}}
            for row in rows
            for drop in row["drops"]
        ],
        columns=columns,
    )


def environment_table(environments: Mapping[str, Environment], carries: Mapping[str, bool]) -> pd.DataFrame:
    """Return one row an environment: its kind, numbers of tools, writing tools, entities, records, and tasks.

    ``tasks`` is True if it carries some (``carries_tasks``).
    """
    rows = []
    for name, environment in sorted(environments.items()):
        tables = {table: records for table, records in environment.state.items() if not table.startswith("_")}
        rows.append(
            {
                "environment": name,
                "kind": environment.report["kind"],
                "tools": len(environment.tools),
                "writing": len(environment.writers),
                "entities": len(environment.report["entities"]),
                "records": sum(map(len, tables.values())),
                "tasks": bool(carries[name]),
            }
        )
    return pd.DataFrame(rows)


def plot_tool_fates(axis: "Axes", fates: pd.DataFrame) -> "Axes":
    """A bar for each server: tools kept, then those dropped, by stage; stages without drops are left out."""
    left = fates["kept"].to_numpy()
    axis.barh(fates["server"], left, color=KEPT, label="in an environment")
    for stage in STAGES:
        count = fates[stage].to_numpy()
        if count.any():
            axis.barh(fates["server"], count, left=left, color=_COLOURS[stage], label=f"dropped: {stage}")
            left = left + count
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("tools")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return axis


def check_table(environments: Mapping[str, Environment]) -> pd.DataFrame:
    """Return one row a kind of verification check: check, run, passed (from the ``tests.json`` files)."""
    run: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for name, environment in environments.items():
        if environment.path is None:
            raise ValueError(f"environment {name} is not on disk: only there are its checks kept")
        for check in read_json(environment.path / "tests.json", "verification record"):
            run[check["check"]] += 1
            passed[check["check"]] += bool(check["passed"])
    rows = [{"check": name, "run": run[name], "passed": passed[name]} for name in sorted(run)]
    return pd.DataFrame(rows, columns=["check", "run", "passed"])
