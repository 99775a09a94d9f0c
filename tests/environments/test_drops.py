"""Stages of drops: one list, and every stage named in the package is on it."""

import ast
from pathlib import Path

import pytest

import tvlab
from tvlab.environments.build import build_server
from tvlab.environments.drops import STAGES, Drop
from tvlab.environments.tool_lists import ToolList
from tvlab.reporting.build_summary import build_table
from tvlab.reporting.plots_environments import tool_fates


def stages_in_the_package():
    """The stage that each call of ``Drop(...)`` and ``server.drop(...)`` names; the latter hands on its own."""
    for path in sorted(Path(tvlab.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and len(node.args) > 1:
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name in ("Drop", "drop") and not ast.unparse(node).endswith("stage, reason)"):
                    yield path.name, node.args[1]


def test_every_drop_made_in_the_package_names_a_stage_of_the_list():
    found = list(stages_in_the_package())
    assert len(found) >= 5
    for name, stage in found:
        either = [stage.body, stage.orelse] if isinstance(stage, ast.IfExp) else [stage]
        for one in either:
            assert isinstance(one, ast.Constant), (name, stage.lineno)
            assert one.value in STAGES, (name, stage.lineno)


def test_a_drop_at_another_stage_cannot_be_made():
    with pytest.raises(ValueError, match="stage 'name' is unknown"):
        Drop("get_bed", "name", "a tool before has the same name")


def test_what_no_tool_can_be_is_counted_at_the_first_stage_by_the_tables():
    bed = {"name": "get_bed", "inputSchema": {"type": "object"}}
    odd = [bed, bed, None, {"name": 3}, {"name": "t", "inputSchema": {"type": "string"}}]
    row = build_server(ToolList("odd", "", "", {}, odd)).to_json()
    fates = tool_fates([row]).to_dict("records")[0]
    assert (fates["tools"], fates["schema"], fates["kept"]) == (5, 4, 0)
    assert sum(fates[stage] for stage in STAGES) == 5
    assert build_table([row]).row_count == 1
