"""The tables that ``tvlab build`` prints: a row a server, and the sums of the build."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.table import Table

from tvlab.environments.build_totals import totals
from tvlab.environments.drops import STAGES
from tvlab.reporting.plots_environments import tool_fates


def build_table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """Return a row for each server and a last row with the sums.

    Args:
        rows: what ``build_environments`` returns.
    """
    rows = list(rows)
    fates = tool_fates(rows)
    shown = [stage for stage in STAGES if fates[stage].any()]
    table = Table(
        "server", "environments", "kind", title="Environments built", title_justify="left", show_footer=True
    )
    for name in ("tools", "kept", *(f"dropped: {stage}" for stage in shown)):
        table.add_column(name, justify="right")
    for row, fate in zip(rows, fates.to_dict("records"), strict=True):
        made = ", ".join([*row["environments"], *(one["environment"] for one in row.get("joined", ()))]) or "none"
        numbers = [str(fate[name]) for name in ("tools", "kept", *shown)]
        kinds = [*row["kinds"], *(one["kind"] for one in row.get("joined", ()))]
        table.add_row(row["server"], made, ", ".join(kinds), *numbers)
    sums = [
        totals(rows)["environments"],
        "",
        *(fates[n].sum() for n in ("tools", "kept", *shown)),
    ]
    for column, text in zip(table.columns, [f"{len(rows)} servers", *map(str, sums)], strict=True):
        column.footer = text
    return table


def sums_table(rows: Iterable[Mapping[str, Any]], carrying: int | None = None) -> Table:
    """Return the sums of a build: tools kept, by kind, dropped by stage; environments, by kind, joined, with tasks.

    Args:
        rows: what ``build_environments`` returns.
        carrying: number of environments that carry tasks, None if it was not counted.
    """
    rows = list(rows)
    sums, fates = totals(rows), tool_fates(rows)
    table = Table("", "tools", "environments", title="The build in sums", title_justify="left")
    table.add_row(f"{len(rows)} servers", str(sums["tools"]), "")
    table.add_row("kept", str(sums["kept"]), str(sums["environments"]))
    kinds = ("stateful", "facts", "pure")
    for kind in (*kinds, *sorted({*sums["kinds"]} - {*kinds})):
        tools, environments = sums["kept_by_kind"].get(kind, 0), sums["kinds"].get(kind, 0)
        if tools or environments:
            table.add_row(f"  {kind}", str(tools), str(environments))
    if sums["joined"]:
        table.add_row("  joined from small servers", "", str(sums["joined"]))
    table.add_row("  carry tasks", "", "not run" if carrying is None else str(carrying))
    for stage in STAGES:
        table.add_row(f"dropped: {stage}", str(fates[stage].sum()), "")
    for name, unit in (("mean_size", "mean size"), ("coherence", "coherence"), ("concentration", "top 20 servers")):
        table.add_row(unit, "" if sums[name] is None else str(sums[name]), "")
    return table
