"""Which built environments carry tasks."""

import pytest

from tvlab.environments.build import build_environments
from tvlab.environments.environment import Environment
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.tasks.carrying import carrying
from tvlab.tasks.graph import build_graph


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    out = tmp_path_factory.mktemp("all")
    return out, build_environments(load_tool_lists("embedded-all"), out, progress=False)


def test_all_twenty_four_embedded_domains_carry_tasks(every):
    out, rows = every
    assert len(rows) == 24
    assert all(row["kept"] == row["tools"] for row in rows), [row["drops"] for row in rows if row["drops"]]
    assert carrying(out, rows, progress=False) == 24


def test_each_has_two_writing_tools_and_an_executed_data_edge(every):
    out, rows = every
    for row in rows:
        environment = Environment.load(out / row["environments"][0])
        assert len(environment.writers) >= 2
        assert any(True for _ in build_graph(environment).edges("data")), row["server"]


def test_an_environment_without_writing_tools_carries_none(tmp_path):
    assert carrying(tmp_path, [{"built": [{"environment": "nowhere", "kind": "facts"}]}], progress=False) == 0
