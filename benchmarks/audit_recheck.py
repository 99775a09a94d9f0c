"""Which judged tools does a build still keep: wrong ones caught, right ones lost.

    python benchmarks/audit_recheck.py --build FOLDER [--csv benchmarks/audit.csv] [--all]

Reads the judged tools of ``audit.csv`` and a folder of ``tvlab build`` over the same dump.  A wrong tool that is
no longer kept is caught; a right one that is no longer kept is lost.  A wrong one that is still kept may have
been mended: only a new look at it tells, so the script lists those with the kind of fault that was found.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT))

from audit import Row, kept_tools, read_rows  # noqa: E402  the script beside this one

Key = tuple[str, str]


def drop_reasons(build: Path) -> dict[Key, str]:
    """Why each tool of a build is left out, by server and published name."""
    servers = json.loads((build / "build.json").read_text(encoding="utf-8"))["servers"]
    return {
        (row["server"], drop["tool"]): f"{drop['stage']}: {drop['reason']} ({drop['detail']})"
        for row in servers
        for drop in row["drops"]
    }


def built_servers(build: Path) -> set[str]:
    """The servers that a build has read."""
    servers = json.loads((build / "build.json").read_text(encoding="utf-8"))["servers"]
    return {row["server"] for row in servers}


def recheck(rows: Sequence[Row], build: Path, every: bool = False) -> list[str]:
    """Lines: wrong tools still kept, right tools lost with the reason, then the counts."""
    kept = {(drawn.server, drawn.original) for drawn in kept_tools(build)}
    servers, reasons = built_servers(build), drop_reasons(build)
    rows = [row for row in rows if row["server"] in servers]
    wrong = [row for row in rows if row["verdict"] == "wrong"]
    right = [row for row in rows if row["verdict"] == "right"]
    lines = [
        f"still kept   {row['server']}: {row['tool']}  [{row['kind']}]" for row in wrong if _key(row) in kept
    ]
    lines += [
        f"lost         {row['server']}: {row['tool']}  {reasons.get(_key(row), 'renamed or not built')}"
        for row in right
        if _key(row) not in kept
    ]
    if every:
        lines += [
            f"caught       {row['server']}: {row['tool']}  [{row['kind']}] {reasons.get(_key(row), '')}"
            for row in wrong
            if _key(row) not in kept
        ]
    caught = sum(_key(row) not in kept for row in wrong)
    lost = sum(_key(row) not in kept for row in right)
    return [*lines, f"wrong: {caught} of {len(wrong)} caught; right: {lost} of {len(right)} lost"]


def _key(row: Row) -> Key:
    return row["server"], row["tool"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--csv", type=Path, default=ROOT / "audit.csv")
    parser.add_argument("--all", action="store_true", help="list what was caught, too")
    given = parser.parse_args(arguments)
    print("\n".join(recheck(read_rows(given.csv), given.build, given.all)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
