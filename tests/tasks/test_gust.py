import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tvlab.foundation.errors import UserError
from tvlab.foundation.seeds import generator
from tvlab.tasks.corruption import corruptions, surviving_corruptions
from tvlab.tasks.draft import Draft, Step, Thing
from tvlab.tasks.drawing import Drawer
from tvlab.tasks.equality import same_scalar
from tvlab.tasks.golden import Rejected
from tvlab.tasks.gust import CONNECTED, build_item, build_items, draw_turns, read_items, write_items
from tvlab.tasks.necessity import run_golden, unnecessary_calls
from tvlab.tasks.outcome import says
from tvlab.tasks.paths import is_reference, leaves
from tvlab.tasks.teachers import replay

BOOKSTORE = Path(__file__).parents[1] / "data" / "environments" / "bookstore"


def test_every_golden_trace_replays_to_reward_one_and_to_its_outcome(bookstore, items):
    for item in items:
        episode = replay(bookstore, item)
        assert episode.rewards == [1.0] * len(item.turns)
        assert episode.outcome_met()
        assert all(replay(bookstore, item, reward="both").rewards)


def test_every_golden_call_is_necessary(bookstore, items):
    assert all(unnecessary_calls(bookstore, item) == [] for item in items)


def test_dropping_any_golden_call_fails_its_turn(bookstore, items):
    for item in items:
        for (turn, call), _ in item.golden():
            assert replay(bookstore, item, {(turn, call): None}).rewards[turn] == 0.0


def test_corrupting_any_one_argument_fails_the_turn(bookstore, items):
    kinds: Counter[str] = Counter()
    for number, item in enumerate(items):
        tried, survived = surviving_corruptions(bookstore, item, generator(0, "corruption", number))
        assert survived == []
        assert tried > 0
        kinds.update(c.kind for c in corruptions(bookstore, item, generator(0, "corruption", number)))
    assert min(kinds["literal"], kinds["entity"], kinds["enum"]) > 50


def test_dropping_a_write_misses_the_outcome(bookstore, items):
    for item in items:
        for key, call in item.golden():
            if call.writes:
                assert not replay(bookstore, item, {key: None}).outcome_met()


def test_the_words_never_leak_a_minted_id(bookstore, items):
    for item in items:
        ids = {value for _, _, _, value in item.outcome["ids"]}
        ids |= {key for rows in item.outcome["state"].values() for key in rows} - {
            key for rows in bookstore.state.values() for key in rows
        }
        assert not [turn.user for turn in item.turns for value in ids if says(turn.user, value)]


def test_every_argument_is_said_or_seen_before_it_is_needed(bookstore, items):
    for item in items:
        trace = run_golden(bookstore, item)
        seen = []
        for key, call in item.golden():
            said = "\n".join(turn.user for turn in item.turns[: key[0] + 1])
            for _, value in leaves(call.arguments):
                known = (
                    value == {}
                    or is_reference(value)
                    or says(said, value)
                    or any(same_scalar(value, v) for v in seen)
                )
                assert known, (value, said)
            seen += [value for _, value in leaves(trace.observations[key])]


def test_stated_arguments_stand_in_the_words(items):
    for item in items:
        for turn in item.turns:
            for call, path in turn.stated:
                values = [v for at, v in leaves(turn.calls[call].arguments) if at[-1] == path.split(".")[-1]]
                assert any(says(turn.user, value) for value in values)


def test_ids_of_earlier_turns_are_used_in_later_ones(items):
    distances = [
        key[0] - value["$ref"][0]
        for item in items
        for key, call in item.golden()
        for _, value in leaves(call.arguments)
        if is_reference(value)
    ]
    assert np.mean([distance >= 1 for distance in distances]) > 0.5
    assert max(distances) >= 3


def test_length_is_what_it_is_drawn_for(bookstore, items):
    turns = [len(item.turns) for item in items]
    calls = [len(turn.calls) for item in items for turn in item.turns]
    assert abs(np.mean(turns) - 3.8) < 0.4
    assert set(turns) <= set(range(2, 7))
    assert 1.2 < np.mean(calls) < 2.6
    assert max(calls) <= 4
    assert min(calls) >= 1
    assert any(turn.kind == "chain" for item in items for turn in item.turns)


def test_the_words_vary(items):
    texts = [turn.user for item in items for turn in item.turns]
    assert len(set(texts)) > 0.95 * len(texts)
    firsts = Counter(" ".join(text.split()[:3]) for text in texts)
    assert firsts.most_common(1)[0][1] < 0.2 * len(texts)


