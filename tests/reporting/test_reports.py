"""What tables, drawings and texts say, on small data worked by hand and on the bookstore environment."""

from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from tvlab.environments.environment import Environment
from tvlab.foundation.errors import UserError
from tvlab.reporting.build_summary import build_table, sums_table
from tvlab.reporting.conversations import conversation
from tvlab.reporting.drawings import DRAWINGS, draw, draw_all
from tvlab.reporting.plots_environments import drop_table, environment_table, plot_tool_fates, tool_fates
from tvlab.reporting.plots_graph import edge_table, graph_summary, node_table, plot_layers
from tvlab.reporting.plots_gust import (
    argument_sources,
    item_table,
    operation_counts,
    replay_table,
    size_counts,
)
from tvlab.reporting.plots_unlocking import plot_queue, plot_stages, stage_counts, stage_sample, violations
from tvlab.reporting.run_display import console_for, duration
from tvlab.reporting.tables import save_table
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items
from tvlab.tasks.item import Fact, GoldenCall, Item, Turn

BUILD = [
    {"server": "shop", "tools": 5, "kept": 3, "environments": ["shop"], "kinds": ["stateful"],
     "drops": [{"tool": "a", "stage": "meaning", "reason": "unclear verb", "detail": ""},
               {"tool": "b", "stage": "schema", "reason": "no object", "detail": "x"}]},
    {"server": "bare", "tools": 1, "kept": 0, "environments": [], "kinds": [],
     "drops": [{"tool": "c", "stage": "toolset", "reason": "too few", "detail": ""}]},
]  # fmt: skip


@pytest.fixture(scope="module")
def bookstore() -> Environment:
    return Environment.load(Path(__file__).parents[1] / "data" / "environments" / "bookstore")


@pytest.fixture(scope="module")
def graph(bookstore):
    return build_graph(bookstore)


@pytest.fixture(scope="module")
def items(bookstore, graph):
    return {"bookstore": build_items(bookstore, graph, 8, seed=1)}


def axis():
    return Figure().subplots()


def test_the_sums_tell_kinds_joined_tasks_and_every_stage_apart():
    shared = {"environment": "joined-weather-1", "kind": "facts", "tools": 5, "tool_kinds": {"facts": 4, "pure": 1},
              "connected": 4}  # fmt: skip
    own = {"environment": "a", "kind": "stateful", "tools": 3, "tool_kinds": {"stateful": 3}, "connected": 3}
    rows = [
        {**BUILD[0], "kept": 5, "tools": 7, "built": [own], "joined": [shared]},
        {**BUILD[1], "kept": 3, "tools": 4, "built": [], "joined": [shared]},
    ]
    table = sums_table(rows, 1)
    cells = {first: rest for first, *rest in zip(*(column._cells for column in table.columns), strict=True)}
    assert cells["2 servers"] == ["11", ""]
    assert cells["kept"] == ["8", "2"]
    assert cells["  stateful"] == ["3", "1"]
    assert cells["  facts"] == ["4", "1"]
    assert cells["  pure"] == ["1", "0"]
    assert cells["  joined from small servers"] == ["", "1"]
    assert cells["  carry tasks"] == ["", "1"]
    assert [cells[f"dropped: {stage}"][0] for stage in ("schema", "meaning", "toolset")] == ["1", "1", "1"]
    assert (cells["mean size"][0], cells["coherence"][0]) == ("4.0", "0.875")
    assert "not run" in str(sums_table(rows).columns[2]._cells)


def test_every_tool_is_kept_or_dropped_at_a_stage():
    fates = tool_fates(BUILD)
    assert fates[["tools", "kept", "schema", "meaning", "toolset"]].to_numpy().tolist() == [
        [5, 3, 1, 1, 0],
        [1, 0, 0, 0, 1],
    ]
    assert (fates.drop(columns=["server", "tools"]).sum(axis=1) == fates["tools"]).all()
    assert drop_table(BUILD)["reason"].tolist() == ["unclear verb", "no object", "too few"]


