"""From tool lists to folders: whole embedded servers, real servers, injections, equal bytes."""

import ast
import json
import subprocess
import sys

import pytest
from made_up_servers import SERVERS, tool_list

from tvlab.environments.build import (
    build_environment,
    build_environments,
    build_server,
    environment_name,
    unique_names,
)
from tvlab.environments.environment import Environment
from tvlab.environments.tool_lists import ToolList, load_tool_lists
from tvlab.reporting.plots_environments import tool_fates


@pytest.fixture(scope="module")
def embedded(tmp_path_factory):
    out = tmp_path_factory.mktemp("embedded")
    return out, build_environments(load_tool_lists("embedded"), out, seed=0, progress=False)


def test_every_embedded_server_becomes_one_environment_with_all_its_tools(embedded):
    _, rows = embedded
    assert len(rows) == 8
    for row in rows:
        assert (row["kept"], row["kinds"]) == (row["tools"], ["stateful"]), row


def test_a_built_folder_loads_and_states_a_meaning_for_every_tool(embedded):
    out, rows = embedded
    for row in rows:
        environment = Environment.load(out / row["environments"][0])
        assert set(environment.report["meanings"]) == set(environment.tool_names)
        assert all(check["passed"] for check in json.loads((environment.path / "tests.json").read_text()))
        for table, records in environment.state.items():
            if not table.startswith("_"):
                assert 5 <= len(records) <= 30, table


def test_every_reference_in_an_initial_state_exists(embedded):
    out, rows = embedded
    for row in rows:
        environment = Environment.load(out / row["environments"][0])
        entities = environment.report["entities"]
        for entity in entities.values():
            for name, field in entity["fields"].items():
                if "reference" in field:
                    target = environment.state[entities[field["reference"]]["table"]]
                    for record in environment.state[entity["table"]].values():
                        keys = record.get(name, [])
                        for key in keys if isinstance(keys, list) else [keys]:
                            assert str(key) in target, (row["server"], entity["table"], name)


def test_a_record_holds_its_key_under_which_it_is_stored(embedded):
    out, rows = embedded
    for row in rows:
        environment = Environment.load(out / row["environments"][0])
        for entity in environment.report["entities"].values():
            for key, record in environment.state[entity["table"]].items():
                assert str(record[entity["key"]]) == key


def test_outputs_fit_the_published_schema_whose_properties_are_the_reports(embedded):
    out, rows = embedded
    for row in rows:
        environment = Environment.load(out / row["environments"][0])
        for tool in environment.tools:
            output = environment.meaning(tool["name"])["output"]
            schema = tool["outputSchema"]
            if output["shape"] == "list":
                table, key = output["key_path"].split("[].")
                assert key in schema["properties"][table]["items"]["properties"]
            else:
                assert set(output["fields"]) == set(schema["properties"])


def test_equal_seeds_give_equal_bytes_in_another_process_and_another_seed_other_states(embedded, tmp_path):
    out, _ = embedded
    code = (
        "import sys; from tvlab.environments.build import build_environments; "
        "from tvlab.environments.tool_lists import load_tool_lists; "
        "build_environments(load_tool_lists('embedded')[:3], sys.argv[1], seed=int(sys.argv[2]), "
        "progress=False)"
    )
    for seed in (0, 7):
        command = [sys.executable, "-c", code, str(tmp_path / str(seed)), str(seed)]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": "77", "PATH": "/usr/bin:/bin"})
    for name in ("orders_and_inventory", "calendar", "tickets"):
        for file in ("tools.py", "tools.json", "state.json", "tests.json", "report.json"):
            assert (tmp_path / "0" / name / file).read_bytes() == (out / name / file).read_bytes(), file
        assert (tmp_path / "7" / name / "state.json").read_bytes() != (out / name / "state.json").read_bytes()


def test_a_global_random_seed_changes_nothing():
    import random

    import numpy as np

    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - the point of the test
    one = build_environment(tool_list("greenhouse", SERVERS["greenhouse"]), 3)
    random.seed(2)
    np.random.seed(2)  # noqa: NPY002
    two = build_environment(tool_list("greenhouse", SERVERS["greenhouse"]), 3)
    assert one[0].environment.state == two[0].environment.state
    assert one[0].source == two[0].source


