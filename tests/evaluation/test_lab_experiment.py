"""Runs of arms: what they train and are tested on, how they are stored and shared, in profile smoke at a tiny size."""

import subprocess
import sys
from dataclasses import replace

import pytest

from tvlab.environments.tool_lists import embedded_tool_lists
from tvlab.evaluation import lab_experiment, lab_run
from tvlab.evaluation.lab_experiment import (
    canonical,
    dealt,
    evaluate_held_out,
    job_of,
    key_of,
    lab_config,
    parent_of,
    run_grid,
    train_split,
    worlds,
)
from tvlab.evaluation.lab_run import Worlds
from tvlab.evaluation.lab_split import FOLDS, split
from tvlab.evaluation.lab_suites import BASE, SuiteName, get_suite, open_suite, suite_hashes
from tvlab.foundation import profiles
from tvlab.foundation.atomic_files import write_jsonl
from tvlab.foundation.errors import UserError
from tvlab.foundation.import_closure import import_closure
from tvlab.learning.lab_policy import LabPolicy
from tvlab.learning.lab_trainer import LabConfig
from tvlab.learning.policy_files import load_policy, save_policy

SERVERS = ("orders_and_inventory", "calendar", "tickets", "telecom")


@pytest.fixture
def tiny(project, monkeypatch) -> SuiteName:
    """Four servers, and profile smoke at a size that tests can afford."""
    few = {"items_per_update": 4, "rollouts": 2, "items_per_environment": 4}
    small = replace(profiles.PROFILES["smoke"], updates=2, **few, evaluation_items=2, evaluation_rollouts=1)
    monkeypatch.setitem(profiles.PROFILES, "smoke", small)
    servers = [one.to_json() for one in embedded_tool_lists() if one.server in SERVERS]
    get_suite.cache_clear()
    suite_hashes.cache_clear()
    yield SuiteName(source=str(write_jsonl(project / "servers.jsonl", servers)))
    get_suite.cache_clear()
    suite_hashes.cache_clear()


def stored(project) -> dict[str, int]:
    folders = (project / "workspace" / "runs").glob("*/done.json")
    return {path.parent.name: path.stat().st_mtime_ns for path in folders}


def test_every_environment_but_the_validation_ones_is_tested_by_one_seed_in_three():
    names = [f"e{n}" for n in range(24)]
    splits = [split(names, seed) for seed in range(FOLDS)]
    assert len({one.validation for one in splits}) == 1
    tested = [name for one in splits for name in one.test]
    assert sorted(tested + list(splits[0].validation)) == sorted(names)
    for one in splits:
        assert sorted((*one.training, *one.validation, *one.test)) == sorted(names)
    with pytest.raises(UserError, match="3 environments with items, 4 needed"):
        split(names[:3], 0)


def test_runs_are_stored_and_shared_between_jobs_that_differ_in_labels_only(tiny, project):
    jobs = [job_of("smoke", arm, 0, tiny) for arm in ("grpo", "untrained")]
    results = run_grid(jobs, workers=1)
    assert set(results.evaluation["arm"]) == {"grpo", "untrained"}
    assert len(results.updates) == 2
    assert list(results.clock.columns) == ["seconds", "arm", "seed"]
    assert "seconds" not in results.updates
    before = stored(project)
    assert len(before) == 2
    again = run_grid([job_of("smoke", "grpo", 0, tiny, labels={"point": 3})], workers=1)
    assert set(again.evaluation["point"]) == {3}
    assert again.evaluation["turn_reward"].tolist() == results.evaluation[results.evaluation["arm"] == "grpo"][
        "turn_reward"].tolist()  # fmt: skip
    assert stored(project) == before


def test_a_run_is_the_same_in_another_process_and_after_other_runs(tiny, project, monkeypatch):
    monkeypatch.setattr(lab_experiment, "IN_PROCESS", ())
    jobs = [job_of("smoke", "tara", 3, tiny), job_of("smoke", "turn_local", 1, tiny)]
    there = run_grid(jobs, workers=2)
    for path in (project / "workspace" / "runs").glob("*/done.json"):
        path.unlink()
    here = run_grid(jobs[::-1], workers=1)
    for name in ("evaluation", "validation", "updates"):
        order = ["arm", "update"] if name == "updates" else ["arm", "environment", "item", "attempt"]
        first, second = (getattr(one, name).sort_values(order, ignore_index=True) for one in (there, here))
        assert first.equals(second[first.columns]), name


def test_what_an_arm_does_not_use_is_not_in_its_key():
    one, two = LabConfig(arm="grpo", lam=0.1), LabConfig(arm="grpo", gamma=0.9)
    assert canonical(one) == canonical(two)
    assert canonical(replace(one, arm="tara")) != canonical(replace(two, arm="tara"))
    assert canonical(LabConfig(arm="untrained", lr=0.9, updates=3)) == canonical(LabConfig(arm="untrained"))
    assert canonical(LabConfig(arm="untrained", call_budget=3)) != canonical(LabConfig(arm="untrained"))


def test_the_key_changes_with_items_settings_and_code_and_with_nothing_else(tiny, project, monkeypatch):
    open_suite("smoke", tiny)
    job = job_of("smoke", "tara", 0, tiny)
    key = key_of(job)
    assert key_of(replace(job, labels=(("x", 1),))) == key
    assert key_of(replace(job, config=replace(job.config, lam=0.3))) != key
    assert key_of(replace(job, items=2)) != key
    hashes = suite_hashes("smoke", tiny)
    changed = {name: text + "x" for name, text in hashes.items()}
    monkeypatch.setattr(lab_experiment, "suite_hashes", lambda profile, suite: changed)
    assert key_of(job) != key


