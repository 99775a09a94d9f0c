"""Bootstrap intervals and paired differences: oracles, coverage, order invariance, missing cells."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tvlab.evaluation.statistics import (
    bootstrap_interval,
    cell_means,
    compare_arms,
    holm,
    paired_difference,
    seed_tests,
)


def tidy(cells: np.ndarray, arm: str = "a", attempts: int = 1) -> pd.DataFrame:
    rows = [
        {"arm": arm, "environment": f"env{e}", "seed": s, "attempt": k, "score": cells[e, s]}
        for e in range(cells.shape[0])
        for s in range(cells.shape[1])
        for k in range(attempts)
    ]
    return pd.DataFrame(rows)


def crossed(rng: np.random.Generator, environments: int, seeds: int, mean: float = 0.0) -> np.ndarray:
    """Scores with environment effects, seed effects and noise, all of the same size."""
    return (
        mean
        + rng.normal(size=(environments, 1))
        + rng.normal(size=(1, seeds))
        + rng.normal(size=(environments, seeds))
    )


def test_one_unit_agrees_with_scipy_bootstrap():
    values = np.random.default_rng(1).gamma(2.0, size=40)
    rows = [{"environment": i, "score": v} for i, v in enumerate(values)]
    ours = bootstrap_interval(
        rows, "score", np.random.default_rng(2), units=["environment"], resamples=40_000
    )
    theirs = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=40_000, rng=np.random.default_rng(3)
    ).confidence_interval
    assert ours.estimate == pytest.approx(values.mean())
    assert [ours.low, ours.high] == pytest.approx([theirs.low, theirs.high], abs=0.02)


def test_interval_covers_the_true_mean_under_crossed_effects_and_resampling_rows_does_not():
    rng = np.random.default_rng(4)
    covered = naive = 0
    for _ in range(200):
        rows = tidy(crossed(rng, 20, 10, mean=1.0), attempts=2)
        interval = bootstrap_interval(rows, "score", rng, resamples=400)
        covered += not interval.excludes(1.0)
        half = 1.96 * rows["score"].std() / np.sqrt(len(rows))
        naive += abs(rows["score"].mean() - 1.0) < half
    assert covered >= 0.88 * 200
    assert naive < 0.6 * 200


def test_pairing_removes_what_arms_share():
    rng = np.random.default_rng(5)
    shared = crossed(rng, 30, 5)
    rows = pd.concat([tidy(shared + 0.1 + 0.01 * rng.normal(size=shared.shape), "new"), tidy(shared, "old")])
    difference = paired_difference(rows, "score", "new", "old", rng)
    assert difference.interval.excludes(0.0)
    assert difference.interval.estimate == pytest.approx(0.1, abs=0.01)
    assert difference.p_value < 0.001
    assert difference.wins == 1.0
    alone = bootstrap_interval(rows[rows["arm"] == "new"], "score", rng)
    assert alone.high - alone.low > 20 * (difference.interval.high - difference.interval.low)


def test_difference_is_antisymmetric():
    rows = pd.concat([tidy(crossed(np.random.default_rng(i), 6, 3), name) for i, name in enumerate("ab")])
    one = paired_difference(rows, "score", "a", "b", np.random.default_rng(0))
    two = paired_difference(rows, "score", "b", "a", np.random.default_rng(0))
    assert one.interval.estimate == pytest.approx(-two.interval.estimate)
    assert [one.interval.low, one.interval.high] == pytest.approx([-two.interval.high, -two.interval.low])
    assert one.p_value == two.p_value
    assert one.effect_size == pytest.approx(-two.effect_size)
    assert one.wins == pytest.approx(1 - two.wins)


def test_effect_size_by_hand():
    rows = pd.concat([tidy(np.array([[1.0], [2.0], [3.0]]), "a"), tidy(np.array([[0.0], [0.0], [0.0]]), "b")])
    assert paired_difference(rows, "score", "a", "b", np.random.default_rng(0)).effect_size == 2.0


def test_same_generator_state_gives_the_same_interval_whatever_the_global_seed(monkeypatch):
    rows = tidy(crossed(np.random.default_rng(6), 5, 4))
    found = []
    for global_seed in (0, 1):
        np.random.seed(global_seed)  # noqa: NPY002 (that it has no effect is the claim)
        found.append(bootstrap_interval(rows, "score", np.random.default_rng(7)))
    assert found[0] == found[1]
    shuffled = rows.sample(frac=1, random_state=3)
    assert bootstrap_interval(shuffled, "score", np.random.default_rng(7)) == found[0]


def test_attempts_do_not_narrow_the_interval():
    cells = crossed(np.random.default_rng(8), 5, 4)
    once = bootstrap_interval(tidy(cells), "score", np.random.default_rng(0))
    often = bootstrap_interval(tidy(cells, attempts=50), "score", np.random.default_rng(0))
    assert [often.low, often.high] == pytest.approx([once.low, once.high])


def test_one_environment_and_one_seed_give_no_interval():
    interval = bootstrap_interval(tidy(np.array([[0.5]])), "score", np.random.default_rng(0))
    assert interval.estimate == 0.5
    assert np.isnan([interval.low, interval.high]).all()
    assert not interval.excludes(0.0)
    assert interval.units == "1 environment x 1 seed"


def test_missing_cells_are_left_out_not_zero():
    rows = tidy(np.ones((4, 3)))
    rows = rows[~((rows["environment"] == "env0") & (rows["seed"] == 0))]
    interval = bootstrap_interval(rows, "score", np.random.default_rng(0))
    assert (interval.estimate, interval.low, interval.high) == (1.0, 1.0, 1.0)


def test_strata_keep_their_sizes():
    rows = tidy(np.array([[0.0], [0.0], [1.0], [1.0]]))
    rows["domain"] = np.where(rows["score"] > 0, "shop", "mail")
    interval = bootstrap_interval(rows, "score", np.random.default_rng(0), strata="domain")
    assert (interval.low, interval.high) == (0.5, 0.5)
    assert bootstrap_interval(rows, "score", np.random.default_rng(0)).low < 0.5
    rows["domain"] = range(4)
    both = pd.concat([rows, rows.assign(domain="x")])
    with pytest.raises(ValueError, match=r"env0.*several strata"):
        bootstrap_interval(both, "score", np.random.default_rng(0), strata="domain")


def test_compare_arms_adjusts_for_the_number_of_arms():
    rng = np.random.default_rng(9)
    rows = pd.concat([tidy(crossed(rng, 8, 3), name) for name in ("grpo", "tara", "rloo")])
    table = compare_arms(rows, "score", "grpo", rng, resamples=500)
    assert list(table["arm"]) == ["tara", "rloo"]
    assert (table["p_holm"] >= table["p"]).all()
    assert (table["units"] == "8 environments x 3 seeds").all()


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=8))
@settings(max_examples=50, deadline=None)
def test_holm_is_monotone_and_between_raw_and_bonferroni(p):
    p = np.array(p)
    adjusted = holm(p)
    assert (adjusted >= p - 1e-15).all()
    assert (adjusted <= np.minimum(1, p * len(p)) + 1e-15).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


def test_holm_skips_what_was_not_tested():
    assert holm([0.02, np.nan, 0.03]) == pytest.approx([0.04, np.nan, 0.04], nan_ok=True)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"environment": 1, "score": 1.0}], "lack the columns"),
        ([{"environment": 1, "seed": 0, "score": float("nan")}], "NaN"),
    ],
)
def test_bad_rows_are_named(rows, message):
    with pytest.raises(ValueError, match=message):
        cell_means(rows, "score")


def test_unknown_arm_is_named():
    with pytest.raises(ValueError, match="'b'"):
        paired_difference(tidy(np.ones((2, 2))), "score", "a", "b", np.random.default_rng(0))


def test_a_paired_test_over_seeds_is_the_exact_sign_flip_test():
    from itertools import product

    rng = np.random.default_rng(0)
    first, second = rng.normal(0.3, 0.2, 9), rng.normal(0.1, 0.2, 9)
    rows = [{"arm": arm, "seed": seed, "score": values[seed] + shift}
            for arm, values in (("a", first), ("b", second)) for seed in range(9) for shift in (-0.1, 0.1)]  # fmt: skip
    (row,) = seed_tests(rows, "score", [("a", "b")]).to_dict("records")
    differences = first - second
    flipped = [abs(np.mean(differences * signs)) for signs in product((-1, 1), repeat=9)]
    slow = np.mean([value >= abs(differences.mean()) - 1e-12 for value in flipped])
    assert row["p"] == pytest.approx(slow)
    assert row["p_holm"] == row["p"]
    assert row["effect_size"] == pytest.approx(differences.mean() / differences.std(ddof=1))


def test_fewer_than_nine_seeds_are_not_tested_and_do_not_count_as_tests():
    rows = [{"arm": arm, "seed": seed, "score": float(seed % 3) + (arm == "a")} for arm in "ab" for seed in range(9)]
    few = [row for row in rows if row["seed"] < 8]
    table = seed_tests(rows, "score", [("a", "b"), ("b", "b")])
    assert table["p_holm"].tolist() == pytest.approx([2 * 2 / 2**9, 1.0])
    assert np.isnan(seed_tests(few, "score", [("a", "b")])["p_holm"]).all()