def test_look_alike_ways_of_asking(bookstore, items):
    """Some things are named by key, others described and looked up: both must occur."""
    looked = [call.tool for item in items for _, call in item.golden() if not call.writes]
    assert {"search_customers", "list_books"} <= set(looked)
    stated = [
        value
        for item in items
        for turn in item.turns
        for value in bookstore.state["customers"]
        if says(turn.user, value)
    ]
    assert stated


def test_same_seed_gives_the_same_items_bit_by_bit(bookstore, graph, items):
    again = build_items(bookstore, graph, 20, seed=3)
    assert [item.to_json() for item in again] == [item.to_json() for item in items[:20]]
    other = build_items(bookstore, graph, 20, seed=4)
    assert [item.to_json() for item in other] != [item.to_json() for item in again]


def test_an_item_does_not_depend_on_those_before(bookstore, graph, items):
    number = items[7].provenance["number"]
    assert build_item(bookstore, graph, 3, number).to_json() == items[7].to_json()


def test_items_do_not_depend_on_hash_randomisation():
    code = (
        "import sys; from pathlib import Path; from tvlab.environments.environment import Environment;"
        "from tvlab.tasks.graph import build_graph; from tvlab.tasks.gust import build_items;"
        "from tvlab.foundation.canonical import content_hash;"
        "e = Environment.load(Path(sys.argv[1]));"
        "print(content_hash([i.to_json() for i in build_items(e, build_graph(e), 12, 3)]))"
    )
    hashes = {
        subprocess.run(
            [sys.executable, "-c", code, str(BOOKSTORE)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(hashes) == 1


def test_jsonl_comes_back_without_loss(items, tmp_path):
    path = write_items(tmp_path / "items.jsonl", items)
    again = read_items(path)
    assert [item.to_json() for item in again] == [item.to_json() for item in items]
    assert again[0].turns == items[0].turns


def test_a_line_that_is_no_item_is_named(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text('{"environment": "x"}\n')
    with pytest.raises(UserError, match=r"items\.jsonl:1: not a GUST item"):
        read_items(path)
    with pytest.raises(UserError, match="does not exist"):
        read_items(tmp_path / "none.jsonl")


def test_items_are_connected_until_thirty_drafts_failed(bookstore, graph, items):
    parts = [item.provenance["components"] for item in items]
    assert min(parts) == 1
    assert all(made == 1 for made, item in zip(parts, items, strict=True) if item.provenance["draws"] <= CONNECTED)


def test_where_a_draft_cannot_grow_it_goes_on_with_other_things(bookstore, graph):
    drawer = Drawer(bookstore, graph, generator(0, "elsewhere"))
    lone = [view for view in drawer.candidates if view.operation == "read"]
    drawer.candidates, drawer.weights = lone, [1.0] * len(lone)
    made = []
    for _ in range(30):
        try:
            draw_turns(drawer, 3, 1, 0.0, components=4)
        except Rejected:
            continue
        made.append(drawer.draft.components)
        assert len(drawer.draft.steps) >= 3
    assert made
    assert max(made) > 1


def test_components_count_groups_of_calls_that_share_things(bookstore, graph):
    view = next(iter(Drawer(bookstore, graph, generator(0, "x")).candidates))
    a, b, c = (Thing("book", key) for key in "abc")
    draft = Draft(things=[a, b, c])
    for at, bound in enumerate(({"x": a}, {"x": b}, {"x": a, "y": c}, {"x": c})):
        draft.add(Step(at, view, "act", bound))
    assert draft.components == 2
    draft.add(Step(4, view, "act", {"x": b, "y": c}))
    assert draft.components == 1
    assert Draft().components == 0


def test_a_wanted_number_of_turns_is_drawn(bookstore, graph):
    made = build_items(bookstore, graph, 4, 0, turns={7: 1.0})
    assert made
    assert {len(item.turns) for item in made} == {7}


def test_a_least_depth_is_kept_and_changes_nothing_where_it_asks_for_nothing(bookstore, graph, items):
    same = build_items(bookstore, graph, 5, seed=3, least_depth=1)
    assert [(item.turns, item.outcome) for item in same] == [(item.turns, item.outcome) for item in items[:5]]
    deep = build_items(bookstore, graph, 12, seed=3, least_depth=3)
    assert len(deep) >= 6
    assert all(item.provenance["depth"] >= 3 for item in deep)
    assert any("no call depends on another" in item.filters["rejected"] for item in deep)