def test_a_stage_that_no_one_knows_is_refused():
    strange = {**BUILD[0], "drops": [{"tool": "a", "stage": "mood", "reason": "", "detail": ""}]}
    with pytest.raises(ValueError, match="shop: stage 'mood' is unknown"):
        tool_fates([strange])


def test_no_drops_give_an_empty_table_with_its_columns():
    assert list(drop_table([{**BUILD[0], "drops": []}])) == ["server", "tool", "stage", "reason", "detail"]


def test_the_build_table_shows_sums_and_only_the_stages_that_drop(capsys):
    import sys

    console_for(sys.stdout).print(build_table(BUILD))
    shown = capsys.readouterr().out
    assert "2 servers" in shown
    assert "dropped: toolset" in shown
    assert "dropped: code" not in shown


def test_the_bars_of_a_server_add_up_to_its_tools():
    bars = plot_tool_fates(axis(), tool_fates(BUILD)).patches
    ends = {}
    for bar in bars:
        row = round(bar.get_y() + bar.get_height() / 2)
        ends[row] = max(ends.get(row, 0), bar.get_x() + bar.get_width())
    assert ends == {0: 5, 1: 1}


def test_environment_table_counts_tables_without_the_clock(bookstore):
    row = environment_table({"bookstore": bookstore}, {"bookstore": True}).iloc[0]
    records = sum(len(rows) for table, rows in bookstore.state.items() if not table.startswith("_"))
    assert (row["tools"], row["records"], bool(row["tasks"])) == (11, records, True)


def test_a_tool_stands_to_the_right_of_all_that_it_depends_on(bookstore, graph):
    nodes = node_table(bookstore, graph)
    layer = dict(zip(nodes["tool"], nodes["layer"], strict=True))
    assert set(layer) == set(bookstore.tool_names)
    assert all(layer[before] < layer[after] for before, after in graph.acyclic().edges)
    assert not nodes.duplicated(["layer", "height"]).any()


def test_the_edge_table_holds_every_edge_and_the_drawing_one_arrow_a_pair_and_kind(bookstore, graph):
    edges = edge_table(graph)
    assert len(edges) == graph.graph.number_of_edges()
    drawn = plot_layers(axis(), node_table(bookstore, graph), edges)
    apart = edges[edges["before"] != edges["after"]].drop_duplicates(["before", "after", "kind"])
    arrows = [text for text in drawn.texts if getattr(text, "arrow_patch", None) is not None]
    assert len(arrows) == len(apart)


def test_graph_summary_counts_what_held(bookstore, graph):
    row = graph_summary({"bookstore": bookstore}, {"bookstore": graph}).iloc[0]
    assert row["data"] == sum(1 for _ in graph.edges("data"))
    assert row["data"] <= row["proposed"]
    assert row["or_groups"] == len(graph.or_groups)


def test_stage_counts_on_two_dags_worked_by_hand():
    chain = nx.DiGraph([("a", "b"), ("b", "c")])
    free = nx.DiGraph()
    free.add_nodes_from("abcd")
    counts = stage_counts({"chain": chain, "free": free}, [1, 2], samples=40, seed=0).set_index(
        ["environment", "n"]
    )
    assert counts["stages"].to_dict() == {("chain", 1): 3, ("chain", 2): 3, ("free", 1): 4, ("free", 2): 2}
    assert counts["depth"].to_dict() == {("chain", 1): 3, ("chain", 2): 3, ("free", 1): 1, ("free", 2): 1}
    assert counts.loc[("chain", 1), "different"] == 1 / 40
    assert counts.loc[("free", 1), "different"] > 0.3


def test_a_sample_breaks_no_edge_and_a_shuffled_one_does(graph):
    dag = graph.acyclic()
    sample = stage_sample("bookstore", dag, 3, seed=5)
    assert violations(dag, sample) == 0
    assert violations(dag, sample.assign(stage=sample["stage"].to_numpy()[::-1])) > 0