def test_the_code_in_the_key_is_what_a_run_imports():
    names = set(import_closure(lab_run.__name__))
    assert {"tvlab.learning.lab_trainer", "tvlab.tasks.coverage", "tvlab.environments.runtime"} <= names
    assert not any(name.startswith(("tvlab.reporting", "tvlab.cli", "tvlab.evaluation.suite")) for name in names)
    script = (f"import sys, {lab_run.__name__}; from tvlab.learning.lab_trainer import bound_estimator, LabConfig; "
              "bound_estimator(LabConfig()); print(*(n for n in sys.modules if n.startswith('tvlab')))")  # fmt: skip
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) <= names


def test_an_environment_in_two_of_the_three_is_refused(tiny, project):
    suite = open_suite("smoke", tiny)
    all_of_it = Worlds(list(suite.environments.values()), suite.items)
    with pytest.raises(UserError, match="is used twice"):
        lab_run.run(lab_config("smoke"), all_of_it, all_of_it, all_of_it, 1)


def test_fewer_environments_are_taken_in_one_order_and_too_many_are_refused(tiny, project):
    suite = open_suite("smoke", tiny)
    one, two = (job_of("smoke", "tara", 0, tiny, environments=n).split(suite).training for n in (1, 2))
    assert one == two[:1]
    with pytest.raises(UserError, match="2 environments to train on, 9 asked for"):
        job_of("smoke", "tara", 0, tiny, environments=9).split(suite)


def test_a_saved_policy_plays_as_the_one_that_was_trained(tiny, project):
    suite = open_suite("smoke", tiny)
    config = lab_config("smoke", "grpo", 1)
    trained, held_out = train_split(config, suite)
    path = save_policy(project / "p.npz", trained.policy, config, held_out)
    loaded, about, names = load_policy(path)
    assert (about, names) == (config, held_out)
    rows = [
        evaluate_held_out(policy, config, suite, held_out, 2, 2, seed=2)
        for policy in (trained.policy, loaded)
    ]
    assert rows[0].equals(rows[1])
    assert path.read_bytes() == save_policy(project / "q.npz", trained.policy, config, held_out).read_bytes()


def test_held_out_environments_without_items_are_named(tiny, project):
    suite = open_suite("smoke", tiny)
    with pytest.raises(UserError, match="no items for environment elsewhere"):
        evaluate_held_out(LabPolicy(), lab_config("smoke"), suite, ["elsewhere"], 1, 1, 0)


def test_no_jobs_are_refused_in_one_line():
    with pytest.raises(UserError, match="no runs are asked for"):
        run_grid([])


def test_the_usual_suite_is_that_of_the_profile():
    assert BASE.part("smoke") == ""
    assert BASE.part("lab") == BASE.part("full") == "domains"


def test_what_stands_beside_the_domains_is_trained_on_only_and_the_held_out_items_stay(tiny, project):
    base = open_suite("smoke", tiny)
    name = replace(tiny, variations=6)
    suite = open_suite("smoke", name)
    for one, items in base.items.items():
        assert [item.to_json() for item in suite.items[one]] == [item.to_json() for item in items]
    beside = set(suite.items) - set(base.items)
    assert beside
    parts = split(list(base.items), 0)
    assert {parent_of(one) for one in beside} <= {*parts.training, *parts.test}
    assert name.base == tiny
    few, many = (job_of("smoke", "tara", 0, name, count).split(suite) for count in (1, 3))
    assert (few.test, few.validation) == (many.test, many.validation) == (parts.test, parts.validation)
    assert many.training[: len(few.training)] == few.training
    assert {parent_of(one) or one for one in many.training} <= set(parts.training)
    with pytest.raises(UserError, match="99 asked for: ask for fewer, or give more"):
        job_of("smoke", "tara", 0, name, 99).split(suite)


def test_a_corpus_gives_further_environments_to_train_on(tiny, project):
    base = open_suite("smoke", tiny)
    servers = [one.to_json() for one in embedded_tool_lists() if one.server in ("mail", "calendar")]
    name = replace(tiny, corpus=str(write_jsonl(project / "corpus.jsonl", servers)))
    suite = open_suite("smoke", name)
    assert set(suite.items) == {*base.items, "mail"}, "a server that is a domain stays the domain"
    training = job_of("smoke", "tara", 0, name, len(split(list(base.items), 0).training) + 1).split(suite).training
    assert training[-1] == "mail"


def test_a_total_of_items_is_dealt_evenly_and_too_large_a_one_is_refused(tiny):
    suite = open_suite("smoke", tiny)
    names = sorted(suite.items)[:3]
    given = worlds(suite, names)
    counts = [len(items) for items in dealt(given, 7).items.values()]
    assert counts == [3, 2, 2]
    assert [len(items) for items in dealt(given, 3).items.values()] == [1, 1, 1]
    with pytest.raises(UserError, match="items to train on, 999 asked for"):
        dealt(given, 999)
    assert key_of(job_of("smoke", "tara", 0, tiny, total=5))["items"] == {"total": 5}
