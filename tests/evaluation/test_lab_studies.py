"""The lists of runs: what is shared, what a profile leaves out, and that nothing trains twice."""

import pytest

from tvlab.evaluation.lab_experiment import BASELINES, canonical
from tvlab.evaluation.lab_rates import rate_of
from tvlab.evaluation.lab_studies import (
    ALL_ARMS,
    CALL_BUDGET,
    EQUAL_STEPS,
    arms_under,
    component_jobs,
    horizon_jobs,
    reward_jobs,
    scale_jobs,
    size_jobs,
    sweep_conditions,
    sweep_jobs,
)
from tvlab.evaluation.lab_suites import SuiteName
from tvlab.foundation.errors import UserError
from tvlab.foundation.profiles import PROFILES
from tvlab.learning.advantages import BUILT_IN


def trained(jobs) -> set[str]:
    return {repr((job.suite, canonical(job.config), job.environments, job.items))
            for job in jobs if job.config.arm not in BASELINES}  # fmt: skip


def test_all_arms_are_those_built_in():
    assert sorted(ALL_ARMS) == sorted(BUILT_IN)


def test_the_conditions_differ_in_the_budget_alone_and_baselines_play_in_both():
    unlimited, budget = (component_jobs("full", ["tara"], name) for name in ("unlimited", "call_budget"))
    assert {job.config.call_budget for job in unlimited} == {None}
    assert {job.config.call_budget for job in budget} == {CALL_BUDGET}
    assert {job.config.arm for job in budget} == {"tara", *BASELINES}
    assert len(trained(budget)) == PROFILES["full"].seeds >= 9
    with pytest.raises(UserError, match="condition 'both' is unknown: choose from unlimited, call_budget"):
        component_jobs("full", ["tara"], "both")


def test_equal_steps_share_one_rate_and_root_mean_square():
    jobs = component_jobs("full", ALL_ARMS, "unlimited", equal_steps=True)
    assert {job.config.arm for job in jobs} == set(EQUAL_STEPS)
    assert {job.config.equal_rms for job in jobs} == {True}
    assert len({job.config.lr for job in jobs}) == 1


def test_the_sweeps_cross_in_one_point_and_lambda_zero_is_the_local_part():
    runs = trained(sweep_jobs("full", "unlimited"))
    assert len(runs) == (9 + 9 - 1) * 9
    local = trained(component_jobs("full", ["turn_local"], "unlimited", lr=rate_of("tara")))
    assert local <= runs
    assert trained(component_jobs("full", ["tara"], "unlimited")) <= runs


def test_profile_lab_is_small_enough_for_its_minutes():
    jobs = [*component_jobs("lab", ALL_ARMS, "unlimited"), *component_jobs("lab", ALL_ARMS, "call_budget"),
            *component_jobs("lab", ALL_ARMS, "unlimited", equal_steps=True), *sweep_jobs("lab", "unlimited"),
            *scale_jobs("lab", ["tara"]), *size_jobs("lab", ["grpo", "tara"]), *horizon_jobs("lab", ["tara", "grpo"]),
            *reward_jobs("lab", ["tara", "grpo"])]  # fmt: skip
    assert len(trained(jobs)) <= 120
    assert arms_under("lab", "call_budget", ALL_ARMS) == list(EQUAL_STEPS)
    assert arms_under("lab", "unlimited", ALL_ARMS) == list(ALL_ARMS)


def test_full_sweeps_under_both_conditions_and_lab_under_one():
    assert sweep_conditions("full") == ["unlimited", "call_budget"]
    assert sweep_conditions("lab") == ["unlimited"]
    values = {dict(job.labels)["value"] for job in sweep_jobs("full", "call_budget")}
    assert values <= {dict(job.labels)["value"] for job in sweep_jobs("full", "unlimited")}


def test_the_total_of_items_stays_where_it_is_fixed_and_points_beyond_the_domains_say_what_they_are():
    jobs = scale_jobs("full", ["tara"])
    fixed = [job for job in jobs if dict(job.labels)["items"] == "fixed"]
    assert {job.total for job in fixed} == {422}
    assert {job.items for job in jobs if job not in fixed} == {4}
    assert {job.environments for job in jobs} >= {100, 200, 300, 422}
    assert {job.suite for job in jobs if job.environments <= 13} == {SuiteName()}
    assert {dict(job.labels)["source"] for job in jobs if job.environments > 13} == {"domains and variations"}
    given = [job for job in scale_jobs("full", ["tara"], corpus="dump.jsonl") if job.environments > 13]
    assert {dict(job.labels)["source"] for job in given} == {"domains and a corpus"}
    assert {(job.suite.corpus, job.suite.variations) for job in given} == {("dump.jsonl", 0)}
