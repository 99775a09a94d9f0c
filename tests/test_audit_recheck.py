"""Recheck of judged tools: what is caught, what is lost, and why."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tvlab.environments.build import build_environments
from tvlab.environments.tool_lists import ToolList

ROOT = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def recheck(monkeypatch):
    """The script as a module."""
    monkeypatch.syspath_prepend(str(ROOT))
    spec = importlib.util.spec_from_file_location("audit_recheck", ROOT / "audit_recheck.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "audit_recheck", module)
    spec.loader.exec_module(module)
    return module


def _tool(name, **kinds):
    schema = {"type": "object", "properties": {k: {"type": v} for k, v in kinds.items()}, "required": list(kinds)}
    return {"name": name, "description": f"{name.split('_')[0].title()} a crate.", "inputSchema": schema}


def test_kept_and_dropped_tools_are_told_apart(recheck, tmp_path):
    tools = [
        _tool("create_crate", label="string", weight="number"),
        _tool("get_crate", crate_id="string"),
        _tool("update_crate", crate_id="string", label="string"),
        _tool("delete_crate", crate_id="string"),
        _tool("list_crates"),
        _tool("sing_crate", crate_id="string"),
    ]
    build_environments([ToolList("crates", "", "", {}, tools)], tmp_path, 0, 1, False)
    rows = [
        {"server": "crates", "tool": "get_crate", "verdict": "right", "kind": ""},
        {"server": "crates", "tool": "list_crates", "verdict": "wrong", "kind": "a fault"},
        {"server": "crates", "tool": "sing_crate", "verdict": "wrong", "kind": "no verb"},
        {"server": "crates", "tool": "melt_crate", "verdict": "right", "kind": ""},
        {"server": "not built", "tool": "x", "verdict": "right", "kind": ""},
    ]
    lines = recheck.recheck(rows, tmp_path)
    assert lines[-1] == "wrong: 1 of 2 caught; right: 1 of 2 lost"
    assert any(line.startswith("still kept") and "list_crates" in line for line in lines)
    assert any(line.startswith("lost") and "melt_crate" in line for line in lines)
