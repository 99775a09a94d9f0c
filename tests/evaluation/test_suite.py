"""The suite of a profile: made once, read back alike, made again when what it was made by has changed."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tvlab.environments.tool_lists import embedded_tool_lists
from tvlab.evaluation import suite
from tvlab.evaluation.suite import folds, load_environments, load_suite, read_suite
from tvlab.foundation import profiles
from tvlab.foundation.atomic_files import write_jsonl

SERVERS = ("orders_and_inventory", "calendar", "tickets", "telecom")


@pytest.fixture
def tiny(project, monkeypatch) -> str:
    """A file with four servers, and profile smoke at a size that tests can afford."""
    few = {"items_per_update": 4, "rollouts": 4, "items_per_environment": 4}
    small = replace(profiles.PROFILES["smoke"], updates=2, **few, evaluation_items=2, evaluation_rollouts=1)
    monkeypatch.setitem(profiles.PROFILES, "smoke", small)
    servers = [one.to_json() for one in embedded_tool_lists() if one.server in SERVERS]
    return str(write_jsonl(project / "servers.jsonl", servers))


def test_folds_hold_each_name_out_once_and_never_train_on_it():
    names = [f"e{n}" for n in range(7)]
    split = folds(names, 3)
    assert sorted(name for _, out in split for name in out) == names
    assert all(not set(seen) & set(out) and len(seen) + len(out) == 7 for seen, out in split)


def test_a_suite_is_made_once_and_read_back_alike(tiny, project):
    made = load_suite("smoke", source=tiny)
    items = project / "workspace" / "smoke" / "gust" / "items.jsonl"
    written = items.stat().st_mtime_ns
    again = load_suite("smoke", source=tiny)
    assert items.stat().st_mtime_ns == written
    assert again.key == made.key == read_suite("smoke").key
    assert [environment.name for environment in made.with_tasks] == sorted(SERVERS)
    assert all(1 <= len(chosen) <= 4 for chosen in made.items.values())


def test_another_seed_makes_another_suite_and_the_first_comes_back(tiny, project):
    first = load_suite("smoke", 0, tiny).key
    assert load_suite("smoke", 1, tiny).key != first
    assert load_suite("smoke", 0, tiny).key == first


def test_the_marker_of_a_half_made_suite_is_not_trusted(tiny, project):
    load_suite("smoke", source=tiny)
    marker = project / "workspace" / "smoke" / "gust" / "items.made.json"
    marker.write_text(json.dumps({"key": "of other code"}))
    items = project / "workspace" / "smoke" / "gust" / "items.jsonl"
    before = items.read_text()
    items.write_text("")
    load_suite("smoke", source=tiny)
    assert items.read_text() == before


def test_items_of_one_length_lie_beside_the_usual_ones(tiny, project):
    usual = load_suite("smoke", source=tiny).key
    three = load_suite("smoke", source=tiny, turns=3).items
    assert {len(item.turns) for items in three.values() for item in items} == {3}
    assert read_suite("smoke").key == usual
    assert sum(map(len, load_suite("smoke", source=tiny, count=2).items.values())) == 2 * len(SERVERS)


def test_two_programs_that_want_one_suite_make_it_once(tiny, project, monkeypatch):
    built, drawn = [], []
    build, items = suite.build_environments, suite._items_of
    monkeypatch.setattr(suite, "build_environments", lambda *a, **k: built.append(1) or build(*a, **k))
    monkeypatch.setattr(suite, "_items_of", lambda job: drawn.append(job[1]) or items(job))
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: load_suite("smoke", source=tiny), range(2))
    assert first.key == second.key
    assert built == [1]
    assert sorted(drawn) == sorted(SERVERS)


def test_a_file_of_servers_is_known_by_what_it_says_not_by_where_it_lies(tiny, project, monkeypatch):
    servers = [one.to_json() for one in embedded_tool_lists() if one.server == "calendar"]
    (project / "elsewhere").mkdir()
    here, moved = project / "mine.jsonl", project / "elsewhere" / "mine.jsonl"
    write_jsonl(here, servers)
    assert list(load_environments("smoke", source=str(here))) == ["calendar"]
    here.rename(moved)
    with monkeypatch.context() as patch:
        patch.setattr(suite, "build_environments", lambda *_, **__: pytest.fail("built again"))
        assert list(load_environments("smoke", source=str(moved))) == ["calendar"]
    write_jsonl(moved, [{**servers[0], "server": "diary"}])
    assert list(load_environments("smoke", source=str(moved))) == ["diary"]
