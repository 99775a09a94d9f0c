"""The table that ``tvlab build`` prints: servers, their environments, tools kept, drops by stage."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.table import Table

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
        made = ", ".join(row["environments"]) or "none"
        numbers = [str(fate[name]) for name in ("tools", "kept", *shown)]
        table.add_row(row["server"], made, ", ".join(row["kinds"]), *numbers)
    sums = [
        sum(len(row["environments"]) for row in rows),
        "",
        *(fates[n].sum() for n in ("tools", "kept", *shown)),
    ]
    for column, text in zip(table.columns, [f"{len(rows)} servers", *map(str, sums)], strict=True):
        column.footer = text
    return table
