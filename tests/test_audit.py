"""The blind audit: the same draw twice, cards without code, rates that count, and bad input that is named."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tvlab.environments.build import build_environments
from tvlab.environments.tool_lists import ToolList

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("audit", ROOT / "benchmarks" / "audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["audit"] = module
    spec.loader.exec_module(module)
    return module


def _tool(name: str, **properties: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}}
    return {"name": name, "description": f"Mark of {name}.", "inputSchema": {**schema, "required": list(properties)}}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A built folder and the dump that it was built from."""
    tools = [
        _tool("create_bed", zone="string"),
        _tool("list_beds"),
        _tool("get_bed", bed_id="string"),
        _tool("update_bed", bed_id="string", zone="string"),
        _tool("delete_bed", bed_id="string"),
        _tool("create_plant", bed_id="string", species="string"),
        _tool("list_plants", bed_id="string"),
        _tool("get_plant", plant_id="string"),
        _tool("update_plant", plant_id="string", species="string"),
        _tool("delete_plant", plant_id="string"),
    ]
    folder = tmp_path_factory.mktemp("audit")
    dump = folder / "dump.jsonl"
    dump.write_text(json.dumps({"server": "greenhouse", "tools": tools}) + "\n", encoding="utf-8")
    source = {"repo": "made up", "license": "MIT"}
    build_environments([ToolList("greenhouse", "", "", source, tools)], folder / "built", 0, 1, False)
    return folder / "built", dump


def _run(audit: ModuleType, built: tuple[Path, Path], command: str, seed: int, out: Path) -> str:
    build, dump = built
    options = ["--build", str(build), "--corpus", str(dump), "--seed", str(seed), "--count", "3", "--out", str(out)]
    assert audit.main([command, *options]) == 0
    return out.read_text(encoding="utf-8")


def test_a_draw_is_fixed_by_its_seed(audit: ModuleType, built: tuple[Path, Path]) -> None:
    tools = audit.kept_tools(built[0])
    assert len(tools) == 10
    draws = [[d.tool for d in audit.draw(tools, seed, 10)] for seed in range(8)]
    assert draws[0] == [d.tool for d in audit.draw(tools, 0, 99)]
    assert len({tuple(one) for one in draws}) > 1
    assert all(sorted(one) == sorted(d.tool for d in tools) for one in draws)


def test_cards_hold_no_code_and_reveal_shows_the_same_tools(
    audit: ModuleType, built: tuple[Path, Path], tmp_path: Path
) -> None:
    cards = _run(audit, built, "draw", 2, tmp_path / "cards.md")
    shown = _run(audit, built, "reveal", 2, tmp_path / "shown.md")
    heads = [line.split(" (")[0] for line in shown.splitlines() if line.startswith("## ")]
    assert heads == [line for line in cards.splitlines() if line.startswith("## ")]
    assert (len(heads), cards.count("Mark of"), cards.count("def "), cards.count("operation")) == (3, 3, 0, 0)
    assert (shown.count("\ndef "), shown.count("\nresult: "), shown.count('"error"')) == (3, 3, 0)


def test_a_rate_counts_by_round_and_kind(audit: ModuleType, tmp_path: Path) -> None:
    rows = [("1", "wrong"), ("1", "right"), ("1", "right"), ("1", "right"), ("2", "right")]
    path = tmp_path / "audit.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(audit.COLUMNS)
        for at, (name, verdict) in enumerate(rows):
            operation = "facts/list" if at == 0 else "stateful/read"
            kind, original = ("k" if at < 2 else ""), ("wrong" if at < 2 else verdict)
            writer.writerow([name, 1, "s", f"t{at}", operation, "e", verdict, original, "", kind, "r"])
    text = audit.summary(audit.read_rows(path))
    assert "1/4      25.0%  (4.6% to 69.9%)" in text  # by hand: (0.25 + 0.4802 -+ 0.6400) / 1.9604
    assert "  facts/list                     1/1" in text
    assert "    2  k" in text
    assert re.search(r"against the original words +2/4 +50.0%", text)
    assert "round 2                        0/1" in text


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("1,1,s,t,o,e,maybe,right,,,r", "verdict 'maybe'"),
        ("1,1,s,t,o,e,right,,,,r", "original ''"),
        ("1,1,s,t,o,e,right,right,perhaps,,r", "values 'perhaps'"),
        ("1,1,s,t,o,e,right,wrong,,,r", "needs a kind"),
        ("1,1,s,t,o,e,right,right,wrong,,r", "needs a kind"),
    ],
)
def test_a_bad_row_is_named(audit: ModuleType, tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "audit.csv"
    path.write_text(",".join(audit.COLUMNS) + f"\n{line}\n", encoding="utf-8")
    with pytest.raises(audit.UserError, match=f":2: .*{says}"):
        audit.read_rows(path)


def test_an_empty_build_and_another_dump_are_refused(
    audit: ModuleType, built: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"server": "x", "tools": [_tool("a")]}) + "\n", encoding="utf-8")
    assert audit.main(["draw", "--build", str(tmp_path), "--corpus", str(built[1])]) == 2
    assert audit.main(["draw", "--build", str(built[0]), "--corpus", str(other)]) == 2
    assert audit.main(["draw", "--build", str(built[0]), "--corpus", str(built[1]), "--count", "0"]) == 2
    errors = capsys.readouterr().err.splitlines()
    for error, says in zip(errors, ("no built environments", "the corpus has no tool", "--count 0"), strict=True):
        assert says in error


def test_the_committed_table_is_sound(audit: ModuleType) -> None:
    rows = audit.read_rows(ROOT / "benchmarks" / "audit.csv")
    assert len({(row["round"], row["seed"], row["server"], row["tool"]) for row in rows}) == len(rows) >= 200
    assert all(row["expected"] and row["reason"] and "/" in row["operation"] for row in rows)