def test_a_tool_waits_from_the_stage_after_the_last_that_it_needs():
    dag = nx.DiGraph([("a", "c"), ("b", "c")])
    dag.add_node("d")
    sample = stage_sample("x", dag, 1, seed=0).set_index("tool")
    assert sample.loc["c", "unlocked"] == sample.loc[["a", "b"], "stage"].max() + 1
    assert (sample.loc[["a", "b", "d"], "unlocked"] == 1).all()
    assert (sample["unlocked"] <= sample["stage"]).all()


def test_a_run_of_unlocking_is_drawn_with_its_arrows_and_its_queue():
    dag = nx.DiGraph([("a", "c"), ("b", "c")])
    sample, edges = stage_sample("x", dag, 1, seed=0), pd.DataFrame(dag.edges, columns=["before", "after"])
    axis = plot_stages(Figure().subplots(), sample, edges)
    assert len([text for text in axis.texts if text.get_text() == ""]) == 2  # arrows
    assert {text.get_text() for text in axis.texts} == {"", "a", "b", "c"}
    states = np.asarray(plot_queue(Figure().subplots(), sample).images[0].get_array())
    assert states.tolist() == [[2, 3, 3], [1, 2, 3], [0, 0, 2]]  # locked, waiting, called, called before


def test_item_tables_agree_with_the_items(bookstore, items):
    table = item_table(items)
    assert table["calls"].sum() == sum(1 for item in items["bookstore"] for _ in item.golden())
    assert size_counts(table, "turns")["items"].sum() == 8
    assert operation_counts(items, {"bookstore": bookstore})["calls"].sum() == table["calls"].sum()
    assert argument_sources(items)["share"].sum() == pytest.approx(1.0)


def test_replaying_broken_traces_is_seen_in_the_table(bookstore, items):
    assert replay_table(items, {"bookstore": bookstore}).iloc[0].tolist() == ["bookstore", 8, 8, 8]
    item = items["bookstore"][0]
    lost = GoldenCall("get_order", {"order_id": "ord-none"}, False)
    broken = Item(item.environment, item.state_hash, (*item.turns, Turn("More.", (lost,))), item.outcome)
    assert replay_table({"bookstore": [broken]}, {"bookstore": bookstore}).iloc[0]["all_turns"] == 0


def test_a_conversation_names_references_by_turn_and_call():
    reference = {"order_id": {"$ref": [0, 0, "order_id"]}}
    first = Turn("Make one.", (GoldenCall("create_order", {"items": [{"sku": "x"}]}, True),))
    asked = Fact(0, "status", "cancelled", {})
    second = Turn("Cancel it.", (GoldenCall("cancel_order", reference, True),), facts=(asked,))
    text = conversation(Item("bookstore", "", (first, second)))
    assert 'create_order(items=[{sku: "x"}])' in text
    assert "cancel_order(order_id=<order_id of turn 1, call 1>)" in text
    assert '`status` = `"cancelled"`' in text


def test_a_drawing_needs_its_tables_and_an_unknown_one_is_refused(project):
    with pytest.raises(UserError, match="figure 'nothing' is unknown"):
        draw("nothing", "smoke")
    with pytest.raises(UserError, match="tvlab reproduce --profile smoke"):
        draw("environment_funnel", "smoke")
    assert all(outcome.startswith("not drawn: no table") for outcome in draw_all("smoke").values())


def test_figures_are_drawn_again_from_tables_to_the_same_bytes(project):
    save_table(tool_fates(BUILD), "tool_fates", profile="smoke", n={"servers": 2}, caption="Fates.")
    first = draw("environment_funnel", "smoke").read_bytes()
    assert draw_all("smoke")["environment_funnel"] == "figures/smoke/environment_funnel.png and .pdf"
    assert (project / "figures" / "smoke" / "environment_funnel.png").read_bytes() == first
    assert len(first) > 5000


def test_every_drawing_reads_the_tables_that_it_names():
    for name, drawing in DRAWINGS.items():
        used = {place for _, places in drawing.panels for place in places}
        assert used == set(range(len(drawing.tables))), name
        assert np.prod(drawing.size) > 0


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (59.6, "1 min 0 s"), (3599, "59 min 59 s"), (3600, "1 h 0 min")]
)
def test_durations_are_told_in_words(seconds, words):
    assert duration(seconds) == words