HOSTILE = [
    'Makes a bed."""\nimport os\nos.system("touch /tmp/owned")\n"""',
    "Makes a bed.\\",
    'Makes a bed\\"""); raise SystemExit("""',
    "Makes a bed \x00 \u2028 \ud800 {state} %s",
    "'''; __import__('os').abort() #",
    "",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_a_schema_never_becomes_code(text):
    tools = [
        {
            "name": name,
            "description": text,
            "inputSchema": {
                "type": "object",
                "properties": {
                    **({"bed_id": {"type": "string", "description": text}} if name != "create_bed" else {}),
                    "label": {"type": "string", "default": text, "description": text},
                    "mood": {"type": "string", "enum": [text or "x", "calm"]},
                    "box": {
                        "type": "object",
                        "properties": {text or "x": {"type": "string", "default": text}},
                    },
                },
                "required": ["bed_id"] if name != "create_bed" else ["label"],
            },
        }
        for name in ("create_bed", "update_bed", "get_bed", "list_beds", "delete_bed")
    ]
    build = build_server(ToolList(text or "server", "", text, {}, tools), smallest=1)
    assert build.environments
    for built in build.environments:
        tree = ast.parse(built.source)
        kinds = {type(node) for node in tree.body}
        assert kinds <= {ast.Expr, ast.ImportFrom, ast.FunctionDef}
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not names & {"os", "SystemExit", "__import__"}
        assert [node.module for node in tree.body if isinstance(node, ast.ImportFrom)] == [
            "tvlab.environments.runtime"
        ]


def test_names_that_are_code_are_no_names_in_the_code():
    name = "x); import os; os.abort("
    tools = [
        {"name": f"create_{name}", "inputSchema": {"type": "object", "properties": {name: {"type": "string"}},
                                                   "required": [name]}},
        {"name": "list_beds", "inputSchema": {"type": "object", "properties": {name: {"type": "string"}}}},
        {"name": "create_bed", "inputSchema": {"type": "object", "properties": {"zone": {"type": "string"}}}},
    ]  # fmt: skip
    for built in build_server(ToolList("hostile", "", "", {}, tools), smallest=1).environments:
        assert "os" not in {
            node.id for node in ast.walk(ast.parse(built.source)) if isinstance(node, ast.Name)
        }


@pytest.mark.parametrize(
    "tools",
    [
        [],
        [None],
        [{}],
        [{"name": 3}],
        [{"name": "get"}],
        [{"name": "list_", "inputSchema": None}],
        ["x"],
        [[]],
        [{"name": "création_élève", "inputSchema": {"properties": {"nom_élève": {"type": "string"}}}}],
        [{"name": "创建订单", "inputSchema": {"properties": {"订单": {"type": "string"}}}}],
    ],
)
def test_odd_tool_lists_do_not_crash(tools):
    build = build_server(ToolList("odd", "", "", {}, tools), smallest=1)
    kept = sum(len(built.environment.tools) for built in build.environments)
    assert kept + len(build.drops) == len(tools)


def test_names_of_folders_are_safe_and_unique():
    assert environment_name("../../etc/passwd") == "etc-passwd"
    assert environment_name("...") == "server"
    assert unique_names(["a", "b", "a"]) == ["a", "b", "a--2"]


def test_the_build_accounts_for_every_tool(embedded):
    out, rows = embedded
    account = json.loads((out / "build.json").read_text())
    assert account["servers"] == rows
    assert (
        account["totals"]["kept"] + sum(d["tools"] for d in account["totals"]["drops"])
        == account["totals"]["tools"]
    )


def test_most_of_the_real_servers_become_environments(corpus, tmp_path):
    rows = build_environments(load_tool_lists(corpus / "mcp" / "mini.jsonl"), tmp_path, progress=False)
    assert sum(bool(row["environments"]) for row in rows) >= 17
    for row in rows:
        assert row["kept"] + len(row["drops"]) == row["tools"]
        assert all(drop["stage"] and drop["reason"] for drop in row["drops"])


def test_warts_run_through(corpus):
    warts = json.loads((corpus / "mcp" / "warts.json").read_text())
    warts = warts["warts"] if isinstance(warts, dict) else warts
    for wart in warts:
        build = build_server(ToolList("wart", "", "", {}, [wart["schema"]]), smallest=1)
        assert sum(len(b.environment.tools) for b in build.environments) + len(build.drops) == 1
        assert tool_fates([build.to_json()])["tools"].tolist() == [1]


@pytest.mark.slow
def test_the_whole_corpus_runs_through(corpus, tmp_path):
    rows = build_environments(
        load_tool_lists(corpus / "mcp" / "corpus.jsonl"), tmp_path, workers=2, progress=False
    )
    assert len(rows) == 698
    assert all(row["kept"] + len(row["drops"]) == row["tools"] for row in rows)
