import numpy as np

from tvlab.tasks.gust import build_items
from tvlab.tasks.stressing import stress_of, stressing_items, touched, turn_shares
from tvlab.tasks.turn_kinds import EMPTY


def failures(kind, tool="", turn_kind="plain", environment="bookstore", times=5):
    return [{"kind": kind, "tool": tool, "turn_kind": turn_kind, "environment": environment}] * times


def share_of_tool(items, tool):
    calls = [call.tool for item in items for _, call in item.golden()]
    return calls.count(tool) / len(calls)


def test_a_failed_tool_comes_more_often_than_in_items_drawn_as_usual(bookstore, graph):
    usual = build_items(bookstore, graph, 40, seed=1)
    tools = sorted({call.tool for item in usual for _, call in item.golden()})
    tool = min(tools, key=lambda name: share_of_tool(usual, name))
    stress = stress_of(failures("wrong_argument", tool))
    drawn = stressing_items(bookstore, graph, 10, 1, stress)
    assert len(drawn) == 10
    assert share_of_tool(drawn, tool) > 1.5 * share_of_tool(usual, tool)
    assert all(item.provenance["like"] == round(touched(item, stress), 4) for item in drawn)


def test_surplus_calls_bring_turns_in_which_nothing_may_change(bookstore, graph):
    stress = stress_of(failures("surplus_call", "delete_book", "irrelevant"))
    drawn = stressing_items(bookstore, graph, 10, 1, stress)
    kinds = [turn.kind in EMPTY for item in drawn for turn in item.turns]
    assert np.mean(kinds) > 0.2


def test_the_same_seed_draws_the_same_and_never_a_datasets_items(bookstore, graph):
    stress = stress_of(failures("missing_call", "", environment=""))
    first, second = (stressing_items(bookstore, graph, 5, 3, stress) for _ in range(2))
    assert [item.to_json() for item in first] == [item.to_json() for item in second]
    held_out = {item.turns[0].user for item in build_items(bookstore, graph, 20, seed=3)}
    assert sum(item.turns[0].user in held_out for item in first) < 3


def test_failures_elsewhere_move_turn_kinds_alone():
    stress = stress_of(failures("wrong_tool", "spotify_play", "missing_function", environment="elsewhere"))
    shares = turn_shares(stress.turns)
    assert shares["missing_function"] > 0.3
    assert sum(shares.values()) <= 0.6 + 1e-9
    assert max(turn_shares({}).values()) < shares["missing_function"]


def test_no_failures_draw_items_all_the_same(bookstore, graph):
    assert len(stressing_items(bookstore, graph, 3, 0, stress_of([]))) == 3
